"""Show the index: what is on the shelf, newest first, within a budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ..domain.errors import at_least
from ..domain.finding import left_out
from ..render.view import index_view
from ..storage.store import Store
from ..verb import Rev, verb


@dataclass(frozen=True)
class Indexed:
    """One page of the index view, how many entries it shows and how many are left."""

    content: str
    next_cursor: str
    shown: int
    left: int
    problems: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.content


@verb(prose=True, remembers=("budget", "cursor"))
def index(
    store: Store,
    *,
    budget: Annotated[int, "Tokens that the answer may cost."] = 2500,
    cursor: Annotated[str, "Where the last page ended, as it said."] = "",
    rev: Rev = "",
) -> Indexed:
    """Show the index: what is on the shelf, newest first, within a budget.

    Read it before answering about past work, then recall only what is needed. It is rendered from
    the episodes and so never stale; INDEX.md is the same as a file, whole.

    Example:
    memshelf index
    memshelf index --budget 800
    """
    at_least(1, "budget", budget)
    shelf = store.read(rev, bodied=True)
    view = index_view(shelf, budget, cursor)
    text = f"{view.text}\n{left_out(shelf.unread)}" if shelf.unread else view.text
    return Indexed(text, view.next_cursor, view.shown, view.left, shelf.unread)
