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

from .tokens import Span

# Each noun, behind what a text without it lacks. Each begins with letters that the engine
# searches for as such; the group `flag` is set behind a dash. `approx_tokens: 41000`, which the
# front matter of every episode holds, is refused before anything is asked.
NOUNS: tuple[tuple[tuple[bytes, ...], bytes], ...] = (
    (
        (b"token", b"key"),
        rb"ke(?:n(?<=token)(?!s: [0-9]{1,9}\r?\n|s_source: [a-z]+\r?\n)|y)"
        rb"(?P<flag>(?<=-token)|(?<=-key))?",
    ),
    ((b"secret",), rb"secret(?P<flag>(?<=-secret))?"),
    (
        (b"pass", b"pw"),
        rb"p(?:ass|w)(?P<flag>(?<=-pass)|(?<=-pw))?(?:(?<=pass)(?:w(?:or)?d|wort|phrase|code|key"
        rb"|(?![a-z]))|(?<=pw)(?:d|(?<![a-z]pw)(?![a-z])))",
    ),
    ((b"\xd0",), "арол(?<=[Пп]арол)(?:ь|я|ем)(?P<flag>a^)?".encode()),
    ((b"\xe5",), "密(?:码|碼|钥|鑰)(?P<flag>a^)?".encode()),
)
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
_JOINT = rb"(?:" + rb"|".join(b"(?P<%s>%s)" % pair for pair in _JOINTS.items()) + rb")"


def named(raw: bytes, low: bytes) -> Iterator[Span]:
    """Yield the spans of all values that a name gives away as secrets."""
    for needed, noun in NOUNS:
        # Cyrillic and Chinese mostly are not there at all, which one byte of them tells.
        if any(one in low for one in needed):
            yield from _behind(_pattern(noun), raw, low)


@cache
def _pattern(noun: bytes) -> re.Pattern[bytes]:
    return re.compile(noun + _TAIL + _JOINT)


def _behind(pattern: re.Pattern[bytes], raw: bytes, low: bytes) -> Iterator[Span]:
    at = 0
    while match := pattern.search(low, at):
        # Loaded when the first name is met: the judges know many patterns, and most texts no name.
        from .judges import verdict

        span = verdict(match, raw, low)
        if span is not None:
            yield span
        at = span.end if span else match.end("joint")
