"""List what was left open, oldest first, and what closed or carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ..domain.errors import at_least
from ..domain.shelf import left_out
from ..domain.text import clip, plural
from ..domain.threads import CARRIED, CLOSED, OPEN, Thread
from ..domain.threads import threads as all_threads
from ..storage.store import Store
from ..verb import Rev, verb


@dataclass(frozen=True)
class Threads:
    """Threads of the state asked for, oldest first, and how many there are of each state."""

    as_of: str
    open: int
    closed: int
    carried: int
    threads: tuple[Thread, ...]
    left: int
    problems: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{self.open} open, {self.closed} closed, {self.carried} carried on (as of {self.as_of})"
        rows = [_row(thread, self.as_of) for thread in self.threads]
        more = [f"{self.left} more: raise --max-results."] if self.left else []
        empty = [] if rows else ["Nothing of that state."]
        out = [left_out(self.problems)] if self.problems else []
        return "\n".join([head, *rows, *empty, *more, *out])


def _row(thread: Thread, as_of: str) -> str:
    days = plural(thread.age(as_of), "day")
    state = {
        OPEN: f"open for {days}",
        CLOSED: f"closed by {thread.closed_by}",
        CARRIED: f"carried on as {thread.carried_by}",
    }[thread.state]
    return f"- {thread.address} ({state}): {clip(thread.text, 200)}"


@verb(remembers=("state", "max_results"))
def threads(
    store: Store,
    *,
    state: Annotated[Literal["open", "closed", "carried", "all"], "Which threads."] = "open",
    max_results: Annotated[int, "At most so many."] = 50,
    rev: Rev = "",
) -> Threads:
    """List what was left open, oldest first, and what closed or carries it.

    A thread is an item of a section "Open threads", addressed as ID/t2. A later episode closes it
    with `closes: [ID/t2]` or a line "Closes ID/t2", and carries it on by naming its id.

    Example:
    memshelf threads
    memshelf threads --state closed --max-results 10
    memshelf threads --rev HEAD~3
    """
    at_least(1, "max_results", max_results)
    shelf = store.read(rev)
    found = all_threads(shelf)
    counts = {name: sum(t.state == name for t in found) for name in (OPEN, CLOSED, CARRIED)}
    wanted = [t for t in found if state in (t.state, "all")]
    wanted.sort(key=lambda t: (t.since, t.address))
    shown = tuple(wanted[:max_results])
    return Threads(
        shelf.as_of,
        counts[OPEN],
        counts[CLOSED],
        counts[CARRIED],
        shown,
        len(wanted) - len(shown),
        shelf.unread,
    )
