"""Survey: every episode file of a shelf at one moment, reading only what changed."""

from __future__ import annotations

import hashlib
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..domain.entry import Entry, Facts, entry_of, facts_in, facts_of
from ..domain.episode import Document
from ..domain.errors import ShelfError
from ..domain.finding import Finding
from . import files
from .cache import Cache, Past, Stamp, facts_from, facts_row
from .marks import Mark
from .parallel import chunks, mapped
from .source import unreadable

FEW = 64
"""So many changed files are read body and all at once; of more, the bodies wait to be asked for."""

Progress = Callable[[int, int], None]


Texts = Callable[[Iterable[str]], Iterator[tuple[str, str]]]
"""What gives path and text of some files; those that cannot be read any more are left out."""

Place = tuple[str, str, Stamp]
"""A file that is to be read: its path on the shelf, on disk, and its stamp."""

Also = Callable[[Document, Entry], Any]
"""What else is made of each file that has to be read, while it is at hand."""


class Raw(NamedTuple):
    """A file that was read: blob id, the cells of its entry, its facts if asked for (as they are
    stored: another process may have made them), or what is wrong; and what `Also` made of it."""

    blob: str = ""
    cells: tuple[Any, ...] = ()
    facts: str | None = None
    problem: Finding | None = None
    beside: Any = None


class Row(NamedTuple):
    """One episode file as a survey saw it: its path and git's id of its content."""

    path: str
    blob: str


class Read(NamedTuple):
    """A file that had to be read."""

    path: str
    stamp: Stamp
    blob: str
    entry: Entry


class Survey(NamedTuple):
    """All episode files at one moment, what could not be read, and their entries."""

    rows: tuple[Row, ...]
    problems: tuple[Finding, ...]
    entries: Callable[[], dict[str, Entry]]
    also: dict[str, Any]
    """What was made beside, by path, of the files that had to be read."""

    @property
    def fingerprint(self) -> str:
        """A hash over every path and content, and every problem."""
        digest = hashlib.sha256()
        for row in self.rows:
            digest.update(f"{row.path}\0{row.blob}\0".encode("utf-8", "surrogateescape"))
        digest.update(repr(self.problems).encode("utf-8", "backslashreplace"))
        return digest.hexdigest()


class Bodies:
    """The facts of the episodes of one survey, read when the first is asked for."""

    def __init__(self, cache: Cache | Past, read: Texts, progress: Progress) -> None:
        self.rows: tuple[Row, ...] = ()
        self.known: dict[str, Facts] = {}
        self.arrived: dict[str, str] = {}
        """Facts that were made while the files were read, as they are stored."""
        self._cache, self._read, self._progress = cache, read, progress
        self._complete = False

    def facts(self, path: str) -> Facts:
        """What stands in the body of a file; empty where it is gone by now."""
        if path not in self.known and path in self.arrived:
            self.known[path] = facts_from(self.arrived.pop(path))
        if path not in self.known and not self._complete:
            self._load()
        return self.known.get(path, Facts())

    def _load(self) -> None:
        here = self.arrived.keys() | self.known.keys()
        blobs = {row.path: row.blob for row in self.rows if row.path not in here}
        self.known |= dict(self._cache.facts(blobs))
        missing = [path for path in blobs if path not in self.known]
        fresh: list[tuple[str, str, str]] = []
        for place, (path, text) in enumerate(self._read(missing)):
            self._progress(place, len(missing))
            self.known[path] = facts_of(text)
            blob = blob_id(text.encode("utf-8"))
            fresh.append((path, blob, facts_row(self.known[path])))
        self._cache.keep_facts(fresh)
        self._complete = True


def survey(
    root: str,
    found: Iterable[tuple[str, Mark]],
    cache: Cache,
    read: Texts,
    progress: Progress,
    workers: int = 1,
    also: Also | None = None,
    bodied: bool = False,
) -> Survey:
    """The survey of files below a folder: each by its stamp or, where that is new, by reading it.

    `read` gives the texts of paths, for bodies that are asked for later; with `bodied` they will be,
    and are read at once. `also` is a function that a module defines, since another process may have
    to find it.
    """
    known, now = cache.stamps(), time.time_ns()
    rows: list[Row] = []
    changed: list[Place] = []
    problems: list[Finding] = []
    for path, mark in found:
        stamp = _stamp(mark, now)
        if stamp is None:
            problems.append(not_a_file(path))
            continue
        seen = known.pop(path, None)
        if seen and seen[0].holds(stamp):
            rows.append(Row(path, seen[1]))
        else:
            changed.append((path, f"{root}/{path}", stamp))
    bodies = Bodies(cache, read, progress)
    changed.sort()  # rows that are written in order cost the cache half
    made: dict[str, Any] = {}
    fresh: list[Read] = []
    whole = bodied or len(changed) <= FEW
    reading = _read_all(changed, problems, bodies, progress, workers, (whole, also), made)
    arriving = _collected(reading, fresh)
    if changed or known:
        cache.keep(arriving, known)  # written while the rest is still being read
    fresh += reading  # what the cache, out of order, did not take
    rows += [Row(one.path, one.blob) for one in fresh]
    bodies.rows = tuple(sorted(rows))
    if rows_of_facts := bodies.arrived:
        there = (one for one in fresh if one.path in rows_of_facts)
        cache.keep_facts((one.path, one.blob, rows_of_facts[one.path]) for one in there)
    return Survey(
        bodies.rows, tuple(sorted(problems)), lambda: _entries(fresh, bodies, cache, read), made
    )


def unchanged(rows: list[Row], cache: Cache, read: Texts, progress: Progress) -> Survey:
    """The survey of files of which none has changed since these rows were made of them."""
    bodies = Bodies(cache, read, progress)
    bodies.rows = tuple(rows)
    return Survey(bodies.rows, (), lambda: _entries([], bodies, cache, read), {})


def _collected(reading: Iterator[Read], fresh: list[Read]) -> Iterator[Read]:
    """What is read, noted down on its way."""
    for one in reading:
        fresh.append(one)
        yield one


def _read_all(
    changed: list[Place],
    problems: list[Finding],
    bodies: Bodies,
    progress: Progress,
    workers: int,
    wanted: tuple[bool, Also | None],
    made: dict[str, Any],
) -> Iterator[Read]:
    """What had to be read; a file that cannot be is a problem instead."""
    jobs = [(list(some), *wanted) for some in chunks(changed)]
    done = 0
    for found in mapped(_read_some, jobs, workers):
        for (path, _, stamp), (blob, cells, facts, problem, beside) in zip(
            changed[done : done + len(found)], found, strict=True
        ):
            if problem:
                problems.append(problem)
                continue
            if facts is not None:
                bodies.arrived[path] = facts
            if wanted[1]:
                made[path] = beside
            yield Read(path, stamp, blob, Entry._make((*cells, bodies.facts)))
        done += len(found)
        progress(done, len(changed))


def _read_some(job: tuple[list[Place], bool, Also | None]) -> list[Raw]:
    places, whole, also = job
    return [_read_one(path, on_disk, whole, also) for path, on_disk, _ in places]


def _read_one(path: str, on_disk: str, whole: bool, also: Also | None) -> Raw:
    try:
        data = files.read_bytes(on_disk, path, files.SIZE_LIMIT)
    except ShelfError as trouble:
        return Raw(problem=unreadable(path, trouble))
    return made(path, data, whole, also)._replace(blob=blob_id(data))


def made(path: str, data: bytes, whole: bool, also: Also | None = None) -> Raw:
    """What is made of a file's bytes; its facts too, where the whole of it is wanted."""
    try:
        text = files.decoded(data, path)
    except ShelfError as trouble:
        return Raw(problem=unreadable(path, trouble))
    document = Document.of(text)
    entry = entry_of(path, text, front=document.front)
    beside = also(document, entry) if also else None
    facts = facts_row(facts_in(document)) if whole else None
    return Raw("", entry[:-1], facts, None, beside)


def _entries(fresh: list[Read], bodies: Bodies, cache: Cache, read: Texts) -> dict[str, Entry]:
    """The entry of every row: just read, or kept in the cache, or (a damaged row) read now."""
    out = {one.path: one.entry for one in fresh}
    wanted = {row.path for row in bodies.rows}
    if len(out) < len(wanted):
        kept = cache.entries(bodies.facts)
        out = {path: entry for path, entry in kept if path in wanted} | out
    for path, text in read(wanted - out.keys()):
        out[path] = entry_of(path, text, bodies.facts)
    return out


def blob_id(data: bytes) -> str:
    """git's id of a file's content in a SHA-1 repository."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _stamp(mark: Mark, now: int) -> Stamp | None:
    """The stamp of a regular file in a look that began now; None for links, folders, pipes."""
    mtime, ctime, size, inode, mode = mark
    return Stamp(size, mtime, ctime, inode, now) if stat.S_ISREG(mode) else None


def not_a_file(path: str) -> Finding:
    """What is wrong with a link, a folder or a pipe in the place of an episode."""
    said = "It is a link or no regular file, and is not read."
    return Finding("error", "not-a-file", said, path, "Put the file itself in its place.")
