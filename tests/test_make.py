"""The commands of the README, in a clone of the checkout: they work, twice, and leave no mess."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Ran, run_process
from gitkit import POSIX, git, status
from homeguard import HomeTouched

pytestmark = [
    POSIX,
    pytest.mark.skipif(not shutil.which("make"), reason="needs make"),
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs a checkout, not an archive"),
]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with what is in the working tree now, committed."""
    folder = tmp_path / "a clone"
    git(tmp_path, "clone", "-q", "--no-hardlinks", str(ROOT), str(folder))
    listed = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in set(git(folder, "ls-files", "-z").split("\0")) - {""}:
        (folder / name).unlink()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "--allow-empty", "-m", "as it stands")
    return folder


def make(folder: Path, *words: str, **environ: str) -> Ran:
    """Run make there, with the Python that runs the tests instead of an environment of its own."""
    return run_process(["make", f"PY={sys.executable}", *words], cwd=folder, environ=environ)


def test_the_demo_works_in_a_clone_again_and_again_and_leaves_it_clean(
    clone: Path, world: Path
) -> None:
    before = sorted(world.rglob("*"))
    for _ in range(2):
        ran = make(clone, "demo")
        assert ran.code == 0, ran.out + ran.err
        assert status(clone) == []
    made = clone / "build" / "demo" / "shelf"
    for name in ("INDEX.md", "ledger.tsv", "stats.svg", ".git"):
        assert (made / name).exists()
    for path in re.findall(r"^  (/.*)$", ran.out, re.MULTILINE):
        assert Path(path).is_file()
    assert "«" not in ran.err and "Traceback" not in ran.err
    assert status(made) == []
    assert sorted(world.rglob("*")) == before, "something was written outside the checkout"


def test_the_environment_is_made_once(clone: Path, tmp_path: Path) -> None:
    """With a pip that only notes that it was called: what is tested is when it is called."""
    python = tmp_path / "python3"
    python.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        f'  "-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python";;\n'
        f'  *) echo "$*" >> "{tmp_path}/called";;\n'
        "esac\n"
    )
    python.chmod(0o755)
    command = ["make", f"PYTHON={python}", "demo"]
    for _ in range(2):
        assert run_process(command, cwd=clone).code == 0
    called = (tmp_path / "called").read_text().splitlines()
    assert [line for line in called if line.startswith("-m pip install")] == [
        "-m pip install --quiet --editable .[dev]"
    ]
    assert status(clone) == []
    os.utime(clone / "pyproject.toml")
    assert run_process(command, cwd=clone).code == 0
    called = (tmp_path / "called").read_text().splitlines()
    assert sum(line.startswith("-m pip install") for line in called) == 2


def test_without_a_python_that_is_new_enough_a_sentence_says_what_to_do(clone: Path) -> None:
    ran = run_process(["make", "PYTHON=", "demo"], cwd=clone)
    assert ran.code != 0
    assert "No Python 3.11 or newer" in ran.err and "PYTHON=" in ran.err


def test_plain_make_lists_the_commands(clone: Path) -> None:
    ran = make(clone)
    names = re.findall(r"^make (\w+)", ran.out, re.MULTILINE)
    assert names[:2] == ["demo", "test"]
    assert set(names) <= set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_the_scripts_of_ci_are_bash_that_parses_and_may_be_run() -> None:
    for script in ((ROOT / ".ci" / "run"), (ROOT / ".ci" / "install")):
        assert os.access(script, os.X_OK)
        assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    text = (ROOT / ".ci" / "run").read_text()
    assert text.index(".ci/install") < text.index("make test")


PROGRAMS = ("make", "chromium", "java", "epubcheck", "dot", "gpg-agent", "ssh-agent", "ps")
STUBS = {
    "apt-get": 'echo "$*" >> {log}\necho "what apt-get says"\nexit {code}',
    "sudo": 'echo sudo >> {log}\nexec env "$@"',
    "id": "echo {user}",
    "dpkg-query": "echo installed",
}


def install(folder: Path, *absent: str, user: int = 0, code: int = 0) -> tuple[Ran, list[str]]:
    """Run the script that installs, where these programs are absent; and the apt-get calls."""
    log = folder / "called"
    for name in ("bash", "cat", "env", "mktemp", "rm"):
        (folder / name).symlink_to(shutil.which(name) or name)
    stubs = {name: "" for name in PROGRAMS if name not in absent}
    for name, body in {**stubs, **STUBS}.items():
        text = body.format(log=shlex.quote(str(log)), user=user, code=code)
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    script = str(ROOT / ".ci" / "install")
    ran = run_process([script], cwd=folder, environ={"PATH": str(folder)})
    return ran, log.read_text().splitlines() if log.exists() else []


def test_nothing_is_installed_where_all_is_there(tmp_path: Path) -> None:
    assert install(tmp_path) == (Ran(0, "", ""), [])


@pytest.mark.parametrize("user", [0, 1000])
def test_what_is_absent_is_installed_in_one_go_by_root(tmp_path: Path, user: int) -> None:
    ran, calls = install(tmp_path, "chromium", "epubcheck", user=user)
    assert ran.code == 0 and ran.out.startswith("Installing chromium epubcheck\nInstalled in ")
    assert [line.split()[-1] for line in calls if line != "sudo"] == ["update", "epubcheck"]
    assert calls[-1].endswith(" install chromium epubcheck")
    assert calls.count("sudo") == (2 if user else 0)


def test_an_install_that_fails_shows_what_apt_get_said(tmp_path: Path) -> None:
    ran, calls = install(tmp_path, "java", code=100)
    assert ran.code == 1 and "what apt-get says" in ran.err
    assert len(calls) == 1


def test_a_test_that_writes_into_the_real_home_is_stopped() -> None:
    import homeguard

    place = Path(homeguard.HOME) / ".memshelf-probe"
    if homeguard.at_home(str(place)):
        with pytest.raises(HomeTouched):
            place.write_text("x")
        homeguard.touched.clear()
    assert not place.exists()
