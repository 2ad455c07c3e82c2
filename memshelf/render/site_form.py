"""How a page of a site is written: Markdown with headings of its own, and our HTML below each.

Any MkDocs or Zensical shows it the same, whatever Markdown extensions are on: headings hold no
sign that an extension could take for its own, and what stands below them is HTML, in blocks that
no Markdown reader looks into. No brace is left in it for macros.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..domain.page import Page
from .escape import plain
from .inert import without_comments
from .language import proven, turns
from .markdown import fragment
from .report import Report
from .site_places import Here
from .templates import environment, made_here, told

if TYPE_CHECKING:
    from markupsafe import Markup

_MARK = re.compile(r"[!-+/:-@\[-`{-~]")
_OPEN, _CLOSE = "\ufdd1", "\ufdd2"  # no text holds them: the braces that are meant
_LINE = re.compile(r"^(#{1,6} .* \{: #[^{}]*\})$", re.MULTILINE)
_ID = re.compile(r' id="[^"]*"')
_BLOCK = re.compile(r'<div data-block="(\d+)">.*?</div>')
_HEADING = re.compile(r"<(/?)h([4-6])\b")


def report_page(report: Report, here: Here, templates: Path | None = None) -> Page:
    """Any report as a page: its title, the line below it, and each part under a heading."""
    return page("report.md.j2", here, templates, report=report, inert=_inert)


def page(name: str, here: Here, templates: Path | None = None, **data: Any) -> Page:
    """A page by one of the templates in `site/`."""
    with told(templates):
        found = environment(templates).get_template(f"site/{name}")
        text = unbraced(found.render(head=title_line, heading=heading, **data))
    return Page(here.path, text.replace(_OPEN, "{:").replace(_CLOSE, "}"))


def heading(level: int, words: str, anchor: str) -> Markup:
    """A heading with its place in the page; every sign in it as a number, which all readers show as
    it is and no extension knows."""
    text = plain(words)
    more = f" lang={proven(text)}" if proven(text) else ""
    more += " dir=auto" if turns(text) else ""
    return made_here(f"{'#' * level} {signs(text)} {_OPEN} #{anchor}{more} {_CLOSE}")


def title_line(words: str) -> Markup:
    """The title of a page in its front matter, in the form that themes put into HTML as it stands."""
    return made_here(front(html.escape(plain(words))))


def front(words: str) -> Markup:
    """A text as a value of front matter: JSON, which is YAML too."""
    return made_here(json.dumps(words, ensure_ascii=False))


def signs(text: str) -> str:
    """Text whose signs stand as numbers, but for those that mean nothing in any Markdown.

    >>> signs("a *b*, c-d")
    'a &#42;b&#42;, c-d'
    """
    return _MARK.sub(lambda found: f"&#{ord(found.group())};", text)


def inner(made: str) -> Markup:
    """A rendered body below a heading of a page: its own headings follow that one.

    Tables have a class, since the theme puts those without one into boxes of its own.
    """
    lifted = _HEADING.sub(lambda found: f"<{found[1]}h{int(found[2]) - 1}", made)
    return made_here(lifted.replace("<table>", '<table class="rows">'))


def unbraced(made: str) -> str:
    """HTML without braces, which macros of other plugins would take for theirs."""
    return made.replace("{", "&#123;").replace("}", "&#125;")


def parted(text: str) -> tuple[str, list[str]]:
    """The page with an empty element in the place of each of its HTML blocks, and these blocks.

    A Markdown reader takes the blocks apart to find out that it has to leave them alone, which costs
    more than all else. The elements hold the places that links may lead to. `whole` is the inverse.
    """
    pieces = _LINE.split(text)  # HTML, heading, HTML, ...; front matter comes first
    blocks: list[str] = []
    for place in range(0, len(pieces), 2):
        block = pieces[place].strip()
        if block.startswith("<"):
            ids = "".join(f"<a{found}></a>" for found in _ID.findall(block))
            pieces[place] = f'\n\n<div data-block="{len(blocks)}">{ids}</div>\n\n'
            blocks.append(block)
    return "".join(pieces), blocks


def whole(content: str, blocks: Sequence[str]) -> str:
    """A page that was made of what `parted` left, with its blocks again."""
    return _BLOCK.sub(lambda found: blocks[int(found[1])], content)


def _inert(text: str) -> Markup:
    return inner(fragment(without_comments(text)))
