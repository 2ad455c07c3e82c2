"""The small print of pages: when and what an episode is, as of when a page is, and how many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..domain.choosing import ID, KIND, QUARTER, TAG
from ..domain.entry import Entry
from ..domain.episode import TITLE_LIMIT
from ..domain.shelf import Shelf
from ..domain.text import clip, plural
from .escape import plain
from .index import by_folder, counted

YEAR = "year"
"""Why an episode is in no book of this year; the other reasons are those of `choosing`."""
_WHY = {
    QUARTER: "of another quarter",
    TAG: "without the tag",
    KIND: "of another kind",
    ID: "not asked for",
    YEAR: "in a book of another year",
}


def absent(reasons: Iterable[str]) -> str:
    """How many episodes an output does not hold, by the reason of each: `12 of another quarter`."""
    found = Counter(reasons)
    return ", ".join(f"{found[why]:,} {words}" for why, words in _WHY.items() if why in found)


def name(shelf: Shelf) -> str:
    """The shelf's name, as a page's title shows it."""
    return clip(plain(shelf.name), TITLE_LIMIT)


def short(entry: Entry) -> str:
    """The title as lists and links show it."""
    return clip(plain(entry.heading), TITLE_LIMIT)


def when(entry: Entry) -> str:
    """The episode's day, or words where it has none."""
    return plain(entry.ledger_date) if entry.day else "no date"


def states(shelf: Shelf, entry: Entry) -> str:
    """What stands in small print behind an episode in a list: when, and what it is beside current."""
    archived = ["archived"] if entry.archived else []
    return " · ".join(
        [when(entry), *archived, *(["replaced"] if entry.id in shelf.superseded else [])]
    )


def meta(entry: Entry) -> Iterator[str]:
    """What stands in small print below a title: when, what, and how long it is good."""
    yield plain(entry.span).replace("..", " – ") if ".." in entry.span else when(entry)
    yield plain(entry.kind or entry.category)
    if entry.archived:
        yield "archived"
    if entry.retain_until:
        yield f"good until {plain(entry.retain_until)}"


def standing(shelf: Shelf, *last: str) -> str:
    """The shelf, its day and its size, and what else there is to say."""
    as_of = [f"as of {shelf.as_of}"] if shelf.as_of else []
    return " · ".join([name(shelf), *as_of, plural(len(shelf.entries), "episode"), *last])


def head(shelf: Shelf, entries: Sequence[Entry]) -> str:
    """As of when, and how many episodes of which kind; empty where there are none."""
    if not entries:
        return ""
    kinds = ", ".join(
        counted(len(found), plain(folder)) for folder, found in by_folder(shelf, entries)
    )
    archived = sum(entry.archived for entry in entries)
    parts = [f"As of {shelf.as_of}"] if shelf.as_of else []
    parts.append(f"{plural(len(entries), 'episode')}: {kinds}" if len(entries) > 1 else kinds)
    return " · ".join([*parts, *([f"{archived:,} of them archived"] if archived else [])])
