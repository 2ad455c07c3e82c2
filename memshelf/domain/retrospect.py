"""What a period looks like from its last day: the one value that every form of a report shows.

All but `since` is as of that day: what is archived, closed, reversed, replaced or recalled later
does not move it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from .chronicle import Figures
from .entry import Entry
from .finding import Finding
from .period import Period
from .threads import Decision, Replacement, Thread

T = TypeVar("T")


@dataclass(frozen=True)
class Cut(Generic[T]):
    """The first of some things, and how many there are in all."""

    shown: tuple[T, ...] = ()
    total: int = 0

    @classmethod
    def of(cls, found: Sequence[T], limit: int | None) -> Cut[T]:
        """At most `limit` of them, all where that is None."""
        return cls(tuple(found[:limit]), len(found))

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.total - len(self.shown)


class Limits(NamedTuple):
    """How many of each a report shows, None for all."""

    decisions: int | None = None
    threads: int | None = None
    others: int | None = None
    episodes: int | None = None


def limits(episodes: int, full: bool = False) -> Limits:
    """What is shown of a period with so many episodes: a small one whole, a large one in counts."""
    if full:
        return Limits()
    if episodes <= 40:
        return Limits(None, 100, 40, None)
    if episodes <= 200:
        return Limits(60, 60, 40, None)
    return Limits(60, 40, 20, 0)


class Rise(NamedTuple):
    """A tag of a period: how many episodes have it, and how many had it in the period before."""

    tag: str
    now: int
    before: int


@dataclass(frozen=True)
class Exceptions:
    """What is in no figure, or stands out: each is named.

    `undated` have no calendar date and belong to no period; `unreadable` are files whose name has
    no date, or one up to the period's last day.
    """

    undated: Cut[Entry]
    unreadable: Cut[Finding]
    without_digest: Cut[Entry]
    twice: Cut[tuple[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Since:
    """What later episodes did to those of the period; how many came after it, and the newest.

    `gone` counts the threads that were open at the period's end and are not any more; `closed` and
    `carried` name those of the period, and those that it showed as carried in.
    """

    after: int
    newest: Entry | None
    gone: int
    closed: Cut[Thread]
    carried: Cut[Thread]
    reversed: Cut[Decision]
    replaced: Cut[Replacement]
    archived: Cut[Entry]


@dataclass(frozen=True)
class Retrospective:
    """One period of a shelf; see `Figures` for its numbers. Lists are newest first, threads that
    are open oldest first."""

    period: Period
    figures: Figures
    before: tuple[Period, Figures] | None
    quarters: tuple[tuple[Period, Figures], ...]
    earlier: int
    """Episodes before the period."""
    undated: int
    """Episodes of the whole shelf that have no calendar date."""
    total: int
    """Episodes of the whole shelf."""
    open_before: int
    decisions: Cut[Decision]
    closed: Cut[Thread]
    opened: Cut[Thread]
    carried_in: Cut[Thread]
    replaced: Cut[Replacement]
    reversed: Cut[Decision]
    mentioned: Cut[tuple[str, int]]
    recalled: Cut[tuple[str, int]]
    unrecalled: Cut[Entry]
    undated_recalls: bool
    recalls_begin: bool
    """True where any recall up to the period's last day has a date."""
    used: Cut[Rise]
    rising: Cut[Rise]
    new: Cut[Rise]
    episodes: Cut[Entry]
    months: tuple[tuple[str, tuple[Entry, ...]], ...]
    """Every month of the period, newest first, with its episodes, newest first."""
    exceptions: Exceptions
    since: Since
