"""Find episodes by a question, in any words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from ..domain.errors import UsageError, at_least
from ..domain.finding import left_out
from ..domain.text import one_line, plural
from ..engine import finder
from ..engine.finder import Mode, Wanted
from ..engine.showing import Hit as Shown
from ..storage.store import Store
from ..verb import CommandLineOnly, verb

Detail = Literal["address", "excerpt", "digest", "section"]
_DAYS = "write 2026, 2026Q3, 2026-07 or 2026-07-31."


@dataclass(frozen=True)
class Hit:
    """One episode that fits: its address, the section that fits best, and a piece of it.

    `start` and `end` are offsets of characters in the file, between which the excerpt stands.
    """

    address: str
    id: str
    section: str
    score: float
    title: str
    excerpt: str = ""
    start: int = 0
    end: int = 0
    text: str = ""
    why: Mapping[str, Any] = field(default_factory=dict)
    archived: bool = False
    replaced_by: tuple[str, ...] = ()
    reversed: tuple[str, ...] = ()

    def data(self) -> dict[str, Any]:
        """The keys of a hit; those that hold nothing are left out."""
        always = ("address", "id", "section", "score")
        shown = ("excerpt", "start", "end") if self.why else ()  # an excerpt may begin at 0
        return {k: v for k, v in vars(self).items() if k in (*always, *shown) or v}


@dataclass(frozen=True)
class Found:
    """The hits, best first, how many there are in all, and what is to be said of the question."""

    mode: str
    hits: tuple[Hit, ...]
    total: int
    likely: bool
    confidence: float
    unknown_words: tuple[str, ...] = ()
    read_as: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    next_cursor: str = ""
    hidden: int = 0
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def __str__(self) -> str:
        rows = (f"{h.address}\t{h.score}\t{_line(h)}\t{h.section}" for h in self.hits)
        return "\n".join(rows)

    @property
    def hint(self) -> str:
        """What to say beside the hits."""
        left = f"More: --cursor {self.next_cursor}" if self.next_cursor else ""
        said = (self._found, *self.notes, left)
        return "\n".join(f"memshelf: {text}" for text in said if text)

    @property
    def _found(self) -> str:
        if self.hits:
            nearest = "Nothing on the shelf clearly answers that; this comes nearest."
            return "" if self.likely else nearest
        if self.total:
            return f"That was all: {plural(self.total, 'hit')}."
        return "Nothing on the shelf answers that."


def _line(hit: Hit) -> str:
    marks = ["archived"] if hit.archived else []
    marks += [f"replaced by {', '.join(hit.replaced_by)}"] if hit.replaced_by else []
    marks += hit.reversed
    return " ".join((*(f"({mark})" for mark in marks), one_line(hit.text or hit.excerpt)))


@verb()
def search(
    store: Store,
    query: Annotated[str, 'A question or words; "a phrase", -without, tag: kind: since: until:'],
    *,
    max_results: Annotated[int, "At most so many hits."] = 10,
    cursor: Annotated[str, "Where the last page ended, as it said."] = "",
    detail: Annotated[Detail, "How much of each hit: more costs more."] = "excerpt",
    past: Annotated[bool, "Also what was replaced or archived."] = False,
    recency: Annotated[float, "From 0 to 1: how much newer ones are favoured."] = 0.0,
    diversity: Annotated[
        float, "From 0 to 1: how much hits shall differ.", CommandLineOnly()
    ] = 0.0,
    mode: Annotated[
        Mode, "By words, by meaning, or both; auto asks meaning where words fail."
    ] = "auto",
) -> Found:
    """Find episodes by a question, in any words.

    Ask as you would ask a person; word forms, case and accents do not matter, and a word that
    nobody uses does not empty the answer. Each hit names an episode and the section that fits
    best, which recall then fetches.

    Example:
    memshelf search "why was the token bucket rejected?"
    memshelf search "лимиты kind:topic since:2026-03" --json
    """
    at_least(1, "max_results", max_results)
    for name, value in (("recency", recency), ("diversity", diversity)):
        if not 0 <= value <= 1:
            raise UsageError(f"{name} is {value}.", "Give a number from 0 to 1.")
    offset = _offset(cursor)
    wanted = Wanted(max_results, offset, past, recency, diversity, mode)
    found = finder.find(store, query, wanted)
    after = offset + len(found.hits)
    return Found(
        mode=found.mode,
        hits=tuple(_hit(one, detail) for one in found.hits),
        total=found.total,
        likely=found.likely,
        confidence=round(found.confidence, 3),
        unknown_words=found.unknown,
        read_as=found.instead,
        next_cursor=str(after) if after < found.total else "",
        hidden=found.hidden,
        notes=tuple(notes(found)),
        problems=tuple(found.problems),
    )


def _offset(cursor: str) -> int:
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 9):
        raise UsageError(f"{cursor!r} is no cursor.", "Give the one that the last page named.")
    return int(cursor or 0)


def _hit(one: Shown, detail: Detail) -> Hit:
    plain = detail == "address"
    return Hit(
        address=one.doc.path,
        id=one.doc.id,
        section=one.passage.part.section,
        score=one.score,
        title=one.title,
        excerpt="" if plain else one.excerpt.text,
        start=0 if plain else one.excerpt.start,
        end=0 if plain else one.excerpt.end,
        text=one.text(detail),
        why={} if plain else one.why,
        archived=one.doc.archived,
        replaced_by=one.replaced_by,
        reversed=one.reversed,
    )


def notes(found: finder.Found) -> list[str]:
    """What is to be said of the question, and of what is not among the hits."""
    said = [f"Nobody here says {', '.join(map(repr, found.unknown))}." if found.unknown else ""]
    said += found.unmet
    said += (f"{text} names no day and was read as words: {_DAYS}" for text in found.unread)
    read = (
        f"{word!r} was read as {' or '.join(map(repr, to))}" for word, to in found.instead.items()
    )
    instead = "; ".join(read)
    said.append(f"{instead}." if instead else "")
    if found.hidden:
        said.append(f"{plural(found.hidden, 'hit')} replaced or archived: --past shows them.")
    return [text for text in (*said, *found.notes, left_out(found.problems)) if text]
