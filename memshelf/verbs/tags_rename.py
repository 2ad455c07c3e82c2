"""Rename a tag in every episode that has it."""

from __future__ import annotations

from typing import Annotated

from ..storage.store import Store
from ..verb import CommandLineOnly, verb
from .reworked import Reworked, refuse_both, reworked


@verb(name="tags rename", writes=True, destructive=True)
def tags_rename(
    store: Store,
    old: Annotated[str, "The tag, in any spelling."],
    new: Annotated[str, "What it is to be called."],
    *,
    apply: Annotated[bool, "Write it; else it is only shown."] = False,
    dry_run: Annotated[bool, "Show only, which is what happens without --apply."] = False,
    commit: Annotated[bool, "Commit it.", CommandLineOnly()] = True,
) -> Reworked:
    """Rename a tag in every episode that has it.

    Spellings that differ by case or accents alone are one tag, and all of them follow, in archived
    episodes too. An episode that has the new tag already keeps it once. Shown first; --apply writes
    all in one commit.

    Example:
    memshelf tags rename infra infrastructure
    memshelf tags rename infra infrastructure --apply
    """
    from ..storage import changing

    refuse_both(apply, dry_run)
    made = changing.rename_tag(store, old, new, apply, commit)
    return reworked(store, f"renamed the tag {old} to {new}", made, not dry_run)
