"""What was opened, closed by what, and carried on: the model of threads (format.md, *Thread*)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .dates import parse
from .entry import Entry
from .mentions import ADDRESS
from .shelf import Shelf
from .text import words

OPEN, CLOSED, CARRIED = "open", "closed", "carried"


class Thread(NamedTuple):
    """One thread: its address `ID/t2`, text, and state with what made it so.

    `since` is the date of the first thread of a chain that carries it on, `first` its address.
    `closed_by` is the id of the closing episode (its own, where a box was ticked); `carried_by`
    is the address of the thread that carries it on.
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

    def age(self, as_of: str) -> int:
        """Days from the first opening to a day, 0 where either has no date."""
        begin, end = parse(self.since), parse(as_of)
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
        state, closer = (CLOSED, entry.id) if ticked else (OPEN, "")
        yield Thread(address, entry.id, text, date, state, date, address, closer, archived=archived)


def _close(found: dict[str, Thread], held: dict[str, list[str]], entry: Entry, named: str) -> None:
    """Closes what an episode names: one thread by its address, all of another episode by its id."""
    episode, _, place = named.partition("/")
    if episode == entry.id and not place:
        return
    for address in [named] if place else held.get(episode, ()):
        thread = found.get(address)
        if thread and thread.state == OPEN and thread.date <= entry.ledger_date:
            found[address] = thread._replace(state=CLOSED, closed_by=entry.id)


def _carry(found: dict[str, Thread], held: dict[str, list[str]], later: Thread) -> None:
    """Marks what a later thread names as carried by it; age and first address pass on."""
    for match in ADDRESS.finditer(later.text):
        episode, place = match.group(1), match.group(3)
        earlier = _carried(found, held, later, episode, place)
        if earlier is None or (earlier.state == CLOSED and found[later.address].state == CLOSED):
            continue
        now = found[later.address]
        if earlier.since < now.since:
            found[later.address] = now._replace(since=earlier.since, first=earlier.first)
        if earlier.state == OPEN:
            found[earlier.address] = earlier._replace(state=CARRIED, carried_by=later.address)


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
