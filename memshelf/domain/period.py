"""Periods of a calendar: weeks, months, quarters, years, fiscal ones too, and spans of days."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import MAXYEAR, MINYEAR, date, timedelta
from typing import NamedTuple

from .dates import parse, parse_span, quarter
from .errors import UsageError
from .patterns import lazy

WEEK, MONTH, QUARTER, YEAR, SPAN = "week", "month", "quarter", "year", "span"
FORMS = "2026Q3, 2026-07, 2026, FY2027Q1, FY2027, 2026W27, 2026-07-01..2026-09-30"
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_LENGTH = {MONTH: 1, QUARTER: 3, YEAR: 12}

_YEARLY = lazy(r"(FY)?(\d{4})(?:-?Q([1-4]))?")
_MONTHLY = lazy(r"(\d{4})-(\d{2})")
_WEEKLY = lazy(r"(\d{4})-?W(\d{2})")
_BARE = lazy(r"Q?([1-4])")


class Period(NamedTuple):
    """A span of days with a label, such as `2026Q3` from 2026-07-01 to 2026-09-30.

    `kind` is week, month, quarter, year or span.
    """

    label: str
    first: date
    last: date
    kind: str

    @property
    def fiscal(self) -> bool:
        """True for a quarter or a year that follows the shelf's own beginning of the year."""
        return self.label.startswith("FY")

    @property
    def begin(self) -> str:
        """The first day, `YYYY-MM-DD`."""
        return self.first.isoformat()

    @property
    def end(self) -> str:
        """The last day, `YYYY-MM-DD`."""
        return self.last.isoformat()

    @property
    def eve(self) -> str:
        """The day before the first one, `YYYY-MM-DD`, or an empty text at the calendar's beginning."""
        return (self.first - _DAY).isoformat() if self.first > date.min else ""

    @property
    def months(self) -> tuple[str, ...]:
        """The months that it touches, `YYYY-MM`, in order."""
        count = _month(self.last) - _month(self.first) + 1
        return tuple(_day(_month(self.first) + n).isoformat()[:7] for n in range(count))


_DAY = timedelta(days=1)


# --- reading ---------------------------------------------------------------------------------


def period(text: str, fiscal_year_start: int = 1) -> Period:
    """The period that a label names on a shelf whose year begins in that month.

    Raises UsageError with the forms that are allowed; where the year begins in another month than
    January, a bare `2026Q3` or `2026` is refused too, with the labels that it may mean.

    >>> period("2026Q3").end, period("FY2027Q1", 7).begin, period("2026W27").begin
    ('2026-09-30', '2026-07-01', '2026-06-29')
    """
    given = text.strip().upper()
    try:
        found = _read(given, fiscal_year_start) if given.isascii() else None
    except (ValueError, OverflowError):  # a week 54, a month 13, a year 0
        found = None
    if found is None:
        raise UsageError(f"{text!r} is no period.", f"Write one of: {FORMS}.")
    return found


def _read(text: str, start: int) -> Period | None:
    if yearly := _YEARLY.fullmatch(text):
        return _yearly(bool(yearly[1]), int(yearly[2]), int(yearly[3] or 0), start)
    if monthly := _MONTHLY.fullmatch(text):
        return containing(date(int(monthly[1]), int(monthly[2]), 1), MONTH)
    if weekly := _WEEKLY.fullmatch(text):
        return _week(date.fromisocalendar(int(weekly[1]), int(weekly[2]), 1))
    span = parse_span(text)
    return _span(span.first, span.last) if span and span.first and span.last else None


def _yearly(fiscal: bool, year: int, number: int, start: int) -> Period:
    if fiscal and start == 1:
        label = f"{year}Q{number}" if number else f"{year}"
        raise UsageError(
            f"The year of this shelf begins in January: FY{label} is {label}.",
            f"Ask for {label}, or set fiscal_year_start in memshelf.toml.",
        )
    if not fiscal and start != 1:
        raise _ambiguous(year, number, start)
    first = year * 12 + (start - 1) + 3 * max(number - 1, 0) - (12 if start != 1 else 0)
    return _of_months(first, QUARTER if number else YEAR, start)


def _ambiguous(year: int, number: int, start: int) -> UsageError:
    """What `2026Q3` or `2026` may mean where the year begins in another month than January."""
    calendar = _of_months(
        year * 12 + 3 * max(number - 1, 0), QUARTER if number else YEAR, 1
    )  # raises ValueError outside the calendar
    fiscal = _yearly(True, year, number, start)
    same = containing(calendar.first, fiscal.kind, start)
    others = [f"{fiscal.label} ({_days(fiscal)})"]
    if same.first == calendar.first and same.label != fiscal.label:
        others.append(f"{same.label} ({_days(same)})")
    elif same.first != calendar.first:
        others.append(f"the span {calendar.begin}..{calendar.end}")
    return UsageError(
        f"The year of this shelf begins in {MONTHS[start - 1]}: {calendar.label} may mean two things.",
        f"Ask for {' or '.join(others)}.",
    )


def _days(found: Period) -> str:
    return f"{found.begin} to {found.end}"


def of_quarter(text: str, fiscal_year_start: int, as_of: str) -> Period:
    """`period`, but for a bare `Q1` or `1`: the last such quarter that had begun on a day.

    >>> of_quarter("Q4", 1, "2026-08-01").label, of_quarter("1", 7, "2026-08-01").label
    ('2025Q4', 'FY2027Q1')
    """
    bare, day = _BARE.fullmatch(text.strip().upper()), parse(as_of)
    found = containing(day, QUARTER, fiscal_year_start) if bare and day else None
    while bare and found and not found.label.endswith(f"Q{bare[1]}"):
        found = previous(found, fiscal_year_start)
    return found or period(text, fiscal_year_start)


# --- making ----------------------------------------------------------------------------------


def containing(day: date, kind: str, fiscal_year_start: int = 1) -> Period:
    """The week, month, quarter or year that a day lies in.

    >>> containing(date(2026, 12, 31), "quarter").label, containing(date(2026, 7, 1), "year", 7).label
    ('2026Q4', 'FY2027')
    """
    if kind == WEEK:
        return _week(day - timedelta(days=day.weekday()))
    length = _LENGTH[kind]
    start = 1 if kind == MONTH else fiscal_year_start
    into = (day.month - start) % length
    return _of_months(_month(day) - into, kind, start)


def previous(found: Period, fiscal_year_start: int = 1) -> Period | None:
    """The period of the same kind before one; a span's is as long. None before the calendar begins."""
    try:
        if found.kind == SPAN:
            return _span(found.first - (found.last - found.first) - _DAY, found.first - _DAY)
        return containing(found.first - _DAY, found.kind, fiscal_year_start)
    except OverflowError:
        return None


def covering(first: date, last: date, kind: str, fiscal_year_start: int = 1) -> Iterator[Period]:
    """The periods of a kind from one day's to another's, oldest first."""
    found = containing(first, kind, fiscal_year_start)
    yield found
    while found.last < last:
        found = containing(found.last + _DAY, kind, fiscal_year_start)
        yield found


def holding(days: Iterable[date], kind: str, fiscal_year_start: int = 1) -> list[Period]:
    """The periods of a kind that hold any of some days, oldest first: one day that is far off the
    others, as a slip of the pen makes it, brings no empty ones between."""
    out: list[Period] = []
    for day in sorted(set(days)):
        if not out or day > out[-1].last:
            out.append(containing(day, kind, fiscal_year_start))
    return out


def _of_months(first: int, kind: str, start: int) -> Period:
    """The period of a kind that begins with a month, counted from the year 0."""
    begin = _day(first) if first >= 12 else date.min
    label = begin.isoformat()[:7] if kind == MONTH else quarter(begin, start)
    label = label[:-2] if kind == YEAR else label
    return Period(label, begin, _last(first + _LENGTH[kind]), kind)


def _week(monday: date) -> Period:
    year, week, _ = monday.isocalendar()
    last = min(date.max.toordinal(), monday.toordinal() + 6)
    return Period(f"{year:04}W{week:02}", monday, date.fromordinal(last), WEEK)


def _span(first: date, last: date) -> Period:
    return Period(f"{first.isoformat()}..{last.isoformat()}", first, last, SPAN)


def _month(day: date) -> int:
    return day.year * 12 + day.month - 1


def _day(month: int) -> date:
    if not MINYEAR <= month // 12 <= MAXYEAR:
        raise ValueError("outside the calendar")
    return date(month // 12, month % 12 + 1, 1)


def _last(month: int) -> date:
    """The day before a month begins."""
    return _day(month) - _DAY if month // 12 <= MAXYEAR else date.max
