"""A glance at all that an answer is made from: has anything changed since?"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .look import is_settled
from .marks import joined, marks

if TYPE_CHECKING:
    from .store import Store


class Glance(NamedTuple):
    """The marks of all files at some places (see `marks.marks`).

    `settled` says whether equal marks will prove that nothing has changed.
    """

    places: tuple[str, ...]
    marks: bytes
    settled: bool

    @classmethod
    def at(cls, store: Store) -> Glance:
        """A glance at all that a snapshot of a shelf is made from, and at memshelf itself, which
        decides what is made of it."""
        episodes = store.look()
        beside, now = _beside(store), time.time_ns()
        found, youngest = marks(beside)
        program = program_places()
        return cls(
            (*episodes.places, *beside, *program),
            joined((episodes.marks, found, marks(program)[0])),
            episodes.settled and is_settled(now, youngest),
        )


def _beside(store: Store) -> tuple[str, ...]:
    """Where all lies that is no episode: folders, settings, recalls, people's texts, templates."""
    from ..domain.config import DOCSHELF, MANIFEST, PATTERNS, SETTINGS
    from . import recalls
    from .places import state_dir
    from .store import ROOTS

    root = store.root.as_posix()
    files = (MANIFEST, DOCSHELF, SETTINGS, PATTERNS, recalls.LOG, "archive/.docshelf.json")
    return (
        *(f"{root}/{top}/*" for top in ROOTS),
        *(f"{root}/{file}" for file in files),
        f"{root}/retros/*.md",
        *_below(f"{root}/templates"),
        f"{state_dir(store.root).as_posix()}/*recalls.tsv",
        *_nearer(store.root),
    )


def _nearer(root: Path) -> Iterator[str]:
    """What would make a folder between the current one and the shelf a shelf that is found first."""
    from .store import MARKERS, here

    folder = here()
    for between in (folder, *folder.parents):
        if between == root or not folder.is_relative_to(root):
            return
        yield from (Path(between, marker).as_posix() for marker in MARKERS)


def program_places() -> tuple[str, ...]:
    """Where memshelf itself lies: its modules and templates."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__))).replace(os.sep, "/")  # noqa: PTH100, PTH120
    rooms = ("domain", "engine", "render", "storage", "surfaces", "verbs")
    templates = (f"{here}/site_templates", f"{here.rpartition('/')[0]}/site_templates")
    return (
        f"{here}/*.py",
        *(f"{here}/{room}/*.py" for room in rooms),
        *(place for folder in templates for place in _below(folder)),
    )


def _below(folder: str) -> Iterator[str]:
    """Every folder from one downwards."""
    yield f"{folder}/*"
    for path, names, _ in os.walk(folder):
        names.sort()
        yield from (f"{path}/{name}/*".replace(os.sep, "/") for name in names)
