"""What git knows of a shelf's episodes: who made, amended, moved and replaced which one when.

Values only: `storage/history.py` reads them, and a shelf holds them as `Shelf.changes` where a
renderer needs them. What was removed has no name here, so that no output can show one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

NEW, AMENDED, REPLACED = "new", "amended", "replaced"
ARCHIVED, UNARCHIVED, RENAMED, REMOVED = "archived", "unarchived", "renamed", "removed"
KINDS = (NEW, AMENDED, REPLACED, ARCHIVED, UNARCHIVED, RENAMED, REMOVED)
FRONT = "front matter"
"""What stands among the sections for the front matter and all else above the first section."""
UNKNOWN = "?"
"""The visibility of a version that could not be read."""
SHOWN = 20
"""Changes of one episode that are told one by one."""
BULK = 50
"""More episodes than this that one commit brings are told in one sentence."""


class Change(NamedTuple):
    """One thing that happened to one episode in one commit.

    `path` is where the episode is today, "" for one that was removed; `old_path` where it was
    before a move. `when` is RFC 3339 with the author's own offset, as git keeps it, or empty.
    `sections` are the addresses of those whose text changed, and `front matter`; `closes` are
    addresses, `ID/t2` or `ID`, `by` the ids that replace the episode. `before` is what the version
    before a rename or a removal said of who may read it: a level, "" for nothing, "?" for unknown.
    """

    kind: str
    path: str
    when: str
    author: str
    commit: str
    old_path: str = ""
    sections: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    before: str = UNKNOWN

    @property
    def day(self) -> str:
        """The author's day, `YYYY-MM-DD`, or empty where git has no sensible one."""
        return self.when[:10]


@dataclass(frozen=True)
class History:
    """The changes of a shelf's episodes, newest first.

    `available` is False where there is no git, and `why` says why, if git could be expected.
    `begins` is the day from which on a shallow clone knows everything, "" where that is all of it.
    `head` is the commit that the history leads to.
    """

    changes: tuple[Change, ...] = ()
    begins: str = ""
    available: bool = False
    head: str = ""
    why: str = ""

    def of(self, path: str) -> tuple[Change, ...]:
        """All changes of the episode at a path, newest first."""
        return self._by_path.get(path, ())

    def origin(self, path: str) -> Change | None:
        """The change that brought an episode; None where it lies before the known history."""
        return next((change for change in self.of(path) if change.kind == NEW), None)

    def later(self, path: str, limit: int = SHOWN) -> tuple[Change, ...]:
        """The latest changes of an episode after the one that brought it, newest first."""
        return tuple(change for change in self.of(path) if change.kind != NEW)[:limit]

    @cached_property
    def moved(self) -> dict[str, str]:
        """Every earlier path with today's; of two episodes that were at one path the later counts."""
        out: dict[str, str] = {}
        for change in self.changes:
            if change.old_path and change.old_path != change.path:
                out.setdefault(change.old_path, change.path)
        return out

    @cached_property
    def _by_path(self) -> dict[str, tuple[Change, ...]]:
        out: dict[str, list[Change]] = {}
        for change in self.changes:
            if change.path:
                out.setdefault(change.path, []).append(change)
        return {path: tuple(found) for path, found in out.items()}

    def seen_by(self, readers: Readers) -> History:
        """The history as it would be if the shelf held only what some readers may see."""
        from dataclasses import replace

        return replace(self, changes=tuple(_seen(self.changes, readers)))


# --- what readers may see --------------------------------------------------------------------


class Readers(NamedTuple):
    """What some readers may see: of each episode, by path, the sections that they find in it.

    `hides` tells of an id or an address whether it is one of a hidden episode, `may_read` of the
    word of a version (see `Change.before`) whether they might have read that version, and `text`
    gives a text without the names of hidden episodes.
    """

    sections: Callable[[str], Iterable[str]]
    paths: frozenset[str]
    hides: Callable[[str], bool]
    may_read: Callable[[str], bool]
    may_count: Callable[[str], bool]
    text: Callable[[str], str]


def _seen(changes: Iterable[Change], readers: Readers) -> Iterable[Change]:
    for change in changes:
        if change.kind == REMOVED:
            if readers.may_count(change.before):
                yield change
        elif change.path in readers.paths:
            yield from _shown(change, readers)


def _shown(change: Change, readers: Readers) -> Iterable[Change]:
    """The change without what it would tell of hidden episodes; nothing where it told nothing else.

    Old versions may have had sections that were taken out before the episode was shown to anybody,
    and a name that was changed for that.
    """
    hides = readers.hides
    closes = tuple(address for address in change.closes if not hides(address))
    by = tuple(name for name in change.by if not hides(name))
    kind, old_path = change.kind, change.old_path
    if change.sections or change.closes or change.by:
        if not (change.sections or closes or by) and kind in (AMENDED, REPLACED):
            return
        kind = AMENDED if kind == REPLACED and not by else kind
    if kind == RENAMED and (hides(stem(old_path)) or not readers.may_read(change.before)):
        if not change.sections:
            return
        kind, old_path = AMENDED, ""
    there = {FRONT, *readers.sections(change.path)} if change.sections else set()
    sections = tuple(name for name in map(readers.text, change.sections) if name in there)
    yield change._replace(kind=kind, old_path=old_path, sections=sections, closes=closes, by=by)


def stem(path: str) -> str:
    """The name of an episode's file without its ending."""
    return path.rpartition("/")[2].removesuffix(".md")
