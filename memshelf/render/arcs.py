"""A picture of rows, and of arcs between them: what two episodes, quarters or tags have to do.

The layout is an arc diagram: every row is real text on a line of its own, so that nothing overlaps
at any number of rows, and the same data give the same picture. An opaque card, like stats.svg.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import NamedTuple

from ..domain.graph import CLOSES, DECIDED, MENTIONS, REPLACES
from .chart_card import EDGE, FONTS, INK, MUTED, SMALL, WIDTH
from .escape import plain, xml
from .measure import fitted

_STEP, _TOP, _LEFT, _NEAR, _DATE = 22, 86, 20, 118, 126
_CLASS = {REPLACES: "r", CLOSES: "c", DECIDED: "d", MENTIONS: "m"}
_STYLE = (
    f"text{{font:{SMALL}px {FONTS};fill:{INK}}}.h{{font-size:17px;font-weight:bold}}.s{{fill:{MUTED}}}"
    "path{fill:none;stroke-linecap:round}.r{stroke:#b3261e;stroke-width:2.5}"
    ".c{stroke:#1d5fae;stroke-width:2;stroke-dasharray:5 4}.d{stroke:#1b2330;stroke-width:1.5}"
    ".m{stroke:#8a929c}"
)


class Row(NamedTuple):
    """One line of the picture: a short mark before it (a date), and its words."""

    mark: str
    words: str


class Arc(NamedTuple):
    """An arrow from one row to another, by their places, with its reason.

    `weight` is 0, or between 0 and 1 where arrows differ in weight: 1 is the thickest.
    """

    source: int
    target: int
    why: str
    weight: float = 0


class Picture(NamedTuple):
    """What is drawn: `said` stands below the title, `foot` below the rows, `about` is read aloud."""

    title: str
    said: str
    rows: Sequence[Row]
    arcs: Sequence[Arc]
    foot: Sequence[str]
    about: str


def arcs_svg(picture: Picture, prefix: str = "memshelf-graph") -> str:
    """The picture as an SVG that stands by itself; `prefix` begins its ids."""
    reasons = [why for why in _CLASS if any(arc.why == why for arc in picture.arcs)]
    below = _TOP + _STEP * len(picture.rows) + 8
    legend = list(_legend(below, reasons)) if len(reasons) > 1 else []
    foot = below + (_STEP if legend else 0)
    height = foot + 18 * len(picture.foot) + 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="{prefix}-t {prefix}-d">',
        f'<title id="{prefix}-t">{xml(picture.title)}</title>',
        f'<desc id="{prefix}-d">{xml(picture.about)}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="10" fill="#fff" stroke="{EDGE}"/>',
        _text(_LEFT, 34, shown(picture.title, 24.0), "h"),
        _text(_LEFT, 58, shown(picture.said, 33.0), "s"),
        *_arrows(picture.arcs, len(picture.rows)),
        *(line for place, row in enumerate(picture.rows) for line in _row(place, row)),
        *legend,
        *(
            _text(_LEFT, foot + 18 * place, xml(line), "s")
            for place, line in enumerate(picture.foot)
        ),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def shown(text: str, ems: float, characters: int = 80) -> str:
    """A text within its room as XML; in other scripts with marks that keep its direction to itself."""
    made = xml(fitted(plain(text), characters, ems))
    return made if made.isascii() else f"\u2068{made}\u2069"


def _text(x: int, y: int, words: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{named}>{words}</text>'


def _row(place: int, row: Row) -> Iterator[str]:
    y = _y(place) + 4
    if row.mark:
        yield _text(_DATE, y, xml(row.mark), "s")
    x = _DATE + (80 if row.mark else 0)
    yield _text(x, y, shown(row.words, (WIDTH - 16 - x) / SMALL))


def _y(place: int) -> int:
    """How far down the middle of a row is."""
    return _TOP + _STEP * place


def _arrows(arcs: Sequence[Arc], rows: int) -> Iterator[str]:
    """The weak ones first, so that the strong lie above them; one head for each row that is a target."""
    for arc in sorted(arcs, key=lambda a: (-list(_CLASS).index(a.why), a.weight, a)):
        source, target = _y(arc.source) + 3, _y(arc.target) - 3
        reach = _NEAR - round(18 + 108 * sqrt(abs(arc.source - arc.target) / rows))
        thick = f' stroke-width="{0.5 + 3.5 * arc.weight:.1f}"' if arc.weight else ""
        yield (
            f'<path class="{_CLASS[arc.why]}"{thick} '
            f'd="M{_NEAR} {source}C{reach} {source} {reach} {target} {_NEAR} {target}"/>'
        )
    heads = "".join(
        f"M{_NEAR - 5} {_y(row) - 6}l5 3-5 3" for row in sorted({a.target for a in arcs})
    )
    if heads:
        yield f'<path stroke="{INK}" stroke-width="1.5" d="{heads}"/>'


def _legend(y: int, reasons: Sequence[str]) -> Iterator[str]:
    x = _LEFT
    for why in reasons:
        yield f'<path class="{_CLASS[why]}" d="M{x} {y - 4}h26"/>'
        yield _text(x + 32, y, why, "s")
        x += 112
