"""The index follows the shelf: what changed is taken in before a question is answered.

A few files are taken in at once. Where many are missing the question is answered from the texts,
and another process makes the index meanwhile, so that nobody waits for it.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..domain.finding import unread
from ..storage import files, look
from ..storage.lock import LockBusy, writing
from ..storage.look import Look
from ..storage.places import cache_dir
from ..storage.store import Store
from ..storage.survey import Row, Survey
from . import background
from .index import Index, Note
from .postings import Postings
from .query import Query

if TYPE_CHECKING:  # an index that is up to date needs none of what reads files
    from .fields import Searched
    from .reading import Texts

T = TypeVar("T")
FEW = 200
"""So many changed files are taken in while somebody waits: a quarter of a second."""
_BATCH = 1_000
_LOCK = "search.lock"
_ENGINES = 8


class Engine:
    """The index of one shelf as this process has it open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        self.index = Index(folder)
        self.looked, self.placed = float("-inf"), 0
        self.before: tuple[Look, int] | None = None
        """The look that the index agrees with, and its version then."""
        self.asked = 0
        self.kept: dict[str, tuple[str, Any]] = {}

    def renew(self) -> None:
        """Throw a damaged index away and begin a new one."""
        self.index.discard()
        self.index = Index(self.folder)
        self.looked, self.before = float("-inf"), None

    # --- before a question -----------------------------------------------------------------------

    def current(self, store: Store) -> Texts | None:
        """None where the index describes the shelf as it is now, having taken in what changed; else
        the files that a question has to be answered from."""
        self.asked += 1
        if time.monotonic() - self.looked < store.fresh_for and self.placed == files.placed:
            return None
        began, seen = time.monotonic(), store.look()
        mark = look.digest(seen) if seen.settled else ""
        if (not mark or self.index.state("seen") != mark) and not self._amended(store, seen, mark):
            survey = None if self._begins_with(len(seen.found)) else store.survey()
            if survey is None or not self._follow(store, survey, mark):
                self.kept.clear()  # the index knows nothing of what changed, and does not say so
                return _texts(store, survey, seen)
        self.looked, self.placed = began, files.placed
        clean = not seen.problems and not self.index.state("problems")
        self.before = (seen._replace(found=[], marks=b""), self.index.version) if clean else None
        return None

    def _amended(self, store: Store, seen: Look, mark: str) -> bool:
        """Take in what has changed since the look before, where that is little, all of it can be
        read, and no other process has written; False where all files have to be compared."""
        before, version = self.before or (None, 0)
        found = look.since(before, seen) if before and not seen.problems else None
        if found is None or len(found.changed) > FEW:
            return False
        read = list(_reader(store)([Row(path, "") for path in found.changed]))
        if len(read) < len(found.changed):
            return False
        amended = self.index.amend(read, found.gone, Note(mark), version)
        return amended and not self.index.crowded

    @property
    def _lasts(self) -> bool:
        """True in a process that is asked again, and has nothing to keep an index but itself."""
        return not self.index.kept and self.asked > 1

    def _begins_with(self, count: int) -> bool:
        """True where the index is empty, and so many files are too many to wait for."""
        return count > FEW and not self._lasts and not self.index.state("rows")

    def _follow(self, store: Store, survey: Survey, seen: str) -> bool:
        """Take in what changed, where that is little or nobody else can; False where it is not."""
        changes = self.index.lacks(survey.rows)
        if len(changes.added) > FEW and not self._lasts:
            return False
        note = _note(survey, seen)
        if changes or note != self.index.note:
            self.index.follow(survey.rows, _reader(store), note)
        if self.index.crowded:
            self._tidy(store, survey, note)
        return True

    def _tidy(self, store: Store, survey: Survey, note: Note) -> None:
        """Make an index anew that holds many dead rows: at once where it is small."""
        if len(survey.rows) > FEW and self.index.kept:
            background.index(store.root)
            return
        self.renew()
        self.index.follow(survey.rows, _reader(store), note)

    # --- all of it -------------------------------------------------------------------------------

    def build(self, store: Store, anew: bool = False) -> int:
        """Bring the index up to date, or make it anew; how many files were read.

        Raises LockBusy where another process is at it.
        """
        with writing(self.folder / _LOCK, 0):
            now = store.look()
            mark = look.digest(now) if now.settled else ""
            survey = store.survey()
            if anew or self.index.crowded:
                self.renew()
            added = self.index.lacks(survey.rows).added
            for at in range(0, len(added), _BATCH):
                self.index.follow(added[at : at + _BATCH], _reader(store))
                store.report(min(at + _BATCH, len(added)), len(added))
            note = _note(survey, mark)
            late = self.index.follow(survey.rows, _reader(store), note)
            self.index.settle()
            self.index.refresh()
            return len(added) + late


def _note(survey: Survey, seen: str) -> Note:
    return Note(seen, "\n".join(unread(survey.problems)))


_OPEN: dict[Path, Engine] = {}
_OPENING = threading.Lock()


def engine(store: Store) -> Engine:
    """The engine of a shelf; this process keeps the latest ones open."""
    folder = cache_dir(store.root)
    with _OPENING:
        found = _OPEN.pop(folder, None)
        if found and found.index.gone:
            found.index.close()
            found = None
        found = found or Engine(folder)
        _OPEN[folder] = found
        while len(_OPEN) > _ENGINES:
            _OPEN.pop(next(iter(_OPEN))).index.close()
        return found


def while_unchanged(store: Store, name: str, make: Callable[[], T]) -> T:
    """What `make` makes of a shelf's episodes; this process keeps it as long as none has changed
    since the index looked at them."""
    this = engine(store)
    with this.lock:
        seen = this.index.state("seen")
        mark, value = this.kept.get(name, ("", None))
        if not seen or mark != seen:
            value = make()
            this.kept[name] = seen, value
        made: T = value
        return made


def close(store: Store) -> None:
    """Let go of the index of a shelf."""
    found = _OPEN.pop(cache_dir(store.root), None)
    if found:
        found.index.close()


class Source(NamedTuple):
    """What a question is answered from, which files could not be read, and a note where that is
    slower than usual."""

    postings: Postings
    problems: Callable[[], Sequence[str]]
    note: str = ""


@contextlib.contextmanager
def source(store: Store, query: Query) -> Iterator[Source]:
    """What a question is answered from: the index where it is up to date, else the texts."""
    this = engine(store)
    with this.lock:
        try:
            found = this.current(store)
            note = "" if this.index.kept else _NOT_KEPT.format(this.folder)
        except sqlite3.OperationalError:  # held by another, or the disk is full
            found, note = _texts(store), ""
        if found is None:
            with this.index.at_rest():
                problems = this.index.state("problems").split("\n")
                yield Source(this.index, lambda: tuple(filter(None, problems)), note)
            return
    if this.index.kept and background.wanted():
        note = _BUILDING
        if not _busy(this.folder):
            background.index(store.root)
    yield _from_texts(found, query, note)


def texts(store: Store, query: Query) -> Source:
    """The texts themselves, whatever the index says."""
    return _from_texts(_texts(store), query)


def _texts(store: Store, survey: Survey | None = None, seen: Look | None = None) -> Texts:
    from .reading import Texts

    return Texts(store, survey, seen)


def _reader(store: Store) -> Callable[[Sequence[Row]], Iterator[Searched]]:
    from .reading import read

    return partial(read, store)


def _from_texts(found: Texts, query: Query, note: str = "") -> Source:
    from .scan import Scan

    return Source(Scan(found, query.tokens, query.groups), lambda: unread(found.problems), note)


def _busy(folder: Path) -> bool:
    """Whether another process is making the index."""
    try:
        with writing(folder / _LOCK, 0):
            return False
    except LockBusy:
        return True


_NOT_KEPT = "No index can be kept in {}: the texts themselves are searched."
_BUILDING = "The index is being made meanwhile; until then the texts themselves are searched."
