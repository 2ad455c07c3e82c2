"""The phone file: a shelf, or some of its episodes, as one page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..domain.dates import quarter
from ..domain.entry import Entry
from ..domain.episode import TITLE_LIMIT, Episode
from ..domain.errors import EpisodeNotFound, ShelfError
from ..domain.page import Page
from ..domain.shelf import Shelf
from ..domain.text import clip, plural
from . import links
from .escape import plain
from .index import by_folder, counted
from .language import page_language, proven, tag
from .markdown import fragment
from .templates import environment

if TYPE_CHECKING:
    from markupsafe import Markup

PATH = "memshelf.html"
_MENTIONS = 20  # so that no episode's furniture outgrows its text


class Link(NamedTuple):
    """Words, and the anchor in this page that they lead to ("" where it is not in it)."""

    words: str
    anchor: str = ""


class Line(NamedTuple):
    """One episode in the contents."""

    link: Link
    date: str
    state: str
    description: str


class Article(NamedTuple):
    """One episode as the template lays it out; every text harmless, every fragment made by us."""

    anchor: str
    id: str
    title: str
    lang: str
    meta: tuple[str, ...]
    tags: tuple[str, ...]
    description: str
    replaced_by: tuple[Link, ...]
    replaces: tuple[Link, ...]
    digest: Markup
    sections: tuple[tuple[str, Markup], ...]
    mentioned_by: tuple[Link, ...]
    more_mentions: int


def html(
    shelf: Shelf, whole: bool = True, only: Iterable[str] = (), templates: Path | None = None
) -> Page:
    """One HTML file: all episodes, archived ones too, or those in `only`; without either, the
    contents alone. `templates` is a folder of the shelf's own templates.

    Raises EpisodeNotFound for an id in `only` that is not on the shelf.
    """
    env = environment(templates)
    listed, inside = _chosen(shelf, whole, tuple(only))
    book = _Book(shelf, inside)
    source = env.get_template("export.css").render().replace("</", "<\\/")
    text = env.get_template("export.html.j2").render(
        name=clip(plain(shelf.name), TITLE_LIMIT),
        lang=page_language(shelf.config.language, (f"{e.title} {e.digest}" for e in listed)),
        css=_markup(source),
        css_hash=base64.b64encode(hashlib.sha256(source.encode()).digest()).decode(),
        head=_head(shelf, listed),
        contents=[] if len(inside) == len(listed) == 1 else _contents(shelf, listed, book),
        articles=[book.article(entry) for entry in inside],
        alone=len(inside) == 1,
        problems=[plain(f"{f.where}: {f.message} {f.fix}") for f in shelf.problems]
        if whole
        else [],
    )
    return Page(PATH, text)


def _markup(html: str) -> Markup:
    from markupsafe import Markup

    return Markup(html)  # made by us: CSS, or by `fragment`


def _chosen(
    shelf: Shelf, whole: bool, only: tuple[str, ...]
) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """What the contents list, and what the file holds: newest first."""
    if only:
        stems = {entry.stem: entry for entry in shelf.entries}
        found = {entry.path for entry in (_named(shelf, stems, name) for name in only)}
        chosen = tuple(entry for entry in reversed(shelf.entries) if entry.path in found)
        return chosen, chosen
    newest = shelf.entries[::-1]
    return (newest, newest) if whole else (shelf.live[::-1], ())


def _named(shelf: Shelf, stems: dict[str, Entry], name: str) -> Entry:
    found = shelf.by_id.get(name) or stems.get(name.removesuffix(".md"))
    if found is None:
        raise EpisodeNotFound(name)
    return found


def _head(shelf: Shelf, listed: tuple[Entry, ...]) -> str:
    """As of when, and how many episodes of which kind."""
    if not listed:
        return ""
    as_of = max(entry.ledger_date if entry.day else "" for entry in listed)
    kinds = ", ".join(
        counted(len(found), plain(folder)) for folder, found in by_folder(shelf, listed)
    )
    archived = sum(entry.archived for entry in listed)
    parts = [f"As of {as_of}"] if as_of else []
    parts.append(f"{plural(len(listed), 'episode')}: {kinds}" if len(listed) > 1 else kinds)
    return " · ".join([*parts, *([f"{archived:,} of them archived"] if archived else [])])


def _contents(shelf: Shelf, listed: Iterable[Entry], book: _Book) -> list[tuple[str, list[Line]]]:
    """The episodes by quarter, newest first; those without a date last."""
    out: dict[str, list[Line]] = {}
    for entry in listed:
        day = entry.day
        label = quarter(day, shelf.config.fiscal_year_start) if day else "Without a date"
        out.setdefault(label, []).append(book.line(entry))
    undated = out.pop("Without a date", None)
    return [*out.items(), *([("Without a date", undated)] if undated else [])]


class _Book:
    """The episodes of one file, and where each of them is in it."""

    def __init__(self, shelf: Shelf, inside: tuple[Entry, ...]) -> None:
        self._shelf = shelf
        self._anchors = links.anchors(inside)
        self._entries = {entry.stem: entry for entry in inside}
        self._entries |= {entry.id: entry for entry in reversed(inside)}
        self._mentions: dict[str, list[Entry]] = {}
        for entry in inside:
            for name in dict.fromkeys(other for other, _ in entry.mentions):
                if name in self._entries:
                    self._mentions.setdefault(self._entries[name].path, []).append(entry)

    def resolve(self, name: str) -> str:
        """The anchor of an id or a file's stem, "" where that episode is not in this file."""
        found = self._entries.get(name)
        return self._anchors[found.path] if found else ""

    def line(self, entry: Entry) -> Line:
        """The episode's line in the contents."""
        state = "replaced" if entry.id in self._shelf.superseded else "archived" * entry.archived
        anchor = self._anchors.get(entry.path, "")
        return Line(
            Link(plain(entry.heading), anchor), _when(entry), state, plain(entry.description)
        )

    def article(self, entry: Entry) -> Article:
        """The episode with its sections, each rendered by itself."""
        episode = self._load(entry)
        mentions = self._mentions.get(entry.path, [])
        return Article(
            anchor=self._anchors[entry.path],
            id=plain(entry.stem),
            title=plain(entry.heading),
            lang=tag(entry.lang) or proven(f"{entry.title} {entry.digest}"),
            meta=tuple(_meta(entry)),
            tags=tuple(plain(name) for name in entry.tags),
            description=plain(entry.description),
            replaced_by=tuple(map(self._link, self._shelf.superseded.get(entry.id, ()))),
            replaces=tuple(map(self._link, entry.supersedes)),
            digest=self._body(episode.digest if episode else entry.digest),
            sections=tuple(
                (plain(name), self._body(body))
                for name, body in (episode.sections if episode else ())
            ),
            mentioned_by=tuple(
                Link(plain(other.heading), self._anchors[other.path])
                for other in mentions[:_MENTIONS]
            ),
            more_mentions=max(0, len(mentions) - _MENTIONS),
        )

    def _load(self, entry: Entry) -> Episode | None:
        """The whole episode; None where its file has gone or cannot be read any more."""
        try:
            return self._shelf.load(entry.path)
        except (ShelfError, LookupError):
            return None

    def _body(self, markdown: str) -> Markup:
        return _markup(links.linked(fragment(markdown), self.resolve)) if markdown else _markup("")

    def _link(self, address: str) -> Link:
        name = address.partition("/")[0]
        found = self._entries.get(name)
        return Link(_short(found) if found else plain(address), self.resolve(name))


def _short(entry: Entry) -> str:
    """The title as lists and links show it."""
    return clip(plain(entry.heading), TITLE_LIMIT)


def _when(entry: Entry) -> str:
    return plain(entry.ledger_date) if entry.day else "no date"


def _meta(entry: Entry) -> Iterator[str]:
    """What stands in small print below a title: when, what, and how long it is good."""
    yield plain(entry.span) if ".." in entry.span else _when(entry)
    yield plain(entry.kind or entry.category)
    if entry.archived:
        yield "archived"
    if entry.retain_until:
        yield f"good until {plain(entry.retain_until)}"
