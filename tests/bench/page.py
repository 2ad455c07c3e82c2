"""docs/performance.md, from the results alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from . import figures
from .figures import CPU, DEMANDS, STEADY, WALL, Demand, Runs, Span
from .limits import COMMIT, PYTHON, READ, SAID, STAT

_LIMITS = {
    "--help": PYTHON,
    "recall": PYTHON,
    "recall, one section": PYTHON,
    "index": STAT,
    "search, rare word": READ,
    "search, common word": READ,
    "stats": STAT,
    "rebuild, nothing changed": STAT,
    "rebuild, first, no cache": READ,
    "rebuild, one episode changed": STAT,
    "rebuild --check, nothing changed": STAT,
    "doctor, first, no cache": READ,
    "doctor, nothing changed": STAT,
    "shelve": COMMIT,
    "shelve, its git part": COMMIT,
    "MCP, start to tools/list": PYTHON,
}
Results = Mapping[str, Any]


def page(results: Results) -> str:
    """The whole page."""
    sizes = {int(size): found for size, found in sorted(results["sizes"].items(), key=_number)}
    parts = [_HEAD, _facts(results["facts"], sizes), _demands(sizes), _HOW]
    parts += [_size(size, found) for size, found in sizes.items()]
    parts += [_growth(sizes), _NOT]
    return "\n".join(part for part in parts if part)


def _number(item: tuple[str, Any]) -> int:
    return int(item[0])


_HEAD = """\
# How fast it is

memshelf against memshelf-mcp, the program whose shelves it takes over, on the same generated shelves and in one run.
This page is written by `make bench`; nothing on it is typed by hand.
"""

_HOW = """\
## How it is measured

- Whole processes, from outside: the clock on the wall from start to end, and the processor time of the process and its children (in brackets).
- One run each that does not count, then in turn: memshelf, peer, memshelf, peer. Shown are medians, and the ratio is taken turn by turn; the least and the most of it stand behind it.
- Each program has its own copy of the shelf, equal to the byte but for the chart, which each draws in its own way. Between runs that write, the shelf is put back; that is not counted.
- "No cache" means a new, empty `MEMSHELF_CACHE_DIR` for each run; the system keeps the files in memory in all rows. The peer keeps no cache.
- Servers are timed by a client that speaks JSON lines: from the start of the process to its list of tools, and each kind of call once uncounted, then five times.
"""

_NOT = """\
## What is not measured

- A disk that must be read first: all files are in the system's memory.
- Exports: the peer's page and ours hold different things, so a ratio would say nothing.
- Equal answers: `index` is a page of 2,500 tokens from memshelf and the whole of INDEX.md from the peer, `search` goes by words in memshelf and by pieces of words in the peer. The rows say what asking costs.
- Remotes, hooks that people install, and Windows' virus scanners.
- Several writers at once: tests count that, with no clock.
"""


def _facts(facts: Mapping[str, str], sizes: Mapping[int, Any]) -> str:
    rows = [f"| {name} | {value} |" for name, value in facts.items()]
    for size, found in sizes.items():
        shelf = found["shelf"]
        doctors = shelf["doctor"].values()
        said = "no errors for either doctor" if len(doctors) > 1 else "no errors for doctor"
        mega = shelf["bytes"] / 1e6
        busy = _busy(found["load"])
        rows.append(
            f"| {size:,} episodes | {mega:.1f} MB, {shelf['mean']:,} bytes each; {said}; "
            f"{found['runs']} turns, {found['date']}{busy} |"
        )
    return "\n".join(["| | |", "|---|---|", *rows, ""])


def _busy(load: list[float | None]) -> str:
    known = [one for one in load if one is not None]
    return f"; load average {' to '.join(f'{one:.1f}' for one in known)}" if known else ""


# --- what was demanded -----------------------------------------------------------------------


def _demands(sizes: Mapping[int, Any]) -> str:
    rows = []
    for demand in DEMANDS:
        for size in [demand.size] if demand.size else sizes or [0]:
            rows.append(_demand(demand, size, sizes))
    rows.append(_steady(sizes))
    head = [
        "## What was asked for",
        "",
        "| what | episodes | asked for | found | by processor time | holds |",
    ]
    return "\n".join([*head, "|---|---|---|---|---|---|", *rows, ""])


def _demand(demand: Demand, size: int, sizes: Mapping[int, Any]) -> str:
    sides = sizes[size]["rows"].get(demand.label) if size in sizes else None
    values = [demand.measure(sides, which) if sides else None for which in (WALL, CPU)]
    unit = " ms" if demand.said.endswith("ms") else ""
    found, by_cpu = ("" if value is None else f"{value:.2f}{unit}" for value in values)
    holds = "" if values[0] is None else "yes" if demand.met(values[0]) else "**no**"
    cells = [_name(demand.label), f"{size:,}", demand.said, found or "not measured", by_cpu, holds]
    return f"| {' | '.join(cells)} |"


def _steady(sizes: Mapping[int, Any]) -> str:
    """By processor time where it is known: sizes are not measured in turn, so the wall wavers."""
    values = [figures.steadiness(sizes, which) for which in (WALL, CPU)]
    found, by_cpu = ("" if value is None else f"{value:.2f}" for value in values)
    steady = values[1] or values[0]
    holds = "" if steady is None else "yes" if steady <= STEADY else "**no**"
    said = f"the same: dearest over cheapest at most {STEADY:g}"
    cells = ["recall", "all", said, found or "not measured", by_cpu, holds]
    return f"| {' | '.join(cells)} |"


# --- one size --------------------------------------------------------------------------------


def _size(size: int, found: Mapping[str, Any]) -> str:
    rows = [_row(label, sides, found["limits"]) for label, sides in found["rows"].items()]
    head = [
        f"## {size:,} episodes",
        "",
        "| | memshelf | peer | times faster | by processor time | least possible |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *rows, "", _legend(found["limits"]), ""])


def _row(label: str, sides: Mapping[str, Runs], limits: Mapping[str, Runs]) -> str:
    ours, other = sides["ours"], sides.get("peer") or sides.get("git")
    theirs = _time(other) + (" (bare git)" if "git" in sides else "") if other else ""
    faster = figures.ratio(other, ours) if other else None
    by_cpu = figures.ratio(other, ours, CPU) if other else None
    least = limits.get(_LIMITS.get(label, ""), ())
    cells = [
        _name(label),
        *(_time(ours), theirs, _times(faster), f"{by_cpu.middle:.1f}" if by_cpu else ""),
        _seconds(figures.median(least)) if least else "",
    ]
    return f"| {' | '.join(cells)} |"


def _name(label: str) -> str:
    return f"`{label}`" if label.startswith("-") else label


def _legend(limits: Mapping[str, Runs]) -> str:
    said = (f"{SAID[name]}, {_seconds(figures.median(runs))}" for name, runs in limits.items())
    return f"Least possible: {'; '.join(said)}."


def _time(runs: Runs) -> str:
    cpu = figures.median(runs, CPU)
    return _seconds(figures.median(runs)) + (f" ({_seconds(cpu)})" if cpu is not None else "")


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1_000:.0f} ms" if value >= 0.01 else f"{value * 1_000:.1f} ms"


def _times(span: Span | None) -> str:
    return f"{span.middle:.1f} ({span.least:.1f} to {span.most:.1f})" if span else ""


# --- growth ----------------------------------------------------------------------------------


def _growth(sizes: Mapping[int, Any]) -> str:
    if len(sizes) < 2:
        return ""
    steps = list(zip(list(sizes), list(sizes)[1:], strict=False))
    names = [f"{small:,} to {large:,}" for small, large in steps]
    heads = [f"{name}: {side}" for name in names for side in ("memshelf", "peer")]
    rows = [
        f"| {_name(label)} | {' | '.join(_exponents(label, steps, sizes))} |"
        for label in sizes[max(sizes)]["rows"]
    ]
    return "\n".join(
        [
            "## How it grows",
            "",
            "The exponent *a* of cost = start + c·N^*a*, by processor time where there is one: 0 stays, 1 grows with "
            "the shelf. The start is what `--help` takes. A dash: less than 10 ms above the start, so nothing to see.",
            "",
            f"| | {' | '.join(heads)} |",
            "|---" * (len(heads) + 1) + "|",
            *rows,
            "",
        ]
    )


def _exponents(label: str, steps: list[tuple[int, int]], sizes: Mapping[int, Any]) -> Iterator[str]:
    for small, large in steps:
        for side in ("ours", "peer"):
            runs = [sizes[size]["rows"].get(label, {}).get(side) for size in (small, large)]
            if not (runs[0] and runs[1]):
                yield ""
                continue
            start = 0.0 if label.startswith("MCP") else _start(sizes[large], side)
            found = figures.growth((small, runs[0]), (large, runs[1]), start)
            yield "–" if found is None else f"{found:.1f}".replace("-0.0", "0.0")


def _start(found: Mapping[str, Any], side: str) -> float:
    runs = found["rows"].get("--help", {}).get(side)
    return (figures.median(runs, CPU) or figures.median(runs) or 0.0) if runs else 0.0
