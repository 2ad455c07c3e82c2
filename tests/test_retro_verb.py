"""The verb retro: periods, files, revisions, people's own text, and what an agent is offered."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import POSIX, git, put

from memshelf.storage.store import Store

# --- the command line ------------------------------------------------------------------------


def test_without_a_period_it_is_the_quarter_of_the_newest_episode(sample: Store, cli: Cli) -> None:
    assert cli("retro", "--shelf", sample.root).out.startswith("# Retro 2026Q3\n")


def test_a_file_is_named_on_standard_error_and_its_ending_says_its_form(
    sample: Store, cli: Cli, tmp_path: Path
) -> None:
    for name, first in (("a.md", "# Retro"), ("a.html", "<!doctype html>"), ("a.txt", "# Retro")):
        ran = cli("retro", "--shelf", sample.root, "--quarter", "2026Q2", "--out", tmp_path / name)
        assert (ran.code, ran.out, ran.err) == (0, "", f"memshelf: wrote {tmp_path / name}\n")
        assert (tmp_path / name).read_text("utf-8").startswith(first)
    ran = cli("retro", "--shelf", sample.root, "--out", sample.root / "retros" / "2026Q2.md")
    assert ran.code == 1 and "the shelf's own files" in ran.err
    assert "second thoughts" in (sample.root / "retros" / "2026Q2.md").read_text("utf-8")


def test_all_are_written_into_a_folder_with_an_index(
    sample: Store, cli: Cli, tmp_path: Path
) -> None:
    for form in ("md", "html"):
        ran = cli(
            "retro", "--shelf", sample.root, "--all", "--format", form, "--out", tmp_path / form
        )
        assert ran.code == 0
        names = sorted(path.name for path in (tmp_path / form).iterdir())
        assert names == [
            *(f"{q}.{form}" for q in ("2025Q4", "2026Q1", "2026Q2", "2026Q3")),
            f"index.{form}",
        ]
    index = (tmp_path / "md" / "index.md").read_text("utf-8")
    assert "| [2026Q2](2026Q2.md) | 7 | 14 | 3 | 10 | 6 | 0 | 14 | 3 |" in index
    alone = cli("retro", "--shelf", sample.root, "--quarter", "2026Q2").out
    assert (tmp_path / "md" / "2026Q2.md").read_text("utf-8") == alone
    assert 'href="2026Q2.html"' in (tmp_path / "html" / "index.html").read_text("utf-8")


def test_all_are_printed_newest_first(sample: Store, cli: Cli) -> None:
    ran = cli("retro", "--shelf", sample.root, "--all")
    assert re.findall("^# Retro (.+)$", ran.out, re.M) == ["2026Q3", "2026Q2", "2026Q1", "2025Q4"]
    months = cli("retro", "--shelf", sample.root, "--every", "month", "--json")
    assert cli("retro", "--shelf", sample.root, "--all", "--every", "month", "--json") == months
    found = json.loads(months.out)
    assert found["episodes"] == sum(p["episodes"] for p in found["periods"]) == 28


def test_the_counts_come_as_json(sample: Store, cli: Cli) -> None:
    found = json.loads(cli("retro", "--shelf", sample.root, "--quarter", "2026Q2", "--json").out)
    assert found["status"] == "ok" and found["episodes"] == 7 and found["period"] == "2026Q2"
    assert found["kinds"] == {"topic": 3, "research": 2, "session": 2}
    assert len(found["decision_list"]) == found["decisions"] == 14
    assert len(found["closed_list"]) == found["threads_closed"] == 6
    assert found["sum"]["total"] == 28 and found["before"]["episodes"] == 9


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--quarter", "2026Q7"), "is no period"),
        (("--quarter", "2026-07"), "--month 2026-07"),
        (("--month", "2026Q3"), "--quarter 2026Q3"),
        (("--fiscal", "2026Q3"), "no fiscal period"),
        (("--quarter", "2026Q2", "--week", "2026W20"), "two periods"),
        (("--all", "--quarter", "2026Q2"), "every quarter"),
        (("--all", "--format", "html"), "--out FOLDER"),
        (("--all", "--out", "one.md"), "Name a folder"),
        (("--edit", "--short"), "--edit opens a text"),
        (("--edit", "--all"), "--edit opens a text"),
        (("--edit", "--visibility", "public"), "--edit opens a text"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_way_out(
    sample: Store, cli: Cli, words: tuple[str, ...], said: str
) -> None:
    ran = cli("retro", "--shelf", sample.root, *words)
    assert ran.code == 2 and said in ran.err and not ran.out


@pytest.mark.parametrize(
    "words",
    [("retro", "--quarter", ""), ("graph", "--ego", ""), ("tags", ""), ("tags", "--tag", "")],
)
def test_a_variable_that_is_not_set_does_not_pass_for_a_flag_that_was_not_given(
    sample: Store, cli: Cli, words: tuple[str, ...]
) -> None:
    ran = cli(*words, "--shelf", sample.root)
    assert ran.code == 1 and "is empty." in ran.err and not ran.out


def test_an_empty_shelf_has_no_period_to_look_back_on(
    store: Store, cli: Cli, tmp_path: Path
) -> None:
    ran = cli("retro", "--shelf", store.root)
    assert ran.code == 0 and ran.out.startswith("No episode of this shelf has a date yet")
    assert (
        "No episodes in 2026Q3.\n" in cli("retro", "--shelf", store.root, "--quarter", "2026Q3").out
    )
    assert json.loads(cli("retro", "--shelf", store.root, "--json").out)["episodes"] == 0
    assert cli("retro", "--shelf", store.root, "--all").code == 0
    assert cli("retro", "--shelf", store.root, "--out", tmp_path / "a.html").code == 0
    page = (tmp_path / "a.html").read_text("utf-8")
    assert page.startswith("<!doctype html>") and "No episode has a date yet." in page


def test_the_readers_see_nothing_of_what_is_hidden(sample: Store, cli: Cli) -> None:
    ran = cli("retro", "--shelf", sample.root, "--quarter", "2026Q2", "--visibility", "public")
    whole = cli("retro", "--shelf", sample.root, "--quarter", "2026Q2")
    assert "certificate-rollover" in whole.out and "certificate-rollover" not in ran.out
    assert "second thoughts" not in ran.out and "Nobody has written" not in ran.out


def test_a_revision_is_looked_back_at_as_it_was(sample: Store, cli: Cli) -> None:
    before = cli("retro", "--shelf", sample.root, "--quarter", "2026Q3").out
    name = "2026-09-30-release-1-0.md"
    (sample.root / "docs" / "topics" / name).unlink()
    git(sample.root, "commit", "-qam", "gone")
    now = cli("retro", "--shelf", sample.root, "--quarter", "2026Q3").out
    then = cli("retro", "--shelf", sample.root, "--quarter", "2026Q3", "--rev", "HEAD~1").out
    assert (
        now != before
        and then.partition("## At a glance")[2] == before.partition("## At a glance")[2]
    )


def test_an_answer_that_is_remembered_is_made_anew_when_anything_has_changed(
    sample: Store, cli_process: Cli
) -> None:
    words = ("retro", "--quarter", "2026Q3", "--shelf", sample.root)
    for path in sample.root.rglob("*"):
        if path.is_file():
            os.utime(path, (1_700_000_000, 1_700_000_000))
    first = cli_process(*words)
    assert cli_process(*words) == first
    put(sample.root, "retros/2026Q3.md", "Paper won.\n")
    assert "Paper won." in cli_process(*words).out


def test_a_shelf_may_have_a_template_of_its_own(sample: Store, cli: Cli) -> None:
    put(sample.root, "templates/retro.md.j2", "{{ report.title }}, ours\n")
    assert cli("retro", "--shelf", sample.root).out == "Retro 2026Q3, ours\n"


# --- people write their text -----------------------------------------------------------------


def test_without_a_terminal_nothing_is_opened_and_the_file_is_named(
    sample: Store, cli: Cli
) -> None:
    ran = cli("retro", "--shelf", sample.root, "--quarter", "2026Q3", "--edit")
    assert ran.code == 1 and "no terminal" in ran.err and "retros/2026Q3.md" in ran.err
    assert not (sample.root / "retros" / "2026Q3.md").exists()


class Edits:
    """memshelf at a terminal of its own, with an editor that is a script."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder, self.store = folder, store

    def run(self, script: str, *words: str, **environ: str) -> tuple[int, str]:
        """The exit code and all that the terminal showed; `script` finds the file as $1."""
        import pty

        editor = put(self.folder, "editor", f"#!/bin/sh\n{script}\n")
        editor.chmod(0o755)
        command = [sys.executable, "-m", "memshelf", "retro", "--edit", *words]
        env = {**os.environ, "TERM": "xterm", "VISUAL": str(editor), **environ}
        shown: list[bytes] = []
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.store.root)
            os.execve(command[0], command, env | {"CALLER": str(os.getpid())})
        reader = threading.Thread(target=self._read, args=(terminal, shown))
        reader.start()
        _, status = os.waitpid(pid, 0)
        reader.join(timeout=60)
        os.close(terminal)
        return os.waitstatus_to_exitcode(status), b"".join(shown).decode("utf-8", "replace")

    @staticmethod
    def _read(terminal: int, shown: list[bytes]) -> None:
        try:
            while data := os.read(terminal, 4096):
                shown.append(data)
        except OSError:  # the other side is closed
            return


@pytest.fixture
def edits(tmp_path: Path, sample: Store) -> Edits:
    return Edits(tmp_path, sample)


@POSIX
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_the_text_of_a_period_is_written_in_the_editor_and_committed(edits: Edits) -> None:
    root = edits.store.root
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    code, shown = edits.run(
        f'cat "$1" > seen; echo "Paper won. {secret}" >> "$1"', "--quarter", "Q3"
    )
    assert code == 0 and "wrote retros/2026Q3.md (commit" in shown, shown
    note = (root / "seen").read_text("utf-8")
    assert "2026Q3, 2026-07-01 to 2026-09-30, in your own words" in note
    kept = git(root, "show", "HEAD:retros/2026Q3.md")
    assert kept.startswith("Paper won. ") and secret not in kept and "<!--" not in kept
    assert git(root, "log", "-1", "--format=%s") == "retro: 2026Q3 in short"
    assert git(root, "show", "--format=", "--name-only", "HEAD") == "retros/2026Q3.md"
    code, shown = edits.run('cat "$1" > seen; true', "--quarter", "Q3")
    assert code == 0 and "as it was" in shown
    assert (root / "seen").read_text("utf-8").rstrip("\n") == kept


@POSIX
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_what_is_left_empty_or_cannot_be_edited_changes_nothing(edits: Edits) -> None:
    root = edits.store.root
    head = git(root, "rev-parse", "HEAD")
    code, shown = edits.run('echo > "$1"', "--quarter", "2026Q2")
    assert code == 0 and "retros/2026Q2.md is as it was" in shown
    code, shown = edits.run("exit 3")
    assert code == 1 and "retros/2026Q3.md yourself" in shown and "VISUAL" in shown
    assert git(root, "rev-parse", "HEAD") == head and not (root / "retros" / "2026Q3.md").exists()


@POSIX
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_text_that_cannot_be_saved_is_kept_where_the_error_says(edits: Edits) -> None:
    hook = put(edits.store.root, ".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    code, shown = edits.run('echo "Words." > "$1"', "--quarter", "2026Q3")
    assert code == 1
    (kept,) = re.findall(r"Your text is kept: (\S+)", shown)
    assert Path(kept).read_text("utf-8") == "Words.\n"
    assert not (edits.store.root / "retros" / "2026Q3.md").exists()


@POSIX
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
@pytest.mark.parametrize("end", ["kill -9 $$", "kill -2 $CALLER; sleep 1", "exit 1"])
def test_a_text_whose_editor_dies_or_is_interrupted_is_kept_where_the_error_says(
    edits: Edits, end: str
) -> None:
    root = edits.store.root
    code, shown = edits.run(f'echo "Words." > "$1"; {end}', "--quarter", "2026Q3")
    assert code == 1, shown
    (kept,) = re.findall(r"Your text is kept: ([^\s]+)", shown)
    assert Path(kept).read_text("utf-8") == "Words.\n"
    assert not (root / "retros" / "2026Q3.md").exists()


# --- over MCP --------------------------------------------------------------------------------


def test_an_agent_may_ask_for_a_quarter_a_span_and_a_message() -> None:
    from memshelf.surfaces.mcp_schema import offer, tool

    found = tool(offer("show")["memshelf_retro"])
    assert set(found["inputSchema"]["properties"]) == {"quarter", "span", "short"}
    assert found["annotations"]["readOnlyHint"]
