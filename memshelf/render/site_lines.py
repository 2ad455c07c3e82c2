"""The lines of a site's list pages: episodes, threads and decisions, each leading to its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, TypeVar

from ..domain.entry import Entry
from ..domain.episode import DESCRIPTION_LIMIT, TITLE_LIMIT
from ..domain.shelf import Shelf
from ..domain.tags import tag_key, tag_slug
from ..domain.text import clip, plural
from ..domain.threads import Decision, Thread
from . import captions, links
from .escape import plain
from .index import date
from .report import Block, Line, Part, Report, Span, ident, line, link, small, tag, text
from .site_places import Here
from .words import cut

T = TypeVar("T")
OPTION = 160
"""Characters of a rejected option."""
NAMED = 3
"""So many later mentions of a thread are named."""
UNDATED = "Without a date"


class Rest(NamedTuple):
    """Where a cut list goes on: words, and the address."""

    words: str
    href: str


class Lines:
    """Lines about the things of a shelf, as they stand on a page of its site.

    They serve every page from which the site lies in the same directions. On the one page where
    threads and decisions are `placed`, each has an anchor, and what it is filtered by.
    """

    def __init__(self, shelf: Shelf, here: Here, placed: bool = False) -> None:
        self.shelf, self.here, self.placed = shelf, here, placed
        self._taken: set[str] = set()
        self._tags: dict[str, Span | None] = {}
        self._filtered: dict[str, str] = {}
        self._titles: dict[str, Span] = {}
        self._ways: dict[str, str] = {}
        self._held: dict[str, Line] = {}
        self._episodes: dict[str, Line] = {}

    # --- pieces ------------------------------------------------------------------------------

    def title(self, episode: str) -> Span:
        """The title of an episode, leading to it; the id of one that is not on the shelf."""
        if episode not in self._titles:
            found = self.here.places.entry(episode)
            self._titles[episode] = self.titled(found) if found else ident(episode)
        return self._titles[episode]

    def titled(self, entry: Entry) -> Span:
        """The title of an episode that is at hand, leading to it."""
        return link(clip(entry.heading, TITLE_LIMIT), self.here.at(entry))

    def tags(self, entry: Entry) -> Iterator[Span]:
        """The tags of an episode, each leading to its page or its place among all."""
        return filter(None, map(self._tag, entry.tags))

    def _tag(self, spelling: str) -> Span | None:
        if spelling not in self._tags:
            named = tag_key(spelling)
            made = tag(spelling, self.here.tag(tag_slug(spelling))) if named else None
            self._tags[spelling] = made
        return self._tags[spelling]

    def words(self, found: Thread | Decision) -> Span:
        """What a thread or a decision says, cut, leading to its place in its episode."""
        way = self._ways.get(found.episode)
        if way is None:
            way = self._ways[found.episode] = self.here.episode(found.episode)
        place = found.address.rpartition("/")[2]  # `t2`: an address as it stands
        return link(cut(found.text), f"{way}#{place}" if way else "")

    def _place(self, address: str) -> str:
        """The place of an address; of two files with one id the first one that is listed has it."""
        anchor = anchor_of(address) if self.placed else ""
        if anchor in self._taken:
            return ""
        self._taken.add(anchor)
        return anchor

    # --- episodes ----------------------------------------------------------------------------

    def episode(self, entry: Entry) -> Line:
        """An episode: its date, title, state and description, and what a script may filter it by."""
        if entry.path not in self._episodes:
            said = clip(entry.description, DESCRIPTION_LIMIT)
            bare = self.bare(entry, f"— {said}" if said else "")
            self._episodes[entry.path] = bare._replace(data=self._filters(entry))
        return self._episodes[entry.path]

    def bare(self, entry: Entry, *more: Span | str) -> Line:
        """An episode: its date, its title, and what it is beside current."""
        return line(
            small(date(entry)), self.titled(entry), *self._state(entry), *more,
            past=entry.id in self.shelf.superseded,
        )  # fmt: skip

    def _state(self, entry: Entry) -> Iterator[Span]:
        later = self.shelf.superseded.get(entry.id, ())
        if later:
            yield small("replaced by")
            yield self.title(later[0])
        if later[1:]:
            yield small(f"and {len(later) - 1:,} more")
        if entry.archived:
            yield small("archived")

    # --- threads and decisions, episode by episode -------------------------------------------

    def threads(
        self, found: Iterable[Thread], mentioned: dict[str, tuple[str, ...]] | None = None
    ) -> Iterator[Line]:
        """Open threads in the order given: each run of one episode below its title."""
        since = mentioned or {}
        for (episode, _), run in groupby(found, key=lambda t: (t.episode, t.since)):
            some = list(run)
            entry = self.shelf.by_id.get(episode)
            named = {since.get(thread.address, ()) for thread in some}
            shared = named.pop() if len(named) == 1 else ()
            below = tuple(
                self.thread(one, () if shared else since.get(one.address, ())) for one in some
            )
            yield line(
                self.title(episode), self._age(some[0]), *self._tags_of(entry),
                *self._before(some[0]),
                *self._mentioned(shared), below=below, data=self._placed_filters(entry),
            )  # fmt: skip

    def _once(self, address: str, make: Callable[[], Line]) -> Line:
        """A line that several pages have: only on the page where it is placed it is made anew."""
        known = None if self.placed else self._held.get(address)
        if known is None:
            known = self._held[address] = make()
        return known

    def thread(self, found: Thread, mentioned: Sequence[str] = ()) -> Line:
        """An open thread and the phrase that closes it."""
        return self._once(found.address, lambda: self._thread(found, mentioned))

    def _thread(self, found: Thread, mentioned: Sequence[str]) -> Line:
        return line(
            self.words(found), ident(f"Closes {found.address}"),
            *self._mentioned(mentioned), anchor=self._place(found.address),
        )  # fmt: skip

    def _age(self, found: Thread) -> Span:
        age = plural(found.age(self.shelf.as_of), "day")
        return small(f"{found.since}, open for {age}" if found.since else "")

    def _before(self, found: Thread) -> Iterator[Span]:
        """Where a thread was opened first, which another one carries on."""
        if found.first != found.address:
            yield small("first in")
            yield self.title(found.first.partition("/")[0])

    def _mentioned(self, names: Sequence[str]) -> Iterator[Span]:
        for place, name in enumerate(names[:NAMED]):
            yield small("·" if place else "mentioned since in")
            yield self.title(name)
        if names[NAMED:]:
            yield small(f"and {len(names) - NAMED:,} more")

    def decisions(self, found: Iterable[Decision]) -> Iterator[Line]:
        """Decisions in the order given: each run of one episode below its title."""
        for episode, run in groupby(found, key=lambda d: d.episode):
            some = tuple(run)
            entry = self.shelf.by_id.get(episode)
            yield line(
                self.title(episode), small(some[0].date), small(archived(some[0])),
                *self._tags_of(entry),
                below=tuple(map(self.decision, some)), data=self._placed_filters(entry),
            )  # fmt: skip

    def decision(self, made: Decision, *more: Span) -> Line:
        """A decision with its rejected options below."""
        return self._once(made.address, lambda: self._decision(made, more))

    def _decision(self, made: Decision, more: Sequence[Span]) -> Line:
        below = tuple(line(cut(option, OPTION)) for option in made.rejected)
        return line(
            self.words(made), *more, below=below,
            past=not made.stands, anchor=self._place(made.address),
        )  # fmt: skip

    def _tags_of(self, entry: Entry | None) -> Iterator[Span]:
        return self.tags(entry) if entry and self.placed else iter(())

    def _placed_filters(self, entry: Entry | None) -> tuple[tuple[str, str], ...]:
        return self._filters(entry) if entry and self.placed else ()

    def _filters(self, entry: Entry) -> tuple[tuple[str, str], ...]:
        """What a script may filter a line by: the episode's tags, bars between them, and its kind."""
        names = "|".join(dict.fromkeys(filter(None, map(self._filter, entry.tags))))
        return (*((("tags", names),) if names else ()), ("kind", entry.kind or entry.category))

    def _filter(self, spelling: str) -> str:
        """A tag's name among filters: of spellings that are one tag the one that is used most."""
        if spelling not in self._filtered:
            slug = tag_slug(spelling) if tag_key(spelling) else ""
            known = self.here.places.tags.get(slug)
            name = clip(plain(known.name if known else spelling), TITLE_LIMIT).replace("|", "/")
            self._filtered[spelling] = name if slug else ""
        return self._filtered[spelling]


def archived(found: Thread | Decision) -> str:
    """The word for what stands in an archived episode."""
    return "archived" if found.archived else ""


def anchor_of(address: str) -> str:
    """The place of a thread or a decision on a list page, by its address.

    >>> anchor_of("2026-01-02-x/t1")
    '2026-01-02-x-t1'
    """
    return links.safe(address.replace("/", "-"))


# --- lists that are cut, and pages that go on ------------------------------------------------


def block(
    heading: str,
    every: Sequence[T],
    make: Callable[[T], Line],
    most: int,
    rest: Rest | None = None,
    folded: bool = False,
) -> Block:
    """The first of some things as a list; of those that are cut, how many and where they are."""
    return cut_block(heading, tuple(map(make, every[:most])), len(every) - most, rest, folded)


def cut_block(
    heading: str,
    lines: tuple[Line, ...],
    left: int,
    rest: Rest | None = None,
    folded: bool = False,
) -> Block:
    """A list of which so many are left out: it says so, and where they are."""
    if left <= 0:
        return Block(heading, lines, folded=folded)
    if not rest:
        return Block(heading, lines, f"{left:,} more.", folded)
    onward = (link(rest.words, rest.href),) if rest.href else (text(rest.words),)
    return Block(heading, lines, f"{left:,} more, all on", folded, onward)


def page_of(path: str, number: int | str) -> str:
    """The page on which a list goes on.

    >>> page_of("threads.md", 1), page_of("threads.md", 2), page_of("decisions.md", "2026Q3")
    ('threads.md', 'threads-2.md', 'decisions-2026Q3.md')
    """
    return path if number == 1 else f"{path.removesuffix('.md')}-{number}.md"


def portions(every: Sequence[T], most: int) -> list[Sequence[T]]:
    """The things in portions of at most so many; one empty portion where there are none."""
    return [every[first : first + most] for first in range(0, max(len(every), 1), most)]


def turning(
    here: Here,
    path: str,
    number: int,
    last: int,
    page: Callable[[str, int], str] = page_of,
) -> Part | None:
    """The way from a page of a list to the one before and the one after it."""
    if last == 1:
        return None
    spans = [
        link(f"{words} page, {n:,}", here.page(page(path, n)))
        for words, n in (("Previous", number - 1), ("Next", number + 1))
        if 1 <= n <= last
    ]
    return Part("pages", "Pages", said=(line(f"Page {number:,} of {last:,}.", *spans),))


def made(
    title: str, shelf: Shelf, parts: Iterable[Part | None], *head: str, lang: str = ""
) -> Report:
    """A page of the site: its head line is the same on all of them, with what else there is to count."""
    there = tuple(part for part in parts if part)
    return Report(title, captions.standing(shelf, *head), there, "", lang)
