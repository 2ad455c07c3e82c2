"""What became of a shelf and its remote: one answer for `sync`, and a part of that of `shelve`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ..domain.text import plural


@dataclass(frozen=True)
class Synced:
    """The peer's facts, and ours after them.

    `performed` says that the remote was asked and this side holds what it has; else
    `skipped_reason` says why not. `final_sha` is HEAD afterwards; `hint` a command that goes on.
    `problem` says why nothing was pushed; `automatic` that nobody had asked for a push; `offline` that the remote did not
    answer.
    """

    performed: bool = False
    skipped_reason: str | None = None
    remote: str | None = None
    branch: str | None = None
    commits_pulled: int = 0
    push_requested: bool = False
    pushed: bool = False
    push_retries: int = 0
    final_sha: str | None = None
    hint: str | None = None
    publish_requested: bool = False
    published_branch: str | None = None
    compare_url: str | None = None
    render_awaited: bool = False
    render_pulled: bool = False
    render_waited_s: float = 0.0
    render_note: str | None = None
    offline: bool = False
    automatic: bool = False
    rescue_branch: str | None = None
    problem: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """False where something was asked of the remote and did not come about."""
        unpushed = self.push_requested and not self.pushed and not self.automatic
        return not unpushed and not (self.publish_requested and not self.published_branch)

    @property
    def summary(self) -> str:
        """One line in the peer's words."""
        if self.skipped_reason and not self.pushed and not self.published_branch:
            return f"sync: skipped — {self.skipped_reason}"
        done = f"sync: pulled {self.commits_pulled}"
        if self.publish_requested:
            done += f", published {self.published_branch}" if self.published_branch else ""
            done += "" if self.published_branch else ", not published"
        elif self.push_requested:
            result = "pushed" if self.pushed else "not pushed"
            done += f", push retries {self.push_retries}, {result}"
        else:
            done += f", retries {self.push_retries}"
        return done + self._rendered()

    def _rendered(self) -> str:
        if not self.render_awaited:
            return ""
        if self.render_pulled:
            return f", bot render pulled after {self.render_waited_s:g} s"
        return f", bot render not pulled — {self.render_note}"

    def data(self) -> dict[str, Any]:
        """The fields in order, the summary among them."""
        return {f.name: getattr(self, f.name) for f in fields(self)} | {"summary": self.summary}

    @property
    def brief(self) -> str:
        """One line where each token counts: what went wrong, else what was done."""
        return self.problem or self.summary

    def told(self) -> list[str]:
        """The lines for eyes, with the command that goes on."""
        return [*self.lines(), *([self.hint] if self.hint else [])]

    def lines(self) -> list[str]:
        """The same for eyes: bad news first, and loudly."""
        rows = []
        if self.problem:
            undone = "OFFERED" if self.publish_requested else "PUSHED"
            rows.append(f"NOT {undone}: {self.problem}")
        elif self.skipped_reason and not self.pushed and not self.published_branch:
            rows.append(f"NOT SYNCED: {self.skipped_reason}")
        else:
            rows.append(self._said())
        if self.rescue_branch:
            rows.append(f"kept at {self.remote} as {self.rescue_branch}")
        rows += [f"open a request: {self.compare_url}"] if self.compare_url else []
        return [*rows, *(f"warning: {text}" for text in self.warnings)]

    def _said(self) -> str:
        where = f"{self.remote}/{self.branch}"
        parts = []
        if self.commits_pulled:
            parts = [f"{plural(self.commits_pulled, 'commit')} taken over"]
        elif self.performed:
            parts = [f"level with {where}" if not self.hint else f"nothing new at {where}"]
        if self.pushed:
            parts.append(f"pushed to {where} ({(self.final_sha or '')[:12]})")
        if self.push_retries:
            parts.append(plural(self.push_retries, "retry"))
        if self.published_branch:
            parts.append(f"offered as {self.published_branch}")
        return "sync: " + ", ".join(parts) + self._rendered()
