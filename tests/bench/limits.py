"""What no implementation can undercut on this machine: measured on the same shelf."""

from __future__ import annotations

import sys

from .clock import Job, Took, in_turn, process
from .group import Bench
from .rows import bare_commit

PYTHON, STAT, READ, COMMIT = "python", "stat", "read", "commit"
SAID = {
    PYTHON: "Python starts and does nothing",
    STAT: "Python looks at the stamp of every episode",
    READ: "Python reads every episode",
    COMMIT: "`git add` and `git commit` of one file",
}
_WALK = """
import os, sys
for folder in os.scandir(os.path.join(sys.argv[1], "docs")):
    for entry in os.scandir(folder.path) if folder.is_dir() else ():
        {do}
"""
_STAT = _WALK.format(do="entry.stat()")
_READ = _WALK.format(do="open(entry.path, 'rb').read()")


def limits(bench: Bench) -> dict[str, list[Took]]:
    """The runs of each limit, taken in turn."""

    def python(code: str) -> Job:
        command = [sys.executable, "-c", code, str(bench.ours.root)]
        return lambda: process(command, bench.world.environ(bench.world.ours))

    jobs = {
        PYTHON: python("pass"),
        STAT: python(_STAT),
        READ: python(_READ),
        COMMIT: lambda: bare_commit(bench.world, bench.ours),
    }
    return in_turn(jobs, bench.runs)
