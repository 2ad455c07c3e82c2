"""A question as it was written, taken apart: the words to look for, phrases, exclusions, filters.

No text is an error. `"quoted words"` must stand as they are, `-word` leaves out, `tag:`, `kind:`,
`project:`, `author:`, `id:`, `since:` and `until:` narrow down; whatever else there is are words, of
which none has to be there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from ..domain import dates
from ..domain.patterns import lazy
from ..domain.text import fold
from ..domain.words import DENSE_RUN, FILLING, HIRAGANA, MINUS, PARTICLES, QUOTED, SMALL
from .languages import LATIN
from .tokens import RUN, stream

_QUOTED = lazy(QUOTED)
_FILTER = lazy(
    r"(?<!\S)(tag|kind|project|author|id|since|until):(?:\"([^\"]*)\"|(\S+))", re.IGNORECASE
)
_MINUS = lazy(MINUS)
_DENSE = lazy(DENSE_RUN)
_HIRAGANA = lazy(HIRAGANA)
_PARTICLES = lazy(PARTICLES)
_FILLING = frozenset(FILLING)
_UNTIL = {4: "-12-31", 7: "-31", 10: ""}
_SINCE = {4: "-01-01", 7: "-01", 10: ""}
_PERIOD = lazy(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


class Term(NamedTuple):
    """One thing to look for: any of its tokens, which differ by language; `also` are synonyms.

    A `small` word says nothing of the matter; one that is `beside` (a compound whole, whose parts
    are terms too) need not be there; an `open` one is the beginning of a token.
    """

    written: str
    tokens: tuple[str, ...]
    also: tuple[str, ...] = ()
    small: bool = False
    beside: bool = False
    open: bool = False


class Filters(NamedTuple):
    """What narrows down: folded texts by the name of the filter, and days as `YYYY-MM-DD`."""

    named: tuple[tuple[str, str], ...] = ()
    since: str = ""
    until: str = ""


class Query(NamedTuple):
    """A question taken apart. A phrase is a list of tokens for each language that it may be in.

    `said` is what is asked in words, without exclusions and filters; "" where there are only these.
    """

    terms: tuple[Term, ...] = ()
    phrases: tuple[tuple[tuple[str, ...], ...], ...] = ()
    without: tuple[Term, ...] = ()
    filters: Filters = Filters()
    said: str = ""

    @property
    def asks(self) -> bool:
        """False where there is nothing to look for."""
        return bool(self.terms or self.phrases or self.filters != Filters())

    @property
    def words(self) -> tuple[Term, ...]:
        """The terms that say what the question is about; small ones only where there are no others."""
        return tuple(term for term in self.terms if not term.small) or self.terms

    @property
    def tokens(self) -> frozenset[str]:
        """Every token that is looked for."""
        return frozenset(chain(*self._groups(), *self._alone()))

    @property
    def groups(self) -> tuple[frozenset[str], ...]:
        """The tokens of words of which any will do, and none is asked for by itself besides."""
        groups = self._groups()
        often = Counter(chain(*groups, *self._alone()))
        return tuple(some for some in groups if all(often[token] == 1 for token in some))

    def _groups(self) -> tuple[frozenset[str], ...]:
        pairs = (frozenset(some) for term in self.words for some in (term.tokens, term.also))
        return tuple(some for some in dict.fromkeys(pairs) if some)

    def _alone(self) -> Iterator[tuple[str, ...]]:
        yield from (term.tokens for term in self.without)
        yield from chain(*self.phrases)


def parse(text: str, alike: Mapping[str, tuple[str, ...]] | None = None) -> Query:
    """The query that a text asks; `alike` gives the synonyms of a folded word.

    >>> [term.tokens for term in parse("Why was the cache rejected?").words]
    [('cach',), ('reject', 'rejected')]
    >>> parse('tag:ops -redis "night shift"').filters.named
    (('tag', 'ops'),)
    """
    filters, rest = _filters(text)
    quoted = [next(filter(None, found), "") for found in _QUOTED.findall(rest)]
    plain = _QUOTED.sub(lambda found: f" {next(filter(None, found.groups()), '')} ", rest)
    wanted, refused = _signed(plain)
    known = alike or {}
    terms = tuple(_distinct(_terms(wanted, known)))
    without = tuple(_distinct(_terms(refused, {})))
    phrases = tuple(filter(None, map(_phrase, quoted)))
    if not terms and not phrases:  # `-word` alone is a word
        wanted = refused
        terms, without = tuple(_distinct(_terms(refused, known))), ()
    return Query(terms, phrases, without, filters, " ".join(wanted.split()))


def _filters(text: str) -> tuple[Filters, str]:
    named: list[tuple[str, str]] = []
    days = {"since": "", "until": ""}

    def take(found: re.Match[str]) -> str:
        name, quoted, bare = found.groups()
        name, value = name.lower(), quoted or bare or ""
        day = _day(value, _SINCE if name == "since" else _UNTIL) if name in days else ""
        if name in days and not day:
            return found.group()
        if name in days:
            days[name] = day
        elif value:
            named.append((name, fold(value)))
        return " "

    rest = _FILTER.sub(take, text)
    return Filters(tuple(named), **days), rest


def _day(text: str, ends: Mapping[int, str]) -> str:
    """A year, a month or a day as a day; the last one of a month may be beyond its end."""
    if not _PERIOD.fullmatch(text):
        return ""
    first = text + _SINCE[len(text)]
    return text + ends[len(text)] if dates.parse(first) else ""


def _signed(text: str) -> tuple[str, str]:
    """What is wanted of a text, and what is refused: the runs that a minus stands before."""
    wanted, refused, at = [], [], 0
    for minus in _MINUS.finditer(text):
        run = RUN.match(text, minus.end())
        if run and minus.start() >= at:
            wanted.append(text[at : minus.start()])
            refused.append(run.group())
            at = run.end()
    return " ".join((*wanted, text[at:])), " ".join(refused)


def _phrase(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(dict.fromkeys(filter(None, (tuple(stream(text, name).split()) for name in LATIN))))


def _terms(text: str, alike: Mapping[str, tuple[str, ...]]) -> Iterator[Term]:
    bare = _PARTICLES.sub(" ", text)
    for run in RUN.findall(bare if RUN.search(bare) else text):
        spoken = [stream(run, name).split() for name in LATIN]
        even = all(len(tokens) == len(spoken[0]) for tokens in spoken)
        places = list(zip(*(spoken if even else spoken[:1]), strict=True))
        for place, tokens in enumerate(places):
            yield from _term(run, place, len(places), tuple(dict.fromkeys(tokens)), alike)


def _term(
    run: str, place: int, of: int, tokens: tuple[str, ...], alike: Mapping[str, tuple[str, ...]]
) -> Iterator[Term]:
    first = tokens[0]
    if _DENSE.match(first):
        if len(first) > 1 or of == 1:
            yield Term(run, tokens, _also(first, alike), _fills(first), open=len(first) == 1)
        return
    whole = of > 1 and place == of - 1
    written = run if of == 1 or whole else first
    folded = fold(run)
    small = of == 1 and folded in SMALL and not (run.isupper() and len(run) > 1)
    yield Term(written, tokens, _also(folded if of == 1 or whole else first, alike), small, whole)


def _fills(pair: str) -> bool:
    return bool(_HIRAGANA.fullmatch(pair)) or not _FILLING.isdisjoint(pair)


def _also(word: str, alike: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The tokens of a word's synonyms; of one in several words, that of the whole."""
    more = (stream(other, name).split()[-1:] for other in alike.get(word, ()) for name in LATIN[:2])
    return tuple(dict.fromkeys(token for tokens in more for token in tokens))


def _distinct(terms: Iterator[Term]) -> Iterator[Term]:
    seen: set[tuple[str, ...]] = set()
    for term in terms:
        if term.tokens not in seen:
            seen.add(term.tokens)
            yield term
