"""A new episode on its way onto the shelf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..domain import dates
from ..domain.admit import admit
from ..domain.episode import (
    CATEGORY,
    DESCRIPTION_LIMIT,
    Document,
    Episode,
    episode_of,
    format_episode,
)
from ..domain.errors import BadField
from ..domain.slug import episode_id
from ..domain.text import clip, one_line
from .clock import today
from .gate import Change, Saved
from .shelving import (
    Done,
    EpisodeExists,
    Wish,
    codes,
    counted,
    messages,
    refuse_unknown,
    replaced,
    save,
)
from .store import Store


def add(store: Store, wish: Wish, commit: bool, dry_run: bool) -> Done:
    """Shelve a new episode. Raises Rejected, EpisodeExists, and what the gate raises."""
    _ = store.config  # a shelf that cannot say what it is gets no episode
    asked, notes = _composed(wish)
    episode, counts, found = admit(asked, store.policy)
    refuse_unknown(store, episode, wish.fields)
    if not episode.description:
        episode = episode.with_(description=_first_sentence(episode.digest))
    text = format_episode(episode)
    path = f"docs/{CATEGORY[episode.kind]}/{episode.id}.md"
    taken = store.locate(episode.id)
    if taken:
        return _taken(store, episode, taken, text)
    _refuse_same_name(store, episode.id)
    refuse_same_title(store, episode, f"docs/{CATEGORY[episode.kind]}/{episode.id}.md")
    changes = [Change(path, text.encode("utf-8")), *replaced(store, episode)]
    done = Done(path, episode, Saved(), False, counted(counts), notes, codes(found))
    if dry_run:
        return replace(done, diff=text, warnings=(*notes, *messages(found)))
    saved = save(store, changes, f"shelve: {episode.id}", commit)
    return replace(done, saved=saved, written=True, warnings=(*notes, *messages(found)))


def _composed(wish: Wish) -> tuple[Episode, tuple[str, ...]]:
    """The episode that a wish asks for, with what was not given filled in."""
    fields = dict(wish.fields)
    asked = fields.get("date") or ""
    day = asked if dates.parse(asked) else str(today())
    name = episode_id(wish.slug, fields.get("display_title", ""), day)
    fields["date"] = fields.get("date") or dates.of_id(name)
    if dates.parse(fields["date"]):
        fields["span"] = fields.get("span") or fields["date"]
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


def _taken(store: Store, episode: Episode, path: str, text: str) -> Done:
    """The answer where the id is there: done already if it is the same request, else refused."""
    there = store.text(path)
    same_key = episode.op and episode_of(Document.of(there), episode.id).op == episode.op
    if there == text or same_key:
        return Done(path, episode, Saved(), False, counted({}), already=True)
    where = "archived" if path.startswith("archive/") else "there"
    raise EpisodeExists(f"{path} is {where} already.", "Amend it (amend), or choose another slug.")


def _refuse_same_name(store: Store, name: str) -> None:
    """An old shelf may hold capitals: in a clone on another disk both names would be one file."""
    for stem in store.stems():
        if stem.casefold() == name:
            said = f"{stem} is on the shelf, and some disks cannot tell {name} from it."
            raise EpisodeExists(said, "Amend it (amend), or choose another slug.")


def refuse_same_title(store: Store, episode: Episode, own: str) -> None:
    """A title is taken once in its category: from the names beside the files, and the cache.

    `own` is the path of the episode that is to have it.
    """
    if not episode.display_title:
        return
    path = store.titled(CATEGORY[episode.kind], episode.display_title)
    if path and path != own:
        said = f"The title {episode.display_title!r} is that of {path} already."
        raise EpisodeExists(said, "Choose another title, or amend that episode.", "title-taken")


def _first_sentence(digest: str) -> str:
    """The digest's first sentence, within the length of a description."""
    line = digest.replace("\n", " ")
    ends = [at for at in (line.find(stop) for stop in (". ", "! ", "? ", "。")) if at >= 0]
    sentence = line[: min(ends) + 1] if ends else line
    return clip(one_line(sentence), DESCRIPTION_LIMIT, 80)
