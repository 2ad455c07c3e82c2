"""Folders beside an episode in which an older tool kept copies of its sections."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..domain.errors import ShelfError
from . import files
from .repo import Repo
from .store import Store

_SUBINDEX = "SUBINDEX.md"


class Splits(NamedTuple):
    """Such folders: copies on this machine alone, those that git tracks, and with a reason each,
    those that hold something else than the episode does."""

    local: tuple[str, ...]
    tracked: tuple[str, ...]
    other: tuple[tuple[str, str], ...]


def splits(store: Store) -> Splits:
    """The folders that bear the name of an episode and stand beside it. Raises ShelfError without git."""
    repo = None if store.settings["storage"] == "plain" else Repo.of(store.root)
    if repo is None:
        said = "Without git nobody can say which of these folders are on this machine alone."
        raise ShelfError(said, "Look at the folders beside the episodes yourself.", "no-git")
    local, tracked, other = [], [], []
    for episode, folder in sorted(_beside(store)):
        if _is_tracked(repo, folder):
            tracked.append(folder)
        elif why := _foreign(store, episode, folder):
            other.append((folder, why))
        else:
            local.append(folder)
    return Splits(tuple(local), tuple(tracked), tuple(other))


def _beside(store: Store) -> Iterator[tuple[str, str]]:
    """Each episode with the folder of its name, where there is one that is no link."""
    for folder in store.folders():
        with os.scandir(store.root / folder) as found:
            names = [e.name for e in found if e.is_dir(follow_symlinks=False) and e.name[0] != "."]
        for name in names:
            if store.has(f"{folder}/{name}.md"):
                yield f"{folder}/{name}.md", f"{folder}/{name}"


def _is_tracked(repo: Repo, folder: str) -> bool:
    return bool(repo.git("ls-files", "-z", "--", f":(top,literal){repo.where.full(folder)}").raw)


def _foreign(store: Store, episode: str, folder: str) -> str:
    """Why a folder is no mere copy of the episode beside it; "" where it is."""
    known = {_bare(line) for line in store.text(episode).splitlines()}
    for path in sorted((store.root / folder).rglob("*")):
        short = path.relative_to(store.root).as_posix()
        if path.is_symlink() or path.is_dir() or path.suffix != ".md":
            return f"{short} is no section of it"
        if path.name != _SUBINDEX and not _lines(path, short) <= known:
            return f"{short} holds lines that it does not"
    return ""


def _lines(path: Path, short: str) -> set[str]:
    text = files.decoded(files.read_bytes(str(path), short, files.SIZE_LIMIT), short)
    return {_bare(line) for line in text.splitlines()}


def _bare(line: str) -> str:
    """A line without the marks of a heading, whose level the copies changed."""
    return line.strip().lstrip("#").strip()


def prune(store: Store, found: Splits) -> tuple[str, ...]:
    """Delete the local copies; those that are gone."""
    for folder in found.local:
        path = files.safe_join(store.root, folder)
        with files.telling(folder):
            shutil.rmtree(path)
    return found.local
