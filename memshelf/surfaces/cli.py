"""The script memshelf: says again what still holds, and else lets the verb of the words run.

Importing it costs nothing, so that an answer which is known needs no command line at all.
"""

from __future__ import annotations

import gc
import os
import sys

from ..storage import answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """The script `memshelf`."""
    code = run(arguments)
    gc.freeze()  # nothing is left to do: do not look for cycles on the way out
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code of a command line: 0 good, 1 refused or bad news, 2 usage, 70 a bug."""
    words = list(sys.argv[1:] if arguments is None else arguments)
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


def _say(text: str, note: str) -> int:
    try:
        sys.stderr.write(note)
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        return leave()
    return 0


def leave() -> int:
    """The exit code where the reader is gone: nothing more is written, and nothing complains."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 1
