"""The stage of a history: a bare remote and clones of it, in a folder and an environment of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FIRST = "2026-01-05-first"
DRAFT = "draft.txt"
DECISIONS = "- Redis for the cache.\n- Rejected: memcached."
_REMOTE = "REMOTE-OF-THIS-WORLD"


class Fault(Exception):
    """Something that was promised did not hold."""


class World(NamedTuple):
    """Where a history is played: the bare remote and the clones."""

    folder: Path
    remote: Path
    clones: tuple[Path, ...]


def git(folder: Path, *words: str, check: bool = True, stdin: str = "") -> str:
    """What git says in a folder."""
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
    )
    if check and done.returncode:
        raise Fault(f"git {' '.join(words)} in {folder.name}: {done.stdout}{done.stderr}")
    return done.stdout.rstrip("\n")


@contextlib.contextmanager
def ground(megabytes: int = 96) -> Iterator[tuple[Path, bool]]:
    """A folder for worlds, and whether it is a small disk of its own that can be filled up."""
    with tempfile.TemporaryDirectory(prefix="memshelf-faults-") as name:
        folder = Path(name).resolve()
        small = _mounted(folder, megabytes)
        try:
            yield folder, small
        finally:
            if small:
                subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)


def _mounted(folder: Path, megabytes: int) -> bool:
    if not sys.platform.startswith("linux") or os.geteuid() or not shutil.which("mount"):
        return False
    words = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    return not subprocess.run(words, check=False, capture_output=True).returncode


def settle_environment(folder: Path) -> None:
    """Point home, state, caches and git's settings into a folder, for this process and its own."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "MEMSHELF_", "XDG_")) and name != "GIT_EXEC_PATH":
            del os.environ[name]
    home = folder / "home"
    home.mkdir(parents=True)
    config = "[user]\n\tname = Ann Example\n\temail = ann@example.org\n[gc]\n\tauto = 0\n"
    (home / ".gitconfig").write_text(config + "[core]\n\tfsync = none\n", "utf-8")
    os.environ |= {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "TMPDIR": str(folder),
        "MEMSHELF_BACKGROUND": "off",
    }
    tempfile.tempdir = None


def make(folder: Path, rendered: bool) -> Path:
    """A remote with a small shelf and one clone of it, to be copied by each history."""
    import memshelf

    made = folder / ("template-rendered" if rendered else "template-manual")
    seed = made / "seed"
    seed.parent.mkdir()
    memshelf.init(seed, name="A shelf under faults")
    if not rendered:
        (seed / "memshelf.toml").write_text('[shelf]\nrebuild = "manual"\n', "utf-8")
        git(seed, "commit", "-qam", "settings")
    shelf = memshelf.open_shelf(seed)
    for name in (FIRST, "2026-01-06-second", "2026-01-07-third"):
        memshelf.shelve(
            shelf,
            slug=name,
            digest=f"Redis was chosen in {name}; memcached was rejected.",
            sections={"Decisions": DECISIONS},
            tags=("cache", "infra"),
        )
    memshelf.rebuild(shelf, commit=True)
    git(made, "init", "-q", "--bare", "-b", "main", "origin.git")
    git(seed, "push", "-q", str(made / "origin.git"), "HEAD:refs/heads/main")
    git(made, "clone", "-q", "origin.git", "clone")
    config = made / "clone" / ".git" / "config"
    config.write_text(config.read_text("utf-8").replace(str(made / "origin.git"), _REMOTE), "utf-8")
    shutil.rmtree(seed)
    return made


def raise_world(template: Path, folder: Path, count: int, draft: bool) -> World:
    """A world of `count` clones; with `draft` somebody has staged a file in the first of them."""
    folder.mkdir()
    remote = folder / "origin.git"
    shutil.copytree(template / "origin.git", remote)
    clones = tuple(folder / f"clone{number}" for number in range(count))
    for clone in clones:
        shutil.copytree(template / "clone", clone)
        config = clone / ".git" / "config"
        config.write_text(config.read_text("utf-8").replace(_REMOTE, remote.as_posix()), "utf-8")
        git(clone, "update-index", "-q", "--refresh", check=False)
    if draft:
        (clones[0] / DRAFT).write_text("a draft\n", "utf-8")
        git(clones[0], "add", DRAFT)
    os.environ["MEMSHELF_STATE_DIR"] = str(folder / "state")
    os.environ["MEMSHELF_CACHE_DIR"] = str(folder / "cache")
    return World(folder, remote, clones)
