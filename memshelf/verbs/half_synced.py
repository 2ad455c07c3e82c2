"""What a sync that was killed while the branch moved forward has left, and what goes on from there."""

from __future__ import annotations

from typing import NamedTuple

from ..domain.errors import ShelfError
from ..storage.repo import Repo


class HalfSynced(NamedTuple):
    """Files, from the top of the repository, that lie as the remote has them and not as HEAD has
    them; the remote's branch; the command that goes on."""

    paths: tuple[str, ...]
    remote: str
    command: str


def half_synced(repo: Repo | None) -> HalfSynced | None:
    """What a sync has left half done, by what was fetched last: nothing is asked of the remote.

    Raises GitTrouble where git cannot use the repository.
    """
    from ..storage import catching_up, remote

    if repo is None:
        return None
    to = remote.target(repo)
    try:
        if isinstance(to, str) or not remote.known(repo, to):
            return None
        paths = catching_up.half_moved(repo, to)
        ours = remote.apart(repo, to)[0] if paths else 0
    except ShelfError:  # no commit in common, say: `sync` tells of that
        return None
    return (
        HalfSynced(paths, to.label, f"memshelf sync{' --push' if ours else ''}") if paths else None
    )
