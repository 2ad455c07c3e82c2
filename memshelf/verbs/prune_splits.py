"""Remove the copies of sections that an older tool left in folders beside episodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ..storage import splits
from ..storage.store import Store
from ..verb import verb

NOTE = "The sections are copies: the episode stays as it is, and `recall --section` slices it."


@dataclass(frozen=True)
class Pruned:
    """Folders of copies: on this machine alone, tracked by git, and those that were deleted.

    The peer's keys, with its meanings; `warnings` name folders that hold something else.
    """

    local: tuple[str, ...]
    tracked: tuple[str, ...]
    deleted: tuple[str, ...]
    count: int
    applied: bool
    note: str
    warnings: tuple[str, ...] = ()

    @property
    def hint(self) -> str:
        """What to do next, where something was found and nothing done."""
        return "" if self.applied or not self.local else "dry run: --apply deletes them"

    def __str__(self) -> str:
        would = "deleted" if self.applied else "a copy"
        rows = [f"{would}: {folder}" for folder in self.local]
        rows += [f"left alone, git tracks it: {folder}" for folder in self.tracked]
        rows += [f"warning: {text}" for text in self.warnings]
        return "\n".join(rows or ["There are no copies of sections beside episodes."])


@verb(writes=True, destructive=True)
def prune_splits(
    store: Store, *, apply: Annotated[bool, "Delete them; else they are only listed."] = False
) -> Pruned:
    """Remove the copies of sections that an older tool left in folders beside episodes.

    Only where git tracks nothing of the folder, and where each line in it stands in the episode too:
    whatever else is there is named and left.

    Example:
    memshelf prune-splits
    memshelf prune-splits --apply
    """
    found = splits.splits(store)
    deleted = splits.prune(store, found) if apply else ()
    return Pruned(
        *(found.local, found.tracked, deleted, len(found.local), apply, NOTE),
        tuple(f"{folder} is left alone: {why}." for folder, why in found.other),
    )
