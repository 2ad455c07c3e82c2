"""Ranking: which files answer a question, by BM25 over weighted fields, nearness and passages.

The formula is BM25F (Robertson and Zaragoza, 2009): the counts of a word in the fields of a file are
weighted and summed before they saturate. What stands in many files says little: of such a word it
counts whether it is there, and in title or tags, not how often.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from math import log
from typing import NamedTuple

from .fields import WEIGHTS
from .postings import Counts, Postings
from .query import Phrase, Query, Term, is_open

K1, B = 1.2, 0.5
RARE = 1_000
"""Files up to which a word is rare, and its every place is counted."""
_ALSO = 0.5
_BESIDE = 0.5
_NEAR = 0.5
_HEAD = 0.6
_PAIRS = 6
_POOL = 200
"""So many files, the best by their words, are asked whether words stand near each other in them."""
_LEAST = 0.05
"""What a word weighs that stands nearly everywhere."""


class Asked(NamedTuple):
    """A term, the files that hold it with what each gets for it, and what it weighs (its idf)."""

    term: Term
    points: Mapping[int, float]
    weight: float

    @property
    def rare(self) -> bool:
        """True for a term of which every place was counted."""
        return len(self.points) <= RARE


class Ranking(NamedTuple):
    """The files that answer a question, best first, each with its points, and the terms by which.

    Of equal ones the newer comes first, then the one whose path does.
    """

    points: dict[int, float]
    asked: tuple[Asked, ...]
    total: float
    """What all terms weigh together, those that nobody knows too."""


def weighed(term: Term, postings: Postings, mean: float) -> Asked:
    """A term with the points of each file for it; `mean` is the usual length of a file."""
    lengths = postings.docs.lengths
    there = postings.holding((*term.tokens, *term.also))
    if len(there) <= RARE:
        counts = _summed(postings.counts(term.tokens), postings.counts(term.also))
        points = {no: saturated(count, lengths[no], mean) for no, count in counts.items()}
    else:
        points = dict.fromkeys(there, _ALSO if term.also else 1.0)
        if term.also:
            points |= dict.fromkeys(postings.holding(term.tokens), 1.0)
        points |= dict.fromkeys(postings.holding(term.tokens, heads=True), 1.0 + _HEAD)
    weight = idf(len(lengths), len(there)) * (_BESIDE if term.beside else 1.0)
    return Asked(term, points, weight)


def idf(files: int, size: int) -> float:
    """How much a word says that stands in so many of the files.

    >>> round(idf(1000, 1), 2), round(idf(1000, 900), 2)
    (6.5, 0.11)
    """
    return max(log(1 + (files - size + 0.5) / (size + 0.5)), _LEAST)


def saturated(weighted: float, length: int, mean: float) -> float:
    """The points of a word with such a count in a file of such a length: below K1 + 1."""
    norm = K1 * (1 - B + B * length / mean)
    return weighted * (K1 + 1) / (weighted + norm)


def _summed(counts: Mapping[int, Counts], also: Mapping[int, Counts]) -> dict[int, float]:
    out = {no: _weighted(count) for no, count in counts.items()}
    for no, count in also.items():
        out[no] = out.get(no, 0.0) + _ALSO * _weighted(count)
    return out


def _weighted(counts: Counts) -> float:
    return sum(weight * count for weight, count in zip(WEIGHTS, counts, strict=True))


def admitted(query: Query, postings: Postings, allowed: AbstractSet[int]) -> set[int]:
    """The allowed files that hold every phrase of a query and nothing of what it leaves out."""
    found = set(allowed)
    for phrase in query.phrases:
        found &= _saying(phrase, postings)
    for phrase in query.without:
        found -= _saying(phrase, postings)
    return found


def _saying(phrase: Phrase, postings: Postings) -> set[int]:
    """The files that hold a phrase in any of its languages."""
    return set().union(*(_holding(tokens, postings) for tokens in phrase))


def _holding(tokens: tuple[str, ...], postings: Postings) -> set[int]:
    if len(tokens) > 1:
        return postings.phrase(tokens)
    return postings.holding(tuple(postings.beginning(*tokens)) if is_open(*tokens) else tokens)


def ranked(terms: Sequence[Term], postings: Postings, allowed: AbstractSet[int]) -> Ranking:
    """The allowed files that hold some of the terms, best first; all of them where there are no
    terms."""
    docs = postings.docs
    mean = docs.mean
    asked = tuple(weighed(term, postings, mean) for term in terms if term.tokens)
    found = _candidates(asked) & allowed if terms else allowed
    points = dict.fromkeys((no for no in docs.lengths if no in found), 0.0)
    for one in asked:
        _add(points, one.weight, one.points)
    order = best_first(points)
    near = [one for one in _nearness(asked, postings, set(order[:_POOL])) if one[1]]
    for weight, there in near:
        _add(points, weight, there)
    if near:
        order = best_first(points)
    total = _total(terms, asked, len(docs.lengths))
    return Ranking({no: points[no] for no in order}, asked, total)


def best_first(points: Mapping[int, float]) -> list[int]:
    """The files by their points, those of equal ones as they stand; the last digits of a sum, which
    hang on the order of adding, are left out of account."""
    rounded = {no: round(point, 6) for no, point in points.items()}
    return sorted(rounded, key=rounded.__getitem__, reverse=True)


def _add(points: dict[int, float], weight: float, of: Mapping[int, float]) -> None:
    for no in points.keys() & of.keys() if len(of) < len(points) else points:
        points[no] += weight * of.get(no, 0.0)


def _total(terms: Sequence[Term], asked: Sequence[Asked], files: int) -> float:
    unknown = sum(1 for term in terms if not term.tokens and not term.beside)
    return sum(one.weight for one in asked if not one.term.beside) + unknown * idf(files, 0)


def _candidates(asked: tuple[Asked, ...]) -> set[int]:
    """Files that hold a rare word, or every one of those that stand in many files."""
    rare = [one for one in asked if one.rare]
    common = [one for one in asked if not one.rare and not one.term.beside]
    found: set[int] = set().union(*(one.points.keys() for one in rare))
    if common:
        both = set(common[0].points)
        for one in common[1:]:
            both &= one.points.keys()
        found |= both
        if not found:
            found = set().union(*(one.points.keys() for one in common))
    return found


def _nearness(
    asked: tuple[Asked, ...], postings: Postings, among: AbstractSet[int]
) -> Iterator[tuple[float, dict[int, float]]]:
    """What files get in which two words stand near each other that the question has side by side."""
    words = [one for one in asked if not one.term.beside]
    for one, other in list(pairwise(words))[:_PAIRS]:
        if one.points and other.points:
            near = postings.near(one.term.tokens[:2], other.term.tokens[:2], among)
            yield min(one.weight, other.weight), dict.fromkeys(near, _NEAR)
