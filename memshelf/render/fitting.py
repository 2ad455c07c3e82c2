"""The phone file within a size: whole episodes are left out, the oldest first, until it fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.errors import ShelfError
from .html import Document

Inside = tuple[Entry, ...]
Make = Callable[[Inside, Inside], Document]
"""The page of some episodes, newest first, that names others as left out."""

_SHELL = 30_000
"""About what a page weighs before its first episode."""


class Fitted(NamedTuple):
    """A page, the episodes that it holds, and those that were left out, newest first."""

    document: Document
    inside: Inside
    left_out: Inside = ()


def fitted(inside: Inside, make: Make, limit: int) -> Fitted:
    """The page with as many of the newest episodes as `limit` bytes hold.

    Raises ShelfError where not even the newest fits.
    """
    whole = make(inside, ()).held()
    if whole.size <= limit:
        return Fitted(whole, inside)
    if not inside:
        raise _too_small(limit, f"no page: an empty one has {whole.size:,}")
    kept = _estimate(whole, len(inside), limit)
    while kept > 0:
        page = make(inside[:kept], inside[kept:]).held()
        if page.size <= limit:
            return Fitted(page, inside[:kept], inside[kept:])
        kept -= max(1, kept * (page.size - limit) // page.size)
    alone = make(inside[:1], inside[1:]).held().size
    raise _too_small(limit, f"no episode: a page of the newest alone has {alone:,}")


def _too_small(limit: int, what: str) -> ShelfError:
    return ShelfError(f"{limit:,} bytes hold {what}.", "Give a larger --max-size.", "too-small")


def _estimate(whole: Document, count: int, limit: int) -> int:
    """How many of the newest of so many episodes fit, each with its share of the lists."""
    sizes = [len(article) for article in whole.articles] or [0] * count  # an index has none
    share = (len(whole.head) + len(whole.tail) - _SHELL) / count
    room, kept = float(limit - _SHELL), 0
    for size in sizes:
        room -= size + share
        if room < 0:
            break
        kept += 1
    return max(1, kept)
