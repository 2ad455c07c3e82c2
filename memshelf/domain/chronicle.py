"""What happened on a shelf, day by day: the events that reports over periods are counted from.

Made once for a shelf; each count is then two looks into a sorted list, so that many periods cost
little more than one. Nothing here depends on what happened after the days that are asked about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from .dates import parse
from .entry import Entry
from .episode import CATEGORY
from .graph import graph
from .period import Period
from .shelf import Recall, Shelf
from .tags import tag_key
from .threads import CLOSED, OPEN, Decision, Decisions, Replacement, Thread, Threads
from .timeline import NEVER, Standing, Timeline


class Figures(NamedTuple):
    """The numbers of a period, as they stood on its last day.

    open before + opened - closed - carried = open.
    """

    episodes: int
    kinds: tuple[tuple[str, int], ...]
    decisions: int
    reversed: int
    opened: int
    closed: int
    carried: int
    open: int
    recalls: int


class Mention(NamedTuple):
    """One episode names another, from the day on when both are on the shelf."""

    target: str
    day: str


class Chronicle:
    """The events of a shelf by day; `undated` are the episodes that have no calendar date, and of
    which nothing is among the events.

    Of threads and decisions only those are made at once that were closed, carried on or reversed,
    which are few; the others are counted, and made for the periods that show them.
    """

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        dates = [(entry, entry.ledger_date) for entry in shelf.entries]
        dated = {date for date in {date for _, date in dates} if parse(date)}
        self.undated = [entry for entry, date in dates if date not in dated]
        self.entries: Timeline[Entry] = Timeline(
            (entry for entry, date in dates if date in dated), lambda entry: entry.ledger_date
        )
        self.made = Threads(shelf)
        touched = sorted((t for t in self.made.touched.values() if t.date in dated), key=age)
        gone = [thread for thread in touched if thread.state != OPEN]
        self.touched: Timeline[Thread] = Timeline(touched, _day)
        self.gone: Timeline[Thread] = Timeline(gone, left)
        self.gone_by_day: Timeline[Thread] = Timeline(gone, _day)
        self.closed: Timeline[Thread] = Timeline(filter(was_closed, gone), left)
        self.decided = Decisions(shelf)
        self.replaced: Timeline[Replacement] = Timeline(self.decided.replaced, lambda one: one.date)
        turned = list(self._turned())
        self.reversed: Timeline[Decision] = Timeline(turned, lambda made: made.reversed_on)
        self.reversed_by_day: Timeline[Decision] = Timeline(turned, lambda made: made.date)
        self.recalls: Timeline[Recall] = Timeline(
            (recall for recall in shelf.recalls if parse(recall.date)), lambda recall: recall.date
        )

    def _turned(self) -> Iterator[Decision]:
        for entry in self.entries.events:
            if self.decided.may_be_reversed(entry):
                yield from (made for made in self.decided.of(entry) if not made.stands)

    # --- numbers -----------------------------------------------------------------------------

    @cached_property
    def _opened(self) -> list[int]:
        """How many threads the first episodes had opened, for each number of episodes."""
        return [0, *accumulate(map(self.made.count, self.entries.events))]

    @cached_property
    def _decisions(self) -> list[int]:
        return [0, *accumulate(len(entry.decisions) for entry in self.entries.events)]

    def figures(self, period: Period) -> Figures:
        """The numbers of a period."""
        days = eve, end = period.eve, period.end
        first, last = self.entries.until(eve), self.entries.until(end)
        gone, closed = self.gone.count(*days), self.closed.count(*days)
        return Figures(
            episodes=last - first,
            kinds=kinds(self.entries.events[first:last]),
            decisions=self._decisions[last] - self._decisions[first],
            reversed=self.reversed.count(*days),
            opened=self._opened[last] - self._opened[first],
            closed=closed,
            carried=gone - closed,
            open=self.open(end),
            recalls=self.recalls.count(*days),
        )

    def open(self, day: str) -> int:
        """How many threads were open at the end of a day."""
        return self._opened[self.entries.until(day)] - self.gone.until(day)

    def open_ever_since(self, day: str) -> int:
        """How many threads were open at the end of a day and still are."""
        return self._opened[self.entries.until(day)] - self.gone_by_day.until(day)

    # --- threads -----------------------------------------------------------------------------

    def untouched(self, entries: Iterable[Entry]) -> Iterator[Thread]:
        """The threads of episodes that nothing ever closed, carried on or joined to another."""
        for entry in entries:
            for thread in self.made.of(entry):
                if thread.address not in self.made.touched:
                    yield thread

    def touched_standing(self) -> Standing[Thread]:
        """The other ones that are open on a day, the oldest first."""
        return Standing(self.touched, left, age)

    # --- who names whom ----------------------------------------------------------------------

    @cached_property
    def mentions(self) -> Timeline[Mention]:
        """Each pair of an episode and one that it names, on the day of the later one."""
        day = {entry.id: entry.ledger_date for entry in self.entries.events}
        pairs = {(edge.target, edge.source): None for edge in graph(self.shelf).edges}
        return Timeline(
            (
                Mention(target, max(day[source], day.get(target, "")))
                for target, source in pairs
                if source in day
            ),
            lambda mention: mention.day,
        )

    @cached_property
    def _mentioned(self) -> dict[str, Timeline[Mention]]:
        out: dict[str, list[Mention]] = {}
        for mention in self.mentions.events:
            out.setdefault(mention.target, []).append(mention)
        return {name: Timeline(found, lambda one: one.day) for name, found in out.items()}

    def mentions_of(self, episode: str, day: str) -> int:
        """How many episodes had named one by the end of a day."""
        found = self._mentioned.get(episode)
        return found.until(day) if found else 0

    # --- replaced ----------------------------------------------------------------------------

    @cached_property
    def _replacing(self) -> dict[str, list[Replacement]]:
        out: dict[str, list[Replacement]] = {}
        for one in self.replaced.events:
            out.setdefault(one.old, []).append(one)
        return out

    def replacing(self, episode: str) -> Sequence[Replacement]:
        """What replaces an episode, by date."""
        return self._replacing.get(episode, ())

    # --- recalls and tags --------------------------------------------------------------------

    @cached_property
    def first_recalls(self) -> dict[str, str]:
        """The day of the first recall of each episode that was recalled."""
        return {recall.episode_id: recall.date for recall in reversed(self.recalls.events)}

    @cached_property
    def recalled(self) -> Timeline[Entry]:
        """Every episode that was recalled, on the day of its first recall."""
        first = self.first_recalls
        return Timeline(
            (entry for entry in self.entries.events if entry.id in first),
            lambda entry: max(entry.ledger_date, first[entry.id]),
        )

    def unrecalled(self) -> Standing[Entry]:
        """The episodes that were never recalled by a day, the oldest first."""
        first = self.first_recalls
        return Standing(self.entries, lambda e: first.get(e.id, NEVER), lambda entry: "")

    @cached_property
    def _keys(self) -> dict[str, str]:
        return {tag: tag_key(tag) for entry in self.entries.events for tag in entry.tags}

    def key(self, tag: str) -> str:
        """What is the same for all spellings of a tag of the shelf."""
        return self._keys[tag]

    @cached_property
    def tags(self) -> dict[str, tuple[str, str]]:
        """The day on which each tag first came up, and how it was spelled then, by its key."""
        out: dict[str, tuple[str, str]] = {}
        for entry in self.entries.events:
            for tag in entry.tags:
                key = self._keys[tag]
                if key not in out:
                    out[key] = (entry.ledger_date, tag)
        return out


def _day(thread: Thread) -> str:
    return thread.date


def left(thread: Thread) -> str:
    """The day on which a thread stopped being open: closed or carried on, whichever came first."""
    if thread.state == OPEN:
        return NEVER
    closed = thread.closed_on if thread.closed_by else NEVER
    return min(closed, thread.carried_on if thread.carried_by else NEVER)


def was_closed(thread: Thread) -> bool:
    """True where it was closing that ended a thread, and not that another carried it on."""
    return thread.state == CLOSED and thread.closed_on == left(thread)


def age(thread: Thread) -> tuple[str, str, str, int]:
    """What threads are sorted by: since when they are open, then by episode and place."""
    place = int(thread.address.rpartition("/t")[2])
    return (thread.since, thread.date, thread.episode, place)


def kinds(entries: Iterable[Entry]) -> tuple[tuple[str, int], ...]:
    """How many episodes there are of each kind: the known kinds first."""
    found = Counter(entry.kind or "other" for entry in entries)
    known = [kind for kind in CATEGORY if kind in found]
    return tuple((kind, found[kind]) for kind in (*known, *sorted(found.keys() - set(CATEGORY))))
