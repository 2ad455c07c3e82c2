"""What `archive` and `unarchive` share: moving one at once, and several when they were shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..domain.errors import UsageError
from ..domain.text import plural
from ..storage.moving import Move, Moved
from ..storage.standing import each_once
from ..storage.store import Store
from .afterwards import Afterwards, afterwards

if TYPE_CHECKING:
    from .synced import Synced


@dataclass(frozen=True)
class Relocated:
    """The files that were moved, or without `applied` would be, and what became of the write."""

    moved: tuple[Move, ...]
    count: int
    applied: bool
    committed: bool = False
    commit: str | None = None
    warnings: tuple[str, ...] = ()
    next: str = ""
    sync: Synced | None = None

    def brief(self) -> dict[str, Any]:
        """The answer where each token counts: once they are moved, nobody reads the list again."""
        if not self.applied:
            names = [move.source for move in self.moved]
            return {"status": "ok", "dry_run": True, "would_move": names, "next": self.next}
        brief: dict[str, Any] = {"status": "ok", "count": self.count, "committed": self.committed}
        brief |= {"commit": self.commit[:12]} if self.commit else {}
        brief |= {"sync": self.sync.brief} if self.sync else {}
        return brief | ({"warnings": list(self.warnings)[:3]} if self.warnings else {})

    def __str__(self) -> str:
        would = "" if self.applied else "would move "
        rows = [f"{would}{move.source} -> {move.target}" for move in self.moved]
        if self.committed and self.commit:
            rows.append(f"{plural(self.count, 'episode')} moved (commit {self.commit[:12]})")
        rows += [f"warning: {text}" for text in self.warnings]
        rows += self.sync.told() if self.sync else []
        return "\n".join([*rows, *([f"next: {self.next}"] if self.next else [])])


def relocated(
    store: Store,
    ids: Sequence[str],
    apply: bool,
    move: Callable[[Store, Sequence[str], bool], Moved],
) -> Relocated:
    """Move some episodes: one at once, several only with `apply`."""
    if not ids:
        raise UsageError("No episode was named.", "Give one id or more.")
    write = apply or len(each_once(ids)) == 1
    moves, saved, said = move(store, ids, write)
    if saved is None:
        return Relocated(moves, len(moves), False, warnings=said, next="--apply moves them.")
    after = afterwards(store, saved, [path for one in moves for path in (one.source, one.target)])
    return Relocated(
        *(moves, len(moves), True, saved.committed, after.commit),
        *((*said, *after.warnings), next_step(after), after.sync),
    )


def next_step(after: Afterwards) -> str:
    """One step that makes the derived files catch up, where a write has not."""
    if not after.stale:
        return ""
    rebuild = f"memshelf rebuild{' --commit' if after.commit else ''}"
    return f"`{rebuild}` renders INDEX.md and the other derived files."
