from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

from memshelf.domain.text import utf16_units
from memshelf.verbs.hook import Hooked, hook

HEAVY = ("matplotlib", "mcp", "mkdocs", "numpy", "git", "jinja2")


def make_shelf(root: Path, titles: list[str]) -> list[str]:
    """A shelf with an episode a day, oldest first; gives their ids."""
    (root / "docs" / "topics").mkdir(parents=True)
    (root / "shelf.yml").write_text("name: tides\n", encoding="utf-8")
    ids = []
    for number, title in enumerate(titles):
        day = date(2025, 1, 1) + timedelta(days=number)
        ids.append(f"{day}-on-the-way-of-a-usual-name-{number}")
        head = f'id: {ids[-1]}\nkind: topic\ndisplay_title: "{title}"\ndate: {day}\n'
        head += f"span: {day}\ntags: [tide]\napprox_tokens: 900\n"
        text = f"---\n{head}---\n\n# {title}\n\n## Digest\n\nDecided.\n"
        path = root / "docs" / "topics" / f"{ids[-1]}.md"
        path.write_text(text, encoding="utf-8")
    return ids


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMSHELF_SHELF_PATH", "MEMSHELF_OUTPUT", "MEMSHELF_WORKSPACE_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMSHELF_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("MEMSHELF_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")


def run(*words: str, said: str | bytes = "{}", **more: str) -> subprocess.CompletedProcess[bytes]:
    data = said.encode() if isinstance(said, str) else said
    return subprocess.run(
        [sys.executable, "-m", "memshelf", "hook", *words],
        input=data,
        capture_output=True,
        env={**os.environ, **more},
        check=False,
    )


def context(done: subprocess.CompletedProcess[bytes]) -> str:
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert list(said) == ["hookSpecificOutput"]
    assert said["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    text: str = said["hookSpecificOutput"]["additionalContext"]
    return text


def test_every_kind_of_start_gets_the_index_newest_first(tmp_path: Path) -> None:
    ids = make_shelf(tmp_path / "s", ["Spring tides", "Нуль глубин", "潮汐 🌊"])
    texts = {
        context(run("SessionStart", "--shelf", str(tmp_path / "s"), said=json.dumps({"source": s})))
        for s in ("startup", "resume", "clear", "compact")
    }
    assert len(texts) == 1
    text = texts.pop()
    places = [text.index(episode) for episode in reversed(ids)]
    assert places == sorted(places)
    assert "潮汐 🌊" in text


@pytest.mark.parametrize(
    "titles",
    [[f"{n} {'wide title ' * 7}"[:80] for n in range(300)], ["🌊" * 80] * 75],
    ids=["300 episodes", "6,000 emoji"],
)
def test_the_text_stays_within_what_the_host_takes_and_says_what_it_leaves_out(
    tmp_path: Path, titles: list[str]
) -> None:
    ids = make_shelf(tmp_path / "s", titles)
    text = context(run("SessionStart", "--shelf", str(tmp_path / "s")))
    assert utf16_units(text) <= 10_000
    shown = [episode for episode in ids if episode in text]
    assert shown == ids[len(ids) - len(shown) :]
    left = len(ids) - len(shown)
    assert left == 0 or str(left) in text.splitlines()[-1]
    assert len(ids) < 300 or left > 0


@pytest.mark.parametrize("said", ["", "garbage", b"\xff\xfe", "[1]", '{"cwd": 7}', '{"cwd": ""}'])
def test_without_a_shelf_nothing_is_said_whatever_the_host_says(said: str | bytes) -> None:
    done = run("SessionStart", said=said)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("words", [(), ("Stop",), ("sessionstart",), ("--event", "PreCompact")])
def test_other_events_get_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    make_shelf(tmp_path / "s", ["Tides"])
    done = run(*words, "--shelf", str(tmp_path / "s"))
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, b"", b"")


def test_the_shelf_is_found_in_the_folder_of_the_session(tmp_path: Path) -> None:
    ids = make_shelf(tmp_path / "s", ["Tides"])
    said = json.dumps({"cwd": str(tmp_path / "s" / "docs"), "source": "startup"})
    assert ids[0] in context(run("SessionStart", said=said))


def test_the_shelf_of_the_environment_goes_before_the_folder(tmp_path: Path) -> None:
    make_shelf(tmp_path / "here", ["Tides"])
    make_shelf(tmp_path / "named", ["Moon"])
    said = json.dumps({"cwd": str(tmp_path / "here")})
    done = run("SessionStart", said=said, MEMSHELF_SHELF_PATH=str(tmp_path / "named"))
    assert "Moon" in context(done)
    assert "Tides" not in context(done)


def test_a_named_shelf_that_is_none_is_one_line_of_complaint_and_no_failure(
    tmp_path: Path,
) -> None:
    make_shelf(tmp_path / "here", ["Tides"])
    said = json.dumps({"cwd": str(tmp_path / "here")})
    done = run("SessionStart", "--shelf", str(tmp_path / "nowhere"), said=said)
    assert (done.returncode, done.stdout.strip()) == (0, b"")
    assert len(done.stderr.splitlines()) == 1
    assert b"nowhere" in done.stderr


def test_a_broken_shelf_does_not_break_the_session(tmp_path: Path) -> None:
    make_shelf(tmp_path / "s", ["Tides"])
    (tmp_path / "s" / "memshelf.toml").write_text("= = =\n", encoding="utf-8")
    done = run("SessionStart", "--shelf", str(tmp_path / "s"))
    assert (done.returncode, done.stdout.strip()) == (0, b"")
    assert len(done.stderr.splitlines()) == 1
    assert b"memshelf.toml" in done.stderr


def test_an_episode_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    ids = make_shelf(tmp_path / "s", ["Tides", "Moon"])
    (tmp_path / "s" / "docs" / "topics" / f"{ids[0]}.md").write_bytes(b"\xff\xfe\xff")
    assert ids[1] in context(run("SessionStart", "--shelf", str(tmp_path / "s")))


def test_the_host_gets_its_own_words_whatever_form_answers_have_else(tmp_path: Path) -> None:
    make_shelf(tmp_path / "s", ["Tides"])
    shelf = ("--shelf", str(tmp_path / "s"))
    plain = run("SessionStart", *shelf).stdout
    assert json.loads(run("SessionStart", *shelf, MEMSHELF_OUTPUT="json").stdout) == (
        json.loads(plain)
    )


def test_nobody_needs_to_say_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_shelf(tmp_path / "s", ["Tides"])
    monkeypatch.setattr(sys, "stdin", None)  # as under pythonw
    answer = hook(tmp_path / "s", "SessionStart")
    assert "Tides" in answer.context
    assert str(Hooked("SessionStart", "")) == ""


def test_the_hook_loads_nothing_heavy(tmp_path: Path) -> None:
    make_shelf(tmp_path / "s", ["Tides"])
    code = (
        "import sys\nfrom memshelf.surfaces.cli import run\n"
        f"run(['hook', 'SessionStart', '--shelf', {str(tmp_path / 's')!r}])\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=b"{}", capture_output=True, check=True
    )
    assert done.stderr.strip() == b"[]"
