from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from conftest import Cli
from gitkit import git, put, status
from support import SHELVE, add, changed, episode, tree

import memshelf
from memshelf.storage.store import Store

# --- init ------------------------------------------------------------------------------------


def test_a_new_shelf_is_one_folder_under_git_with_nothing_left_over(
    cli: Cli, tmp_path: Path
) -> None:
    root = tmp_path / "new" / "shelf"
    ran = cli("init", "--shelf", root, "--name", 'A "quoted": shelf # 1', "--json")
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert (answer["storage"], answer["committed"], answer["root"]) == (
        "git-local",
        True,
        str(root),
    )
    assert status(root) == []
    files = set(tree(root))
    assert files == set(answer["created"])
    assert files >= {
        "shelf.yml",
        ".docshelf.json",
        "memshelf.toml",
        "POLICY.md",
        "POLICY.patterns",
        ".gitignore",
        ".gitattributes",
        "docs/topics/.gitkeep",
        "docs/research/.gitkeep",
        "docs/sessions/.gitkeep",
        "INDEX.md",
        "ledger.tsv",
    }
    manifest = yaml.safe_load((root / "shelf.yml").read_text("utf-8"))
    assert (
        manifest["name"]
        == json.loads((root / ".docshelf.json").read_text())["name"]
        == 'A "quoted": shelf # 1'
    )
    assert manifest["categories"] == ["topics", "research", "sessions"]
    assert manifest["index"] == {"path": "INDEX.md", "generated_by": "external"}
    assert cli("doctor", "--shelf", root).code == 0
    assert cli("rebuild", "--check", "--shelf", root).code == 0


def test_every_link_in_the_index_of_a_new_shelf_leads_somewhere(cli: Cli, store: Store) -> None:
    import re

    for target in re.findall(r"\]\(([^)#]+)\)", (store.root / "INDEX.md").read_text()):
        assert (store.root / target).exists(), target


def test_init_again_changes_nothing_and_commits_nothing(cli: Cli, store: Store) -> None:
    put(store.root, "scratch.txt", "mine")
    put(store.root, "POLICY.md", "my own rules\n")
    before, head = tree(store.root), git(store.root, "rev-parse", "HEAD")
    ran = cli("init", "--shelf", store.root, "--name", "Another name", "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["created"] == []
    assert (changed(before, tree(store.root)), git(store.root, "rev-parse", "HEAD")) == (
        set(),
        head,
    )


def test_init_tops_up_what_is_missing_and_nothing_else(cli: Cli, store: Store) -> None:
    add(store, episode())
    git(store.root, "rm", "-q", "POLICY.patterns", ".gitattributes")
    git(store.root, "commit", "-qm", "gone")
    before = tree(store.root)
    ran = cli("init", "--shelf", store.root)
    assert ran.code == 0, ran.err
    assert {"POLICY.patterns", ".gitattributes"} <= changed(before, tree(store.root))
    assert before["shelf.yml"] == tree(store.root)["shelf.yml"]
    assert status(store.root) == []


def test_a_clone_of_a_new_shelf_is_a_whole_shelf(cli: Cli, store: Store, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(store.root), "clone")
    clone = tmp_path / "clone"
    assert tree(clone) == tree(store.root)
    assert cli("rebuild", "--check", "--shelf", clone).code == 0
    assert cli(*SHELVE, "--shelf", clone).code == 0


def test_a_clone_with_crlf_line_ends_reads_and_checks_the_same(
    cli: Cli, store: Store, tmp_path: Path
) -> None:
    add(store, episode())
    cli("rebuild", "--commit", "--shelf", store.root)
    git(tmp_path, "clone", "-q", "-c", "core.autocrlf=true", str(store.root), "clone")
    assert cli("rebuild", "--check", "--shelf", tmp_path / "clone").code == 0
    ran = cli("recall", "2026-01-05-cache", "--section", "Decisions", "--shelf", tmp_path / "clone")
    assert "- Redis for the cache.\n- Rejected" in ran.out


def test_storage_modes_and_what_does_not_go_together(cli: Cli, tmp_path: Path) -> None:
    assert cli("init", "--shelf", tmp_path / "p", "--storage", "plain").code == 0
    assert not (tmp_path / "p" / ".git").exists()
    git(tmp_path, "init", "-q", "--bare", "far.git")
    far = str(tmp_path / "far.git")
    assert (
        cli("init", "--shelf", tmp_path / "r", "--storage", "git-remote", "--remote", far).code == 0
    )
    assert git(tmp_path / "r", "remote", "get-url", "origin") == far
    assert 'rebuild = "manual"' in (tmp_path / "r" / "memshelf.toml").read_text()
    assert 'rebuild = "after-write"' in (tmp_path / "p" / "memshelf.toml").read_text()
    for words in (
        ("--storage", "git-remote"),
        ("--remote", far),
        ("--storage", "plain", "--remote", far),
        ("--name", " "),
    ):
        assert cli("init", "--shelf", tmp_path / "x", *words).code == 2
    assert not (tmp_path / "x").exists()
    (tmp_path / "file").write_text("x")
    assert cli("init", "--shelf", tmp_path / "file").code == 1


def test_topping_up_leaves_a_shelf_as_it_is_kept_and_says_how(
    cli: Cli, store: Store, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    cli("init", "--shelf", plain, "--storage", "plain")
    assert cli(*SHELVE, "--shelf", plain).code == 0
    answer = json.loads(cli("init", "--shelf", plain, "--json").out)
    assert (answer["storage"], (plain / ".git").exists()) == ("plain", False)
    amend = ("shelve", "--amend", "--slug", "2026-02-01-new", "--tag", "x")
    assert cli(*amend, "--shelf", plain).code == 0
    answer = json.loads(cli("init", "--shelf", store.root, "--json").out)
    assert answer["storage"] == "git-local"
    ran = cli("init", "--shelf", store.root, "--storage", "plain", "--json")
    assert ran.code != 0 or json.loads(ran.out)["storage"] == "git-local"


def test_init_of_a_folder_with_files_commits_only_its_own(cli: Cli, tmp_path: Path) -> None:
    root = tmp_path / "there"
    put(root, "mine.txt", "mine")
    assert cli("init", "--shelf", root).code == 0
    assert status(root) == ["?? mine.txt"]


def test_without_a_user_name_the_commit_is_made_under_a_stated_neutral_identity(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "empty", "[user]\n\tuseConfigOnly = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "empty"))
    ran = cli("init", "--shelf", tmp_path / "s", "--json")
    assert ran.code == 0, ran.err
    ran = cli(*SHELVE, "--json", "--shelf", tmp_path / "s")
    assert ran.code == 0, ran.err
    author = git(tmp_path / "s", "log", "-1", "--format=%an <%ae>", json.loads(ran.out)["commit"])
    assert "memshelf" in author
    assert any(author in text for text in json.loads(ran.out)["warnings"])


def test_take_index_switches_an_old_shelf_to_our_form(cli: Cli, peer_shelf: Store) -> None:
    before = tree(peer_shelf.root)
    assert cli("init", "--take-index", "--shelf", peer_shelf.root).code == 0
    after = tree(peer_shelf.root)
    assert b"generated_by: external" in after["shelf.yml"]
    assert before[".docshelf.json"] == after[".docshelf.json"]
    assert cli("rebuild", "--shelf", peer_shelf.root).code == 0
    assert b"docshelf-mcp" not in tree(peer_shelf.root)["INDEX.md"]
    assert cli("rebuild", "--check", "--shelf", peer_shelf.root).code == 0


# --- status ----------------------------------------------------------------------------------


def test_status_says_which_shelf_this_is_and_what_waits(cli: Cli, store: Store) -> None:
    data = json.loads(cli("status", "--json", "--shelf", store.root).out)
    assert (data["name"], data["storage"], data["branch"], data["episodes"], data["drifted"]) == (
        "A test shelf",
        "git-local",
        "main",
        0,
        [],
    )
    put(store.root, "docs/topics/2026-01-05-cache.md", episode())
    data = json.loads(cli("status", "--json", "--shelf", store.root).out)
    assert data["uncommitted"] == ["docs/topics/2026-01-05-cache.md"]
    assert "INDEX.md" in data["drifted"]
    cli("recall", "2026-01-05-cache", "--shelf", store.root)
    assert json.loads(cli("status", "--json", "--shelf", store.root).out)["pending_recalls"] == 1
    git(store.root, "checkout", "-q", "--detach")
    assert json.loads(cli("status", "--json", "--shelf", store.root).out)["branch"] is None


def test_status_names_what_git_is_in_the_middle_of(cli: Cli, store: Store) -> None:
    put(store.root / ".git", "MERGE_HEAD", git(store.root, "rev-parse", "HEAD") + "\n")
    assert json.loads(cli("status", "--json", "--shelf", store.root).out)["in_progress"] == "merge"


# --- stats -----------------------------------------------------------------------------------


@pytest.mark.shared
def test_the_numbers_are_those_of_the_peer(cli: Cli, peer_shelf: Store, shared: Path) -> None:
    golden = json.loads((shared / "data/peer-shelf-golden/stats.json").read_text())
    ours = json.loads(cli("stats", "--json", "--shelf", peer_shelf.root).out)
    for key in ("open_threads", "kinds", "tool_tokens", "by_kind", "by_month"):
        ours.pop(key)
    for key in ("dearest_index_lines", "next_step", "archived", "unmeasured_note"):
        ours.pop(key, None)
    for key in ("note", "capped_note"):
        assert (key in ours) == (key in golden)
        ours.pop(key, None), golden.pop(key, None)
    assert ours == golden


@pytest.mark.shared
def test_the_banner_is_that_of_the_peer(cli: Cli, peer_shelf: Store, shared: Path) -> None:
    golden = (shared / "data/peer-shelf-golden/banner.txt").read_text()
    assert cli("stats", "--banner", "--shelf", peer_shelf.root).out.strip() == golden.strip()


def test_the_window_comes_by_flag_or_environment(
    cli: Cli, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, episode().replace("4100", "500000"))

    def mass(*flags: str) -> tuple[int, int, int]:
        data = json.loads(cli("stats", "--json", *flags, "--shelf", store.root).out)
        return data["context_window"], data["shelved_mass"], data["work_volume"]

    assert mass() == (200_000, 200_000, 500_000)
    monkeypatch.setenv("MEMSHELF_CONTEXT_WINDOW", "1000")
    assert mass() == (1000, 1000, 500_000)
    assert mass("--context-window", "2000") == (2000, 2000, 500_000)
    for odd in ("many", "0", "-5", "\u00b2", "9" * 5000):
        monkeypatch.setenv("MEMSHELF_CONTEXT_WINDOW", odd)
        assert mass()[0] == 200_000


def test_the_chart_is_drawn_on_demand_and_its_name_printed(cli: Cli, store: Store) -> None:
    add(store, episode())
    ran = cli("stats", "--chart", "--shelf", store.root)
    assert ran.out == "stats.svg\n"
    assert (store.root / "stats.svg").read_text().startswith("<svg")


def test_an_empty_shelf_has_numbers_too(cli: Cli, store: Store) -> None:
    data = json.loads(cli("stats", "--json", "--shelf", store.root).out)
    assert (data["episodes"], data["compression_ratio"], data["shelved_mass"]) == (0, 0.0, 0)
    ran = cli("stats", "--chart", "--shelf", store.root)
    assert "Traceback" not in ran.err


def test_the_text_says_what_is_dearest_and_the_one_thing_to_do(cli: Cli, sample: Store) -> None:
    def said(*words: str) -> str:
        return cli("stats", *words, "--shelf", sample.root).out

    assert re.search(r"^Standing cost .* % of 200K: INDEX ", said(), re.M)
    assert said().count("\n") > 10 and "Dearest lines of INDEX.md" in said()
    assert "4 archived; 10 open threads" in said() and said().endswith("\nNothing to do.\n")
    narrow = said("--context-window", "20000")
    command = re.search(
        r"^Next: `memshelf (rollup \S+ --until \S+) --digest TEXT` folds", narrow, re.M
    )
    assert command
    ran = cli(*command[1].split(), "--digest", "Old. Decided: yes.", "--shelf", sample.root)
    assert ran.code == 0, ran.err


def test_scripts_of_which_a_letter_costs_more_are_named(cli: Cli, store: Store) -> None:
    assert "script_note" not in json.loads(cli("stats", "--json", "--shelf", store.root).out)
    for place in range(9):
        name = f"2026-01-0{place + 1}-cache"
        said = episode(name, "Прибой, а не ветер: кабель на причале").replace(
            "One sentence.", "Решено: " + "кабель " * 15
        )
        add(store, said, f"docs/topics/{name}.md")
    assert "a model pays more" in cli("stats", "--shelf", store.root).out


def test_of_one_episode_a_ratio_says_nothing(cli: Cli, store: Store) -> None:
    add(store, episode())
    said = cli("stats", "--shelf", store.root).out
    assert re.search(r"^Held +4,100 tokens$", said, re.M)


def test_the_python_face_gives_the_same(store: Store) -> None:
    assert memshelf.stats(store).economy.episodes == 0
    assert memshelf.status(store).name == "A test shelf"


def test_the_parts_by_kind_and_by_month_sum_up_to_the_whole(cli: Cli, sample: Store) -> None:
    data = json.loads(cli("stats", "--json", "--shelf", sample.root).out)
    kinds = data["by_kind"]
    assert sum(one["held"] for one in kinds) == data["shelved_mass"]
    assert sum(one["episodes"] for one in kinds) == data["episodes"]
    assert sum(one["digests"] for one in kinds) == data["digest_tokens"]
    assert sum(one["saved"] for one in kinds) == data["realized_savings"]
    assert sum(one["recalls"] for one in kinds) == data["recalls"]
    assert 0 < len(data["by_month"]) <= 12
    assert sum(one["saved"] for one in data["by_month"]) <= data["realized_savings"]
    assert sum(one["digests"] for one in data["by_month"]) == data["digest_tokens"]


def test_a_month_in_which_nothing_but_recalls_came_is_shown(cli: Cli, store: Store) -> None:
    add(store, episode())
    rows = "2026-01-05-cache\tDigest\t100\t2026-03-09\n2026-01-05-cache\t\t9\tnever\n"
    put(store.root, "recall-log.tsv", f"episode_id\tsection\tfetched_tokens\n{rows}")
    found = json.loads(cli("stats", "--json", "--shelf", store.root).out)["by_month"]
    assert [(one["month"], one["recalls"], one["saved"]) for one in found] == [
        ("2026-03", 1, 4000),
        ("2026-01", 0, 0),
    ]
    assert "2026-03" in cli("stats", "--shelf", store.root).out


def test_the_tools_cost_what_their_list_and_the_instructions_hold(
    cli: Cli, sample: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = json.loads(cli("stats", "--json", "--shelf", sample.root).out)["tool_tokens"]
    monkeypatch.setenv("MEMSHELF_TOOLS", "all")
    many = json.loads(cli("stats", "--json", "--shelf", sample.root).out)["tool_tokens"]
    assert 0 < few <= 2500 < many


def test_the_dearest_lines_of_the_index_are_named_most_first(cli: Cli, sample: Store) -> None:
    lines = json.loads(cli("stats", "--json", "--shelf", sample.root).out)["dearest_index_lines"]
    costs = [line["tokens"] for line in lines]
    assert costs == sorted(costs, reverse=True)
    assert len(costs) == 5
    assert all(sample.locate(line["id"]) for line in lines)
