"""What the plain HTML of a text gets before it stands in a page: directions, boxes, harmless links.

Works on what `render.commonmark` makes, where every `<` and `>` is markup, by looking at tags alone.
"""

from __future__ import annotations

import re
from html import unescape
from unicodedata import bidirectional

from ..domain.patterns import lazy
from .highlight import coloured

_SCHEME = lazy(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_WEB = lazy(r"(?:https?://|mailto:)", re.IGNORECASE)
_AWAY = ' rel="noopener noreferrer nofollow"'

_TAG = lazy(
    r"(<(?:p|(?:li|blockquote)(?:>\n<p)?|t[hd](?: style=\"[^\"]*\")?"
    r"|code|pre><code|/?h[1-6]|/?table)>)"
)
_TASK = lazy(r'<li dir="auto">(\n<p>)?\[([ xX])\] ')
_LINK = lazy(r'<a href="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_PICTURE = lazy(r'<img src="([^"]*)" alt="([^"]*)"[^>]*>')
_FENCE = lazy(r'<pre><code class="language-([^"]*)">([^<]*)</code>')
_LANGUAGE = lazy(r"[\w+#.-]{1,30}", re.ASCII)
_CODE = lazy(r"<code[^>]*>[^<]*</code>")
_TURNS = lazy("[\u202a-\u202e\u2066-\u2069]")
_HEAD = lazy(r'(?<= tabindex="0")><table>\n(<thead>.*?</thead>)', re.DOTALL)
_ANY_TAG = lazy(r"<[^>]*>")


def dress(plain: str, colours: bool = True) -> str:
    """The same HTML for a page: headings h4 to h6, tables and code in boxes of their own, pictures as
    links to them, links only to where `may_link` allows, code in colours unless they are not wanted.
    """
    ascii_only = plain.isascii()
    made = plain if ascii_only else _unturned(plain)
    if "<a " in made:
        made = _LINK.sub(_link, made)
    if "<img" in made:
        made = _PICTURE.sub(_picture, made)
    parts = _TAG.split(made)
    parts[1::2] = [_DRESSED[tag] for tag in parts[1::2]]
    made = "".join(parts)
    if "] " in made and '<li dir="auto">' in made:
        made = _TASK.sub(_task, made)
    if '<code class="' in made:
        made = _FENCE.sub(_fence if colours else _plain_fence, made)
    return made if ascii_only or "<table>" not in made else _HEAD.sub(_head, made)


def _tags() -> dict[str, str]:
    """Every tag that is written otherwise, and how."""
    out = {"<p>": '<p dir="auto">', "<code>": '<code dir="ltr">'}
    for name in ("li", "blockquote", "th", "td"):
        out[f"<{name}>"] = f'<{name} dir="auto">'
    for name in ("li", "blockquote"):  # they have the direction of what is first in them
        out[f"<{name}>\n<p>"] = f'<{name} dir="auto">\n<p>'
    for name in ("th", "td"):  # a strict policy lets no style attribute act
        for side in ("left", "center", "right"):
            out[f'<{name} style="text-align:{side}">'] = f'<{name} dir="auto" class="{side}">'
    for level in range(1, 7):  # below the headings of the page
        below = min(6, max(4, level + 1))
        out[f"<h{level}>"], out[f"</h{level}>"] = f'<h{below} dir="auto">', f"</h{below}>"
    out["<pre><code>"] = '<pre dir="ltr" tabindex="0"><code>'
    out["<table>"], out["</table>"] = '<div class="scroll" tabindex="0"><table>', "</table></div>"
    return out


_DRESSED = _tags()


# --- links and pictures ----------------------------------------------------------------------


def may_link(url: str) -> bool:
    """True for the web, mail, and addresses without a scheme that stay on the shelf."""
    if url.startswith(("//", "\\", "/\\", "%5C", "/%5C")):
        return False
    return bool(_WEB.match(url)) or not _SCHEME.match(url)


def _link(found: re.Match[str]) -> str:
    """A link, or its words; a picture in it is words as well, since links do not nest."""
    href, words = found.groups()
    if "<img" in words:
        words = _PICTURE.sub(lambda picture: _words(picture[2]), words)
    if not may_link(href):
        return str(words)
    return f'<a href="{href}"{_AWAY if _WEB.match(href) else ""}>{words}</a>'


def _picture(found: re.Match[str]) -> str:
    """A picture as a link to it: a page that is read offline fetches nothing."""
    url, words = found[1], _words(found[2])
    return f'<a href="{url}"{_AWAY}>{words}</a>' if _WEB.match(url) else words


def _words(alt: str) -> str:
    return f"[picture: {alt or 'without words'}]"


# --- blocks ----------------------------------------------------------------------------------


def _task(found: re.Match[str]) -> str:
    """A box that cannot be ticked here, in words for those who hear the page."""
    sign, word = ("☐", "open") if found[2] == " " else ("☑", "done")
    inside = found[1] or ""
    return f'<li dir="auto" class="task">{inside}<span role="img" aria-label="{word}">{sign}</span> '


def _fence(found: re.Match[str]) -> str:
    language = _LANGUAGE.match(found[1])
    shown = language and coloured(unescape(found[2]), language.group())
    return _block(language, shown or found[2])


def _plain_fence(found: re.Match[str]) -> str:
    return _block(_LANGUAGE.match(found[1]), found[2])


def _block(language: re.Match[str] | None, shown: str) -> str:
    named = f' class="language-{language.group()}"' if language else ""
    return f'<pre dir="ltr" tabindex="0"><code{named}>{shown}</code>'


def _head(found: re.Match[str]) -> str:
    """A table's columns run as its head is read."""
    turned = _runs_left(unescape(_ANY_TAG.sub(" ", found[1])))
    return f' dir="rtl"{found.group()}' if turned else found.group()


def _runs_left(text: str) -> bool:
    """True where the first character with a direction runs from right to left."""
    strong = (bidirectional(char) for char in text)
    return next((way for way in strong if way in ("L", "R", "AL")), "L") != "L"


def _unturned(plain: str) -> str:
    """Code without the marks that turn what follows: it is read as it is written."""
    if not _TURNS.search(plain):
        return plain
    return _CODE.sub(lambda code: _TURNS.sub("", code.group()), plain)
