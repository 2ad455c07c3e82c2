"""What episodes say of their own decisions that later ones reversed, for checks of the shelf."""

from __future__ import annotations

import json

from ..domain.entry import Entry
from ..domain.episode import REVERSED, reversals
from ..domain.errors import ShelfError
from ..domain.frontmatter import read
from ..domain.shelf import Shelf
from .remembered import of_each
from .store import Store


def reversing(store: Store, shelf: Shelf) -> dict[str, tuple[str, ...]]:
    """`d1 ID` each, by the path of the episode that says so; only those that say any.

    An entry does not hold it, and few have it: it is read here and remembered by content.
    """
    said = of_each(store.cache, "reversing", shelf, lambda entry: _said(store, entry))
    pairs = zip(shelf.entries, map(json.loads, said), strict=True)
    return {entry.path: tuple(found) for entry, found in pairs if found}


def _said(store: Store, entry: Entry) -> str:
    try:
        text = store.listed(entry.path)
    except ShelfError:  # gone or unreadable by now: told elsewhere
        return "[]"
    return json.dumps(reversals(read(text)) if REVERSED in text else ())
