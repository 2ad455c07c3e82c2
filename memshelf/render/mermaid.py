"""The graph as Mermaid, which git hosts and sites draw: one diagram, or slices within its limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.graph import CLOSES, REPLACES, Edge, Graph
from ..domain.graph_groups import MONTH, MOST, QUARTER, TAG, UNDATED, Labels, Slice, finer, slices
from ..domain.text import clip, plural, utf16_units
from . import escape

# Mermaid refuses more of either, with a picture of a bomb; neither can be raised from a diagram.
EDGES, CHARACTERS = 500, 50_000

# What a diagram may say of safety it says; the level itself only the host can set.
HEAD = '%%{init: {"htmlLabels": false, "flowchart": {"htmlLabels": false}}}%%\ngraph LR\n'
_ID, _SECTION = 80, 40


class Limit(NamedTuple):
    """How many edges and UTF-16 units a diagram may have."""

    edges: int = EDGES
    characters: int = CHARACTERS


class Diagram(NamedTuple):
    """One diagram: its text, and how many of the edges that it was to show are not in it."""

    text: str
    edges: int
    left: int


class Drawn(NamedTuple):
    """A whole graph: `text` is a diagram, or Markdown with several where one would be too big.

    `left` counts the edges that are in none of them.
    """

    text: str
    diagrams: int
    left: int


def mermaid(graph: Graph, name: str, of: Labels, by: str, isolated: bool = False) -> Drawn:
    """The graph as one diagram in the peer's form if the limits allow it, else a diagram a group.

    Episodes that no edge touches are in it only if asked for.
    """
    pen = Pen(graph)
    extra = graph.alone if isolated else ()
    whole = pen.diagram(graph.edges, extra) if len(graph.edges) <= EDGES else None
    if whole and not whole.left and utf16_units(whole.text) <= CHARACTERS:
        return Drawn(whole.text, 1, 0)
    return _sliced(pen, name, slices(graph, of, by), by, isolated)


class Pen:
    """Draws diagrams of one graph; an episode has the same synthetic id in all of them."""

    def __init__(self, graph: Graph) -> None:
        self._place, self._entries = graph.place, graph.nodes
        self._nodes: dict[str, str] = {}
        self._reasons: dict[str, str] = {}

    def diagram(
        self, edges: Sequence[Edge], extra: Iterable[Entry] = (), limit: Limit | None = None
    ) -> Diagram:
        """As many of the edges, from the first on, as the limit allows; then episodes without any."""
        limit = limit or Limit()
        shown: list[Edge] = []
        nodes: set[str] = set()
        room = limit.characters - len(HEAD)
        for edge in edges[: limit.edges]:
            room -= self._cost(edge, nodes)
            if room < 0:
                break
            nodes.update(edge[:2])
            shown.append(edge)
        for entry in extra:
            room -= utf16_units(self._node(entry.id)) if entry.id not in nodes else 0
            if room < 0:
                break
            nodes.add(entry.id)
        lines = map(self._node, sorted(nodes, key=self._place.__getitem__))
        text = HEAD + "".join(lines) + "".join(map(self._edge, sorted(shown)))
        return Diagram(text, len(shown), len(edges) - len(shown))

    def _cost(self, edge: Edge, nodes: set[str]) -> int:
        new = [name for name in edge[:2] if name not in nodes]
        return utf16_units(self._edge(edge) + "".join(map(self._node, new)))

    def _node(self, name: str) -> str:
        if name not in self._nodes:
            place = self._place[name]
            left, right = ('("', '")') if self._entries[place].archived else ('["', '"]')
            self._nodes[name] = f"    n{place}{left}{_label(name, _ID)}{right}\n"
        return self._nodes[name]

    def _edge(self, edge: Edge) -> str:
        said = reason(edge)
        if said not in self._reasons:
            self._reasons[said] = _label(said, _SECTION)
        source, target = self._place[edge.source], self._place[edge.target]
        return f'    n{source} -- "{self._reasons[said]}" --> n{target}\n'


def _label(text: str, limit: int) -> str:
    return escape.mermaid(clip(escape.plain(text), limit)) or "-"


def reason(edge: Edge) -> str:
    """What is written at an edge: the section, or why where it stands in the front matter."""
    if edge.section:
        return edge.section
    return edge.why if edge.why in (REPLACES, CLOSES) else "body"


def _sliced(pen: Pen, name: str, found: list[Slice], by: str, isolated: bool) -> Drawn:
    worth = [one for one in found if one.edges or (isolated and one.entries)]
    made = [part for one in worth for part in _drawn(pen, one, by, isolated)]
    left = left_out(found, made[:MOST])
    head = _head(name, len({edge for one in found for edge in one.edges}), left, by)
    more = _more(len(made) - MOST, by)
    text = "\n".join((*head, *(line for pair in made[:MOST] for line in slice_lines(*pair)), *more))
    return Drawn(text, len(made[:MOST]), left)


def left_out(found: Iterable[Slice], made: Iterable[tuple[Slice, Diagram]]) -> int:
    """How many edges of some slices are in no diagram; one that is in several counts once."""
    every = {edge for one in found for edge in one.edges}
    return len(every - {edge for one, diagram in made for edge in one.edges[: diagram.edges]})


def _drawn(pen: Pen, one: Slice, by: str, isolated: bool) -> list[tuple[Slice, Diagram]]:
    """A group in one diagram; a quarter that is too big for it in one for each month."""
    diagram = pen.diagram(one.edges, one.entries if isolated else ())
    if not diagram.left or by != QUARTER or one.label == UNDATED:
        return [(one, diagram)]
    return [pair for part in finer(one) for pair in _drawn(pen, part, MONTH, isolated)]


def _head(name: str, edges: int, left: int, by: str) -> Iterator[str]:
    yield from (f"# {escape.markdown(clip(escape.plain(name), 100))}: who names whom", "")
    yield (
        f"{plural(edges, 'mention')} are more than one diagram takes ({EDGES} edges and "
        f"{CHARACTERS:,} characters), so there is one for each {by}: what its episodes name."
    )
    if left:
        yield (
            f"{plural(left, 'mention')} {'is' if left == 1 else 'are'} in no diagram; "
            "`memshelf graph --format json` has them all."
        )
    yield ""


def slice_lines(one: Slice, diagram: Diagram, level: str = "##") -> Iterator[str]:
    """A slice in Markdown: its heading, its diagram, and what was left out in words."""
    yield from (f"{level} {escape.markdown(clip(escape.plain(one.label), 60))}", "")
    yield from ("```mermaid", diagram.text.rstrip("\n"), "```", "")
    if diagram.left:
        weakest = one.edges[diagram.edges].why
        yield (
            f"{diagram.edges:,} of {plural(len(one.edges), 'mention')}, the strongest reasons and the "
            f"newest first; {diagram.left:,} more are left out, from *{weakest}* on."
        )
        yield ""


def _more(count: int, by: str) -> Iterator[str]:
    if count > 0:
        few = "those with the fewest mentions" if by == TAG else "the oldest"
        yield from (f"{plural(count, 'diagram')} more, {few}, left out here.", "")
