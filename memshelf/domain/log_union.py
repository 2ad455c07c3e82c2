"""Merging the recall log: events, so that a merge keeps as many of each as there were."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

_Row = tuple[str, ...]


class Sides(NamedTuple):
    """The three texts of a merge; `base` is None where nobody knows what both began with."""

    base: str | None
    ours: str
    theirs: str


def united(sides: Sides) -> str:
    """The log that holds every event of both sides: ours in order, then what only theirs had.

    A row is its cells without the empty ones at the end. Of equal rows there are as many as both
    sides made: ours + theirs - base, but never fewer than either has. Each is written in its widest
    spelling, under one header.

    >>> united(Sides("h\\na\\t1\\n", "h\\na\\t1\\nb\\t2\\n", "h\\na\\t1\\nb\\t2\\nc\\t3\\t\\n"))
    'h\\na\\t1\\nb\\t2\\nb\\t2\\nc\\t3\\t\\n'
    """
    header = next(filter(None, (_header(sides.ours), _header(sides.theirs))), "")
    ours, theirs = (_rows(text, header) for text in (sides.ours, sides.theirs))
    base = None if sides.base is None else Counter(_keys(_rows(sides.base, header)))
    have, come = Counter(_keys(ours)), Counter(_keys(theirs))
    surplus = {key: _wanted(key, base, have, come) - have[key] for key in come}
    widest: dict[_Row, str] = {}
    for line in (*ours, *theirs):
        widest[_key(line)] = max(widest.get(_key(line), ""), line, key=len)
    rows = [widest[key] for key in _keys(ours)]
    rows += [widest[key] for key in _surplus(_keys(theirs), surplus)]
    return "".join(f"{line}\n" for line in (*filter(None, (header,)), *rows))


def _wanted(key: _Row, base: Counter[_Row] | None, have: Counter[_Row], come: Counter[_Row]) -> int:
    both = 0 if base is None else have[key] + come[key] - base[key]
    return max(both, have[key], come[key])


def _surplus(keys: list[_Row], left: dict[_Row, int]) -> Iterable[_Row]:
    """The keys of theirs that come after ours, the latest of each kind."""
    skip = Counter(keys)
    skip.subtract(left)
    for key in keys:
        skip[key] -= 1
        if skip[key] < 0:
            yield key


def _header(text: str) -> str:
    return text.partition("\n")[0].rstrip("\r")


def _rows(text: str, header: str) -> list[str]:
    """The rows; a header that a line-wise merge doubled is none."""
    lines = (line.rstrip("\r") for line in text.split("\n")[1:])
    return [line for line in lines if line.strip() and line != header]


def _key(line: str) -> _Row:
    return tuple(line.rstrip("\t").split("\t"))


def _keys(lines: Iterable[str]) -> list[_Row]:
    return [_key(line) for line in lines]


# --- conflict markers ------------------------------------------------------------------------

_MARKER = re.compile(r"(<{7}|\|{7}|={7}|>{7})(?: .*)?\r?\n?")


def split(text: str) -> Sides | None:
    """The sides of a text with git's conflict markers, in both styles; None where it holds none.

    The base is known where every conflict shows it (`merge.conflictStyle` diff3 or zdiff3).
    """
    parts: dict[str, list[str]] = {"base": [], "ours": [], "theirs": []}
    now, shown, seen = "", [False], 0
    for line in text.splitlines(keepends=True):
        found = _MARKER.fullmatch(line)
        mark = found.group(1)[0] if found else ""
        after = _AFTER.get((now, mark))
        if after is None:
            for name in (now,) if now else parts:
                parts[name].append(line)
            continue
        seen += after == "ours"
        shown = [*shown, False] if after == "ours" else [*shown[:-1], shown[-1] or after == "base"]
        now = after
    if not seen or now:
        return None
    base = "".join(parts["base"]) if all(shown[1:]) else None
    return Sides(base, "".join(parts["ours"]), "".join(parts["theirs"]))


_AFTER = {
    ("", "<"): "ours",
    ("ours", "|"): "base",
    ("ours", "="): "theirs",
    ("base", "="): "theirs",
    ("theirs", ">"): "",
}
"""Which side a line belongs to after a marker; a marker that is out of place is text."""
