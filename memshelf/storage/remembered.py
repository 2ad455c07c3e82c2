"""Texts that were made of a shelf, remembered in its cache: disposable like all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.shelf import Shelf
from .cache import Cache


class Remembered(NamedTuple):
    """The one text of a name, under a key that names all that it was made of."""

    cache: Cache
    name: str
    key: str

    def text(self) -> str:
        """The text, "" where none is known under this key."""
        key, _, text = self.cache.fact(self.name).partition("\0")
        return text if key == self.key else ""

    def keep(self, text: str) -> None:
        """Remember a text in the place of the one before."""
        self.cache.keep_fact(self.name, f"{self.key}\0{text}")


def of_each(cache: Cache, name: str, shelf: Shelf, make: Callable[[Entry], str]) -> list[str]:
    """What `make` says of each entry of a shelf whose contents are known, remembered by content.

    What it says holds no NUL. All of it is one text: a fiftieth of the time that facts take.
    """
    cells = cache.fact(name).split("\0")
    known = dict(zip(cells[::2], cells[1::2], strict=False))
    keys = [f"{shelf.contents.get(entry.path, '')} {entry.path}" for entry in shelf.entries]
    found = [known.get(key) or make(entry) for key, entry in zip(keys, shelf.entries, strict=True)]
    if any(key not in known for key in keys):
        pairs = zip(keys, found, strict=True)
        cache.keep_fact(name, "\0".join(cell for pair in pairs for cell in pair))
    return found
