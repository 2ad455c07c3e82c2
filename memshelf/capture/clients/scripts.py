"""Whose a script on PATH is: two packages bring scripts of the same names."""

from __future__ import annotations

import contextlib
import zipfile
from pathlib import Path

OURS, PEER = "memshelf", "memshelf-mcp"
_MARKS = ((OURS, b"memshelf.surfaces"), (PEER, b"memshelf_mcp"))
_ENOUGH = 4096
"""Bytes of a script's beginning; what it imports stands there."""


def package_of(script: Path) -> str:
    """The package that a start script imports: `memshelf`, `memshelf-mcp`, or "" for neither."""
    said = b""
    with contextlib.suppress(OSError, KeyError, zipfile.BadZipFile):
        if script.suffix.lower() == ".exe":  # on Windows: a launcher with a zip behind it
            with zipfile.ZipFile(script) as inside:
                said = inside.read("__main__.py")
        else:
            with script.open("rb") as file:
                said = file.read(_ENOUGH)
    return next((package for package, mark in _MARKS if mark in said), "")
