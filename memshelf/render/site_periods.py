"""Long lists of a site by time: which page of a year or a quarter each thing is on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from ..domain.dates import parse, quarter
from .site_lines import UNDATED, page_of

T = TypeVar("T")


@lru_cache(maxsize=4096)  # a shelf has few days, each many times
def label(date: str, year_start: int = 1) -> str:
    """The quarter of a date, in the shelf's own year, or words where it is no date.

    >>> label("2026-07-01"), label("2026-07-01", 7), label("")
    ('2026Q3', 'FY2027Q1', 'Without a date')
    """
    day = parse(date)
    return quarter(day, year_start) if day else UNDATED


def year_of(quarter: str) -> str:
    """The year of a quarter.

    >>> year_of("FY2027Q1"), year_of("Without a date")
    ('FY2027', 'Without a date')
    """
    return quarter if quarter == UNDATED else quarter[:-2]


def periods(
    every: Iterable[T], date: Callable[[T], str], year_start: int, most: int
) -> Mapping[str, Sequence[T]]:
    """Things by year, in the order given; those of a year that has more than `most` by quarter.

    What has no date is last.
    """
    years: dict[str, dict[str, list[T]]] = {}
    for one in every:
        found = label(date(one), year_start)
        years.setdefault(year_of(found), {}).setdefault(found, []).append(one)
    if undated := years.pop(UNDATED, None):
        years[UNDATED] = undated
    out: dict[str, list[T]] = {}
    for year, quarters in years.items():
        if sum(map(len, quarters.values())) > most:
            out.update(quarters)
        else:
            out[year] = [one for found in quarters.values() for one in found]
    return out


def period_page(path: str, period: str) -> str:
    """The page of a year or a quarter of a list.

    >>> period_page("decisions.md", "2026"), period_page("by-date.md", "Without a date")
    ('decisions-2026.md', 'by-date-undated.md')
    """
    return page_of(path, "undated" if period == UNDATED else period)


def place(begin: str, period: str) -> str:
    """The anchor of a quarter in a list.

    >>> place("made", "2026Q3"), place("made", "Without a date")
    ('made-2026q3', 'made-undated')
    """
    return f"{begin}-{'undated' if period == UNDATED else period.casefold()}"
