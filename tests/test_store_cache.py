"""The cache changes no answer, whatever state it is in, and no edit escapes it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import POSIX, put
from hypothesis import given, settings
from hypothesis import strategies as st
from support import HARD_TEXT, add, cut, episode, foreign, garbage, put_bytes

import memshelf
from memshelf.domain.entry import Entry, Facts
from memshelf.domain.episode import Episode, format_episode
from memshelf.storage import look
from memshelf.storage.cache import Stamp
from memshelf.storage.store import Store
from memshelf.storage.survey import blob_id

NAME = "2026-01-05-cache"
PATH = f"docs/topics/{NAME}.md"
QUESTIONS = (
    ("index",),
    ("threads", "--state", "all"),
    ("search", "redis"),
    ("stats",),
    ("doctor",),
)


def answers(cli: Cli, root: Path) -> list[str]:
    return [cli(*words, "--shelf", root).out for words in QUESTIONS]


def database(world: Path) -> Path:
    (found,) = (world / "cache").rglob("shelf.sqlite")
    return found


def _odd_rows(file: Path) -> None:
    with sqlite3.connect(file) as db:
        db.execute("UPDATE files SET entry = '[1, 2'")
        db.execute("INSERT OR REPLACE INTO facts VALUES('rendered', '{broken')")
    db.close()


def _gone(file: Path) -> None:
    file.unlink()


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    "damage", [garbage, cut, foreign, _odd_rows, _gone, _folder], ids=lambda f: f.__name__
)
def test_whatever_is_wrong_with_the_cache_the_answers_are_the_same(
    damage: Callable[[Path], None], cli: Cli, sample: Store, world: Path
) -> None:
    cli("rebuild", "--shelf", sample.root)
    before = answers(cli, sample.root)
    damage(database(world))
    assert answers(cli, sample.root) == before
    assert cli("rebuild", "--check", "--shelf", sample.root).code == 0
    assert answers(cli, sample.root) == before


@POSIX
def test_a_cache_that_is_locked_or_cannot_be_written_is_done_without(
    cli: Cli, sample: Store, world: Path
) -> None:
    before = answers(cli, sample.root)
    holder = sqlite3.connect(database(world), isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        assert cli("recall", "2026-01-13-qc-flags", "--shelf", sample.root).code == 0
        assert cli("search", "redis", "--shelf", sample.root).out == before[2]
    finally:
        holder.close()


def test_an_edit_is_seen_also_where_the_cache_cannot_take_it_in(
    cli: Cli, store: Store, world: Path
) -> None:
    add(store, episode())
    assert "Redis" in cli("index", "--shelf", store.root).out
    assert "eviction" in cli("threads", "--shelf", store.root).out
    holder = sqlite3.connect(database(world), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")  # others read, none writes
    try:
        put(
            store.root,
            PATH,
            episode(title="Changed title").replace("an eviction policy", "a colour"),
        )
        put(store.root, "docs/topics/2026-01-06-more.md", episode("2026-01-06-more", "One more"))
        shown = cli("index", "--shelf", store.root).out
        threads = cli("threads", "--shelf", store.root).out
    finally:
        holder.close()
    assert "Changed title" in shown and "One more" in shown
    assert "Choose a colour." in threads and "2026-01-06-more/t1" in threads


def test_two_processes_read_one_shelf_at_once(sample: Store) -> None:
    command = [sys.executable, "-m", "memshelf", "stats", "--json", "--shelf", str(sample.root)]
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)
    ]
    outs = {run.communicate()[0] for run in runs}
    assert len(outs) == 1 and all(run.returncode == 0 for run in runs)


@pytest.mark.parametrize("stamp", ["kept", "moved"])
def test_an_edit_of_the_same_length_is_seen(stamp: str, cli: Cli, store: Store) -> None:
    add(store, episode())
    file = store.root / PATH
    assert "Redis" in cli("index", "--shelf", store.root).out
    before = file.stat()
    file.write_text(episode(title="Cache: Resid"))
    if stamp == "kept":
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "Resid" in cli("index", "--shelf", store.root).out


def test_edits_in_quick_succession_are_all_seen(cli: Cli, store: Store) -> None:
    add(store, episode())
    for number in range(10, 40):
        (store.root / PATH).write_text(episode(title=f"Cache: N{number}"))
        assert f"N{number}" in cli("index", "--shelf", store.root).out


def test_a_stamp_holds_only_where_it_is_older_than_its_scan() -> None:
    day = 1_700_000_000_000_000_000
    old = Stamp(5, day + 1, day + 1, 7, day + 200_000_000)
    assert old.holds(old._replace(scanned=day * 2))
    assert not old.holds(old._replace(size=6))
    assert not old.holds(old._replace(ctime=day + 2))
    fresh = old._replace(scanned=day + 50_000_000)
    assert not fresh.holds(fresh)
    whole = Stamp(5, day, day, 7, day + 1_500_000_000)
    assert not whole.holds(whole)
    assert whole._replace(scanned=day + 2_000_000_000).holds(whole)


@settings(max_examples=50, deadline=None)
@given(HARD_TEXT, HARD_TEXT, st.lists(HARD_TEXT.filter(bool), max_size=3))
def test_an_entry_comes_back_from_the_cache_as_it_went_in(
    folder: Path, title: str, body: str, tags: list[str]
) -> None:
    text = format_episode(
        Episode.make(
            id=NAME,
            display_title=title,
            digest=body,
            tags=tags,
            closes=["2026-01-01-a/t1"],
            sections=[
                ("Decisions", f"- {body}\n- Rejected: x"),
                ("Open threads", f"- [x] {body}\n- see 2026-01-01-a"),
            ],
        )
    )
    for number, form in enumerate((text, body, f"---\n{body}\n---\n")):
        put_bytes(folder / f"docs/topics/2026-01-0{number + 1}-x.md", form.encode())
    assert known(folder) == known(folder)


def known(folder: Path) -> list[dict[str, object]]:
    """All that the catalogue knows of each episode."""
    names = [name for name in dir(Entry) if name[0] != "_" and name not in ("count", "index")]
    entries = memshelf.open_shelf(folder).read().entries
    return [
        {name: getattr(entry, name) for name in names if not callable(getattr(entry, name))}
        for entry in entries
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("small")
    put(root, "shelf.yml", "mode: single\n")
    return root


def test_the_content_hash_is_gits(store: Store) -> None:
    from gitkit import git

    for text in ("", "a\n", episode()):
        put(store.root, "x", text)
        assert blob_id(text.encode()) == git(store.root, "hash-object", "x")


def test_a_shelf_that_moved_or_was_replaced_is_read_anew(
    cli: Cli, store: Store, tmp_path: Path
) -> None:
    add(store, episode())
    assert NAME in cli("index", "--shelf", store.root).out
    store.root.rename(tmp_path / "elsewhere")
    memshelf.init(tmp_path / "shelf", name="Another")
    assert NAME not in cli("index", "--shelf", tmp_path / "shelf").out
    assert NAME in cli("index", "--shelf", tmp_path / "elsewhere").out


@POSIX
def test_nothing_private_is_readable_by_others(cli: Cli, store: Store, world: Path) -> None:
    add(store, episode())
    cli("recall", NAME, "--shelf", store.root)
    cli("index", "--shelf", store.root)
    for top in ("state", "cache"):
        files = [path for path in (world / top).rglob("*") if path.is_file()]
        assert files
        for path in files:
            open_to_others = all(
                folder.stat().st_mode & 0o007
                for folder in path.parents
                if folder.is_relative_to(world / top)
            )
            assert not open_to_others or not path.stat().st_mode & 0o007, path


def test_nothing_of_the_cache_rides_into_the_shelf(cli: Cli, store: Store) -> None:
    add(store, episode())
    answers(cli, store.root)
    cli("recall", NAME, "--shelf", store.root)
    from gitkit import status

    assert status(store.root) == []


def test_the_episodes_are_found_from_names_alone(store: Store) -> None:
    add(store, episode())
    assert store.locate(NAME) == store.locate(f"{NAME}.md") == PATH
    for name in ("", "..", ".git", "a/b", "a\\b", "a\0b", "2026-01-05-cach", "2026-01-05-cache-2"):
        assert store.locate(name) is None


def test_a_snapshot_does_not_change_under_its_reader(store: Store) -> None:
    add(store, episode())
    shelf = store.read()
    add(store, episode("2026-01-06-b", "b"), "docs/topics/2026-01-06-b.md")
    assert [entry.id for entry in shelf.entries] == [NAME]
    assert len(store.read().entries) == 2
    assert json.dumps([entry.id for entry in store.read().live])


# --- a look at all files ---------------------------------------------------------------------


@pytest.fixture
def settled(store: Store) -> Store:
    """A shelf of three episodes that nobody has touched for an hour, and a survey of it."""
    for day in (5, 6, 7):
        put(store.root, f"docs/topics/2026-01-0{day}-x.md", episode(f"2026-01-0{day}-x", f"N{day}"))
    then = time.time() - 3600
    for path in (store.root / "docs").rglob("*"):
        os.utime(path, (then, then))
    store.survey()
    return store


def test_an_unchanged_shelf_is_known_at_a_look(settled: Store) -> None:
    seen = settled.look()
    rows = look.known(settled.cache, seen)
    survey = settled.survey()
    assert tuple(rows) == survey.rows and len(rows) == 3
    assert [entry.title for entry in settled.snapshot(survey).entries] == ["N5", "N6", "N7"]
    assert [len(entry.threads) for entry in settled.snapshot(survey).entries] == [1, 1, 1]


def test_a_look_sees_what_was_changed_added_and_taken_away(settled: Store) -> None:
    folder = settled.root / "docs" / "topics"
    put(folder, "2026-01-06-x.md", episode("2026-01-06-x", "Other"))
    assert look.known(settled.cache, settled.look()) == []
    assert settled.read().by_id["2026-01-06-x"].title == "Other"
    put(folder, "2026-01-08-x.md", episode("2026-01-08-x", "New"))
    (folder / "2026-01-05-x.md").unlink()
    assert [entry.title for entry in settled.read().entries] == ["Other", "N7", "New"]


def test_a_folder_that_was_away_and_is_back_is_read_once(settled: Store) -> None:
    folder, away = settled.root / "docs" / "topics", settled.root.parent / "away"
    folder.rename(away)
    assert settled.read().entries == ()
    away.rename(folder)
    assert len(settled.read().entries) == 3
    assert len(list(settled.cache.entries(lambda _: Facts()))) == 3


def test_a_look_that_was_not_used_is_taken_anew(settled: Store) -> None:
    settled.survey()
    put(settled.root, "docs/topics/2026-01-09-x.md", episode("2026-01-09-x", "Late"))
    assert [entry.title for entry in settled.read().entries][-1] == "Late"


@POSIX
def test_a_name_that_is_no_text_is_named_and_hides_no_other(store: Store, cli: Cli) -> None:
    add(store, episode())
    odd = os.fsencode(store.root / "docs" / "topics") + b"/2026-01-06-\xff.md"
    try:
        Path(os.fsdecode(odd)).write_text(episode("2026-01-06-y", "Y"), "utf-8")
    except OSError:
        pytest.skip("this file system takes no such name")
    ran = cli("index", "--shelf", store.root)
    assert ran.code == 0 and NAME in ran.out and "1 file cannot be read" in ran.out
    assert "not-utf8" in cli("doctor", "--shelf", store.root).out
