"""All vectors of a shelf in one matrix in memory, which follows its file."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .vectors_file import VectorFile

Found = tuple[str, str, int, int, float]
Rows = NDArray[np.int64]

_BLOCK = 8192
"""Rows of the matrix that are read and stored together, so that no copy of all is ever made."""


class _File(NamedTuple):
    """One file: its path, section, start and end of its pieces, and their rows in the matrix."""

    path: str
    pieces: list[tuple[str, int, int]]
    rows: Rows


class Loaded:
    """What was read of a file of vectors; `made` is the connection that it was read from."""

    def __init__(self, file: VectorFile, model: str, dim: int) -> None:
        self.made = file.made
        self._file, self._model, self._dim = file, model, dim
        self._seen: object = None
        self._blocks: list[NDArray[np.float32]] = []
        self._rows: dict[str, int] = {}
        self._last_vector, self._count = 0, 0
        self._files: dict[int, _File] = {}
        self._last_file = 0
        self._flatten()

    def follow(self) -> None:
        """Read what is new: rows of the file are added and removed, and never changed."""
        now = self._file.state
        if now == self._seen:
            return
        places = self._new_places()  # before the vectors, of which none of theirs is missing then
        there = {id_ for (id_,) in self._file.rows("SELECT id FROM files")}
        if not self._read_vectors():
            self._file.delete()  # damaged: all is embedded anew
            return
        self._files = {id_: file for id_, file in self._files.items() if id_ in there}
        self._files |= dict(self._placed(places))
        self._flatten()
        self._seen = now

    def _new_places(self) -> list[tuple[int, str, str, int, int, str]]:
        query = (
            "SELECT id, path, section, start, end, key FROM files JOIN places ON file = id"
            " WHERE id > ? AND model = ? ORDER BY id, start"
        )
        return self._file.rows(query, self._last_file, self._model)

    def _placed(
        self, places: list[tuple[int, str, str, int, int, str]]
    ) -> Iterator[tuple[int, _File]]:
        for (id_, path), found in groupby(places, itemgetter(0, 1)):
            here = [place for place in found if place[5] in self._rows]
            rows = np.array([self._rows[place[5]] for place in here], np.int64)
            self._last_file = max(self._last_file, id_)
            yield id_, _File(path, [place[2:5] for place in here], rows)

    def _read_vectors(self) -> bool:
        """Read the vectors that are new; False where one of them is none of unit length."""
        query = (
            "SELECT id, key, vector FROM vectors WHERE id > ? AND model = ?"
            f" ORDER BY id LIMIT {_BLOCK}"
        )
        while found := self._file.rows(query, self._last_vector, self._model):
            block = _matrix([row[2] for row in found], self._dim)
            if block is None:
                return False
            self._rows |= {row[1]: self._count + place for place, row in enumerate(found)}
            self._last_vector, self._count = found[-1][0], self._count + len(found)
            self._append(block)
        return True

    def _append(self, block: NDArray[np.float32]) -> None:
        if self._blocks and len(self._blocks[-1]) + len(block) <= _BLOCK:
            self._blocks[-1] = np.concatenate([self._blocks[-1], block])
        else:
            self._blocks.append(block)

    def _flatten(self) -> None:
        """All places in a row, in order of paths."""
        files = sorted(self._files.values(), key=lambda file: file.path)
        self._paths = [file.path for file in files]
        self._pieces = list(chain.from_iterable(file.pieces for file in files))
        lengths = np.array([len(file.rows) for file in files], np.int64)
        self._of = np.repeat(np.arange(len(files)), lengths)
        self._at = np.concatenate([np.empty(0, np.int64), *(file.rows for file in files)])

    def nearest(
        self, query: NDArray[np.float32], k: int, allowed: Collection[str] | None
    ) -> list[Found]:
        """Path, section, start, end and cosine of the nearest piece of each of `k` files."""
        if not self._pieces or k < 1:
            return []
        scores = np.concatenate([block @ query for block in self._blocks])[self._at]
        if allowed is not None:
            wanted = np.fromiter((path in allowed for path in self._paths), bool, len(self._paths))
            scores[~wanted[self._of]] = -np.inf
        best: dict[int, Found] = {}
        for place in self._ordered(scores, k):
            file = int(self._of[place])
            if scores[place] == -np.inf or len(best) == k:
                break
            if file not in best:
                best[file] = (self._paths[file], *self._pieces[place], float(scores[place]))
        return list(best.values())

    def _ordered(self, scores: NDArray[np.float32], k: int) -> Iterator[int]:
        """Places by their scores, the highest first; of equal ones the first in order of paths.

        The first few are sorted apart from the rest, which is seldom needed.
        """
        some = min(64 * k, len(scores))
        limit = np.partition(scores, len(scores) - some)[len(scores) - some]
        for part in (scores >= limit, scores < limit):
            places = np.flatnonzero(part)
            yield from places[np.argsort(-scores[places], kind="stable")].tolist()


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
