"""Embedding in the background, where somebody waits for answers: a process of its own."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from pathlib import Path

# Others go first: this is work for a processor that has nothing else to do.
_SCRIPT = (
    "import os, runpy, sys; getattr(os, 'nice', int)(10);"
    "runpy.run_module('memshelf', run_name='__main__', alter_sys=True)"
)
_running: dict[Path, subprocess.Popen[bytes]] = {}


def begin(root: Path) -> bool:
    """Start `semantic build` for a shelf; False where this process has started one that still runs.

    It ends with this process at the latest, and what it has embedded by then stays. Those that
    several processes start share the work.
    """
    before = _running.get(root)
    if before and before.poll() is None:
        return False
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-c", _SCRIPT, "semantic", "build", "--shelf", os.fspath(root)]
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
    if not before:
        atexit.register(_end, root)
    _running[root] = process
    return True


def wait(root: Path, seconds: float) -> bool:
    """Wait for what was begun; False where it still runs after so long."""
    process = _running.get(root)
    try:
        return process is None or process.wait(seconds) is not None
    except subprocess.TimeoutExpired:
        return False


def _end(root: Path) -> None:
    process = _running[root]
    process.terminate()
    process.wait()
