"""Work that nobody should wait for, in processes of their own."""

from __future__ import annotations

import atexit
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # most commands start no process
    import subprocess

VARIABLE = "MEMSHELF_BACKGROUND"
"""Set to `off` where no process shall be started that nobody asked for."""

_OFF = ("off", "0", "no", "false")
# Others go first: this is work for a processor that has nothing else to do. The current folder may
# be a shelf of a stranger: nothing is imported from it (`-P`), and ours from where this one lies.
_SCRIPT = (
    "import os, runpy, sys; getattr(os, 'nice', int)(10); sys.path.append(sys.argv.pop(1));"
    "runpy.run_module('memshelf', run_name='__main__', alter_sys=True)"
)
_OURS = str(Path(__file__).resolve().parents[2])
_running: dict[tuple[str, Path], subprocess.Popen[bytes]] = {}


def wanted() -> bool:
    """Whether processes may be started that nobody asked for."""
    return os.environ.get(VARIABLE, "").lower() not in _OFF


def index(root: Path) -> bool:
    """Bring the index of a shelf up to date; goes on when this process ends, which may be at once.

    False where none was started: it is switched off, or one that was started here still runs.
    """
    return _begin("cache rebuild --missing", root, _apart())


def embed(root: Path) -> bool:
    """Embed what is missing of a shelf; ends with this process at the latest, and what is embedded
    by then stays. See `index`."""
    return _begin("semantic build", root, {})


def wait(root: Path, seconds: float) -> bool:
    """Wait for what was begun for a shelf; False where some of it still runs after so long."""
    import subprocess

    try:
        for (_, there), process in _running.items():
            if there == root:
                process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _begin(words: str, root: Path, how: dict[str, Any]) -> bool:
    before = _running.get((words, root))
    if not wanted() or (before and before.poll() is None):
        return False
    import subprocess

    quiet = subprocess.DEVNULL
    command = [
        sys.executable,
        "-P",
        "-c",
        _SCRIPT,
        _OURS,
        *words.split(),
        "--shelf",
        os.fspath(root),
    ]
    try:
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, **how)
    except OSError:
        return False
    if not how:
        atexit.register(_end, process)
    _running[words, root] = process
    return True


def _apart() -> dict[str, Any]:
    """How a process is started that outlives this one."""
    if sys.platform == "win32":
        import subprocess

        return {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait()
