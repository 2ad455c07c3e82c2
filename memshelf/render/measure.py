"""How much room a text takes in a drawing, where no font can be asked: an estimate on the safe side."""

from __future__ import annotations

import unicodedata

from ..domain.text import clip

_ASCII = tuple(
    0.32
    if char in " !'(),./:;I[]ijl|ft"
    else 0.9
    if char in "mwMW@%"
    else 0.7
    if char.isupper()
    else 0.58
    for char in map(chr, range(128))
)


def width(text: str) -> float:
    """The width of a text in ems of a common sans-serif.

    >>> width("mill") < width("MILL") < width("日本語タイトル")
    True
    """
    return sum(map(_em, text))


def _em(char: str) -> float:
    if char < "\x80":
        return _ASCII[ord(char)]
    if unicodedata.east_asian_width(char) in "WF":
        return 1.05
    return 0.0 if unicodedata.combining(char) else 0.64


def fitted(text: str, characters: int, ems: float) -> str:
    """At most so many characters and ems of a text, with `…` where it is cut.

    >>> fitted("The quick brown fox jumps", 32, 8.0)
    'The quick…'
    """
    room = ems
    for place, char in enumerate(text[: characters + 1]):
        room -= _em(char)
        if room < 0:
            return clip(text, max(place, 2))
    return clip(text, characters)
