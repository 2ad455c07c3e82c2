"""What a server has to say beside the protocol: to standard error and to a file that is kept."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

from ..storage.places import state_dir

_LIMIT = 512 * 1024
"""Bytes after which the file is put aside; one older file is kept."""


def log_file() -> Path:
    """The log of all servers of this user, in the state folder."""
    return state_dir(Path(os.sep)).parent / "server.log"


def note(text: str) -> None:
    """Say a line, or several; a log that cannot be written stops nothing."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S")
    lines = f"{stamp} [{os.getpid()}] memshelf: {text.rstrip()}\n"
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(lines)
        sys.stderr.flush()
    with contextlib.suppress(OSError):
        path = log_file()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists() and path.stat().st_size > _LIMIT:
            path.replace(path.with_suffix(".log.1"))
        with path.open("a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(lines)
