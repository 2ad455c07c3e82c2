"""How a client is to start memshelf: the command that will really start, and why this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from .scripts import OURS, PEER, package_of

_PASSING = frozenset({"archive-v0", "builds-v0", "environments-v2"})
"""Folders of uv's cache in which `uvx` makes environments; they are swept away now and then."""


class Launch(NamedTuple):
    """The words that start the server and the command line, and the reason in a sentence."""

    server: tuple[str, ...]
    command_line: tuple[str, ...]
    why: str


def launch(which: Callable[[str], str | None], executable: str) -> Launch:
    """The way to start memshelf on this machine.

    Paths are absolute: a client that was not started from a shell has another PATH. `which` finds
    a command on PATH; `executable` is the Python that runs this.
    """
    server, command_line = which("memshelf-mcp"), which("memshelf")
    passing = bool(_PASSING & set(Path(executable).parts))
    if passing and (uvx := which("uvx")):
        words: tuple[str, ...] = (_absolute(uvx), "memshelf")
        return Launch((*words, "serve"), words, "this memshelf was started by uvx, for once only")
    if server and command_line and not passing and _both_ours(server, command_line):
        why = "it is on PATH and belongs to this package"
        return Launch((_absolute(server),), (_absolute(command_line),), why)
    words = (executable, "-P", "-m", "memshelf")  # nothing is imported from a client's folder
    return Launch((*words, "serve"), words, _why_not(server))


def _absolute(script: str) -> str:
    return str(Path(script).absolute())


def _both_ours(*scripts: str) -> bool:
    return all(package_of(Path(script)) == OURS for script in scripts)


def _why_not(script: str | None) -> str:
    if not script:
        return "no memshelf-mcp is on PATH, and this Python has memshelf"
    whose = f"is the old package {PEER}" if package_of(Path(script)) == PEER else "is another's"
    return f"the memshelf-mcp on PATH ({script}) {whose}, and this Python has memshelf"
