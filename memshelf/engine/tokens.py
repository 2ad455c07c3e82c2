"""Texts as the words that are looked for: one rule for what is kept, asked and shown.

A text is cut into runs (a word, a name of code, a number); each run stands for one or more tokens:

- a word: its stem, without case, accents and ё (`Решениями` is `решен`);
- parts joined by hyphens, dots, underscores, apostrophes or CamelCase: each part, then the whole
  (`night-shift` is `night`, `shift`, `nightshift`);
- digits in groups: the number (`10 000` is `10000`); a version or a decimal: itself (`0.4.0`);
- `#208`: itself and `208`; `C++` and `C#`: themselves;
- scripts without spaces: every two characters, and the last one alone (`東京都` is `東京`, `京都`, `都`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from ..domain import words
from ..domain.patterns import lazy
from ..domain.text import fold
from ..domain.words import LONGEST, MANY_PARTS
from .languages import stem

RUN = lazy(words.RUN)
"""A run of a text. What it stands for depends on itself alone, and on the text's language."""
UNSTEMMED = ""
"""A language of which no word has a stem but itself, as in the pages."""

_UNSEEN_CHARS = lazy(f"[{words.UNSEEN}]+")
_GROUPED = lazy(words.GROUPED)
_VERSION = lazy(words.VERSION)
_SPACES = lazy(words.SPACES)
_MARKED = lazy(words.MARKED)
_JOINTS = lazy(words.JOINTS)
_CAMEL = lazy(words.CAMEL)
_MIXED = lazy(words.MIXED)
_NUMBERED = lazy(words.NUMBERED)
_SIGNED = lazy(words.SIGNED)
_DENSE_RUNS = lazy(f"({words.DENSE_RUN})")

_REMEMBERED = 400_000


class Runs(dict[str, str]):
    """Runs of one language and the tokens they stand for, as a text with spaces; made when asked."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, run: str) -> str:
        if len(self) > _REMEMBERED:
            self.clear()
        if plain(run):  # the most of all by far
            found = _stem(fold(run), self._language)
        else:
            found = " ".join(_tokens(run, self._language))
        self[run] = found
        return found


_WORD = lazy(r"[A-Za-z]?[a-z]*|[A-Z]+|[\u0400-\u045f]+")


def plain(run: str) -> bool:
    """True for a run that is one word of one token."""
    return _WORD.fullmatch(run) is not None


_KNOWN: dict[str, Runs] = {}


def runs_of(language: str) -> Runs:
    """What the runs of a language stand for."""
    return _KNOWN.get(language) or _KNOWN.setdefault(language, Runs(language))


def stream(text: str, language: str) -> str:
    """The tokens of a text in order, between spaces.

    >>> stream("Don't cache camelCase in C++: 10 000 × v0.4.0, #208", "english")
    'don dont cach camel case camelcas in c++ 10000 0.4.0 208 #208'
    """
    known = runs_of(language)
    return " ".join(map(known.__getitem__, RUN.findall(text)))


def _tokens(run: str, language: str) -> Iterator[str]:
    text = run
    if not run.isascii():
        text = unicodedata.normalize("NFKC", _UNSEEN_CHARS.sub("", run))
    for piece in _DENSE_RUNS.split(text) if not text.isascii() else (text,):
        if not piece.isascii() and _DENSE_RUNS.match(piece):
            yield from _pairs(fold(piece))
        elif _GROUPED.fullmatch(piece):
            yield _number(piece)
        else:
            for alone in _SPACES.split(piece):
                yield from dict.fromkeys(_of_piece(alone.strip(words.EDGES), language))


def _pairs(text: str) -> Iterator[str]:
    yield from (text[at : at + 2] for at in range(len(text)))


def _number(grouped: str) -> str:
    return "".join(filter(str.isdigit, grouped))[:LONGEST]


def _of_piece(piece: str, language: str) -> Iterator[str]:
    if _SIGNED.fullmatch(piece):
        yield fold(piece)
        return
    plain = piece.strip("#+")
    if _GROUPED.fullmatch(plain):
        yield _number(plain)
    elif plain:
        for alone in _MARKED.split(plain):
            yield from _of_parts([part for part in _JOINTS.split(alone) if part], language)
    if piece == f"#{plain}" and plain.isalnum():
        yield fold(piece)[:LONGEST]


def _of_parts(parts: list[str], language: str) -> Iterator[str]:
    shown = [fold(smaller) for part in parts for smaller in _finer(part)]
    if len(shown) == 1:
        yield from _of_word(shown[0], language)
        return
    yield from (_stem(part, language) for part in shown if len(part) > 1 or part.isdecimal())
    if len(parts) <= MANY_PARTS:
        yield _stem("".join(shown).replace(".", ""), language)


def _of_word(word: str, language: str) -> Iterator[str]:
    version = _VERSION.fullmatch(word)
    yield version.group(1)[:LONGEST] if version else _stem(word, language)
    numbered = None if version else _NUMBERED.fullmatch(word)
    if numbered:
        yield _stem(numbered.group(1), language)


def _finer(part: str) -> list[str]:
    """A version whole, else what dots part, and the words of CamelCase in that."""
    if _VERSION.fullmatch(part):
        return [part]
    pieces = filter(None, part.split("."))
    return [
        word
        for piece in pieces
        for word in (_CAMEL.findall(piece) if piece.isascii() and _MIXED.search(piece) else [piece])
    ]


def _stem(word: str, language: str) -> str:
    return stem(word[:LONGEST], language) if language else word[:LONGEST]
