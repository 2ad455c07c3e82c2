"""Examining many files at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..domain.checks import examine
from ..domain.entry import entry_of
from ..domain.episode import Document
from ..domain.finding import Finding
from ..domain.policy import Policy, policy_of
from ..storage.parallel import chunks, mapped
from ..storage.store import Store

Examined = tuple[str, tuple[Finding, ...]]
Job = tuple[str, list[str], tuple[str, int]]
"""A shelf's folder, some paths in it, and the text and number that its policy is made of."""


def examined(store: Store, paths: list[str]) -> Iterator[Examined]:
    """The findings of each file, in the order of the paths."""
    jobs = [(str(store.root), list(some), store.patterns) for some in chunks(paths)]
    done = 0
    for found in mapped(_chunk, jobs, store.workers):
        yield from found
        done += len(found)
        store.report(done, len(paths))


def _chunk(job: Job) -> list[Examined]:
    root, paths, (patterns, digest_words) = job
    store, policy = Store(Path(root)), policy_of(patterns, digest_words)
    return [(path, _examined(path, store.listed(path), policy)) for path in paths]


def _examined(path: str, text: str, policy: Policy) -> tuple[Finding, ...]:
    document = Document.of(text)
    return examine(document, entry_of(path, text, front=document.front), policy)
