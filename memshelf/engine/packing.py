"""Pieces of a shelf packed for a task: in order, none twice, within a hard budget of tokens.

Each kind may spend what is left but for what is kept back for those after it: at most 15 % of the
room for threads, 15 % for index lines and 10 % for the newest session, so that sections have 60 %,
and all of it where nothing else has anything to say; what remains goes to those three once more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..domain.text import budget_tokens, one_line
from .growing import Body, grown, whole

SECTION, THREAD, LINE, SESSION = KINDS = ("section", "thread", "line", "session")
_TITLES = {
    SECTION: "Sections that fit best:",
    THREAD: "Open threads:",
    LINE: "Also on the shelf:",
    SESSION: "The newest session:",
}
_KEPT_BACK = {THREAD: 0.15, LINE: 0.15, SESSION: 0.1}
_OF_ONE = 2
"""Sections of one episode, at most."""
_LEAST = 40
"""Tokens below which a piece of a section says nothing."""
_CUT = " (an excerpt)"


class Piece(NamedTuple):
    """What may be packed: its kind, its address, and the file `of` which it is.

    `head` is its first line. A section has a `body`; `said` is what a thread says in full.
    """

    kind: str
    address: str
    of: str
    head: str
    body: Body | None = None
    said: str = ""


class Taken(NamedTuple):
    """A piece that was packed, as it stands in the text, and the tokens that it costs."""

    piece: Piece
    text: str
    tokens: int


class Packed(NamedTuple):
    """The packed text, "" where nothing fits, what is in it, and how many of each kind are not."""

    text: str
    taken: tuple[Taken, ...]
    left: Mapping[str, int]


def pack(pieces: Iterable[Piece], room: int) -> Packed:
    """The pieces that fit into a room of `budget_tokens`, by kind, and of each kind in their order.

    A piece counts with its line breaks and rounded up, so that the sum is never below the whole.
    """
    given, room = list(pieces), max(room, 0)
    groups = {kind: [one for one in given if one.kind == kind] for kind in KINDS}
    news = {one.of for one in groups[SESSION]}  # its digest says more than its index line
    groups[LINE] = [one for one in groups[LINE] if one.of not in news]
    kept = {kind: min(_full(groups[kind]), int(room * part)) for kind, part in _KEPT_BACK.items()}
    taken: list[Taken] = []
    for kind in (*KINDS, THREAD, LINE, SESSION):
        kept.pop(kind, None)
        left = room - _spent(taken) - sum(kept.values())
        taken += _within(left, groups[kind], taken)
    place = {(one.kind, one.address): n for n, one in enumerate(given)}
    taken.sort(key=lambda one: (KINDS.index(one.piece.kind), place[one.piece[:2]]))
    return Packed(_laid_out(taken), tuple(taken), _left(given, taken))


def _spent(taken: Sequence[Taken]) -> int:
    kinds = {one.piece.kind for one in taken}
    return sum(one.tokens for one in taken) + sum(_price(_title(kind)) for kind in kinds)


def _left(given: Iterable[Piece], taken: Sequence[Taken]) -> Counter[str]:
    """How many of each kind had no room; what is said anyhow is not among them."""
    there = {(one.piece.kind, one.piece.address) for one in taken}
    missing = (one for one in given if (one.kind, one.address) not in there)
    return Counter(one.kind for one in missing if not _is_said(one, taken))


def _within(room: int, pieces: Sequence[Piece], before: Sequence[Taken]) -> Iterator[Taken]:
    """The pieces of one kind that fit and say something new."""
    taken = list(before)
    for place, piece in enumerate(pieces):
        if _is_there(piece, taken):
            continue
        begun = any(one.piece.kind == piece.kind for one in taken)
        title = 0 if begun else _price(_title(piece.kind))
        found = _fitted(piece, room - title, last=place == len(pieces) - 1)
        if found:
            yield found
            room -= title + found.tokens
            taken.append(found)


def _is_there(piece: Piece, taken: Sequence[Taken]) -> bool:
    """True for what is packed already or said by what is, and for a third section of an episode."""
    if any(one.piece.address == piece.address for one in taken):
        return True
    if piece.kind == THREAD:
        return _is_said(piece, taken)
    sections = sum(one.piece.of == piece.of and one.piece.kind == SECTION for one in taken)
    return sections >= {SECTION: _OF_ONE, LINE: 1}.get(piece.kind, _OF_ONE + 1)


def _is_said(piece: Piece, before: Sequence[Taken]) -> bool:
    """True for a thread that a section shows, which is packed already."""
    same = (one for one in before if one.piece.of == piece.of and one.piece.kind == SECTION)
    return bool(piece.said) and any(one_line(piece.said) in one_line(one.text) for one in same)


def _fitted(piece: Piece, room: int, last: bool) -> Taken | None:
    """A piece whole where it fits; else as much of its body as half the room holds, or all of it
    where no other one waits."""
    if piece.body is None:
        return _taken(piece, f"- {piece.head}\n", room)
    if piece.body.end - piece.body.start <= 4 * room:  # no text costs less
        found = _taken(piece, f"{piece.head}\n{whole(piece.body)}\n\n", room)
        if found:
            return found
    head = f"{piece.head}{_CUT}\n"
    limit = room if last or room // 2 < _LEAST else room // 2
    text = grown(piece.body, limit - _price(head) - 1) if limit >= _LEAST else ""
    return _taken(piece, f"{head}{text}\n\n", room) if text else None


def _taken(piece: Piece, text: str, room: int) -> Taken | None:
    price = _price(text)
    return Taken(piece, text, price) if price <= room else None


def _full(pieces: Sequence[Piece]) -> int:
    """What all pieces of a kind would cost."""
    bodies = (f"{one.head}\n{whole(one.body) if one.body else ''}\n\n\n" for one in pieces)
    return sum(map(_price, bodies)) + (_price(_title(pieces[0].kind)) if pieces else 0)


def _title(kind: str) -> str:
    return f"{_TITLES[kind]}\n\n"


_price = budget_tokens


def _laid_out(taken: Sequence[Taken]) -> str:
    """The kinds one after the other, each under its title, with an empty line between them."""
    groups = (
        f"{_TITLES[kind]}\n{''.join(one.text for one in taken if one.piece.kind == kind).rstrip()}"
        for kind in KINDS
        if any(one.piece.kind == kind for one in taken)
    )
    return "\n\n".join(groups)
