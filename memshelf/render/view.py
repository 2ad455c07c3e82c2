"""The index view: the lines of the catalogue that an agent carries, newest first and bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.episode import TITLE_LIMIT
from ..domain.errors import BadField
from ..domain.shelf import Shelf
from ..domain.text import budget_tokens, clip, plural, utf16_units
from ..domain.threads import open_threads
from .escape import plain
from .index import by_folder, counted
from .meta import description

BUDGET = 2_500
"""Tokens of a page of the view where nothing else is said."""
UNITS = 10_000
"""UTF-16 units of the text at session start: a host shows a longer one as a stub."""

_TAIL = 60  # tokens kept back for the last line
_CLOSING = 300  # units kept back for the last line
_IN_FULL = 0.6  # share of the session text for whole lines where the rest does not fit as ids


class View(NamedTuple):
    """A page of the view, the cursor of the next one ("" on the last), and how many episodes it
    shows and leaves for later pages."""

    text: str
    next_cursor: str
    shown: int
    left: int


def index_view(shelf: Shelf, budget: int = BUDGET, cursor: str = "") -> View:
    """The catalogue's next page: at most `budget` tokens (`budget_tokens`), but one line at least.

    `cursor` is what the page before gave, or any live episode's id: the page begins after it.
    Raises BadField for a cursor that means no place.
    """
    entries = shelf.live
    end = _place(shelf, cursor) if cursor else len(entries)
    head = _head(shelf)
    head = [head[0], head[-1]] if cursor else head
    spent = budget_tokens("\n".join(head)) + _TAIL
    lines: list[str] = []
    for entry in reversed(entries[:end]):
        line = full_line(shelf, entry)
        spent += budget_tokens(line + "\n")
        if lines and spent > budget:
            break
        lines.append(line)
    left = end - len(lines)
    after = _cursor(shelf, entries[left]) if left else ""
    return View("\n".join([*head, *lines, *_tail(left, after, cursor)]), after, len(lines), left)


def _place(shelf: Shelf, cursor: str) -> int:
    """Where the page before ended: the place in `live` of the episode that a cursor names.

    Where that one has gone since, the place where it stood.
    """
    for test in (_has_path, _has_stem, _has_id):
        for place, entry in enumerate(shelf.live):
            if test(entry, cursor):
                return place
    stem = cursor.rpartition("/")[2]
    if not stem[:4].isdigit():
        raise BadField(
            "cursor", f"{cursor!r} is no place in the index.", "Leave it out to begin anew."
        )
    return sum(entry.order < (stem[:10], stem) for entry in shelf.live)


def _has_path(entry: Entry, cursor: str) -> bool:
    return entry.path == f"docs/{cursor}.md"


def _has_stem(entry: Entry, cursor: str) -> bool:
    return entry.path.endswith(f"/{cursor}.md")


def _has_id(entry: Entry, cursor: str) -> bool:
    return entry.id == cursor


def _cursor(shelf: Shelf, last: Entry) -> str:
    """The last episode that was shown: its file's name, with the folder where two share the name."""
    twins = sum(_has_stem(entry, last.stem) for entry in shelf.live)
    return last.stem if twins == 1 else last.path[len("docs/") : -len(".md")]


def _tail(left: int, after: str, cursor: str) -> Iterator[str]:
    if left:
        yield (
            f"{plural(left, 'older episode')} not shown; go on with cursor {after!r}, or search. "
            "What is not listed here may still be on the shelf."
        )
    elif cursor:
        yield "That was the oldest episode."


def _head(shelf: Shelf) -> list[str]:
    """Name and date, the recall rule, the counts."""
    newest = shelf.as_of
    as_of = f", as of {newest}" if newest else ""
    name = f"{clip(plain(shelf.name), TITLE_LIMIT)}: index of a memory shelf{as_of}"
    rule = clip(plain(shelf.config.preamble), 400)
    if not shelf.live:
        return [name, rule, "Nothing shelved yet. `shelve` puts the first episode here."]
    return [name, rule, f"{_counts(shelf)}. Newest first:"]


def _counts(shelf: Shelf) -> str:
    folders = by_folder(shelf, shelf.live)
    parts = [counted(len(entries), plain(folder)) for folder, entries in folders[:4]]
    parts += [f"{sum(len(found) for _, found in folders[4:]):,} in other folders"] * (
        len(folders) > 4
    )
    parts += [f"{len(shelf.archived):,} archived"] * bool(shelf.archived)
    return ", ".join([*parts, plural(open_threads(shelf), "open thread")])


def full_line(shelf: Shelf, entry: Entry) -> str:
    """`DATE ID — title — description`; the date is not said twice where the id begins with it."""
    parts = [short_line(shelf, entry)]
    if entry.title and entry.title != entry.id:
        parts.append(clip(plain(entry.title), TITLE_LIMIT))
    said = description(plain(entry.description))
    return " — ".join([*parts, said] if said else parts)


def short_line(shelf: Shelf, entry: Entry) -> str:
    """The id by which an episode is recalled, after its date where that is another; what replaced it."""
    name = clip(plain(entry.stem), 120)
    day = "" if entry.ledger_date and name.startswith(entry.ledger_date) else entry.ledger_date
    later = shelf.superseded.get(entry.id, ())
    mark = f" (replaced by {clip(plain(later[0]), 120)})" if later else ""
    return f"{day} {name}{mark}".lstrip()


def session_text(shelf: Shelf, units: int = UNITS) -> str:
    """The first page for the start of a session: at most `units` UTF-16 units.

    Newest first: whole lines, then ids alone; the last line counts what is left out and names
    its dates.
    """
    head = _fitted("\n".join(_head(shelf)), units - _CLOSING)
    room = max(0, units - utf16_units(head) - _CLOSING)
    newest = shelf.live[::-1]
    full = list(_within(room, (full_line(shelf, entry) for entry in newest)))
    if len(full) == len(newest):
        return _fitted("\n".join([head, *full]), units)
    ids = [short_line(shelf, entry) for entry in newest[: room // 8]]
    kept = _split(room, [_cost(line) for line in full], [_cost(line) for line in ids], len(newest))
    rest = room - sum(_cost(line) for line in full[:kept])
    brief = list(_within(rest, islice(ids, kept, None)))
    closing = _left_out(newest[kept + len(brief) :])
    return _fitted("\n".join([head, *full[:kept], *brief, *closing]), units)


def _cost(line: str) -> int:
    return utf16_units(line) + 1


def _within(room: int, lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        room -= _cost(line)
        if room < 0:
            return
        yield line


def _split(room: int, full: list[int], ids: list[int], count: int) -> int:
    """How many lines stand whole: as many as leave room for all other ids, else a share."""
    kept, spent = 0, 0
    for cost in full:
        fits = len(ids) == count and spent + cost + sum(ids[kept + 1 :]) <= room
        if not fits and spent + cost > room * _IN_FULL:
            break
        kept, spent = kept + 1, spent + cost
    return kept


def _left_out(missing: tuple[Entry, ...]) -> Iterator[str]:
    if missing:
        span = f"{missing[-1].ledger_date or 'no date'} to {missing[0].ledger_date or 'no date'}"
        yield (
            f"{plural(len(missing), 'older episode')} not shown ({span}): the index and search have "
            "them. That something is not listed here proves nothing."
        )


def _fitted(text: str, units: int) -> str:
    while text and utf16_units(text) > units:
        text = text[: len(text) * 9 // 10]
    return text
