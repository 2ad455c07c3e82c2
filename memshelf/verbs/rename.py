"""Give an episode another id; everything that names it follows."""

from __future__ import annotations

from typing import Annotated

from ..domain.text import plural
from ..storage.store import Store
from ..verb import CommandLineOnly, verb
from .reworked import Reworked, reworked


@verb(writes=True, destructive=True, idempotent=False)
def rename(
    store: Store,
    old: Annotated[str, "The episode's id."],
    new: Annotated[str, "The id that it is to have: YYYY-MM-DD-words."],
    *,
    dry_run: Annotated[bool, "Show what would change, write nothing."] = False,
    commit: Annotated[bool, "Commit it.", CommandLineOnly()] = True,
) -> Reworked:
    """Give an episode another id; everything that names it follows.

    The file moves, and in other episodes each mention of it, link to it, thread or decision of it
    and list with it is changed, in one commit. The site leads from the old address to the new one.

    Example:
    memshelf rename 2026-01-20-token-bucket-limiter 2026-01-20-rate-limits --dry-run
    memshelf rename 2026-01-20-token-bucket-limiter 2026-01-20-rate-limits
    """
    from ..storage import renaming

    made = renaming.rename(store, old, new, not dry_run, commit)
    others = len(made.carried.plan.reworks) - 1
    done = f"renamed {made.old} to {made.new}, named in {plural(others, 'other file')}"
    return reworked(store, done, made.carried)
