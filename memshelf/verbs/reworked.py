"""The answer of verbs that change files in one commit, or show first what they would change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..domain.errors import UsageError
from ..domain.text import plural
from ..storage import recalls
from ..storage.reworking import Carried
from ..storage.store import Store
from .afterwards import afterwards

if TYPE_CHECKING:
    from .synced import Synced

_MANY = 3
_APPLY = "Nothing is written yet: --apply writes it."


@dataclass(frozen=True)
class Reworked:
    """What became of a request: the files that changed, or would, and the commit.

    `moved` are (from, to) of files that changed their place. With `dry_run` nothing was written,
    and `diff` shows what would be; `hint` is what writes it.
    """

    done: str
    files: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]
    dry_run: bool
    committed: bool
    commit: str | None
    redaction: str
    warnings: tuple[str, ...]
    hint: str = ""
    diff: str = field(default="", repr=False)
    sync: Synced | None = None

    def data(self) -> dict[str, Any]:
        """All of it, the sentence apart."""
        rest = {"hint": self.hint} if self.hint else {}
        diff = {"diff": self.diff} if self.dry_run else {}
        sync = {"sync": self.sync} if self.sync else {}
        return {
            "files": list(self.files),
            "moved": [{"from": old, "to": new} for old, new in self.moved],
            "dry_run": self.dry_run,
            "committed": self.committed,
            "commit": self.commit,
            "redaction": self.redaction,
            "warnings": list(self.warnings),
            **rest,
            **diff,
            **sync,
        }

    def brief(self) -> dict[str, Any]:
        """The answer where each token counts."""
        data = {"status": "ok", **self.data()}
        if not self.dry_run:
            data["files"] = len(self.files) if len(self.files) > _MANY else list(self.files)
            data["commit"] = self.commit and self.commit[:12]
            data["sync"] = self.sync and self.sync.brief
        return {key: value for key, value in data.items() if value not in ([], "", None, False)}

    def __str__(self) -> str:
        rows = [f"warning: {text}" for text in self.warnings]
        rows = [self.redaction, *rows] if self.redaction else rows
        if not self.files:
            return "\n".join([f"{self.done}: nothing had to change", *rows])
        if self.dry_run:
            would = f"would change {plural(len(self.files), 'file')}: {self.done}"
            return "\n".join([self.diff, would, *rows])
        commit = f" (commit {self.commit[:12]})" if self.committed and self.commit else ""
        shown = [f"  {path}" for path in self.files[:_MANY]]
        more = [f"  and {len(self.files) - _MANY} more"] if self.files[_MANY:] else []
        moved = [f"moved from {old}" for old, _ in self.moved]
        rows += self.sync.told() if self.sync else []
        return "\n".join([f"{self.done}{commit}", *shown, *more, *moved, *rows])


def refuse_both(apply: bool, dry_run: bool) -> None:
    """Raise UsageError for a request that asks to write and not to."""
    if apply and dry_run:
        raise UsageError("--apply writes and --dry-run does not.", "Give one of them.")


def reworked(store: Store, done: str, made: Carried, needs_apply: bool = False) -> Reworked:
    """The answer, after what follows a write where the shelf is set so."""
    plan, saved = made
    paths = dict.fromkeys(path for one in plan.reworks for path in (one.path, one.target))
    texts = [path for path in paths if path != recalls.LOG]  # which rendering changes too
    after = afterwards(store, saved, texts) if saved else None
    moved = [(one.path, one.target) for one in plan.reworks if one.old is not None]
    dry = saved is None and bool(plan.reworks)
    return Reworked(
        done,
        tuple(one.target for one in plan.reworks),
        tuple(pair for pair in moved if pair[0] != pair[1]),
        dry,
        bool(saved and saved.committed),
        after.commit if after else None,
        plan.masked,
        (*plan.warnings, *(after.warnings if after else ())),
        _APPLY if dry and needs_apply else "",
        plan.diff if dry else "",
        after.sync if after else None,
    )
