"""Put archived episodes back into the index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from ..storage import moving
from ..storage.store import Store
from ..verb import Alias, verb
from .archiving import Relocated, relocated


@verb(writes=True)
def unarchive(
    store: Store,
    ids: Annotated[Sequence[str], "The ids of the episodes.", Alias("id")],
    *,
    apply: Annotated[bool, "Move them; else several are only listed."] = False,
) -> Relocated:
    """Put archived episodes back into the index.

    The way back from `archive` and `rollup`. The file is moved as it is, in one commit. Several are
    moved only with --apply.

    Example:
    memshelf unarchive 2026-01-20-token-bucket-limiter
    memshelf unarchive 2026-01-20-token-bucket-limiter 2026-02-11-embedding-survey --apply
    """
    return relocated(store, ids, apply, moving.unarchive)
