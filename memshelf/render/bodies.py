"""The bodies of episodes as HTML, section by section, whatever else is in the page."""

from __future__ import annotations

from collections.abc import Callable
from unicodedata import unidata_version

from ..domain.entry import Entry
from ..domain.episode import Sections
from ..domain.errors import ShelfError
from ..domain.shelf import Shelf
from .commonmark import version_of, versions
from .escape import plain
from .links import Cut, cut
from .markdown import VERSION, fragment

Body = tuple[tuple[str, Cut], ...]
"""(section, HTML) with the digest first, the HTML cut where links of the page are to be put in
(`links.joined`). It depends on the episode's text alone, so it may be kept."""
Bodies = Callable[[Entry], Body]

_PART, _PIECE = "\x1e", "\x1f"  # no HTML of ours holds a control character


COLOURED = 500
"""So many of a shelf's newest episodes have their code in colours. Finding these costs more than
all the rest of rendering, and code is read while it is new."""


def bodies_of(shelf: Shelf) -> Bodies:
    """The bodies of a snapshot, each rendered when it is asked for."""
    newest = coloured(shelf)
    return lambda entry: body_in(shelf, entry, entry.path in newest)


def coloured(shelf: Shelf) -> frozenset[str]:
    """The paths of the episodes whose code has colours."""
    return frozenset(entry.path for entry in shelf.entries[-COLOURED:])


def body_in(shelf: Shelf, entry: Entry, colours: bool) -> Body:
    """The body of one episode of a snapshot, or its digest where its file has gone by now."""
    try:
        episode = shelf.load(entry.path)
    except (ShelfError, LookupError):
        return body(entry.digest, (), colours)
    return body(episode.digest, episode.sections, colours)


def body(digest: str, sections: Sections, colours: bool) -> Body:
    """The digest and the sections of an episode, each rendered by itself; names are harmless text."""
    pairs = (("Digest", digest), *sections)
    made = ((plain(name), fragment(text, colours) if text else "") for name, text in pairs)
    return tuple((name, cut(html)) for name, html in made)


# --- to be kept ------------------------------------------------------------------------------


def version() -> str:
    """Changes whenever an episode's body could come out differently: a key of what is kept."""
    return f"{VERSION} {versions()} pygments {version_of('pygments')} unicode {unidata_version}"


def packed(body: Body) -> str:
    """A body as one text."""
    return _PART.join(part for name, pieces in body for part in (name, _PIECE.join(pieces)))


def unpacked(text: str) -> Body | None:
    """The body of such a text, None where it is damaged."""
    parts = text.split(_PART)
    if len(parts) % 2:
        return None
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return tuple((name, tuple(pieces.split(_PIECE))) for name, pieces in pairs)
