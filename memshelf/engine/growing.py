"""A piece of a section that is worth its tokens: the excerpt, grown by whole sentences."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from ..domain.patterns import lazy
from ..domain.text import budget_tokens, normal_body

_SENTENCE_END = lazy(r"[.!?…][)\]\"'”»*_]*\s++(?![a-zа-яё\d])|[。！？]+|\n+")
_WORD_END = lazy(r"\s")


class Body(NamedTuple):
    """`text[start:end]` is a section, `text[at:till]` the excerpt of it that fits best."""

    text: str
    start: int
    end: int
    at: int
    till: int


def whole(body: Body) -> str:
    """All of it, in its stored form."""
    return normal_body(body.text[body.start : body.end])


def grown(body: Body, limit: int) -> str:
    """One verbatim piece of at most `limit` tokens: the excerpt and the sentences round it.

    Where not even those fit in which it stands, the excerpt alone, or the words at its beginning.
    """
    places = _places(body)
    first = max(n for n, place in enumerate(places) if place <= body.at or not n)
    last = min(n for n, place in enumerate(places) if place >= body.till or n == len(places) - 1)
    costs = [budget_tokens(body.text[a:b]) for a, b in pairwise(places)]
    left = limit - sum(costs[first:last])
    if left < 0:
        return _shortened(body.text[body.at : body.till], limit)
    while True:
        if last < len(costs) and costs[last] <= left:
            left -= costs[last]
            last += 1
        elif first and costs[first - 1] <= left:
            left -= costs[first - 1]
            first -= 1
        else:
            return normal_body(body.text[places[first] : places[last]])


def _places(body: Body) -> list[int]:
    """Where sentences begin in it, and its end."""
    ends = (found.end() for found in _SENTENCE_END.finditer(body.text, body.start, body.end))
    return sorted({body.start, *ends, body.end})


def _shortened(text: str, limit: int) -> str:
    """The beginning of a text, cut between words where there are some."""
    cut = text
    while cut and budget_tokens(cut) > limit:
        cut = cut[: len(cut) * 9 // 10]
    if len(cut) < len(text) and not _WORD_END.match(text, len(cut)):
        spaces = [found.start() for found in _WORD_END.finditer(cut)]
        cut = cut[: spaces[-1]] if spaces else cut
    return normal_body(cut)
