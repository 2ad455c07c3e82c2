"""SQLite files that may be deleted at any time: opened whatever state they are in, never trusted.

A file of another layout, a damaged or a foreign one is made anew; where none can be kept (a folder
that is read-only, a file that somebody holds) the database lives in memory, and says so.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from pathlib import Path
from typing import NamedTuple

_PATIENCE = 2.0
"""Seconds to wait for another process that writes."""


class Database(NamedTuple):
    """An open database; `kept` is False where it lives in memory because no file could be kept."""

    db: sqlite3.Connection
    kept: bool


def opened(file: Path | None, layout: str, schema: str) -> Database:
    """The database in a file, empty where what is there has another layout; None is memory.

    Many may read while one writes, where the file system allows it.
    """
    if file is None:
        return Database(_fresh(":memory:", layout, schema), False)
    for _ in range(2):
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return Database(_fresh(str(file), layout, schema), True)
        except sqlite3.OperationalError:
            break  # locked, read-only, full: leave it alone
        except sqlite3.DatabaseError:
            removed(file)
        except OSError:
            break
    return Database(_fresh(":memory:", layout, schema), False)


def removed(file: Path) -> None:
    """Take a database away, with what SQLite keeps beside it."""
    for ending in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(OSError):
            Path(f"{file}{ending}").unlink(missing_ok=True)


def _fresh(name: str, layout: str, schema: str) -> sqlite3.Connection:
    db = sqlite3.connect(name, timeout=_PATIENCE, check_same_thread=False, isolation_level=None)
    try:
        db.execute("PRAGMA synchronous = OFF")
        there = _layout(db)
        if there == layout:
            return db
        if there:
            raise sqlite3.DatabaseError("another layout")
        _make(db, layout, schema)
    except BaseException:
        db.close()
        raise
    return db


def _make(db: sqlite3.Connection, layout: str, schema: str) -> None:
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(f"BEGIN IMMEDIATE; {schema}; CREATE TABLE layout(name TEXT);")
        db.execute("INSERT INTO layout VALUES(?)", (layout,))
        db.execute("COMMIT")
    except sqlite3.OperationalError as trouble:
        db.rollback()
        others = "locked" in str(trouble) or "already exists" in str(trouble)
        if not (others and _made_by_another(db, layout)):
            raise


def _made_by_another(db: sqlite3.Connection, layout: str) -> bool:
    """True where another process has made the same database in the meantime."""
    for _ in range(int(_PATIENCE / 0.02)):
        with contextlib.suppress(sqlite3.OperationalError):
            if found := _layout(db):
                return found == layout
        time.sleep(0.02)
    return False


def _layout(db: sqlite3.Connection) -> str:
    """The layout of a database, empty where there is nothing in it yet."""
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    if not names:
        return ""
    found = db.execute("SELECT name FROM layout").fetchone() if "layout" in names else None
    return str(found[0]) if found else "unknown"
