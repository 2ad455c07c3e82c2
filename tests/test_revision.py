"""A snapshot of a git revision is what a checkout of it would give; nothing is checked out."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from gitkit import POSIX, git, new_repo, put
from support import Counted, episode, put_bytes, tree

import memshelf
from memshelf.domain.errors import ShelfError, ShelfUnusable
from memshelf.domain.shelf import Shelf
from memshelf.storage import cache, files
from memshelf.storage.gitcall import GitTimeout, GitTrouble
from memshelf.storage.store import Store

PLACES = ["", "notes/the shelf"]
FIRST, SECOND = "2026-01-05-cache", "2026-01-06-queue"
places = pytest.mark.parametrize("place", PLACES, ids=["at the top", "in a folder"])


def commit(folder: Path, said: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", said)


def known(shelf: Shelf) -> dict[str, Any]:
    """All that a snapshot can be asked."""
    return {
        "config": shelf.config,
        "entries": [entry[:-1] for entry in shelf.entries],
        "facts": [entry.facts for entry in shelf.entries],
        "episodes": [shelf.load(entry.path) for entry in shelf.entries],
        "recalls": shelf.recalls,
        "problems": shelf.problems,
        "files": shelf.files,
        "policy": shelf.policy,
    }


def history(top: Path, root: Path) -> None:
    """A shelf's life in a repository: made, written on, settings changed, archived, broken."""
    new_repo(top)
    put(root, "shelf.yml", "name: Young\nmode: single\n")
    put(root, f"docs/topics/{FIRST}.md", episode(FIRST, "First"))
    commit(top, "a shelf")
    put(root, f"docs/topics/{SECOND}.md", episode(SECOND, "Second é 日本語"))
    put(root, "docs/research/2026-01-07-ünïcode.md", episode("2026-01-07-x", "Odd name"))
    put(root, "recall-log.tsv", f"episode_id\tsection\tfetched_tokens\n{FIRST}\tDigest\t30\n")
    put(root, "retros/2026Q1.md", "It went well.\n")
    put(root, "retros/notes/no.md", "not of the shelf\n")
    commit(top, "more")
    git(top, "tag", "-a", "v1", "-m", "one")
    put(root, "shelf.yml", "name: Grown\nmode: single\n")
    put(root, ".docshelf.json", '{"name": "Grown", "preamble": "Hello."}')
    put(root, "memshelf.toml", '[shelf]\nlanguage = "de"\n[redact]\npatterns = ["rules.txt"]\n')
    put(root, "rules.txt", "badge BADGE-[0-9]{4}\n")
    put(root, f"docs/topics/{FIRST}.md", episode(FIRST, "First, amended").replace("Redis", "Valk"))
    commit(top, "settings")
    archived = root / "archive" / "docs" / "topics"
    archived.mkdir(parents=True)
    (root / f"docs/topics/{FIRST}.md").rename(archived / f"{FIRST}.md")
    put(root, "archive/.docshelf.json", '{"name": "The archive"}')
    put(root, "docs/odd/2026-02-01-folder.md/inside.md", "a folder in the place of a file\n")
    put(root, "docs/odd/.hidden.md", episode("hidden", "hidden"))
    put(root, "docs/.git-notes/2026-02-01-x.md", episode("2026-02-01-x", "x"))
    put_bytes(root / "docs/topics/2026-02-02-latin.md", b"# caf\xe9\n")
    put_bytes(root / "retros/2026Q2.md", b"caf\xe9\n")
    commit(top, "archived, and broken files")
    (root / f"docs/topics/{SECOND}.md").rename(root / "docs/topics/2026-01-06-queues.md")
    (root / "retros/2026Q1.md").unlink()
    (root / "docs/topics/2026-02-02-latin.md").unlink()
    commit(top, "renamed and deleted")


def checked_out(top: Path, place: str, revision: str) -> Store:
    """The shelf in a worktree of that revision, in a folder of the same name."""
    folder = top.parent / revision / top.name
    git(top, "worktree", "add", "-q", "--detach", str(folder), revision)
    return memshelf.open_shelf(folder / place)


@places
def test_a_revision_reads_as_a_checkout_of_it_whatever_the_cache_knows(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top, root = tmp_path / "repo", tmp_path / "repo" / place
    history(top, root)
    before = tree(top)
    for revision in git(top, "rev-list", "HEAD").split("\n")[:-1]:
        wanted = known(checked_out(top, place, revision).read())
        for name in ("shared", revision):  # what the last round left; nothing
            monkeypatch.setenv("MEMSHELF_CACHE_DIR", str(tmp_path / name))
            store = memshelf.open_shelf(root)
            assert known(store.read(revision)) == wanted
            assert known(memshelf.open_shelf(root).read(revision)) == wanted
            now = known(store.read())
            assert known(memshelf.open_shelf(root).read(revision)) == wanted
            assert known(memshelf.open_shelf(root).read()) == now
    assert tree(top) == before


def test_the_history_of_a_shelf_by_another_hand_is_read_as_its_checkouts(peer_shelf: Store) -> None:
    revisions = git(peer_shelf.root, "rev-list", "HEAD").split("\n")
    assert len(revisions) > 10
    for revision in revisions[::4]:
        then = checked_out(peer_shelf.root, "", revision).read()
        assert known(memshelf.open_shelf(peer_shelf.root).read(revision)) == known(then)


def test_the_cache_of_past_contents_is_emptied_when_it_grows_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "repo"
    history(top, top)
    monkeypatch.setattr(cache, "_PAST", 2)
    for revision in ("HEAD", "v1", "HEAD~2"):
        store = memshelf.open_shelf(top)
        wanted = known(checked_out(top, "", revision).read())
        assert known(store.read(revision)) == wanted == known(store.read(revision))
        assert [*store.cache.rows("SELECT count(*) FROM past")] < [(4,)]


@POSIX
def test_links_and_submodules_are_problems_and_hide_no_other_file(tmp_path: Path) -> None:
    top = tmp_path / "repo"
    history(top, top)
    new_repo(tmp_path / "other")
    git(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "other"),
        "docs/topics/2026-03-01-module.md")  # fmt: skip
    (top / "docs/topics/2026-03-02-link.md").symlink_to("2026-01-06-queues.md")
    (top / "docs/linked").symlink_to("topics")
    commit(top, "links")
    shelf = memshelf.open_shelf(top).read("HEAD")
    assert known(shelf) == known(memshelf.open_shelf(top).read())
    assert {(found.code, found.where) for found in shelf.problems} == {
        ("not-a-file", "docs/odd/2026-02-01-folder.md"),
        ("not-a-file", "docs/topics/2026-03-01-module.md"),
        ("not-a-file", "docs/topics/2026-03-02-link.md"),
        ("not-utf8", "retros/2026Q2.md"),
    }
    (top / "shelf.yml").unlink()
    (top / "shelf.yml").symlink_to(".docshelf.json")
    commit(top, "a linked manifest")
    with pytest.raises(files.UnsafePath, match="leads through a link"):
        memshelf.open_shelf(top).read("HEAD")


def test_what_is_too_large_or_lost_is_a_problem_of_its_own(
    sample: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost, *others = [entry.path for entry in sample.read("HEAD").entries]
    put(sample.root, "docs/topics/2026-03-01-long.md", episode() + "x" * 40_000)
    commit(sample.root, "a long one")
    blob = git(sample.root, "rev-parse", f"HEAD:{lost}")
    (sample.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    monkeypatch.setenv("MEMSHELF_CACHE_DIR", str(sample.root.parent / "cold"))
    monkeypatch.setattr(files, "SIZE_LIMIT", 30_000)
    shelf = memshelf.open_shelf(sample.root).read("HEAD")
    assert {(found.code, found.where) for found in shelf.problems} == {
        ("missing", lost),
        ("too-large", "docs/topics/2026-03-01-long.md"),
    }
    assert {entry.path for entry in shelf.entries} == set(others)
    assert all(entry.facts.digest for entry in shelf.entries)
    with pytest.raises(ShelfError, match="git lacks the content"):
        shelf.load(lost)


def test_every_way_to_name_a_commit_is_taken(tmp_path: Path) -> None:
    top = tmp_path / "repo"
    history(top, top)
    git(top, "branch", "side", "v1")
    git(top, "checkout", "-q", "--detach", "HEAD~1")
    store = memshelf.open_shelf(top)
    old = known(store.read("v1"))
    ways = ["v1^{commit}", "v1^0", "side", "refs/heads/side", "main~3", "HEAD~2", "HEAD^^"]
    ways += ["main@{3}", "HEAD^{/more}", git(top, "rev-parse", "v1^0")[:9]]
    for name in ways:
        assert known(store.read(name)) == old, name
    assert known(store.read("HEAD")) != known(store.read("main")) != old
    linked = checked_out(top, "", "v1")
    assert known(linked.read("HEAD")) == old


@pytest.mark.parametrize("words", [("threads",), ("stats",), ("index",), ("export", "html")])
def test_the_verbs_answer_for_a_revision_as_they_would_have_then(
    words: tuple[str, ...], cli: Cli, tmp_path: Path
) -> None:
    top = tmp_path / "repo"
    history(top, top)
    then = cli(*words, "--shelf", checked_out(top, "", "v1").root)
    now = cli(*words, "--shelf", top)
    asked = cli(*words, "--shelf", top, "--rev", "v1")
    assert asked.code == 0 and asked.out == then.out != now.out
    assert cli(*words, "--shelf", top).out == now.out


def test_an_episode_of_a_revision_is_exported_that_is_gone_now(cli: Cli, tmp_path: Path) -> None:
    top = tmp_path / "repo"
    history(top, top)
    words = ("export", "html", "--episode", SECOND, "--shelf", top)
    assert "Second" in cli(*words, "--rev", "v1").out
    put(top, "docs/topics/2026-01-06-queues.md", episode("2026-01-06-queues", "x"))
    assert cli(*words).code == 1


# --- no such revision --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rev",
    [
        *("", " ", "-x", "--help", "--output=x", "no-such", "HEAD~99", "HEAD..HEAD~1", "^HEAD"),
        *("HEAD:docs", "HEAD^{tree}", "a\nb", "x" * 5000, "v1; touch x", ":/more", "@{u}"),
    ],
    ids=lambda rev: repr(rev[:20]),
)
def test_what_names_no_commit_is_refused_in_one_sentence(
    rev: str, cli: Cli, tmp_path: Path
) -> None:
    top = tmp_path / "repo"
    history(top, top)
    before = tree(top)
    ran = cli("threads", "--shelf", top, f"--rev={rev}")
    assert (ran.code, ran.out) == (1, "")
    said, fix = ran.err.splitlines()
    assert said.startswith("memshelf: ") and said.endswith(".")
    assert "Name a branch, a tag or a commit" in fix or "leave --rev out" in fix
    assert tree(top) == before


def test_a_shelf_without_history_says_so(cli: Cli, tmp_path: Path) -> None:
    plain = put(tmp_path / "plain", "shelf.yml", "mode: single\n").parent
    ran = cli("stats", "--shelf", plain, "--rev", "HEAD")
    assert ran.code == 1 and "in no git repository" in ran.err and "Leave --rev out" in ran.err
    git(plain, "init", "-q")
    ran = cli("stats", "--shelf", plain, "--rev", "HEAD")
    assert ran.code == 1 and "Nothing is committed here yet" in ran.err


@places
def test_a_revision_from_before_the_shelf_says_which_would_do(
    place: str, cli: Cli, tmp_path: Path
) -> None:
    top, root = tmp_path / "repo", tmp_path / "repo" / place
    history(top, root)
    ran = cli("stats", "--shelf", root, "--rev", "HEAD~5")
    assert ran.code == 1 and "At 'HEAD~5' there was no shelf" in ran.err
    assert "git log --oneline -- shelf.yml" in ran.err


def test_a_shallow_clone_says_how_its_history_is_got(cli: Cli, tmp_path: Path) -> None:
    history(tmp_path / "repo", tmp_path / "repo")
    git(tmp_path, "clone", "-q", "--depth", "1", (tmp_path / "repo").as_uri(), "clone")
    ran = cli("stats", "--shelf", tmp_path / "clone", "--rev", "HEAD~1")
    assert ran.code == 1 and "git fetch --unshallow" in ran.err


def test_settings_that_were_broken_then_are_told_with_the_revision(tmp_path: Path) -> None:
    top = tmp_path / "repo"
    history(top, top)
    put(top, "memshelf.toml", "[shelf\n")
    commit(top, "broken")
    put(top, "memshelf.toml", "")
    with pytest.raises(ShelfUnusable, match=r"At 'HEAD': memshelf.toml is not TOML") as told:
        memshelf.open_shelf(top).read("HEAD")
    assert told.value.fix == "Name another revision."


def test_a_chart_is_drawn_of_the_shelf_as_it_is_only(cli: Cli, sample: Store) -> None:
    assert cli("stats", "--chart", "--rev", "HEAD", "--shelf", sample.root).code == 2


# --- git itself ----------------------------------------------------------------------------------


def test_the_bytes_are_those_that_git_keeps(tmp_path: Path) -> None:
    top = tmp_path / "repo"
    history(top, top)
    as_written = known(memshelf.open_shelf(top).read("HEAD"))
    put(top, ".gitattributes", "*.md text eol=crlf\n")
    git(top, "add", ".gitattributes")
    git(top, "commit", "-q", "-m", "attributes")
    with_crlf = checked_out(top, "", "HEAD")
    assert b"\r\n" in (with_crlf.root / "docs/topics/2026-01-06-queues.md").read_bytes()
    assert known(with_crlf.read()) != known(with_crlf.read("HEAD")) == as_written


@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
def test_many_episodes_are_read_with_either_kind_of_hash(hashes: str, tmp_path: Path) -> None:
    top = tmp_path / "repo"
    new_repo(top, f"--object-format={hashes}")
    put(top, "shelf.yml", "mode: single\n")
    for number in range(200):
        name = f"2026-{number // 28 + 1:02}-{number % 28 + 1:02}-many"
        put(top, f"docs/topics/{name}.md", episode(name, name))
    commit(top, "many")
    entries_only = [entry[:-1] for entry in memshelf.open_shelf(top).read().entries]
    for _ in ("entries are cached", "facts too"):
        shelf = memshelf.open_shelf(top).read("HEAD")
        assert [entry[:-1] for entry in shelf.entries] == entries_only
        assert known(shelf) == known(memshelf.open_shelf(top).read())


def test_a_clone_without_contents_fetches_those_it_reads(tmp_path: Path) -> None:
    top = tmp_path / "repo"
    history(top, top)
    git(top, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", top.as_uri(), "clone/repo")
    cloned = memshelf.open_shelf(tmp_path / "clone" / "repo")
    assert known(cloned.read("HEAD~2")) == known(memshelf.open_shelf(top).read("HEAD~2"))
    top.rename(tmp_path / "gone")
    with pytest.raises(GitTrouble, match="cat-file"):
        cloned.read("HEAD~1")


@POSIX
@pytest.mark.parametrize("words", [("threads", "--state", "all"), ("export", "html")])
def test_at_most_three_git_processes_are_started_and_no_episode_is_opened(
    words: tuple[str, ...], sample: Store, tmp_path: Path
) -> None:
    counted = Counted(tmp_path / "watch", sample.root)
    for _ in ("cold", "cached"):
        assert counted.run(*words, "--rev", "HEAD").returncode == 0
        assert counted.episodes == []
        assert len(counted.git) <= 3, counted.git


GIT = '#!/bin/sh\ncase "$*" in *cat-file*) {} ;; esac\nexec {} "$@"\n'


@pytest.fixture
def instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let `git cat-file` do something first."""
    import shutil

    real = shutil.which("git")

    def put_in(script: str) -> None:
        put(tmp_path / "bin", "git", GIT.format(script, real)).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    return put_in


@POSIX
def test_a_git_that_falls_silent_is_stopped(
    sample: Store, instead: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    instead("exec sleep 60")
    monkeypatch.setenv("MEMSHELF_GIT_TIMEOUT", "0.3")
    with pytest.raises(GitTimeout, match=r"`git cat-file` did not end within 0.3 s"):
        sample.read("HEAD")


@POSIX
def test_a_git_that_gives_up_is_heard(sample: Store, instead: Callable[[str], None]) -> None:
    instead("echo the disk is gone >&2; exit 128")
    with pytest.raises(GitTrouble, match=r"`git cat-file` failed: the disk is gone"):
        sample.read("HEAD")


@POSIX
def test_git_ends_with_the_snapshot_that_it_served(
    sample: Store, instead: Callable[[str], None], tmp_path: Path
) -> None:
    instead(f"echo $$ > {tmp_path}/pid")
    shelf = sample.read("HEAD")
    git_process = int((tmp_path / "pid").read_text())
    os.kill(git_process, 0)
    assert shelf.load(shelf.entries[0].path).digest
    del shelf
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(git_process, 0)


def test_the_parameter_stands_in_no_tool(sample: Store) -> None:
    from memshelf.surfaces import mcp_schema

    for tool in mcp_schema.listed(mcp_schema.offer("all").values()):
        if tool["name"] != "memshelf_restore":  # which writes what a revision had
            assert "rev" not in tool["inputSchema"]["properties"]
