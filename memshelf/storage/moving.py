"""Episodes on their way into the archive and back: every byte stays, the path changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..domain import rolling
from ..domain.errors import ShelfError
from ..domain.in_force import left_behind
from ..domain.shelf import Shelf
from .gate import Change, Saved
from .shelving import save
from .standing import each_once, one_file
from .store import Store

ARCHIVE = "archive/"


class NotToMove(ShelfError):
    """The episode is where it is to go already, or something stands in its place there."""

    code = "not-to-move"


class Move(NamedTuple):
    """One file and where it goes."""

    source: str
    target: str


class Moved(NamedTuple):
    """What was moved, or would be, what became of the write, and what is to be said with it."""

    moves: tuple[Move, ...]
    saved: Saved | None = None
    warnings: tuple[str, ...] = ()


def archive(store: Store, names: Sequence[str], write: bool) -> Moved:
    """Move live episodes behind the index, in one commit. Raises NotToMove, NotOne."""
    return _moved(store, names, "archive", write)


def unarchive(store: Store, names: Sequence[str], write: bool) -> Moved:
    """Move archived episodes back into the index, in one commit. Raises NotToMove, NotOne."""
    return _moved(store, names, "unarchive", write)


def _moved(store: Store, names: Sequence[str], what: str, write: bool) -> Moved:
    _ = store.config  # a shelf that cannot say what it is is left alone
    shelf = store.read()
    paths = [one_file(store, shelf, name) for name in each_once(names)]
    if what == "archive":
        moves, said = moves_of(store, paths), tuple(left_behind(shelf, paths))
    else:
        moves, said = tuple(_back(store, path) for path in dict.fromkeys(paths)), ()
    if not write:
        return Moved(moves, warnings=said)
    done = changes(store, moves)
    if what == "archive":
        done += settings(store, shelf)
    named = ", ".join(_stem(move.source) for move in moves)
    subject = named if len(moves) == 1 else f"{len(moves)} episodes\n\n{named}"
    return Moved(moves, save(store, done, f"{what}: {subject}", commit=True), said)


def moves_of(store: Store, paths: Iterable[str]) -> tuple[Move, ...]:
    """The moves of live files into the archive. Raises NotToMove."""
    return tuple(_away(store, path) for path in dict.fromkeys(paths))


def changes(store: Store, moves: Iterable[Move]) -> list[Change]:
    """What the gate is to do for some moves, byte for byte."""
    out = []
    for move in moves:
        data = store.bytes(move.source)
        if data is None:
            raise NotToMove(f"{move.source} is gone.", "Another writer was faster: look again.")
        out += [Change(move.source, None, data), Change(move.target, data)]
    return out


def settings(store: Store, shelf: Shelf) -> list[Change]:
    """What a first archive needs besides, where another tool renders its index too."""
    if not shelf.config.docshelf_index or store.has(rolling.SETTINGS):
        return []
    text = rolling.archive_settings(shelf.config.docshelf, shelf.config.name)
    return [Change(rolling.SETTINGS, text.encode("utf-8"))]


def _away(store: Store, path: str) -> Move:
    if path.startswith(ARCHIVE):
        raise NotToMove(f"{path} is archived already.", "Leave it out.")
    return _free(store, Move(path, ARCHIVE + path))


def _back(store: Store, path: str) -> Move:
    if not path.startswith(ARCHIVE):
        raise NotToMove(f"{path} is not archived.", "Leave it out.")
    return _free(store, Move(path, path.removeprefix(ARCHIVE)))


def _free(store: Store, move: Move) -> Move:
    if store.has(move.target):
        said = f"{move.target} is there already."
        raise NotToMove(said, "Delete or rename one of the two files, and commit that.")
    return move


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
