"""Where everything stands on a site: the page of each episode, tag and quarter, and links between."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import quote

from ..domain.entry import Entry
from ..domain.shelf import Shelf
from ..domain.tags import Tag, tags
from . import links
from .article import quarter_of

HOME = "index.md"
KINDS, DATES, TAGS = "by-kind.md", "by-date.md", "tags.md"
THREADS, DECISIONS, CHANGES = "threads.md", "decisions.md", "changes.md"
QUARTERS, GRAPH, STATS, PROBLEMS = "quarters.md", "graph.md", "stats.md", "problems.md"
FEED, FIND = "feed.xml", "find.md"
OWN = (
    *(HOME, KINDS, DATES, TAGS, THREADS, DECISIONS, CHANGES),
    *(QUARTERS, GRAPH, STATS, PROBLEMS, FEED, FIND),
)
"""The pages that stand at the top of every site, and so the names that no other page gets."""

_FOLDERS = ("tags", "quarters", "templates", "assets")  # MkDocs takes no folder `templates`
_FRONT = ("index", "readme")  # MkDocs makes these the page of their folder
_LOSSLESS = re.compile(r"[\w\s.,:;!?'\"()/&–—-]*")


class Places:
    """The pages of a site of a shelf, as paths of Markdown files in its docs folder.

    An episode's page has the name of its file: it stays where it is whatever else is on the shelf.
    With `directory_urls`, as MkDocs calls it, a page `a/b.md` has the address `a/b/`, else `a/b.html`.
    Addresses are relative, so that all of it may stand in any folder of a site.
    """

    def __init__(self, shelf: Shelf, directory_urls: bool = False) -> None:
        self.shelf, self.directory_urls = shelf, directory_urls
        self._urls: dict[str, str] = {}
        self._taken = {name.casefold() for name in OWN}
        self._pages = {entry.path: self._free(page_name(entry.path)) for entry in shelf.entries}

    @property
    def pages(self) -> Mapping[str, str]:
        """The page of each episode, by the path of its file."""
        return self._pages

    @cached_property
    def _names(self) -> dict[str, Entry]:
        found = {entry.stem: entry for entry in reversed(self.shelf.entries)}
        return found | dict(self.shelf.by_id)

    @cached_property
    def tags(self) -> dict[str, Tag]:
        """The tags that have a page, those used twice or more, by their slugs."""
        return {tag.slug: tag for tag in tags(self.shelf) if tag.count > 1}

    @cached_property
    def quarters(self) -> tuple[str, ...]:
        """The labels of the quarters that have a page, newest first."""
        return tuple(dict.fromkeys(filter(None, self._labels())))

    def _labels(self) -> Iterator[str]:
        return (quarter_of(self.shelf, entry) for entry in reversed(self.shelf.entries))

    def entry(self, name: str) -> Entry | None:
        """The episode of an id, a file's stem, or an address `ID/t2`."""
        return self._names.get(name) or self._names.get(name.partition("/")[0])

    def episode(self, name: str) -> str:
        """The page of an episode, "" where it is not on the site."""
        found = self.entry(name)
        return self._pages[found.path] if found else ""

    def tag(self, slug: str) -> str:
        """The page of a tag, "" where it has none of its own."""
        return f"tags/{slug}.md" if slug in self.tags else ""

    def quarter(self, label: str) -> str:
        """The page of a quarter, "" where nothing lies in it."""
        return f"quarters/{label}.md" if label in self.quarters else ""

    def at(self, page: str) -> Here:
        """Links from a page."""
        return Here(self, page)

    def url(self, path: str) -> str:
        """The address of a page or a file, from the top of our part of the site.

        >>> Places(Shelf()).url("topics/a b.md"), Places(Shelf(), True).url("index.md")
        ('topics/a%20b.html', '')
        """
        known = self._urls.get(path)
        if known is None:
            known = self._urls[path] = quote(self._url(path))
        return known

    def _url(self, path: str) -> str:
        if not path.endswith(".md"):
            return path
        name = path.removesuffix(".md")
        if not self.directory_urls:
            return f"{name}.html"
        return "" if name == "index" else f"{name}/"

    def _free(self, page: str) -> str:
        """A name that no other page has, on a disk that does not tell case apart either."""
        name, number = page, 2
        while _same(name) in self._taken:
            name, number = f"{page.removesuffix('.md')}--{number}.md", number + 1
        self._taken.add(_same(name))
        return name


class Here(NamedTuple):
    """Links from one page of a site: relative addresses as a browser takes them."""

    places: Places
    path: str

    def page(self, path: str, anchor: str = "") -> str:
        """To a page or a file of the site; "" where the path is empty."""
        if not path:
            return ""
        if path == self.path and anchor:
            return f"#{_quoted(anchor)}"
        way = "../" * self.places.url(self.path).count("/") + self.places.url(path)
        return f"{way or './'}#{_quoted(anchor)}" if anchor else way or "./"

    def episode(self, name: str, anchor: str = "") -> str:
        """To an episode by its id, its file's stem, or an address `ID/t2`, whose place it leads to."""
        anchor = anchor or name.partition("/")[2]
        return self.page(self.places.episode(name), anchor)

    def at(self, entry: Entry) -> str:
        """To an episode that is at hand, also where another one has its id."""
        return self.page(self.places.pages.get(entry.path, ""))

    def tag(self, slug: str) -> str:
        """To a tag: its own page, else its place among all tags."""
        return self.page(
            self.places.tag(slug) or TAGS, "" if self.places.tag(slug) else f"tag-{slug}"
        )

    def quarter(self, label: str) -> str:
        """To a quarter."""
        return self.page(self.places.quarter(label))


_quoted = lru_cache(maxsize=1024)(quote)  # nearly all of them are `t1`, `d2`, ...


def page_name(path: str) -> str:
    """The page of an episode's file, before it is known whether another one has that name.

    >>> page_name("docs/topics/2026-01-02-x.md"), page_name("archive/docs/topics/index.md")
    ('topics/2026-01-02-x.md', 'archive/topics/_index.md')
    """
    *folders, name = path.removesuffix(".md").split("/")
    folders.remove("docs")  # the folder of all, also in the archive
    named = [f"_{part}" if part.casefold() in _FOLDERS else piece(part) for part in folders]
    stem = f"_{name}" if name.casefold() in _FRONT else piece(name)
    return "/".join([*named, f"{stem}.md"])


def piece(name: str) -> str:
    """A part of an address that every disk can hold and no server reads as more than a name."""
    safe = links.safe(unicodedata.normalize("NFC", name))
    return f"_{safe}" if safe[:1] in (".", "") else safe


def _same(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


# --- places inside a page ----------------------------------------------------------------------


def heading_anchors(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """The places of headings in a page: made of the heading alone, so that none moves when another
    is added; of two alike the second has a number.

    >>> heading_anchors(["Open threads", "Решения", "C", "C++", "C"])
    ['open-threads', 'решения', 'c', 'c-cedb1bac', 'c-2']
    """
    used = set(taken)
    out = []
    for name in names:
        anchor, number = heading_anchor(name), 2
        while anchor in used:
            anchor, number = f"{heading_anchor(name)}-{number}", number + 1
        used.add(anchor)
        out.append(anchor)
    return out


def heading_anchor(name: str) -> str:
    """The place of one heading. Where its words do not say it all, a hash follows them; those of
    threads and decisions, `t1` and `d1`, are never a heading's."""
    plain = unicodedata.normalize("NFC", name).casefold().strip()
    words = "-".join(re.findall(r"\w+", plain)).strip("_-")
    hashed = hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:8]
    if not _LOSSLESS.fullmatch(plain) or not words:
        return f"{words[:60].strip('-') or 's'}-{hashed}"
    return f"s-{words}" if re.fullmatch(r"[td]\d+|[st]-.*|tag-.*", words) else words[:80]
