"""The page of one episode on a site."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..domain.entry import Entry
from ..domain.graph import Edge, Graph, graph
from ..domain.page import Page
from ..domain.shelf import Shelf
from ..domain.tags import tag_slug
from ..domain.text import fold
from ..domain.threads import Decisions, Threads
from . import captions, links
from .bodies import Body, coloured
from .ego import ego_svg
from .escape import plain
from .language import proven, tag, turns
from .site_form import inner, page
from .site_origin import Past, past
from .site_places import Here, Places, heading_anchors
from .site_states import State, decision_states, marked, thread_states
from .templates import made_here
from .words import unmarked

if TYPE_CHECKING:
    from markupsafe import Markup

_LISTED = 20  # so that no page's furniture outgrows what stands on it
_DRAWN = 3
_CONTENTS = 5
_OWN = ("digest", "around")

Said = Callable[[str, str], str]
"""The sentence in which an episode names another one, by both ids; "" where there is none."""


class Link(NamedTuple):
    """Words and where they lead ("" for nowhere on the site), small print, and a sentence."""

    words: str
    href: str = ""
    small: str = ""
    said: str = ""

    @property
    def turned(self) -> bool:
        """True where the words have to find their direction."""
        return turns(self.words)


class Links(NamedTuple):
    """Some links, and how many more there are."""

    shown: tuple[Link, ...] = ()
    more: int = 0


class Section(NamedTuple):
    """A section as it is laid out."""

    name: str
    anchor: str
    body: Markup


class Leaf(NamedTuple):
    """One episode as the template lays it out; every text harmless, every fragment made by us."""

    title: str
    description: str
    lang: str
    past: bool
    id: str
    meta: tuple[str, ...]
    tags: tuple[Link, ...]
    replaced_by: tuple[Link, ...]
    replaces: tuple[Link, ...]
    digest: Markup
    sections: tuple[Section, ...]
    contents: bool
    mentions: Links
    mentioned_by: Links
    ego: Markup
    origin: Past
    newer: Link | None
    older: Link | None


class Leaves:
    """Makes the pages of episodes out of a snapshot that is cut to what its readers may see."""

    def __init__(
        self,
        shelf: Shelf,
        places: Places,
        said: Said,
        templates: Path | None = None,
        levels: Mapping[str, str] | None = None,
    ) -> None:
        self._shelf, self._places, self._said = shelf, places, said
        self._templates, self._levels = templates, levels or {}
        paths = [entry.path for entry in shelf.entries]
        self._older = dict(zip(paths, ["", *paths[:-1]], strict=True)) if paths else {}
        self._newer = dict(zip(paths, [*paths[1:], ""], strict=True)) if paths else {}
        self._entries = {entry.path: entry for entry in shelf.entries}

    @cached_property
    def graph(self) -> Graph:
        """Who names whom."""
        return graph(self._shelf)

    @cached_property
    def _threads(self) -> Threads:
        return Threads(self._shelf)

    @cached_property
    def _decisions(self) -> Decisions:
        return Decisions(self._shelf)

    @cached_property
    def _newest(self) -> frozenset[str]:
        return coloured(self._shelf)

    def around(self, entry: Entry) -> str:
        """A name of all that an episode's page shows of others, but for what these say of it."""
        here = self._places.at(self._places.pages[entry.path])
        out, into = self.graph.outgoing.get(entry.id, ()), self.graph.incoming.get(entry.id, ())
        near = [(edge, self._link(edge.target, here)) for edge in out]
        near += [(edge, self._link(edge.source, here)) for edge in into]
        named = (*entry.supersedes, *self._shelf.superseded.get(entry.id, ()))
        said = (here.path, near, self._named(named, here), self._states(entry, here))
        return _hashed(said)

    def quoted(self, entry: Entry) -> tuple[str, ...]:
        """The paths of the episodes whose words an episode's page shows."""
        into = self.graph.incoming.get(entry.id, ())
        return tuple(dict.fromkeys(self.graph.by_id[edge.source].path for edge in into))

    def key(
        self, entry: Entry, around: str, quoted: Iterable[str], contents: Mapping[str, str]
    ) -> str:
        """A name of all that an episode's page is made of."""
        here = self._places.at(self._places.pages[entry.path])
        beside = [self._beside(way[entry.path], here) for way in (self._newer, self._older)]
        tagged = [here.tag(tag_slug(name)) for name in entry.tags]
        said = (around, entry.path in self._newest, beside, tagged, past(self._shelf, entry))
        others = [contents[path] for path in quoted]
        return _hashed((contents[entry.path], said, others, self._level(entry)))

    def page(self, entry: Entry, body: Body) -> Page:
        """The page of an episode with its rendered body."""
        here = self._places.at(self._places.pages[entry.path])
        leaf = self.leaf(entry, body, here)
        return page("episode.md.j2", here, self._templates, item=leaf)

    def leaf(self, entry: Entry, body: Body, here: Here) -> Leaf:
        """What stands on the page of an episode."""
        digest, *sections = body
        names = [name for name, _ in sections]
        anchors = heading_anchors(names, _OWN)
        states = self._states(entry, here)
        laid = []
        for (name, pieces), anchor in zip(sections, anchors, strict=True):
            found = states.pop(fold(name), ())  # of two sections of one name the first is read
            text = inner(links.joined(pieces, here.episode))
            laid.append(Section(name, anchor, made_here(marked(text, found))))
        return Leaf(
            title=plain(entry.heading),
            description=plain(entry.description),
            lang=tag(entry.lang) or proven(f"{entry.title} {entry.digest}"),
            past=entry.id in self._shelf.superseded,
            id=plain(entry.stem),
            meta=(*captions.meta(entry), *self._level(entry)),
            tags=tuple(Link(plain(name), here.tag(tag_slug(name))) for name in entry.tags),
            replaced_by=self._named(self._shelf.superseded.get(entry.id, ()), here),
            replaces=self._named(entry.supersedes, here),
            digest=inner(links.joined(digest[1], here.episode)),
            sections=tuple(laid),
            contents=len(laid) >= _CONTENTS,
            mentions=self._others(self.graph.outgoing.get(entry.id, ()), True, here),
            mentioned_by=self._others(reversed(self.graph.incoming.get(entry.id, ())), False, here),
            ego=self._ego(entry, here),
            origin=past(self._shelf, entry),
            newer=self._beside(self._newer[entry.path], here),
            older=self._beside(self._older[entry.path], here),
        )

    def _level(self, entry: Entry) -> tuple[str, ...]:
        level = self._levels.get(entry.path, "")
        return (f"visible to: {plain(level)}",) if level else ()

    def _states(self, entry: Entry, here: Here) -> dict[str, tuple[State, ...]]:
        return {
            "open threads": thread_states(self._threads.of(entry), here),
            "decisions": decision_states(self._decisions.of(entry), here),
        }

    def _named(self, addresses: Iterable[str], here: Here) -> tuple[Link, ...]:
        return tuple(self._link(address, here) for address in addresses)

    def _link(self, address: str, here: Here, small: str = "", said: str = "") -> Link:
        """To an id or an address: by the title of its episode, or in the words that it has."""
        found = self._places.entry(address)
        words = captions.short(found) if found else plain(address)
        return Link(words, here.episode(address), small, said)

    def _others(self, edges: Iterable[Edge], outgoing: bool, here: Here) -> Links:
        """The other ends of some edges, each once, with the section and the sentence."""
        found: dict[str, Edge] = {}
        for edge in edges:
            found.setdefault(edge.target if outgoing else edge.source, edge)
        shown = [
            self._link(
                name,
                here,
                plain(edge.section),
                plain(unmarked(self._said(edge.source, edge.target))),
            )
            for name, edge in list(found.items())[:_LISTED]
        ]
        return Links(tuple(shown), max(0, len(found) - _LISTED))

    def _ego(self, entry: Entry, here: Here) -> Markup:
        """The small graph; one or two neighbours are said quicker in words."""
        if len(self.graph.neighbours(entry.id)) < _DRAWN:
            return made_here("")
        return made_here(ego_svg(self.graph, entry.id, here.episode, "ego"))

    def _beside(self, path: str, here: Here) -> Link | None:
        found = self._entries.get(path)
        return Link(captions.short(found), here.page(self._places.pages[path])) if found else None


def _hashed(said: object) -> str:
    return hashlib.sha1(repr(said).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
