"""Episodes moved into the archive and back: every byte stays, and nothing is lost from sight."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import POSIX, files_of, git, hook, litter, put, status
from support import add, episode, tree

import memshelf
from memshelf.domain.errors import EpisodeNotFound
from memshelf.storage.moving import archive
from memshelf.storage.standing import every_file
from memshelf.storage.store import Store

FIRST, SECOND = "2026-01-05-first", "2026-02-05-second"
THERE, AWAY = f"docs/topics/{FIRST}.md", f"archive/docs/topics/{FIRST}.md"


@pytest.fixture
def two(store: Store) -> Store:
    """A shelf with two episodes, its derived files rendered and committed."""
    for name in (FIRST, SECOND):
        add(store, episode(name, f"On {name[11:]}"), f"docs/topics/{name}.md")
    memshelf.rebuild(store, commit=True)
    return store


def test_one_episode_is_moved_at_once_in_a_commit_of_its_own(cli: Cli, two: Store) -> None:
    before = (two.root / THERE).read_bytes()
    ran = cli("archive", FIRST, "--shelf", two.root)
    assert ran.code == 0, ran.err
    assert f"{THERE} -> {AWAY}" in ran.out
    assert (two.root / AWAY).read_bytes() == before
    assert files_of(two.root, "HEAD~1") == [AWAY, THERE]  # HEAD is that of the derived files
    assert FIRST not in (two.root / "INDEX.md").read_text("utf-8")
    assert FIRST in (two.root / "archive/INDEX.md").read_text("utf-8")
    assert FIRST in (two.root / "ledger.tsv").read_text("utf-8")
    assert not status(two.root)


def test_the_way_back_gives_the_same_tree(cli: Cli, two: Store) -> None:
    before = tree(two.root)
    assert cli("archive", FIRST, "--shelf", two.root).code == 0
    assert cli("unarchive", FIRST, "--shelf", two.root).code == 0
    assert tree(two.root) == before


def test_several_are_only_shown_until_they_are_applied(cli: Cli, two: Store) -> None:
    before, head = tree(two.root), git(two.root, "rev-parse", "HEAD")
    ran = cli("archive", FIRST, "--ids", SECOND, "--shelf", two.root)
    assert ran.code == 0
    assert f"would move {THERE}" in ran.out
    assert "--apply" in ran.out
    assert (tree(two.root), git(two.root, "rev-parse", "HEAD")) == (before, head)
    said = json.loads(cli("archive", FIRST, SECOND, "--apply", "--json", "--shelf", two.root).out)
    assert (said["count"], said["applied"], said["committed"]) == (2, True, True)
    assert len(files_of(two.root, said["commit"])) == 4


def test_an_archived_episode_is_recalled_searched_amended_and_its_threads_stay(
    cli: Cli, two: Store
) -> None:
    at = ("--shelf", two.root)
    cli("archive", FIRST, *at)
    assert "Redis was chosen" in cli("recall", FIRST, *at).out
    assert FIRST in cli("search", "redis", "--past", *at).out
    assert f"{FIRST}/t1" in cli("threads", *at).out
    ran = cli("shelve", "--slug", FIRST, "--amend", "--tag", "kept", *at)
    assert ran.code == 0, ran.err
    assert "tags: [kept]" in (two.root / AWAY).read_text("utf-8")
    assert cli("unarchive", FIRST, *at).code == 0
    assert "tags: [kept]" in (two.root / THERE).read_text("utf-8")


@pytest.mark.parametrize(
    "raw",
    [
        episode(FIRST, "CRLF").replace("\n", "\r\n").encode(),
        f"# {FIRST}\n\n---\nid: {FIRST}\nkind: topic\nspan: {FIRST[:10]}\ntags: []\n"
        "approx_tokens: 0\n---\n\n## Digest\nH1 first.\n".encode(),
        b"\xef\xbb\xbf" + episode(FIRST, "BOM").encode(),
        b"no front matter, and half a letter: \xc3\n",
    ],
    ids=["crlf", "h1-first", "bom", "not-utf8"],
)
def test_whatever_stands_in_a_file_is_moved_byte_for_byte(
    cli: Cli, store: Store, raw: bytes
) -> None:
    put(store.root, THERE, "")
    (store.root / THERE).write_bytes(raw)
    git(store.root, "-c", "core.autocrlf=false", "add", "--all")
    git(store.root, "commit", "-q", "-m", "by hand")
    assert cli("archive", FIRST, "--shelf", store.root).code == 0
    assert (store.root / AWAY).read_bytes() == raw
    assert cli("unarchive", FIRST, "--shelf", store.root).code == 0
    assert (store.root / THERE).read_bytes() == raw


def test_an_id_in_both_places_or_twice_is_refused_and_both_are_named(cli: Cli, two: Store) -> None:
    put(two.root, AWAY, episode(FIRST, "Another"))
    put(two.root, "docs/topics/other-name.md", episode(SECOND, "Twice"))
    git(two.root, "add", "--all")
    git(two.root, "commit", "-q", "-m", "by hand")
    before = tree(two.root)
    for verb in ("archive", "unarchive"):
        ran = cli(verb, FIRST, "--shelf", two.root)
        assert ran.code == 1
        assert THERE in ran.err
        assert AWAY in ran.err
    ran = cli("archive", SECOND, "--shelf", two.root)
    assert ran.code == 1
    assert "docs/topics/other-name.md" in ran.err
    assert tree(two.root) == before


def test_what_is_there_already_or_is_no_episode_is_refused(cli: Cli, two: Store) -> None:
    at = ("--shelf", two.root)
    ran = cli("unarchive", FIRST, *at)
    assert (ran.code, "is not archived" in ran.err) == (1, True)
    cli("archive", FIRST, *at)
    ran = cli("archive", FIRST, *at)
    assert (ran.code, "archived already" in ran.err) == (1, True)
    ran = cli("archive", "2026-01-05-frist", *at)
    assert (ran.code, FIRST in ran.err) == (1, True)
    assert cli("archive", *at).code == 2


@POSIX
def test_a_hook_that_refuses_leaves_everything_where_it_was(cli: Cli, two: Store) -> None:
    hook(two.root, "pre-commit", "echo the archive is closed >&2; exit 1")
    before = tree(two.root)
    ran = cli("archive", FIRST, "--shelf", two.root)
    assert ran.code == 1
    assert "the archive is closed" in ran.err
    assert tree(two.root) == before
    assert not status(two.root)
    assert not litter(two.root)


def test_an_edit_that_is_not_committed_stops_it(cli: Cli, two: Store) -> None:
    put(two.root, THERE, episode(FIRST, "By hand"))
    ran = cli("archive", FIRST, "--shelf", two.root)
    assert ran.code == 1
    assert "not committed" in ran.err
    assert (two.root / THERE).exists()


def test_of_two_that_move_one_episode_at_once_one_does_and_the_other_is_refused(two: Store) -> None:
    command = [sys.executable, "-m", "memshelf", "archive", FIRST, "--shelf", str(two.root)]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)
    ]
    outputs = [process.communicate(timeout=120) for process in both]
    assert sorted(process.returncode for process in both) == [0, 1], outputs
    assert (two.root / AWAY).exists()
    assert not (two.root / THERE).exists()
    assert not status(two.root)


def test_a_file_that_went_after_the_shelf_was_read_is_found_where_it_is_now(two: Store) -> None:
    seen = two.read()
    archive(two, [FIRST], write=True)
    assert every_file(two, seen, FIRST) == (AWAY,)
    (two.root / AWAY).unlink()
    with pytest.raises(EpisodeNotFound):
        every_file(two, seen, FIRST)


def test_what_the_peer_archived_comes_back_and_its_derived_files_are_the_peers_to_the_byte(
    cli: Cli, peer_shelf: Store
) -> None:
    root = peer_shelf.root
    git(root, "config", "user.email", "x@example.org")
    before = tree(root)
    memshelf.rebuild(peer_shelf)
    derived = ("archive/INDEX.md", "archive/docs/topics/.meta.json", "INDEX.md", "ledger.tsv")
    for path in derived:
        assert (root / path).read_bytes() == before[path], path
    git(root, "commit", "-qam", "the chart")
    for verb in ("unarchive", "archive"):
        ran = cli(verb, "2025-11-04-repo-layout", "--shelf", root)
        assert ran.code == 0, ran.err
        memshelf.rebuild(memshelf.open_shelf(root), commit=True)
    assert {path: (root / path).read_bytes() for path in derived} == {
        path: before[path] for path in derived
    }


def test_of_a_rollup_it_says_what_nothing_leads_to_any_more(cli: Cli, two: Store) -> None:
    rollup = episode("2026-03-01-r", "Both of them").replace("[cache, infra]", "[rollup]")
    add(two, f"{rollup}\n## Archived\n- `{FIRST}` — x\n", "docs/topics/2026-03-01-r.md")
    assert "warning" not in cli("archive", FIRST, "--shelf", two.root).out
    ran = cli("archive", "2026-03-01-r", "--shelf", two.root)
    assert ran.code == 0 and f"leads there any more: {FIRST}." in ran.out


def test_a_name_may_be_given_with_its_ending(cli: Cli, two: Store) -> None:
    assert cli("archive", f"{FIRST}.md", "--shelf", two.root).code == 0
    assert Path(two.root / AWAY).exists()
