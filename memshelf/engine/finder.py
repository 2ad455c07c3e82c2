"""Questions to a shelf: what is asked, looked for by words and by meaning, and found."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from ..domain import dates
from ..domain.errors import UsageError
from ..storage.store import Store
from . import following
from .fields import Catalogue
from .following import Source
from .narrowing import fitting, unmet
from .query import Query, Term, parse
from .rank import admitted, best_first, ranked
from .relax import relaxed
from .showing import Hit, Shower
from .synonyms import alike, groups

Mode = Literal["auto", "lexical", "semantic", "hybrid"]
_HALF = 90
"""Days after which a file is favoured half as much for being new."""
_ASK = 'Give words: memshelf search "redis cache"'
LIKELY = 0.3
"""The share of a question that the best section must hold for it to count as an answer."""


class Wanted(NamedTuple):
    """How a question is to be answered.

    So many of the first matches are `listed`, beside the hits of the page.
    `past` takes in what was replaced or archived; `recency` from 0 to 1 favours what is new, and
    `diversity` from 0 to 1 what differs. With the mode `auto` meaning is asked where the words make
    no answer likely, if the shelf has vectors.
    """

    limit: int = 10
    offset: int = 0
    past: bool = False
    recency: float = 0.0
    diversity: float = 0.0
    mode: Mode = "lexical"
    listed: int = 0


class Found(NamedTuple):
    """What a question finds: a page of hits, how many there are, and what is to be said beside.

    `unknown` are words that nobody knows, `instead` what they were read as; `unmet` are sentences
    about filters that no file fits, `unread` filters that name no day; `hidden` counts files
    that were replaced or archived and would have been hits; `confidence` is the share of the
    question that the best hit holds, `mode` how it was looked for in the end. `listed` are the
    paths of the first matches, as many as were wanted.
    """

    hits: tuple[Hit, ...]
    total: int
    unknown: tuple[str, ...] = ()
    instead: Mapping[str, tuple[str, ...]] = {}
    unmet: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    hidden: int = 0
    confidence: float = 0.0
    mode: str = "lexical"
    notes: tuple[str, ...] = ()
    problems: Sequence[str] = ()
    listed: frozenset[str] = frozenset()

    @property
    def likely(self) -> bool:
        """Whether an answer is among the hits, as far as can be told."""
        return self.confidence >= LIKELY


def find(store: Store, text: str, wanted: Wanted) -> Found:
    """What a question finds on a shelf. Raises ShelfUnusable where its settings cannot be read."""
    query = parse(text, alike(groups(store.config.raw)))
    if not query.asks:
        raise UsageError("The question has no word to look for.", _ASK)
    for _ in range(2):
        try:
            with following.source(store, query) as source:
                return _answer(store, query, wanted, source)
        except sqlite3.OperationalError:
            break
        except sqlite3.DatabaseError:  # damaged: never trusted
            following.engine(store).renew()
    return _answer(store, query, wanted, following.texts(store, query))


def _answer(store: Store, query: Query, wanted: Wanted, source: Source) -> Found:
    docs = source.postings.docs
    read = [(term, relaxed(term, source.postings)) for term in query.words]
    allowed = admitted(query, source.postings, fitting(docs, query.filters))
    ranking = ranked([term for _, term in read], source.postings, allowed)
    ranking = ranking._replace(points=newer_first(ranking.points, docs, wanted.recency))
    matches = list(ranking.points)
    kept = matches if wanted.past else [no for no in matches if no not in docs.past]
    shower = Shower(store, docs, ranking, wanted.diversity)
    last = wanted.offset + wanted.limit
    found = Found(
        hits=tuple(map(shower.hit, shower.ordered(kept, wanted.offset, last))),
        total=len(kept),
        unknown=tuple(_unknown(read)),
        unread=query.filters.unread,
        hidden=len(matches) - len(kept),
        notes=(source.note,) if source.note else (),
        problems=source.problems(),
        listed=frozenset(docs.doc(no).path for no in kept[: wanted.listed]),
    )
    found = found._replace(instead=dict(_instead(read, shower.spelled)))
    if best := shower.ordered(kept, 0, 1):
        found = found._replace(confidence=best[0].passage.share)
    if not allowed:
        found = found._replace(unmet=tuple(unmet(docs, query.filters)))
    if not query.said or not _asks_meaning(store, wanted, found):
        return found
    from .hybrid import by_meaning

    shown = allowed if wanted.past else allowed - docs.past
    return by_meaning(store, query.said, wanted, found, shower, docs, kept, shown)


def _asks_meaning(store: Store, wanted: Wanted, found: Found) -> bool:
    if wanted.mode == "auto":
        from .vectors_file import there

        return found.confidence < LIKELY and there(store)
    return wanted.mode != "lexical"


def newer_first(points: dict[int, float], docs: Catalogue, recency: float) -> dict[int, float]:
    """The points, with up to so much more of them the newer a file is: half of it less each
    `_HALF` days before the newest. Best first; without recency they stay as they are."""
    if not recency:
        return points
    days = {no: day.toordinal() for no in points if (day := dates.parse(docs.doc(no).date))}
    newest = max(days.values(), default=0)
    more = {no: recency * 0.5 ** ((newest - day) / _HALF) for no, day in days.items()}
    boosted = {no: score * (1 + more.get(no, 0.0)) for no, score in points.items()}
    return {no: boosted[no] for no in best_first(boosted)}


# --- what is said beside -------------------------------------------------------------------------


def _unknown(read: Iterable[tuple[Term, Term]]) -> Iterator[str]:
    """Words as they were written that nobody uses; a run without spaces only where no part of it
    is known."""
    known = {term.written for term, found in read if _same(term, found)}
    yield from dict.fromkeys(
        term.written
        for term, found in read
        if not term.beside and not _same(term, found) and term.written not in known
    )


def _instead(
    read: Iterable[tuple[Term, Term]], spelled: Callable[[str], str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for term, found in read:
        if found.tokens and not _same(term, found):
            yield term.written, tuple(dict.fromkeys(map(spelled, found.tokens[:3])))


def _same(term: Term, found: Term) -> bool:
    return term.open or found.tokens == term.tokens
