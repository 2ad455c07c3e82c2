"""Chunks: an episode in pieces of 100 to 200 words, each with its place in the file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..domain.episode import Document
from ..domain.text import count_words

WORDS = 200
CHARS = 1_500
"""No chunk is longer than either: the encoder blurs, and slows down, beyond."""
ENOUGH = 100
"""Words after which a chunk ends with its paragraph."""

VERSION = "1"
"""Changes when chunks are cut otherwise, and what was kept of them is of no use."""

# A unit ends with a line, or with a sentence: a stop, what closes behind it, and white space.
_UNIT = re.compile(r"[^\n]*?(?:[.!?…][\"'”’»)\]]*[ \t]+|[。！？][」』）”’]*|\n\s*|\Z)")
_PIECE = re.compile(r"\S{1,100}\s*|\s+")


class Chunk(NamedTuple):
    """A piece of a section; `text[start:end]` of the file is what it holds.

    `section` is the section's address, "" above the first heading. `embedded` is the text to embed:
    title, name of the section and the piece.
    """

    section: str
    start: int
    end: int
    embedded: str

    @property
    def key(self) -> str:
        """32 hex digits of the SHA-256 of the text to embed."""
        data = self.embedded.encode("utf-8", "surrogatepass")
        return hashlib.sha256(data).hexdigest()[:32]


class Unit(NamedTuple):
    """A sentence, a line or a part of a long one: its place, its words, if a paragraph ends here."""

    start: int
    end: int
    words: int
    last: bool


def chunks(document: Document, title: str) -> tuple[Chunk, ...]:
    """The chunks of a document, in file order; none reaches from one section into another."""
    text, out = document.text, []
    for section, start, end in _stretches(document):
        for a, b in _pieces(text, start, end):
            head = f"{title}\n{section}" if section else title
            out.append(Chunk(section, a, b, f"{head}\n{text[a:b]}"))
    return tuple(out)


def _stretches(document: Document) -> Iterator[tuple[str, int, int]]:
    """Address, start and end of each section's body, what stands above the first one before them."""
    sections = document.sections
    yield "", document.front.body, sections[0].start if sections else len(document.text)
    for name, section in zip(document.names, sections, strict=True):
        yield name, section.body_start, section.end


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    body = text[start:end]
    start += len(body) - len(body.lstrip())
    end -= len(body) - len(body.rstrip())
    if start >= end:
        return
    for group in _packed(list(_units(text, start, end))):
        a, b = group[0].start, group[-1].end
        yield a, a + len(text[a:b].rstrip())


def _units(text: str, start: int, end: int) -> Iterator[Unit]:
    for found in _UNIT.finditer(text[start:end]):
        unit = found.group()
        if not unit:
            continue
        a, words = start + found.start(), count_words(unit)
        if words <= ENOUGH and len(unit) <= CHARS // 2:
            yield Unit(a, a + len(unit), words, unit.count("\n") > 1)
        else:
            yield from _parts(unit, a)


def _parts(unit: str, at: int) -> Iterator[Unit]:
    """A unit that is too long by itself, word by word; of an endless word, piece by piece."""
    for found in _PIECE.finditer(unit):
        piece = found.group()
        yield Unit(at + found.start(), at + found.end(), count_words(piece), False)


def _packed(units: list[Unit]) -> list[list[Unit]]:
    """Units in groups, each as long as it may be; one that has enough ends with its paragraph."""
    groups: list[list[Unit]] = [[]]
    words = 0
    for unit in units:
        group = groups[-1]
        full = group and not _fit(group[0].start, unit.end, words + unit.words)
        if full or (group and group[-1].last and words >= ENOUGH):
            groups.append([])
            words = 0
        groups[-1].append(unit)
        words += unit.words
    return [*groups[:-2], *_evened(groups[-2:])]


def _evened(groups: list[list[Unit]]) -> list[list[Unit]]:
    """The last two groups as one where the second is short and they fit, else of like length."""
    if len(groups) < 2 or _words(groups[1]) >= ENOUGH // 2:
        return groups
    both = groups[0] + groups[1]
    if _fits(both):
        return [both]
    middle = (both[0].start + both[-1].end) // 2
    cut = min(range(1, len(both)), key=lambda place: abs(both[place].start - middle))
    halves = [both[:cut], both[cut:]]
    return halves if all(map(_fits, halves)) else groups


def _fits(units: list[Unit]) -> bool:
    return _fit(units[0].start, units[-1].end, _words(units))


def _fit(start: int, end: int, words: int) -> bool:
    return words <= WORDS and end - start <= CHARS


def _words(units: list[Unit]) -> int:
    return sum(unit.words for unit in units)
