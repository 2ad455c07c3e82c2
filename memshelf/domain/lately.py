"""What changed lately, as a reader wants it told: one row an episode and day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import groupby
from typing import NamedTuple

from .changes import (
    AMENDED,
    ARCHIVED,
    BULK,
    NEW,
    REMOVED,
    RENAMED,
    REPLACED,
    UNARCHIVED,
    Change,
)
from .dates import parse
from .shelf import Shelf

DAYS, LEAST, MOST = 30, 50, 300
"""Days that are told of, and how many rows at least and at most."""
_FIRST = (NEW, REPLACED, RENAMED, ARCHIVED, UNARCHIVED, AMENDED)
"""Of several things that happened to an episode on one day the first of these names the row."""


class Row(NamedTuple):
    """What happened to one episode on one day; or, with `many`, to so many at once.

    The other fields are those of a change; of many at once `path` is that of the newest, and
    removed ones have none.
    """

    day: str
    kind: str
    path: str
    old_path: str = ""
    sections: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    many: int = 0


class Lately(NamedTuple):
    """The rows to show, newest first, how many of them lie in the last 30 days, and how many older
    ones there are."""

    rows: tuple[Row, ...]
    recent: int
    more: int

    @property
    def days(self) -> Iterator[tuple[str, list[Row]]]:
        """The rows by day."""
        for day, found in groupby(self.rows, lambda row: row.day):
            yield day, list(found)


def lately(shelf: Shelf) -> Lately:
    """What changed in the 30 days before the shelf's newest date, or the last 50 rows if those are
    more, at most 300."""
    found = list(rows(shelf))
    since = _since(max([shelf.as_of, *(row.day for row in found[:1])]))
    recent = sum(row.day >= since for row in found)
    shown = min(max(recent, LEAST), MOST)
    return Lately(tuple(found[:shown]), min(recent, shown), max(len(found) - shown, 0))


def _since(day: str) -> str:
    last = parse(day)
    return (last - timedelta(days=DAYS)).isoformat() if last and last.year > 1 else ""


def rows(shelf: Shelf) -> Iterator[Row]:
    """Every change of the episodes on the shelf, newest first, each episode once a day."""
    order = {entry.path: entry.order for entry in shelf.entries}
    there = (one for one in shelf.changes.changes if one.path in order or one.kind == REMOVED)
    for day, some in groupby(there, lambda one: one.day):
        yield from _of_day(day, list(some), order)


def _of_day(day: str, changes: list[Change], order: dict[str, tuple[str, str]]) -> Iterator[Row]:
    together: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        together.setdefault((change.commit, change.kind), []).append(change)
    many = [some for (_, kind), some in together.items() if len(some) > BULK and kind != REMOVED]
    told = {id(change) for some in many for change in some}
    single: dict[str, list[Change]] = {}
    for one in changes:
        if id(one) not in told and one.kind != REMOVED:
            single.setdefault(one.path, []).append(one)
    for some in many:
        newest = max(some, key=lambda one: (order[one.path], one.path))
        yield Row(day, newest.kind, newest.path, many=len(some))
    yield from map(_joined, single.values())
    removed = sum(one.kind == REMOVED for one in changes)
    if removed:
        yield Row(day, REMOVED, "", many=removed)


def _joined(changes: Sequence[Change]) -> Row:
    """What happened to one episode on one day, newest first, as one row."""
    main = min(changes, key=lambda one: _FIRST.index(one.kind))
    oldest_first = changes[::-1]
    return Row(
        main.day,
        main.kind,
        main.path,
        main.old_path,
        () if main.kind == NEW else _all(one.sections for one in oldest_first),
        _all(one.closes for one in oldest_first),
        _all(one.by for one in oldest_first),
    )


def _all(parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for part in parts for one in part))
