"""Vectors: which piece of which episode means what, and which are nearest to a question."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .chunks import Chunk
from .vectors_file import VectorFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .embed import Matrix
    from .vectors_matrix import Loaded


class Near(NamedTuple):
    """The piece of an episode that is nearest: its place in the file, and the cosine."""

    path: str
    section: str
    start: int
    end: int
    cosine: float


class Placed(NamedTuple):
    """The chunks of one file, as it was when git would have called its content `blob`."""

    path: str
    blob: str
    chunks: tuple[Chunk, ...]


class Vectors:
    """The vectors of one shelf under one model, by content, and where each content stands."""

    def __init__(self, file: VectorFile, model: str) -> None:
        self.file, self.model = file, model
        self._loaded: Loaded | None = None
        self._files: tuple[object, dict[str, str]] = (None, {})

    def files(self) -> dict[str, str]:
        """Path to blob id of every file of which all chunks are embedded."""
        state = self.file.state
        if state != self._files[0]:
            rows = self.file.rows("SELECT path, blob FROM files WHERE model = ?", self.model)
            self._files = state, {str(path): str(blob) for path, blob in rows}
        return self._files[1]

    def missing(self, rows: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Those rows (path, blob) that are not embedded as they are now."""
        known = self.files()
        return [(path, blob) for path, blob in rows if known.get(path) != blob]

    def known(self, keys: Iterable[str]) -> set[str]:
        """Those keys that have a vector."""
        query = "SELECT key FROM vectors WHERE model = ? AND key IN ({})"
        return {str(key) for (key,) in self.file.rows_of(query, set(keys), self.model)}

    def count(self) -> int:
        """How many chunks are embedded, each place of the same text counted."""
        query = "SELECT count(*) FROM places JOIN files ON files.id = file WHERE model = ?"
        return sum(int(number) for (number,) in self.file.rows(query, self.model))

    def add(self, placed: Sequence[Placed], keys: Sequence[str], vectors: Matrix) -> bool:
        """Keep new vectors and what the files hold now, as one; False where it cannot be kept.

        A file with a chunk that has no vector stays as it was, and missing.
        """
        import numpy as np

        rows = zip(keys, vectors.astype(np.float16), strict=True)
        blobs = [(key, self.model, vector.tobytes()) for key, vector in rows]

        def change(db: sqlite3.Connection) -> bool:
            db.executemany("INSERT OR IGNORE INTO vectors(key, model, vector) VALUES(?,?,?)", blobs)
            kept = [self._place(db, one) for one in placed]
            return all(kept)

        return bool(self.file.write(change))

    def _place(self, db: sqlite3.Connection, placed: Placed) -> bool:
        keys = {chunk.key for chunk in placed.chunks}
        there = sum(self._has(db, key) for key in keys)
        if there < len(keys):
            return False
        self._forget(db, [placed.path])
        made = db.execute(
            "INSERT INTO files(model, path, blob) VALUES(?,?,?)",
            (self.model, placed.path, placed.blob),
        )
        db.executemany(
            "INSERT INTO places VALUES(?,?,?,?,?)",
            ((made.lastrowid, c.start, c.end, c.section, c.key) for c in placed.chunks),
        )
        return True

    def _has(self, db: sqlite3.Connection, key: str) -> bool:
        query = "SELECT 1 FROM vectors WHERE key = ? AND model = ?"
        return db.execute(query, (key, self.model)).fetchone() is not None

    def _forget(self, db: sqlite3.Connection, paths: Iterable[str]) -> None:
        for path in paths:
            here = (self.model, path)
            db.execute(
                "DELETE FROM places WHERE file IN (SELECT id FROM files WHERE model=? AND path=?)",
                here,
            )
            db.execute("DELETE FROM files WHERE model = ? AND path = ?", here)

    def drop(self, paths: Collection[str]) -> None:
        """Forget files that are gone; what they said keeps its vectors until `tidy`."""
        if paths:
            self.file.write(lambda db: self._forget(db, paths))

    def tidy(self) -> None:
        """Forget what belongs to other models, and vectors that stand at no place any more."""

        def change(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM files WHERE model <> ?", (self.model,))
            db.execute("DELETE FROM places WHERE file NOT IN (SELECT id FROM files)")
            db.execute(
                "DELETE FROM vectors WHERE model <> ? OR key NOT IN (SELECT key FROM places)",
                (self.model,),
            )

        self.file.write(change)

    def nearest(
        self, query: NDArray[np.float32], k: int, allowed: Collection[str] | None = None
    ) -> list[Near]:
        """The `k` files nearest to a unit vector, each with its nearest piece, the nearest first.

        Exact: the cosine with every vector there is, of all files or of the `allowed` paths.
        """
        found = self._matrix(len(query)).nearest(query, k, allowed)
        return [Near(*one) for one in found]

    def _matrix(self, dim: int) -> Loaded:
        """All vectors in memory; what has changed since is read, and nothing else."""
        from .vectors_matrix import Loaded

        if self._loaded is None or self._loaded.made is not self.file.made:
            self._loaded = Loaded(self.file, self.model, dim)
        self._loaded.follow()
        return self._loaded
