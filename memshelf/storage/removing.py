"""Episodes taken off the shelf: the files, in one commit of exactly these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from . import gate
from .gate import Change, Saved
from .repo import Repo
from .shelving import save
from .store import Store


class Removed(NamedTuple):
    """What became of the write; `loose` are files that git did not know, which are gone for good."""

    saved: Saved
    loose: tuple[str, ...] = ()


def remove(store: Store, paths: Sequence[str], message: str) -> Removed:
    """Delete files and commit that. Raises UncommittedEdit where one holds an edit of today.

    A file that was never given to git is only deleted: no commit may come to hold it.
    """
    loose = _unknown(store, paths)
    known = [path for path in paths if path not in loose]
    saved = save(store, [_gone(store, path) for path in known], message, commit=True)
    if loose:
        plain = gate.save(store.root, [_gone(store, path) for path in loose], message, commit=False)
        saved = saved if known else Saved(warnings=plain.warnings[:-1])
    return Removed(saved, tuple(loose))


def _gone(store: Store, path: str) -> Change:
    return Change(path, None, store.bytes(path))


def _unknown(store: Store, paths: Sequence[str]) -> list[str]:
    repo = None if store.settings["storage"] == "plain" else Repo.of(store.root)
    if repo is None:
        return []
    full = {repo.where.full(path): path for path in paths}
    known = {*repo.tree(repo.commit_id(), full), *repo.staged(full, {})}
    return [path for place, path in full.items() if place not in known]
