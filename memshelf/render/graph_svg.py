"""The graph as a picture: the whole of a small shelf, a map of the groups of a big one, or one episode."""

from __future__ import annotations

import re

from ..domain.graph import MENTIONS, Graph
from ..domain.graph_groups import MOST, QUARTER, TAG, YEAR, Labels, Slice, between, slices, years
from ..domain.text import clip, plural
from . import ego
from .arcs import Arc, Picture, Row, arcs_svg
from .chart_card import EDGE, INK, MUTED
from .escape import plain
from .index import date
from .templates import source

WHOLE = 100
"""So many episodes are drawn one by one; more only by quarter or tag."""

_ARCS = 40
_COLOUR = {"link": "#1d5fae", "muted": MUTED}


def graph_svg(graph: Graph, name: str, of: Labels, by: str, isolated: bool = False) -> str:
    """A picture without scripts; episodes that no edge touches are in it only if asked for."""
    drawn = graph.nodes if isolated else graph.linked
    if len(drawn) > WHOLE:
        return arcs_svg(graph_map(graph, name, of, by))
    shown = Graph(drawn, graph.edges, (), graph.section)
    return arcs_svg(_whole(shown, name, len(graph.nodes)))


def _whole(graph: Graph, name: str, episodes: int) -> Picture:
    newest = graph.nodes[::-1]
    place = {entry.id: row for row, entry in enumerate(newest)}
    arcs = [Arc(place[e.source], place[e.target], e.why) for e in graph.strongest.values()]
    said = _counts(graph, episodes)
    alone = episodes - len(newest)
    foot = [f"{plural(alone, 'episode')} without any mention: not drawn."] if alone else []
    about = f"{said} Newest first; an arrow leads from the episode that names another to that one."
    rows = [Row(date(entry), entry.heading) for entry in newest]
    return Picture(f"{plain(name)}: who names whom", said, rows, arcs, foot, about)


def _counts(graph: Graph, episodes: int) -> str:
    inside = f" in sections {plain(graph.section)}" if graph.section else ""
    if not graph.edges:
        return f"No mention{inside}." if inside else "No episode names another yet."
    return f"{plural(episodes, 'episode')}, {plural(len(graph.edges), 'mention')}{inside}."


def graph_map(graph: Graph, name: str, of: Labels, by: str) -> Picture:
    """The groups as rows, at most sixty; where there are more quarters than that, the years."""
    found = slices(graph, of, by)
    if by == QUARTER and len(found) > MOST:
        of, by = years(of), YEAR
        found = slices(graph, of, by)
    groups = [one for one in found if one.edges or by != TAG][:MOST]
    place = {one.label: row for row, one in enumerate(groups)}
    counted = between(graph, of, place)
    strong = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    most = strong[0][1] if strong else 1
    arcs = [Arc(place[a], place[b], MENTIONS, n / most) for (a, b), n in strong[:_ARCS]]
    said = _counts(graph, len(graph.nodes))
    about = (
        f"{said} A row is a {by}; an arrow is as thick as there are mentions from one to the other."
    )
    rows = [Row("", _group(one)) for one in groups]
    foot = _left_out(len(found) - len(groups), len(strong) - len(arcs), by)
    return Picture(f"{plain(name)}: who names whom, by {by}", said, rows, arcs, foot, about)


def _group(one: Slice) -> str:
    counts = f"{plural(len(one.entries), 'episode')}, {plural(len(one.edges), 'mention')}"
    return f"{clip(plain(one.label), 30)}: {counts}"


def _left_out(groups: int, arcs: int, by: str) -> list[str]:
    """What the map does not show, in words."""
    out = []
    if groups > 0:
        out.append(f"{plural(groups, by)} more, {'with fewer mentions' if by == TAG else 'older'}.")
    if arcs > 0:
        out.append(f"{plural(arcs, 'arrow')} for fewer mentions are not drawn.")
    return out


def ego_card(graph: Graph, name: str) -> str:
    """The graph of one episode as an SVG that stands by itself; where it has no edges it says so."""
    near = graph.neighbours(name)
    body, height = ego.drawing(graph, name, near, lambda _: "")
    width = ego.WIDTH + 32
    said = ego.summary(near) if near else "It names no episode, and none names it."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 32}" '
        f'viewBox="0 0 {width} {height + 32}" role="img" aria-labelledby="memshelf-ego-t memshelf-ego-d">\n'
        f'<title id="memshelf-ego-t">{ego.heading(graph, name)}</title>\n'
        f'<desc id="memshelf-ego-d">{said}</desc>\n'
        f"<style>svg{{color:{INK}}}\n{_style()}</style>\n"
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height + 31}" rx="10" fill="#fff" stroke="{EDGE}"/>\n'
        f'<g class="ego" transform="translate(16 16)">{body}</g>\n</svg>\n'
    )


def _style() -> str:
    """ego.css with its colours filled in, for readers of SVG that know no custom properties."""
    return re.sub(
        r"var\(--(\w+), currentColor\)", lambda found: _COLOUR[found[1]], source("ego.css")
    )
