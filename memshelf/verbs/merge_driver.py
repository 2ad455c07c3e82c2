"""Merge one file for git: what `memshelf init --merge-drivers` has git call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from ..domain.log_union import Sides, united
from ..storage import files
from ..verb import verb


@dataclass(frozen=True)
class Merged:
    """The file that holds the merge; nothing is printed, since git shows what a driver says."""

    path: str

    verbatim = True

    def __str__(self) -> str:
        return ""


@verb(name="merge-driver", writes=True, mcp=False)
def merge_driver(
    kind: Annotated[Literal["log", "derived"], "log: unite events; derived: keep ours."],
    base: Annotated[Path, "The file as both sides had it (%O)."],
    ours: Annotated[Path, "Our file, which is overwritten (%A)."],
    theirs: Annotated[Path, "Their file (%B)."],
) -> Merged:
    """Merge one file for git: what `memshelf init --merge-drivers` has git call.

    Every event of both sides stays in the recall log. A derived file stays as ours is: the next
    rebuild renders it from the episodes.

    Example:
    memshelf merge-driver log base.tsv ours.tsv theirs.tsv
    """
    if kind == "log":
        sides = Sides(_text(base) or None, _text(ours), _text(theirs))
        data = united(sides).encode("utf-8", "surrogateescape")
        with files.telling(ours):
            ours.write_bytes(data)  # git's own temporary file: nobody else reads it
    return Merged(str(ours))


def _text(path: Path) -> str:
    with files.telling(path):
        return path.read_bytes().decode("utf-8", "surrogateescape")
