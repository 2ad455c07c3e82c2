"""The docs are run: every console block, every Python session, every example, every link.

`pytest tests/test_docs.py --update` (or `make docs`) writes anew what is generated or executed.
"""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT, run_process
from gitkit import POSIX
from sessions import NOON, Shell, blocks, played, steps

import memshelf
from memshelf import verbs
from memshelf.domain.episode import format_episode, parse_episode
from memshelf.surfaces.cli_command import command
from memshelf.surfaces.reference import reference

DOCS = ROOT / "docs"
PAGES = [
    *(ROOT / "README.md", ROOT / "CHANGELOG.md"),
    *(page for folder in (DOCS, DOCS / "rendering") for page in sorted(folder.glob("*.md"))),
]
BY_HAND = [page for page in PAGES if page.name not in ("verbs.md", "performance.md", "agents.md")]
SESSIONS = [ROOT / "README.md", DOCS / "tutorial.md", DOCS / "site.md"]
named = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


# --- console blocks --------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.name)
def test_every_console_block_does_what_it_shows(page: Path, world: Path, update: bool) -> None:
    shell, text, shift = Shell(world), page.read_text("utf-8"), 0
    before = text
    for block in blocks(page, "console"):
        new = played(block.text, shell)
        text = text[: block.start + shift] + new + text[block.end + shift :]
        shift += len(new) - len(block.text)
    if update:
        page.write_text(text, "utf-8", newline="\n")
    else:
        assert text == before


def test_the_first_page_shows_a_session() -> None:
    shown = " ".join(step.command for b in blocks(SESSIONS[0], "console") for step in steps(b.text))
    for name in ("init", "shelve", "recall", "rebuild", "stats", "doctor"):
        assert f"memshelf {name}" in shown


# --- Python sessions and files ---------------------------------------------------------------


@named
def test_every_python_session_does_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", NOON)
    text = "\n".join(block.text for block in blocks(page, "pycon"))
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    session = doctest.DocTestParser().get_doctest(text, {"memshelf": memshelf}, page.name, None, 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=flags).run(session, out=said.append)
    assert not said, "".join(said)


def test_the_example_episodes_read_and_write_as_themselves() -> None:
    examples = [b for b in blocks(DOCS / "format.md", "markdown") if b.text.startswith("---\n")]
    assert examples
    for block in examples:
        assert format_episode(parse_episode(block.text)) == block.text


def test_the_example_settings_are_understood() -> None:
    from memshelf.domain.config import read_config

    for block in blocks(DOCS / "format.md", "toml"):
        assert not read_config(None, None, block.text).findings
    for block in blocks(DOCS / "format.md", "yaml"):
        assert read_config(block.text, None, None).generated_by == "external"


def test_the_page_about_secrets_names_every_kind_and_is_right_about_what_is_left_alone() -> None:
    from memshelf.domain.redact import redact
    from memshelf.domain.redaction.credentials import SHAPES

    masked, alone = re.findall(
        r"^## What is (?:masked|left alone)\n(.*?)(?=^## )",
        (DOCS / "redaction.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    kinds = set(re.findall("`([^`]+)`", masked))
    others = {"bearer", "basic-auth", "url-password", "env-secret", "credential", "aws-secret-key"}
    assert {shape.kind for shape in SHAPES} | others <= kinds
    for harmless in re.findall(r"`([^`]+)`|\"([^\"]+)\"", alone):
        assert redact("".join(harmless)) == ("".join(harmless), {})


def test_the_page_about_secrets_says_how_many_are_found(update: bool) -> None:
    from secret_corpus import measure

    page, rows = DOCS / "redaction.md", measure()
    lines = [
        f"| {r.scanner} | {r.found} of {r.secrets} | {r.flagged} of {r.decoys} |" for r in rows
    ]
    head = "| scanner | secrets found | decoys flagged |\n|---|---|---|\n"
    if update:
        text = re.sub(
            r"(<!-- measured: .*?-->\n).*?(<!-- end -->)",
            lambda found: f"{found[1]}\n{head}" + "\n".join(lines) + f"\n\n{found[2]}",
            page.read_text("utf-8"),
            flags=re.DOTALL,
        )
        page.write_text(text, "utf-8", newline="\n")
    assert lines[0] in page.read_text("utf-8"), "`make docs` writes it anew"


# --- verbs -----------------------------------------------------------------------------------


def test_the_reference_of_the_verbs_is_what_the_verbs_say(update: bool) -> None:
    page = reference()
    if update:
        (ROOT / page.path).write_bytes(page.raw)
    assert (ROOT / page.path).read_bytes() == page.raw, "`make docs` writes it anew"


LEFT_OUT = {"setup", "serve", "hook", "eval"}
"""Verbs that are shown and no public names of Python: for programs, or a name of Python's own."""


def test_every_verb_that_is_shown_is_a_function_of_the_package() -> None:
    shown = {verbs.module_of(name) for names in verbs.GROUPS.values() for name in names}
    assert set(memshelf.__all__) >= shown - LEFT_OUT
    assert not LEFT_OUT & set(memshelf.__all__)
    assert list(memshelf.__all__) == sorted(memshelf.__all__)
    for name in memshelf.__all__:
        assert getattr(memshelf, name).__doc__ or name == "__version__", name


@pytest.mark.parametrize("name", verbs.NAMES)
def test_every_verb_has_help_and_an_example_that_parses(name: str) -> None:
    verb = verbs.load(name)
    assert verb.summary.endswith(".") and verbs.summary(name) == verb.summary.rstrip(".")
    assert verb.examples
    for example in verb.examples:
        line = example.partition(" | ")[2] or example
        words = shlex.split(line.partition(" < ")[0])
        head = ["memshelf", *name.split()]
        assert words[: len(head)] == head, example
        command(verb).make_context(name, words[len(head) :])


@POSIX
@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_line_that_installs_completion_works(name: str, world: Path) -> None:
    lines = SESSIONS[0].read_text("utf-8").splitlines()
    (row,) = (line for line in lines if line.startswith(f"| {name} "))
    (line,) = re.findall("`(.+)`", row)
    shell = Shell(world)
    (shell.home / ".config" / "fish" / "completions").mkdir(parents=True)
    assert shell.run(line) == ""
    assert "_MEMSHELF_COMPLETE" in shell.run(f"_MEMSHELF_COMPLETE={name}_source memshelf")
    if name == "bash":
        asked = ["bash", "-c", "source ~/.bashrc; complete -p memshelf"]
        ran = run_process(asked, cwd=shell.home, environ=shell.environ)
        assert "_memshelf_completion" in ran.out, ran.err


def test_the_shelf_of_the_project_is_healthy_and_its_derived_files_are_current() -> None:
    shelf = memshelf.open_shelf(DOCS / "shelf")
    assert memshelf.rebuild(shelf, check=True).ok
    report = memshelf.doctor(shelf).report
    assert not [found for found in report.findings if found.level in ("error", "warning")]


# --- the site --------------------------------------------------------------------------------


@named
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    broken = [
        target
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert not broken


@pytest.mark.parametrize("page", BY_HAND, ids=lambda page: page.name)
def test_a_page_has_one_sentence_a_line(page: Path) -> None:
    """So that a diff shows which sentence changed."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    crowded = [line for line in prose.splitlines() if re.search(r"\w[.?!] [A-Z]", bare(line))]
    assert not crowded


def bare(line: str) -> str:
    """A line without code, tables and numbering."""
    return "" if line.startswith("|") else re.sub(r"`[^`]*`|^\d+\. |\b[vV]s\. ", "x ", line)


def test_the_site_is_built_strictly_and_asks_no_other_host(tmp_path: Path) -> None:
    site = tmp_path / "site"
    # Not --quiet: that would silence the very warnings that --strict is to fail on.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    ran = run_process([*command, "--config-file", str(ROOT / "mkdocs.yml")], cwd=ROOT)
    assert ran.code == 0, ran.err
    assert (site / "index.html").is_file() and (site / "verbs" / "index.html").is_file()
    assert not set(foreign(site))


def foreign(site: Path) -> Iterator[str]:
    """What the pages would fetch from elsewhere when they are opened."""
    fetched = r"<(?:script|img|iframe|source)\b[^>]*?\bsrc=\"((?:https?:)?//[^\"]+)"
    styles = r"<link\b(?=[^>]*rel=\"(?:stylesheet|preload|preconnect|icon)\")[^>]*?href=\"((?:https?:)?//[^\"]+)"
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        yield from re.findall(fetched, text)
        yield from re.findall(styles, text)


def test_nothing_of_this_machine_is_in_the_docs() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        assert not re.search(r"/(?:root|work|tmp)/", text), page
