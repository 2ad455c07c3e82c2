"""Files that are changed together: planned first, then shown as a difference or saved at once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..domain.redact import summary
from ..domain.text import one_line
from . import batch, gate, shelving
from .gate import Change, Saved
from .store import Store


class Rework(NamedTuple):
    """One file as it is to be: where it is and where it belongs, its text before and after.

    `old` is None where there is no file yet.
    """

    path: str
    target: str
    old: str | None
    new: str

    @property
    def changed(self) -> bool:
        """False where the file is as it is to be."""
        return self.path != self.target or self.old != self.new

    def changes(self) -> list[Change]:
        """What the gate is asked for; a move is a deletion and a new file."""
        before = None if self.old is None else self.old.encode("utf-8")
        after = self.new.encode("utf-8")
        if self.old is None or self.path == self.target:
            return [Change(self.target, after, before)]
        return [Change(self.path, None, before), Change(self.target, after)]

    def diff(self) -> str:
        """The difference for eyes; a move is said in a line of its own."""
        moved = f"move {self.path} to {self.target}" if self.path != self.target else ""
        old, new = (self.old or "").encode("utf-8"), self.new.encode("utf-8")
        moved = moved if self.old is not None else ""
        return "\n".join(filter(None, (moved, batch.unified(self.target, old, new))))


class Plan(NamedTuple):
    """What is to be written in one commit, its message, and what is to be said with it.

    `counts` are masked texts by kind.
    """

    reworks: tuple[Rework, ...]
    message: str
    warnings: tuple[str, ...] = ()
    counts: Mapping[str, int] = {}

    @classmethod
    def of(
        cls,
        reworks: Sequence[Rework],
        message: str,
        warnings: Sequence[str] = (),
        counts: Mapping[str, int] | None = None,
    ) -> Plan:
        """A plan of those files that change."""
        kept = tuple(one for one in reworks if one.changed)
        return cls(kept, one_line(message), tuple(warnings), counts or {})

    @property
    def masked(self) -> str:
        """What was masked, in words, or an empty text."""
        return summary(dict(self.counts)) if sum(self.counts.values()) else ""

    @property
    def diff(self) -> str:
        """The difference of all files."""
        return "\n".join(one.diff() for one in self.reworks)


class Carried(NamedTuple):
    """A plan, and what became of it: `saved` is None where it was only shown, or empty."""

    plan: Plan
    saved: Saved | None


@contextlib.contextmanager
def alone(store: Store) -> Iterator[None]:
    """Be the only writer of a shelf, so that what was read is still so when it is written."""
    with gate.writer(store.root, plain=store.settings["storage"] == "plain"):
        yield


def carry_out(store: Store, make: Callable[[], Plan], write: bool, commit: bool = True) -> Carried:
    """Make a plan and, with `write`, save it in one commit; nobody else writes in between.

    Raises what the plan raises, before anything is written, and what the gate raises.
    """
    if not write:
        return Carried(make(), None)
    with alone(store):
        plan = make()
        changes = [change for one in plan.reworks for change in one.changes()]
        saved = shelving.save(store, changes, plan.message, commit) if changes else None
    return Carried(plan, saved)
