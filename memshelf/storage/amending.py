"""Changing an episode that is there: every byte that was not named stays."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..domain.admit import admit
from ..domain.amend import amend as spliced
from ..domain.episode import CATEGORIES, CATEGORY, DESCRIPTION_LIMIT, Document, Episode, episode_of
from ..domain.errors import BadField, ShelfError
from ..domain.mentions import item_of
from ..domain.redact import redact
from ..domain.text import clip
from .gate import Change, Saved
from .shelving import (
    LISTS,
    Done,
    Wish,
    codes,
    counted,
    messages,
    refuse_broken,
    refuse_unknown,
    replaced,
    save,
)
from .store import Store

ITEMISED = ("Open threads", "Decisions")
"""Sections whose items other episodes name by their number."""


class Prepared(NamedTuple):
    """An amend that was checked: where the file is and belongs, its text before and after, and the
    answer as it stands while nothing is written."""

    path: str
    target: str
    old: str
    text: str
    episode: Episode
    done: Done


def prepare(store: Store, wish: Wish, contract: bool = True) -> Prepared:
    """What an amend would write, checked by every rule.

    Without `contract` the digest and the tags are left out: neither is what the caller was given.
    """
    if not wish.slug:
        raise BadField("slug", "an amend needs the id of its episode.", "Give it as the slug.")
    _ = store.config
    path = store.require(wish.slug)
    old = store.text(path)
    refuse_broken(path, old)
    fields = dict(wish.fields)
    _refuse_empty(fields)
    fields |= {name: tuple(filter(None, fields[name])) for name in LISTS if name in fields}
    if "approx_tokens" in fields:
        fields.setdefault("approx_tokens_source", "estimate")
    sections = dict(wish.sections) | ({} if wish.digest is None else {"Digest": wish.digest})
    text, counts = redact(spliced(old, _normal(fields), sections), store.policy.rules)
    stem = path.rpartition("/")[2][:-3]
    episode = episode_of(Document.of(text), stem)
    named = frozenset(
        (*fields, *sections, *(("sections",) if sections or "kind" in fields else ()))
    )
    named = named if contract else named - {"tags"}
    _, _, found = admit(episode, store.policy, named, contract)
    refuse_unknown(store, episode, fields)
    _refuse_moved(store, episode, old, text, sections)
    target = _target(path, episode, fields)
    done = Done(target, episode, Saved(), False, counted(counts), messages(found), codes(found))
    return Prepared(path, target, old, text, episode, done)


def amend(store: Store, wish: Wish, commit: bool, dry_run: bool) -> Done:
    """Change what a wish names in an episode that is there; every other byte stays."""
    path, target, old, text, episode, done = prepare(store, wish)
    if dry_run:
        return replace(done, diff=_diff(path, old, text))
    changes = _changes(path, target, old, text) + replaced(store, episode.with_(**_new(wish)))
    if not changes:
        return replace(done, already=True)
    stem = path.rpartition("/")[2][:-3]
    saved = save(store, changes, f"shelve: {stem} (amend)", commit)
    moved = path if target != path else None
    return replace(done, saved=saved, written=True, moved_from=moved)


def _new(wish: Wish) -> dict[str, Any]:
    return {"supersedes": wish.fields.get("supersedes", ())}


def _normal(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as they are stored; the description within its length."""
    made = Episode.make(id="x", **fields)
    out = {name: getattr(made, name) for name in fields}
    if "description" in out:
        out["description"] = clip(out["description"], DESCRIPTION_LIMIT, 80)
    return out


def _refuse_empty(fields: Mapping[str, Any]) -> None:
    """The keys that every episode needs cannot be taken away."""
    for key in ("kind", "span"):
        if fields.get(key, "given") == "":
            raise BadField(key, "it cannot be taken away.", "Give another value.")


def _target(path: str, episode: Episode, fields: Mapping[str, Any]) -> str:
    """Where the file belongs after an amend: a new kind moves it, but not over the archive's edge."""
    root, category, name = path.rsplit("/", 2)
    if "kind" not in fields or CATEGORY[episode.kind] == category or category not in CATEGORIES:
        return path
    if root.startswith("archive"):
        raise BadField("kind", "an archived episode keeps its kind.", "Leave the kind out.")
    return f"{root}/{CATEGORY[episode.kind]}/{name}"


def _changes(path: str, target: str, old: str, text: str) -> list[Change]:
    before, after = old.encode("utf-8"), text.encode("utf-8")
    if target != path:
        return [Change(path, None, before), Change(target, after)]
    return [Change(path, after, before)] if after != before else []


def _refuse_moved(
    store: Store, episode: Episode, old: str, text: str, sections: Mapping[str, str]
) -> None:
    for address in moved_addresses(store, episode.id, old, text, sections):
        said = f"{address} is named by another episode and would move."
        fix = "Keep the items in their order; add new ones at the end."
        raise ShelfError(said, fix, "address-in-use")


def moved_addresses(
    store: Store, name: str, old: str, text: str, sections: Collection[str] = ITEMISED
) -> Iterator[str]:
    """The addresses (ID/t2, ID/d1) that another episode names and that would mean something else,
    or nothing, once an episode's text is another one in some sections."""
    for section, letter in zip(ITEMISED, "td", strict=True):
        if section not in sections:
            continue
        before, after = _listed(old, section), _listed(text, section)
        for place in _in_use(store, name, letter):
            if not _kept(before, after, place):
                yield f"{name}/{letter}{place}"


def _listed(text: str, section: str) -> list[str]:
    from ..domain.items import choices, items

    body = Document.of(text).body(section) or ""
    return [row.text for row in (items(body) if section == ITEMISED[0] else choices(body))]


def _kept(before: list[str], after: list[str], place: int) -> bool:
    """Whether the item at a place is the same one, though its words may be others."""
    if place > len(before):
        return True
    if place > len(after):
        return False
    old, new = before[place - 1], after[place - 1]
    return old == new or (old not in after and new not in before)


def _in_use(store: Store, name: str, letter: str) -> list[int]:
    shelf = store.read()
    named = (a for e in shelf.entries for a in (*e.closes, *e.supersedes) if e.id != name)
    items = (item_of(a) for a in named if a.partition("/")[0] == name)
    return sorted({number for kind, number in items if kind == letter})


def _diff(path: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(
        old.split("\n"), new.split("\n"), f"a/{path}", f"b/{path}", lineterm=""
    )
    return "\n".join(lines) or "Nothing would change."
