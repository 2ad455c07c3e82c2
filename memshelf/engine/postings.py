"""Postings: which files hold which tokens, wherever that is known from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set
from typing import Protocol

from .fields import Catalogue

Counts = tuple[int, ...]
"""How often something stands in each field, in the order of `fields.FIELDS`."""

NEAR = 6
"""At most so many tokens stand between two that are near each other."""


class Postings(Protocol):
    """What ranking asks of an index, or of the texts themselves; both answer the same.

    A file is known by a number. Of several tokens any will do.
    """

    @property
    def docs(self) -> Catalogue:
        """All files."""

    def known(self, tokens: Collection[str]) -> bool:
        """Whether any file holds one of the tokens."""

    def holding(self, tokens: Collection[str], heads: bool = False) -> set[int]:
        """The files that hold one of the tokens, with `heads` in title or tags."""

    def counts(self, tokens: Collection[str]) -> dict[int, Counts]:
        """The files that hold one of the tokens, and how often in each field."""

    def near(self, one: Collection[str], other: Collection[str], among: Set[int]) -> Set[int]:
        """Those of some files in which one of each stand near each other, in the same field."""

    def phrase(self, tokens: Sequence[str]) -> set[int]:
        """The files that hold the tokens one behind the other."""

    def beginning(self, start: str) -> Iterable[str]:
        """The tokens of all files that begin so."""


def near_each_other(words: Sequence[str], one: Collection[str], other: Collection[str]) -> bool:
    """Whether among some tokens one of each stands near the other.

    >>> near_each_other("the queue is a cache".split(), ["queue"], ["cache"])
    True
    """
    places = [(at, word) for at, word in enumerate(words) if word in one]
    return any(
        word != words[near] and words[near] in other
        for at, word in places
        for near in range(max(at - NEAR - 1, 0), min(at + NEAR + 2, len(words)))
    )
