"""Which installed copies of memshelf answer whom: this process, scripts on PATH, clients."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..domain.errors import ShelfError
from ..domain.finding import Finding
from .clients.claude_code import CLAUDE_CODE
from .clients.client import commands
from .clients.codex import CODEX
from .clients.scripts import OURS, PEER, package_of
from .served import OURS as RUNNING
from .served import Served, State, served

_DEADLINE = 10.0
_PROBE = """
import importlib.metadata, importlib.util, json
spec = importlib.util.find_spec("memshelf")
try:
    found = importlib.metadata.distribution("memshelf")
    info, version = str(found._path), found.version
except importlib.metadata.PackageNotFoundError:
    info, version = "", ""
print(json.dumps([spec.origin if spec else "", info, version]))
"""
_SHEBANG = re.compile(
    rb"(?:#!|^'''exec' )\"?(/[^\"\r\n]*?python[\w.]*)\"?(?:[ \r\n]|$)", re.MULTILINE
)


class Copy(NamedTuple):
    """One copy of memshelf: whom it answers, where it lies, what it was made from."""

    answers: str
    package: str
    version: str
    come_from: str
    state: State
    served: str = ""
    origin: str = ""

    def __str__(self) -> str:
        said = {"same": "as it was installed", "differs": "DIFFERS", "unknown": "unknown"}
        hashes = (
            f" ({self.served} here, {self.origin} there)"
            if self.state == "differs" and self.served
            else ""
        )
        where = f"{self.package or '?'} {self.version}".rstrip()
        return f"{self.answers}: {where}, from {self.come_from}: {said[self.state]}{hashes}"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is to be said of a copy that is not, or may not be, what it was installed from."""
        where = f"{self.answers}: {self.package}" if self.package else self.answers
        if self.state == "differs":
            said = f"Its code is not that of {self.come_from}."
            fix = "Install it anew from there, and restart what runs."
            return (Finding("warning", "served-code-differs", said, where, fix),)
        if self.state == "unknown":
            said = f"Whether its code is current cannot be told: {self.come_from}."
            return (Finding("unknown", "freshness-unknown", said, where, "See what starts it."),)
        return ()


def copies(version: str, checkout: Path | None = None) -> Iterator[Copy]:
    """Every copy that can be found, the running one, of a version, first; Pythons are asked, none is
    changed.

    `checkout` is a folder to compare each with, in place of what it was installed from.
    """
    yield _copy("this process", version, served(RUNNING, _info(), checkout))
    for name in ("memshelf", "memshelf-mcp"):
        script = shutil.which(name)
        if script:
            yield _of_command(f"`{name}` on PATH", script, checkout)
    for who, command in _clients():
        yield _of_command(who, command, checkout)


def _info() -> Path | None:
    try:
        found = importlib.metadata.distribution("memshelf")
    except importlib.metadata.PackageNotFoundError:
        return None
    return Path(str(found.locate_file(""))) / f"memshelf-{found.version}.dist-info"


def _copy(who: str, version: str, found: Served) -> Copy:
    return Copy(who, str(found.package), version, *found[1:])


def _clients() -> Iterator[tuple[str, str]]:
    """The commands by which clients of this user start memshelf."""
    for client in (CLAUDE_CODE, CODEX):
        for target in client.targets("user", Path.home(), Path.cwd(), os.environ):
            try:
                text = target.path.read_text("utf-8")
                found = commands(target, text)
            except (OSError, UnicodeError, ShelfError):
                continue
            yield from ((f"{client.title} ({target.path})", command) for command in found)


def _of_command(who: str, command: str, checkout: Path | None) -> Copy:
    path = Path(shutil.which(command) or command)
    if package_of(path) == PEER:
        return Copy(who, str(path), "", f"the old package {PEER}", "unknown")
    python = path if re.fullmatch(r"python[\d.]*(\.exe)?", path.name) else _python_of(path)
    if python is None:
        return Copy(who, "", "", f"{command}, which does not say what it starts", "unknown")
    asked = _ask(python)
    if asked is None:
        return Copy(who, "", "", f"{python}, which does not answer or has no {OURS}", "unknown")
    package, info, version = asked
    return _copy(who, version, served(package, info, checkout))


def _python_of(script: Path) -> Path | None:
    """The Python that a script begins with."""
    try:
        with script.open("rb") as file:
            found = _SHEBANG.search(file.read(1024))
    except OSError:
        return None
    return Path(os.fsdecode(found.group(1))) if found else None


def _ask(python: Path) -> tuple[Path, Path | None, str] | None:
    """Where a Python finds memshelf, what its installer noted, and the version."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "MEMSHELF_"))}
    try:
        done = subprocess.run(
            [str(python), "-I", "-c", _PROBE],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=environ,
            timeout=_DEADLINE,
            check=True,
        )
        origin, info, version = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    if not origin:
        return None
    return Path(origin).resolve().parent, Path(info) if info else None, version
