"""The page of problems: what could not be read, why, and what mends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ..domain.finding import LEVELS, Finding
from ..domain.shelf import Shelf
from ..domain.text import plural
from .report import Block, Line, Part, Report, ident, line
from .site_lines import cut_block, made
from .site_places import Here

LISTED = 200


def problems_page(shelf: Shelf, here: Here) -> Report:
    """The files that could not be read, each with the reason and what to do about it."""
    return made("Problems", shelf, _parts(shelf))


def _parts(shelf: Shelf) -> Iterator[Part]:
    found = sorted(shelf.problems, key=_order)
    if not found:
        said = line("None: every file of the shelf could be read.")
        yield Part("none", "", said=(said,))
        return
    files = [(where, list(some)) for where, some in groupby(found, key=lambda one: one.where)]
    said = line(f"{plural(len(files), 'file')} cannot be read and stand on no other page.")
    lines = tuple(_file(where, some) for where, some in files[:LISTED])
    listed: Block = cut_block("", lines, len(files) - LISTED)
    yield Part("files", "", said=(said,), blocks=(listed,))


def _order(found: Finding) -> tuple[str, int, str]:
    level = LEVELS.index(found.level) if found.level in LEVELS else len(LEVELS)
    return (found.where, level, found.message)


def _file(where: str, some: Sequence[Finding]) -> Line:
    below = tuple(line(found.message, found.fix) for found in some)
    return line(ident(where or "the shelf"), below=below)
