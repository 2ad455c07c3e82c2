"""Render every derived file from the episodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from ..domain.errors import ShelfError, UsageError
from ..domain.text import plural
from ..storage.store import Store
from ..verb import verb
from . import rendering
from .adopting import Adoption
from .adopting import adopt as adopted
from .rendering import Rendering


@dataclass(frozen=True)
class Rebuilt:
    """What was written, what was right already, and with `check` what differs."""

    rendering: Rendering
    check: bool
    adoption: Adoption | None = None

    @property
    def ok(self) -> bool:
        """False where a check found drift, or an episode could not be read."""
        return not (self.check and self.rendering.drifted) and not self.rendering.problems

    def data(self) -> dict[str, Any]:
        """The peer's keys, and the commit."""
        r = self.rendering
        problems = [f.said for f in r.problems]
        data: dict[str, Any] = {
            "episodes": r.episodes,
            "written": list(r.written),
            "unchanged": list(r.unchanged),
            "drifted": list(r.drifted),
            "warnings": [*r.warnings, *problems],
            "ok": self.ok,
            "committed": r.committed,
            "commit": r.commit,
        }
        return data | ({"adoption": self.adoption} if self.adoption else {})

    def __str__(self) -> str:
        r = self.rendering
        verb = "differs" if self.check else "wrote"
        rows = [f"{verb} {path}" for path in (r.drifted if self.check else r.written)]
        done = plural(len(r.unchanged), "file")
        rows.append(f"{plural(r.episodes, 'episode')}; {done} as they should be")
        if self.check and r.drifted:
            rows.append("`memshelf rebuild` renders them anew.")
        if r.committed and r.commit:
            rows.append(f"commit {r.commit[:12]}")
        problems = [f"[error] {f.code}: {f.said} {f.fix}" for f in r.problems]
        adoption = [str(self.adoption)] if self.adoption else []
        return "\n".join([*adoption, *rows, *problems, *(f"warning: {w}" for w in r.warnings)])


@verb(writes=True, watch=True)
def rebuild(
    store: Store,
    *,
    check: Annotated[bool, "Write nothing; fail where a derived file differs."] = False,
    adopt: Annotated[bool, "First bring old episodes up to today's form, once."] = False,
    commit: Annotated[bool, "Commit what was rendered."] = False,
) -> Rebuilt:
    """Render every derived file from the episodes.

    INDEX.md, ledger.tsv, stats.svg and the .meta.json files can be deleted at any time: this brings
    them back byte for byte. Logged recalls are folded into recall-log.tsv.

    Example:
    memshelf rebuild
    memshelf rebuild --check
    memshelf rebuild --commit
    memshelf rebuild --watch
    """
    if check and (adopt or commit):
        other = "--adopt" if adopt else "--commit"
        raise UsageError(f"--check writes nothing and {other} does.", "Give one of them.")
    adoption = adopted(store) if adopt else None
    found = rendering.check(store) if check else rendering.render(store, commit)
    return Rebuilt(found, check, adoption)


def after_write(store: Store, commit: bool) -> tuple[str, ...]:
    """Render the derived files after a write, where the shelf is set so, and commit if it was.

    What goes wrong is a warning: the episode is saved already.
    """
    if store.settings["rebuild"] != "after-write":
        return ()
    try:
        found = rendering.render(store, commit)
    except ShelfError as trouble:
        return (f"The derived files were not rendered: {trouble}",)
    return tuple(f.said for f in found.problems)
