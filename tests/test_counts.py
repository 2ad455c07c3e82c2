"""Counts are exact where time is not: files that are opened, git processes that are started."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from gitkit import POSIX, git, put
from support import SHELVE, Counted, episode

import memshelf
from memshelf.storage.store import Store

pytestmark = POSIX
NAMES = [f"2026-01-{day:02}-episode" for day in range(1, 29)]
WITH_TITLE = (*SHELVE, "--title", "New")


@pytest.fixture
def many(store: Store) -> Store:
    """A shelf of 28 episodes, rendered, where derived files are made by hand."""
    put(store.root, "memshelf.toml", '[shelf]\nrebuild = "manual"\n')
    for name in NAMES:
        put(store.root, f"docs/topics/{name}.md", episode(name, name))
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "many")
    memshelf.rebuild(memshelf.open_shelf(store.root), commit=True)
    _settle(store.root)
    return memshelf.open_shelf(store.root)


def _settle(root: Path) -> None:
    """Make every stamp older than the next scan, and let a survey note that down."""
    time.sleep(0.15)  # a file that was written less than 100 ms before a scan is read again
    memshelf.doctor(memshelf.open_shelf(root))
    memshelf.rebuild(memshelf.open_shelf(root), check=True)


@pytest.fixture
def counted(many: Store, tmp_path: Path) -> Counted:
    """memshelf processes on that shelf, watched."""
    return Counted(tmp_path / "watch", many.root)


def test_recall_opens_one_episode_and_starts_no_git(counted: Counted) -> None:
    for flags in ((), ("--section", "Decisions"), ("--no-log",)):
        done = counted.run("recall", NAMES[3], *flags)
        assert done.returncode == 0, done.stderr
        assert counted.episodes == [f"docs/topics/{NAMES[3]}.md"]
        assert counted.git == []


def test_shelving_opens_no_other_episode_and_starts_five_git_processes(counted: Counted) -> None:
    done = counted.run(*WITH_TITLE)
    assert done.returncode == 0, done.stderr
    assert set(counted.episodes) <= {"docs/topics/2026-02-01-new.md"}
    assert len(counted.git) <= 5, counted.git


def test_amending_opens_no_other_episode_and_starts_six_git_processes(counted: Counted) -> None:
    done = counted.run(
        "shelve", "--amend", "--slug", NAMES[3], "--tag", "x", "--section", "Decisions=- Memcached."
    )
    assert done.returncode == 0, done.stderr
    assert counted.episodes == [f"docs/topics/{NAMES[3]}.md"]
    assert len(counted.git) <= 6, counted.git


def test_a_refused_write_starts_no_git_that_writes(counted: Counted) -> None:
    done = counted.run(
        "shelve", "--slug", "2026-02-01-x", "--digest", "We did.", "--section", "Decisions=x"
    )
    assert done.returncode == 1
    assert counted.episodes == []
    assert not [line for line in counted.git if "commit" in line or "add" in line.split()]


def test_what_rendering_after_a_write_adds_is_bounded(counted: Counted, many: Store) -> None:
    put(many.root, "memshelf.toml", '[shelf]\nrebuild = "after-write"\n')
    git(many.root, "commit", "-qam", "after-write")
    done = counted.run(*WITH_TITLE)
    assert done.returncode == 0, done.stderr
    assert set(counted.episodes) <= {"docs/topics/2026-02-01-new.md"}
    assert len(counted.git) <= 5 + 3, counted.git


def test_a_rebuild_with_one_changed_episode_opens_that_one_and_what_is_derived(
    counted: Counted, many: Store
) -> None:
    put(many.root, f"docs/topics/{NAMES[5]}.md", episode(NAMES[5], "Changed"))
    done = counted.run("rebuild")
    assert done.returncode == 0, done.stderr
    assert counted.episodes == [f"docs/topics/{NAMES[5]}.md"]
    assert "INDEX.md" in counted.files
    derived = {"INDEX.md", "ledger.tsv", "stats.svg", "docs/topics/.meta.json"}
    settings = {
        "shelf.yml",
        ".docshelf.json",
        "memshelf.toml",
        "recall-log.tsv",
        "archive/.docshelf.json",
    }
    others = {path for path in counted.files if not path.endswith(".tmp")} - derived - settings
    assert others == {f"docs/topics/{NAMES[5]}.md"}


@pytest.mark.parametrize(
    "words",
    [("rebuild",), ("rebuild", "--check"), ("doctor",), ("index",), ("stats",), ("threads",)],
)
def test_on_an_unchanged_shelf_no_episode_is_opened(
    words: tuple[str, ...], counted: Counted
) -> None:
    done = counted.run(*words)
    assert done.returncode == 0, done.stderr
    assert counted.episodes == []
    assert len(counted.git) <= 2, counted.git


def test_search_starts_no_git(counted: Counted) -> None:
    assert counted.run("search", "redis").returncode == 0
    assert counted.git == []
