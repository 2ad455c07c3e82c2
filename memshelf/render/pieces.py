"""The pieces that lines of a report are put together from, and those of a line as HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from .escape import plain
from .language import proven

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

    A template of its own would take twice as long, and pages have tens of thousands of them. The
    first piece gives the line its direction; those after it keep theirs to themselves.
    """
    return Markup(" ".join([_piece(span, place > 0) for place, span in enumerate(spans)]))


def _piece(span: Span, after: bool) -> str:
    kind, words = span.kind, _html(span.text)
    lang = f' lang="{found}"' if (found := span.lang) else ""
    if span.href:
        return _link(kind, words, f'href="{_html(span.href)}"', lang)
    if kind == "id":
        return f'<code dir="ltr">{words}</code>'
    if kind == "small":
        return f'<span class="small"{lang} dir="auto">{words}</span>'
    if kind != "strong" and not lang and not after:
        return words
    name = "strong" if kind == "strong" else "span"
    turned = ' dir="auto"' if after else ""
    return f"<{name}{lang}{turned}>{words}</{name}>"


def _link(kind: str, words: str, href: str, lang: str) -> str:
    if kind == "id":
        return f'<a {href} dir="ltr">{words}</a>'
    tagged = ' class="tag"' if kind == "tag" else ""
    return f'<a{tagged} {href}{lang} dir="auto">{words}</a>'


def _html(text: str) -> str:
    """Text escaped as templates do it; most has nothing to escape, which is quicker to see."""
    return escape(text) if _SIGNS.search(text) else text
