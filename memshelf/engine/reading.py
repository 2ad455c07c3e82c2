"""The files of a shelf as they are searched, read on as many processors as the surface allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..domain.entry import Entry, entry_of
from ..domain.episode import Document
from ..domain.errors import ShelfError
from ..domain.finding import Finding
from ..storage import files
from ..storage.parallel import chunks, mapped
from ..storage.store import Store
from ..storage.survey import Row
from .fields import Searched, doc_of, searched
from .scan import Held
from .sieve import Sieve


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

    Without rows the shelf is surveyed by the same reading.
    """

    def __init__(
        self,
        store: Store,
        rows: Sequence[Row] = (),
        problems: Sequence[Finding] = (),
        surveyed: bool = True,
    ) -> None:
        self._store, self._surveyed = store, surveyed
        self.rows, self.problems = {row.path: row for row in rows}, problems

    def held(self, tokens: frozenset[str]) -> Iterator[Held]:
        """All files, with what they hold of some tokens."""
        sieve = Sieve.of(tokens)
        if self._surveyed:
            yield from self._held(list(self.rows.values()), sieve)
            return
        survey = self._store.survey(partial(_sifted, sieve))
        self._surveyed, self.problems = True, survey.problems
        self.rows = {row.path: row for row in survey.rows}
        made = survey.also
        for path, one in made.items():
            yield one._replace(doc=one.doc._replace(blob=self.rows[path].blob))
        yield from self._held([row for row in survey.rows if row.path not in made], sieve)

    def _held(self, rows: Sequence[Row], sieve: Sieve) -> Iterator[Held]:
        jobs = [_Job(str(self._store.root), part, sieve) for part in chunks(rows)]
        for found in mapped(_sift_some, jobs, self._store.workers):
            yield from found

    def whole(self, paths: Sequence[str]) -> Iterator[Searched]:
        """Some files with all their tokens."""
        return read(self._store, [self.rows[path] for path in paths])

    def beginning(self, start: str) -> set[str]:
        """The tokens of all files that begin so."""
        rows = list(self.rows.values())
        jobs = [_Job(str(self._store.root), part, start=start) for part in chunks(rows)]
        return set().union(*mapped(_tokens_of_some, jobs, self._store.workers))


def _read_some(job: _Job) -> list[Searched]:
    documents = (one for row in job.rows for one in _documents(job.root, row))
    return [searched(row.blob, document, entry) for row, document, entry in documents]


def _sift_some(job: _Job) -> list[Held]:
    documents = (one for row in job.rows for one in _documents(job.root, row))
    found = ((row, _sifted(job.sieve, document, entry)) for row, document, entry in documents)
    return [one._replace(doc=one.doc._replace(blob=row.blob)) for row, one in found]


def _sifted(sieve: Sieve, document: Document, entry: Entry) -> Held:
    doc = doc_of("", document, entry)
    named = (entry.id, entry.heading, entry.description, *entry.tags, *entry.keywords)
    if not sieve.may_stand_in("\n".join((document.text, *named))):
        return Held(doc, {})
    return Held(doc, sieve.counts(document, entry))


def _tokens_of_some(job: _Job) -> set[str]:
    found: set[str] = set()
    for one in _read_some(job):
        for text in one.fields:
            found.update(word for word in text.split(" ") if word.startswith(job.start))
    return found


def _documents(root: str, row: Row) -> Iterator[tuple[Row, Document, Entry]]:
    try:
        data = files.read_bytes(str(Path(root, row.path)), row.path, files.SIZE_LIMIT)
        text = files.decoded(data, row.path)
    except ShelfError:
        return
    document = Document.of(text)
    yield row, document, entry_of(row.path, text, front=document.front)
