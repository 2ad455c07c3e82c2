"""Delete what is kept outside the shelf to make it fast."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from ..domain.text import plural
from ..engine import following
from ..engine.vectors_file import NAME
from ..storage.files import sentence, sizes
from ..storage.places import cache_dir
from ..storage.store import Store
from ..verb import verb


@dataclass(frozen=True)
class Cleared:
    """The folder that was emptied, and how much was in it, of which so much were vectors."""

    folder: str
    files: int
    bytes: int
    vectors: int

    def __str__(self) -> str:
        said = f"{plural(self.files, 'file')} deleted, {self.bytes:,} bytes: {self.folder}"
        return f"{said}\nvectors went too: memshelf semantic build" if self.vectors else said


@verb(name="cache clear", writes=True, mcp=False)
def cache_clear(store: Store) -> Cleared:
    """Delete what is kept outside the shelf to make it fast.

    Nothing of the shelf is touched. Answers stay the same and take longer the next time; what
    meaning adds to a search is back after `memshelf semantic build`.

    Example:
    memshelf cache clear
    """
    folder = cache_dir(store.root)
    following.close(store)
    store.close()
    found = sizes(folder)
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        pass
    except OSError as trouble:
        raise sentence(trouble, folder) from None
    vectors = sum(size for name, size in found.items() if name.startswith(NAME))
    return Cleared(str(folder), len(found), sum(found.values()), vectors)
