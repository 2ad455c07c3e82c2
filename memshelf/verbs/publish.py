"""Publish the shelf as a site on a branch of its own, guarded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..storage.store import Store
from ..verb import verb
from .publishing import Asked, Published, published
from .site_built import built_site


@verb(mcp=False, writes=True)
def publish(
    store: Store,
    *,
    branch: Annotated[str, "The branch of the pages; else [publish] branch, gh-pages."] = "",
    remote: Annotated[str, "The remote; else [publish] remote, origin."] = "",
    message: Annotated[str, "The message of the commit; everybody reads it."] = "",
    dry_run: Annotated[bool, "Show new, changed and gone files; push nothing."] = False,
    single_commit: Annotated[bool, "One commit without the ones before it."] = False,
    overwrite: Annotated[bool, "Also over files there that memshelf did not put there."] = False,
    allow_public: Annotated[
        bool, "Also where a host shows everybody what the team may read."
    ] = False,
    stayed: Annotated[Path | None, "Write there what stayed and why: it names hidden ids."] = None,
) -> Published:
    """Publish the shelf as a site on a branch of its own, guarded.

    Only what [publish] in memshelf.toml lets leave is built, every file is read by the guard, and
    the branch gets a commit if anything changed. The worktree, the index and the branch you are on
    stay as they are. Files on the branch that are not ours stay too, CNAME first of all.

    Example:
    memshelf publish --dry-run
    memshelf publish
    memshelf publish --branch pages --remote upstream --message "The week's notes"
    memshelf publish --stayed ../stayed.json
    """
    asked = Asked(branch, remote, message, dry_run, single_commit, overwrite, allow_public, stayed)
    return published(store, built_site, asked)
