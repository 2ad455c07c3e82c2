"""The tables of what was measured, for one size of shelf."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import exports, figures, reports, searches, sites
from .figures import CPU, PEAK, Runs
from .limits import COMMIT, PYTHON, READ, SAID, STAT
from .page_cells import middle, seconds, time, times
from .page_demands import named
from .page_search import asked

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
    **dict.fromkeys(searches.QUESTIONS, STAT),
    **{f"{label}, {searches.NO_INDEX}": READ for label in searches.QUESTIONS},
    searches.CHANGED: STAT,
    searches.BUILT_FIRST: READ,
    searches.BUILT_FIRST_ONE: READ,
    searches.BUILT: READ,
    "stats": STAT,
    "rebuild, nothing changed": STAT,
    "rebuild, first, no cache": READ,
    "rebuild, one episode changed": STAT,
    "rebuild --check, nothing changed": STAT,
    "doctor, first, no cache": READ,
    "doctor, nothing changed": STAT,
    "shelve": COMMIT,
    "shelve, its git part": COMMIT,
    "resolve, nothing to do": STAT,
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
    more = [*_pages(found), *_site(found), *asked(size, found)]
    return "\n".join([*table, *more, *(_phone(size, seen) if seen else [])])


def _on_phone(row: tuple[str, Any]) -> bool:
    return row[0].startswith(PHONE)


def _phone(size: int, rows: list[str]) -> list[str]:
    head = f"### The page of {size:,} episodes on a phone"
    return [head, "", _SEEN, "|---|---|---|---|---|", *rows, ""]


def _seen(label: str, sides: Mapping[str, Runs]) -> str:
    ours, other = sides["ours"], sides.get("peer", ())
    faster = figures.ratio(other, ours) if other else None
    by_cpu = figures.ratio(other, ours, CPU) if other else None
    cells = [label.removeprefix(PHONE), time(ours), time(other), times(faster), middle(by_cpu)]
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
    name, other = next(((n, r) for n, r in sides.items() if n in ("peer", *_BESIDE)), ("", ()))
    theirs = time(other) + _BESIDE.get(name, "") if other else ""
    faster = figures.ratio(other, ours) if other else None
    by_cpu = figures.ratio(other, ours, CPU) if other else None
    least = limits.get(_LIMITS.get(label, ""), ())
    cells = [
        named(label),
        *(time(ours), theirs, times(faster), middle(by_cpu)),
        seconds(figures.median(least)) if least else "",
    ]
    return f"| {' | '.join(cells)} |"


def _legend(limits: Mapping[str, Runs]) -> str:
    said = (f"{SAID[name]}, {seconds(figures.median(runs))}" for name, runs in limits.items())
    return f"Least possible: {'; '.join(said)}."
