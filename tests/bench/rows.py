"""What is measured: rows in groups, in which one run of the peer stands against each of ours."""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Callable, Iterator

from . import exports, phone, reports, searches, sites
from .clock import Took, in_turn, process, stopwatch
from .group import OURS, Bench, Group, Runs, Words, described, on_shelf, settle
from .servers import RECALL, START, served
from .shelves import Shelf
from .world import World

DIGEST = (
    "Redis stays as the cache; memcached was rejected, since it loses everything at a restart. "
    "Open: which keys to evict under load."
)
RESOLVED = "resolve, nothing to do"
PLAIN_GIT = "git"
"""The side of a row that stands against bare git."""


def measured(bench: Bench, only: str) -> Iterator[tuple[str, Runs]]:
    """Every row of a size whose label fits, as it is measured."""
    for group in GROUPS:
        if any(re.search(only, label) for label in group.labels):
            settle()
            yield from group.measure(bench).items()
            for shelf in bench.shelves.values():
                shelf.reset()


# --- reading ---------------------------------------------------------------------------------


def _same(label: str, *words: str, on: Callable[..., Words] = on_shelf) -> Group:
    """A row for which both tools are given the same words."""

    def measure(bench: Bench) -> dict[str, Runs]:
        given = on(*words)
        return bench.against({label: bench.job(bench.world.ours, given)}, bench.peer(given))

    return Group((label,), measure)


def _alone(*words: str) -> Words:
    return lambda shelf: list(words)


# --- rebuild and doctor ----------------------------------------------------------------------


def _rebuild(bench: Bench) -> dict[str, Runs]:
    run = on_shelf("rebuild")
    jobs = {
        "rebuild, nothing changed": bench.job(bench.world.ours, run),
        "rebuild, first, no cache": bench.job(bench.world.ours, run, cold=True),
        "rebuild, chart drawn": bench.job(bench.world.ours, run, prepare=_without_chart),
    }
    return bench.against(jobs, bench.peer(run))


def _without_chart(shelf: Shelf) -> None:
    (shelf.root / "stats.svg").unlink(missing_ok=True)


def _rebuild_changed(bench: Bench) -> dict[str, Runs]:
    run = on_shelf("rebuild")
    job = bench.job(bench.world.ours, run, prepare=described)
    return bench.against({"rebuild, one episode changed": job}, bench.peer(run, prepare=described))


def _doctor(bench: Bench) -> dict[str, Runs]:
    run = on_shelf("doctor")
    jobs = {
        "doctor, first, no cache": bench.job(bench.world.ours, run, cold=True),
        "doctor, nothing changed": bench.job(bench.world.ours, run),
    }
    return bench.against(jobs, bench.peer(run))


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
    job = bench.job(bench.world.ours, _shelve_words, prepare=Shelf.reset)
    return bench.against({"shelve": job}, bench.peer(_shelve_words, prepare=Shelf.reset))


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


def _resolve(bench: Bench) -> dict[str, Runs]:
    """A resolve that finds nothing to do, against `git status`, which looks at the same files."""
    shelf, environ = bench.ours, bench.world.environ(bench.world.ours)
    jobs = {
        OURS: bench.job(bench.world.ours, on_shelf("resolve")),
        PLAIN_GIT: lambda: process(["git", "-C", str(shelf.root), "status"], environ),
    }
    bench.job(bench.world.ours, on_shelf("rebuild", "--commit"))()
    return {RESOLVED: in_turn(jobs, bench.runs)}


def _mcp(bench: Bench) -> dict[str, Runs]:
    tools = {tool: bench.shelves[tool.name] for tool in bench.tools.values()}
    return served(bench.world, tools, bench.runs, [RECALL])


GROUPS = (
    _same("--help", "--help", on=_alone),
    _same("recall", "recall", "--no-log", "--id", "ID"),
    _same("recall, one section", "recall", "--no-log", "--id", "ID", "--section", "Decisions"),
    _same("index", "index"),
    _same("stats", "stats"),
    Group(
        ("rebuild, nothing changed", "rebuild, first, no cache", "rebuild, chart drawn"), _rebuild
    ),
    Group(("rebuild, one episode changed",), _rebuild_changed),
    _same("rebuild --check, nothing changed", "rebuild", "--check"),
    Group(("doctor, first, no cache", "doctor, nothing changed"), _doctor),
    Group(("shelve",), _shelve),
    Group(("shelve, its git part",), _git_part),
    Group((RESOLVED,), _resolve),
    Group((START, RECALL.label), _mcp),
    *searches.GROUPS,
    *reports.GROUPS,
    *exports.GROUPS,
    *sites.GROUPS,
    *phone.GROUPS,
)
LABELS = tuple(label for group in GROUPS for label in group.labels)
