"""What a write is to do with the remote, by its flags and the shelf's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..domain.errors import UsageError
from ..domain.syncing import Syncing
from ..storage.shelving import Done
from ..storage.store import Store
from .afterwards import PATIENCE, commit_by_now

if TYPE_CHECKING:
    from .synced import Synced


class Asked(NamedTuple):
    """What the flags and the settings say together; nothing at all by default.

    `fetch` catches up first, `explicit` where a flag says so; `automatic` is a push by the settings.
    """

    fetch: bool = False
    explicit: bool = False
    push: bool = False
    publish: bool = False
    automatic: bool = False
    await_render: float | None = None

    @classmethod
    def of(
        cls,
        store: Store,
        sync: bool | None,
        push: bool | None,
        publish: bool,
        await_render: float | None,
        commit: bool,
        dry_run: bool,
    ) -> Asked:
        """Raises UsageError where the flags disagree, ShelfUnusable for settings of no sense."""
        if push and publish:
            raise UsageError("--push and --publish are two ways.", "Give one of them.")
        if (push or publish) and not commit:
            raise UsageError("Only what is committed can be pushed.", "Leave --no-commit out.")
        if await_render is not None and (await_render < 0 or not push):
            said = "--await-render is a number of seconds to wait after --push."
            raise UsageError(said, "Give --push --await-render 60.")
        says = Syncing.of(store.tables)
        if dry_run:
            return cls()
        automatic = says.autopush and commit and push is None and not publish
        wanted = bool(push) or publish or automatic or says.before_write
        fetch = wanted if sync is None else sync
        return cls(fetch, bool(sync), bool(push), publish, automatic, await_render)

    def before(self, store: Store) -> Synced | None:
        """Catch up before the write, as far as that is asked for. Raises what stops the write."""
        if not self.fetch:
            return None
        from . import syncing

        lenient = not self.explicit and (self.push or self.publish or self.automatic)
        return syncing.caught_up(store, None if self.explicit else PATIENCE, lenient)

    def after(self, store: Store, known: Synced | None, path: str) -> Synced | None:
        """Push or offer what was saved. What the remote says is in the answer and never raised."""
        if not (self.push or self.publish or self.automatic):
            return known
        from . import syncing
        from .synced import Synced

        known = known or Synced()
        if self.publish:
            from .offered import offered

            return offered(store, path, known)
        known = syncing.pushed(store, known, self.automatic)
        if self.await_render is None:
            return known
        return syncing.awaited(store, known, self.await_render)

    def commit(self, store: Store, synced: Synced | None, done: Done) -> str | None:
        """The commit that holds the episode by now."""
        return commit_by_now(store, synced, done.saved.commit, [done.path])
