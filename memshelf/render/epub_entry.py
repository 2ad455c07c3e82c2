"""One episode as a book shows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..domain.entry import Entry
from ..domain.graph import Edge, Graph
from ..domain.shelf import Shelf
from ..domain.tags import tag_key
from . import captions, links
from .bodies import Bodies
from .epub_plan import Plan
from .escape import plain
from .language import proven, tag
from .markdown import fragment
from .templates import made_here
from .xhtml import xhtml

if TYPE_CHECKING:
    from markupsafe import Markup

MENTIONS = 20
"""At most so many links of one kind, so that no episode's furniture outgrows its text."""


_PARAGRAPH = re.compile(r"<p(?: [^>]*)?>((?:(?!</p>).)*)</p>\s*", re.DOTALL)


class Link(NamedTuple):
    """Words, and the address in the book that they lead to ("" where it is not in it)."""

    words: str
    href: str = ""


class Links(NamedTuple):
    """Links in a row, and how many more there are."""

    shown: tuple[Link, ...]
    more: int


class Article(NamedTuple):
    """One episode as the template lays it out; every text harmless, every fragment made by us."""

    anchor: str
    id: str
    title: str
    lang: str
    archived: bool
    replaced_by: tuple[Link, ...]
    replaces: tuple[Link, ...]
    meta: tuple[str, ...]
    tags: tuple[Link, ...]
    digest: Markup
    sections: tuple[tuple[str, Markup], ...]
    mentions: Links
    mentioned_by: Links


class Writer:
    """Episodes of a shelf as articles of one book; `tags` are the addresses of its tags, by
    their keys."""

    def __init__(
        self, shelf: Shelf, plan: Plan, graph: Graph, tags: Mapping[str, str], bodies: Bodies
    ) -> None:
        self._shelf, self._plan, self._graph = shelf, plan, graph
        self._tags, self._bodies = tags, bodies

    def article(self, entry: Entry) -> Article:
        """The episode with its sections, each rendered by itself."""
        digest, *sections = self._bodies(entry)
        out, back = self._graph.outgoing, self._graph.incoming
        return Article(
            anchor=self._plan.anchor(entry),
            id=plain(entry.stem),
            title=plain(entry.heading),
            lang=tag(entry.lang) or proven(f"{entry.title} {entry.digest}"),
            archived=entry.archived,
            replaced_by=tuple(map(self.link, self._shelf.superseded.get(entry.id, ()))),
            replaces=tuple(map(self.link, entry.supersedes)),
            meta=tuple(captions.meta(entry)),
            tags=tuple(Link(plain(name), self._tags.get(tag_key(name), "")) for name in entry.tags),
            digest=self._placed(digest[1]),
            sections=tuple((plain(name), self._placed(body)) for name, body in sections),
            mentions=self._row(out.get(entry.id, ()), lambda edge: edge.target),
            mentioned_by=self._row(back.get(entry.id, ()), lambda edge: edge.source),
        )

    def entry(self, entry: Entry) -> Link:
        """A link to an episode."""
        return Link(captions.short(entry), self._plan.address(self._plan.anchor(entry)))

    def states(self, entry: Entry) -> str:
        """When an episode is from, and what it is beside current."""
        return captions.states(self._shelf, entry)

    def link(self, address: str) -> Link:
        """A link to an episode, by its id or an address in it."""
        name = address.partition("/")[0]
        found = self._shelf.by_id.get(name)
        href = self._plan.place(name)
        return Link(captions.short(found) if found else plain(address), href)

    def words(self, markdown: str) -> Markup | None:
        """One paragraph of Markdown as what stands in it; None where it is something else."""
        found = _PARAGRAPH.fullmatch(fragment(markdown))
        return self._placed(links.cut(found.group(1))) if found else None

    def _placed(self, pieces: links.Cut) -> Markup:
        """A fragment as XHTML whose links lead to where they are in the book."""
        return made_here(xhtml(links.joined(pieces, self._plan.place)))

    def _row(self, edges: Iterable[Edge], end: Callable[[Edge], str]) -> Links:
        """The other ends of some edges, newest first."""
        names = {end(edge) for edge in edges}
        newest = sorted(names, key=lambda name: self._shelf.by_id[name].order, reverse=True)
        return Links(tuple(map(self.link, newest[:MENTIONS])), max(0, len(newest) - MENTIONS))
