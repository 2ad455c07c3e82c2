"""A shelf as the pages of a site: Markdown files for MkDocs or Zensical, and what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from ..domain.page import Page
from ..domain.shelf import Shelf
from . import site_places
from .bodies import Bodies
from .changes_page import changes_page
from .feed import feed
from .redirects import redirect_page, redirects
from .report import Report
from .site_episode import Leaves, Said
from .site_find import Finder, script
from .site_form import report_page
from .site_home import home
from .site_lists import list_pages
from .site_places import OWN, Here, Places, page_name
from .templates import source

STYLE, SCRIPT = "assets/memshelf.css", "assets/memshelf.js"
CHART = "assets/stats.svg"
_STYLES = ("code.css", "ego.css", "report.css")
_DARK = re.compile(r"@media (?:screen and )?\(prefers-color-scheme: dark\)")

Lists = Callable[[Shelf, Here], Report]


class Form(NamedTuple):
    """What a site is made for: whether pages have folders as addresses, the shelf's own templates, and
    whether its readers may see levels and problems; its address, which its feed needs; and an SVG of its numbers."""

    directory_urls: bool = False
    templates: Path | None = None
    private: bool = False
    url: str = ""
    chart: str = ""


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
    ) -> None:
        self.shelf, self.form = shelf, form
        self.places = Places(shelf, form.directory_urls)
        self._bodies = bodies
        self._leaves = Leaves(shelf, self.places, said, form.templates, levels)

    def pages(self) -> Iterator[Page]:
        """Every page, each once: the first page, lists, then episodes, newest first."""
        news = feed(self.shelf, self.form.url, self._address)
        there = self._own(news is not None)
        yield self._report(site_places.HOME, home(self.shelf, self._at(site_places.HOME), there))
        taken = set(OWN)
        for path, report in self.lists():
            taken.add(path)
            yield self._report(path, report)
        finder = Finder(self.shelf, self._at(site_places.FIND))
        for entry in reversed(self.shelf.entries):
            body = self._bodies(entry)
            yield self._leaves.page(entry, body)
            yield from finder.add(entry, body)
        yield from finder.rest()
        yield from self._redirects(taken)
        if news:
            yield news

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

    def _own(self, news: bool) -> frozenset[str]:
        """The pages at the top that this site has."""
        lacking = {
            site_places.CHANGES: self.shelf.changes.available,
            site_places.PROBLEMS: self.form.private,
            site_places.FEED: news,
        }
        return frozenset(path for path in OWN if lacking.get(path, True))

    def lists(self) -> Iterator[tuple[str, Report]]:
        """The lists that this site has, each with its page."""
        chart = CHART if self.form.chart else ""
        yield from list_pages(self.shelf, self.places, chart=chart, private=self.form.private)
        if self.shelf.changes.available:
            here = self._at(site_places.CHANGES)
            yield here.path, changes_page(self.shelf, here)

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
