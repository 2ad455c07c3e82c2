"""The write gate: what is saved is one commit of exactly its files, read back from HEAD.

Nothing is written before everything was checked, and what was written and could not be committed
is put back. The commit is prepared in a copy of the user's index, so that what the user has staged
stays staged and stays out of it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import batch, files, gitdir, journal, recovery
from .batch import AlreadyThere, Change, Item
from .committing import Draft, Made
from .committing import commit as make_commit
from .journal import Journal, Kept
from .lock import lock_path, writing
from .recovery import Outcome
from .refusing import refuse_edits, refuse_unfinished
from .repo import Change as Diff
from .repo import GitTrouble, Repo
from .staging import Staging

__all__ = ["AlreadyThere", "Change", "Saved", "save", "save_derived", "writer"]

NO_HISTORY = "This shelf keeps no history: nothing was committed."
NOT_ASKED = "The files were written and, as asked, not committed."


@dataclass(frozen=True)
class Saved:
    """What became of a write.

    `commit` is the commit that holds it (where nothing had to change, HEAD), `blobs` git's id of
    each file in it by path on the shelf, `identity` the neutral identity where the user's git has
    none, `branch` the branch, None where HEAD is detached.
    """

    commit: str | None = None
    committed: bool = False
    warnings: tuple[str, ...] = ()
    blobs: dict[str, str] = field(default_factory=dict)
    identity: str | None = None
    branch: str | None = None


@contextlib.contextmanager
def writer(root: Path, *, plain: bool = False) -> Iterator[None]:
    """Be the only writer of a shelf, for more than one `save`. Raises LockBusy after a minute."""
    with writing(lock_path(root.resolve(), None if plain else gitdir.find(root))):
        yield


def save(
    root: Path,
    changes: Sequence[Change],
    message: str,
    *,
    commit: bool = True,
    plain: bool = False,
    allow_dirty: bool = False,
) -> Saved:
    """Write files and commit exactly them, or change nothing at all and raise ShelfError.

    With `commit` off, with `plain`, and outside a repository they are written, and the answer says
    that no history is kept. `allow_dirty` is for derived files: whatever is there is overwritten.
    Raises UncommittedEdit, MergeInProgress, HookRejected, GitTrouble, LockBusy, AlreadyThere,
    UnsafePath, and what `files.sentence` makes of a disk's complaints.
    """
    root = root.resolve()
    repo = None if plain else Repo.of(root)
    with writing(lock_path(root, repo.where if repo else None)), files.telling(root):
        healed, owing = recovery.heal_held(repo) if repo else ((), {})
        items = batch.checked(root, changes, allow_dirty)
        if repo and commit:
            return _Write(repo, items, allow_dirty, owing).run(message, healed)
        batch.write_or_restore(items)
        return Saved(warnings=(*healed, NOT_ASKED if repo else NO_HISTORY))


def save_derived(root: Path, changes: Sequence[Change], message: str) -> Saved:
    """`save` for files that are made from others: edits in them never stop it, and are lost."""
    return save(root, changes, message, allow_dirty=True)


_Found = tuple[str, dict[str, Diff]]


class _Write:
    """One write on its way into HEAD, with the lock held."""

    def __init__(
        self, repo: Repo, items: Sequence[Item], derived: bool, owing: dict[str, str | None]
    ) -> None:
        self.repo, self.where, self.items, self.derived = repo, repo.where, items, derived
        self.owing = owing
        self.staging = Staging(repo)
        self.full = {repo.where.full(item.change.path): item for item in items}
        self.handle: int | None = None

    def run(self, message: str, said: tuple[str, ...]) -> Saved:
        """Check, note down, write, commit, read back."""
        try:
            refuse_unfinished(self.repo, self.staging)
            if not self.derived:
                refuse_edits(self.repo, self.full, self.owing)
            if self._nothing_to_do():
                return self._unchanged(said)
            written = self._journal()
            self.handle = journal.begin(self.where, written)
            done = self._attempt(message, written)
            return self._finish(*done, said) if done else self._unchanged(said)
        finally:
            self.staging.clear()
            journal.close(self.handle)

    def _attempt(self, message: str, written: Journal) -> tuple[Made, _Found] | None:
        """Write, commit and read back; None where HEAD turns out to hold all of it already."""
        try:
            batch.write(self.items)
            made: Made | None = self._commit(message)
            return made and (made, self._read_back(written))
        except BaseException as trouble:
            made = self._after(trouble, written)
        return made and (made, self._read_back(written))

    # --- before ------------------------------------------------------------------------------

    def _nothing_to_do(self) -> bool:
        if any(item.old != item.change.data for item in self.items):
            return False
        return not (self.derived and self.repo.dirty(self.full))

    def _journal(self) -> Journal:
        kept = []
        for path, item in self.full.items():
            data = item.change.data
            blob = None if data is None else self.repo.blob_id(data)
            kept.append(Kept(path, item.old, item.mode, blob))
        made = batch.new_folders(self.items)
        folders = tuple(path.relative_to(self.where.worktree).as_posix() for path in made)
        return Journal(self.repo.commit_id(), tuple(kept), folders, self.owing)

    # --- the commit --------------------------------------------------------------------------

    def _commit(self, message: str) -> Made:
        drafts = [Draft(path, item.change.data) for path, item in self.full.items()]
        keep = () if self.handle is None else (self.handle,)
        return make_commit(self.repo, self.staging, drafts, message, keep)

    def _after(self, trouble: BaseException, written: Journal) -> Made | None:
        """What became of a write that failed: HEAD decides. Raises it again where it is undone."""
        became = Outcome.ABSENT
        if self.staging.tried:
            became = recovery.outcome(self.repo, written)
        if became is Outcome.ABSENT:
            recovery.put_back(self.where, written)
            self._end()
            raise trouble
        if not isinstance(trouble, Exception):
            raise trouble  # the journal stays, and the next write finishes this one
        if became is Outcome.SAME:
            self._end()
            return None
        return Made(warnings=(f"The commit was made, but: {trouble}",))

    def _unchanged(self, said: tuple[str, ...]) -> Saved:
        head = self.repo.commit_id()
        blobs = {path: blob.id for path, blob in self.repo.tree(head, self.full).items()}
        return Saved(
            commit=head or None,
            warnings=said,
            blobs=self._short(blobs),
            branch=self.repo.branch(),
        )

    # --- after -------------------------------------------------------------------------------

    def _finish(self, made: Made, found: _Found, said: tuple[str, ...]) -> Saved:
        commit, changes = found
        blobs, altered = self._compare(changes)
        extra = [path for path in changes if path not in self.full]
        replaced = {path: diff.old.id if diff.old else None for path, diff in changes.items()}
        self.owing = {**replaced, **self.owing}  # what was owing before is still what theirs holds
        branch = self.repo.branch()
        warnings = [*said, *made.warnings, *_odd(altered, extra)]
        if branch is None:
            warnings.append(_detached(commit))
        if not self._give_back(exact=not altered and not extra):
            warnings.append(_locked(self.staging.lock))
        return Saved(commit, True, tuple(warnings), self._short(blobs), made.identity, branch)

    def _read_back(self, written: Journal) -> _Found:
        """The commit that holds the files, and its changes: HEAD, unless someone was faster."""
        commit, changes = self.repo.changed("HEAD")
        if self.full.keys() & changes.keys():
            return commit, changes
        if recovery.outcome(self.repo, written) is Outcome.ABSENT:
            raise GitTrouble(
                "The commit was made without the file, which was put back: a hook took it out.",
                "Look at the hooks of the repository, then try again.",
            )
        return self.repo.changed(self.repo.last_commit(self.full))

    def _compare(self, changes: dict[str, Diff]) -> tuple[dict[str, str], list[str]]:
        """git's id of each file in HEAD, and the files that hold something else than was given."""
        missing = [p for p, item in self.full.items() if p not in changes and _differs(item)]
        found = self.repo.tree("HEAD", missing)
        found |= {path: diff.new for path, diff in changes.items() if diff.new}
        blobs, altered = {}, []
        for path, item in self.full.items():
            wanted = None if item.change.data is None else self.repo.blob_id(item.change.data)
            blob = found[path].id if path in found else None
            if blob is None and path not in changes and not _differs(item):
                blob = wanted
            if blob != wanted and not self._filtered(item, path, blob):
                altered.append(item.change.path)
            if blob:
                blobs[path] = blob
        return blobs, altered

    def _filtered(self, item: Item, path: str, blob: str | None) -> bool:
        data = item.change.data
        return bool(data is not None and blob and self.repo.filtered_id(data, path) == blob)

    def _give_back(self, exact: bool) -> bool:
        """Bring the user's index up to date; where it is locked, the next write will."""
        carried = self.owing.keys() - self.full.keys()
        settle = self.staging.adopt if exact and not carried else self.staging.sync
        settled = settle(self.owing)
        if settled:
            self.owing = {}
        self._end()
        return settled

    def _end(self) -> None:
        """Close the journal; only what the user's index is still owing is left in it."""
        if self.owing:
            left = Journal("", (), (), self.owing, done=True)
            journal.close(journal.begin(self.where, left))
        else:
            journal.end(self.where)

    def _short(self, by_path: dict[str, str]) -> dict[str, str]:
        return {self.where.short(path): value for path, value in by_path.items()}


def _differs(item: Item) -> bool:
    return item.old != item.change.data


def _odd(altered: Sequence[str], extra: Sequence[str]) -> list[str]:
    said = []
    if altered:
        said.append(f"A hook or an edit changed what was committed: {', '.join(altered)}.")
    if extra:
        said.append(f"A hook added to the commit: {', '.join(extra)}.")
    return said


def _detached(commit: str) -> str:
    return (
        f"HEAD is detached: no branch holds this commit, and a checkout will leave it behind. "
        f"Keep it: git branch NAME {commit[:12]}"
    )


def _locked(lock: Path) -> str:
    return (
        f"The commit is made, but {lock} is held by another git program: until the next write "
        f"`git status` shows the file as changed. If no git is running, delete the lock."
    )
