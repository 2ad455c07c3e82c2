"""Postings without an index: the texts themselves, read for the tokens of one question.

Slower, and the same answer: what is counted is made by the same rules from the same texts. It
serves until there is an index, and where none can be kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import cached_property
from typing import NamedTuple, Protocol

from . import rank
from .fields import Catalogue, Doc, Searched
from .pieces import Group
from .postings import Counts, near_each_other
from .sieve import Sieve

_SAMPLE = 100
"""So many files, at least, tell which words stand in many."""
_SURELY = 1.5


class Held(NamedTuple):
    """A file, and how often it holds which of the tokens that were asked for."""

    doc: Doc
    counts: dict[str, Counts]


Pair = tuple[Group, Group]
"""Two groups of tokens that are to stand near each other."""


class Files(Protocol):
    """What reads the files of a shelf."""

    @property
    def count(self) -> int:
        """How many there are."""

    def held(self, sieve: Sieve, every: int = 1) -> Sequence[Held]:
        """All files, or each so-manieth, with what they hold of some tokens."""

    def whole(self, paths: Sequence[str]) -> Iterable[Searched]:
        """Some files with all their tokens."""

    def near(self, paths: Sequence[str], pair: Pair) -> Iterable[tuple[str, bool | None]]:
        """Whether two groups stand near each other in some files; None where only `whole` tells."""

    def beginning(self, start: str) -> set[str]:
        """The tokens of all files that begin so."""


class Scan:
    """The postings of some tokens, read when they are first asked for; see Postings.

    `tokens` are all that a question holds, `groups` those of them of which any will do; others cost
    another reading of all files. Of a group that stands in many files it is not read how often.
    """

    def __init__(
        self, files: Files, tokens: Collection[str], groups: Iterable[frozenset[str]] = ()
    ) -> None:
        self._files, self._known, self._groups = files, frozenset(tokens), tuple(groups)
        self._texts: dict[str, Searched] = {}

    @cached_property
    def _common(self) -> tuple[frozenset[str], ...]:
        """The groups that stand in many files, as far as a few of them tell."""
        if not self._groups or self._files.count <= 2 * rank.RARE:
            return ()
        some = self._files.held(Sieve.of(self._known), self._files.count // _SAMPLE)
        least = len(some) * _SURELY * rank.RARE / self._files.count
        often = Counter(
            group for one in some for group in self._groups if group & one.counts.keys()
        )
        return tuple(group for group, count in often.items() if count > least)

    @cached_property
    def _held(self) -> list[Held]:
        found = self._files.held(Sieve.of(self._known, self._common))
        return sorted(found, key=lambda one: one.doc.path)

    @cached_property
    def _lists(self) -> dict[str, dict[int, Counts]]:
        lists: dict[str, dict[int, Counts]] = {}
        for no, one in enumerate(self._held):
            for token, counts in one.counts.items():
                lists.setdefault(token, {})[no] = counts
        return lists

    def _need(self, tokens: Collection[str], apart: bool) -> None:
        """Have the files read for some tokens; where these are to be told apart, or from the others
        of a common group, for how often each of that stands in them."""
        wanted = frozenset(tokens)
        if any(group & wanted and (apart or not group <= wanted) for group in self._common):
            self._groups = ()
            self._forget("_common", "_held", "_lists")
        if not wanted <= self._known:
            self._known |= wanted
            self._forget("_held", "_lists")

    def _forget(self, *names: str) -> None:
        for name in names:
            self.__dict__.pop(name, None)

    @cached_property
    def docs(self) -> Catalogue:
        """See Postings."""
        return Catalogue.of({no: one.doc for no, one in enumerate(self._held)})

    def known(self, tokens: Collection[str]) -> bool:
        """See Postings."""
        self._need(tokens, apart=False)
        return next(self._counted(tokens), None) is not None

    def holding(self, tokens: Collection[str], heads: bool = False) -> set[int]:
        """See Postings."""
        self._need(tokens, apart=False)
        return {no for no, counts in self._counted(tokens) if not heads or any(counts[:2])}

    def counts(self, tokens: Collection[str]) -> dict[int, Counts]:
        """See Postings."""
        self._need(tokens, apart=True)
        return dict(self._counted(tokens))

    def near(self, one: Collection[str], other: Collection[str], among: Set[int]) -> Set[int]:
        """See Postings."""
        there = [{no for no, _ in self._counted(tokens)} for tokens in (one, other)]
        both = {self._held[no].doc.path: no for no in sorted(there[0] & there[1] & among)}
        told = dict(self._files.near(list(both), (Group.of(one), Group.of(other))))
        unsure = self._whole({both[path] for path, near in told.items() if near is None})
        return {both[path] for path, near in told.items() if near} | {
            no
            for no, text in unsure
            if any(near_each_other(field.split(), one, other) for field in text.fields)
        }

    def phrase(self, tokens: Sequence[str]) -> set[int]:
        """See Postings."""
        every = set.intersection(*(self.holding((token,)) for token in tokens)) if tokens else set()
        wanted = f" {' '.join(tokens)} "  # a run may have no token, which leaves two spaces
        return {
            no
            for no, text in self._whole(every)
            if any(wanted in f" {' '.join(field.split())} " for field in text.fields)
        }

    def beginning(self, start: str) -> Iterator[str]:
        """See Postings."""
        found = self._files.beginning(start)
        self._need(found if len(found) < 64 else (), apart=False)
        return iter(found)

    def _counted(self, tokens: Collection[str]) -> Iterator[tuple[int, Counts]]:
        lists = [some for token in dict.fromkeys(tokens) if (some := self._lists.get(token))]
        if len(lists) == 1:
            yield from lists[0].items()
            return
        for no in sorted(set().union(*lists)):
            there = [some[no] for some in lists if no in some]
            yield no, there[0] if len(there) == 1 else tuple(map(sum, zip(*there, strict=True)))

    def _whole(self, numbers: Set[int]) -> Iterator[tuple[int, Searched]]:
        paths = {self._held[no].doc.path: no for no in sorted(numbers)}
        missing = [path for path in paths if path not in self._texts]
        self._texts |= {one.doc.path: one for one in self._files.whole(missing)}
        return ((no, self._texts[path]) for path, no in paths.items() if path in self._texts)
