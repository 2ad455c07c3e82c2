from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from gitkit import POSIX, git, put, status
from support import DECISIONS, DIGEST, add, changed, episode, put_bytes, tree

from memshelf.render import OWNED
from memshelf.storage.store import Store

NAME = "2026-01-05-cache"
DERIVED = OWNED


def check(cli: Cli, store: Store) -> dict[str, Any]:
    return dict(json.loads(cli("rebuild", "--check", "--json", "--shelf", store.root).out))


@pytest.fixture
def rendered(cli: Cli, sample: Store) -> Store:
    """The sample shelf with all its derived files, committed."""
    cli("rebuild", "--commit", "--shelf", sample.root)
    return sample


# --- rebuild ---------------------------------------------------------------------------------


def test_a_check_finds_one_changed_byte_in_every_derived_file(cli: Cli, rendered: Store) -> None:
    there = [name for name in DERIVED if (rendered.root / name).is_file()]
    assert len(there) >= 6
    assert check(cli, rendered)["ok"]
    for name in there:
        file = rendered.root / name
        data = file.read_bytes()
        for place in (0, len(data) // 2, len(data) - 1):
            file.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            ran = cli("rebuild", "--check", "--json", "--shelf", rendered.root)
            assert (ran.code, json.loads(ran.out)["drifted"]) == (1, [name]), (name, place)
        file.write_bytes(data + b"\n")
        assert check(cli, rendered)["drifted"] == [name]
        file.unlink()
        assert check(cli, rendered)["drifted"] == [name]
        file.write_bytes(data)
    assert check(cli, rendered)["ok"]
    assert status(rendered.root) == []


def test_a_check_writes_nothing(cli: Cli, rendered: Store) -> None:
    put(rendered.root, "INDEX.md", "x")
    before = tree(rendered.root)
    check(cli, rendered)
    assert tree(rendered.root) == before


@pytest.mark.parametrize("cache", ["kept", "gone"])
def test_all_derived_files_deleted_come_back_byte_for_byte(
    cache: str, cli: Cli, rendered: Store, world: Path
) -> None:
    before = tree(rendered.root)
    gone = [name for name in DERIVED if (rendered.root / name).is_file()]
    for name in gone:
        (rendered.root / name).unlink()
    if cache == "gone":
        for file in (world / "cache").rglob("*.sqlite"):
            file.unlink()
    answer = json.loads(cli("rebuild", "--json", "--shelf", rendered.root).out)
    assert tree(rendered.root) == before
    assert set(answer["written"]) == set(gone)


def test_the_output_depends_on_no_clock_locale_place_or_order(
    cli: Cli, cli_process: Cli, rendered: Store, tmp_path: Path
) -> None:
    wanted = {
        name: (rendered.root / name).read_bytes()
        for name in DERIVED
        if (rendered.root / name).is_file()
    }
    files = list(tree(rendered.root).items())
    random.Random(7).shuffle(files)
    other = tmp_path / "a folder with ünusual name"
    for name, data in files:
        if name not in wanted:
            put_bytes(other / name, data)
            os.utime(other / name, (1, 1))
    ran = cli_process(
        "rebuild",
        "--shelf",
        other,
        LC_ALL="tr_TR.UTF-8",
        TZ="Pacific/Kiritimati",
        PYTHONHASHSEED="7",
        LANG="tr_TR.UTF-8",
    )
    assert ran.code == 0, ran.err
    assert {name: (other / name).read_bytes() for name in wanted} == wanted


def test_a_rebuild_of_an_unchanged_shelf_writes_nothing(cli: Cli, rendered: Store) -> None:
    stamps = {
        name: (rendered.root / name).stat().st_mtime_ns
        for name in DERIVED
        if (rendered.root / name).is_file()
    }
    answer = json.loads(cli("rebuild", "--json", "--shelf", rendered.root).out)
    assert answer["written"] == []
    assert set(answer["unchanged"]) == set(stamps)
    assert {name: (rendered.root / name).stat().st_mtime_ns for name in stamps} == stamps


def test_a_rebuild_commits_what_it_rendered_and_nothing_else(cli: Cli, store: Store) -> None:
    put(store.root, "draft.txt", "draft")
    git(store.root, "add", "draft.txt")
    put(store.root, f"docs/topics/{NAME}.md", episode())
    answer = json.loads(cli("rebuild", "--commit", "--json", "--shelf", store.root).out)
    assert answer["committed"] is True
    named = set(git(store.root, "show", "--format=", "--name-only", answer["commit"]).split())
    assert named == {"INDEX.md", "ledger.tsv", "stats.svg", "docs/topics/.meta.json"}
    assert status(store.root) == ["A  draft.txt", f"?? docs/topics/{NAME}.md"]
    again = json.loads(cli("rebuild", "--commit", "--json", "--shelf", store.root).out)
    assert again["committed"] is False


def test_without_a_commit_only_files_are_written(cli: Cli, store: Store) -> None:
    add(store, episode())
    head = git(store.root, "rev-parse", "HEAD")
    cli("rebuild", "--shelf", store.root)
    assert git(store.root, "rev-parse", "HEAD") == head
    assert cli("rebuild", "--commit", "--shelf", store.root).code == 0
    assert status(store.root) == []


def test_an_episode_that_goes_takes_its_rows_with_it(cli: Cli, store: Store) -> None:
    add(store, episode())
    cli("rebuild", "--shelf", store.root)
    (store.root / f"docs/topics/{NAME}.md").unlink()
    answer = json.loads(cli("rebuild", "--json", "--shelf", store.root).out)
    assert "docs/topics/.meta.json" in answer["written"]
    assert not (store.root / "docs/topics/.meta.json").exists()
    assert (
        NAME not in (store.root / "ledger.tsv").read_text() + (store.root / "INDEX.md").read_text()
    )
    assert check(cli, store)["ok"]


def test_two_branches_that_merged_one_index_are_mended_by_a_rebuild(cli: Cli, store: Store) -> None:
    git(store.root, "branch", "other")
    cli(
        "shelve",
        "--slug",
        "2026-02-01-a",
        "--digest",
        DIGEST,
        "--section",
        f"Decisions={DECISIONS}",
        "--shelf",
        store.root,
    )
    git(store.root, "checkout", "-q", "other")
    cli(
        "shelve",
        "--slug",
        "2026-02-02-b",
        "--digest",
        DIGEST,
        "--section",
        f"Decisions={DECISIONS}",
        "--shelf",
        store.root,
    )
    git(store.root, "merge", "-q", "--no-commit", "-X", "theirs", "main", check=False)
    for name in ("INDEX.md", "ledger.tsv", "docs/topics/.meta.json", "stats.svg"):
        git(store.root, "checkout", "main", "--", name)
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "merge")
    assert "2026-02-02-b" not in (store.root / "INDEX.md").read_text()
    assert {"INDEX.md", "ledger.tsv"} <= set(check(cli, store)["drifted"])
    cli("rebuild", "--shelf", store.root)
    index = (store.root / "INDEX.md").read_text()
    assert "2026-02-01-a" in index and "2026-02-02-b" in index


def test_a_chart_of_another_tool_is_no_drift_and_is_redrawn_by_a_rebuild(
    cli: Cli, store: Store
) -> None:
    add(store, episode())
    cli("rebuild", "--shelf", store.root)
    ours = (store.root / "stats.svg").read_bytes()
    put(store.root, "stats.svg", "<svg>another tool</svg>\n")
    assert check(cli, store)["ok"]
    assert json.loads(cli("rebuild", "--json", "--shelf", store.root).out)["written"] == [
        "stats.svg"
    ]
    assert (store.root / "stats.svg").read_bytes() == ours


def test_tabs_and_line_breaks_in_notes_stay_in_one_cell(cli: Cli, store: Store) -> None:
    add(store, episode().replace("mode: live\n", 'mode: live\nnotes: "a\\tb\\nc\\u2028d"\n'))
    cli("rebuild", "--shelf", store.root)
    rows = (store.root / "ledger.tsv").read_text("utf-8").split("\n")
    assert len(rows) == 3 and rows[1].count("\t") == 5
    assert cli("doctor", "--shelf", store.root).code == 0


def test_hundreds_of_odd_titles_stay_within_the_budget_of_the_index(cli: Cli, store: Store) -> None:
    for number in range(40):
        name = f"2026-01-{number % 28 + 1:02}-x{number}"
        title = ("x" * 5000, "日本語の題名" * 40, "*_[]<>`" * 40, "👩‍👩‍👧" * 60)[number % 4] + str(
            number
        )
        put(
            store.root,
            f"docs/topics/{name}.md",
            episode(name, title).replace("One sentence.", "y" * 900),
        )
    cli("rebuild", "--shelf", store.root)
    index = (store.root / "INDEX.md").read_text("utf-8")
    assert len(index) // 4 <= 200 + 80 * 40
    assert "index-bloat" not in cli("doctor", "--shelf", store.root).out
    assert all(f"x{number}.md" in index for number in range(40))


# --- adopt -----------------------------------------------------------------------------------

OLD = "# {id}\n\n---\nid: {id}\nkind: topic\nspan: 2026-01-05\ntags: []\napprox_tokens: 10\n---\n\n## Digest\nd.\n\n## Decisions\nx\n"


def test_adopting_brings_into_the_file_what_only_derived_files_knew(cli: Cli, store: Store) -> None:
    add(store, OLD.format(id=NAME))
    put(
        store.root,
        "ledger.tsv",
        f"date\tepisode_id\tmode\tapprox_tokens_in\tdigest_tokens\tnotes\n2026-01-07\t{NAME}\tlive\t10\t0\tkeep: this\n",
    )
    put(
        store.root,
        "docs/topics/.meta.json",
        json.dumps({f"{NAME}.md": {"title": "Old: title", "description": "It says."}}),
    )
    ran = cli("rebuild", "--adopt", "--json", "--shelf", store.root)
    assert ran.code == 0, ran.err
    adoption = json.loads(ran.out)["adoption"]
    assert (adoption["adopted"], adoption["count"]) == ([NAME], 1)
    found = store.episode(f"docs/topics/{NAME}.md")
    assert (found.date, found.notes, found.display_title, found.description) == (
        "2026-01-07",
        "keep: this",
        "Old: title",
        "It says.",
    )
    assert (store.root / f"docs/topics/{NAME}.md").read_text().startswith(f"# {NAME}\n")
    before = tree(store.root)
    again = json.loads(cli("rebuild", "--adopt", "--json", "--shelf", store.root).out)
    assert again["adoption"]["count"] == 0
    assert tree(store.root) == before


def test_adopting_adds_nothing_redundant_and_overwrites_nothing(cli: Cli, store: Store) -> None:
    add(store, episode())
    put(
        store.root,
        "docs/topics/.meta.json",
        json.dumps({f"{NAME}.md": {"title": "Other", "description": "Other"}}),
    )
    cli("rebuild", "--adopt", "--shelf", store.root)
    assert (store.root / f"docs/topics/{NAME}.md").read_text() == episode()


def test_adopting_puts_values_that_yaml_cannot_read_into_quotes(cli: Cli, store: Store) -> None:
    add(
        store,
        episode()
        .replace("mode: live\n", "mode: live\nsession: see: run #4\n")
        .replace("[cache, infra]", "[release, #208]"),
    )
    assert "frontmatter-not-yaml" in cli("doctor", "--shelf", store.root).out
    before = store.episode(f"docs/topics/{NAME}.md")
    assert cli("rebuild", "--adopt", "--shelf", store.root).code == 0
    assert store.episode(f"docs/topics/{NAME}.md") == before
    assert "frontmatter-not-yaml" not in cli("doctor", "--shelf", store.root).out


# --- doctor ----------------------------------------------------------------------------------

FAULTS: dict[str, tuple[str, str, str]] = {
    "bad-date": ("error", "date: 2026-01-05", "date: 2026-13-40"),
    "bad-span": ("error", "span: 2026-01-05", "span: 2026-03-01..2026-01-01"),
    "bad-retain-until": ("error", "mode: live", "mode: live\nretain_until: 12/31/2030"),
    "id-mismatch": ("error", f"id: {NAME}", "id: 2026-01-05-other"),
    "missing-section": ("error", "## Decisions", "### Decisions"),
    "no-digest": ("error", "## Digest", "## Summary"),
    "frontmatter-missing-field": ("error", "approx_tokens: 4100\n", ""),
    "bad-approx-tokens": ("error", "approx_tokens: 4100", "approx_tokens: -5"),
    "bad-visibility": ("error", "mode: live", "mode: live\nvisibility: everyone"),
    "digest-referent-we": ("error", "Redis was chosen", "We chose"),
    "digest-too-long": ("error", "Redis was chosen", "word " * 130),
    "digest-empty": (
        "error",
        "Redis was chosen for the cache; memcached was rejected. Open: eviction.",
        "",
    ),
    "secret-at-rest": ("error", "infra]", 'infra]\nsession: "' + "gh" + "p_" + "a1B2" * 9 + '"'),
    "bad-kind": ("warning", "kind: topic", "kind: poem"),
    "kind-folder": ("warning", "kind: topic", "kind: research"),
    "bad-approx-tokens-source": ("warning", "source: estimate", "source: guess"),
    "long-title": ("warning", '"Cache: Redis"', '"' + "x" * 300 + '"'),
    "long-description": ("warning", "One sentence.", "x" * 300),
    "bad-tag": ("warning", "[cache, infra]", '["a, b", infra]'),
    "duplicate-key": ("warning", "mode: live", "mode: live\nmode: import"),
    "dangling-reference": ("warning", "mode: live", "mode: live\ncloses: [2026-09-09-nowhere/t1]"),
    "open-fence": ("warning", "- Choose an eviction policy.", "```\n- Choose an eviction policy."),
}


@pytest.mark.parametrize("code", FAULTS)
def test_each_fault_is_found_named_and_told_how_to_mend(code: str, cli: Cli, store: Store) -> None:
    level, old, new = FAULTS[code]
    assert old in episode()
    path = add(store, episode().replace(old, new))
    for _ in range(2):  # from the file, then from the cache
        ran = cli("doctor", "--json", "--shelf", store.root)
        found = [f for f in json.loads(ran.out)["findings"] if f["code"] == code]
        assert found, ran.out
        assert (found[0]["level"], found[0]["path"]) == (level, path)
        assert found[0]["detail"] and found[0]["fix"]
        assert ran.code == (1 if level == "error" else 0)
    assert "a1B2" not in ran.out


@pytest.mark.parametrize("item", ["d\u00b2", f"d{'9' * 5000}", "x1", "d9", "d0", "opic"])
def test_an_item_that_an_episode_cannot_have_is_named_and_stops_nobody(
    item: str, cli: Cli, store: Store
) -> None:
    add(store, episode())
    keys = f"mode: live\nsupersedes: [{NAME}/{item}]\ncloses: [{NAME}/t{item[1:]}]"
    text = episode("2026-02-01-x", "X").replace("mode: live", keys)
    add(store, text, "docs/topics/2026-02-01-x.md")
    ran = cli("doctor", "--json", "--shelf", store.root)
    said = [f["detail"] for f in json.loads(ran.out)["findings"] if "names" in f["detail"]]
    assert any(one.startswith(f"supersedes names '{NAME}/{item[:9]}") for one in said)
    words = ("shelve", "--slug", NAME, "--amend", "--section", "Decisions=- Another.")
    assert cli(*words, "--shelf", store.root).code == 0
    assert cli("threads", "--shelf", store.root).code == 0


def test_rows_that_stand_twice_are_named_and_the_rest_counted(cli: Cli, store: Store) -> None:
    rows = [f"2026-01-05\t2026-01-05-n{n:02}\tlive\t1\t1\t\n" for n in range(12)]
    header = "date\tepisode_id\tmode\tapprox_tokens_in\tdigest_tokens\tnotes\n"
    put_bytes(store.root / "ledger.tsv", "".join([header, *rows, *rows]).encode())
    ran = cli("doctor", "--shelf", store.root)
    assert "2026-01-05-n00 twice, 2026-01-05-n01 twice" in ran.out
    assert "n09 twice … (+2)." in ran.out


@pytest.mark.parametrize("key", ["supersedes", "superseded_by", "reversed_by", "closes"])
def test_a_key_that_names_an_episode_which_is_not_there_is_named(
    key: str, cli: Cli, store: Store
) -> None:
    def found() -> list[str]:
        ran = cli("doctor", "--json", "--shelf", store.root)
        every = json.loads(ran.out)["findings"]
        return [f["detail"] for f in every if f["code"] == "dangling-reference"]

    place = "d1 " if key == "reversed_by" else ""
    names = f"{key}: [{place}{NAME}, {place}2026-02-02-later, {place}2026-09-09-nowhere]"
    add(store, episode())
    add(store, episode("2026-02-02-later"), "docs/topics/2026-02-02-later.md")
    text = episode("2026-02-01-x", "X").replace("mode: live", f"mode: live\n{names}")
    path = add(store, text, "docs/topics/2026-02-01-x.md")
    said = f"{key} names '2026-09-09-nowhere', which is not on the shelf."
    for _ in range(2):  # from the file, then from what is remembered
        assert found() == [said]
        put_bytes(store.root / "POLICY.md", b"another shelf, the same episodes\n")
    (store.root / "docs/topics/2026-02-02-later.md").unlink()
    assert found() == [said.replace("2026-09-09-nowhere", "2026-02-02-later"), said]
    put_bytes(store.root / path, text.replace(f"{names}\n", "").encode())
    assert found() == []


def test_no_episode_with_a_bad_date_leaves_a_list_silently(cli: Cli, store: Store) -> None:
    add(store, episode().replace("date: 2026-01-05", "date: 2026-13-40"))
    cli("rebuild", "--shelf", store.root)
    for text in (
        (store.root / "INDEX.md").read_text(),
        (store.root / "ledger.tsv").read_text(),
        cli("index", "--shelf", store.root).out,
    ):
        assert NAME in text


def test_a_shelf_in_order_has_no_error_and_right_after_a_write_no_warning(
    cli: Cli, rendered: Store
) -> None:
    assert json.loads(cli("doctor", "--json", "--shelf", rendered.root).out)["errors"] == 0
    cli(
        "shelve",
        "--slug",
        "2026-12-01-new",
        "--digest",
        DIGEST,
        "--section",
        f"Decisions={DECISIONS}",
        "--shelf",
        rendered.root,
    )
    assert cli("doctor", "--shelf", rendered.root).code == 0


def test_drift_ledger_rows_and_titles_are_findings_about_the_whole(cli: Cli, store: Store) -> None:
    add(store, episode())
    cli("rebuild", "--shelf", store.root)
    add(store, episode("2026-01-06-twin"), "docs/topics/2026-01-06-twin.md")
    with (store.root / "ledger.tsv").open("a", newline="\n") as ledger:
        ledger.write("2026-01-01\t2026-01-01-ghost\tlive\t1\t1\t\nnonsense\n")
    codes = {
        f["code"]
        for f in json.loads(cli("doctor", "--json", "--shelf", store.root).out)["findings"]
    }
    assert codes >= {"duplicate-title", "orphan-ledger-row", "ledger-malformed", "stale-index"}


def test_the_level_leaves_out_what_is_less_bad(cli: Cli, store: Store) -> None:
    assert "empty-category" in cli("doctor", "--shelf", store.root).out
    assert "empty-category" not in cli("doctor", "--level", "error", "--shelf", store.root).out


def test_doctor_writes_nothing(cli: Cli, store: Store) -> None:
    add(store, episode())
    before = tree(store.root, leave=())
    cli("doctor", "--shelf", store.root)
    assert changed(before, tree(store.root, leave=())) <= {".git/index"}


def test_a_title_with_markup_is_a_finding_where_another_tool_writes_the_index(
    cli: Cli, peer_shelf: Store
) -> None:
    add(peer_shelf, episode(title="a [b](c) **d**"))
    codes = {
        f["code"]
        for f in json.loads(cli("doctor", "--json", "--shelf", peer_shelf.root).out)["findings"]
    }
    assert "index-title-markup" in codes


def _appended(name: str, text: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        with (root / name).open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)

    return change


CHANGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "a row of the ledger": (
        _appended("ledger.tsv", "2026-01-01\tghost\tlive\t1\t1\t\n"),
        "orphan-ledger-row",
    ),
    "the index": (_appended("INDEX.md", "by hand\n"), "stale-index"),
    "the names": (_appended("docs/topics/.meta.json", "\n"), "stale-derived"),
    "the chart": (_appended("stats.svg", "<!-- x -->\n"), "stale-derived"),
    "a rule": (_appended("POLICY.patterns", "word  memcached\n"), "policy-pattern-at-rest"),
    "a broken rule": (_appended("POLICY.patterns", "word (\n"), "policy-pattern"),
    "a setting": (_appended("memshelf.toml", "[limits]\ndigest_words = 3\n"), "digest-too-long"),
    "an unknown setting": (_appended("memshelf.toml", "[other]\n"), "unknown-setting"),
    "an episode": (_appended(f"docs/topics/{NAME}.md", "\n```\nopen\n"), "open-fence"),
    "an episode that is gone": (
        lambda root: (root / f"docs/topics/{NAME}.md").unlink(),
        "orphan-ledger-row",
    ),
    "a link": (
        lambda root: (root / "docs/topics/2026-01-06-x.md").symlink_to("/etc/hosts"),
        "not-a-file",
    ),
}


@POSIX
@pytest.mark.parametrize("what", CHANGES)
def test_an_examination_sees_every_change_since_the_last(what: str, cli: Cli, store: Store) -> None:
    add(store, episode())
    cli("rebuild", "--shelf", store.root)
    change, code = CHANGES[what]
    for _ in range(2):
        assert code not in cli("doctor", "--shelf", store.root).out
    change(store.root)
    assert code in cli("doctor", "--shelf", store.root).out
