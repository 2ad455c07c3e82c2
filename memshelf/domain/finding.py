"""The one shape in which anything complains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .text import plural

LEVELS = ("error", "warning", "unknown", "info")


class Finding(NamedTuple):
    """One complaint: how bad (`LEVELS`), which kind, what, where, and what to do about it."""

    level: str
    code: str
    message: str
    where: str = ""
    fix: str = ""

    @property
    def said(self) -> str:
        """Where and what; what alone where that begins with its place.

        >>> Finding("error", "x", "a.md is no text.", "a.md").said, Finding("", "", "Odd.", "b").said
        ('a.md is no text.', 'b: Odd.')
        """
        named = not self.where or self.message.startswith(f"{self.where} ")
        return self.message if named else f"{self.where}: {self.message}"

    def __str__(self) -> str:
        fix = f"\n    {self.fix}" if self.fix else ""
        return f"[{self.level}] {self.code}: {self.said}{fix}"


class Report(NamedTuple):
    """Findings over some number of things looked at."""

    findings: tuple[Finding, ...] = ()
    looked_at: int = 0

    @property
    def ok(self) -> bool:
        """True where nothing of level error was found."""
        return not any(f.level == "error" for f in self.findings)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings of level error."""
        return self.at("error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings of level warning."""
        return self.at("warning")

    def at(self, level: str) -> tuple[Finding, ...]:
        """The findings of one level, in order."""
        return tuple(f for f in self.findings if f.level == level)

    def __str__(self) -> str:
        return "\n".join(str(f) for f in self.findings)


def unread(problems: Iterable[Finding]) -> tuple[str, ...]:
    """What could not be read, with its path and why."""
    return tuple(found.said for found in problems)


def left_out(unread: Sequence[str]) -> str:
    """A sentence about files that could not be read and are in no answer, or an empty text."""
    if not unread:
        return ""
    verb = "is" if len(unread) == 1 else "are"
    count = plural(len(unread), "file")
    return f"{count} cannot be read and {verb} left out here: `memshelf doctor` says why."
