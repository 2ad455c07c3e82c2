"""Which tokens of a question stand in a text, without making all tokens of the text.

Every token begins as some run of the text does, so a text is looked through for those beginnings,
and only the pieces around them are cut into tokens. Where that could miss something (accents that
are folded away, digits in groups, parts joined by a sign), all tokens are made after all: the
answer is always that of `tokens.stream`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.episode import Document
from ..domain.patterns import lazy
from .fields import FIELDS, spoken, texts
from .languages import probe
from .postings import Counts, near_each_other
from .tokens import RUN, Runs, runs_of, stream

Counted = dict[str, Counts]

_JOINTS = b"-'._"
_BODY = FIELDS.index("body")
_FIELD_OF = {"Digest": FIELDS.index("digest"), "Decisions": FIELDS.index("decisions")}
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


def stand_near(one: Group, other: Group, document: Document, entry: Entry) -> bool | None:
    """Whether tokens of two groups stand near each other in some field of a file; None where only
    all of its tokens tell."""
    runs = runs_of(spoken(document))
    told = [_near_in(text, one, other, runs) for text in texts(document, entry)]
    return True if True in told else None if None in told else False


def _near_in(text: str, one: Group, other: Group, runs: Runs) -> bool | None:
    there = Folded.of(text)
    held = [group.holding(there, runs) for group in (one, other)] if there else [None]
    if there is None or None in held:
        return None
    order = sorted((span, which) for which in (0, 1) for span in held[which] or ())
    for (start, first), (end, second) in pairwise(order):
        if first != second:
            words = _tokens(text, start[0], end[1], runs)
            if near_each_other(words, one.tokens, other.tokens):
                return True
    return False


def _tokens(text: str, start: int, end: int, runs: Runs) -> list[str]:
    return " ".join(map(runs.__getitem__, RUN.findall(text, start, end))).split()


class Sieve(NamedTuple):
    """Tokens that are looked for: those that are counted, and `common` groups of others, of which
    it is told only that one of a group stands in a body."""

    counted: Group
    common: tuple[Group, ...] = ()

    @classmethod
    def of(cls, tokens: Collection[str], common: Iterable[frozenset[str]] = ()) -> Sieve:
        """The sieve of some tokens, those of the common groups among them."""
        groups = tuple(map(Group.of, common))
        rest = frozenset(tokens).difference(*(group.tokens for group in groups))
        return cls(Group.of(rest), groups)

    @property
    def groups(self) -> tuple[Group, ...]:
        """All of it."""
        return (self.counted, *self.common)

    @property
    def tokens(self) -> frozenset[str]:
        """All tokens."""
        return frozenset().union(*(group.tokens for group in self.groups))

    def may_stand_in(self, text: str) -> bool:
        """False where none of the tokens can stand in a text."""
        if any(group.numbers for group in self.groups) or _odd(text):
            return True
        joined = _joined(_lower(text))
        return any(begin.encode() in joined for group in self.groups for begin in group.begins)

    def counts(self, document: Document, entry: Entry) -> Counted:
        """How often each token stands in each of the fields of a file; those that do not are left
        out. Each token of a common group that stands in the body counts as one there."""
        heads = _heads(entry)
        heads = heads if self.may_stand_in("\n".join(heads)) else ()
        there = Folded.of(document.text, document.front.body)
        spans = self.counted.spans(there)
        if spans == [] and not self.common and not heads:
            return {}
        language = spoken(document)
        common = {group: group.stands_in(there, runs_of(language)) for group in self.common}
        if self.common and (spans is None or None in common.values()):
            return Sieve.of(self.tokens).counts(document, entry)
        found: Iterable[tuple[int, str]]
        if spans is None:
            found = self._streamed(texts(document, entry), language)
        else:
            found = (*self._streamed(heads, language), *self._found(document, spans, language))
        out: dict[str, list[int]] = {}
        for field, token in found:
            out.setdefault(token, [0] * len(FIELDS))[field] += 1
        for token in chain(*(group.tokens for group, stands in common.items() if stands)):
            out.setdefault(token, [0] * len(FIELDS))[_BODY] = 1
        return {token: tuple(counts) for token, counts in out.items()}

    def _streamed(self, fields: Sequence[str], language: str) -> Iterator[tuple[int, str]]:
        """The tokens that stand in the first fields, each with its field."""
        wanted = self.tokens
        for field, text in enumerate(fields):
            for token in filter(wanted.__contains__, stream(text, language).split(" ")):
                yield field, token

    def _found(
        self, document: Document, spans: Sequence[tuple[int, int]], language: str
    ) -> Iterator[tuple[int, str]]:
        """The counted tokens in pieces of a file, each with the field of its section."""
        if not spans:
            return
        runs, sections, wanted = runs_of(language), document.sections, self.counted.tokens
        starts = [section.start for section in sections]
        for begin, end in spans:
            place = bisect_right(starts, begin) - 1
            section = sections[place] if place >= 0 else None
            field = _FIELD_OF.get(section.name, _BODY) if section else _BODY
            if section and field != _BODY and begin < section.body_start:
                continue  # the name of a section that has a field of its own
            for run in RUN.findall(document.text[begin:end]):
                for token in filter(wanted.__contains__, runs[run].split(" ")):
                    yield field, token


def _heads(entry: Entry) -> tuple[str, ...]:
    """What stands in the first fields beside the body of a file; see `fields.texts`."""
    return entry.heading, "\n".join((*entry.tags, *entry.keywords, entry.id)), entry.description


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
