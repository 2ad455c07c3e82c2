"""People's own text of a period: written in their editor, kept on the shelf."""

from __future__ import annotations

from dataclasses import dataclass

from ..domain.period import Period
from ..domain.redact import redact, summary
from ..domain.text import normal_body
from ..storage import shelving
from ..storage.batch import Change
from ..storage.store import Store

_NOTE = """\
<!-- {label}, {begin} to {end}, in your own words: what happened, what it means, what comes next.
     The text stands first in the retrospective. This note is not kept. -->
"""


@dataclass(frozen=True)
class Edited:
    """The file that holds a period's text, and what became of it."""

    path: str
    written: bool
    committed: bool = False
    commit: str | None = None
    redaction: str = ""
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.written:
            return f"{self.path} is as it was: no other text was given."
        commit = f" (commit {self.commit[:12]})" if self.committed and self.commit else ""
        masked = [self.redaction] if self.redaction else []
        warnings = [f"warning: {text}" for text in self.warnings]
        return "\n".join([f"wrote {self.path}{commit}", *masked, *warnings])


def edit(store: Store, period: Period) -> Edited:
    """Open a period's text in the user's editor and save it; an empty text changes nothing.

    It goes through the gate like every write: secrets are masked, exactly this file is committed.
    Raises NoEditor where there is no terminal or no editor.
    """
    from ..render.retro import path_of
    from ..storage.editor import NoEditor, edited

    path = path_of(period)
    if store.ask is None:
        fix = f"Write {path} on the shelf by other means, and commit it."
        raise NoEditor("There is no terminal to edit on.", fix)
    old = store.bytes(path)
    before = store.text(path) if old is not None else ""
    note = _NOTE.format(label=period.label, begin=period.begin, end=period.end)
    try:
        with edited(path.rpartition("/")[2], before or f"{note}\n", store.root) as text:
            kept = normal_body(text.replace(note, ""))
            if not kept or f"{kept}\n" == before:
                return Edited(path, written=False)
            return _saved(store, path, old, kept, period)
    except NoEditor as trouble:
        raise NoEditor(trouble.message, f"{trouble.fix} Or write {path} yourself.") from None


def _saved(store: Store, path: str, old: bytes | None, text: str, period: Period) -> Edited:
    safe, counts = redact(text, store.policy.rules)
    change = Change(path, f"{safe}\n".encode(), old)
    saved = shelving.save(store, [change], f"retro: {period.label} in short", commit=True)
    return Edited(
        path,
        True,
        saved.committed,
        saved.commit,
        summary(counts) if counts else "",
        (*saved.warnings, *shelving.identity(saved)),
    )
