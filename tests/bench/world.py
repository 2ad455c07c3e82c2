"""The folder of a benchmark, the two tools in it, and the environment in which they run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PEER = "memshelf-mcp==0.4.0"
_WINDOWS = os.name == "nt"
_SETTINGS = ("GIT_", "MEMSHELF_", "PYTHON")
_BROWSER = "MEMSHELF_CHROMIUM"
_GITCONFIG = (
    "[user]\n\tname = Bench\n\temail = bench@example.org\n[init]\n\tdefaultBranch = main\n"
    "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[commit]\n\tgpgSign = false\n"
    "[core]\n\tautocrlf = false\n"
)


class Tool(NamedTuple):
    """One of the two programs: its scripts, and the Python that runs them."""

    name: str
    cli: tuple[str, ...]
    server: tuple[str, ...]
    python: str


class World(NamedTuple):
    """The folder in which all is made; nothing outside it is touched."""

    folder: Path
    ours: Tool
    peer: Tool | None

    def environ(
        self, tool: Tool, cache: Path | None = None, state: str = "state"
    ) -> dict[str, str]:
        """The environment of a tool: its own cache and state, no settings of this machine.

        PYTHONDONTWRITEBYTECODE above all must go: a checkout would be compiled at every start.
        """
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(_SETTINGS) or name == _BROWSER
        }
        kept.update(
            GIT_CONFIG_GLOBAL=str(self.folder / "gitconfig"),
            GIT_CONFIG_NOSYSTEM="1",
            MEMSHELF_CACHE_DIR=str(cache or self.folder / "cache"),
            MEMSHELF_STATE_DIR=str(self.folder / state / tool.name),
            MEMSHELF_SEMANTIC="off",
            MEMSHELF_BACKGROUND="off",  # an index made meanwhile would disturb what is timed
        )
        kept.setdefault("MPLCONFIGDIR", str(self.folder / "matplotlib"))
        return kept

    def shelf(self, count: int, tool: Tool) -> Path:
        """Where a tool's copy of a shelf lies."""
        return self.folder / "shelves" / f"{count}-{tool.name}"

    @contextmanager
    def fresh_cache(self) -> Iterator[Path]:
        """A cache folder that nothing was ever kept in."""
        made = Path(tempfile.mkdtemp(prefix="fresh-", dir=self.folder))
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)


def world(folder: Path, peer: Path | None, alone: bool) -> World:
    """The world of a run. Without a folder of the peer's scripts, the peer is installed here."""
    folder = folder.resolve()
    for name in ("cache", "state"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "shelves").mkdir(parents=True, exist_ok=True)
    (folder / "gitconfig").write_text(_GITCONFIG, "utf-8")
    ours = Tool("memshelf", *_ours(), sys.executable)
    return World(folder, ours, None if alone else _peer(peer or _installed(folder / "peer")))


def _ours() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The installed scripts beside this Python; from a bare checkout, the modules."""
    scripts = Path(sys.executable).parent
    found = [shutil.which(name, path=str(scripts)) for name in ("memshelf", "memshelf-mcp")]
    if found[0] and found[1]:
        return (found[0],), (found[1],)
    module = (sys.executable, "-m", "memshelf")
    return module, (*module, "serve")


def _peer(scripts: Path) -> Tool:
    found = [shutil.which(n, path=str(scripts)) for n in ("memshelf", "memshelf-mcp", "python")]
    if not (found[0] and found[1] and found[2]):
        raise SystemExit(f"bench: {scripts} holds no memshelf, memshelf-mcp and python.")
    return Tool("peer", (found[0],), (found[1],), found[2])


def _installed(folder: Path) -> Path:
    scripts = folder / ("Scripts" if _WINDOWS else "bin")
    if not shutil.which("memshelf-mcp", path=str(scripts)):
        print(f"bench: installing {PEER} into {folder}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(scripts / "python"), "-m", "pip", "install", "--quiet", PEER]
        subprocess.run(pip, check=True)
    return scripts
