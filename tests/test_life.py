"""The verbs of an episode's life together: over MCP, without git, and several at once."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from gitkit import git, put, python, status
from support import add, episode

import memshelf
from memshelf.storage.store import Store
from memshelf.surfaces.mcp_answers import refusal
from memshelf.surfaces.mcp_calls import Desk
from memshelf.surfaces.mcp_schema import offer, tool

FIRST, SECOND = "2026-01-05-cache", "2026-02-05-valkey"
PAGE = Path(__file__).parents[1] / "docs" / "life.md"
OWN = ("edit", "log", "rename", "restore", "supersede", "tags_rename")


def path(name: str) -> str:
    return f"docs/topics/{name}.md"


@pytest.fixture
def shelf(store: Store) -> Store:
    put(store.root, path(FIRST), episode(FIRST, "One"))
    add(store, f"{episode(SECOND, 'Two')}\n## Notes\nAs in {FIRST}.\n", path(SECOND))
    return store


def test_the_set_of_tools_says_honestly_what_each_of_them_does() -> None:
    hints = {name: tool(verb)["annotations"] for name, verb in offer("life").items()}
    found = {
        name.removeprefix("memshelf_"): (
            hint["readOnlyHint"],
            hint["destructiveHint"],
            hint["idempotentHint"],
        )
        for name, hint in hints.items()
    }
    assert {name: found[name] for name in OWN} == {
        "edit": (False, True, True),
        "log": (True, False, True),
        "rename": (False, True, False),
        "restore": (False, True, True),
        "supersede": (False, False, True),
        "tags_rename": (False, True, True),
    }


def call(shelf: Store, name: str, **given: Any) -> dict[str, Any]:
    desk = Desk(offer("life"), str(shelf.root))
    return desk.result(desk.request(f"memshelf_{name}", given))


def test_over_mcp_a_write_answers_shortly_and_names_its_commit(shelf: Store) -> None:
    first = git(shelf.root, "rev-parse", "HEAD")
    asked: list[tuple[str, dict[str, Any]]] = [
        ("edit", {"ids": [FIRST], "tags": ["+new"]}),
        ("tags_rename", {"old": "cache", "new": "store", "apply": True}),
        ("supersede", {"old": f"{FIRST}/d1", "by": SECOND}),
        ("rename", {"old": FIRST, "new": "2026-01-05-renamed"}),
        ("restore", {"id": "2026-01-05-renamed", "rev": first}),
    ]
    for name, given in asked:
        answer = call(shelf, name, **given)
        assert not answer["isError"], answer
        body = answer["structuredContent"]
        assert body["status"] == "ok" and body["committed"], name
        assert git(shelf.root, "cat-file", "-t", body["commit"]) == "commit"
        assert len(answer["content"][0]["text"]) // 4 <= 120, name


def test_over_mcp_several_are_shown_first(shelf: Store) -> None:
    answer = call(shelf, "edit", ids=[FIRST, SECOND], visibility="team")["structuredContent"]
    assert answer["dry_run"] and "+visibility: team" in answer["diff"] and status(shelf.root) == []


@pytest.mark.parametrize("name", ["edit", "archive", "unarchive"])
def test_an_empty_list_of_ids_is_refused(shelf: Store, name: str) -> None:
    given = {"tags": ["+a"]} if name == "edit" else {"apply": True}
    with pytest.raises(memshelf.ShelfError, match="needs ids"):
        call(shelf, name, ids=[], **given)
    with pytest.raises(memshelf.ShelfError, match="No episode was named"):
        getattr(memshelf, name)(shelf, [], **given)


def test_without_git_the_files_are_written_and_the_answer_says_so(tmp_path: Path) -> None:
    memshelf.init(tmp_path / "plain", name="Plain", storage="plain")
    store = memshelf.open_shelf(tmp_path / "plain")
    put(store.root, path(FIRST), episode(FIRST, "One"))
    put(store.root, path(SECOND), episode(SECOND, "Two"))
    answers = [
        memshelf.edit(store, [FIRST], tags=["+new"]),
        memshelf.supersede(store, FIRST, by=SECOND).write,
        memshelf.rename(store, FIRST, "2026-01-05-renamed"),
    ]
    for answer in answers:
        assert not answer.committed and any("no history" in said for said in answer.warnings)
    assert store.episode(path(SECOND)).supersedes == ("2026-01-05-renamed",)
    with pytest.raises(memshelf.ShelfError, match="no older state"):
        memshelf.restore(store, SECOND, rev="HEAD")
    assert "new" in store.episode(path("2026-01-05-renamed")).tags


def test_a_shelf_inside_a_larger_repository_changes_its_own_files_alone(
    cli: Cli, tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q", "whole")
    memshelf.init(tmp_path / "whole" / "sub dir", name="Inner")
    store = memshelf.open_shelf(tmp_path / "whole" / "sub dir")
    put(store.root, path(FIRST), episode(FIRST, "One"))
    add(store, episode(SECOND, "Two"), path(SECOND))
    put(tmp_path / "whole", "mine.txt", FIRST)
    git(tmp_path / "whole", "add", "mine.txt")
    memshelf.rename(store, FIRST, "2026-01-05-renamed")
    memshelf.supersede(store, "2026-01-05-renamed", by=SECOND)
    gone = git(store.root, "rev-parse", "HEAD")
    git(store.root, "rm", "-q", path(SECOND))
    git(store.root, "commit", "-qm", "gone", "--", path(SECOND))
    assert f"restore {SECOND} --rev" in cli("log", SECOND, "--shelf", store.root).err
    assert memshelf.restore(store, SECOND, rev=gone).committed
    assert git(tmp_path / "whole", "status", "--porcelain") == "A  mine.txt"
    assert cli("log", "2026-01-05-renamed", "--shelf", store.root).out.count("renamed ") == 1


def test_an_amend_that_gives_a_named_number_to_another_item_is_refused(
    cli: Cli, shelf: Store
) -> None:
    at = ("--shelf", shelf.root)
    amend = ("shelve", "--amend", "--slug", FIRST, "--section")
    two = "Open threads=- Choose an eviction policy.\n- Tell the others."
    assert cli(*amend, two, *at).code == 0
    assert cli("threads", "--close", f"{FIRST}/t1", "--by", SECOND, *at).code == 0
    ran = cli(*amend, "Open threads=- Tell the others.", *at)
    assert (ran.code, f"{FIRST}/t1 is named by another" in ran.err) == (1, True)
    assert (
        cli(*amend, "Open threads=- An eviction policy: chosen.\n- Tell the others.", *at).code == 0
    )


def test_an_address_with_no_number_in_it_names_nothing_and_stops_nobody(
    cli: Cli, shelf: Store
) -> None:
    at = ("--shelf", shelf.root)
    odd = [f"{FIRST}/{item}" for item in ("todo", "t²", f"t{'9' * 5000}", "t01", "x1", "d")]
    text = episode("2026-03-05-odd", "Odd").replace(
        "mode: live\n", f"mode: live\ncloses: [{', '.join(odd)}]\nsupersedes: [{FIRST}/dx]\n"
    )
    add(shelf, text, path("2026-03-05-odd"))
    found = json.loads(cli("doctor", "--json", *at).out)["findings"]
    assert sum(one["code"] == "dangling-reference" for one in found) == len(odd) + 1
    assert f"{FIRST}/t1" in cli("threads", *at).out
    threads = "- Choose an eviction policy.\n- Another."
    amend = ("shelve", "--amend", "--slug", FIRST, "--section", f"Open threads={threads}")
    assert cli(*amend, *at).code == 0
    for words in (("rename", SECOND, "2026-02-05-renamed"), ("forget", FIRST, "--apply")):
        assert cli(*words, *at).code == 0


RENAME = """
import sys
import memshelf
sys.stdin.readline()
try:
    print(memshelf.rename(memshelf.open_shelf(sys.argv[1]), sys.argv[2], sys.argv[3]).committed)
except memshelf.ShelfError as trouble:
    print(trouble.code)
"""


def test_the_examples_of_the_page_work_on_the_sample_shelf(cli: Cli, sample: Store) -> None:
    blocks = re.findall(r"(?s)```sh\n(.*?)```", PAGE.read_text("utf-8"))
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) > 10
    for line in lines:
        before = git(sample.root, "rev-parse", "HEAD")
        ran = cli(*shlex.split(line)[1:], "--shelf", sample.root)
        assert ran.code == 0 and "nothing had to change" not in ran.out, (line, ran)
        if "--dry-run" in line:
            assert git(sample.root, "rev-parse", "HEAD") == before


def test_of_two_who_rename_at_once_one_does_and_the_other_is_told(shelf: Store) -> None:
    names = ("2026-01-05-left", "2026-01-05-right")
    workers = [python(RENAME, shelf.root, FIRST, name) for name in names]
    outs = [worker.communicate(b"go\n")[0].decode().strip() for worker in workers]
    assert sorted(outs) == ["True", "episode-not-found"]
    there = [name for name in names if shelf.locate(name)]
    assert len(there) == 1 and f"As in {there[0]}." in shelf.text(path(SECOND))
    assert status(shelf.root) == []


@pytest.mark.parametrize("words", [("edit",), ("rename", FIRST), ("restore", FIRST), ("log",)])
def test_a_call_without_what_it_needs_is_a_usage_error(
    cli: Cli, shelf: Store, words: tuple[str, ...]
) -> None:
    assert cli(*words, "--shelf", shelf.root).code == 2


def test_a_merge_in_progress_stops_each_of_them(shelf: Store) -> None:
    git(shelf.root, "checkout", "-q", "-b", "side")
    put(shelf.root, "x.txt", "side\n")
    git(shelf.root, "add", "x.txt")
    git(shelf.root, "commit", "-qm", "side")
    git(shelf.root, "checkout", "-q", "-")
    put(shelf.root, "x.txt", "main\n")
    git(shelf.root, "add", "x.txt")
    git(shelf.root, "commit", "-qm", "main")
    git(shelf.root, "merge", "-q", "side", check=False)
    for run in (
        lambda: memshelf.edit(shelf, [FIRST], tags=["+new"]),
        lambda: memshelf.rename(shelf, FIRST, "2026-01-05-renamed"),
        lambda: memshelf.supersede(shelf, FIRST, by=SECOND),
    ):
        with pytest.raises(memshelf.ShelfError) as trouble:
            run()
        assert refusal(trouble.value)["isError"]
        assert shelf.locate(FIRST)
