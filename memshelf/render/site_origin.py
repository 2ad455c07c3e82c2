"""Where an episode comes from, and what was changed in it since: the small print of its page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..domain.changes import FRONT, Change
from ..domain.entry import Entry
from ..domain.shelf import Shelf
from .escape import plain

_SECTIONS = 4
_MAIL = re.compile(r"\s*<?([^\s<>()@]+)@[^\s<>()@]+>?")


class Past(NamedTuple):
    """A line about the first version, one for each later change, newest first, and a line about how
    far back git knows, where that is not all the way; each may be empty."""

    first: str
    later: tuple[str, ...]
    begins: str


def past(shelf: Shelf, entry: Entry) -> Past:
    """What git and the episode itself say of its past."""
    history = shelf.changes
    origin = history.origin(entry.path)
    begins = f"History begins on {history.begins} here." if history.begins and not origin else ""
    later = tuple(map(_changed, history.later(entry.path)))
    return Past(" · ".join(filter(None, _first(entry, origin))), later, begins)


def _first(entry: Entry, origin: Change | None) -> Iterator[str]:
    if origin:
        yield plain(f"Shelved on {origin.day} by {_name(origin.author)}" if origin.day else "")
    said = (("author", _name(entry.author)), ("agent", entry.agent))
    for name, text in (*said, ("session", entry.session), ("mode", entry.mode)):
        if text:
            yield f"{name}: {plain(text)}"


def _name(who: str) -> str:
    """A name without the address that may stand beside it, or in its place.

    >>> _name("Ann Lee <ann@example.org>"), _name("ann@example.org")
    ('Ann Lee', 'ann')
    """
    if "@" not in who:
        return who
    return _MAIL.sub("", who).strip() or _MAIL.sub(r"\1", who).strip()


def _changed(change: Change) -> str:
    names = [name for name in change.sections if name != FRONT] or list(change.sections)
    shown = ", ".join(names[:_SECTIONS])
    more = f" and {len(names) - _SECTIONS} more" if len(names) > _SECTIONS else ""
    what = f"{change.kind}: {shown}{more}" if shown and change.kind != "new" else change.kind
    return plain(f"{change.day} {_name(change.author)}: {what}")
