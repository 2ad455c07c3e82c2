"""What was opened, closed by what, and carried on: the model of threads (format.md, *Thread*)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .entry import Entry
from .mentions import ADDRESS
from .shelf import Shelf
from .text import words

OPEN, CLOSED, CARRIED = "open", "closed", "carried"


@dataclass(frozen=True)
class Thread:
    """One thread: its address `ID/t2`, text, and state with what made it so.

    `since` is the date of the first thread of a chain that carries it on, `first` its address.
    `closed_by` is the id of the closing episode (its own, where a box was ticked); `carried_by`
    is the address of the thread that carries it on.
    """

    address: str
    episode: str
    text: str
    date: str
    state: str = OPEN
    since: str = ""
    first: str = ""
    closed_by: str = ""
    carried_by: str = ""
    archived: bool = False

    def age(self, as_of: str) -> int:
        """Days from the first opening to a day, 0 where either has no date."""
        from .dates import parse

        begin, end = parse(self.since), parse(as_of)
        return max((end - begin).days, 0) if begin and end else 0


def threads(shelf: Shelf) -> tuple[Thread, ...]:
    """Every thread of the shelf, oldest first, each once, with its state.

    Closed by a `closes:` or a line `Closes` of a later episode, or by its ticked box; carried by a
    later thread that names its address, or the id of its episode. A mere mention closes nothing.
    """
    found = {thread.address: thread for entry in shelf.entries for thread in _opened(entry)}
    for entry in shelf.entries:
        for address in _closed_by(entry, found):
            found[address] = replace(found[address], state=CLOSED, closed_by=entry.id)
    for entry in shelf.entries:
        for thread in _opened(entry):
            _carry(found, thread)
    return tuple(found.values())


def _opened(entry: Entry) -> Iterator[Thread]:
    for place, (text, ticked) in enumerate(entry.threads, 1):
        address = f"{entry.id}/t{place}"
        yield Thread(
            address,
            entry.id,
            text,
            entry.ledger_date,
            CLOSED if ticked else OPEN,
            since=entry.ledger_date,
            first=address,
            closed_by=entry.id if ticked else "",
            archived=entry.archived,
        )


def _closed_by(entry: Entry, found: dict[str, Thread]) -> Iterator[str]:
    """The open threads that an episode closes: one by its address, all of an episode by its id."""
    for named in entry.closes:
        episode, _, place = named.partition("/")
        if episode == entry.id and not place:
            continue
        for address, thread in found.items() if not place else _one(named, found):
            if (
                thread.episode == episode
                and thread.state == OPEN
                and thread.date <= entry.ledger_date
            ):
                yield address


def _one(address: str, found: dict[str, Thread]) -> Iterator[tuple[str, Thread]]:
    if address in found:
        yield address, found[address]


def _carry(found: dict[str, Thread], later: Thread) -> None:
    """Marks what a later thread names as carried by it; age and first address pass on."""
    for match in ADDRESS.finditer(later.text):
        earlier = _carried(found, later, match.group(1), match.group(3))
        if earlier is None or (earlier.state == CLOSED and later.state == CLOSED):
            continue
        now = found[later.address]
        if earlier.since < now.since:
            found[later.address] = replace(now, since=earlier.since, first=earlier.first)
        if earlier.state == OPEN:
            found[earlier.address] = replace(earlier, state=CARRIED, carried_by=later.address)


def _carried(
    found: dict[str, Thread], later: Thread, episode: str, place: str | None
) -> Thread | None:
    """The thread that a name in a later thread means; of several the one that shares most words."""
    if place:
        named = found.get(f"{episode}/t{place}")
        return (
            named if named and named.date <= later.date and named.episode != later.episode else None
        )
    held = [
        thread
        for thread in found.values()
        if thread.episode == episode != later.episode and thread.date <= later.date
    ]
    mine = set(words(later.text))
    return max(held, key=lambda thread: len(mine & set(words(thread.text))), default=None)
