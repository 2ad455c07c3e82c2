"""All vectors of a shelf in one matrix in memory, which follows its file."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from .vectors_file import VectorFile

Found = tuple[str, str, int, int, float]

_BLOCKS = 16
"""More pieces than this are joined to one matrix."""


class Loaded:
    """What was read of a file of vectors; `made` is the connection that it was read from."""

    def __init__(self, file: VectorFile, model: str, dim: int) -> None:
        self.made = file.made
        self._file, self._model, self._dim = file, model, dim
        self._blocks: list[NDArray[np.float32]] = []
        self._rows: dict[str, int] = {}
        self._last, self._count, self._seen = 0, 0, (-1, -1)
        self._paths: list[str] = []
        self._places: list[tuple[int, str, int, int]] = []
        self._files = self._vectors = np.empty(0, np.int64)

    def follow(self) -> None:
        """Read what is new: vectors are only ever added, places are read anew."""
        now = (self._file.version, self._file.db.total_changes)
        if now == self._seen:
            return
        self._read_vectors()
        self._read_places()
        self._seen = now

    def _read_vectors(self) -> None:
        query = "SELECT id, key, vector FROM vectors WHERE id > ? AND model = ? ORDER BY id"
        found = self._file.rows(query, self._last, self._model)
        if not found:
            return
        block = _matrix([row[2] for row in found], self._dim)
        if block is None:
            self._file.delete()  # damaged: all is embedded anew
            return
        self._rows |= {row[1]: self._count + place for place, row in enumerate(found)}
        self._last, self._count = found[-1][0], self._count + len(found)
        self._blocks.append(block)
        if len(self._blocks) > _BLOCKS:
            self._blocks = [np.concatenate(self._blocks)]

    def _read_places(self) -> None:
        query = (
            "SELECT path, section, start, end, key FROM files JOIN places ON file = id"
            " WHERE model = ? ORDER BY path, start"
        )
        paths: dict[str, int] = {}
        files, vectors, places = [], [], []
        for path, section, start, end, key in self._file.rows(query, self._model):
            if (row := self._rows.get(key)) is not None:
                file = paths.setdefault(path, len(paths))
                files.append(file)
                vectors.append(row)
                places.append((file, section, start, end))
        self._paths, self._places = list(paths), places
        self._files, self._vectors = np.array(files, np.int64), np.array(vectors, np.int64)

    def nearest(
        self, query: NDArray[np.float32], k: int, allowed: Collection[str] | None
    ) -> list[Found]:
        """Path, section, start, end and cosine of the nearest piece of each of `k` files."""
        if not self._places or k < 1:
            return []
        scores = np.concatenate([block @ query for block in self._blocks])[self._vectors]
        if allowed is not None:
            wanted = np.fromiter((path in allowed for path in self._paths), bool, len(self._paths))
            scores[~wanted[self._files]] = -np.inf
        best: dict[int, Found] = {}
        for place in self._ordered(scores, k):
            file, section, start, end = self._places[place]
            if scores[place] == -np.inf or len(best) == k:
                break
            if file not in best:
                best[file] = (self._paths[file], section, start, end, float(scores[place]))
        return list(best.values())

    def _ordered(self, scores: NDArray[np.float32], k: int) -> Iterator[int]:
        """Places by their scores, the highest first; of equal ones the first in order of paths.

        The first few are sorted apart from the rest, which is seldom needed.
        """
        some = min(64 * k, len(scores))
        limit = np.partition(scores, len(scores) - some)[len(scores) - some]
        for part in (np.flatnonzero(scores >= limit), np.flatnonzero(scores < limit)):
            yield from part[np.argsort(-scores[part], kind="stable")].tolist()


def _matrix(rows: list[bytes], dim: int) -> NDArray[np.float32] | None:
    """Stored vectors as a matrix; None where one of them is none of unit length."""
    if any(type(row) is not bytes or len(row) != 2 * dim for row in rows):
        return None
    matrix = np.frombuffer(b"".join(rows), np.float16).reshape(-1, dim).astype(np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    if not np.all(np.abs(norms - 1) < 0.01):  # false for what is no number, too
        return None
    matrix /= norms[:, None]
    return matrix
