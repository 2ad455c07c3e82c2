"""Who names whom, and why: the graph of a shelf's episodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from .dates import DATED_ID
from .entry import Entry, Names
from .shelf import Shelf
from .text import fold

REPLACES, CLOSES, DECIDED, MENTIONS = "replaces", "closes", "decided in", "mentions"
STRONGEST = (REPLACES, CLOSES, DECIDED, MENTIONS)
"""Reasons for an edge, the strongest first."""

RANK = {why: place for place, why in enumerate(STRONGEST)}


class Edge(NamedTuple):
    """One episode names another: in which section ("" above the first heading and in the front
    matter), and why."""

    source: str
    target: str
    section: str
    why: str


class Neighbour(NamedTuple):
    """An episode one step away: the strongest edge to it, and whether each names the other."""

    id: str
    edge: Edge
    mutual: bool

    @property
    def outgoing(self) -> bool:
        """True where the strongest edge leads to the neighbour, not from it."""
        return self.edge.target == self.id


@dataclass(frozen=True)
class Graph:
    """The episodes as nodes, oldest first, and who names whom, sorted and each edge once.

    `missing` are edges to what is not on the shelf; `section` is the name of the only sections that
    were asked for, "" for all.
    """

    nodes: tuple[Entry, ...]
    edges: tuple[Edge, ...]
    missing: tuple[Edge, ...]
    section: str = ""

    @classmethod
    def of(cls, shelf: Shelf, edges: Iterable[Edge], missing: Iterable[Edge] = ()) -> Graph:
        """The graph of a shelf's episodes with these edges; of two with one id one is a node."""
        nodes = tuple(entry for entry in shelf.entries if shelf.by_id[entry.id] is entry)
        return cls(nodes, tuple(edges), tuple(missing))

    @cached_property
    def place(self) -> dict[str, int]:
        """How many nodes are older than each."""
        return {entry.id: place for place, entry in enumerate(self.nodes)}

    @cached_property
    def by_id(self) -> dict[str, Entry]:
        """The nodes by their ids."""
        return {entry.id: entry for entry in self.nodes}

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

    @cached_property
    def strongest(self) -> dict[tuple[str, str], Edge]:
        """Of all edges from one episode to another the one with the strongest reason."""
        out: dict[tuple[str, str], Edge] = {}
        for edge in self.edges:
            known = out.get(edge[:2])
            if known is None or RANK[edge.why] < RANK[known.why]:
                out[edge[:2]] = edge
        return out

    @cached_property
    def linked(self) -> tuple[Entry, ...]:
        """The episodes that name one or are named, oldest first."""
        return tuple(e for e in self.nodes if e.id in self.outgoing or e.id in self.incoming)

    @property
    def alone(self) -> tuple[Entry, ...]:
        """The episodes that name none and are not named, oldest first."""
        there = {entry.id for entry in self.linked}
        return tuple(entry for entry in self.nodes if entry.id not in there)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The ids that hang together, by whatever way, of two and more; the largest group first."""
        head: dict[str, str] = {}
        for source, target in self.strongest:
            first, second = sorted((_head(head, source), _head(head, target)))
            head[second] = first
        found: dict[str, list[str]] = {}
        for entry in self.linked:
            found.setdefault(_head(head, entry.id), []).append(entry.id)
        return tuple(tuple(ids) for ids in sorted(found.values(), key=lambda g: (-len(g), g)))

    def neighbours(self, name: str) -> tuple[Neighbour, ...]:
        """Who is one step away from an episode: the strongest reason first, then the newest."""
        out = {edge.target: edge for edge in self._strong(self.outgoing.get(name, ()))}
        back = {edge.source: edge for edge in self._strong(self.incoming.get(name, ()))}
        found = [Neighbour(other, edge, other in back) for other, edge in out.items()]
        found += [Neighbour(other, edge, False) for other, edge in back.items() if other not in out]
        if not out.keys().isdisjoint(back):
            found = [near._replace(edge=_stronger(near.edge, back.get(near.id))) for near in found]
        if len(found) > 1:
            place = self.place
            found.sort(key=lambda near: (RANK[near.edge.why], -place[near.id]))
        return tuple(found)

    def _strong(self, edges: Iterable[Edge]) -> Iterator[Edge]:
        return (edge for edge in edges if self.strongest[edge[:2]] is edge)

    def within(self, section: str) -> Graph:
        """The same episodes, with only what is named in sections of a name, in any case."""
        wanted = fold(section.strip())
        edges, missing = (
            tuple(e for e in some if fold(e.section) == wanted) for some in self._both
        )
        return Graph(self.nodes, edges, missing, section.strip())

    @property
    def _both(self) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
        return self.edges, self.missing

    def around(self, name: str) -> Graph:
        """One episode with its neighbours, and the edges from and to it."""
        edges = tuple(e for e in self.edges if name in e[:2])
        near = {name, *(e.source for e in edges), *(e.target for e in edges)}
        nodes = tuple(entry for entry in self.nodes if entry.id in near)
        missing = tuple(e for e in self.missing if e.source == name)
        return Graph(nodes, edges, missing, self.section)


def graph(shelf: Shelf, names: Callable[[Entry], Names] | None = None) -> Graph:
    """The graph of a shelf: ids and links in bodies, `supersedes` and `closes` in front matter.

    A file's stem counts as its id. What an episode says of itself is no edge, nor is a link to a
    file that is no episode. `names` gives what bodies name, where that is known more cheaply than
    from an entry's facts. Cost is linear in the number of mentions.
    """
    ids = {entry.stem: entry.id for entry in reversed(shelf.entries)}
    ids |= {name: name for name in shelf.by_id}
    edges: set[Edge] = set()
    missing: set[Edge] = set()
    for entry in shelf.entries:
        for edge in _named(entry, names(entry) if names else None):
            source, target = ids.get(edge.source), ids.get(edge.target)
            if target is None:
                missing.add(edge)
            elif source is not None and source != target:
                edges.add(edge._replace(source=source, target=target))
    return Graph.of(shelf, sorted(edges), sorted(e for e in missing if _broken(e)))


def chains(shelf: Shelf) -> tuple[tuple[str, ...], ...]:
    """What replaced what, each chain from the newest id to the oldest, newest chain first.

    An episode that replaces several begins, or goes on in, a chain for each; every pair of new and
    old stands in one chain. Ids that are not on the shelf are in them too.
    """
    olds: dict[str, list[str]] = {}
    for old, later in sorted(shelf.superseded.items(), reverse=True):
        for new in later:
            olds.setdefault(new, []).append(old)
    heads = [new for new in sorted(olds, reverse=True) if new not in shelf.superseded]
    out: list[tuple[str, ...]] = []
    for start in (*heads, *sorted(olds, reverse=True)):  # the second time round: circles
        waiting = [start]
        while waiting:
            new = waiting.pop()
            while olds.get(new):
                chain = [new]
                while olds.get(chain[-1]):
                    chain.append(olds[chain[-1]].pop(0))
                waiting += chain[1:]
                out.append(tuple(chain))
    return tuple(out)


def _named(entry: Entry, names: Names | None) -> Iterator[Edge]:
    mentions = entry.mentions if names is None else names.mentions
    closes = entry.closes if names is None else (*entry.closes_field, *names.closing)
    for address in entry.supersedes:
        yield Edge(entry.id, address.partition("/")[0], "", REPLACES)
    for new in entry.superseded_by:
        yield Edge(new, entry.id, "", REPLACES)
    for address in closes:
        yield Edge(entry.id, address.partition("/")[0], "", CLOSES)
    for target, section in mentions:
        why = DECIDED if fold(section) == "decisions" else MENTIONS
        yield Edge(entry.id, target, section, why)


def _broken(edge: Edge) -> bool:
    """A link to README.md is no broken mention: only what looks like an id is one."""
    return bool(edge.why in (REPLACES, CLOSES) or DATED_ID.match(edge.target))


def _stronger(edge: Edge, other: Edge | None) -> Edge:
    return other if other and RANK[other.why] < RANK[edge.why] else edge


def _head(head: dict[str, str], name: str) -> str:
    """The first id of the group that a name is in so far; the way there is made short."""
    while (above := head.get(name, name)) != name:
        head[name] = head.get(above, above)
        name = above
    return name


def _grouped(pairs: Iterator[tuple[str, Edge]]) -> dict[str, tuple[Edge, ...]]:
    out: dict[str, list[Edge]] = {}
    for name, edge in pairs:
        out.setdefault(name, []).append(edge)
    return {name: tuple(found) for name, found in out.items()}
