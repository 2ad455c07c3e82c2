"""What was opened, closed and carried on, and what was decided and reversed (format.md, *Thread*).

The one model of threads and decisions: lists, reports, pages and the index ask it. Every event has
the date of the episode that made it, so that the state on any day of the past is known as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from heapq import merge
from itertools import groupby
from typing import NamedTuple

from .dates import of_id, parse
from .entry import Entry
from .mentions import ADDRESS, item_of
from .shelf import Shelf
from .text import plural, words

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

    def open_for(self, as_of: str) -> str:
        """`open for 12 days`; of a thread without a calendar date that it is open."""
        known = parse(self.since) is not None
        return f"open for {plural(self.age(as_of), 'day')}" if known else "open, without a date"

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
    """Every thread of the shelf, oldest first, each once, with its state."""
    return tuple(Threads(shelf))


def open_threads(shelf: Shelf) -> int:
    """How many threads are open."""
    return Threads(shelf).open


def waiting(shelf: Shelf) -> Iterator[Thread]:
    """The open threads, those that have waited longest first; no more are made than are asked for."""
    found = Threads(shelf)
    carrying = (thread for thread in found.touched.values() if thread.state == OPEN)
    return merge(sorted(carrying, key=_wait), found.untouched(), key=_wait)


def _wait(thread: Thread) -> tuple[str, str]:
    return thread.since, thread.address


class Threads:
    """The threads of a shelf: what became of them is worked out, the others are made when asked for.

    Closed by a `closes:` or a line `Closes` of a later episode, or by its ticked box; carried by a
    later thread that names its address, or the id of its episode. A mere mention closes nothing.
    """

    def __init__(self, shelf: Shelf) -> None:
        self.touched: dict[str, Thread] = {}
        """By address: those that are closed or carried, or carry others on. The rest is just open."""
        self._entries = shelf.entries
        self._held: dict[str, list[Entry]] = {}
        naming = self._opened()
        for entry in shelf.entries:
            for named in entry.closes:
                self._close(entry, named)
        for address in naming:
            later = self.get(address)
            if later:
                self._carry(later)

    def __iter__(self) -> Iterator[Thread]:
        return (thread for entry in self._entries for thread in self.of(entry))

    def of(self, entry: Entry) -> Iterator[Thread]:
        """The threads of an episode; of two files with one id the later one has what both have."""
        name, date, archived = entry.id, entry.ledger_date, entry.archived
        alone = len(self._held.get(name, ())) < 2
        for place, (text, _) in enumerate(entry.threads, 1):
            if alone or self._owner(name, place) is entry:
                address = f"{name}/t{place}"
                known = self.touched.get(address)
                yield known or Thread(
                    address, name, text, date, OPEN, date, address, "", "", archived
                )

    def untouched(self) -> Iterator[Thread]:
        """Those that are open and carry no other one on, the oldest first, then by address."""
        for _, entries in groupby(self._entries, key=lambda entry: entry.ledger_date):
            opened = (thread for entry in entries for thread in self.of(entry))
            yield from sorted((t for t in opened if t.address not in self.touched), key=_wait)

    def count(self, entry: Entry) -> int:
        """How many threads an episode has; none is made for that."""
        if len(self._held.get(entry.id, ())) < 2:
            return len(entry.threads)
        return sum(1 for _ in self.of(entry))

    @cached_property
    def open(self) -> int:
        """How many are open."""
        total = sum(len(self._addresses(episode)) for episode in self._held)
        return total - sum(thread.state != OPEN for thread in self.touched.values())

    def get(self, address: str) -> Thread | None:
        """The thread of an address `ID/t2`; None where there is none."""
        kind, number = item_of(address)
        entry = self._owner(address.partition("/")[0], number) if kind == "t" else None
        return self._made(entry, number) if entry else None

    def _owner(self, episode: str, place: int) -> Entry | None:
        files = reversed(self._held.get(episode, ()))
        return next((entry for entry in files if len(entry.threads) >= place), None)

    def _made(self, entry: Entry, place: int) -> Thread:
        address = f"{entry.id}/t{place}"
        known = self.touched.get(address)
        if known:
            return known
        text, date = entry.threads[place - 1].text, entry.ledger_date
        return Thread(address, entry.id, text, date, OPEN, date, address, "", "", entry.archived)

    # --- what became of them -----------------------------------------------------------------

    def _opened(self) -> list[str]:
        """Notes what is open and what was ticked at once; the addresses whose texts may name others."""
        naming, ticked = [], []
        for entry in self._entries:
            found = entry.threads
            if found:
                self._held.setdefault(entry.id, []).append(entry)
            for place, (text, done) in enumerate(found, 1):
                if done:
                    ticked.append((entry, place))
                if "20" in text:
                    naming.append(f"{entry.id}/t{place}")
        for entry, place in ticked:
            if self._owner(entry.id, place) is entry:
                self._end(self._made(entry, place), entry)
        return list(dict.fromkeys(naming))

    def _close(self, entry: Entry, named: str) -> None:
        """Closes what an episode names: one thread by its address, all of another by its id."""
        episode, _, place = named.partition("/")
        if episode == entry.id and not place:
            return
        date = entry.ledger_date
        for address in [named] if place else self._addresses(episode):
            thread = self.get(address)
            if thread and thread.state == OPEN and thread.date <= date:
                self._end(thread, entry)

    def _end(self, thread: Thread, entry: Entry) -> None:
        closed = thread._replace(state=CLOSED, closed_by=entry.id, closed_on=entry.ledger_date)
        self.touched[thread.address] = closed

    def _addresses(self, episode: str) -> list[str]:
        count = max((len(entry.threads) for entry in self._held.get(episode, ())), default=0)
        return [f"{episode}/t{place}" for place in range(1, count + 1)]

    def _carry(self, later: Thread) -> None:
        """Marks what a later thread names as carried by it; age and first address pass on."""
        for match in ADDRESS.finditer(later.text):
            earlier = self._carried(later, match.group(1), match.group(3))
            if earlier is None:
                continue
            now = self.touched.get(later.address, later)
            if earlier.since < now.since:
                chained = now._replace(since=earlier.since, first=earlier.first)
                self.touched[later.address] = chained
            done = earlier.state == CLOSED and earlier.closed_on <= later.date
            if not done and not earlier.carried_by:
                state = CARRIED if earlier.state == OPEN else earlier.state
                self.touched[earlier.address] = earlier._replace(
                    state=state, carried_by=later.address, carried_on=later.date
                )

    def _carried(self, later: Thread, episode: str, place: str | None) -> Thread | None:
        """The thread that a name in a later one means; of several that which shares most words."""
        if episode == later.episode:
            return None
        addresses = [f"{episode}/t{place}"] if place else self._addresses(episode)
        named = filter(None, map(self.get, addresses))
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
    made = Decisions(shelf)
    return tuple(decision for entry in shelf.entries for decision in made.of(entry))


class Decisions:
    """The decisions of a shelf, made when they are asked for; `replaced` is what replaces whole
    episodes, by the date of the new one."""

    def __init__(self, shelf: Shelf) -> None:
        self.replaced = replacements(shelf)
        self._whole = {found.old: found for found in reversed(self.replaced)}
        self._single = _reversals(shelf)

    def of(self, entry: Entry) -> Iterator[Decision]:
        """The decisions of an episode."""
        found, date, archived = entry.decisions, entry.ledger_date, entry.archived
        whole = _first(date, self._whole.get(entry.id))
        for place, (text, rejected) in enumerate(found, 1):
            address = f"{entry.id}/d{place}"
            single = self._single.get(address)
            gone = _first(date, single, whole) if single else whole
            by, on = (gone.new, gone.date) if gone else ("", "")
            yield Decision(address, entry.id, text, rejected, date, by, on, archived)

    def may_be_reversed(self, entry: Entry) -> bool:
        """False for an episode of which each decision stands."""
        return entry.id in self._whole or entry.id in self._touched

    @cached_property
    def _touched(self) -> set[str]:
        return {address.partition("/")[0] for address in self._single}


def _first(date: str, *found: Replacement | None) -> Replacement | None:
    """The first of what replaces something of a date, leaving out what is older than it."""
    later = [one for one in found if one and one.date >= date]
    return min(later, key=lambda one: one.date) if later else None


def standing(shelf: Shelf) -> Iterator[Decision]:
    """The decisions that stand, the latest first; no more are made than are asked for."""
    made = Decisions(shelf)
    for entry in reversed(shelf.entries):
        yield from (found for found in reversed([*made.of(entry)]) if found.stands)


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
