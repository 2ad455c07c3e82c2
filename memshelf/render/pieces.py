"""The pieces that lines of a report are put together from, and those of a line as HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from .escape import plain
from .language import proven, turns

_SIGNS = re.compile("[&<>\"']")


class Span(NamedTuple):
    """A piece of a line: `text`, `strong`, `small`, `tag` or `id`, which may lead to an address."""

    kind: str
    text: str
    href: str = ""

    @property
    def lang(self) -> str:
        """The language that its script proves, or an empty text."""
        return proven(self.text)


def text(words: str) -> Span:
    """A piece of running text."""
    return Span("text", plain(words))


def strong(words: str, href: str = "") -> Span:
    """A title."""
    return Span("strong", plain(words), href)


def small(words: str) -> Span:
    """Small print: when and what something is."""
    return Span("small", plain(words))


def tag(words: str, href: str = "") -> Span:
    """The name of a tag."""
    return Span("tag", plain(words), href)


def link(words: str, href: str) -> Span:
    """A title that leads to where it is told, or running text where there is no such place."""
    return Span("text", plain(words), href)


def ident(words: str, href: str = "") -> Span:
    """An id or an address."""
    return Span("id", plain(words), href)


def pieces(spans: Sequence[Span]) -> Markup:
    """The pieces of a line as HTML, every text escaped.

    A template of its own would take twice as long, and pages have tens of thousands of them. Where
    any letter runs from right to left, the first piece gives the line its direction, and those
    after it keep theirs to themselves.
    """
    way = ' dir="auto"' if turned(spans) else ""
    return Markup(" ".join([_piece(span, way, place > 0) for place, span in enumerate(spans)]))


def turned(spans: Sequence[Span]) -> bool:
    """True for a line that has to find its direction."""
    return any(turns(span.text) for span in spans)


def _piece(span: Span, way: str, after: bool) -> str:
    kind, words = span.kind, _html(span.text)
    lang = f' lang="{found}"' if (found := span.lang) else ""
    ltr = ' dir="ltr"' if way and kind == "id" else ""
    if span.href:
        tagged = ' class="tag"' if kind == "tag" else ""
        return f'<a{tagged} href="{_html(span.href)}"{lang}{ltr or way}>{words}</a>'
    if kind == "id":
        return f"<code{ltr}>{words}</code>"
    if kind == "small":
        return f'<span class="small"{lang}{way}>{words}</span>'
    way = way if after else ""
    if kind != "strong" and not lang and not way:
        return words
    name = "strong" if kind == "strong" else "span"
    return f"<{name}{lang}{way}>{words}</{name}>"


def _html(text: str) -> str:
    """Text escaped as templates do it; most has nothing to escape, which is quicker to see."""
    return escape(text) if _SIGNS.search(text) else text
