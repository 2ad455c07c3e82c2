"""What a write is about to do, noted down first, so that a killed one is finished or undone.

Light to import: every read verb asks `pending`.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from .gitdir import GitDir

NAME = "memshelf-journal"


class Kept(NamedTuple):
    """One file of a write: what it held, and what it is to hold.

    `path` counts from the top of the worktree. `old` is None where there was no file, `blob` (git's
    id of the new content, before filters) is None where it is to be deleted.
    """

    path: str
    old: bytes | None
    mode: int | None
    blob: str | None


class Journal(NamedTuple):
    """One write: its files, the commit at HEAD before it, the folders that it made.

    `owing` are entries that the user's index still has to be given, each with the blob that it held
    there before (None: no entry); `done` says that the commit is made and only they are left.
    """

    head: str
    files: tuple[Kept, ...]
    made: tuple[str, ...]
    owing: dict[str, str | None]
    done: bool = False
    pid: int = 0


def place(where: GitDir) -> Path:
    """Where the journal of a worktree lies."""
    return where.git_dir / NAME


def pending(where: GitDir) -> bool:
    """Whether a write was begun and not ended: it is going on, or was killed. One stat."""
    return os.path.exists(place(where))  # noqa: PTH110 - half the time of Path.exists


def heal(root: Path, wait: float = 0.0) -> tuple[str, ...]:
    """Finish or undo a write that was killed; sentences that say what was done, or why it was not.

    Empty where there is none, or where its writer is alive after `wait` seconds. Raises nothing
    that git or the disk complain of: a shelf can be read while it cannot be mended.
    """
    from .recovery import heal_shelf

    return heal_shelf(root, wait)


# --- on disk ---------------------------------------------------------------------------------


def begin(where: GitDir, journal: Journal) -> int | None:
    """Write the journal, whole or not at all; an open handle on it that holds a lock.

    Children that are given the handle hold the lock too, which tells a later writer whether one of
    them outlived the writer. On Windows no handle is kept, since an open file cannot be moved.
    """
    from .lock import try_lock

    temp = where.git_dir / f"{NAME}.tmp"  # one writer at a time: one name will do
    handle = os.open(temp, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(os.dup(handle), "wb") as file:
            file.write(_encode(journal))
        if os.name == "nt":
            os.close(handle)
            handle = -1
        else:
            try_lock(handle)
        temp.replace(place(where))
    except BaseException:
        close(handle)
        temp.unlink(missing_ok=True)
        raise
    return None if handle < 0 else handle


def end(where: GitDir) -> None:
    """Remove the journal: everything is as it should be."""
    place(where).unlink(missing_ok=True)


def close(handle: int | None) -> None:
    """Let go of a journal that stays for the next writer."""
    if handle is not None and handle >= 0:
        with contextlib.suppress(OSError):
            os.close(handle)


def read(where: GitDir) -> Journal | None:
    """The journal, or None where there is none or where it cannot be read."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return _decode(place(where).read_bytes())
    return None


def child_lives(where: GitDir, seconds: float) -> bool:
    """Whether, after waiting, some process that a killed writer started still holds the journal."""
    from .lock import wait_for

    with contextlib.suppress(OSError):
        handle = os.open(place(where), os.O_RDWR)
        try:
            return not wait_for(handle, seconds)
        finally:
            os.close(handle)
    return False


def _encode(journal: Journal) -> bytes:
    """A line of JSON, then the old contents one after another: as they are, for speed."""
    import json

    rows = [
        {**kept._asdict(), "old": None if kept.old is None else len(kept.old)}
        for kept in journal.files
    ]
    record = {**journal._asdict(), "files": rows, "pid": os.getpid()}
    olds = (kept.old for kept in journal.files if kept.old is not None)
    return b"".join([json.dumps(record).encode("ascii"), b"\n", *olds])


def _decode(data: bytes) -> Journal:
    import json

    line, _, rest = data.partition(b"\n")
    record, files, at = json.loads(line), [], 0
    for row in record["files"]:
        size = row["old"]
        old = None if size is None else rest[at : at + size]
        files.append(Kept(**{**row, "old": old}))
        at += size or 0
    if at != len(rest):
        raise ValueError("the journal is cut short")
    return Journal(**{**record, "files": tuple(files), "made": tuple(record["made"])})
