"""Renderers: a snapshot of a shelf in, files out. Importing this costs nothing.

No clock, disk, locale, environment or hash order: what two machines render is equal byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..domain.page import Page
    from ..domain.shelf import Shelf

Renderer = Callable[["Shelf"], Iterable["Page"]]


def _index(shelf: Shelf) -> Iterable[Page]:
    from .index import index

    return index(shelf)


def _ledger(shelf: Shelf) -> Iterable[Page]:
    from .ledger import ledger

    return ledger(shelf)


def _meta(shelf: Shelf) -> Iterable[Page]:
    from .meta import meta

    return meta(shelf)


DERIVED: tuple[Renderer, ...] = (_index, _ledger, _meta)
"""What `rebuild` renders, but for stats.svg: see `render.chart`, which draws only on need."""

_CATEGORIES = ("research", "sessions", "topics")
OWNED: tuple[str, ...] = (
    "INDEX.md",
    "ledger.tsv",
    "stats.svg",
    "archive/INDEX.md",
    *(f"{root}/{name}/.meta.json" for root in ("docs", "archive/docs") for name in _CATEGORIES),
)
"""Every path that may hold a derived file: one that no renderer makes is stale and goes."""


def derived(shelf: Shelf) -> list[Page]:
    """Every derived file of a shelf except stats.svg, sorted by path."""
    return sorted(page for renderer in DERIVED for page in renderer(shelf))


def owned(shelf: Shelf) -> list[str]:
    """The paths of a shelf that hold derived files and nothing else; a `.meta.json` in a folder
    of another name is a source, written by hand, and not among them."""
    return list(OWNED)
