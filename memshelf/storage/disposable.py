"""A SQLite file that may be lost at any time: opened, or made anew where it cannot be trusted."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

Prepare = Callable[[sqlite3.Connection], None]
"""Brings a connection into the layout that its reader knows; raises what SQLite raises."""


def opened(file: Path | None, prepare: Prepare) -> sqlite3.Connection:
    """A connection to the file, prepared; to memory where there is none or it cannot be used.

    A file that is damaged or foreign is deleted and begun anew. One that is locked, or in a folder
    that cannot be written, is left alone.
    """
    for attempt in (1, 2) if file else ():
        assert file
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return _prepared(str(file), prepare)
        except sqlite3.OperationalError:
            break  # locked, read-only, full: leave it alone
        except sqlite3.DatabaseError:
            if attempt == 2:
                break
            removed(file)  # damaged or foreign: never trusted
        except OSError:
            break
    return _prepared(":memory:", prepare)


def removed(file: Path) -> bool:
    """Delete a file with what SQLite keeps beside it; False where it is still there."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(OSError):
            file.with_name(file.name + suffix).unlink(missing_ok=True)
    return not file.exists()


def _prepared(name: str, prepare: Prepare) -> sqlite3.Connection:
    db = sqlite3.connect(name, timeout=2, check_same_thread=False)
    try:
        prepare(db)
    except BaseException:
        db.close()
        raise
    return db
