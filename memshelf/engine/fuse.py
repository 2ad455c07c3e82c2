"""Fusing ranked lists into one, and choosing among its first hits those that differ."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")
Key = TypeVar("Key", bound=Hashable)

K = 60
POOL = 40
"""So many of the first hits are chosen among; the rest follow in their order."""


def rrf(lists: Sequence[Sequence[Key]], k: int = K) -> dict[Key, float]:
    """Key to score, the best first: the sum of 1 / (k + place) over the lists that hold it.

    Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009, where k is 60); places count
    from 1. A key that a list holds twice counts there once. Of equal scores the key that comes
    first in the first list that holds it is first.

    >>> list(rrf([["a", "b", "c"], ["c", "a"]]))
    ['a', 'c', 'b']
    """
    scores: dict[Key, float] = {}
    for ranked in lists:
        for place, key in enumerate(dict.fromkeys(ranked), 1):
            scores[key] = scores.get(key, 0.0) + 1 / (k + place)
    return dict(sorted(scores.items(), key=lambda pair: -pair[1]))


def mmr(
    ranked: Sequence[tuple[T, float]], similarity: Callable[[T, T], float], diversity: float
) -> list[T]:
    """The keys of a ranked list in an order in which hits that say the same stand apart.

    Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): the next is always the one
    with the largest (1 - diversity) * relevance - diversity * its greatest similarity to one
    before. Relevance is brought to 0..1 first, else its scale would decide; `similarity` gives
    0..1 and `diversity` is 0 (the order as it was) to 1.

    >>> mmr([("a", 3), ("a too", 2.9), ("b", 2)], lambda x, y: x[0] == y[0], 0.5)
    ['a', 'b', 'a too']
    """
    keys = [key for key, _ in ranked]
    if diversity <= 0 or len(keys) < 3:
        return keys
    rest = list(zip(keys, _normalised([score for _, score in ranked[:POOL]]), strict=False))
    chosen: list[T] = []
    nearest = [0.0] * len(rest)
    while rest:
        values = [
            (1 - diversity) * relevance - diversity * near
            for (_, relevance), near in zip(rest, nearest, strict=True)
        ]
        best = values.index(max(values))
        chosen.append(rest.pop(best)[0])
        nearest.pop(best)
        nearest = [
            max(near, similarity(chosen[-1], key))
            for (key, _), near in zip(rest, nearest, strict=True)
        ]
    return chosen + keys[POOL:]


def _normalised(scores: Sequence[float]) -> list[float]:
    """Scores brought to 0..1, all 1 where they are equal."""
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]
