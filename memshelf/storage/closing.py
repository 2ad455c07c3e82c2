"""Closing threads: their addresses go into the front matter of the episode that closes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.errors import EpisodeNotFound, ShelfError
from ..domain.shelf import Shelf
from ..domain.threads import CARRIED, CLOSED, Thread, threads
from . import amending
from .reworking import alone
from .shelving import Done, Wish
from .store import Store


class ThreadNotFound(ShelfError):
    """The address names no thread."""

    code = "thread-not-found"


class NotToClose(ShelfError):
    """The thread is closed or carried on, or it is younger than what is to close it."""

    code = "not-to-close"


class Closing(NamedTuple):
    """What became of a request: the addresses that were closed by it, and of the write.

    `done` is None where the episode had closed all of them before.
    """

    episode: str
    closed: tuple[str, ...]
    done: Done | None


def close(store: Store, addresses: Sequence[str], by: str, commit: bool = True) -> Closing:
    """Write threads, `ID/t2` each, as closed into the front matter of an episode, in one commit.

    Nothing else of the file changes. Raises ThreadNotFound, NotToClose or EpisodeNotFound, naming
    what is to be done instead, and what an amend raises.
    """
    with alone(store):  # what another closes by the same episode meanwhile stays
        return _closed(store, addresses, by, commit)


def _closed(store: Store, addresses: Sequence[str], by: str, commit: bool) -> Closing:
    shelf = store.read()
    entry = shelf.by_id.get(by.removesuffix(".md"))
    if entry is None:
        raise EpisodeNotFound(by, store.near(by))
    found = {thread.address: thread for thread in threads(shelf)}
    wanted = dict.fromkeys(address.strip() for address in addresses)
    open_ones = tuple(a for a in wanted if _is_to_close(_thread(shelf, found, a), entry))
    if not open_ones:
        return Closing(entry.id, (), None)
    fields = {"closes": (*entry.closes_field, *open_ones)}
    done = amending.amend(store, Wish(entry.stem, None, {}, fields), commit, dry_run=False)
    return Closing(entry.id, open_ones, done)


def _thread(shelf: Shelf, found: dict[str, Thread], address: str) -> Thread:
    if address in found:
        return found[address]
    episode = address.partition("/")[0]
    if episode not in shelf.by_id:
        said = f"No thread {address!r} is on this shelf."
        raise ThreadNotFound(said, "`memshelf threads` shows the addresses.")
    own = [name for name, thread in found.items() if thread.episode == episode]
    fix = f"Its threads: {', '.join(own)}." if own else 'It has no section "Open threads".'
    raise ThreadNotFound(f"Episode {episode} has no thread {address!r}.", fix)


def _is_to_close(thread: Thread, by: Entry) -> bool:
    """False where the episode closed it before; raises NotToClose where it cannot."""
    if thread.state == CLOSED:
        if thread.closed_by == by.id and thread.address in by.closes:
            return False
        said = f"{thread.address} is closed already, by {thread.closed_by} on {thread.closed_on}."
        raise NotToClose(said, "Leave it out.")
    if thread.state == CARRIED:
        said = f"{thread.address} is carried on as {thread.carried_by}."
        raise NotToClose(said, "Close that one.")
    if by.ledger_date < thread.date:
        said = f"{by.id} is older than {thread.address}, which was opened on {thread.date}."
        raise NotToClose(said, "Name a later episode, or shelve one that closes it.")
    return True
