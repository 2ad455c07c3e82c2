"""What was parsed, keyed by what the file system says of a file; disposable.

One SQLite file outside the shelf. Whatever is wrong with it (damaged, foreign, locked, read-only
folder), the shelf is read without it: no answer depends on it, only the time it takes.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..domain.entry import VERSION, Entry
from ..domain.finding import Finding
from ..domain.items import Choice, Item

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files(path TEXT PRIMARY KEY, size INT, mtime INT, ctime INT, ino INT,
  scanned INT, blob TEXT, entry TEXT, title TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS titles ON files(title);
CREATE TABLE IF NOT EXISTS verdicts(blob TEXT PRIMARY KEY, findings TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS facts(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
"""
_LAYOUT = f"4.{VERSION}"
_LISTS = tuple(
    place
    for place, name in enumerate(Entry._fields)
    if name in ("tags", "keywords", "supersedes", "superseded_by", "closes")
)
_PAIRS = tuple(Entry._fields.index(name) for name in ("sections", "mentions"))
_DECISIONS, _THREADS, _FINDINGS = (
    Entry._fields.index(name) for name in ("decisions", "threads", "findings")
)


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
        self._db = _opened(folder / "shelf.sqlite") if folder else _fresh(":memory:")

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def stamps(self) -> dict[str, tuple[Stamp, str]]:
        """Path to stamp and blob id, of every file that was read."""
        rows = self._rows("SELECT path, size, mtime, ctime, ino, scanned, blob FROM files")
        return {row[0]: (Stamp._make(row[1:6]), row[6]) for row in rows}

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """Path and entry of every file that was read."""
        for path, row in self._rows("SELECT path, entry FROM files"):
            with contextlib.suppress(ValueError, TypeError, IndexError):
                yield path, entry_from(row)

    def keep(self, read: Iterable[tuple[str, Stamp, str, Entry]], gone: Iterable[str] = ()) -> None:
        """Remember what was read, and forget what is gone."""
        with contextlib.suppress(sqlite3.Error), self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO files VALUES(?,?,?,?,?,?,?,?,?)",
                (
                    (path, *stamp, blob, entry_row(entry), entry.title)
                    for path, stamp, blob, entry in read
                ),
            )
            self._db.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in gone))

    def titled(self, prefix: str, title: str) -> str | None:
        """The path under a prefix of a file that was read with this title."""
        for (path,) in self._rows("SELECT path FROM files WHERE title = ? ORDER BY path", title):
            if path.startswith(prefix):
                return path
        return None

    def verdicts(self, rules: str) -> dict[str, tuple[Finding, ...]]:
        """Blob id to what the checks found in it, if that was under the same rules."""
        if self.fact("rules") != rules:
            return {}
        rows = self._rows("SELECT blob, findings FROM verdicts")
        return {blob: _findings(json.loads(row)) if row else () for blob, row in rows}

    def keep_verdicts(self, rules: str, found: dict[str, tuple[Finding, ...]]) -> None:
        """Remember the checks' findings; those of other rules are dropped."""
        with contextlib.suppress(sqlite3.Error), self._db:
            if self.fact("rules") != rules:
                self._db.execute("DELETE FROM verdicts")
            self._db.executemany(
                "INSERT OR REPLACE INTO verdicts VALUES(?,?)",
                ((blob, json.dumps(rows) if rows else "") for blob, rows in found.items()),
            )
            self._db.execute("INSERT OR REPLACE INTO facts VALUES('rules', ?)", (rules,))

    def fact(self, name: str) -> str:
        """A remembered text, or an empty one."""
        for (value,) in self._rows("SELECT value FROM facts WHERE name = ?", name):
            return str(value)
        return ""

    def keep_fact(self, name: str, value: str) -> None:
        """Remember a text under a name."""
        with contextlib.suppress(sqlite3.Error), self._db:
            self._db.execute("INSERT OR REPLACE INTO facts VALUES(?, ?)", (name, value))

    def _rows(self, query: str, *values: str) -> Iterator[tuple[str, ...]]:
        with contextlib.suppress(sqlite3.Error):
            yield from self._db.execute(query, values)


def _opened(file: Path) -> sqlite3.Connection:
    for attempt in (1, 2):
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return _fresh(str(file))
        except sqlite3.OperationalError:
            break  # locked, read-only, full: leave it alone
        except sqlite3.DatabaseError:
            if attempt == 2:
                break
            with contextlib.suppress(OSError):  # damaged or foreign: never trusted
                file.unlink()
        except OSError:
            break
    return _fresh(":memory:")


def _fresh(name: str) -> sqlite3.Connection:
    db = sqlite3.connect(name, timeout=2, check_same_thread=False)
    try:
        db.execute("PRAGMA synchronous = OFF")
        layout = ""
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'facts'").fetchone():
            row = db.execute("SELECT value FROM facts WHERE name = 'layout'").fetchone()
            layout = row[0] if row else ""
        if layout != _LAYOUT:
            with db:
                for table in ("files", "verdicts", "facts"):
                    db.execute(f"DROP TABLE IF EXISTS {table}")
            db.executescript(_SCHEMA)
            with db:
                db.execute("INSERT OR REPLACE INTO facts VALUES('layout', ?)", (_LAYOUT,))
    except BaseException:
        db.close()
        raise
    return db


def entry_row(entry: Entry) -> str:
    """An entry as it is stored: a JSON list."""
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def entry_from(row: str) -> Entry:
    """The entry of a stored row, equal to the one that was stored."""
    cells = json.loads(row)
    for place in _LISTS:
        cells[place] = tuple(cells[place])
    for place in _PAIRS:
        cells[place] = tuple(map(tuple, cells[place]))
    cells[_DECISIONS] = tuple(Choice(text, tuple(rejected)) for text, rejected in cells[_DECISIONS])
    cells[_THREADS] = tuple(map(Item._make, cells[_THREADS]))
    cells[_FINDINGS] = _findings(cells[_FINDINGS])
    return Entry._make(cells)


def _findings(rows: list[list[str]]) -> tuple[Finding, ...]:
    return tuple(map(Finding._make, rows))
