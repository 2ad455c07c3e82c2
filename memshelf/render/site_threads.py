"""The page of open threads: what was left lying, oldest first, and what was closed of late."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ..domain.dates import parse
from ..domain.following import mentioned_since
from ..domain.shelf import Shelf
from ..domain.tags import tags
from ..domain.text import plural
from ..domain.threads import CLOSED, OPEN, Thread, days, threads
from .escape import plain
from .report import Block, Line, Part, Report, Row, Table, line, small
from .site_lines import UNDATED, Lines, Rest, block, cut_block, made, page_of, portions, turning
from .site_periods import label, place
from .site_places import QUARTERS, TAGS, THREADS, Here

PAGE, LATELY, CARRIED, SUBJECTS = 200, 20, 10, 40
YEAR, QUARTER, LATE = 365, 91, 90
"""Days: what is older than a year or a quarter, and what was closed of late."""

_AGES = (
    ("over-a-year", "Over a year"),
    ("over-a-quarter", "Over a quarter"),
    ("this-quarter", "In the last quarter"),
    ("undated", UNDATED),
)


class Found(NamedTuple):
    """The threads of a shelf: those that wait, those of archived episodes, those that were closed
    (the latest first), and how often each was carried on."""

    waiting: Sequence[Thread]
    archived: Sequence[Thread]
    closed: Sequence[Thread]
    carried: dict[str, int]
    mentioned: dict[str, tuple[str, ...]]


def threads_pages(
    shelf: Shelf, here: Here, known: Sequence[Thread] | None = None
) -> Iterator[tuple[str, Report]]:
    """The page of open threads, and the pages on which its list goes on.

    Where all threads of the shelf are `known`, they are not worked out again.
    """
    found = _found(shelf, threads(shelf) if known is None else known)
    pages = portions(found.waiting, PAGE)
    for number, portion in enumerate(pages, 1):
        path = page_of(THREADS, number)
        page = _Page(shelf, here.places.at(path), found)
        parts = page.first(pages) if number == 1 else page.further(portion, number, len(pages))
        title = "Open threads" if number == 1 else f"Open threads, page {number:,}"
        yield path, made(title, shelf, parts)


def _found(shelf: Shelf, every: Sequence[Thread]) -> Found:
    waiting = sorted((t for t in every if t.state == OPEN), key=lambda t: (t.since, t.address))
    live = [thread for thread in waiting if not thread.archived]
    live.sort(key=lambda thread: not parse(thread.since))
    closed = [thread for thread in every if thread.state == CLOSED]
    closed.sort(key=lambda t: (t.closed_on, t.closed_by, t.address), reverse=True)
    return Found(
        live,
        [thread for thread in waiting if thread.archived],
        closed,
        _chains(every),
        mentioned_since(shelf, live),
    )


def _chains(every: Sequence[Thread]) -> dict[str, int]:
    """How many threads each one carries on, one after the other."""
    out: dict[str, int] = {}
    for thread in sorted(every, key=lambda t: (t.date, t.address)):
        if thread.carried_by:
            further = out.get(thread.address, 0) + 1
            out[thread.carried_by] = max(out.get(thread.carried_by, 0), further)
    return out


class _Page:
    """One of the pages: its parts."""

    def __init__(self, shelf: Shelf, here: Here, found: Found) -> None:
        self.shelf, self.here, self.found = shelf, here, found
        self.lines = Lines(shelf, here, placed=True)
        self._seen: set[str] = set()

    def first(self, pages: Sequence[Sequence[Thread]]) -> Iterator[Part | None]:
        """The first page: the numbers, the oldest, and what is not just open."""
        yield self._counts()
        if len(pages) > 1:
            yield self._by_quarter(pages)
            yield self._by_tag()
        yield from self._ages(pages[0], len(pages) > 1)
        yield turning(self.here, THREADS, 1, len(pages))
        yield self._carried()
        yield self._closed()
        yield self._archived()

    def further(self, some: Sequence[Thread], number: int, last: int) -> Iterator[Part | None]:
        """A page on which the list goes on."""
        yield from self._ages(some, True)
        yield turning(self.here, THREADS, number, last)

    # --- numbers -----------------------------------------------------------------------------

    def _counts(self) -> Part:
        waiting = [*self.found.waiting, *self.found.archived]
        if not waiting:
            return Part("counts", "", said=tuple(self._nothing()))
        old = sum(thread.age(self.shelf.as_of) > QUARTER for thread in waiting)
        late = sum(self._lately(thread) for thread in self.found.closed)
        said = (
            f"{len(waiting):,} open, {old:,} of them for more than a quarter; {late:,} closed in "
            f"the {LATE} days before {self.shelf.as_of}."
        )
        return Part("counts", "", said=(line(said),))

    def _nothing(self) -> Iterator[Line]:
        yield line("Nothing is open.")
        if self.found.closed:
            yield line("Closed last:", *self._done(self.found.closed[0]).spans)
        else:
            yield line(
                "Threads are read from episodes: each item of a section “Open threads” is one."
            )

    def _lately(self, thread: Thread) -> bool:
        there = parse(thread.closed_on) and parse(self.shelf.as_of)
        return bool(there) and days(thread.closed_on, self.shelf.as_of) < LATE

    def _by_quarter(self, pages: Sequence[Sequence[Thread]]) -> Part:
        """How many were opened when, and where each quarter begins."""
        start: dict[str, int] = {}
        count: Counter[str] = Counter()
        for number, some in enumerate(pages, 1):
            for thread in some:
                opened = self._quarter(thread)
                start.setdefault(opened, number)
                count[opened] += 1
        rows = (
            Row(opened, (f"{count[opened]:,}",), href=self._begins(opened, number))
            for opened, number in start.items()
        )
        return Part("by-quarter", "By quarter of opening", tables=(_table("quarter", rows),))

    def _begins(self, opened: str, number: int) -> str:
        return self.here.page(page_of(THREADS, number), place("opened", opened))

    def _by_tag(self) -> Part | None:
        held = Counter(thread.episode for thread in self.found.waiting)
        found = [(tag, sum(held[entry.id] for entry in tag.episodes)) for tag in tags(self.shelf)]
        found = sorted((pair for pair in found if pair[1]), key=lambda pair: -pair[1])
        if not found:
            return None
        rows = (
            Row(plain(tag.name), (f"{count:,}",), href=self.here.tag(tag.slug))
            for tag, count in found[:SUBJECTS]
        )
        rest = Rest("the page of tags", self.here.page(TAGS))
        left = (cut_block("", (), len(found) - SUBJECTS, rest),) if found[SUBJECTS:] else ()
        return Part("by-tag", "By tag", tables=(_table("tag", rows),), blocks=left)

    # --- lists -------------------------------------------------------------------------------

    def _ages(self, some: Sequence[Thread], parted: bool) -> Iterator[Part]:
        """The threads of a page by age; of a list that goes on by quarter as well."""
        for age, run in groupby(some, key=self._age):
            anchor, title = _AGES[age]
            yield Part(anchor, title, blocks=tuple(self._blocks(list(run), parted)))

    def _blocks(self, some: Sequence[Thread], parted: bool) -> Iterator[Block]:
        if not parted:
            yield Block("", tuple(self.lines.threads(some, self.found.mentioned)))
            return
        for opened, run in groupby(some, key=self._quarter):
            lines = tuple(self.lines.threads(run, self.found.mentioned))
            yield Block(opened, lines, anchor=self._opened(opened))

    def _opened(self, opened: str) -> str:
        """The place of a quarter, where it begins: ages may part it in two."""
        anchor = "" if opened in self._seen else place("opened", opened)
        self._seen.add(opened)
        return anchor

    def _age(self, thread: Thread) -> int:
        """The place of its age among the names of them."""
        if not parse(thread.since):
            return 3
        age = thread.age(self.shelf.as_of)
        return 0 if age > YEAR else 1 if age > QUARTER else 2

    def _quarter(self, thread: Thread) -> str:
        return label(thread.since, self.shelf.config.fiscal_year_start)

    def _carried(self) -> Part | None:
        often = self.found.carried
        found = sorted(
            (thread for thread in self.found.waiting if thread.address in often),
            key=lambda thread: (-often[thread.address], thread.since, thread.address),
        )

        def carried(thread: Thread) -> Line:
            said = (
                f"carried on {plural(often[thread.address], 'time')} since {thread.since}, now in"
            )
            words = self.lines.words(thread)
            return line(words, small(said), self.lines.title(thread.episode))

        if not found:
            return None
        return Part("carried", "Carried most often", blocks=(block("", found, carried, CARRIED),))

    def _closed(self) -> Part | None:
        closed = self.found.closed
        if not closed or not (self.found.waiting or self.found.archived or closed[1:]):
            return None
        left = len(closed) - LATELY
        shown = tuple(map(self._done, closed[:LATELY]))
        rest = Rest("the quarters’ pages", self.here.page(QUARTERS))
        return Part("closed", "Lately closed", blocks=(cut_block("", shown, left, rest),))

    def _done(self, thread: Thread) -> Line:
        words = self.lines.words(thread)
        if thread.closed_by == thread.episode:
            title = self.lines.title(thread.episode)
            return line(words, small(f"ticked off on {thread.closed_on} in"), title)
        after = plural(days(thread.since, thread.closed_on), "day")
        said = f"closed on {thread.closed_on}, after {after}, by"
        return line(words, small(said), self.lines.title(thread.closed_by))

    def _archived(self) -> Part | None:
        found = self.found.archived
        if not found:
            return None
        rest = Rest("the pages of their episodes", "")
        lines = tuple(self.lines.threads(found[:PAGE]))
        folded = cut_block(plural(len(found), "thread"), lines, len(found) - PAGE, rest, True)
        return Part("archived", "Of archived episodes", blocks=(folded,))


def _table(name: str, rows: Iterator[Row]) -> Table:
    return Table((name.capitalize(), "Open"), tuple(rows))
