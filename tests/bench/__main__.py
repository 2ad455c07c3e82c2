"""python -m tests.bench: measure, keep the numbers in build/bench, write docs/performance.md."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from . import exports, machine, rows, searches, shelves, sites
from .clock import Failed
from .figures import Runs, median
from .group import Bench
from .limits import limits
from .page import page
from .world import ROOT, World, world

RUNS = {100: 9, 1_000: 7}
"""Runs by the size up to which they are made; for larger shelves fewer."""
FEWEST = 5


def main() -> None:
    """Measure what was asked for and write the page."""
    options = _options()
    kept = options.build / "results.json"
    if not options.render_only:
        made = world(options.build, options.peer, options.no_peer)
        environ = made.environ(made.ours)
        os.environ.clear()
        os.environ.update(environ)  # the gate is timed in this very process
        for count in options.sizes:
            for results in _measured(made, count, options, _known(kept)):
                _save(kept, results)  # at once: a run of an hour may be stopped
    options.out.write_text(page(_known(kept)), "utf-8", newline="\n")
    print(f"wrote {options.out}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.bench", description=__doc__)
    parser.add_argument("--sizes", type=_sizes, default=[100, 1_000, 10_000], metavar="N,N,...")
    parser.add_argument("--runs", type=int, help="turns that count (else 9, 7 or 5 by size)")
    parser.add_argument("--peer", type=Path, help="folder of the peer's scripts (else installed)")
    parser.add_argument("--no-peer", action="store_true", help="measure memshelf alone")
    parser.add_argument(
        "--peer-page", action="store_true", help="open the peer's page at any size: minutes"
    )
    parser.add_argument("--only", default="", metavar="REGEX", help="only rows with such a label")
    parser.add_argument(
        "--render-only", action="store_true", help="write the page from results.json"
    )
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "bench", metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "performance.md")
    return parser.parse_args()


def _sizes(text: str) -> list[int]:
    return sorted({int(part) for part in text.split(",")})


def _measured(made: World, count: int, options: argparse.Namespace, known: Any) -> Iterator[Any]:
    """The results after each row of a size; rows that were not asked for stay as they were."""
    copies = shelves.made(made, count)
    shelf = copies[made.ours.name]
    before = machine.load()
    runs = options.runs or next((n for size, n in RUNS.items() if count <= size), FEWEST)
    bench = Bench(made, copies, runs, options.peer_page)
    size = known["sizes"].get(str(count), {"rows": {}})
    if not (options.only and "shelf" in size):
        size["shelf"] = shelves.facts(made, shelf)
    size |= {"runs": runs, "limits": limits(bench), "date": machine.today()}
    results = {"facts": machine.facts(made), "sizes": known["sizes"] | {str(count): size}}
    shelf.reset()
    for label, sides in rows.measured(bench, options.only):
        size["rows"][label] = sides
        size["rows"] = {one: size["rows"][one] for one in rows.LABELS if one in size["rows"]}
        size["load"] = [before, machine.load()]
        if label == exports.COLD:
            size["pages"] = exports.bytes_of(bench)
        if label == sites.BUILD:
            size["site"] = sites.sizes_of(bench)
        if label == searches.BUILT:
            size["index"] = searches.index_bytes(bench)
        if label in searches.QUESTIONS:
            size.setdefault("hits", {})[label] = searches.hits(bench, label)
        _say(count, label, sides)
        yield results


def _say(count: int, label: str, sides: Mapping[str, Runs]) -> None:
    times = (f"{side} {(median(took) or 0) * 1_000:.1f} ms" for side, took in sides.items())
    print(f"{count:>6}  {label:<34} {', '.join(times)}", file=sys.stderr, flush=True)


def _known(kept: Path) -> Any:
    return json.loads(kept.read_text("utf-8")) if kept.is_file() else {"facts": {}, "sizes": {}}


def _save(kept: Path, results: Any) -> None:
    kept.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


try:
    main()
except Failed as trouble:
    raise SystemExit(f"bench: {trouble}") from None
