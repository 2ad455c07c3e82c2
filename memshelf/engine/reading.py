"""The files of a shelf as they are searched, read on as many processors as the surface allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..domain.entry import entry_of
from ..domain.episode import Document
from ..domain.errors import ShelfError
from ..storage import files
from ..storage.parallel import chunks, mapped
from ..storage.store import Store
from ..storage.survey import Row
from .fields import Searched, searched
from .scan import Held, Read, held


class _Job(NamedTuple):
    root: str
    rows: Sequence[Row]
    tokens: frozenset[str] = frozenset()
    starts: str = ""


def read(store: Store, rows: Sequence[Row]) -> Iterator[Searched]:
    """Some files as they are searched; those that cannot be read any more are left out."""
    jobs = [_Job(str(store.root), part) for part in chunks(rows)]
    done = 0
    for part, found in zip(jobs, mapped(_read_some, jobs, store.workers), strict=True):
        yield from found
        done += len(part.rows)
        store.report(done, len(rows))


def scanning(store: Store, rows: Sequence[Row]) -> Read:
    """What reads these files for the tokens of a question."""

    def scan(tokens: frozenset[str], starts: str) -> Iterator[Held]:
        jobs = [_Job(str(store.root), part, tokens, starts) for part in chunks(rows)]
        for found in mapped(_scan_some, jobs, store.workers):
            yield from found

    return scan


def _read_some(job: _Job) -> list[Searched]:
    return [one for row in job.rows for one in _read_one(job.root, row)]


def _scan_some(job: _Job) -> list[Held]:
    return [held(one, job.tokens, job.starts) for one in _read_some(job)]


def _read_one(root: str, row: Row) -> Iterator[Searched]:
    try:
        data = files.read_bytes(str(Path(root, row.path)), row.path, files.SIZE_LIMIT)
        text = files.decoded(data, row.path)
    except ShelfError:
        return
    document = Document.of(text)
    yield searched(row.path, row.blob, document, entry_of(row.path, text, front=document.front))
