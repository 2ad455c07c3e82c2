"""One episode of the phone file: its head, which is always there, and its body, which waits folded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..domain.dates import quarter
from ..domain.entry import Entry
from ..domain.graph import Edge, Graph, graph
from ..domain.shelf import Shelf
from ..domain.tags import tag_key
from ..domain.tags import tags as every_tag
from . import captions, links
from .bodies import Bodies, coloured
from .bodies import version as bodies_version
from .ego import ego_svg
from .escape import plain
from .language import proven, tag, turns
from .templates import environment, escaped, made_here, told

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

_VERSION = 4  # changes with what this module, `captions` and `ego` make of the same episode
_TEMPLATE = "article.html.j2"
_PORTION = 200
_DRAWN = 3
_LISTED = 20  # so that no episode's furniture outgrows its text


Around = tuple[tuple[str, str], ...]


class Link(NamedTuple):
    """Words, and the anchor in this page that they lead to ("" where it is not in it)."""

    words: str
    anchor: str = ""

    @property
    def turned(self) -> bool:
        """True where the words have to find their direction: some letter runs from right to left."""
        return turns(self.words)

    @property
    def html(self) -> str:
        """The link as a page holds it; words alone where it leads nowhere."""
        words = escaped(self.words)
        if not self.anchor:
            return f"<bdi>{words}</bdi>"
        way = ' dir="auto"' if self.turned else ""
        return f'<a href="#{escaped(self.anchor)}"{way}>{words}</a>'


def together(some: Iterable[Link]) -> Markup:
    """Links in a row, for templates: a macro that is called for each takes ten times as long."""
    return made_here(", ".join([link.html for link in some]))


class Article(NamedTuple):
    """One episode as the template lays it out; every text harmless, every fragment made by us."""

    anchor: str
    id: str
    title: str
    lang: str
    past: bool
    open: bool
    kind: str
    quarter: str
    meta: tuple[str, ...]
    tags: tuple[tuple[str, str], ...]
    description: str
    replaced_by: tuple[Link, ...]
    replaces: tuple[Link, ...]
    digest: Markup
    sections: tuple[tuple[str, Markup], ...]
    mentions: tuple[Link, ...]
    more_out: int
    mentioned_by: tuple[Link, ...]
    more_in: int
    ego: Markup
    around: Around


Give = Callable[[Sequence[Entry]], Bodies]
"""The bodies of some episodes, which are asked for in this order."""


class Kept(Protocol):
    """Where articles are kept by a key that names all that they are made of."""

    def known(self) -> set[str]:
        """The keys under which one is kept."""

    def some(self, keys: Sequence[str]) -> dict[str, bytes]:
        """What is kept under some keys."""

    def keep(self, made: Iterable[tuple[str, bytes]], wanted: int) -> None:
        """Keep articles; so many are `wanted` in all."""


def version(template: str) -> str:
    """Changes whenever an article could come out differently: a key of what is kept."""
    text = hashlib.sha1(template.encode("utf-8"), usedforsecurity=False).hexdigest()
    return f"{bodies_version()} article {_VERSION} {text}"


class Book:
    """The episodes of one file, newest first, and where each of them is in it.

    `shelf` is all that its readers may see, `inside` what the file holds or, without `bodied`,
    only lists: then no link leads anywhere. `told` is what an earlier book has `told` of as many
    episodes with the same faces (`render.face`).
    """

    def __init__(
        self,
        shelf: Shelf,
        inside: tuple[Entry, ...],
        templates: Path | None = None,
        bodied: bool = True,
        told: str = "",
    ) -> None:
        self.shelf, self.inside = shelf, inside
        self._templates, self._bodied, self._told = templates, bodied, told

    @cached_property
    def _anchors(self) -> dict[str, str]:
        return links.anchors(self.inside) if self._bodied else {}

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        found = {entry.stem: entry for entry in self.inside}
        return found | {entry.id: entry for entry in reversed(self.inside)}

    @cached_property
    def told(self) -> str:
        """What costs a look at all episodes: how tags are spelled, and who names whom."""
        return self._told or json.dumps([self._tags, self._graph.edges])

    @cached_property
    def _known(self) -> tuple[dict[str, str], list[list[str]]] | None:
        return tuple(json.loads(self._told)) if self._told else None

    @cached_property
    def _tags(self) -> dict[str, str]:
        return self._known[0] if self._known else {t.key: t.name for t in every_tag(self.shelf)}

    @cached_property
    def _graph(self) -> Graph:
        if self._known:
            return Graph.of(self.shelf, map(Edge._make, self._known[1]))
        return graph(self.shelf)

    @cached_property
    def _newest(self) -> frozenset[str]:
        return coloured(self.shelf)

    @cached_property
    def _around(self) -> dict[str, Around]:
        return dict(zip(self._anchors, self._neighbours(), strict=True))

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Of each episode a name of all that its article is made of beside its own file."""
        return tuple(map(self._place, self.inside))

    def articles(self, give: Give, kept: Kept | None, places: Sequence[str]) -> Iterator[bytes]:
        """Every episode as the page holds it, newest first; what is `kept` is not made again.

        `give` is told which episodes are to be made, and gives their bodies. `places` are those of
        this book, which were perhaps known before it was made.
        """
        keys = list(map(self._key, self.inside, places)) if kept else [""] * len(self.inside)
        known = kept.known() if kept else set()
        pairs = list(zip(keys, self.inside, strict=True))
        bodies = give([entry for key, entry in pairs if key not in known])
        for first in range(0, len(pairs), _PORTION):
            some = pairs[first : first + _PORTION]
            there = kept.some([key for key, _ in some]) if kept else {}
            made: list[tuple[str, bytes]] = []
            for key, entry in some:
                article = there.get(key)
                if article is None:
                    article = self._rendered(entry, bodies)
                    made.append((key, article))
                yield article
            if kept and made:
                kept.keep(made, len(pairs))

    def _rendered(self, entry: Entry, bodies: Bodies) -> bytes:
        with told(self._templates):
            return self._template.render(item=self._article(entry, bodies), links=together).encode()

    @cached_property
    def _template(self) -> Template:
        return environment(self._templates).get_template(_TEMPLATE)

    def _key(self, entry: Entry, place: str) -> str:
        return f"{self.shelf.contents.get(entry.path, '')} {place}"

    def _place(self, entry: Entry) -> str:
        out, into = self._graph.outgoing.get(entry.id, ()), self._graph.incoming.get(entry.id, ())
        near = [(edge, self._near(edge.target)) for edge in out]
        near += [(edge, self._near(edge.source)) for edge in into]
        said = (
            *(entry.path in self._newest, entry.path, len(self.inside) == 1),
            *(self._anchors[entry.path], self._around[entry.path]),
            *(quarter_of(self.shelf, entry), tuple(map(self._tag, entry.tags))),
            tuple(map(self.named, entry.supersedes)),
            tuple(map(self.named, self.shelf.superseded.get(entry.id, ()))),
            tuple(near),
        )
        return hashlib.sha1(
            repr(said).encode("utf-8", "replace"), usedforsecurity=False
        ).hexdigest()

    def _near(self, name: str) -> tuple[str, str, str]:
        found = self._graph.by_id[name]
        return found.heading, found.ledger_date, self.resolve(name)

    def resolve(self, name: str) -> str:
        """The anchor of an id or a file's stem, "" where that episode is not in this file."""
        found = self._entries.get(name)
        return self._anchors.get(found.path, "") if found else ""

    def tags_of(self, entry: Entry) -> dict[str, None]:
        """The names of an episode's tags, each once, as the shelf spells them most often."""
        return dict.fromkeys(filter(None, map(self._tag, entry.tags)))

    def _tag(self, spelling: str) -> str:
        return self._tags.get(tag_key(spelling), "")

    def link(self, entry: Entry) -> Link:
        """A link to an episode by its title."""
        return Link(captions.short(entry), self._anchors.get(entry.path, ""))

    def named(self, address: str) -> Link:
        """A link to what an id or an address means: by its title, or in the words it has."""
        found = self._entries.get(address.partition("/")[0])
        return self.link(found) if found else Link(plain(address))

    def _article(self, entry: Entry, bodies: Bodies) -> Article:
        digest, *sections = bodies(entry)
        out, into = self._graph.outgoing.get(entry.id, ()), self._graph.incoming.get(entry.id, ())
        mentions = self._others(edge.target for edge in out)
        mentioned_by = self._others(edge.source for edge in reversed(into))
        return Article(
            anchor=self._anchors[entry.path],
            id=plain(entry.stem),
            title=plain(entry.heading),
            lang=tag(entry.lang) or proven(f"{entry.title} {entry.digest}"),
            past=entry.id in self.shelf.superseded,
            open=len(self.inside) == 1,
            kind=plain(entry.kind or entry.category),
            quarter=quarter_of(self.shelf, entry),
            meta=tuple(captions.meta(entry)),
            tags=tuple((plain(name), plain(self._tag(name))) for name in entry.tags),
            description=plain(entry.description),
            replaced_by=tuple(map(self.named, self.shelf.superseded.get(entry.id, ()))),
            replaces=tuple(map(self.named, entry.supersedes)),
            digest=self._linked(digest[1]),
            sections=tuple((plain(name), self._linked(body)) for name, body in sections),
            mentions=tuple(mentions[:_LISTED]),
            more_out=max(0, len(mentions) - _LISTED),
            mentioned_by=tuple(mentioned_by[:_LISTED]),
            more_in=max(0, len(mentioned_by) - _LISTED),
            ego=self._ego(entry),
            around=self._around[entry.path],
        )

    def _ego(self, entry: Entry) -> Markup:
        """The small graph of an episode; one or two neighbours are said quicker in words."""
        if len(self._graph.neighbours(entry.id)) < _DRAWN:
            return made_here("")
        anchor = self._anchors[entry.path]
        return made_here(ego_svg(self._graph, entry.id, self._address, anchor))

    def _linked(self, pieces: links.Cut) -> Markup:
        text = links.joined(pieces, self._address)
        for end in ("</p>", "</li>"):  # a hundredth of a page is such line breaks
            text = text.replace(f"{end}\n", end)
        return made_here(text)

    def _address(self, name: str) -> str:
        anchor = self.resolve(name)
        return f"#{anchor}" if anchor else ""

    def _others(self, names: Iterator[str]) -> list[Link]:
        return [self.named(name) for name in dict.fromkeys(names)]

    def _neighbours(self) -> Iterator[Around]:
        """The links at the end of each episode: to the newer one, the older one, the contents."""
        anchors = ["", *self._anchors.values(), ""]
        for place in range(1, len(anchors) - 1):
            newer, older = anchors[place - 1], anchors[place + 1]
            pairs = (("Newer", newer), ("Older", older), ("Contents", "contents"))
            yield tuple(pair for pair in pairs if pair[1]) if len(anchors) > 3 else ()


def quarter_of(shelf: Shelf, entry: Entry) -> str:
    """The quarter in which an episode lies, "" without a date."""
    return quarter(entry.day, shelf.config.fiscal_year_start) if entry.day else ""
