"""What people copy: workflows and hooks, their shell lines run on a real clone of a bare remote."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT, Ran, run_process
from gitkit import POSIX, git, hook, put
from support import SHELVE, episode
from writers import FIRST, FIRST_PATH, Writers, push, writers

import memshelf
from memshelf.domain import merging
from memshelf.storage.store import Store

__all__ = ("writers",)
WORKFLOWS = ROOT / "docs" / "workflows"
GITHUB = "gh" + "p_" + "1aZ9" * 9  # put together here, so that no scanner finds one
CHECKS = ("check-github.yml", "check-gitlab.yml")
BOTS = ("shelf-derived.yml", "shelf-derived-gitlab.yml")
ENVIRONMENT = {
    "GITHUB_REF_NAME": "main",
    "CI_COMMIT_BRANCH": "main",
    "CI_SERVER_HOST": "gitlab.example.org",
    "CI_JOB_TOKEN": "token",
    "CI_PROJECT_PATH": "acme/notes",
}
pytestmark = POSIX


def lines(name: str) -> str:
    """The shell lines of a workflow, as its host runs them one after another."""
    flow: dict[str, Any] = yaml.safe_load((WORKFLOWS / name).read_text("utf-8"))
    if "jobs" in flow:
        (job,) = flow["jobs"].values()
        assert job["steps"][0]["with"]["fetch-depth"] == 0
        return "\n".join(step["run"] for step in job["steps"] if "run" in step)
    (job,) = flow.values()
    assert job["variables"]["GIT_DEPTH"] == "0"
    return "\n".join(job["script"])


def run(name: str, store: Store, programs: Path) -> Ran:
    """Run them in a clone, with this memshelf for the one that pip would install."""
    put(programs, "memshelf", f'#!/bin/sh\nexec "{sys.executable}" -m memshelf "$@"\n').chmod(0o755)
    put(programs, "pip", '#!/bin/sh\ntest "$*" = "install memshelf"\n').chmod(0o755)
    environ = {
        **ENVIRONMENT,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    return run_process(["bash", "-ec", lines(name)], cwd=store.root, environ=environ)


def manual(writers: Writers) -> Store:
    """A shelf whose derived files a bot owns, with an episode that is not rendered yet."""
    ann = writers.clone("ann")
    settings = (ann.root / "memshelf.toml").read_text().replace("after-write", "manual")
    put(ann.root, "memshelf.toml", settings)
    put(ann.root, "docs/topics/2026-02-01-new.md", episode("2026-02-01-new", "Something new"))
    git(ann.root, "add", "-A")
    git(ann.root, "commit", "-qm", "shelve")
    push(ann)
    git(writers.remote, "config", "receive.advertisePushOptions", "true")
    return ann


def bot(writers: Writers) -> Store:
    """The clone that a host makes for a job."""
    made = writers.clone("bot")
    token = "https://gitlab-ci-token:token@gitlab.example.org/acme/notes.git"
    git(made.root, "config", f"url.{writers.remote.as_uri()}.insteadOf", token)
    return made


# --- checks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_passes_on_a_sound_shelf(name: str, writers: Writers, tmp_path: Path) -> None:
    ran = run(name, writers.clone("ann"), tmp_path / "bin")
    assert ran.code == 0, ran


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("- Redis for", f"- {GITHUB} for", "secret-at-rest"),
        ("- Redis for", "<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n- Redis for", "merge-conflict"),
        ("One sentence.", "Another sentence.", "differs INDEX.md"),
    ],
    ids=["secret", "markers", "stale"],
)
def test_a_check_fails_and_says_what_is_wrong(
    name: str, old: str, new: str, said: str, writers: Writers, tmp_path: Path
) -> None:
    ann = writers.clone("ann")
    text = (ann.root / FIRST_PATH).read_text("utf-8")
    assert old in text
    put(ann.root, FIRST_PATH, text.replace(old, new))
    ran = run(name, ann, tmp_path / "bin")
    assert ran.code != 0 and said in ran.out, ran
    assert GITHUB not in ran.out


# --- the bot -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOTS)
def test_the_bot_renders_what_was_pushed_and_a_second_run_changes_nothing(
    name: str, writers: Writers, tmp_path: Path
) -> None:
    ann = manual(writers)
    ran = run(name, bot(writers), tmp_path / "bin")
    assert ran.code == 0, ran
    git(ann.root, "pull", "-q", "--ff-only", "origin", "main")
    assert "2026-02-01-new" in (ann.root / "INDEX.md").read_text()
    assert git(ann.root, "log", "-1", "--format=%an") == "shelf-bot"
    assert memshelf.rebuild(Store.open(ann.root), check=True).ok
    before = git(writers.remote, "rev-parse", "main")
    assert run(name, memshelf.open_shelf(tmp_path / "bot"), tmp_path / "bin").code == 0
    assert git(writers.remote, "rev-parse", "main") == before


@pytest.mark.parametrize("name", BOTS)
def test_a_writer_who_was_faster_is_rendered_too(
    name: str, writers: Writers, tmp_path: Path
) -> None:
    ann = manual(writers)
    made = bot(writers)
    put(ann.root, "docs/topics/2026-02-02-late.md", episode("2026-02-02-late", "A late one"))
    git(ann.root, "add", "-A")
    git(ann.root, "commit", "-qm", "late")
    late = f'cd "{ann.root}" && env -u GIT_DIR git push -q origin HEAD:main'
    hook(
        made.root,
        "pre-push",
        f'test -e "{tmp_path}/once" || {{ touch "{tmp_path}/once"; {late}; }}',
    )
    ran = run(name, made, tmp_path / "bin")
    assert ran.code == 0 and (tmp_path / "once").exists(), ran
    git(ann.root, "pull", "-q", "--ff-only", "origin", "main")
    assert "2026-02-02-late" in (ann.root / "INDEX.md").read_text()
    assert memshelf.rebuild(Store.open(ann.root), check=True).ok


def test_one_unreadable_episode_keeps_the_bot_from_no_other_and_is_told(
    writers: Writers, tmp_path: Path
) -> None:
    ann = manual(writers)
    put(ann.root, "docs/topics/2026-02-03-bad.md", "---\nid: [\n---\n")
    git(ann.root, "add", "-A")
    git(ann.root, "commit", "-qm", "bad")
    push(ann)
    ran = run(BOTS[0], bot(writers), tmp_path / "bin")
    assert ran.code != 0 and "2026-02-03-bad.md" in ran.out
    git(ann.root, "pull", "-q", "--ff-only", "origin", "main")
    assert "2026-02-01-new" in (ann.root / "INDEX.md").read_text()


def test_two_writers_of_a_shelf_with_a_bot_never_meet(writers: Writers, tmp_path: Path) -> None:
    ann = manual(writers)
    bob = writers.clone("bob")
    made = bot(writers)
    for store, number in ((ann, 3), (bob, 4)):
        name = f"2026-02-0{number}-n"
        memshelf.shelve(
            store, slug=name, digest="Redis was chosen.", sections={"Decisions": "- Redis."}
        )
        git(store.root, "pull", "-q", "--rebase", "origin", "main")
        push(store)
        assert run(BOTS[0], made, tmp_path / "bin").code == 0
    for store in (ann, bob):
        git(store.root, "pull", "-q", "--ff-only", "origin", "main")
        assert memshelf.rebuild(Store.open(store.root), check=True).ok


def test_the_bot_of_github_publishes_where_the_shelf_says_so(
    writers: Writers, tmp_path: Path
) -> None:
    ann = manual(writers)
    text = (ann.root / FIRST_PATH).read_text("utf-8")
    put(ann.root, FIRST_PATH, text.replace("mode: live\n", "mode: live\nvisibility: public\n"))
    settings = (ann.root / "memshelf.toml").read_text()
    put(ann.root, "memshelf.toml", f'{settings}\n[publish]\ninclude = ["public"]\n')
    git(ann.root, "commit", "-qam", "publish")
    push(ann)
    ran = run(BOTS[0], bot(writers), tmp_path / "bin")
    assert ran.code == 0, ran
    assert FIRST in git(writers.remote, "ls-tree", "-r", "--name-only", "gh-pages")


@pytest.mark.parametrize(("name", "path"), list(zip(BOTS, merging.BOTS, strict=True)))
@pytest.mark.parametrize("folder", ["", "memory"])
def test_the_bot_is_known_by_its_file(tmp_path: Path, name: str, path: str, folder: str) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "project")
    put(tmp_path / "project", path, (WORKFLOWS / name).read_text("utf-8"))
    memshelf.init(tmp_path / "project" / folder)
    settings = tmp_path / "project" / folder / "memshelf.toml"
    assert 'rebuild = "manual"' in settings.read_text()
    assert path in (WORKFLOWS / name).read_text("utf-8")


# --- hooks -------------------------------------------------------------------------------------


def with_programs(monkeypatch: pytest.MonkeyPatch, programs: Path) -> None:
    put(programs, "memshelf", f'#!/bin/sh\nexec "{sys.executable}" -m memshelf "$@"\n').chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def test_the_hook_stops_a_secret_and_lets_memshelf_shelve(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_programs(monkeypatch, tmp_path / "bin")
    script = (WORKFLOWS / "pre-commit").read_text("utf-8")
    hook(store.root, "pre-commit", script.partition("\n")[2])
    words = [sys.executable, "-m", "memshelf", *SHELVE, "--shelf", str(store.root)]
    ran = run_process(words, cwd=tmp_path)
    assert ran.code == 0 and "shelved docs/topics/2026-02-01-new.md" in ran.out, ran
    put(store.root, FIRST_PATH, episode(FIRST, "The first").replace("memcached.", GITHUB))
    git(store.root, "add", "-A")
    before = git(store.root, "rev-parse", "HEAD")
    git(store.root, "commit", "-qm", "secret", check=False)
    assert git(store.root, "rev-parse", "HEAD") == before
    put(store.root, FIRST_PATH, episode(FIRST, "The first"))
    git(store.root, "commit", "-qam", "no secret")


def test_a_bot_that_is_late_stops_no_commit(
    writers: Writers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-02-01T12:00:00Z")
    ann = manual(writers)
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    assert "derived-stale" in str(memshelf.doctor(ann))
    with_programs(monkeypatch, tmp_path / "bin")
    hook(ann.root, "pre-commit", (WORKFLOWS / "pre-commit").read_text("utf-8").partition("\n")[2])
    put(ann.root, "docs/topics/2026-02-02-more.md", episode("2026-02-02-more", "More"))
    git(ann.root, "add", "-A")
    git(ann.root, "commit", "-qm", "more")


def test_the_hooks_of_the_framework_are_commands_that_check(store: Store) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [one["id"] for one in hooks] == ["memshelf-doctor", "memshelf-rebuild-check"]
    memshelf.rebuild(store, commit=True)
    for one in hooks:
        assert one["language"] == "python" and one["pass_filenames"] is False
        words = one["entry"].split()
        assert words[0] == "memshelf"
        ran = run_process([sys.executable, "-m", *words], cwd=store.root)
        assert ran.code == 0, ran
    put(store.root, "INDEX.md", "other\n")
    assert run_process([sys.executable, "-m", *words], cwd=store.root).code == 1
