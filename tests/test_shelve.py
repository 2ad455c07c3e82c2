from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from gitkit import git, hook, put, status
from support import DECISIONS, DIGEST, add, changed, episode, tree

import memshelf
from memshelf.domain.episode import Document, parse_episode
from memshelf.storage.store import Store

NAME = "2026-02-01-new"
PATH = f"docs/topics/{NAME}.md"
SHELVE = ("shelve", "--slug", NAME, "--digest", DIGEST, "--section", f"Decisions={DECISIONS}")


def shelve(cli: Cli, store: Store, *flags: str) -> dict[str, Any]:
    ran = cli(*SHELVE, *flags, "--json", "--shelf", store.root)
    assert ran.code == 0, ran.err
    return dict(json.loads(ran.out))


def files_of(store: Store, commit: str) -> list[str]:
    return git(store.root, "show", "--format=", "--name-only", commit).split()


# --- the file and its commit -----------------------------------------------------------------


def test_the_file_is_written_as_the_format_says(cli: Cli, store: Store) -> None:
    shelve(
        cli,
        store,
        "--title",
        "Cache: Redis # 1",
        "--description",
        'It says "no".',
        "--tag",
        "cache",
        "--tag",
        "C#",
        "--tag",
        "no",
        "--session",
        "run #4",
        "--approx-tokens",
        "41000",
        "--notes",
        "a\tb\nc",
        "--retain-until",
        "2027-01-01",
        "--section",
        "Zeta=z",
        "--section",
        "Artifacts=a.py",
    )
    assert (store.root / PATH).read_bytes().decode() == (
        f'---\nid: {NAME}\nkind: topic\nsession: "run #4"\nspan: 2026-02-01\ndate: 2026-02-01\nretain_until: 2027-01-01\n'
        'display_title: "Cache: Redis # 1"\ndescription: "It says \\"no\\"."\ntags: [cache, "C#", "no"]\napprox_tokens: 41000\n'
        'approx_tokens_source: estimate\nmode: live\nnotes: "a b c"\n---\n\n# Cache: Redis # 1\n\n'
        f"## Digest\n{DIGEST}\n\n## Decisions\n{DECISIONS}\n\n## Artifacts\na.py\n\n## Zeta\nz\n"
    )


def test_saved_means_in_head_one_commit_with_exactly_its_file(cli: Cli, store: Store) -> None:
    answer = shelve(cli, store)
    assert answer["committed"] is True
    assert files_of(store, answer["commit"]) == [PATH]
    assert git(store.root, "log", "-1", "--format=%s", answer["commit"]) == f"shelve: {NAME}"
    assert git(store.root, "show", f"HEAD:{PATH}") + "\n" == (store.root / PATH).read_text()
    assert status(store.root) == []


def test_what_is_staged_stays_staged_and_stays_out(cli: Cli, store: Store) -> None:
    put(store.root, "draft.txt", "draft")
    git(store.root, "add", "draft.txt")
    put(store.root, "scratch.txt", "scratch")
    assert files_of(store, shelve(cli, store)["commit"]) == [PATH]
    assert status(store.root) == ["A  draft.txt", "?? scratch.txt"]


def test_without_a_commit_the_file_lies_there_and_the_answer_says_so(
    cli: Cli, store: Store
) -> None:
    head = git(store.root, "rev-parse", "HEAD")
    answer = shelve(cli, store, "--no-commit")
    assert git(store.root, "rev-parse", "HEAD") == head
    assert (answer["committed"], answer["commit"]) == (False, None)
    assert (store.root / PATH).is_file()
    assert any("not committed" in text for text in answer["warnings"])


@pytest.mark.parametrize("how", ["no git", "setting"])
def test_a_plain_shelf_works_and_says_that_it_keeps_no_history(
    how: str, cli: Cli, tmp_path: Path
) -> None:
    root = tmp_path / "plain"
    cli("init", "--shelf", root, "--storage", "plain" if how == "no git" else "git-local")
    if how == "setting":
        put(root, "memshelf.toml", '[shelf]\nstorage = "plain"\n')
        git(root, "add", "-A")
        git(root, "commit", "-qm", "x")
    store = memshelf.open_shelf(root)
    answer = shelve(cli, store)
    assert (answer["committed"], (root / ".git").exists()) == (False, how == "setting")
    assert any("no history" in text for text in answer["warnings"])
    assert cli("shelve", "--amend", "--slug", NAME, "--tag", "x", "--shelf", root).code == 0
    for verb in (("recall", NAME), ("doctor",), ("rebuild",), ("status",), ("search", "redis")):
        assert cli(*verb, "--shelf", root).code == 0
    if how == "setting":
        assert [row for row in status(root) if PATH in row] == [f"?? {PATH}"]


def test_a_shelf_that_is_a_folder_of_a_repository_commits_its_one_path_there(
    cli: Cli, tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q", "work")
    work = tmp_path / "work"
    put(work, "code.py", "x = 1\n")
    git(work, "add", ".")
    git(work, "commit", "-qm", "begin")
    put(work, "code.py", "x = 2\n")
    git(work, "add", "code.py")
    assert cli("init", "--shelf", work / "notes" / "shelf").code == 0
    store = memshelf.open_shelf(work / "notes" / "shelf")
    answer = shelve(cli, store)
    assert files_of(store, answer["commit"]) == [f"notes/shelf/{PATH}"]
    assert not (store.root / ".git").exists()
    assert status(work) == ["M  code.py"]
    assert cli("status", "--shelf", store.root).code == 0


# --- what is filled in -----------------------------------------------------------------------


def test_the_description_is_the_digests_first_sentence_within_120_characters(
    cli: Cli, store: Store
) -> None:
    shelve(cli, store)
    assert (
        store.episode(PATH).description == "Redis was chosen for the cache; memcached was rejected."
    )
    long = "Decided that " + "word " * 50 + "stays. Open: x."
    cli(
        "shelve",
        "--slug",
        "2026-02-02-b",
        "--digest",
        long,
        "--section",
        "Decisions=x",
        "--shelf",
        store.root,
    )
    found = store.episode("docs/topics/2026-02-02-b.md").description
    assert len(found) <= 120 and found.endswith("…") and not found.endswith(" …")


def test_a_long_description_is_cut_with_a_warning(cli: Cli, store: Store) -> None:
    answer = shelve(cli, store, "--description", "word " * 60)
    assert len(store.episode(PATH).description) <= 120
    assert any("120" in text for text in answer["warnings"])


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        ((), (0, "unmeasured")),
        (("--approx-tokens", "5"), (5, "estimate")),
        (("--approx-tokens", "5", "--approx-tokens-source", "measured"), (5, "measured")),
    ],
)
def test_where_the_tokens_come_from_is_kept(
    flags: tuple[str, ...], wanted: tuple[int, str], cli: Cli, store: Store
) -> None:
    shelve(cli, store, *flags)
    found = store.episode(PATH)
    assert (found.approx_tokens, found.approx_tokens_source) == wanted


def test_date_and_span_come_from_the_slug_unless_given(cli: Cli, store: Store) -> None:
    shelve(cli, store)
    assert (store.episode(PATH).date, store.episode(PATH).span) == ("2026-02-01", "2026-02-01")
    cli(
        "shelve",
        "--slug",
        "2026-02-02-b",
        *SHELVE[3:],
        "--date",
        "2026-03-01",
        "--span",
        "2026-01-01..2026-02-02",
        "--shelf",
        store.root,
    )
    found = store.episode("docs/topics/2026-02-02-b.md")
    assert (found.date, found.span) == ("2026-03-01", "2026-01-01..2026-02-02")


def test_the_ledger_row_in_the_answer_is_the_one_that_the_rebuild_writes(
    cli: Cli, store: Store
) -> None:
    answer = shelve(cli, store, "--approx-tokens", "41000", "--notes", "see the board")
    assert answer["ledger_row"] in (store.root / "ledger.tsv").read_text().splitlines()


def test_warnings_of_the_digest_do_not_block(cli: Cli, store: Store) -> None:
    ran = cli(
        "shelve",
        "--slug",
        NAME,
        "--digest",
        "It compares Redis with memcached.",
        "--section",
        "Decisions=x",
        "--json",
        "--shelf",
        store.root,
    )
    assert ran.code == 0
    assert set(json.loads(ran.out)["digest_warnings"]) == {"referent-bare", "thin"}


@pytest.mark.parametrize(
    ("kind", "sections", "missing"),
    [
        ("topic", ["Notes=x"], "Decisions"),
        ("session", ["Timeline=x"], "Open threads"),
        ("session", ["Open threads=x"], "Timeline"),
        ("research", [], "section"),
    ],
)
def test_each_kind_needs_its_sections(
    kind: str, sections: list[str], missing: str, cli: Cli, store: Store
) -> None:
    flags = [word for section in sections for word in ("--section", section)]
    ran = cli(
        "shelve", "--slug", NAME, "--kind", kind, "--digest", DIGEST, *flags, "--shelf", store.root
    )
    assert ran.code == 1 and missing in ran.err
    assert status(store.root) == []


def test_each_kind_has_its_folder(cli: Cli, store: Store) -> None:
    for kind, folder, sections in (
        ("topic", "topics", ["Decisions=x"]),
        ("research", "research", ["Notes=x"]),
        ("session", "sessions", ["Timeline=x", "Open threads=none"]),
    ):
        flags = [word for section in sections for word in ("--section", section)]
        ran = cli(
            "shelve",
            "--slug",
            f"2026-02-01-{kind}",
            "--kind",
            kind,
            "--digest",
            DIGEST,
            *flags,
            "--json",
            "--shelf",
            store.root,
        )
        assert json.loads(ran.out)["address"] == f"docs/{folder}/2026-02-01-{kind}.md"
    assert cli("doctor", "--shelf", store.root).code == 0


def test_all_faults_are_told_at_once(cli: Cli, store: Store) -> None:
    ran = cli(
        "shelve",
        "--slug",
        NAME,
        "--digest",
        "We did.",
        "--date",
        "2026-13-40",
        "--tag",
        "a,b",
        "--shelf",
        store.root,
    )
    for word in ("referent-we", "date", "tag", "Decisions"):
        assert word in ran.err


# --- what is taken ---------------------------------------------------------------------------


def test_a_title_is_taken_once_in_its_category(cli: Cli, store: Store) -> None:
    shelve(cli, store, "--title", "Cache")
    again = (
        "shelve",
        "--slug",
        "2026-02-02-b",
        *SHELVE[3:],
        "--title",
        "Cache",
        "--shelf",
        store.root,
    )
    ran = cli(*again)
    assert ran.code == 1 and PATH in ran.err
    assert cli(*again, "--kind", "research").code == 0


def test_a_title_that_was_written_by_hand_is_taken_too_once_it_was_seen(
    cli: Cli, store: Store
) -> None:
    add(store, episode(title="By hand"))
    cli("rebuild", "--shelf", store.root)
    assert cli(*SHELVE, "--title", "By hand", "--shelf", store.root).code == 1


def test_a_slug_that_was_changed_into_an_id_is_told(cli: Cli, store: Store) -> None:
    ran = cli(
        "shelve", "--slug", "2026-02-01-Ёлка and Café", *SHELVE[3:], "--json", "--shelf", store.root
    )
    answer = json.loads(ran.out)
    assert answer["address"] == "docs/topics/2026-02-01-elka-and-cafe.md"
    assert any("2026-02-01-elka-and-cafe" in text for text in answer["warnings"])


# --- secrets ---------------------------------------------------------------------------------

TOKEN = "gh" + "p_" + "a1B2" * 9


@pytest.mark.parametrize(
    "flags",
    [
        ("--title", f"use {TOKEN}"),
        ("--description", f"use {TOKEN}"),
        ("--tag", TOKEN),
        ("--notes", TOKEN),
        ("--session", TOKEN),
        ("--section", f"Notes=use {TOKEN}"),
        ("--section", f"{TOKEN}=text"),
        ("--author", TOKEN),
        ("--agent", TOKEN),
        ("--op", TOKEN),
        ("--slug", f"2026-02-01-{TOKEN}"),
        ("--closes", TOKEN),
        ("--lang", TOKEN),
    ],
    ids=lambda flags: flags[0],
)
def test_no_field_lets_a_secret_into_a_commit(
    flags: tuple[str, ...], cli: Cli, store: Store
) -> None:
    words = ("shelve", *SHELVE[3:]) if flags[0] == "--slug" else SHELVE
    ran = cli(*words, *flags, "--json", "--shelf", store.root)
    for data in tree(store.root, leave=()).values():
        assert TOKEN.encode() not in data
        assert TOKEN.lower().encode() not in data
    assert TOKEN not in git(store.root, "log", "--all", "-p")
    assert TOKEN not in ran.out + ran.err
    if ran.code == 0:
        assert json.loads(ran.out)["redaction"]["total"] == 1


def test_a_secret_in_the_digest_is_masked_and_counted(cli: Cli, store: Store) -> None:
    ran = cli(
        "shelve",
        "--slug",
        NAME,
        "--digest",
        f"Decided to use {TOKEN}.",
        "--section",
        "Decisions=x",
        "--json",
        "--shelf",
        store.root,
    )
    assert ran.code == 0, ran.err
    redaction = json.loads(ran.out)["redaction"]
    assert redaction == {
        "total": 1,
        "counts": {"github-token": 1},
        "summary": "redacted 1 (github-token×1)",
    }
    assert "«redacted:github-token»" in store.episode(PATH).digest
    assert "«redacted:github-token»" in store.episode(PATH).description


def test_the_shelfs_own_patterns_mask_too_and_a_broken_one_is_a_warning(
    cli: Cli, store: Store
) -> None:
    put(store.root, "POLICY.patterns", "ticket  T-[0-9]{4}\nbroken (\n")
    git(store.root, "commit", "-qam", "policy")
    answer = shelve(cli, store, "--notes", "see T-1234")
    assert store.episode(PATH).notes == "see «redacted:ticket»"
    assert answer["redaction"]["counts"] == {"ticket": 1}
    assert "policy-pattern" in cli("doctor", "--shelf", store.root).out


# --- derived files after a write -------------------------------------------------------------


def test_after_a_write_the_derived_files_are_rendered_in_a_commit_of_their_own(
    cli: Cli, store: Store
) -> None:
    answer = shelve(cli, store)
    derived = files_of(store, "HEAD")
    assert git(store.root, "rev-parse", "HEAD~1") == answer["commit"]
    assert PATH not in derived and {"INDEX.md", "ledger.tsv", "stats.svg"} <= set(derived)
    assert cli("rebuild", "--check", "--shelf", store.root).code == 0


def test_where_rebuild_is_manual_only_the_episode_is_written_and_the_next_step_is_told(
    cli: Cli, store: Store
) -> None:
    put(store.root, "memshelf.toml", '[shelf]\nrebuild = "manual"\n')
    git(store.root, "commit", "-qam", "manual")
    before = tree(store.root)
    answer = shelve(cli, store)
    assert changed(before, tree(store.root)) == {PATH}
    assert git(store.root, "rev-parse", "HEAD") == answer["commit"]
    assert "rebuild" in answer["next"]
    assert answer["shelf_totals"]["derived_stale"] is True
    assert "2026-02-01-new" in cli("index", "--shelf", store.root).out


@pytest.mark.parametrize("staged", [False, True])
def test_modified_derived_files_never_block_a_write(staged: bool, cli: Cli, store: Store) -> None:
    for name in ("INDEX.md", "ledger.tsv"):
        put(store.root, name, "by hand\n")
    put(store.root, "docs/topics/.meta.json", "{}")
    if staged:
        git(store.root, "add", "-A")
    shelve(cli, store)
    assert cli("rebuild", "--check", "--shelf", store.root).code == 0


def test_a_chart_that_cannot_be_drawn_does_not_lose_the_episode(cli: Cli, store: Store) -> None:
    (store.root / "stats.svg").mkdir()
    ran = cli(*SHELVE, "--json", "--shelf", store.root)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["committed"] is True
    assert any("stats.svg" in text for text in json.loads(ran.out)["warnings"])


def test_the_python_face_shelves_the_same_way(store: Store) -> None:
    done = memshelf.shelve(
        store, slug=NAME, digest=DIGEST, sections={"Decisions": DECISIONS}, tags=("x",)
    )
    assert (done.address, done.committed) == (PATH, True)
    assert parse_episode((store.root / PATH).read_text()).tags == ("x",)
    assert Document.of((store.root / PATH).read_text()).names == ("Digest", "Decisions")


def test_a_hook_that_refuses_the_derived_files_leaves_the_episode_and_the_next_step(
    cli: Cli, store: Store
) -> None:
    hook(
        store.root,
        "pre-commit",
        "git diff --cached --name-only | grep -q INDEX.md && exit 1; exit 0",
    )
    before = tree(store.root)
    answer = shelve(cli, store)
    assert answer["committed"] is True
    assert any("not rendered" in text for text in answer["warnings"])
    assert "memshelf rebuild" in answer["next"]
    assert changed(before, tree(store.root)) == {PATH}
    assert status(store.root) == []


def test_a_folder_beside_an_episode_is_left_alone(cli: Cli, store: Store) -> None:
    shelve(cli, store)
    put(store.root, f"docs/topics/{NAME}/part.md", "keep")
    ran = cli("shelve", "--amend", "--slug", NAME, "--tag", "x", "--shelf", store.root)
    assert ran.code == 0
    assert (store.root / f"docs/topics/{NAME}/part.md").read_text() == "keep"


def test_an_empty_span_or_date_is_none_given(cli: Cli, store: Store) -> None:
    shelve(cli, store, "--span", "", "--date", "")
    found = store.episode(PATH)
    assert (found.date, found.span) == ("2026-02-01", "2026-02-01")
