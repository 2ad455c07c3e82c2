"""Watch: when the sources of a shelf changed, by looking at their stamps again and again.

Derived files are no sources, so that what a rebuild writes does not set off another.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..domain.config import DOCSHELF, MANIFEST, PATTERNS, SETTINGS
from .recalls import LOG

_FOLDERS = ("docs", "archive/docs", "retros", "notes", "journal", "inbox", "templates")
_FILES = (MANIFEST, DOCSHELF, SETTINGS, PATTERNS, f"archive/{DOCSHELF}", LOG)
_EVERY = 0.5
"""Seconds between two looks."""
_SHARE = 20
"""A pause is at least so many times as long as a look takes: watching costs 5 % of a core."""
_LONGEST = 5.0

Stamp = tuple[int, int, int]
"""Size, time of change in nanoseconds, and inode."""


def changes(root: Path, every: float = _EVERY) -> Iterator[frozenset[str]]:
    """The paths that changed, each time that some did and none has for one look.

    The first answer comes at once and is empty. What changes while the reader works on an answer
    is in the next one; but for the recall log, since it is a rebuild that writes it.
    """
    seen = stamps(root)
    yield frozenset()
    while True:
        seen = {**seen, **_of([root / LOG])}
        now = _settled(root, seen, every)
        yield frozenset(path for path, _ in {*seen.items()} ^ {*now.items()})
        seen = now


def _settled(root: Path, seen: dict[str, Stamp], every: float) -> dict[str, Stamp]:
    """The stamps, once they differ from those that were seen and are the same in two looks."""
    before = seen
    while True:
        begun = time.monotonic()
        now = stamps(root)
        if before == now != seen:
            return now
        before = now
        time.sleep(max(every, min(_LONGEST, _SHARE * (time.monotonic() - begun))))


def stamps(root: Path) -> dict[str, Stamp]:
    """The stamps of a shelf's sources: episodes, people's texts, templates, settings."""
    found = _of(root / name for name in _FILES)
    for folder in _FOLDERS:
        _look(str(root / folder), "" if folder == "templates" else ".md", found)
    return found


def _of(paths: Iterable[Path | os.DirEntry[str]]) -> dict[str, Stamp]:
    found = {}
    for path in paths:
        try:
            stat = path.stat()
        except OSError:
            continue
        found[os.fspath(path)] = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
    return found


def _look(folder: str, ending: str, found: dict[str, Stamp]) -> None:
    """Add the files below a folder; none whose name begins with a dot, being derived or passing."""
    files = []
    try:
        with os.scandir(folder) as there:
            for entry in there:
                if entry.name[0] == ".":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    _look(entry.path, ending, found)
                elif entry.name.endswith(ending):
                    files.append(entry)
    except OSError:
        return  # it is gone, or may not be read: what works on it says so
    found |= _of(files)
