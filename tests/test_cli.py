from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import POSIX, git
from support import DIGEST, SHELVE, add, changed, episode, tree

import memshelf
from memshelf import verbs
from memshelf.storage.store import Store

README_OF_THE_PEER = r"""
memshelf init --shelf ~/my-shelf --name "My working memory"
memshelf shelve --shelf ~/my-shelf --slug 2026-07-23-topic --kind topic \
--digest "What was decided, what was rejected and why, what stays open." \
--section "Decisions=What was decided, and what was rejected instead — one line each."
memshelf recall --shelf ~/my-shelf --id 2026-07-23-topic --section Decisions --log
memshelf rebuild --shelf ~/my-shelf # render ledger/INDEX from the episode (a bot's job on shelves that have one)
memshelf stats --shelf ~/my-shelf # claimed + realized savings
memshelf doctor --shelf ~/my-shelf # exit 1 on integrity errors
cd ~/my-shelf; memshelf rebuild --shelf .
memshelf rebuild --shelf ~/my-shelf --check
memshelf prune-splits --shelf . --apply
memshelf advise --shelf ~/my-shelf \
--occupant 'auth refactor=42000,closed' \
--occupant 'search dump=9000,idle=18' \
--occupant 'Case B verdict=12000,live,episode=2026-07-22-case-b-verdict'
"""

PEER_FLAGS = {
    "init": "--name --storage --remote",
    "shelve": (
        "--slug --kind --digest --section --display-title --description --tag --span --session --approx-tokens "
        "--approx-tokens-source --mode --notes --retain-until --date --no-commit --no-sync --amend"
    ),
    "lint-digest": "--digest --digest-file --strict",
    "recall": "--id --section --max-bytes --log --no-log",
    "index": "",
    "search": "--query --max-results",
    "stats": "--banner --chart --context-window",
    "doctor": "--check-remote --derived-stale-hours",
    "advise": "--occupant --occupants-json --budget --stale-after --exclude-self --summary",
    "fork": "--episode --section --no-index --out",
    "rebuild": "--check --adopt",
    "search-bench": "--queries --k --verbose",
    "rollup": "--slug --digest --until --episode --display-title --section --date",
    "purge": "--apply --today",
    "prune-splits": "--apply",
}


@pytest.fixture
def filled(store: Store) -> Store:
    add(store, episode())
    return store


@pytest.fixture
def shell(world: Path) -> dict[str, str]:
    """An environment in which a shell finds `memshelf` as a program."""
    folder = world / "bin"
    folder.mkdir()
    script = folder / "memshelf"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memshelf "$@"\n')
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


# --- habits that carry over ------------------------------------------------------------------


@POSIX
def test_the_command_lines_of_the_peers_readme_work_word_for_word(
    shell: dict[str, str], tmp_path: Path
) -> None:
    script = "set -e\n" + README_OF_THE_PEER
    done = subprocess.run(
        ["sh", "-c", script], env=shell, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "one line each." in done.stdout
    shelf = Path(shell["HOME"]) / "my-shelf"
    assert "2026-07-23-topic\tDecisions\t" in (shelf / "recall-log.tsv").read_text()


@pytest.mark.shared
def test_no_command_line_of_the_seeds_that_names_a_verb_is_left_out(shared: Path) -> None:
    text = (shared / "seeds" / "memshelf-mcp.txt").read_text("utf-8")
    lines = re.findall(r"(?m)^memshelf ([a-z-]+) .*--shelf", text)
    ours = {line for line in lines if line in verbs.NAMES}
    tried = set(re.findall(r"memshelf ([a-z-]+) ", README_OF_THE_PEER))
    assert ours and ours <= tried


@pytest.mark.parametrize("verb", PEER_FLAGS)
def test_every_flag_of_the_peer_is_accepted(verb: str, cli: Cli) -> None:
    shown = cli(verb, "--help").out
    for flag in PEER_FLAGS[verb].split():
        assert flag in shown, flag


def test_the_answers_keep_the_peers_keys(cli: Cli, filled: Store) -> None:
    def keys(*words: str) -> dict[str, object]:
        ran = cli(*words, "--json", "--shelf", filled.root)
        return dict(json.loads(ran.out))

    shelved = keys(*SHELVE)
    assert set(shelved) >= set(
        "status address display_title committed commit amended moved_from sync redaction digest_warnings warnings "
        "ledger_row shelf_totals next summary".split()
    )
    assert set(shelved["redaction"]) == {"total", "counts", "summary"}  # type: ignore[call-overload]
    assert set(shelved["shelf_totals"]) == set(  # type: ignore[call-overload]
        "as_of episodes episodes_on_disk derived_stale shelved_mass standing_cost compression_ratio".split()
    )
    assert shelved["status"] == "ok"
    doctor = keys("doctor")
    assert (
        list(doctor)[:7]
        == "status healthy episodes_checked errors warnings unknowns findings".split()
    )
    findings = doctor["findings"]
    assert isinstance(findings, list) and findings
    assert set(findings[0]) == {"level", "code", "path", "detail", "fix"}
    assert set(keys("rebuild")) >= set("episodes written unchanged drifted warnings ok".split())
    assert set(keys("recall", "2026-01-05-cache")) >= set(
        "status address section truncated content".split()
    )
    search = keys("search", "redis")
    assert set(search) >= {"status", "mode", "hits"}
    hits = search["hits"]
    assert isinstance(hits, list)
    assert set(hits[0]) >= {
        "address",
        "score",
        "section",
        "excerpt",
        "why",
    }  # the snippet, verbatim
    stats = keys("stats")
    assert set(stats) >= set(
        "status episodes index_tokens digest_tokens standing_cost work_volume shelved_mass capped_episodes "
        "compression_ratio recalls episodes_recalled fetched_tokens realized_savings unmeasured_episodes "
        "unmeasured_digest_tokens banner context_window".split()
    )
    init = keys("init")
    assert set(init) >= set("status root storage created committed commit".split())


def test_json_comes_by_flag_or_environment_and_is_never_escaped(
    cli: Cli, filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("status", "--shelf", filled.root).out[:1] != "{"
    monkeypatch.setenv("MEMSHELF_OUTPUT", "json")
    ran = cli(*SHELVE, "--title", "Кэш: 日本語", "--shelf", filled.root)
    assert json.loads(ran.out)["display_title"] == "Кэш: 日本語"
    assert "Кэш: 日本語" in ran.out
    error = cli("recall", "2026-09-09-none", "--shelf", filled.root)
    data = json.loads(error.out)
    assert (error.code, data["status"], data["code"]) == (1, "error", "episode-not-found")
    assert data["error"] and data["fix"]


# --- finding the shelf -----------------------------------------------------------------------


def test_the_shelf_is_named_by_flag_or_environment_or_found_upwards(
    cli: Cli, filled: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert cli("status", cwd=filled.root / "docs" / "topics").code == 0
    outside = tmp_path / "outside"
    outside.mkdir()
    nowhere = cli("status", cwd=outside)
    assert nowhere.code in (1, 2) and "--shelf" in nowhere.err
    monkeypatch.setenv("MEMSHELF_SHELF_PATH", str(filled.root))
    ran = cli("status", cwd=outside)
    assert ran.code == 0
    assert "MEMSHELF_SHELF_PATH" in ran.err


def test_a_workspace_root_bounds_every_path(
    cli: Cli, filled: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "allowed").mkdir()
    monkeypatch.setenv("MEMSHELF_WORKSPACE_ROOT", str(tmp_path / "allowed"))
    for verb in (
        ("recall", "2026-01-05-cache"),
        ("init",),
        SHELVE,
        ("export", "html", "--out", str(tmp_path / "x.html")),
    ):
        ran = cli(*verb, "--shelf", filled.root)
        assert ran.code == 1 and "MEMSHELF_WORKSPACE_ROOT" in ran.err
    assert cli("init", "--shelf", tmp_path / "allowed" / "shelf").code == 0


# --- digest and sections from files ----------------------------------------------------------


def test_digest_and_sections_come_from_files_and_standard_input(
    cli: Cli, store: Store, tmp_path: Path
) -> None:
    (tmp_path / "d.md").write_text("- Redis.\n", "utf-8")
    ran = cli(
        *(
            "shelve",
            "--slug",
            "2026-02-01-a",
            "--digest-file",
            "-",
            "--section-file",
            f"Decisions={tmp_path / 'd.md'}",
        ),
        *("--shelf", store.root),
        input=DIGEST + "\n",
    )
    assert ran.code == 0, ran.err
    text = (store.root / "docs/topics/2026-02-01-a.md").read_text("utf-8")
    assert f"## Digest\n{DIGEST}\n\n## Decisions\n- Redis.\n" in text
    ran = cli(
        "shelve",
        "--slug",
        "2026-02-01-b",
        "--digest",
        DIGEST,
        "--section-file",
        "Decisions=-",
        "--shelf",
        store.root,
        input="- From a pipe: 日本語.\r\n",
    )
    assert ran.code == 0, ran.err
    assert "- From a pipe: 日本語.\n" in (store.root / "docs/topics/2026-02-01-b.md").read_text(
        "utf-8"
    )


def test_a_dash_is_standard_input_and_a_byte_order_mark_no_text(cli: Cli, store: Store) -> None:
    words = ("shelve", "--slug", "2026-02-01-a", "--digest", "-", "--section", "Decisions=x")
    assert cli(*words, "--shelf", store.root, input="\ufeff" + DIGEST).code == 0
    text = (store.root / "docs/topics/2026-02-01-a.md").read_text("utf-8")
    assert f"## Digest\n{DIGEST}\n" in text
    assert cli("lint-digest", "-", input=DIGEST).out.startswith("digest ok")
    bom = store.root.parent / "bom.txt"
    bom.write_bytes(b"\xef\xbb\xbf- y\r\n")
    words = ("shelve", "--slug", "2026-02-02-b", "--digest", DIGEST, "--section-file")
    assert cli(*words, f"Decisions={bom}", "--shelf", store.root).code == 0
    assert "## Decisions\n- y\n" in (store.root / "docs/topics/2026-02-02-b.md").read_text("utf-8")


def test_standard_input_is_read_once(cli: Cli, store: Store) -> None:
    ran = cli(
        "shelve",
        "--title",
        "x",
        "--digest-file",
        "-",
        "--section-file",
        "Decisions=-",
        "--shelf",
        store.root,
        input="x",
    )
    assert ran.code == 2


def test_a_text_larger_than_an_argument_may_be_goes_through_standard_input(
    cli_process: Cli, store: Store
) -> None:
    body = "- " + "long words " * 30_000
    ran = cli_process(
        "shelve",
        "--title",
        "Long",
        "--digest",
        DIGEST,
        "--section-file",
        "Decisions=-",
        "--shelf",
        store.root,
        input=body,
    )
    assert ran.code == 0, ran.err


def test_lint_digest_reads_an_argument_a_flag_a_file_or_a_pipe(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_text(DIGEST)
    for ran in (
        cli("lint-digest", DIGEST),
        cli("lint-digest", "--digest", DIGEST),
        cli("lint-digest", "--digest-file", tmp_path / "d.txt"),
        cli("lint-digest", input=DIGEST),
    ):
        assert (ran.code, ran.out.split(" (")[0]) == (0, "digest ok")


def test_without_a_slug_one_is_made_and_without_a_date_the_day_is_put_in_front(
    cli: Cli, store: Store
) -> None:
    ran = cli(
        "shelve",
        "--title",
        "Даты: храним UTC",
        "--digest",
        DIGEST,
        "--section",
        "Decisions=x",
        "--json",
        "--shelf",
        store.root,
    )
    assert re.fullmatch(
        r"docs/topics/\d{4}-\d\d-\d\d-daty-khranim-utc\.md", json.loads(ran.out)["address"]
    )
    ran = cli(
        "shelve",
        "--slug",
        "plain",
        "--date",
        "2026-02-03",
        "--digest",
        DIGEST,
        "--section",
        "Decisions=x",
        "--json",
        "--shelf",
        store.root,
    )
    assert json.loads(ran.out)["address"] == "docs/topics/2026-02-03-plain.md"


# --- help, completion, terminals -------------------------------------------------------------


def test_plain_memshelf_shows_the_everyday_twelve_and_the_groups(cli: Cli) -> None:
    ran = cli()
    assert ran.code == 0
    shown = ran.out[ran.out.index("Verbs") :]
    rows = re.findall(r"(?m)^  ([a-z]+(?: html)?)  ", shown)
    assert len(rows) == 12
    assert set(rows) == set(verbs.EVERYDAY)
    for group in verbs.GROUPS:
        assert group in shown


@pytest.mark.parametrize("name", verbs.NAMES)
def test_the_help_of_each_verb_says_what_it_does_with_an_example(name: str, cli: Cli) -> None:
    ran = cli(*name.split(), "--help")
    assert ran.code == 0
    assert f"Usage: memshelf {name}" in ran.out
    assert f"memshelf {name}" in ran.out.split("Example:", 1)[1]
    assert cli("help", *name.split()).code == 0


def test_what_may_be_left_out_of_a_command_stands_in_brackets(cli: Cli) -> None:
    assert "Usage: memshelf tags [OPTIONS] [TAG]\n" in cli("tags", "--help").out
    assert "Usage: memshelf recall [OPTIONS] ID\n" in cli("recall", "--help").out


def test_a_misspelt_verb_is_answered_with_the_nearest(cli: Cli) -> None:
    ran = cli("serch", "x")
    assert ran.code == 2 and "search" in ran.err
    assert cli("help", "read").code == 0


def test_the_version_is_told(cli: Cli) -> None:
    assert cli("--version").out == f"memshelf {memshelf.__version__}\n"


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(shell_name: str, cli_process: Cli) -> None:
    ran = cli_process(_MEMSHELF_COMPLETE=f"{shell_name}_source")
    assert "_MEMSHELF_COMPLETE" in ran.out
    assert "memshelf" in ran.out
    assert ran.err == ""


@POSIX
def test_completion_knows_the_verbs_and_the_ids(cli_process: Cli, filled: Store) -> None:
    def complete(words: str, place: int) -> str:
        return cli_process(
            cwd=filled.root,
            _MEMSHELF_COMPLETE="bash_complete",
            COMP_WORDS=words,
            COMP_CWORD=str(place),
        ).out

    assert "recall" in complete("memshelf rec", 1)
    assert "2026-01-05-cache" in complete("memshelf recall 2026", 2)
    assert "--section" in complete("memshelf recall --s", 2)


@POSIX
def test_a_closed_pipe_ends_without_noise(filled: Store) -> None:
    for number in range(40):
        name = f"2026-03-{number % 28 + 1:02}-x{number}"
        (filled.root / f"docs/topics/{name}.md").write_text(episode(name, name))
    command = (
        f'"{sys.executable}" -m memshelf index --budget 100000 --shelf "{filled.root}" | head -n 1'
    )
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert "A test shelf" in done.stdout


@POSIX
@pytest.mark.parametrize(
    ("environ", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colours_come_on_a_terminal_that_wants_them(
    environ: dict[str, str], coloured: bool, filled: Store
) -> None:
    add(
        filled,
        episode("2026-01-06-old").replace("id: 2026-01-06-old", "id: other"),
        "docs/topics/2026-01-06-old.md",
    )
    out = _on_terminal("doctor", "--shelf", str(filled.root), **{"TERM": "xterm", **environ})
    assert "id-mismatch" in out
    assert ("\x1b[3" in out) is coloured


@POSIX
def test_a_terminal_never_gets_control_characters_of_a_text(filled: Store) -> None:
    add(
        filled,
        episode("2026-01-06-x", "a").replace("One sentence.", "evil \\u001b[2J title"),
        "docs/topics/2026-01-06-x.md",
    )
    assert "\x1b[2J" not in _on_terminal("index", "--shelf", str(filled.root), TERM="xterm")


def _on_terminal(*words: str, **environ: str) -> str:
    return _terminal([sys.executable, "-m", "memshelf", *words], **environ)


def _terminal(command: list[str], **environ: str) -> str:
    """What a program writes to a terminal of its own."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, **environ}
    )
    os.close(theirs)
    out = b""
    with contextlib.suppress(OSError):  # the end of what a terminal says
        while data := os.read(ours, 65536):
            out += data
    process.wait(60)
    os.close(ours)
    return out.decode("utf-8", "replace")


# --- exit codes ------------------------------------------------------------------------------


def test_findings_of_level_error_and_drift_are_exit_code_1(cli: Cli, filled: Store) -> None:
    shelf = ("--shelf", filled.root)
    cli("rebuild", *shelf)
    assert cli("doctor", *shelf).code == cli("rebuild", "--check", *shelf).code == 0
    add(filled, episode("2026-01-06-b", "b"), "docs/topics/2026-01-06-b.md")
    assert cli("rebuild", "--check", *shelf).code == 1
    assert cli("doctor", *shelf).code == 0
    add(
        filled,
        episode("2026-01-07-c", "c").replace("kind: topic", "kind: session"),
        "docs/topics/2026-01-07-c.md",
    )
    assert cli("doctor", *shelf).code == 1


def test_a_search_without_a_hit_is_no_error(cli: Cli, filled: Store) -> None:
    ran = cli("search", "nothinglikethis", "--shelf", filled.root)
    assert (ran.code, ran.out.strip()) == (0, "")


def test_a_dry_run_writes_nothing_and_shows_what_would_be(cli: Cli, filled: Store) -> None:
    before, head = tree(filled.root), git(filled.root, "rev-parse", "HEAD")
    ran = cli(*SHELVE, "--dry-run", "--shelf", filled.root)
    assert ran.code == 0 and "## Digest" in ran.out
    ran = cli(
        "shelve",
        "--amend",
        "--slug",
        "2026-01-05-cache",
        "--tag",
        "new",
        "--dry-run",
        "--shelf",
        filled.root,
    )
    assert ran.code == 0 and "+tags: [new]" in ran.out and "-tags: [cache, infra]" in ran.out
    assert (
        cli(
            "shelve",
            "--slug",
            "2026-02-02-x",
            "--digest",
            "We did it.",
            "--dry-run",
            "--shelf",
            filled.root,
        ).code
        == 1
    )
    assert (changed(before, tree(filled.root)), git(filled.root, "rev-parse", "HEAD")) == (
        set(),
        head,
    )


def test_interrupting_says_so_without_a_traceback(store: Store) -> None:
    code = (
        "import sys, memshelf.surfaces.cli as cli, memshelf.surfaces.cli_command as cli_command\n"
        "def stop(*a, **k): raise KeyboardInterrupt\n"
        "cli_command._call = stop\n"
        "sys.exit(cli.run(['status', '--shelf', sys.argv[1]]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(store.root)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


_ANSWERS = [("--help",), ("stats",), ("tags",), ("tags", "--json"), ("recall", "2026-01-05-cache")]


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="this system has no /dev/full, which is always full"
)
@pytest.mark.parametrize("words", _ANSWERS)
@pytest.mark.parametrize("buffered", ["", "1"])
def test_an_answer_that_cannot_be_written_is_a_sentence(
    filled: Store, words: tuple[str, ...], buffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", buffered)
    command = [sys.executable, "-m", "memshelf", *words]
    for _ in range(2):  # the second time the answer is a remembered one
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                command,
                cwd=filled.root,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == 1
        assert done.stderr.startswith("memshelf: the answer cannot be written: No space left")
        subprocess.run(command, cwd=filled.root, stdout=subprocess.PIPE, check=True)


@POSIX
@pytest.mark.parametrize("words", _ANSWERS)
def test_closed_streams_are_no_fault(filled: Store, words: tuple[str, ...]) -> None:
    command = shlex.join([sys.executable, "-m", "memshelf", *words])
    for closed in (">&-", "<&- >&- 2>&-", "<&-"):
        done = subprocess.run(
            ["sh", "-c", f"{command} {closed}"], cwd=filled.root, capture_output=True, check=False
        )
        assert done.returncode == 0 and b"Traceback" not in done.stderr, closed


def test_a_command_ends_where_other_processes_still_wait_for_work() -> None:
    code = (
        "from memshelf.surfaces import cli\n"
        "from memshelf.storage.parallel import mapped\n"
        "begun = mapped(abs, range(-50, 0), 2)\n"
        "assert next(begun) == 50\n"
        "cli.run = lambda _: 3\n"
        "cli.main()\n"
    )
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
        assert done.returncode == 3


# --- the programs ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [("--help",), ("recall", "2026-01-05-cache"), ("search", "redis"), ("index",)]
)
def test_heavy_modules_are_not_imported_where_they_are_not_needed(
    words: tuple[str, ...], filled: Store
) -> None:
    heavy = ["matplotlib", "mcp", "mkdocs", "numpy", "git"] + (
        [] if words == ("index",) else ["jinja2"]
    )
    code = (
        "import sys\nfrom memshelf.surfaces.cli import run\n"
        f"run(sys.argv[1:])\nprint([n for n in {heavy} if n in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            code,
            *words,
            *(() if words[0] == "--help" else ("--shelf", str(filled.root))),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_the_modules_script_is_the_same_program(cli_process: Cli) -> None:
    assert cli_process("--version").out == f"memshelf {memshelf.__version__}\n"
    assert shutil.which("git")


@POSIX
def test_long_work_shows_its_progress_on_a_terminal_alone() -> None:
    code = (
        "import sys, time\nfrom memshelf.surfaces.terminal import Progress\n"
        "shown = Progress(delay=0.0)\ntime.sleep(0.01)\nshown(1200, 5000)\nshown.done()\n"
    )
    assert "1,200 of 5,000" in _terminal([sys.executable, "-c", code], TERM="xterm")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("cache", "status"), "search:"),
        (("semantic", "status"), "vectors"),
        (("status",), "episodes"),
        (("tags",), "cache"),
        (("tags", "rename", "cache", "caches"), "caches"),
    ],
)
def test_the_words_of_a_verb_are_not_taken_for_another_one(
    words: tuple[str, ...], said: str, cli: Cli, filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(filled.root)  # where nothing follows the words
    ran = cli(*words)
    assert ran.code == 0 and said in ran.out
