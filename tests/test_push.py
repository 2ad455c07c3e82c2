"""`shelve --push`, `--publish` and `--await-render`: saved here first, and the remote told of truly."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import POSIX, files_of, git, hook, litter, put, status
from remotekit import (
    FIRST,
    MANUAL,
    SECOND,
    THIRD,
    ahead,
    bare,
    clone,
    clones,
    episodes,
    head,
    hook_there,
    put_episode,
    settings,
    shelve,
    synced,
)
from support import DECISIONS, DIGEST, episode

from memshelf.storage.store import Store


@pytest.fixture
def pair(store: Store) -> tuple[Store, Store, Path]:
    """Two clones of one remote, both level with it; derived files are rendered by nobody."""
    settings(store, MANUAL)
    return clones(store)


# --- pushing ---------------------------------------------------------------------------------


def test_by_default_the_remote_is_not_asked(cli: Cli, pair: tuple[Store, Store, Path]) -> None:
    ours, _, remote = pair
    remote.rename(remote.with_name("gone.git"))
    for flags in ((), ("--no-sync",)):
        assert shelve(cli, ours, f"2026-02-01-x{len(flags)}", *flags)["sync"] is None


def test_with_sync_the_write_stands_on_what_the_remote_has(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, _ = pair
    ahead(other)
    answer = shelve(cli, ours, THIRD, "--sync")
    assert answer["sync"]["commits_pulled"] == 1
    assert git(ours.root, "rev-parse", f"{answer['commit']}^") == head(other.root)


def test_with_sync_nothing_is_written_where_both_sides_have_commits(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, _ = pair
    ahead(other)
    before = put_episode(ours, THIRD)
    words = ("shelve", "--slug", "2026-02-04-x", "--digest", DIGEST, "--sync")
    ran = cli(*words, "--section", f"Decisions={DECISIONS}", "--shelf", ours.root)
    assert ran.code == 1 and "memshelf sync --push" in ran.err
    assert head(ours.root) == before and status(ours.root) == []


def test_settings_may_ask_for_it_before_each_write_and_offline_it_is_saved_all_the_same(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, remote = pair
    settings(ours, MANUAL + "[sync]\nbefore_write = true\n")
    git(ours.root, "push", "-q")
    git(other.root, "pull", "-q")
    ahead(other)
    assert shelve(cli, ours, THIRD)["sync"]["commits_pulled"] == 1
    assert shelve(cli, ours, "2026-02-04-x", "--no-sync")["sync"] is None
    remote.rename(remote.with_name("gone.git"))
    answer = shelve(cli, ours, "2026-02-05-y")
    assert answer["committed"] and "was not reached" in answer["sync"]["skipped_reason"]


def test_a_push_names_the_commit_there(cli: Cli, pair: tuple[Store, Store, Path]) -> None:
    ours, _, remote = pair
    answer = shelve(cli, ours, SECOND, "--push")
    assert answer["sync"]["pushed"] and answer["sync"]["push_retries"] == 0
    assert answer["commit"] == answer["sync"]["final_sha"] == head(remote, "main")


def test_the_first_push_of_a_branch_makes_it_and_says_nothing_of_skipping(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pair
    git(ours.root, "checkout", "-q", "-b", "side", "--no-track")
    answer = shelve(cli, ours, SECOND, "--push")
    assert answer["sync"]["summary"] == "sync: pulled 0, push retries 0, pushed"
    assert head(remote, "side") == head(ours.root)


def test_somebody_who_was_faster_is_put_below_and_the_answer_names_the_new_commit(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, remote = pair
    ahead(other)
    put(ours.root, "POLICY.md", "an edit\n")
    put(ours.root, "draft.txt", "draft")
    git(ours.root, "add", "draft.txt")
    answer = shelve(cli, ours, THIRD, "--push", "--no-sync")
    assert (answer["sync"]["push_retries"], answer["sync"]["commits_pulled"]) == (1, 1)
    assert answer["commit"] == answer["sync"]["final_sha"] == head(remote, "main")
    assert files_of(ours.root, answer["commit"]) == [f"docs/topics/{THIRD}.md"]
    assert status(ours.root) == [" M POLICY.md", "A  draft.txt"]
    assert git(ours.root, "diff", "--cached", "--name-only") == "draft.txt"


def test_rendered_files_on_both_sides_are_rendered_anew(cli: Cli, store: Store) -> None:
    assert store.settings["rebuild"] == "after-write"
    remote = bare(store)
    other = clone(remote, "other")
    shelve(cli, other, SECOND, "--push")
    put(store.root, "recall-log.tsv", "episode_id\tsection\tfetched_tokens\nx\t\t1\n")
    git(store.root, "add", "recall-log.tsv")
    git(store.root, "commit", "-qm", "recalls")
    answer = shelve(cli, store, THIRD, "--push")
    assert answer["sync"]["pushed"] and answer["sync"]["push_retries"] == 1
    assert files_of(store.root, answer["commit"]) == [f"docs/topics/{THIRD}.md"]
    assert cli("rebuild", "--check", "--shelf", store.root).code == 0
    assert status(store.root) == [] and head(remote, "main") == head(store.root)
    index = git(remote, "show", "main:INDEX.md")
    assert SECOND in index and THIRD in index


def test_offline_it_is_saved_and_the_failed_push_is_an_error(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pair
    remote.rename(remote.with_name("gone.git"))
    answer = shelve(cli, ours, SECOND, "--push", code=1)
    assert answer["committed"] is True and answer["sync"]["pushed"] is False
    assert "It is saved here." in answer["sync"]["problem"]
    assert "memshelf sync --push" in answer["sync"]["hint"]
    remote.with_name("gone.git").rename(remote)
    assert synced(cli, ours, "--push")["pushed"] is True
    assert SECOND in episodes(remote, "main")


@POSIX
def test_a_hook_of_the_remote_that_refuses_is_quoted_and_not_tried_again(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pair
    hook_there(remote, "pre-receive", "echo 'main is protected' >&2; exit 1")
    answer = shelve(cli, ours, SECOND, "--push", code=1)
    assert "main is protected" in answer["sync"]["problem"]
    assert answer["sync"]["push_retries"] == 0 and answer["committed"]
    ran = cli("sync", "--push", "--shelf", ours.root)
    assert ran.code == 1 and "NOT PUSHED: " in ran.out


@POSIX
@pytest.mark.parametrize("side", ["here", "there"])
def test_a_hook_that_hangs_is_ended_and_the_episode_is_saved(
    cli: Cli, pair: tuple[Store, Store, Path], side: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, _, remote = pair
    if side == "here":
        hook(ours.root, "pre-push", "sleep 60")
    else:
        hook_there(remote, "pre-receive", "sleep 60")
    monkeypatch.setenv("MEMSHELF_GIT_TIMEOUT", "2")
    answer = shelve(cli, ours, SECOND, "--push", code=1)
    assert "the push to origin did not end within 2 s" in answer["sync"]["problem"]
    assert answer["committed"] and litter(ours.root) == []


def test_on_a_detached_head_the_push_says_what_is_missing(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, _ = pair
    git(ours.root, "checkout", "-q", "--detach")
    answer = shelve(cli, ours, SECOND, "--push", code=1)
    assert answer["committed"] and "HEAD is detached" in answer["sync"]["problem"]


@POSIX
@pytest.mark.parametrize("script", ["exit 1", "sleep 60"])
def test_a_signing_program_that_fails_or_hangs_while_joining_leaves_everything_saved_here(
    cli: Cli, pair: tuple[Store, Store, Path], script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, other, remote = pair
    ahead(other)
    before = put_episode(ours, THIRD)
    program = put(ours.root.parent, "gpg", f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    git(ours.root, "config", "commit.gpgSign", "true")
    git(ours.root, "config", "gpg.program", str(program))
    monkeypatch.setenv("MEMSHELF_GIT_TIMEOUT", "2")
    there = head(remote, "main")
    assert synced(cli, ours, "--push", code=1)["problem"]
    assert (head(ours.root), head(remote, "main")) == (before, there)
    assert status(ours.root) == [] and litter(ours.root) == []
    assert git(ours.root, "worktree", "list").count("\n") == 0


@POSIX
def test_a_process_that_is_killed_while_joining_leaves_the_shelf_as_it_was(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, remote = pair
    ahead(other)
    before = put_episode(ours, THIRD)
    begun = ours.root.parent / "begun"
    program = put(ours.root.parent, "gpg", f"#!/bin/sh\ntouch {begun}\nsleep 3\nexit 1\n")
    program.chmod(0o755)
    git(ours.root, "config", "commit.gpgSign", "true")
    git(ours.root, "config", "gpg.program", str(program))
    words = [sys.executable, "-m", "memshelf", "sync", "--push", "--shelf", str(ours.root)]
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not begun.exists() and child.poll() is None:
        time.sleep(0.02)
    child.kill()
    child.wait()
    assert head(ours.root) == before and status(ours.root) == litter(ours.root) == []
    git(ours.root, "config", "commit.gpgSign", "false")
    assert synced(cli, ours, "--push")["pushed"] is True
    assert episodes(remote, "main") == {FIRST, SECOND, THIRD}
    assert git(ours.root, "worktree", "list").count("\n") == 0


def test_flags_that_disagree_are_refused_before_anything_is_written(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, _ = pair
    before = head(ours.root)
    words = ("shelve", "--slug", SECOND, "--digest", DIGEST, "--section", f"Decisions={DECISIONS}")
    for flags in (
        ("--push", "--publish"),
        ("--push", "--no-commit"),
        ("--publish", "--no-commit"),
        ("--await-render", "3"),
        ("--push", "--await-render", "-1"),
    ):
        assert cli(*words, *flags, "--shelf", ours.root).code == 2
    assert cli(*words, "--push", "--dry-run", "--shelf", ours.root).code == 0
    assert head(ours.root) == before and status(ours.root) == []


# --- pushing by itself -----------------------------------------------------------------------


def test_with_autopush_each_write_is_pushed(cli: Cli, pair: tuple[Store, Store, Path]) -> None:
    ours, other, remote = pair
    settings(ours, MANUAL + "[sync]\nautopush = true\n")
    ahead(other)
    answer = shelve(cli, ours, THIRD)
    assert answer["sync"]["automatic"] and answer["sync"]["pushed"]
    assert head(remote, "main") == answer["commit"]
    assert shelve(cli, ours, "2026-02-05-y", "--no-push")["sync"] is None
    assert head(remote, "main") == answer["commit"]


WRITES = (
    ("edit", FIRST, "--tag", "+limits"),
    ("tags", "rename", "infra", "infrastructure", "--apply"),
    ("supersede", FIRST, "--by", SECOND),
    ("rename", FIRST, "2026-01-05-another"),
    ("restore", FIRST, "--rev", "HEAD~3"),
    ("archive", FIRST),
    ("unarchive", "2026-01-06-archived"),
    ("rollup", "2026-03-01-r", "--until", "2026-02-28", "--digest", DIGEST, "--apply"),
    ("threads", "--close", f"{FIRST}/t1", "--by", SECOND),
)


@pytest.fixture
def pushing(pair: tuple[Store, Store, Path]) -> tuple[Store, Store, Path]:
    """The pair with some episodes, and settings that push each write."""
    ours, other, _ = pair
    put(ours.root, f"docs/topics/{FIRST}.md", episode(FIRST, "Changed since"))
    put(ours.root, "archive/docs/topics/2026-01-06-archived.md", episode("2026-01-06-archived"))
    put_episode(ours, SECOND, "The second and longest part of a story that has no end")
    git(ours.root, "add", "docs", "archive")
    git(ours.root, "commit", "-qm", "by hand")
    settings(ours, MANUAL + "[sync]\nautopush = true\n")
    git(ours.root, "push", "-q")
    git(other.root, "pull", "-q")
    return pair


@pytest.mark.parametrize("words", WRITES, ids=lambda words: words[0])
def test_with_autopush_other_writes_are_pushed_too_on_top_of_what_the_remote_has(
    cli: Cli, pushing: tuple[Store, Store, Path], words: tuple[str, ...]
) -> None:
    ours, other, remote = pushing
    ahead(other, THIRD)
    ran = cli(*words, "--json", "--shelf", ours.root)
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["sync"]["automatic"] and answer["sync"]["pushed"], answer["sync"]
    assert answer["commit"] == head(ours.root) == head(remote, "main")
    assert head(ours.root, "HEAD^") == head(other.root)
    assert status(ours.root) == []


@pytest.mark.parametrize("words", [WRITES[3], WRITES[5]], ids=lambda words: words[0])
def test_with_autopush_and_rendering_the_answer_names_the_commit_of_the_write(
    cli: Cli, pushing: tuple[Store, Store, Path], words: tuple[str, ...]
) -> None:
    ours, other, remote = pushing
    settings(ours, MANUAL.replace("manual", "after-write") + "[sync]\nautopush = true\n")
    assert cli("recall", FIRST, "--shelf", ours.root).code == 0
    ahead(other, THIRD)
    answer = json.loads(cli(*words, "--json", "--shelf", ours.root).out)
    assert answer["sync"]["push_retries"] == 1
    assert f"docs/topics/{FIRST}.md" in files_of(ours.root, answer["commit"])
    assert head(ours.root) == head(remote, "main") != answer["commit"]
    assert cli("rebuild", "--check", "--shelf", ours.root).code == 0 and status(ours.root) == []


def test_with_autopush_nothing_is_pushed_that_is_only_shown_or_not_committed(
    cli: Cli, pushing: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pushing
    git(ours.root, "commit", "-q", "--allow-empty", "-m", "not pushed yet")
    before = head(remote, "main")
    for flags in (("--dry-run",), ("--no-commit",)):
        ran = cli("edit", FIRST, "--tag", "+limits", *flags, "--json", "--shelf", ours.root)
        assert ran.code == 0 and "sync" not in json.loads(ran.out)
    git(ours.root, "checkout", "-q", "docs")
    assert cli("rebuild", "--commit", "--shelf", ours.root).code == 0
    ran = cli("forget", FIRST, "--apply", "--shelf", ours.root)  # its past may have to go first
    assert ran.code == 0, ran.err
    assert head(remote, "main") == before


def test_an_automatic_push_of_another_write_that_fails_is_said_and_no_failure(
    cli: Cli, pushing: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pushing
    remote.rename(remote.with_name("gone.git"))
    for words in (("edit", FIRST, "--tag", "+a"), ("archive", FIRST)):
        ran = cli(*words, "--shelf", ours.root)
        assert ran.code == 0 and "NOT PUSHED: " in ran.out and "memshelf sync --push" in ran.out
    settings(ours, MANUAL + "[sync]\nautopush = 1\n")
    ran = cli("edit", SECOND, "--tag", "+a", "--shelf", ours.root)
    assert ran.code == 0 and "Nothing was pushed: memshelf.toml says sync.autopush = 1." in ran.out


@POSIX
def test_an_automatic_push_that_is_refused_becomes_a_rescue_branch(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pair
    settings(ours, MANUAL + "[sync]\nautopush = true\n")
    hook_there(remote, "update", '[ "$1" != refs/heads/main ] || { echo protected >&2; exit 1; }')
    answer = shelve(cli, ours, SECOND)
    rescue = answer["sync"]["rescue_branch"]
    assert re.fullmatch(rf"memshelf/rescue/\d{{4}}-\d\d-\d\d-{answer['commit'][:7]}", rescue)
    assert head(remote, rescue) == answer["commit"]
    assert "protected" in answer["sync"]["problem"]


def test_an_automatic_push_that_cannot_be_joined_becomes_a_rescue_branch(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, remote = pair
    settings(ours, MANUAL + "[sync]\nautopush = true\n")
    ahead(other, SECOND)
    answer = shelve(cli, ours, SECOND, "--no-sync")
    assert "shelved twice" in answer["sync"]["problem"]
    assert head(remote, answer["sync"]["rescue_branch"]) == answer["commit"] == head(ours.root)
    assert head(remote, "main") == head(other.root)


@POSIX
def test_a_rescue_branch_goes_on_with_the_next_push_that_is_refused_and_can_be_merged_by_a_link(
    cli: Cli, pair: tuple[Store, Store, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, _, remote = pair
    settings(ours, MANUAL + "[sync]\nautopush = true\n")
    put(remote.parent, "ssh", SSH).chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(remote.parent / "ssh"))
    git(ours.root, "remote", "set-url", "origin", f"ssh://git.example.org{remote}")
    hook_there(remote, "update", '[ "$1" != refs/heads/main ] || { echo protected >&2; exit 1; }')
    first, second = (shelve(cli, ours, name)["sync"] for name in (SECOND, THIRD))
    assert first["rescue_branch"] == second["rescue_branch"]
    assert head(remote, second["rescue_branch"]) == head(ours.root)
    assert second["compare_url"].endswith(f"/compare/main...{second['rescue_branch']}")
    git(remote, "branch", "-f", "main", second["rescue_branch"])  # merged there
    third = shelve(cli, ours, "2026-02-03-more")["sync"]
    assert third["rescue_branch"] != second["rescue_branch"]


def test_an_automatic_push_brings_nothing_back_that_was_taken_out_of_the_remotes_history(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, remote = pair
    settings(ours, MANUAL + "[sync]\nautopush = true\n")
    shelve(cli, ours, SECOND)
    git(other.root, "push", "-q", "--force", "origin", "HEAD:main")
    answer = shelve(cli, ours, THIRD)
    assert "was rewritten" in answer["sync"]["problem"] and answer["committed"]
    assert git(remote, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert episodes(remote, "main") == {FIRST}


def test_an_automatic_push_offline_is_said_and_is_no_failure(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pair
    settings(ours, MANUAL + "[sync]\nautopush = true\n")
    remote.rename(remote.with_name("gone.git"))
    words = ("shelve", "--slug", SECOND, "--digest", DIGEST, "--section", f"Decisions={DECISIONS}")
    ran = cli(*words, "--shelf", ours.root)
    assert ran.code == 0 and "NOT PUSHED: " in ran.out and "memshelf sync --push" in ran.out


# --- offering --------------------------------------------------------------------------------


def test_what_is_offered_is_the_episode_alone_on_top_of_what_the_remote_has(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, other, remote = pair
    ahead(other)
    put_episode(ours, "2026-02-03-mine-alone")
    before = head(ours.root)
    answer = shelve(cli, ours, THIRD, "--publish")
    branch = answer["sync"]["published_branch"]
    assert branch == f"shelve/{THIRD}" and answer["sync"]["warnings"] == []
    assert episodes(remote, branch) == {FIRST, SECOND, THIRD}
    assert git(remote, "rev-parse", f"{branch}^") == head(remote, "main") == head(other.root)
    assert files_of(remote, branch) == [f"docs/topics/{THIRD}.md"]
    assert git(remote, "log", "-1", "--format=%an %s", branch) == f"Ann Example shelve: {THIRD}"
    assert git(ours.root, "rev-parse", "HEAD^") == before and status(ours.root) == []


def test_from_a_branch_that_is_not_there_it_is_offered_on_top_of_the_remotes_own(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    _, other, remote = pair
    git(other.root, "switch", "-q", "-c", "work")
    put_episode(other, SECOND)
    sync = shelve(cli, other, THIRD, "--publish")["sync"]
    assert (sync["branch"], sync["warnings"]) == ("main", [])
    assert files_of(remote, sync["published_branch"]) == [f"docs/topics/{THIRD}.md"]
    assert git(remote, "rev-parse", f"{sync['published_branch']}^") == head(remote, "main")


def test_a_branch_that_is_taken_is_never_changed(cli: Cli, pair: tuple[Store, Store, Path]) -> None:
    ours, other, remote = pair
    git(other.root, "push", "-q", "origin", f"HEAD:refs/heads/shelve/{THIRD}")
    taken = head(remote, f"shelve/{THIRD}")
    answer = shelve(cli, ours, THIRD, "--publish")
    branch = answer["sync"]["published_branch"]
    assert branch == f"shelve/{THIRD}-{head(remote, branch)[:7]}"
    assert head(remote, f"shelve/{THIRD}") == taken


def test_an_amend_of_what_is_not_there_yet_offers_the_whole_episode(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pair
    shelve(cli, ours, THIRD)
    ran = cli(
        *("shelve", "--slug", THIRD, "--amend", "--tag", "cache", "--publish", "--json"),
        *("--shelf", ours.root),
    )
    branch = json.loads(ran.out)["sync"]["published_branch"]
    assert "tags: [cache]" in git(remote, "show", f"{branch}:docs/topics/{THIRD}.md")
    assert files_of(remote, branch) == [f"docs/topics/{THIRD}.md"]


def test_what_builds_on_commits_that_are_not_there_is_offered_with_them_and_a_warning(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pair
    shelve(cli, ours, SECOND)
    answer = shelve(cli, ours, THIRD, "--publish", "--supersedes", SECOND)
    assert "every commit that was not pushed" in answer["sync"]["warnings"][0]
    assert episodes(remote, answer["sync"]["published_branch"]) == {FIRST, SECOND, THIRD}


SSH = """#!/bin/sh
for last; do :; done
eval "$last"
"""


@POSIX
@pytest.mark.parametrize("prints", [True, False])
def test_the_link_is_the_one_that_the_host_prints_else_the_one_that_its_kind_has(
    cli: Cli, pair: tuple[Store, Store, Path], prints: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, _, remote = pair
    put(remote.parent, "ssh", SSH).chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(remote.parent / "ssh"))
    git(ours.root, "remote", "set-url", "origin", f"ssh://ann:pw9@git.example.org:22{remote}")
    link = "https://git.example.org/acme/notes/-/merge_requests/new?x=1"
    if prints:
        said = f"echo https://evil.example/pull/1 >&2; echo 'Visit {link}' >&2"
        hook_there(remote, "post-receive", said)
    sync = shelve(cli, ours, THIRD, "--publish")["sync"]
    there = f"https://git.example.org{remote.with_suffix('')}/compare/main...shelve/{THIRD}"
    assert sync["compare_url"] == (link if prints else there)
    assert "pw9" not in json.dumps(sync)


def test_offline_nothing_is_offered_and_the_episode_is_saved(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pair
    remote.rename(remote.with_name("gone.git"))
    answer = shelve(cli, ours, THIRD, "--publish", code=1)
    assert answer["committed"] and answer["sync"]["published_branch"] is None
    assert answer["sync"]["summary"].startswith("sync: skipped — origin was not reached")


@pytest.mark.parametrize("name", ["shelve", "shelve/x"])
def test_a_branch_that_is_in_the_way_of_an_offer_is_told_in_gits_words(
    cli: Cli, pair: tuple[Store, Store, Path], name: str
) -> None:
    ours, other, _ = pair
    git(other.root, "push", "-q", "origin", f"HEAD:refs/heads/{name}")
    sync = shelve(cli, ours, THIRD, "--publish", code=int(name == "shelve"))["sync"]
    if name == "shelve":
        assert "A branch at origin is in the way" in sync["problem"]
        assert "refs/heads/shelve" in sync["problem"] and "moved on" not in sync["problem"]


def test_what_could_not_be_offered_is_offered_by_the_command_that_is_named(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pair
    gone = remote.rename(remote.with_name("gone.git"))
    said = shelve(cli, ours, THIRD, "--publish", code=1)["sync"]["hint"]
    gone.rename(remote)
    words = re.search(r"`memshelf ([^`]+)`", said)
    assert words
    ran = cli(*words.group(1).split(), "--shelf", ours.root)
    assert ran.code == 0, ran
    assert THIRD in episodes(remote, f"shelve/{THIRD}")


# --- waiting for a bot -----------------------------------------------------------------------

BOT = """
cd .. && [ -d bot ] || git clone -q origin.git bot
unset GIT_DIR GIT_QUARANTINE_PATH; cd bot; [ -e done ] && exit 0; touch done
git pull -q; echo x >> INDEX.md; git add INDEX.md
git commit -qm render && git push -q
"""


@POSIX
def test_the_bots_commit_is_awaited_and_taken_over(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, remote = pair
    hook_there(remote, "post-receive", f"({BOT}) >/dev/null 2>&1")
    answer = shelve(cli, ours, SECOND, "--push", "--await-render", "60")
    sync = answer["sync"]
    assert sync["render_pulled"] is True and sync["render_note"] is None
    assert sync["final_sha"] == head(remote, "main") == head(ours.root)
    assert git(ours.root, "log", "-1", "--format=%s") == "render"
    assert status(ours.root) == []


def test_a_bot_that_does_not_come_is_a_note_and_no_failure(
    cli: Cli, pair: tuple[Store, Store, Path]
) -> None:
    ours, _, _ = pair
    sync = shelve(cli, ours, SECOND, "--push", "--await-render", "0.2")["sync"]
    assert sync["render_awaited"] and not sync["render_pulled"] and sync["pushed"]
    assert sync["render_note"] == "no commit with derived files at origin/main yet"


# --- many at once ----------------------------------------------------------------------------


def test_eight_clones_that_push_at_once_are_all_saved_or_plainly_refused(
    pair: tuple[Store, Store, Path],
) -> None:
    _, _, remote = pair
    clones = [clone(remote, f"clone{number}") for number in range(8)]
    words = [sys.executable, "-m", "memshelf", "shelve", "--digest", DIGEST, "--push", "--json"]
    words += ["--section", f"Decisions={DECISIONS}"]
    children = [
        subprocess.Popen(
            [*words, "--slug", f"2026-03-0{n + 1}-writer", "--title", f"Writer {n}"],
            cwd=one.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for n, one in enumerate(clones)
    ]
    there = set()
    for number, child in enumerate(children):
        out, err = child.communicate(timeout=300)
        name, root = f"2026-03-0{number + 1}-writer", clones[number].root
        assert json.loads(out)["committed"], err
        assert name in episodes(root) and status(root) == [] and litter(root) == []
        assert json.loads(out)["sync"]["pushed"] is (child.returncode == 0)
        there |= {name} if child.returncode == 0 else set()
    assert there and episodes(remote, "main") == there | {FIRST}
    for line in git(remote, "log", "--format=%H", "main").splitlines()[: len(there)]:
        assert len(files_of(remote, line)) == 1
