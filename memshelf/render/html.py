"""The phone file: a shelf, or some of its episodes, as one page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Protocol
from unicodedata import unidata_version

from ..domain.choosing import Chosen
from ..domain.entry import Entry
from ..domain.shelf import Shelf
from ..domain.text import plural
from . import captions, finder, search_script
from .article import Book, Give, Kept, together
from .bodies import bodies_of
from .escape import plain
from .face import VERSION as FACE
from .language import page_language
from .templates import environment, made_here, source, told

_HERE = "\ufdd0articles\ufdd0"  # a character that no text may hold marks where the articles go
_VERSION = 3  # changes with what this module, `finder` and `captions` make of the same shelf
_BETWEEN = "\x1e"  # nor a control character
_GROUP = 10
_STYLES = ("export.css", "code.css", "ego.css")
_SCRIPTS = (search_script.NAME, "export.js")
SOURCES = ("export.html.j2", "article.html.j2", *_SCRIPTS, *_STYLES)
"""All the templates that the page is made of."""


class Document(NamedTuple):
    """A page in parts, so that a large one never stands in memory: its articles come one by one,
    once, unless it is `held`."""

    head: bytes
    articles: Iterable[bytes]
    tail: bytes

    @property
    def parts(self) -> Iterator[bytes]:
        """The bytes of the page, in order: the articles in groups, whose layout a browser can skip.

        One box for each article would do the same, and cost it a watch over ten thousand boxes.
        """
        yield self.head
        before = b""
        for place, article in enumerate(self.articles):
            if place % _GROUP == 0:
                yield before + b'<div class="group">\n'
                before = b"</div>\n"
            yield article
        yield before + self.tail

    def held(self) -> Document:
        """The same page with all its articles in memory, to be measured and gone through again."""
        return self._replace(articles=tuple(self.articles))

    @property
    def size(self) -> int:
        """How many bytes the page has, which must be held."""
        return sum(map(len, self.parts))

    @property
    def text(self) -> str:
        """The whole page as text."""
        return b"".join(self.parts).decode("utf-8")


class Frame(NamedTuple):
    """All of a page but its articles, what these are made of beside their own files, and what
    the book has `told`."""

    head: str
    tail: str
    places: tuple[str, ...]
    told: str = ""


class KeptFrame(Protocol):
    """Where the frame of a page is kept, by a key that names all that it is made of."""

    def text(self) -> str:
        """What is kept, "" for nothing."""

    def keep(self, text: str) -> None:
        """Keep a frame."""


class Scope(NamedTuple):
    """What part of a shelf a page shows, in words: what was chosen, and how much was not."""

    choice: str = ""
    absent: str = ""

    @classmethod
    def of(cls, chosen: Chosen) -> Scope:
        """As the readers may know it. Ids stand in the page themselves, and may be many."""
        if not chosen.choice:
            return cls()  # to ask what the readers may know folds every tag of the shelf
        return cls(
            str(replace(chosen.told, ids=())),
            captions.absent(one.reason for one in chosen.visible_left_out),
        )


WHOLE = Scope()


def html(
    shelf: Shelf,
    inside: Iterable[Entry] | None = None,
    give: Give | None = None,
    *,
    kept: Kept | None = None,
    frame: KeptFrame | None = None,
    index_only: bool = False,
    scope: Scope = WHOLE,
    left_out: Iterable[Entry] = (),
    chart: str = "",
    templates: Path | None = None,
) -> Document:
    """One HTML file of a snapshot that is cut to what its readers may see.

    `inside` are the episodes that it holds, newest first (all, where it is left out); with
    `index_only` it only lists them. `give` gives the rendered bodies of those of which no article is
    `kept`, else each is rendered anew; `frame` is where all but the articles is kept. `scope`
    says what part of the shelf this is; `left_out` are episodes that the page names as not in it, `chart` is an SVG that it shows, `templates` a
    folder of the shelf's own templates.
    """
    chosen = shelf.entries[::-1] if inside is None else tuple(inside)
    full = bool(chosen) and not index_only
    bodies = give or (lambda _: bodies_of(shelf))
    bodies = _begun(bodies, chosen, kept) if full else bodies
    known = _unpacked(frame.text()) if frame else None
    book = Book(shelf, chosen, templates, not index_only, known.told if known else "")
    if known is None:
        with told(templates):
            page = _page(shelf, book, full, scope, tuple(left_out), chart, templates)
        head, _, tail = page.partition(_HERE)
        known = Frame(head, tail, book.places if kept and not index_only else ())
        if frame:
            frame.keep(_packed(known._replace(told=book.told)))
    articles = () if index_only else book.articles(bodies, kept, known.places)
    return Document(known.head.encode("utf-8"), articles, known.tail.encode("utf-8"))


def _begun(give: Give, inside: tuple[Entry, ...], kept: Kept | None) -> Give:
    """What gives bodies; where all of them are to be made, that begins before they are asked for."""
    if kept and kept.known():
        return give
    bodies = give(inside)
    return lambda _: bodies


def version() -> str:
    """Changes whenever the frame of a page could come out differently: a key of what is kept."""
    sources = chr(0).join((*map(source, SOURCES), search_script.table()))
    return f"{_VERSION} {FACE} {unidata_version} {_hash(sources)}"


def _page(
    shelf: Shelf,
    book: Book,
    articles: bool,
    scope: Scope,
    left_out: tuple[Entry, ...],
    chart: str,
    templates: Path | None,
) -> str:
    env = environment(templates)
    style = "\n".join(env.get_template(name).render() for name in _STYLES).replace("</", "<\\/")
    table = made_here(search_script.table())
    scripts = (env.get_template(name).render(table=table) for name in _SCRIPTS)
    script = "\n".join(scripts).replace("</", "<\\/")
    listed = book.inside
    many = articles and len(listed) > 1
    return env.get_template("export.html.j2").render(
        rows=finder.rows,
        links=together,
        name=captions.name(shelf),
        lang=page_language(shelf.config.language, (f"{e.title} {e.digest}" for e in listed)),
        css=made_here(style),
        css_hash=_hash(style),
        js=made_here(script),
        js_hash=_hash(script),
        chosen=plain(scope.choice),
        head=captions.head(shelf, listed),
        start=finder.start(book) if many else [],
        contents=[] if articles and not many else finder.contents(book, not articles),
        tags=finder.tags(book) if many else [],
        letters=finder.letters(book) if many else [],
        articles=articles,
        articles_here=_HERE,
        about=_about(listed, articles, scope),
        chart=base64.b64encode(chart.encode("utf-8")).decode() if chart else "",
        chart_says="Chart: what the shelf holds, and what it costs",
        left_out=[plain(f"{entry.ledger_date} {entry.heading}") for entry in left_out],
        problems=[plain(f"{f.said} {f.fix}") for f in shelf.problems],
    )


def _packed(frame: Frame) -> str:
    return _BETWEEN.join((frame.head, frame.tail, " ".join(frame.places), frame.told))


def _unpacked(text: str) -> Frame | None:
    if text.count(_BETWEEN) != 3:
        return None
    head, tail, places, told = text.split(_BETWEEN)
    return Frame(head, tail, tuple(places.split()), told)


def _hash(source: str) -> str:
    return base64.b64encode(hashlib.sha256(source.encode("utf-8")).digest()).decode()


def _about(listed: tuple[Entry, ...], articles: bool, scope: Scope) -> str:
    inside = plural(len(listed), "episode")
    said = f"It holds {inside}." if articles else f"It lists {inside} and holds none of them."
    return f"{said} Not in it: {scope.absent}." if scope.absent else said
