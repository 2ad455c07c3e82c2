"""The pages of tags: all of them, and one for each that is used twice or more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ..domain.entry import Entry
from ..domain.episode import TITLE_LIMIT
from ..domain.shelf import Shelf
from ..domain.tags import Tag, Under, Unders, tags, untagged
from ..domain.text import clip, plural
from . import tags as words
from .escape import plain
from .report import (
    Block,
    Line,
    Part,
    Report,
    Row,
    Span,
    Table,
    ident,
    line,
    small,
    strong,
    tag,
    text,
)
from .site_lines import UNDATED, Lines, Rest, block, cut_block, made, page_of, portions, turning
from .site_places import DATES, DECISIONS, THREADS, Here
from .tags_page import a_to_z, by_name

MOST_USED, PAGE, NEWEST = 10, words.EPISODES, 20
HELD, WAITING = 10, 10
"""So many decisions and threads are listed under a tag: their own pages have all of them."""

_ANY = "tags/any.md"
"""All pages of tags lie side by side: from each of them a link is the same."""

_ADD = "memshelf edit ID --tag +WORD"


def tags_page(shelf: Shelf, here: Here) -> Report:
    """The page of all tags: the most used, A to Z, those used once, and what has none."""
    found = tags(shelf)
    return made("Tags", shelf, _all(shelf, here, found), plural(len(found), "tag"))


def tag_pages(
    shelf: Shelf, here: Here, known: Unders | None = None
) -> Iterator[tuple[str, Report]]:
    """The page of each tag that has one, and where it has very many episodes those of its years.

    Where it is `known` what stands under tags, it is not worked out again.
    """
    under = known or Unders(shelf)
    lines = Lines(shelf, here.places.at(_ANY))
    for slug, found in here.places.tags.items():
        path = here.places.tag(slug)
        page = _Page(lines, under.of(found))
        yield path, made(page.name, shelf, page.parts(path))
        if found.count > PAGE:
            yield from page.years(path)


# --- all of them -----------------------------------------------------------------------------


def _all(shelf: Shelf, here: Here, found: Sequence[Tag]) -> Iterator[Part | None]:
    lines = Lines(shelf, here)
    often = [one for one in found if one.count > 1]
    once = sorted((one for one in found if one.count == 1), key=by_name)
    if not found:
        said = line("No tags yet.", ident(_ADD), "gives an episode one.")
        yield Part("none", "", said=(said,))
    if often:
        rows = tuple(_row(here, one) for one in often[:MOST_USED])
        table = Table(("Tag", "Episodes", "First", "Last"), rows)
        yield Part("most-used", "Most used", tables=(table,))
        letters = tuple(_letter(here, name, some) for name, some in a_to_z(often))
        yield Part("a-to-z", "A to Z", blocks=(Block("", letters),))
    if once:
        singles = tuple(_single(lines, one) for one in once)
        yield Part("once", f"Used once ({len(once):,})", blocks=(Block("", singles),))
    yield _untagged(shelf, lines)


def _row(here: Here, one: Tag) -> Row:
    return Row(plain(one.name), (f"{one.count:,}", one.first, one.last), href=here.tag(one.slug))


def _letter(here: Here, name: str, some: Sequence[Tag]) -> Line:
    return line(strong(name), *(span for one in some for span in _counted(here, one)))


def _counted(here: Here, one: Tag) -> Iterator[Span]:
    yield tag(one.name, here.tag(one.slug))
    yield small(f"{one.count:,}")
    if one.variants:
        yield text(f"(also {', '.join(name for name, _ in one.variants)})")


def _single(lines: Lines, one: Tag) -> Line:
    """A tag that is used once has its place here, and leads to its episode."""
    (entry,) = one.episodes
    return line(tag(one.name), lines.titled(entry), anchor=f"tag-{one.slug}")


def _untagged(shelf: Shelf, lines: Lines) -> Part | None:
    found = untagged(shelf)
    if not found:
        return None
    rest = Rest("the episodes by date", lines.here.page(DATES))
    shown = block("", found, lines.bare, PAGE, rest)
    return Part("untagged", f"Untagged ({len(found):,})", blocks=(shown,))


# --- one -------------------------------------------------------------------------------------


class _Page:
    """The page of one tag: its parts."""

    def __init__(self, lines: Lines, found: Under) -> None:
        self.lines, self.here, self.found, self.tag = lines, lines.here, found, found.tag
        self.name = clip(plain(found.tag.name), TITLE_LIMIT)

    def parts(self, path: str) -> Iterator[Part | None]:
        """All that stands under the tag; of very many episodes the newest, and where the rest is."""
        yield self._about()
        yield self._quarters()
        yield self._decisions()
        yield self._threads()
        yield self._episodes() if self.tag.count <= PAGE else self._newest(path)

    def years(self, path: str) -> Iterator[tuple[str, Report]]:
        """The pages of the years of a tag with very many episodes."""
        for year, found in self._by_year():
            base = _of_year(path, year)
            pages = portions(found, PAGE)
            for number, some in enumerate(pages, 1):
                listed = Block("", tuple(map(self.lines.episode, some)))
                up = line("Of the tag", tag(self.tag.name, self.here.tag(self.tag.slug)))
                parts = (
                    Part("episodes", f"Episodes ({len(found):,})", said=(up,), blocks=(listed,)),
                    turning(self.here, base, number, len(pages)),
                )
                title = f"{self.name}: {year}" + (f", page {number:,}" if number > 1 else "")
                yield page_of(base, number), made(title, self.lines.shelf, parts)

    def _about(self) -> Part:
        said = [line(f"{words.size(self.tag)}.")]
        if self.tag.variants:
            said.append(line(f"Also written: {words.variants(self.tag)}."))
        if self.tag.goes_with:
            spans = (
                span
                for other in self.tag.goes_with
                for span in (
                    tag(other.name, self.here.tag(other.slug)),
                    small(f"{other.episodes:,}"),
                )
            )
            said.append(line("Goes with", *spans))
        return Part("about", "", said=tuple(said))

    def _quarters(self) -> Part | None:
        found = self.tag.timeline
        if len(found) < 2:
            return None
        most = max(count for _, count in found)
        rows = tuple(
            Row(label, (f"{count:,}",), (round(100 * count / most),), self.here.quarter(label))
            for label, count in found
        )
        return Part("quarters", "By quarter", tables=(Table(("Quarter", "Episodes"), rows),))

    def _decisions(self) -> Part | None:
        found = self.found.decisions
        if not found:
            return None
        rest = Rest("the page of decisions", self.here.page(DECISIONS))
        lines = tuple(self.lines.decisions(found[:HELD]))
        shown = cut_block("", lines, len(found) - HELD, rest)
        return Part("decisions", f"Decisions that stand ({len(found):,})", blocks=(shown,))

    def _threads(self) -> Part | None:
        found = self.found.threads
        if not found:
            return None
        rest = Rest("the page of open threads", self.here.page(THREADS))
        lines = tuple(self.lines.threads(found[:WAITING]))
        shown = cut_block("", lines, len(found) - WAITING, rest)
        return Part("threads", f"Open threads ({len(found):,})", blocks=(shown,))

    # --- episodes ----------------------------------------------------------------------------

    def _episodes(self) -> Part:
        lines = tuple(map(self.lines.episode, self.found.episodes))
        return Part("episodes", f"Episodes ({self.tag.count:,})", blocks=(Block("", lines),))

    def _newest(self, path: str) -> Part:
        rows = tuple(
            Row(year, (f"{len(found):,}",), href=self.here.page(_of_year(path, year)))
            for year, found in self._by_year()
        )
        shown = Block("Newest", tuple(map(self.lines.episode, self.found.episodes[:NEWEST])))
        title = f"Episodes ({self.tag.count:,})"
        return Part("episodes", title, tables=(Table(("Year", "Episodes"), rows),), blocks=(shown,))

    def _by_year(self) -> list[tuple[str, list[Entry]]]:
        newest = sorted(self.found.episodes, key=_year, reverse=True)
        return [(year or UNDATED, list(found)) for year, found in groupby(newest, key=_year)]


def _year(entry: Entry) -> str:
    return entry.ledger_date[:4] if entry.day else ""


def _of_year(path: str, year: str) -> str:
    """The page of a tag's year. No tag's own page has two hyphens in its name."""
    return f"{path.removesuffix('.md')}--{'undated' if year == UNDATED else year}.md"
