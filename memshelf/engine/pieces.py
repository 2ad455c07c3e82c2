"""Pieces of a text that may hold a token: found by how words begin, without cutting the text.

Every token begins as some run of the text does, so a text is looked through for those beginnings,
and only the pieces around them are cut into tokens. Where that could miss something (accents that
are folded away, digits in groups, parts joined by a sign) it is said that looking is not enough.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import NamedTuple

from ..domain.patterns import lazy
from .languages import probe
from .postings import near_each_other
from .tokens import RUN, Runs

_JOINTS = b"-'._"
_NUMERIC = "#0123456789"
# Everything but characters that folding leaves as they are, but for their case: ASCII, Russian
# letters, kana, Han, Hangul, and punctuation that joins nothing.
_ODD = lazy(
    "[^\\x00-\\x7f\u0401\u0410-\u044f\u0451\u3001-\u3098\u309d-\u312f\u3190-\u31ff\u3400-\u9fff\uac00-\ud7a3"
    "\u2010-\u2015\u201c-\u201f\u2022\u2190-\u22ff\u2500-\u25ff\xab\xb7\xbb\xd7"
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff60]"
)


class Folded(NamedTuple):
    """A text folded for looking, as long as it was; what is looked through begins at `body`."""

    text: str
    body: int
    low: str
    joined: bytes
    """Without what joins the parts of a word; of bytes, which is a hundred times faster."""

    @classmethod
    def of(cls, text: str, body: int = 0) -> Folded | None:
        """None where looking is not enough, since folding would do more than lower letters."""
        if _odd(text):
            return None
        low = _lower(text)
        return cls(text, body, low, _joined(low))

    def pieces(self, begin: str) -> Iterator[tuple[int, int]]:
        """The pieces between spaces in which a beginning stands."""
        at = self.low.find(begin, self.body)
        while at >= 0:
            span = _piece(self.low, at)
            yield span
            at = self.low.find(begin, span[1])

    def hides(self, begin: str) -> bool:
        """True where a beginning stands across what joins the parts of a word."""
        return self.joined.count(begin.encode()) != self.low.count(begin)

    def heads(self, at: int) -> bool:
        """True on a line that begins as a heading does, or is underlined as one."""
        start = self.low.rfind("\n", 0, at) + 1
        line, _, rest = self.low[start : start + 2_000].partition("\n")
        below = rest.partition("\n")[0].strip()
        return line.lstrip()[:1] == "#" or (below != "" and not below.strip("-="))


class Group(NamedTuple):
    """Tokens, how each begins, and whether one is a number, whose digits may stand in groups."""

    tokens: frozenset[str]
    begins: tuple[str, ...]
    numbers: bool

    @classmethod
    def of(cls, tokens: Collection[str]) -> Group:
        """The group of some tokens."""
        begins: list[str] = []
        for begin in sorted({probe(token) for token in tokens}):
            if not (begins and begin.startswith(begins[-1])):  # `buc` finds all that `buck` does
                begins.append(begin)
        numbers = any(token[0] in _NUMERIC for token in tokens)
        return cls(frozenset(tokens), tuple(begins), numbers)

    def holding(self, there: Folded, runs: Runs) -> list[tuple[int, int]] | None:
        """The pieces of a body in which one of the tokens does stand; None as in `spans`."""
        found = self.spans(there)
        if found is None:
            return None
        return [span for span in found if self.in_piece(there, runs, *span)]

    def in_piece(self, there: Folded, runs: Runs, start: int, end: int) -> bool:
        """Whether one of the tokens stands in a piece."""
        return not self.tokens.isdisjoint(_tokens(there.text, start, end, runs))

    def spans(self, there: Folded | None) -> list[tuple[int, int]] | None:
        """The pieces of a body in which one of the tokens may begin, in order; None where looking
        is not enough."""
        if there is None or self.numbers or any(map(there.hides, self.begins)):
            return None
        return sorted({span for begin in self.begins for span in there.pieces(begin)})

    def stands_in(self, there: Folded | None, runs: Runs) -> bool | None:
        """Whether one of the tokens stands in a body; None where looking is not enough."""
        if there is None or self.numbers:
            return None
        unsure = False
        for begin in self.begins:
            for start, end in there.pieces(begin):
                if self.in_piece(there, runs, start, end):
                    if not there.heads(start):
                        return True
                    unsure = True  # the name of a section that is a field of its own is no text
            unsure = unsure or there.hides(begin)
        return None if unsure else False


def near_in(there: Folded | None, one: Group, other: Group, runs: Runs) -> bool | None:
    """Whether tokens of two groups stand near each other in a text; None where looking is not
    enough."""
    if there is None:
        return None
    held = []
    for group in (one, other):
        found = group.holding(there, runs)
        if not found:
            return None if found is None else False
        held.append(set(found))
    ours, theirs = held
    order = sorted(ours | theirs)
    for first, second in (*zip(order, order, strict=True), *pairwise(order)):
        if {first, second} & ours and {first, second} & theirs:
            words = _tokens(there.text, first[0], second[1], runs)
            if near_each_other(words, one.tokens, other.tokens):
                return True
    return False


def _tokens(text: str, start: int, end: int, runs: Runs) -> list[str]:
    return " ".join(map(runs.__getitem__, RUN.findall(text, start, end))).split()


def may_begin(text: str, begins: Collection[str]) -> bool:
    """False where no word of a text begins in one of these ways."""
    if _odd(text):
        return True
    joined = _joined(_lower(text))
    return any(begin.encode() in joined for begin in begins)


def _odd(text: str) -> bool:
    return not text.isascii() and _ODD.search(text) is not None


def _lower(text: str) -> str:
    """The text folded, as far as it is not odd; as long as it was."""
    return text.lower().replace("ё", "е")


def _joined(low: str) -> bytes:
    """The text without what joins the parts of a word; of bytes, which is a hundred times faster."""
    return low.encode("utf-8", "surrogatepass").translate(None, _JOINTS)


def _piece(text: str, at: int) -> tuple[int, int]:
    """What stands between white space round a place."""
    begin = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at)) + 1
    space, line = text.find(" ", at), text.find("\n", at)
    ends = [end for end in (space, line) if end >= 0]
    return begin, min(ends, default=len(text))
