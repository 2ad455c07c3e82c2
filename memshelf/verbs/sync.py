"""Take over what the remote has, and push what it has not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from ..storage.store import Store
from ..verb import CommandLineOnly, verb
from . import syncing
from .synced import Synced


@dataclass(frozen=True)
class SyncAnswer:
    """What became of it, and the commit at HEAD."""

    sync: Synced

    @property
    def ok(self) -> bool:
        """False where a push was asked for and did not come about."""
        return self.sync.ok

    @property
    def hint(self) -> str:
        """A command that goes on."""
        return self.sync.hint or ""

    def data(self) -> dict[str, Any]:
        """The peer's keys."""
        return {"sync": self.sync, "head": self.sync.final_sha, "summary": self.sync.summary}

    def __str__(self) -> str:
        return "\n".join(self.sync.lines())


@verb(writes=True)
def sync(
    store: Store,
    *,
    push: Annotated[bool, "Then push what the remote has not.", CommandLineOnly()] = False,
) -> SyncAnswer:
    """Take over what the remote has, and push what it has not.

    The branch goes forward; where both sides have commits of their own, it says so and changes
    nothing. With --push yours are put on top of theirs and pushed. A remote that cannot be reached
    is said, and a failure only of a push.

    Example:
    memshelf sync
    memshelf sync --push
    """
    known = syncing.caught_up(store, lenient=push)
    return SyncAnswer(syncing.pushed(store, known) if push else known)
