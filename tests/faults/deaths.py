"""Processes that end badly: killed before a certain step or at any moment, or on a full disk.

A forked child does the work, so that a death costs no start of an interpreter.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from memshelf.domain.errors import ShelfError

from .operations import Did

FORKS = hasattr(os, "fork")
BALLAST = "ballast"
_STEPS = frozenset("os.rename os.remove os.link os.mkdir os.rmdir subprocess.Popen".split())
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Outcome(NamedTuple):
    """How an operation ended: what it did, the sentence that refused it, a traceback, or a death."""

    did: Did | None = None
    refused: str = ""
    traceback: str = ""
    killed: bool = False


Work = Callable[[], Did]
Doom = Callable[[], None]


def tried(work: Work) -> Outcome:
    """Do the work here."""
    try:
        return Outcome(work())
    except ShelfError as trouble:
        return Outcome(refused=f"{trouble.code}: {trouble}")
    except Exception:
        return Outcome(traceback=traceback.format_exc())


def apart(work: Work, doom: Doom) -> Outcome:
    """Do the work in a process that is doomed in some way."""
    return together([(work, doom)])[0]


def together(works: Sequence[tuple[Work, Doom]]) -> list[Outcome]:
    """Do several works at the same time, each in a process of its own."""
    children = [_begin(work, doom) for work, doom in works]
    return [_end(pid, pipe) for pid, pipe in children]


def _begin(work: Work, doom: Doom) -> tuple[int, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    try:
        os.close(reading)
        doom()
        os.write(writing, pickle.dumps(tried(work)))
    finally:
        os._exit(0)


def _end(pid: int, pipe: int) -> Outcome:
    with open(pipe, "rb") as said:
        data = said.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return Outcome(killed=True)
    found: Outcome = pickle.loads(data)
    return found


# --- ways to end -----------------------------------------------------------------------------


def unharmed() -> None:
    """Nothing happens."""


def before_step(number: int) -> Doom:
    """Be killed before the step of that number: a file opened for writing, renamed, a process."""

    def doom() -> None:
        left = number

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            flags = arguments[2] if event == "open" else 0
            if event in _STEPS or (isinstance(flags, int) and flags & _WRITES):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)

    return doom


def after_seconds(seconds: float) -> Doom:
    """Be killed at a moment, wherever that is; a git that runs then goes on by itself."""

    def doom() -> None:
        threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL)).start()

    return doom


def files_up_to(size: int) -> Doom:
    """Write no file larger than that many bytes, and git neither."""

    def doom() -> None:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return doom


@contextlib.contextmanager
def full(disk: Path, free: int) -> Iterator[None]:
    """Leave only so many bytes free on a small disk."""
    stat = os.statvfs(disk)
    ballast = disk / BALLAST
    size = max(0, stat.f_bavail * stat.f_frsize - free)
    try:
        with ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(1, size))
        yield
    finally:
        ballast.unlink(missing_ok=True)


def settled(seconds: float = 10.0) -> None:
    """Wait for what killed processes left running, so that the next step meets a quiet disk."""
    with contextlib.suppress(ChildProcessError):
        limit = time.monotonic() + seconds
        while os.waitpid(-1, os.WNOHANG)[0] or time.monotonic() < limit:
            time.sleep(0.005)


def any_death(dice: random.Random) -> Doom:
    """One of the two, drawn."""
    if dice.random() < 0.7:
        return before_step(dice.randrange(40))
    return after_seconds(dice.random() * 0.2)
