"""Taking over what the remote has: forward where nothing is apart, else ours on top of theirs.

Ours and theirs are brought together in a worktree of its own: until that has worked, neither the
user's files nor their branch know of it, and a process that is killed leaves them as they were.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from . import rewritten, same_ids
from .committing import identity
from .gitcall import GitTrouble
from .refusing import refuse_unfinished
from .remote import ENGLISH, Target, apart, said
from .repo import Repo, UncommittedEdit
from .staging import Staging

_PREFIX = "memshelf-sync-"
_SEVERAL = 5
_LOG = "recall-log.tsv"


class Diverged(GitTrouble):
    """Both sides have commits of their own."""

    code = "diverged"


class Sides(NamedTuple):
    """The last common commit, and how many commits each side has since."""

    base: str
    ours: int
    theirs: int


def sides(repo: Repo, to: Target) -> Sides:
    """How the branch and the remote's, as last fetched, stand to each other.

    Raises Diverged where they have nothing in common.
    """
    ours, theirs = apart(repo, to)
    base = repo.git("merge-base", "HEAD", to.ref, check=False).out.strip()
    if not base:
        shallow = (repo.where.common_dir / "shallow").exists()
        fix = (
            f"This clone is shallow: git fetch --unshallow {to.remote}"
            if shallow
            else f"Check that {to.remote} is this shelf's remote: git remote -v"
        )
        raise Diverged(f"{to.local} and {to.label} have no commit in common.", f"{fix}.")
    return Sides(base, ours, theirs)


class Taken(NamedTuple):
    """How many commits of the remote were taken over, and how many of ours gave way to them, since
    theirs hold all that ours do."""

    theirs: int
    ours: int = 0


def forward(repo: Repo, to: Target, derived: Sequence[str]) -> Taken:
    """Go forward to what the remote has, with the lock held.

    Raises Rewritten, Diverged, SameId, UncommittedEdit, MergeInProgress and GitTrouble; nothing
    changed then.
    """
    stand = _standing(repo, to)
    if not stand.theirs:
        return Taken(0)
    if stand.ours and not _hold_ours(repo, to, stand.base, derived):
        raise Diverged(
            f"{to.local} has {stand.ours} and {to.label} {stand.theirs} commits that the other "
            "has not; nothing was changed.",
            "`memshelf sync --push` puts yours on top of theirs and pushes.",
        )
    _refuse_edits(repo, "HEAD", to.ref)
    if stand.ours:
        _move(repo, repo.commit_id(), to.ref, to)
    else:
        ran = repo.git("merge", "--ff-only", "-q", to.ref, env=ENGLISH, check=False)
        if ran.code:
            raise _not_moved(ran.err)
    return Taken(stand.theirs, stand.ours)


def _standing(repo: Repo, to: Target) -> Sides:
    """How both sides stand, where nothing forbids to bring them together."""
    refuse_unfinished(repo, Staging(repo))
    rewritten.refuse(repo, to)
    stand = sides(repo, to)
    if stand.theirs:
        same_ids.refuse(repo, to, stand.base)
    return stand


def _hold_ours(repo: Repo, to: Target, base: str, derived: Sequence[str]) -> bool:
    """Whether theirs hold all that we changed, byte for byte, as after a request that was squashed.

    Derived files count for nothing: they are rendered anew.
    """
    ours = {*_changed(repo, base, "HEAD")} - {repo.where.full(path) for path in derived}
    return ours.isdisjoint(_changed(repo, "HEAD", to.ref))


def replay(repo: Repo, to: Target, derived: Sequence[str]) -> int:
    """Put our commits on top of the remote's, with the lock held; the number of theirs.

    Where both sides changed a derived file, one of them is taken: it has to be rendered anew.
    Raises as `forward` does; nothing changed then.
    """
    stand = _standing(repo, to)
    if not stand.theirs:
        return 0
    head = repo.commit_id()
    made = _in_worktree(repo, to, derived)
    _refuse_edits(repo, head, made)
    _move(repo, head, made, to)
    return stand.theirs


# --- moving ----------------------------------------------------------------------------------


def _refuse_edits(repo: Repo, old: str, new: str) -> None:
    """Raise UncommittedEdit where a file that would change holds an edit; other edits may stay.

    What is there as it will be is none: a process that was killed while moving leaves that.
    """
    dirty, as_new = _dirty(repo, _changed(repo, old, new), new)
    if dirty := tuple(path for path in dirty if path not in as_new):
        names = [repo.where.short(path) for path in dirty]
        raise UncommittedEdit(
            "What the remote changed, and what is not committed here, are the same files; nothing "
            "was changed",
            "\n".join(_some(names)),
            "Commit them, or drop the edits: git checkout HEAD -- FILE (a derived file, such as "
            "INDEX.md, can always be dropped: `memshelf rebuild` makes it anew).",
        )


def half_moved(repo: Repo, to: Target) -> tuple[str, ...]:
    """The files, from the top of the worktree, that lie as the remote has them and not as HEAD has
    them: a process that was killed while it moved there leaves that, and `forward` goes on."""
    if not apart(repo, to)[1]:
        return ()
    theirs = set(_changed(repo, sides(repo, to).base, to.ref))
    there = [path for path in _changed(repo, "HEAD", to.ref) if path in theirs]
    return tuple(sorted(_dirty(repo, there, to.ref)[1]))


def _changed(repo: Repo, old: str, new: str) -> list[str]:
    ran = repo.git("diff-tree", "-r", "-z", "--no-renames", "--name-only", old, new)
    return [path for path in ran.out.split("\0") if path]


def _dirty(repo: Repo, paths: Iterable[str], new: str) -> tuple[tuple[str, ...], set[str]]:
    """Of some files those that are not as in HEAD, and of these the ones that are as in `new`."""
    dirty = repo.dirty(paths)
    if not dirty:
        return (), set()
    differing = repo.git("diff", "--no-ext-diff", "--name-only", "-z", new, "--").out.split("\0")
    return dirty, set(dirty) - set(differing)


def _some(names: Sequence[str]) -> Iterable[str]:
    rest = len(names) - _SEVERAL
    return [*names[:_SEVERAL], *([f"and {rest} more"] if rest > 0 else [])]


def _move(repo: Repo, old: str, new: str, to: Target) -> None:
    """Bring files, index and branch from one commit to another; staged work and edits stay.

    The branch moves only if it still is where it was.
    """
    ran = repo.git("read-tree", "-m", "-u", old, new, env=ENGLISH, check=False)
    if ran.code:
        raise _not_moved(ran.err)
    note = f"memshelf sync: {to.label}"
    moved = repo.git("update-ref", "-m", note, f"refs/heads/{to.local}", new, old, check=False)
    if moved.code:
        repo.git("read-tree", "-m", "-u", new, old, check=False)
        raise _not_moved(moved.err)


def _not_moved(err: str) -> GitTrouble:
    fix = "Mend what git names, then try again."
    if "index.lock" in err:
        fix = "Another git program holds the index: wait for it; if none runs, delete the lock."
    return GitTrouble(f"The remote's commits were not taken over; git said: {said(err)}", fix)


# --- ours on top of theirs -------------------------------------------------------------------


def _in_worktree(repo: Repo, to: Target, derived: Sequence[str]) -> str:
    """A commit that holds both sides: a rebase of ours, else a merge. Raises Diverged."""
    _clear_litter(repo)
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        place = Path(folder).resolve() / "shelf"
        no_hooks = ("-c", f"core.hooksPath={os.devnull}")
        repo.git(*no_hooks, "worktree", "add", "-q", "--detach", str(place), "HEAD")
        try:
            there = Repo.of(place)
            assert there is not None
            return _joined(there, to, _settings(repo, Path(folder), derived))
        finally:
            repo.git("worktree", "remove", "--force", str(place), check=False)


def _clear_litter(repo: Repo) -> None:
    """Remove the worktrees of processes that were killed: with the lock held, no other one lives."""
    for line in repo.git("worktree", "list", "--porcelain").out.splitlines():
        place = Path(line.removeprefix("worktree "))
        if line.startswith("worktree ") and place.parent.name.startswith(_PREFIX):
            repo.git("worktree", "remove", "--force", str(place), check=False)
            shutil.rmtree(place.parent, ignore_errors=True)


def _joined(there: Repo, to: Target, settings: Sequence[str]) -> str:
    """Merges of ours are not taken apart again: they hold what somebody has settled."""
    names = identity(there)
    merges = there.git("rev-list", "--merges", "-1", f"{to.ref}..HEAD").out.strip()
    rebase = ("rebase", "-q", "--no-autosquash", "--no-autostash", to.ref)
    merge = ("merge", "-q", "--no-edit", "--no-ff", to.ref)
    for words in [merge] if merges else [rebase, merge]:
        ran = there.git(*settings, *words, env={**ENGLISH, **names}, check=False)
        if not ran.code:
            return there.commit_id()
        where = _conflicts(there)
        there.git(words[0], "--abort", check=False)
    what = f"in {', '.join(_some(where))}" if where else f"git said: {said(ran.err)}"
    raise Diverged(
        f"Your commits and those of {to.label} cannot be joined by themselves: {what}. Both are "
        "kept; nothing was changed.",
        f"Join them by hand: git merge {to.ref}, settle the conflicts, commit, then "
        "`memshelf sync --push`.",
    )


def _conflicts(there: Repo) -> list[str]:
    ran = there.git("diff", "--name-only", "--diff-filter=U", "-z", check=False)
    return [path for path in ran.out.split("\0") if path]


def _settings(repo: Repo, folder: Path, derived: Sequence[str]) -> list[str]:
    """Settings for one call: derived files never conflict, and the recall log takes both sides."""
    users = repo.git("config", "--type=path", "core.attributesFile", check=False).out.strip()
    own = Path(users).read_text("utf-8", "replace") if users and Path(users).is_file() else ""
    lines = [f"/{repo.where.full(path)} merge=memshelf-sync" for path in derived]
    lines.append(f"/{repo.where.full(_LOG)} merge=union")
    file = folder / "attributes"
    file.write_text("\n".join([own, *lines, ""]), "utf-8", newline="\n")
    return [
        *("-c", f"core.attributesFile={file}"),
        *("-c", "merge.memshelf-sync.name=rendered anew", "-c", "merge.memshelf-sync.driver=true"),
        *("-c", "rebase.updateRefs=false", "-c", "rebase.rebaseMerges=false"),
        *("-c", "merge.directoryRenames=false"),  # a folder that was archived drags nothing along
    ]
