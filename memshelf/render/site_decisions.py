"""The page of decisions: what holds now, what was turned down, and what was reversed by what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from ..domain.shelf import Shelf
from ..domain.tags import tags
from ..domain.text import plural
from ..domain.threads import Decision, days, decisions
from .escape import plain
from .report import Block, Line, Part, Report, Row, Table, line, link, small
from .site_lines import Lines, Rest, cut_block, made, page_of, portions, turning
from .site_periods import label, period_page, periods, place
from .site_places import DECISIONS, TAGS, Here

ONE_PAGE, YEAR, PAGE = 500, 2_000, 1_000
"""So many decisions are on one page; so many on a page of a year; more are split by quarter, and
those of a quarter in portions."""

LATEST, REVERSED, SUBJECTS = 20, 100, 60


def decisions_pages(
    shelf: Shelf, here: Here, known: Sequence[Decision] | None = None
) -> Iterator[tuple[str, Report]]:
    """The page of decisions; of many an overview, and a page for each year or quarter.

    Where all decisions of the shelf are `known`, they are not worked out again.
    """
    every = [*reversed(decisions(shelf) if known is None else known)]
    page = _Page(shelf, here.places.at(DECISIONS), every)
    if len(every) <= ONE_PAGE:
        yield DECISIONS, made("Decisions", shelf, page.whole(every))
        return
    start = shelf.config.fiscal_year_start
    by_time = periods(every, lambda decision: decision.date, start, YEAR)
    yield DECISIONS, made("Decisions", shelf, page.overview(by_time))
    for period, found in by_time.items():
        base = period_page(DECISIONS, period)
        pages = portions(found, PAGE if len(found) > YEAR else YEAR)
        for number, some in enumerate(pages, 1):
            path = page_of(base, number)
            one = _Page(shelf, here.places.at(path), every)
            title = f"Decisions: {period}" + (f", page {number:,}" if number > 1 else "")
            parts = [*one.listed(some), turning(one.here, base, number, len(pages)), one.back()]
            yield path, made(title, shelf, parts)


class _Page:
    """One of the pages: its parts. `every` are all decisions, the latest first."""

    def __init__(self, shelf: Shelf, here: Here, every: Sequence[Decision]) -> None:
        self.shelf, self.here, self.every = shelf, here, every
        self.lines = Lines(shelf, here, placed=True)

    def whole(self, every: Sequence[Decision]) -> Iterator[Part | None]:
        """All that there is, on one page."""
        yield self._counts()
        yield from self.listed(every)

    def overview(self, by_time: Mapping[str, Sequence[Decision]]) -> Iterator[Part | None]:
        """The numbers by time and by tag, the latest decisions, and what was reversed."""
        yield self._counts()
        yield self._by_time(by_time)
        latest = [decision for decision in self.every if decision.stands][:LATEST]
        yield Part("latest", "Latest", blocks=(Block("", tuple(self._lines(latest))),))
        yield self._by_tag()
        yield self._reversed(self.every, REVERSED)

    def listed(self, some: Sequence[Decision]) -> Iterator[Part | None]:
        """What stands by quarter, and folded what was reversed."""
        standing = [decision for decision in some if decision.stands]
        start = self.shelf.config.fiscal_year_start
        blocks = tuple(
            Block(name, tuple(self._lines(run)), anchor=place("made", name))
            for name, run in groupby(standing, key=lambda d: label(d.date, start))
        )
        if blocks:
            yield Part("standing", f"What holds ({len(standing):,})", blocks=blocks)
        yield self._reversed(some, len(some))

    def back(self) -> Part:
        """The way from a page of a period to the overview."""
        to = link("All years, tags, and what was decided last", self.here.page(DECISIONS))
        return Part("more", "More decisions", said=(line(to),))

    def _lines(self, found: Iterator[Decision] | Sequence[Decision]) -> Iterator[Line]:
        """Episode by episode, the newest first, the decisions of each in its own order."""
        ordered = [list(run) for _, run in groupby(found, key=lambda d: d.episode)]
        return self.lines.decisions(one for run in ordered for one in reversed(run))

    # --- numbers -----------------------------------------------------------------------------

    def _counts(self) -> Part:
        if not self.every:
            said = (
                "No decisions yet.",
                "They are read from episodes: each item of a section “Decisions” is one.",
            )
            return Part("counts", "", said=(line(*said),))
        stand = sum(decision.stands for decision in self.every)
        told = f"{stand:,} {'stands' if stand == 1 else 'stand'}, "
        told += f"{len(self.every) - stand:,} reversed."
        return Part("counts", "", said=(line(told),))

    def _by_time(self, by_time: Mapping[str, Sequence[Decision]]) -> Part:
        rows = (
            Row(name, self._numbers(found), href=self.here.page(period_page(DECISIONS, name)))
            for name, found in by_time.items()
        )
        table = Table(("When", "Stand", "Reversed"), tuple(rows))
        return Part("by-time", "By year", tables=(table,))

    def _numbers(self, found: Sequence[Decision]) -> tuple[str, str]:
        stand = sum(decision.stands for decision in found)
        return f"{stand:,}", f"{len(found) - stand:,}"

    def _by_tag(self) -> Part | None:
        """How many stand under each tag, the most first."""
        held = Counter(decision.episode for decision in self.every if decision.stands)
        found = [(tag, sum(held[entry.id] for entry in tag.episodes)) for tag in tags(self.shelf)]
        found = sorted((pair for pair in found if pair[1]), key=lambda pair: -pair[1])
        if not found:
            return None
        rows = tuple(
            Row(plain(tag.name), (f"{count:,}",), href=self.here.tag(tag.slug))
            for tag, count in found[:SUBJECTS]
        )
        rest = Rest("the page of tags", self.here.page(TAGS))
        left = (cut_block("", (), len(found) - SUBJECTS, rest),) if found[SUBJECTS:] else ()
        return Part("by-tag", "By tag", tables=(Table(("Tag", "Stand"), rows),), blocks=left)

    # --- reversed ----------------------------------------------------------------------------

    def _reversed(self, some: Sequence[Decision], most: int) -> Part | None:
        gone = [decision for decision in reversed(some) if not decision.stands]
        if not gone:
            return None
        gone.sort(key=lambda d: (d.reversed_on, d.reversed_by), reverse=True)
        rest = Rest("the pages of the years", "")
        lines = tuple(map(self._turned, gone[:most]))
        folded = cut_block(plural(len(gone), "decision"), lines, len(gone) - most, rest, True)
        return Part("reversed", "Reversed", blocks=(folded,))

    def _turned(self, decision: Decision) -> Line:
        """The old one, what reversed it, and after how long."""
        on = decision.reversed_on
        spans = [small(decision.date), small(f"reversed on {on}" if on else "reversed")]
        if on:
            spans.append(small(f"after {plural(days(decision.date, on), 'day')}"))
        spans += [small("by"), self.lines.title(decision.reversed_by)]
        return self.lines.decision(decision, *spans)
