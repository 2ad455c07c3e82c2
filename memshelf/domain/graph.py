"""Who names whom, and why: the graph of a shelf's episodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from .entry import Entry
from .shelf import Shelf
from .text import fold

REPLACES, CLOSES, DECIDED, MENTIONS = "replaces", "closes", "decided in", "mentions"
STRONGEST = (REPLACES, CLOSES, DECIDED, MENTIONS)
"""Reasons for an edge, the strongest first."""


class Edge(NamedTuple):
    """One episode names another: in which section ("" above the first heading and in the front
    matter), and why."""

    source: str
    target: str
    section: str
    why: str


@dataclass(frozen=True)
class Graph:
    """The episodes as nodes, oldest first, and who names whom, sorted and each edge once.

    `missing` are edges to what is not on the shelf.
    """

    nodes: tuple[Entry, ...]
    edges: tuple[Edge, ...]
    missing: tuple[Edge, ...]

    @cached_property
    def outgoing(self) -> dict[str, tuple[Edge, ...]]:
        """The edges of each source."""
        return _grouped((edge.source, edge) for edge in self.edges)

    @cached_property
    def incoming(self) -> dict[str, tuple[Edge, ...]]:
        """The edges of each target."""
        return _grouped((edge.target, edge) for edge in self.edges)

    @cached_property
    def mentioned(self) -> dict[str, int]:
        """How many other episodes name each one that is named at all."""
        return {name: len({e.source for e in edges}) for name, edges in self.incoming.items()}


def graph(shelf: Shelf) -> Graph:
    """The graph of a shelf: ids and links in bodies, `supersedes` and `closes` in front matter.

    A file's stem counts as its id. What an episode says of itself is no edge. Cost is linear in
    the number of mentions.
    """
    ids = {entry.stem: entry.id for entry in reversed(shelf.entries)}
    ids |= {name: name for name in shelf.by_id}
    edges: set[Edge] = set()
    missing: set[Edge] = set()
    for entry in shelf.entries:
        for edge in _named(entry):
            known = ids.get(edge.target)
            if known is None:
                missing.add(edge)
            elif known != entry.id:
                edges.add(edge._replace(target=known))
    nodes = tuple(entry for entry in shelf.entries if shelf.by_id[entry.id] is entry)
    return Graph(nodes, tuple(sorted(edges)), tuple(sorted(missing)))


def _named(entry: Entry) -> Iterator[Edge]:
    for why, named in ((REPLACES, entry.supersedes), (CLOSES, entry.closes)):
        for address in named:
            yield Edge(entry.id, address.partition("/")[0], "", why)
    for target, section in entry.mentions:
        why = DECIDED if fold(section) == "decisions" else MENTIONS
        yield Edge(entry.id, target, section, why)


def _grouped(pairs: Iterator[tuple[str, Edge]]) -> dict[str, tuple[Edge, ...]]:
    out: dict[str, list[Edge]] = {}
    for name, edge in pairs:
        out.setdefault(name, []).append(edge)
    return {name: tuple(found) for name, found in out.items()}
