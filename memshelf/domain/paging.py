"""Long answers in parts: each within a budget of bytes, each with the cursor of the next."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from .envelope import closed, envelopes, without_markers
from .errors import ShelfError

BUDGET = 48_000
"""Bytes of one reply; hosts put longer ones into a file that nobody is asked to open."""

_RESERVE = 700
"""Bytes kept free for an envelope's two lines and the line about what is left."""

_SMALLEST = 200
_CURSOR = re.compile(r"part-(\d{1,15})-([0-9a-f]{8})")
_JOINED = ("Mn", "Me", "Cf")


class Part(NamedTuple):
    """One part of a text: what to show, the cursor of the next ("" at the end), bytes left."""

    text: str
    cursor: str
    left: int


class StaleCursor(ShelfError):
    """What a cursor pointed into is not there any more."""

    code = "stale-cursor"

    def __init__(self) -> None:
        super().__init__(
            "The answer has changed since its first part was given.",
            "Ask again without `cursor`.",
        )


def page(text: str, budget: int = BUDGET, cursor: str = "") -> Part:
    """The part of a text that begins at a cursor and fits into `budget` bytes of UTF-8.

    Cut at the end of a line, within a very long line between two letters. An envelope that stands
    open at a cut is closed there and opened again in the next part. A part that is not the last
    says in its last line how much is left and which cursor goes on. Raises StaleCursor where the
    text is another one than the cursor was made for.
    """
    known = fingerprint(without_markers(text))
    start = _start(cursor, known, len(text))
    if not start and _bytes(text) <= budget:
        return Part(text, "", 0)
    stop = _stop(text, start, max(budget - _RESERVE, _SMALLEST))
    left = _bytes(text[stop:])
    shown = closed(text, start, stop)
    if not left:
        return Part(shown, "", 0)
    following = _cursor(stop, known)
    return Part(f"{shown.rstrip(chr(10))}\n{_more(left, following)}", following, left)


def _more(left: int, cursor: str) -> str:
    return f"[{left:,} bytes are left. For the next part call again with cursor {cursor!r}.]"


def is_cursor(text: object) -> bool:
    """Whether a value has the form of a cursor of this module; verbs may have their own.

    >>> is_cursor("part-616-dc6e3df2"), is_cursor("2026-01-05")
    (True, False)
    """
    return isinstance(text, str) and bool(_CURSOR.fullmatch(text.strip()))


def _cursor(place: int, known: str) -> str:
    return f"part-{place}-{known}"


def _start(cursor: str, known: str, length: int) -> int:
    if not cursor:
        return 0
    found = _CURSOR.fullmatch(cursor.strip())
    if not found:
        raise ShelfError(
            "The cursor is not one that an answer gave.",
            "Pass the cursor of the part before as it stands, or none.",
            "bad-cursor",
        )
    start = int(found.group(1))
    if found.group(2) != known or start >= length:
        raise StaleCursor
    return start


def _stop(text: str, start: int, budget: int) -> int:
    """Where a part that begins at `start` ends: behind its last whole line, if that is not little.

    >>> _stop("one\\ntwo\\nthree", 0, 9), _stop("abcdef", 0, 4)
    (8, 4)
    """
    limit = start + len(
        text[start : start + budget].encode("utf-8", "replace")[:budget].decode("utf-8", "ignore")
    )
    if limit >= len(text):
        return len(text)
    line = text.rfind("\n", start, limit) + 1
    stop = line if line > start + (limit - start) // 2 else _between_letters(text, start, limit)
    return _outside_tags(text, start, stop)


def _between_letters(text: str, start: int, stop: int) -> int:
    """Not before an accent, a joiner or a variation sign, nor behind a joiner."""
    place = stop
    while place > max(start + 1, stop - 32) and (
        unicodedata.category(text[place]) in _JOINED or text[place - 1] == "\u200d"
    ):
        place -= 1
    return place


def _outside_tags(text: str, start: int, stop: int) -> int:
    """An opening line goes to the next part, a closing line stays with this one."""
    for opening, ending in envelopes(text):
        if opening.start() < stop <= opening.end() + 1:
            return opening.start() if opening.start() > start else opening.end() + 1
        if ending.start() <= stop < ending.end():
            return ending.end()
    return stop


def page_data(body: Mapping[str, Any], budget: int = BUDGET, cursor: str = "") -> dict[str, Any]:
    """An object whose JSON fits into `budget` bytes: its longest list or text is given in parts.

    A part says under `paged` which field was cut, how many of its items (letters of a text) are
    left and with which cursor to go on; the last part of several says that 0 are left.
    """
    whole = compact(body)
    if not cursor and _bytes(whole) <= budget:
        return dict(body)
    path, value = _longest(body)
    known = fingerprint(whole)
    start = _start(cursor, known, len(value))
    room = max(budget - _RESERVE - (_bytes(whole) - _bytes(compact(value))), _SMALLEST)
    stop = _stop(value, start, room) if isinstance(value, str) else _fitting(value, start, room)
    left = len(value) - stop
    paged = {"field": ".".join(path), "left": left} | (
        {"cursor": _cursor(stop, known)} if left else {}
    )
    return _with(body, path, value[start:stop]) | {"paged": paged}


def _fitting(items: list[Any], start: int, room: int) -> int:
    stop, used = start, 0
    while stop < len(items) and (stop == start or used < room):
        used += _bytes(compact(items[stop])) + 1
        stop += 1
    return stop - 1 if used > room and stop > start + 1 else stop


def _longest(body: Mapping[str, Any]) -> tuple[tuple[str, ...], Any]:
    """The path of the field to cut, and what it holds: the longest, of an object its longest."""
    name = max(body, key=lambda key: len(compact(body[key])))
    value = body[name]
    if isinstance(value, Mapping) and value:
        inner, found = _longest(value)
        return (name, *inner), found
    return (name,), value if isinstance(value, list | str) else [value]


def _with(body: Mapping[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    name, *rest = path
    return dict(body) | {name: _with(body[name], tuple(rest), value) if rest else value}


def compact(value: Any) -> str:
    """A value as JSON without a space too many, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fingerprint(text: str) -> str:
    """Eight digits by which a cursor knows the text that it was made for."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
