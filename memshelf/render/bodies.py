"""The bodies of episodes as HTML, section by section."""

from __future__ import annotations

from collections.abc import Callable

from ..domain.entry import Entry
from ..domain.errors import ShelfError
from ..domain.shelf import Shelf
from .markdown import fragment

Body = tuple[tuple[str, str], ...]
"""(section, HTML) with the digest first; links in it are not resolved yet."""
Bodies = Callable[[Entry], Body]


def bodies_of(shelf: Shelf) -> Bodies:
    """The bodies of a snapshot, each rendered when it is asked for."""
    return lambda entry: _body(shelf, entry)


def _body(shelf: Shelf, entry: Entry) -> Body:
    try:
        episode = shelf.load(entry.path)
    except (ShelfError, LookupError):  # the file has gone: what was read of it is still shown
        return (("Digest", fragment(entry.digest)),)
    pairs = (("Digest", episode.digest), *episode.sections)
    return tuple((name, fragment(text) if text else "") for name, text in pairs)
