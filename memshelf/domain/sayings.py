"""In which words one episode names another: the sentence around an id."""

from __future__ import annotations

from .episode import Episode
from .mentions import named
from .patterns import lazy
from .text import clip, one_line

LIMIT = 200
"""So many characters of a sentence are enough to see what it is about."""

_END = lazy(r"[.!?…](?=\s)|[。！？]|\n(?=[ \t]*(?:[-*+|>#]|\d{1,9}[.)])[ \t])|\n[ \t]*\n")
_MARKER = lazy(r"[\s>|]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_FAR = 1000


def sayings(episode: Episode) -> dict[str, str]:
    """Each id that an episode names, with the first sentence that does, as one line of its Markdown."""
    out: dict[str, str] = {}
    for text in (episode.digest, *(body for _, body in episode.sections)):
        for at, name in named(text):
            out.setdefault(name, sentence(text, at))
    return out


def sentence(text: str, at: int) -> str:
    """The sentence, list item or line around a place in a text, without the marks that begin it.

    >>> sentence("One. Then 2026-01-01-a came, v1.2 too. Done.", 10)
    'Then 2026-01-01-a came, v1.2 too.'
    """
    first = max(0, at - _FAR)
    start = max((m.end() for m in _END.finditer(text, first, at)), default=first)
    stop = _END.search(text, at, at + _FAR)
    end = stop.end() if stop else at + _FAR
    words = _MARKER.sub("", text[start:end], count=1)
    return clip(one_line(words), LIMIT)
