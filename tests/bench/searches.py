"""Search: the command with and without an index, the server, the index itself, and other ways."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

from . import follow, others, words
from .client import Client
from .clock import Took, in_turn, process
from .group import OURS, PEER, Bench, Group, Runs, on_shelf
from .servers import START, Call, served
from .shelves import Shelf
from .world import ROOT, Tool

ASKED = {
    "rare word": words.RARE,
    "common word": words.COMMON,
    "three words": "replica checksum tombstone",
    "a question": "Why was the snapshot of the replica rejected after the migration?",
}
"""What is asked, by the name that its rows have."""
NO_INDEX = "no index"


def labelled(name: str) -> str:
    """The row of a question, asked by the command line."""
    return f"search, {name}"


QUESTIONS = {labelled(name): text for name, text in ASKED.items()}
CHANGED = "search, one episode changed"
BUILT_FIRST = "search index, first, no cache"
BUILT_FIRST_ONE = "search index, first, no cache, one processor"
BUILT = "search index, made anew, one processor"
FOLLOWED = "search index, one episode changed"
PAUSED = "MCP, search, after a pause"
MCP_CHANGED = "MCP, search, one episode changed"
TWENTY = "MCP, 20 searches, from start to end"


def _turns(bench: Bench) -> int:
    return 2 if bench.huge else bench.runs


def indexed(bench: Bench) -> None:
    """Have the index describe the shelf as it is now."""
    bench.job(bench.world.ours, on_shelf("cache", "rebuild", "--missing"))()


# --- the command line ------------------------------------------------------------------------


def _question(label: str, text: str) -> Group:
    """A question with an index and without, to the peer, and in the other ways: all in turn."""
    bare = f"{label}, {NO_INDEX}"

    def measure(bench: Bench) -> dict[str, Runs]:
        indexed(bench)
        run = on_shelf("search", "--query", text)
        peer = bench.peer(run)
        beside = others.jobs(bench, text)
        every = {
            OURS: bench.job(bench.world.ours, run),
            NO_INDEX: bench.job(bench.world.ours, run, cold=True),
            **({PEER: peer} if peer else {}),
            **beside,
        }
        found = in_turn(every, _turns(bench))
        theirs = {PEER: found[PEER]} if peer else {}
        rest = {side: found[side] for side in beside}
        return {
            label: {OURS: found[OURS], **theirs, **rest},
            bare: {OURS: found[NO_INDEX], **theirs},
        }

    return Group((label, bare), measure)


def hits(bench: Bench, label: str) -> dict[str, int]:
    """How many episodes each way finds for the question of a row."""
    text = QUESTIONS[label]
    ours = said(bench, bench.world.ours, "search", "--query", text)
    found = {OURS: json.loads(ours)["total"]}
    if bench.world.peer:
        theirs = said(bench, bench.world.peer, "search", "--query", text, "--max-results", "999999")
        found[PEER] = sum(line.startswith(("docs/", "archive/")) for line in theirs.splitlines())
    return found | others.hits(bench, text)


def said(bench: Bench, tool: Tool, *given: str) -> str:
    """What a command of a tool prints; ours speaks JSON."""
    output = {"MEMSHELF_OUTPUT": "json"} if tool == bench.world.ours else {}
    command = [*tool.cli, *on_shelf(*given)(bench.shelves[tool.name])]
    environ = bench.world.environ(tool) | output
    done = subprocess.run(command, env=environ, capture_output=True, check=True)
    return done.stdout.decode("utf-8")


# --- an episode that changes -----------------------------------------------------------------


def _changed(bench: Bench) -> dict[str, Runs]:
    indexed(bench)
    run = on_shelf("search", "--query", words.RARE)
    job = bench.job(bench.world.ours, run, prepare=_plant)
    peer = bench.peer(run, prepare=_plant)
    every = {OURS: job, **({PEER: peer} if peer else {})}
    return {CHANGED: in_turn(every, _turns(bench))}


def _plant(shelf: Shelf) -> None:
    follow.planted(shelf.root / shelf.episode)


# --- the index -------------------------------------------------------------------------------

_BUILD = """
import sys, memshelf
from memshelf.engine import following
store = memshelf.open_shelf(sys.argv[1])
following.engine(store).build(store, anew=True)
"""
"""What `cache rebuild` does, by one processor: a program of ours takes all that there are."""


def _build(bench: Bench) -> dict[str, Runs]:
    ours = bench.world.ours
    command = [ours.python, "-c", _BUILD, str(bench.ours.root)]

    def first() -> Took:
        with bench.world.fresh_cache() as folder:
            return process(command, bench.world.environ(ours, folder))

    every = {
        BUILT_FIRST: bench.job(ours, on_shelf("cache", "rebuild"), cold=True),
        BUILT_FIRST_ONE: first,
        BUILT: lambda: process(command, bench.world.environ(ours)),
    }
    found = in_turn(every, min(_turns(bench), 5))
    return {label: {OURS: runs} for label, runs in found.items()}


def index_bytes(bench: Bench) -> int:
    """The bytes of the index just made."""
    bench.job(bench.world.ours, on_shelf("cache", "rebuild"))()
    status: dict[str, Any] = json.loads(said(bench, bench.world.ours, "cache", "status"))
    return int(status["index_bytes"])


def _followed(bench: Bench) -> dict[str, Runs]:
    """A process that has the index open takes one changed episode in, and is asked for it."""
    indexed(bench)
    shelf, ours = bench.ours, bench.world.ours
    command = [ours.python, "-m", follow.__name__, str(shelf.root), shelf.episode, str(bench.runs)]
    environ = bench.world.environ(ours)
    done = subprocess.run(command, cwd=ROOT, env=environ, check=True, stdout=subprocess.PIPE)
    return {FOLLOWED: {OURS: [Took(*json.loads(line)) for line in done.stdout.splitlines()]}}


# --- the server ------------------------------------------------------------------------------


def _asking(text: str) -> Callable[[Shelf], dict[str, object]]:
    return lambda shelf: {"query": text}


def _planting(shelf: Shelf) -> dict[str, object]:
    return {"query": follow.planted(shelf.root / shelf.episode)}


_WARM = tuple(
    Call(f"MCP, {labelled(name)}", "memshelf_search", _asking(text)) for name, text in ASKED.items()
)
WARM = tuple(call.label for call in _WARM)
_PAUSES = (
    Call(PAUSED, "memshelf_search", _asking(ASKED["a question"]), pause=True, times=2),
    Call(MCP_CHANGED, "memshelf_search", _planting, pause=True, times=2, holds=lambda s: s.id),
)
"""A second after the last look at the files the next one falls into a call."""


def _served(bench: Bench) -> dict[str, Runs]:
    indexed(bench)
    rows = served(bench.world, _tools(bench), _turns(bench), (*_WARM, *_PAUSES))
    return {label: sides for label, sides in rows.items() if label != START}


def _tools(bench: Bench) -> dict[Tool, Shelf]:
    """The servers that are asked: the peer's only where it does not take minutes."""
    known = {OURS: bench.world.ours} if bench.huge else bench.tools
    return {tool: bench.shelves[tool.name] for tool in known.values()}


def _twenty(bench: Bench) -> dict[str, Runs]:
    indexed(bench)

    def job(tool: Tool, shelf: Shelf) -> Callable[[], Took]:
        environ = bench.world.environ(tool) | {"MEMSHELF_SHELF_PATH": str(shelf.root)}

        def once() -> Took:
            with Client(tool.server, environ) as client:
                for text in [*ASKED.values()] * 5:
                    client.call("memshelf_search", {"query": text, "shelf_path": str(shelf.root)})
            return client.took

        return once

    sides = {bench.world.ours: OURS, bench.world.peer: PEER}
    every = {sides[tool]: job(tool, shelf) for tool, shelf in _tools(bench).items()}
    return {TWENTY: in_turn(every, min(_turns(bench), 3))}


GROUPS = (
    *(_question(label, text) for label, text in QUESTIONS.items()),
    Group((CHANGED,), _changed),
    Group((BUILT_FIRST, BUILT_FIRST_ONE, BUILT), _build),
    Group((FOLLOWED,), _followed),
    Group((*WARM, PAUSED, MCP_CHANGED), _served),
    Group((TWENTY,), _twenty),
)
IN_PROCESS = (FOLLOWED,)
"""Rows of what happens inside a process, which has started long since."""
