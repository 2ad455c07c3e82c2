"""What was rendered of episodes, kept by the id of their content; disposable like all of the cache."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Generic, Literal, TypeVar

from .cache import Cache

_MOST = 20_000
"""So many are kept whatever the shelf's size: contents of the past are among them."""
Table = Literal["fragments", "articles", "pages"]
T = TypeVar("T", str, bytes)


class Fragments(Generic[T]):
    """Rendered texts, or the bytes of such, by a key that names what they were made of, all by one version of the renderer.

    They are kept as they are: packed by zlib they would take a third of the space, and unpacking
    them would cost as much again as all else that an unchanged shelf takes.
    """

    def __init__(self, cache: Cache, version: str, table: Table, kind: type[T]) -> None:
        self._cache, self._version, self._table = cache, version, table
        self._kind: type[T] = kind

    @property
    def _current(self) -> bool:
        """Whether what is kept is of this version."""
        return self._cache.fact(self._table) == self._version

    def known(self) -> set[str]:
        """The keys under which something is kept."""
        if not self._current:
            return set()
        return {key for (key,) in self._cache.rows(f"SELECT key FROM {self._table}")}

    def some(self, keys: Sequence[str]) -> dict[str, T]:
        """What is kept under some keys."""
        if not self._current:
            return {}
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, html FROM {self._table} WHERE key IN ({marks})"
        rows = self._cache.rows(query, *keys)
        return {key: html for key, html in rows if isinstance(html, self._kind)}

    def keep(self, made: Iterable[tuple[str, T]], wanted: int) -> None:
        """Keep texts under keys. Where there is far more than is `wanted`, the rest goes first."""
        with contextlib.suppress(sqlite3.Error), self._cache.db as db:
            ((there,),) = db.execute(f"SELECT count(*) FROM {self._table}")
            if there > max(_MOST, 2 * wanted) or not self._current:
                db.execute(f"DELETE FROM {self._table}")
            db.execute("INSERT OR REPLACE INTO facts VALUES(?, ?)", (self._table, self._version))
            db.executemany(f"INSERT OR REPLACE INTO {self._table} VALUES(?, ?)", made)
