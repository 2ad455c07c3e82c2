"""Postings without an index: the texts themselves, read for the tokens of one question.

Slower, and the same answer: what is counted is made by the same rules from the same texts. It
serves until there is an index, and where none can be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from .fields import FIELDS, Catalogue, Doc, Searched
from .postings import NEAR, Counts

Place = tuple[int, int]
"""A field, by its place in `FIELDS`, and which of its tokens."""


class Held(NamedTuple):
    """A file, and where it holds which of the tokens that were asked for."""

    doc: Doc
    places: dict[str, list[Place]]


Read = Callable[[frozenset[str], str], Iterable[Held]]
"""What reads all files for some tokens, and for all that begin with one of some characters."""


def held(one: Searched, tokens: Collection[str], starts: str) -> Held:
    """Where a file holds which of some tokens, and of those that begin with one of `starts`."""
    found: dict[str, list[Place]] = {}
    for field, text in enumerate(one.fields):
        words = text.split(" ")
        if not starts and tokens.isdisjoint(words):  # type: ignore[attr-defined]
            continue
        for at, word in enumerate(words):
            if word in tokens or (word and word[0] in starts):
                found.setdefault(word, []).append((field, at))
    return Held(one.doc, found)


class Scan:
    """The postings of some tokens, read when they are first asked for; see Postings.

    `tokens` are all that a question holds; others cost another reading of all files.
    """

    def __init__(self, read: Read, tokens: Collection[str]) -> None:
        self._read, self._known = read, frozenset(tokens)
        self._starts = ""

    @cached_property
    def _files(self) -> list[Held]:
        return list(self._read(self._known, self._starts))

    def _need(self, tokens: Iterable[str], start: str = "") -> None:
        """Have the files read for some tokens."""
        missing = [
            token for token in tokens if token not in self._known and token[:1] not in self._starts
        ]
        if missing or (start and start not in self._starts):
            self._known |= frozenset(missing)
            self._starts += start if start not in self._starts else ""
            self.__dict__.pop("_files", None)

    @cached_property
    def docs(self) -> Catalogue:
        """See Postings."""
        return Catalogue.of({no: one.doc for no, one in enumerate(self._files)})

    def known(self, tokens: Collection[str]) -> bool:
        """See Postings."""
        return next(self._places(tokens), None) is not None

    def holding(self, tokens: Collection[str], heads: bool = False) -> set[int]:
        """See Postings."""
        return {no for no, places in self._places(tokens) if not heads or min(places)[0] < 2}

    def counts(self, tokens: Collection[str]) -> dict[int, Counts]:
        """See Postings."""
        fields = range(len(FIELDS))
        found = ((no, [field for field, _ in places]) for no, places in self._places(tokens))
        return {no: tuple(map(there.count, fields)) for no, there in found}

    def near(self, one: Collection[str], other: Collection[str]) -> set[int]:
        """See Postings."""
        self._need((*one, *other))
        pairs = [(a, b) for a in one for b in other if a != b]
        return {
            no
            for no, held in enumerate(self._files)
            if any(_near(held.places.get(a, []), held.places.get(b, [])) for a, b in pairs)
        }

    def phrase(self, tokens: Sequence[str]) -> set[int]:
        """See Postings."""
        self._need(tokens)
        return {no for no, one in enumerate(self._files) if _stands(one, tokens)}

    def beginning(self, start: str) -> Iterator[str]:
        """See Postings."""
        self._need((), start[:1])
        yield from {word for one in self._files for word in one.places if word.startswith(start)}

    def _places(self, tokens: Collection[str]) -> Iterator[tuple[int, list[Place]]]:
        self._need(tokens)
        for no, one in enumerate(self._files):
            places = [place for token in tokens for place in one.places.get(token, ())]
            if places:
                yield no, places


def _near(places: list[Place], others: list[Place]) -> bool:
    there, steps = set(others), range(1, NEAR + 2)
    return any(
        (field, at + step) in there or (field, at - step) in there
        for field, at in places
        for step in steps
    )


def _stands(one: Held, tokens: Sequence[str]) -> bool:
    later = [set(one.places.get(token, ())) for token in tokens]
    return bool(later) and any(
        all((field, at + more) in places for more, places in enumerate(later))
        for field, at in later[0]
    )
