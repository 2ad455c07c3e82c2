"""docs/doctor.md, the table of codes and the checks say the same."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Cli
from gitkit import POSIX, git, new_repo, put

from memshelf.capture.served import code_hash, served
from memshelf.domain.codes import CODES, GROUPS, PEER, tables
from memshelf.storage.store import Store

PACKAGE = ROOT / "memshelf"
CHECKING = (
    *("domain/checks.py", "domain/waiting.py", "domain/reach.py", "domain/episode.py"),
    *("domain/frontmatter.py", "domain/yaml_text.py", "domain/digest.py", "domain/publishing.py"),
    *("domain/config.py", "domain/redaction/patterns.py", "verbs/around.py", "verbs/doctor.py"),
    *("storage/survey.py", "storage/look.py", "capture/installed.py", "capture/clients/shadow.py"),
)
BUILT = {"bad-date", "bad-retain-until", "stale-index", "stale-derived", "secret-at-rest"}
BUILT |= {"policy-pattern-at-rest", "not-utf8"}
"""Codes that are put together from parts, or chosen before the finding is made."""
LEVELS = ("error", "warning", "unknown", "info")


def made() -> dict[str, str]:
    """Each code that the checks spell out, with its level."""
    out: dict[str, str] = {}
    for name in CHECKING:
        for node in ast.walk(ast.parse((PACKAGE / name).read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            words = [a.value if isinstance(a, ast.Constant) else None for a in node.args[:3]]
            if node.func.id in ("_error", "_warning"):
                words = [node.func.id[1:], *words]
            if node.func.id == "_finding" and name.endswith("frontmatter.py"):
                words = [words[2] if len(words) > 2 else "error", words[0]]
            if len(words) > 1 and words[0] in LEVELS and isinstance(words[1], str):
                prefix = "digest-" if name.endswith("digest.py") else ""
                out[prefix + words[1]] = str(words[0])
    return out


def test_every_code_that_a_check_makes_stands_in_the_table_with_its_level() -> None:
    found = made()
    assert len(found) > 50
    assert {code: CODES[code].level for code in found if code in CODES} == found


def test_every_code_of_the_table_is_made_by_a_check() -> None:
    assert CODES.keys() - made().keys() <= BUILT


def test_the_page_shows_the_tables() -> None:
    page = (ROOT / "docs" / "doctor.md").read_text("utf-8")
    assert "\n".join(tables()).strip() in page


def test_every_row_says_what_it_means_and_what_to_do() -> None:
    rows = [row for group in GROUPS.values() for row in group]
    assert len({row.code for row in rows}) == len(rows)
    assert all(row.meaning.endswith(".") and row.fix.endswith(".") for row in rows)


@pytest.mark.shared
def test_every_code_of_the_peer_has_its_place(shared: Path) -> None:
    text = (shared / "reference" / "memshelf-mcp.md").read_text("utf-8")
    section = text.partition("\n## 5. doctor")[2].partition("\nindex-bloat: tokens")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    theirs = {code for cell in cells for code in re.findall(r"`([a-z-]+)`", cell)}
    assert len(theirs) > 45
    assert theirs == PEER.keys()
    assert {code for code, here in PEER.items() if here.startswith("the same")} <= CODES.keys()


# --- which copy answers ------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package folder that stands for an installed one, with what its installer noted."""
    put(tmp_path / "site" / "memshelf", "__init__.py", "x = 1\n")
    put(tmp_path / "site" / "memshelf" / "surfaces", "cli.py", "y = 1\n")
    (tmp_path / "site" / "memshelf-9.dist-info").mkdir()
    return tmp_path / "site" / "memshelf"


def note(package: Path, **said: object) -> Path:
    info = package.parent / "memshelf-9.dist-info"
    put(info, "direct_url.json", json.dumps(said))
    return info


def test_a_copy_of_a_folder_is_compared_with_that_folder(package: Path, tmp_path: Path) -> None:
    origin = tmp_path / "checkout"
    shutil.copytree(package, origin / "memshelf")
    info = note(package, url=origin.as_uri(), dir_info={})
    assert served(package, info).state == "same"
    put(origin / "memshelf", "__init__.py", "x = 2\n")
    found = served(package, info)
    assert found.state == "differs"
    assert found.served != found.origin == code_hash(origin / "memshelf")
    shutil.rmtree(origin)
    assert served(package, info).state == "unknown"


def test_an_editable_copy_is_its_checkout(package: Path) -> None:
    info = note(package, url=package.parent.as_uri(), dir_info={"editable": True})
    assert served(package, info).state == "same"


def test_a_copy_of_a_wheel_is_held_to_its_record(package: Path) -> None:
    import base64
    import hashlib

    info = note(package)
    rows = []
    for file in sorted(package.rglob("*.py")):
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest())
        name = file.relative_to(package.parent).as_posix()
        rows.append(f"{name},sha256={digest.rstrip(b'=').decode()},{file.stat().st_size}")
    put(info, "RECORD", "\n".join(rows) + "\n")
    assert served(package, info).state == "same"
    put(package, "__init__.py", "x = 3\n")
    assert served(package, info).state == "differs"
    (info / "RECORD").unlink()
    assert served(package, info).state == "unknown"


def test_a_copy_that_nobody_noted_is_not_called_fresh(package: Path) -> None:
    assert served(package, None).state == "unknown"


def test_doctor_says_which_copy_answers_and_only_when_it_is_asked(cli: Cli, store: Store) -> None:
    plain = json.loads(cli("doctor", "--json", "--shelf", store.root).out)
    assert "installed" not in plain
    answer = json.loads(cli("doctor", "--json", "--installed", "--shelf", store.root).out)
    assert answer["installed"][0]["answers"] == "this process"
    assert Path(answer["installed"][0]["package"]) == PACKAGE


@POSIX
def test_a_client_and_a_script_are_followed_to_the_code_that_they_start(
    cli: Cli, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = put(tmp_path / "bin", "memshelf", f"#!{sys.executable}\nimport memshelf.surfaces\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    entry = {"command": str(script), "args": ["serve"], "env": {"TOKEN": "hunter2pw"}}
    put(Path.home(), ".claude.json", json.dumps({"mcpServers": {"memshelf": entry}}))
    ran = cli("doctor", "--json", "--installed", "--shelf", store.root)
    answers = [one["answers"] for one in json.loads(ran.out)["installed"]]
    assert "`memshelf` on PATH" in answers
    assert any(name.startswith("Claude Code") for name in answers)
    assert "hunter2pw" not in ran.out


def test_a_server_says_once_in_its_instructions_that_its_code_is_not_that_of_the_checkout(
    tmp_path: Path,
) -> None:
    checkout = tmp_path / "checkout"
    put(checkout / "memshelf" / "surfaces", "cli.py", "other = 1\n")
    code = "from memshelf.surfaces.mcp_schema import instructions; print(instructions())"

    def told(**environ: str) -> str:
        env = {**os.environ, **environ}
        words = [sys.executable, "-c", code]
        return subprocess.run(words, env=env, capture_output=True, text=True, check=True).stdout

    assert "doctor --installed" in told(MEMSHELF_CHECKOUT=str(checkout))
    assert "doctor --installed" not in told(MEMSHELF_CHECKOUT=str(ROOT))
    off = told(MEMSHELF_CHECKOUT=str(checkout), MEMSHELF_FRESHNESS_WARNING="0")
    assert "doctor --installed" not in off


def test_freshness_tells_fresh_from_behind_from_unknown(cli: Cli, tmp_path: Path) -> None:
    assert cli("freshness", tmp_path).code == 2
    ran = cli("freshness", ROOT)
    assert code_hash(PACKAGE) in ran.out or ran.code == 2
    other = new_repo(tmp_path / "other")
    put(other / "memshelf" / "surfaces", "cli.py", "other = 1\n")
    git(other, "tag", "v9")
    git(other, "add", "-A")
    git(other, "commit", "-qm", "code")
    ran = cli("freshness", other)
    assert ran.code == 1
    assert "1 commit since v9" in ran.out and "DIFFERS" in ran.out


def test_an_index_over_its_budget_names_its_dearest_lines(peer_shelf: Store) -> None:
    from memshelf.domain.checks import examine_shelf
    from memshelf.render.index import index_text

    shelf = peer_shelf.read()
    dear = "2026-04-09-postgres-upgrade"
    lines = index_text(shelf).splitlines()
    long = [line + " padding" * 900 if dear in line else line for line in lines]
    (found,) = (f for f in examine_shelf(shelf, "\n".join(long), None) if f.code == "index-bloat")
    assert found.fix.startswith(f"Shorten the dearest lines ({dear} 18")
    plain = examine_shelf(shelf, "\n".join(lines), None)
    assert not [f for f in plain if f.code == "index-bloat"]
