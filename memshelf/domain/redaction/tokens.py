"""Credentials found by their own shape: the table of credentials.py, laid on a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from .credentials import SHAPES, Shape

RUN = 16
"""Letters of the shortest token that is known by its shape alone."""


MASK = re.compile(r"«redacted:[^\s«»]{1,64}»")
"""A mask that stands in a text, of whatever kind."""


class Span(NamedTuple):
    """Bytes to be masked, and the kind; `lead` is written in front of the mask.

    `value` is where the secret itself begins: the bytes from `start` up to it are the layout that
    `lead` replaces. Of two that overlap, the one with the lower `rank` gives its kind.
    """

    start: int
    end: int
    kind: str
    rank: int
    value: int
    lead: str = ""


_AWS_SECRET = re.compile(rb"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")


_ANCHORS = tuple(
    (anchor.decode(), rank) for rank, shape in enumerate(SHAPES) for anchor in shape.anchors
)


def shaped(raw: bytes, runs: bytes) -> Iterator[Span]:
    """Yield the spans of every shape in a text whose long runs of token letters are `runs`.

    Most anchors are seen for nothing (`sk-` in a slug), so a pattern is first tried on the runs.
    """
    known = runs.decode("latin-1")  # a `str` is searched for short words twice as fast
    for rank in sorted({rank for anchor, rank in _ANCHORS if anchor in known}):
        if _compiled(SHAPES[rank].pattern).search(runs):
            yield from _spans(SHAPES[rank], rank, raw)


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern)


def _spans(shape: Shape, rank: int, raw: bytes) -> Iterator[Span]:
    pattern = _compiled(shape.pattern)
    group = "secret" if "secret" in pattern.groupindex else 0
    body = "body" if "body" in pattern.groupindex else group
    for match in pattern.finditer(raw):
        if FORMS[shape.form](match[body]):
            yield Span(match.start(group), match.end(group), shape.kind, rank, match.start(group))
            if shape.kind == "aws-access-key":
                yield from _aws_secrets(raw, match.end(), rank)


def _aws_secrets(raw: bytes, start: int, rank: int) -> Iterator[Span]:
    """The secret that stands beside an access key, as in the console's CSV: 40 bare characters."""
    for match in _AWS_SECRET.finditer(raw, start, start + 200):
        if is_mixed(match[0]):
            yield Span(match.start(), match.end(), "aws-secret-key", rank, match.start())


def is_random(body: bytes) -> bool:
    """True for letters with digits, or for both cases, of at least six different characters.

    What people write to show the shape of a key (`sk_live_xxxxxxxxxxxx`) repeats one.
    """
    if len(set(body)) < 6 or max(map(body.count, set(body))) > len(body) // 2:
        return False
    digits = any(48 <= c <= 57 for c in body)
    letters = any(c > 64 for c in body)
    return (digits and letters) or not (body.islower() or body.isupper())


def is_mixed(body: bytes) -> bool:
    """True for a random body in both cases with a digit: what words and paths hardly ever are."""
    upper, lower = any(65 <= c <= 90 for c in body), any(97 <= c <= 122 for c in body)
    return upper and lower and any(48 <= c <= 57 for c in body) and is_random(body)


def is_solid(body: bytes) -> bool:
    """True for a random body that is no chain of words: one solid run, or capitals and digits."""
    longest = max(re.split(rb"[-_.]", body), key=len)
    return is_random(body) and (is_mixed(body) or (len(longest) >= 20 and is_random(longest)))


def _is_dotted(token: bytes) -> bool:
    """True for a JWT: a second part that is long enough to be claims."""
    return any(len(part) >= 8 for part in token.split(b".")[1:])


FORMS: dict[str, Callable[[bytes], bool]] = {
    "any": lambda body: True,
    "random": is_random,
    "mixed": is_mixed,
    "solid": is_solid,
    "dotted": _is_dotted,
}
