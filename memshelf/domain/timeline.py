"""Events in the order of their days: how many by a day, which in a span, which still stand."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")
NEVER = "~"
"""Sorts behind every date: the day on which nothing happens."""


class Timeline(Generic[T]):
    """Events by day, `YYYY-MM-DD`; those of one day in the order given."""

    def __init__(self, events: Iterable[T], day: Callable[[T], str]) -> None:
        given = list(events)
        days = [day(event) for event in given]
        order = sorted(range(len(given)), key=days.__getitem__)
        self.events: Sequence[T] = [given[place] for place in order]
        self._days = [days[place] for place in order]

    def until(self, day: str) -> int:
        """How many there are up to and including a day."""
        return bisect_right(self._days, day)

    def within(self, eve: str, last: str) -> Sequence[T]:
        """Those after one day, up to and including another."""
        return self.events[self.until(eve) : self.until(last)]

    def count(self, eve: str, last: str) -> int:
        """How many there are after one day, up to and including another."""
        return self.until(last) - self.until(eve)


class Standing(Generic[T]):
    """Which of the things that came on a timeline have not left, the first of them by rank.

    Asked about days that only go forward: then each thing is handled a few times in all, however
    many days are asked about.
    """

    def __init__(
        self, came: Timeline[T], left: Callable[[T], str], rank: Callable[[T], Any]
    ) -> None:
        self._came, self._left, self._rank = came, left, rank
        self._seen = 0
        self._there: list[tuple[Any, int, str]] = []

    def first(self, came: str, day: str, limit: int | None) -> list[T]:
        """Those that came up to one day and stand at the end of another, at most so many."""
        self._advance(self._came.until(came), day)
        found = list(self._taken(day, limit))
        for one in found:
            heapq.heappush(self._there, one)
        return [self._came.events[place] for _, place, _ in found]

    def _advance(self, until: int, day: str) -> None:
        fresh = []
        for place in range(self._seen, until):
            thing = self._came.events[place]
            left = self._left(thing)
            if left > day:
                fresh.append((self._rank(thing), place, left))
        self._seen = max(self._seen, until)
        if len(fresh) > len(self._there):
            self._there += fresh
            heapq.heapify(self._there)
        else:
            for one in fresh:
                heapq.heappush(self._there, one)

    def _taken(self, day: str, limit: int | None) -> Iterator[tuple[Any, int, str]]:
        count = 0
        while self._there and (limit is None or count < limit):
            one = heapq.heappop(self._there)
            if one[2] > day:
                count += 1
                yield one
