"""Where the links of a site's pages lead, followed before anybody builds it: MkDocs looks into no HTML."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from urllib.parse import unquote

from ..domain.finding import Finding
from ..domain.page import Page

_HREF = re.compile(r'<(?:a|img)\b[^<>]*? (?:href|src)="([^"]*)"')
_ID = re.compile(r' id="([^"]*)"')
_HEADING = re.compile(r"^#{1,6} .* \{: #([^{} ]+)[^{}]*\}$", re.MULTILINE)
_AWAY = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)

Text = Callable[[str], str]
"""The text of one of a site's pages by its path."""


def broken(pages: Iterable[Page], urls: Mapping[str, str], text: Text) -> Iterator[Finding]:
    """Links of some pages that lead to no file of the site, or to no place in one.

    `urls` are the addresses of all files of the site from its top, each with its path.
    """

    @cache
    def places(path: str) -> frozenset[str]:
        made = text(path)
        return frozenset(map(html.unescape, [*_ID.findall(made), *_HEADING.findall(made)]))

    by_path = {path: url for url, path in urls.items()}
    for page in pages:
        if not page.path.endswith(".md") or not isinstance(page.data, str):
            continue
        folder = posixpath.dirname(by_path[page.path])
        for href in dict.fromkeys(_HREF.findall(page.data)):
            url, _, anchor = html.unescape(href).partition("#")
            if _AWAY.match(url):
                continue
            there = urls.get(_joined(folder, url)) if url else page.path
            if there is None or (anchor and unquote(anchor) not in places(there)):
                said = f"A link leads nowhere: {href}."
                fix = "A template of the shelf's own made it; in ours it is a fault of memshelf."
                yield Finding("warning", "broken-link", said, page.path, fix)


def _joined(folder: str, url: str) -> str:
    """The address of a relative one, from the top of the site."""
    path = posixpath.normpath(posixpath.join(folder, url))
    return "" if path == "." else f"{path}/" if url.endswith("/") else path
