"""The book: a shelf, or some of its episodes, as EPUB 3 for any reading system, without scripts.

EPUB 3.2 (https://www.w3.org/publishing/epub32/), with the table of contents of EPUB 2 beside its
own for old devices. Identifier and date come from the shelf, so that a new export of the same
shelf takes the place of the old one in a library.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from ..domain.choosing import Chosen
from ..domain.entry import Entry
from ..domain.episode import TITLE_LIMIT
from ..domain.graph import Graph, graph
from ..domain.page import Page
from ..domain.shelf import Shelf
from ..domain.tags import Tag, tags
from ..domain.text import clip, plural
from ..domain.threads import Decision, Thread, decisions, waiting
from . import captions, epub_lists
from .bodies import Bodies, bodies_of
from .epub_entry import Writer
from .epub_plan import Chapter, Part, Plan, year
from .escape import plain
from .language import page_language
from .templates import environment, told
from .zipped import zipped

MOST = 2_000
"""Episodes of one book; of more there is a book a year, unless one is demanded."""
DEEP = 1_000
"""Episodes that the table of contents names one by one; above it, chapters begin with a list."""

_OURS = UUID("6f3c5c4e-3f3e-5b0a-8f0d-2d6a6d656d73")
_NO_DATE = "1980-01-01"
_RIGHT_TO_LEFT = ("ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi")


class Volume(NamedTuple):
    """One book of an export: `label` is "" for the only one, else its year, or `undated`."""

    label: str
    entries: tuple[Entry, ...]


def volumes(chosen: Chosen, one_book: bool = False) -> tuple[Volume, ...]:
    """The books that an export makes, the newest first."""
    if one_book or len(chosen.inside) <= MOST:
        return (Volume("", chosen.inside),)
    found: dict[str, list[Entry]] = {}
    for entry in chosen.inside:
        found.setdefault(year(entry) or "undated", []).append(entry)
    undated = found.pop("undated", None)
    books = [*found.items(), *([("undated", undated)] if undated else [])]
    return tuple(Volume(label, tuple(entries)) for label, entries in books)


class Shared(NamedTuple):
    """What all books of one export are made from; computed once."""

    chosen: Chosen
    bodies: Bodies
    graph: Graph
    open: tuple[Thread, ...]
    decisions: tuple[Decision, ...]
    templates: Path | None = None

    @classmethod
    def of(
        cls, chosen: Chosen, bodies: Bodies | None = None, templates: Path | None = None
    ) -> Shared:
        """Everything that episodes say of each other. `bodies` gives the rendered body of an entry,
        else each is rendered anew; `templates` is a folder of the shelf's own templates."""
        shelf = chosen.shelf
        made = decisions(shelf)[::-1]
        given = bodies or bodies_of(shelf)
        return cls(chosen, given, graph(shelf), tuple(waiting(shelf)), made, templates)


def epub(shared: Shared, volume: Volume, stored: bool = False) -> bytes:
    """One book, compressed unless it is to be `stored`: then its bytes are the same on any machine
    (see `zipped`). Raises ShelfError where a template of the shelf's own cannot be rendered."""
    with told(shared.templates):
        return zipped(_Book(shared, volume).files(), stored)


class _Made(NamedTuple):
    """One page of the book, and whether the table of contents names it by itself."""

    file: str
    title: str
    text: str
    named: bool = True


class _Node(NamedTuple):
    """A line of the table of contents, numbered in reading order, with what stands below it."""

    number: int
    title: str
    href: str
    below: tuple[_Node, ...] = ()


class _Book:
    """One volume: its files, rendered one after the other."""

    def __init__(self, shared: Shared, volume: Volume) -> None:
        self._shared, self._volume = shared, volume
        self._shelf = shared.chosen.shelf
        self._env = environment(shared.templates)
        self._plan = Plan(volume.entries)
        self._tags = _a_to_z(self._shelf, volume)
        places = epub_lists.tag_places(self._tags)
        self._writer = Writer(self._shelf, self._plan, shared.graph, places, shared.bodies)
        ids = {entry.id for entry in volume.entries}
        self._open = [thread for thread in shared.open if thread.episode in ids]
        self._decisions = [one for one in shared.decisions if one.episode in ids]
        said = (f"{entry.title} {entry.digest}" for entry in volume.entries)
        self._lang = page_language(self._shelf.config.language, said)
        self._deep = len(volume.entries) <= DEEP

    def files(self) -> Iterator[Page]:
        """Every file of the archive, `mimetype` first; the package last, when all are known."""
        yield Page("mimetype", "application/epub+zip")
        yield Page("META-INF/container.xml", self._render("container.xml"))
        yield Page("EPUB/book.css", self._render("book.css"))
        spine: list[_Made] = []
        for made in self._pages():
            spine.append(made._replace(text=""))
            yield Page(f"EPUB/{made.file}", made.text)
        about, nodes = self._about(), self._contents(spine)
        first = spine[1].file if len(spine) > 1 else ""
        nav = self._page("nav.xhtml.j2", "Contents", nodes=nodes, first=first)
        yield Page("EPUB/nav.xhtml", nav)
        yield Page("EPUB/toc.ncx", self._render("toc.ncx.j2", nodes=nodes, **about))
        yield Page("EPUB/package.opf", self._render("package.opf.j2", spine=spine, **about))

    # --- what the book says of itself ------------------------------------------------------------

    @property
    def _title(self) -> str:
        chosen = clip(plain(str(self._shared.chosen.told)), TITLE_LIMIT)  # ids may be many
        parts = [self._volume.label, chosen]
        return ": ".join(filter(None, [captions.name(self._shelf), ", ".join(filter(None, parts))]))

    def _about(self) -> dict[str, Any]:
        """Identifier, dates and names. A shelf's name, what was chosen from it and the year make
        the identifier: nothing that another episode would change."""
        chosen = self._shared.chosen
        what = (chosen.told, chosen.choice.visibilities, self._volume.label)
        key = f"{plain(self._shelf.name)}\0{what}"
        date = self._shelf.as_of or _NO_DATE
        return {
            "identifier": f"urn:uuid:{uuid5(_OURS, key)}",
            "title": self._title,
            "language": self._lang or "und",
            "date": date,
            "head": self._head(),
            "turned": self._lang.partition("-")[0].lower() in _RIGHT_TO_LEFT,
            "depth": 3 if self._deep else 2,
        }

    def _head(self) -> str:
        return captions.head(self._shelf, self._volume.entries)

    # --- pages -----------------------------------------------------------------------------------

    def _pages(self) -> Iterator[_Made]:
        """Each page, in reading order."""
        yield _Made("title.xhtml", "Title page", self._title_page())
        if self._volume.entries:
            made = [decision for decision in self._decisions if decision.stands]
            lists = epub_lists.start(self._volume.entries, self._open, made, self._writer)
            yield self._list(lists)
        for part in self._plan.parts:
            yield _Made(part.file, part.title, self._part_page(part))
            for chapter in part.chapters:
                yield _Made(chapter.file, chapter.title, self._chapter(chapter), named=False)
        yield from map(self._list, self._lists())

    def _lists(self) -> Iterator[epub_lists.List]:
        if self._volume.entries:
            yield from epub_lists.tags_pages(self._tags, self._writer)
            yield from epub_lists.decisions_pages(self._decisions, self._shelf, self._writer)
            yield from epub_lists.threads_pages(self._open, self._shelf.as_of, self._writer)
        chosen = self._shared.chosen
        if self._volume.entries or self._shelf.problems:
            others = len(chosen.inside) - len(self._volume.entries)
            yield epub_lists.left_out_page(chosen, others, self._writer)

    def _title_page(self) -> str:
        stand = sum(one.stands for one in self._decisions)
        counts = f"Decisions that stand: {stand:,} · open threads: {len(self._open):,}"
        return self._page(
            "title.xhtml.j2",
            self._title,
            name=captions.name(self._shelf),
            chosen=self._title.removeprefix(captions.name(self._shelf)).removeprefix(": "),
            head=self._head(),
            counts=counts if self._volume.entries else "",
        )

    def _part_page(self, part: Part) -> str:
        counts = [(held, plural(len(held.entries), "episode")) for held in part.chapters]
        return self._page("part.xhtml.j2", part.title, part=part, counts=counts)

    def _chapter(self, chapter: Chapter) -> str:
        contents = () if self._deep else tuple(map(self._writer.entry, chapter.entries))
        articles = map(self._writer.article, chapter.entries)
        return self._page("chapter.xhtml.j2", chapter.title, contents=contents, articles=articles)

    def _list(self, made: epub_lists.List) -> _Made:
        text = self._page("list.xhtml.j2", made.title, list=made)
        return _Made(made.file, made.title, text, named=made.number == 1)

    def _page(self, template: str, title: str, **given: Any) -> str:
        return self._render(template, title=title, lang=self._lang, **given)

    def _render(self, template: str, **given: Any) -> str:
        return self._env.get_template(f"epub/{template}").render(**given)

    # --- table of contents -----------------------------------------------------------------------

    def _contents(self, spine: list[_Made]) -> list[_Node]:
        """Years with their months and those with their episodes; the other pages beside them."""
        numbers = count(1)
        parts = {part.file: part for part in self._plan.parts}
        return [
            self._part(parts[made.file], numbers)
            if made.file in parts
            else _Node(next(numbers), made.title, made.file)
            for made in spine
            if made.named
        ]

    def _part(self, part: Part, numbers: Iterator[int]) -> _Node:
        number = next(numbers)
        chapters = []
        for chapter in part.chapters:
            own = next(numbers)
            entries = chapter.entries if self._deep else ()
            links = [(next(numbers), self._writer.entry(entry)) for entry in entries]
            below = tuple(_Node(place, link.words, link.href) for place, link in links)
            chapters.append(_Node(own, chapter.title, chapter.file, below))
        return _Node(number, part.title, part.file, tuple(chapters))


def _a_to_z(shelf: Shelf, volume: Volume) -> list[Tag]:
    held = Shelf.make(volume.entries, config=shelf.config)
    return sorted(tags(held), key=lambda tag: tag.key)
