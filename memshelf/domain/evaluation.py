"""How good ranked answers are: figures of one list, of a set, and of two sets against each other."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from .questions import Question

RESAMPLES, SEED = 2000, 5
FEW = 25
"""With fewer differing questions than this, what is not significant says little."""


class Asked(NamedTuple):
    """A question and its answer: addresses, best first; whether the engine thinks that the answer
    is among them; and how sure it is, where it says so."""

    question: Question
    addresses: tuple[str, ...]
    likely: bool = True
    confidence: float | None = None


def gains(addresses: Sequence[str], expected: Sequence[str]) -> tuple[int, ...]:
    """1 for each address that contains an expected text which none before it did, else 0.

    >>> gains(("docs/a.md", "docs/b.md", "docs/a.md"), ("a.md",))
    (1, 0, 0)
    """
    left = list(expected)
    out = []
    for address in addresses:
        found = [text for text in left if text in address]
        left = [text for text in left if text not in found]
        out.append(int(bool(found)))
    return tuple(out)


def rank(asked: Asked, k: int) -> int:
    """The place of the first right address, from 1; 0 where none is among the first k."""
    found = gains(asked.addresses[:k], asked.question.expected)
    return found.index(1) + 1 if 1 in found else 0


def reciprocal(place: int) -> float:
    """1 / rank, and 0 for a miss; its mean is the MRR (Voorhees, TREC-8, 1999).

    >>> reciprocal(4), reciprocal(0)
    (0.25, 0.0)
    """
    return 1 / place if place else 0.0


def ndcg(asked: Asked, k: int) -> float:
    """nDCG of the first k with binary relevance: gains divided by log2(place + 1), and by the best
    that the number of expected answers allows (Järvelin and Kekäläinen, ACM TOIS 20(4), 2002).
    """
    found = gains(asked.addresses[:k], asked.question.expected)
    return _dcg(found) / _dcg([1] * min(len(asked.question.expected), k))


def _dcg(found: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(place + 1) for place, gain in enumerate(found, 1))


class Scores(NamedTuple):
    """Means over `n` questions whose answer is on the shelf, and those that were missed."""

    n: int
    hit1: float
    hitk: float
    mrr: float
    ndcg: float
    misses: tuple[str, ...] = ()


def scores(asked: Iterable[Asked], k: int) -> Scores:
    """The scores of answers; questions whose answer is not on the shelf are not in them."""
    there = [one for one in asked if one.question.expected]
    places = [rank(one, k) for one in there]
    missed = tuple(q.question.text for q, at in zip(there, places, strict=True) if not at)
    return Scores(
        len(there),
        _mean([at == 1 for at in places]),
        _mean([at > 0 for at in places]),
        _mean([reciprocal(at) for at in places]),
        _mean([ndcg(one, k) for one in there]),
        missed,
    )


def grouped(asked: Iterable[Asked], k: int, key: Callable[[Question], str]) -> dict[str, Scores]:
    """Scores for each language or class, by name; questions without one are in none."""
    groups: dict[str, list[Asked]] = {}
    for one in asked:
        if one.question.expected and key(one.question):
            groups.setdefault(key(one.question), []).append(one)
    return {name: scores(groups[name], k) for name in sorted(groups)}


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


class Absent(NamedTuple):
    """How well an engine knows that it has no answer.

    `n` questions have none: the share `recognised` was called unlikely; of those that have one the
    share `wrong` was. `auc` is the chance that the confidence of one with an answer is above that
    of one without, None where it was not given on both sides.
    """

    n: int
    recognised: float
    wrong: float
    auc: float | None = None


def absent(asked: Sequence[Asked]) -> Absent:
    """The figures of questions whose answer is not on the shelf, beside those whose answer is."""
    there = [one for one in asked if one.question.expected]
    gone = [one for one in asked if not one.question.expected]
    sure = [[a.confidence for a in side if a.confidence is not None] for side in (there, gone)]
    return Absent(
        len(gone),
        _mean([not one.likely for one in gone]),
        _mean([not one.likely for one in there]),
        auc(*sure) if all(sure) else None,
    )


def auc(above: Sequence[float], below: Sequence[float]) -> float:
    """The chance that one of `above` is larger than one of `below`, a tie counting half: the area
    under the ROC curve, which is the Mann-Whitney U divided by the number of pairs (Hanley and
    McNeil, Radiology 143, 1982).

    >>> auc([0.9, 0.5], [0.5, 0.1])
    0.875
    """
    order = sorted(below)
    wins = sum(bisect_left(order, x) + bisect_right(order, x) for x in above) / 2
    return wins / (len(above) * len(below))


class Significance(NamedTuple):
    """What a second ranking gains and loses against a first, over the same `n` questions.

    `gained` and `lost` count first places and `p` is what McNemar's exact test says of them;
    `difference` is of the MRR, between `low` and `high` with 95 percent confidence.
    """

    n: int
    gained: int
    lost: int
    p: float
    difference: float
    low: float
    high: float

    def note(self, first: str, second: str) -> str:
        """The comparison in one sentence; `first` and `second` name the rankings."""
        mrr = f"MRR {self.difference:+.3f} (95% between {self.low:+.3f} and {self.high:+.3f})"
        if not self.gained + self.lost:
            return f"{second} and {first} have the same first places; {mrr}"
        counts = f"{second} finds {self.gained} more and loses {self.lost} of {self.n} first places"
        return f"{counts} against {first}; {mrr}; p = {self.p:.2g}: {self.verdict}"

    @property
    def verdict(self) -> str:
        """What p means for first places, in words."""
        if self.p < 0.05:
            return "hardly by chance"
        few = self.gained + self.lost < FEW
        return "too few questions to tell" if few else "no difference to be seen"


def significance(first: Sequence[int], second: Sequence[int]) -> Significance:
    """Two rankings of the same questions, as ranks (0 for a miss), against each other."""
    pairs = list(zip(first, second, strict=True))
    gained = sum(b == 1 and a != 1 for a, b in pairs)
    lost = sum(a == 1 and b != 1 for a, b in pairs)
    steps = [reciprocal(b) - reciprocal(a) for a, b in pairs]
    return Significance(
        len(pairs), gained, lost, sign_test(gained, lost), _mean(steps), *interval(steps)
    )


def sign_test(gained: int, lost: int) -> float:
    """p of McNemar's test in its exact, two-sided form: a binomial test with even chances of the
    questions that differ (McNemar, Psychometrika 12, 1947).

    >>> sign_test(5, 0), sign_test(0, 0)
    (0.0625, 1.0)
    """
    n = gained + lost
    tail, ways = 0, 1
    for i in range(min(gained, lost) + 1):
        tail += ways
        ways = ways * (n - i) // (i + 1)
    return min(1.0, tail / (1 << n) * 2)


def interval(steps: Sequence[float]) -> tuple[float, float]:
    """Where 95 percent of the means of 2,000 resamples lie: the paired percentile bootstrap (Efron
    and Tibshirani, 1993; for retrieval: Sakai, SIGIR 2006). Seeded, so always the same.
    """
    if not any(steps):
        return 0.0, 0.0
    n = len(steps)
    draw = _places(n)
    means = sorted(_mean([steps[i] for i in islice(draw, n)]) for _ in range(RESAMPLES))
    edge = RESAMPLES // 40
    return means[edge], means[-1 - edge]


def _places(n: int) -> Iterator[int]:
    """Numbers below n, drawn without end by Knuth's generator of 64 bits (MMIX; TAOCP 2, 3.3.4): the
    same on every machine and in every version of Python."""
    state = SEED
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFF_FFFF_FFFF_FFFF
        yield (state >> 32) * n >> 32


def dropped(before: float, now: float) -> bool:
    """True where a figure fell by more than 0.05."""
    return before - now > 0.05 + 1e-9
