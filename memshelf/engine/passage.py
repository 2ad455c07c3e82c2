"""Which section of a file answers a question best, and the piece of it that is worth showing."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..domain.episode import Document
from ..domain.patterns import lazy
from ..domain.text import fold
from .fields import spoken
from .languages import probe
from .pieces import Folded
from .query import Term
from .rank import Asked
from .sieve import Sieve
from .tokens import RUN, Runs, plain, runs_of

LENGTH = 240
"""Characters of an excerpt, about."""
_BEFORE = 60
_SENTENCE_ENDS = lazy(r"[.!?](?=\s)|[。！？\n]")
Terms = frozenset[int]


class Part(NamedTuple):
    """A stretch of a file: the address of its section, "" above the first, where it begins with its
    heading, where it ends, and where the text below the heading begins, if there is any."""

    section: str
    start: int
    end: int
    body: int


class Passage(NamedTuple):
    """The section of a file that fits best; `share` is what its words weigh of all that was asked,
    and 1 where that were no words; `exact` the share of words that the file has as they were written, accents and all."""

    part: Part
    share: float
    exact: float


class Excerpt(NamedTuple):
    """A piece of a file's text; `start` and `end` are offsets of characters in it."""

    text: str
    start: int
    end: int


class Place(NamedTuple):
    """Where a run stands in a file, and the terms of the question that it stands for."""

    start: int
    end: int
    terms: Terms


class _Known:
    """The runs of one language that were met, each with the terms of the question it stands for."""

    def __init__(self, runs: Runs, tokens: Mapping[str, set[int]]) -> None:
        self.terms: dict[str, Terms] = {}
        self._runs, self._tokens = runs, tokens
        self._begins = tuple({probe(token) for token in tokens})

    def of(self, run: str) -> Terms:
        """The terms that a run stands for."""
        found = self.terms.get(run)
        if found is None:
            tokens = set(self._runs[run].split(" ")) if self._may_hold(run) else ()
            held = (self._tokens[token] for token in tokens if token in self._tokens)
            found = self.terms[run] = frozenset().union(*held)
        return found

    def spelled(self, token: str) -> set[str]:
        """The words met so far that stand for a token of the question."""
        met = (run for run, terms in self.terms.items() if terms)
        return {fold(run) for run in met if token in self._runs[run].split(" ")}

    def among(self, text: str) -> set[int]:
        """The terms that stand in a text."""
        return set().union(*map(self.of, set(RUN.findall(text))))

    def _may_hold(self, run: str) -> bool:
        """False for a run that is seen not to hold any of the terms, by how it begins: making its
        tokens takes twenty times as long."""
        if run.isdigit():
            return run in self._tokens
        return not plain(run) or fold(run).startswith(self._begins)


class _Read(NamedTuple):
    """A file that was looked through: what its language's runs stand for, and where terms are."""

    document: Document
    known: _Known
    places: list[Place]


class Reader:
    """Reads files for the terms of one question."""

    def __init__(self, asked: Sequence[Asked], total: float) -> None:
        self._asked, self._total = asked, total
        self._terms: dict[str, set[int]] = {}
        for place, one in enumerate(asked):
            for token in (*one.term.tokens, *one.term.also):
                self._terms.setdefault(token, set()).add(place)
        self._sieve = Sieve.of(self._terms)
        self._known: dict[str, _Known] = {}
        self._read: dict[int, _Read] = {}

    def passage(self, document: Document, heads: str = "") -> Passage:
        """The section that fits best, of equal ones the first; what stands in the `heads` (title,
        tags) holds for every section."""
        beside = self._heads(document, heads)
        there = [(self._held(document, part), part) for part in parts(document)]
        held, part = max(there, key=lambda pair: self._weight(pair[0]))
        share = self._weight(held | beside) / self._total if self._total else 1.0
        return Passage(part, min(share, 1.0), self._exact(f"{heads}\n{document.text}"))

    def shares(self, document: Document) -> list[tuple[Part, float]]:
        """Every part of a file with the share of the question that its words weigh."""
        return [
            (part, self._weight(self._held(document, part)) / (self._total or 1.0))
            for part in parts(document)
        ]

    def spelled(self, token: str) -> str:
        """The shortest word in the files read so far that stands for a token, else the token."""
        met = set().union(*(known.spelled(token) for known in self._known.values()))
        return min(met, key=lambda word: (len(word), word), default=token)

    def among(self, text: str, language: str) -> set[int]:
        """The places of the question's words that stand in a text of a language."""
        return self._in(language).among(text)

    def holds(self, document: Document) -> bool:
        """Whether anything that was asked stands anywhere in a file, its front matter included."""
        return bool(self._of(document).known.among(document.text))

    def excerpt(self, document: Document, part: Part) -> Excerpt:
        """The piece of a part in which most of what was asked stands together."""
        hits = self._places(document, part)
        at = self._densest(hits) if hits else part.body
        return cut(document.text, part, at)

    def terms(self, document: Document, part: Part, heads: str = "") -> list[str]:
        """The words of the question that stand in a part or the heads, as they were written."""
        there = self._held(document, part) | self._heads(document, heads)
        words = (one.term.written for place, one in enumerate(self._asked) if place in there)
        return list(dict.fromkeys(words))

    def _held(self, document: Document, part: Part) -> set[int]:
        return set().union(*(place.terms for place in self._places(document, part)))

    def _heads(self, document: Document, heads: str) -> set[int]:
        return self._of(document).known.among(heads) if self._sieve.may_stand_in(heads) else set()

    def _places(self, document: Document, part: Part) -> list[Place]:
        """Where in a part something stands that was asked."""
        found = self._of(document).places
        first = bisect_left(found, (part.start,))
        return found[first : bisect_left(found, (part.end,), first)]

    def _of(self, document: Document) -> _Read:
        """A file as it was looked through, once for the question."""
        found = self._read.get(id(document))
        if found is None:
            known = self._in(spoken(document))
            places = list(self._found(document, known))
            found = self._read[id(document)] = _Read(document, known, places)
        return found

    def _found(self, document: Document, known: _Known) -> Iterator[Place]:
        spans = self._sieve.counted.spans(Folded.of(document.text, document.front.body))
        for begin, end in [(0, len(document.text))] if spans is None else spans:
            for run in RUN.finditer(document.text, begin, end):
                if terms := known.of(run.group()):
                    yield Place(run.start(), run.end(), terms)

    def _in(self, language: str) -> _Known:
        found = self._known.get(language)
        if found is None:
            found = self._known[language] = _Known(runs_of(language), self._terms)
        return found

    def _weight(self, there: set[int]) -> float:
        found = (self._asked[place] for place in sorted(there))
        return sum(one.weight for one in found if not one.term.beside)

    def _densest(self, hits: list[Place]) -> int:
        """Where the stretch begins that holds the heaviest words, each counted once."""
        most = self._heaviness(set().union(*(hit.terms for hit in hits)))
        held = Counter[int]()
        best, at, end = -1.0, hits[0].start, 0
        for place, hit in enumerate(hits):
            while end < len(hits) and hits[end].end - hit.start <= LENGTH - _BEFORE:
                held.update(hits[end].terms)
                end += 1
            weight = self._heaviness(held)
            if weight > best + 1e-9:
                best, at = weight, hit.start
            if best >= most:
                break
            if end > place:
                held = held - Counter(hit.terms)
            end = max(end, place + 1)
        return at

    def _heaviness(self, there: Iterable[int]) -> float:
        return sum(self._asked[one].weight for one in sorted(there))

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
        yield Part("", document.front.body, first, document.front.body)
    for name, section in zip(document.names, document.sections, strict=True):
        below = text[section.body_start : section.end].strip()
        yield Part(name, section.start, section.end, section.body_start if below else section.start)


def cut(text: str, part: Part, at: int) -> Excerpt:
    """A piece of a part of about `LENGTH` characters round an offset, from where a sentence or at
    least a word begins to where a word ends."""
    floor = part.body if part.body <= at else part.start
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
