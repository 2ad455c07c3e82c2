"""The script memshelf: says again what still holds, and else lets the verb of the words run.

Importing it costs nothing, so that an answer which is known needs no command line at all.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

from ..storage import answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

_MANY = 100_000
"""A command lives shortly: looking for cycles more often is a fifth of a cold read."""


def main(arguments: Sequence[str] | None = None) -> None:
    """The script `memshelf`, which ends the process."""
    gc.set_threshold(_MANY)
    _end(run(arguments))


def _end(code: int) -> NoReturn:
    """End the process without freeing what it holds, which takes a tenth of a short run; where
    threads are left that somebody may wait for, as it usually ends."""
    threads = sys.modules.get("threading")
    if threads and threads.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = code or 1
    os._exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code of a command line: 0 good, 1 refused or bad news, 2 usage, 70 a bug."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed: no file that is opened may take its place
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    question = _question(words)
    if known := answers.find(question):
        return _say(*known)
    from .cli_verbs import call

    return call(words, question)


def _question(words: list[str]) -> str:
    """The words as a question that may be known; none on a terminal, where answers are dressed."""
    return "" if not words or sys.stdout.isatty() else answers.asked(words)


def _say(answer: bytes, note: str) -> int:
    try:
        sys.stderr.write(note)
        if os.linesep == "\n":  # to take a long text apart and to put it together takes 4 ms
            sys.stdout.buffer.write(answer)
        else:
            sys.stdout.write(answer.decode("utf-8"))
        sys.stdout.flush()
    except BrokenPipeError:
        return leave()
    except OSError as trouble:
        return unwritten(trouble.strerror or str(trouble))
    return 0


def unwritten(why: str) -> int:
    """Say that an answer could not be written; the exit code of that."""
    said = f"memshelf: the answer cannot be written: {why}.\n"
    sys.stderr.write(f"{said}  What the command did stands. Write the answer elsewhere.\n")
    return 1


def leave() -> int:
    """The exit code where the reader is gone: nothing more is written, and nothing complains."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 1
