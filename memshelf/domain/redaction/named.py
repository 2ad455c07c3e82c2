"""Secrets that are told by the name in front of them: `DB_PASSWORD=x`, `"api_key": "x"`,
`--token x`, `<password>x</password>`, "the password is x".

Works on bytes of UTF-8, and on the same bytes with small ASCII letters, so that positions agree.
A name is a noun (password, token, key ...) with what is grown onto it; behind it stands a joint
(`=`, `:`, ` is ` ...), behind that the value. Every quantifier is bounded and a value that is
masked is stepped over, so that the work grows with the length of the text and no faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from .judges import judged
from .names import NOUNS, name_at
from .tokens import Span
from .values import value_at, whole_end

ASSIGNED, OTHER = "env-secret", "credential"
_RANK = 700

_TAIL = rb"(?P<tail>)[a-z0-9_.-]{0,40}+(?P<close>)(?:\\?[\"'`*\])]){0,4}+(?P<joint>)"
_GAP = rb"(?:[ \t]|\xc2\xa0){0,20}+"
_OF = "от|для|к|на|в".encode()
# Placed in the order in which they are tried; each group is named for its judge.
_JOINTS = {
    # `name: DB_PASSWORD` and `value: x` on the next line; `"name": "PASSWORD", "value": "x"`.
    b"sibling": rb",?\s{1,60}+[\"']?value[\"']?" + _GAP + rb"[:=]" + _GAP,
    b"typed": (
        rb"[?!]?"
        + _GAP
        + rb":"
        + _GAP
        + rb"&?[a-z_][a-z0-9_.:]{0,40}+(?:[\[<][^\]>\n]{0,40}[\]>])?"
        rb"(?:" + _GAP + rb"\|" + _GAP + rb"[a-z_.]{1,20}+){0,3}" + _GAP + rb"=(?![=>~])" + _GAP
    ),
    b"equals": _GAP + rb"(?:[:?+]|\|\|)?=(?![=>~])" + _GAP,
    b"arrow": _GAP + rb"(?:=>|<-)" + _GAP + rb"(?=\\?[\"'])",
    b"block": _GAP + rb":" + _GAP + rb"[|>][+-]?[ \t]*+\r?\n[ \t]{1,20}+",
    b"colon": _GAP + rb"(?::(?![:=])|\xef\xbc\x9a)" + _GAP + rb"\*{0,2}+" + _GAP,
    # `Password (admin): x`, `API key for staging: x`.
    b"apart": (
        rb"[ \t](?:\([^()\n]{1,40}\)|(?:for|of|to|on|in|at|%s)(?:[ \t][^\s:=]{1,30}){1,3}?)"
        rb"[ \t]?(?::(?!:)|=|\xef\xbc\x9a)[ \t]+" % _OF
    ),
    b"element": rb">[ \t]{0,20}+",
    b"call": rb"\((?=\\?[\"'`])",
    b"cell": rb"[ \t]{1,40}+\|[ \t]{1,20}+",
    b"copula": (
        rb"[ \t](?:(?:for|of|to|on|in|at|from)[ \t](?:[^\s]{1,30}[ \t]){1,4}?)?"
        rb"(?:is|was|to|be|been|were|equals|becomes)[ \t]+"
        rb"(?:now |set to |changed to |reset to |still |just ){0,2}+"
    ),
    b"dash": rb"(?:[ \t][^\s:=|]{1,30}){0,3}?[ \t](?:-|->|\xe2\x80\x94|\xe2\x80\x93|\xe2\x86\x92)[ \t]+",
    # Behind a flag anything; else what is quoted or no word (`login joe password x`).
    b"space": rb"[ \t]{1,4}+(?(flag)(?=[^\s|=:-])|"
    rb"(?=[\"'`]|\S{0,64}[0-9!@#$%^&]|[^\s|=:-]{1,64}[ \t]*+(?:[\r\n]|$)))",
}
_STOPS = {"element": b"</", "cell": b"|"}
_JOINT = rb"(?:" + rb"|".join(b"(?P<%s>%s)" % pair for pair in _JOINTS.items()) + rb")"


def named(raw: bytes, low: bytes) -> Iterator[Span]:
    """Yield the spans of all values that a name gives away as secrets."""
    for anchor, noun in NOUNS.items():
        # One letter is found much faster than a word, and Cyrillic or Chinese mostly not at all.
        if anchor[:1] in low and anchor in low:
            yield from _behind(_pattern(noun), raw, low)


@cache
def _pattern(noun: bytes) -> re.Pattern[bytes]:
    return re.compile(noun + _TAIL + _JOINT)


def _behind(pattern: re.Pattern[bytes], raw: bytes, low: bytes) -> Iterator[Span]:
    at = 0
    while match := pattern.search(low, at):
        span = _span(match, raw, low)
        if span is not None:
            yield span
        at = span.end if span else match.end("joint")


def _span(match: re.Match[bytes], raw: bytes, low: bytes) -> Span | None:
    joint, end = match.lastgroup or "", match.start("close")
    name = name_at(raw, low, match.start(), match.start("tail"), end)
    value = value_at(raw, match.end(), _STOPS.get(joint, b"")) if name else None
    if name is None or value is None or (joint == "space" and end < match.start("joint")):
        return None
    tight = match[joint] in (b"=", b":") or (joint == "colon" and match[joint].endswith(b":"))
    if not judged(joint, name, value, tight):
        return None
    if joint in ("equals", "typed") and end == match.start("joint"):
        # The layout of the peer, which its doctor looks for: `KEY=«redacted:env-secret»`.
        stop = value.closed if value.quoted else whole_end(raw, value)
        return Span(end, stop, ASSIGNED, _RANK, value.start, "=")
    return Span(value.start, whole_end(raw, value), OTHER, _RANK + 1, value.start)
