"""People's own Markdown as a part of a larger document: complete in itself, and harmless.

Its headings go below those of the document, its fences are closed, raw HTML and links that lead
neither to the web nor to the shelf are literal text to every reader of Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from .escape import controls

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_TICKS = re.compile("`+")
_MARKUP = re.compile(r"<(?=[A-Za-z/!?])(?!(?:https?://|mailto:)[^\s<>]*>)", re.IGNORECASE)
_LINK = re.compile(r"\](?=\(\s*(?:&lt;|<)?([^\s)>]*)|:\s*(?:&lt;|<)?([^\s>]*))")
_SAFE = re.compile(r"https?://|mailto:|(?!//)[^:&\\]*\Z", re.IGNORECASE)

_DEEP = 12
"""Levels of lists and quotes that each reader follows: below some twenty, some lose the rest."""


def without_comments(markdown: str) -> str:
    """A text without HTML comments: notes to the one who writes are not for readers."""
    return _COMMENT.sub("", controls(markdown.replace("\r\n", "\n"))).strip("\n")


def inert(markdown: str, below: int = 2) -> str:
    """A text as it may stand under a heading of level `below`.

    >>> inert("# One\\n\\nTwo <script> and `<b>`")
    '### One\\n\\nTwo &lt;script> and `<b>`'
    """
    lines = without_comments(markdown).split("\n")
    tokens = _parser().parse("\n".join(lines))
    if any(token.level >= _DEEP for token in tokens):
        return _as_code(lines)
    levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    down = max(0, below + 1 - min(levels, default=6))
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.map:
            _lower(lines, token, tokens[place + 1].content, down)
    code = {number for token in tokens for number in _code_lines(token)}
    spans = [child.content for token in tokens for child in token.children or () if _is_code(child)]
    return "\n".join([*_harmless(lines, code, spans), *_closing(lines, tokens)])


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _as_code(lines: Sequence[str]) -> str:
    marks = max((found.group() for found in _TICKS.finditer("\n".join(lines))), default="", key=len)
    fence = marks + "`" if len(marks) > 2 else "```"
    return "\n".join([f"{fence}text", *lines, fence])


def _lower(lines: list[str], token: Token, words: str, down: int) -> None:
    """A heading some levels lower, always with hashes: underlined ones know two levels only."""
    first, last = token.map or (0, 0)
    hashes = "#" * min(6, int(token.tag[1]) + down)
    start = lines[first].find(token.markup if token.markup[0] == "#" else words.split("\n")[0])
    lines[first] = f"{lines[first][:start]}{hashes} {' '.join(words.split())}".rstrip()
    lines[first + 1 : last] = [""] * (last - first - 1)


def _code_lines(token: Token) -> range:
    block = token.type in ("fence", "code_block")
    return range(*token.map) if block and token.map else range(0)


def _is_code(token: Token) -> bool:
    return token.type == "code_inline"


def _harmless(lines: Sequence[str], code: set[int], spans: Sequence[str]) -> Iterator[str]:
    """The lines with raw HTML and unsafe links as text, code blocks as they are.

    Code spans stay as they are only where both ways to find them agree on all of them.
    """
    runs = "\0".join("" if number in code else line for number, line in enumerate(lines))
    prose = runs.replace("\0", "\n")
    found = [" ".join(match[2].split()) for match in _CODE.finditer(prose)]
    agreed = found == [" ".join(span.split()) for span in spans]
    safe = _outside_code(prose) if agreed else _as_text(prose)
    for number, line in enumerate(safe.split("\n")):
        yield lines[number] if number in code else line


def _outside_code(prose: str) -> str:
    parts, at = [], 0
    for match in _CODE.finditer(prose):
        parts += [_as_text(prose[at : match.start()]), match.group()]
        at = match.end()
    return "".join([*parts, _as_text(prose[at:])])


def _as_text(prose: str) -> str:
    return _LINK.sub(_unlinked, _MARKUP.sub("&lt;", prose))


def _unlinked(found: re.Match[str]) -> str:
    return "]" if _SAFE.match(found[1] or found[2] or "") else "\\]"


def _closing(lines: Sequence[str], tokens: Sequence[Token]) -> Iterator[str]:
    """The end of a fence that is open at the end of the text."""
    last = tokens[-1] if tokens else None
    if last and last.type == "fence" and last.map:
        end = lines[last.map[1] - 1].strip() if last.map[1] - 1 > last.map[0] else ""
        if not end.startswith(last.markup) or end.strip(last.markup[0]):
            yield last.markup
