"""--watch runs a verb again when the shelf changed, tells what goes wrong, and ends with Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import POSIX, put
from support import episode, put_bytes

from memshelf import verbs
from memshelf.storage.store import Store
from memshelf.storage.watch import changes, stamps
from memshelf.surfaces.terminal import once

PATIENCE = 60.0
NEW = "docs/topics/2026-11-01-new.md"
BROKEN = "docs/topics/2026-11-02-broken.md"


class Watching:
    """A memshelf process that watches, and the lines that it has said so far."""

    def __init__(self, *words: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memshelf", *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        self.out, self.err = self._lines(self.process.stdout), self._lines(self.process.stderr)

    def _lines(self, stream: object) -> list[str]:
        said: list[str] = []
        reader = threading.Thread(target=lambda: said.extend(stream), daemon=True)  # type: ignore[call-overload]
        reader.start()
        self.readers = [*getattr(self, "readers", []), reader]
        return said

    def end(self) -> int:
        """Ctrl-C, and the exit code."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(PATIENCE)
        for reader in self.readers:
            reader.join(PATIENCE)
        return code


@contextmanager
def watching(*words: object) -> Iterator[Watching]:
    made = Watching(*words)
    try:
        yield made
    finally:
        made.process.kill()
        made.process.communicate()


def wait_for(what: Callable[[], object]) -> None:
    """Return once something is true; fail where it does not become so."""
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)


def open_files(run: Watching) -> int:
    """How many files a process holds open, where the system tells."""
    there = Path(f"/proc/{run.process.pid}/fd")
    return len([*there.iterdir()]) if there.is_dir() else 0


@POSIX
def test_a_watching_rebuild_follows_edits_survives_a_broken_file_and_ends_well(
    sample: Store,
) -> None:
    index = sample.root / "INDEX.md"
    with watching("rebuild", "--watch", "--shelf", sample.root) as run:
        wait_for(lambda: run.out)
        assert "watching" in run.err[0] and "Ctrl-C" in run.err[0]
        put(sample.root, NEW, episode("2026-11-01-new", "Quite new"))
        wait_for(lambda: "Quite new" in index.read_text("utf-8"))
        wait_for(lambda: len(run.out) == 2)
        assert "1 file changed; " in run.out[1] and "wrote INDEX.md" in run.out[1]
        put_bytes(sample.root / BROKEN, b"caf\xe9\n")
        wait_for(lambda: len(run.out) == 3)
        assert f"{BROKEN} is not UTF-8 (byte 3)." in run.out[2]
        before, manifest = open_files(run), (sample.root / "shelf.yml").read_text("utf-8")
        put(sample.root, "shelf.yml", "name: [")
        wait_for(lambda: any("shelf.yml is not YAML" in line for line in run.err))
        assert len(run.out) == 3
        put(sample.root, "shelf.yml", manifest)
        (sample.root / BROKEN).unlink()
        put(sample.root, NEW, episode("2026-11-01-new", "Mended"))
        wait_for(lambda: "Mended" in index.read_text("utf-8"))
        wait_for(lambda: len(run.out) == 4)
        assert open_files(run) == before
        assert run.end() == 0
    assert run.err[-1] == "memshelf: watching ended.\n"
    assert not [line for line in run.err if "Traceback" in line]
    assert len(run.out) == 4


@POSIX
def test_a_watching_export_says_each_time_in_one_line_of_json_what_it_did(
    sample: Store, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    words = ("export", "html", "--out", page, "--watch", "--json", "--shelf", sample.root)
    with watching(*words) as run:
        wait_for(lambda: run.out)
        put(sample.root, "memshelf.toml", "[shelf\n")
        wait_for(lambda: len(run.out) == 2)
        put(sample.root, "memshelf.toml", "")
        put(sample.root, NEW, episode("2026-11-01-new", "Quite new"))
        wait_for(lambda: len(run.out) == 3)
        assert run.end() == 0
    first, broken, second = map(json.loads, run.out)
    assert first["status"] == second["status"] == "ok"
    assert second["episodes"] == first["episodes"] + 1
    assert (broken["status"], broken["code"]) == ("error", "shelf-unusable")
    assert "Quite new" in page.read_text("utf-8")


@POSIX
def test_a_ctrl_c_in_the_middle_of_a_run_is_obeyed_at_its_end(sample: Store) -> None:
    with watching("rebuild", "--watch", "--shelf", sample.root) as run:
        wait_for(lambda: run.err)
        assert run.end() == 0
    assert run.err[-1] == "memshelf: watching ended.\n"
    assert not [line for line in run.err if "Traceback" in line]


@pytest.mark.parametrize(
    "words",
    [
        ("rebuild", "--watch", "--check"),
        ("export", "html", "--watch"),
        ("export", "html", "--watch", "--out", "a.html", "--rev", "HEAD"),
        ("export", "html", "--watch", "--out", "a.html", "--max-size", "big"),
    ],
    ids=" ".join,
)
def test_what_looks_only_once_is_not_watched(
    words: tuple[str, ...], cli: Cli, sample: Store, tmp_path: Path
) -> None:
    ran = cli(*words, "--shelf", sample.root, cwd=tmp_path)
    assert ran.code == 2 and ran.out == "" and not (tmp_path / "a.html").exists()
    assert "memshelf: " in ran.err and "ended" not in ran.err


def test_a_shelf_that_is_none_is_not_watched(cli: Cli, tmp_path: Path) -> None:
    ran = cli("rebuild", "--watch", "--shelf", tmp_path)
    assert ran.code == 1 and "is not a shelf" in ran.err


def test_rebuild_and_every_export_can_be_watched() -> None:
    watched = {name for name in verbs.NAMES if verbs.load(name).watch}
    exports = {name for name in verbs.NAMES if name.startswith("export ")}
    assert watched == {"rebuild", *exports}


# --- what counts as a change -------------------------------------------------------------------


def test_sources_are_watched_and_nothing_that_is_derived_or_passing(sample: Store) -> None:
    before = stamps(sample.root)
    for path in ("INDEX.md", "ledger.tsv", "stats.svg", "docs/topics/.meta.json", "page.html",
                 "docs/topics/.2026-11-01-new.md.swp", "docs/topics/4913", "docs/topics/x.md~",
                 "docs/.git-notes/x.md", ".git/x.md", "README.md"):  # fmt: skip
        put(sample.root, path, "something else\n")
    assert stamps(sample.root) == before
    seen = before
    for path in (NEW, "archive/docs/topics/2026-01-01-x.md", "docs/odd/deep/x.md", "notes/api/a.md",
                 "retros/2026Q1.md", "templates/index.md.j2", "shelf.yml", "memshelf.toml",
                 ".docshelf.json", "archive/.docshelf.json", "POLICY.patterns", "recall-log.tsv"):  # fmt: skip
        put(sample.root, path, "something else\n")
        now = stamps(sample.root)
        assert now != seen, path
        seen = now


def test_a_change_is_told_once_it_has_settled(sample: Store) -> None:
    looks = changes(sample.root, every=0.01)
    assert next(looks) == frozenset()
    first, second = (put(sample.root, f"docs/topics/2026-11-0{n}-x.md", "x\n") for n in (1, 2))
    assert next(looks) == {str(first), str(second)}
    first.unlink()
    put(sample.root, NEW, "x\n")
    assert next(looks) == {str(first), str(sample.root / NEW)}
    put(sample.root, "recall-log.tsv", "what a rebuild writes while it runs\n")
    second.rename(second.with_name("2026-11-09-y.md"))
    assert next(looks) == {str(second), str(second.with_name("2026-11-09-y.md"))}


def test_a_burst_of_writes_is_no_burst_of_changes(sample: Store) -> None:
    looks = changes(sample.root, every=0.2)
    next(looks)
    wrote = {str(sample.root / f"docs/topics/2026-11-01-n{number}.md") for number in range(20)}

    def burst() -> None:
        for path in wrote:
            put(sample.root, path, "x\n")
            time.sleep(0.02)
        put(sample.root, NEW, "the last one\n")

    writer = threading.Thread(target=burst)
    writer.start()
    told = [next(looks)]
    while str(sample.root / NEW) not in told[-1]:
        told.append(next(looks))
    writer.join()
    assert frozenset().union(*told) == {*wrote, str(sample.root / NEW)}
    assert len(told) < 5


def test_a_question_is_put_once() -> None:
    asked: list[str] = []

    def ask(question: str) -> bool:
        asked.append(question)
        return False

    again = once(ask)
    assert again is not None and not again("Large. Write it?") and not again("Larger. Write it?")
    assert asked == ["Large. Write it?"] and once(None) is None
