"""What is made of a whole shelf for reading: tags, the graph, retrospectives."""

from __future__ import annotations

from .group import Bench, Group, Runs, on_shelf, rewritten

QUARTER = "2026Q3"
"""The last whole quarter of a generated shelf, and its fullest."""
COLD, WARM = "first, no cache", "nothing changed"
ALL_QUARTERS = "retro --all"
ONE_CHANGED = "tags, graph, retro, one episode changed"

_WORDS = {
    "tags": ("tags",),
    "graph": ("graph", "--format", "json"),
    "retro": ("retro", "--quarter", QUARTER),
}
NAMES = (*_WORDS, ALL_QUARTERS)


def _report(name: str) -> Group:
    """A report as both tools know it, made anew and asked for again."""
    run = on_shelf(*_WORDS[name])

    def measure(bench: Bench) -> dict[str, Runs]:
        ours = bench.world.ours
        jobs = {
            f"{name}, {COLD}": bench.job(ours, run, cold=True),
            f"{name}, {WARM}": bench.job(ours, run),
        }
        return bench.against(jobs, bench.peer(run))

    return Group((f"{name}, {COLD}", f"{name}, {WARM}"), measure)


def _every_quarter() -> Group:
    """The same for `retro`, and all quarters at once against the peer's one."""
    one, every = on_shelf(*_WORDS["retro"]), on_shelf("retro", "--all")
    labels = tuple(f"{name}, {how}" for name in ("retro", ALL_QUARTERS) for how in (COLD, WARM))

    def measure(bench: Bench) -> dict[str, Runs]:
        ours = bench.world.ours
        made = [bench.job(ours, run, cold=cold) for run in (one, every) for cold in (True, False)]
        return bench.against(dict(zip(labels, made, strict=True)), bench.peer(one))

    return Group(labels, measure)


def _changed(bench: Bench) -> dict[str, Runs]:
    """All three after one edit: together, since the first of them pays for reading it."""
    runs = [on_shelf(*words) for words in _WORDS.values()]
    job = bench.job(bench.world.ours, *runs, prepare=rewritten)
    return bench.against({ONE_CHANGED: job}, bench.peer(*runs, prepare=rewritten))


GROUPS = (
    _report("tags"),
    _report("graph"),
    _every_quarter(),
    Group((ONE_CHANGED,), _changed),
)
