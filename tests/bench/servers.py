"""The servers of both tools, timed from the client's side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .client import Client
from .clock import Failed, Took
from .shelves import Shelf
from .world import Tool, World

START = "MCP, start to tools/list"
CALLS = 5
"""Calls of a kind that count in each start, after a first one that does not; after a pause all do."""
_PAUSE = 1.1


class Call(NamedTuple):
    """A kind of call: its row, its tool, and its arguments, which may change the shelf first.

    With a `pause` memshelf is left alone for more than a second before each, so that it has to look
    at all files again; the peer looks in every call. `holds` is what an answer must hold.
    """

    label: str
    tool: str
    arguments: Callable[[Shelf], dict[str, object]]
    pause: bool = False
    times: int = CALLS
    holds: Callable[[Shelf], str] = lambda shelf: ""


RECALL = Call(
    "MCP, recall", "memshelf_recall", lambda shelf: {"episode_id": shelf.id, "log": False}
)


def served(
    world: World, tools: Mapping[Tool, Shelf], runs: int, calls: Sequence[Call]
) -> dict[str, dict[str, list[Took]]]:
    """Rows by label: for each tool the runs, the servers started in turn. START is one of them."""
    found: dict[str, dict[str, list[Took]]] = {}
    for counted in [False, *[True] * runs]:
        for tool, shelf in tools.items():
            side = "ours" if tool == world.ours else "peer"
            for label, took in _session(world, tool, shelf, calls):
                if counted:
                    found.setdefault(label, {}).setdefault(side, []).append(took)
    return found


def _session(
    world: World, tool: Tool, shelf: Shelf, calls: Sequence[Call]
) -> list[tuple[str, Took]]:
    """One server: from its start to its list of tools, then calls of each kind."""
    rows = []
    # A state folder of its own: what is recalled here is not folded into the shelf by a rebuild.
    environ = world.environ(tool, state="state-mcp") | {"MEMSHELF_SHELF_PATH": str(shelf.root)}
    with Client(tool.server, environ) as client:
        if "memshelf_recall" not in client.tools():
            raise Failed(f"{tool.name} offers no recall")
        rows.append((START, Took(time.perf_counter() - client.begun)))
        for call in calls:
            took = _called(client, call, shelf, call.pause and tool == world.ours)
            if not call.pause:
                next(took)
            rows += [(call.label, next(took)) for _ in range(call.times)]
    return rows


def _called(client: Client, call: Call, shelf: Shelf, pause: bool) -> Iterator[Took]:
    place = {"shelf_path": str(shelf.root)}
    while True:
        given = call.arguments(shelf) | place
        if pause:
            time.sleep(_PAUSE)
        begun = time.perf_counter()
        answer = client.call(call.tool, given)
        took = Took(time.perf_counter() - begun)
        if call.holds(shelf) not in answer:
            raise Failed(f"{call.label}: the answer does not hold {call.holds(shelf)}")
        yield took
