"""A look at every episode file of a shelf, from which a survey starts.

Where the marks of all files are those of an earlier look, nothing has changed, and the survey is
that of then: no file is looked up by itself.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path
from typing import NamedTuple

from ..domain.finding import Finding
from . import files, marks
from .cache import Cache
from .source import unreadable
from .survey import Row

_SETTLED = 2_000_000_000
"""Nanoseconds after which a mark tells of every change: the grain of the coarsest clock."""

_FACT = "seen"
_NONE: marks.Seen = ([], [])


class Look(NamedTuple):
    """The episode files by their paths on the shelf, what cannot be listed, and the marks of all.

    `places` are what was looked at (see `marks.marks`). `settled` says whether equal marks will
    prove that nothing has changed: a file younger than the clock's grain may change again unseen.
    `began` is when, in nanoseconds of the epoch; `seen` are names and marks by folder.
    """

    found: list[tuple[str, marks.Mark]]
    problems: list[Finding]
    places: tuple[str, ...]
    marks: bytes
    settled: bool
    began: int
    seen: dict[str, marks.Seen]


class Since(NamedTuple):
    """The files that may have changed since a look, and those that are gone since."""

    changed: list[str]
    gone: list[str]


def look(root: Path, folders: list[str]) -> Look:
    """A look at the Markdown files in some folders of a shelf."""
    now = time.time_ns()
    found: list[tuple[str, marks.Mark]] = []
    problems: list[Finding] = []
    seen: dict[str, marks.Seen] = {}
    places: list[str] = []
    for folder in folders:
        place = f"{root.as_posix()}/{folder}"
        try:
            seen[folder] = marks.listed(place, ".md")
            places.append(f"{place}/*.md")
        except OSError as trouble:
            problems.append(unreadable(folder, files.sentence(trouble, folder)))
            continue
        for name, mark in zip(*seen[folder], strict=True):
            if not _is_text(name):
                problems.append(_odd_name(folder, name))
            elif name[0] != ".":
                found.append((f"{folder}/{name}", mark))
    packed, youngest = marks.packed(zip(places, seen.values(), strict=True))
    settled = not problems and is_settled(now, youngest)
    return Look(found, problems, tuple(places), packed, settled, now, seen)


def _is_text(name: str) -> bool:
    """False for a name whose bytes are no UTF-8, which no list or database could hold."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def _odd_name(folder: str, name: str) -> Finding:
    shown = os.fsencode(name).decode("utf-8", "replace")
    said = "Its name is not UTF-8, and it is not read."
    return Finding("error", "not-utf8", said, f"{folder}/{shown}", "Rename the file.")


def is_settled(now: int, youngest: int) -> bool:
    """Whether equal marks will prove that nothing has changed since a look that began now."""
    return now - youngest >= _SETTLED


def since(before: Look, now: Look) -> Since | None:
    """What may have changed from one look to the next; None where that is not files alone.

    Files too may have changed that were too young before for their marks to tell.
    """
    changed, gone = [], []
    for folder in sorted(before.seen.keys() | now.seen.keys()):
        seen, again = before.seen.get(folder, _NONE), now.seen.get(folder, _NONE)
        if seen == again and is_settled(before.began, max(seen[1])[0] if seen[1] else 0):
            continue
        was, there = _named(seen), _named(again)
        gone += [f"{folder}/{name}" for name in was.keys() - there.keys()]
        for name, mark in there.items():
            if was.get(name) != mark or not is_settled(before.began, mark[0]):
                if not stat.S_ISREG(mark[-1]):
                    return None
                changed.append(f"{folder}/{name}")
    return Since(changed, gone)


def _named(seen: marks.Seen) -> dict[str, marks.Mark]:
    return {name: mark for name, mark in zip(*seen, strict=True) if name[0] != "."}


def known(cache: Cache, now: Look) -> list[Row]:
    """The rows of the survey that an earlier look with these marks led to, [] where none did."""
    before, *cells = cache.fact(_FACT).split("\0")
    same = before == digest(now) and not now.problems
    return list(map(Row, cells[::2], cells[1::2])) if same else []


def keep(cache: Cache, now: Look, rows: tuple[Row, ...]) -> None:
    """Remember the rows that a look led to, if its marks can prove a change; else forget others,
    since what was read for those may be gone from the cache."""
    if now.settled and rows:
        cache.keep_fact(_FACT, "\0".join([digest(now), *(cell for row in rows for cell in row)]))
    elif cache.fact(_FACT):
        cache.keep_fact(_FACT, "")


def digest(now: Look) -> str:
    """A hash of all that was seen."""
    return hashlib.sha256(now.marks).hexdigest()
