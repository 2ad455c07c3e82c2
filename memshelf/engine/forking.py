"""What of some episodes fits into the start of a fresh session: digests first, then what was asked for.

Within a budget every chosen episode comes with its digest before any comes with more, and the index
has what is left, a quarter where there is more to say. Nothing is cut in the middle of a section.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..domain.episode import Document
from ..domain.text import budget_tokens

DIGEST = "Digest"
_INDEX = 0.25
"""Share of the room that is kept for the index where the episodes could fill all of it."""


class Chosen(NamedTuple):
    """An episode to start from: its id, its heading, a line to say first, and its document."""

    id: str
    heading: str
    said: str
    document: Document


class Fork(NamedTuple):
    """What fits of one episode: its text, "" where not even the digest does, and the sections of
    those wanted that had no room."""

    id: str
    text: str
    left: tuple[str, ...]


def forked(
    chosen: Sequence[Chosen], sections: Sequence[str], room: int | None, frame: int = 0
) -> list[Fork]:
    """The texts of episodes within a room of `budget_tokens`, all of it where that is None.

    Of each the digest and, in order, the sections named, or all of them where none is. An episode
    that has any text costs `frame` beside it.
    """
    pieces = [_pieces(one, sections) for one in chosen]
    taken: list[list[str]] = [[] for _ in pieces]
    spent = 0
    for depth in range(max((len(found) for found in pieces), default=0)):
        for place, found in enumerate(pieces):
            name, text = found[depth] if depth < len(found) else ("", "")
            cost = budget_tokens(text) + (0 if depth else frame)
            begun = depth == 0 or bool(taken[place])
            if text and begun and (room is None or spent + cost <= room):
                taken[place].append(name)
                spent += cost
    return [_fork(*one) for one in zip(chosen, pieces, taken, strict=True)]


def index_room(room: int, cost: int) -> int:
    """What of a room is kept for an index that costs so much."""
    return min(cost, int(room * _INDEX))


def _pieces(one: Chosen, sections: Sequence[str]) -> list[tuple[str, str]]:
    """The digest under the heading, then each section as it stands; by name."""
    document = one.document
    said = f"({one.said})\n\n" if one.said else ""
    digest = (document.body(DIGEST) or "").strip("\n")
    head = f"{said}# {one.heading}\n\n## {DIGEST}\n{digest}\n"
    return [(DIGEST, head), *((name, _section(document, name)) for name in _wanted(one, sections))]


def _wanted(one: Chosen, sections: Sequence[str]) -> Iterable[str]:
    names = one.document.names
    if not sections:
        return [name for name in names if name != DIGEST]
    found = [one.document.section(name) for name in sections]
    places = [one.document.sections.index(section) for section in found if section]
    return dict.fromkeys(names[place] for place in places if names[place] != DIGEST)


def _section(document: Document, name: str) -> str:
    found = document.section(name)
    shown = found.name if found else name
    return f"\n## {shown}\n{(document.body(name) or '').strip(chr(10))}\n".replace("\r\n", "\n")


def _fork(one: Chosen, pieces: list[tuple[str, str]], taken: list[str]) -> Fork:
    text = "".join(text for name, text in pieces if name in taken)
    return Fork(one.id, text, tuple(name for name, _ in pieces if name not in taken))
