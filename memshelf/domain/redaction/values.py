"""The value that stands behind a name: where it begins, where it ends, what it is made of."""

from __future__ import annotations

import re
from typing import NamedTuple

PEEK = 100
"""Bytes of a value that are looked at before it is known to be a secret."""

_LONGEST = 4096
_OPENER = re.compile(
    rb"(?:[furb@$]{0,2}(?=[\"']))(?P<q>\"\"\"|'''|[\"'])|(?P<e>\\[\"'])|(?P<t>`)", re.IGNORECASE
)
_CLOSED = {
    b'"': re.compile(rb"(?:[^\"\\\r\n]|\\[^\r\n]|\"\"){0,4096}+(?=\")"),
    b"'": re.compile(rb"(?:[^'\\\r\n]|\\[^\r\n]|''){0,4096}+(?=')"),
    b"`": re.compile(rb"[^`\r\n]{0,4096}+(?=`)"),
}
_APOSTROPHE = re.compile(rb"(?<=[A-Za-z])'(?=[A-Za-z])")
_WORD = re.compile(rb"\S{1,%d}" % PEEK)
_RUN = re.compile(rb"\S*+")
_LINE = re.compile(rb"[^\r\n]*+")
_NEXT_PAIR = re.compile(
    rb"(?:[&;,]|\\[nr])(?=[ \t]{0,4}[\"']?[A-Za-z_][\w .-]{0,30}[\"']?[ \t]{0,2}[:=])"
)
_CLOSERS = b",;.)]}>|*`\"'"


class Value(NamedTuple):
    """A value: where it stands, where its closing quote ends, its first PEEK bytes as text, whether
    it is quoted, and the rest of its line (at most PEEK bytes)."""

    start: int
    end: int
    closed: int
    text: str
    quoted: bool
    line: str


def value_at(raw: bytes, at: int, stop: bytes = b"") -> Value | None:
    """The value that begins at `at` (or all up to `stop` on its line, where that is given), or None
    where the line ends."""
    word = _WORD.match(raw, at)
    if not word:
        return None
    if stop:
        return _framed(raw, at, stop)
    if opener := _OPENER.match(raw, at):
        return None if _is_closing(raw, opener) else _quoted(raw, opener)
    end = word.end()
    if cut := _NEXT_PAIR.search(raw, at + 1, end):
        end = cut.start()
    return _value(raw, at, end, end, quoted=False)


def _is_closing(raw: bytes, opener: re.Match[bytes]) -> bool:
    """True for a quote that ends what was begun before the name, as in `prompt="Password: "`."""
    mark = opener[opener.lastgroup or 0]
    if len(mark) > 1:
        return False
    line = raw[max(0, opener.start() - 300) : opener.start()].rpartition(b"\n")[2]
    if mark == b"'":
        line = _APOSTROPHE.sub(b"", line)
    return line.replace(b"\\" + mark, b"").count(mark) % 2 == 1 and len(line) < 300


def _framed(raw: bytes, at: int, stop: bytes) -> Value | None:
    line = _LINE.match(raw, at, at + _LONGEST)
    end = raw.find(stop, at, line.end() if line else at)
    inside = raw[at:end].strip(b" \t`*_")
    if end < 0 or not inside:
        return None
    start = raw.index(inside, at)
    return _value(raw, start, start + len(inside), end, quoted=True)


def _quoted(raw: bytes, opener: re.Match[bytes]) -> Value:
    mark, start = opener[opener.lastgroup or 0], opener.end()
    if len(mark) == 1:
        inside = _CLOSED[mark].match(raw, start)
        end = inside.end() if inside else -1
    else:
        end = raw.find(mark, start, start + _LONGEST)
    if end < 0:
        # Never closed: what is on the line.
        line = _LINE.match(raw, start)
        end = line.end() if line else start
        return _value(raw, start, end, end, quoted=True)
    return _value(raw, start, end, end + len(mark), quoted=True)


def _value(raw: bytes, start: int, end: int, closed: int, *, quoted: bool) -> Value:
    line = _LINE.match(raw, closed, closed + PEEK)
    return Value(
        start,
        end,
        closed,
        raw[start : min(end, start + PEEK)].decode("utf-8", "replace"),
        quoted,
        line[0].decode("utf-8", "replace") if line else "",
    )


def whole_end(raw: bytes, value: Value) -> int:
    """Where a value that is to be masked ends: an unquoted one at the white space behind it, or
    before the next pair of a query or a list, without closing brackets and full stops."""
    if value.quoted:
        return value.end
    end = _run_end(raw, value.start)
    while end > value.start + 1 and raw[end - 1] in _CLOSERS:
        end -= 1
    return end


def _run_end(raw: bytes, start: int) -> int:
    # Piece by piece, since a line of a megabyte may hold a pair every few bytes.
    at = start
    while True:
        run = _RUN.match(raw, at, at + _LONGEST)
        end = run.end() if run else at
        cut = _NEXT_PAIR.search(raw, max(at, start + 1), end + 48)
        if cut and cut.start() < end:
            return cut.start()
        if end < at + _LONGEST:
            return end
        at = end
