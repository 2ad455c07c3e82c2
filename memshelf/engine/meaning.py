"""Meaning: what on a shelf says the same as a question in other words.

Vectors follow the shelf: what was embedded stays as long as its text does, wherever it moves. A
search embeds a few new sections by itself, and of more it says how many are not there yet; `build`
embeds all that are missing. No trouble with a model makes a search fail.
"""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache as cached
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ..domain.episode import Document, known_fields
from ..domain.errors import ShelfError, ShelfUnusable
from ..domain.text import plural
from ..storage import database
from ..storage.parallel import mapped
from ..storage.places import cache_dir
from ..storage.store import Store
from ..storage.survey import Row, blob_id
from .chunks import Chunk, chunks
from .embed import Encoder, Missing, find
from .vectors import Near, Placed, Vectors
from .vectors_file import NAME, VectorFile, size

if TYPE_CHECKING:
    from .embed import Matrix

Progress = Callable[[int, int], None]

FEW = 40
"""So many chunks a search embeds by itself, which takes it half a second."""
PATIENCE = 1.0
"""Seconds after which it stops all the same, where the encoder is slow."""
_BATCH = 16
_FILES = 16
"""Files that are embedded and kept together: what a process that is killed loses."""
_OPEN = 4
"""Shelves whose vectors one process keeps at hand."""

BUILD = "memshelf semantic build"


class Built(NamedTuple):
    """What was embedded; `why` says why nothing was, `kept` is False where memory holds it alone."""

    model: str = ""
    episodes: int = 0
    embedded: int = 0
    chunks: int = 0
    kept: bool = True
    why: str = ""


class Status(NamedTuple):
    """How far the vectors of a shelf are; `missing` counts episodes, `bytes` are on disk."""

    model: str
    dim: int
    chunks: int
    episodes: int
    missing: int
    bytes: int
    why: str


class Meaning:
    """What one asks about the meaning of a shelf's episodes, at one moment.

    `why` says, in a sentence with its fix, why there is none; it is "" where there is. `note` says
    what is not embedded yet.
    """

    def __init__(self, shelf: _Shelf | None, rows: Sequence[Row], why: str) -> None:
        self._shelf, self._rows, self.why = shelf, rows, why
        self._missing = {row.path for row in shelf.missing(rows)} if shelf else set()

    @classmethod
    def of(cls, store: Store, encoder: str = "", rows: Sequence[Row] | None = None) -> Meaning:
        """The meaning of a shelf, a few new chunks embedded first; `rows` where it was surveyed."""
        found = _shelf(store, encoder)
        if isinstance(found, Missing):
            return cls(None, (), str(found))
        rows = store.survey().rows if rows is None else rows
        found.forget_gone(rows)
        why = found.embed_few(store, rows)
        return cls(found, rows, why)

    @property
    def note(self) -> str:
        """How many episodes are not embedded as they are now; "" where all are."""
        if not self._missing or self.why:
            return ""
        count = f"{len(self._missing):,} of {plural(len(self._rows), 'episode')}"
        are = "is" if len(self._missing) == 1 else "are"
        return f"{count} {are} not embedded yet: run {BUILD}"

    def nearest(self, query: str, k: int, allowed: Collection[str] | None = None) -> list[Near]:
        """The `k` files nearest to a question, among the `allowed` paths where some are named.

        Of what is embedded as it is now. Nothing for a question without words, and nothing where
        `why` says why.
        """
        if self._shelf is None or self.why or not any(map(str.isalnum, query)):
            return []
        try:
            return self._shelf.nearest(query, k, self._current(allowed))
        except Exception as trouble:  # whatever an encoder raises: words are found without it
            self.why = _broken(self._shelf.encoder, trouble)
            return []

    def _current(self, allowed: Collection[str] | None) -> Collection[str] | None:
        """The allowed paths without those whose offsets would be of an earlier text."""
        if not self._missing:
            return allowed
        wanted = {row.path for row in self._rows} if allowed is None else set(allowed)
        return wanted - self._missing


class _Shelf:
    """The encoder and the vectors of one shelf, for as long as the process lives."""

    def __init__(self, file: VectorFile, encoder: Encoder) -> None:
        self.file, self.encoder = file, encoder
        self.vectors = Vectors(file, encoder.name)
        self.lock = threading.RLock()

    def missing(self, rows: Sequence[Row]) -> list[Row]:
        """The files that are not embedded as they are now."""
        return [Row(*one) for one in self.vectors.missing(rows)]

    def forget_gone(self, rows: Sequence[Row]) -> None:
        """Forget the files that are not among the rows."""
        with self.lock:
            self.vectors.drop(self.vectors.files().keys() - {row.path for row in rows})

    def nearest(self, query: str, k: int, allowed: Collection[str] | None) -> list[Near]:
        """The files nearest to a question."""
        with self.lock:
            return self.vectors.nearest(self.encoder.encode([query])[0], k, allowed)

    def embed_few(self, store: Store, rows: Sequence[Row]) -> str:
        """Embed what is missing if it is little; "" or why the encoder does not work."""
        with self.lock:
            missing = self.missing(rows)
            if not missing or len(missing) > FEW:
                return ""
            placed = list(_read(store, missing))
            if len(self.unknown(placed)) <= FEW:
                try:
                    self.embed(placed, time.monotonic() + PATIENCE)
                except TimeoutError:
                    pass  # what is missing is said in `Meaning.note`
                except Exception as trouble:  # see Meaning.nearest
                    return _broken(self.encoder, trouble)
            return ""

    def unknown(self, placed: Sequence[Placed]) -> dict[str, str]:
        """Key to text of the chunks that have no vector yet."""
        texts = {chunk.key: chunk.embedded for one in placed for chunk in one.chunks}
        known = self.vectors.known(texts)
        return {key: text for key, text in texts.items() if key not in known}

    def embed(self, placed: Sequence[Placed], until: float = float("inf")) -> int:
        """Embed the new chunks of some files and keep them; how many. TimeoutError when late."""
        import numpy as np

        new = self.unknown(placed)
        texts = list(new.values())
        made: list[Matrix] = []
        for at in range(0, len(texts), _BATCH):
            if time.monotonic() > until:
                raise TimeoutError
            made.append(_checked(self.encoder, texts[at : at + _BATCH]))
        none = np.empty((0, self.encoder.dim), np.float32)
        self.vectors.add(placed, list(new), np.concatenate([none, *made]))
        return len(new)


def named(store: Store) -> str:
    """The encoder that the shelf's settings name, "" for the default. Raises ShelfUnusable."""
    table = store.config.raw.get("search", {})
    name = table.get("encoder", "") if isinstance(table, dict) else None
    if not isinstance(name, str):
        said = "memshelf.toml has search.encoder that is no text."
        raise ShelfUnusable(said, 'Write: encoder = "name", or leave it out.')
    return name


def build(store: Store, progress: Progress, encoder: str = "") -> Built:
    """Embed all that is missing; what is kept by then stays where the process is killed.

    Raises ShelfError where the encoder fails. Processes that build at once share the work: each
    takes the files in an order of its own, and looks first whether another has done them.
    """
    shelf = _shelf(store, encoder)
    if isinstance(shelf, Missing):
        return Built(why=str(shelf))
    rows = store.survey().rows
    shelf.forget_gone(rows)
    missing = shelf.missing(rows)
    random.Random(os.getpid()).shuffle(missing)
    jobs = [
        (store.root, encoder, missing[at : at + _FILES]) for at in range(0, len(missing), _FILES)
    ]
    if shelf.file.kept:
        close(store)  # an open database must not get into the processes that are started now
    workers = store.workers if shelf.file.kept else 1  # memory is no place that they share
    embedded = 0
    for place, count in enumerate(mapped(_embed_some, jobs, workers), 1):
        embedded += count
        progress(min(place * _FILES, len(missing)), len(missing))
    return _finished(store, encoder, len(rows), embedded)


def _finished(store: Store, encoder: str, episodes: int, embedded: int) -> Built:
    shelf = _shelf(store, encoder)
    if isinstance(shelf, Missing):
        return Built(why=str(shelf))
    with shelf.lock:
        shelf.vectors.tidy()
        count, kept = shelf.vectors.count(), shelf.file.kept
        return Built(shelf.encoder.name, episodes, embedded, count, kept)


def _embed_some(job: tuple[Path, str, Sequence[Row]]) -> int:
    """Embed what is still missing of some files, in whatever process this is; how many chunks."""
    root, encoder, rows = job
    store = Store(root)
    shelf = _shelf(store, encoder)
    if isinstance(shelf, Missing):
        raise ShelfError(str(shelf), code="no-encoder")
    with shelf.lock:
        placed = list(_read(store, shelf.missing(rows)))
        try:
            return shelf.embed(placed)
        except Exception as trouble:
            said = _broken(shelf.encoder, trouble)
            raise ShelfError(said, "Search by words goes on without it.", "encoder") from trouble


def status(store: Store, encoder: str = "") -> Status:
    """How far the vectors of a shelf are, and why there are none."""
    rows = store.survey().rows
    shelf = _shelf(store, encoder)
    if isinstance(shelf, Missing):
        on_disk = size(cache_dir(store.root) / NAME)
        return Status("", 0, 0, len(rows), len(rows), on_disk, str(shelf))
    with shelf.lock:
        count, missing = shelf.vectors.count(), len(shelf.missing(rows))
        made = shelf.encoder
        return Status(made.name, made.dim, count, len(rows), missing, shelf.file.bytes, "")


def close(store: Store) -> None:
    """Let go of the file of a shelf's vectors; it is opened again when it is needed."""
    folder = str(cache_dir(store.root))
    with _lock:
        for key in [key for key in _shelves if key[0] == folder]:
            shelf = _shelves.pop(key)
            with shelf.lock:
                shelf.file.close()


def drop(store: Store) -> int:
    """Delete the vectors of a shelf; how many bytes they took on disk."""
    file = cache_dir(store.root) / NAME
    with _lock:
        before = size(file)
        close(store)
        database.removed(file)
        if file.exists():  # another process holds it open, on Windows: it is emptied
            VectorFile(file.parent).delete()
        return before


# --- what a process keeps -------------------------------------------------------------------------

_lock = threading.RLock()
_shelves: dict[tuple[str, str], _Shelf] = {}
"""By cache folder and name of the encoder, the last used last."""
_encoders: dict[str, Encoder] = {}
"""By name: a model takes a second to load."""


def _shelf(store: Store, encoder: str) -> _Shelf | Missing:
    folder = cache_dir(store.root)
    with _lock:
        kept = _shelves.pop((str(folder), encoder), None)
        if kept and kept.file.replaced:
            kept.file.close()
            kept = None
        file = cached(lambda: kept.file if kept else VectorFile(folder))
        found = find(encoder, file)  # which opens no file where there is no encoder
        if isinstance(found, Missing):
            if kept or file.cache_info().currsize:
                file().close()
            return found
        found = _encoders.setdefault(found.name, found)
        if kept is None or kept.encoder is not found:
            kept = _Shelf(file(), found)
        _shelves[str(folder), encoder] = kept
        while len(_shelves) > _OPEN:
            _shelves.pop(next(iter(_shelves))).file.close()
        return kept


def _read(store: Store, rows: Sequence[Row]) -> Iterator[Placed]:
    """The chunks of files as they are now; those that are gone by now are left out."""
    for row in rows:
        with contextlib.suppress(ShelfError):
            text = store.listed(row.path)
            made = _chunked(text, PurePosixPath(row.path).stem)
            yield Placed(row.path, blob_id(text.encode("utf-8")), made)


def _chunked(text: str, stem: str) -> tuple[Chunk, ...]:
    document = Document.of(text)
    known = known_fields(document.front, stem)
    return chunks(document, known.get("display_title") or document.front.heading or known["id"])


def _checked(encoder: Encoder, texts: Sequence[str]) -> Matrix:
    """What an encoder makes of texts; ValueError where these are no such vectors as it promises."""
    import numpy as np

    made = np.asarray(encoder.encode(texts), np.float32)
    if made.shape != (len(texts), encoder.dim):
        raise ValueError(f"it gave an array of shape {made.shape}")
    if not np.all(np.abs(np.linalg.norm(made, axis=1) - 1) < 0.001):
        raise ValueError("its vectors are not of unit length")
    return made


def _broken(encoder: Encoder, trouble: Exception) -> str:
    return f"The encoder {encoder.name} does not work ({type(trouble).__name__}: {trouble})."
