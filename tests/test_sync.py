"""`memshelf sync`: what the remote has is taken over, or it is said why not."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import POSIX, git, litter, put, status
from remotekit import (
    FIRST,
    SECOND,
    THIRD,
    ahead,
    bare,
    clone,
    clones,
    episodes,
    head,
    put_episode,
    refused,
    settings,
    shelve,
    synced,
)
from support import episode

import memshelf
from memshelf.storage.store import Store

KEYS = (
    "performed skipped_reason remote branch commits_pulled push_requested pushed push_retries "
    "final_sha hint publish_requested published_branch compare_url render_awaited render_pulled "
    "render_waited_s render_note offline automatic rescue_branch problem warnings summary"
).split()


@pytest.fixture
def pair(store: Store) -> tuple[Store, Store, Path]:
    """Two clones of one remote, both level with it."""
    return clones(store)


# --- good weather ----------------------------------------------------------------------------


def test_what_the_remote_has_is_taken_over(cli: Cli, pair: tuple[Store, Store, Path]) -> None:
    ours, other, _ = pair
    ahead(other)
    answer = synced(cli, ours)
    assert list(answer) == KEYS
    assert (answer["performed"], answer["commits_pulled"]) == (True, 1)
    assert answer["summary"] == "sync: pulled 1, retries 0"
    assert answer["final_sha"] == head(ours.root) == head(other.root)
    assert status(ours.root) == [] and litter(ours.root) == []
    assert synced(cli, ours)["commits_pulled"] == 0


def test_for_eyes_it_is_one_line(cli: Cli, pair: tuple[Store, Store, Path]) -> None:
    ours, other, _ = pair
    ahead(other)
    assert cli("sync", "--shelf", ours.root).out == "sync: 1 commit taken over\n"
    assert cli("sync", "--shelf", ours.root).out == "sync: level with origin/main\n"


def test_what_is_staged_and_edited_elsewhere_stays(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, _ = pair
    ahead(other)
    put(ours.root, "draft.txt", "draft")
    git(ours.root, "add", "draft.txt")
    put(ours.root, "POLICY.md", "an edit\n")
    assert synced(cli, ours)["commits_pulled"] == 1
    assert status(ours.root) == [" M POLICY.md", "A  draft.txt"]


def test_what_is_not_pushed_is_said_with_the_command(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pair
    put_episode(ours, SECOND)
    assert synced(cli, ours)["hint"] == "1 not pushed yet: memshelf sync --push"
    assert synced(cli, ours, "--push")["pushed"] is True
    assert head(remote, "main") == head(ours.root)


# --- refused, with the way out ---------------------------------------------------------------


def test_where_both_sides_have_commits_nothing_changes_and_the_command_is_named(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, remote = pair
    ahead(other)
    before = put_episode(ours, THIRD)
    said = refused(cli, ours, "sync")
    assert "main has 1 and origin/main 1 commits" in said and "memshelf sync --push" in said
    assert head(ours.root) == before and status(ours.root) == []
    answer = synced(cli, ours, "--push")
    assert (answer["pushed"], answer["push_retries"], answer["commits_pulled"]) == (True, 1, 1)
    assert answer["final_sha"] == head(ours.root) == head(remote, "main")
    assert episodes(ours.root) == {FIRST, SECOND, THIRD}
    assert git(ours.root, "rev-list", "--merges", "HEAD") == ""


def proposed(said: str) -> list[str]:
    """The words of the command that a refusal names to give an episode another id."""
    found = re.search(r"`memshelf (rename \S+ \S+)`", said)
    assert found, said
    return found.group(1).split()


@pytest.mark.parametrize("folder", ["topics", "research"])
def test_one_id_shelved_on_both_sides_is_refused_and_both_are_kept(
    cli: Cli, pair: tuple[Store, Store, Path], folder: str
) -> None:
    ours, other, remote = pair
    put(other.root, f"docs/{folder}/{SECOND}.md", episode(SECOND, "Theirs"))
    git(other.root, "add", ".")
    git(other.root, "commit", "-qm", "theirs")
    git(other.root, "push", "-q")
    before = put_episode(ours, SECOND, "Ours")
    for words in (("sync",), ("sync", "--push")):
        ran = cli(*words, "--shelf", ours.root)
        assert ran.code == 1
        said = ran.out + ran.err
        assert f"docs/topics/{SECOND}.md here, docs/{folder}/{SECOND}.md at origin/main" in said
    assert head(ours.root) == before and status(ours.root) == []
    assert "Ours" in (ours.root / f"docs/topics/{SECOND}.md").read_text()
    assert "Theirs" in git(remote, "show", f"main:docs/{folder}/{SECOND}.md")


def test_with_another_id_both_sides_come_together(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, remote = pair
    put_episode(other, f"{SECOND}-2", "Theirs too")
    put_episode(other, SECOND, "Theirs")
    git(other.root, "push", "-q")
    put_episode(ours, SECOND, "Ours")
    put_episode(ours, THIRD, f"After {SECOND}")
    words = proposed(refused(cli, ours, "sync"))
    assert words == ["rename", SECOND, f"{SECOND}-3"]
    assert cli(*words, "--shelf", ours.root).code == 0
    assert synced(cli, ours, "--push")["pushed"] is True
    assert episodes(remote, "main") == {FIRST, SECOND, f"{SECOND}-2", f"{SECOND}-3", THIRD}
    assert "Theirs" in git(remote, "show", f"main:docs/topics/{SECOND}.md")
    assert "Ours" in git(remote, "show", f"main:docs/topics/{SECOND}-3.md")
    assert f"After {SECOND}-3" in git(remote, "show", f"main:docs/topics/{THIRD}.md")


def test_an_episode_that_is_not_committed_yet_counts_too(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, _ = pair
    ahead(other)
    put(ours.root, f"docs/research/{SECOND}.md", episode(SECOND, "Ours"))
    said = refused(cli, ours, "sync")
    assert f"docs/research/{SECOND}.md here, docs/topics/{SECOND}.md at origin/main" in said
    assert f"commit docs/research/{SECOND}.md (git add, git commit), `memshelf rename" in said
    git(ours.root, "add", "docs")
    git(ours.root, "commit", "-qm", "as was said")
    assert cli(*proposed(said), "--shelf", ours.root).code == 0
    assert synced(cli, ours, "--push")["pushed"] is True


@pytest.mark.parametrize("apart", [False, True])
def test_what_a_process_that_was_killed_while_moving_left_is_finished(
    cli: Cli, pair: tuple[Store, Store, Path], apart: bool
) -> None:
    ours, other, remote = pair
    ahead(other)
    git(ours.root, "fetch", "-q")
    git(ours.root, "read-tree", "-m", "-u", "HEAD", "origin/main")
    if apart:
        shelve(cli, ours, THIRD)
    command = f"memshelf sync{' --push' if apart else ''}"
    assert f"{command} goes on" in cli("status", "--shelf", ours.root).out
    said = cli("doctor", "--shelf", ours.root).out
    assert f"sync-unfinished: A sync was cut short: docs/topics/{SECOND}.md as" in said
    assert f"`{command}` goes on" in said
    ran = cli(*command.split()[1:], "--json", "--shelf", ours.root)
    assert json.loads(ran.out)["sync"]["commits_pulled"] == 1
    assert synced(cli, ours, "--push")["pushed"] is True
    assert status(ours.root) == [] and head(ours.root) == head(remote, "main")
    assert "sync-unfinished" not in cli("doctor", "--shelf", ours.root).out


def test_what_one_stages_oneself_is_no_sync_that_was_cut_short(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, _ = pair
    put_episode(ours, THIRD)
    git(ours.root, "rm", "-q", "--cached", f"docs/topics/{THIRD}.md")  # as the remote has it
    assert "sync-unfinished" not in cli("doctor", "--shelf", ours.root).out
    ahead(other)
    git(ours.root, "fetch", "-q")
    put(ours.root, f"docs/topics/{FIRST}.md", "an edit\n")
    git(ours.root, "add", "docs")
    assert "sync-unfinished" not in cli("doctor", "--shelf", ours.root).out
    assert "cut short" not in cli("status", "--shelf", ours.root).out


def test_the_same_episode_that_is_not_committed_yet_is_in_the_way_and_no_clash(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, _ = pair
    ahead(other)
    text = (other.root / f"docs/topics/{SECOND}.md").read_text()
    put(ours.root, f"docs/topics/{SECOND}.md", text)
    said = refused(cli, ours, "sync")
    assert "not committed here" in said and "twice" not in said


@pytest.mark.parametrize("name", ["2026-02-01-caf\u00e9", "2026-02-01-Second"])
def test_names_that_some_disks_take_for_one_are_one_id(
    cli: Cli, pair: tuple[Store, Store, Path], name: str
) -> None:
    ours, other, _ = pair
    ahead(other, {"2026-02-01-caf\u00e9": "2026-02-01-cafe\u0301"}.get(name, SECOND))
    put_episode(ours, name, "Ours")
    assert "The same id was shelved twice" in refused(cli, ours, "sync")


def test_the_same_episode_on_both_sides_is_no_clash(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, remote = pair
    ahead(other)
    put_episode(ours, SECOND)
    put_episode(ours, THIRD)
    assert synced(cli, ours, "--push")["pushed"] is True
    assert episodes(remote, "main") == {FIRST, SECOND, THIRD}


def test_an_edit_of_what_the_remote_changed_is_in_the_way_and_named(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, _ = pair
    put(other.root, "POLICY.md", "theirs\n")
    git(other.root, "commit", "-qam", "policy")
    git(other.root, "push", "-q")
    put(ours.root, "POLICY.md", "mine\n")
    assert "POLICY.md" in refused(cli, ours, "sync")
    assert (ours.root / "POLICY.md").read_text() == "mine\n"
    put_episode(ours, THIRD)
    answer = synced(cli, ours, "--push", code=1)
    assert "POLICY.md" in answer["problem"] and not answer["pushed"]
    assert status(ours.root) == [" M POLICY.md"]


def test_one_episode_amended_on_both_sides_stays_as_it_is_on_each(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, remote = pair
    path = f"docs/topics/{FIRST}.md"
    for store, word in ((other, "Theirs"), (ours, "Ours")):
        text = (store.root / path).read_text().replace("On first", word)
        put(store.root, path, text)
        git(store.root, "commit", "-qam", word)
    git(other.root, "push", "-q")
    before, there = head(ours.root), head(remote, "main")
    answer = synced(cli, ours, "--push", code=1)
    assert path in answer["problem"] and "git merge refs/remotes/origin/main" in answer["problem"]
    assert (head(ours.root), head(remote, "main")) == (before, there)
    assert status(ours.root) == [] and litter(ours.root) == []
    assert git(ours.root, "worktree", "list").count("\n") == 0


# --- what the remote has in another form -------------------------------------------------------


@pytest.mark.parametrize("more", [False, True])
def test_what_was_offered_and_squashed_there_gives_way_to_theirs(
    cli: Cli, pair: tuple[Store, Store, Path], more: bool
) -> None:
    ours, other, remote = pair
    branch = shelve(cli, ours, THIRD, "--publish")["sync"]["published_branch"]
    ahead(other)
    git(other.root, "fetch", "-q")
    git(other.root, "merge", "-q", "--squash", f"origin/{branch}")
    git(other.root, "commit", "-qm", "squashed")
    git(other.root, "push", "-q")
    if more:  # something that is nowhere else
        put_episode(ours, "2026-02-03-mine")
        assert "main has 3 and origin/main 2 commits" in refused(cli, ours, "sync")
        return
    answer = synced(cli, ours)
    assert answer["commits_pulled"] == 2 and "2 commits of yours gave way" in answer["warnings"][0]
    assert head(ours.root) == head(remote, "main") and status(ours.root) == []
    assert episodes(ours.root) == {FIRST, SECOND, THIRD}


def rewrite(other: Store, *more: str) -> None:
    """Take the newest episode out of the remote's history, as after a secret."""
    git(other.root, "reset", "-q", "--hard", "HEAD~1")
    for name in more:
        put_episode(other, name)
    git(other.root, "push", "-q", "--force", "origin", "HEAD:main")


def command(said: str) -> list[str]:
    """The words of the git command that a refusal names."""
    found = re.search(r"`git ([^`]+)`", said)
    assert found, said
    return found.group(1).split()


@pytest.mark.parametrize("later", [(), (THIRD,)])
@pytest.mark.parametrize("own", [(), ("2026-02-03-mine",)])
def test_what_was_taken_out_of_the_remotes_history_is_not_brought_back(
    cli: Cli, pair: tuple[Store, Store, Path], later: tuple[str, ...], own: tuple[str, ...]
) -> None:
    ours, other, remote = pair
    ahead(other, SECOND)
    synced(cli, ours)
    for name in own:
        put_episode(ours, name)
    rewrite(other, *later)
    before = head(ours.root)
    said = refused(cli, ours, "sync")
    assert "The history of origin/main was rewritten: 1 commit that it had" in said
    assert "was rewritten" in str(synced(cli, ours, "--push", code=1)["problem"])
    assert head(ours.root) == before and episodes(remote, "main") == {FIRST, *later}
    git(ours.root, *command(said))
    assert synced(cli, ours, "--push")["pushed"] is True
    assert episodes(ours.root) == episodes(remote, "main") == {FIRST, *later, *own}


def test_a_remote_with_a_history_of_its_own_is_told_as_rewritten(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, remote = pair
    git(other.root, "checkout", "-q", "--orphan", "anew")
    git(other.root, "commit", "-qm", "all anew")
    git(other.root, "push", "-q", "--force", "origin", "HEAD:main")
    assert "was rewritten" in refused(cli, ours, "sync")
    assert "was rewritten" in str(synced(cli, ours, "--push", code=1)["problem"])
    assert head(remote, "main") == head(other.root)


@POSIX
def test_a_link_to_nowhere_under_the_name_of_an_episode_there_is_a_clash(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, _ = pair
    ahead(other, SECOND)
    (ours.root / "docs/topics" / f"{SECOND}.md").symlink_to("nowhere")
    assert "The same id was shelved twice" in refused(cli, ours, "sync")


def test_in_the_middle_of_a_rebase_nothing_is_done(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, _ = pair
    ahead(other)
    put_episode(ours, SECOND, "Ours")
    git(ours.root, "fetch", "-q")
    git(ours.root, "rebase", "origin/main", check=False)
    before = head(ours.root)
    answer = synced(cli, ours)
    assert "HEAD is detached" in answer["skipped_reason"] and head(ours.root) == before


def test_in_the_middle_of_a_merge_nothing_is_done(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, _ = pair
    ahead(other)
    put_episode(ours, THIRD)
    git(ours.root, "fetch", "-q")
    git(ours.root, "merge", "--no-commit", "--no-ff", "origin/main")
    assert "in the middle of a merge" in refused(cli, ours, "sync")


# --- nothing to sync: said, and no failure ---------------------------------------------------


def test_offline_is_said_loudly_and_is_no_failure(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pair
    remote.rename(remote.with_name("gone.git"))
    answer = synced(cli, ours)
    assert answer["performed"] is False
    assert answer["skipped_reason"].startswith("origin was not reached; git said: fatal: ")
    assert cli("sync", "--shelf", ours.root).out.startswith("NOT SYNCED: origin was not reached")


def test_a_fetch_that_meets_another_one_in_the_same_clone_is_tried_again(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, _ = pair
    ahead(other)
    lock = put(ours.root, ".git/refs/remotes/origin/main.lock", "")
    freed = threading.Timer(0.3, lock.unlink)
    freed.start()
    assert synced(cli, ours)["commits_pulled"] == 1
    freed.join()


def test_a_fetch_that_fails_on_this_side_is_not_said_to_be_the_network(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, _ = pair
    ahead(other)
    git(ours.root, "update-ref", "-d", "refs/remotes/origin/main")
    git(ours.root, "update-ref", "refs/remotes/origin/main/x", "HEAD")
    said = synced(cli, ours)["skipped_reason"]
    assert said.startswith("nothing came from origin; git said: ") and "main/x" in said


def test_without_a_remote_a_commit_or_a_branch_it_says_which(cli: Cli, store: Store) -> None:
    assert "git remote add origin" in synced(cli, store)["skipped_reason"]
    remote = bare(store)
    git(store.root, "checkout", "-q", "--detach")
    assert "HEAD is detached" in synced(cli, store)["skipped_reason"]
    git(store.root, "checkout", "-q", "--orphan", "fresh")
    assert synced(cli, store)["skipped_reason"] == "there is no commit on fresh yet"
    git(store.root, "checkout", "-q", "main")
    git(store.root, "checkout", "-q", "-b", "side")
    said = synced(cli, store)["skipped_reason"]
    assert said == "origin has no branch side yet (a push makes it)"
    assert synced(cli, store, "--push")["summary"] == "sync: pulled 0, push retries 0, pushed"
    assert head(remote, "side") == head(store.root)


def test_plain_shelves_have_nothing_to_sync(cli: Cli, tmp_path: Path) -> None:
    memshelf.init(tmp_path / "plain", name="Plain", storage="plain")
    plain = memshelf.open_shelf(tmp_path / "plain")
    assert synced(cli, plain)["skipped_reason"] == "this shelf is no repository"


@POSIX
def test_an_ssh_that_hangs_is_ended_in_time(
    cli: Cli, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "ssh", "#!/bin/sh\nsleep 60\n").chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(tmp_path / "ssh"))
    monkeypatch.setenv("MEMSHELF_GIT_TIMEOUT", "1")
    git(store.root, "remote", "add", "origin", "ssh://ann:pw9@example.org/x.git")
    assert synced(cli, store)["skipped_reason"] == "origin did not answer within 1 s"
    answer = shelve(cli, store, SECOND, "--push", code=1)
    assert answer["committed"] and answer["sync"]["problem"].startswith("origin did not answer")
    assert "pw9" not in str(answer)


@pytest.mark.parametrize("words", [("sync",), ("sync", "--push"), ("sync", "--json")])
def test_credentials_in_an_address_are_in_no_answer(
    cli: Cli, store: Store, words: tuple[str, ...], world: Path
) -> None:
    git(store.root, "remote", "add", "origin", "http://ann:pw9secret@127.0.0.1:9/x.git")
    ran = cli(*words, "--shelf", store.root)
    assert "127.0.0.1" in ran.out
    assert "pw9secret" not in ran.out + ran.err and "ann" not in ran.out + ran.err
    logs = [path for path in world.rglob("*") if path.is_file()]
    assert not any(b"pw9secret" in path.read_bytes() for path in logs)


# --- kinds of clones -------------------------------------------------------------------------


@pytest.mark.parametrize("options", [("--depth", "1"), ("--single-branch", "-b", "main")])
def test_shallow_and_single_branch_clones_sync_and_push(
    cli: Cli, pair: tuple[Store, Store, Path], options: tuple[str, ...]
) -> None:
    _, other, remote = pair
    git(other.root, "push", "-q", "origin", "HEAD:side")
    narrow = clone(remote, "narrow", *options)
    ahead(other)
    assert synced(cli, narrow)["commits_pulled"] == 1
    ahead(other, "2026-02-03-fourth")
    put_episode(narrow, THIRD)
    assert synced(cli, narrow, "--push")["pushed"] is True
    assert episodes(remote, "main") == {FIRST, SECOND, THIRD, "2026-02-03-fourth"}
    git(narrow.root, "checkout", "-q", "-b", "side")
    assert synced(cli, narrow)["remote"] == "origin"


def test_a_clone_that_ends_before_the_common_commit_says_how_to_go_on(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    _, other, remote = pair
    narrow = clone(remote, "narrow", "--depth", "1")
    git(other.root, "commit", "-q", "--amend", "-m", "another history")
    git(other.root, "push", "-qf")
    put_episode(narrow, THIRD)
    said = refused(cli, narrow, "sync")
    assert "no commit in common" in said and "git fetch --unshallow origin" in said


def test_a_repository_of_sha256_syncs(cli: Cli, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "-b", "main", "shelf")
    memshelf.init(tmp_path / "shelf", name="Long ids")
    store = memshelf.open_shelf(tmp_path / "shelf")
    remote = bare(store, "--object-format=sha256")
    other = clone(remote, "other")
    ahead(other)
    put_episode(store, THIRD)
    answer = synced(cli, store, "--push")
    assert answer["pushed"] and len(answer["final_sha"]) == 64
    offered = shelve(cli, store, "2026-02-03-fourth", "--publish")
    assert offered["sync"]["published_branch"] == "shelve/2026-02-03-fourth"


def test_a_clone_with_crlf_syncs_and_stays_clean(cli: Cli, pair: tuple[Store, Store, Path]) -> None:
    _, other, remote = pair
    crlf = clone(remote, "crlf", "-c", "core.autocrlf=true")
    ahead(other)
    assert synced(cli, crlf)["commits_pulled"] == 1
    ahead(other, "2026-02-03-fourth")
    shelve(cli, crlf, THIRD, "--push")
    assert status(crlf.root) == []
    assert episodes(remote, "main") == {FIRST, SECOND, THIRD, "2026-02-03-fourth"}
    assert "\r" not in git(remote, "cat-file", "blob", f"main:docs/topics/{THIRD}.md")


@pytest.mark.parametrize("quote", ["true", "false"])
def test_names_beyond_ascii_are_taken_over_and_refused_as_they_are(
    cli: Cli, pair: tuple[Store, Store, Path], quote: str
) -> None:
    ours, other, _ = pair
    git(ours.root, "config", "core.quotePath", quote)
    ahead(other, "2026-02-01-заметка")
    assert synced(cli, ours)["commits_pulled"] == 1
    ahead(other, "2026-02-02-журнал")
    put_episode(ours, "2026-02-02-журнал", "Ours")
    assert "docs/topics/2026-02-02-журнал.md here" in refused(cli, ours, "sync")


def test_a_linked_worktree_and_a_submodule_sync_their_own_branch(
    cli: Cli, pair: tuple[Store, Store, Path], tmp_path: Path
) -> None:
    ours, other, remote = pair
    git(ours.root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"), "origin/main")
    git(tmp_path, "init", "-q", "-b", "main", "outer")
    outer = tmp_path / "outer"
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(remote), "memory")
    ahead(other)
    for place in (tmp_path / "linked", outer / "memory"):
        shelf = memshelf.open_shelf(place)
        name = f"2026-02-04-{place.name}"
        assert synced(cli, shelf)["commits_pulled"] >= 1
        ahead(other, f"2026-02-05-before-{place.name}")
        git(other.root, "pull", "-q")
        assert shelve(cli, shelf, name, "--push")["sync"]["pushed"] is True
        git(other.root, "pull", "-q")
    assert episodes(remote, "main") >= {"2026-02-04-linked", "2026-02-04-memory"}


def test_a_shelf_in_a_folder_of_a_larger_repository_syncs_that_repository(
    cli: Cli, tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "project")
    memshelf.init(tmp_path / "project" / "memory", name="Inner")
    store = memshelf.open_shelf(tmp_path / "project" / "memory")
    git(store.root, "add", "-A")
    git(store.root, "commit", "-q", "--allow-empty", "-m", "begin")
    remote = tmp_path / "origin.git"
    git(tmp_path, "clone", "-q", "--bare", "project", str(remote))
    git(store.root, "remote", "add", "origin", str(remote))
    git(tmp_path, "clone", "-q", str(remote), "other")
    other = memshelf.open_shelf(tmp_path / "other" / "memory")
    ahead(other)
    put_episode(store, SECOND, "Ours")
    said = refused(cli, store, "sync")
    assert (
        f"docs/topics/{SECOND}.md here" in said and "memory/docs" not in said.split("git show")[0]
    )


def test_settings_of_no_sense_are_named(cli: Cli, store: Store) -> None:
    for line in ("sync = 1", "[sync]\nautopush = 1", '[sync]\nbefore_write = "yes"'):
        settings(store, f"{line}\n")
        words = ("shelve", "--slug", SECOND, "--digest", "x", "--section", "Decisions=x")
        assert "memshelf.toml" in refused(cli, store, *words)


def test_a_setting_that_is_not_known_is_a_warning(cli: Cli, store: Store) -> None:
    settings(store, "[sync]\nauto_push = true\n")
    assert "sync.auto_push" in cli("doctor", "--shelf", store.root).out
    assert shelve(cli, store, SECOND)["sync"] is None
