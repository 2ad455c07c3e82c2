"""Make the index of search anew from all files, or bring it up to date."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ..domain.errors import ShelfError
from ..domain.text import plural
from ..engine import following
from ..storage.lock import LockBusy
from ..storage.store import Store
from ..verb import verb


@dataclass(frozen=True)
class Indexed:
    """How many files were read, and how many the index holds now."""

    read: int
    indexed: int

    def __str__(self) -> str:
        return f"{plural(self.indexed, 'file')} in the index, {self.read:,} of them read now"


@verb(name="cache rebuild", mcp=False)
def cache_rebuild(
    store: Store,
    *,
    missing: Annotated[bool, "Read only what changed since."] = False,
) -> Indexed:
    """Make the index of search anew from all files, or bring it up to date.

    It follows the shelf by itself; this is for the first time on a large shelf, when nobody waits.

    Example:
    memshelf cache rebuild
    memshelf cache rebuild --missing
    """
    engine = following.engine(store)
    if not engine.index.kept:
        said = f"No index can be kept in {engine.folder}."
        raise ShelfError(said, "Make that folder writable, or set MEMSHELF_CACHE_DIR.", "no-cache")
    try:
        read = engine.build(store, anew=not missing)
    except LockBusy:
        said = "Another process is making this index."
        raise ShelfError(said, "Wait for it: memshelf cache status", "busy") from None
    return Indexed(read, len(engine.index.docs.lengths))
