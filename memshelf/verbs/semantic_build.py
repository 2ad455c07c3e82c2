"""Embed what is not embedded yet, so that a search finds what is said in other words."""

from __future__ import annotations

from dataclasses import dataclass

from ..domain.errors import ShelfError
from ..domain.text import plural
from ..storage.store import Store
from ..verb import verb


@dataclass(frozen=True)
class Embedded:
    """How many chunks were embedded now, and how many there are; `kept` on disk or in memory."""

    model: str
    episodes: int
    embedded: int
    chunks: int
    kept: bool

    def __str__(self) -> str:
        all_ = f"{plural(self.chunks, 'chunk')} of {plural(self.episodes, 'episode')}"
        row = f"embedded {plural(self.embedded, 'new chunk')}; there are {all_} ({self.model})"
        lost = "warning: the cache folder cannot be written, and they are lost with this process."
        return row if self.kept else f"{row}\n{lost}"


@verb(name="semantic build", mcp=False)
def semantic_build(store: Store) -> Embedded:
    """Embed what is not embedded yet, so that a search finds what is said in other words.

    A search embeds a few new sections by itself; this is for the first time, and after many
    changes. It may be ended at any time: what is done stays.

    Example:
    memshelf semantic build
    """
    from ..engine.meaning import build, named

    made = build(store, store.report, named(store))
    if made.why:
        raise ShelfError(made.why, code="no-encoder")
    return Embedded(made.model, made.episodes, made.embedded, made.chunks, made.kept)
