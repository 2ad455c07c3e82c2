"""The one way from an episode's Markdown to HTML: CommonMark, tables and strikethrough; inert.

Raw HTML is text, no picture is fetched, and a link leads to the web, to mail or to a file of the
shelf, or is text as well. Every block finds its own direction; code always runs left to right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any
from unicodedata import bidirectional

from .escape import attribute, controls, html

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererProtocol
    from markdown_it.token import Token

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_WEB = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_AWAY = ' rel="noopener noreferrer nofollow"'
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}", re.ASCII)
_OWN_DIRECTION = frozenset(("li_open", "blockquote_open", "td_open", "th_open", "heading_open"))


def fragment(markdown: str) -> str:
    """The HTML of a piece of Markdown, complete in itself, whatever the text holds.

    Headings come out as h4 to h6, below those of the page. Relative links are kept as they are,
    for the page to resolve (`render.links`).
    """
    found: str = _parser().render(controls(markdown))
    return found


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.validateLink = may_link  # type: ignore[method-assign]
    parser.core.ruler.push("shelf", _dress)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def may_link(url: str) -> bool:
    """True for the web, mail, and addresses without a scheme that stay on the shelf."""
    if url.startswith(("//", "\\", "/\\", "%5C", "/%5C")):
        return False
    return bool(_WEB.match(url)) or not _SCHEME.match(url)


def _dress(state: Any) -> None:
    """Directions, headings below the page's own, alignment as a class, on the whole text's tokens."""
    before: Token | None = None
    for token in state.tokens:
        opened = before is not None and before.type in ("list_item_open", "blockquote_open")
        if token.type in _OWN_DIRECTION or token.type == "list_item_open":
            token.attrSet("dir", "auto")
        elif token.type == "paragraph_open" and not opened:
            token.attrSet("dir", "auto")  # the first one in an item gives the item its direction
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, max(4, int(token.tag[1]) + 1))}"
        if token.type in ("td_open", "th_open"):
            _align(token)
        if token.type == "inline":
            _mark_linked(token.children or [])
        before = token


def _mark_linked(tokens: Sequence[Token]) -> None:
    """A picture inside a link is words of that link: links do not nest."""
    inside = False
    for token in tokens:
        inside = token.type == "link_open" or (inside and token.type != "link_close")
        token.meta["linked"] = inside


def _align(token: Token) -> None:
    """Alignment as a class: a strict policy lets no style attribute act."""
    style = str(token.attrs.pop("style", ""))
    if style:
        token.attrSet("class", style.rpartition(":")[2].strip())


def _table_open(_: RendererProtocol, tokens: Sequence[Token], at: int, *__: Any) -> str:
    """The table in a box of its own to scroll in; its columns run as its head is read."""
    head = "".join(token.content for token in islice(tokens, at, at + 40) if token.type == "inline")
    turned = ' dir="rtl"' if _runs_left(head) else ""
    return f'<div class="scroll" tabindex="0"{turned}><table>\n'


def _runs_left(text: str) -> bool:
    """True where the first character with a direction runs from right to left."""
    strong = (bidirectional(char) for char in text)
    return next((way for way in strong if way in ("L", "R", "AL")), "L") != "L"


def _table_close(*_: Any) -> str:
    return "</table></div>\n"


def _fence(_: RendererProtocol, tokens: Sequence[Token], at: int, *__: Any) -> str:
    token = tokens[at]
    language = _LANGUAGE.match(token.info.strip())
    named = f' class="language-{attribute(language.group())}"' if language else ""
    return f'<pre dir="ltr" tabindex="0"><code{named}>{html(token.content)}</code></pre>\n'


def _code(_: RendererProtocol, tokens: Sequence[Token], at: int, *__: Any) -> str:
    return f'<code dir="ltr">{html(tokens[at].content)}</code>'


def _image(_: RendererProtocol, tokens: Sequence[Token], at: int, *__: Any) -> str:
    """A picture as a link to it: a page that is read offline fetches nothing."""
    token = tokens[at]
    url, words = (
        str(token.attrs.get("src", "")),
        html(f"picture: {token.content or 'without words'}"),
    )
    if token.meta.get("linked") or not _WEB.match(url):
        return f"[{words}]"
    return f'<a href="{attribute(url)}"{_AWAY}>[{words}]</a>'


def _link_open(_: RendererProtocol, tokens: Sequence[Token], at: int, *__: Any) -> str:
    href = str(tokens[at].attrs.get("href", ""))
    return f'<a href="{attribute(href)}"{_AWAY if _WEB.match(href) else ""}>'


_RULES: dict[str, Any] = {
    "table_open": _table_open,
    "table_close": _table_close,
    "fence": _fence,
    "code_block": _fence,
    "code_inline": _code,
    "image": _image,
    "link_open": _link_open,
}
