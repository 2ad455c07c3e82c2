"""Change single keys of episodes: tags, title, visibility, kind, date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from ..domain.text import plural
from ..storage.store import Store
from ..verb import Alias, CommandLineOnly, Flag, verb
from .reworked import Reworked, refuse_both, reworked


@verb(writes=True, destructive=True)
def edit(
    store: Store,
    ids: Annotated[Sequence[str], "The ids of the episodes.", Alias("id")],
    *,
    tags: Annotated[Sequence[str], "+TAG adds one, -TAG takes one away.", Flag("--tag")] = (),
    visibility: Annotated[Literal["private", "team", "public"] | None, "Who may read it."] = None,
    title: Annotated[str | None, "What people call it.", Alias("display_title")] = None,
    description: Annotated[str | None, "Its line in the index."] = None,
    kind: Annotated[
        Literal["topic", "research", "session"] | None, "What it is; the file moves."
    ] = None,
    date: Annotated[str | None, "YYYY-MM-DD."] = None,
    retain_until: Annotated[str | None, "Last day it is to be kept."] = None,
    apply: Annotated[bool, "Write, where it is more than one episode."] = False,
    dry_run: Annotated[bool, "Show what would change, write nothing."] = False,
    commit: Annotated[bool, "Commit it.", CommandLineOnly()] = True,
) -> Reworked:
    """Change single keys of episodes: tags, title, visibility, kind, date.

    Only the lines of the named keys change, and an empty text takes a key away. One episode is
    written at once; of several it is shown first, and --apply writes them in one commit.

    Example:
    memshelf edit 2026-01-20-token-bucket-limiter --tag +limits --tag -redis
    memshelf edit 2026-01-20-token-bucket-limiter --title "Limits: token bucket" --dry-run
    memshelf edit 2026-01-20-token-bucket-limiter 2026-02-04-public-api-v1 --visibility team --apply
    """
    from ..storage import changing
    from ..storage.standing import each_once

    refuse_both(apply, dry_run)
    given = {
        "display_title": title,
        "visibility": visibility,
        "description": description,
        "kind": kind,
        "date": date,
        "retain_until": retain_until,
    }
    fields = {name: value for name, value in given.items() if value is not None}
    names = each_once(ids)
    several = len(names) > 1
    write = not dry_run and (apply or not several)
    made = changing.edit(store, names, fields, tuple(tags), write, commit)
    named = plural(len(names), "episode") if several else names[0]
    return reworked(store, f"edited {named}", made, several and not dry_run)
