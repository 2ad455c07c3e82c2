"""What is wrong with each file, as far as it can be told from that file alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from ..domain.checks import examine
from ..domain.entry import Entry, entry_of
from ..domain.episode import Document, reversals
from ..domain.finding import Finding
from ..domain.policy import Policy, policy_of
from ..storage.parallel import chunks, mapped
from ..storage.store import Store
from ..storage.survey import Also

Found = tuple[Finding, ...]


class Looked(NamedTuple):
    """What is wrong with a file, and the decisions of which it says that they were reversed."""

    found: Found
    reversed: tuple[str, ...]


Job = tuple[str, list[str], tuple[str, int]]
"""A shelf's folder, some paths in it, and the text and number that its policy is made of."""

_policy = lru_cache(maxsize=1)(policy_of)


def while_reading(store: Store) -> Also:
    """What a survey makes of each file that it has to read: what `Looked` holds."""
    return partial(_look, store.patterns)


def _look(patterns: tuple[str, int], document: Document, entry: Entry) -> Looked:
    return Looked(_examine(patterns, document, entry), reversals(document.front))


def _examine(patterns: tuple[str, int], document: Document, entry: Entry) -> Found:
    policy: Policy = _policy(*patterns)
    return examine(document, entry, policy)


def examined(store: Store, paths: list[str]) -> Iterator[tuple[str, Found]]:
    """The findings of each file, in the order of the paths."""
    jobs = [(str(store.root), list(some), store.patterns) for some in chunks(paths)]
    done = 0
    for found in mapped(_chunk, jobs, store.workers):
        yield from found
        done += len(found)
        store.report(done, len(paths))


def _chunk(job: Job) -> list[tuple[str, Found]]:
    root, paths, patterns = job
    store = Store(Path(root))
    return [(path, _of_file(path, store.listed(path), patterns)) for path in paths]


def _of_file(path: str, text: str, patterns: tuple[str, int]) -> Found:
    document = Document.of(text)
    return _examine(patterns, document, entry_of(path, text, front=document.front))
