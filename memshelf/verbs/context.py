"""Pack what the shelf has for a task into a budget: sections, threads, index lines."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from ..domain.envelope import enclose
from ..domain.errors import UsageError
from ..domain.text import budget_tokens, clip, plural
from ..engine.packing import SECTION, THREAD, Packed, pack
from ..storage.store import Store
from ..verb import verb
from .gathering import Gathered, gathered
from .search import notes

LEAST = 60
"""Tokens of the smallest budget: an envelope around nothing costs as much."""
_OPENED, _PER_EPISODE, _MOST = 32, 80, 240
_NOTE = 160
_MARKER = "0" * 8


class Part(NamedTuple):
    """One piece of the bundle: section, thread, line or session, its address and its tokens."""

    kind: str
    address: str
    tokens: int


class Left(NamedTuple):
    """What touches the task as well and had no room."""

    sections: int
    threads: int
    lines: int

    def __str__(self) -> str:
        counts = zip(self, ("section", "thread", "index line"), strict=True)
        said = ", ".join(plural(count, noun) for count, noun in counts if count)
        return f"Left out: {said}. recall fetches by id, search finds more." if said else ""


@dataclass(frozen=True)
class Context:
    """The bundle as text, what it costs, what it is made of and what was left out."""

    tokens: int
    text: str
    budget: int
    parts: tuple[Part, ...]
    left_out: Left
    likely: bool
    unknown_words: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

    def data(self) -> dict[str, Any]:
        """The fields."""
        return dict(vars(self))


@verb(prose=True)
def context(
    store: Store,
    task: Annotated[str, "The task in words, as you would tell a colleague."],
    *,
    budget: Annotated[int, "Tokens that the whole answer may cost."] = 2000,
    past: Annotated[bool, "Also what was replaced or archived."] = False,
) -> Context:
    """Pack what the shelf has for a task into a budget: sections, threads, index lines.

    Call it first when a task begins. The best sections come first and take about three fifths of
    the budget where there is more to say: open threads that the task touches, index lines of other
    episodes, the newest session. The budget is never exceeded, and what had no room is counted.

    Example:
    memshelf context "move the rate limiter to Redis" --budget 2000
    memshelf context "что решили про лимиты" --budget 800 --json
    """
    if budget < LEAST:
        raise UsageError(f"{budget} tokens hold nothing.", f"Give a budget of {LEAST} or more.")
    limit = min(max(_OPENED, budget // _PER_EPISODE), _MOST)
    there = gathered(store, task, limit, past)
    frame = _Frame.of(there, budget)
    packed = pack(there.pieces, budget - frame.tokens)
    left = _left(there, packed)
    text = frame.around(packed, left) if packed.taken else _nothing(there, left, budget)
    return Context(
        tokens=budget_tokens(text),
        text=text,
        budget=budget,
        parts=tuple(Part(one.piece.kind, one.piece.address, one.tokens) for one in packed.taken),
        left_out=left,
        likely=there.found.likely,
        unknown_words=there.found.unknown,
        notes=tuple(notes(there.found)),
    )


class _Frame(NamedTuple):
    """What stands before and after the bundle, and the tokens that all of it costs at most."""

    lead: str
    said: tuple[str, ...]
    tokens: int

    @classmethod
    def of(cls, there: Gathered, budget: int) -> _Frame:
        """The frame of what was gathered: notes stand in it where a tenth of the budget holds them."""
        lead, said = _lead(there), _said(there, budget // 10)
        lines = (lead, enclose("", _MARKER), str(_most(there)), *said)
        return cls(lead, said, sum(budget_tokens(f"{line}\n") for line in lines))

    def around(self, packed: Packed, left: Left) -> str:
        """The whole answer."""
        marker = os.urandom(4).hex()
        while marker in packed.text:
            marker = os.urandom(4).hex()
        lines = (self.lead, enclose(packed.text, marker), str(left), *self.said)
        return "\n".join(filter(None, lines))


def _lead(there: Gathered) -> str:
    if there.found.likely:
        return ""
    nearest = "Nothing on the shelf clearly answers that; this comes nearest:"
    return nearest if there.found.hits else "Nothing on the shelf answers that."


def _said(there: Gathered, room: int) -> tuple[str, ...]:
    """Notes on the task that hold however the search was made, as far as there is room."""
    lasting = there.found._replace(notes=(), instead={})
    lines = (clip(line, _NOTE) for line in notes(lasting))
    return tuple(line for line in lines if budget_tokens(line) <= room // 2)


def _most(there: Gathered) -> Left:
    """Everything that could be left out."""
    kinds = [piece.kind for piece in there.pieces]
    return Left(kinds.count(SECTION), kinds.count(THREAD), there.found.total)


def _left(there: Gathered, packed: Packed) -> Left:
    """What was not packed. An episode of which anything is shown needs no line."""
    shown = {one.piece.of for one in packed.taken if one.piece.kind != THREAD}
    lines = there.found.total - sum(hit.doc.path in shown for hit in there.found.hits)
    return Left(packed.left[SECTION], packed.left[THREAD], lines)


def _nothing(there: Gathered, left: Left, budget: int) -> str:
    """What is said where no piece can be shown."""
    if there.pieces:
        return f"Nothing fits into {budget} tokens. {left}".strip()
    return "\n".join(("Nothing on the shelf touches that.", *_said(there, budget // 10)))
