"""The servers of both tools, timed from the client's side."""

from __future__ import annotations

import time
from collections.abc import Mapping

from . import words
from .client import Client
from .clock import Failed, Took
from .shelves import Shelf
from .world import Tool, World

CALLS = 5
"""Calls of a kind that count in each start, after a first one that does not."""


def served(
    world: World, tools: Mapping[Tool, Shelf], runs: int
) -> dict[str, dict[str, list[Took]]]:
    """Rows by label: for each tool the runs, the servers started in turn."""
    found: dict[str, dict[str, list[Took]]] = {}
    for counted in [False, *[True] * runs]:
        for tool, shelf in tools.items():
            side = "ours" if tool == world.ours else "peer"
            for label, took in _session(world, tool, shelf):
                if counted:
                    found.setdefault(label, {}).setdefault(side, []).append(took)
    return found


def _session(world: World, tool: Tool, shelf: Shelf) -> list[tuple[str, Took]]:
    """One server: from its start to its list of tools, then calls of each kind."""
    rows = []
    # A state folder of its own: what is recalled here is not folded into the shelf by a rebuild.
    environ = world.environ(tool, state="state-mcp") | {"MEMSHELF_SHELF_PATH": str(shelf.root)}
    with Client(tool.server, environ) as client:
        if "memshelf_recall" not in client.tools():
            raise Failed(f"{tool.name} offers no recall")
        rows.append(("MCP, start to tools/list", Took(time.perf_counter() - client.begun)))
        for label, name, arguments in _calls(shelf):
            client.call(name, arguments)
            for _ in range(CALLS):
                begun = time.perf_counter()
                client.call(name, arguments)
                rows.append((label, Took(time.perf_counter() - begun)))
    return rows


def _calls(shelf: Shelf) -> list[tuple[str, str, dict[str, object]]]:
    place = {"shelf_path": str(shelf.root)}
    recall = {"episode_id": shelf.id, "log": False, **place}
    return [
        ("MCP, recall", "memshelf_recall", recall),
        ("MCP, search, rare word", "memshelf_search", {"query": words.RARE, **place}),
        ("MCP, search, common word", "memshelf_search", {"query": words.COMMON, **place}),
    ]
