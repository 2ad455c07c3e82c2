"""Delete the vectors of a shelf, which lie in the cache folder."""

from __future__ import annotations

from dataclasses import dataclass

from ..domain.sizes import said_size
from ..storage.store import Store
from ..verb import verb


@dataclass(frozen=True)
class Dropped:
    """How many bytes the vectors took on disk."""

    bytes: int

    def __str__(self) -> str:
        return (
            f"deleted {said_size(self.bytes)} of vectors; `memshelf semantic build` makes them anew"
        )


@verb(name="semantic drop", mcp=False)
def semantic_drop(store: Store) -> Dropped:
    """Delete the vectors of a shelf, which lie in the cache folder.

    Nothing on the shelf changes, and a search finds by words as before. To do without meaning at
    all, set MEMSHELF_SEMANTIC=off.

    Example:
    memshelf semantic drop
    """
    from ..engine.meaning import drop

    return Dropped(drop(store))
