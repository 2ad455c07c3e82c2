"""Rows that are measured together: a size of shelf, one run of a tool on it, both tools in turn."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from .clock import Job, Took, added, in_turn, process
from .shelves import Shelf
from .world import Tool, World

Runs = dict[str, list[Took]]
Prepare = Callable[[Shelf], None]
Words = Callable[[Shelf], list[str]]
"""The words of a command line, for a tool's copy of the shelf."""

OURS, PEER = "ours", "peer"
HUGE = 20_000
"""Episodes."""


class Bench(NamedTuple):
    """A size of shelf in both copies, and how often each row is run.

    With `peer_page` the peer's page is opened in a browser at any size, which takes minutes.
    """

    world: World
    shelves: dict[str, Shelf]
    runs: int
    peer_page: bool = False

    @property
    def ours(self) -> Shelf:
        """Our copy."""
        return self.shelves[self.world.ours.name]

    @property
    def huge(self) -> bool:
        """Where the peer takes ten seconds and more for a search, and a browser its time for a page:
        few turns there, and not all rows."""
        return self.ours.size > HUGE

    @property
    def tools(self) -> dict[str, Tool]:
        """The tools by the side they are on."""
        peer = {PEER: self.world.peer} if self.world.peer else {}
        return {OURS: self.world.ours, **peer}

    def job(
        self, tool: Tool, *each: Words, prepare: Prepare | None = None, cold: bool = False
    ) -> Job:
        """One run of a tool's command lines. What is prepared and put back is not counted."""
        shelf = self.shelves[tool.name]

        def once(cache: Path | None = None) -> Took:
            if prepare:
                prepare(shelf)
            environ = self.world.environ(tool, cache)
            return added(process([*tool.cli, *words(shelf)], environ) for words in each)

        def cold_once() -> Took:
            with self.world.fresh_cache() as folder:
                return once(folder)

        return cold_once if cold else once

    def peer(self, *each: Words, prepare: Prepare | None = None) -> Job | None:
        """One run of the peer's command lines, where there is a peer."""
        return self.job(self.world.peer, *each, prepare=prepare) if self.world.peer else None

    def against(self, jobs: dict[str, Job], peer: Job | None) -> dict[str, Runs]:
        """Rows of ours by label, each with the runs of the peer in the same turns."""
        every = {**jobs, **({PEER: peer} if peer else {})}
        found = in_turn(every, self.runs)
        theirs = {PEER: found[PEER]} if peer else {}
        return {label: {OURS: found[label], **theirs} for label in jobs}


class Group(NamedTuple):
    """Rows that are measured together."""

    labels: tuple[str, ...]
    measure: Callable[[Bench], dict[str, Runs]]


def on_shelf(*words: str) -> Words:
    """The same words for both tools; `ID` stands for an episode."""

    def given(shelf: Shelf) -> list[str]:
        return [*(shelf.id if word == "ID" else word for word in words), *_shelf(shelf)]

    return given


def _shelf(shelf: Shelf) -> Sequence[str]:
    return ("--shelf", str(shelf.root))


# --- an episode that changes -----------------------------------------------------------------

_letters = itertools.cycle("abcdefghijklmnopqrstuvwxyz")
_LAST = "\nRead again: "


def described(shelf: Shelf) -> None:
    """Change one letter of a description: INDEX.md and .meta.json differ, the chart does not."""
    _changed(shelf, lambda text: text)


def rewritten(shelf: Shelf) -> None:
    """Change one letter of a description and one of the last section."""
    _changed(shelf, lambda text: f"{text.partition(_LAST)[0]}{_LAST}{next(_letters)}\n")


def _changed(shelf: Shelf, body: Callable[[str], str]) -> None:
    file = shelf.root / shelf.episode
    head, quote, rest = body(file.read_text("utf-8")).partition('\ndescription: "')
    file.write_text(head + quote + next(_letters) + rest[1:], "utf-8", newline="\n")
    settle()


def settle() -> None:
    """Wait until what was written is older than the clock's grain, as in life it is when read."""
    time.sleep(0.2)
