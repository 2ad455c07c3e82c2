"""The one way from an episode's Markdown to HTML: CommonMark, tables and strikethrough; inert.

Raw HTML is text, no picture is fetched, and a link leads to the web, to mail or to a file of the
shelf, or is words. Every block finds its own direction; code always runs left to right.
"""

from __future__ import annotations

from .commonmark import plain
from .dressing import dress
from .escape import controls

VERSION = 1
"""Changes whenever the same Markdown comes out as other HTML: a key of the cache."""


def fragment(markdown: str, colours: bool = True) -> str:
    """The HTML of a piece of Markdown, complete in itself, whatever the text holds.

    Headings come out as h4 to h6, below those of the page. Relative links are kept as they are,
    for the page to resolve (`render.links`). Code has colours (`render.highlight`) if they are wanted.
    """
    text = controls(markdown)
    made = dress(plain(text), colours)
    return controls(made) if "&#" in text else made  # a number may name a control character
