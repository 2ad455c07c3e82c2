"""The tags of a shelf: what stands under each, how it was spelled, what goes with it, and when."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from .dates import parse, quarter, quarters
from .entry import Entry
from .errors import ShelfError
from .near import hint, near
from .patterns import lazy
from .shelf import Shelf
from .slug import spelled
from .text import fold, one_line
from .threads import OPEN, Decision, Thread, decisions, threads

TOGETHER = 10
"""So many tags are said to go with one."""

_READABLE, _HASH = 40, 8
_LONGEST_LINE = 15
"""A time line of more years than this has no empty quarters in it."""

_TAKEN = lazy(
    rf"con|prn|aux|nul|com[0-9]|lpt[0-9]|index|.*-[0-9a-f]{{{_HASH}}}|.{{{_READABLE + 1},}}"
)
"""What is no slug by itself: devices of Windows, a folder's own page, what has a hash, what is long."""


class Together(NamedTuple):
    """A tag that goes with another one, how many episodes have both, and how many it has itself."""

    name: str
    slug: str
    episodes: int
    total: int


@dataclass(frozen=True)
class Tag:
    """One tag: spellings that differ by case or accents alone are one.

    `key` is the folded spelling, `name` the one that is used most, `spellings` all of them with the
    number of episodes that use each, `episodes` are newest first. `every` are name and count of
    all tags of the shelf, by key.
    """

    key: str
    name: str
    spellings: tuple[tuple[str, int], ...]
    episodes: tuple[Entry, ...]
    year_start: int = field(default=1, repr=False)
    every: Mapping[str, tuple[str, int]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def count(self) -> int:
        """How many episodes have it."""
        return len(self.episodes)

    @property
    def variants(self) -> tuple[tuple[str, int], ...]:
        """Its other spellings, the most used first, each with how many episodes use it."""
        return tuple(pair for pair in self.spellings if pair[0] != self.name)

    @cached_property
    def slug(self) -> str:
        """Its name in addresses and files."""
        return tag_slug(self.key)

    @property
    def first(self) -> str:
        """The date of its oldest episode that has one, `YYYY-MM-DD` or empty."""
        return next((entry.ledger_date for entry in reversed(self.episodes) if entry.day), "")

    @property
    def last(self) -> str:
        """The date of its newest episode that has one, `YYYY-MM-DD` or empty."""
        return next((entry.ledger_date for entry in self.episodes if entry.day), "")

    @cached_property
    def goes_with(self) -> tuple[Together, ...]:
        """The ten tags that share most episodes with it."""
        shared = Counter(chain.from_iterable(map(keyed, self.episodes)))
        del shared[self.key]
        out = []
        for key in sorted(shared, key=lambda key: (-shared[key], key))[:TOGETHER]:
            name, total = self.every[key]
            out.append(Together(name, tag_slug(key), shared[key], total))
        return tuple(out)

    @cached_property
    def timeline(self) -> tuple[tuple[str, int], ...]:
        """Its episodes by quarter, from its first to its last; undated ones are left out.

        Quarters without an episode are in it unless there are very many.
        """
        dates = Counter(entry.ledger_date for entry in reversed(self.episodes))
        days = {day: count for date, count in dates.items() if (day := parse(date))}
        if not days:
            return ()
        counts: Counter[str] = Counter()
        for day, count in days.items():
            counts[quarter(day, self.year_start)] += count
        first, last = min(days), max(days)
        long = last.year - first.year > _LONGEST_LINE
        every = counts if long else quarters(first, last, self.year_start)
        return tuple((label, counts[label]) for label in every)


def tags(shelf: Shelf) -> tuple[Tag, ...]:
    """Every tag of a shelf, the most used first, then by name. An episode counts once for each."""
    spellings: dict[str, list[str]] = {}
    episodes: dict[str, list[Entry]] = {}
    for entry in reversed(shelf.entries):
        for key, spelling in keyed(entry).items():
            spellings.setdefault(key, []).append(spelling)
            episodes.setdefault(key, []).append(entry)
    ordered = {key: _most_used_first(key, found) for key, found in spellings.items()}
    every = {key: (pairs[0][0], len(episodes[key])) for key, pairs in ordered.items()}
    start = shelf.config.fiscal_year_start
    found = (
        Tag(key, every[key][0], pairs, tuple(episodes[key]), start, every)
        for key, pairs in ordered.items()
    )
    return tuple(sorted(found, key=lambda tag: (-tag.count, tag.name)))


def untagged(shelf: Shelf) -> tuple[Entry, ...]:
    """The episodes without a tag, newest first."""
    return tuple(entry for entry in reversed(shelf.entries) if not keyed(entry))


class Under(NamedTuple):
    """What stands under a tag: decisions that stand, newest first, open threads, oldest first, and
    its episodes, newest first, those that were replaced after the others."""

    tag: Tag
    decisions: tuple[Decision, ...]
    threads: tuple[Thread, ...]
    episodes: tuple[Entry, ...]


class Unders:
    """What stands under the tags of a shelf: what became of threads and decisions is worked out
    once for all of them, unless it is `known` already."""

    def __init__(
        self, shelf: Shelf, known: tuple[Iterable[Thread], Iterable[Decision]] | None = None
    ) -> None:
        every, made = known or (threads(shelf), decisions(shelf))
        self._replaced = shelf.superseded
        self._decisions: dict[str, list[Decision]] = {}
        self._threads: dict[str, list[Thread]] = {}
        for decision in made:
            if decision.stands:
                self._decisions.setdefault(decision.episode, []).append(decision)
        for thread in every:
            if thread.state == OPEN:
                self._threads.setdefault(thread.episode, []).append(thread)

    def of(self, tag: Tag) -> Under:
        """All that stands under one tag."""
        ids = dict.fromkeys(entry.id for entry in reversed(tag.episodes))
        standing = [found for name in ids for found in self._decisions.get(name, ())]
        waiting = [found for name in ids for found in self._threads.get(name, ())]
        return Under(
            tag,
            tuple(sorted(standing, key=lambda d: (d.date, d.episode), reverse=True)),
            tuple(sorted(waiting, key=lambda t: (t.since, t.address))),
            tuple(sorted(tag.episodes, key=lambda entry: entry.id in self._replaced)),
        )


def under(shelf: Shelf, tag: Tag) -> Under:
    """All that stands under a tag of a shelf."""
    return Unders(shelf).of(tag)


def named(found: tuple[Tag, ...], name: str) -> Tag:
    """The tag of a name in any spelling, or of a slug. Raises ShelfError with near names."""
    wanted = tag_key(name)
    known = {tag.slug: tag for tag in found} | {tag.key: tag for tag in found}
    if wanted in known:
        return known[wanted]
    alike = [known[one].name for one in near(wanted, known)]
    said = f"No episode has the tag {name!r}."
    fix = hint(dict.fromkeys(alike), "`memshelf tags` lists all of them.")
    raise ShelfError(said, fix, "tag-not-found")


def names(shelf: Shelf) -> dict[str, str]:
    """The name of each tag of a shelf, by what is the same for all its spellings."""
    return {tag.key: tag.name for tag in tags(shelf)}


def keyed(entry: Entry) -> Mapping[str, str]:
    """The tags of an episode by what is the same for all their spellings, each as it is spelled."""
    return _keyed(entry.tags)


@lru_cache(maxsize=16384)  # each episode is asked once for each of its tags
def _keyed(spellings: tuple[str, ...]) -> Mapping[str, str]:
    out: dict[str, str] = {}
    for spelling in spellings:
        if key := tag_key(spelling):
            out.setdefault(key, spelling)
    return out


@lru_cache(maxsize=4096)  # a shelf has few tags, each many times
def tag_key(tag: str) -> str:
    """What is the same for all spellings of a tag: without case and accents, if that leaves any.

    >>> tag_key("Café"), tag_key("C#"), tag_key(" ")
    ('cafe', 'c#', '')
    """
    spelling = one_line(tag)
    return one_line(fold(spelling)) or spelling


def _most_used_first(key: str, found: list[str]) -> tuple[tuple[str, int], ...]:
    """Of spellings that are used equally often the folded one is first, then the text's order."""
    pairs = Counter(map(one_line, found)).items()
    return tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0] != key, pair[0])))


@lru_cache(maxsize=4096)
def tag_slug(tag: str) -> str:
    """A tag's name in addresses and files: lower-case ASCII, the same whatever other tags there are.

    Where the readable part does not say it all, a hash follows it.

    >>> tag_slug("Auth"), tag_slug("C"), tag_slug("C++"), tag_slug("C#"), tag_slug("日本語")
    ('auth', 'c', 'c-cedb1bac', 'c-951a4d36', 't-77710aed')
    """
    key = tag_key(tag)
    words = spelled(key)
    if words and words == key and not _TAKEN.fullmatch(key):
        return key
    hashed = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    return f"{words[:_READABLE].strip('-_') or 't'}-{hashed}"
