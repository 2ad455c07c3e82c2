"""What goes wrong, each with a code, a sentence and the way out."""

from __future__ import annotations

import shlex


class ShelfError(Exception):
    """A request that cannot be met.

    `code` is stable and made for programs; `message` says what is wrong; `fix` says what to do
    about it, in words that hold on every surface. `exit_code` is what the command line answers.
    """

    code = "shelf-error"
    exit_code = 1

    def __init__(self, message: str, fix: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message} {self.fix}".strip()


class UsageError(ShelfError):
    """The request itself is malformed: nothing was looked at, nothing was done."""

    code = "usage"
    exit_code = 2


def at_least(least: int, name: str, value: int) -> int:
    """The number, if it is not below `least`; else UsageError naming it."""
    if value < least:
        raise UsageError(f"{name} is {value}.", f"Give a whole number from {least} up.")
    return value


class NotAShelf(ShelfError):
    """The path holds no shelf."""

    code = "not-a-shelf"

    def __init__(self, path: object) -> None:
        super().__init__(
            f"{path} is not a shelf: it has no shelf.yml, .docshelf.json or ledger.tsv.",
            "Name another folder (--shelf), or make a shelf there: "
            f"memshelf init --shelf {shlex.quote(str(path))}",
        )


class ShelfUnusable(ShelfError):
    """The folder is a shelf, but one of the files that say what it is cannot be read."""

    code = "shelf-unusable"


class EpisodeNotFound(ShelfError):
    """No episode has that id."""

    code = "episode-not-found"

    def __init__(self, episode_id: str, near: tuple[str, ...] = (), today: str = "") -> None:
        fix = f"Did you mean {', '.join(near)}?" if near else "`memshelf search WORDS` finds ids."
        fix = f"It is called {today} today." if today else fix
        super().__init__(f"No episode {episode_id!r} is on this shelf.", fix)


class SectionNotFound(ShelfError):
    """The episode has no section of that name."""

    code = "section-not-found"

    def __init__(self, episode_id: str, section: str, names: tuple[str, ...]) -> None:
        have = ", ".join(names) or "none"
        super().__init__(
            f"Episode {episode_id} has no section {section!r}.", f"Its sections: {have}."
        )


class BadField(ShelfError):
    """A value that a field cannot hold."""

    code = "bad-field"

    def __init__(self, field: str, message: str, fix: str = "") -> None:
        super().__init__(f"{field}: {message}", fix)
        self.field = field
