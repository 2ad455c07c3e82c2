"""What was parsed, keyed by what the file system says of a file; disposable.

One SQLite file outside the shelf. Whatever is wrong with it (damaged, foreign, locked, read-only
folder), the shelf is read without it: no answer depends on it, only the time it takes.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from ..domain.entry import LIGHT, VERSION, Entry, Facts
from ..domain.finding import Finding
from ..domain.items import Choice, Item
from . import database

_SCHEMA = """
CREATE TABLE files(path TEXT PRIMARY KEY, size INT, mtime INT, ctime INT, ino INT,
  scanned INT, blob TEXT, entry TEXT, title TEXT, facts TEXT) WITHOUT ROWID;
CREATE TABLE past(path TEXT, blob TEXT, entry TEXT, facts TEXT,
  PRIMARY KEY(path, blob)) WITHOUT ROWID;
CREATE TABLE verdicts(blob TEXT PRIMARY KEY, findings TEXT) WITHOUT ROWID;
CREATE TABLE fragments(key TEXT PRIMARY KEY, html TEXT);
CREATE TABLE articles(key TEXT PRIMARY KEY, html TEXT);
CREATE TABLE pages(key TEXT PRIMARY KEY, html TEXT);
CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT);
"""
_LAYOUT = f"12.{VERSION}"
Table = Literal["files", "past"]
_TABLES: tuple[Table, ...] = ("files", "past")
_PAST = 20_000
"""Rows of past contents that are kept: with facts, some 5 KB each."""
T = TypeVar("T")
_LISTS = tuple(
    LIGHT.index(name)
    for name in ("tags", "keywords", "supersedes", "superseded_by", "closes_field")
)
_FINDINGS = LIGHT.index("findings")
_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_decode = json.JSONDecoder().raw_decode  # json.loads looks for space at both ends of each row


class Stamp(NamedTuple):
    """What the file system says of a file; `scanned` is when it was asked, in nanoseconds."""

    size: int
    mtime: int
    ctime: int
    ino: int
    scanned: int

    def holds(self, now: Stamp) -> bool:
        """True where a file with the stamp `now` is the one that was read under this stamp.

        A file written within the clock's grain of its scan may have changed again unseen: 100 ms,
        or 2 s where stamps are whole seconds.
        """
        grain = 2_000_000_000 if self.mtime % 1_000_000_000 == 0 else 100_000_000
        return self[:4] == now[:4] and self.scanned - self.mtime >= grain


class Cache:
    """The rows of one shelf. Every method may be called whatever state the file is in."""

    def __init__(self, folder: Path | None) -> None:
        file = folder / "shelf.sqlite" if folder else None
        self.db = database.opened(file, _LAYOUT, _SCHEMA, begins=True).db

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()

    def stamps(self) -> dict[str, tuple[Stamp, str]]:
        """Path to stamp and blob id, of every file that was read."""
        rows = self.rows("SELECT path, blob, size, mtime, ctime, ino, scanned FROM files")
        return {path: (Stamp._make(stamp), blob) for path, blob, *stamp in rows}

    def entries(self, more: Callable[[str], Facts]) -> Iterator[tuple[str, Entry]]:
        """Path and entry of every file that was read; rows that are damaged are passed over."""
        for path, row in self.rows("SELECT path, entry FROM files"):
            try:
                yield path, entry_from(row, more)
            except (ValueError, TypeError, IndexError):
                continue

    def facts(self, wanted: Mapping[str, str]) -> Iterator[tuple[str, Facts]]:
        """Path and facts of each path whose facts were asked for when it had the wanted blob id."""
        query = "SELECT path, blob, facts FROM files WHERE facts IS NOT NULL"
        yield from _decoded(self.rows(query), wanted, facts_from)

    def keep_facts(self, found: Iterable[tuple[str, str, str]], table: Table = "files") -> None:
        """Remember facts (path, blob, `facts_row`), as long as the row is of the same blob."""
        with contextlib.suppress(sqlite3.Error), self.db:
            self.db.executemany(
                f"UPDATE {table} SET facts = ? WHERE path = ? AND blob = ?",
                ((row, path, blob) for path, blob, row in found),
            )

    def keep(self, read: Iterable[tuple[str, Stamp, str, Entry]], gone: Iterable[str] = ()) -> None:
        """Remember what was read, and forget what is gone."""
        with contextlib.suppress(sqlite3.Error), self.db:
            self.db.executemany(
                "INSERT OR REPLACE INTO files VALUES(?,?,?,?,?,?,?,?,?,NULL)",
                ((path, *stamp, blob, entry_row(e), e.title) for path, stamp, blob, e in read),
            )
            self.db.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in gone))

    def titled(self, prefix: str, title: str) -> str | None:
        """The path under a prefix of a file that was read with this title."""
        for (path,) in self.rows("SELECT path FROM files WHERE title = ? ORDER BY path", title):
            if path.startswith(prefix):
                return str(path)
        return None

    def verdicts(self, rules: str) -> dict[str, tuple[Finding, ...]]:
        """Blob id to what the checks found in it, if that was under the same rules."""
        if self.fact("rules") != rules:
            return {}
        rows = self.rows("SELECT blob, findings FROM verdicts")
        return {blob: _findings(json.loads(row)) if row else () for blob, row in rows}

    def keep_verdicts(self, rules: str, found: dict[str, tuple[Finding, ...]]) -> None:
        """Remember the checks' findings; those of other rules are dropped."""
        with contextlib.suppress(sqlite3.Error), self.db:
            if self.fact("rules") != rules:
                self.db.execute("DELETE FROM verdicts")
            self.db.executemany(
                "INSERT OR REPLACE INTO verdicts VALUES(?,?)",
                ((blob, json.dumps(rows) if rows else "") for blob, rows in found.items()),
            )
            self.db.execute("INSERT OR REPLACE INTO facts VALUES('rules', ?)", (rules,))

    def fact(self, name: str) -> str:
        """A remembered text, or an empty one."""
        for (value,) in self.rows("SELECT value FROM facts WHERE name = ?", name):
            return str(value)
        return ""

    def keep_fact(self, name: str, value: str) -> None:
        """Remember a text under a name."""
        with contextlib.suppress(sqlite3.Error), self.db:
            self.db.execute("INSERT OR REPLACE INTO facts VALUES(?, ?)", (name, value))

    def rows(self, query: str, *values: str) -> Iterator[tuple[Any, ...]]:
        """What a query finds, as far as the file can be read."""
        with contextlib.suppress(sqlite3.Error):
            yield from self.db.execute(query, values)


class Past:
    """What was parsed of a shelf's revisions, and of its files as long as they are the same.

    Past contents have a table of their own, so that reading a revision costs the next survey of
    the files nothing. It is emptied when there are too many.
    """

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def entries(
        self, wanted: Mapping[str, str], more: Callable[[str], Facts]
    ) -> Iterator[tuple[str, Entry]]:
        """Path and entry of each path whose content, by its blob id, was read before."""
        query = "SELECT path, blob, entry FROM {}"
        yield from _decoded(self._both(query), wanted, lambda row: entry_from(row, more))

    def facts(self, wanted: Mapping[str, str]) -> Iterator[tuple[str, Facts]]:
        """Path and facts of each path whose content's facts were asked for before."""
        query = "SELECT path, blob, facts FROM {} WHERE facts IS NOT NULL"
        yield from _decoded(self._both(query), wanted, facts_from)

    def keep(self, read: Sequence[tuple[str, str, Entry]]) -> None:
        """Remember what was read."""
        with contextlib.suppress(sqlite3.Error), self._cache.db as db:
            ((there,),) = db.execute("SELECT count(*) FROM past")
            if there and there + len(read) > _PAST:
                db.execute("DELETE FROM past")
            db.executemany(
                "INSERT OR REPLACE INTO past VALUES(?,?,?,NULL)",
                ((path, blob, entry_row(entry)) for path, blob, entry in read),
            )

    def keep_facts(self, found: Iterable[tuple[str, str, str]]) -> None:
        """Remember facts by path and blob."""
        found = list(found)
        for table in _TABLES:
            self._cache.keep_facts(found, table)

    def _both(self, query: str) -> Iterator[tuple[str, ...]]:
        for table in _TABLES:
            yield from self._cache.rows(query.format(table))


def _decoded(
    rows: Iterable[tuple[str, ...]], wanted: Mapping[str, str], decode: Callable[[str], T]
) -> Iterator[tuple[str, T]]:
    """Path and value of the rows of wanted contents; rows that are damaged are passed over."""
    for path, blob, row in rows:
        if wanted.get(path) == blob:
            with contextlib.suppress(ValueError, TypeError, IndexError):
                yield path, decode(row)


def _json(value: object) -> str:
    return _encoder.encode(value)


def entry_row(entry: Entry) -> str:
    """An entry as it is stored: a JSON list of its fields, facts apart."""
    return _json(entry[:-1])


def entry_from(row: str, more: Callable[[str], Facts]) -> Entry:
    """The entry of a stored row, equal to the one that was stored."""
    cells, _ = _decode(row)
    for place in _LISTS:
        cells[place] = tuple(cells[place])
    cells[_FINDINGS] = _findings(cells[_FINDINGS])
    cells.append(more)
    return Entry._make(cells)


def facts_row(facts: Facts) -> str:
    """Facts as they are stored."""
    return _json(facts)


def facts_from(row: str) -> Facts:
    """The facts of a stored row, equal to those that were stored."""
    digest, sections, decisions, threads, mentions, closing, numbers = _decode(row)[0]
    return Facts(
        digest,
        tuple(map(tuple, sections)),
        tuple(Choice(text, tuple(rejected)) for text, rejected in decisions),
        tuple(map(Item._make, threads)),
        tuple(map(tuple, mentions)),
        tuple(closing),
        tuple(numbers),
    )


def _findings(rows: list[list[str]]) -> tuple[Finding, ...]:
    return tuple(map(Finding._make, rows)) if rows else ()
