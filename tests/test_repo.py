from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from gitkit import GIVES_AWAY, POSIX, alone, git, hook, new_repo, put, shelf

from memshelf.storage import gitcall, gitdir, lock
from memshelf.storage.lock import LockBusy, writing
from memshelf.storage.repo import Change, GitTimeout, GitTrouble, Repo

__all__ = ["alone", "shelf"]  # fixtures


def repo_of(folder: Path) -> Repo:
    found = Repo.of(folder)
    assert found
    return found


# --- where the repository is -----------------------------------------------------------------


def test_a_folder_outside_a_repository_has_none(alone: Path) -> None:
    assert gitdir.find(alone) is None
    assert Repo.of(alone) is None


def test_the_repository_is_found_from_the_top_and_from_below(shelf: Path) -> None:
    inner = shelf / "notes" / "mem"
    inner.mkdir(parents=True)
    for folder, prefix in [(shelf, ""), (inner, "notes/mem")]:
        assert gitdir.find(folder) == (shelf / ".git", shelf / ".git", shelf, prefix)
    where = gitdir.find(inner)
    assert where
    assert where.full("docs/x.md") == "notes/mem/docs/x.md"
    assert where.short(where.full("docs/x.md")) == "docs/x.md"


def test_a_shelf_with_a_repository_of_its_own_uses_that(shelf: Path) -> None:
    own = new_repo(shelf / "mem")
    where = gitdir.find(own / "docs")
    assert where
    assert (where.worktree, where.prefix) == (own, "docs")


def test_a_linked_worktree_has_a_git_folder_of_its_own(shelf: Path) -> None:
    git(shelf, "worktree", "add", "-q", "../linked", "-b", "side")
    where = gitdir.find(shelf.parent / "linked")
    assert where
    assert where.git_dir == shelf / ".git" / "worktrees" / "linked"
    assert where.common_dir == shelf / ".git"
    assert (where.worktree, where.prefix) == (shelf.parent / "linked", "")
    assert gitdir.head(where) == ("side", False)
    assert gitdir.commit(where) == git(shelf, "rev-parse", "HEAD")


def test_a_submodule_has_the_git_folder_that_its_file_names(alone: Path) -> None:
    inner, outer = new_repo(alone / "inner"), new_repo(alone / "outer")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "mem")
    where = gitdir.find(outer / "mem")
    assert where
    assert where.git_dir == where.common_dir == outer / ".git" / "modules" / "mem"
    assert (where.worktree, where.prefix) == (outer / "mem", "")


def test_a_git_file_that_leads_nowhere_is_told(alone: Path) -> None:
    put(alone, "mem/.git", "gitdir: ../gone\n")
    with pytest.raises(GitTrouble, match="not there"):
        Repo.of(alone / "mem")


# --- states ----------------------------------------------------------------------------------


def test_head_names_a_branch_also_before_the_first_commit(alone: Path) -> None:
    git(alone, "init", "-q", "-b", "feature/über")
    repo = repo_of(alone)
    assert (gitdir.head(repo.where), repo.commit_id()) == (("feature/über", False), "")


@pytest.mark.parametrize("pack", [False, True])
def test_the_commit_at_head_is_read_without_a_process(shelf: Path, pack: bool) -> None:
    if pack:
        git(shelf, "pack-refs", "--all")
    started = Repo.started
    repo = repo_of(shelf)
    assert (repo.commit_id(), repo.branch()) == (git(shelf, "rev-parse", "HEAD"), "main")
    git(shelf, "checkout", "-q", "--detach")
    assert (repo.commit_id(), repo.branch()) == (git(shelf, "rev-parse", "HEAD"), None)
    assert gitdir.head(repo.where).detached
    assert Repo.started == started


def test_where_files_do_not_tell_git_is_asked(shelf: Path) -> None:
    where = repo_of(shelf).where
    put(where.git_dir, "HEAD", "ref: refs/heads/.invalid\n")  # as a reftable repository has it
    assert gitdir.head(where) == (None, False)
    assert gitdir.commit(where) is None


def two_branches(folder: Path) -> None:
    git(folder, "checkout", "-q", "-b", "side")
    put(folder, "README.md", "side\n")
    git(folder, "commit", "-qam", "side")
    git(folder, "checkout", "-q", "main")
    put(folder, "README.md", "main\n")
    git(folder, "commit", "-qam", "main")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["merge", "side"], "merge"),
        (["rebase", "side"], "rebase"),
        (["rebase", "--apply", "side"], "rebase"),
        (["cherry-pick", "side"], "cherry-pick"),
        (["revert", "--no-edit", "HEAD~1"], "revert"),
        (["bisect", "start"], "bisect"),
    ],
)
def test_what_was_begun_and_not_ended_is_seen(shelf: Path, command: list[str], name: str) -> None:
    where = repo_of(shelf).where
    two_branches(shelf)
    assert gitdir.in_progress(where) is None
    git(shelf, *command, check=False)
    assert gitdir.in_progress(where) == name


def test_a_patch_that_did_not_apply_is_seen(shelf: Path) -> None:
    two_branches(shelf)
    patch = put(shelf, "side.patch", git(shelf, "format-patch", "--stdout", "-1", "side") + "\n")
    git(shelf, "am", str(patch), check=False)
    assert gitdir.in_progress(repo_of(shelf).where) == "am"


# --- the index -------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [[], ["--object-format=sha256"]])
@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_unmerged_entries_are_seen_in_the_index_itself(
    alone: Path, version: str, options: list[str]
) -> None:
    folder = new_repo(alone / "x", *options)
    put(folder, "docs/" + "long/" * 60 + "x.md", "x")
    put(folder, "planned.md", "x")
    git(folder, "add", "docs")
    if version == "3":
        git(folder, "add", "-N", "planned.md")
    git(folder, "update-index", "--index-version", version)
    size = 32 if options else 20
    index = folder / ".git" / "index"
    assert gitdir.has_unmerged(index.read_bytes(), size) is (None if version == "4" else False)
    assert gitdir.in_index(index.read_bytes(), "README.md") is (version != "4")
    assert not gitdir.in_index(index.read_bytes(), "EADME.md")
    blob = git(folder, "rev-parse", "HEAD:README.md")
    stages = "".join(f"100644 {blob} {stage}\tz.md\n" for stage in (1, 2, 3))
    subprocess.run(
        ["git", "update-index", "--index-info"], cwd=folder, input=stages, text=True, check=True
    )
    assert gitdir.has_unmerged(index.read_bytes(), size) is (None if version == "4" else True)


def test_an_index_that_is_split_is_left_to_git(shelf: Path) -> None:
    git(shelf, "update-index", "--split-index")
    assert gitdir.has_unmerged((shelf / ".git" / "index").read_bytes(), 20) is None


# --- facts -----------------------------------------------------------------------------------

ODD = ["docs/a b.md", "docs/*.md", "docs/[x].md", ":(top)x.md", "docs/é\u202e.md", 'docs/"q".md']


@POSIX
@pytest.mark.parametrize("path", [*ODD, "docs/tab\tand\nline.md"])
def test_odd_names_are_names_and_no_patterns(shelf: Path, path: str) -> None:
    repo = repo_of(shelf)
    put(shelf, "docs/other.md", "other\n")
    put(shelf, path, "odd\n")
    assert repo.dirty([path]) == (path,)
    git(shelf, "--literal-pathspecs", "add", "--", path)
    git(shelf, "commit", "-qm", "odd")
    git(shelf, "add", ".")
    blob = repo.blob_id(b"odd\n")
    assert {p: b.id for p, b in repo.tree("HEAD", [path]).items()} == {path: blob}
    assert repo.staged([path], {}) == repo.tree("HEAD", [path])
    assert repo.changed("HEAD")[1].keys() == {path}
    assert repo.last_commit([path]) == repo.commit_id()
    assert repo.dirty([path]) == ()
    assert repo.content(repo.tree("HEAD", [path])[path]) == b"odd\n"


def test_what_a_commit_changed_has_both_sides(shelf: Path) -> None:
    repo = repo_of(shelf)
    put(shelf, "new.md", "new\n")
    git(shelf, "rm", "-q", "README.md")
    git(shelf, "add", ".")
    git(shelf, "commit", "-qm", "x")
    commit, changes = repo.changed("HEAD")
    old, new = ("100644", repo.blob_id(b"a shelf\n")), ("100644", repo.blob_id(b"new\n"))
    assert commit == repo.commit_id()
    assert changes == {"README.md": Change(old, None), "new.md": Change(None, new)}


def test_the_id_of_a_content_is_what_git_computes(alone: Path) -> None:
    for name, options in [("one", []), ("two", ["--object-format=sha256"])]:
        folder = new_repo(alone / name, *options)
        assert repo_of(folder).blob_id(b"a shelf\n") == git(folder, "rev-parse", "HEAD:README.md")


def test_more_paths_than_a_command_line_holds_are_asked_in_parts(shelf: Path) -> None:
    paths = [f"docs/topics/2026-01-05-{'x' * 200}-{number}.md" for number in range(450)]
    for path in paths:
        put(shelf, path, path)
    assert len(repo_of(shelf).dirty(paths)) == 450


def test_remotes_and_settings_are_read(shelf: Path) -> None:
    git(shelf, "remote", "add", "origin", "https://git.example.org/x.git")
    git(shelf, "config", "memshelf.test", "yes")
    repo = repo_of(shelf)
    assert repo.remotes() == {"origin": "https://git.example.org/x.git"}
    assert repo.config("user", "name") == "Ann Example"
    assert repo.config("memshelf", "test") == "yes"
    assert repo.config("memshelf", "none") is None


def test_a_new_repository_is_made_where_it_was_asked(
    alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(alone / "elsewhere"))
    (alone / "new").mkdir()
    assert Repo.init(alone / "new").where.git_dir == alone / "new" / ".git"
    assert not (alone / "elsewhere").exists()


# --- one process -----------------------------------------------------------------------------


def test_the_environment_of_another_repository_is_dropped_and_the_users_is_kept(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = git(shelf, "rev-parse", "--local-env-vars").split()
    for name in local:
        monkeypatch.setenv(name, "elsewhere")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Bob")
    passed = gitcall._environment({"GIT_INDEX_FILE": "ours"})
    assert [name for name in local if name in passed] == ["GIT_INDEX_FILE"]
    assert passed["GIT_INDEX_FILE"] == "ours"
    assert (passed["LC_ALL"], passed["GIT_AUTHOR_NAME"]) == ("C.UTF-8", "Bob")
    assert repo_of(shelf).git("rev-parse", "--show-toplevel").out.strip() == str(shelf)


def test_output_keeps_bytes_that_are_no_text(shelf: Path) -> None:
    blob = repo_of(shelf).git("hash-object", "-w", "--stdin", stdin=b"\xff\0\xe9").out.strip()
    ran = repo_of(shelf).git("cat-file", "blob", blob)
    assert ran.raw == b"\xff\0\xe9"
    assert ran.out.encode("utf-8", "surrogateescape") == ran.raw


def test_a_failing_call_says_what_git_said(shelf: Path) -> None:
    with pytest.raises(GitTrouble, match=r"`git cat-file` failed: .*nonsense"):
        repo_of(shelf).git("cat-file", "blob", "nonsense")
    assert repo_of(shelf).git("rev-parse", "--verify", "nonsense", check=False).code == 128


@POSIX
def test_a_call_that_hangs_is_ended_with_all_that_it_started(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSHELF_GIT_TIMEOUT", "0.5")
    pids = shelf.parent / "pids"
    script = f"trap '' TERM; echo $$ >> {pids}; sleep 60 & echo $! >> {pids}; wait; sleep 60"
    git(shelf, "config", "alias.hang", f"!{script}")
    with pytest.raises(GitTimeout, match="MEMSHELF_GIT_TIMEOUT"):
        repo_of(shelf).git("hang")
    limit = time.monotonic() + 60
    while any(alive(int(pid)) for pid in pids.read_text().split()):
        assert time.monotonic() < limit
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Ended and waiting for its parent counts as ended."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return bool(found.stdout.strip()) and not found.stdout.strip().startswith("Z")


@POSIX
def test_a_program_that_git_leaves_running_keeps_nobody_waiting(shelf: Path) -> None:
    git(shelf, "config", "alias.leave", "!sleep 30 & echo done")
    assert repo_of(shelf).git("leave", deadline=15).out == "done\n"


@POSIX
def test_nothing_can_be_asked_on_the_terminal(shelf: Path) -> None:
    git(shelf, "config", "alias.ask", "!(: < /dev/tty) 2>/dev/null && echo tty; read x; echo [$x]")
    assert repo_of(shelf).git("ask").out == "[]\n"


def test_without_the_git_program_the_error_says_what_to_do(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(shelf))
    with pytest.raises(GitTrouble, match="not found") as caught:
        repo_of(shelf).git("version")
    assert "plain" in caught.value.fix


@POSIX
def test_a_program_called_git_on_the_shelf_is_never_run(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(shelf, "git", "#!/bin/sh\ntouch owned\n").chmod(0o755)
    monkeypatch.chdir(shelf)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.environ["PATH"]]))
    repo_of(shelf).git("version")
    assert not (shelf / "owned").exists()


@POSIX
@GIVES_AWAY
def test_a_folder_of_another_user_is_one_sentence_with_the_command(shelf: Path) -> None:
    for path in [shelf, *shelf.rglob("*")]:
        os.chown(path, 12345, 12345)
    with pytest.raises(GitTrouble) as caught:
        repo_of(shelf).git("status")
    assert caught.value.fix.endswith(f"git config --global --add safe.directory {shelf}")
    assert "fatal" not in str(caught.value)


def test_colours_and_control_characters_are_taken_out_of_what_programs_print() -> None:
    assert gitcall.plain("\x1b[31mred\x1b[0m\x07\r\n\tЯ\x9b1m ") == "red\n\tЯ1m"
    assert gitcall.plain("x" * 3000).startswith("... xxx")


def test_counting_starts_no_process(shelf: Path) -> None:
    started = Repo.started
    repo_of(shelf).git("version")
    assert Repo.started == started + 1


def test_hooks_run_with_patterns_that_mean_what_they_say(shelf: Path) -> None:
    hook(shelf, "pre-commit", 'git ls-files "*.md" > "$(git rev-parse --git-dir)/seen"')
    put(shelf, "README.md", "x\n")
    repo_of(shelf).git("commit", "-qam", "x")
    assert (shelf / ".git" / "seen").read_text() == "README.md\n"


# --- the lock --------------------------------------------------------------------------------

HOLD = """
import sys
from pathlib import Path
from memshelf.storage.lock import writing
with writing(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_one_process_writes_at_a_time_and_death_frees_the_lock(alone: Path) -> None:
    path = alone / "state" / "memshelf.lock"
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout and child.stdin
    with child:
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(LockBusy, match=r"memshelf\.lock"), writing(path, wait=0.1):
            pass
        child.kill()
        child.wait()
        with writing(path, wait=5):
            pass


def test_threads_of_one_process_take_turns_and_the_holder_may_enter_again(alone: Path) -> None:
    path, inside, most = alone / "memshelf.lock", [], []

    def work() -> None:
        with writing(path), writing(path):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8


def test_the_lock_lies_in_the_folder_that_worktrees_share_or_with_the_state(shelf: Path) -> None:
    git(shelf, "worktree", "add", "-q", "../linked", "-b", "side")
    linked = shelf.parent / "linked"
    assert lock.lock_path(linked, gitdir.find(linked)) == shelf / ".git" / "memshelf.lock"
    assert lock.lock_path(shelf, None).is_relative_to(shelf.parent / "state")


def test_no_module_of_the_read_path_imports_git_or_starts_processes() -> None:
    code = (
        "import sys; from memshelf.storage import files, gitdir, journal; "
        "print([m for m in ('git', 'subprocess', 'filelock', 'tempfile') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert shutil.which("git")
