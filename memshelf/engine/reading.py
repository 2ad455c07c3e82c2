"""The files of a shelf as they are searched, read on as many processors as the surface allows."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..domain.entry import Entry, entry_of
from ..domain.episode import Document
from ..domain.errors import ShelfError
from ..domain.finding import Finding
from ..storage import files
from ..storage.look import Look
from ..storage.parallel import chunks, mapped
from ..storage.source import unreadable
from ..storage.store import Store
from ..storage.survey import Row, Survey, blob_id, not_a_file
from .fields import Searched, doc_of, searched
from .scan import Held, Pair
from .sieve import Fields, Sieve


class _Job(NamedTuple):
    root: str
    rows: Sequence[Row]
    sieve: Sieve = Sieve.of(())
    start: str = ""


def read(store: Store, rows: Sequence[Row]) -> Iterator[Searched]:
    """Some files as they are searched; those that cannot be read any more are left out."""
    jobs = [_Job(str(store.root), part) for part in chunks(rows)]
    for found in mapped(_read_some, jobs, store.workers):
        yield from found


class Texts:
    """The files of a shelf as a question is answered from them; see `scan.Files`.

    A survey says which these are, where there was one, else a look.
    """

    def __init__(
        self, store: Store, survey: Survey | None = None, seen: Look | None = None
    ) -> None:
        self._store, self._seen = store, seen
        self.rows = {row.path: row for row in survey.rows} if survey else None
        self._fields: dict[str, Fields | None] = {}
        self._unreadable = dict.fromkeys(survey.problems if survey else ())

    @property
    def count(self) -> int:
        """How many files there are."""
        return len(self._rows())

    def held(self, sieve: Sieve, every: int = 1) -> list[Held]:
        """All files, or each so-manieth, with what they hold of some tokens."""
        rows = list(self._rows().values())[::every]
        jobs = [_Job(str(self._store.root), part, sieve) for part in chunks(rows)]
        held: list[Held] = []
        for found, wrong in mapped(_sift_some, jobs, self._store.workers):
            self._unreadable |= dict.fromkeys(wrong)
            held += found
        return held

    def _rows(self) -> dict[str, Row]:
        """The files; where they were not surveyed, all that lie there."""
        if self.rows is None:
            now = self._seen or self._store.look()
            plain = {path: stat.S_ISREG(mark[-1]) for path, mark in now.found}
            self.rows = {path: Row(path, "") for path, is_file in plain.items() if is_file}
            links = (not_a_file(path) for path, is_file in plain.items() if not is_file)
            self._unreadable |= dict.fromkeys((*now.problems, *links))
        return self.rows

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What could not be read, once the files were."""
        return tuple(sorted(self._unreadable))

    def whole(self, paths: Sequence[str]) -> Iterator[Searched]:
        """Some files with all their tokens."""
        return read(self._store, [self._rows()[path] for path in paths])

    def near(self, paths: Sequence[str], pair: Pair) -> Iterator[tuple[str, bool | None]]:
        """Whether two groups stand near each other in some files; None where only `whole` tells."""
        for path in paths:
            if fields := self._looked_at(path):
                yield path, fields.near(*pair)

    def _looked_at(self, path: str) -> Fields | None:
        """The fields of a file that is asked for several pairs; None where it cannot be read."""
        if path not in self._fields:
            one = _document(str(self._store.root), self._rows()[path])
            read = Fields.of(one.document, one.entry) if isinstance(one, _Read) else None
            self._fields[path] = read
        return self._fields[path]

    def beginning(self, start: str) -> set[str]:
        """The tokens of all files that begin so."""
        rows = list(self._rows().values())
        jobs = [_Job(str(self._store.root), part, start=start) for part in chunks(rows)]
        return set().union(*mapped(_tokens_of_some, jobs, self._store.workers))


def _read_some(job: _Job) -> list[Searched]:
    found = (_document(job.root, row) for row in job.rows)
    return [
        searched(one.row.blob, one.document, one.entry) for one in found if isinstance(one, _Read)
    ]


def _sift_some(job: _Job) -> tuple[list[Held], list[Finding]]:
    found = [_document(job.root, row) for row in job.rows]
    held = [_sifted(job.sieve, one) for one in found if isinstance(one, _Read)]
    return held, [one for one in found if isinstance(one, Finding)]


def _sifted(sieve: Sieve, one: _Read) -> Held:
    counts = sieve.counts(one.document, one.entry)
    return Held(doc_of(one.row.blob, one.document, one.entry), counts)


def _tokens_of_some(job: _Job) -> set[str]:
    found: set[str] = set()
    for one in _read_some(job):
        for text in one.fields:
            found.update(word for word in text.split(" ") if word.startswith(job.start))
    return found


class _Read(NamedTuple):
    row: Row
    document: Document
    entry: Entry


def _document(root: str, row: Row) -> _Read | Finding:
    """A file that was read, or what is wrong with it."""
    try:
        data = files.read_bytes(f"{root}/{row.path}", row.path, files.SIZE_LIMIT)
        text = files.decoded(data, row.path)
    except ShelfError as trouble:
        return unreadable(row.path, trouble)
    document = Document.of(text)
    row = row if row.blob else Row(row.path, blob_id(data))
    return _Read(row, document, entry_of(row.path, text, front=document.front))
