"""The way of an episode onto the shelf: wish, redaction and rules, gate."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..domain import dates, economy
from ..domain.admit import admit
from ..domain.amend import amend as spliced
from ..domain.entry import ledger_digest_tokens
from ..domain.episode import (
    CATEGORIES,
    CATEGORY,
    Document,
    Episode,
    episode_of,
    format_episode,
    troubles,
)
from ..domain.errors import BadField, ShelfError
from ..domain.finding import Finding
from ..domain.redact import redact, summary
from ..domain.slug import episode_id
from ..domain.splicing import splice
from ..domain.text import clip, one_line
from . import gate
from .clock import today
from .gate import Change, Saved
from .store import Store

_TEXT = (
    "display_title description session notes span date retain_until mode approx_tokens_source "
    "visibility lang author agent op kind"
).split()
_LISTS = ("tags", "supersedes", "closes")
DESCRIPTION = 120


class EpisodeExists(ShelfError):
    """The id, or the title in its category, is taken."""

    code = "episode-exists"


@dataclass(frozen=True)
class Wish:
    """What is to be shelved: only what was given is in `fields`; an empty text takes away."""

    slug: str
    digest: str | None
    sections: Mapping[str, str]
    fields: Mapping[str, Any]

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of all that can be wished for, sections apart."""
        return ("slug", "digest", "approx_tokens", *_TEXT, *_LISTS)

    @classmethod
    def of(cls, given: Mapping[str, Any], sections: Mapping[str, str]) -> Wish:
        """A wish out of a verb's arguments: None and empty lists were not given."""
        fields = {n: given[n] for n in (*_TEXT, "approx_tokens") if given[n] is not None}
        fields |= {name: tuple(given[name]) for name in _LISTS if given[name]}
        return cls(given["slug"], given["digest"], sections, fields)


@dataclass(frozen=True)
class Done:
    """What became of a wish."""

    path: str
    episode: Episode
    saved: Saved
    written: bool
    redaction: dict[str, Any]
    warnings: tuple[str, ...] = ()
    digest_warnings: tuple[str, ...] = ()
    moved_from: str | None = None
    already: bool = False
    diff: str = field(default="", repr=False)

    @property
    def ledger_row(self) -> str:
        """The row that the next rebuild writes for it."""
        e = self.episode
        cells = (e.date, e.id, e.mode, str(e.approx_tokens), str(self._digest_tokens), e.notes)
        return "\t".join(cells)

    @property
    def _digest_tokens(self) -> int:
        return ledger_digest_tokens(f"## Digest\n{self.episode.digest}\n")


# --- a new episode ---------------------------------------------------------------------------


def add(store: Store, wish: Wish, commit: bool, dry_run: bool) -> Done:
    """Shelve a new episode. Raises Rejected, EpisodeExists, and what the gate raises."""
    _ = store.config  # a shelf that cannot say what it is gets no episode
    asked, notes = _composed(wish)
    episode, counts, found = admit(asked, store.policy)
    _refuse_unknown(store, episode, wish.fields)
    if not episode.description:
        episode = episode.with_(description=_first_sentence(episode.digest))
    text = format_episode(episode)
    path = f"docs/{CATEGORY[episode.kind]}/{episode.id}.md"
    taken = store.locate(episode.id)
    if taken:
        return _taken(store, episode, taken, text)
    _refuse_same_title(store, episode)
    changes = [Change(path, text.encode("utf-8")), *_replaced(store, episode)]
    done = Done(path, episode, Saved(), False, _counted(counts), notes, _codes(found))
    if dry_run:
        return replace(done, diff=text, warnings=(*notes, *_messages(found)))
    saved = _save(store, changes, f"shelve: {episode.id}", commit)
    return replace(done, saved=saved, written=True, warnings=(*notes, *_messages(found)))


def _composed(wish: Wish) -> tuple[Episode, tuple[str, ...]]:
    """The episode that a wish asks for, with what was not given filled in."""
    fields = dict(wish.fields)
    asked = fields.get("date") or ""
    day = asked if dates.parse(asked) else str(today())
    name = episode_id(wish.slug, fields.get("display_title", ""), day)
    fields["date"] = fields.get("date") or dates.of_id(name)
    if dates.parse(fields["date"]):
        fields.setdefault("span", fields["date"])
    fields.setdefault("kind", "topic")
    fields.setdefault("mode", "live")
    fields |= _provenance(fields)
    notes = (f"The id is {name} (asked for: {wish.slug}).",) if wish.slug not in ("", name) else ()
    sections = tuple(wish.sections.items())
    made = Episode.make(id=name, digest=wish.digest or "", sections=sections, **fields)
    return made, notes


def _provenance(fields: Mapping[str, Any]) -> dict[str, Any]:
    if "approx_tokens" in fields:
        return {"approx_tokens_source": fields.get("approx_tokens_source") or "estimate"}
    if fields.get("approx_tokens_source"):
        said = "a source without a number says nothing."
        raise BadField("approx_tokens_source", said, "Give approx_tokens too.")
    return {"approx_tokens": 0, "approx_tokens_source": "unmeasured"}


def _first_sentence(digest: str) -> str:
    """The digest's first sentence, within the length of a description."""
    line = digest.replace("\n", " ")
    ends = [at for at in (line.find(stop) for stop in (". ", "! ", "? ", "。")) if at >= 0]
    sentence = line[: min(ends) + 1] if ends else line
    return clip(one_line(sentence), DESCRIPTION, 80)


def _taken(store: Store, episode: Episode, path: str, text: str) -> Done:
    """The answer where the id is there: done already if it is the same request, else refused."""
    there = store.text(path)
    same_key = episode.op and episode_of(Document.of(there), episode.id).op == episode.op
    if there == text or same_key:
        return Done(path, episode, Saved(), False, _counted({}), already=True)
    where = "archived" if path.startswith("archive/") else "there"
    raise EpisodeExists(f"{path} is {where} already.", "Amend it (amend), or choose another slug.")


def _refuse_same_title(store: Store, episode: Episode) -> None:
    """A title is taken once in its category: from the names beside the files, and the cache."""
    if not episode.display_title:
        return
    path = store.titled(CATEGORY[episode.kind], episode.display_title)
    if path and path != f"docs/{CATEGORY[episode.kind]}/{episode.id}.md":
        said = f"The title {episode.display_title!r} is that of {path} already."
        raise EpisodeExists(said, "Choose another title, or amend that episode.", "title-taken")


def _replaced(store: Store, episode: Episode) -> list[Change]:
    """The old episodes that this one replaces, each with `superseded_by` written into it."""
    changes = []
    for name in episode.supersedes:
        if "/" in name:
            continue
        path = store.require(name)
        old = store.text(path)
        _refuse_broken(path, old)
        by = episode_of(Document.of(old), name).superseded_by
        if episode.id not in by:
            wanted = f"[{', '.join((*by, episode.id))}]"
            new = splice(old, {"superseded_by": wanted}, _order())
            changes.append(Change(path, new.encode("utf-8"), old.encode("utf-8")))
    return changes


def _order() -> tuple[str, ...]:
    from ..domain.episode import ORDER

    return ORDER


# --- amending --------------------------------------------------------------------------------


def amend(store: Store, wish: Wish, commit: bool, dry_run: bool) -> Done:
    """Change what a wish names in an episode that is there; every other byte stays."""
    if not wish.slug:
        raise BadField("slug", "an amend needs the id of its episode.", "Give it as the slug.")
    _ = store.config
    path = store.require(wish.slug)
    old = store.text(path)
    _refuse_broken(path, old)
    fields = dict(wish.fields)
    _refuse_empty(fields)
    fields |= {name: tuple(filter(None, fields[name])) for name in _LISTS if name in fields}
    if "approx_tokens" in fields:
        fields.setdefault("approx_tokens_source", "estimate")
    sections = dict(wish.sections) | ({} if wish.digest is None else {"Digest": wish.digest})
    text, counts = redact(spliced(old, _normal(fields), sections), store.policy.rules)
    stem = path.rpartition("/")[2][:-3]
    episode = episode_of(Document.of(text), stem)
    named = frozenset(
        (*fields, *sections, *(("sections",) if sections or "kind" in fields else ()))
    )
    _, _, found = admit(episode, store.policy, named)
    _refuse_unknown(store, episode, fields)
    _refuse_moved(store, episode, old, text, sections)
    target = _target(path, episode, fields)
    done = Done(target, episode, Saved(), False, _counted(counts), _messages(found), _codes(found))
    if dry_run:
        return replace(done, diff=_diff(path, old, text))
    changes = _changes(path, target, old, text) + _replaced(store, episode.with_(**_new(wish)))
    if not changes:
        return replace(done, already=True)
    saved = _save(store, changes, f"shelve: {stem} (amend)", commit)
    moved = path if target != path else None
    return replace(done, saved=saved, written=True, moved_from=moved)


def _new(wish: Wish) -> dict[str, Any]:
    return {"supersedes": wish.fields.get("supersedes", ())}


def _normal(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as they are stored; the description within its length."""
    made = Episode.make(id="x", **fields)
    out = {name: getattr(made, name) for name in fields}
    if "description" in out:
        out["description"] = clip(out["description"], DESCRIPTION, 80)
    return out


def _refuse_empty(fields: Mapping[str, Any]) -> None:
    """The keys that every episode needs cannot be taken away."""
    for key in ("kind", "span"):
        if fields.get(key, "given") == "":
            raise BadField(key, "it cannot be taken away.", "Give another value.")


def _refuse_unknown(store: Store, episode: Episode, fields: Mapping[str, Any]) -> None:
    """What a request replaces or closes must be on the shelf: by name, no file is opened."""
    for key in ("supersedes", "closes"):
        for name in getattr(episode, key) if key in fields else ():
            store.require(name.partition("/")[0])


def _refuse_broken(path: str, text: str) -> None:
    document = Document.of(text)
    errors = [f for f in troubles(document) if f.level == "error"]
    if errors:
        said = f"{path} cannot be amended: {errors[0].message}"
        raise ShelfError(said, errors[0].fix or "Mend the file by hand first.", errors[0].code)


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
    """An address (ID/t2, ID/d1) that another episode names may not come to mean something else."""
    from ..domain.items import choices, items

    for section, letter, read in (("Open threads", "t", items), ("Decisions", "d", choices)):
        if section not in sections:
            continue
        before = [row.text for row in read(Document.of(old).body(section) or "")]
        after = [row.text for row in read(Document.of(text).body(section) or "")]
        for place in _in_use(store, episode.id, letter):
            if not _kept(before, after, place):
                said = f"{episode.id}/{letter}{place} is named by another episode and would move."
                fix = "Keep the items in their order; add new ones at the end."
                raise ShelfError(said, fix, "address-in-use")


def _kept(before: list[str], after: list[str], place: int) -> bool:
    if place > len(before):
        return True
    return place <= len(after) and (
        before[place - 1] not in after or after[place - 1] == before[place - 1]
    )


def _in_use(store: Store, name: str, letter: str) -> list[int]:
    shelf = store.read()
    named = (a for e in shelf.entries for a in (*e.closes, *e.supersedes) if e.id != name)
    prefix = f"{name}/{letter}"
    return sorted({int(a[len(prefix) :]) for a in named if a.startswith(prefix)})


# --- both ------------------------------------------------------------------------------------


def _save(store: Store, changes: list[Change], message: str, commit: bool) -> Saved:
    plain = store.settings["storage"] == "plain"
    try:
        return gate.save(store.root, changes, message, commit=commit, plain=plain)
    except gate.AlreadyThere as trouble:
        raise EpisodeExists(trouble.message, "Amend it (amend), or choose another slug.") from None


def identity(saved: Saved) -> tuple[str, ...]:
    """A warning that a commit was made under the neutral identity."""
    if not saved.identity:
        return ()
    said = f"Git knows no user here: the commit was made as {saved.identity}."
    return (f"{said} Set user.name and user.email to change that.",)


def _counted(counts: Mapping[str, int]) -> dict[str, Any]:
    return {"total": sum(counts.values()), "counts": dict(counts), "summary": summary(dict(counts))}


def _codes(found: tuple[Finding, ...]) -> tuple[str, ...]:
    return tuple(f.code for f in found if f.code in ("referent-bare", "thin"))


def _messages(found: tuple[Finding, ...]) -> tuple[str, ...]:
    return tuple(f"{f.message} {f.fix}".strip() for f in found)


def _diff(path: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(
        old.split("\n"), new.split("\n"), f"a/{path}", f"b/{path}", lineterm=""
    )
    return "\n".join(lines) or "Nothing would change."


def totals(store: Store) -> dict[str, Any]:
    """What the ledger of the last rebuild sums up to, and how many files there are by now."""
    ledger, index = "", ""
    with contextlib.suppress(ShelfError):
        ledger = (store.bytes("ledger.tsv") or b"").decode("utf-8", "replace")
        index = (store.bytes("INDEX.md") or b"").decode("utf-8", "replace")
    counted, on_disk = economy.from_ledger(ledger, index), store.count()
    stale = counted["episodes"] != on_disk
    return counted | {"episodes_on_disk": on_disk, "derived_stale": stale}
