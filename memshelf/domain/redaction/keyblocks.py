"""Private keys that fill lines: PEM, OpenSSH, PGP and PuTTY, in every layout they are pasted in.

Newlines may be real, escaped (`\\n` in JSON), CRLF or gone; lines may be indented, quoted or
commented; either of the two border lines may be missing. A border without key material is prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .tokens import Span, is_random

_KIND = rb"(?:[A-Z0-9]{2,12} ){0,4}PRIVATE KEY(?: BLOCK)?"
_BEGIN = re.compile(rb"-{2,5} ?BEGIN " + _KIND + rb" ?-{2,5}")
_END = re.compile(rb"-{2,5} ?END " + _KIND + rb" ?-{2,5}")
_PUTTY = re.compile(rb"PuTTY-User-Key-File-[0-9]")
_PUTTY_END = re.compile(rb"Private-(?:MAC|Hash): ?[0-9a-f]{8,128}")
_MATERIAL = re.compile(rb"[A-Za-z0-9+/=]{16}")
# What stands between the lines of a key, however it was quoted.
_BETWEEN = rb"(?:\\[nrt]|[\s>#*+|\"',\\-]){0,200}+"
_HEADER = (
    rb"(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|Encryption|Public-Lines|Private-Lines"
    rb"|Key-Derivation|Argon2-[A-Za-z]+|Subject|x-[a-z-]+): ?[^\r\n\\]{0,200}+"
)
_BODY = re.compile(
    rb"(?:" + _BETWEEN + rb"(?:" + _HEADER + rb"|[A-Za-z0-9+/]{16,}+={0,2}))*+"
    rb"(?:" + _BETWEEN + rb"=?[A-Za-z0-9+/]{1,63}+={0,2}(?=[ \t\r]*+(?:[\n\"'`\\]|$)))?"
)
_LINE = re.compile(rb"[\s>#*+|\"',\\-]{0,60}+[A-Za-z0-9+/]{1,100}+={0,2}[ \t\r\"',]*+$")


def key_blocks(raw: bytes) -> Iterator[Span]:
    """Yield the spans of the private keys in a text."""
    spans = [*_blocks(raw, _BEGIN, _END), *_blocks(raw, _PUTTY, _PUTTY_END)]
    yield from spans
    yield from _headless(raw, {span.end for span in spans})


def _blocks(raw: bytes, begin: re.Pattern[bytes], end: re.Pattern[bytes]) -> Iterator[Span]:
    """Each block from its first border to its last, or to the end of what looks like a key."""
    starts = [match.span() for match in begin.finditer(raw)]
    limits = [*(start for start, _ in starts[1:]), len(raw)]
    for (start, body), limit in zip(starts, limits, strict=False):
        last = end.search(raw, body, limit)
        stop = last.end() if last else _cut_end(raw, body, limit)
        if _has_material(raw, body, stop):
            yield Span(start, stop, "private-key", 400, start)


def _cut_end(raw: bytes, body: int, limit: int) -> int:
    # The first line of a PuTTY file goes on behind its border: `: ssh-ed25519`.
    rest = re.compile(rb": ?[a-z0-9-]{1,40}+").match(raw, body, limit)
    match = _BODY.match(raw, rest.end() if rest else body, limit)
    return match.end() if match else body


def _headless(raw: bytes, ends: set[int]) -> Iterator[Span]:
    """What is left of a key whose first line was cut away: lines of base64 above its last border."""
    for match in _END.finditer(raw):
        if match.end() in ends:
            continue
        start = _top(raw, match.start())
        if _has_material(raw, start, match.start()):
            yield Span(start, match.end(), "private-key", 400, start)


def _top(raw: bytes, border: int) -> int:
    top = at = _line_start(raw, border)
    for _ in range(400):
        at = _line_start(raw, at - 1)
        if at >= top or not _LINE.match(raw, at, top - 1):
            break
        top = at
    while top < border and raw[top : top + 1] in b" \t>#*+|-":
        top += 1
    return top


def _line_start(raw: bytes, at: int) -> int:
    """Where the line of a place begins, or the place itself where the line is no line of a key."""
    return max(raw.rfind(b"\n", max(0, at - 200), max(0, at)) + 1, 0 if at < 200 else at - 200)


def _has_material(raw: bytes, start: int, end: int) -> bool:
    return any(is_random(match[0]) for match in _MATERIAL.finditer(raw, start, end))
