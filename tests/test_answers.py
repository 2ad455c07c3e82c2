"""An answer is said again while all that it was made from stands, and never longer."""

from __future__ import annotations

import marshal
import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import POSIX, put
from support import Counted, episode

import memshelf
from memshelf.storage import answers
from memshelf.storage.places import answers_dir, state_dir
from memshelf.storage.store import Store

FORGED = "This was said before.\n"


def aged(root: Path) -> Path:
    """The shelf with every file an hour old, so that its stamps tell of every change."""
    then = root.stat().st_mtime - 3600
    for path in (root, *root.rglob("*")):
        os.utime(path, (then, then))
    return root


def kept() -> list[Path]:
    folder = Path(answers_dir())
    return sorted(folder.iterdir()) if folder.is_dir() else []


def forge(answer: str | bytes = FORGED.encode()) -> None:
    """Put other words into the answer that is kept, to see whether it is said."""
    (file,) = kept()
    question, places, marks, _, note = marshal.loads(file.read_bytes()[4:])
    data = marshal.dumps((question, places, marks, answer, note), 2)
    file.write_bytes(zlib.crc32(data).to_bytes(4, "big") + data)


@pytest.fixture
def old(store: Store) -> Store:
    """A shelf with one live and one archived episode, which nobody has touched for an hour."""
    put(store.root, "docs/topics/2026-01-05-cache.md", episode())
    put(store.root, "archive/docs/topics/2026-01-02-old.md", episode("2026-01-02-old", "Old"))
    put(store.root, "retros/2026Q1.md", "In short.\n")
    put(store.root, "templates/own.md.j2", "x\n")
    aged(store.root)
    return store


@pytest.mark.parametrize(
    "words", [("threads",), ("stats",), ("index",), ("threads", "--json", "--state", "all")]
)
def test_on_an_unchanged_shelf_an_answer_is_said_again(
    words: tuple[str, ...], cli: Cli, old: Store
) -> None:
    first = cli(*words, "--shelf", old.root)
    assert cli(*words, "--shelf", old.root) == first
    forge()
    assert cli(*words, "--shelf", old.root).out == FORGED
    forge(FORGED)  # as a text, as an older memshelf kept it
    assert cli(*words, "--shelf", old.root) == first


@POSIX
def test_then_no_file_of_the_shelf_is_opened(old: Store, tmp_path: Path) -> None:
    counted = Counted(tmp_path / "watch", old.root)
    said = [counted.run("threads").stdout for _ in (1, 2)]
    assert counted.files == []
    assert said[0] == said[1] != ""


def grown(file: Path) -> None:
    with file.open("ab") as opened:
        opened.write(b"\n")


CHANGES: dict[str, Callable[[Path], object]] = {
    "an episode is edited in place": lambda root: grown(root / "docs/topics/2026-01-05-cache.md"),
    "an episode comes": lambda root: put(root, "docs/topics/2026-01-06-b.md", episode()),
    "an episode goes": lambda root: (root / "docs/topics/2026-01-05-cache.md").unlink(),
    "an episode is renamed": lambda root: (root / "docs/topics/2026-01-05-cache.md").rename(
        root / "docs/topics/2026-01-05-cash.md"
    ),
    "an archived episode is edited": lambda root: put(
        root, "archive/docs/topics/2026-01-02-old.md", episode()
    ),
    "an episode comes into a new folder": lambda root: put(root, "docs/odd/a.md", episode()),
    "the settings change": lambda root: put(root, "memshelf.toml", "[shelf]\nlanguage = 'de'\n"),
    "the manifest changes": lambda root: put(root, "shelf.yml", "title: Other\n"),
    "a recall is logged on the shelf": lambda root: put(root, "recall-log.tsv", "a\tb\tc\n"),
    "a recall waits in the state folder": lambda root: put(state_dir(root), "recalls.tsv", "x\n"),
    "a retro is written": lambda root: put(root, "retros/2026Q2.md", "More.\n"),
    "a template comes": lambda root: put(root, "templates/below/x.j2", "y\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_seen_at_once(change: Callable[[Path], object], cli: Cli, old: Store) -> None:
    words = ("index", "--shelf", old.root)
    cli(*words)
    forge()
    assert cli(*words).out == FORGED
    change(old.root)
    assert cli(*words).out != FORGED


def test_a_change_that_leaves_size_and_time_as_they_were_is_seen(cli: Cli, old: Store) -> None:
    words, path = ("threads", "--shelf", old.root), old.root / "docs/topics/2026-01-05-cache.md"
    cli(*words)
    before = path.stat()
    path.write_text(path.read_text("utf-8").replace("eviction policy", "evilution polic"), "utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "evilution" in cli(*words).out


def test_what_was_written_just_now_is_read_again(cli: Cli, old: Store) -> None:
    path = old.root / "docs/topics/2026-01-05-cache.md"
    path.write_bytes(path.read_bytes())
    cli("index", "--shelf", old.root)
    assert kept() == []


def test_other_words_folders_and_settings_have_answers_of_their_own(
    cli: Cli, old: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("stats", "--shelf", old.root)
    cli("stats", "--banner", "--shelf", old.root)
    cli("stats", cwd=old.root)
    monkeypatch.setenv("MEMSHELF_CONTEXT_WINDOW", "9")
    assert cli("stats", cwd=old.root).out
    assert len(kept()) == 4


def test_a_nearer_shelf_is_found_first(cli: Cli, old: Store) -> None:
    words, below = ("stats", "--banner"), old.root / "docs" / "topics"
    aged(old.root)
    cli(*words, cwd=below)
    forge()
    assert cli(*words, cwd=below).out == FORGED
    put(old.root / "docs", "shelf.yml", "title: Nearer\n")
    assert "0 episodes" in cli(*words, cwd=below).out


def test_the_note_about_the_shelf_is_said_again(
    cli: Cli, old: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSHELF_SHELF_PATH", str(old.root))
    first = cli("threads")
    assert "MEMSHELF_SHELF_PATH" in first.err
    assert cli("threads") == first and len(kept()) == 1


def test_nothing_is_kept_of_what_writes_fails_or_left_something_out(cli: Cli, old: Store) -> None:
    put(old.root, "docs/topics/2026-01-07-bad.md", "---\nid: [\n---\n")
    (old.root / "docs/topics/2026-01-08-binary.md").write_bytes(b"\xff\xfe\x00")
    aged(old.root)
    for words in (("stats", "--chart"), ("threads",), ("recall", "2026-01-05-cache"), ("nothing",)):
        cli(*words, "--shelf", old.root)
    assert kept() == []


@pytest.mark.parametrize("data", [b"", b"abc", b"\0\0\0\0", b"\xff" * 900, b"1234" + b"\0" * 40])
def test_a_damaged_answer_is_made_anew(data: bytes, cli: Cli, old: Store) -> None:
    first = cli("stats", "--shelf", old.root)
    (file,) = kept()
    whole = file.read_bytes()
    for damaged in (data, whole[:-5], whole[:60] + b"?" + whole[61:]):
        file.write_bytes(damaged)
        assert cli("stats", "--shelf", old.root) == first
        assert kept()[0].read_bytes() == whole


def test_a_folder_that_cannot_hold_answers_stops_none(cli: Cli, old: Store) -> None:
    first = cli("stats", "--shelf", old.root)
    Path(answers_dir(), kept()[0].name).unlink()
    Path(answers_dir()).rmdir()
    Path(answers_dir()).write_text("a file in its place")
    assert cli("stats", "--shelf", old.root) == first


def test_only_so_many_answers_are_kept(cli: Cli, old: Store) -> None:
    for number in range(1, 41):
        assert cli("threads", "--max-results", number, "--shelf", old.root).code == 0
    assert len(kept()) == 32


def test_a_current_folder_that_is_gone_asks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(os, "getcwd", gone)
    assert answers.asked(["stats"]) == ""


def test_the_answer_to_a_python_caller_is_never_an_old_one(cli: Cli, old: Store) -> None:
    cli("threads", "--shelf", old.root)
    forge()
    assert str(memshelf.threads(old)) != FORGED
