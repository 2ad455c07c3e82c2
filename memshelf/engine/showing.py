"""Hits: files opened, put in order by what stands in them, and shown with the reason."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from ..domain.episode import Document, known_fields, reversed_in
from ..domain.errors import ShelfError
from ..storage.store import Store
from ..storage.survey import blob_id
from .fields import Catalogue, Doc
from .fuse import mmr
from .passage import Excerpt, Part, Passage, Reader, cut
from .rank import Ranking
from .tokens import RUN

if TYPE_CHECKING:  # most questions are answered without meaning
    from .vectors import Near

WINDOW = 10
"""So many files are opened and put in order by their best section, then as many more."""
_PASSAGE, _EXACT = 0.6, 0.05
_CLOSE = {"words": 0.85, "meaning": 0.95}
"""The share of what one match is worth from which another is nearly as good. The cosines of what has
to do with a question and of what has not lie near each other, so that there less may be lost."""


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

    @property
    def reversed(self) -> tuple[str, ...]:
        """The decisions of the section that do not stand any more, `d1 replaced by ID` each."""
        return reversed_in(self.document.front, self.passage.part.section)

    def text(self, detail: str) -> str:
        """The digest, or the section that fits best, where that is asked for."""
        part = self.passage.part
        if detail == "section":
            return self.document.text[part.start : part.end].strip()
        return self.document.body("Digest") or "" if detail == "digest" else ""


class Opened(NamedTuple):
    """A match whose file was read: its points by words, and with what its sections add.

    Where meaning was asked, `score` is what both give together, and `points` all that words do.
    `worth` is how good it is by each of them that counts.
    """

    no: int
    doc: Doc
    document: Document
    passage: Passage
    points: float
    score: float
    worth: Mapping[str, float]


Judged = Callable[[Opened], Opened]
"""Gives a match the score and the worth that it has where words alone do not decide."""


class Misled(sqlite3.DatabaseError):
    """The index says of a file what does not stand in it: it is damaged, though it can be read."""


class Shower:
    """Opens and shows the matches of one question."""

    def __init__(self, store: Store, docs: Catalogue, ranking: Ranking, diversity: float) -> None:
        self._store, self._docs, self._ranking = store, docs, ranking
        self._reader = Reader(ranking.asked, ranking.total)
        self._diversity = diversity
        self._opened: dict[int, Opened | None] = {}

    def ordered(
        self, matches: Sequence[int], first: int, last: int, judged: Judged | None = None
    ) -> list[Opened]:
        """The matches from one place to another: windows, each in the order of what its files hold
        or are `judged` to be worth, then with kinds and what says the same apart."""
        begin = first // WINDOW * WINDOW
        out: list[Opened] = []
        for at in range(begin, min(last, len(matches)), WINDOW):
            out += fair(self._apart(self.best_first(matches[at : at + WINDOW], judged)))
        return out[first - begin : last - begin]

    def best_first(self, matches: Sequence[int], judged: Judged | None = None) -> list[Opened]:
        """The matches as files, the best first; those that are gone since are left out."""
        found = filter(None, map(self.opened, matches))
        return sorted(map(judged, found) if judged else found, key=lambda one: -round(one.score, 6))

    def opened(self, no: int) -> Opened | None:
        """A match with its file; None where that is gone since."""
        if no not in self._opened:
            self._opened[no] = self._read(no)
        return self._opened[no]

    def _read(self, no: int) -> Opened | None:
        doc = self._docs.doc(no)
        try:
            document = Document.of(self._store.listed(doc.path))
        except ShelfError:
            return None
        passage = self._reader.passage(document, _heads(doc, document))
        points = self._ranking.points.get(no, 0.0)
        if points and not passage.share:
            self._prove(doc, document)
        score = points * (1 + _PASSAGE * passage.share + _EXACT * passage.exact)
        return Opened(no, doc, document, passage, points, score, {"words": score})

    def _prove(self, doc: Doc, document: Document) -> None:
        """Raise Misled where a file holds nothing of what it was found for."""
        known = self._reader.holds(document)
        if not known and blob_id(document.text.encode("utf-8")) == doc.blob:
            raise Misled(f"the index is wrong about {doc.path}")

    def spelled(self, token: str) -> str:
        """A token as a word of the files that were opened."""
        return self._reader.spelled(token)

    def hit(self, one: Opened) -> Hit:
        """A match as it is shown."""
        excerpt = self._reader.excerpt(one.document, one.passage.part)
        score = {"words": round(one.points, 3), "section": round(one.score - one.points, 3)}
        return self._hit(one, excerpt, {"score": score}, one.score)

    def fused(self, one: Opened, near: Near | None) -> Hit:
        """A match that was found by words and by meaning: where words say little of its section,
        the section whose meaning is nearest is shown."""
        parts = {"words": round(one.points, 3), "meaning": round(near.cosine if near else 0.0, 3)}
        part = one.passage.part
        excerpt = self._reader.excerpt(one.document, part)
        if near and (part.section != near.section) and one.passage.share < near.cosine:
            one, excerpt = _elsewhere(one, near)
        return self._hit(one, excerpt, {"score": parts}, one.score)

    def _hit(self, one: Opened, excerpt: Excerpt, why: dict[str, Any], score: float) -> Hit:
        heads = _heads(one.doc, one.document)
        words = self._reader.terms(one.document, one.passage.part, heads)
        replaced_by = self._docs.replaced.get(one.doc.id, ())
        reasons = {"words": words, **why}
        return Hit(
            one.doc, one.passage, excerpt, round(score, 4), reasons, replaced_by, one.document
        )

    def _apart(self, found: list[Opened]) -> list[Opened]:
        """The same, what says the same apart, as far as that was asked for."""
        if not self._diversity:
            return found
        words = {one.no: frozenset(RUN.findall(one.document.text.lower())) for one in found}
        by_no = {one.no: one for one in found}

        def alike(a: int, b: int) -> float:
            return len(words[a] & words[b]) / max(len(words[a] | words[b]), 1)

        order = mmr([(one.no, one.score) for one in found], alike, self._diversity)
        return [by_no[no] for no in order]


def _elsewhere(one: Opened, near: Near) -> tuple[Opened, Excerpt]:
    part = Part(near.section, near.start, near.end, near.start)
    passage = one.passage._replace(part=part)
    return one._replace(passage=passage), cut(one.document.text, part, near.start)


def _heads(doc: Doc, document: Document) -> str:
    """Title, tags and id as the file itself has them."""
    known = known_fields(document.front, PurePosixPath(doc.path).stem)
    return " ".join((document.front.heading, *known.get("tags", ()), known["id"]))


def fair(ranked: Sequence[Opened]) -> list[Opened]:
    """The same in nearly the same order: after two of one kind comes one of another, if that is
    nearly as good, so that no kind crowds out the others."""
    left, out = list(ranked), list[Opened]()
    while left:
        last = {one.doc.kind for one in out[-2:]} if len(out) > 1 else set()
        best = left[0]
        if last == {best.doc.kind}:
            close: Iterator[Opened] = (one for one in left if _as_good(one, best))
            best = next((one for one in close if one.doc.kind != left[0].doc.kind), best)
        left.remove(best)
        out.append(best)
    return out


def _as_good(one: Opened, other: Opened) -> bool:
    return all(one.worth[by] >= _CLOSE[by] * worth for by, worth in other.worth.items())
