from __future__ import annotations

import hashlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gitkit import (
    EPISODE,
    GIVES_AWAY,
    POSIX,
    alone,
    files_of,
    git,
    hook,
    killed_at,
    litter,
    new_repo,
    put,
    python,
    shelf,
    status,
    without_privilege,
)

from memshelf.domain.errors import ShelfError
from memshelf.storage import files, gate, gitdir, journal, lock, recovery, staging
from memshelf.storage.batch import AlreadyThere
from memshelf.storage.files import UnsafePath
from memshelf.storage.gate import Change, Saved, save, save_derived
from memshelf.storage.lock import LockBusy
from memshelf.storage.repo import (
    GitTimeout,
    GitTrouble,
    HookRejected,
    MergeInProgress,
    Repo,
    UncommittedEdit,
)

__all__ = ["alone", "shelf"]  # fixtures

ONE, TWO = b"# One\n", b"# Two\n"


def new(root: Path, path: str = EPISODE, data: bytes = ONE) -> Saved:
    return save(root, [Change(path, data)], f"shelve: {Path(path).stem}")


def amend(root: Path, path: str = EPISODE, data: bytes = TWO, expect: bytes = ONE) -> Saved:
    return save(root, [Change(path, data, expect)], f"shelve: {Path(path).stem} (amend)")


def snapshot(folder: Path) -> dict[str, str]:
    """A hash of every file below a folder, that of git's own included."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def assert_saved(folder: Path, saved: Saved, path: str = EPISODE, data: bytes = ONE) -> None:
    """In HEAD, alone in its commit, known to the user's index, and nothing left over."""
    assert saved.committed
    assert saved.commit == git(folder, "rev-parse", "HEAD")
    assert files_of(folder) == [path]
    assert saved.blobs == {path: git(folder, "rev-parse", f"HEAD:{path}")}
    assert (folder / path).read_bytes() == data
    assert status(folder) == []
    assert litter(folder) == []
    git(folder, "fsck", "--strict")


def assert_untouched(folder: Path, head: str, path: str = EPISODE) -> None:
    """No commit, no file, nothing staged, nothing left over."""
    assert git(folder, "rev-parse", "HEAD") == head
    assert not (folder / path).exists()
    assert not (folder / path).parent.exists()
    assert git(folder, "ls-files", "--", path) == ""
    assert litter(folder) == []


# --- the plain case --------------------------------------------------------------------------


def test_a_new_episode_is_one_commit_of_its_one_file_in_three_processes(shelf: Path) -> None:
    started = Repo.started
    saved = new(shelf)
    assert Repo.started - started == 3
    assert_saved(shelf, saved)
    assert (saved.warnings, saved.identity, saved.branch) == ((), None, "main")
    assert git(shelf, "log", "-1", "--format=%an <%ae> %s") == (
        "Ann Example <ann@example.org> shelve: 2026-01-05-first"
    )


def test_an_amend_takes_three_processes(shelf: Path) -> None:
    new(shelf)
    started = Repo.started
    saved = amend(shelf)
    assert Repo.started - started == 3
    assert_saved(shelf, saved, data=TWO)


def test_a_new_episode_and_what_is_derived_from_it_take_five_processes(shelf: Path) -> None:
    derived = [Change("INDEX.md", b"index\n"), Change("ledger.tsv", b"ledger\n")]
    save_derived(shelf, derived, "rebuild")
    put(shelf, "INDEX.md", "edited by hand\n")
    started = Repo.started
    new(shelf)
    save_derived(shelf, [Change(c.path, (c.data or b"") + b"more\n") for c in derived], "rebuild")
    assert Repo.started - started == 5
    assert files_of(shelf) == ["INDEX.md", "ledger.tsv"]
    assert files_of(shelf, "HEAD~1") == [EPISODE]
    assert status(shelf) == []


def test_derived_files_that_no_commit_holds_yet_are_taken_along(shelf: Path) -> None:
    put(shelf, "INDEX.md", "from an older tool\n")
    saved = save_derived(shelf, [Change("INDEX.md", b"ours\n")], "rebuild")
    assert (saved.committed, files_of(shelf), status(shelf)) == (True, ["INDEX.md"], [])


def test_derived_files_that_are_right_on_disk_are_committed_only_if_they_are_not(
    shelf: Path,
) -> None:
    put(shelf, "INDEX.md", "right\n")
    change = [Change("INDEX.md", b"right\n")]
    assert save_derived(shelf, change, "rebuild").committed
    again = save_derived(shelf, change, "rebuild")
    assert (again.committed, again.commit) == (False, git(shelf, "rev-parse", "HEAD"))


def test_of_many_files_those_that_changed_are_in_the_commit(shelf: Path) -> None:
    many = [Change(f"docs/topics/.meta-{number}.json", b"x\n") for number in range(300)]
    save_derived(shelf, many, "rebuild")
    some = [Change(c.path, b"y\n" if "7" in c.path else c.data) for c in many]
    saved = save_derived(shelf, some, "rebuild")
    assert len(files_of(shelf)) == len([c for c in many if "7" in c.path])
    assert len(saved.blobs) == 300
    assert status(shelf) == []


def test_files_are_moved_and_deleted_in_one_commit(shelf: Path) -> None:
    new(shelf)
    moves = [Change(EPISODE, None, ONE), Change("archive/x.md", ONE)]
    saved = save(shelf, moves, "archive")
    assert (saved.committed, files_of(shelf)) == (True, ["archive/x.md", EPISODE])
    assert status(shelf) == litter(shelf) == []
    assert not (shelf / EPISODE).exists()
    assert saved.blobs.keys() == {"archive/x.md"}


def test_saving_what_is_there_makes_no_commit(shelf: Path) -> None:
    head = new(shelf).commit
    saved = amend(shelf, data=ONE)
    assert (saved.committed, saved.commit, saved.warnings) == (False, head, ())
    assert saved.blobs == {EPISODE: git(shelf, "rev-parse", f"HEAD:{EPISODE}")}
    assert litter(shelf) == []


def test_a_message_is_kept_as_it_is(shelf: Path) -> None:
    save(shelf, [Change(EPISODE, ONE)], "#208: über --all\n\n# not a comment")
    assert git(shelf, "log", "-1", "--format=%B") == "#208: über --all\n\n# not a comment"


# --- what is there already -------------------------------------------------------------------


def test_a_new_file_never_overwrites(shelf: Path) -> None:
    put(shelf, EPISODE, "mine\n")
    with pytest.raises(AlreadyThere, match=EPISODE):
        new(shelf)
    assert (shelf / EPISODE).read_text() == "mine\n"


def test_a_hand_edit_stops_the_amend_and_is_shown(shelf: Path) -> None:
    new(shelf)
    put(shelf, EPISODE, "# One\nby hand\n")
    with pytest.raises(UncommittedEdit, match=r"\+by hand") as caught:
        amend(shelf, expect=b"# One\nby hand\n")
    assert "+by hand" in caught.value.diff
    assert EPISODE in caught.value.fix
    assert (shelf / EPISODE).read_text() == "# One\nby hand\n"
    assert litter(shelf) == []


def test_an_edit_after_the_file_was_read_stops_the_amend(shelf: Path) -> None:
    new(shelf)
    put(shelf, EPISODE, "# Newer\n")
    git(shelf, "commit", "-qam", "by hand")
    with pytest.raises(UncommittedEdit, match=r"\+# Newer"):
        amend(shelf)
    (shelf / EPISODE).unlink()
    with pytest.raises(UncommittedEdit, match="-# One"):
        amend(shelf)


def test_an_edit_that_is_only_staged_stops_the_amend(shelf: Path) -> None:
    new(shelf)
    put(shelf, EPISODE, "staged\n")
    git(shelf, "add", ".")
    put(shelf, EPISODE, ONE.decode())
    with pytest.raises(UncommittedEdit, match=r"\+staged"):
        amend(shelf)
    assert git(shelf, "show", f":{EPISODE}") == "staged"


def test_a_file_that_no_commit_holds_stops_the_amend(shelf: Path) -> None:
    put(shelf, EPISODE, ONE.decode())
    with pytest.raises(UncommittedEdit, match=r"\+# One"):
        amend(shelf)
    put(shelf, ".gitignore", "docs/\n")
    with pytest.raises(UncommittedEdit, match="git add -f"):
        amend(shelf)
    assert (shelf / EPISODE).read_bytes() == ONE


def test_a_long_difference_is_shown_in_part_and_carried_whole(shelf: Path) -> None:
    new(shelf)
    put(shelf, EPISODE, "line\n" * 500)
    with pytest.raises(UncommittedEdit) as caught:
        amend(shelf, expect=b"line\n" * 500)
    assert (caught.value.diff.count("+line"), str(caught.value).count("+line") < 70) == (500, True)


@pytest.mark.parametrize("path", ["../x.md", ".git/hooks/post-commit", "docs/aux.md", "/x.md"])
def test_a_path_out_of_the_shelf_is_refused_before_anything_is_written(
    shelf: Path, path: str
) -> None:
    before = snapshot(shelf.parent)
    with pytest.raises(UnsafePath):
        save(shelf, [Change("docs/fine.md", ONE), Change(path, ONE)], "x")
    after = snapshot(shelf.parent)
    assert after.keys() - before.keys() == {"shelf/.git/memshelf.lock"}
    assert {name: after[name] for name in before} == before


# --- the user's own work ---------------------------------------------------------------------


def test_what_the_user_staged_stays_staged_and_out_of_the_commit(shelf: Path) -> None:
    put(shelf, "draft.txt", "draft\n")
    put(shelf, "README.md", "edited\n")
    put(shelf, "planned.md", "planned\n")
    git(shelf, "add", "draft.txt", "README.md")
    git(shelf, "add", "-N", "planned.md")
    put(shelf, "README.md", "edited twice\n")
    git(shelf, "rm", "-q", "--cached", "draft.txt")
    git(shelf, "add", "draft.txt")
    before = status(shelf)
    assert sorted(before) == [" A planned.md", "A  draft.txt", "MM README.md"]
    new(shelf)
    assert (files_of(shelf), status(shelf)) == ([EPISODE], before)
    amend(shelf)
    assert (files_of(shelf), status(shelf)) == ([EPISODE], before)


def test_a_deletion_that_the_user_staged_stays(shelf: Path) -> None:
    git(shelf, "rm", "-q", "README.md")
    new(shelf)
    assert (files_of(shelf), status(shelf)) == ([EPISODE], ["D  README.md"])


def test_a_file_that_the_user_had_staged_and_deleted_is_no_obstacle(shelf: Path) -> None:
    put(shelf, EPISODE, "stale\n")
    git(shelf, "add", ".")
    shutil.rmtree(shelf / "docs")
    assert_saved(shelf, new(shelf))


def test_marks_in_the_index_are_kept(shelf: Path) -> None:
    put(shelf, "kept.md", "x\n")
    git(shelf, "add", ".")
    git(shelf, "commit", "-qm", "x")
    git(shelf, "update-index", "--skip-worktree", "kept.md")
    git(shelf, "update-index", "--assume-unchanged", "README.md")
    assert_saved(shelf, new(shelf))
    assert git(shelf, "ls-files", "-v").splitlines() == ["h README.md", f"H {EPISODE}", "S kept.md"]


@pytest.mark.parametrize(
    "setting",
    ["--split-index", "--untracked-cache", "--index-version=4", "--index-version=3"],
)
def test_any_kind_of_index_works(shelf: Path, setting: str) -> None:
    name, _, value = setting.partition("=")
    git(shelf, "update-index", name, *filter(None, [value]))
    put(shelf, "draft.txt", "draft\n")
    git(shelf, "add", "draft.txt")
    new(shelf)
    amend(shelf)
    assert (files_of(shelf), status(shelf)) == ([EPISODE], ["A  draft.txt"])


def test_an_edit_in_the_same_instant_as_staging_is_seen_afterwards(shelf: Path) -> None:
    """git distrusts entries as young as the index; a copy must not look older or younger."""
    put(shelf, "README.md", "12345678\n")
    git(shelf, "add", "README.md")
    stamp = (shelf / ".git" / "index").stat().st_mtime_ns
    put(shelf, "README.md", "87654321\n")
    os.utime(shelf / "README.md", ns=(stamp, stamp))
    before = status(shelf)
    new(shelf)
    assert status(shelf) == before == ["MM README.md"]


def test_staging_at_the_same_time_is_not_lost(shelf: Path) -> None:
    hook(shelf, "post-commit", "unset GIT_INDEX_FILE; echo x > side.md; git add side.md")
    new(shelf)
    assert (files_of(shelf), status(shelf)) == ([EPISODE], ["A  side.md"])
    amend(shelf)
    assert (files_of(shelf), status(shelf)) == ([EPISODE], ["A  side.md"])
    assert litter(shelf) == []


# --- hooks -----------------------------------------------------------------------------------


def test_hooks_that_pass_run_and_see_only_the_episode(shelf: Path) -> None:
    put(shelf, "draft.txt", "draft\n")
    git(shelf, "add", "draft.txt")
    for name in ("pre-commit", "commit-msg", "post-commit"):
        hook(shelf, name, 'git diff --cached --name-only >> "$(git rev-parse --git-dir)/seen"')
    new(shelf)
    assert (shelf / ".git" / "seen").read_text().split()[:2] == [EPISODE, EPISODE]
    assert status(shelf) == ["A  draft.txt"]


@pytest.mark.parametrize("name", ["pre-commit", "commit-msg", "prepare-commit-msg"])
def test_a_hook_that_refuses_is_quoted_and_everything_is_as_before(shelf: Path, name: str) -> None:
    put(shelf, "draft.txt", "draft\n")
    git(shelf, "add", "draft.txt")
    head, before = git(shelf, "rev-parse", "HEAD"), status(shelf)
    hook(shelf, name, "echo to stdout; printf '\\033[31mNo entry: line 3\\033[0m\\n' >&2; exit 7")
    with pytest.raises(HookRejected, match="No entry: line 3") as caught:
        new(shelf)
    assert caught.value.hook.splitlines() == ["to stdout", "No entry: line 3"]
    assert_untouched(shelf, head)
    assert status(shelf) == before


def test_a_hook_that_refuses_an_amend_gets_the_old_file_back(shelf: Path) -> None:
    new(shelf)
    (shelf / EPISODE).chmod(0o640)
    hook(shelf, "pre-commit", f"echo scribble >> {EPISODE}.log; exit 1")
    with pytest.raises(HookRejected):
        amend(shelf)
    assert (shelf / EPISODE).read_bytes() == ONE
    if os.name != "nt":
        assert stat.S_IMODE((shelf / EPISODE).stat().st_mode) == 0o640
    assert status(shelf) == [f"?? {EPISODE}.log"]


def test_a_hook_that_refuses_a_deletion_gets_the_file_back(shelf: Path) -> None:
    new(shelf)
    hook(shelf, "pre-commit", "exit 1")
    with pytest.raises(HookRejected, match="nothing"):
        save(shelf, [Change(EPISODE, None, ONE)], "forget")
    assert (shelf / EPISODE).read_bytes() == ONE
    assert status(shelf) == litter(shelf) == []


def test_a_hook_that_rewrites_and_adds_the_file_is_followed_and_told(shelf: Path) -> None:
    hook(shelf, "pre-commit", f"echo '# Formatted' > {EPISODE}; git add {EPISODE}")
    saved = new(shelf)
    assert_saved(shelf, saved, data=b"# Formatted\n")
    assert "hook" in saved.warnings[0]
    assert EPISODE in saved.warnings[0]


def test_a_hook_that_refuses_but_mends_the_file_is_given_a_second_try(shelf: Path) -> None:
    hook(
        shelf, "pre-commit", f"grep -q mended {EPISODE} || {{ echo mended >> {EPISODE}; exit 1; }}"
    )
    saved = new(shelf)
    assert_saved(shelf, saved, data=b"# One\nmended\n")
    assert EPISODE in saved.warnings[0]


def test_a_hook_that_always_mends_and_refuses_is_not_tried_for_ever(shelf: Path) -> None:
    head = git(shelf, "rev-parse", "HEAD")
    hook(shelf, "pre-commit", f"echo more >> {EPISODE}; exit 1")
    with pytest.raises(HookRejected):
        new(shelf)
    assert_untouched(shelf, head)


def test_a_hook_that_adds_files_to_the_commit_is_told_and_leaves_no_ghost(shelf: Path) -> None:
    hook(shelf, "pre-commit", "echo x > extra.md; git add extra.md")
    saved = new(shelf)
    assert files_of(shelf) == [EPISODE, "extra.md"]
    assert "extra.md" in saved.warnings[0]
    assert status(shelf) == litter(shelf) == []


def test_a_hook_that_takes_the_file_out_of_the_commit_is_told_and_nothing_counts_as_saved(
    shelf: Path,
) -> None:
    new(shelf)
    hook(shelf, "pre-commit", "git reset -q")
    for write in (lambda: new(shelf, "research/x.md"), lambda: amend(shelf)):
        with pytest.raises(GitTrouble, match="hook took it out"):
            write()
        assert status(shelf) == litter(shelf) == []
    assert not (shelf / "research").exists()
    assert (shelf / EPISODE).read_bytes() == ONE


@POSIX
def test_a_hook_cannot_ask_on_the_terminal(shelf: Path) -> None:
    hook(shelf, "pre-commit", "exec < /dev/tty && read answer")
    with pytest.raises(HookRejected, match="tty"):
        new(shelf)


def test_what_hooks_print_does_not_reach_our_own_output(
    shelf: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("pre-commit", "post-commit", "commit-msg"):
        hook(shelf, name, "echo hello; echo hello >&2")
    new(shelf)
    assert capfd.readouterr() == ("", "")


@POSIX
def test_a_hook_that_hangs_is_ended_and_the_file_put_back(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = git(shelf, "rev-parse", "HEAD")
    monkeypatch.setenv("MEMSHELF_GIT_TIMEOUT", "1")
    hook(shelf, "pre-commit", "sleep 60")
    with pytest.raises(GitTimeout, match="commit"):
        new(shelf)
    assert_untouched(shelf, head)


@POSIX
def test_a_hook_that_hangs_after_the_commit_does_not_undo_it(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSHELF_GIT_TIMEOUT", "1")
    hook(shelf, "post-commit", "sleep 60")
    saved = new(shelf)
    assert_saved(shelf, saved)
    assert "did not end" in saved.warnings[0]


# --- signing, identity -----------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is not installed")
def test_a_commit_is_signed_as_the_user_signs(shelf: Path) -> None:
    key = shelf.parent / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    signers = put(shelf.parent, "signers", f"ann@example.org {key.with_suffix('.pub').read_text()}")
    for name, value in [
        *(("gpg.format", "ssh"), ("user.signingKey", str(key)), ("commit.gpgSign", "true")),
        ("gpg.ssh.allowedSignersFile", str(signers)),
    ]:
        git(shelf, "config", name, value)
    assert_saved(shelf, new(shelf))
    assert git(shelf, "log", "-1", "--format=%G? %GS") == "G ann@example.org"


def test_a_signing_program_that_fails_leaves_nothing(shelf: Path) -> None:
    git(shelf, "config", "commit.gpgSign", "true")
    git(shelf, "config", "gpg.program", "no-such-program")
    head = git(shelf, "rev-parse", "HEAD")
    with pytest.raises(GitTrouble, match="gpg"):
        new(shelf)
    assert_untouched(shelf, head)


@pytest.mark.parametrize("language", ["C", "de_DE.UTF-8"])
def test_without_an_identity_a_neutral_one_is_used_for_this_call_and_stated(
    shelf: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("LC_ALL", language)
    before = snapshot(shelf / ".git").get("config")
    saved = new(shelf)
    assert_saved(shelf, saved)
    assert saved.identity == "memshelf <memshelf@localhost>"
    assert git(shelf, "log", "-1", "--format=%an <%ae> %cn <%ce>") == " ".join([saved.identity] * 2)
    assert snapshot(shelf / ".git").get("config") == before


def test_an_identity_from_the_environment_is_used(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Bob")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "bob@example.org")
    assert new(shelf).identity is None
    assert git(shelf, "log", "-1", "--format=%an %cn") == "Bob Bob"


# --- states of the repository ----------------------------------------------------------------


def conflict(folder: Path) -> None:
    git(folder, "checkout", "-q", "-b", "side")
    put(folder, "README.md", "side\n")
    git(folder, "commit", "-qam", "side")
    git(folder, "checkout", "-q", "main")
    put(folder, "README.md", "main\n")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *(("merge", "merge"), ("cherry-pick", "cherry-pick"), ("rebase", "rebase")),
        ("bisect", "bisect"),
    ],
)
def test_in_the_middle_of_something_nothing_is_written(
    shelf: Path, command: str, name: str
) -> None:
    conflict(shelf)
    git(shelf, "commit", "-qam", "main")
    git(shelf, command, "start" if command == "bisect" else "side", check=False)
    before, head = status(shelf), git(shelf, "rev-parse", "HEAD")
    with pytest.raises(MergeInProgress, match=name):
        new(shelf)
    assert_untouched(shelf, head)
    assert status(shelf) == before


def test_conflicts_that_a_stash_left_are_refused_too(shelf: Path) -> None:
    conflict(shelf)
    git(shelf, "stash", "-q")
    put(shelf, "README.md", "other\n")
    git(shelf, "commit", "-qam", "other")
    git(shelf, "stash", "pop", check=False)
    before, head = status(shelf), git(shelf, "rev-parse", "HEAD")
    assert before == ["UU README.md"]
    with pytest.raises(MergeInProgress, match="conflicts"):
        new(shelf)
    assert_untouched(shelf, head)
    assert status(shelf) == before


def test_on_a_detached_head_the_answer_says_how_to_keep_the_commit(shelf: Path) -> None:
    git(shelf, "checkout", "-q", "--detach")
    saved = new(shelf)
    assert_saved(shelf, saved)
    assert saved.branch is None
    assert saved.commit
    assert f"git branch NAME {saved.commit[:12]}" in saved.warnings[0]


def test_the_first_commit_of_a_repository_is_made(alone: Path) -> None:
    git(alone, "init", "-q", "-b", "trunk")
    put(alone, "draft.txt", "draft\n")
    git(alone, "add", "draft.txt")
    saved = new(alone)
    assert (saved.committed, saved.branch, files_of(alone)) == (True, "trunk", [EPISODE])
    assert "A  draft.txt" in status(alone)
    assert not [line for line in status(alone) if "2026" in line]


def test_a_hook_that_refuses_the_first_commit_leaves_none(alone: Path) -> None:
    git(alone, "init", "-q", "-b", "trunk")
    hook(alone, "pre-commit", "exit 1")
    with pytest.raises(HookRejected):
        new(alone)
    assert git(alone, "rev-parse", "-q", "--verify", "HEAD", check=False) == ""
    assert not (alone / EPISODE).exists()
    assert git(alone, "ls-files") == ""


def test_a_commit_made_at_the_same_time_is_kept_and_ours_is_put_on_top(shelf: Path) -> None:
    marker = shelf.parent / "raced"
    hook(
        shelf,
        "pre-commit",
        f"test -e {marker.as_posix()} && exit 0; touch {marker.as_posix()}; unset GIT_INDEX_FILE; "
        "echo raced > raced.md; git add raced.md; git commit -q --no-verify -m raced -- raced.md",
    )
    saved = new(shelf)
    assert_saved(shelf, saved)
    assert files_of(shelf, "HEAD~1") == ["raced.md"]


def test_a_commit_made_right_after_ours_does_not_hide_it(shelf: Path) -> None:
    hook(
        shelf,
        "post-commit",
        "test -e after.md && exit 0; unset GIT_INDEX_FILE; "
        "echo x > after.md; git add after.md; git commit -q -m after -- after.md",
    )
    saved = new(shelf)
    assert saved.commit == git(shelf, "rev-parse", "HEAD~1")
    assert files_of(shelf, saved.commit) == [EPISODE]
    assert status(shelf) == litter(shelf) == []


# --- index.lock ------------------------------------------------------------------------------


def test_while_another_program_holds_the_index_it_is_saved_and_mended_later(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "PATIENCE", 0.2)
    held = put(shelf, ".git/index.lock", "another's")
    for number in (1, 2):
        saved = new(shelf, f"docs/{number}.md")
        assert saved.committed
        assert any("index.lock" in said for said in saved.warnings)
        assert files_of(shelf) == [f"docs/{number}.md"]
    assert held.read_text() == "another's"
    held.unlink()
    third = new(shelf, "docs/3.md")
    assert (third.committed, status(shelf), litter(shelf)) == (True, [], [])


def test_an_index_that_is_freed_in_time_is_no_matter(shelf: Path) -> None:
    held = put(shelf, ".git/index.lock", "another's")
    hook(shelf, "pre-commit", f"(sleep 0.3; rm {held.as_posix()}) > /dev/null 2>&1 &")
    saved = new(shelf)
    assert_saved(shelf, saved)
    assert saved.warnings == ()


def test_what_the_user_staged_while_the_index_was_owing_stays(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "PATIENCE", 0.1)
    held = put(shelf, ".git/index.lock", "another's")
    new(shelf)
    held.unlink()
    put(shelf, EPISODE, "edited and staged\n")
    git(shelf, "add", EPISODE)
    assert journal.heal(shelf) == ()
    assert (status(shelf), litter(shelf)) == ([f"M  {EPISODE}"], [])


def test_while_the_index_is_owing_an_episode_can_be_amended_and_a_write_can_fail(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "PATIENCE", 0.1)
    held = put(shelf, ".git/index.lock", "another's")
    new(shelf)
    assert amend(shelf).committed
    with pytest.raises(UncommittedEdit, match="by hand"):
        put(shelf, EPISODE, "by hand\n")
        amend(shelf, expect=b"by hand\n")
    put(shelf, EPISODE, TWO.decode())
    hook(shelf, "pre-commit", "exit 1")
    with pytest.raises(HookRejected):
        new(shelf, "docs/refused.md")
    held.unlink()
    assert journal.heal(shelf) == ()
    assert (status(shelf), litter(shelf)) == ([], [])


def test_reading_does_not_wait_for_an_index_that_is_held(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "PATIENCE", 0.1)
    held = put(shelf, ".git/index.lock", "another's")
    new(shelf)
    monkeypatch.setattr(staging, "PATIENCE", 1000)
    started = Repo.started
    assert journal.heal(shelf) == ()
    assert Repo.started == started
    held.unlink()
    assert journal.heal(shelf) == ()
    assert (status(shelf), litter(shelf)) == ([], [])


def test_a_disk_without_hard_links_works(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", unsupported)
    assert_saved(shelf, new(shelf))
    put(shelf, ".git/index.lock", "another's")
    monkeypatch.setattr(staging, "PATIENCE", 0.1)
    assert any("index.lock" in said for said in amend(shelf).warnings)


# --- kinds of repository ---------------------------------------------------------------------


def test_another_repository_named_by_the_environment_is_not_touched(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = new_repo(shelf.parent / "other")
    before = snapshot(other)
    for name, value in [
        *(("GIT_DIR", other / ".git"), ("GIT_WORK_TREE", other)),
        *(("GIT_INDEX_FILE", other / ".git" / "index"), ("GIT_PREFIX", "docs/")),
        *(("GIT_OBJECT_DIRECTORY", other / ".git" / "objects"), ("GIT_COMMON_DIR", other / ".git")),
    ]:
        monkeypatch.setenv(name, str(value))
    saved = new(shelf)
    amend(shelf)
    monkeypatch.undo()
    assert saved.committed
    assert snapshot(other) == before
    assert git(shelf, "log", "--format=%s", "--", EPISODE).count("shelve") == 2


def test_saving_from_a_hook_of_another_repository_works(shelf: Path) -> None:
    other = new_repo(shelf.parent / "other")
    hook(other, "pre-commit", f'"{sys.executable}" ../save.py || exit 9')
    put(
        shelf.parent,
        "save.py",
        "from pathlib import Path\nfrom memshelf.storage.gate import Change, save\n"
        f"saved = save(Path({str(shelf)!r}), [Change({EPISODE!r}, {ONE!r})], 'shelve')\n"
        "assert saved.committed\n",
    )
    put(other, "README.md", "edited\n")
    git(other, "commit", "-qam", "edit")
    assert (files_of(other), files_of(shelf)) == (["README.md"], [EPISODE])
    assert status(shelf) == status(other) == []


def test_a_linked_worktree_and_a_submodule_commit_to_themselves(shelf: Path) -> None:
    git(shelf, "worktree", "add", "-q", "../linked", "-b", "side")
    hook(shelf, "pre-commit", 'echo ran >> "$(git rev-parse --git-common-dir)/ran"')
    linked = shelf.parent / "linked"
    main = git(shelf, "rev-parse", "main")
    assert_saved(linked, new(linked))
    assert git(shelf, "rev-parse", "main") == main
    assert (shelf / ".git" / "ran").read_text() == "ran\n"
    assert status(shelf) == litter(shelf) == []

    outer = new_repo(shelf.parent / "outer")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(shelf), "mem")
    git(outer, "commit", "-qm", "mem")
    head = git(outer, "rev-parse", "HEAD")
    assert_saved(outer / "mem", new(outer / "mem"))
    assert git(outer, "rev-parse", "HEAD") == head


def test_a_shelf_in_a_folder_of_a_larger_repository_commits_its_path_there(shelf: Path) -> None:
    put(shelf, "code.py", "staged\n")
    git(shelf, "add", "code.py")
    put(shelf, "README.md", "edited\n")
    root = shelf / "notes" / "mem"
    root.mkdir(parents=True)
    saved = new(root)
    assert files_of(shelf) == [f"notes/mem/{EPISODE}"]
    assert saved.blobs.keys() == {EPISODE}
    assert status(shelf) == [" M README.md", "A  code.py"]
    with pytest.raises(UncommittedEdit):
        put(root, EPISODE, "edited\n")
        amend(root, expect=b"edited\n")


def test_a_shelf_reached_through_a_link_is_the_same_shelf(shelf: Path) -> None:
    if os.name == "nt":
        pytest.skip("links need rights on Windows")
    (shelf.parent / "alias").symlink_to(shelf)
    new(shelf.parent / "alias")
    assert_saved(shelf, amend(shelf.parent / "alias"), data=TWO)


def test_line_ends_and_filters_are_not_taken_for_edits(shelf: Path) -> None:
    git(shelf, "config", "core.autocrlf", "true")
    git(shelf, "config", "filter.upper.clean", "tr a-z A-Z")
    put(shelf, ".gitattributes", "*.up filter=upper\n")
    git(shelf, "add", ".")
    git(shelf, "commit", "-qm", "attributes")
    for path in ("docs/x.md", "docs/x.up"):
        started = Repo.started
        saved = new(shelf, path, b"one\r\n")
        assert (saved.warnings, files_of(shelf)) == ((), [path])
        assert Repo.started - started == 4
        saved = amend(shelf, path, b"two\r\n", b"one\r\n")
        assert (saved.warnings, files_of(shelf), status(shelf)) == ((), [path], [])
        assert (shelf / path).read_bytes() == b"two\r\n"
    assert git(shelf, "cat-file", "blob", "HEAD:docs/x.up") == "TWO"


def test_a_text_that_the_filter_makes_the_same_is_no_commit(shelf: Path) -> None:
    git(shelf, "config", "core.autocrlf", "input")
    new(shelf, data=b"one\n")
    head = git(shelf, "rev-parse", "HEAD")
    saved = amend(shelf, data=b"one\r\n", expect=b"one\n")
    assert (saved.committed, saved.commit) == (False, head)
    assert litter(shelf) == []


def test_a_repository_of_sha256_works(alone: Path) -> None:
    folder = new_repo(alone / "x", "--object-format=sha256")
    assert_saved(folder, new(folder))
    saved = amend(folder)
    assert_saved(folder, saved, data=TWO)
    assert len(saved.blobs[EPISODE]) == 64


@POSIX
def test_permissions_are_kept_and_no_change_of_mode_is_committed(shelf: Path) -> None:
    new(shelf)
    (shelf / EPISODE).chmod(0o640)
    amend(shelf)
    assert stat.S_IMODE((shelf / EPISODE).stat().st_mode) == 0o640
    assert git(shelf, "diff", "--summary", "HEAD~1", "HEAD") == ""
    (shelf / EPISODE).chmod(0o755)
    amend(shelf, data=ONE, expect=TWO)
    put(shelf, "docs/x.md", "derived, on a disk that calls everything a program\n").chmod(0o755)
    save_derived(shelf, [Change("docs/x.md", ONE)], "rebuild")
    for path in (EPISODE, "docs/x.md"):
        assert git(shelf, "ls-tree", "HEAD", path).startswith("100644")
        assert stat.S_IMODE((shelf / path).stat().st_mode) == 0o755


def test_an_episode_that_gitignore_names_is_committed_and_told(shelf: Path) -> None:
    put(shelf, ".gitignore", "docs/\n")
    git(shelf, "add", ".gitignore")
    git(shelf, "commit", "-qm", "ignore")
    saved = new(shelf)
    assert_saved(shelf, saved)
    assert ".gitignore" in saved.warnings[0]
    assert amend(shelf).warnings == ()


@POSIX
@pytest.mark.parametrize("name", ["*.md", "[x] y.md", "é.md", ":(top)x.md", "-x.md", "~x.md"])
def test_odd_names_are_committed_alone(shelf: Path, name: str) -> None:
    put(shelf, "docs/other.md", "other\n")
    put(shelf, f"docs/{name}", "old\n")
    git(shelf, "add", "-A")
    git(shelf, "commit", "-qm", "x")
    put(shelf, "docs/other.md", "edited\n")
    amend(shelf, f"docs/{name}", TWO, b"old\n")
    assert (files_of(shelf), status(shelf)) == ([f"docs/{name}"], [" M docs/other.md"])


@POSIX
@GIVES_AWAY
def test_a_repository_of_another_user_is_one_sentence_and_nothing_is_written(shelf: Path) -> None:
    new(shelf)
    for path in [shelf, *shelf.rglob("*")]:
        os.chown(path, 12345, 12345)
    for write in (amend, lambda root: new(root, "docs/second.md")):
        with pytest.raises(GitTrouble, match=r"git config --global --add safe\.directory"):
            write(shelf)
    assert (shelf / EPISODE).read_bytes() == ONE
    assert not (shelf / "docs" / "second.md").exists()


# --- no history ------------------------------------------------------------------------------


def test_without_a_repository_the_file_is_written_and_the_answer_says_so(alone: Path) -> None:
    saved = new(alone)
    assert (saved.committed, saved.commit) == (False, None)
    assert "no history" in saved.warnings[0]
    assert amend(alone).warnings
    assert (alone / EPISODE).read_bytes() == TWO
    with pytest.raises(UncommittedEdit):
        amend(alone)
    with pytest.raises(AlreadyThere):
        new(alone)


def test_plain_and_uncommitted_writes_start_no_git(shelf: Path) -> None:
    started, head = Repo.started, git(shelf, "rev-parse", "HEAD")
    assert "no history" in save(shelf, [Change(EPISODE, ONE)], "x", plain=True).warnings[0]
    saved = save(shelf, [Change(EPISODE, TWO, ONE)], "x", commit=False)
    assert "not committed" in saved.warnings[0]
    assert (Repo.started, git(shelf, "rev-parse", "HEAD")) == (started, head)


def test_a_write_of_several_files_that_fails_in_the_middle_is_undone(
    alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(alone, "docs/a.md", "a\n")
    put(alone, "docs/b.md", "b\n")
    put(alone, "docs/x/file", "in the way\n")
    before = snapshot(alone)
    changes = [
        *(Change("docs/a.md", None, b"a\n"), Change("docs/b.md", b"new\n", b"b\n")),
        *(Change("docs/n/n.md", ONE), Change("docs/x/file/c.md", ONE)),
    ]
    with pytest.raises(ShelfError, match="file"):
        save(alone, changes, "x")
    assert {k: v for k, v in snapshot(alone).items() if not k.startswith("state")} == before
    assert not (alone / "docs" / "n").exists()


# --- a disk that refuses ---------------------------------------------------------------------


@pytest.mark.parametrize("refused", ["replace", "journal"])
def test_a_disk_that_refuses_leaves_everything_as_it_was(
    shelf: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    """As root no permission stops a write, so the system's answer is put in its place."""
    new(shelf)
    head = git(shelf, "rev-parse", "HEAD")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if refused == "replace":
        monkeypatch.setattr(files, "_write", full)
    else:
        monkeypatch.setattr(journal, "_encode", full)
    with pytest.raises(ShelfError, match="disk is full") as caught:
        new(shelf, "research/x.md")
    assert caught.value.code == "disk-full"
    monkeypatch.undo()
    assert_untouched(shelf, head, "research/x.md")
    assert status(shelf) == []


@POSIX
def test_a_folder_that_may_not_be_written_is_a_sentence(shelf: Path) -> None:
    new(shelf)
    head, folder = git(shelf, "rev-parse", "HEAD"), (shelf / EPISODE).parent
    folder.chmod(0o555)
    script = "import sys, test_gate; test_gate.amend(test_gate.Path(sys.argv[1]))"
    done = subprocess.run(
        [*without_privilege(), sys.executable, "-c", script, shelf],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    folder.chmod(0o755)
    assert "ShelfError" in done.stderr and "permission" in done.stderr
    assert git(shelf, "rev-parse", "HEAD") == head
    assert status(shelf) == litter(shelf) == []


def test_an_interrupt_undoes_what_is_not_committed(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = git(shelf, "rev-parse", "HEAD")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(gate, "make_commit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        new(shelf)
    assert_untouched(shelf, head)


def test_an_interrupt_after_the_commit_is_finished_by_the_next_call(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Repo, "changed", interrupted)
        with pytest.raises(KeyboardInterrupt):
            new(shelf)
    where = gitdir.find(shelf)
    assert where
    assert journal.pending(where)
    assert "finished" in journal.heal(shelf)[0]
    assert (status(shelf), files_of(shelf), litter(shelf)) == ([], [EPISODE], [])
    assert not journal.pending(where)


# --- many at once, killed at any moment ------------------------------------------------------

SAVE = """
import sys
from pathlib import Path
from memshelf.storage.gate import Change, save
import memshelf.storage.committing, subprocess, tempfile
root, path, size = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
saved = save(root, [Change(path, b"# Text\\n" * size)], f"shelve: {path}")
print(saved.committed, saved.commit, flush=True)
"""


def test_sixteen_processes_make_sixteen_commits_of_one_file_each(shelf: Path) -> None:
    put(shelf, "draft.txt", "draft\n")
    git(shelf, "add", "draft.txt")
    paths = [f"docs/topics/2026-01-05-{number:02}.md" for number in range(16)]
    children = [python(SAVE, shelf, path, 10) for path in paths]
    for child in children:
        assert child.stdout
        child.stdout.readline()
    answers = [child.communicate(b"go\n", timeout=120)[0].split() for child in children]
    assert {answer[0] for answer in answers} == {b"True"}
    for path, (_, commit) in zip(paths, answers, strict=True):
        assert files_of(shelf, commit.decode()) == [path]
        assert git(shelf, "merge-base", "--is-ancestor", commit.decode(), "HEAD") == ""
    assert git(shelf, "rev-list", "--count", "HEAD") == "17"
    assert status(shelf) == ["A  draft.txt"]
    assert litter(shelf) == []


def killed_after(root: Path, path: str, delay: float, group: bool) -> None:
    """Begin a save in a process of its own, and kill it after some seconds."""
    child = python(SAVE, root, path, 2000)
    with child:
        assert child.stdout and child.stdin
        child.stdout.readline()
        child.stdin.write(b"go\n")
        child.stdin.flush()
        time.sleep(delay)
        grandchildren = children_of(child.pid) if group else []
        child.kill()
        for pid in grandchildren:
            try:
                os.killpg(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def children_of(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


def assert_whole(root: Path, path: str) -> bool:
    """Wholly there and committed, or not there at all; whether it is there."""
    there = (root / path).exists()
    assert bool(git(root, "ls-tree", "HEAD", "--", path)) is there
    assert not there or len((root / path).read_bytes()) == 2000 * 7
    assert git(root, "ls-files", "--", path) == (path if there else "")
    return there


@POSIX
@pytest.mark.skipif(not shutil.which("ps"), reason="ps is not installed")
def test_killed_at_any_moment_a_save_is_wholly_there_or_not_at_all(shelf: Path) -> None:
    for number in range(200):
        put(shelf, f"docs/old/{number}.md", f"{number}\n" * 50)
    git(shelf, "add", ".")
    git(shelf, "commit", "-qm", "old")
    put(shelf, "draft.txt", "draft\n")
    git(shelf, "add", "draft.txt")
    git(shelf, "config", "gc.auto", "0")
    started = time.monotonic()
    new(shelf)
    whole = time.monotonic() - started
    landed = []
    for number in range(26):
        path = f"docs/topics/2026-02-01-{number:02}.md"
        killed_after(shelf, path, whole * 1.3 * number / 26, group=number % 3 == 0)
        if number % 2:
            journal.heal(shelf, wait=10)
            assert_whole(shelf, path)
            assert status(shelf) == ["A  draft.txt"]
        assert new(shelf, f"docs/topics/next-{number}.md").committed
        landed.append(assert_whole(shelf, path))
        assert status(shelf) == ["A  draft.txt"]
        assert litter(shelf) == []
        assert not list((shelf / "docs").rglob(".memshelf-*"))
    assert len(landed) == 26
    git(shelf, "fsck", "--strict")
    assert_whole(shelf, path)


STEPS = """
from memshelf.storage.gate import Change, save
save(Path(sys.argv[1]), [Change(sys.argv[2], b"# Text\\n" * 2000)], "shelve")
"""


@POSIX
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("module", "name", "lands"),
    [
        *(("journal", "begin", False), ("batch", "write", False), ("files", "_write", False)),
        *(("committing", "_announce", False), ("gate", "make_commit", None)),
        *(("staging", "Staging._take_lock", True), ("staging", "Staging._swap", True)),
        ("journal", "end", True),
    ],
)
def test_killed_before_and_after_each_step_it_is_healed(
    shelf: Path, module: str, name: str, lands: bool | None, after: bool
) -> None:
    put(shelf, "draft.txt", "draft\n")
    git(shelf, "add", "draft.txt")
    killed_at((module, name), STEPS, shelf, EPISODE, after=after)
    journal.heal(shelf)
    assert assert_whole(shelf, EPISODE) is (after if lands is None else lands)
    assert (status(shelf), litter(shelf)) == (["A  draft.txt"], [])
    new(shelf, "docs/next.md")
    assert (status(shelf), files_of(shelf)) == (["A  draft.txt"], ["docs/next.md"])


@POSIX
def test_a_git_that_outlives_its_killed_writer_is_waited_for(shelf: Path) -> None:
    hook(shelf, "pre-commit", "touch ../in-hook; sleep 1.5")
    child = python(SAVE, shelf, EPISODE, 2000)
    with child:
        assert child.stdout and child.stdin
        child.stdout.readline()
        child.stdin.write(b"go\n")
        child.stdin.flush()
        while not (shelf.parent / "in-hook").exists():
            time.sleep(0.02)
        child.kill()
    (shelf / ".git" / "hooks" / "pre-commit").unlink()
    saved = new(shelf, "docs/next.md")
    assert "finished" in saved.warnings[0]
    assert assert_whole(shelf, EPISODE)
    assert status(shelf) == litter(shelf) == []


@POSIX
def test_an_edit_made_after_the_kill_is_not_undone(shelf: Path) -> None:
    new(shelf)
    code = STEPS.replace("2000)]", f"2000, {ONE!r})]")
    killed_at(("committing", "_announce"), code, shelf, EPISODE)
    put(shelf, EPISODE, "newer, by hand\n")
    assert "undone" in journal.heal(shelf)[0]
    assert (shelf / EPISODE).read_text() == "newer, by hand\n"
    assert status(shelf) == [f" M {EPISODE}"]


@POSIX
def test_the_lock_of_a_ref_that_a_killed_git_left_is_removed_and_anothers_is_not(
    shelf: Path,
) -> None:
    killed_at(("gate", "make_commit"), STEPS, shelf, EPISODE)
    put(shelf, ".git/refs/heads/main.lock", "")
    old = put(shelf, ".git/HEAD.lock", "")
    os.utime(old, (1, 1))
    journal.heal(shelf)
    assert litter(shelf) == ["HEAD.lock"]
    assert not (shelf / ".git" / "refs" / "heads" / "main.lock").exists()


def test_while_a_writer_is_alive_reading_does_not_wait_and_heals_nothing(shelf: Path) -> None:
    where = gitdir.find(shelf)
    assert where
    with gate.writer(shelf):
        handle = journal.begin(where, journal.Journal("", (), (), {}))
        code = (
            "import sys; from pathlib import Path; from memshelf.storage import journal;"
            "print(journal.heal(Path(sys.argv[1])))"
        )
        assert python(code, shelf).communicate()[0] == b"()\n"
        assert journal.pending(where)
        journal.close(handle)
        journal.end(where)


def test_reading_a_shelf_that_cannot_be_mended_raises_nothing(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = gitdir.find(shelf)
    assert where
    kept = journal.Kept(EPISODE, None, None, "0" * 40)
    journal.close(journal.begin(where, journal.Journal("", (kept,), (), {})))
    monkeypatch.setenv("PATH", str(shelf))
    assert "git program was not found" in journal.heal(shelf)[0]
    assert journal.pending(where)


def test_a_journal_is_read_as_it_was_written(shelf: Path) -> None:
    where = gitdir.find(shelf)
    assert where
    kept = (journal.Kept("é.md", b"\xff\0", 0o640, None), journal.Kept("x", None, None, "ab"))
    written = journal.Journal("abc", kept, ("docs", "docs/x"), {"x": None, "y": "ab"}, True)
    journal.close(journal.begin(where, written))
    assert journal.read(where) == written._replace(pid=os.getpid())
    for half in (journal.place(where).read_bytes()[:-1], b"{ half", b""):
        journal.place(where).write_bytes(half)
        assert journal.read(where) is None
    journal.heal(shelf)
    assert not journal.pending(where)


def test_outcomes_are_told_apart(shelf: Path) -> None:
    repo = Repo.of(shelf)
    assert repo
    before = repo.commit_id()
    same = journal.Kept("README.md", None, None, repo.blob_id(b"a shelf\n"))
    ours = journal.Kept(EPISODE, None, None, repo.blob_id(ONE))
    new(shelf)

    def outcome(head: str, *kept: journal.Kept) -> recovery.Outcome:
        return recovery.outcome(repo, journal.Journal(head, kept, (), {}))

    assert outcome(before, ours) is recovery.Outcome.LANDED
    assert outcome(before, ours, same) is recovery.Outcome.LANDED
    assert outcome(before, same) is recovery.Outcome.SAME
    assert outcome(repo.commit_id(), ours) is recovery.Outcome.SAME
    assert outcome(before, ours._replace(path="other.md")) is recovery.Outcome.ABSENT


def test_who_holds_the_lock_may_save_more_than_once(shelf: Path) -> None:
    with gate.writer(shelf):
        new(shelf)
        save_derived(shelf, [Change("INDEX.md", b"index\n")], "rebuild")
        amend(shelf)
    assert (git(shelf, "rev-list", "--count", "HEAD"), status(shelf)) == ("4", [])


def test_a_lock_that_is_never_freed_is_named(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "PATIENCE", 0.1)
    hold = "import sys; from pathlib import Path; from memshelf.storage import gate\n"
    hold += "with gate.writer(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    with python(hold, shelf) as child:
        assert child.stdout and child.stdin
        child.stdout.readline()
        with pytest.raises(LockBusy, match=r"memshelf\.lock"):
            new(shelf)
        child.stdin.close()
    assert not (shelf / EPISODE).exists()
