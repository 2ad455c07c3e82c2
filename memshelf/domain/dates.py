"""Calendar dates, spans of dates, quarters and fiscal quarters."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import NamedTuple

from .errors import BadField
from .patterns import lazy

_DATE = lazy(r"\d{4}-\d{2}-\d{2}")
DATED_ID = lazy(r"(\d{4}-\d{2}-\d{2})-")


@lru_cache(maxsize=4096)  # a shelf names few days, each many times
def parse(text: str) -> date | None:
    """The day that `YYYY-MM-DD` names; None where the text has another form or no such day is.

    >>> parse("2024-02-29"), parse("2026-02-29"), parse("2026-2-8")
    (datetime.date(2024, 2, 29), None, None)
    """
    if not _DATE.fullmatch(text) or not text.isascii():
        return None
    try:
        return date(int(text[:4]), int(text[5:7]), int(text[8:10]))
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def has_form(text: str) -> bool:
    """True for ten characters `dddd-dd-dd`, whether or not there is such a day."""
    return bool(_DATE.fullmatch(text))


def of_id(episode_id: str) -> str:
    """The date that an id begins with, `YYYY-MM-DD`, or an empty text."""
    found = DATED_ID.match(episode_id)
    return found.group(1) if found and parse(found.group(1)) else ""


def require(field: str, text: str) -> str:
    """The text, if it is a calendar date; else BadField naming the field."""
    if parse(text) is None:
        raise BadField(field, f"{text!r} is not a calendar date.", "Write it as YYYY-MM-DD.")
    return text


class Span(NamedTuple):
    """First and last day, either of which may be open (None)."""

    first: date | None
    last: date | None


def parse_span(text: str) -> Span | None:
    """The days that `A`, `A..B`, `..B` or `A..` name; None where it names none.

    >>> parse_span("2026-03-01..2026-01-01") is None
    True
    """
    first, dots, last = text.partition("..")
    if not dots:
        day = parse(first)
        return Span(day, day) if day else None
    begin, end = parse(first) if first else None, parse(last) if last else None
    if (first and not begin) or (last and not end) or not (begin or end):
        return None
    if begin and end and begin > end:
        return None
    return Span(begin, end)


def quarter(day: date, fiscal_year_start: int = 1) -> str:
    """The quarter of a day: `2026Q3`, or `FY2027Q1` where the year starts in another month.

    A fiscal year is named by the calendar year in which it ends.

    >>> quarter(date(2026, 7, 1)), quarter(date(2026, 7, 1), 7)
    ('2026Q3', 'FY2027Q1')
    """
    months = (day.month - fiscal_year_start) % 12
    if fiscal_year_start == 1:
        return f"{day.year:04}Q{months // 3 + 1}"
    ends = day.year + (1 if day.month >= fiscal_year_start else 0)
    return f"FY{ends:04}Q{months // 3 + 1}"


def quarters(first: date, last: date, fiscal_year_start: int = 1) -> list[str]:
    """The quarter of one day and every one up to that of another, in order.

    >>> quarters(date(2025, 12, 31), date(2026, 4, 1))
    ['2025Q4', '2026Q1', '2026Q2']
    """
    months = range(12 * first.year + first.month - 1, 12 * last.year + last.month)
    days = (date(month // 12, month % 12 + 1, 1) for month in months)
    return list(dict.fromkeys(quarter(day, fiscal_year_start) for day in days))
