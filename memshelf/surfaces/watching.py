"""--watch: a verb, run again whenever its shelf changed, until Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..domain.errors import ShelfError, UsageError
from ..domain.text import plural
from ..verb import Verb, as_object
from .terminal import Progress, complain, say, say_json

if TYPE_CHECKING:
    from ..storage.store import Store

HELP = (
    "Run again whenever the shelf changed, until Ctrl-C, which is no failure (exit code 0). "
    "Each run says what it did in one line, with --json as one line of JSON."
)
_LATER = b"memshelf: ends after this run; Ctrl-C again ends it at once.\n"

Open = Callable[[Progress], "Store"]
"""What opens the shelf anew, so that no run sees what an earlier one remembered."""


def watch(verb: Verb, asked: dict[str, Any], opened: Open, as_json: bool) -> int:
    """Run a verb now and after each change of the shelf; the exit code, once Ctrl-C ended it.

    Raises UsageError where the verb cannot be run again and again as it was asked for, and what
    `opened` raises the first time. What is wrong with the shelf later is told, and watching goes on.
    """
    from ..storage.watch import changes

    _refuse(verb, asked)
    root = opened(Progress()).root
    came: list[int] = []
    try:
        say(f"memshelf: watching {root}; Ctrl-C ends it.", err=True)
        for place, changed in enumerate(changes(root)):
            with _held_back(came):
                answer = _run(verb, asked, opened, as_json, first=not place)
                if answer is not None:
                    _tell(answer, len(changed), as_json, first=not place)
            if came:
                break
    except KeyboardInterrupt:
        if len(came) > 1:
            raise
    say("memshelf: watching ended.", err=True)
    return 0


def _refuse(verb: Verb, asked: dict[str, Any]) -> None:
    """Raise UsageError for what can only be done once."""
    for name in ("check", "rev"):
        if asked.get(name):
            said = f"--watch runs again when the shelf changes, and --{name} looks once."
            raise UsageError(said, "Give one of them.")
    if any(param.name == "out" for param in verb.params) and not asked.get("out"):
        said = "--watch writes a file anew each time, and none is named."
        raise UsageError(said, "Give --out FILE.")


def _run(verb: Verb, asked: dict[str, Any], opened: Open, as_json: bool, first: bool) -> Any:
    """The answer of one run, or None where it failed and that was told.

    Raises UsageError the first time: what was asked for will not become better.
    """
    from ..render.templates import environment

    progress = Progress()
    environment.cache_clear()  # a template that is new on the shelf stands in front of ours
    try:
        with contextlib.closing(opened(progress)) as store:
            answer = verb.run(store, **asked)
    except ShelfError as trouble:
        progress.done()
        if first and isinstance(trouble, UsageError):
            raise
        complain(trouble, as_json, lines=True)
        return None
    progress.done()
    return answer


def _tell(answer: Any, changed: int, as_json: bool, first: bool) -> None:
    if as_json:
        say_json(as_object(answer), lines=True)
        return
    from ..storage.clock import time_of_day

    why = f"{plural(changed, 'file')} changed; " if changed else ""
    say(f"{time_of_day()} {why}{'; '.join(str(answer).splitlines())}")
    hint: str = getattr(answer, "hint", "")
    if hint and first:
        say(hint, err=True)


@contextlib.contextmanager
def _held_back(came: list[int]) -> Iterator[None]:
    """A Ctrl-C in here is noted, so that a run is done whole; a second one is obeyed at once."""
    before, owner = signal.getsignal(signal.SIGINT), os.getpid()

    def hold(number: int, frame: FrameType | None) -> None:
        if os.getpid() != owner:
            return  # a worker of ours: the terminal tells all of them
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt
        os.write(2, _LATER)

    if before is not signal.SIG_IGN:  # as in a script's background
        signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
