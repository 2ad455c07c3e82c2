"""The recall log: an event for each recall, first in the state folder, then on the shelf."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .places import state_dir

if TYPE_CHECKING:
    from ..domain.shelf import Recall

LOG = "recall-log.tsv"
HEADER = "episode_id\tsection\tfetched_tokens\n"
_SPOOL = "recalls.tsv"
_COUNT = re.compile(r"[0-9]{1,18}")


def parse(text: str) -> Iterator[Recall]:
    """The rows of a log; rows that are none are passed over, and never rewritten."""
    from ..domain.shelf import Recall

    for line in text.split("\n")[1:]:
        cells = line.rstrip("\r").split("\t")
        if len(cells) >= 3 and cells[0] and _COUNT.fullmatch(cells[2]):
            yield Recall(cells[0], cells[1], int(cells[2]), cells[3] if len(cells) > 3 else "")


def row(recall: Recall) -> str:
    """A recall as a line of the log: the peer's three cells, and the date as a fourth."""
    cells = (recall.episode_id, " ".join(recall.section.split()), str(recall.tokens), recall.date)
    return "\t".join(cells).rstrip("\t") + "\n"


def renamed(text: str, olds: Collection[str], new: str) -> str:
    """A log in which the recalls of an episode are under its new id; no other byte changes."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        name, tab, rest = line.partition("\t")
        if tab and at and name in olds:
            lines[at] = f"{new}\t{rest}"
    return "\n".join(lines)


def note(root: Path, recall: Recall) -> bool:
    """Log a recall in the state folder; False where that folder cannot be written."""
    folder = state_dir(root)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        # One write call, so that rows of two processes never mix.
        with (folder / _SPOOL).open("ab") as spool:
            spool.write(row(recall).encode("utf-8", "replace"))
    except OSError:
        return False
    return True


def pending(root: Path) -> Iterator[Recall]:
    """The recalls that no rebuild has folded into the shelf yet."""
    for name in _spools(root):
        with contextlib.suppress(OSError):
            text = (state_dir(root) / name).read_text(encoding="utf-8", errors="replace")
            yield from parse("\n" + text)


def _spools(root: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return sorted(p.name for p in state_dir(root).iterdir() if p.name.endswith(_SPOOL))
    return []


def claim(root: Path) -> tuple[str, list[Path]]:
    """The pending rows as text for the log, and the files to delete once they are written.

    A claimed file was renamed first, so that a recall logged meanwhile starts a new one.
    """
    folder = state_dir(root)
    spool = folder / _SPOOL
    with contextlib.suppress(OSError):
        spool.rename(folder / f"claimed-{os.getpid()}-{os.urandom(4).hex()}-{_SPOOL}")
    claimed = [folder / name for name in _spools(root) if name != _SPOOL]
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in claimed)
    return "".join(row(recall) for text in texts for recall in parse("\n" + text)), claimed
