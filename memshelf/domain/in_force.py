"""What holds again, and what nothing leads to any more, once some episodes are gone."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from .entry import Entry
from .rolling import behind
from .shelf import Shelf
from .text import plural
from .threads import OPEN, Decisions, Threads

_SHOWN = 5


def consequences(shelf: Shelf, paths: Collection[str]) -> Iterator[str]:
    """Sentences about what else changes when the episodes at some paths are taken off a shelf.

    What they had replaced is in force again, threads that they had closed are open again, and what
    stands behind a rollup among them has no line in the index.
    """
    gone = [entry for entry in shelf.entries if entry.path in paths]
    if not gone:
        return
    names = {name for entry in gone for name in (entry.id, entry.stem)}
    stay = (_without(entry, names) for entry in shelf.entries if entry.path not in paths)
    after = replace(shelf, entries=tuple(stay))
    yield from _in_force(shelf, after)
    yield from _open_again(shelf, after)
    yield from left_behind(shelf, paths)


def _without(entry: Entry, names: set[str]) -> Entry:
    """The entry as it is once it is not said any more to be replaced by some ids."""
    kept = tuple(name for name in entry.superseded_by if name not in names)
    return entry if kept == entry.superseded_by else entry._replace(superseded_by=kept)


def _in_force(shelf: Shelf, after: Shelf) -> Iterator[str]:
    """Episodes, and decisions of others, that were replaced and are not."""
    whole = [
        name for name in shelf.superseded if name in after.by_id and name not in after.superseded
    ]
    was, now = Decisions(shelf), Decisions(after)
    touched = [entry for entry in after.entries if was.may_be_reversed(entry)]
    reversed_ = {one.address for entry in touched for one in was.of(entry) if not one.stands}
    single = [
        one.address
        for entry in touched
        if entry.id not in whole
        for one in now.of(entry)
        if one.stands and one.address in reversed_
    ]
    for name in (*whole, *single):
        yield f"{name} is not said to be replaced any more: what replaced it is forgotten."


def _open_again(shelf: Shelf, after: Shelf) -> Iterator[str]:
    ended = [one.address for one in Threads(shelf).touched.values() if one.state != OPEN]
    now = Threads(after)
    found = [one.address for one in map(now.get, ended) if one and one.state == OPEN]
    if found:
        are = "is" if len(found) == 1 else "are"
        yield f"{plural(len(found), 'thread')} {are} open again: {', '.join(found)}."


def left_behind(shelf: Shelf, paths: Collection[str]) -> Iterator[str]:
    """A sentence about what stands behind rollups at some paths, once these leave the index."""
    gone = [entry for entry in shelf.entries if entry.path in paths]
    after = replace(shelf, entries=tuple(one for one in shelf.entries if one.path not in paths))
    kept = {entry.path for entry in behind(after, after.live)}
    there = {entry.path for entry in after.archived}
    found = [one.id for one in behind(shelf, gone) if one.path in there - kept]
    if found:
        named = ", ".join(found[:_SHOWN]) + (" ..." if found[_SHOWN:] else "")
        yield (
            f"{plural(len(found), 'archived episode')} stood behind a rollup that goes, and no line of INDEX.md leads "
            f"there any more: {named}. `unarchive` and a new `rollup` give them one."
        )
