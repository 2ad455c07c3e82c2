"""What every test stands on: a world of its own, shelves to work on, the command line.

No test sees this machine's home, git settings, shelves or caches, and one that writes into the
home all the same fails. Nothing here depends on the order of tests.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from gitkit import git, put
from homeguard import ROOT, watched
from validity import epub_faults, invalid

import memshelf
from memshelf.storage.store import Store

__all__ = ("epub_faults", "invalid")  # fixtures for every test

IDENTITY = (
    "[user]\n\tname = Ann Example\n\temail = ann@example.org\n"
    "[init]\n\tdefaultBranch = main\n[commit]\n\tgpgSign = false\n"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        action="store_true",
        help="write what is generated or executed (docs, golden files) anew instead of comparing",
    )


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """True where expectations are to be written anew."""
    return bool(request.config.getoption("--update"))


# --- what may not be skipped -----------------------------------------------------------------

# Where one of these is 1, a test that asks for such a fixture, or bears such a mark, must not skip.
DEMANDS = {
    "MEMSHELF_REQUIRE_SHARED": {"shared"},
    "MEMSHELF_REQUIRE_BROWSER": {"browser", "invalid", "epub_faults"},
}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Where something is demanded, a test that skips for want of it fails."""
    report = yield
    asked = {*getattr(item, "fixturenames", ()), *(mark.name for mark in item.iter_markers())}
    for variable, names in DEMANDS.items():
        if report.skipped and names & asked and os.environ.get(variable) == "1":
            report.outcome = "failed"
            report.longrepr = f"skipped, though {variable} is set: {report.longrepr}"
    return report


# --- a world of its own ----------------------------------------------------------------------


@pytest.fixture(autouse=True)
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder that holds this test's home, state and cache. The environment points into it."""
    folder = tmp_path_factory.mktemp("world")
    put(folder / "home", ".gitconfig", IDENTITY)
    with pytest.MonkeyPatch.context() as patch, watched():
        for name in list(os.environ):
            if name.startswith(("GIT_", "MEMSHELF_", "XDG_")) and name not in _KEPT:
                patch.delenv(name)
        for name, value in _environment(folder).items():
            patch.setenv(name, value)
        yield folder


_KEPT = ("MEMSHELF_SHARED", "MEMSHELF_CHROMIUM", *DEMANDS, "GIT_SSL_CAINFO", "GIT_EXEC_PATH")


def _environment(folder: Path) -> dict[str, str]:
    home = str(folder / "home")
    return {
        "HOME": home,
        "USERPROFILE": home,
        "APPDATA": str(folder / "home" / "AppData" / "Roaming"),
        "LOCALAPPDATA": str(folder / "home" / "AppData" / "Local"),
        "GIT_CONFIG_GLOBAL": str(folder / "home" / ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "MEMSHELF_STATE_DIR": str(folder / "state"),
        "MEMSHELF_CACHE_DIR": str(folder / "cache"),
        "MEMSHELF_BACKGROUND": "off",  # a test that wants such a process asks for it
        # Finding this machine's fonts takes seconds: once for all tests, in an ignored folder.
        "MPLCONFIGDIR": str(ROOT / "build" / "matplotlib"),
        "NO_MKDOCS_2_WARNING": "1",
    }


# --- shelves ---------------------------------------------------------------------------------


class _Shared(NamedTuple):
    path: Path
    there: bool


def _shared_folder() -> _Shared:
    path = Path(os.environ.get("MEMSHELF_SHARED") or ROOT.parent / "shared")
    return _Shared(path, (path / "data").is_dir())


@pytest.fixture
def shared() -> Path:
    """The folder with shelves by other hands (MEMSHELF_SHARED, else beside the checkout)."""
    found = _shared_folder()
    if not found.there:
        pytest.skip(f"no shelves by other hands at {found.path} (MEMSHELF_SHARED)")
    return found.path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A new shelf, as `memshelf init` makes it, in tmp_path/shelf."""
    memshelf.init(tmp_path / "shelf", name="A test shelf")
    return memshelf.open_shelf(tmp_path / "shelf")


@pytest.fixture
def sample(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The sample shelf in a repository of its own with one commit, in tmp_path/sample."""
    shutil.copytree(_sample_repository(tmp_path_factory.getbasetemp()), tmp_path / "sample")
    return memshelf.open_shelf(tmp_path / "sample")


@cache
def _sample_repository(folder: Path) -> Path:
    """Made once, since a copy is cheaper than a commit."""
    return commit_all(_copied(memshelf.sample_shelf(), folder / "made" / "sample"))


@pytest.fixture
def real_shelf(tmp_path: Path, shared: Path) -> Store:
    """A shelf that people really use, in a repository of its own, in tmp_path/real."""
    folder = commit_all(_copied(shared / "data" / "real-shelf", tmp_path / "real"))
    return memshelf.open_shelf(folder)


@pytest.fixture
def peer_shelf(tmp_path: Path, shared: Path) -> Store:
    """A shelf that the peer wrote, with its history, in tmp_path/peer."""
    git(tmp_path, "clone", "-q", str(shared / "data" / "peer-shelf.bundle"), "peer")
    return memshelf.open_shelf(tmp_path / "peer")


def _copied(source: Path, target: Path) -> Path:
    """A copy that can be written, whatever the permissions of what it was made from."""
    shutil.copytree(source, target, copy_function=shutil.copyfile)
    for folder, _, _ in os.walk(target):
        Path(folder).chmod(0o755)
    return target


def commit_all(folder: Path) -> Path:
    """Make a folder a repository with one commit that holds everything in it."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "-q", "-m", "begin")
    return folder


# --- the command line ------------------------------------------------------------------------


class Ran(NamedTuple):
    """What a command line answered: its exit code, and its two outputs as text."""

    code: int
    out: str
    err: str


Cli = Callable[..., Ran]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run memshelf in this process: `cli("recall", ID, input="", cwd=None)` answers Ran."""
    from memshelf.surfaces.cli import run

    def call(*arguments: object, input: str | bytes = "", cwd: Path | None = None) -> Ran:
        given = input.encode() if isinstance(input, str) else input
        streams = {name: _stream() for name in ("stdout", "stderr")}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", _stream(given))
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            if cwd:
                patch.chdir(cwd)
            code = run([str(argument) for argument in arguments])
        return Ran(code, *(_text(stream) for stream in streams.values()))

    return call


def _stream(data: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="\n", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode("utf-8")


@pytest.fixture
def cli_process(tmp_path: Path) -> Cli:
    """Run memshelf in a process of its own: `cli_process("index", input="", cwd=..., **environ)`."""

    def call(
        *arguments: object, input: str | bytes = "", cwd: Path | None = None, **environ: str
    ) -> Ran:
        return run_process(
            [sys.executable, "-m", "memshelf", *map(str, arguments)],
            input=input,
            cwd=cwd or tmp_path,
            environ=environ,
        )

    return call


def run_process(
    command: list[str],
    *,
    cwd: Path,
    input: str | bytes = "",
    environ: Mapping[str, str] | None = None,
    timeout: float = 120,
) -> Ran:
    """Run a program to its end, its outputs read as UTF-8."""
    done = subprocess.run(
        command,
        cwd=cwd,
        input=input.encode() if isinstance(input, str) else input,
        env={**os.environ, **(environ or {})},
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def same_anywhere(script: str) -> str:
    """What a Python script prints, the same whatever the hash seed, the zone and the locale.

    The folder of the tests is its only argument.
    """
    answers = {
        run_process(
            [sys.executable, "-c", script, str(ROOT / "tests")], cwd=ROOT, environ=environ
        ).out
        for environ in (
            {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8"},
            {"PYTHONHASHSEED": "2", "TZ": "America/Los_Angeles", "LC_ALL": "C"},
        )
    }
    assert len(answers) == 1
    return answers.pop()
