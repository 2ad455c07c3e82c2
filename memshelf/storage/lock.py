"""One writer at a time, across processes and across the threads of one."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from ..domain.errors import ShelfError
from .files import sentence
from .gitdir import GitDir
from .places import state_dir

NAME = "memshelf.lock"
PATIENCE = 60.0
"""Seconds that a writer waits for the one before it."""

_POLL = 0.01
_held = threading.local()


class LockBusy(ShelfError):
    """Another writer kept the lock for longer than one waits."""

    code = "lock-busy"

    def __init__(self, path: Path, seconds: float) -> None:
        super().__init__(
            f"Another process has been writing to this shelf for {seconds:g} s; it holds {path}.",
            "Wait for it or end it, then try again; the lock frees itself when it ends.",
        )


def lock_path(root: Path, where: GitDir | None) -> Path:
    """The lock file of a shelf: in the git folder that all worktrees share, else with its state."""
    return (where.common_dir if where else state_dir(root)) / NAME


@contextlib.contextmanager
def writing(path: Path, wait: float | None = None) -> Iterator[None]:
    """Hold a lock file. The thread that holds it may take it again.

    Raises LockBusy after `wait` seconds, a minute unless told otherwise.
    The operating system frees the lock when its holder dies; the file itself stays and is empty.
    (filelock would do, but importing it costs a write 50 ms, for an event loop that is not used.)
    """
    wait = PATIENCE if wait is None else wait
    held: set[Path] = _held.__dict__.setdefault("paths", set())
    if path in held:
        yield
        return
    with _open(path) as handle:
        try:
            free = wait_for(handle, wait)
        except OSError as trouble:
            raise sentence(trouble, path) from None
        if not free:
            raise LockBusy(path, wait)
        held.add(path)
        try:
            yield
        finally:
            held.discard(path)
            release(handle)


@contextlib.contextmanager
def _open(path: Path) -> Iterator[int]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as trouble:
        raise sentence(trouble, path) from None
    try:
        yield handle
    finally:
        os.close(handle)


def wait_for(handle: int, seconds: float) -> bool:
    """Try to lock an open file until it works; False when the seconds have passed."""
    limit = time.monotonic() + seconds
    while not try_lock(handle):
        if time.monotonic() >= limit:
            return False
        time.sleep(_POLL)
    return True


if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: int) -> bool:
        """Lock an open file at once, or say False."""
        try:
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def release(handle: int) -> None:
        """Unlock what `try_lock` locked."""
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Lock an open file at once, or say False. A child that inherits the file holds it too."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(handle: int) -> None:
        """Unlock what `try_lock` locked."""
        fcntl.flock(handle, fcntl.LOCK_UN)
