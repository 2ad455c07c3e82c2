"""The page of what changed: day by day from git, newest first."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import groupby
from typing import Protocol

from ..domain.changes import AMENDED, ARCHIVED, NEW, REMOVED, RENAMED, REPLACED, UNARCHIVED, stem
from ..domain.entry import Entry
from ..domain.episode import DESCRIPTION_LIMIT, TITLE_LIMIT
from ..domain.lately import DAYS, Lately, Row, lately
from ..domain.shelf import Shelf
from ..domain.text import clip, plural
from ..domain.threads import Threads
from . import captions
from .language import page_language
from .report import Block, Line, Part, Report, Span, ident, line, strong
from .words import unmarked

_TEXT = 200
"""Characters of a thread."""
_SECTIONS = 8
_WORDS = {
    NEW: "New",
    AMENDED: "Amended",
    REPLACED: "Replaced",
    ARCHIVED: "Archived",
    UNARCHIVED: "Back from the archive",
    RENAMED: "Renamed",
    REMOVED: "Removed",
}


class Leads(Protocol):
    """Where things are to be found from a page; `site_places.Here` is one."""

    def episode(self, name: str, anchor: str = "") -> str:
        """The address of an episode, or by an address `ID/t2` of that place in it; "" where it has
        no page."""
        ...


def changes_page(shelf: Shelf, here: Leads) -> Report:
    """What changed on a shelf lately. Without git, where `shelf.changes.available` is False, there
    is no such page."""
    found, words = lately(shelf), _Words(shelf, here)
    days = [
        (day, Block(day or "Without a date", tuple(map(words.row, some))))
        for day, some in found.days
    ]
    months = groupby(days, lambda pair: pair[0][:7])
    parts = [
        Part(f"changes-{month or 'undated'}", month, blocks=tuple(block for _, block in some))
        for month, some in months
    ]
    said = _empty(found)
    return Report(
        "What changed",
        " · ".join(filter(None, [captions.name(shelf), captions.head(shelf, shelf.entries)])),
        (*([Part("changes", "", said=(line(said),))] if said else []), *parts),
        _foot(shelf, found),
        page_language(shelf.config.language, ()) or "en",
    )


def _empty(found: Lately) -> str:
    if not found.rows:
        return "No change has been recorded yet."
    return "" if found.recent else f"No change in the last {DAYS} days. The latest ones before:"


def _foot(shelf: Shelf, found: Lately) -> str:
    said = [f"{found.more:,} earlier are not shown."] if found.more else []
    begins = shelf.changes.begins
    return " ".join([*said, *([f"History begins at {begins} here."] if begins else [])])


class _Words:
    """Lines about the changes of one shelf."""

    def __init__(self, shelf: Shelf, here: Leads) -> None:
        self._shelf, self._here = shelf, here
        self._entries = {entry.path: entry for entry in shelf.entries}

    @cached_property
    def _threads(self) -> Threads:
        return Threads(self._shelf)

    def row(self, row: Row) -> Line:
        """What happened to one episode, or to many at once."""
        word = strong(f"{_WORDS[row.kind]}:")
        if row.kind == REMOVED:
            return line(word, plural(row.many, "episode"))
        entry = self._entries[row.path]
        if row.many:
            many = f"{plural(row.many, 'episode')} at once, the newest of them"
            return line(word, many, self._title(entry))
        below = tuple(map(self._closed, row.closes))
        past = bool(row.by) or row.kind == REPLACED
        return line(word, self._title(entry), *self._more(row, entry), below=below, past=past)

    def _more(self, row: Row, entry: Entry) -> Iterator[Span | str]:
        if row.kind == NEW and entry.description:
            yield f"— {clip(entry.description, DESCRIPTION_LIMIT)}"
        if row.kind == RENAMED:
            yield from ("· was", ident(stem(row.old_path)))
        if row.sections:
            yield f"· {self._sections(row.sections)}"
        if row.by:
            yield "→ replaced by" if row.kind != REPLACED else "→"
            for name in row.by:
                found = self._shelf.by_id.get(name)
                yield self._title(found) if found else ident(name)

    @staticmethod
    def _sections(names: tuple[str, ...]) -> str:
        more = len(names) - _SECTIONS
        shown = [clip(name, TITLE_LIMIT) for name in names[:_SECTIONS]]
        return ", ".join([*shown, *([f"{more:,} more"] if more > 0 else [])])

    def _title(self, entry: Entry) -> Span:
        return Span("text", captions.short(entry), self._here.episode(entry.id))

    def _closed(self, address: str) -> Line:
        """A thread that was closed; an address without a place closes all threads of an episode."""
        episode = address.partition("/")[0]
        thread = self._threads.get(address)
        place = address if thread else episode
        link = ident(address, self._here.episode(place) if episode in self._shelf.by_id else "")
        if thread:
            return line("Closed:", clip(unmarked(thread.text[: 4 * _TEXT]), _TEXT), "—", link)
        return line("Closed:", link) if "/" in address else line("Closed: all threads of", link)
