"""Shelves by other hands are read whole, and stay as they are."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import Cli, commit_all
from gitkit import git, status
from markdown_it import MarkdownIt
from support import DECISIONS, DIGEST, changed, tree

import memshelf
from memshelf.domain.text import budget_tokens
from memshelf.storage.store import Store

pytestmark = pytest.mark.shared


@pytest.fixture(params=["real_shelf", "peer_shelf"])
def theirs(request: pytest.FixtureRequest) -> Store:
    found: Store = request.getfixturevalue(request.param)
    return found


def test_a_check_passes_and_a_rebuild_changes_no_byte_but_those_of_the_chart(
    cli: Cli, theirs: Store
) -> None:
    before = tree(theirs.root)
    ran = cli("rebuild", "--check", "--json", "--shelf", theirs.root)
    assert (ran.code, json.loads(ran.out)["drifted"]) == (0, [])
    assert cli("rebuild", "--shelf", theirs.root).code == 0
    assert changed(before, tree(theirs.root)) <= {"stats.svg"}
    assert cli("rebuild", "--check", "--shelf", theirs.root).code == 0


def test_derived_files_that_are_gone_come_back_byte_for_byte(cli: Cli, theirs: Store) -> None:
    before = tree(theirs.root)
    for name in before:
        if name.endswith((".meta.json", "INDEX.md", "ledger.tsv")):
            (theirs.root / name).unlink()
    cli("rebuild", "--shelf", theirs.root)
    assert changed(before, tree(theirs.root)) <= {"stats.svg"}


def test_doctor_has_no_error_and_warns_of_long_titles_alone(cli: Cli, theirs: Store) -> None:
    data = json.loads(cli("doctor", "--json", "--shelf", theirs.root).out)
    assert data["errors"] == 0, data["findings"]
    assert {f["code"] for f in data["findings"] if f["level"] != "info"} <= {"long-title"}
    assert data["episodes_checked"] == len(list(theirs.root.rglob("docs/*/*.md")))


def test_every_episode_is_recalled_whole_and_by_each_section(cli: Cli, theirs: Store) -> None:
    markdown = MarkdownIt("commonmark")
    paths = sorted(theirs.root.rglob("docs/*/*.md"))
    assert len(paths) in (6, 14)
    for path in paths:
        text = path.read_text("utf-8")
        whole = cli("recall", path.stem, "--budget", "0", "--no-log", "--shelf", theirs.root)
        assert whole.out.split("\n", 1)[1].rsplit("\n", 2)[0].rstrip("\n") == text.rstrip("\n")
        names = theirs.document(path.relative_to(theirs.root).as_posix()).names
        tokens = markdown.parse(text[text.index("\n---\n", text.index("---")) + 5 :])
        headings = [
            tokens[n + 1].content
            for n, t in enumerate(tokens)
            if t.type == "heading_open" and t.tag == "h2"
        ]
        assert list(names) == headings
        parts = []
        for name in names:
            ran = cli("recall", path.stem, "--section", name, "--no-log", "--shelf", theirs.root)
            assert ran.code == 0
            parts.append(ran.out.split("\n", 2)[2].rsplit("\n", 2)[0].strip())
        for part in parts:
            assert part in text
        rest = text
        for name, part in zip(names, parts, strict=True):
            assert rest.count(part) >= 1
            rest = rest.replace(part, "", 1).replace(f"## {name}", "", 1)
        assert len([row for row in rest.splitlines() if row.strip()]) <= 20  # front matter and H1


def test_every_view_works_and_nothing_is_written(cli: Cli, theirs: Store) -> None:
    before = tree(theirs.root)
    for words in (
        ("index",),
        ("threads", "--state", "all"),
        ("stats",),
        ("status",),
        ("search", "memshelf"),
        ("search", "решение"),
        ("retro", "--all"),
        ("decisions", "--state", "all"),
        ("tags",),
        ("graph", "--format", "markdown"),
        ("export", "html"),
        ("export", "json"),
    ):
        ran = cli(*words, "--shelf", theirs.root)
        assert ran.code == 0, ran.err
    assert budget_tokens(cli("index", "--shelf", theirs.root).out) <= 2500
    assert tree(theirs.root) == before
    assert status(theirs.root) == []


def test_an_amend_of_any_of_their_episodes_changes_only_what_it_names(
    cli: Cli, theirs: Store
) -> None:
    for path in sorted(theirs.root.rglob("docs/*/*.md")):
        name = path.relative_to(theirs.root).as_posix()
        before = path.read_text("utf-8")
        ran = cli(
            "shelve", "--amend", "--slug", path.stem, "--notes", "seen", "--shelf", theirs.root
        )
        assert ran.code == 0, ran.err
        after = path.read_text("utf-8")
        kept = [row for row in before.split("\n") if not row.startswith("notes:")]
        assert [row for row in after.split("\n") if not row.startswith("notes:")] == kept, name
        assert after.count('\nnotes: "seen"\n') == 1
    assert status(theirs.root) == []


def test_on_their_shelf_a_write_leaves_the_derived_files_to_whoever_renders_them(
    cli: Cli, theirs: Store
) -> None:
    before = tree(theirs.root)
    ran = cli(
        "shelve",
        "--slug",
        "2026-12-02-ours",
        "--digest",
        DIGEST,
        "--section",
        f"Decisions={DECISIONS}",
        "--shelf",
        theirs.root,
    )
    assert ran.code == 0, ran.err
    assert changed(before, tree(theirs.root)) == {"docs/topics/2026-12-02-ours.md"}
    assert git(theirs.root, "show", "--format=%s", "--name-only", "HEAD").split("\n") == [
        "shelve: 2026-12-02-ours",
        "",
        "docs/topics/2026-12-02-ours.md",
    ]


@pytest.mark.parametrize("fixture", ["memshelf_like", "docshelf_like"])
def test_the_validators_own_fixtures_are_opened(
    fixture: str, cli: Cli, shared: Path, tmp_path: Path
) -> None:
    source = shared / "data/shelf-spec/tests/fixtures" / fixture
    shutil.copytree(source, tmp_path / fixture)
    commit_all(tmp_path / fixture)
    before = tree(tmp_path / fixture)
    for words in (
        ("index",),
        ("stats",),
        ("status",),
        ("threads",),
        ("doctor",),
        ("rebuild", "--check"),
    ):
        ran = cli(*words, "--shelf", tmp_path / fixture)
        assert ran.code in (0, 1) and "Traceback" not in ran.err, ran.err
    for path in sorted((tmp_path / fixture).rglob("docs/*/*.md")):
        assert cli("recall", path.stem, "--shelf", tmp_path / fixture).code == 0
    assert changed(before, tree(tmp_path / fixture)) == set()


def test_the_example_manifests_are_read(shared: Path, tmp_path: Path) -> None:
    for manifest in sorted((shared / "data/shelf-spec/spec/examples").rglob("shelf.yml")):
        folder = tmp_path / manifest.parent.name
        shutil.copytree(manifest.parent, folder)
        assert memshelf.open_shelf(folder).config.name


@pytest.mark.parametrize("form", ["crlf", "bom"])
def test_a_shelf_of_another_editor_renders_to_the_same_bytes(
    form: str, cli: Cli, theirs: Store, tmp_path: Path
) -> None:
    twin = tmp_path / "twin"
    shutil.copytree(theirs.root, twin, ignore=shutil.ignore_patterns(".git"))
    for path in twin.rglob("docs/*/*.md"):
        data = path.read_bytes()
        path.write_bytes(data.replace(b"\n", b"\r\n") if form == "crlf" else b"\xef\xbb\xbf" + data)
    for name in [*twin.rglob("ledger.tsv"), *twin.rglob("INDEX.md"), *twin.rglob(".meta.json")]:
        name.unlink()
    cli("rebuild", "--shelf", twin)
    for name in ("ledger.tsv", "INDEX.md", "docs/topics/.meta.json"):
        assert (twin / name).read_bytes() == (theirs.root / name).read_bytes(), name
