"""A rollup on its way onto the shelf: chosen, composed, examined, then one commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..domain import dates, rolling
from ..domain.admit import admit
from ..domain.entry import Entry
from ..domain.episode import Episode, format_episode
from ..domain.errors import BadField, ShelfError
from ..domain.finding import Finding
from ..domain.rolling import Asked
from ..domain.shelf import Shelf
from ..domain.slug import episode_id
from ..domain.text import plural
from . import moving
from .adding import refuse_same_title
from .clock import today
from .gate import Change, Saved
from .moving import Move
from .shelving import EpisodeExists, save
from .standing import one_file
from .store import Store


class NothingToRoll(ShelfError):
    """No live episode is what was asked for."""

    code = "nothing-to-roll"


class Wanted(NamedTuple):
    """Which episodes are to be rolled up: these ids, or those of some kinds up to a day."""

    ids: Sequence[str] = ()
    until: str = ""
    kinds: Sequence[str] = ()


class Draft(NamedTuple):
    """A rollup that may be written: its file, the moves, and what was found on the way."""

    shelf: Shelf
    path: str
    text: str
    episode: Episode
    moved: tuple[Entry, ...]
    moves: tuple[Move, ...]
    masked: Counter[str]
    found: tuple[Finding, ...]
    dropped: int

    @property
    def after(self) -> Shelf:
        """The shelf as it will be."""
        return rolling.rolled(self.shelf, self.moved, self.path, self.text)


def draft(
    store: Store,
    wanted: Wanted,
    slug: str,
    digest: str,
    title: str = "",
    sections: Mapping[str, str] | None = None,
    date: str = "",
) -> Draft:
    """Compose a rollup; nothing is written.

    Raises NothingToRoll, EpisodeExists, Rejected with every finding, NotToMove, NotOne.
    """
    _ = store.config  # a shelf that cannot say what it is gets no episode
    if rolling.SECTION in (sections or {}):
        said = f"{rolling.SECTION} is written by the rollup itself."
        raise BadField("section", said, "Choose another name.")
    if not digest.strip():
        raise BadField("digest", "it is empty.", "Say what was decided, rejected and left open.")
    shelf = store.read(bodied=True)
    name = episode_id(slug, title, date if dates.parse(date) else str(today()))
    path = f"docs/topics/{name}.md"
    taken = store.locate(name)
    if taken:
        raise EpisodeExists(f"{taken} is there already.", "Choose another slug.")
    moved = _chosen(store, shelf, wanted)
    day = rolling.day_of(date, name, str(today()))
    asked = Asked(name, day, digest, title, sections or {})
    made = rolling.composed(shelf, moved, asked, store.policy.digest_words)
    episode, masked, found = admit(made.episode, store.policy)
    refuse_same_title(store, episode, path)
    moves = moving.moves_of(store, [entry.path for entry in moved])
    return Draft(
        *(shelf, path, format_episode(episode), episode, moved, moves, masked, found),
        made.dropped,
    )


def _chosen(store: Store, shelf: Shelf, wanted: Wanted) -> tuple[Entry, ...]:
    if wanted.ids:
        by_path = {entry.path: entry for entry in shelf.entries}
        paths = dict.fromkeys(one_file(store, shelf, name) for name in wanted.ids)
        unread = [path for path in paths if path not in by_path]
        if unread:
            said = f"{unread[0]} cannot be read."
            raise NothingToRoll(said, "`memshelf doctor` says why; archive moves it as it is.")
        return tuple(by_path[path] for path in paths)
    last = dates.parse(dates.require("until", wanted.until))
    assert last is not None
    found = rolling.up_to(shelf, last, wanted.kinds)
    for entry in found:
        one_file(store, shelf, entry.id)  # of an id that stands twice nobody knows which is meant
    if not found:
        said = f"No live episode has a date up to {wanted.until}."
        raise NothingToRoll(said, "Name a later day, or episodes by their ids.")
    return found


def write(store: Store, draft: Draft) -> Saved:
    """Write a rollup and move what is behind it, in one commit."""
    changes = [
        Change(draft.path, draft.text.encode("utf-8")),
        *moving.changes(store, draft.moves),
        *moving.settings(store, draft.shelf),
    ]
    count = plural(len(draft.moves), "episode")
    return save(store, changes, f"rollup: {draft.episode.id} ({count})", commit=True)
