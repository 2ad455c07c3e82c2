"""The graph in the form asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:  # an answer that is remembered needs none of these
    from ..domain.graph import Graph
    from ..domain.graph_groups import Labels
    from ..domain.shelf import Shelf
    from .mermaid import Drawn

Format = Literal["json", "mermaid", "dot", "svg", "text", "markdown"]


class Form(NamedTuple):
    """What to make of a graph: its format, how to split what is too big, whether episodes that no
    edge touches are drawn, and the one episode that it is about."""

    format: Format = "json"
    by: str = "quarter"
    isolated: bool = False
    ego: str = ""


def drawn(graph: Graph, shelf: Shelf, form: Form) -> Drawn:
    """The text, how many diagrams are in it, and how many edges are in none of them."""
    from ..domain.graph import chains
    from .mermaid import Drawn, mermaid

    near = graph.around(form.ego) if form.ego else graph
    of = _groups(shelf, form)
    if form.format == "mermaid":
        return mermaid(near, shelf.name, of, form.by, form.isolated)
    if form.format == "markdown" and not form.ego:
        from .graph_text import graph_page

        return graph_page(graph, shelf.name, shelf.as_of, chains(shelf), of, form.by)
    if form.format in ("dot", "svg"):
        return Drawn(_picture(graph, near, shelf, form), 1, 0)
    return Drawn(_words(graph, near, shelf, form), 0, 0)


def _picture(graph: Graph, near: Graph, shelf: Shelf, form: Form) -> str:
    if form.format == "dot":
        from .dot import graph_dot

        return graph_dot(near, shelf.name, form.isolated)
    from .graph_svg import ego_card, graph_svg

    if form.ego:
        return ego_card(graph, form.ego)
    return graph_svg(near, shelf.name, _groups(shelf, form), form.by, form.isolated)


def _groups(shelf: Shelf, form: Form) -> Labels:
    from ..domain.graph_groups import TAG, labels
    from ..domain.tags import names

    start = shelf.config.fiscal_year_start
    return labels(form.by, start, names(shelf) if form.by == TAG else None)


def _words(graph: Graph, near: Graph, shelf: Shelf, form: Form) -> str:
    if form.format == "json":
        from .graph import graph_json

        return graph_json(near)
    from ..domain.graph import chains
    from .graph_text import ego_words, graph_text

    if form.ego:
        return ego_words(graph, form.ego)
    return graph_text(graph, shelf.name, shelf.as_of, chains(shelf))
