"""The peers open what we write, and we open what they write; the real programs, from PyPI."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Cli, Ran, run_process
from filelock import FileLock
from gitkit import git, put, status
from sitekit import Built
from support import DECISIONS, DIGEST, changed, tree

from memshelf.domain.questions import questions
from memshelf.storage.store import Store

pytestmark = pytest.mark.peers

WANTED = ("memshelf-mcp==0.4.0", "docshelf-mcp==0.5.0", "shelf-spec==0.3.0", "zensical==0.0.73")
NAME = "2026-02-01-new"
Peer = Callable[..., Ran]


@pytest.fixture(scope="session")
def peers() -> Path:
    """The folder with the peers' programs: MEMSHELF_PEERS, else an environment made once in build/."""
    named = os.environ.get("MEMSHELF_PEERS")
    if named:
        return Path(named)
    folder = ROOT / "build" / "peers-0.4.0-0.0.73"
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    folder.parent.mkdir(exist_ok=True)
    with FileLock(str(folder) + ".lock"):
        if not (folder / "complete").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
            python = programs / ("python.exe" if os.name == "nt" else "python")
            pip = [
                str(python),
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                *WANTED,
            ]
            done = subprocess.run(pip, capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"the peers cannot be installed here: {done.stderr[-200:]}")
            (folder / "complete").write_text("\n".join(WANTED))
    return programs


@pytest.fixture
def peer(peers: Path, tmp_path: Path) -> Peer:
    """Run the peer's `memshelf` with a `--shelf`."""
    package = run_process(
        [
            str(peers / "python"),
            "-c",
            "import memshelf_mcp, os; print(os.path.dirname(memshelf_mcp.__file__))",
        ],
        cwd=tmp_path,
    ).out.strip()

    def call(*words: object, shelf: Path) -> Ran:
        environ = {
            "MEMSHELF_CHECKOUT": package,
            "PATH": os.pathsep.join([str(peers), os.environ["PATH"]]),
        }
        return run_process(
            [str(peers / "memshelf"), *map(str, words), "--shelf", str(shelf)],
            cwd=tmp_path,
            environ=environ,
        )

    return call


def findings(ran: Ran, *levels: str) -> list[dict[str, Any]]:
    return [f for f in json.loads(ran.out)["findings"] if f["level"] in levels]


HARD = [
    (
        "topic",
        (
            "--title",
            "Fix: retry \\ loop: part 2 # not a comment",
            "--tag",
            "C#",
            "--tag",
            "no",
            "--tag",
            "1.10",
            "--tag",
            "日本語",
            "--tag",
            "why?",
        ),
        DECISIONS,
    ),
    (
        "topic",
        (
            "--title",
            "Кэш: «Redis» — и точка",
            "--session",
            "run #4: a",
            "--notes",
            'it says "no"',
            "--lang",
            "ru",
        ),
        "- Redis.",
    ),
    (
        "topic",
        ("--title", "👩‍👩‍👧 title\u2028with breaks", "--description", "- not a list: [x]"),
        "```sh\n## not a heading\n```\n\n---\n\nafter",
    ),
    (
        "research",
        (
            "--title",
            "Research <b>one</b>",
            "--retain-until",
            "2027-12-31",
            "--span",
            "2026-01-01..2026-02-03",
        ),
        "| a | b |\n|---|---|\n| 1 | 2 |",
    ),
    (
        "session",
        (
            "--title",
            "Session",
            "--section",
            "Timeline=- 9:00 start",
            "--section",
            "Open threads=- rotate the key",
            "--approx-tokens",
            "41000",
        ),
        "- none",
    ),
    (
        "topic",
        (
            "--closes",
            "2026-02-05-hard/t1",
            "--author",
            "ann",
            "--agent",
            "editor 1.0 (model)",
            "--visibility",
            "team",
            "--op",
            "k-1",
        ),
        "- x",
    ),
    (
        "topic",
        (
            "--supersedes",
            "2026-02-01-hard",
            "--mode",
            "import",
            "--approx-tokens",
            "7",
            "--approx-tokens-source",
            "measured",
        ),
        "- y",
    ),
]


@pytest.fixture
def ours(cli: Cli, store: Store) -> Store:
    """A shelf that we made, with every kind of value that can be written, one amended."""
    for number, (kind, flags, decisions) in enumerate(HARD, 1):
        words = (
            "shelve",
            "--slug",
            f"2026-02-{number:02}-hard",
            "--kind",
            kind,
            "--digest",
            DIGEST,
            "--section",
            f"Decisions={decisions}",
        )
        ran = cli(*words, *flags, "--shelf", store.root)
        assert ran.code == 0, ran.err
    ran = cli(
        "shelve",
        "--amend",
        "--slug",
        "2026-02-02-hard",
        "--tag",
        "amended",
        "--section",
        "Artifacts=file.py",
        "--shelf",
        store.root,
    )
    assert ran.code == 0, ran.err
    assert cli("rebuild", "--commit", "--shelf", store.root).code == 0
    return store


# --- they read ours --------------------------------------------------------------------------


def test_the_peers_doctor_has_no_error_and_no_warning_about_our_shelf(
    peer: Peer, ours: Store
) -> None:
    ran = peer("doctor", shelf=ours.root)
    assert findings(ran, "error") == []
    warned = {f["code"] for f in findings(ran, "warning")}
    assert warned <= {"stale-index"}  # INDEX.md is in our own form there, as shelf.yml says


def test_the_peers_check_passes_on_our_shelf_and_on_a_new_one(
    peer: Peer, ours: Store, cli: Cli, tmp_path: Path
) -> None:
    ran = peer("rebuild", "--check", shelf=ours.root)
    assert (ran.code, json.loads(ran.out)["warnings"]) == (0, []), ran
    cli("init", "--shelf", tmp_path / "new", "--name", 'A "name": # 1')
    assert peer("rebuild", "--check", shelf=tmp_path / "new").code == 0
    assert findings(peer("doctor", shelf=tmp_path / "new"), "error") == []


def test_the_peer_recalls_and_finds_our_episodes(peer: Peer, ours: Store) -> None:
    for number in range(1, len(HARD) + 1):
        name = f"2026-02-{number:02}-hard"
        ran = peer("recall", "--id", name, "--no-log", shelf=ours.root)
        assert ran.code == 0
        path = ours.locate(name)
        assert path and (ours.root / path).read_text("utf-8").strip() in ran.out
        assert (
            DIGEST
            in peer("recall", "--id", name, "--section", "Digest", "--no-log", shelf=ours.root).out
        )
    for query, name in (
        ("Redis retry", "2026-02-01-hard"),
        ("Кэш", "2026-02-02-hard"),
        ("rotate", "2026-02-05-hard"),
    ):
        assert name in peer("search", "--query", query, shelf=ours.root).out
    tags = json.loads(peer("tags", "--json", shelf=ours.root).out)["tags"]
    assert {"C#", "no", "1.10", "日本語", "why?", "amended"} <= set(tags)
    assert peer("stats", shelf=ours.root).code == 0


def test_the_numbers_of_our_shelf_are_the_peers(peer: Peer, ours: Store, cli: Cli) -> None:
    theirs = json.loads(peer("stats", shelf=ours.root).out)
    mine = json.loads(cli("stats", "--json", "--shelf", ours.root).out)
    assert {key: mine[key] for key in theirs if key not in ("note", "capped_note")} == {
        key: value for key, value in theirs.items() if key not in ("note", "capped_note")
    }


@pytest.mark.parametrize("shelf", ["sample", "real_shelf", "peer_shelf"])
def test_the_graph_is_the_peers_with_the_reasons_and_the_front_matter_beside_it(
    peer: Peer, cli: Cli, shelf: str, request: pytest.FixtureRequest
) -> None:
    """Apart from edges of `supersedes` and `closes`, which the peer does not read."""
    store: Store = request.getfixturevalue(shelf)
    for words in ((), ("--section", "decisions")):
        theirs = json.loads(peer("graph", *words, shelf=store.root).out)
        ours = json.loads(cli("graph", *words, "--shelf", store.root).out)
        assert ours["nodes"] == theirs["nodes"]
        named = [edge for edge in ours["edges"] if edge.pop("why") not in ("replaces", "closes")]
        assert named == theirs["edges"]
    diagram = peer("graph", "--format", "mermaid", "--all", shelf=store.root).out.splitlines()
    lines = cli("graph", "--format", "mermaid", "--all", "--shelf", store.root).out.splitlines()
    without = [line for line in lines if not re.search(r'-- "(closes|replaces)" -->', line)]
    assert without[1:] == diagram


@pytest.mark.parametrize("which", ["ours", "new", "peer_shelf"])
def test_the_validator_has_no_error_even_when_strict(
    which: str, peers: Path, cli: Cli, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if which == "new":
        root = tmp_path / "new"
        cli("init", "--shelf", root)
    else:
        root = request.getfixturevalue(which).root
        assert cli("rebuild", "--shelf", root).code == 0
    ran = run_process([str(peers / "shelf-spec"), "validate", "--strict", str(root)], cwd=tmp_path)
    assert ran.code == 0, ran.out + ran.err


def test_after_our_amend_and_rebuild_of_the_peers_shelf_it_is_content(
    peer: Peer, cli: Cli, peer_shelf: Store
) -> None:
    root = peer_shelf.root
    assert findings(peer("doctor", shelf=root), "error", "warning") == []
    cli(
        "shelve",
        "--slug",
        "2026-12-02-ours",
        "--title",
        "Ours: new",
        "--digest",
        DIGEST,
        "--section",
        f"Decisions={DECISIONS}",
        "--shelf",
        root,
    )
    some = sorted(root.glob("docs/topics/*.md"))[0].stem
    cli("shelve", "--amend", "--slug", some, "--tag", "seen", "--shelf", root)
    cli("rebuild", "--commit", "--shelf", root)
    ran = peer("doctor", shelf=root)
    assert findings(ran, "error", "warning") == [], ran.out
    before = tree(root)
    assert peer("rebuild", shelf=root).code == 0
    assert changed(before, tree(root)) <= {"stats.svg"}


# --- we read theirs --------------------------------------------------------------------------


def test_what_the_peer_writes_into_our_shelf_is_read_and_amended(
    peer: Peer, cli: Cli, ours: Store
) -> None:
    before = tree(ours.root)
    ran = peer(
        "shelve",
        "--slug",
        NAME,
        "--kind",
        "topic",
        "--digest",
        DIGEST,
        "--section",
        f"Decisions={DECISIONS}",
        "--session",
        "run #4: a",
        "--tag",
        "release",
        "--tag",
        "#208",
        "--display-title",
        'It says "no": # 1',
        "--notes",
        "a \\ b",
        shelf=ours.root,
    )
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["committed"] is True
    assert changed(before, tree(ours.root)) == {f"docs/topics/{NAME}.md"}
    found = ours.episode(f"docs/topics/{NAME}.md")
    assert (found.session, found.tags, found.display_title, found.notes) == (
        "run #4: a",
        ("release", "#208"),
        'It says "no": # 1',
        "a \\ b",
    )
    assert (found.digest, dict(found.sections)["Decisions"]) == (DIGEST, DECISIONS)
    assert NAME in cli("index", "--shelf", ours.root).out
    assert cli("rebuild", "--commit", "--shelf", ours.root).code == 0
    text = (ours.root / f"docs/topics/{NAME}.md").read_text()
    assert (
        cli("shelve", "--amend", "--slug", NAME, "--notes", "seen", "--shelf", ours.root).code == 0
    )
    after = (ours.root / f"docs/topics/{NAME}.md").read_text()
    assert after == re.sub(r'notes: ".*"', 'notes: "seen"', text)
    assert findings(peer("doctor", shelf=ours.root), "error") == []
    assert [
        f
        for f in json.loads(cli("doctor", "--json", "--shelf", ours.root).out)["findings"]
        if f["level"] == "error"
    ] == []


def test_the_peers_rebuild_and_recalls_on_our_shelf_lose_nothing(
    peer: Peer, cli: Cli, ours: Store
) -> None:
    before = tree(ours.root)
    assert peer("rebuild", shelf=ours.root).code == 0
    assert changed(before, tree(ours.root)) <= {"stats.svg", "INDEX.md"}
    assert tree(ours.root)["ledger.tsv"] == before["ledger.tsv"]
    assert (
        peer("recall", "--id", "2026-02-01-hard", "--section", "Decisions", shelf=ours.root).code
        == 0
    )
    cli("recall", "2026-02-01-hard", "--shelf", ours.root)
    cli("rebuild", "--commit", "--shelf", ours.root)
    assert len((ours.root / "recall-log.tsv").read_text().splitlines()) == 3
    assert json.loads(peer("stats", shelf=ours.root).out)["recalls"] == 2
    assert status(ours.root) == []


def test_a_shelf_that_the_peer_made_is_taken_over_without_a_change(
    peer: Peer, cli: Cli, tmp_path: Path
) -> None:
    root = tmp_path / "theirs"
    assert peer("init", "--name", "Theirs", shelf=root).code == 0
    before = tree(root)
    for words in (("status",), ("doctor",), ("index",), ("rebuild", "--check")):
        assert cli(*words, "--shelf", root).code == 0
    assert tree(root) == before
    ran = cli(
        "shelve",
        "--slug",
        NAME,
        "--digest",
        DIGEST,
        "--section",
        f"Decisions={DECISIONS}",
        "--shelf",
        root,
    )
    assert ran.code == 0, ran.err
    assert json.loads(peer("rebuild", shelf=root).out)["ok"]
    assert cli("rebuild", "--check", "--shelf", root).code == 0
    put(root, "note.txt", "x")
    assert git(root, "status", "--porcelain").count("note.txt") == 1


OLD_FORMS = {
    "docs/topics/2026-01-01-a.md": "# 2026-01-01-a\n\n---\nid: 2026-01-01-a\nkind: topic\ntags: [a]\napprox_tokens: 10\n---\n\n## Digest\nNo date.\n",
    "docs/topics/2026-01-02-b.md": '---\nid: 2026-01-02-other\ndate: 2026-1-2\napprox_tokens: ten\nmode: odd\nnotes: "a \\" b"\ndisplay_title: "T \\u00e9"\n---\n\n## Digest ##\nx\n',
    "docs/topics/2026-01-03-c.md": "---\nid: 2026-01-03-c\ndate: 2026-13-45\nnotes: see: the board # 1\n---\n\n## Digest\na\n```\n## in a fence\n```\nafter\n## Decisions\nx\n",
    "docs/topics/2026-01-04-d.md": "---\nid: 2026-01-04-d\n---\n\n## digest\nlower case\n",
    "docs/topics/2026-01-05-e.md": "no front matter\n\n## Digest\nx y z w v\n",
    "docs/topics/undated.md": "---\nid: undated\napprox_tokens: 3\n---\n\n## Digest\nundated digest text\n",
    "docs/research/2026-01-06-f.md": f'---\nid: 2026-01-06-f\ndescription: "{"word " * 60}"\n---\n\n## Digest\n{"x" * 41}\n\n\n## More\n',
    "docs/research/2026-01-07-g.md": '---\nid: 2026-01-07-g\ndescription: ""\ndisplay_title: ""\napprox_tokens: 007\nmode: import\nnotes: plain  kept\n---\ntext\n## Digest\n  indented  \n',
    "docs/guides/2026-01-08-h.md": '---\nid: 2026-01-08-h\ndate: 2026-01-08\napprox_tokens: 5\ndisplay_title: "Guide"\n---\n\n## Digest\nabcdefgh\n',
    "docs/sessions/2026-01-09-i.md": "---\nid: 2026-01-09-i\nid: 2026-01-09-last\ndate: 2026-01-09 \napprox_tokens: 5 \n---\n\n## Digest\nlast wins\n",
    "docs/sessions/2026-01-12-l.md": '---\nid: 2026-01-12-l\ndate: 2026-01-12\ndescription: "tail ,;:\u2014-  "\n---\n## Digest\r\n日本語 and é\r\n\r\n## Next\n',
    "archive/docs/topics/2025-01-01-z.md": "---\nid: 2025-01-01-z\ndate: 2025-01-01\napprox_tokens: 7\n---\n\n## Digest\narchived text here\n",
}


def test_a_shelf_of_old_forms_renders_to_the_peers_bytes(
    peer: Peer, cli: Cli, tmp_path: Path
) -> None:
    root = tmp_path / "old"
    assert peer("init", "--name", "Old", shelf=root).code == 0
    for path, text in OLD_FORMS.items():
        put(root, path, text)
    assert peer("rebuild", shelf=root).code == 0
    before = tree(root)
    cli("rebuild", "--shelf", root)
    assert changed(before, tree(root)) <= {"stats.svg", "archive/INDEX.md"}


# --- reports ---------------------------------------------------------------------------------


def test_the_tags_are_the_peers_to_the_byte_where_no_spelling_differs(
    peer: Peer, cli: Cli, sample: Store
) -> None:
    assert cli("tags", "--shelf", sample.root).out == peer("tags", shelf=sample.root).out
    ours = json.loads(cli("tags", "--json", "--shelf", sample.root).out)
    theirs = json.loads(peer("tags", "--json", shelf=sample.root).out)
    assert {key: ours[key] for key in theirs} == theirs
    assert list(ours["tags"]) == list(theirs["tags"])


# --- the builder that comes after MkDocs -------------------------------------------------------


def test_zensical_builds_the_pages_of_an_exported_site(
    peers: Path, sample: Store, cli: Cli, tmp_path: Path
) -> None:
    if not (peers / "zensical").exists():
        pytest.skip("zensical is not among the peers here")
    assert cli("export", "site", tmp_path / "made", "--shelf", sample.root).code == 0
    ran = run_process([str(peers / "zensical"), "build"], cwd=tmp_path / "made")
    assert ran.code == 0, ran.err
    site = Built(tmp_path / "made" / "site")
    assert len(site.pages) > len(sample.read().entries) and site.broken() == []
    page = site.pages["topics/2026-01-05-rollup-2025q4.html"]
    assert {"digest", "decisions", "d1", "open-threads", "t1", "around"} <= set(page.ids)


def test_a_file_of_search_bench_is_read_as_the_peer_reads_it(peers: Path, tmp_path: Path) -> None:
    path = tmp_path / "queries.tsv"
    text = "# ours\n\n redis | limits \t 2026-01-05-cache \nлимиты\tdocs/topics/2026\n#x\ty\n"
    path.write_text(text, "utf-8")
    script = "import json; from memshelf_mcp.cli import _read_bench_queries as read\n"
    script += f"print(json.dumps(read({str(path)!r})))"
    theirs = json.loads(run_process([str(peers / "python"), "-c", script], cwd=tmp_path).out)
    ours = questions(path.read_text("utf-8"), path.name)
    assert theirs and theirs == [[q.text, *q.expected] for q in ours]
