"""What is about a shelf and not in its texts: git, its remotes, folders beside episodes, and us."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..domain.errors import ShelfError
from ..domain.finding import Finding
from ..domain.waiting import some
from ..storage.repo import Repo
from ..storage.store import Store
from .half_synced import half_synced


def around(store: Store, uncounted: Sequence[str], hours: float) -> list[Finding]:
    """Findings that no text of the shelf decides, so that each examination looks anew.

    `uncounted` are the paths of episodes without a row in the ledger, oldest first, for which
    `hours` are too long.
    """
    found = list(_installation())
    try:
        repo = _repo(store)
        found += [*_folders(store, repo), *_sync(repo)]
    except ShelfError as trouble:  # what git cannot say hides nothing of what the texts say
        said = f"git cannot be asked about this shelf: {trouble.message}"
        return [*found, Finding("error", "git-unusable", said, "", trouble.fix)]
    if uncounted:
        found += _clock(store, uncounted, repo is None, hours)
    return found


def readers(store: Store) -> Iterator[Finding]:
    """Whether everybody may read the remotes: each is asked."""
    from ..domain.reach import addresses, reach
    from ..storage.asking import who_reads

    try:
        repo = _repo(store)
        remotes = repo.remotes() if repo else {}
    except ShelfError as trouble:
        said = f"Which remotes there are cannot be told: {trouble.message}"
        yield Finding("warning", "remote-unverified", said, "", trouble.fix)
        return
    yield from reach(remotes, who_reads(addresses(remotes)))


def _repo(store: Store) -> Repo | None:
    return None if store.settings["storage"] == "plain" else Repo.of(store.root)


def _clock(store: Store, paths: Sequence[str], plain: bool, hours: float) -> Iterator[Finding]:
    from ..domain.waiting import findings
    from ..storage.clock import now
    from ..storage.waiting import waiting

    try:
        yield from findings(waiting(store, paths, plain, now()), hours)
    except ShelfError as trouble:
        said = f"git does not say how long episodes have waited: {trouble.message}"
        yield Finding("unknown", "renderer-wait-unknown", said, "ledger.tsv", trouble.fix)


def _sync(repo: Repo | None) -> Iterator[Finding]:
    """What a sync that was killed has left."""
    found = half_synced(repo)
    if found:
        said = (
            f"A sync was cut short: {some(found.paths)} as {found.remote}, and not committed here."
        )
        fix = f"`{found.command}` goes on from there."
        yield Finding("warning", "sync-unfinished", said, "", fix)


def _folders(store: Store, repo: Repo | None) -> Iterator[Finding]:
    """Folders in which an older tool kept an episode's sections; pictures in one are no finding."""
    held = [path for folder in store.folders() for path in _with_sections(store.root, folder)]
    for path in held:
        if not store.has(f"{path}.md"):
            said = "It holds sections of an episode that is not there."
            fix = "Look whether anybody needs it, then delete the folder."
            yield Finding("warning", "orphaned-split-dir", said, path, fix)
    if held and repo:
        yield from _copies(store, held)


def _copies(store: Store, held: Sequence[str]) -> Iterator[Finding]:
    from ..storage.splits import splits

    said = "git knows nothing of this folder of sections beside its episode."
    found = splits(store)
    for path in found.local:
        fix = "`memshelf prune-splits --apply` deletes it; the episode holds all of it."
        yield Finding("warning", "local-split-dir", said, path, fix)
    for path, why in found.other:
        if path in held:
            fix = f"Look at it first: {why}."
            yield Finding("warning", "local-split-dir", said, path, fix)


def _with_sections(root: Path, folder: str) -> list[str]:
    """The folders in a folder of episodes that hold Markdown."""
    try:
        with os.scandir(root / folder) as listed:
            names = [e.name for e in listed if e.name[0] != "." and e.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [f"{folder}/{n}" for n in sorted(names) if any((root / folder / n).glob("*.md"))]


def _installation() -> Iterator[Finding]:
    """Another program that answers to our names."""
    from ..capture.clients.shadow import shadowed

    found = shadowed()
    if found:
        yield found
