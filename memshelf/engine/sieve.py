"""Which tokens of a question stand in a file, without making all tokens of the file.

Looking for pieces (see `pieces`) mostly is enough; where it is not, all tokens are made after all:
the answer is always that of `tokens.stream`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.episode import Document
from .fields import FIELDS, spoken, texts
from .pieces import Folded, Group, may_begin, near_in
from .postings import Counts
from .tokens import RUN, Runs, runs_of, stream

Counted = dict[str, Counts]

_BODY = FIELDS.index("body")
_FIELD_OF = {"Digest": FIELDS.index("digest"), "Decisions": FIELDS.index("decisions")}


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
        if any(group.numbers for group in self.groups):
            return True
        return may_begin(text, [begin for group in self.groups for begin in group.begins])

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


class Fields(NamedTuple):
    """The fields of a file, folded for looking; None for one in which looking is not enough."""

    runs: Runs
    folded: tuple[Folded | None, ...]

    @classmethod
    def of(cls, document: Document, entry: Entry) -> Fields:
        """The fields of a document."""
        return cls(runs_of(spoken(document)), tuple(map(Folded.of, texts(document, entry))))

    def near(self, one: Group, other: Group) -> bool | None:
        """Whether tokens of two groups stand near each other in some field; None where only all
        tokens of the file tell."""
        told = [near_in(there, one, other, self.runs) for there in self.folded]
        return True if True in told else None if None in told else False
