"""All list pages of a site, each with the place where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..domain.graph import Graph
from ..domain.shelf import Shelf
from ..domain.tags import Unders
from ..domain.threads import decisions, threads
from .report import Report
from .site_catalogue import dates_pages, kinds_pages
from .site_decisions import decisions_pages
from .site_graph import graph_page
from .site_places import GRAPH, PROBLEMS, QUARTERS, TAGS, Places
from .site_problems import problems_page
from .site_quarters import quarter_reports, quarters_page
from .site_tags import tag_pages, tags_page
from .site_threads import threads_pages

Pages = Iterator[tuple[str, Report]]
"""Pages of a list that may go on: each with its path."""


def list_pages(
    shelf: Shelf,
    places: Places,
    known: Graph | None = None,
    beside: Sequence[str] = (),
    private: bool = False,
) -> Pages:
    """Every list page of a site, one after the other, so that none has to wait in memory.

    A graph that is `known` is not made again; `beside` are the files of the site that hold it as a
    picture and as data, where it has any. The page of problems is for readers of `private` sites. Numbers have a page of
    their own (`site_stats`).
    """
    graph, tags, quarters = map(places.at, (GRAPH, TAGS, QUARTERS))
    yield TAGS, tags_page(shelf, tags)
    yield QUARTERS, quarters_page(shelf, quarters)
    yield GRAPH, graph_page(shelf, graph, tuple(map(graph.page, beside)), known)
    if private:
        yield PROBLEMS, problems_page(shelf, places.at(PROBLEMS))
    yield from kinds_pages(shelf, tags)
    yield from dates_pages(shelf, tags)
    yield from quarter_reports(shelf, quarters)
    opened, made = threads(shelf), decisions(shelf)
    yield from threads_pages(shelf, tags, opened)
    yield from decisions_pages(shelf, tags, made)
    yield from tag_pages(shelf, tags, Unders(shelf, (opened, made)))
