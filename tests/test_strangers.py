"""A shelf that a stranger made: its files are data, and nothing in them runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Cli
from gitkit import POSIX, git, put
from support import DECISIONS, DIGEST, episode

import memshelf
from memshelf.storage.store import Store

ID = "2026-01-05-cache"
VERBS = (
    ("status",),
    ("doctor",),
    ("index",),
    ("recall", ID),
    ("search", "redis"),
    ("log", ID),
    ("retro",),
    ("rebuild",),
    (
        "shelve",
        "--slug",
        "2026-02-01-new",
        "--digest",
        DIGEST,
        "--section",
        f"Decisions={DECISIONS}",
    ),
    ("edit", ID, "--tag", "+x"),
    ("sync",),
)


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """A file that is there as soon as something of the stranger's has run."""
    return tmp_path / "owned"


def everything(cli: Cli, shelf: Path, mark: Path) -> None:
    """Run each verb in the shelf's folder; none may have run the stranger's program."""
    for words in VERBS:
        ran = cli(*words, "--shelf", shelf, cwd=shelf)
        assert "Traceback" not in ran.err, (words, ran.err)
        assert not mark.exists(), words


@POSIX
def test_a_clone_with_attributes_hooks_and_programs_in_its_tree_runs_none_of_them(
    cli: Cli, store: Store, tmp_path: Path, mark: Path
) -> None:
    program = f"#!/bin/sh\ntouch {mark}\ncat\n"
    put(store.root, ".gitattributes", "*.md filter=evil diff=evil merge=evil\n")
    put(store.root, f"docs/topics/{ID}.md", episode())
    for name in ("git", "less", "vi", ".githooks/pre-commit", "hooks/pre-commit"):
        put(store.root, name, program).chmod(0o755)
    put(store.root, ".gitconfig", f'[filter "evil"]\n\tclean = {mark}\n')
    put(store.root, ".gitmodules", f'[submodule "x"]\n\tpath = x\n\turl = ext::touch {mark}\n')
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "a trap")
    git(tmp_path, "clone", "-q", str(store.root), "clone")
    everything(cli, tmp_path / "clone", mark)


@POSIX
def test_a_repository_hidden_in_a_folder_of_the_tree_is_no_repository(
    cli: Cli, store: Store, tmp_path: Path, mark: Path
) -> None:
    """git itself takes a folder with HEAD, objects and refs for one, with the settings in it."""
    shelf = store.root / "docs" / "shelf"
    memshelf.init(shelf, name="Inside")
    put(shelf, f"docs/topics/{ID}.md", episode())
    put(shelf, "HEAD", "ref: refs/heads/main\n")
    put(shelf, "objects/info/x", "")
    put(shelf, "refs/heads/x", "")
    put(shelf, "config", f'[core]\n\tworktree = .\n\tfsmonitor = "touch {mark};"\n')
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "a trap")
    git(tmp_path, "clone", "-q", str(store.root), "clone")
    everything(cli, tmp_path / "clone" / "docs" / "shelf", mark)


_STARTS = """
import sys
sys.path[0] = sys.argv[1]
from pathlib import Path
from memshelf.domain.errors import ShelfError
from memshelf.engine import background
from memshelf.verbs import site_built
here = Path(".").resolve()
background.index(here) and background.wait(here, 60)
try:
    site_built._build(here, here / "site", "0")
except ShelfError:
    pass
"""


def test_no_module_in_the_folder_of_a_shelf_is_imported(store: Store, mark: Path) -> None:
    """Also not by processes that are started without being asked for, and by that of a site."""
    put(store.root, f"docs/topics/{ID}.md", episode())
    for name in ("runpy", "memshelf/__init__", "mkdocs/__init__", "click", "sqlite3/__init__"):
        put(store.root, f"{name}.py", f"open({str(mark)!r}, 'w')\nraise SystemExit\n")
    started = [sys.executable, "-c", _STARTS, str(ROOT)]
    subprocess.run(started, cwd=store.root, check=True)
    assert not mark.exists()


READING = (("index",), ("recall", ID), ("search", "redis"), ("threads",), ("context", "redis"))


@POSIX
def test_reading_in_a_folder_that_came_with_its_git_folder_asks_none_of_its_settings(
    cli: Cli, store: Store, mark: Path
) -> None:
    put(store.root, f"docs/topics/{ID}.md", episode())
    put(store.root, ".gitattributes", "*.md filter=evil diff=evil\n")
    for name, value in (
        ("core.fsmonitor", f"touch {mark};"),
        ("core.pager", f"touch {mark};"),
        ("filter.evil.clean", f"touch {mark}; cat"),
        ("filter.evil.smudge", f"touch {mark}; cat"),
        ("diff.evil.textconv", f"touch {mark}; cat"),
    ):
        git(store.root, "config", name, value)
    for words in READING:
        ran = cli(*words, "--shelf", store.root, cwd=store.root)
        assert ran.code == 0, (words, ran.err)
        assert not mark.exists(), words


@POSIX
def test_a_link_in_a_clone_shows_no_file_of_this_machine(
    cli: Cli, store: Store, tmp_path: Path, mark: Path
) -> None:
    put(tmp_path, "private.md", episode().replace("Redis", "Opensesame"))
    folder = store.root / "docs" / "topics"
    (folder / f"{ID}.md").symlink_to(tmp_path / "private.md")
    (store.root / "docs" / "more").symlink_to(tmp_path)
    (store.root / "POLICY.patterns").unlink()
    (store.root / "POLICY.patterns").symlink_to(tmp_path / "private.md")
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "links")
    git(tmp_path, "clone", "-q", str(store.root), "clone")
    for words in (*VERBS, *READING, ("export", "json", "--out", str(tmp_path / "out.json"))):
        ran = cli(*words, "--shelf", tmp_path / "clone")
        assert "Opensesame" not in ran.out + ran.err, words
    made = tmp_path / "out.json"
    assert not made.exists() or "Opensesame" not in made.read_text("utf-8")
