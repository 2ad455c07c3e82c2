"""Looking back at periods from their last days: `Retrospective` values out of a shelf's chronicle."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from .chronicle import Chronicle, Figures, age, left, was_closed
from .dates import of_id
from .entry import Entry
from .finding import Finding
from .period import QUARTER, YEAR, Period, covering, previous
from .retrospect import Cut, Exceptions, Limits, Retrospective, Rise, Since, limits
from .shelf import Shelf
from .threads import Decision, Replacement, Thread, days
from .timeline import NEVER

TOP = 10
TAGS = 12


def retrospectives(
    shelf: Shelf, periods: Iterable[Period], full: bool = False
) -> Iterator[Retrospective]:
    """The retrospectives of periods that follow one another, oldest first; `full` cuts no list.

    Many cost little more than one: the shelf is gone through once.
    """
    looking = _Looking(shelf, full)
    for period in periods:
        yield looking.at(period)


class _Looking:
    """Goes through a shelf's periods from the oldest to the newest."""

    def __init__(self, shelf: Shelf, full: bool) -> None:
        self.shelf, self.full = shelf, full
        self.all = Chronicle(shelf)
        self.touched = self.all.touched_standing()
        self.untouched = self.all.untouched(self.all.entries.events)
        self.oldest: list[Thread] = []  # the first of `untouched`
        self.unrecalled = self.all.unrecalled()
        self.undated = self.all.undated

    def at(self, period: Period) -> Retrospective:
        """The retrospective of one period, not before the last that was asked for."""
        start = self.shelf.config.fiscal_year_start
        before = previous(period, start)
        entries = self.all.entries.within(period.eve, period.end)
        figures = self.all.figures(period)
        show = limits(len(entries), self.full)
        shown = self._oldest(period, show.threads)
        return Retrospective(
            period=period,
            figures=figures,
            before=(before, self.all.figures(before)) if before else None,
            quarters=tuple(self._quarters(period)),
            earlier=self.all.entries.until(period.eve),
            undated=len(self.undated),
            total=len(self.shelf.entries),
            open_before=self.all.open(period.eve),
            decisions=self._decisions(period, entries, figures.decisions, show),
            closed=self._closed(period, show),
            opened=self._opened(period, entries, figures.opened, show),
            carried_in=self._carried_in(period, shown),
            replaced=Cut.of(self.all.replaced.within(period.eve, period.end)[::-1], show.others),
            reversed=self._reversed(period, show),
            mentioned=self._mentioned(period),
            recalled=self._recalled(period),
            unrecalled=self._unrecalled(period, entries),
            undated_recalls=len(self.shelf.recalls) > len(self.all.recalls.events),
            recalls_begin=self.all.recalls.until(period.end) > 0,
            **self._tags(period, before),
            episodes=Cut.of(entries[::-1], show.episodes),
            months=tuple(_months(period, entries)),
            exceptions=self._exceptions(period, entries),
            since=self._since(period, entries, shown, show),
        )

    def _quarters(self, period: Period) -> Iterator[tuple[Period, Figures]]:
        if period.kind == YEAR:
            start = self.shelf.config.fiscal_year_start
            for quarter in covering(period.first, period.last, QUARTER, start):
                yield quarter, self.all.figures(quarter)

    # --- decisions and threads ---------------------------------------------------------------

    def _decisions(
        self, period: Period, entries: Sequence[Entry], total: int, show: Limits
    ) -> Cut[Decision]:
        """Of many those of the episodes that were named most, and of these the newest."""
        end = period.end
        chosen: Iterable[Entry] = entries
        if show.decisions is not None and total > show.decisions:
            named = {entry.id: self.all.mentions_of(entry.id, end) for entry in entries}
            chosen = sorted(entries, key=lambda e: (named[e.id], e.order), reverse=True)
        made = (decision for entry in chosen for decision in self.all.decided.of(entry))
        shown = sorted(islice(made, show.decisions), key=_making, reverse=True)
        return Cut(tuple(decision.on(end) for decision in shown), total)

    def _closed(self, period: Period, show: Limits) -> Cut[Thread]:
        """The newest closing first; of many those that had been open for longest."""
        found = self.all.closed.within(period.eve, period.end)
        ordered = sorted(_longest(found, show.threads), key=_closing, reverse=True)
        return Cut(tuple(t.on(period.end) for t in ordered), len(found))

    def _opened(
        self, period: Period, entries: Sequence[Entry], opened: int, show: Limits
    ) -> Cut[Thread]:
        """Opened in the period and open at its end, oldest first."""
        eve, end = period.eve, period.end
        touched = self.all.touched.within(eve, end)
        still = [thread for thread in touched if left(thread) > end]
        still += islice(self.all.untouched(entries), show.threads)
        total = opened - sum(left(thread) <= end for thread in touched)
        oldest = sorted(still, key=age)[: show.threads]
        return Cut(tuple(t.on(end) for t in oldest), total)

    def _oldest(self, period: Period, limit: int | None) -> list[Thread]:
        """The oldest threads that were there before the period and are open at its end."""
        while limit is None or len(self.oldest) < limit:
            found = next(self.untouched, None)
            if found is None:
                break
            self.oldest.append(found)
        untouched = [thread for thread in self.oldest[:limit] if thread.date <= period.eve]
        touched = self.touched.first(period.eve, period.end, limit)
        return sorted([*untouched, *touched], key=age)[:limit]

    def _carried_in(self, period: Period, shown: list[Thread]) -> Cut[Thread]:
        """Opened before the period and open at its end, oldest first."""
        eve, end = period.eve, period.end
        gone = self.all.gone.within(eve, end)
        total = self.all.open(eve) - sum(t.date <= eve for t in gone)
        return Cut(tuple(t.on(end) for t in shown), total)

    def _reversed(self, period: Period, show: Limits) -> Cut[Decision]:
        """Single decisions that an episode of the period reversed: not with their whole episode."""
        found = self.all.reversed.within(period.eve, period.end)
        return Cut.of([d for d in found[::-1] if self._alone(d)], show.others)

    def _alone(self, decision: Decision) -> bool:
        """True for a decision that was reversed by itself, and not with its whole episode."""
        return decision.reversed_by not in self.shelf.superseded.get(decision.episode, ())

    # --- mentions, recalls, tags -------------------------------------------------------------

    def _mentioned(self, period: Period) -> Cut[tuple[str, int]]:
        """What the episodes of the period name most."""
        found = self.all.mentions.within(period.eve, period.end)
        return _most(Counter(mention.target for mention in found), TOP)

    def _recalled(self, period: Period) -> Cut[tuple[str, int]]:
        found = self.all.recalls.within(period.eve, period.end)
        return _most(Counter(recall.episode_id for recall in found), TOP)

    def _unrecalled(self, period: Period, entries: Sequence[Entry]) -> Cut[Entry]:
        """On the shelf for the whole period, and never recalled by its end."""
        shown = self.unrecalled.first(period.eve, period.end, TOP)
        recalled = self.all.recalled.until(period.end)
        first = self.all.first_recalls
        end = period.end
        young = sum(first[e.id] <= end for e in entries if e.id in first)
        total = self.all.entries.until(period.eve) - (recalled - young)
        return Cut(tuple(shown), total)

    def _tags(self, period: Period, before: Period | None) -> dict[str, Cut[Rise]]:
        """The tags used most, those used more than in the period before, and the new ones."""
        counts, earlier = self._counted(period), self._counted(before)
        first = self.all.tags
        found = sorted(
            (Rise(first[key][1], count, earlier[key]) for key, count in counts.items()),
            key=lambda rise: (-rise.now, rise.tag),
        )
        new = [rise for rise in found if first[self.all.key(rise.tag)][0] > period.eve]
        rising = [rise for rise in found if rise.now > rise.before > 0]
        rising.sort(key=lambda rise: (rise.before - rise.now, rise.tag))
        used = Cut.of(found, TAGS)
        return {"used": used, "rising": Cut.of(rising, TAGS), "new": Cut.of(new, TAGS)}

    def _counted(self, period: Period | None) -> Counter[str]:
        """How many episodes of a period have each tag, by its key."""
        entries = self.all.entries.within(period.eve, period.end) if period else ()
        key = self.all.key
        return Counter(one for entry in entries for one in {*map(key, entry.tags)} if one)

    # --- what stands out ---------------------------------------------------------------------

    def _exceptions(self, period: Period, entries: Sequence[Entry]) -> Exceptions:
        known = {entry.id for entry in self.undated}
        twice = [
            (name, paths)
            for name, paths in sorted(self.shelf.duplicates.items())
            if of_id(name) <= period.end or name in known
        ]
        unreadable = [f for f in self.shelf.problems if _named_by(f) <= period.end]
        return Exceptions(
            Cut.of(self.undated, 2 * TOP),
            Cut.of(unreadable, 2 * TOP),
            Cut.of([e for e in entries[::-1] if not e.digest.strip()], 2 * TOP),
            Cut.of(twice, 2 * TOP),
        )

    def _since(
        self, period: Period, entries: Sequence[Entry], carried_in: list[Thread], show: Limits
    ) -> Since:
        end = period.end
        threads = [*carried_in, *self.all.touched.within(period.eve, end)]
        later = [t for t in threads if end < left(t) < NEVER]
        closed = [t for t in later if was_closed(t)]
        carried = [t for t in later if not was_closed(t)]
        made = self.all.reversed_by_day.within(period.eve, end)
        turned = [d for d in made if d.reversed_on > end and self._alone(d)]
        replaced = [r for e in entries for r in self.all.replacing(e.id) if r.date > end]
        after = len(self.all.entries.events) - self.all.entries.until(period.end)
        return Since(
            after=after,
            newest=self.all.entries.events[-1] if after else None,
            gone=self.all.open(end) - self.all.open_ever_since(end),
            closed=Cut.of(sorted(closed, key=_closing, reverse=True), show.others),
            carried=Cut.of(sorted(carried, key=_carrying, reverse=True), show.others),
            reversed=Cut.of(turned[::-1], show.others),
            replaced=Cut.of(sorted(replaced, key=_replacing, reverse=True), show.others),
            archived=Cut.of([e for e in entries[::-1] if e.archived], show.others),
        )


def _making(made: Decision) -> tuple[str, str]:
    return (made.date, made.episode)


def _closing(thread: Thread) -> tuple[str, str]:
    return (thread.closed_on, thread.closed_by)


def _carrying(thread: Thread) -> tuple[str, str]:
    return (thread.carried_on, thread.carried_by)


def _replacing(found: Replacement) -> tuple[str, str]:
    return (found.date, found.new)


def _longest(found: Sequence[Thread], limit: int | None) -> Sequence[Thread]:
    """Of closed threads those that had been open for longest."""
    if limit is None or len(found) <= limit:
        return found
    return heapq.nlargest(limit, found, key=lambda t: days(t.since, t.closed_on))


def _most(counts: Counter[str], limit: int) -> Cut[tuple[str, int]]:
    found = heapq.nsmallest(limit, counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return Cut(tuple(found), len(counts))


def _months(period: Period, entries: Sequence[Entry]) -> Iterator[tuple[str, tuple[Entry, ...]]]:
    """Every month of a period with its episodes, both newest first."""
    by_month: dict[str, list[Entry]] = {month: [] for month in period.months}
    for entry in reversed(entries):
        by_month[entry.ledger_date[:7]].append(entry)
    for month in reversed(period.months):
        yield month, tuple(by_month[month])


def _named_by(found: Finding) -> str:
    """The date in the name of a file that could not be read, or an empty text."""
    return of_id(found.where.rpartition("/")[2])
