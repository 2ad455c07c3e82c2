"""A folder that memshelf fills with files: it knows which of them are its own, and touches no other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from ..domain.errors import ShelfError
from ..domain.page import Page
from . import files

LIST, COMING = ".memshelf-files.json", ".memshelf-files.new"
"""The list of what was written, in the folder itself; and while that is being filled a line for each
new file, written before it, so that a folder whose filling was killed is known as ours."""


class Filled(NamedTuple):
    """The files that a folder holds by now, and which were written and removed this time."""

    files: tuple[str, ...]
    written: tuple[str, ...]
    removed: tuple[str, ...]


def fill(folder: Path, pages: Iterable[Page]) -> Filled:
    """Make a folder hold these pages: new and changed ones are written, former ones removed.

    Raises ShelfError where the folder holds files and was not filled by memshelf, and where one of
    another hand stands in the way of a page.
    """
    before = dict.fromkeys(_known(folder))
    made: dict[str, None] = {}
    written: list[str] = []
    removed: tuple[str, ...] = ()
    try:
        with _announced(folder) as announce:
            for page in pages:
                ours = page.path in before
                path = files.safe_join(folder, page.path)
                changed = _differs(path, page.raw, ours)
                made[page.path] = None  # not earlier: what is of another hand never counts as ours
                if not ours:
                    announce(page.path)
                if changed:
                    _write(path, page.raw)
                    written.append(page.path)
        removed = tuple(path for path in before if path not in made and _remove(folder, path))
    finally:  # also where it was cut short: what is there is ours
        there = [*made, *(path for path in before if path not in made and path not in removed)]
        if there != [*before]:
            _write(folder / LIST, (json.dumps(there, ensure_ascii=False) + "\n").encode())
        (folder / COMING).unlink(missing_ok=True)
    return Filled(tuple(made), tuple(written), removed)


@contextmanager
def _announced(folder: Path) -> Iterator[Callable[[str], None]]:
    """Takes the names of new files before these are written."""
    lines: IO[str] | None = None

    def announce(path: str) -> None:
        nonlocal lines
        try:
            if lines is None:
                folder.mkdir(parents=True, exist_ok=True)
                lines = (folder / COMING).open("a", encoding="utf-8", newline="\n", buffering=1)
            lines.write(json.dumps(path) + "\n")
        except OSError as trouble:
            raise files.sentence(trouble, folder) from None

    try:
        yield announce
    finally:
        if lines is not None:
            lines.close()


def _coming(folder: Path) -> list[str]:
    """The names that were announced when a filling was killed."""
    try:
        lines = (folder / COMING).read_text("utf-8").split("\n")
        return [path for line in lines[:-1] if isinstance(path := json.loads(line), str)]
    except (OSError, ValueError):
        return []


def _known(folder: Path) -> list[str]:
    """What was written here before. Raises ShelfError for a folder of somebody else's."""
    if folder.exists() and not folder.is_dir():
        raise ShelfError(f"{folder} is no folder.", "Name a folder.", "not-a-folder")
    coming = _coming(folder)
    try:
        found = json.loads((folder / LIST).read_bytes())
        return [path for path in [*found, *coming] if isinstance(path, str)]
    except FileNotFoundError:
        if coming:
            return coming
        if folder.is_dir() and any(folder.iterdir()):
            said = f"{folder} holds files, and memshelf has not written them."
            raise ShelfError(
                said, "Name a new folder, or an empty one.", "foreign-folder"
            ) from None
        return []
    except (OSError, ValueError):
        said = f"{folder / LIST} cannot be read, which says what of {folder} is memshelf's."
        raise ShelfError(said, "Name a new folder.", "foreign-folder") from None


def _differs(path: Path, data: bytes, ours: bool) -> bool:
    """Whether a page is not there yet as it is to be. Raises ShelfError where a file of another hand
    stands in its way."""
    try:
        if path.read_bytes() == data:
            return False
    except FileNotFoundError:
        return True
    except OSError as trouble:
        raise files.sentence(trouble, path) from None
    if not ours:
        said = f"{path} is not memshelf's, and a page goes there."
        raise ShelfError(said, "Move it away, or name another folder.", "foreign-file")
    return True


def _write(path: Path, data: bytes) -> None:
    """Not by a temporary file: what was cut short is written again the next time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as trouble:
        raise files.sentence(trouble, path) from None


def _remove(folder: Path, name: str) -> bool:
    """Remove a page of before, and the folders that are empty then."""
    try:
        path = files.safe_join(folder, name)
        path.unlink()
        for parent in path.parents:
            if parent == folder:
                break
            parent.rmdir()
    except OSError:
        pass
    except ShelfError:  # nothing of ours: a list that somebody else wrote
        return False
    return True
