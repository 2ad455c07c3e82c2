"""After a write that failed or was killed: what became of it, and how it is finished or undone."""

from __future__ import annotations

import contextlib
import os
import time
from enum import Enum
from pathlib import Path, PurePosixPath

from ..domain.errors import ShelfError
from . import files, journal
from .batch import content, remove_folders, restore
from .gitdir import GitDir
from .journal import Journal, Kept
from .lock import LockBusy, lock_path, writing
from .repo import Repo
from .staging import Staging

CHILD_PATIENCE = 10.0
"""Seconds that one waits for a git process which outlived its writer."""

_REF_LOCK_AGE = 1.0


class Outcome(Enum):
    """What became of a write, as HEAD says."""

    LANDED = "the commit is made"
    SAME = "HEAD held all of it before"
    ABSENT = "it was not committed"


def outcome(repo: Repo, written: Journal) -> Outcome:
    """Whether HEAD holds a write, by comparing it with the commit before the write."""
    paths = [kept.path for kept in written.files]
    now = repo.tree("HEAD" if repo.commit_id() else "", paths)
    before = repo.tree(written.head, paths)
    moved = {path for path in paths if now.get(path) != before.get(path)}
    for kept in written.files:
        blob = now.get(kept.path)
        if kept.path not in moved and not _holds(repo, kept, blob.id if blob else None):
            return Outcome.ABSENT
    return Outcome.LANDED if moved else Outcome.SAME


def _holds(repo: Repo, kept: Kept, found: str | None) -> bool:
    """Whether a blob is the new content; where a filter stands between, the disk has to be asked."""
    if found == kept.blob or found is None or kept.blob is None:
        return found == kept.blob
    data = content(repo.where.worktree / kept.path)
    if data is None or repo.blob_id(data) != kept.blob:
        return False
    return repo.filtered_id(data, kept.path) == found


def put_back(where: GitDir, written: Journal, repo: Repo | None = None) -> None:
    """Give every file the bytes that it had, and remove the folders that were made.

    With a repo, only where the file still is what was written: a newer edit stays.
    """
    for kept in written.files:
        path = where.worktree / kept.path
        if repo is None or not _edited(repo, kept, content(path)):
            restore(path, kept.old, kept.mode)
    remove_folders(where.worktree / folder for folder in written.made)


def _edited(repo: Repo, kept: Kept, data: bytes | None) -> bool:
    return (None if data is None else repo.blob_id(data)) != kept.blob


# --- healing ---------------------------------------------------------------------------------


def heal_shelf(root: Path, wait: float) -> tuple[str, ...]:
    """See `journal.heal`."""
    try:
        repo = Repo.of(root)
        if repo is None:
            return ()
        with writing(lock_path(root, repo.where), wait), files.telling(root):
            return heal_held(repo, wait)[0]
    except LockBusy:
        return ()
    except ShelfError as trouble:
        return (f"An earlier write was cut short and cannot be mended yet: {trouble}",)


def heal_held(
    repo: Repo, patience: float = CHILD_PATIENCE
) -> tuple[tuple[str, ...], dict[str, str | None]]:
    """Finish or undo what a journal tells of, with the lock held.

    Sentences that say what was done, and the index entries that are still owing, since another
    program holds `index.lock`. Raises LockBusy where a git process of the killed writer lives.
    """
    where = repo.where
    if not journal.pending(where):
        return (), {}
    _wait_for_child(where, patience)
    written = journal.read(where)
    staging = Staging(repo)
    staging.clear()
    said, owing = _settle(repo, written) if written else (("A journal could not be read.",), {})
    if owing and not staging.sync(owing, 0):
        left = Journal("", (), (), owing, done=True)
        journal.close(journal.begin(where, left))
        staging.clear()
        return said, owing
    staging.clear()
    journal.end(where)
    return said, {}


def _settle(repo: Repo, written: Journal) -> tuple[tuple[str, ...], dict[str, str | None]]:
    """Undo an uncommitted write; what is to be said, and what the user's index is to be given."""
    if written.done:
        return (), written.owing
    _clear_litter(repo.where, written)
    paths = [kept.path for kept in written.files]
    names = ", ".join(PurePosixPath(path).name for path in paths)
    if outcome(repo, written) is Outcome.ABSENT:
        put_back(repo.where, written, repo)
        said = f"An earlier write was cut short before its commit and was undone: {names}."
        return (said,), written.owing
    before = repo.tree(written.head, paths)
    own = {path: before[path].id if path in before else None for path in paths}
    said = f"An earlier write was cut short after its commit and was finished: {names}."
    return (said,), {**written.owing, **own}


def _wait_for_child(where: GitDir, patience: float) -> None:
    """A git process may outlive its killed writer, and still make the commit.

    While it does, the lock of our index exists; without it whoever holds the journal is some
    program that git or a hook left running, and harmless.
    """
    index_lock = where.git_dir / "memshelf-index.lock"
    if journal.child_lives(where, patience) and index_lock.exists():
        raise LockBusy(index_lock, patience)


def _clear_litter(where: GitDir, written: Journal) -> None:
    """Remove what killed processes left: our temporary files, git's next index, locks of refs."""
    for kept in written.files:
        folder = (where.worktree / kept.path).parent
        for left in folder.glob(f"{files.TEMP_PREFIX}{written.pid}-*{files.TEMP_SUFFIX}"):
            left.unlink(missing_ok=True)
    begun = journal.place(where).stat().st_mtime
    for left in where.git_dir.glob("next-index-*.lock"):
        with contextlib.suppress(FileNotFoundError):
            if not _alive(left.name) and left.stat().st_mtime >= begun:
                left.unlink()
    for lock in _ref_locks(where):
        _clear_ref_lock(lock, begun)


def _alive(name: str) -> bool:
    """Whether the process that a next index is named after lives; unknown counts as alive."""
    pid = name.removeprefix("next-index-").removesuffix(".lock")
    if os.name == "nt" or not pid.isdecimal():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    with contextlib.suppress(OSError):  # dead, and not yet collected by its parent
        return Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(") ")[2][0] != "Z"
    return True


def _ref_locks(where: GitDir) -> list[Path]:
    from . import gitdir

    branch = gitdir.head(where).branch
    locks = [where.git_dir / "HEAD.lock"]
    if branch:
        locks.append(where.common_dir / "refs" / "heads" / f"{branch}.lock")
    return locks


def _clear_ref_lock(lock: Path, begun: float) -> None:
    """Remove the lock of a ref that our killed git left.

    git holds one for a moment. It is ours when it was made after our journal and, all our
    processes being gone, stands unchanged for a second.
    """
    with contextlib.suppress(FileNotFoundError):
        first = lock.stat()
        if first.st_mtime < begun:
            return
        time.sleep(_REF_LOCK_AGE)
        second = lock.stat()
        if (first.st_ino, first.st_mtime_ns) == (second.st_ino, second.st_mtime_ns):
            lock.unlink()
