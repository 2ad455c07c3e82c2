"""Which episodes still state what was replaced: they name it, or say most of its words."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from .entry import Entry
from .shelf import Shelf
from .text import words
from .threads import Decisions

MOST = 2 / 3
"""Part of a decision's words that a text must hold to say much the same."""
_LEAST = 3
"""Words that a decision must have for its words to mean anything."""
_SHORT = 3
"""Letters of the shortest word that counts."""

MENTIONS, SAYS = "mentions", "says"


class Restating(NamedTuple):
    """An episode that still states something: why (`mentions` or `says`), and where.

    `where` is the section in which it is mentioned, or the address `ID/d1` of the decision that
    says much the same; `words` are those that both have.
    """

    id: str
    path: str
    why: str
    where: str
    words: tuple[str, ...] = ()


def restating(
    shelf: Shelf, old: str, texts: Collection[str], leave: Collection[str]
) -> tuple[Restating, ...]:
    """The episodes that still state what an episode, or one decision of it, said; newest first.

    `old` is the id that was replaced, or of whose decisions one was, `texts` the decisions that do
    not stand any more, `leave` the ids that are not looked at. Episodes that are replaced
    themselves, and decisions that do not stand, say nothing any more.
    """
    made = Decisions(shelf)
    wanted = [found for found in map(_telling, texts) if len(found) >= _LEAST]
    out: list[Restating] = []
    for entry in reversed(shelf.entries):
        if entry.id in leave or entry.id in shelf.superseded:
            continue
        found = [*_mentions(entry, old), *_says(entry, made, wanted)]
        out += found[:1]
    return tuple(out)


def _mentions(entry: Entry, old: str) -> Iterator[Restating]:
    for name, section in entry.mentions:
        if name == old:
            yield Restating(entry.id, entry.path, MENTIONS, section)


def _says(entry: Entry, made: Decisions, wanted: list[frozenset[str]]) -> Iterator[Restating]:
    for decision in made.of(entry):
        own = _telling(decision.text) if decision.stands else frozenset()
        for words_ in wanted:
            both = own & words_
            if len(both) >= MOST * len(words_):
                shared = tuple(sorted(both))
                yield Restating(entry.id, entry.path, SAYS, decision.address, shared)


def _telling(text: str) -> frozenset[str]:
    """The words of a text that are long enough to say something."""
    return frozenset(word for word in words(text) if len(word) >= _SHORT)
