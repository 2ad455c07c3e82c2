"""Show which shelf this is and how it stands."""

from __future__ import annotations

from dataclasses import dataclass

from ..domain.errors import ShelfError
from ..domain.text import plural
from ..storage import gitdir, recalls
from ..storage.repo import Repo
from ..storage.store import Store
from ..verb import verb
from . import rendering


@dataclass(frozen=True)
class Status:
    """Where the shelf is, how it is kept, what is on it, and what waits."""

    root: str
    name: str
    storage: str
    branch: str | None
    in_progress: str | None
    episodes: int
    archived: int
    as_of: str
    rebuild: str
    drifted: tuple[str, ...]
    uncommitted: tuple[str, ...]
    git_trouble: str
    problems: int
    pending_recalls: int
    unfinished_sync: str = ""

    def __str__(self) -> str:
        kept = {"plain": "plain files, no history", "git-local": "git, no remote"}.get(
            self.storage, "git, with a remote"
        )
        branch = f", on {self.branch}" if self.branch else ""
        rows = [
            f"{self.name}  ({self.root})",
            f"kept as     {kept}{branch}",
            f"episodes    {self.episodes} ({self.archived} archived), newest {self.as_of or 'none yet'}",
            f"derived     {_state(self.drifted)}; rendered {self.rebuild}",
        ]
        if self.in_progress:
            rows.append(
                f"git         a {self.in_progress} is in progress: finish it before writing"
            )
        if self.git_trouble:
            rows.append(f"git         what is uncommitted is not known: {self.git_trouble}")
        if self.uncommitted:
            rows.append(f"uncommitted {', '.join(self.uncommitted[:5])}")
        if self.unfinished_sync:
            rows.append(f"sync        was cut short: {self.unfinished_sync} goes on from there")
        if self.problems:
            rows.append(f"unreadable  {plural(self.problems, 'file')}: memshelf doctor names them")
        if self.pending_recalls:
            rows.append(f"recalls     {self.pending_recalls} to be folded in by the next rebuild")
        return "\n".join(rows)


def _state(drifted: tuple[str, ...]) -> str:
    return (
        "up to date" if not drifted else f"{plural(len(drifted), 'file')} behind: memshelf rebuild"
    )


@verb()
def status(store: Store) -> Status:
    """Show which shelf this is and how it stands.

    Example:
    memshelf status
    """
    survey = store.survey()
    shelf = store.snapshot(survey)
    where = None if store.config.storage == "plain" else gitdir.find(store.root)
    repo = Repo.of(store.root) if where else None
    uncommitted, trouble = _uncommitted(repo)
    return Status(
        root=str(store.root),
        name=shelf.name,
        storage=_storage(repo, trouble),
        branch=gitdir.head(where).branch if where else None,
        in_progress=gitdir.in_progress(where) if where else None,
        episodes=len(shelf.entries),
        archived=len(shelf.archived),
        as_of=shelf.as_of,
        rebuild=shelf.config.rebuild,
        drifted=rendering.check(store, survey, shelf).drifted,
        uncommitted=uncommitted,
        git_trouble=trouble,
        problems=len(shelf.problems),
        pending_recalls=sum(1 for _ in recalls.pending(store.root)),
        unfinished_sync=_unfinished(repo) if uncommitted else "",
    )


def _storage(repo: Repo | None, trouble: str) -> str:
    if repo is None:
        return "plain"
    return "git-remote" if not trouble and repo.remotes() else "git-local"


def _uncommitted(repo: Repo | None) -> tuple[tuple[str, ...], str]:
    """Episode files that HEAD does not hold as they are; or why git does not say."""
    if repo is None:
        return (), ""
    words = ("status", "--porcelain", "-z", "--untracked-files=all", "--")
    try:
        said = repo.git(*words, *_folders(repo)).out
    except ShelfError as trouble:
        return (), str(trouble)
    names = (row[3:] for row in said.split("\0") if len(row) > 3)
    return tuple(sorted(name for name in names if name.endswith(".md"))), ""


def _unfinished(repo: Repo | None) -> str:
    from .half_synced import half_synced

    found = half_synced(repo)
    return found.command if found else ""


def _folders(repo: Repo) -> tuple[str, ...]:
    return tuple(repo.where.full(name) for name in ("docs", "archive/docs"))
