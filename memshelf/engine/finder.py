"""Questions to a shelf: what is asked, found, put in order and shown."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from ..domain import dates
from ..domain.episode import Document
from ..domain.errors import ShelfError, UsageError
from ..domain.text import fold
from ..storage.store import Store
from . import following
from .fields import Catalogue, Doc
from .following import Source
from .passage import Excerpt, Passage, Reader
from .query import Filters, Query, Term, parse
from .rank import Ranking, ranked
from .relax import relaxed
from .synonyms import alike, groups

WINDOW = 16
"""So many files are opened and put in order by their best section, then as many more."""
_PASSAGE, _EXACT = 0.6, 0.05
_CLOSE = 0.85
_HALF = 90
_ASK = 'Give words: memshelf search "redis cache"'
LIKELY = 0.3
"""The share of a question that the best section must hold for it to count as an answer."""


class Wanted(NamedTuple):
    """How a question is to be answered.

    `past` takes in what was replaced or archived; `recency` from 0 to 1 favours what is new.
    """

    limit: int = 10
    offset: int = 0
    past: bool = False
    recency: float = 0.0


class Hit(NamedTuple):
    """A file that answers a question: where, how well, and why."""

    doc: Doc
    passage: Passage
    excerpt: Excerpt
    score: float
    why: Mapping[str, Any]
    replaced_by: tuple[str, ...]
    document: Document

    @property
    def title(self) -> str:
        """The title of the file."""
        return self.document.front.heading or self.doc.id

    def text(self, detail: str) -> str:
        """The digest, or the section that fits best, where that is asked for."""
        part = self.passage.part
        if detail == "section":
            return self.document.text[part.start : part.end].strip()
        return self.document.body("Digest") or "" if detail == "digest" else ""


class Found(NamedTuple):
    """What a question finds: a page of hits, how many there are, and what is to be said beside.

    `unknown` are words that nobody knows, `instead` what they were read as; `hidden` counts files
    that were replaced or archived and would have been hits; `confidence` is the share of the
    question that the best hit holds.
    """

    hits: tuple[Hit, ...]
    total: int
    unknown: tuple[str, ...] = ()
    instead: Mapping[str, tuple[str, ...]] = {}
    hidden: int = 0
    confidence: float = 0.0
    note: str = ""
    problems: Sequence[str] = ()


def find(store: Store, text: str, wanted: Wanted) -> Found:
    """What a question finds on a shelf. Raises ShelfUnusable where its settings cannot be read."""
    query = parse(text, alike(groups(store.tables)))
    if not query.asks:
        raise UsageError("The question has no word to look for.", _ASK)
    for _ in range(2):
        try:
            with following.source(store, query.tokens) as source:
                return _answer(store, query, wanted, source)
        except sqlite3.OperationalError:
            break
        except sqlite3.DatabaseError:  # damaged: never trusted
            following.engine(store).renew()
    return _answer(store, query, wanted, following.texts(store, query.tokens))


def _answer(store: Store, query: Query, wanted: Wanted, source: Source) -> Found:
    postings, docs = source.postings, source.postings.docs
    read = [(term, relaxed(term, postings)) for term in query.words]
    ranking = ranked(query, [term for _, term in read], postings, _fitting(docs, query.filters))
    if wanted.recency:
        ranking = ranking._replace(points=_newer_first(ranking.points, docs, wanted.recency))
    matches = list(ranking.points)
    kept = matches if wanted.past else [no for no in matches if no not in docs.past]
    hits = tuple(_page(store, kept, wanted, ranking, docs))
    return Found(
        hits=hits,
        total=len(kept),
        unknown=tuple(_unknown(read)),
        instead=dict(_instead(read)),
        hidden=len(matches) - len(kept),
        confidence=hits[0].passage.share if hits and not wanted.offset else 0.0,
        note=source.note,
        problems=source.problems,
    )


def _newer_first(points: Mapping[int, float], docs: Catalogue, recency: float) -> dict[int, float]:
    """The points, with up to so much more of them the newer a file is: half of it less each
    `_HALF` days before the newest."""
    days = {no: day.toordinal() for no in points if (day := dates.parse(docs.doc(no).date))}
    newest = max(days.values(), default=0)
    more = {no: recency * 0.5 ** ((newest - day) / _HALF) for no, day in days.items()}
    boosted = {no: score * (1 + more.get(no, 0.0)) for no, score in points.items()}
    return dict(sorted(boosted.items(), key=lambda pair: -round(pair[1], 6)))


# --- what narrows down ---------------------------------------------------------------------------


def _fitting(docs: Catalogue, filters: Filters) -> AbstractSet[int]:
    if filters == Filters():
        return docs.lengths.keys()
    return {no for no in docs.lengths if _fits(docs.doc(no), filters)}


def _fits(doc: Doc, filters: Filters) -> bool:
    if filters.since and not doc.date >= filters.since:
        return False
    if filters.until and not "" < doc.date <= filters.until:
        return False
    return all(_is(doc, name, value) for name, value in filters.named)


def _is(doc: Doc, name: str, value: str) -> bool:
    if name == "tag":
        return value in map(fold, doc.tags)
    if name == "id":
        return fold(doc.id).startswith(value)
    given = {"kind": doc.kind, "author": doc.author, "project": doc.project}[name]
    return fold(given) == value


# --- what is shown -------------------------------------------------------------------------------


class _Read(NamedTuple):
    doc: Doc
    document: Document
    passage: Passage
    points: float
    score: float


def _page(
    store: Store, matches: Sequence[int], wanted: Wanted, ranking: Ranking, docs: Catalogue
) -> Iterator[Hit]:
    """The hits of a page: windows of matches, each put in order by what its files hold."""
    reader = Reader(ranking.asked, ranking.total)
    first = wanted.offset // WINDOW * WINDOW
    last = wanted.offset + wanted.limit
    shown: list[_Read] = []
    for at in range(first, min(last, len(matches)), WINDOW):
        window = matches[at : at + WINDOW]
        found = [
            one for no in window for one in _opened(store, docs.doc(no), ranking.points[no], reader)
        ]
        shown += fair(sorted(found, key=lambda one: -round(one.score, 6)))
    for one in shown[wanted.offset - first : last - first]:
        yield _hit(one, reader, docs.replaced.get(one.doc.id, ()))


def fair(ranked: Sequence[_Read]) -> list[_Read]:
    """The same in nearly the same order: after two of one kind comes one of another, if that is
    nearly as good, so that no kind crowds out the others."""
    left, out = list(ranked), list[_Read]()
    while left:
        last = {one.doc.kind for one in out[-2:]} if len(out) > 1 else set()
        best = left[0]
        if last == {best.doc.kind}:
            close = (one for one in left if one.score >= _CLOSE * best.score)
            best = next((one for one in close if one.doc.kind != left[0].doc.kind), best)
        left.remove(best)
        out.append(best)
    return out


def _opened(store: Store, doc: Doc, points: float, reader: Reader) -> Iterator[_Read]:
    try:
        document = Document.of(store.listed(doc.path))
    except ShelfError:  # gone since
        return
    heads = _heads(doc, document)
    passage = reader.passage(document, heads)
    score = points * (1 + _PASSAGE * passage.share + _EXACT * passage.exact)
    yield _Read(doc, document, passage, points, score)


def _heads(doc: Doc, document: Document) -> str:
    return " ".join((document.front.heading, *doc.tags, doc.id))


def _hit(one: _Read, reader: Reader, replaced_by: tuple[str, ...]) -> Hit:
    part = one.passage.part
    score = {"words": round(one.points, 3), "section": round(one.score - one.points, 3)}
    why = {"words": reader.terms(one.document, part, _heads(one.doc, one.document)), "score": score}
    excerpt = reader.excerpt(one.document, part)
    return Hit(one.doc, one.passage, excerpt, round(one.score, 3), why, replaced_by, one.document)


# --- what is said beside -------------------------------------------------------------------------


def _unknown(read: Iterable[tuple[Term, Term]]) -> Iterator[str]:
    """Words as they were written that nobody uses; a run without spaces only where no part of it
    is known."""
    known = {term.written for term, found in read if _same(term, found)}
    yield from dict.fromkeys(
        term.written
        for term, found in read
        if not term.beside and not _same(term, found) and term.written not in known
    )


def _instead(read: Iterable[tuple[Term, Term]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for term, found in read:
        if found.tokens and not _same(term, found):
            yield term.written, found.tokens[:3]


def _same(term: Term, found: Term) -> bool:
    return term.open or found.tokens == term.tokens
