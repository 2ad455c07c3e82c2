"""The file of a shelf's vectors: SQLite in the cache folder; whatever is wrong, it is begun anew."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from ..storage import database
from ..storage.places import cache_dir
from ..storage.store import Store
from .chunks import VERSION

R = TypeVar("R")

NAME = "vectors.sqlite"
_LAYOUT = f"1.{VERSION}"
_TABLES = ("facts", "vectors", "files", "places")
_SCHEMA = """
CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE vectors(id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT, model TEXT, vector BLOB,
  UNIQUE(key, model));
CREATE TABLE files(id INTEGER PRIMARY KEY AUTOINCREMENT, model TEXT, path TEXT, blob TEXT,
  UNIQUE(model, path));
CREATE TABLE places(file INT, start INT, end INT, section TEXT, key TEXT,
  PRIMARY KEY(file, start)) WITHOUT ROWID;
"""


def there(store: Store) -> bool:
    """Whether anything of a shelf was ever embedded, as far as a look at the folder tells."""
    return (cache_dir(store.root) / NAME).is_file()


class VectorFile:
    """The tables of one shelf. Every method may be called whatever state the file is in."""

    def __init__(self, folder: Path | None) -> None:
        self.path = folder / NAME if folder else None
        self._open()

    def _open(self) -> None:
        self.db, self.kept = database.opened(self.path, _LAYOUT, _SCHEMA)
        """`kept` is False where the cache folder cannot be used, and memory holds all."""
        self._inode = self._on_disk()
        self.made = object()
        """Another one for each connection: what was read from an earlier one is void."""

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()

    @property
    def replaced(self) -> bool:
        """True where another process has deleted the file, or begun it anew."""
        return self.kept and self._inode != self._on_disk()

    def _on_disk(self) -> tuple[int, int] | None:
        with contextlib.suppress(OSError):
            if self.path:
                found = self.path.stat()
                return found.st_dev, found.st_ino
        return None

    @property
    def bytes(self) -> int:
        """The size of the file, 0 in memory."""
        return size(self.path) if self.path and self.kept else 0

    @property
    def state(self) -> tuple[object, ...]:
        """Another one after every change, by whatever process."""
        changes = self._tried(lambda: self.db.total_changes)
        return (self.made, self.rows("PRAGMA data_version"), changes)

    def fact(self, name: str) -> str:
        """A remembered text, or an empty one."""
        found = self.rows("SELECT value FROM facts WHERE name = ?", name)
        return next((str(value) for (value,) in found), "")

    def keep_fact(self, name: str, value: str) -> None:
        """Remember a text under a name."""
        self.write(lambda db: db.execute("INSERT OR REPLACE INTO facts VALUES(?,?)", (name, value)))

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a query finds; nothing where the file is locked or turns out to be damaged."""
        return self._tried(lambda: self.db.execute(query, values).fetchall()) or []

    def rows_of(self, query: str, keys: Iterable[Any], *values: Any) -> Iterator[tuple[Any, ...]]:
        """What a query finds whose last part is `IN ({})`, for all keys, some at a time."""
        keys = list(keys)
        for at in range(0, len(keys), 500):
            some = keys[at : at + 500]
            yield from self.rows(query.format(",".join("?" * len(some))), *values, *some)

    def write(self, change: Callable[[sqlite3.Connection], R]) -> R | None:
        """What a change gives that is made as one; None where it could not be made."""

        def made() -> R:
            with self.db:
                self.db.execute("BEGIN IMMEDIATE")
                return change(self.db)

        return self._tried(made)

    def forget(self, paths: Iterable[str]) -> bool:
        """Take files out under every model, and every vector that stands nowhere any more; the file
        is rewritten, so that no free page holds a trace. False where another process is in the way.
        """
        gone = [(path,) for path in paths]

        def change(db: sqlite3.Connection) -> bool:
            db.executemany("DELETE FROM files WHERE path = ?", gone)
            db.execute("DELETE FROM places WHERE file NOT IN (SELECT id FROM files)")
            db.execute("DELETE FROM vectors WHERE key NOT IN (SELECT key FROM places)")
            return True

        return bool(self.write(change)) and self.emptied()

    def emptied(self) -> bool:
        """Rewrite the file without its free pages and its log; False where it is in use."""
        if self._tried(lambda: self.db.execute("VACUUM")) is None:
            return False
        busy = self.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return bool(busy) and busy[0][0] == 0

    def _tried(self, work: Callable[[], R]) -> R | None:
        try:
            return work()
        except sqlite3.OperationalError:
            return None  # locked, or the disk is full: the file stays as it is
        except sqlite3.DatabaseError as trouble:
            if (
                type(trouble) is sqlite3.DatabaseError
            ):  # and not, say, that another thread closed it
                self.delete()  # damaged: never trusted
            return None

    def delete(self) -> None:
        """Begin anew, without anything that was kept."""
        self.db.close()
        if self.path:
            with contextlib.suppress(OSError):  # another process may hold it open, on Windows
                database.removed(self.path)
        self._open()
        with contextlib.suppress(sqlite3.Error):  # which leaves nothing in it all the same
            for table in _TABLES:
                self.db.execute(f"DELETE FROM {table} WHERE TRUE")


def size(path: Path) -> int:
    """Bytes of a file with what SQLite keeps beside it; 0 where there is none."""
    total = 0
    for suffix in ("", "-wal"):
        with contextlib.suppress(OSError):
            total += path.with_name(path.name + suffix).stat().st_size
    return total
