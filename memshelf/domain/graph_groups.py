"""The episodes of a graph by quarter, month or tag: what is drawn where one picture of all fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from .dates import quarter
from .entry import Entry
from .graph import RANK, Edge, Graph
from .tags import keyed

YEAR, QUARTER, MONTH, TAG = "year", "quarter", "month", "tag"
MOST = 60
"""More groups than this no picture shows."""

UNDATED, UNTAGGED = "without a date", "without a tag"
Labels = Callable[[Entry], tuple[str, ...]]
"""The groups that an episode is in."""


class Slice(NamedTuple):
    """One group: its label, its episodes, and the edges from them, the strongest and newest first."""

    label: str
    entries: tuple[Entry, ...]
    edges: tuple[Edge, ...]


def labels(by: str, fiscal_year_start: int = 1, names: Mapping[str, str] | None = None) -> Labels:
    """The groups of an episode: its quarter, fiscal where the year begins in another month, its
    month, or each of its tags, spellings of one together under its name of `names`."""
    if by == TAG:
        return lambda entry: _tags(entry, names or {}) or (UNTAGGED,)
    if by == MONTH:
        return lambda entry: (entry.ledger_date[:7] if entry.day else UNDATED,)
    return lambda entry: (quarter(entry.day, fiscal_year_start) if entry.day else UNDATED,)


def _tags(entry: Entry, names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names.get(key, spelling) for key, spelling in keyed(entry).items())


def years(quarters: Labels) -> Labels:
    """The year of an episode, for a shelf that has more quarters than a picture takes."""
    return lambda entry: tuple(label.partition("Q")[0] for label in quarters(entry))


def finer(one: Slice) -> list[Slice]:
    """A quarter month by month, newest first."""
    of = labels(MONTH)
    parts = Graph(one.entries, tuple(sorted(one.edges)), ())
    return slices(parts, of, MONTH)


def slices(graph: Graph, of: Labels, by: str) -> list[Slice]:
    """The graph group by group: times newest first, tags by their mentions.

    An edge is in the group of the episode that names, the later one nearly always; with several
    tags it is in several.
    """
    where = {entry.id: of(entry) for entry in graph.nodes}
    entries: dict[str, list[Entry]] = {}
    edges: dict[str, list[Edge]] = {}
    for entry in graph.nodes:
        for label in where[entry.id]:
            entries.setdefault(label, []).append(entry)
    for edge in graph.edges:
        for label in where[edge.source]:
            edges.setdefault(label, []).append(edge)
    made = [
        Slice(label, tuple(found), _strongest_first(edges.get(label, ())))
        for label, found in entries.items()
    ]
    if by == TAG:
        return sorted(made, key=lambda s: (-len(s.edges), -len(s.entries), s.label))
    return sorted(made, key=lambda s: (s.label != UNDATED, s.label), reverse=True)


def between(graph: Graph, of: Labels, among: Iterable[str]) -> dict[tuple[str, str], int]:
    """How many edges lead from one group to another, of the groups asked for."""
    wanted = set(among)
    where = {e.id: [label for label in of(e) if label in wanted] for e in graph.nodes}
    count: Counter[tuple[str, str]] = Counter()
    for edge in graph.edges:
        for source in where[edge.source]:
            for target in where[edge.target]:
                if source != target:
                    count[source, target] += 1
    return dict(count)


def _strongest_first(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    newest = sorted(edges, reverse=True)
    return tuple(sorted(newest, key=lambda edge: RANK[edge.why]))
