"""Which tokens of a question stand in a text, without making all tokens of the text.

Every token begins as some run of the text does, so a text is looked through for those beginnings,
and only the pieces around them are cut into tokens. Where that could miss something (accents that
are folded away, digits in groups, parts joined by a sign), all tokens are made after all: the
answer is always that of `tokens.stream`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from ..domain.patterns import lazy
from .fields import FIELDS
from .languages import probe
from .postings import Counts
from .tokens import RUN, runs_of, stream

Counted = dict[str, Counts]

_JOINTS = "-'._"
_NUMERIC = "#0123456789"
_JOINED = str.maketrans("", "", _JOINTS)
# Everything but characters that folding leaves as they are, but for their case: ASCII, Russian
# letters, kana, Han, Hangul, and punctuation that joins nothing.
_ODD = lazy(
    "[^\\x00-\\x7f\u0401\u0410-\u044f\u0451\u3001-\u3098\u309d-\u312f\u3190-\u31ff\u3400-\u9fff\uac00-\ud7a3"
    "\u2010-\u2015\u201c-\u201f\u2022\u2190-\u22ff\u2500-\u25ff\xab\xb7\xbb\xd7]"
)


class Sieve(NamedTuple):
    """The tokens that are looked for, how each begins, and whether one is a number."""

    tokens: frozenset[str]
    begins: tuple[str, ...]
    numbers: bool

    @classmethod
    def of(cls, tokens: Collection[str]) -> Sieve:
        """The sieve of some tokens."""
        begins = sorted({probe(token) for token in tokens})
        return cls(frozenset(tokens), tuple(begins), any(token[0] in _NUMERIC for token in tokens))

    def may_stand_in(self, text: str) -> bool:
        """False where none of the tokens can stand in a text."""
        if self.numbers or not text.isascii():
            return True
        low = text.lower().translate(_JOINED)
        return any(begin in low for begin in self.begins)

    def counts(self, fields: Collection[str], language: str) -> Counted:
        """How often each token stands in each of the fields of a file; those that do not are left
        out."""
        out: dict[str, list[int]] = {}
        for field, text in enumerate(fields):
            for token in self._found(text, language):
                out.setdefault(token, [0] * len(FIELDS))[field] += 1
        return {token: tuple(counts) for token, counts in out.items()}

    def _found(self, text: str, language: str) -> Iterator[str]:
        spans = None if self.numbers else self._spans(text)
        if spans is None:
            yield from filter(self.tokens.__contains__, stream(text, language).split(" "))
            return
        runs = runs_of(language)
        for begin, end in spans:
            for run in RUN.findall(text[begin:end]):
                yield from filter(self.tokens.__contains__, runs[run].split(" "))

    def _spans(self, text: str) -> set[tuple[int, int]] | None:
        """The pieces between spaces in which something looked for begins; None where looking is
        not enough."""
        if not text.isascii() and _ODD.search(text):
            return None
        low = text.lower().replace("ё", "е")
        joined = low.translate(_JOINED)
        spans = set()
        for begin in self.begins:
            if begin not in joined:
                continue
            at = low.find(begin)
            if len(joined) != len(low) and joined.count(begin) != low.count(begin):
                return None
            while at >= 0:
                span = _piece(low, at)
                spans.add(span)
                at = low.find(begin, span[1])
        return spans


def _piece(text: str, at: int) -> tuple[int, int]:
    """What stands between white space round a place."""
    begin = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at)) + 1
    space, line = text.find(" ", at), text.find("\n", at)
    ends = [end for end in (space, line) if end >= 0]
    return begin, min(ends, default=len(text))
