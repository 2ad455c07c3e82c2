"""stats.svg: one glance at what the shelf holds against what it costs.

matplotlib's bytes differ between its releases, so the file carries a stamp: whether it is current
is told from the stamp alone, and it is drawn anew only where what it shows has changed.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from ..domain.page import Page
from ..domain.patterns import lazy
from ..domain.shelf import Shelf

if TYPE_CHECKING:
    from .chart_plan import Plan

PATH = "stats.svg"
VERSION = 2
"""Changes whenever the same plan would be drawn otherwise."""

_STAMP = lazy(r"<!-- memshelf-chart (\d+) ([0-9a-f]{16}) ([0-9a-f]{16}) -->\n")


def chart(shelf: Shelf, tokens: int | None = None) -> Page:
    """stats.svg, drawn with matplotlib. `tokens` are those of INDEX.md where they are known."""
    from .chart_draw import draw

    shown = _plan(shelf, tokens)
    svg = draw(shown)
    head, body = svg.split("\n", 1)
    stamp = f"<!-- memshelf-chart {_series(shown)} {_hash(svg)} -->"
    return Page(PATH, f"{head}\n{stamp}\n{body}")


def chart_stamp(shelf: Shelf, tokens: int | None = None) -> str:
    """The chart's version and a hash of all that it shows, without drawing it."""
    return _series(_plan(shelf, tokens))


def chart_current(svg: str, shelf: Shelf, tokens: int | None = None) -> bool | None:
    """Whether an SVG is this shelf's chart: True; False where it is out of date or was changed by
    hand; None where it has no stamp of ours, since another tool drew it."""
    text = svg.replace("\r\n", "\n")
    found = _STAMP.search(text)
    if not found:
        return None
    untouched = _hash(text[: found.start()] + text[found.end() :]) == found[3]
    return untouched and f"{found[1]} {found[2]}" == chart_stamp(shelf, tokens)


def stamped(svg: str) -> bool:
    """Whether an SVG carries a stamp of ours, whatever it says."""
    return bool(_STAMP.search(svg.replace("\r\n", "\n")))


def _plan(shelf: Shelf, tokens: int | None) -> Plan:
    from .chart_plan import plan  # who only looks for a stamp needs neither
    from .index import index_tokens

    return plan(shelf, index_tokens(shelf) if tokens is None else tokens)


def _series(shown: Plan) -> str:
    return f"{VERSION} {_hash(repr(shown))}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
