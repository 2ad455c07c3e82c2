"""What of an episode is searched: its texts by the field that they stand in, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.episode import Document
from .languages import language_of
from .tokens import stream

FIELDS = ("title", "tags", "digest", "decisions", "body")
_SAMPLE = 1_500
WEIGHTS = (5.0, 3.0, 2.0, 1.6, 1.0)
"""What a word counts in each field; tuned on one half of the questions of tests/evaluation."""


class Doc(NamedTuple):
    """What the engine knows of one file without reading it; `length` is its characters."""

    path: str
    blob: str
    id: str
    kind: str
    date: str
    author: str
    project: str
    tags: tuple[str, ...]
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]
    length: int

    @property
    def archived(self) -> bool:
        """True for episodes behind a rollup."""
        return self.path.startswith("archive/")


class Catalogue(NamedTuple):
    """All files of a shelf, of which few are ever looked at.

    `lengths` are characters by number, the newest file first and by path where a day has several.
    `no` gives the number of a path. `past` are the files that were replaced or archived, `replaced`
    ids, each with the ids that replace it.
    """

    lengths: Mapping[int, int]
    doc: Callable[[int], Doc]
    no: Callable[[str], int | None]
    past: AbstractSet[int]
    replaced: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, docs: Mapping[int, Doc]) -> Catalogue:
        """The catalogue of files that are all at hand."""
        order = sorted(docs, key=lambda no: docs[no].path)
        order.sort(key=lambda no: docs[no].date, reverse=True)
        replaced = replacing(docs.values())
        past = {no for no in order if docs[no].archived or docs[no].id in replaced}
        paths = {docs[no].path: no for no in order}
        lengths = {no: docs[no].length for no in order}
        return cls(lengths, docs.__getitem__, paths.get, past, replaced)

    @property
    def mean(self) -> float:
        """The usual length of a file, in characters."""
        return max(sum(self.lengths.values()) / max(len(self.lengths), 1), 1.0)


def replacing(docs: Iterable[Doc]) -> dict[str, tuple[str, ...]]:
    """Ids that another file replaces, each with the ids that do; see `Shelf.superseded`."""
    docs = list(docs)
    pairs = [(old, doc.id) for doc in docs for old in doc.supersedes if "/" not in old]
    pairs += [(doc.id, new) for doc in docs for new in doc.superseded_by]
    out: dict[str, tuple[str, ...]] = {}
    for old, new in sorted(set(pairs)):
        if old != new:
            out[old] = (*out.get(old, ()), new)
    return out


class Searched(NamedTuple):
    """A file as it is searched: what is known of it, and the tokens of each field as a text."""

    doc: Doc
    fields: tuple[str, ...]


def searched(blob: str, document: Document, entry: Entry) -> Searched:
    """What of a file is searched."""
    language = spoken(document)
    made = tuple(stream(text, language) for text in texts(document, entry))
    return Searched(doc_of(blob, document, entry), made)


def doc_of(blob: str, document: Document, entry: Entry) -> Doc:
    """What is known of a file, by its content's hash."""
    project = document.front.values.get("project")
    return Doc(
        *(entry.path, blob, entry.id, entry.kind, entry.ledger_date, entry.author),
        project if isinstance(project, str) else "",
        *(entry.tags, entry.supersedes, entry.superseded_by, len(document.text)),
    )


def spoken(document: Document) -> str:
    """The language by whose rules the words of a file are stemmed."""
    declared = document.front.values.get("lang")
    begin = document.front.body
    sample = document.text[begin : begin + _SAMPLE]
    return language_of(sample, declared if isinstance(declared, str) else "")


def texts(document: Document, entry: Entry) -> tuple[str, str, str, str, str]:
    """The texts of a file by field, in the order of `FIELDS`; headings stand with the bodies."""
    digest, decisions = [entry.description], []
    body = [document.preamble]
    for section in document.sections:
        text = document.text[section.body_start : section.end]
        if section.name == "Digest":
            digest.append(text)
        elif section.name == "Decisions":
            decisions.append(text)
        else:
            body += [section.name, text]
    named = (*entry.tags, *entry.keywords, entry.id)
    parts = ([entry.heading], named, digest, decisions, body)
    title, tags, digests, decided, rest = ("\n".join(filter(None, part)) for part in parts)
    return title, tags, digests, decided, rest
