"""What follows a write: derived files where the shelf renders them, a push where it is set so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ..domain.errors import ShelfError
from ..domain.syncing import Syncing
from ..storage.gate import Saved
from ..storage.repo import Repo
from ..storage.shelving import identity
from ..storage.store import Store
from .rebuild import after_write

if TYPE_CHECKING:
    from .synced import Synced

PATIENCE = 10.0
"""Seconds that a write waits for a remote which nobody asked it to wait for."""


class Afterwards(NamedTuple):
    """What is to be said of a write, the commit that holds it by now, and what the remote said.

    `stale` says that derived files have not caught up.
    """

    warnings: tuple[str, ...]
    commit: str | None
    sync: Synced | None
    stale: bool


def afterwards(store: Store, saved: Saved, paths: Iterable[str]) -> Afterwards:
    """Render after a write and push it, as the shelf's settings say; `paths` are its files.

    What goes wrong is said and never raised: the write is made already.
    """
    rendered = after_write(store, saved.committed)
    said = (*saved.warnings, *identity(saved), *rendered)
    stale = store.settings["rebuild"] != "after-write" or bool(rendered)
    try:
        sync = _pushed(store) if saved.committed else None
    except ShelfError as trouble:
        return Afterwards((*said, f"Nothing was pushed: {trouble}"), saved.commit, None, stale)
    return Afterwards(said, commit_by_now(store, sync, saved.commit, paths), sync, stale)


def _pushed(store: Store) -> Synced | None:
    if not Syncing.of(store.tables).autopush:
        return None
    from . import syncing

    known = syncing.caught_up(store, PATIENCE, lenient=True)
    return syncing.pushed(store, known, automatic=True)


def commit_by_now(
    store: Store, sync: Synced | None, commit: str | None, paths: Iterable[str]
) -> str | None:
    """The commit that holds a write to some files: another one, where a push (also that of a writer
    at the same time) put it on top of what the remote had."""
    repo = Repo.of(store.root) if sync and sync.push_requested else None
    if repo is None:
        return commit
    return repo.last_commit([repo.where.full(path) for path in paths])
