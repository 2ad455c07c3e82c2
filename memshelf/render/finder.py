"""The ways into a phone file that need no script: where to start, contents, tags, A to Z."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ..domain.entry import Entry
from ..domain.shelf import Shelf
from ..domain.text import clip, fold, unspaced
from ..domain.threads import standing, waiting
from .article import Book, Link, quarter_of
from .captions import when
from .escape import plain
from .templates import escaped, made_here

if TYPE_CHECKING:
    from markupsafe import Markup

_NEWEST = 10
_CUT = 200
UNDATED = "Without a date"


class Line(NamedTuple):
    """One line of a list: a link, small print, a text below; dimmed where it is past."""

    link: Link
    small: str = ""
    text: str = ""
    past: bool = False


@lru_cache(maxsize=16384)  # an episode has the same line under each of its tags
def _row(line: Line) -> str:
    past = ' class="past"' if line.past else ""
    small = f' <span class="small">{escaped(line.small)}</span>' if line.small else ""
    text = f'<br><span dir="auto">{escaped(line.text)}</span>' if line.text else ""
    return f"<li{past}>{line.link.html}{small}{text}</li>\n"


def rows(lines: Iterable[Line]) -> Markup:
    """The lines of a list, for templates: a loop there takes five times as long."""
    return made_here("".join(map(_row, lines)))


class Group(NamedTuple):
    """A folded list: its name, how many lines, the key by which filters know it."""

    label: str
    lines: tuple[Line, ...]
    key: str = ""

    @property
    def size(self) -> str:
        """How many lines."""
        return f"{len(self.lines):,}"


def start(book: Book) -> list[tuple[str, tuple[Line, ...]]]:
    """The newest episodes, the oldest open threads, the latest decisions: ten each."""
    newest = tuple(_line(book, entry) for entry in book.inside[:_NEWEST])
    inside = {entry.id for entry in book.inside}
    open_ = (thread for thread in waiting(book.shelf) if thread.episode in inside)
    made = (decision for decision in standing(book.shelf) if decision.episode in inside)
    longest, latest = islice(open_, _NEWEST), islice(made, _NEWEST)
    parts = [
        ("Newest", newest),
        ("Open longest", tuple(_item(book, t.episode, t.text, t.since) for t in longest)),
        ("Latest decisions", tuple(_item(book, d.episode, d.text, d.date) for d in latest)),
    ]
    return [(title, lines) for title, lines in parts if lines]


def contents(book: Book, described: bool) -> list[Group]:
    """The episodes by quarter, newest first; those without a date last."""
    found = _grouped((quarter_of(book.shelf, e) or UNDATED, e) for e in book.inside)
    undated = found.pop(UNDATED, None)
    groups = [*found.items(), *([(UNDATED, undated)] if undated else [])]
    return [
        Group(label, tuple(_line(book, e, described) for e in entries)) for label, entries in groups
    ]


def tags(book: Book) -> list[Group]:
    """The tags by name, each with its episodes, newest first; spellings alike are one tag."""
    found = _grouped((name, entry) for entry in book.inside for name in book.tags_of(entry))
    lines = {entry.path: _bare(book, entry) for entry in book.inside}
    return [
        Group(plain(name), tuple(lines[entry.path] for entry in found[name]), key=plain(name))
        for name in sorted(found, key=lambda name: (fold(name), name))
    ]


def letters(book: Book) -> list[Group]:
    """The episodes by the first letter of their titles."""
    named = sorted(book.inside, key=lambda entry: (fold(entry.heading), entry.heading, entry.path))
    found = _grouped((letter(entry.heading), entry) for entry in named)
    order = sorted(found, key=lambda letter: (len(letter) > 1, letter))
    return [Group(name, tuple(_bare(book, entry) for entry in found[name])) for name in order]


def letter(title: str) -> str:
    """The group of a title: its first letter or digit, folded; one group for unspaced scripts."""
    first = next((char for char in fold(title) if char.isalnum()), "")
    if unspaced(first):
        return "Han, kana, Thai"
    return first.upper()[:1] if first.isalpha() else "0–9" if first else "Other"


def _grouped(pairs: Iterable[tuple[str, Entry]]) -> dict[str, list[Entry]]:
    out: dict[str, list[Entry]] = {}
    for name, entry in pairs:
        out.setdefault(name, []).append(entry)
    return out


def _bare(book: Book, entry: Entry) -> Line:
    """A line of a list that stands beside fuller ones: nothing but the title."""
    return Line(book.link(entry), past=entry.id in book.shelf.superseded)


def _line(book: Book, entry: Entry, described: bool = False) -> Line:
    states = " · ".join(_states(book.shelf, entry))
    said = plain(entry.description) if described else ""
    return Line(book.link(entry), states, said, entry.id in book.shelf.superseded)


def _states(shelf: Shelf, entry: Entry) -> Iterator[str]:
    yield when(entry)
    if entry.id in shelf.superseded:
        yield "replaced"
    elif entry.archived:
        yield "archived"


def _item(book: Book, episode: str, text: str, date: str) -> Line:
    """A thread or a decision: its words, leading to its episode."""
    return Line(Link(clip(plain(text), _CUT), book.resolve(episode)), plain(date))
