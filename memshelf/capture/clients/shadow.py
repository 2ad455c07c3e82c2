"""Whether the old package stands in the way: `memshelf` and `memshelf-mcp` are its scripts too."""

from __future__ import annotations

import importlib.metadata
import shutil
from collections.abc import Callable
from pathlib import Path

from ...domain.finding import Finding
from .scripts import PEER, package_of

NAMES = ("memshelf", "memshelf-mcp")
_AGAIN = "Run `pip uninstall memshelf-mcp`, then install memshelf again"


def peer_version() -> str:
    """The version of the old package in this Python's environment, "" where it is not there."""
    try:
        return importlib.metadata.version(PEER)
    except importlib.metadata.PackageNotFoundError:
        return ""


def shadowed(
    which: Callable[[str], str | None] = shutil.which,
    peer: Callable[[], str] = peer_version,
) -> Finding | None:
    """A warning where a script that PATH finds first is the old package's, or may be lost to it.

    `which` finds a command; `peer` gives the version of the old package in this environment.
    """
    for name in NAMES:
        script = which(name)
        if script and package_of(Path(script)) == PEER:
            said = f"The command `{name}` starts {PEER}, not memshelf."
            fix = f"{_AGAIN}; until then, `python -m memshelf` starts this one."
            return Finding("warning", "shadowed-script", said, script, fix)
    if version := peer():
        said = f"{PEER} {version} is installed beside memshelf; its scripts have the same names."
        fix = f"{_AGAIN}: uninstalling it takes the scripts of both away."
        return Finding("warning", "old-package-beside", said, "", fix)
    return None
