"""The exported pages in a real browser, at a phone's size and speed."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import words
from .clock import Took, process
from .exports import exporting, page
from .group import OURS, Bench, Group, Runs
from .visits import Visit, visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Rows = Iterator[tuple[str, Took]]

SLOW = 4
"""So many times slower than this machine a phone is taken to be."""
SLOWED_TO = PEER_TO = 1_000
"""Above so many episodes neither a slow phone is tried nor, unless asked for, the peer's page."""
MOST_RUNS = {1_000: 5}
FEWEST = 3

PAINT, LAID = "phone, first paint", "phone, laid out"
LINK, TAP = "phone, episode opened by a link", "phone, episode opened by a tap"
FULLEST = "phone, fullest episode opened"
FIRST, ALL = "phone, search, first results", "phone, search, all results"
LOADING = "phone, longest task, loading"
OPENING = "phone, longest task, opening"
TYPING, PASTING = "phone, longest task, typing a search", "phone, longest task, pasting one"


def slowed(label: str) -> str:
    """The label of a row on a slow phone."""
    return f"{label}, {SLOW}x slower"


LABELS = (
    *map(slowed, (PAINT, LAID, LINK, TAP, FULLEST)),
    *(PAINT, LAID, FIRST, ALL, LOADING, OPENING, TYPING, PASTING),
)


def _measure(bench: Bench) -> dict[str, Runs]:
    chromium = _chromium()
    if bench.huge:
        print("bench: the phone rows are left out on so large a shelf", file=sys.stderr)
        return {}
    if lack := chromium.lacking():
        print(f"bench: the phone rows are left out: {lack}", file=sys.stderr)
        return {}
    pages = _pages(bench)
    with tempfile.TemporaryDirectory() as home, chromium.started(Path(home)) as browser:
        return _in_turn(bench, browser, pages)


def _chromium() -> Any:
    """Imported when it is needed: a page is written from results without it."""
    from ..browser import chromium

    return chromium


def _pages(bench: Bench) -> dict[str, Path]:
    """Both pages as they are made today; the peer's only where a browser can open it in time."""
    sides = [OURS] if bench.ours.size > PEER_TO and not bench.peer_page else list(bench.tools)
    for side in sides:
        tool = bench.tools[side]
        words = exporting(bench, side)(bench.shelves[tool.name])
        process([*tool.cli, *words], bench.world.environ(tool))
    return {side: page(bench, side) for side in sides}


def _in_turn(bench: Bench, browser: Browser, pages: dict[str, Path]) -> dict[str, Runs]:
    """All rows of each page in turn, after one turn that does not count."""
    most = next((runs for size, runs in MOST_RUNS.items() if bench.ours.size <= size), FEWEST)
    found: dict[str, Runs] = {}
    for counted in [False, *[True] * min(bench.runs, most)]:
        for side, file in pages.items():
            for label, took in _visits(browser, file, side == OURS, bench.ours.size):
                if counted:
                    found.setdefault(label, {}).setdefault(side, []).append(took)
    return {label: found[label] for label in LABELS if label in found}


# --- what is done with a page ----------------------------------------------------------------

Read = Callable[[Visit], Rows]


def _visits(browser: Browser, file: Path, ours: bool, size: int) -> Rows:
    """Of the peer's page, which knows no folds and no search, how long it takes to stand."""
    if size <= SLOWED_TO:
        with visit(browser, file, SLOW) as phone:
            yield from _slowly(phone, ours)
    with visit(browser, file) as phone:
        yield from _read(phone, ours)
    if ours:
        with visit(browser, file) as phone:
            yield from _searched(phone)


def _slowly(phone: Visit, ours: bool) -> Rows:
    for label, took in _stands(phone):
        yield slowed(label), took
    if ours:
        for label, each in ((LINK, phone.by_links), (TAP, phone.by_taps), (FULLEST, phone.fullest)):
            for took in each():
                yield slowed(label), took


def _stands(phone: Visit) -> Rows:
    found = phone.laid()
    yield from ((label, found[name]) for label, name in ((PAINT, "paint"), (LAID, "laid")))


def _read(phone: Visit, ours: bool) -> Rows:
    yield from _stands(phone)
    yield LOADING, phone.longest()
    if ours:
        _ = [phone.by_links(), phone.by_taps(), phone.fullest()]
        yield OPENING, phone.longest()
        phone.typed(words.COMMON)
        yield TYPING, phone.longest()


def _searched(phone: Visit) -> Rows:
    phone.laid()
    phone.longest()
    found = phone.pasted(words.COMMON)
    yield from ((FIRST, found["first"]), (ALL, found["all"]))
    yield PASTING, phone.longest()


GROUPS = (Group(LABELS, _measure),)
