"""The tables of what was measured: one for each size of shelf, and how it grows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from . import exports, figures, reports, sites
from .demands import Sizes
from .figures import CPU, PEAK, WALL, Runs, Span
from .limits import COMMIT, PYTHON, READ, SAID, STAT
from .page_demands import named

_SEEN = "| | memshelf | peer | times faster | by processor time |"
PHONE = "phone, "
"""How the rows begin that stand in a table of their own."""

_BESIDE = {"git": " (bare git)", sites.MATERIAL: " (Material alone)"}
"""What stands beside us in a row, where that is not the peer."""

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
    **{f"{name}, {reports.COLD}": READ for name in reports.NAMES},
    **{f"{name}, {reports.WARM}": STAT for name in reports.NAMES},
    reports.ONE_CHANGED: STAT,
    exports.COLD: READ,
    exports.WARM: STAT,
    exports.ONE_CHANGED: STAT,
    sites.COLD: READ,
    sites.WARM: STAT,
    sites.ONE_CHANGED: STAT,
}

# --- one size --------------------------------------------------------------------------------


def measured_at(size: int, found: Mapping[str, Any]) -> str:
    """The tables of one size: the command lines, and the page on a phone."""
    rows = [_row(*row, found["limits"]) for row in found["rows"].items() if not _on_phone(row)]
    seen = [_seen(*row) for row in found["rows"].items() if _on_phone(row)]
    head = [
        f"## {size:,} episodes",
        "",
        "| | memshelf | peer | times faster | by processor time | least possible |",
        "|---|---|---|---|---|---|",
    ]
    table = [*head, *rows, "", _legend(found["limits"]), ""]
    return "\n".join([*table, *_pages(found), *_site(found), *(_phone(size, seen) if seen else [])])


def _on_phone(row: tuple[str, Any]) -> bool:
    return row[0].startswith(PHONE)


def _phone(size: int, rows: list[str]) -> list[str]:
    head = f"### The page of {size:,} episodes on a phone"
    return [head, "", _SEEN, "|---|---|---|---|---|", *rows, ""]


def _seen(label: str, sides: Mapping[str, Runs]) -> str:
    ours, other = sides["ours"], sides.get("peer", ())
    faster = figures.ratio(other, ours) if other else None
    by_cpu = figures.ratio(other, ours, CPU) if other else None
    cells = [label.removeprefix(PHONE), _time(ours), _time(other), _times(faster), _middle(by_cpu)]
    return f"| {' | '.join(cells)} |"


def _pages(found: Mapping[str, Any]) -> list[str]:
    """How large the exported pages are, and how much memory that took."""
    if "pages" not in found:
        return []
    size = " against ".join(f"{count / 1e6:.2f} MB" for count in found["pages"].values())
    every = found["rows"][exports.COLD].values()
    peaks = [peak for runs in every if (peak := figures.most(runs, PEAK))]
    took = " against ".join(f"{peak / 2**20:.0f} MiB" for peak in peaks)
    return [f"The exported page: {size}" + (f"; most memory {took}." if took else "."), ""]


def _site(found: Mapping[str, Any]) -> list[str]:
    """How large the site is."""
    site = found.get("site")
    if not site:
        return []
    whole, first, bare = (site[name] for name in (sites.BYTES, sites.SEARCH, sites.FURNITURE))
    said = f"The built site: {whole / 1e6:.1f} MB; searched first {first / 1e6:.2f} MB"
    return [f"{said}; a page without its article at most {bare / 1e3:.1f} KB.", ""]


def _row(label: str, sides: Mapping[str, Runs], limits: Mapping[str, Runs]) -> str:
    ours = sides["ours"]
    name, other = next(((n, runs) for n, runs in sides.items() if n != "ours"), ("", ()))
    theirs = _time(other) + _BESIDE.get(name, "") if other else ""
    faster = figures.ratio(other, ours) if other else None
    by_cpu = figures.ratio(other, ours, CPU) if other else None
    least = limits.get(_LIMITS.get(label, ""), ())
    cells = [
        named(label),
        *(_time(ours), theirs, _times(faster), _middle(by_cpu)),
        _seconds(figures.median(least)) if least else "",
    ]
    return f"| {' | '.join(cells)} |"


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


def _middle(span: Span | None) -> str:
    return f"{span.middle:.1f}" if span else ""


def _times(span: Span | None) -> str:
    return f"{span.middle:.1f} ({span.least:.1f} to {span.most:.1f})" if span else ""


# --- growth ----------------------------------------------------------------------------------


def growing(sizes: Sizes) -> str:
    """The exponents between neighbouring sizes; nothing where there is one size alone."""
    if len(sizes) < 2:
        return ""
    steps = list(zip(list(sizes), list(sizes)[1:], strict=False))
    names = [f"{small:,} to {large:,}" for small, large in steps]
    heads = [f"{name}: {side}" for name in names for side in ("memshelf", "peer")]
    rows = [
        f"| {named(label)} | {' | '.join(_exponents(label, steps, sizes))} |"
        for label in sizes[max(sizes)]["rows"]
        if not label.startswith(PHONE)
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


def _exponents(label: str, steps: list[tuple[int, int]], sizes: Sizes) -> Iterator[str]:
    for small, large in steps:
        for side in ("ours", "peer"):
            runs = [sizes[size]["rows"].get(label, {}).get(side) for size in (small, large)]
            if not (runs[0] and runs[1]):
                yield ""
                continue
            which = WALL if figures.median(runs[1], CPU) is None else CPU
            mcp = label.startswith("MCP")  # a call, not a process
            start = 0.0 if mcp else figures.start_of(sizes[large]["rows"], side, which)
            found = figures.growth((small, runs[0]), (large, runs[1]), start, which)
            yield "–" if found is None else f"{found:.1f}".replace("-0.0", "0.0")
