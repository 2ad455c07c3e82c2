"""What stats.svg shows, worked out without drawing: numbers, points, bars, labels, sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from ..domain.dates import parse
from ..domain.economy import Economy, Point, Series, economy, series, short
from ..domain.episode import CATEGORY, TITLE_LIMIT
from ..domain.shelf import Shelf
from ..domain.text import clip, plural
from .escape import plain

POINTS = 240
BARS = 60
KINDS = (*CATEGORY, "other")
"""Kinds in the order in which they are stacked, from the ground up."""
WORDS = {**CATEGORY, "other": "other"}

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_UNITS = (("month", 1), ("quarter", 3), ("year", 12), ("decade", 120))


class Bar(NamedTuple):
    """Episodes of a span of months: its first day and the day after it, as ordinals, and the
    counts by kind in the order of KINDS."""

    start: int
    end: int
    counts: tuple[int, ...]


class Label(NamedTuple):
    """Words under a span of time, and a year below them or nothing."""

    start: int
    end: int
    text: str
    year: str = ""


@dataclass(frozen=True)
class Plan:
    """All that is drawn; two shelves with one plan have one picture."""

    name: str
    numbers: tuple[tuple[str, str], ...]
    points: tuple[tuple[int, int, int], ...]
    bars: tuple[Bar, ...]
    unit: str
    labels: tuple[Label, ...]
    years: tuple[int, ...]
    foot: tuple[str, ...]
    description: str


def plan(shelf: Shelf, index_tokens: int) -> Plan:
    """The plan of a shelf's chart, with the numbers of `domain.economy` and no others."""
    sums, spent = series(shelf), economy(shelf, index_tokens)
    unit, bars = _bars(sums)
    drawn = sum(sum(bar.counts) for bar in bars)
    return Plan(
        name=clip(plain(shelf.name), TITLE_LIMIT),
        numbers=_numbers(spent),
        points=tuple(_points(sums.points, bars)),
        bars=bars,
        unit=unit,
        labels=tuple(_labels(bars)),
        years=tuple(_years(bars)),
        foot=tuple(_foot(shelf, spent, drawn)),
        description=_description(shelf, spent, unit, bars),
    )


def _numbers(spent: Economy) -> tuple[tuple[str, str], ...]:
    ratio = f"{spent.compression_ratio}:1" if spent.episodes > 1 and spent.shelved_mass else "–"
    return (
        (f"{spent.episodes:,}", "episode" if spent.episodes == 1 else "episodes"),
        (short(spent.shelved_mass), "tokens held"),
        (short(spent.standing_cost), "standing cost"),
        (ratio, "held to cost"),
    )


def _points(points: tuple[Point, ...], bars: tuple[Bar, ...]) -> Iterator[tuple[int, int, int]]:
    """Day, tokens held, tokens of digests; of many days the last in each of POINTS slices of time."""
    if len(points) < 2:
        return
    first, end = bars[0].start, bars[-1].end
    days = [(date.fromisoformat(p.date).toordinal(), p.held, p.digests) for p in points]
    if len(days) > POINTS:
        slices = {max(0, day[0] - first) * POINTS // (end - first): day for day in days}
        days = [days[0], *(day for day in slices.values() if day != days[0])]
    yield from (day for day in days if day[0] >= first)


def _bars(sums: Series) -> tuple[str, tuple[Bar, ...]]:
    """The finest unit that needs at most BARS bars, and the bars, empty ones between included."""
    counted = {_months_of(month): dict(kinds) for month, kinds in sums.months}
    if not counted:
        return "month", ()
    spans = [(unit, size, min(counted) // size, max(counted) // size) for unit, size in _UNITS]
    fitting = (span for span in spans if span[3] - span[2] < BARS)
    unit, size, first, last = next(fitting, spans[-1])
    slots = range(max(first, last - BARS + 1), last + 1)
    return unit, tuple(_bar(slot, size, counted) for slot in slots)


def _months_of(month: str) -> int:
    """Months since the year 0, so that they divide into quarters and years."""
    return int(month[:4]) * 12 + int(month[5:7]) - 1


def _first_day(month: int) -> int:
    return (
        date(month // 12, month % 12 + 1, 1).toordinal()
        if month < 9999 * 12
        else date.max.toordinal()
    )


def _bar(slot: int, size: int, counted: dict[int, dict[str, int]]) -> Bar:
    total: Counter[str] = Counter()
    for month in range(slot * size, (slot + 1) * size):
        for kind, count in counted.get(month, {}).items():
            total[kind if kind in CATEGORY else "other"] += count
    start, end = _first_day(max(12, slot * size)), _first_day((slot + 1) * size)
    return Bar(start, end, tuple(total[kind] for kind in KINDS))


# --- labels ----------------------------------------------------------------------------------


def _labels(bars: tuple[Bar, ...]) -> Iterator[Label]:
    """Months are named up to a year and a half, quarters up to some three years, then years."""
    if not bars:
        return
    first, last = _month_at(bars[0].start), _month_at(bars[-1].end - 1)
    count = last - first + 1
    if count <= 18:
        yield from _month_labels(first, last, 1 if count <= 9 else 2)
    elif count <= 39:
        yield from _quarter_labels(first, last)
    else:
        yield from _year_labels(first, last)


def _month_at(ordinal: int) -> int:
    day = date.fromordinal(ordinal)
    return day.year * 12 + day.month - 1


def _month_labels(first: int, last: int, step: int) -> Iterator[Label]:
    shown = [month for month in range(first, last + 1) if month % step == 0]
    for place, month in enumerate(shown):
        near = any(later % 12 == 0 for later in shown[place + 1 : place + 2])
        year = str(month // 12) if month % 12 == 0 or (place == 0 and not near) else ""
        yield Label(_first_day(month), _first_day(month + 1), _MONTHS[month % 12], year)


def _quarter_labels(first: int, last: int) -> Iterator[Label]:
    shown = range(first // 3, last // 3 + 1)
    for place, quarter in enumerate(shown):
        near = (quarter + 1) % 4 == 0
        year = str(quarter // 4) if quarter % 4 == 0 or (place == 0 and not near) else ""
        start, end = max(first, quarter * 3), min(last + 1, quarter * 3 + 3)
        if end - start > 1 or first // 3 == last // 3:
            yield Label(_first_day(start), _first_day(end), f"Q{quarter % 4 + 1}", year)


def _year_labels(first: int, last: int) -> Iterator[Label]:
    count = last // 12 - first // 12 + 1
    step = -(-count // 7)
    for year in range(first // 12, last // 12 + 1):
        start, end = max(first, year * 12), min(last + 1, year * 12 + 12)
        if year % step == 0 and (end - start) * step * 7 >= (last - first + 1) * 3 // 4:
            yield Label(_first_day(start), _first_day(end), str(year))


def _years(bars: tuple[Bar, ...]) -> Iterator[int]:
    """The first days of years inside the drawn time, for hair lines; at most a dozen."""
    if bars:
        first, last = _month_at(bars[0].start) // 12 + 1, _month_at(bars[-1].end - 1) // 12
        step = -(-(last - first + 1) // 12) or 1
        yield from (_first_day(year * 12) for year in range(first, last + 1, step))


# --- words -----------------------------------------------------------------------------------


def _foot(shelf: Shelf, spent: Economy, drawn: int) -> Iterator[str]:
    """As of when, and what the picture leaves out."""
    said = [f"As of {shelf.as_of}"] if shelf.as_of else []
    if spent.unmeasured_episodes:
        said.append(f"{spent.unmeasured_episodes:,} unmeasured")
    if spent.capped_episodes:
        said.append(f"{spent.capped_episodes:,} clipped to {short(spent.context_window)}")
    if undated := sum(parse(entry.ledger_date) is None for entry in shelf.entries):
        said.append(f"{undated:,} without a date")
    if earlier := spent.episodes - undated - drawn:
        said.append(f"{earlier:,} earlier not drawn")
    line = ""
    for part in said:
        if line and len(line) + len(part) > 52:
            yield line
            line = ""
        line = f"{line} · {part}" if line else part
    if line:
        yield line


def _description(shelf: Shelf, spent: Economy, unit: str, bars: tuple[Bar, ...]) -> str:
    if not spent.episodes:
        return "No episodes yet."
    kinds: Counter[str] = Counter()
    for bar in bars:
        kinds.update(dict(zip(KINDS, bar.counts, strict=True)))
    counted = ", ".join(f"{kinds[kind]:,} {WORDS[kind]}" for kind in KINDS if kinds[kind])
    said = (
        f"{plural(spent.episodes, 'episode')} hold {short(spent.shelved_mass)} tokens at a standing "
        f"cost of {short(spent.standing_cost)} tokens."
    )
    return f"{said} Episodes by {unit}: {counted}." if counted else said
