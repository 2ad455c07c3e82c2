"""What the command line writes: answers, errors, progress; colours only where they are wanted."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

import click

from ..domain.errors import ShelfError, UsageError

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LEVEL = re.compile(r"^\[(error|warning|unknown|info)\]", re.MULTILINE)
_COLOURS = {"error": "red", "warning": "yellow", "unknown": "magenta", "info": "blue"}


class Unwritten(Exception):
    """An answer that cannot be written, as on a full disk; says why."""


def coloured(stream: Any) -> bool:
    """True where a stream is a terminal and its user did not ask for plain text (NO_COLOR)."""
    return (
        bool(stream.isatty())
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )


def say(text: str, err: bool = False, raw: bool = False) -> None:
    """Write a text. On a terminal, control characters in it are shown instead of obeyed, if it is
    not raw as JSON is, which holds none."""
    stream = sys.stderr if err else sys.stdout
    if stream.isatty() and not raw:
        text = _shown(text)
    if coloured(stream) and not raw:
        text = _LEVEL.sub(lambda m: click.style(m.group(), fg=_COLOURS[m.group(1)]), text)
    _write(stream, [text if text.endswith("\n") else text + "\n"])


def say_pieces(pieces: Iterable[str]) -> None:
    """Write a long text piece by piece, without ever holding it whole."""
    show = sys.stdout.isatty()
    _write(sys.stdout, map(_shown, pieces) if show else pieces)


def _write(stream: TextIO, pieces: Iterable[str]) -> None:
    for piece in pieces:
        with _told():
            stream.write(piece)
    with _told():
        stream.flush()


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as trouble:
        raise Unwritten(trouble.strerror or str(trouble)) from None


def _shown(text: str) -> str:
    """A text in which control characters are shown instead of obeyed."""
    return _CONTROL.sub(lambda c: f"\\x{ord(c.group()):02x}", text)


def json_text(data: dict[str, Any], lines: bool = False) -> str:
    """An object as JSON, two spaces deep or as one line, letters as they are."""
    return json.dumps(data, indent=None if lines else 2, ensure_ascii=False) + "\n"


def say_json(data: dict[str, Any], lines: bool = False) -> None:
    """Write an object as JSON."""
    say(json_text(data, lines), raw=True)


def complain(trouble: ShelfError, as_json: bool, lines: bool = False) -> int:
    """Say what went wrong and how to go on; the exit code it stands for."""
    if as_json:
        data = {
            "status": "error",
            "code": trouble.code,
            "error": trouble.message,
            "fix": trouble.fix,
        }
        say_json(data | getattr(trouble, "data", {}), lines)
    head = click.style("memshelf:", fg="red") if coloured(sys.stderr) else "memshelf:"
    say(
        f"{head} {trouble.message}" if not coloured(sys.stderr) else f"memshelf: {trouble.message}",
        err=True,
    )
    if trouble.fix:
        say(f"  {trouble.fix}", err=True)
    return trouble.exit_code


def asker() -> Callable[[str], bool] | None:
    """A way to put a question, where somebody sits at a terminal; the answer without words is no."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    return lambda question: click.confirm(question, default=False, err=True)


def ask_secret(what: str, otherwise: str) -> str:
    """Ask twice for a text that is not shown. Raises UsageError where nobody sits at a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        said = f"There is no terminal to ask for the {what.lower()} at."
        raise UsageError(said, f"Give it in a file: {otherwise}, with `-` for standard input.")
    again = f"{what} again"
    return str(click.prompt(what, hide_input=True, confirmation_prompt=again, err=True))


def once(ask: Callable[[str], bool] | None) -> Callable[[str], bool] | None:
    """The same way to put a question, which remembers the first answer and gives it ever after."""
    if ask is None:
        return None
    said: list[bool] = []

    def again(question: str) -> bool:
        if not said:
            said.append(ask(question))
        return said[0]

    return again


def read_outside(path: Path) -> str:
    """The text of a file that the user named, which need not lie on the shelf."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ShelfError(f"{path} is not UTF-8.", "Convert it first.", "not-utf8") from None
    except OSError as trouble:
        said = f"{path} cannot be read: {trouble.strerror or trouble}."
        raise ShelfError(said, "Check the path.", "unreadable") from None


class Progress:
    """A line of progress on a terminal, for work that takes more than a second."""

    def __init__(self, delay: float = 1.0) -> None:
        self._begin = time.monotonic() + delay
        self._shown = False

    def __call__(self, done: int, total: int, what: str = "reading") -> None:
        """Say how far the work is, if it is worth saying."""
        if time.monotonic() < self._begin or not sys.stderr.isatty():
            return
        self._shown = True
        sys.stderr.write(f"\r{what} {done:,} of {total:,} ")
        sys.stderr.flush()

    def done(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r" + " " * 40 + "\r")
            sys.stderr.flush()
