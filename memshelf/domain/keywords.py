"""The words by which an episode is found again once its own line is gone from the index."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from .entry import Entry
from .patterns import lazy
from .shelf import Shelf
from .text import fold, unspaced

USUAL, MOST = 24, 400
"""So many words are kept where nothing more is needed, and at most."""

_WORD = lazy(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")
_MASK = lazy(r"«redacted:[^»]*»")
_STOP = frozenset(
    # What every digest says of its own form, and the commonest words of four letters and more.
    "open rejected chosen chose decided decision decisions closed kept keep left none nothing "
    "about after again also although always because been before being between both cannot come "
    "could does doing done down each else even ever every first from gets give given goes good "
    "have having here into instead just last later less like made make makes many more most much "
    "must need needs never next only other over part same second section shall should since some "
    "still such take than that their them then there these they thing this those though through "
    "time together took under until upon used uses using very want well were what when where "
    "which while whose will with within without work would year your "
    "больше было были быть ведь весь вместо всего всех выбран выбрали выбрано даже если есть ещё "
    "зачем здесь какой когда который которые либо меньше может можно надо нельзя нужно однако "
    "отклонено отклонён отклонили открыто перед позже пока поле после потом почему принято "
    "решение решили решено сейчас снова такой также теперь того тоже только тогда хотя чего через "
    "чтобы этого этой этот "
    "aber alle auch dass dann dazu dies diese dieser doch durch eine einem einen einer gegen gibt "
    "haben hier jetzt kein keine mehr muss nach nicht noch oder offen ohne sein seine sich sind "
    "soll statt über unter verworfen viele wenn werden wird wurde gewählt zwischen".split()
)


def handles(entries: Sequence[Entry], shelf: Shelf) -> tuple[str, ...]:
    """The words that tell these episodes from all others on the shelf, the best of each first.

    Each episode gives one before any gives a second; the newest begins. What many episodes say
    counts little, what stands in a title or among the tags counts more.
    """
    spread = Counter(word for entry in shelf.entries for word in _weights(entry))
    total = len(shelf.entries) + 1
    newest = sorted(entries, key=lambda entry: entry.order, reverse=True)
    ranked = (_ranked(entry, spread, total) for entry in newest)
    wanted = min(max(USUAL, len(newest)), MOST)
    return tuple(_dealt(ranked, wanted))


def _ranked(entry: Entry, spread: Counter[str], total: int) -> list[str]:
    weights = _weights(entry)
    worth = {word: weight * math.log(total / spread[word]) for word, weight in weights.items()}
    return sorted(weights, key=lambda word: (-round(worth[word], 6), word))


def _dealt(piles: Iterable[list[str]], wanted: int) -> Iterator[str]:
    """One word of each pile in turn, none twice: a pile whose word is taken gives its next one."""
    left = [list(reversed(pile)) for pile in piles]
    taken: set[str] = set()
    while any(left) and len(taken) < wanted:
        for pile in left:
            while pile and pile[-1] in taken:
                pile.pop()
            if pile and len(taken) < wanted:
                taken.add(pile[-1])
                yield pile.pop()


def _weights(entry: Entry) -> Counter[str]:
    """The words of an episode, each with what it counts."""
    out: Counter[str] = Counter()
    for text, weight in ((entry.title, 3), (" ".join(entry.tags), 2), (entry.digest, 1)):
        for word in set(_words(text)):
            out[word] += weight
    return out


def _words(text: str) -> Iterator[str]:
    for found in _WORD.findall(_MASK.sub(" ", text)):
        word = found.lower()
        least, most = (2, 12) if unspaced(word) else (4, 32)
        if least <= len(word) <= most and word not in _STOP:
            yield word


def together(*lists: Iterable[str]) -> tuple[str, ...]:
    """Several lists of words as one, each word once, those of the first list first.

    >>> together(["cache", "Redis"], ["redis", "queue"])
    ('cache', 'Redis', 'queue')
    """
    out: dict[str, str] = {}
    for words in lists:
        for word in words:
            out.setdefault(fold(word), word)
    return tuple(out.values())


def fitting(lead: str, words: Sequence[str], fits: int, end: str = "") -> str:
    """`lead` with as many of the words behind it, by commas, as a line of so many characters holds.

    >>> fitting("Two: ", ["cache", "queue", "limits"], 17, ".")
    'Two: cache, queue.'
    """
    line = ""
    for word in words:
        longer = f"{line}, {word}" if line else f"{lead}{word}"
        if len(longer) > fits:
            break
        line = longer
    return f"{line}{end}" if line else ""
