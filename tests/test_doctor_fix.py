"""doctor --fix: shown first, done on demand, in a commit each, and proved afterwards."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, run_process
from gitkit import files_of, git, hook, put, status
from support import add, changed, episode, tree

from memshelf.domain.codes import MENDED
from memshelf.storage.store import Store

NAME, OLD = "2026-01-05-cache", "2026-01-05-kache"
PATH = f"docs/topics/{NAME}.md"


def examined(cli: Cli, root: Path, *words: str) -> tuple[set[str], list[dict[str, Any]], int]:
    ran = cli("doctor", "--json", *words, "--shelf", root)
    answer = json.loads(ran.out)
    return {one["code"] for one in answer["findings"]}, answer.get("fixes", []), ran.code


@pytest.fixture
def mixed(cli: Cli, store: Store) -> Store:
    """A shelf with stale derived files and an id that is not its file's name, all committed."""
    add(store, episode())
    cli("rebuild", "--commit", "--shelf", store.root)
    text = (
        episode().replace(f"id: {NAME}", f"id: {OLD}").replace("span:", "note_of_mine: kept\nspan:")
    )
    add(store, text)
    put(store.root, "docs/topics/2026-01-06-later.md", episode("2026-01-06-later", "Later"))
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "by hand")
    return store


def test_a_fix_is_shown_first_and_writes_nothing(cli: Cli, mixed: Store) -> None:
    before, head = tree(mixed.root, leave=()), git(mixed.root, "rev-parse", "HEAD")
    _, fixes, code = examined(cli, mixed.root, "--fix")
    assert code == 1
    assert [one["done"] for one in fixes] == [False, False]
    assert fixes[0]["paths"] == [PATH]
    assert changed(before, tree(mixed.root, leave=())) <= {".git/index"}
    assert git(mixed.root, "rev-parse", "HEAD") == head
    assert "--fix --apply" in cli("doctor", "--fix", "--shelf", mixed.root).out


def test_what_is_applied_is_a_commit_each_and_found_no_more(cli: Cli, mixed: Store) -> None:
    old = (mixed.root / PATH).read_text("utf-8")
    codes, fixes, code = examined(cli, mixed.root, "--fix", "--apply")
    assert code == 0
    assert not codes & MENDED
    assert [one["still"] for one in fixes] == [[], []]
    assert all(one["done"] and one["commit"] for one in fixes)
    assert files_of(mixed.root, fixes[0]["commit"]) == [PATH]
    assert PATH not in files_of(mixed.root, fixes[1]["commit"])
    assert (mixed.root / PATH).read_text("utf-8") == old.replace(f"id: {OLD}", f"id: {NAME}")
    assert status(mixed.root) == []
    assert examined(cli, mixed.root, "--fix")[1] == []


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("- Redis for", f"- As in {OLD}: Redis for"),
        ("mode: live\n", f"mode: live\nsupersedes: [{OLD}/d1]\n"),
        ("mode: live\n", f"mode: live\nreversed_by: [d1 {OLD}]\n"),
    ],
    ids=["text", "supersedes", "reversed_by"],
)
def test_an_id_that_others_name_is_left_alone_and_it_is_said_why(
    cli: Cli, mixed: Store, place: str, text: str
) -> None:
    user = episode("2026-01-07-user", "User").replace(place, text)
    add(mixed, user, "docs/topics/2026-01-07-user.md")
    codes, fixes, _ = examined(cli, mixed.root, "--fix", "--apply")
    assert "id-mismatch" in codes
    (left,) = [one for one in fixes if one["codes"] == ["id-mismatch"]]
    assert not left["done"] and "2026-01-07-user" in left["not_because"]


@pytest.mark.parametrize("stem", ["Cache Redis", "2026-01-06-later"])
def test_a_name_that_is_no_id_or_taken_is_left_alone(cli: Cli, mixed: Store, stem: str) -> None:
    folder = "research" if stem == "2026-01-06-later" else "topics"
    put(mixed.root, f"docs/{folder}/{stem}.md", episode("2026-03-03-other", "Other"))
    git(mixed.root, "add", "-A")
    git(mixed.root, "commit", "-qm", "by hand")
    _, fixes, _ = examined(cli, mixed.root, "--fix")
    (left,) = [one for one in fixes if stem in one["paths"][0]]
    assert left["not_because"]


def test_no_row_is_lost_while_a_file_cannot_be_read(cli: Cli, mixed: Store) -> None:
    (mixed.root / PATH).write_bytes(b"\xff\xfe broken")
    ledger = (mixed.root / "ledger.tsv").read_bytes()
    _, fixes, code = examined(cli, mixed.root, "--fix", "--apply")
    assert code == 1
    assert [one["done"] for one in fixes] == [False]
    assert PATH in fixes[0]["not_because"]
    assert (mixed.root / "ledger.tsv").read_bytes() == ledger


def test_a_hook_that_refuses_is_told_and_nothing_is_half_done(cli: Cli, mixed: Store) -> None:
    hook(mixed.root, "pre-commit", "echo not today; exit 1")
    before = tree(mixed.root)
    ran = cli("doctor", "--fix", "--apply", "--shelf", mixed.root)
    assert ran.code == 1
    assert "not today" in ran.err
    assert tree(mixed.root) == before


def test_what_was_done_before_a_refusal_is_named(cli: Cli, mixed: Store) -> None:
    hook(
        mixed.root, "pre-commit", "git diff --cached --name-only | grep -q INDEX && exit 1; exit 0"
    )
    ran = cli("doctor", "--fix", "--apply", "--shelf", mixed.root)
    assert ran.code == 1
    head = git(mixed.root, "rev-parse", "HEAD")
    assert files_of(mixed.root) == [PATH]
    assert f"Done before that, and it stays: {PATH}, commit {head[:12]}." in ran.err


def test_an_edit_that_is_not_committed_is_not_swept_along(cli: Cli, mixed: Store) -> None:
    text = (mixed.root / PATH).read_text("utf-8") + "\nMine.\n"
    put(mixed.root, PATH, text)
    ran = cli("doctor", "--fix", "--apply", "--shelf", mixed.root)
    assert ran.code == 1
    assert "Mine." in ran.err
    assert (mixed.root / PATH).read_text("utf-8") == text


def test_a_line_end_of_windows_stays(cli: Cli, mixed: Store) -> None:
    text = (mixed.root / PATH).read_text("utf-8").replace("\n", "\r\n").encode()
    (mixed.root / PATH).write_bytes(text)
    git(mixed.root, "add", "--", PATH)  # as in a clone whose files have these line ends
    examined(cli, mixed.root, "--fix", "--apply")
    wanted = text.replace(f"id: {OLD}".encode(), f"id: {NAME}".encode())
    assert (mixed.root / PATH).read_bytes() == wanted


def test_a_shelf_without_git_is_mended_too(cli: Cli, mixed: Store) -> None:
    put(mixed.root, "memshelf.toml", '[shelf]\nstorage = "plain"\n')
    codes, fixes, code = examined(cli, mixed.root, "--fix", "--apply")
    assert (code, codes & MENDED) == (0, set())
    assert [one["commit"] for one in fixes] == [None, None]


def test_a_healthy_shelf_has_nothing_to_fix(cli: Cli, store: Store) -> None:
    add(store, episode())
    cli("rebuild", "--commit", "--shelf", store.root)
    head = git(store.root, "rev-parse", "HEAD")
    assert examined(cli, store.root, "--fix", "--apply")[1:] == ([], 0)
    assert git(store.root, "rev-parse", "HEAD") == head


# --- exit codes ----------------------------------------------------------------------------------


def test_exit_codes_tell_apart_what_is_ill(
    cli: Cli, mixed: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("doctor", "--shelf", mixed.root).code == 1
    assert cli("doctor", "--fix", "--apply", "--shelf", mixed.root).code == 0
    assert cli("doctor", "--apply", "--shelf", mixed.root).code == 2
    for hours in ("0", "-1", "nan"):
        assert cli("doctor", "--derived-stale-hours", hours, "--shelf", mixed.root).code == 2
    assert cli("doctor", "--shelf", tmp_path / "nothing").code == 3
    put(mixed.root, "memshelf.toml", "[shelf\n")
    assert cli("doctor", "--shelf", mixed.root).code == 3


def test_a_fault_of_our_own_exits_70(mixed: Store) -> None:
    script = (
        "import sys\nfrom memshelf.verbs import around\n"
        "def broken(*_): raise RuntimeError('ours')\naround._installation = broken\n"
        "from memshelf.surfaces.cli import run\nsys.exit(run(sys.argv[1:]))"
    )
    ran = run_process([sys.executable, "-c", script, "doctor"], cwd=mixed.root)
    assert ran.code == 70
    assert "RuntimeError: ours" in ran.err
