"""Examining many files at once: on several processors where a surface allows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..domain.checks import examine
from ..domain.entry import entry_of
from ..domain.finding import Finding
from ..domain.policy import policy_of
from ..storage.store import Store

_MANY = 1000
"""Fewer files are examined before other processes would have started."""
_CHUNK = 200

Examined = tuple[str, tuple[Finding, ...]]
Job = tuple[str, list[str], tuple[str, int]]
"""A shelf's folder, some paths in it, and the text and number that its policy is made of."""


def examined(store: Store, paths: list[str]) -> Iterator[Examined]:
    """The findings of each file, in the order of the paths."""
    chunks = [paths[at : at + _CHUNK] for at in range(0, len(paths), _CHUNK)]
    jobs = [(str(store.root), chunk, store.patterns) for chunk in chunks]
    done = 0
    for found in _in_processes(store.workers, jobs) if len(paths) > _MANY else map(_chunk, jobs):
        yield from found
        done += len(found)
        store.report(done, len(paths))


def _in_processes(workers: int, jobs: list[Job]) -> Iterator[list[Examined]]:
    if workers < 2:
        yield from map(_chunk, jobs)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(min(workers, len(jobs))) as pool:
        yield from pool.map(_chunk, jobs)


def _chunk(job: Job) -> list[Examined]:
    root, paths, (patterns, digest_words) = job
    store, policy = Store(Path(root)), policy_of(patterns, digest_words)
    return [
        (path, examine(path, text, entry_of(path, text), policy))
        for path in paths
        for text in (store.listed(path),)
    ]
