"""Words and meaning together: two lists of files fused into one by reciprocal ranks."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ..domain.errors import ShelfError
from ..storage.store import Store
from . import background
from .fields import Catalogue
from .finder import LIKELY, Found, Wanted
from .fuse import rrf
from .meaning import Meaning, named
from .showing import WINDOW, Shower
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
    return _fused(wanted, found, shower, kept, numbered)._replace(notes=notes)


def _fused(
    wanted: Wanted, found: Found, shower: Shower, kept: Sequence[int], near: dict[int, Near]
) -> Found:
    words = [] if wanted.mode == "semantic" else _by_words(shower, kept)
    trust = TRUST if found.confidence < LIKELY else 1
    meant = list(map(str, near))
    scores = rrf([list(map(str, words)), *([meant] * trust)])
    order = [int(no) for no in scores]
    rest = [no for no in kept if str(no) not in scores] if words else []
    page = (order + rest)[wanted.offset : wanted.offset + wanted.limit]
    opened = [(one, near.get(no)) for no in page if (one := shower.opened(no))]
    hits = tuple(shower.fused(one, there, scores.get(str(one.no), 0.0)) for one, there in opened)
    closest = max((one.cosine for one in near.values()), default=0.0)
    confidence = max(found.confidence, LIKELY * closest / CLOSE)
    return found._replace(
        hits=hits,
        total=len(order) + len(rest),
        confidence=min(confidence, 1.0),
        mode="semantic" if wanted.mode == "semantic" else "hybrid",
    )


def _by_words(shower: Shower, kept: Sequence[int]) -> list[int]:
    first = [one.no for one in shower.ordered(kept, 0, min(WINDOW, len(kept)))]
    known = set(first)
    return first + [no for no in kept[:POOL] if no not in known]
