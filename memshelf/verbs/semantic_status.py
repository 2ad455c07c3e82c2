"""Say how much of the shelf is embedded, by which model, and why it is not."""

from __future__ import annotations

from dataclasses import dataclass

from ..domain.sizes import said_size
from ..domain.text import plural
from ..storage.store import Store
from ..verb import verb


@dataclass(frozen=True)
class Embedding:
    """How far the vectors are: `missing` counts episodes, `bytes` are those of the file on disk.

    `why` says why no model is at hand; then `model` is "" and every episode is missing.
    """

    model: str
    dim: int
    chunks: int
    episodes: int
    missing: int
    bytes: int
    why: str

    def __str__(self) -> str:
        size = f"vectors   {said_size(self.bytes)} on disk"
        if self.why:
            return f"model     none: {self.why}\n{size}"
        left = f", {self.missing:,} not yet: run memshelf semantic build" if self.missing else ""
        return (
            f"model     {self.model}, {self.dim} numbers a vector\n"
            f"embedded  {plural(self.chunks, 'chunk')} of {plural(self.episodes, 'episode')}{left}\n"
            f"{size}"
        )


@verb(name="semantic status", mcp=False)
def semantic_status(store: Store) -> Embedding:
    """Say how much of the shelf is embedded, by which model, and why it is not.

    Example:
    memshelf semantic status
    """
    from ..engine.meaning import named, status

    return Embedding(*status(store, named(store)))
