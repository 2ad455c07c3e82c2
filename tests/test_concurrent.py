"""Many writers at once, and writers that are killed: an episode is in HEAD, or it is not there."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import POSIX, git, litter, put, status
from support import DECISIONS, DIGEST, add, episode

import memshelf
from memshelf.storage.store import Store


def command(store: Store, *words: str) -> list[str]:
    return [sys.executable, "-m", "memshelf", *words, "--shelf", str(store.root)]


def shelve(store: Store, slug: str, *flags: str) -> list[str]:
    return command(
        store,
        "shelve",
        "--slug",
        slug,
        "--digest",
        DIGEST,
        "--section",
        f"Decisions={DECISIONS}",
        *flags,
    )


def start(words: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def manual(store: Store) -> None:
    put(store.root, "memshelf.toml", '[shelf]\nrebuild = "manual"\n')
    git(store.root, "commit", "-qam", "manual")


def commits(store: Store, subject: str) -> dict[str, list[str]]:
    """Subject to the files of each commit whose subject begins with a word."""
    found: dict[str, list[str]] = {}
    for block in git(store.root, "log", "--format=%x00%s", "--name-only").split("\0")[1:]:
        head, *names = [line for line in block.splitlines() if line]
        if head.startswith(subject):
            assert head not in found
            found[head] = names
    return found


@pytest.mark.parametrize("rebuild", ["manual", "after-write"])
def test_sixteen_processes_shelve_sixteen_episodes_at_once(rebuild: str, store: Store) -> None:
    if rebuild == "manual":
        manual(store)
    names = [f"2026-02-{number:02}-n{number}" for number in range(1, 17)]
    runs = [start(shelve(store, name, "--json")) for name in names]
    for run in runs:
        out, err = run.communicate(timeout=300)
        assert run.returncode == 0, err
        assert '"committed": true' in out
    made = commits(store, "shelve: ")
    assert made == {f"shelve: {name}": [f"docs/topics/{name}.md"] for name in names}
    assert {f"docs/topics/{name}.md" for name in names} <= set(
        git(store.root, "ls-tree", "-r", "--name-only", "HEAD").split()
    )
    assert status(store.root) == [] and litter(store.root) == []
    memshelf.rebuild(store)
    assert memshelf.doctor(store).report.ok
    assert len((store.root / "ledger.tsv").read_text().splitlines()) == 17


def test_many_amends_of_one_episode_at_once_are_all_kept(store: Store) -> None:
    manual(store)
    path = add(store, episode())
    runs = [
        start(
            command(
                store,
                "shelve",
                "--amend",
                "--slug",
                "2026-01-05-cache",
                "--section",
                f"Part {number}=text {number}",
            )
        )
        for number in range(6)
    ]
    for run in runs:
        _, err = run.communicate(timeout=300)
        assert run.returncode == 0 or "Traceback" not in err
    ended = [run.returncode for run in runs]
    names = store.document(path).names
    assert [name in names for name in (f"Part {n}" for n in range(6))] == [
        code == 0 for code in ended
    ]
    assert status(store.root) == []


def test_two_that_want_one_id_get_one_episode(store: Store) -> None:
    manual(store)
    runs = [start(shelve(store, "2026-02-01-same", "--tag", f"t{number}")) for number in range(4)]
    codes = []
    for run in runs:
        _, err = run.communicate(timeout=300)
        assert "Traceback" not in err
        codes.append(run.returncode)
    assert sorted(codes) == [0, 1, 1, 1]
    assert len(commits(store, "shelve: ")) == 1


def test_readers_see_whole_files_while_others_write(store: Store, cli: Cli) -> None:
    manual(store)
    path = add(store, episode())
    writer = start(
        [sys.executable, "-c", _REWRITER, str(store.root)],
    )
    seen = set()
    while writer.poll() is None:
        ran = cli(
            "recall",
            "2026-01-05-cache",
            "--section",
            "Decisions",
            "--no-log",
            "--shelf",
            store.root,
        )
        assert ran.code == 0, ran.err
        seen.add(ran.out.split("\n", 1)[1].rsplit("\n", 2)[0])
    _, err = writer.communicate(timeout=60)
    assert writer.returncode == 0, err
    assert all(len(set(text.split("\n")[1:])) == 1 for text in seen if "Redis" not in text)
    assert (store.root / path).is_file()


_REWRITER = """
import sys, memshelf
shelf = memshelf.open_shelf(sys.argv[1])
for number in range(5):
    body = "\\n".join([f"- line {number}"] * 2000)
    memshelf.shelve(shelf, slug="2026-01-05-cache", amend=True, sections={"Decisions": body})
"""


# --- killed ----------------------------------------------------------------------------------

_KILLED = """
import os, signal, sys, threading
threading.Timer(float(sys.argv[1]), os.kill, (os.getpid(), signal.SIGKILL)).start()
from memshelf.surfaces.cli import main
main(sys.argv[2:])
"""


@POSIX
@pytest.mark.parametrize("kind", ["new", "amend"])
def test_a_process_killed_at_any_moment_leaves_a_whole_shelf(
    kind: str, store: Store, cli: Cli
) -> None:
    manual(store)
    add(store, episode())
    put(store.root, "draft.txt", "draft")
    git(store.root, "add", "draft.txt")
    for name in (
        "2026-03-01-first",
        "2026-03-02-second",
    ):  # the second is not slowed by a cold disk
        started = time.monotonic()
        done = subprocess.run(shelve(store, name), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        whole = time.monotonic() - started
    outcomes = set()
    for number in range(1, 13):
        slug = f"2026-04-{number:02}-killed"
        words = shelve(store, slug)[3:]
        if kind == "amend":
            slug = "2026-01-05-cache"
            words = [
                "shelve",
                "--amend",
                "--slug",
                slug,
                "--section",
                f"Part {number}=text",
                "--shelf",
                str(store.root),
            ]
        delay = whole * (0.2 + 0.8 * number / 12)
        process = subprocess.Popen(
            [sys.executable, "-c", _KILLED, str(delay), *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        process.wait(60)
        time.sleep(0.3)  # its git, if one was running, comes to an end by itself
        outcomes.add(process.returncode)
        _whole(store, cli, slug, number if kind == "amend" else None)
    assert -signal.SIGKILL in outcomes
    assert git(store.root, "diff", "--cached", "--name-only").split() == ["draft.txt"]


def _whole(store: Store, cli: Cli, slug: str, part: int | None) -> None:
    """The shelf is read, the episode is there and committed or not there, and the next write works."""
    assert cli("recall", "2026-01-05-cache", "--no-log", "--shelf", store.root).code == 0
    after = f"2026-05-{int(time.time_ns() // 1000) % 10**9:09}-x"
    slug_after = "2026-05-01-" + after[8:]
    ran = cli(
        "shelve",
        "--slug",
        slug_after,
        "--digest",
        DIGEST,
        "--section",
        f"Decisions={DECISIONS}",
        "--shelf",
        store.root,
    )
    assert ran.code == 0, ran.err
    path = store.locate(slug)
    held = git(store.root, "ls-tree", "-r", "--name-only", "HEAD").split()
    assert (path is not None) == (f"docs/topics/{slug}.md" in held)
    if path:
        text = (store.root / path).read_text()
        assert git(store.root, "show", f"HEAD:{path}") == text.rstrip("\n")
        assert "## Digest\n" in text and "## Decisions\n" in text
    ghosts = [row for row in status(store.root) if row != "A  draft.txt" and "derived" not in row]
    assert ghosts == []
    assert litter(store.root) == []
    assert not [
        p
        for p in Path(store.root).rglob(".memshelf-*.tmp")
        if time.time() - p.stat().st_mtime > 3600
    ]


@POSIX
def test_a_termination_signal_finishes_or_undoes_the_write(store: Store, cli: Cli) -> None:
    manual(store)
    add(store, episode())
    for number in range(1, 6):
        process = start(shelve(store, f"2026-04-{number:02}-term"))
        time.sleep(0.25 + 0.1 * number)
        process.terminate()
        assert "Traceback" not in process.communicate(timeout=60)[1]
        _whole(store, cli, f"2026-04-{number:02}-term", None)


def test_fifty_writers_at_once_are_all_saved_or_plainly_refused(store: Store) -> None:
    """How long they take stands in docs/reliability.md; here it only counts that none is lost."""
    manual(store)
    names = [f"2026-02-{number % 28 + 1:02}-w{number}" for number in range(50)]
    begun = time.monotonic()
    runs = [start(shelve(store, name, "--title", f"Writer {name}", "--json")) for name in names]
    ended: dict[str, float] = {}
    refused = []
    for name, run in zip(names, runs, strict=True):
        out, err = run.communicate(timeout=600)
        ended[name] = round(time.monotonic() - begun, 1)
        assert run.returncode in (0, 1) and "Traceback" not in err, err
        assert (run.returncode == 0) == ('"committed": true' in out)
        if run.returncode:
            assert "Another process has been writing to this shelf" in err
            refused.append(name)
    print(f"{len(refused)} refused; the last ended after {max(ended.values())} s")
    saved = set(names) - set(refused)
    assert commits(store, "shelve: ") == {
        f"shelve: {name}": [f"docs/topics/{name}.md"] for name in saved
    }
    assert status(store.root) == [] and litter(store.root) == []
