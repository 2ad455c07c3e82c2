"""The first page of a site: what this shelf is, what is new, what waits. As long at any size."""

from __future__ import annotations

from collections.abc import Iterator

from ..domain.config import RECALL_RULE
from ..domain.entry import Entry
from ..domain.shelf import Shelf
from ..domain.tags import tags
from ..domain.threads import standing, waiting
from . import captions, site_places
from .article import quarter_of
from .inert import without_comments
from .language import page_language
from .report import Block, Line, Part, Report, Row, Span, Table, line, link, small
from .site_places import Here
from .words import cut

_NEWEST, _WAITING, _DECIDED, _TAGS = 10, 5, 5, 12
_LINKS = (
    ("Search", site_places.FIND),
    ("By kind", site_places.KINDS),
    ("By date", site_places.DATES),
    ("All tags", site_places.TAGS),
    ("Quarters", site_places.QUARTERS),
    ("Graph", site_places.GRAPH),
    ("What changed", site_places.CHANGES),
    ("Statistics", site_places.STATS),
    ("Problems", site_places.PROBLEMS),
    ("Feed", site_places.FEED),
)


def home(shelf: Shelf, here: Here, there: frozenset[str]) -> Report:
    """The home page; `there` are the pages that this site has, to which it may lead."""
    parts = _parts(shelf, here, there) if shelf.entries else _nothing()
    return Report(
        title=captions.name(shelf),
        head=captions.head(shelf, shelf.entries),
        parts=tuple(parts),
        foot="",
        lang=page_language(shelf.config.language, (entry.title for entry in shelf.entries)) or "en",
    )


def _nothing() -> Iterator[Part]:
    yield Part("empty", "", said=(line("Nothing here yet."),))


def _parts(shelf: Shelf, here: Here, there: frozenset[str]) -> Iterator[Part]:
    if shelf.config.preamble != RECALL_RULE:
        yield Part("about", "", said=(line(shelf.config.preamble),))
    open_, made = list(waiting(shelf)), list(standing(shelf))
    yield _numbers(shelf, here, len(open_), len(made))
    newest = shelf.entries[: -_NEWEST - 1 : -1]
    yield _part("newest", "Newest", (_episode(shelf, entry, here) for entry in newest))
    if open_:
        waits = (_item(t.episode, t.address, t.text, t.since, here) for t in open_[:_WAITING])
        yield _part("waiting", "Open longest", waits)
    if made:
        chosen = (_item(d.episode, d.address, d.text, d.date, here) for d in made[:_DECIDED])
        yield _part("decided", "Latest decisions", chosen)
    yield from _in_short(shelf, here)
    found = tags(shelf)[:_TAGS]
    if found:
        used = (_counted(tag.name, tag.count, here.tag(tag.slug)) for tag in found)
        yield Part("tags", "Tags", said=(Line(tuple(used)),))
    ways = (line(link(words, here.page(page))) for words, page in _LINKS if page in there)
    yield _part("more", "All of it", ways)


def _numbers(shelf: Shelf, here: Here, waits: int, stand: int) -> Part:
    newest = next((quarter_of(shelf, e) for e in reversed(shelf.entries) if e.day), "")
    rows = [
        _row("Episodes", len(shelf.entries), here.page(site_places.DATES)),
        _row("Decisions that stand", stand, here.page(site_places.DECISIONS)),
        _row("Open threads", waits, here.page(site_places.THREADS)),
    ]
    if newest:
        lately = sum(quarter_of(shelf, entry) == newest for entry in shelf.entries)
        rows.append(_row(f"In {newest}", lately, here.quarter(newest)))
    return Part("numbers", "", tables=(Table((), tuple(rows)),))


def _row(name: str, count: int, href: str) -> Row:
    return Row(name, (f"{count:,}",), href=href)


def _part(anchor: str, title: str, lines: Iterator[Line]) -> Part:
    return Part(anchor, title, blocks=(Block("", tuple(lines)),))


def _episode(shelf: Shelf, entry: Entry, here: Here) -> Line:
    title = link(captions.short(entry), here.episode(entry.id))
    said = small(captions.states(shelf, entry))
    return line(title, said, past=entry.id in shelf.superseded)


def _item(episode: str, address: str, words: str, date: str, here: Here) -> Line:
    """A thread or a decision, leading to its place in its episode."""
    return line(link(cut(words), here.episode(address)), small(date))


def _counted(name: str, count: int, href: str) -> Span:
    return link(f"{name} ({count:,})", href)


def _in_short(shelf: Shelf, here: Here) -> Iterator[Part]:
    """What people wrote of the newest quarter."""
    newest = next((quarter_of(shelf, e) for e in reversed(shelf.entries) if e.day), "")
    words = without_comments(shelf.files.get(f"retros/{newest}.md", "")) if newest else ""
    if words:
        more = here.quarter(newest)
        said = (line(link(f"All of {newest}", more)),) if more else ()
        yield Part("short", f"{newest} in short", text=words, blocks=(Block("", said),))
