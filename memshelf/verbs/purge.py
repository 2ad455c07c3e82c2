"""Remove the episodes that are past the last day on which they are to be kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated

from ..domain import dates
from ..domain.forgetting import expired, naming
from ..domain.text import plural
from ..storage import removing
from ..storage.clock import today as now
from ..storage.reworking import alone
from ..storage.store import Store
from ..verb import verb
from .forgetting import TakenOut, removed, taken_out, told

NOTE = (
    "Where git keeps a history, that still holds what is removed, and so do clones and exports: "
    "`memshelf forget ID` says where, and prints the steps that rewrite the history."
)


@dataclass(frozen=True)
class Purged:
    """The files that are past their `retain_until`, and those of them that were removed.

    The peer's keys first; `taken_out` are the episodes whose front matter named them, and
    `named_in` ids of those that name them still.
    """

    expired: tuple[str, ...]
    deleted: tuple[str, ...]
    count: int
    applied: bool
    warnings: tuple[str, ...]
    note: str
    committed: bool = False
    commit: str | None = None
    rendered: str | None = None
    named_in: tuple[str, ...] = ()
    taken_out: tuple[TakenOut, ...] = ()

    @property
    def hint(self) -> str:
        """What to do next, where something was found and nothing done."""
        return "" if self.applied or not self.count else "dry run: --apply removes them"

    def __str__(self) -> str:
        would = "removed" if self.applied else "past its last day"
        rows = [f"{would}: {path}" for path in self.expired]
        rows += [] if rows else ["Nothing is past its retain_until."]
        if self.commit:
            rows.append(f"{plural(self.count, 'episode')} removed (commit {self.commit[:12]})")
        rows += [f"{'' if self.applied else 'to be '}taken out of: {one}" for one in self.taken_out]
        rows += [f"named in {name}" for name in self.named_in]
        rows += [f"warning: {text}" for text in self.warnings]
        return "\n".join([*rows, *([self.note] if self.count else [])])


@verb(writes=True, destructive=True, idempotent=True)
def purge(
    store: Store,
    *,
    apply: Annotated[bool, "Remove them; else they are only listed."] = False,
    today: Annotated[str, "Take this day, YYYY-MM-DD, for today."] = "",
) -> Purged:
    """Remove the episodes that are past the last day on which they are to be kept.

    That is the day in `retain_until`, on which an episode is still kept. A word there that is no
    day of the calendar removes nothing and is reported. Live and archived ones, in one commit.

    Example:
    memshelf purge
    memshelf purge --apply
    memshelf purge --today 2027-01-01
    """
    day = dates.parse(dates.require("today", today)) if today else now()
    assert day is not None
    if not apply:
        return _look(store, day)[0]
    with alone(store):  # who gives one a later day meanwhile keeps it
        found, others = _look(store, day)
        if not found.expired:
            return found
        message = f"purge: {plural(found.count, 'episode')} past retain_until"
        done = removed(store, found.expired, message, others)
    return replace(
        found,
        deleted=found.expired,
        applied=True,
        warnings=(*found.warnings, *done.warnings),
        committed=done.committed,
        commit=done.commit,
        rendered=done.rendered,
    )


def _look(store: Store, day: date) -> tuple[Purged, tuple[removing.Naming, ...]]:
    """What is past its day, as it is answered before anything is removed, and what names it."""
    shelf = store.read(bodied=True)
    found = expired(shelf, day)
    paths = tuple(sorted(entry.path for entry in found.entries))
    names = tuple(name for entry in found.entries for name in (entry.id, entry.stem))
    unread = (f"{one} It is left alone." for one in shelf.unread)
    others = removing.naming(store, shelf, names, paths) if paths else ()
    keys = {one.path: one.still for one in others}
    named = tuple(one.id for one in naming(shelf, names, paths, keys)) if paths else ()
    said = (*found.unclear, *unread, *told(shelf, paths, others))
    head = (paths, (), len(paths), False, said, NOTE)
    return Purged(*head, named_in=named, taken_out=taken_out(others)), others
