"""The languages whose words are brought to their stems: which one a text is in, and its small words.

Small words (articles, pronouns, question words) tell a language, and they say nothing of what a
question is about. The lists are short on purpose: what stands in every second text weighs next to
nothing anyway.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache

from ..domain.patterns import lazy
from ..domain.words import ENGLISH, RUSSIAN, SMALL_OF

LATIN = tuple(name for name in SMALL_OF if name != RUSSIAN)
_CODES = {"en": ENGLISH, "de": "german", "fr": "french", "es": "spanish"}

_REWRITTEN = "eiltu"
"""Last letters that a stem may have and its word not: `happy` has the stem `happi`."""

_CYRILLIC = lazy("[\u0400-\u04ff]")
_PLAIN = lazy(r"[^\W\d_]+")


def language_of(text: str, declared: str = "") -> str:
    """The language by whose rules the Latin words of a text are stemmed: the declared one, else
    that of which most small words are in it, English where none does.

    Some hundred words are enough.

    >>> language_of("Die Kosten für den Speicher sind zu hoch"), language_of("Решение принято")
    ('german', 'english')
    """
    known = _CODES.get(declared[:2].lower())
    if known:
        return known
    small, tells = _tells()
    seen = small.intersection(_ascii(text).split())
    votes = {name: len(words & seen) for name, words in tells.items()}
    return max(LATIN, key=votes.__getitem__)  # of equal ones the first: English


def _ascii(text: str) -> str:
    """The text without what is not ASCII (`für` is `fr`): a tenth of what folding it would take."""
    return text.encode("ascii", "ignore").decode("ascii").lower()


@cache
def _tells() -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    """The small words of all languages, and of each."""
    tells = {name: frozenset(_ascii(SMALL_OF[name]).split()) for name in LATIN}
    return frozenset().union(*tells.values()), tells


def stem(word: str, language: str) -> str:
    """The stem of a folded word by Snowball's rules; a word in Cyrillic by the Russian ones.

    A stem that does not begin as its word does (`dying`, `die`) is not taken, so that whatever has
    a stem can be looked for by how that begins.

    >>> stem("решениями", "english"), stem("caching", "english"), stem("kosten", "german")
    ('реш', 'cach', 'kost')
    """
    if len(word) < 3 or word[0].isdigit():
        return word
    if _CYRILLIC.match(word):
        return _shortest(word)
    found = _stemmer(language)(word)
    return found if found == word or word.startswith(probe(found)) else word


def _shortest(word: str) -> str:
    """A Russian stem, stemmed until nothing more comes off: `лимита` gives `лимит` and that `лим`,
    by which alone the forms of one word meet."""
    found = _stemmer(RUSSIAN)(word)
    return found if found == word or len(found) < 3 else _shortest(found)


def probe(token: str) -> str:
    """How every word begins that has this token for its stem.

    >>> probe("decis"), probe("happi"), probe("208"), probe("東京")
    ('decis', 'happ', '2', '東')
    """
    if token[:1].isdigit() or len(token) < 3 or not _PLAIN.match(token):
        return token[:1]  # `10 000` is the number 10000
    return token[:-1] if token[-1] in _REWRITTEN else token


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    from Stemmer import Stemmer  # type: ignore[import-not-found]  # it has no types

    stemmer, alone = Stemmer(language), threading.Lock()

    def stem(word: str) -> str:
        with alone:  # a stemmer serves one thread at a time
            found: str = stemmer.stemWord(word)
            return found

    return stem
