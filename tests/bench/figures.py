"""Numbers out of runs: medians, ratios pair by pair, growth."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Runs = Sequence[Sequence[float | None]]
"""Of each run the seconds on the wall and of processor time, and the bytes of memory at its peak,
as results.json holds them."""
WALL, CPU, PEAK = 0, 1, 2


class Span(NamedTuple):
    """A median, and the least and the most that it was taken from."""

    middle: float
    least: float
    most: float


def column(runs: Runs, which: int) -> list[float]:
    """One column of some runs; empty where it was not measured."""
    return [value for run in runs if len(run) > which and (value := run[which]) is not None]


def median(runs: Runs, which: int = WALL) -> float | None:
    """The median of a column."""
    values = column(runs, which)
    return statistics.median(values) if values else None


def most(runs: Runs, which: int) -> float | None:
    """The most that a column holds."""
    return max(column(runs, which), default=None)


def ratio(above: Runs, below: Runs, which: int = WALL) -> Span | None:
    """How many times more `above` took, run against run of the same turn."""
    pairs = list(zip(column(above, which), column(below, which), strict=True))
    found = [one / other for one, other in pairs if other > 0]
    return Span(statistics.median(found), min(found), max(found)) if found else None


def growth(
    small: tuple[int, Runs], large: tuple[int, Runs], start: float, which: int
) -> float | None:
    """The exponent a of cost = start + c N^a between two sizes; None where nothing grows.

    Under 10 ms above the start, noise is all there is to see.
    """
    costs = [(median(runs, which) or 0) - start for _, runs in (small, large)]
    if costs[0] <= 0.002 or costs[1] < 0.01:
        return None
    return math.log(costs[1] / costs[0]) / math.log(large[0] / small[0])


def start_of(
    sizes: Iterable[Mapping[str, Mapping[str, Runs]]], side: str, which: int
) -> float | None:
    """What a tool takes to do nothing: the time of its `--help`, in the first of some tables of rows
    that knows it; None where none does."""
    every = (rows.get("--help", {}).get(side) for rows in sizes)
    return next((median(runs, which) for runs in every if runs), None)
