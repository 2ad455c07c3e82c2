"""A glance at all that an answer is made from: has anything changed since?"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .marks import joined, marks

if TYPE_CHECKING:
    from .store import Store

_SETTLED = 2_000_000_000
"""Nanoseconds after which a mark tells of every change: the grain of the coarsest clock."""


class Glance(NamedTuple):
    """The marks of all files at some places (see `marks.marks`).

    `settled` says whether equal marks will prove that nothing has changed: a file that is younger
    than the clock's grain may change again unseen.
    """

    places: tuple[str, ...]
    marks: bytes
    settled: bool

    @classmethod
    def at(cls, places: Sequence[str]) -> Glance:
        """A glance at some places and at memshelf itself, which decides what an answer is."""
        now, program = time.time_ns(), program_places()
        found, youngest = marks(places)
        own, _ = marks(program)
        return cls((*places, *program), joined((found, own)), now - youngest >= _SETTLED)


def shelf_places(store: Store) -> tuple[str, ...]:
    """Where all lies that a snapshot of a shelf is made from: episodes, settings, recalls, texts."""
    from ..domain.config import DOCSHELF, MANIFEST, PATTERNS, SETTINGS
    from . import recalls
    from .places import state_dir
    from .store import ROOTS

    root = store.root.as_posix()
    files = (MANIFEST, DOCSHELF, SETTINGS, PATTERNS, recalls.LOG, "archive/.docshelf.json")
    folders = [f"{top}/{name}" for top in ROOTS for name in store.categories(top)]
    return (
        *(f"{root}/{folder}/*.md" for folder in folders),
        *(f"{root}/{top}/*" for top in ROOTS),
        *(f"{root}/{file}" for file in files),
        f"{root}/retros/*.md",
        *_below(f"{root}/templates"),
        f"{state_dir(store.root).as_posix()}/*recalls.tsv",
    )


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
