"""Numbers out of runs: medians, ratios pair by pair, growth, and what is demanded of them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

Runs = Sequence[Sequence[float | None]]
"""Of each run the seconds on the wall and of processor time, as results.json holds them."""
WALL, CPU = 0, 1


class Span(NamedTuple):
    """A median, and the least and the most that it was taken from."""

    middle: float
    least: float
    most: float


def column(runs: Runs, which: int) -> list[float]:
    """One column of some runs; empty where it was not measured."""
    return [value for run in runs if (value := run[which]) is not None]


def median(runs: Runs, which: int = WALL) -> float | None:
    """The median of a column."""
    values = column(runs, which)
    return statistics.median(values) if values else None


def ratio(above: Runs, below: Runs, which: int = WALL) -> Span | None:
    """How many times more `above` took, run against run of the same turn."""
    pairs = list(zip(column(above, which), column(below, which), strict=True))
    found = [one / other for one, other in pairs if other > 0]
    return Span(statistics.median(found), min(found), max(found)) if found else None


def growth(small: tuple[int, Runs], large: tuple[int, Runs], start: float) -> float | None:
    """The exponent a of cost = start + c N^a between two sizes; None where nothing grows.

    Processor time where it is known. Under 10 ms above the start, noise is all there is to see.
    """
    which = CPU if median(large[1], CPU) is not None else WALL
    costs = [(median(runs, which) or 0) - start for _, runs in (small, large)]
    if costs[0] <= 0.002 or costs[1] < 0.01:
        return None
    return math.log(costs[1] / costs[0]) / math.log(large[0] / small[0])


# --- what is demanded ------------------------------------------------------------------------

Rows = Mapping[str, Mapping[str, Runs]]
"""Runs by label and side: ours, peer, git."""


class Demand(NamedTuple):
    """What a row must reach. `size` is the number of episodes, 0 for each size."""

    label: str
    said: str
    size: int
    measure: Callable[[Mapping[str, Runs], int], float | None]
    wanted: float
    least: bool = True

    def met(self, value: float) -> bool:
        """True where a value is good enough."""
        return value >= self.wanted if self.least else value <= self.wanted


def _faster(sides: Mapping[str, Runs], which: int) -> float | None:
    found = ratio(sides["peer"], sides["ours"], which) if "peer" in sides else None
    return found.middle if found else None


def _times_git(sides: Mapping[str, Runs], which: int) -> float | None:
    found = ratio(sides["ours"], sides["git"], which)
    return found.middle if found else None


def _milliseconds(sides: Mapping[str, Runs], which: int) -> float | None:
    found = median(sides["ours"], which)
    return None if found is None else found * 1_000


def _at_least(label: str, size: int, times: float) -> Demand:
    said = f"at least {times:g} times faster" if times > 1 else "no slower"
    return Demand(label, said, size, _faster, times)


DEMANDS = (
    _at_least("--help", 0, 2.5),
    _at_least("recall", 1_000, 3),
    _at_least("recall", 10_000, 5),
    _at_least("rebuild, nothing changed", 10_000, 5),
    _at_least("rebuild, first, no cache", 10_000, 1),
    _at_least("doctor, first, no cache", 10_000, 7),
    _at_least("doctor, nothing changed", 10_000, 30),
    _at_least("shelve", 10_000, 3),
    Demand("shelve, its git part", "at most 2 bare commits", 10_000, _times_git, 2, least=False),
    _at_least("MCP, start to tools/list", 0, 1),
    Demand("MCP, recall", "at most 5 ms", 0, _milliseconds, 5, least=False),
)
STEADY = 1.2
"""A recall counts as the same at any size while the most is this many times the least."""


def steadiness(sizes: Mapping[int, Any], which: int, label: str = "recall") -> float | None:
    """The dearest median of a row over its cheapest, across sizes."""
    every = [size["rows"].get(label, {}).get("ours") for size in sizes.values()]
    values = [value for runs in every if runs and (value := median(runs, which))]
    return max(values) / min(values) if len(values) > 1 else None
