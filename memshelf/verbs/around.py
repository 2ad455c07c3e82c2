"""What is about a shelf and not in its texts: git, its remotes, folders beside episodes, and us."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..domain.errors import ShelfError
from ..domain.finding import Finding
from ..storage.repo import Repo, literal
from ..storage.store import Store


def around(store: Store, uncounted: Sequence[str], hours: float, remotes: bool) -> list[Finding]:
    """Findings that no text of the shelf decides, so that each examination looks anew.

    `uncounted` are the paths of episodes without a row in the ledger, oldest first, for which
    `hours` are too long; with `remotes` each remote is asked whether everybody may read it.
    """
    plain = store.settings["storage"] == "plain"
    repo = None if plain else Repo.of(store.root)
    found = [*_folders(store, repo), *_installation()]
    if uncounted:
        found += _clock(store, uncounted, plain, hours)
    if remotes:
        found += _remotes(repo)
    return found


def _clock(store: Store, paths: Sequence[str], plain: bool, hours: float) -> Iterator[Finding]:
    from ..domain.waiting import findings
    from ..storage.clock import now
    from ..storage.waiting import waiting

    try:
        yield from findings(waiting(store, paths, plain, now()), hours)
    except ShelfError as trouble:
        said = f"git does not say how long episodes have waited: {trouble.message}"
        yield Finding("unknown", "renderer-wait-unknown", said, "ledger.tsv", trouble.fix)


def _remotes(repo: Repo | None) -> Iterator[Finding]:
    from ..domain.reach import addresses, reach
    from ..storage.asking import who_reads

    remotes = repo.remotes() if repo else {}
    yield from reach(remotes, who_reads(addresses(remotes)))


def _folders(store: Store, repo: Repo | None) -> Iterator[Finding]:
    """Folders in which the peer once kept an episode's sections; pictures in one are no finding."""
    found = [path for folder in store.folders() for path in _splits(store.root, folder)]
    for path in found:
        if not store.has(f"{path}.md"):
            said = "It holds sections of an episode that is not there."
            fix = "Look whether anybody needs it, then delete the folder."
            yield Finding("warning", "orphaned-split-dir", said, path, fix)
        elif repo and not _tracked(repo, path):
            said = "git knows nothing of this folder beside its episode, which holds all sections."
            fix = "Compare it with the episode, then delete the folder."
            yield Finding("warning", "local-split-dir", said, path, fix)


def _splits(root: Path, folder: str) -> list[str]:
    try:
        with os.scandir(root / folder) as listed:
            names = [e.name for e in listed if e.name[0] != "." and e.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [f"{folder}/{n}" for n in sorted(names) if any((root / folder / n).glob("*.md"))]


def _tracked(repo: Repo, path: str) -> bool:
    return bool(repo.git("ls-files", "-z", "--", literal(repo.where.full(path))).raw)


def _installation() -> Iterator[Finding]:
    """Another program that answers to our names."""
    from ..capture.clients.shadow import shadowed

    found = shadowed()
    if found:
        yield found
