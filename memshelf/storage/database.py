"""SQLite files that may be deleted at any time: opened whatever state they are in, never trusted.

A file of another layout, a damaged or a foreign one is made anew; where none can be kept (a folder
that is read-only, a file that somebody holds) the database lives in memory, and says so.
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import NamedTuple

_PATIENCE = 2.0
"""Seconds to wait for another process that writes."""


class Database(NamedTuple):
    """An open database; `kept` is False where it lives in memory because no file could be kept."""

    db: sqlite3.Connection
    kept: bool


def opened(file: Path | None, layout: str, schema: str, begins: bool = False) -> Database:
    """The database in a file, empty where what is there has another layout; None is memory.

    Many may read while one writes, where the file system allows it. With `begins` a transaction
    begins by itself with the first change, as Python's `with db:` expects.
    """
    if file is None:
        return Database(_fresh(":memory:", layout, schema, begins), False)
    for _ in range(2):
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return Database(_fresh(str(file), layout, schema, begins), True)
        except sqlite3.OperationalError:
            break  # locked, read-only, full: leave it alone
        except sqlite3.DatabaseError:
            removed(file)
        except OSError:
            break
    return Database(_fresh(":memory:", layout, schema, begins), False)


def removed(file: Path) -> None:
    """Take a database away, with what SQLite keeps beside it."""
    for ending in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(OSError):
            Path(f"{file}{ending}").unlink(missing_ok=True)


def _fresh(name: str, layout: str, schema: str, begins: bool) -> sqlite3.Connection:
    db = sqlite3.connect(name, timeout=_PATIENCE, check_same_thread=False, isolation_level=None)
    try:
        db.execute("PRAGMA synchronous = OFF")
        if _layout(db) != layout:
            _begin(db, layout, schema)
        db.isolation_level = "DEFERRED" if begins else None
    except BaseException:
        db.close()
        raise
    return db


def _begin(db: sqlite3.Connection, layout: str, schema: str) -> None:
    """Make the tables, unless another process has just done so."""
    with contextlib.suppress(sqlite3.OperationalError):
        db.execute("PRAGMA journal_mode = WAL")
    db.execute("BEGIN IMMEDIATE")
    there = _layout(db)
    if there and there != layout:
        raise sqlite3.DatabaseError("another layout")
    if not there:
        for statement in (*schema.split(";\n"), "CREATE TABLE layout(name TEXT)"):
            db.execute(statement)
        db.execute("INSERT INTO layout VALUES(?)", (layout,))
    db.execute("COMMIT")


def _layout(db: sqlite3.Connection) -> str:
    """The layout of a database, empty where there is nothing in it yet."""
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    if not names:
        return ""
    found = db.execute("SELECT name FROM layout").fetchone() if "layout" in names else None
    return str(found[0]) if found else "unknown"
