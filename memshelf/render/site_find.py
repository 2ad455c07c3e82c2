"""What the search of a site looks through: rows of all episodes first, then their texts in parts.

Parts hold episodes in the order of time, so that a new one changes the last part alone.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.page import Page
from ..domain.shelf import Shelf
from ..domain.sizes import said_size
from ..domain.tags import tag_key, tags
from . import captions, search_script
from .article import quarter_of
from .bodies import Body
from .escape import json_in_html, plain
from .site_form import page
from .site_places import DATES, FIND, KINDS, TAGS, Here
from .templates import source

TEXTS, HEADS = 40, 1000
"""Episodes in one part of texts, and in one of rows."""

_SCRIPTS = ("site/find.js", "site/filter.js")
_TAG = re.compile(r"<[^>]*>")
_WAYS = (("by date", DATES), ("by kind", KINDS), ("all tags", TAGS))


def script(here: Here) -> str:
    """The script of every page; `here` is where it stands."""
    address = json_in_html(here.page(FIND))
    code = "\n".join([search_script.script(), *(source(name) for name in _SCRIPTS)])
    return f"const MEMSHELF_FIND = {address};\n{code}"


class Finder:
    """Collects what is searched while the pages of episodes are made, a part at a time."""

    def __init__(self, shelf: Shelf, here: Here) -> None:
        self._shelf, self._here = shelf, here
        self._place = {entry.path: place for place, entry in enumerate(shelf.entries)}
        self._names = {tag.key: tag.name for tag in tags(shelf)}
        self._said: dict[str, str] = {}
        self.bytes = 0

    def add(self, number: int, some: Sequence[Entry], found: Searched) -> Page:
        """Take a part of the episodes in, oldest first; the page of its texts."""
        self._said.update(zip((entry.path for entry in some), found.said, strict=True))
        made = Page(f"assets/find/text-{number}.js", found.texts)
        self.bytes += len(made.raw)
        return made

    def rest(self) -> Iterator[Page]:
        """The rows of all episodes, and the page that searches them, once all were added."""
        rows = [self._row(entry, self._said[entry.path]) for entry in self._shelf.entries]
        for first in range(0, len(rows), HEADS):
            name = f"head-{first // HEADS}"
            yield Page(f"assets/find/{name}.js", part(name, rows[first : first + HEADS]))
        ways = [(words, self._here.page(path)) for words, path in _WAYS]
        heads = -(-len(rows) // HEADS)
        size = said_size(self.bytes)
        yield page(
            "find.md.j2", self._here, None, heads=heads, bytes=self.bytes, size=size, ways=ways
        )

    def _row(self, entry: Entry, said: str) -> Sequence[object]:
        place = self._place[entry.path]
        names = dict.fromkeys(self._names[key] for name in entry.tags if (key := tag_key(name)))
        return (
            *(self._here.page(self._here.places.pages[entry.path]), captions.short(entry)),
            *(captions.when(entry), plain(entry.kind or entry.category)),
            *(quarter_of(self._shelf, entry), [plain(name) for name in names]),
            *(int(entry.id in self._shelf.superseded), plain(entry.id)),
            *(f"{plain(entry.description)} {said}".strip(), place // TEXTS, place % TEXTS),
        )


class Searched(NamedTuple):
    """What is searched of some episodes: the script of their texts, and of each what is searched
    first, its digest and its headings."""

    texts: str
    said: tuple[str, ...]


def searched(number: int, bodies: Iterable[Body]) -> Searched:
    """What is searched of the episodes of a part, oldest first."""
    texts, said = [], []
    for (_, digest), *sections in bodies:
        said.append(" ".join([text_of(digest), *(name for name, _ in sections)]))
        texts.append(" ".join(text_of(pieces) for _, pieces in sections))
    return Searched(part(f"text-{number}", texts), tuple(said))


def part(name: str, data: object) -> str:
    """A part as a script that hands its data over."""
    return f'memshelfPart("{name}", {json_in_html(data)});\n'


def text_of(pieces: Sequence[str]) -> str:
    """The words of rendered HTML on one line."""
    found = _TAG.sub(" ", "".join(pieces))
    return " ".join((html.unescape(found) if "&" in found else found).split())
