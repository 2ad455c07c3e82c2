"""The lists of a book: where to start, tags, decisions, open threads, what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ..domain.choosing import Chosen
from ..domain.dates import parse, quarter
from ..domain.entry import Entry
from ..domain.shelf import Shelf
from ..domain.tags import Tag
from ..domain.text import clip, plural
from ..domain.threads import Decision, Thread
from . import captions
from .epub_entry import Link, Writer
from .escape import plain

if TYPE_CHECKING:
    from markupsafe import Markup

FIRST = 10
"""Items of each list of Start here."""
TEXT = 200
"""Characters of a thread or a decision in a list."""
ROOM = 600
"""Items on one page of a list; more go on on another."""
TAGGED = 50
"""Episodes that a tag lists; its newest."""


class Item(NamedTuple):
    """One line of a list: its text, what stands below it, small print, and links."""

    text: Markup | str
    below: tuple[Markup | str, ...] = ()
    small: str = ""
    links: tuple[Link, ...] = ()


class Group(NamedTuple):
    """Items under a heading, with an anchor where something leads to it, and what was cut."""

    heading: str
    items: tuple[Item, ...]
    anchor: str = ""
    more: str = ""
    all: str = ""
    """The address of the page that has all of them, where some were cut."""


class List(NamedTuple):
    """One page of a list; from the second page on `number` counts them."""

    file: str
    title: str
    said: str
    groups: tuple[Group, ...]
    number: int = 1


# --- start here ------------------------------------------------------------------------------


def start(
    newest: Sequence[Entry], threads: Sequence[Thread], decisions: Sequence[Decision], to: Writer
) -> List:
    """The newest episodes, the oldest open threads and the latest decisions."""
    groups = (
        Group("Newest", tuple(_episode(entry, to) for entry in newest[:FIRST])),
        Group("Open longest", tuple(_thread(t, to) for t in threads[:FIRST]),
              more=_more(threads), all="threads.xhtml"),
        Group("Decided last", tuple(_decision(d, to) for d in decisions[:FIRST]),
              more=_more(decisions), all="decisions.xhtml"),
    )  # fmt: skip
    return List("start.xhtml", "Start here", "", tuple(group for group in groups if group.items))


def _episode(entry: Entry, to: Writer) -> Item:
    return Item("", links=(to.entry(entry),), small=to.states(entry))


def _more(found: Sequence[object]) -> str:
    return f"{len(found) - FIRST:,} more" if len(found) > FIRST else ""


# --- threads and decisions -------------------------------------------------------------------


def threads_pages(threads: Sequence[Thread], as_of: str, to: Writer) -> Iterator[List]:
    """What is open, the oldest first."""
    said = f"{plural(len(threads), 'thread')} open, the oldest first." if threads else ""
    items = [("", _thread(thread, to, as_of)) for thread in threads]
    return _pages("threads", "Open threads", said or "Nothing is open.", items)


def _thread(thread: Thread, to: Writer, as_of: str = "") -> Item:
    age = thread.age(as_of)
    small = [plain(thread.address), f"open since {plain(thread.since)}" if thread.since else ""]
    small.append(f"{plural(age, 'day')}" if age else "")
    return Item(
        _words(thread.text, to), (), " · ".join(filter(None, small)), (to.link(thread.episode),)
    )


def decisions_pages(decisions: Sequence[Decision], shelf: Shelf, to: Writer) -> Iterator[List]:
    """What stands, newest first by quarter; then what was reversed."""
    stand = [decision for decision in decisions if decision.stands]
    gone = [decision for decision in decisions if not decision.stands]
    begin = shelf.config.fiscal_year_start
    said = f"{len(stand):,} stand, {len(gone):,} reversed; the newest first."
    items = [(_quarter(decision.date, begin), _decision(decision, to)) for decision in stand]
    items += [("Reversed", _decision(decision, to)) for decision in gone]
    return _pages("decisions", "Decisions", said if items else "No decisions yet.", items)


def _quarter(date: str, begin: int) -> str:
    day = parse(date)
    return quarter(day, begin) if day else "Without a date"


def _decision(decision: Decision, to: Writer) -> Item:
    links = [to.link(decision.episode)]
    small = plain(decision.address)
    if not decision.stands:
        small += f" · reversed {plain(decision.reversed_on)}".rstrip()
        links.append(to.link(decision.reversed_by))
    return Item(
        _words(decision.text, to),
        tuple(_words(text, to) for text in decision.rejected),
        small,
        tuple(links),
    )


def _words(text: str, to: Writer) -> Markup | str:
    """An item's Markdown as words in a line; what is no paragraph stays as it was typed."""
    short = clip(text, TEXT)
    return to.words(short) or plain(short)


# --- tags ------------------------------------------------------------------------------------


def tag_places(tags: Sequence[Tag]) -> dict[str, str]:
    """The address of each tag, by its key."""
    return {tag.key: f"{file}#{_anchor(tag)}" for file, tag in _placed(tags)}


def tags_pages(tags: Sequence[Tag], to: Writer) -> Iterator[List]:
    """Every tag with its newest episodes."""
    pages: dict[str, list[Group]] = {}
    for file, tag in _placed(tags):
        pages.setdefault(file, []).append(_tag(tag, to))
    said = f"{plural(len(tags), 'tag')}, A to Z." if tags else "No tags yet."
    for number, groups in enumerate(pages.values() or [[]], 1):
        yield _page("tags", "Tags", said, tuple(groups), number)


def _placed(tags: Sequence[Tag]) -> Iterator[tuple[str, Tag]]:
    """Each tag with the file that it stands in."""
    number, filled = 1, 0
    for tag in tags:
        size = min(tag.count, TAGGED)
        if filled and filled + size > ROOM:
            number, filled = number + 1, 0
        filled += size
        yield _file("tags", number), tag


def _anchor(tag: Tag) -> str:
    return f"tag-{tag.slug}"


def _tag(tag: Tag, to: Writer) -> Group:
    items = tuple(_episode(entry, to) for entry in tag.episodes[:TAGGED])
    left = tag.count - len(items)
    also = ", ".join(plain(name) for name, _ in tag.variants)
    heading = f"{plain(tag.name)} ({tag.count:,})" + (f", also {also}" if also else "")
    more = f"{left:,} older ones are in their months." if left else ""
    return Group(heading, items, _anchor(tag), more)


# --- left out --------------------------------------------------------------------------------


def left_out_page(chosen: Chosen, other_years: int, to: Writer) -> List:
    """What the readers may know of and is not in the book, and what could not be read."""
    out = chosen.visible_left_out
    counts = captions.absent([one.reason for one in out] + [captions.YEAR] * other_years)
    said = f"Not in this book: {counts}." if counts else ""
    names = tuple(Item("", links=(Link(to.link(one.id).words),)) for one in islice(out, ROOM))
    problems = tuple(Item(plain(found.said)) for found in chosen.shelf.problems)
    groups = (
        Group("Episodes", names, more=f"{len(out) - ROOM:,} more" if len(out) > ROOM else ""),
        Group("Problems", problems),
    )
    return List(
        "left-out.xhtml",
        "Left out",
        said or ("" if problems else "Nothing was left out."),
        tuple(group for group in groups if group.items),
    )


# --- pages of a list -------------------------------------------------------------------------


def _pages(name: str, title: str, said: str, items: Sequence[tuple[str, Item]]) -> Iterator[List]:
    """Items with the heading that each stands under, on as many pages as they need."""
    for number, begin in enumerate(range(0, len(items) or 1, ROOM), 1):
        groups: dict[str, list[Item]] = {}
        for heading, item in items[begin : begin + ROOM]:
            groups.setdefault(heading, []).append(item)
        found = tuple(Group(heading, tuple(held)) for heading, held in groups.items())
        yield _page(name, title, said, found, number)


def _page(name: str, title: str, said: str, groups: tuple[Group, ...], number: int) -> List:
    """One page of several; only the first says what the list is."""
    if number > 1:
        title, said = f"{title} ({number})", ""
    return List(_file(name, number), title, said, groups, number)


def _file(name: str, number: int) -> str:
    return f"{name}.xhtml" if number == 1 else f"{name}-{number}.xhtml"
