"""A shelf as the pages of a site: Markdown files for MkDocs or Zensical, and what stands beside them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import unquote

from ..domain.entry import Entry
from ..domain.graph_groups import QUARTER, labels
from ..domain.page import Page
from ..domain.shelf import Shelf
from . import site_places
from .bodies import Bodies
from .changes_page import changes_page
from .feed import feed, has_feed
from .graph import graph_json
from .graph_svg import graph_svg
from .redirects import redirect_page, redirects
from .report import Report
from .site_episode import Leaves, Said
from .site_find import TEXTS, Finder, Searched, script, searched
from .site_form import report_page
from .site_frame import Frame, Memory, Portion, packed, unpacked
from .site_home import home
from .site_lists import list_pages
from .site_places import OWN, Here, Places, page_name
from .site_stats import stats_page
from .templates import source

STYLE, SCRIPT = "assets/memshelf.css", "assets/memshelf.js"
CHART, DRAWING, EDGES = "assets/stats.svg", "assets/graph.svg", "assets/graph.json"
_STYLES = ("code.css", "ego.css", "report.css")
_DARK = re.compile(r"@media (?:screen and )?\(prefers-color-scheme: dark\)")


Readers = Literal["owner", "team", "public"]
"""Who reads a site."""


class Form(NamedTuple):
    """What a site is made for: whether pages have folders as addresses; the shelf's own templates; who
    reads it; its address, which its feed needs; and an SVG of its numbers."""

    directory_urls: bool = False
    templates: Path | None = None
    readers: Readers = "public"
    url: str = ""
    chart: str = ""

    @property
    def insiders(self) -> bool:
        """Whether its readers may see who else may read an episode, and what is wrong with files."""
        return self.readers != "public"


class Site:
    """The pages of a snapshot that is cut to what its readers may see.

    `bodies` gives rendered bodies and `said` the sentences of mentions; `levels` are the visibility
    of each episode by path, for readers who may know it.
    """

    def __init__(
        self,
        shelf: Shelf,
        bodies: Bodies,
        said: Said,
        form: Form = Form(),  # noqa: B008
        levels: Mapping[str, str] | None = None,
        memory: Memory | None = None,
    ) -> None:
        self.shelf, self.form, self._memory = shelf, form, memory
        self.places = Places(shelf, form.directory_urls)
        self._bodies = bodies
        self._leaves = Leaves(shelf, self.places, said, form.templates, levels)

    def pages(self) -> Iterator[Page]:
        """Every page, each once: lists, then episodes, newest first, then what leads to them."""
        frame = unpacked(self._memory.frame.text()) if self._memory else None
        lists: list[str] = []
        for page in self._again(frame.lists) if frame else self._lists():
            lists.append(page.path)
            yield page
        yield from self._now()
        yield from self._episodes(frame or self._framed(lists))
        yield from self._redirects({*OWN, *lists})

    # --- lists -----------------------------------------------------------------------------------

    def _lists(self) -> Iterator[Page]:
        """The first page, the lists, which show of an episode no more than its face, and the graph
        as a picture and as data."""
        here, graph = self._at(site_places.HOME), self._leaves.graph
        beside: dict[str, Callable[[], str]] = {}
        if graph.edges:
            beside = {DRAWING: self._drawn, EDGES: partial(graph_json, graph)}
        lists = list_pages(self.shelf, self.places, graph, tuple(beside), self.form.insiders)
        pairs = chain([(here.path, home(self.shelf, here, self._own()))], lists)
        while some := list(islice(pairs, TEXTS)):
            portion = Portion(self._memory, self._list_keys([path for path, _ in some]))
            for path, report in some:
                yield Page(path, portion.text(path, partial(self._text, path, report)))
            portion.keep()
        portion = Portion(self._memory, self._list_keys(list(beside)))
        for path, make in beside.items():
            yield Page(path, portion.text(path, make))
        portion.keep()

    def _text(self, path: str, report: Report) -> str:
        return str(self._report(path, report).data)

    def _drawn(self) -> str:
        """The graph as a picture."""
        of = labels(QUARTER, self.shelf.config.fiscal_year_start)
        return graph_svg(self._leaves.graph, self.shelf.name, of, QUARTER)

    def _again(self, paths: Sequence[str]) -> Iterator[Page]:
        """The lists as they were left, and from the first lost one on made again."""
        for first in range(0, len(paths), TEXTS):
            some = paths[first : first + TEXTS]
            portion = Portion(self._memory, self._list_keys(some))
            if not portion.whole:
                gone = set(paths[:first])
                yield from (page for page in self._lists() if page.path not in gone)
                return
            yield from (Page(path, portion.text(path, str)) for path in some)

    def _list_keys(self, paths: Sequence[str]) -> dict[str, str]:
        return dict.fromkeys(paths, self._memory.frame.key if self._memory else "")

    def _framed(self, lists: Sequence[str]) -> Frame:
        """What is left to the next site."""
        if self._memory is None:
            return Frame(lists, (), ())
        newest, leaves = self.shelf.entries[::-1], self._leaves
        frame = Frame(lists, list(map(leaves.around, newest)), list(map(leaves.quoted, newest)))
        self._memory.frame.keep(packed(frame))
        return frame

    def _now(self) -> Iterator[Page]:
        """What shows more of episodes than their faces: numbers, and what changed."""
        stats = self._at(site_places.STATS)
        chart = stats.page(CHART) if self.form.chart else ""
        yield self._report(stats.path, stats_page(self.shelf, stats, chart))
        if self.shelf.changes.available:
            here = self._at(site_places.CHANGES)
            yield self._report(here.path, changes_page(self.shelf, here))
        news = feed(self.shelf, self.form.url, self._address)
        if news:
            yield news

    # --- episodes --------------------------------------------------------------------------------

    def _episodes(self, frame: Frame) -> Iterator[Page]:
        """The pages of episodes and what is searched, the newest first, a part at a time."""
        finder = Finder(self.shelf, self._at(site_places.FIND))
        entries = self.shelf.entries
        for first in reversed(range(0, len(entries), TEXTS)):
            some, number = entries[first : first + TEXTS], first // TEXTS
            pages = [self.places.pages[entry.path] for entry in some]
            keys = {page: self._key(frame, first + at) for at, page in enumerate(pages)}
            words = f"words {number}"
            portion = Portion(self._memory, {**keys, words: self._words_key(some)})
            for page, entry in zip(reversed(pages), reversed(some), strict=True):
                yield Page(page, portion.text(page, partial(self._leaf, entry)))
            found = portion.text(words, partial(self._searched, number, some))
            yield finder.add(number, some, Searched(*json.loads(found)))
            portion.keep()
        yield from finder.rest()

    def _leaf(self, entry: Entry) -> str:
        return str(self._leaves.page(entry, self._bodies(entry)).data)

    def _searched(self, number: int, some: Sequence[Entry]) -> str:
        return json.dumps(searched(number, map(self._bodies, some)), ensure_ascii=False)

    def _key(self, frame: Frame, place: int) -> str:
        """A name of all that the page of an episode is made of, by its place in time."""
        if self._memory is None:
            return str(place)
        back = len(self.shelf.entries) - 1 - place
        entry, contents = self.shelf.entries[place], self._memory.contents
        return self._leaves.key(entry, frame.around[back], frame.quoted[back], contents)

    def _words_key(self, some: Sequence[Entry]) -> str:
        contents = self._memory.contents if self._memory else {}
        text = " ".join(contents.get(entry.path, "") for entry in some)
        return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

    def _address(self, name: str) -> str:
        page = self.places.episode(name)
        return self.places.url(page) if page else ""

    def _redirects(self, taken: Collection[str]) -> Iterator[Page]:
        """Pages at the old addresses of episodes, each leading to the new one."""
        places = self.places
        pairs = redirects(self.shelf, places.pages.__getitem__, page_name, taken)
        for old, new in pairs:
            file = unquote(places.url(old))
            target = places.at(old).page(new)
            made = redirect_page(target, self.form.templates)
            yield Page(f"{file}index.html" if file.endswith("/") else file, made)

    def _own(self) -> frozenset[str]:
        """The pages at the top that this site has."""
        lacking = {
            site_places.CHANGES: self.shelf.changes.available,
            site_places.PROBLEMS: self.form.insiders,
            site_places.FEED: has_feed(self.form.url),
        }
        return frozenset(path for path in OWN if lacking.get(path, True))

    def assets(self) -> Iterator[Page]:
        """Styles and scripts."""
        inside = "\n".join(nested(source(name)) for name in _STYLES)
        yield Page(STYLE, f"{source('site/site.css')}.shelf {{\n{inside}}}\n")
        yield Page(SCRIPT, script(self._at(SCRIPT)))
        if self.form.chart:
            yield Page(CHART, self.form.chart)

    def _at(self, path: str) -> Here:
        return self.places.at(path)

    def _report(self, path: str, report: Report) -> Page:
        return report_page(report, self._at(path), self.form.templates)


def nested(style: str) -> str:
    """The style of a page of its own as it stands inside a rule for our part of somebody's page: the
    theme says what is dark, and nothing around us changes."""
    dark = _DARK.sub('[data-md-color-scheme="slate"] &', style)
    return dark.replace(":root", "&").replace(".report", "&")
