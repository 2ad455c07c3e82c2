"""Take episodes out of the index, into the archive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from ..storage import moving
from ..storage.store import Store
from ..verb import Alias, verb
from .archiving import Relocated, relocated


@verb(writes=True)
def archive(
    store: Store,
    ids: Annotated[Sequence[str], "The ids of the episodes.", Alias("id")],
    *,
    apply: Annotated[bool, "Move them; else several are only listed."] = False,
) -> Relocated:
    """Take episodes out of the index, into the archive.

    An archived episode is still recalled, searched with --past and counted; INDEX.md does not list
    it any more. Its file is moved as it is, in one commit. Several are moved only with --apply.

    Example:
    memshelf archive 2026-01-20-token-bucket-limiter
    memshelf archive 2026-01-20-token-bucket-limiter 2026-02-11-embedding-survey --apply
    """
    return relocated(store, ids, apply, moving.archive)
