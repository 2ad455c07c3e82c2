"""Plain words: every word of the query must occur, from a word's beginning; folded, ranked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.episode import Document
from ..domain.frontmatter import end_of_front
from ..domain.text import fold, one_line, unspaced

Words = tuple["Word", ...]

_TOKEN = re.compile(r"(?:(?<!\S)-)?\w+(?:[+#]+(?!\w))?")
_BESIDE, _HEADING = 8, 5
_SNIPPET = 200


class Query(NamedTuple):
    """Folded words that must occur, words that must not, and the words as they were written."""

    words: tuple[str, ...]
    without: tuple[str, ...] = ()
    written: tuple[str, ...] = ()


class Match(NamedTuple):
    """One episode that holds every word, and how well."""

    entry: Entry
    score: int


class Hit(NamedTuple):
    """One episode that fits: its address, the section that fits best, and a piece of it."""

    address: str
    id: str
    section: str
    score: int
    snippet: str
    via: str = "words"


def parse(query: str) -> Query:
    """The query that a text asks; no text is an error, `-word` leaves out beside another word.

    >>> parse("Don't panic -café")[:2]
    (('don', 't', 'panic'), ('cafe',))
    """
    found = _TOKEN.findall(fold(query))
    positive = tuple(dict.fromkeys(word for word in found if not word.startswith("-")))
    negative = tuple(word[1:] for word in found if word.startswith("-"))
    if not positive:
        positive, negative = negative, ()
    return Query(positive, negative, tuple(_TOKEN.findall(_spelled(query))))


def _spelled(text: str) -> str:
    """A text for comparing spelling: accents count, case and composition do not."""
    return unicodedata.normalize("NFC", text).lower()


class Word(NamedTuple):
    """A folded word; `anywhere` where its script has no spaces to begin after."""

    text: str
    anywhere: bool

    def places(self, folded: str) -> Iterator[int]:
        """Where the word begins in a folded text."""
        at = folded.find(self.text)
        while at >= 0:
            before = folded[at - 1 : at] if at else ""
            if self.anywhere or not (before.isalnum() or before == "_"):
                yield at
            at = folded.find(self.text, at + len(self.text))

    def within(self, folded: str) -> bool:
        """True where the word occurs."""
        return next(self.places(folded), None) is not None


def _words(texts: tuple[str, ...]) -> Words:
    return tuple(Word(text, unspaced(text)) for text in texts)


def ranked(query: Query, entries: Iterable[Entry], read: Callable[[str], str]) -> list[Match]:
    """The episodes that hold every word, best first, then by path; `read` gives a file's text.

    One that was replaced counts half, so that what replaced it stands before it.
    """
    wanted = _words(query.words)
    without = _words(query.without)
    exact = _words(query.written)
    found = (_match(entry, read(entry.path), wanted, without, exact) for entry in entries)
    return sorted((m for m in found if m), key=lambda m: (-m.score, m.entry.path))


def _match(entry: Entry, text: str, wanted: Words, without: Words, exact: Words) -> Match | None:
    body = fold(text[end_of_front(text) :])
    counts = [sum(1 for _ in word.places(body)) for word in wanted]
    beside = (entry.title, entry.id, entry.description, *entry.tags, *entry.keywords)
    around = fold(" ".join(beside))
    if not all(count or word.within(around) for word, count in zip(wanted, counts, strict=True)):
        return None
    if any(word.within(part) for word in without for part in (body, around)):
        return None
    score = sum(counts) + _BESIDE * sum(word.within(around) for word in wanted)
    score += _exact(f"{entry.heading} {text}", exact)
    return Match(entry, score // 2 if entry.superseded_by else score)


def _exact(text: str, written: Words) -> int:
    """How many words stand in a text as they were written, accents and all."""
    if text.isascii():  # then they were found as they are, or are written otherwise
        return sum(word.text.isascii() for word in written)
    spelled = _spelled(text)
    return sum(word.within(spelled) for word in written)


def hit(query: Query, match: Match, text: str) -> Hit:
    """A match with the section that fits best and a piece of its text."""
    wanted = _words(query.words)
    parts = list(_parts(Document.of(text), wanted))
    best = max(parts, default=(0, 0, "", ""), key=lambda part: (part[1], part[0]))
    score = match.score + sum(_HEADING * part[0] for part in parts if part[2] == best[2])
    entry = match.entry
    snippet = _snippet(best[3] or entry.heading, wanted)
    if entry.superseded_by:
        snippet = f"(replaced by {', '.join(entry.superseded_by)}) {snippet}"
    return Hit(entry.path, entry.id, best[2], score, snippet)


def _parts(document: Document, wanted: Words) -> Iterator[tuple[int, int, str, str]]:
    """For each section: words in its heading, words it holds, its address, its text."""
    rows = [("", document.preamble)] if document.preamble else []
    rows += [
        (address, section.body(document.text))
        for address, section in zip(document.names, document.sections, strict=True)
    ]
    for address, body in rows:
        folded, heading = fold(body), fold(address)
        in_heading = [word.within(heading) for word in wanted]
        held = sum(word.within(folded) or h for word, h in zip(wanted, in_heading, strict=True))
        if held:
            yield sum(in_heading), held, address, body


def _unfolded(line: str, at: int) -> int:
    """The place in a text of a place in its folded form."""
    length = 0
    for place, char in enumerate(line):
        if length >= at:
            return place
        length += len(fold(char))
    return 0


def _snippet(text: str, wanted: Words) -> str:
    """About 200 characters round the first word found, on one line."""
    line = one_line(text)
    folded = fold(line)
    at = next((place for word in wanted for place in word.places(folded)), 0)
    if len(folded) != len(line):
        at = _unfolded(line, at)
    begin = max(at - _SNIPPET // 3, 0)
    if begin:
        begin = line.find(" ", begin, at) + 1 or begin
    piece = line[begin : begin + _SNIPPET]
    return ("…" if begin else "") + piece + ("…" if begin + _SNIPPET < len(line) else "")
