"""Files that are written together: checked first, then written all, or put back all."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..domain.errors import ShelfError
from . import files
from .gitcall import UncommittedEdit


class Change(NamedTuple):
    """What a file of the shelf is to hold: `data`, None to delete it.

    `expect` is what the caller read there before, None where the file must not exist. `path` is
    relative to the shelf.
    """

    path: str
    data: bytes | None
    expect: bytes | None = None


class Item(NamedTuple):
    """A change that was checked: where the file is, what it held, its permissions."""

    change: Change
    file: Path
    old: bytes | None
    mode: int | None


class AlreadyThere(ShelfError):
    """A file that was to be new is there."""

    code = "already-there"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is there already.", "Choose another name, or amend it.")


def checked(root: Path, changes: Iterable[Change], allow_dirty: bool) -> tuple[Item, ...]:
    """The changes with what their files hold now.

    Raises UnsafePath, and unless `allow_dirty`, AlreadyThere and UncommittedEdit where a file is
    not what the caller expects.
    """
    return tuple(_item(root, change, allow_dirty) for change in changes)


def _item(root: Path, change: Change, allow_dirty: bool) -> Item:
    file = files.safe_join(root, change.path, portable=change.expect is None)
    with files.telling(change.path):
        old = content(file)
        mode = None if old is None else stat.S_IMODE(file.stat().st_mode)
    if not allow_dirty and old != change.expect:
        if change.expect is None:
            raise AlreadyThere(change.path)
        raise UncommittedEdit(
            f"{change.path} changed on disk after it was read",
            unified(change.path, change.expect, old or b""),
            "Nothing was written. Read it again and repeat the request.",
        )
    return Item(change, file, old, mode)


def content(path: Path) -> bytes | None:
    """The bytes of a file, None where there is none."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return path.read_bytes()
    return None


def unified(path: str, old: bytes, new: bytes) -> str:
    """The difference of two contents as a unified diff."""
    import difflib

    before, after = (data.decode("utf-8", "replace").splitlines() for data in (old, new))
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="")
    return "\n".join(lines)


def new_folders(items: Sequence[Item]) -> list[Path]:
    """The folders that have to be made, each after the one that holds it."""
    missing: set[Path] = set()
    for item in items:
        folder = item.file.parent
        while item.change.data is not None and folder not in missing and not folder.exists():
            missing.add(folder)
            folder = folder.parent
    return sorted(missing)


def write(items: Iterable[Item]) -> None:
    """Write or delete every file. Raises ShelfError at the first that the disk refuses."""
    for item in items:
        with files.telling(item.file):
            if item.change.data is None:
                item.file.unlink(missing_ok=True)
            elif item.change.data != item.old:
                item.file.parent.mkdir(parents=True, exist_ok=True)
                files.replace(item.file, item.change.data)


def write_or_restore(items: Sequence[Item]) -> None:
    """`write`, and where that fails everything is put back: for writes without a commit."""
    made = new_folders(items)
    try:
        write(items)
    except BaseException:
        for item in items:
            restore(item.file, item.old, item.mode)
        remove_folders(made)
        raise


def restore(path: Path, old: bytes | None, mode: int | None) -> None:
    """Give a file the bytes that it had; None: there was none."""
    if old is None:
        with contextlib.suppress(NotADirectoryError):
            path.unlink(missing_ok=True)
    elif content(path) != old:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.replace(path, old, mode=mode)


def remove_folders(made: Iterable[Path]) -> None:
    """Remove folders that were made, where they are empty, the inner ones first."""
    for folder in sorted(made, reverse=True):
        with contextlib.suppress(OSError):
            folder.rmdir()
