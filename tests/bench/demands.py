"""What memshelf must reach, and what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from . import exports, phone, reports, searches, sites
from .figures import CPU, PEAK, WALL, Runs, growth, median, most, ratio, start_of

Sizes = Mapping[int, Any]
"""What results.json holds of each size."""
Measure = Callable[[Sizes, int, int], float | None]
"""The value of a demand at a size, on the wall or by processor time; None where it is unknown."""
EACH, ALL = 0, -1
"""Instead of a size: each that was measured, or all of them together."""


class Demand(NamedTuple):
    """What a row must reach at a size: at least or at most what is wanted."""

    label: str
    size: int
    said: str
    measure: Measure
    wanted: float
    least: bool = False
    unit: str = ""

    def met(self, value: float) -> bool:
        """True where a value is good enough."""
        return value >= self.wanted if self.least else value <= self.wanted


class Found(NamedTuple):
    """A demand at a size, and its value on the wall and by processor time."""

    demand: Demand
    size: int
    wall: float | None
    cpu: float | None

    @property
    def holds(self) -> bool | None:
        """Whether it is met; None where nothing was measured.

        Where sizes are compared, which are not measured in turn, processor time is steadier.
        """
        value = self.wall if self.demand.size != ALL or self.cpu is None else self.cpu
        return None if value is None else self.demand.met(value)


def judged(sizes: Sizes) -> Iterator[Found]:
    """Every demand at every size it is made for."""
    for demand in DEMANDS:
        every = [size for size in sizes if _sides(sizes, size, demand.label)] or [*sizes] or [0]
        for size in every if demand.size == EACH else [demand.size]:
            values = (demand.measure(sizes, size, which) for which in (WALL, CPU))
            yield Found(demand, size, *values)


# --- how a value is found --------------------------------------------------------------------


def _sides(sizes: Sizes, size: int, label: str) -> Mapping[str, Runs]:
    found: Mapping[str, Runs] = sizes[size]["rows"].get(label, {}) if size in sizes else {}
    return found


def _between(label: str, above: str, below: str, other: str = "") -> Measure:
    """How many times more one side takes than another one, of the same row or of another."""

    def measure(sizes: Sizes, size: int, which: int) -> float | None:
        one = _sides(sizes, size, label).get(above)
        two = _sides(sizes, size, other or label).get(below)
        found = ratio(one, two, which) if one and two else None
        return found.middle if found else None

    return measure


def _seconds(label: str, times: float = 1) -> Measure:
    def measure(sizes: Sizes, size: int, which: int) -> float | None:
        runs = _sides(sizes, size, label).get("ours")
        found = median(runs, which) if runs else None
        return None if found is None else found * times

    return measure


def _mebibytes(label: str) -> Measure:
    """The most memory of any run; known once, so that no other column repeats it."""

    def measure(sizes: Sizes, size: int, which: int) -> float | None:
        runs = _sides(sizes, size, label).get("ours", ())
        found = most(runs, PEAK) if which == WALL else None
        return None if found is None else found / 2**20

    return measure


def _bytes(sizes: Sizes, size: int, which: int) -> float | None:
    """How many times more bytes our page has."""
    pages = sizes[size].get("pages", {}) if size in sizes and which == WALL else {}
    return pages["ours"] / pages["peer"] if {"ours", "peer"} <= pages.keys() else None


def _of_site(label: str, by: float) -> Measure:
    """A size of the built site; known once."""

    def measure(sizes: Sizes, size: int, which: int) -> float | None:
        found = sizes[size].get("site", {}) if size in sizes and which == WALL else {}
        return found[label] / by if label in found else None

    return measure


def _exponent(label: str) -> Measure:
    """Between the largest two sizes that it was measured at."""

    def measure(sizes: Sizes, size: int, which: int) -> float | None:
        known = [one for one in sorted(sizes) if _sides(sizes, one, label)]
        rows = [(one, _sides(sizes, one, label).get("ours")) for one in known[-2:]]
        (small, few), (large, many) = rows if len(rows) == 2 else [(0, None)] * 2
        begun = begun_at(sizes, (large, small), label, "ours", which) if few and many else None
        return None if begun is None else growth((small, few), (large, many), begun, which)

    return measure


def begun_at(sizes: Sizes, those: Iterable[int], label: str, side: str, which: int) -> float | None:
    """What a row takes before anything of the shelf is touched: a call to a server, nothing."""
    if label.startswith("MCP, ") or label in searches.IN_PROCESS:
        return 0.0
    return start_of((sizes[size]["rows"] for size in (*those, *sizes)), side, which)


def _rate(label: str) -> Measure:
    """Episodes a second."""

    def measure(sizes: Sizes, size: int, which: int) -> float | None:
        taken = _seconds(label)(sizes, size, which)
        return size / taken if taken else None

    return measure


def _share_of_text(sizes: Sizes, size: int, which: int) -> float | None:
    """The bytes of the index of search, of one byte of episodes; known once."""
    found = sizes[size] if size in sizes and which == WALL else {}
    return found["index"] / found["shelf"]["bytes"] if "index" in found else None


def _steadiness(label: str) -> Measure:
    """The dearest median of a row over its cheapest, across sizes."""

    def measure(sizes: Sizes, size: int, which: int) -> float | None:
        runs = [_sides(sizes, one, label).get("ours") for one in sizes]
        values = [value for one in runs if one and (value := median(one, which))]
        return max(values) / min(values) if len(values) > 1 else None

    return measure


# --- what is asked for -----------------------------------------------------------------------


def _faster(label: str, size: int, times: float) -> Demand:
    said = f"at least {times:g} times faster" if times > 1 else "no slower"
    return Demand(label, size, said, _between(label, "peer", "ours"), times, least=True)


def _slower(label: str, size: int, times: float) -> Demand:
    said = f"at most {times:g} times the peer's"
    return Demand(label, size, said, _between(label, "ours", "peer"), times)


def _within(label: str, size: int, seconds: float) -> Demand:
    said = f"at most {seconds:g} s"
    return Demand(label, size, said, _seconds(label), seconds, unit=" s")


def _no_longer(label: str, size: int, milliseconds: float) -> Demand:
    said = f"at most {milliseconds:g} ms"
    return Demand(label, size, said, _seconds(label, 1_000), milliseconds, unit=" ms")


def _linear(label: str) -> Demand:
    return Demand(label, ALL, "grows with an exponent of at most 1.1", _exponent(label), 1.1)


def _report(name: str) -> tuple[Demand, ...]:
    cold, warm = f"{name}, {reports.COLD}", f"{name}, {reports.WARM}"
    return _faster(cold, 10_000, 4), _faster(warm, 10_000, 15), _linear(cold)


def _search(label: str) -> tuple[Demand, ...]:
    bare = f"{label}, {searches.NO_INDEX}"
    return _faster(label, 10_000, 8), _faster(bare, 10_000, 1), _linear(bare)


_GIT = "shelve, its git part"
_RESOLVED = "resolve, nothing to do"
_ONE, _EVERY = (f"{name}, {reports.COLD}" for name in ("retro", reports.ALL_QUARTERS))
_TASKS = (phone.LOADING, phone.OPENING, phone.TYPING, phone.PASTING)

DEMANDS = (
    _faster("--help", EACH, 2.5),
    _faster("recall", 1_000, 3),
    _faster("recall", 10_000, 5),
    _faster("rebuild, nothing changed", 10_000, 5),
    _faster("rebuild, first, no cache", 10_000, 1),
    _faster("doctor, first, no cache", 10_000, 8),
    _faster("doctor, nothing changed", 10_000, 50),
    _faster("shelve", 10_000, 3),
    Demand(_GIT, 10_000, "at most 2 bare commits", _between(_GIT, "ours", "git"), 2),
    _faster("MCP, start to tools/list", EACH, 1),
    Demand(_RESOLVED, 10_000, "at most 10 git status", _between(_RESOLVED, "ours", "git"), 10),
    _no_longer("MCP, recall", EACH, 5),
    Demand(
        "recall", ALL, "the same: dearest over cheapest at most 1.2", _steadiness("recall"), 1.2
    ),
    *(demand for label in searches.QUESTIONS for demand in _search(label)),
    *(_no_longer(label, 10_000, 20) for label in searches.WARM),
    _no_longer(searches.PAUSED, 10_000, 90),
    _no_longer(searches.FOLLOWED, 10_000, 100),
    Demand(
        searches.BUILT,
        *(10_000, "at least 2,000 episodes a second", _rate(searches.BUILT), 2_000, True, " /s"),
    ),
    Demand("search index, bytes", 10_000, "at most half of the text", _share_of_text, 0.5),
    *map(_linear, (searches.BUILT, searches.BUILT_FIRST_ONE, *searches.WARM)),
    *_report("tags"),
    *_report("graph"),
    *_report("retro"),
    Demand(
        _EVERY,
        10_000,
        "at most 1.5 of our one quarter",
        _between(_EVERY, "ours", "ours", _ONE),
        1.5,
    ),
    _slower(exports.COLD, 1_000, 2),
    _slower(exports.COLD, 10_000, 2),
    _faster(exports.ONE_CHANGED, 1_000, 4),
    _faster(exports.ONE_CHANGED, 10_000, 4),
    Demand("export html, bytes", 1_000, "at most 1.3 times the peer's", _bytes, 1.3),
    Demand("export html, bytes", 10_000, "at most 1.3 times the peer's", _bytes, 1.3),
    Demand(
        "export html, memory, largest process",
        *(10_000, "at most 300 MiB", _mebibytes(exports.COLD), 300),
        unit=" MiB",
    ),
    _within(sites.COLD, 1_000, 1),
    _within(sites.ONE_CHANGED, 1_000, 0.2),
    Demand(
        sites.BUILD,
        *(1_000, "at most 1.1 of Material alone", _between(sites.BUILD, "ours", sites.MATERIAL)),
        1.1,
    ),
    *(
        Demand(label, 1_000, f"at most {most:g} {unit}", _of_site(label, by), most, unit=f" {unit}")
        for label, most, unit, by in (
            (sites.BYTES, 40, "MB", 1e6),
            (sites.SEARCH, 5.5, "MB", 1e6),
            (sites.FURNITURE, 20, "KB", 1e3),
        )
    ),
    _linear(sites.COLD),
    _within(phone.slowed(phone.PAINT), 1_000, 0.6),
    _faster(phone.slowed(phone.LAID), 1_000, 8),
    _within(phone.slowed(phone.LINK), 1_000, 0.2),
    _within(phone.slowed(phone.TAP), 1_000, 0.2),
    *(_no_longer(label, size, 200) for size in (1_000, 10_000) for label in _TASKS),
    _within(phone.LAID, 10_000, 6),
)
