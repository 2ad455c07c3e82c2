"""Bad days of a repository: each is one sentence, and what is said to be saved is saved."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Cli, Ran
from gitkit import GIVES_AWAY, POSIX, git, hook, litter, put, status, without_privilege
from remotekit import bare, clone, episodes, head, put_episode, refused, shelve, synced
from support import DECISIONS, DIGEST, episode

import memshelf
from memshelf.storage.store import Store

NAME = "2026-02-01-new"
SHELVE = ("shelve", "--slug", NAME, "--digest", DIGEST, "--section", f"Decisions={DECISIONS}")


@pytest.fixture
def pair(store: Store) -> tuple[Store, Path]:
    """A shelf, and its remote that is one episode ahead."""
    remote = bare(store)
    other = clone(remote, "other")
    put_episode(other, "2026-01-05-theirs")
    git(other.root, "push", "-q")
    return store, remote


def process(store: Store, *words: str, env: dict[str, str], before: list[str] | None = None) -> Ran:
    """A command line in a process with exactly this environment."""
    command = [*(before or []), sys.executable, "-m", "memshelf", *words]
    done = subprocess.run(
        [*command, "--shelf", str(store.root)],
        env=env,
        cwd=store.root,
        capture_output=True,
        text=True,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


# --- programs that git starts ----------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("name", ["pre-commit", "commit-msg"])
def test_a_hook_that_hangs_is_named_as_what_may_be_waiting(
    cli: Cli, store: Store, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(store.root, name, "sleep 60")
    monkeypatch.setenv("MEMSHELF_GIT_TIMEOUT", "2")
    before = head(store.root)
    said = refused(cli, store, *SHELVE)
    assert "did not end within 2 s" in said and "A hook or a signing program may be waiting" in said
    assert head(store.root) == before and status(store.root) == litter(store.root) == []


@POSIX
@pytest.mark.parametrize("form", ["openpgp", "ssh"])
@pytest.mark.parametrize(("script", "said"), [("sleep 60", "did not end"), ("exit 2", "failed")])
def test_a_signing_program_that_is_silent_or_refuses_ends_the_write_and_leaves_nothing(
    cli: Cli,
    store: Store,
    tmp_path: Path,
    form: str,
    script: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = put(tmp_path, "sign", f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    for key, value in (
        ("commit.gpgSign", "true"),
        ("gpg.format", form),
        (f"gpg.{form}.program", str(program)),
        ("user.signingKey", "key::ssh-ed25519 AAAA" if form == "ssh" else "ABCD"),
    ):
        git(store.root, "config", key, value)
    if said != "failed":
        monkeypatch.setenv("MEMSHELF_GIT_TIMEOUT", "2")
    before = head(store.root)
    assert said in refused(cli, store, *SHELVE)
    assert head(store.root) == before and status(store.root) == litter(store.root) == []


@pytest.fixture
def agent(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The socket of an agent that alone holds the key with which the shelf's commits are signed."""
    key, folder = tmp_path / "key", Path(tempfile.mkdtemp(prefix="a-", dir="/tmp"))
    socket_path = folder / "agent"  # in a short folder: some systems allow 104 letters
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    with subprocess.Popen(["ssh-agent", "-D", "-a", socket_path], stdout=subprocess.DEVNULL) as it:
        while not socket_path.exists():
            assert it.poll() is None
            time.sleep(0.01)
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket_path))
        subprocess.run(["ssh-add", "-q", key], check=True)
        key.unlink()
        for name, value in (
            ("commit.gpgSign", "true"),
            ("gpg.format", "ssh"),
            ("user.signingKey", f"{key}.pub"),
        ):
            git(store.root, "config", name, value)
        yield socket_path
        it.terminate()
    shutil.rmtree(folder)


@POSIX
@pytest.mark.skipif(not shutil.which("ssh-agent"), reason="ssh-agent is not installed")
def test_a_commit_is_signed_with_a_key_that_only_an_agent_holds(
    cli: Cli, store: Store, agent: Path
) -> None:
    ran = cli(*SHELVE, "--shelf", store.root)
    assert ran.code == 0, ran
    assert "BEGIN SSH SIGNATURE" in git(store.root, "cat-file", "commit", "HEAD~1")


@POSIX
@pytest.mark.skipif(not shutil.which("ssh-agent"), reason="ssh-agent is not installed")
@pytest.mark.parametrize(("silent", "said"), [(False, "failed"), (True, "did not end within 2 s")])
def test_an_agent_that_is_gone_or_silent_ends_the_write_and_leaves_nothing(
    cli: Cli,
    store: Store,
    agent: Path,
    silent: bool,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if silent:
        monkeypatch.setenv("MEMSHELF_GIT_TIMEOUT", "2")
    monkeypatch.setenv("SSH_AUTH_SOCK", str(agent.with_name("other")))
    before = head(store.root)
    with socket.socket(socket.AF_UNIX) as listening:
        if silent:
            listening.bind(str(agent.with_name("other")))
            listening.listen()
        assert said in refused(cli, store, *SHELVE)
    assert head(store.root) == before and status(store.root) == litter(store.root) == []


GPG = pytest.mark.skipif(not shutil.which("gpg-agent"), reason="gpg-agent is not installed")


@pytest.fixture
def keyring(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of an agent that holds the opened key with which the shelf's commits are signed."""
    folder = Path(tempfile.mkdtemp(prefix="g-", dir="/tmp"))  # short, since sockets lie in it
    monkeypatch.setenv("GNUPGHOME", str(folder))
    asks = put(folder, "asks", "#!/bin/sh\nexec sleep 10\n")
    asks.chmod(0o755)
    put(folder, "gpg-agent.conf", f"pinentry-program {asks}\n")
    answered = ["gpg", "--batch", "--pinentry-mode=loopback", "--passphrase=a passing phrase"]
    try:
        for words in (
            ("--quick-generate-key", "A Writer <a@b.example>", "ed25519", "sign", "0"),
            ("--clear-sign", "gpg-agent.conf"),  # from now on the agent knows the passphrase
        ):
            subprocess.run([*answered, *words], cwd=folder, capture_output=True, check=True)
        git(store.root, "config", "commit.gpgSign", "true")
        git(store.root, "config", "user.signingKey", "a@b.example")
        yield folder
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], check=True)
        shutil.rmtree(folder)


@POSIX
@GPG
def test_a_commit_is_signed_with_a_key_that_an_agent_has_opened(
    cli: Cli, store: Store, keyring: Path
) -> None:
    ran = cli(*SHELVE, "--shelf", store.root)
    assert ran.code == 0, ran
    git(store.root, "verify-commit", "HEAD~1")


@POSIX
@GPG
@pytest.mark.parametrize("gone", [True, False])
def test_a_gpg_agent_that_is_gone_or_asks_where_no_one_answers_ends_the_write(
    cli: Cli, store: Store, keyring: Path, gone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=True)
    if gone:
        put(keyring, "gpg.conf", "no-autostart\n")
    else:
        monkeypatch.setenv("MEMSHELF_GIT_TIMEOUT", "2")
    before = head(store.root)
    said = refused(cli, store, *SHELVE)
    assert ("gpg failed to sign the data" if gone else "did not end within 2 s") in said
    assert head(store.root) == before and status(store.root) == litter(store.root) == []


# --- the repository itself -------------------------------------------------------------------


def test_an_index_lock_that_was_left_behind_stops_sync_with_what_to_do_and_is_left_alone(
    cli: Cli, pair: tuple[Store, Path]
) -> None:
    ours, _ = pair
    before, lock = head(ours.root), put(ours.root, ".git/index.lock", "")
    assert "if none runs, delete the lock" in refused(cli, ours, "sync")
    assert head(ours.root) == before and lock.exists()
    lock.unlink()
    assert status(ours.root) == [] and synced(cli, ours)["commits_pulled"] == 1


@POSIX
def test_a_git_folder_that_may_not_be_written_is_a_sentence_and_reading_works(
    pair: tuple[Store, Path],
) -> None:
    ours, _ = pair
    before, folders = head(ours.root), [p for p in (ours.root / ".git").rglob("*") if p.is_dir()]
    folders.append(ours.root / ".git")
    files = [ours.root / ".git" / name for name in ("index", "memshelf.lock")]
    for path in (*folders, *filter(Path.exists, files)):
        path.chmod(0o555 if path.is_dir() else 0o444)
    env, fallen = dict(os.environ), without_privilege()
    try:
        wrote = process(ours, *SHELVE, env=env, before=fallen)
        fetched = process(ours, "sync", env=env, before=fallen)
        read = process(ours, "index", env=env, before=fallen)
    finally:
        for path in (*folders, *filter(Path.exists, files)):
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert wrote.code == 1 and "ermission" in wrote.err and "Traceback" not in wrote.err
    assert "ermission" in fetched.out + fetched.err and "Traceback" not in fetched.err
    assert read.code == 0
    assert head(ours.root) == before and status(ours.root) == []


def test_without_a_home_and_a_name_it_is_saved_pushed_and_told(pair: tuple[Store, Path]) -> None:
    ours, remote = pair
    kept = ("PATH", "SYSTEMROOT", "PYTHONPATH", "MEMSHELF_STATE_DIR", "MEMSHELF_CACHE_DIR")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    env |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    ran = process(ours, *SHELVE, "--push", "--no-sync", env=env)
    assert ran.code == 0, ran
    assert "Git knows no user here: the commit was made as memshelf" in ran.out
    assert NAME in episodes(remote, "main")
    assert "2026-01-05-theirs" in episodes(ours.root)


@POSIX
def test_a_home_that_is_not_there_is_no_matter(pair: tuple[Store, Path]) -> None:
    ours, _ = pair
    env = {**os.environ, "HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent/config"}
    del env["GIT_CONFIG_GLOBAL"]
    assert process(ours, "sync", env=env).out == "sync: 1 commit taken over\n"


@GIVES_AWAY
def test_a_repository_of_another_user_is_one_sentence_with_the_command(
    cli: Cli, pair: tuple[Store, Path]
) -> None:
    ours, _ = pair
    for path in (ours.root, ours.root / ".git"):
        os.chown(path, 12345, 12345)
    said = refused(cli, ours, "sync")
    assert "git config --global --add safe.directory" in said and "Traceback" not in said
    assert "safe.directory" in refused(cli, ours, *SHELVE)


# --- names -----------------------------------------------------------------------------------


def test_an_id_that_another_disk_would_take_for_one_with_capitals_is_refused(
    cli: Cli, store: Store
) -> None:
    put(store.root, "docs/research/2026-02-01-NEW.md", episode("2026-02-01-NEW"))
    git(store.root, "add", ".")
    git(store.root, "commit", "-qm", "by hand")
    said = refused(cli, store, *SHELVE)
    assert "2026-02-01-NEW is on the shelf" in said and "choose another slug" in said


def test_a_name_with_accents_apart_is_found_amended_and_pushed_under_its_own_spelling(
    cli: Cli, store: Store
) -> None:
    apart = "2026-01-05-cafe\u0301"
    put_episode(store, apart)
    remote = bare(store)
    words = ("shelve", "--slug", "2026-01-05-caf\u00e9", "--amend", "--tag", "tea", "--push")
    ran = cli(*words, "--shelf", store.root)
    assert ran.code == 0, ran.err
    git(remote, "config", "core.quotePath", "false")
    assert episodes(remote, "main") == {apart}
    assert "tags: [tea]" in git(remote, "show", f"main:docs/topics/{apart}.md")
    assert status(store.root) == []


# --- where the shelf lies --------------------------------------------------------------------


def test_one_commit_is_offered_out_of_a_folder_of_a_larger_repository(
    cli: Cli, tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "project")
    memshelf.init(tmp_path / "project" / "memory", name="Inner")
    git(tmp_path / "project", "add", "-A")
    git(tmp_path / "project", "commit", "-q", "--allow-empty", "-m", "begin")
    store = memshelf.open_shelf(tmp_path / "project" / "memory")
    git(tmp_path, "clone", "-q", "--bare", "project", "origin.git")
    git(store.root, "remote", "add", "origin", str(tmp_path / "origin.git"))
    put(tmp_path / "project", "code.py", "print()\n")
    git(tmp_path / "project", "add", "code.py")
    git(tmp_path / "project", "commit", "-qm", "code")
    branch = shelve(cli, store, NAME, "--publish")["sync"]["published_branch"]
    changed = git(tmp_path / "origin.git", "diff", "--name-only", "main", branch)
    assert changed == f"memory/docs/topics/{NAME}.md"


def test_an_unborn_branch_gets_its_first_commit_and_is_pushed(cli: Cli, store: Store) -> None:
    remote = store.root.parent / "origin.git"
    git(store.root.parent, "init", "-q", "--bare", str(remote))
    git(store.root, "remote", "add", "origin", str(remote))
    git(store.root, "checkout", "-q", "--orphan", "fresh")
    assert shelve(cli, store, NAME, "--push")["sync"]["pushed"] is True
    assert NAME in episodes(remote, "fresh")
