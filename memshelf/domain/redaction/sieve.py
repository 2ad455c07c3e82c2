"""Can a text hold a secret at all? A few searches in C, which most texts do not survive.

The prefixes of the providers' tokens are not looked for in the text but in its runs alone: a text
is turned into marks (one letter for every letter that tokens are written in, a blank for the rest),
long rows of marks are found, and what stands there and just before is all that is searched.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .tokens import RUN

_TOKEN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~+=%-"
_MARKS = bytes(ord("t") if byte in _TOKEN else ord(" ") for byte in range(256))
_ROW = b"t" * RUN
_BEFORE = 64
# A run of words in small letters and of numbers (a slug, a path, a link, a name in code) is nobody's
# token; but those that the peer knows by what stands in front may be made of any letters.
_BORING = re.compile(
    rb"(?!.*gh[pousr]_)[^0-9A-Z]*+(?:(?<![a-z])[0-9]{1,8}+(?![0-9a-z])[^0-9A-Z]*+)*+"
)
_LAST_OF_BEARER = b"rR \t\r\n\v\f"


class Sieved(NamedTuple):
    """A text as bytes, the same with small ASCII letters, and its runs, joined by blanks."""

    raw: bytes
    low: bytes
    runs: bytes


def sieve(text: str) -> Sieved:
    """The text as its rules want it. Lone surrogates are kept as they are."""
    raw = text.encode("utf-8", "surrogatepass")
    return Sieved(raw, raw.lower(), _runs(raw))


def _runs(raw: bytes) -> bytes:
    marks, found, boring = raw.translate(_MARKS), [], _BORING.fullmatch
    start = marks.find(_ROW)
    while start >= 0:
        end = marks.find(b" ", start + RUN)
        end = len(marks) if end < 0 else end
        if not boring(raw, start, end) or _is_bearer(raw, start):
            found.append(raw[max(0, start - _BEFORE) : end])
        start = marks.find(_ROW, end)
    return b" ".join(found)


def _is_bearer(raw: bytes, start: int) -> bool:
    if raw[start - 2] not in _LAST_OF_BEARER or start < 7:
        return False
    return raw[max(0, start - _BEFORE) : start].rstrip()[-6:].lower() in (b"bearer", b"")
