"""What of a window could be put down: claims looked up, memshelf counted, one language at a time."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from gitkit import put
from support import add, changed, episode, tree

from memshelf.storage.store import Store

NAME = "2026-01-05-cache"
CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
PEER = (
    *("auth refactor=42000,closed", "search dump=9000,idle=18", "inst=3000,kind=instructions"),
    *("small=900,closed", "Case B=12000,live,episode=2026-04-09-postgres-upgrade"),
)


def advised(cli: Cli, root: Path, *occupants: str, **flags: str) -> dict[str, Any]:
    words = [word for one in occupants for word in ("--occupant", one)]
    words += [word for name, value in flags.items() for word in (f"--{name}", value)]
    ran = cli("advise", "--json", *words, "--shelf", root)
    assert ran.code == 0, ran.err
    return dict(json.loads(ran.out))


@pytest.fixture
def shelf(store: Store) -> Store:
    add(store, episode())
    return store


@pytest.mark.shared
def test_the_numbers_are_those_of_the_peer(cli: Cli, peer_shelf: Store) -> None:
    found = advised(cli, peer_shelf.root, *PEER, budget="10000")
    assert found["accounted_tokens"] == 68129
    assert found["breakdown"] == {"static": 3000, "memory": 1229, "live": 0, "reclaimable": 63900}
    assert found["reclaimable_tokens"] == 62907
    assert [(one["action"], one["tokens"]) for one in found["proposals"]] == [
        ("shelve", 41800),
        ("drop", 12000),
        ("shelve", 8800),
        ("rollup", 307),
    ]
    assert found["proposals"][3]["target"] == "9 episodes through 2026-07-14"
    assert (found["index_tokens"], found["index_budget_tokens"]) == (589, 1160)
    assert found["index_entry_tokens"] == 32


def test_a_claim_that_the_shelf_does_not_hold_is_no_reason_to_drop(cli: Cli, shelf: Store) -> None:
    found = advised(cli, shelf.root, "A=9000,live,episode=2026-01-01-nowhere")
    assert found["proposals"] == []
    assert found["breakdown"]["live"] == 9000
    assert "2026-01-01-nowhere" in " ".join(found["notes"])


def test_what_is_shelved_may_be_dropped_and_what_is_alive_is_said_to_be(
    cli: Cli, shelf: Store
) -> None:
    found = advised(cli, shelf.root, f"A=9000,live,episode={NAME}")
    (one,) = found["proposals"]
    assert (one["action"], one["tokens"]) == ("drop", 9000)
    assert "live" in one["why"]


def test_what_would_not_pay_for_its_line_is_not_proposed(cli: Cli, shelf: Store) -> None:
    found = advised(cli, shelf.root, "A=1999,closed", "B=2000,closed")
    assert [one["target"] for one in found["proposals"]] == ["B"]
    assert found["proposals"][0]["tokens"] == 1800


def test_idle_turns_count_only_from_the_threshold_on(cli: Cli, shelf: Store) -> None:
    occupants = ("A=5000,idle=9", "B=5000,idle=10", "C=5000,live,idle=99")
    assert [p["target"] for p in advised(cli, shelf.root, *occupants)["proposals"]] == ["B"]
    flags = {"stale-after": "9"}
    found = advised(cli, shelf.root, *occupants, **flags)["proposals"]
    assert [p["target"] for p in found] == ["A", "B"]


def test_a_name_of_an_episode_that_is_not_claimed_is_pointed_out(cli: Cli, shelf: Store) -> None:
    notes = advised(cli, shelf.root, "cache: redis=5000,live")["notes"]
    assert any(f"episode={NAME}" in note for note in notes)


def test_memshelf_counts_itself_unless_it_is_left_out(cli: Cli, shelf: Store) -> None:
    with_self = advised(cli, shelf.root)
    assert with_self["breakdown"]["memory"] == with_self["memory_overhead"] > 0
    ran = cli("advise", "--json", "--exclude-self", "--shelf", shelf.root)
    assert json.loads(ran.out)["breakdown"]["memory"] == 0


def test_advice_writes_nothing(cli: Cli, shelf: Store) -> None:
    before = tree(shelf.root, leave=())
    advised(cli, shelf.root, "A=5000,closed")
    assert changed(before, tree(shelf.root, leave=())) <= {".git/index"}


@pytest.mark.parametrize(("language", "cyrillic"), [("", False), ("en", False), ("ru", True)])
def test_one_answer_is_in_one_language(
    language: str, cyrillic: bool, cli: Cli, shelf: Store
) -> None:
    put(shelf.root, "memshelf.toml", f'[shelf]\nlanguage = "{language}"\n' if language else "")
    occupants = ("A=5000,closed", "B=900,idle=20", f"C=4000,live,episode={NAME}", "D=1")
    found = advised(cli, shelf.root, *occupants, "E=1,episode=gone", budget="100")
    said = [one["why"] for one in found["proposals"]] + found["notes"] + [found["summary"]]
    assert len(said) >= 6
    assert all(bool(CYRILLIC.search(text)) == cyrillic for text in said)
    words = [word for one in occupants for word in ("--occupant", one)]
    text = cli("advise", *words, "--shelf", shelf.root).out
    assert bool(CYRILLIC.search(text)) == cyrillic


def test_both_languages_say_the_same_things() -> None:
    from memshelf.domain.advice_words import EN, RU

    for one, other in zip(EN, RU, strict=True):
        if isinstance(one, dict) and isinstance(other, dict):
            assert one.keys() == other.keys()
            pairs = [(one[name], other[name]) for name in one]
        else:
            pairs = [(str(one), str(other))]
        for english, russian in pairs:
            slots = [set(re.findall(r"\{(\w+)", text)) for text in (english, russian)]
            assert slots[0] == slots[1], (english, russian)


def test_occupants_come_from_a_file_or_standard_input(
    cli: Cli, shelf: Store, tmp_path: Path
) -> None:
    rows = [{"label": "A", "approx_tokens": 5000, "state": "closed", "idle_turns": None}]
    file = put(tmp_path, "window.json", json.dumps(rows))
    ran = cli("advise", "--json", "--occupants-json", file, "--shelf", shelf.root)
    assert json.loads(ran.out)["proposals"][0]["tokens"] == 4800


@pytest.mark.parametrize(
    "spec",
    ["A", "A=", "A=x", "A=-5", "=5", "A=5,nonsense", "A=5,kind=x", "A=5,color=red", "A=5,idle=x"],
)
def test_an_occupant_that_cannot_be_understood_is_misuse(cli: Cli, shelf: Store, spec: str) -> None:
    ran = cli("advise", "--occupant", spec, "--shelf", shelf.root)
    assert (ran.code, ran.out) == (2, "")
    assert "LABEL=TOKENS" in ran.err or "One of" in ran.err


@pytest.mark.parametrize("text", ["[1]", "nonsense", '[{"label": "A", "secret": 1}]', "[" * 99999])
def test_a_file_of_occupants_that_is_none_is_refused(
    cli: Cli, shelf: Store, tmp_path: Path, text: str
) -> None:
    file = put(tmp_path, "window.json", text)
    ran = cli("advise", "--occupants-json", file, "--shelf", shelf.root)
    assert ran.code == 2


def test_a_command_can_be_pasted_whatever_the_shelf_is_called(
    cli: Cli, shelf: Store, tmp_path: Path
) -> None:
    import shlex

    moved = shelf.root.rename(tmp_path / "a shelf; rm x")
    found = advised(cli, moved, "A=5000,closed")
    words = shlex.split(found["proposals"][0]["command"])
    assert words[words.index("--shelf") + 1] == str(moved)


def test_a_command_runs_once_its_places_are_filled_in(cli: Cli, shelf: Store) -> None:
    import shlex

    for n in range(1, 8):
        name = f"2026-01-06-later-{n}"
        put(shelf.root, f"docs/topics/{name}.md", episode(name, f"Later, number {n}"))
    shelve, *_, rollup = advised(cli, shelf.root, "A: b=5000,closed", budget="100")["proposals"]
    assert (shelve["action"], rollup["action"]) == ("shelve", "rollup")
    for one in (shelve, rollup):
        text = "Redis was chosen as the cache for all of it; memcached was rejected."
        command = one["command"].replace("<your digest>", text)
        words = shlex.split(command.replace("<your decisions>", "- Redis."))
        assert words.pop(0) == "memshelf"
        ran = cli(*words, "--dry-run")
        assert ran.code == 0, ran.err


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize("as_text", [True, False])
def test_a_host_may_send_occupants_as_objects_as_the_peer_takes_them(
    shelf: Store, nested: bool, as_text: bool
) -> None:
    from memshelf.surfaces.mcp_arguments import read
    from memshelf.verbs import load

    rows = [
        {"label": "Ä", "approx_tokens": 42000, "state": "closed"},
        {"label": "B", "approx_tokens": 9000, "idle_turns": 18, "episode_id": None},
    ]
    sent = {"occupants": json.dumps(rows) if as_text else rows, "budget_tokens": 9000}
    request = read(load("advise"), {"params": sent} if nested else sent)
    found = request.verb.run(shelf, **request.arguments).data()
    said = [(one["target"], one["tokens"]) for one in found["proposals"][:2]]
    assert said == [("Ä", 41800), ("B", 8800)]
    assert found["budget_tokens"] == 9000
