"""List what was left open, oldest first, and what closed or carries it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..domain.about import About
from ..domain.errors import UsageError, at_least
from ..domain.finding import left_out
from ..domain.following import mentioned_since
from ..domain.text import clip
from ..domain.threads import CARRIED, CLOSED, OPEN, Thread
from ..domain.threads import threads as all_threads
from ..render.escape import plain
from ..storage.store import Store
from ..verb import CommandLineOnly, Filled, Flag, Rev, verb

if TYPE_CHECKING:
    from ..storage.closing import Closing
    from .synced import Synced

_NAMED = 3


@dataclass(frozen=True)
class Threads:
    """Threads that were asked for, oldest first, and how many there are of each state."""

    as_of: str
    open: int
    closed: int
    carried: int
    threads: tuple[Thread, ...]
    left: int
    mentioned: dict[str, tuple[str, ...]]
    problems: tuple[str, ...] = ()

    def data(self) -> dict[str, Any]:
        """The counts, then each thread with its age in days and where it was mentioned since."""
        rows = [
            {
                **thread._asdict(),
                "age": thread.age(self.as_of),
                "mentioned_since": self.mentioned.get(thread.address, ()),
            }
            for thread in self.threads
        ]
        counts = {"open": self.open, "closed": self.closed, "carried": self.carried}
        rest = {"left": self.left, "problems": self.problems}
        return {"as_of": self.as_of, **counts, "threads": rows, **rest}

    def __str__(self) -> str:
        head = f"{self.open:,} open, {self.closed:,} closed, {self.carried:,} carried on"
        as_of = f" (as of {self.as_of})" if self.as_of else ""
        rows = [self._row(thread) for thread in self.threads]
        more = [f"{self.left:,} more: raise --max-results."] if self.left else []
        empty = [] if rows else [self._empty()]
        out = [left_out(self.problems)] if self.problems else []
        return "\n".join([f"{head}{as_of}", *rows, *empty, *more, *out])

    def _empty(self) -> str:
        if self.open or self.closed or self.carried:
            return "None that was asked for."
        return 'No thread yet: each item of a section "Open threads" is one.'

    def _row(self, thread: Thread) -> str:
        state = {
            OPEN: thread.open_for(self.as_of),
            CLOSED: f"closed by {thread.closed_by}",
            CARRIED: f"carried on as {thread.carried_by}",
        }[thread.state]
        row = f"- {thread.address} ({state}): {clip(plain(thread.text), 200)}"
        since = self.mentioned.get(thread.address, ()) if thread.state == OPEN else ()
        more = f" and {len(since) - _NAMED} more" if since[_NAMED:] else ""
        return f"{row}\n  mentioned since in {', '.join(since[:_NAMED])}{more}" if since else row


@dataclass(frozen=True)
class ThreadsClosed:
    """The threads that were closed, by which episode, and what became of the write."""

    closed: tuple[str, ...]
    by: str
    already: bool
    committed: bool
    commit: str | None
    warnings: tuple[str, ...]
    sync: Synced | None = None

    def __str__(self) -> str:
        if self.already:
            return f"{self.by} has closed that before, nothing changed"
        commit = f" (commit {self.commit[:12]})" if self.committed and self.commit else ""
        row = f"closed {', '.join(self.closed)} by {self.by}{commit}"
        rows = [row, *(f"warning: {text}" for text in self.warnings)]
        return "\n".join([*rows, *(self.sync.told() if self.sync else [])])


@verb(remembers=("state", "about", "max_results"))
def threads(
    store: Store,
    *,
    state: Annotated[Literal["open", "closed", "carried", "all"], "Which threads."] = "open",
    about: Annotated[str, "Only those about these words.", Filled()] = "",
    max_results: Annotated[int, "At most so many."] = 50,
    close: Annotated[Sequence[str], "Close this thread.", Flag("--close"), CommandLineOnly()] = (),
    by: Annotated[str, "The episode that closes it.", CommandLineOnly(), Filled()] = "",
    rev: Rev = "",
) -> Threads | ThreadsClosed:
    """List what was left open, oldest first, and what closed or carries it.

    A thread is an item of a section "Open threads", addressed as ID/t2. A later episode closes it
    with `closes: [ID/t2]` or a line "Closes ID/t2", and carries it on by naming its id. --close
    writes the address into the episode named by --by and commits that.

    Example:
    memshelf threads
    memshelf threads --about "firmware clock" --state all
    memshelf threads --close 2026-02-17-storm-night-at-lantern-quay/t1 --by 2026-03-16-firmware-sleep-bug
    memshelf threads --rev HEAD~3
    """
    at_least(1, "max_results", max_results)
    if close or by:
        return _closed(store, tuple(close), by, rev)
    shelf = store.read(rev, bodied=True)
    found = all_threads(shelf)
    counts = {name: sum(t.state == name for t in found) for name in (OPEN, CLOSED, CARRIED)}
    wanted = [t for t in found if state in (t.state, "all")]
    if about:
        is_about = About.of(about).among(shelf)
        wanted = [t for t in wanted if is_about(t.episode, t.text)]
    wanted.sort(key=lambda t: (t.since, t.address))
    shown = tuple(wanted[:max_results])
    return Threads(
        shelf.as_of,
        counts[OPEN],
        counts[CLOSED],
        counts[CARRIED],
        shown,
        len(wanted) - len(shown),
        mentioned_since(shelf, shown),
        shelf.unread,
    )


def _closed(store: Store, addresses: tuple[str, ...], by: str, rev: str) -> ThreadsClosed:
    from ..storage import closing

    if not addresses or not by:
        said = "--close and --by belong together."
        raise UsageError(said, "Write --close ID/t2 --by ID of the episode that closes it.")
    if rev:
        raise UsageError("The past cannot be changed.", "Leave --rev out.")
    return _answer(store, closing.close(store, addresses, by))


def _answer(store: Store, made: Closing) -> ThreadsClosed:
    from .afterwards import afterwards

    done = made.done
    if done is None:
        return ThreadsClosed((), made.episode, True, False, None, ())
    after = afterwards(store, done.saved, [done.path])
    return ThreadsClosed(
        *(made.closed, made.episode, False, done.saved.committed, after.commit),
        *((*done.warnings, *after.warnings), after.sync),
    )
