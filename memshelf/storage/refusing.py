"""What stops a commit before anything is written."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from . import batch, gitdir
from .batch import Item
from .repo import MergeInProgress, Repo, UncommittedEdit
from .staging import Staging


def refuse_unfinished(repo: Repo, staging: Staging) -> None:
    """Raise MergeInProgress in the middle of a merge, a rebase and their kin. `staging` looks."""
    if begun := gitdir.in_progress(repo.where):
        raise MergeInProgress(begun)
    staging.look()
    staging.refuse_unmerged()


def refuse_edits(repo: Repo, items: Mapping[str, Item], owing: Collection[str]) -> None:
    """Raise UncommittedEdit where a file, or what is staged of it, is not what HEAD holds.

    `items` are by their path from the top of the worktree; of those in `owing` the user's index is
    known to lag behind, so that only the disk counts.
    """
    there = [path for path, item in items.items() if item.old is not None]
    for path in repo.dirty(there):
        if path in owing and _committed(repo, path, items[path].old):
            continue
        name = repo.where.short(path)
        raise UncommittedEdit(
            f"{name} holds an edit that is not committed",
            _diff(repo, path, items[path].old if path in items else None),
            f"Nothing was written. In the shelf's folder, keep the edit: git add -f {name} and "
            f"git commit {name}; or drop it: git checkout HEAD -- {name}. Then repeat.",
        )


def _committed(repo: Repo, path: str, old: bytes | None) -> bool:
    found = repo.tree("HEAD", [path]).get(path)
    return bool(old is not None and found and repo.filtered_id(old, path) == found.id)


def _diff(repo: Repo, path: str, old: bytes | None) -> str:
    """From HEAD to the disk, or where these agree, to what is staged."""
    head = repo.tree(repo.commit_id(), [path]).get(path)
    staged = repo.staged([path], {}).get(path)
    before, name = repo.content(head), repo.where.short(path)
    return batch.unified(name, before, old or b"") or batch.unified(
        name, before, repo.content(staged)
    )
