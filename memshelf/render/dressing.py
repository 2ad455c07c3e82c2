"""What the plain HTML of a text gets before it stands in a page: directions, boxes, harmless links.

Works on what `render.commonmark` makes, where every `<` and `>` is markup, by looking at tags alone.
A page of a large shelf consists of these tags, so that none has an attribute that does nothing.
"""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple
from unicodedata import bidirectional

from ..domain.patterns import lazy
from .escape import TURNS
from .highlight import coloured
from .language import may_prove, proven, turns

_SCHEME = lazy(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_WEB = lazy(r"(?:https?://|mailto:)", re.IGNORECASE)

_BLOCK = r"t[hd](?: style=\"[^\"]*\")?|pre><code|/?h[1-6]|/?table"
_TAG = lazy(rf"(<(?:{_BLOCK})>)")
_TAG_OR_TEXT = lazy(rf"(<(?:{_BLOCK}|p|(?:li|blockquote)(?:>\n<p)?|code)>)")
_TASK = lazy(r"<li( [^>]*)?>(\n<p>)?\[([ xX])\] ")
_LINK = lazy(r'<a href="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_PICTURE = lazy(r'<img src="([^"]*)" alt="([^"]*)"[^>]*>')
_FENCE = lazy(r'<pre><code class="language-([^"]*)">([^<]*)</code>')
_LANGUAGE = lazy(r"[\w+#.-]{1,30}", re.ASCII)
_CODE = lazy(r"<code[^>]*>[^<]*</code>")
_HEAD = lazy(r'(?<= tabindex="0")><table>(<thead>.*?</thead>)', re.DOTALL)
_QUOTED = lazy(r"<[^<>]*&quot;")
_EMPTY_HEAD = lazy(r"<th([^>]*)></th>")  # a heading of nothing is none
_OPENING = lazy(r"(<(?:p|li|blockquote|t[hd]|h[4-6])(?: [^>]*)?)>(?=([^<]*[^<\s]))")
_ANY_TAG = lazy(r"<[^>]*>")
_TURNS = lazy(f"[{TURNS}]")


def dress(plain: str, colours: bool = True) -> str:
    """The same HTML for a page: headings h4 to h6, tables and code in boxes of their own, pictures as
    links to them, links only to where `may_link` allows, code in colours unless they are not wanted.

    Where any letter runs from right to left, every block finds its own direction, and code has one.
    A block whose script proves its language says so.
    """
    turned = turns(plain)
    made = _unmarked(plain) if turned else plain
    if "<a " in made:
        made = _LINK.sub(_link, made)
    if "<img" in made:
        made = _PICTURE.sub(_picture, made)
    tables = "<table>" in made
    if tables:
        made = made.replace("\n<t", "<t").replace("\n</t", "</t")
    parts = (_TAG_OR_TEXT if turned else _TAG).split(made)
    if len(parts) > 1:
        dressed = _TURNED if turned else _DRESSED
        parts[1::2] = [dressed[tag] for tag in parts[1::2]]
        made = "".join(parts)
    if tables:
        made = _EMPTY_HEAD.sub(r"<td\1></td>", made)
    if may_prove(made):
        made = _OPENING.sub(_spoken, made)
    if "] " in made and "<li" in made:
        made = _TASK.sub(_task, made)
    if '<code class="' in made:
        made = _FENCE.sub(_Fence(' dir="ltr"' if turned else "", colours).block, made)
    if "&quot;" in made and not _QUOTED.search(made):  # in running text a quote is a quote
        made = made.replace("&quot;", '"')
    return _HEAD.sub(_head, made) if turned and tables else made


def _tags(turned: bool) -> dict[str, str]:
    """Every tag that is written otherwise, and how."""
    auto, ltr = (' dir="auto"', ' dir="ltr"') if turned else ("", "")
    out = {"<p>": f"<p{auto}>", "<code>": f"<code{ltr}>"}
    out["<pre><code>"] = f'<pre{ltr} tabindex="0"><code>'
    for name in ("li", "blockquote"):  # they have the direction of what is first in them
        out[f"<{name}>"] = f"<{name}{auto}>"
        out[f"<{name}>\n<p>"] = f"<{name}{auto}>\n<p>"
    for name in ("th", "td"):  # a strict policy lets no style attribute act
        out[f"<{name}>"] = f"<{name}{auto}>"
        for side in ("left", "center", "right"):
            out[f'<{name} style="text-align:{side}">'] = f'<{name}{auto} class="{side}">'
    for level in range(1, 7):  # below the headings of the page
        below = min(6, max(4, level + 1))
        out[f"<h{level}>"], out[f"</h{level}>"] = f"<h{below}{auto}>", f"</h{below}>"
    out["<table>"], out["</table>"] = '<div class="scroll" tabindex="0"><table>', "</table></div>"
    return out


_DRESSED, _TURNED = _tags(turned=False), _tags(turned=True)


def _unmarked(plain: str) -> str:
    """Code without the marks that turn what follows: it is read as it is written."""
    if not _TURNS.search(plain):
        return plain
    return _CODE.sub(lambda code: _TURNS.sub("", code.group()), plain)


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
    return f'<a href="{href}">{words}</a>'


def _picture(found: re.Match[str]) -> str:
    """A picture as a link to it: a page that is read offline fetches nothing."""
    url, words = found[1], _words(found[2])
    return f'<a href="{url}">{words}</a>' if _WEB.match(url) else words


def _words(alt: str) -> str:
    return f"[picture: {_TURNS.sub('', alt) or 'without words'}]"


# --- blocks ----------------------------------------------------------------------------------


def _task(found: re.Match[str]) -> str:
    """A box that cannot be ticked here, in a word for those who hear the page."""
    way, inside, tick = found[1] or "", found[2] or "", found[3]
    sign, word = ("☐", "open") if tick == " " else ("☑", "done")
    return f'<li{way} class="task">{inside}<i role="img" aria-label="{word}">{sign}</i> '


def _spoken(found: re.Match[str]) -> str:
    """The beginning of a block with its language, where its first words prove one."""
    language = proven(found[2])
    return f'{found[1]} lang="{language}">' if language else found.group()


class _Fence(NamedTuple):
    """Writes a block of code, in colours if they are wanted and its language is known."""

    way: str
    colours: bool

    def block(self, found: re.Match[str]) -> str:
        """The block of a match."""
        name, shown = _LANGUAGE.match(found[1]), ""
        if name and self.colours:
            shown = coloured(unescape(found[2]), name.group())
        named = f' class="language-{name.group()}"' if name else ""
        return f'<pre{self.way} tabindex="0"><code{named}>{shown or found[2]}</code>'


def _head(found: re.Match[str]) -> str:
    """A table's columns run as its head is read."""
    turned = _runs_left(unescape(_ANY_TAG.sub(" ", found[1])))
    return f' dir="rtl"{found.group()}' if turned else found.group()


def _runs_left(text: str) -> bool:
    """True where the first character with a direction runs from right to left."""
    strong = (bidirectional(char) for char in text)
    return next((way for way in strong if way in ("L", "R", "AL")), "L") != "L"
