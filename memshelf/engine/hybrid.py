"""Words and meaning together: two lists of files fused into one by reciprocal ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from ..domain.errors import ShelfError
from ..storage.store import Store
from . import background
from .fields import Catalogue
from .finder import LIKELY, Found, Wanted, newer_first
from .fuse import K, rrf
from .meaning import Meaning, named
from .showing import WINDOW, Judged, Opened, Shower
from .vectors import Near

POOL = 100
"""So many files of each list are fused."""
TRUST = 8
"""How much more meaning counts than words, where the words make no answer likely."""
CLOSE = 0.45
"""The cosine from which a section counts as an answer though its words do not; tuned on one half of
the questions of tests/evaluation."""


def by_meaning(
    store: Store,
    text: str,
    wanted: Wanted,
    found: Found,
    shower: Shower,
    docs: Catalogue,
    kept: Sequence[int],
    allowed: AbstractSet[int],
) -> Found:
    """What was found by words, with what means the same; by meaning alone in the mode `semantic`.

    Where no vectors can be had the words have to do, and a note says why. Raises ShelfError where
    meaning alone was asked for then.
    """
    meaning = Meaning.of(store, named(store))
    every = len(allowed) == len(docs.lengths)
    paths = None if every else {docs.doc(no).path for no in allowed}
    near = meaning.nearest(text, POOL, paths)
    if meaning.why and wanted.mode == "semantic":
        raise ShelfError(meaning.why, "Search by words: --mode lexical", "no-encoder")
    if meaning.why:
        return found._replace(notes=(*found.notes, meaning.why))
    notes = (*found.notes, meaning.note) if meaning.note else found.notes
    if meaning.note and store.fresh_for:  # a process that lasts has time to embed the rest
        background.embed(store.root)
    if not near and wanted.mode != "semantic":
        return found._replace(notes=notes)
    numbered = {no: one for one in near if (no := docs.no(one.path)) is not None}
    return _fused(wanted, found, shower, docs, kept, numbered)._replace(notes=notes)


def _fused(
    wanted: Wanted,
    found: Found,
    shower: Shower,
    docs: Catalogue,
    kept: Sequence[int],
    near: Mapping[int, Near],
) -> Found:
    words = [] if wanted.mode == "semantic" else _by_words(shower, kept)
    cosines = {no: max(one.cosine, 0.0) for no, one in near.items()}
    meant = newer_first(cosines, docs, wanted.recency)
    trust = TRUST if found.confidence < LIKELY else 1
    scores = rrf([words, *([list(meant)] * trust)])
    if words:
        rest = enumerate(kept[POOL:], POOL + 1)
        scores |= {no: 1 / (K + place) for place, no in rest if no not in scores}
    last, judged = wanted.offset + wanted.limit, _judge(scores, meant, bool(words))
    page = shower.ordered(list(scores), wanted.offset, last, judged)
    closest = max((one.cosine for one in near.values()), default=0.0)
    confidence = max(found.confidence, LIKELY * closest / CLOSE)
    return found._replace(
        hits=tuple(shower.fused(one, near.get(one.no)) for one in page),
        total=len(scores),
        confidence=min(confidence, 1.0),
        mode="semantic" if wanted.mode == "semantic" else "hybrid",
    )


def _by_words(shower: Shower, kept: Sequence[int]) -> list[int]:
    """The first matches by words; kinds and what says the same are put apart once, in the end."""
    return [one.no for one in shower.best_first(kept[:WINDOW])] + list(kept[WINDOW:POOL])


def _judge(scores: Mapping[int, float], meant: Mapping[int, float], by_words: bool) -> Judged:
    """Gives a match its fused score, and what it is worth in each list that was fused.

    Fused scores only count places: tenth is 0.87 of first, however much worse it is.
    """

    def judged(one: Opened) -> Opened:
        worth = {"words": one.score} if by_words else {}
        worth["meaning"] = meant.get(one.no, 0.0)
        return one._replace(points=one.score, score=scores[one.no], worth=worth)

    return judged
