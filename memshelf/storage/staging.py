"""Our copy of the user's index, in which a commit is prepared, and how it becomes theirs.

The user's index is never locked by a git process of ours: one that is killed would leave the lock
behind. It is locked for the moment of a rename, by a hard link to our copy, which proves whose the
lock is.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from . import gitdir
from .repo import MergeInProgress, Repo

PATIENCE = 2.0
"""Seconds that one waits for another program's `index.lock`."""

_POLL = 0.05
_Signature = tuple[int, int, int, bytes]


class Swap(Enum):
    """How the attempt to put our copy in the place of the user's index ended."""

    DONE = "done"
    MOVED = "the index changed since the copy was made"
    HELD = "another program holds the lock"


class Staging:
    """A copy of the user's index; `env` makes git use it, `data` is what it held at first."""

    def __init__(self, repo: Repo) -> None:
        folder = repo.where.git_dir
        self.repo = repo
        self.theirs, self.lock = folder / "index", folder / "index.lock"
        self.ours = folder / "memshelf-index"
        self.env = {"GIT_INDEX_FILE": str(self.ours)}
        self.data = b""
        self.tried = False
        """Whether a commit was tried, so that only HEAD can tell what became of it."""
        self._seen: _Signature | None = None

    def look(self) -> None:
        """Read the user's index, and write nothing yet."""
        self.data, self._seen = b"", None
        with contextlib.suppress(FileNotFoundError), self.theirs.open("rb") as file:
            found = os.fstat(file.fileno())
            self.data = file.read()
            self._seen = (found.st_ino, found.st_size, found.st_mtime_ns, self.data[-32:])

    def copy(self) -> None:
        """Write what `look` saw, with its time stamp: git tells by it which entries to distrust."""
        self.ours.unlink(missing_ok=True)
        if self._seen:
            with self.ours.open("xb") as copy:
                copy.write(self.data)
            os.utime(self.ours, ns=(self._seen[2], self._seen[2]))

    def refuse_unmerged(self) -> None:
        """Raise MergeInProgress where the index holds entries of an unfinished merge."""
        if self.unmerged():
            raise MergeInProgress("merge: some files have conflicts")

    def unmerged(self) -> bool:
        """Whether the index that `look` saw holds entries of an unfinished merge."""
        id_size = 32 if gitdir.hash_name(self.repo.where) == "sha256" else 20
        found = gitdir.has_unmerged(self.data, id_size)
        return bool(self.repo.git("ls-files", "-u", "-z").raw) if found is None else found

    def knows(self, path: str) -> bool:
        """True where the copy surely has an entry of that path."""
        return gitdir.in_index(self.data, path)

    # --- giving it back ----------------------------------------------------------------------

    def adopt(self, owing: Mapping[str, str | None]) -> bool:
        """Make our copy, in which a commit was made, the user's index; False where it is locked.

        Where theirs changed in the meantime, only the entries in `owing` are set in it.
        """
        swapped = self._swap_until(time.monotonic() + PATIENCE)
        if swapped is Swap.MOVED:
            return self.sync(owing)
        return swapped is Swap.DONE

    def sync(self, owing: Mapping[str, str | None], wait: float | None = None) -> bool:
        """Set single entries of the user's index to what HEAD holds; False where it is locked.

        `owing` maps each path to the blob that is expected there (None: no entry). Where the user
        staged something else, theirs stays. `wait` is in seconds.
        """
        limit = time.monotonic() + (PATIENCE if wait is None else wait)
        while self.lock.exists():  # before any process is started for nothing
            if time.monotonic() >= limit:
                return False
            time.sleep(_POLL)
        swapped = Swap.MOVED
        while swapped is Swap.MOVED:
            self.look()
            self.copy()
            lines = self._due(owing)
            if not lines:
                return True
            self.repo.git("update-index", "-z", "--index-info", stdin=lines, env=self.env)
            swapped = self._swap_until(limit)
        return swapped is Swap.DONE

    def put(self, lines: bytes, wait: float = PATIENCE) -> bool:
        """Set entries of the user's index, as `git update-index --index-info` reads them, whatever
        they hold; False where it is locked. `wait` is in seconds."""
        limit = time.monotonic() + wait
        swapped = Swap.MOVED
        while swapped is Swap.MOVED:
            self.look()
            self.copy()
            self.repo.git("update-index", "-z", "--index-info", stdin=lines, env=self.env)
            swapped = self._swap_until(limit)
        return swapped is Swap.DONE

    def _due(self, owing: Mapping[str, str | None]) -> bytes:
        have = self.repo.staged(owing, self.env)
        want = self.repo.tree("HEAD", owing)
        lines = []
        for path, old in owing.items():
            entry, blob = have.get(path), want.get(path)
            unmerged = path in have and entry is None
            if not unmerged and (entry.id if entry else None) == old and entry != blob:
                facts = f"{blob.mode} {blob.id}" if blob else f"0 {'0' * len(old or '')}"
                lines.append(f"{facts}\t{path}\0")
        return "".join(lines).encode("utf-8", "surrogateescape")

    def _swap_until(self, limit: float) -> Swap:
        while (swapped := self._swap()) is Swap.HELD and time.monotonic() < limit:
            time.sleep(_POLL)
        return swapped

    def _swap(self) -> Swap:
        if not self._take_lock():
            return Swap.HELD
        if _signature(self.theirs) != self._seen:
            self.lock.unlink()
            return Swap.MOVED
        try:
            self.lock.replace(self.theirs)
        except PermissionError:  # on Windows: somebody is reading the index
            self.lock.unlink()
            return Swap.HELD
        # now a second name of the user's index, to which no one may write
        self.ours.unlink()
        return Swap.DONE

    def _take_lock(self) -> bool:
        try:
            os.link(self.ours, self.lock)
        except FileExistsError:
            return False
        except OSError:  # a disk without hard links
            return self._copy_to_lock()
        return True

    def _copy_to_lock(self) -> bool:
        try:
            with self.lock.open("xb") as file:
                file.write(self.ours.read_bytes())
        except FileExistsError:
            return False
        return True

    def clear(self) -> None:
        """Remove our copy, and what a killed write left of it."""
        if self._lock_is_ours():
            self.lock.unlink()
        self.ours.unlink(missing_ok=True)
        self.ours.with_name(f"{self.ours.name}.lock").unlink(missing_ok=True)

    def _lock_is_ours(self) -> bool:
        with contextlib.suppress(FileNotFoundError):
            return self.lock.samefile(self.ours) or (
                self.lock.stat().st_size > 0 and self.lock.read_bytes() == self.ours.read_bytes()
            )
        return False


def _signature(path: Path) -> _Signature | None:
    """What tells one version of an index from another; its last bytes are a hash of the rest."""
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        found = os.fstat(file.fileno())
        file.seek(max(0, found.st_size - 32))
        return (found.st_ino, found.st_size, found.st_mtime_ns, file.read())
    return None
