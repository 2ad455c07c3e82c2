"""Say that an episode, or one decision of it, is replaced by a later one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from ..domain.restating import MENTIONS, Restating
from ..domain.text import plural
from ..storage.store import Store
from ..verb import CommandLineOnly, verb
from .reworked import Reworked, reworked

_SHOWN = 10


@dataclass(frozen=True)
class Superseded:
    """What was replaced by what, the write, and the episodes that still state the old thing."""

    old: str
    by: str
    already: bool
    write: Reworked
    still: tuple[Restating, ...]

    def data(self) -> dict[str, Any]:
        """What was replaced by what, the write, and what still states it."""
        still = [{k: v for k, v in row._asdict().items() if v} for row in self.still]
        head = {"old": self.old, "by": self.by, "already": self.already}
        return {**head, **self.write.data(), "still_stated": still}

    def brief(self) -> dict[str, Any]:
        """The answer where each token counts."""
        still = [f"{row.id} {row.why}" for row in self.still[:_SHOWN]]
        rest = {"still_stated": still} if still else {}
        return {**self.write.brief(), **({"already": True} if self.already else {}), **rest}

    def __str__(self) -> str:
        head = str(self.write)
        if not self.still:
            return f"{head}\nNo other episode still states it."
        rows = [f"- {row.path} {_why(row)}" for row in self.still[:_SHOWN]]
        left = len(self.still) - _SHOWN
        more = [f"and {left} more (--json lists all)"] if left > 0 else []
        count = plural(len(self.still), "other episode")
        said = f"{count} may still state it:"
        return "\n".join([head, said, *rows, *more])


def _why(row: Restating) -> str:
    if row.why == MENTIONS:
        return f"mentions it in {row.where}" if row.where else "mentions it"
    return f"says much the same in {row.where}: {', '.join(row.words[:8])}"


@verb(writes=True)
def supersede(
    store: Store,
    old: Annotated[str, "The episode that is replaced, or ID/d1, one decision of it."],
    *,
    by: Annotated[str, "The later episode that replaces it."],
    dry_run: Annotated[bool, "Show what would change, write nothing."] = False,
    commit: Annotated[bool, "Commit it.", CommandLineOnly()] = True,
) -> Superseded:
    """Say that an episode, or one decision of it, is replaced by a later one.

    Writes that into both episodes, in one commit; lists, search, recall, pages and retrospectives
    show it from then on. The answer lists other episodes that still state the old thing.

    Example:
    memshelf supersede 2026-01-20-token-bucket-limiter --by 2026-02-04-public-api-v1
    memshelf supersede 2026-01-20-token-bucket-limiter/d1 --by 2026-02-04-public-api-v1 --dry-run
    """
    from ..storage import superseding

    made = superseding.supersede(store, old, by, not dry_run, commit)
    written = reworked(store, f"{made.old} is replaced by {made.new}", made.carried)
    already = not made.carried.plan.reworks
    return Superseded(made.old, made.new, already, written, made.still)
