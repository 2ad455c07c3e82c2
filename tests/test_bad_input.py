"""Whatever is wrong: a sentence that names the file and the fix, nothing written, the rest served."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Cli, Ran
from gitkit import POSIX, git, put, status, without_privilege
from support import DIGEST, SHELVE, add, changed, episode, put_bytes, tree

from memshelf.storage.store import Store

READING = (
    *(("recall", "2026-01-05-cache"), ("search", "redis"), ("index",), ("threads",), ("stats",)),
    *(("status",), ("doctor",), ("rebuild", "--check"), ("export", "html")),
)
WRITING = (SHELVE, ("rebuild",), ("rebuild", "--commit"), ("rebuild", "--adopt"))
EVERY = READING + WRITING
VERB_NAMES = [" ".join(words[:2]) for words in EVERY]


def said(ran: Ran, *words: str) -> None:
    """One complaint in words: no traceback, no exit code of a bug, the words in it."""
    assert "Traceback" not in ran.err + ran.out
    assert ran.code in (1, 2, 3), ran
    for word in words:
        assert word in ran.err + ran.out, (word, ran.err + ran.out)


@pytest.fixture
def filled(store: Store) -> Store:
    """A shelf with one good episode."""
    add(store, episode())
    return store


# --- no shelf, broken shelf ------------------------------------------------------------------


@pytest.mark.parametrize("verb", EVERY, ids=VERB_NAMES)
@pytest.mark.parametrize("kind", ["missing", "empty", "file"])
def test_a_path_that_is_no_shelf_is_refused_and_stays_as_it_is(
    verb: tuple[str, ...], kind: str, cli: Cli, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    if kind == "empty":
        there.mkdir()
    elif kind == "file":
        there.write_text("x")
    before = sorted(tmp_path.rglob("*"))
    ran = cli(*verb, "--shelf", there)
    said(ran, str(there), "memshelf init" if kind != "file" else "")
    assert ran.code == (3 if verb[0] == "doctor" else 1)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("verb", EVERY, ids=VERB_NAMES)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("shelf.yml", "name: [open\nmode: single\n"),
        ("shelf.yml", "- a\n- b\n"),
        (".docshelf.json", '{"name": "x",'),
        (".docshelf.json", "[1]"),
        ("memshelf.toml", "[shelf\n"),
        ("memshelf.toml", '[shelf]\nrebuild = "sometimes"\n'),
        ("memshelf.toml", "shelf = 3\n"),
    ],
)
def test_a_broken_file_that_says_what_the_shelf_is_is_named(
    verb: tuple[str, ...], name: str, text: str, cli: Cli, filled: Store
) -> None:
    put(filled.root, name, text)
    before = tree(filled.root)
    ran = cli(*verb, "--shelf", filled.root)
    assert "Traceback" not in ran.err
    if verb[0] == "recall" and ran.code == 0:  # one file needs none of them
        return
    said(ran, name)
    assert ran.code == (3 if verb[0] == "doctor" else 1)
    assert changed(before, tree(filled.root)) == set()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("shelf.yml", b"name: \xff\xfe\n"),
        (".docshelf.json", b'{"name": "\xff"}'),
        ("memshelf.toml", b"# \xff\n"),
        (".docshelf.json", b'{"name": [1], "category_order": 3, "preamble": {}}'),
        ("shelf.yml", b"name: {a: b}\ncategories: 3\nindex: x\n"),
        ("memshelf.toml", b'redact = 3\nlimits = "x"\nidentities = 1\n'),
        (".docshelf.json", b'{"category_order": [[1], {"a": 2}]}'),
        (".docshelf.json", b"[" * 100_000),
        ("shelf.yml", b"a: " + b"[" * 100_000),
        ("shelf.yml", b"a: &a [x]\nb: [" + b"*a, " * 5 + b"]\n"),
        ("POLICY.patterns", b"KIND (unclosed\nlonely\n\xff\n"),
        ("ledger.tsv", b"\xff\xfe\x00"),
        ("recall-log.tsv", b"\xff\n\xff\t\t1\nx\ty\t99999999999999999999\n"),
        ("docs/topics/.meta.json", b"{broken"),
        ("docs/topics/.meta.json", b"[1]"),
        ("stats.svg", b"\xff<svg"),
    ],
)
def test_odd_values_in_side_files_never_end_in_a_traceback(
    name: str, data: bytes, cli: Cli, filled: Store
) -> None:
    put_bytes(filled.root / name, data)
    for verb in (*READING, SHELVE, ("rebuild",)):
        ran = cli(*verb, "--shelf", filled.root)
        assert ran.code in (0, 1, 3), (verb, ran.err)
        assert "Traceback" not in ran.err


# --- one bad episode among good ones ---------------------------------------------------------


BAD: dict[str, tuple[bytes, str]] = {
    "not UTF-8": (episode("2026-01-07-bad").encode().replace(b"Redis", b"R\xff\xfe"), "not-utf8"),
    "UTF-16": (episode("2026-01-07-bad").encode("utf-16"), "not-utf8"),
    "an unbalanced list": (
        episode("2026-01-07-bad").replace("[cache, infra]", '[a, "b').encode(),
        "frontmatter-unreadable",
    ),
    "no front matter": (b"# Only a heading\n\n## Digest\nx\n", "no-frontmatter"),
    "front matter that never ends": (
        b"---\nid: 2026-01-07-bad\n\n## Digest\nx\n",
        "unclosed-frontmatter",
    ),
    "a merge conflict": (
        episode("2026-01-07-bad").encode() + b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n",
        "merge-conflict",
    ),
    "an anchor bomb": (
        b"---\na: &a [x, x]\nb: [*a, *a]\n---\n\n## Digest\nx\n",
        "frontmatter-refused",
    ),
    "front matter of 70 KB": (
        b'---\nid: 2026-01-07-bad\nnotes: "' + b"x" * 70_000 + b'"\n---\n',
        "frontmatter-too-large",
    ),
}


@pytest.mark.parametrize("what", [*BAD, pytest.param("a link", marks=POSIX)])
def test_a_bad_episode_is_named_and_hides_no_other(what: str, cli: Cli, filled: Store) -> None:
    bad = filled.root / "docs/topics/2026-01-07-bad.md"
    data, code = BAD.get(what, (b"", "not-a-file"))
    if what == "a link":
        bad.symlink_to("/etc/hostname")
    else:
        put_bytes(bad, data)
    shelf = ("--shelf", filled.root)
    assert cli("recall", "2026-01-05-cache", *shelf).code == 0
    assert "2026-01-05-cache" in cli("search", "redis cache", *shelf).out
    assert "2026-01-05-cache" in cli("index", *shelf).out
    doctor = cli("doctor", *shelf)
    said(doctor, code, "docs/topics/2026-01-07-bad.md")
    assert doctor.code == 1
    rebuilt = cli("rebuild", *shelf)
    said(rebuilt, "docs/topics/2026-01-07-bad.md")
    assert "2026-01-05-cache" in (filled.root / "ledger.tsv").read_text()
    assert cli("rebuild", "--check", *shelf).code == 1
    assert "/etc/hostname" not in cli("recall", "2026-01-07-bad", *shelf).out


@pytest.mark.parametrize(
    "what",
    ["not UTF-8", "an unbalanced list", "a merge conflict", "no front matter", "an anchor bomb"],
)
def test_a_bad_episode_is_not_amended(what: str, cli: Cli, filled: Store) -> None:
    path = "docs/topics/2026-01-07-bad.md"
    put_bytes(filled.root / path, BAD[what][0])
    git(filled.root, "add", "-A")
    git(filled.root, "commit", "-qm", "bad")
    before = tree(filled.root)
    said(
        cli("shelve", "--amend", "--slug", "2026-01-07-bad", "--tag", "x", "--shelf", filled.root),
        path,
    )
    supersede = (*SHELVE, "--supersedes", "2026-01-07-bad", "--shelf", filled.root)
    said(cli(*supersede), path)
    assert changed(before, tree(filled.root)) == set()
    assert status(filled.root) == []


def test_recall_says_why_a_file_cannot_be_shown(cli: Cli, filled: Store) -> None:
    put_bytes(filled.root / "docs/topics/2026-01-07-bad.md", BAD["not UTF-8"][0])
    said(cli("recall", "2026-01-07-bad", "--shelf", filled.root), "2026-01-07-bad.md", "UTF-8")
    put_bytes(filled.root / "docs/topics/2026-01-07-bad.md", BAD["a merge conflict"][0])
    said(cli("recall", "2026-01-07-bad", "--shelf", filled.root), "2026-01-07-bad.md", "merge")


def test_an_id_in_two_files_is_found_and_makes_no_double_row(cli: Cli, filled: Store) -> None:
    add(filled, episode(), "docs/topics/2026-01-06-copy.md")
    doctor = cli("doctor", "--shelf", filled.root)
    said(doctor, "duplicate-id", "2026-01-06-copy.md")
    cli("rebuild", "--shelf", filled.root)
    assert (filled.root / "ledger.tsv").read_text().count("2026-01-05-cache") == 1
    recalled = cli("recall", "2026-01-05-cache", "--json", "--shelf", filled.root)
    assert json.loads(recalled.out)["address"] == "docs/topics/2026-01-05-cache.md"


def test_an_id_that_is_there_in_another_folder_is_refused(cli: Cli, filled: Store) -> None:
    for name in ("docs/research/2026-03-01-x.md", "archive/docs/topics/2026-03-02-y.md"):
        add(filled, episode(Path(name).stem, Path(name).stem), name)
        ran = cli(*SHELVE, "--slug", Path(name).stem, "--shelf", filled.root)
        said(
            ran
            if ran.code != 2
            else cli("shelve", "--slug", Path(name).stem, *SHELVE[3:], "--shelf", filled.root),
            name,
        )


# --- dates, names, sizes on write ------------------------------------------------------------

REFUSED: list[tuple[tuple[str, ...], str]] = [
    (("--date", "2026-13-40"), "date"),
    (("--date", "2026-2-8"), "date"),
    (("--date", "2026-02-30"), "date"),
    (("--span", "2026-03-01..2026-01-01"), "span"),
    (("--span", "10:00"), "span"),
    (("--retain-until", "12/31/2030"), "retain_until"),
    (("--approx-tokens", "-5"), "approx_tokens"),
    (("--approx-tokens", "9" * 20), "approx_tokens"),
    (("--approx-tokens-source", "estimate"), "approx_tokens"),
    (("--title", "x" * 5000), "display_title"),
    (("--tag", ""), "tag"),
    (("--tag", "a,b"), "tag"),
    (("--tag", "a: b"), "tag"),
    (("--tag", "[x]"), "tag"),
    (("--tag", "x" * 51), "tag"),
    (("--tag", '"onmouseover="x'), "tag"),
    (("--tag", "- x"), "tag"),
    (("--lang", "not a language"), "lang"),
    (("--closes", "../x"), "closes"),
    (("--supersedes", "2026-01-01-nothing"), "2026-01-01-nothing"),
    (("--section", "Notes=a\n## Decisions\nb"), "Decisions"),
    (("--section", "Notes=```\nopen"), "fence"),
    (("--section", "Digest=another"), "igest"),
    (("--section", "#=x"), "#"),
    (("--section", "F# and C# ##=x"), "C#"),
    (("--kind", "session"), "Timeline"),
]


@pytest.mark.parametrize(
    ("flags", "word"), REFUSED, ids=[" ".join(flags)[:30] for flags, _ in REFUSED]
)
def test_a_value_that_a_field_cannot_hold_is_refused_by_name(
    flags: tuple[str, ...], word: str, cli: Cli, filled: Store
) -> None:
    before, head = tree(filled.root), git(filled.root, "rev-parse", "HEAD")
    ran = cli(*SHELVE, *flags, "--shelf", filled.root)
    said(ran, word)
    assert ran.code == 1
    assert (changed(before, tree(filled.root)), git(filled.root, "rev-parse", "HEAD")) == (
        set(),
        head,
    )


@pytest.mark.parametrize(
    "slug",
    ["../../evil", "a/b", "2026-02-31-x", "..\\x", "/etc/passwd", "2026-01-05-", "2026-01-05-a\nb"],
)
def test_a_slug_that_leads_elsewhere_or_is_no_date_is_refused(
    slug: str, cli: Cli, store: Store
) -> None:
    before = tree(store.root.parent)
    said(cli("shelve", "--slug", slug, *SHELVE[3:], "--shelf", store.root), "slug")
    assert changed(before, tree(store.root.parent)) == set()


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/passwd",
        "/etc/passwd",
        "..",
        "a\x00b",
        "docs/topics/2026-01-05-cache",
        ".git",
        ".gitkeep",
        "",
        "x" * 300,
    ],
)
def test_an_id_is_never_a_path(name: str, cli: Cli, filled: Store) -> None:
    ran = cli("recall", "--id", name, "--shelf", filled.root)
    assert ran.code in (1, 2)
    assert "Traceback" not in ran.err
    assert "root:" not in ran.out


@POSIX
def test_a_folder_that_is_a_link_out_of_the_shelf_is_not_followed(
    cli: Cli, filled: Store, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    put(outside, "2026-01-09-secret.md", episode("2026-01-09-secret").replace("Redis", "CANARY"))
    research = filled.root / "docs/research"
    (research / ".gitkeep").unlink()
    research.rmdir()
    research.symlink_to(outside)
    shelf = ("--shelf", filled.root)
    for verb in (
        ("recall", "2026-01-09-secret"),
        ("search", "canary"),
        ("index",),
        ("export", "html"),
        ("doctor",),
    ):
        ran = cli(*verb, *shelf)
        assert "CANARY" not in ran.out
        assert "Traceback" not in ran.err
    before = tree(outside, leave=())
    ran = cli("shelve", "--kind", "research", *SHELVE[1:], *shelf)
    assert ran.code == 1
    assert changed(before, tree(outside, leave=())) == set()


def test_a_body_of_50_mb_is_refused_on_write_and_a_finding_on_disk(
    cli: Cli, filled: Store, tmp_path: Path
) -> None:
    big = tmp_path / "big.txt"
    big.write_text("word " * (10 * 1024 * 1024))
    before = tree(filled.root)
    ran = cli(
        "shelve",
        "--slug",
        "2026-02-01-new",
        "--digest",
        DIGEST,
        "--section-file",
        f"Decisions={big}",
        "--shelf",
        filled.root,
    )
    said(ran, "MB")
    assert changed(before, tree(filled.root)) == set()
    put(filled.root, "docs/topics/2026-01-08-big.md", episode("2026-01-08-big") + big.read_text())
    said(cli("doctor", "--shelf", filled.root), "2026-01-08-big.md", "too-large")
    said(cli("recall", "2026-01-08-big", "--shelf", filled.root), "2026-01-08-big.md")
    assert cli("recall", "2026-01-05-cache", "--shelf", filled.root).code == 0


def test_ten_thousand_tags_are_refused(cli: Cli, filled: Store) -> None:
    tags = [word for number in range(10_000) for word in ("--tag", f"tag-{number}")]
    before = tree(filled.root)
    said(cli(*SHELVE, *tags, "--shelf", filled.root), "tag")
    assert changed(before, tree(filled.root)) == set()


@pytest.mark.parametrize(
    "field", ["--digest", "--title", "--section", "--tag", "--notes", "--session"]
)
def test_half_a_character_is_refused(field: str, cli: Cli, filled: Store) -> None:
    value = "Redis was chosen \ud800."
    words = [*("--slug", "2026-02-01-new"), "--digest", DIGEST, "--section", "Decisions=x"]
    given = f"Notes={value}" if field == "--section" else value
    if field == "--digest":
        words[3] = given
    else:
        words += [field, given]
    before = tree(filled.root)
    said(cli("shelve", *words, "--shelf", filled.root))
    assert changed(before, tree(filled.root)) == set()


def test_control_characters_are_kept_as_text_or_refused_and_never_reach_a_terminal_raw(
    cli: Cli, filled: Store
) -> None:
    ran = cli(
        *SHELVE,
        "--title",
        "a\x1b[31mb\x00c",
        "--section",
        "Notes=x\x00y\x1b]0;t\x07",
        "--shelf",
        filled.root,
    )
    assert ran.code in (0, 1)
    assert "Traceback" not in ran.err
    if ran.code == 0:
        assert cli("doctor", "--shelf", filled.root).code == 0
        assert "\x1b" not in (filled.root / "INDEX.md").read_text()
        assert "\x1b" not in cli("index", "--shelf", filled.root).out


# --- the disk --------------------------------------------------------------------------------

_LIMITED = """
import resource, sys
size = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from memshelf.surfaces.cli import main
main(sys.argv[2:])
"""


@POSIX
@pytest.mark.parametrize("size", [0, 100, 700])
def test_a_disk_that_is_full_leaves_nothing_half_written(size: int, filled: Store) -> None:
    before, head = tree(filled.root), git(filled.root, "rev-parse", "HEAD")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            _LIMITED,
            str(size),
            *SHELVE,
            "--section",
            f"Notes={'x ' * 2000}",
            "--shelf",
            str(filled.root),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert git(filled.root, "rev-parse", "HEAD") == head
    assert changed(before, tree(filled.root)) == set()
    assert status(filled.root) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    """A file system of 600 KB, where one may be mounted."""
    folder = tmp_path / "small"
    folder.mkdir()
    made = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)],
            capture_output=True,
            check=False,
        )
        if os.name != "nt" and hasattr(os, "geteuid") and os.geteuid() == 0
        else None
    )
    if made is None or made.returncode:
        pytest.skip("no small file system can be mounted here")
    return folder


def test_a_small_disk_that_fills_up_says_so(small_disk: Path, cli: Cli) -> None:
    try:
        shelf = small_disk / "shelf"
        assert cli("init", "--shelf", shelf, "--storage", "plain").code == 0
        body = "word " * 20_000
        codes = []
        for number in range(9):
            ran = cli(
                "shelve",
                "--slug",
                f"2026-02-0{number + 1}-x",
                "--digest",
                DIGEST,
                "--section",
                f"Decisions={body}",
                "--shelf",
                shelf,
            )
            codes.append(ran.code)
            if ran.code:
                said(ran, "full")
        assert codes[0] == 0 and 1 in codes
        assert cli("recall", "2026-02-01-x", "--shelf", shelf).code == 0
        assert not list(shelf.rglob("*.tmp"))
        assert len(list((shelf / "docs/topics").glob("*.md"))) == codes.count(0)
    finally:
        subprocess.run(["umount", str(small_disk)], check=False)


@POSIX
@pytest.mark.parametrize("verb", [*READING, SHELVE, ("rebuild",)], ids=lambda verb: verb[0])
def test_a_folder_that_may_only_be_read_is_read_and_not_written(
    verb: tuple[str, ...], filled: Store
) -> None:
    for folder, _, files in os.walk(filled.root):
        Path(folder).chmod(0o555)
        for name in files:
            (Path(folder) / name).chmod(0o444)
    before = tree(filled.root)
    done = subprocess.run(
        [
            *without_privilege(),
            sys.executable,
            "-m",
            "memshelf",
            *verb,
            "--shelf",
            str(filled.root),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    for folder, _, _ in os.walk(filled.root):
        Path(folder).chmod(0o755)
    assert "Traceback" not in done.stderr, done.stderr
    assert changed(before, tree(filled.root)) == set()
    if verb in (SHELVE, ("rebuild",)):
        assert done.returncode == 1
    else:
        assert done.returncode in (0, 1), done.stderr
        assert verb[0] in ("doctor", "rebuild", "status") or done.returncode == 0, done.stderr


# --- the command line itself -----------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        *(
            ("nonsense",),
            ("shelve", "--nonsense"),
            ("recall",),
            ("search",),
            ("search", ""),
            ("search", "   "),
        ),
        *(
            ("shelve", "--kind", "poem"),
            ("stats", "--context-window", "x"),
            ("rebuild", "--check", "--commit"),
        ),
        *(
            ("rebuild", "--check", "--adopt"),
            ("doctor", "--level", "x"),
            ("index", "--budget", "x"),
        ),
        *(
            ("shelve", "--section", "no equals"),
            ("shelve", "--section", "A=1", "--section", "A=2", "--digest", "x"),
        ),
        *(
            ("recall", "a", "--id", "b"),
            ("init", "--storage", "git-remote"),
            ("init", "--remote", "x"),
            ("threads", "--state", "x"),
        ),
        *(("stats", "--context-window", "0"), ("export",), ("help", "nonsense")),
        *(
            ("search", "redis", "--max-results", "0"),
            ("search", "redis", "--max-results", "-1"),
            ("threads", "--max-results", "-1"),
        ),
        *(
            ("index", "--budget", "0"),
            ("recall", "2026-01-05-cache", "--budget", "-1"),
            ("recall", "2026-01-05-cache", "--max-bytes", "-5"),
        ),
    ],
)
def test_a_malformed_request_is_exit_code_2_and_one_sentence(
    words: tuple[str, ...], cli: Cli, filled: Store
) -> None:
    ran = cli(
        *words,
        *(("--shelf", filled.root) if words[0] not in ("nonsense", "export", "help") else ()),
    )
    assert ran.code == 2, ran
    assert ran.err.strip() and "Traceback" not in ran.err


def test_a_digest_file_that_is_missing_or_no_text_is_named(
    cli: Cli, filled: Store, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"\xff\xfe")
    for path in (tmp_path / "none.txt", bad, tmp_path):
        said(
            cli(
                "shelve",
                "--title",
                "x",
                "--digest-file",
                path,
                "--section",
                "Decisions=x",
                "--shelf",
                filled.root,
            ),
            str(path),
        )
    said(cli("lint-digest", input=b"\xff\xfe"), "UTF-8")


def test_what_cannot_be_read_is_never_left_out_without_a_word(cli: Cli, filled: Store) -> None:
    put_bytes(filled.root / "docs/topics/2026-01-07-bad.md", BAD["not UTF-8"][0])
    for verb in (("index",), ("search", "redis"), ("threads",), ("stats",), ("export", "html")):
        ran = cli(*verb, "--shelf", filled.root)
        assert ran.code in (0, 1)
        assert "cannot be read" in ran.out + ran.err, verb
    assert "cannot be read" in cli("index", "--shelf", filled.root).out  # agents see only this
    assert json.loads(cli("search", "redis", "--json", "--shelf", filled.root).out)["problems"]


@POSIX
def test_a_pipe_in_place_of_an_episode_keeps_nobody_waiting(filled: Store) -> None:
    os.mkfifo(filled.root / "docs/topics/2026-02-01-new.md")
    for words in (("recall", "2026-02-01-new"), SHELVE, ("doctor",)):
        done = subprocess.run(
            [sys.executable, "-m", "memshelf", *words, "--shelf", str(filled.root)],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 1, done.stderr
        assert "2026-02-01-new.md" in done.stderr + done.stdout


@POSIX
@pytest.mark.parametrize("what", ["docs/research", "docs/topics/2026-01-06-locked.md"])
def test_what_may_not_be_read_is_named_and_hides_no_other(what: str, filled: Store) -> None:
    put(filled.root, "docs/topics/2026-01-06-locked.md", episode("2026-01-06-locked", "Locked"))
    (filled.root / what).chmod(0)
    try:
        for words in (*READING, ("rebuild",)):
            done = subprocess.run(
                [
                    *(*without_privilege(), sys.executable, "-m", "memshelf", *words),
                    *("--shelf", str(filled.root)),
                ],
                capture_output=True,
                text=True,
                check=False,
            )
            assert "Traceback" not in done.stderr, (words, done.stderr)
            if words[0] in ("index", "search", "recall"):
                assert "2026-01-05-cache" in done.stdout
            if words[0] == "doctor":
                assert done.returncode == 1 and what in done.stdout
    finally:
        (filled.root / what).chmod(0o755)


@pytest.mark.parametrize("name", ["docs/research", "docs", "archive"])
def test_a_file_where_a_folder_should_be_is_named(name: str, cli: Cli, store: Store) -> None:
    if (store.root / name).is_dir():
        shutil.rmtree(store.root / name)
    put(store.root, name, "a file")
    for verb in READING:
        ran = cli(*verb, "--shelf", store.root)
        assert "Traceback" not in ran.err, ran.err
    if name != "archive":
        said(cli("shelve", "--kind", "research", *SHELVE[1:], "--shelf", store.root), name)


# --- the surroundings ------------------------------------------------------------------------


def test_rules_that_are_named_and_not_there_stop_a_write(cli: Cli, filled: Store) -> None:
    put(filled.root, "memshelf.toml", '[redact]\npatterns = ["nope.patterns"]\n')
    before = tree(filled.root)
    said(cli(*SHELVE, "--shelf", filled.root), "nope.patterns")
    assert changed(before, tree(filled.root)) == set()
    said(cli("doctor", "--shelf", filled.root), "nope.patterns")
    assert cli("recall", "2026-01-05-cache", "--shelf", filled.root).code == 0


@pytest.mark.parametrize(
    "text", ['patterns = ["../../../../etc/passwd"]', 'patterns = ["/etc/passwd"]']
)
def test_rules_come_from_the_shelf_alone(text: str, cli: Cli, filled: Store) -> None:
    put(filled.root, "memshelf.toml", f"[redact]\n{text}\n")
    said(cli(*SHELVE, "--shelf", filled.root), "passwd")


@pytest.mark.parametrize(
    "target",
    [
        "stats.svg",
        ".docshelf.json",
        "POLICY.patterns",
        ".gitattributes",
        "INDEX.md",
        "docs/x.html",
        ".git/x.html",
        "memshelf.toml",
    ],
)
def test_a_page_never_overwrites_a_file_of_the_shelf(target: str, cli: Cli, filled: Store) -> None:
    before = tree(filled.root)
    said(
        cli("export", "html", "--out", filled.root / target, "--shelf", filled.root),
        target.split("/")[-1],
    )
    assert changed(before, tree(filled.root)) == set()


@POSIX
def test_a_current_folder_that_is_gone_is_no_bug(filled: Store, tmp_path: Path) -> None:
    code = (
        "import os, sys, shutil\nos.chdir(sys.argv[1]); os.rmdir(sys.argv[1])\n"
        "from memshelf.surfaces.cli import main\nmain(sys.argv[2:])"
    )
    for words, wanted in ((("status", "--shelf", str(filled.root)), 0), (("status",), 1)):
        folder = tmp_path / "gone"
        folder.mkdir()
        command = [sys.executable, "-c", code, str(folder), *words]
        environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == wanted, done.stderr


def test_a_folder_that_git_does_not_trust_is_read_and_not_written(
    cli: Cli, filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    before = tree(filled.root)
    said(
        cli(*SHELVE, "--shelf", filled.root),
        "git config --global --add safe.directory",
        str(filled.root),
    )
    assert changed(before, tree(filled.root)) == set()
    for verb in READING:
        assert "Traceback" not in cli(*verb, "--shelf", filled.root).err
    for verb in (("recall", "2026-01-05-cache"), ("search", "redis"), ("index",), ("status",)):
        assert cli(*verb, "--shelf", filled.root).code == 0


def test_a_log_that_is_no_text_does_not_keep_the_episodes_from_being_served(
    cli: Cli, filled: Store
) -> None:
    put_bytes(filled.root / "recall-log.tsv", b"\xff\n\xff\t\t1\nx\ty\t99999999999999999999\n")
    for verb in (("index",), ("search", "redis"), ("stats",), ("status",), ("threads",)):
        ran = cli(*verb, "--shelf", filled.root)
        assert ran.code == 0, ran.err
