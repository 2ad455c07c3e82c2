"""Say what is kept outside the shelf to make it fast, and whether it is up to date."""

from __future__ import annotations

from dataclasses import dataclass

from ..domain.text import plural
from ..engine import following
from ..storage.files import sizes
from ..storage.places import cache_dir
from ..storage.store import Store
from ..verb import verb


@dataclass(frozen=True)
class Cached:
    """Where the cache is, its size in bytes, and the files that the index of search holds.

    `missing` counts files that changed, came or went since, `dead` rows that stand for no file.
    """

    folder: str
    bytes: int
    index_bytes: int
    indexed: int
    missing: int
    dead: int
    kept: bool

    def __str__(self) -> str:
        missing = f"{plural(self.missing, 'file')} changed since" if self.missing else "up to date"
        kept = "" if self.kept else "\nIt cannot be written: what is needed is made anew each time."
        return (
            f"{self.folder}: {self.bytes:,} bytes{kept}\n"
            f"search: {plural(self.indexed, 'file')}, {missing}, "
            f"{plural(self.dead, 'dead row')}, {self.index_bytes:,} bytes"
        )


@verb(name="cache status", mcp=False)
def cache_status(store: Store) -> Cached:
    """Say what is kept outside the shelf to make it fast, and whether it is up to date.

    Everything there can be deleted: no answer by words depends on it, only the time that it takes,
    and vectors are made anew by `memshelf semantic build`.

    Example:
    memshelf cache status
    """
    engine = following.engine(store)
    index = engine.index
    index.refresh()
    changes = index.lacks(store.survey().rows)
    changed = {row.path for row in changes.added} | {index.docs.doc(no).path for no in changes.gone}
    folder = cache_dir(store.root)
    found = sizes(folder)
    ours = sum(
        size for name, size in found.items() if index.file and name.startswith(index.file.name)
    )
    return Cached(
        *(str(folder), sum(found.values()), ours, len(index.docs.lengths)),
        *(len(changed), index.dead, index.kept),
    )
