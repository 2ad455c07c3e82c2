"""Bring back an older state of an episode, or one that was removed, as a new commit."""

from __future__ import annotations

from typing import Annotated

from ..storage.store import Store
from ..verb import Alias, CommandLineOnly, Filled, verb
from .reworked import Reworked, reworked


@verb(writes=True, destructive=True)
def restore(
    store: Store,
    id: Annotated[str, "The episode's id of today.", Alias("episode_id")],
    *,
    rev: Annotated[str, "The git revision whose state it is to have.", Filled()],
    dry_run: Annotated[bool, "Show what would change, write nothing."] = False,
    commit: Annotated[bool, "Commit it.", CommandLineOnly()] = True,
) -> Reworked:
    """Bring back an older state of an episode, or one that was removed, as a new commit.

    It keeps its name of today, secrets are masked by the rules of today, and what replaces it stays
    written in it. Refused where the file holds an edit that is not committed.

    Example:
    memshelf restore 2026-01-20-token-bucket-limiter --rev HEAD~3 --dry-run
    memshelf restore 2026-01-20-token-bucket-limiter --rev HEAD~3
    """
    from ..storage import restoring

    made = restoring.restore(store, id, rev, not dry_run, commit)
    done = f"restored {made.id} as of {made.commit[:12]}"
    return reworked(store, done, made.carried)
