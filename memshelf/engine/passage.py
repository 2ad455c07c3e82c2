"""Which section of a file answers a question best, and the piece of it that is worth showing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..domain.episode import Document
from ..domain.patterns import lazy
from ..domain.text import fold
from ..domain.words import ENGLISH
from .fields import spoken
from .languages import probe
from .query import Term
from .rank import Asked
from .tokens import RUN, Runs, plain, runs_of

LENGTH = 240
"""Characters of an excerpt, about."""
_BEFORE = 60
_SENTENCE_ENDS = lazy(r"[.!?](?=\s)|[。！？\n]")
Terms = frozenset[int]


class Part(NamedTuple):
    """A stretch of a file: the address of its section, "" above the first, and where its text is."""

    section: str
    start: int
    end: int


class Passage(NamedTuple):
    """The section of a file that fits best; `share` is what its words weigh of all that was asked,
    `exact` the share of words that the file has as they were written, accents and all."""

    part: Part
    share: float
    exact: float


class Excerpt(NamedTuple):
    """A piece of a file's text; `start` and `end` are offsets of characters in it."""

    text: str
    start: int
    end: int


class _Known:
    """The runs of one language that stand for a term of the question, as far as they were met."""

    def __init__(self, runs: Runs, tokens: Mapping[str, set[int]]) -> None:
        self.terms: dict[str, Terms] = {}
        self._runs, self._tokens, self._met = runs, tokens, set[str]()
        self._begins = tuple({probe(token) for token in tokens})

    def among(self, text: str) -> set[int]:
        """The terms that stand in a text."""
        runs = set(RUN.findall(text))
        for run in filter(self._may_hold, runs - self._met):
            tokens = self._tokens.keys() & self._runs[run].split(" ")
            if tokens:
                self.terms[run] = frozenset().union(*(self._tokens[token] for token in tokens))
        self._met |= runs
        return set().union(*(self.terms[run] for run in runs & self.terms.keys()))

    def _may_hold(self, run: str) -> bool:
        """False for a run that is seen not to hold any of the terms, by how it begins: making its
        tokens takes twenty times as long."""
        if run.isdigit():
            return run in self._tokens
        return not plain(run) or fold(run).startswith(self._begins)


class Reader:
    """Reads files for the terms of one question."""

    def __init__(self, asked: Sequence[Asked], total: float) -> None:
        self._asked, self._total = asked, total or 1.0
        self._terms: dict[str, set[int]] = {}
        for place, one in enumerate(asked):
            for token in (*one.term.tokens, *one.term.also):
                self._terms.setdefault(token, set()).add(place)
        self._known: dict[str, _Known] = {}
        self._latest: tuple[Document | None, _Known] = (None, _Known(runs_of(ENGLISH), {}))

    def passage(self, document: Document, heads: str = "") -> Passage:
        """The section that fits best, of equal ones the first; what stands in the `heads` (title,
        tags) holds for every section."""
        known, text = self._of(document), document.text
        beside = known.among(heads)
        there = [(known.among(text[part.start : part.end]), part) for part in parts(document)]
        held, part = max(there, key=lambda pair: self._weight(pair[0]))
        share = self._weight(held | beside) / self._total
        return Passage(part, min(share, 1.0), self._exact(f"{heads}\n{text}"))

    def shares(self, document: Document) -> list[tuple[Part, float]]:
        """Every part of a file with the share of the question that its words weigh."""
        known, text = self._of(document), document.text
        return [
            (part, self._weight(known.among(text[part.start : part.end])) / self._total)
            for part in parts(document)
        ]

    def among(self, text: str, language: str) -> set[int]:
        """The places of the question's words that stand in a text of a language."""
        return self._in(language).among(text)

    def excerpt(self, document: Document, part: Part) -> Excerpt:
        """The piece of a part in which most of what was asked stands together."""
        known, text = self._of(document), document.text
        known.among(text[part.start : part.end])
        hits = [
            (run.start(), run.end(), known.terms[run.group()])
            for run in RUN.finditer(text, part.start, part.end)
            if run.group() in known.terms
        ]
        return cut(text, part, self._densest(hits) if hits else part.start)

    def terms(self, document: Document, part: Part, heads: str = "") -> list[str]:
        """The words of the question that stand in a part or the heads, as they were written."""
        there = self._of(document).among(f"{heads}\n{document.text[part.start : part.end]}")
        words = (one.term.written for place, one in enumerate(self._asked) if place in there)
        return list(dict.fromkeys(words))

    def _of(self, document: Document) -> _Known:
        """What is known of the language of a document; the same one is asked for several times."""
        if self._latest[0] is not document:
            self._latest = (document, self._in(spoken(document)))
        return self._latest[1]

    def _in(self, language: str) -> _Known:
        found = self._known.get(language)
        if found is None:
            found = self._known[language] = _Known(runs_of(language), self._terms)
        return found

    def _weight(self, there: set[int]) -> float:
        found = (self._asked[place] for place in sorted(there))
        return sum(one.weight for one in found if not one.term.beside)

    def _densest(self, hits: list[tuple[int, int, Terms]]) -> int:
        """Where the stretch begins that holds the heaviest words, each counted once."""
        best, at = -1.0, hits[0][0]
        for place, (start, _, _) in enumerate(hits):
            there: set[int] = set()
            for _, end, terms in hits[place:]:
                if end - start > LENGTH - _BEFORE:
                    break
                there |= terms
            weight = sum(self._asked[one].weight for one in sorted(there))
            if weight > best + 1e-9:
                best, at = weight, start
        return at

    def _exact(self, text: str) -> float:
        words = [one.term.written for one in self._asked if not one.term.beside]
        spelled = text.lower() if text.isascii() else unicodedata.normalize("NFC", text).lower()
        same = sum(unicodedata.normalize("NFC", word).lower() in spelled for word in words)
        return same / len(words) if words else 0.0


def even(terms: Sequence[Term]) -> Reader:
    """A reader to which every word says as much as another."""
    asked = [Asked(term, {}, 1.0) for term in terms if term.tokens]
    return Reader(asked, float(sum(not one.term.beside for one in asked)))


def parts(document: Document) -> Iterator[Part]:
    """The parts of a file that are shown: what stands above the first section, then each one; a
    heading belongs to its own."""
    text = document.text
    first = document.sections[0].start if document.sections else len(text)
    if not document.sections or text[document.front.body : first].strip():
        yield Part("", document.front.body, first)
    for name, section in zip(document.names, document.sections, strict=True):
        yield Part(name, section.start, section.end)


def cut(text: str, part: Part, at: int) -> Excerpt:
    """A piece of a part of about `LENGTH` characters round an offset, from where a sentence or at
    least a word begins to where a word ends."""
    body = text.find("\n", part.start, part.end) + 1 if part.section else part.start
    floor = body if body and body <= at else part.start
    start = _begin(text, max(at - _BEFORE, floor), floor, at)
    end = min(max(start + LENGTH, at + LENGTH // 2), part.end)
    if end < part.end:
        space = max(text.rfind(" ", at, end), text.rfind("\n", at, end))
        end = space if space > at + LENGTH // 3 else end
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return Excerpt(piece.strip(), start, start + len(piece.strip()))


def _begin(text: str, near: int, floor: int, at: int) -> int:
    """Where a piece begins that is to show `at`: where a sentence or line does not far before it,
    else the next word from `near`."""
    begins = [
        found.end() for found in _SENTENCE_ENDS.finditer(text, max(at - LENGTH // 2, floor), at)
    ]
    if floor >= at - LENGTH // 2:
        return floor
    if begins:
        return begins[0]
    return near if near == floor else _next_word(text, near, at)


def _next_word(text: str, start: int, at: int) -> int:
    for place in range(start, at):
        if text[place].isspace():
            return place + 1
    return start
