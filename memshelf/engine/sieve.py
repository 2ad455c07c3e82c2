"""Which tokens of a question stand in a text, without making all tokens of the text.

Every token begins as some run of the text does, so a text is looked through for those beginnings,
and only the pieces around them are cut into tokens. Where that could miss something (accents that
are folded away, digits in groups, parts joined by a sign), all tokens are made after all: the
answer is always that of `tokens.stream`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.episode import Document
from ..domain.patterns import lazy
from .fields import FIELDS, spoken, texts
from .languages import probe
from .postings import Counts
from .tokens import RUN, runs_of, stream

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


class Sieve(NamedTuple):
    """The tokens that are looked for, how each begins, and whether one is a number."""

    tokens: frozenset[str]
    begins: tuple[str, ...]
    numbers: bool

    @classmethod
    def of(cls, tokens: Collection[str]) -> Sieve:
        """The sieve of some tokens."""
        begins: list[str] = []
        for begin in sorted({probe(token) for token in tokens}):
            if not (begins and begin.startswith(begins[-1])):  # `buc` finds all that `buck` does
                begins.append(begin)
        return cls(frozenset(tokens), tuple(begins), any(token[0] in _NUMERIC for token in tokens))

    def may_stand_in(self, text: str) -> bool:
        """False where none of the tokens can stand in a text."""
        if self.numbers or _odd(text):
            return True
        joined = _joined(_lower(text))
        return any(begin.encode() in joined for begin in self.begins)

    def counts(self, document: Document, entry: Entry) -> Counted:
        """How often each token stands in each of the fields of a file; those that do not are left
        out."""
        heads = [text if self.may_stand_in(text) else "" for text in _heads(entry)]
        spans = self.spans(document)
        if spans is not None and not spans and not any(heads):
            return {}
        language = spoken(document)
        out: dict[str, list[int]] = {}
        found: Iterable[tuple[int, str]]
        if spans is None:
            found = self._streamed(texts(document, entry), language)
        else:
            found = (*self._streamed(heads, language), *self._found(document, spans, language))
        for field, token in found:
            out.setdefault(token, [0] * len(FIELDS))[field] += 1
        return {token: tuple(counts) for token, counts in out.items()}

    def _streamed(self, fields: Sequence[str], language: str) -> Iterator[tuple[int, str]]:
        """The tokens that stand in the first fields, each with its field."""
        for field, text in enumerate(fields):
            for token in filter(self.tokens.__contains__, stream(text, language).split(" ")):
                yield field, token

    def _found(
        self, document: Document, spans: Iterable[tuple[int, int]], language: str
    ) -> Iterator[tuple[int, str]]:
        """The tokens that stand in pieces of a file, each with the field of its section."""
        runs, sections = runs_of(language), document.sections
        starts = [section.start for section in sections]
        for begin, end in spans:
            place = bisect_right(starts, begin) - 1
            section = sections[place] if place >= 0 else None
            field = _FIELD_OF.get(section.name, _BODY) if section else _BODY
            if section and field != _BODY and begin < section.body_start:
                continue  # the name of a section that has a field of its own
            for run in RUN.findall(document.text[begin:end]):
                for token in filter(self.tokens.__contains__, runs[run].split(" ")):
                    yield field, token

    def spans(self, document: Document) -> list[tuple[int, int]] | None:
        """The pieces between spaces of a file's body in which something looked for begins, in
        order; None where looking is not enough."""
        text = document.text
        if self.numbers or _odd(text):
            return None
        low, body = _lower(text), document.front.body
        joined = _joined(low)
        spans: set[tuple[int, int]] = set()
        for begin in self.begins:
            there = joined.count(begin.encode())
            if there != low.count(begin):
                return None
            at = low.find(begin, body) if there else -1
            while at >= 0:
                span = _piece(low, at)
                spans.add(span)
                at = low.find(begin, span[1])
        return sorted(spans)


def _heads(entry: Entry) -> tuple[str, str, str]:
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
