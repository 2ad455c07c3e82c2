"""Where exports were written to, noted in the state folder: so that one can say what may hold a text."""

from __future__ import annotations

import contextlib
import os
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .places import state_dir

_NAME = "exports.txt"
_MOST = 1_000_000
"""Bytes of the list at which it is begun anew with what is still there."""


class Export(NamedTuple):
    """A file or folder that an export made and that is there still.

    `holds` is True where one of the names stands in it, None where it cannot be looked into.
    """

    path: str
    holds: bool | None


def note(root: Path, out: Path) -> None:
    """Remember that something was written for people; nothing where that folder cannot be written."""
    file, line = state_dir(root) / _NAME, os.fsencode(f"{out.absolute()}\n")
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        there = file.read_bytes() if file.exists() else b""
        if line in there.splitlines(keepends=True):
            return
        if len(there) > _MOST:
            file.write_bytes(b"".join(os.fsencode(f"{path}\n") for path in _there(root)))
        with file.open("ab") as log:
            log.write(line)


def _there(root: Path) -> list[Path]:
    """What was noted and is there still."""
    with contextlib.suppress(OSError):
        lines = (state_dir(root) / _NAME).read_bytes().splitlines()
        paths = dict.fromkeys(Path(os.fsdecode(line)) for line in lines if line)
        return [path for path in paths if path.exists()]
    return []


def holding(root: Path, names: Iterable[str]) -> Iterator[Export]:
    """The exports that hold one of some names, or of which nobody can say."""
    wanted = [name.encode("utf-8") for name in names]
    for path in _there(root):
        holds = _holds(path, wanted)
        if holds is not False:
            yield Export(str(path), holds)


def _holds(path: Path, wanted: list[bytes]) -> bool | None:
    """None for what cannot be read, and for a page that only a passphrase opens."""
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    try:
        datas = (data for file in files for data in _contents(file))
        locked = False
        for data in datas:
            if any(name in data for name in wanted):
                return True
            locked = locked or b"PBKDF2" in data
    except (OSError, zipfile.BadZipFile):
        return None
    return None if locked else False


def _contents(file: Path) -> Iterator[bytes]:
    """The bytes of a file; of an archive (a book) those of what is packed in it."""
    yield file.name.encode("utf-8", "surrogateescape")
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as packed:
            yield from (packed.read(name) for name in packed.namelist())
    else:
        yield file.read_bytes()
