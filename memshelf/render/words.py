"""The words of a line of Markdown, without its marks, for places that show a text as it is."""

from __future__ import annotations

import re
from functools import lru_cache

from ..domain.patterns import lazy
from ..domain.text import clip

CUT = 200
"""Characters of a thread or a decision in a list."""

_HELD = "\ufdd0"
"""A character that no text may hold marks where a code span was."""
_PLACE = lazy(f"{_HELD}(\\d+){_HELD}")
_CODE = lazy(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_LINK = lazy(
    r"!?\[(?P<words>[^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+(?:\"[^\"]*\"|'[^']*'))?\)"
)
_STRONG = lazy(r"(\*\*|__)(?=\S)(?P<words>.+?)(?<=\S)\1")
_EMPHASIS = lazy(r"(?<![\w*\\])([*_])(?=[^\s*_])(?P<words>[^*_]+)(?<=[^\s*_])\1(?![\w*])")


def unmarked(markdown: str) -> str:
    """A line without the marks of code, links and emphasis; what is no pair of marks stays.

    >>> unmarked("Use `a*b*c` and **not** [that](../x.md), 2 * 3 * 4, snake_case_name")
    'Use a*b*c and not that, 2 * 3 * 4, snake_case_name'
    """
    if not any(mark in markdown for mark in "`*_["):
        return markdown
    codes: list[str] = []

    def put_away(found: re.Match[str]) -> str:
        codes.append(found[2])
        return f"{_HELD}{len(codes) - 1}{_HELD}"

    text = markdown.replace(_HELD, "")
    if "`" in text:
        text = _CODE.sub(put_away, text)
    if "](" in text:
        text = _LINK.sub(_words, text)
    if "**" in text or "__" in text:
        text = _STRONG.sub(_words, text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(_words, text)
    return _PLACE.sub(lambda found: codes[int(found[1])], text) if codes else text


@lru_cache(maxsize=32768)  # the same text stands on several pages
def cut(markdown: str, limit: int = CUT) -> str:
    """A text of an episode without its own marks, cut to the length of a line in a list."""
    return clip(unmarked(markdown[: 4 * limit]), limit)


def _words(found: re.Match[str]) -> str:
    return found["words"]
