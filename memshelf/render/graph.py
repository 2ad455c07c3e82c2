"""The graph of a shelf as JSON, in the peer's shape with the reasons beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..domain.entry import Entry
from ..domain.episode import KIND
from ..domain.graph import Edge, Graph
from .escape import json_line


def graph_json(graph: Graph) -> str:
    """Nodes, edges and what is missing, one a line, so that two versions differ line by line."""
    parts = (
        ("nodes", (json_line(node(entry)) for entry in graph.nodes)),
        ("edges", map(_edge, graph.edges)),
        ("missing", map(_edge, graph.missing)),
    )
    return "{\n" + ",\n".join(_list(name, rows) for name, rows in parts) + "\n}\n"


def _list(name: str, rows: Iterable[str]) -> str:
    lines = ",\n    ".join(rows)
    return f'  "{name}": [\n    {lines}\n  ]' if lines else f'  "{name}": []'


def _edge(edge: Edge) -> str:
    source, target, section, why = map(json_line, edge)
    return f'{{"source": {source}, "target": {target}, "section": {section}, "why": {why}}}'


def node(entry: Entry) -> dict[str, Any]:
    """An episode with the peer's keys."""
    return {
        "id": entry.id,
        "kind": entry.kind or KIND.get(entry.category, entry.category),
        "date": entry.ledger_date,
        "title": entry.heading,
        "description": entry.description,
        "tags": list(entry.tags),
        "archived": entry.archived,
        "relative_path": entry.path,
    }
