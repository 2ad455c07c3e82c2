"""What was opened, closed and carried on, and what was decided and reversed (format.md, *Thread*).

The one model of threads and decisions: lists, reports, pages and the index ask it. Every event has
the date of the episode that made it, so that the state on any day of the past is known as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .dates import of_id, parse
from .entry import Entry
from .mentions import ADDRESS
from .shelf import Shelf
from .text import words

OPEN, CLOSED, CARRIED = "open", "closed", "carried"


class Thread(NamedTuple):
    """One thread: its address `ID/t2`, text, and state with what made it so.

    `since` is the date of the first thread of a chain that carries it on, `first` its address.
    `closed_by` is the id of the closing episode (its own, where a box was ticked); `carried_by`
    is the address of the thread that carries it on. Dates are `YYYY-MM-DD` or empty.
    """

    address: str
    episode: str
    text: str
    date: str
    state: str
    since: str
    first: str
    closed_by: str = ""
    carried_by: str = ""
    archived: bool = False
    closed_on: str = ""
    carried_on: str = ""

    def age(self, as_of: str) -> int:
        """Days from the first opening to a day, 0 where either has no date."""
        return days(self.since, as_of)

    def on(self, day: str) -> Thread:
        """The thread as it stood at the end of a day, which is not before its own date."""
        closed = bool(self.closed_by) and self.closed_on <= day
        carried = bool(self.carried_by) and self.carried_on <= day
        return self._replace(
            state=CLOSED if closed else CARRIED if carried else OPEN,
            closed_by=self.closed_by if closed else "",
            closed_on=self.closed_on if closed else "",
            carried_by=self.carried_by if carried else "",
            carried_on=self.carried_on if carried else "",
        )


def days(first: str, last: str) -> int:
    """Days from one date to another, 0 where either is none or they run backward."""
    begin, end = parse(first), parse(last)
    return max((end - begin).days, 0) if begin and end else 0


def threads(shelf: Shelf) -> tuple[Thread, ...]:
    """Every thread of the shelf, oldest first, each once, with its state.

    Closed by a `closes:` or a line `Closes` of a later episode, or by its ticked box; carried by a
    later thread that names its address, or the id of its episode. A mere mention closes nothing.
    """
    found: dict[str, Thread] = {}
    held: dict[str, list[str]] = {}
    for entry in shelf.entries:
        for thread in _opened(entry):
            found[thread.address] = thread
            held.setdefault(thread.episode, []).append(thread.address)
    for entry in shelf.entries:
        for named in entry.closes:
            _close(found, held, entry, named)
    for later in [thread for thread in found.values() if "20" in thread.text]:
        _carry(found, held, later)
    return tuple(found.values())


def open_threads(shelf: Shelf) -> int:
    """How many threads are open."""
    return sum(thread.state == OPEN for thread in threads(shelf))


def _opened(entry: Entry) -> Iterator[Thread]:
    date, archived = entry.ledger_date, entry.archived
    for place, (text, ticked) in enumerate(entry.threads, 1):
        address = f"{entry.id}/t{place}"
        yield Thread(
            address,
            entry.id,
            text,
            date,
            CLOSED if ticked else OPEN,
            since=date,
            first=address,
            closed_by=entry.id if ticked else "",
            closed_on=date if ticked else "",
            archived=archived,
        )


def _close(found: dict[str, Thread], held: dict[str, list[str]], entry: Entry, named: str) -> None:
    """Closes what an episode names: one thread by its address, all of another episode by its id."""
    episode, _, place = named.partition("/")
    if episode == entry.id and not place:
        return
    date = entry.ledger_date
    for address in [named] if place else held.get(episode, ()):
        thread = found.get(address)
        if thread and thread.state == OPEN and thread.date <= date:
            found[address] = thread._replace(state=CLOSED, closed_by=entry.id, closed_on=date)


def _carry(found: dict[str, Thread], held: dict[str, list[str]], later: Thread) -> None:
    """Marks what a later thread names as carried by it; age and first address pass on."""
    for match in ADDRESS.finditer(later.text):
        episode, place = match.group(1), match.group(3)
        earlier = _carried(found, held, later, episode, place)
        if earlier is None:
            continue
        now = found[later.address]
        if earlier.since < now.since:
            found[later.address] = now._replace(since=earlier.since, first=earlier.first)
        done = earlier.state == CLOSED and earlier.closed_on <= later.date
        if not done and not earlier.carried_by:
            state = CARRIED if earlier.state == OPEN else earlier.state
            found[earlier.address] = earlier._replace(
                state=state, carried_by=later.address, carried_on=later.date
            )


def _carried(
    found: dict[str, Thread],
    held: dict[str, list[str]],
    later: Thread,
    episode: str,
    place: str | None,
) -> Thread | None:
    """The thread that a name in a later thread means; of several the one that shares most words."""
    if episode == later.episode:
        return None
    addresses = [f"{episode}/t{place}"] if place else held.get(episode, [])
    named = [found[address] for address in addresses if address in found]
    earlier = [thread for thread in named if thread.date <= later.date]
    if len(earlier) < 2:
        return earlier[0] if earlier else None
    mine = set(words(later.text))
    return max(earlier, key=lambda thread: len(mine & set(words(thread.text))))


# --- decisions -------------------------------------------------------------------------------


class Decision(NamedTuple):
    """One decision: its address `ID/d1`, text, rejected options, and what reversed it and when.

    `reversed_by` is the id of a later episode that supersedes it or its whole episode, "" while
    it stands. Dates are `YYYY-MM-DD` or empty.
    """

    address: str
    episode: str
    text: str
    rejected: tuple[str, ...]
    date: str
    reversed_by: str = ""
    reversed_on: str = ""
    archived: bool = False

    @property
    def stands(self) -> bool:
        """True where no later episode reversed it."""
        return not self.reversed_by

    def on(self, day: str) -> Decision:
        """The decision as it stood at the end of a day, which is not before its own date."""
        if self.stands or self.reversed_on <= day:
            return self
        return self._replace(reversed_by="", reversed_on="")


class Replacement(NamedTuple):
    """One episode that a later one replaces, from which day on."""

    old: str
    new: str
    date: str


def decisions(shelf: Shelf) -> tuple[Decision, ...]:
    """Every decision of the shelf, oldest first, with what reversed it (the first that did)."""
    by_address = _reversals(shelf)
    whole = {found.old: found for found in reversed(replacements(shelf))}
    out = []
    for entry in shelf.entries:
        for place, (text, rejected) in enumerate(entry.decisions, 1):
            address, date = f"{entry.id}/d{place}", entry.ledger_date
            made = Decision(address, entry.id, text, rejected, date, archived=entry.archived)
            gone = by_address.get(address) or whole.get(entry.id)
            if gone and gone.date >= date:
                made = made._replace(reversed_by=gone.new, reversed_on=gone.date)
            out.append(made)
    return tuple(out)


def replacements(shelf: Shelf) -> tuple[Replacement, ...]:
    """Every replaced episode with what replaces it, by the date of the new one."""
    found = [
        Replacement(old, new, _date_of(shelf, new))
        for old, later in shelf.superseded.items()
        for new in later
    ]
    return tuple(sorted(found, key=lambda pair: (pair.date, pair.new, pair.old)))


def _reversals(shelf: Shelf) -> dict[str, Replacement]:
    """What reverses single decisions, by their address; of several the first."""
    out: dict[str, Replacement] = {}
    for entry in shelf.entries:
        for named in entry.supersedes:
            if "/" in named and not named.startswith(f"{entry.id}/"):
                out.setdefault(named, Replacement(named, entry.id, entry.ledger_date))
    return out


def _date_of(shelf: Shelf, name: str) -> str:
    found = shelf.by_id.get(name)
    return found.ledger_date if found else of_id(name)
