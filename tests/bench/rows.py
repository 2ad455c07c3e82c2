"""What is measured: rows in groups, in which one run of the peer stands against each of ours."""

from __future__ import annotations

import itertools
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from . import words
from .clock import Job, Took, in_turn, process, stopwatch
from .servers import served
from .shelves import Shelf
from .world import Tool, World

Runs = dict[str, list[Took]]
Prepare = Callable[[Shelf], None]

DIGEST = (
    "Redis stays as the cache; memcached was rejected, since it loses everything at a restart. "
    "Open: which keys to evict under load."
)
PEER, PLAIN_GIT = "peer", "git"
"""Whom a row stands against."""


class Bench(NamedTuple):
    """A size of shelf in both copies, and how often each row is run."""

    world: World
    shelves: dict[str, Shelf]
    runs: int

    @property
    def ours(self) -> Shelf:
        """Our copy."""
        return self.shelves[self.world.ours.name]

    def job(
        self,
        tool: Tool,
        arguments: Callable[[Shelf], list[str]],
        prepare: Prepare | None = None,
        cold: bool = False,
    ) -> Job:
        """One run of a tool's command line. What is prepared and put back is not counted."""
        shelf = self.shelves[tool.name]

        def once(cache: Path | None = None) -> Took:
            if prepare:
                prepare(shelf)
            words = arguments(shelf)
            return process([*tool.cli, *words], self.world.environ(tool, cache))

        def cold_once() -> Took:
            with self.world.fresh_cache() as folder:
                return once(folder)

        return cold_once if cold else once

    def against(self, jobs: dict[str, Job], peer: Job | None) -> dict[str, Runs]:
        """Rows of ours by label, each with the runs of the peer in the same turns."""
        every = {**jobs, **({PEER: peer} if peer else {})}
        found = in_turn(every, self.runs)
        theirs = {PEER: found[PEER]} if peer else {}
        return {label: {"ours": found[label], **theirs} for label in jobs}


class Group(NamedTuple):
    """Rows that are measured together."""

    labels: tuple[str, ...]
    measure: Callable[[Bench], dict[str, Runs]]


def measured(bench: Bench, only: str) -> Iterator[tuple[str, Runs]]:
    """Every row of a size whose label fits, as it is measured."""
    for group in GROUPS:
        if any(re.search(only, label) for label in group.labels):
            yield from group.measure(bench).items()
            for shelf in bench.shelves.values():
                shelf.reset()


# --- reading ---------------------------------------------------------------------------------


def _same(label: str, *words: str, on_shelf: bool = True) -> Group:
    """A row for which both tools are given the same words; `ID` stands for an episode."""

    def arguments(shelf: Shelf) -> list[str]:
        given = [shelf.id if word == "ID" else word for word in words]
        return [*given, "--shelf", str(shelf.root)] if on_shelf else given

    def measure(bench: Bench) -> dict[str, Runs]:
        jobs = {label: bench.job(bench.world.ours, arguments)}
        return bench.against(jobs, _peer(bench, arguments))

    return Group((label,), measure)


def _peer(
    bench: Bench, arguments: Callable[[Shelf], list[str]], prepare: Prepare | None = None
) -> Job | None:
    return bench.job(bench.world.peer, arguments, prepare) if bench.world.peer else None


# --- rebuild and doctor ----------------------------------------------------------------------


def _on_shelf(*words: str) -> Callable[[Shelf], list[str]]:
    return lambda shelf: [*words, "--shelf", str(shelf.root)]


def _rebuild(bench: Bench) -> dict[str, Runs]:
    run = _on_shelf("rebuild")
    jobs = {
        "rebuild, nothing changed": bench.job(bench.world.ours, run),
        "rebuild, first, no cache": bench.job(bench.world.ours, run, cold=True),
        "rebuild, chart drawn": bench.job(bench.world.ours, run, _without_chart),
    }
    return bench.against(jobs, _peer(bench, run))


def _without_chart(shelf: Shelf) -> None:
    (shelf.root / "stats.svg").unlink(missing_ok=True)


def _rebuild_changed(bench: Bench) -> dict[str, Runs]:
    run = _on_shelf("rebuild")
    job = bench.job(bench.world.ours, run, _edited)
    return bench.against({"rebuild, one episode changed": job}, _peer(bench, run, _edited))


_letters = itertools.cycle("abcdefghijklmnopqrstuvwxyz")


def _edited(shelf: Shelf) -> None:
    """Change one letter of a description: INDEX.md and .meta.json differ, the chart does not."""
    file = shelf.root / shelf.episode
    text = file.read_text("utf-8")
    head, quote, rest = text.partition('\ndescription: "')
    file.write_text(head + quote + next(_letters) + rest[1:], "utf-8", newline="\n")
    time.sleep(0.2)  # as in life: an edit is older than the clock's grain when it is rendered


def _doctor(bench: Bench) -> dict[str, Runs]:
    run = _on_shelf("doctor")
    jobs = {
        "doctor, first, no cache": bench.job(bench.world.ours, run, cold=True),
        "doctor, nothing changed": bench.job(bench.world.ours, run),
    }
    return bench.against(jobs, _peer(bench, run))


# --- writing ---------------------------------------------------------------------------------

_numbers = itertools.count(1)


def _shelve_words(shelf: Shelf) -> list[str]:
    slug = f"2026-11-30-bench-{next(_numbers)}"
    return [
        *("shelve", "--shelf", str(shelf.root), "--slug", slug, "--kind", "topic"),
        *("--digest", DIGEST, "--section", "Decisions=Redis stays; memcached was rejected."),
        *("--tag", "cache", "--approx-tokens", "12000"),
    ]


def _shelve(bench: Bench) -> dict[str, Runs]:
    job = bench.job(bench.world.ours, _shelve_words, Shelf.reset)
    return bench.against({"shelve": job}, _peer(bench, _shelve_words, Shelf.reset))


def _git_part(bench: Bench) -> dict[str, Runs]:
    """What the write gate costs inside a process, against a bare `git add` and `git commit`."""
    shelf = bench.ours
    jobs = {"ours": lambda: _gate(shelf), PLAIN_GIT: lambda: bare_commit(bench.world, shelf)}
    return {"shelve, its git part": in_turn(jobs, bench.runs)}


def _new_file() -> tuple[str, str]:
    path = f"docs/topics/2026-11-30-commit-{next(_numbers)}.md"
    return path, f"# A commit\n\n## Digest\n{DIGEST}\n"


def _gate(shelf: Shelf) -> Took:
    from memshelf.storage import gate

    shelf.reset()
    path, text = _new_file()
    with stopwatch() as took:
        saved = gate.save(shelf.root, [gate.Change(path, text.encode(), None)], "bench")
    if not saved.committed:
        raise SystemExit("bench: the gate committed nothing")
    return took[0]


def bare_commit(world: World, shelf: Shelf) -> Took:
    """`git add` and `git commit` of one new file."""
    shelf.reset()
    path, text = _new_file()
    environ = world.environ(world.ours)
    with stopwatch() as took:
        (shelf.root / path).write_text(text, "utf-8", newline="\n")
        for command in (["add", "--", path], ["commit", "--quiet", "--message", "bench"]):
            subprocess.run(["git", *command], cwd=shelf.root, env=environ, check=True)
    return took[0]


def _mcp(bench: Bench) -> dict[str, Runs]:
    every = [bench.world.ours, *([bench.world.peer] if bench.world.peer else [])]
    tools = {tool: bench.shelves[tool.name] for tool in every}
    return served(bench.world, tools, bench.runs)


GROUPS = (
    _same("--help", "--help", on_shelf=False),
    _same("recall", "recall", "--no-log", "--id", "ID"),
    _same("recall, one section", "recall", "--no-log", "--id", "ID", "--section", "Decisions"),
    _same("index", "index"),
    _same("search, rare word", "search", "--query", words.RARE),
    _same("search, common word", "search", "--query", words.COMMON),
    _same("stats", "stats"),
    Group(
        ("rebuild, nothing changed", "rebuild, first, no cache", "rebuild, chart drawn"), _rebuild
    ),
    Group(("rebuild, one episode changed",), _rebuild_changed),
    _same("rebuild --check, nothing changed", "rebuild", "--check"),
    Group(("doctor, first, no cache", "doctor, nothing changed"), _doctor),
    Group(("shelve",), _shelve),
    Group(("shelve, its git part",), _git_part),
    Group(
        (
            "MCP, start to tools/list",
            "MCP, recall",
            "MCP, search, rare word",
            "MCP, search, common word",
        ),
        _mcp,
    ),
)
LABELS = tuple(label for group in GROUPS for label in group.labels)
