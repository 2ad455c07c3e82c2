"""How a book is laid out: parts, chapters, files, and where in them each episode stands.

Planned from the entries alone, so that every address is known before the first chapter is
rendered, and one chapter at a time has to be held.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from ..domain.entry import Entry
from . import links

ROOM = 120_000
"""Characters of episodes in one file; a longer chapter goes on in another. Reading systems on small
devices take long over files of more than about 300 KB, and the markup adds a half."""

MONTHS = (
    "January February March April May June July August September October November December"
).split()
_OTHER = re.compile(r"[^\x00-\x7f]")


class Chapter(NamedTuple):
    """One file of episodes, newest first; `title` is the month, with a number from the second on."""

    file: str
    title: str
    entries: tuple[Entry, ...]


class Part(NamedTuple):
    """One year with its chapters; `title` is `2026`, or "Without a date"."""

    file: str
    title: str
    chapters: tuple[Chapter, ...]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The episodes of the year."""
        return tuple(entry for chapter in self.chapters for entry in chapter.entries)


class Plan:
    """The parts of a book, newest first, and where in it every episode stands."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        inside = tuple(entries)
        self.parts = tuple(_parts(inside))
        self._anchors = _ascii(links.anchors(inside))
        chapters = [chapter for part in self.parts for chapter in part.chapters]
        self._files = {
            self._anchors[entry.path]: chapter.file
            for chapter in chapters
            for entry in chapter.entries
        }
        self._paths = {entry.stem: entry.path for entry in inside}
        self._paths |= {entry.id: entry.path for entry in reversed(inside)}

    def anchor(self, entry: Entry) -> str:
        """The anchor of an entry, unique in the book; "" where it is not in it."""
        return self._anchors.get(entry.path, "")

    def resolve(self, name: str) -> str:
        """The anchor of an id or a file's stem, "" where that episode is not in the book."""
        return self._anchors.get(self._paths.get(name, ""), "")

    def address(self, anchor: str) -> str:
        """Where an anchor of the book is, file and all; "" for none."""
        return f"{self._files[anchor]}#{anchor}" if anchor else ""

    def place(self, name: str) -> str:
        """Where an episode is, by its id or its file's stem; "" where it is not in the book."""
        return self.address(self.resolve(name))


def year(entry: Entry) -> str:
    """The year of an episode, "" where it has no date."""
    return entry.ledger_date[:4] if entry.day else ""


def _ascii(anchors: dict[str, str]) -> dict[str, str]:
    """The anchors in letters that XML takes in an id; of two that become one the later is longer."""
    out: dict[str, str] = {}
    taken: set[str] = set()
    for path, anchor in anchors.items():
        name = _OTHER.sub(lambda found: f"_{ord(found.group()):x}_", anchor)
        while name in taken:
            name += "-"
        taken.add(name)
        out[path] = name
    return out


def _parts(entries: tuple[Entry, ...]) -> Iterator[Part]:
    """A part for each year, and one for what has no date at the end."""
    dated = [entry for entry in entries if entry.day]
    for name, found in groupby(dated, year):
        yield Part(f"{name}.xhtml", name, tuple(_chapters(found)))
    rest = [entry for entry in entries if not entry.day]
    if rest:
        title = "Without a date"
        yield Part("undated.xhtml", title, tuple(_files("undated-episodes", title, rest)))


def _chapters(entries: Iterable[Entry]) -> Iterator[Chapter]:
    for month, found in groupby(entries, lambda entry: entry.ledger_date[:7]):
        title = f"{MONTHS[int(month[5:]) - 1]} {month[:4]}"
        yield from _files(month, title, found)


def _files(name: str, title: str, entries: Iterable[Entry]) -> Iterator[Chapter]:
    """The episodes of a month in as many files as they need."""
    for number, held in enumerate(_filled(entries), 1):
        if number == 1:
            yield Chapter(f"{name}.xhtml", title, held)
        else:
            yield Chapter(f"{name}-{number}.xhtml", f"{title} ({number})", held)


def _filled(entries: Iterable[Entry]) -> Iterator[tuple[Entry, ...]]:
    held: list[Entry] = []
    size = 0
    for entry in entries:
        size += 4 * entry.tokens
        if held and size > ROOM:
            yield tuple(held)
            held, size = [], 4 * entry.tokens
        held.append(entry)
    if held:
        yield tuple(held)
