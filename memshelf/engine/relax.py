"""Words that nobody on the shelf uses: read as a beginning, as a compound, or as a typing mistake.

Only for these; a word that stands somewhere is taken as it was written.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ..domain.patterns import lazy
from ..domain.text import DENSE
from .postings import Postings
from .query import Term

_DENSE = lazy(f"[{DENSE}]")
_MOST = 24
_SHORTEST = 4
"""Letters of a word that may have been mistyped, and of each part of a compound."""


def relaxed(term: Term, postings: Postings) -> Term:
    """A term that can be found: itself where anybody uses it, else what it may have meant.

    Its tokens are empty where nothing comes near.
    """
    if term.open:
        starts = tuple(sorted(postings.beginning(term.tokens[0])))
        return term._replace(tokens=starts or term.tokens)
    if postings.known((*term.tokens, *term.also)):
        return term
    word = term.tokens[0]
    if term.beside or _DENSE.match(word) or len(word) < _SHORTEST - 1 or word[0].isdigit():
        return term._replace(tokens=())
    return term._replace(tokens=tuple(_meant(term.tokens, postings)))


def _meant(words: tuple[str, ...], postings: Postings) -> Iterable[str]:
    known = list(postings.beginning(words[0][0]))
    longer = [token for token in known if token.startswith(words)]
    return (
        _used(sorted(longer)[:_MOST], postings)
        or _compound(words, postings)
        or _near(words, known, postings)
    )


def _used(tokens: Iterable[str], postings: Postings) -> list[str]:
    """The first tokens that a file holds: an index knows words of files that are gone."""
    return list(islice((token for token in tokens if postings.known((token,))), _MOST))


def _compound(words: tuple[str, ...], postings: Postings) -> list[str]:
    """The two words that a compound is made of, with or without a German `s` between them."""
    for word in words:
        for cut in range(len(word) - _SHORTEST, _SHORTEST - 1, -1):
            head, tail = word[:cut], word[cut:]
            heads = _used(dict.fromkeys((head, head.removesuffix("s"))), postings)
            if heads and _used((tail,), postings):
                return [heads[0], tail]
    return []


def _near(words: tuple[str, ...], known: Iterable[str], postings: Postings) -> list[str]:
    """The tokens that one mistake, in a long word two, would make of a word; the likeliest alone."""
    word = max(words, key=len)
    most = 0 if len(word) < _SHORTEST else 1 if len(word) < 8 else 2
    by_distance: dict[int, list[str]] = {}
    for token in known:
        if abs(len(token) - len(word)) <= most and len(token) >= _SHORTEST - 1:
            letters = set(token)
            close = [one for one in words if len(letters.symmetric_difference(one)) <= 2 * most]
            away = min((distance(one, token, most) for one in close), default=most + 1)
            if away <= most:  # a mistake changes two letters of the set at most
                by_distance.setdefault(away, []).append(token)
    for away in sorted(by_distance):
        used = _used(sorted(by_distance[away]), postings)
        if used:
            return used
    return []


def distance(one: str, other: str, most: int) -> int:
    """Letters to add, drop, change or swap with the next to come from one word to another; more
    than `most` is `most + 1`.

    The restricted Damerau-Levenshtein distance.

    >>> distance("recieve", "receive", 2), distance("shelf", "shell", 2), distance("a", "bcd", 1)
    (1, 1, 2)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, char in enumerate(one, 1):
        after = [i]
        for j, there in enumerate(other, 1):
            cost = min(row[j] + 1, after[j - 1] + 1, row[j - 1] + (char != there))
            if i > 1 and j > 1 and char == other[j - 2] and one[i - 2] == there:
                cost = min(cost, before[j - 2] + 1)
            after.append(cost)
        if min(after) > most:
            return most + 1
        before, row = row, after
    return min(row[-1], most + 1)
