"""Delete what is kept outside the shelf to make it fast."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from ..domain.text import plural
from ..engine import following
from ..storage.files import sentence, sizes
from ..storage.places import cache_dir
from ..storage.store import Store
from ..verb import verb


@dataclass(frozen=True)
class Cleared:
    """The folder that was emptied, and how much was in it."""

    folder: str
    files: int
    bytes: int

    def __str__(self) -> str:
        return f"{plural(self.files, 'file')} deleted, {self.bytes:,} bytes: {self.folder}"


@verb(name="cache clear", writes=True, mcp=False)
def cache_clear(store: Store) -> Cleared:
    """Delete what is kept outside the shelf to make it fast.

    Nothing of the shelf is touched, and every answer stays the same; the next ones take longer.

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
    return Cleared(str(folder), len(found), sum(found.values()))
