"""A question as it was written, taken apart: the words to look for, phrases, exclusions, filters.

No text is an error. `"quoted words"` must stand as they are, `tag:`, `kind:`, `project:`, `author:`,
`id:`, `since:` and `until:` narrow down, and a `-` before any of these but days, or before a word,
leaves out; whatever else there is are words, of which none has to be there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from ..domain import dates
from ..domain.errors import UsageError
from ..domain.patterns import lazy
from ..domain.text import fold
from ..domain.words import DASH, DENSE_RUN, FILLING, HIRAGANA, MINUS, PARTICLES, QUOTED, SMALL
from .languages import LATIN
from .tokens import RUN, stream

_MARKED = lazy(
    rf"(?<!\S)(?P<not>[-–−]?)(?P<name>tag|kind|project|author|id|since|until):"
    rf"(?:\"(?P<quoted>[^\"]*)\"|(?P<bare>\S+))|(?P<dash>{DASH})?(?:{QUOTED})",
    re.IGNORECASE,
)
_MINUS = lazy(MINUS)
_DENSE = lazy(DENSE_RUN)
_HIRAGANA = lazy(HIRAGANA)
_PARTICLES = lazy(PARTICLES)
_FILLING = frozenset(FILLING)
_UNTIL = {4: "-12-31", 7: "-31", 10: ""}
_SINCE = {4: "-01-01", 7: "-01", 10: ""}
_PERIOD = lazy(r"\d{4}(?:-\d\d(?:-\d\d)?)?")

Phrase = tuple[tuple[str, ...], ...]
"""The tokens that stand one behind the other, for each language that they may be in."""


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
    """What narrows down: names of filters with folded texts, and days as `YYYY-MM-DD`.

    `unread` are filters by days as they were written that name none.
    """

    named: tuple[tuple[str, str], ...] = ()
    without: tuple[tuple[str, str], ...] = ()
    since: str = ""
    until: str = ""
    unread: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(self[:-1])


class Query(NamedTuple):
    """A question taken apart.

    `said` is what is asked in words, without exclusions and filters; "" where there are only these.
    """

    terms: tuple[Term, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    without: tuple[Phrase, ...] = ()
    filters: Filters = Filters()
    said: str = ""

    @property
    def asks(self) -> bool:
        """False where there is nothing to look for."""
        return bool(self.terms or self.phrases or self.filters)

    @property
    def narrows(self) -> bool:
        """True where a file that holds the words may be left out all the same."""
        return bool(self.phrases or self.without or self.filters)

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
        yield from chain(*self.phrases, *self.without)


def parse(text: str, alike: Mapping[str, tuple[str, ...]] | None = None) -> Query:
    """The query that a text asks; `alike` gives the synonyms of a folded word.

    >>> [term.tokens for term in parse("Why was the cache rejected?").words]
    [('cach',), ('reject', 'rejected')]
    >>> parse('tag:ops -redis "night shift"').filters.named
    (('tag', 'ops'),)
    """
    parts, known = _Parts.of(text), alike or {}
    terms, phrases = tuple(_distinct(_terms(parts.wanted, known))), _phrases(parts.quoted)
    if terms or phrases or parts.filters:
        without = _phrases((*parts.refused, *parts.unquoted))
        return Query(terms, phrases, without, parts.filters, parts.wanted)
    said = " ".join((*parts.refused, *parts.unquoted))  # `-word` alone is a word
    return Query(tuple(_distinct(_terms(said, known))), _phrases(parts.unquoted), said=said)


class _Parts(NamedTuple):
    """What is wanted of a question, in one line; what is refused, each run; what stands in quotes,
    and what in such as are refused."""

    wanted: str
    refused: list[str]
    quoted: list[str]
    unquoted: list[str]
    filters: Filters

    @classmethod
    def of(cls, text: str) -> _Parts:
        """The parts of a text. In quotes a minus and a filter are text like any other."""
        wanted, refused, quoted, unquoted = list[str](), list[str](), list[str](), list[str]()
        given: list[re.Match[str]] = []
        at = 0
        for found in _MARKED.finditer(text):
            _sign(text[at : found.start()], wanted, refused)
            at = found.end()
            if found["name"]:
                given.append(found)
                continue
            said = next(filter(None, found.groups()[-4:]), "")
            (unquoted if found["dash"] else quoted).append(said)
            wanted += [] if found["dash"] else [said]
        _sign(text[at:], wanted, refused)
        filters = _filters(given)
        wanted += filters.unread
        return cls(" ".join(" ".join(wanted).split()), refused, quoted, unquoted, filters)


def _sign(text: str, wanted: list[str], refused: list[str]) -> None:
    """Tell apart what is wanted of a text, and the runs that a minus stands before."""
    at = 0
    for minus in _MINUS.finditer(text):
        run = RUN.match(text, minus.end())
        if run and minus.start() >= at:
            wanted.append(text[at : minus.start()])
            refused.append(run.group())
            at = run.end()
    wanted.append(text[at:])


def _filters(given: Iterable[re.Match[str]]) -> Filters:
    named, without, unread = list[tuple[str, str]](), list[tuple[str, str]](), list[str]()
    days = {"since": "", "until": ""}
    for found in given:
        name, value = found["name"].lower(), found["quoted"] or found["bare"] or ""
        if name in days:
            day = "" if found["not"] else _day(value, name)
            days[name] = day or days[name]
            unread += [] if day else [found.group()]
        elif value:
            (without if found["not"] else named).append((name, fold(value)))
    return Filters(tuple(named), tuple(without), days["since"], days["until"], tuple(unread))


def _day(text: str, name: str) -> str:
    """The first or last day of a year, a month or another period, or the day itself; the last one of
    a month may be beyond its end."""
    ends = _SINCE if name == "since" else _UNTIL
    if _PERIOD.fullmatch(text):
        return text + ends[len(text)] if dates.parse(text + _SINCE[len(text)]) else ""
    from ..domain.period import period

    try:
        found = period(text)
    except UsageError:
        return ""
    return found.begin if name == "since" else found.end


def _phrases(texts: Iterable[str]) -> tuple[Phrase, ...]:
    return tuple(dict.fromkeys(filter(None, map(_phrase, texts))))


def _phrase(text: str) -> Phrase:
    spoken = (_whole(stream(text, name).split()) for name in LATIN)
    return tuple(dict.fromkeys(filter(None, spoken)))


def _whole(tokens: list[str]) -> tuple[str, ...]:
    """Tokens without the last one where that is a character that the one before it ends with: in a
    script without spaces the text may go on there."""
    ends = len(tokens) > 1 and is_open(tokens[-1]) and tokens[-2].endswith(tokens[-1])
    return tuple(tokens[:-1] if ends else tokens)


def is_open(token: str) -> bool:
    """True for one character of a script without spaces, which is how a token begins."""
    return len(token) == 1 and _DENSE.match(token) is not None


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
