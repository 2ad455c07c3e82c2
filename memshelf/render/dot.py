"""The graph in Graphviz's language, for those who lay it out themselves."""

from __future__ import annotations

from collections.abc import Iterator

from ..domain.entry import Entry
from ..domain.graph import CLOSES, DECIDED, MENTIONS, REPLACES, Edge, Graph
from ..domain.text import clip
from .escape import dot, plain
from .mermaid import reason

_STYLE = {REPLACES: "bold", CLOSES: "dashed", DECIDED: "solid", MENTIONS: "dotted"}


def graph_dot(graph: Graph, name: str, isolated: bool = False) -> str:
    """A directed graph; episodes that no edge touches are in it only if asked for.

    Node ids are synthetic, labels are episode ids; the title stands in the tooltip.
    """
    return "\n".join(_lines(graph, name, isolated)) + "\n"


def _lines(graph: Graph, name: str, isolated: bool) -> Iterator[str]:
    place = {entry.id: f"n{number}" for number, entry in enumerate(graph.nodes)}
    yield f'digraph "{dot(name)}" {{'
    yield "  rankdir=LR;"
    yield '  node [shape=box, fontname="Helvetica,Arial,sans-serif"];'
    yield '  edge [fontname="Helvetica,Arial,sans-serif", fontsize=10];'
    for entry in graph.nodes if isolated else graph.linked:
        yield f"  {place[entry.id]} [{_node(entry)}];"
    for edge in graph.edges:
        yield f"  {place[edge.source]} -> {place[edge.target]} [{_edge(edge)}];"
    yield "}"


def _node(entry: Entry) -> str:
    style = ", style=rounded" if entry.archived else ""
    return f'label="{dot(entry.id)}", tooltip="{dot(entry.heading)}"{style}'


def _edge(edge: Edge) -> str:
    return f'label="{dot(clip(plain(reason(edge)), 40))}", style={_STYLE[edge.why]}'
