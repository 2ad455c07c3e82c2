"""How long a process takes, seen from outside; and several of them in turn."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

LIMIT = 600.0
"""Seconds after which a process counts as hung, and is ended."""


class Took(NamedTuple):
    """Seconds by the clock on the wall, and of processor time, children included; None if unknown.

    `peak` is the most memory, in bytes, that the process or one of its children had at any time: of
    the largest of them, since the system keeps no sum.
    """

    wall: float
    cpu: float | None = None
    peak: int | None = None


class Failed(Exception):
    """A process ended otherwise than it should: there is nothing to compare."""


def process(command: Sequence[str], environ: dict[str, str]) -> Took:
    """Run a process to its end and time it; what it prints goes nowhere. Raises Failed."""
    null = subprocess.DEVNULL
    begun = time.perf_counter()
    child = subprocess.Popen(command, env=environ, stdin=null, stdout=null, stderr=null)
    guard = threading.Timer(LIMIT, child.kill)
    guard.start()
    cpu, peak = reaped(child)
    wall = time.perf_counter() - begun
    guard.cancel()
    if child.returncode:
        raise Failed(f"exit status {child.returncode}: {' '.join(command)}")
    return Took(wall, cpu, peak)


def added(runs: Iterable[Took]) -> Took:
    """Several runs, one after the other, as one."""
    every = list(runs)
    cpu = [took.cpu for took in every if took.cpu is not None]
    peaks = [took.peak for took in every if took.peak is not None]
    known = len(cpu) == len(every)
    return Took(
        sum(took.wall for took in every), sum(cpu) if known else None, max(peaks, default=None)
    )


def reaped(child: subprocess.Popen[bytes]) -> tuple[float | None, int | None]:
    """Wait for a process; its processor time, that of its children included, and its peak.

    Nothing where the system does not tell.
    """
    if not hasattr(os, "wait4"):
        child.wait()
        return None, None
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1_024
    return used.ru_utime + used.ru_stime, used.ru_maxrss * unit


def _processor() -> float | None:
    """Processor seconds of this process and of the children that it waited for."""
    if os.name == "nt":
        return None
    import resource

    every = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in every)


@contextlib.contextmanager
def stopwatch() -> Iterator[list[Took]]:
    """Time what is done inside: the list holds one Took afterwards."""
    took: list[Took] = []
    cpu, begun = _processor(), time.perf_counter()
    yield took
    wall, now = time.perf_counter() - begun, _processor()
    took.append(Took(wall, None if cpu is None or now is None else now - cpu))


Job = Callable[[], Took]


def in_turn(jobs: dict[str, Job], runs: int) -> dict[str, list[Took]]:
    """Each job once uncounted, then all of them in turn: A B A B, so that a lull favours none."""
    for job in jobs.values():
        job()
    found: dict[str, list[Took]] = {name: [] for name in jobs}
    for _ in range(runs):
        for name, job in jobs.items():
            found[name].append(job())
    return found
