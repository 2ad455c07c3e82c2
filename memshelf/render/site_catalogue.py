"""The pages that list every episode: by kind, and by date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from ..domain.entry import Entry
from ..domain.shelf import Shelf
from .escape import plain
from .index import by_folder
from .report import Block, Line, Part, Report, Row, Table, line, link
from .site_lines import UNDATED, Lines, Rest, block, made, page_of, portions, turning
from .site_periods import label, period_page, periods, place
from .site_places import DATES, KINDS, Here, heading_anchors

PAGE, NEWEST = 500, 20
"""So many episodes are on a page; where there are more, so many of the newest on the first."""

_EMPTY = "Nothing here yet."


def kinds_pages(shelf: Shelf, here: Here) -> Iterator[tuple[str, Report]]:
    """The episodes by kind: on one page, or on a page of numbers and pages for each kind."""
    kinds = _kinds(shelf)
    lines = Lines(shelf, here.places.at(KINDS))
    many = len(shelf.entries) > PAGE
    first = _some_of_each(lines, kinds) if many else _each(lines, kinds)
    yield KINDS, made("By kind", shelf, first)
    for anchor, (title, found) in kinds.items() if many else ():
        base = page_of(KINDS, anchor)
        pages = portions(found, PAGE)
        for number, some in enumerate(pages, 1):
            path = _numbered(base, number)
            beside = here.places.at(path)
            listed = Block("", tuple(map(Lines(shelf, beside).episode, some)))
            parts = [
                Part(anchor, f"{title} ({len(found):,})", blocks=(listed,)),
                turning(beside, base, number, len(pages), _numbered),
                _back(beside, KINDS, "All kinds"),
            ]
            yield path, made(_page_title(f"By kind: {title}", number), shelf, parts)


def dates_pages(shelf: Shelf, here: Here) -> Iterator[tuple[str, Report]]:
    """The episodes by date: on one page, or on a page of numbers and pages for each year."""
    newest = shelf.entries[::-1]
    lines = Lines(shelf, here.places.at(DATES))
    if len(newest) <= PAGE:
        yield DATES, made("By date", shelf, _by_quarter(lines, newest))
        return
    start = shelf.config.fiscal_year_start
    by_time = periods(newest, lambda entry: entry.ledger_date, start, PAGE)
    yield DATES, made("By date", shelf, _overview(lines, by_time))
    for period, found in by_time.items():
        base = period_page(DATES, period)
        pages = portions(found, PAGE)
        for number, some in enumerate(pages, 1):
            path = page_of(base, number)
            beside = here.places.at(path)
            parts = [
                *_by_quarter(Lines(shelf, beside), some),
                turning(beside, base, number, len(pages)),
                _back(beside, DATES, "All years"),
            ]
            yield path, made(_page_title(f"By date: {period}", number), shelf, parts)


# --- by kind ---------------------------------------------------------------------------------


def _kinds(shelf: Shelf) -> dict[str, tuple[str, list[Entry]]]:
    """Each kind by its anchor: its name, and its episodes, newest first, replaced ones last."""
    found = by_folder(shelf, shelf.entries[::-1])
    anchors = heading_anchors(folder for folder, _ in found)
    return {
        anchor: (_capital(plain(folder)), shelf.current_first(entries))
        for anchor, (folder, entries) in zip(anchors, found, strict=True)
    }


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _each(lines: Lines, kinds: Mapping[str, tuple[str, list[Entry]]]) -> Iterator[Part]:
    if not kinds:
        yield Part("none", "", said=(line(_EMPTY),))
    for anchor, (title, found) in kinds.items():
        listed = Block("", tuple(map(lines.episode, found)))
        yield Part(anchor, f"{title} ({len(found):,})", blocks=(listed,))


def _some_of_each(lines: Lines, kinds: Mapping[str, tuple[str, list[Entry]]]) -> Iterator[Part]:
    for anchor, (title, found) in kinds.items():
        rest = Rest(title, lines.here.page(page_of(KINDS, anchor)))
        some = block("", found, lines.episode, NEWEST, rest)
        yield Part(anchor, f"{title} ({len(found):,})", blocks=(some,))


# --- by date ---------------------------------------------------------------------------------


def _by_quarter(lines: Lines, entries: Sequence[Entry]) -> Iterator[Part]:
    """A part for each quarter, and in it a list for each month."""
    start = lines.shelf.config.fiscal_year_start
    if not entries:
        yield Part("none", "", said=(line(_EMPTY),))
    dated = sorted(entries, key=lambda entry: not entry.day)
    for name, run in groupby(dated, key=lambda entry: label(entry.ledger_date, start)):
        some = list(run)
        months = tuple(_months(lines, some)) if name != UNDATED else (_listed(lines, "", some),)
        yield Part(place("in", name), f"{name} ({len(some):,})", blocks=months)


def _months(lines: Lines, entries: Sequence[Entry]) -> Iterator[Block]:
    for month, run in groupby(entries, key=lambda entry: entry.ledger_date[:7]):
        yield _listed(lines, month, list(run))


def _listed(lines: Lines, heading: str, entries: Sequence[Entry]) -> Block:
    return Block(heading, tuple(map(lines.episode, lines.shelf.current_first(entries))))


def _overview(lines: Lines, by_time: Mapping[str, Sequence[Entry]]) -> Iterator[Part]:
    rows = tuple(
        Row(period, (f"{len(found):,}",), href=lines.here.page(period_page(DATES, period)))
        for period, found in by_time.items()
    )
    yield Part("by-time", "By year", tables=(Table(("When", "Episodes"), rows),))
    newest: tuple[Line, ...] = tuple(map(lines.episode, lines.shelf.entries[: -NEWEST - 1 : -1]))
    yield Part("newest", "Newest", blocks=(Block("", newest),))


# --- pages that go on ------------------------------------------------------------------------


def _page_title(title: str, number: int) -> str:
    return title + (f", page {number:,}" if number > 1 else "")


def _numbered(base: str, number: int) -> str:
    """Of a kind's page the further ones: two hyphens, since a folder may be named `topics-2`."""
    return base if number == 1 else page_of(base, f"-{number}")


def _back(here: Here, path: str, words: str) -> Part:
    return Part("more", "More episodes", said=(line(link(words, here.page(path))),))
