"""What episodes say of their own decisions that later ones reversed, for checks of the shelf."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ..domain import frontmatter
from ..domain.entry import Entry
from ..domain.episode import REVERSED, reversals
from ..domain.errors import ShelfError
from ..domain.shelf import Shelf
from .remembered import of_each
from .store import Store


def reversing(
    store: Store, shelf: Shelf, read: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> dict[str, tuple[str, ...]]:
    """`d1 ID` each, by the path of the episode that says so; only those that say any.

    An entry does not hold it, and few have it: where it was not `read` with all else, it is read
    here, and remembered by content.
    """

    def made(entry: Entry) -> str:
        there = read.get(entry.path)
        return _said(store, entry) if there is None else json.dumps(there) if there else "[]"

    said = of_each(store.cache, "reversing", shelf, made)
    pairs = zip(shelf.entries, map(json.loads, said), strict=True)
    return {entry.path: tuple(found) for entry, found in pairs if found}


def _said(store: Store, entry: Entry) -> str:
    try:
        text = store.listed(entry.path)
    except ShelfError:  # gone or unreadable by now: told elsewhere
        return "[]"
    return json.dumps(reversals(frontmatter.read(text)) if REVERSED in text else ())
