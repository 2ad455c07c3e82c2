"""The ways into a phone file that need no script: where to start, contents, tags, A to Z."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ..domain.entry import Entry
from ..domain.text import fold, unspaced
from ..domain.threads import standing, waiting
from . import captions
from .article import Book, Link, quarter_of
from .escape import plain
from .templates import escaped, made_here
from .words import cut

if TYPE_CHECKING:
    from markupsafe import Markup

_NEWEST = 10
UNDATED = "Without a date"


class Line(NamedTuple):
    """One line of a list: a link, small print that begins with a day, a text below; dimmed where
    it is past, and then perhaps a link to what came `after`."""

    link: Link
    small: str = ""
    text: str = ""
    past: bool = False
    after: Link | None = None


@lru_cache(maxsize=16384)  # an episode has the same line under each of its tags
def _row(line: Line) -> str:
    past = ' class="past"' if line.past else ""
    after = f" by {line.after.html}" if line.after else ""
    day, dot, rest = map(escaped, line.small.partition(" · "))
    said = f"<i>{day}</i>{dot}{rest}{after}"
    small = f' <span class="small">{said}</span>' if line.small else ""
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


class Start(NamedTuple):
    """The first lines of a list, whether there are more, and where."""

    title: str
    lines: tuple[Line, ...]
    more: str = ""
    where: Link = Link("their episodes")


def start(book: Book) -> list[Start]:
    """The newest episodes, the oldest open threads, the latest decisions: ten each."""
    inside = {entry.id for entry in book.inside}
    open_ = (thread for thread in waiting(book.shelf) if thread.episode in inside)
    made = (decision for decision in standing(book.shelf) if decision.episode in inside)
    longest = tuple(_item(book, t.episode, t.text, t.since) for t in islice(open_, _NEWEST))
    latest = tuple(_item(book, d.episode, d.text, d.date) for d in islice(made, _NEWEST))
    newest = tuple(_line(book, entry) for entry in book.inside[:_NEWEST])
    parts = [
        Start("Newest", newest, _others(len(book.inside) - _NEWEST), Link("Contents", "contents")),
        Start("Open longest", longest, _further(open_)),
        Start("Latest decisions", latest, _further(made)),
    ]
    return [part for part in parts if part.lines]


def _others(count: int) -> str:
    return f"{count:,} more" if count > 0 else ""


def _further(rest: Iterator[object]) -> str:
    """That there are more; to count them all would make them all, which takes long."""
    return "More" if next(rest, None) else ""


def contents(book: Book, described: bool) -> list[Group]:
    """The episodes by quarter, newest first, replaced ones last; those without a date at the end."""
    found = _grouped((quarter_of(book.shelf, e) or UNDATED, e) for e in book.inside)
    undated = found.pop(UNDATED, None)
    groups = [*found.items(), *([(UNDATED, undated)] if undated else [])]
    ordered = ((label, book.shelf.current_first(entries)) for label, entries in groups)
    return [
        Group(label, tuple(_line(book, e, described) for e in entries))
        for label, entries in ordered
    ]


def tags(book: Book) -> list[Group]:
    """The tags by name, each with its episodes, newest first, replaced ones last; spellings alike
    are one tag."""
    ordered = book.shelf.current_first(book.inside)
    found = _grouped((name, entry) for entry in ordered for name in book.tags_of(entry))
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
    said = plain(entry.description) if described else ""
    later = book.shelf.superseded.get(entry.id, ())
    after = book.named(later[0]) if later else None
    return Line(book.link(entry), captions.states(book.shelf, entry), said, bool(later), after)


def _item(book: Book, episode: str, text: str, date: str) -> Line:
    """A thread or a decision: its words, leading to its episode."""
    return Line(Link(plain(cut(text)), book.resolve(episode)), plain(date))
