"""The graph of one episode: who names it, and what it names, one step far. An SVG without scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..domain.graph import CLOSES, DECIDED, MENTIONS, REPLACES, Graph, Neighbour
from ..domain.text import plural
from .escape import attribute, plain, xml
from .measure import fitted

MOST = 12
"""Neighbours in one drawing; the text beside it names them all."""

TITLE = 32
WIDTH = 352
_ROW, _TRUNK, _WHY, _NAME = 26, 7, 24, 100

OUT = {REPLACES: "replaces", CLOSES: "closes", DECIDED: "in decisions", MENTIONS: "mentions"}
IN = {
    REPLACES: "replaced by",
    CLOSES: "closed by",
    DECIDED: "decided in",
    MENTIONS: "mentioned by",
}
"""The reason as the episode in the middle says it, by the direction of the edge."""

Link = Callable[[str], str]
"""The address of an episode, by its id; "" where it has none."""


class Line(NamedTuple):
    """One neighbour in words: `mentioned by`, in which direction (`out`, `in`, `both`), its title
    and id, and the section of the mention ("" in front matter)."""

    why: str
    direction: str
    title: str
    id: str
    section: str


def ego_text(graph: Graph, name: str) -> tuple[Line, ...]:
    """Every neighbour of an episode, the strongest reason first: what the drawing shows, and more."""
    return tuple(
        Line(
            why(near),
            "both" if near.mutual else "out" if near.outgoing else "in",
            plain(graph.by_id[near.id].heading),
            near.id,
            plain(near.edge.section),
        )
        for near in graph.neighbours(name)
    )


def why(near: Neighbour) -> str:
    """The reason in words, as seen from the episode in the middle."""
    return (OUT if near.outgoing else IN)[near.edge.why]


def ego_svg(
    graph: Graph, name: str, link: Link, prefix: str = "ego", namespace: bool = False
) -> str:
    """The drawing for a page, or "" where nothing names the episode and it names nothing.

    Who names it stands above, what it names below, at most twelve, each a link where `link` has
    an address for it. Colours and sizes come from ego.css. `prefix` begins its ids, which must be
    unique in a page; `namespace` is for pages that are XML.
    """
    near = graph.neighbours(name)
    if not near:
        return ""
    body, height = drawing(graph, name, near, link)
    xmlns = ' xmlns="http://www.w3.org/2000/svg"' if namespace else ""
    label = f"{attribute(prefix)}-t"
    return (
        f'<svg{xmlns} class="ego" viewBox="0 0 {WIDTH} {height}" role="group" aria-labelledby="{label}">'
        f'<title id="{label}">{heading(graph, name)}</title><desc>{summary(near)}</desc>{body}</svg>'
    )


def heading(graph: Graph, name: str) -> str:
    """What the drawing is called, as XML."""
    return f"What names {_shown(graph.by_id[name].heading)}, and what it names"


def summary(near: Sequence[Neighbour]) -> str:
    """What the drawing shows, in a sentence."""
    names = sum(one.outgoing or one.mutual for one in near)
    named = sum(not one.outgoing or one.mutual for one in near)
    more = len(near) - MOST
    said = f"It names {plural(names, 'episode')} and is named by {named:,}."
    return f"{said} {more:,} more are not drawn." if more > 0 else said


def drawing(graph: Graph, name: str, near: Sequence[Neighbour], link: Link) -> tuple[str, int]:
    """What stands inside the SVG, and how high it is."""
    shown = near[:MOST]
    above = [one for one in shown if not one.outgoing]
    below = [one for one in shown if one.outgoing]
    me = 17 + _ROW * len(above)
    rows = list(zip((*_ys(17, above), *_ys(me + _ROW, below)), (*above, *below), strict=True))
    height = me + _ROW * (len(below) + (len(near) > MOST)) + 9
    parts = [
        f'<path d="{"".join(_arrows(rows, me))}"/>',
        f'<text class="me" y="{me}">{_shown(graph.by_id[name].heading)}</text>',
        f'<g class="why" transform="translate({_WHY})">{"".join(_reasons(rows))}',
        f'<text y="{height - 9}">{len(near) - MOST:,} more in the text</text></g>'
        if len(near) > MOST
        else "</g>",
        f'<g transform="translate({_NAME})">{"".join(_names(graph, rows, link))}</g>',
    ]
    return "".join(parts), height


def _ys(first: int, some: Sequence[Neighbour]) -> Iterator[int]:
    return (first + _ROW * row for row in range(len(some)))


def _arrows(rows: Sequence[tuple[int, Neighbour]], me: int) -> Iterator[str]:
    """Lines from those above down to the middle, and from it to those below, heads at the targets."""
    incoming = [y for y, near in rows if not near.outgoing]
    outgoing = [y for y, near in rows if near.outgoing]
    if incoming:
        yield f"M{_TRUNK} {incoming[0] - 4}V{me - 14}l-3-5m3 5 3-5"
    if outgoing:
        yield f"M{_TRUNK} {me + 6}V{outgoing[-1] - 4}"
    for y, near in rows:
        yield f"M{_TRUNK} {y - 4}h13"
        if near.outgoing or near.mutual:
            yield "l-5-3m5 3-5 3"
        if near.mutual and near.outgoing:
            yield f"M{_TRUNK + 6} {y - 7}l-5 3 5 3"


def _reasons(rows: Sequence[tuple[int, Neighbour]]) -> Iterator[str]:
    """Each reason once, beside the first that has it."""
    said = ""
    for y, near in rows:
        if why(near) != said:
            said = why(near)
            yield f'<text y="{y}">{said}</text>'


def _names(graph: Graph, rows: Sequence[tuple[int, Neighbour]], link: Link) -> Iterator[str]:
    for y, near in rows:
        text = f'<text y="{y}">{_shown(graph.by_id[near.id].heading)}</text>'
        address = link(near.id)
        yield f'<a href="{attribute(address)}">{text}</a>' if address else text


@lru_cache(maxsize=4096)
def _shown(title: str) -> str:
    """A title cut to its room; in other scripts with marks that keep its direction to itself."""
    text = xml(fitted(plain(title), TITLE, 19.0))
    return text if text.isascii() else f"\u2068{text}\u2069"
