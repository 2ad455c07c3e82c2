"""The same work on many things, on several processors where a surface allows it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

T = TypeVar("T")
R = TypeVar("R")

MANY = 1000
"""Fewer things are done before other processes would have started."""
_CHUNK = 200
_AHEAD = 5


def chunks(items: Sequence[T]) -> list[Sequence[T]]:
    """The items in portions of which one is worth sending to another process."""
    return [items[at : at + _CHUNK] for at in range(0, len(items), _CHUNK)]


def mapped(work: Callable[[T], R], jobs: Sequence[T], workers: int) -> Iterator[R]:
    """What `work` makes of each job, in order. It must be a function that a module defines.

    Other processes begin at once, before the first result is asked for.
    """
    if workers < 2 or len(jobs) < max(MANY // _CHUNK, 2):
        return map(work, jobs)
    from concurrent.futures import ProcessPoolExecutor

    pool = ProcessPoolExecutor(min(workers, len(jobs)), initializer=_end_with_parent)
    first = _AHEAD * workers  # what is done early waits in memory
    waiting = deque(pool.submit(work, job) for job in jobs[:first])
    return _results(pool, waiting, work, jobs[first:])


def _end_with_parent() -> None:
    """Let this process end when the one that started it is killed: else it would wait for ever."""
    import multiprocessing
    import os
    import threading
    from multiprocessing.connection import wait

    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _results(
    pool: Executor, waiting: deque[Future[R]], work: Callable[[T], R], rest: Sequence[T]
) -> Iterator[R]:
    with pool:
        for job in rest:
            waiting.append(pool.submit(work, job))
            yield waiting.popleft().result()
        while len(waiting) > 1:
            yield waiting.popleft().result()
        last = waiting.popleft().result()
    yield last  # with the pool gone: nobody may ask once more, and so come to its end
