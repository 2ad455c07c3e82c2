"""Real repositories for tests: made in a folder of their own, with no setting of this machine."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs what Windows lacks: modes, signals, sh")
GIVES_AWAY = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0,
    reason="only root can give a file to another user",
)
EPISODE = "docs/topics/2026-01-05-first.md"


def without_privilege() -> list[str]:
    """What a command line begins with so that permissions hold for it; root is above them."""
    if os.geteuid():
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root is above permissions, and setpriv is not here")
    dropped = "-dac_override,-dac_read_search,-fowner"
    return ["setpriv", f"--bounding-set={dropped}", f"--inh-caps={dropped}"]


def git(folder: Path, *args: str, check: bool = True, **environ: str) -> str:
    """Run git as a user would; its output without the last line end."""
    env = {**os.environ, **environ}
    done = subprocess.run(
        ["git", *args], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    if check and done.returncode:
        raise AssertionError(f"git {args} in {folder}: {done.stdout}{done.stderr}")
    return done.stdout.rstrip("\n")


def new_repo(folder: Path, *options: str) -> Path:
    """A repository with one commit that holds one file."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main", *options)
    put(folder, "README.md", "a shelf\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "begin")
    return folder


def put(folder: Path, path: str, text: str) -> Path:
    """Write a file by hand, as LF on every system."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8", newline="\n")
    return file


def hook(folder: Path, name: str, script: str) -> None:
    """Install a hook; the script is for sh."""
    hooks = Path(git(folder, "rev-parse", "--git-path", "hooks"))
    file = put(folder / hooks, name, f"#!/bin/sh\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def files_of(folder: Path, revision: str = "HEAD") -> list[str]:
    """The files that a commit changed."""
    out = git(folder, "diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-z", revision)
    return [path for path in out.split("\0") if path]


def status(folder: Path) -> list[str]:
    """What `git status` says, line by line: empty where all is committed and known."""
    return git(folder, "status", "--porcelain", "-uall").splitlines()


def litter(folder: Path) -> list[str]:
    """Files in the git folder that a write should have taken away."""
    found = Path(git(folder, "rev-parse", "--absolute-git-dir"))
    names = [path.name for path in found.iterdir()]
    return [
        name
        for name in names
        if (name.endswith(".lock") and name != "memshelf.lock") or name.startswith("memshelf-")
    ]


def python(code: str, *args: object, **environ: str) -> subprocess.Popen[bytes]:
    """A Python process of its own, with pipes."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        env={**os.environ, **environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


_DYING = """
import os, signal, sys
from pathlib import Path
import memshelf
import memshelf.storage.{module} as module
real = module.{name}
def dies(*args, **kwargs):
    if {after}:
        real(*args, **kwargs)
    os.kill(os.getpid(), signal.SIGKILL)
module.{name} = dies
{code}
"""


def killed_at(step: tuple[str, str], code: str, *args: object, after: bool = False) -> None:
    """Run Python code in a process that is killed where it reaches a step, or right after that.

    A step is a module of the storage and a function in it. The code finds memshelf, Path and sys.
    """
    module, name = step
    with python(_DYING.format(module=module, name=name, after=after, code=code), *args) as child:
        assert child.wait() == -signal.SIGKILL


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, and an environment in which git and memshelf know nothing but what tests say."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "MEMSHELF_")):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    put(home, ".gitconfig", "[user]\n\tname = Ann Example\n\temail = ann@example.org\n")
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in ("XDG_CONFIG_HOME", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("MEMSHELF_STATE_DIR", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture
def shelf(alone: Path) -> Path:
    """A repository with one commit, to save episodes in."""
    return new_repo(alone / "shelf")
