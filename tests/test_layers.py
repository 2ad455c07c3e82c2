"""Who may import whom: docs/design.md says it in two tables, and these tests hold the code to them."""

from __future__ import annotations

import ast
import fnmatch
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import ROOT, run_process

from memshelf.storage.store import Store

PACKAGE = ROOT / "memshelf"
DESIGN = ROOT / "docs" / "design.md"
WORLD = "asyncio io os pathlib random secrets shutil socket subprocess tempfile time".split()
HEAVY = ("matplotlib", "mcp", "mkdocs", "numpy", "git", "jinja2")


class Import(NamedTuple):
    """One name that a file imports, spelled absolutely."""

    file: str
    name: str

    @property
    def room(self) -> str:
        """The room that imports: the first folder, or the module beside them."""
        first, slash, _ = self.file.partition("/")
        return first if slash else first.removesuffix(".py")

    @property
    def target(self) -> str:
        """The room that is imported, `memshelf` for names of the package itself, or a library."""
        top, *rest = self.name.split(".")
        if top != "memshelf":
            return top
        inside = rest and ((PACKAGE / rest[0]).is_dir() or (PACKAGE / f"{rest[0]}.py").is_file())
        return rest[0] if inside else "memshelf"


def imports() -> Iterator[Import]:
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            yield from (Import(file, name) for name in names(node, file))


def names(node: ast.AST, file: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = ["memshelf", *Path(file).parts[:-1]]
    here = base[: len(base) - node.level + 1] if node.level else []
    module = [*here, *([node.module] if node.module else [])]
    return [".".join([*module, alias.name]) for alias in node.names]


def table(heading: str) -> dict[str, list[str]]:
    """A table of docs/design.md: the first cell's name, and the names in its second cell."""
    section = DESIGN.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| `")]
    assert rows, f"docs/design.md has no table under {heading!r}"
    return {re.findall("`([^`]+)`", a)[-1]: re.findall("`([^`]+)`", b) for a, b in rows}


IMPORTS = tuple(imports())
ROOMS = table("The rooms")
LIBRARIES = table("Libraries, each in its place")


def test_every_room_has_its_line_in_the_table() -> None:
    there = {one.room for one in IMPORTS} - {"__init__", "__main__"}
    assert there <= ROOMS.keys()


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_the_table_allows(room: str) -> None:
    wrong = [
        f"{one.file} imports {one.name}"
        for one in IMPORTS
        if one.room == room
        and one.name.startswith("memshelf")
        and one.target not in (room, *ROOMS[room])
    ]
    assert not wrong


def test_no_two_rooms_may_import_each_other() -> None:
    both = [(a, b) for a, allowed in ROOMS.items() for b in allowed if a in ROOMS.get(b, ())]
    assert not both


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_imported_only_in_its_place(library: str) -> None:
    wrong = [
        one.file
        for one in IMPORTS
        if one.target == library
        and not any(fnmatch.fnmatch(one.file, place) for place in LIBRARIES[library])
    ]
    assert not wrong


def test_every_library_has_its_line_in_the_table() -> None:
    foreign = {one.target for one in IMPORTS if not one.name.startswith("memshelf")}
    assert foreign - set(sys.stdlib_module_names) <= LIBRARIES.keys()


def test_the_domain_knows_no_disk_no_clock_and_no_environment() -> None:
    wrong = [
        f"{one.file} imports {one.name}"
        for one in IMPORTS
        if one.room == "domain" and one.target in WORLD
    ]
    for path in sorted((PACKAGE / "domain").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called == "open" or called.endswith((".today", ".now", ".utcnow")):
                    wrong.append(f"{path.name}:{node.lineno} calls {called}")
    assert not wrong


# --- cold start ------------------------------------------------------------------------------

_LOADED = """
import json, sys
from memshelf.surfaces.cli import run
code = run(sys.argv[1:])
print(json.dumps([code, [name for name in {heavy} if name in sys.modules]]), file=sys.stderr)
"""


def loaded(store: Store, *words: str) -> list[str]:
    """Which of the heavy libraries a command line has imported when it ends."""
    script = _LOADED.format(heavy=HEAVY)
    ran = run_process([sys.executable, "-c", script, *words], cwd=store.root)
    code, found = json.loads(ran.err.splitlines()[-1])
    assert code == 0, ran
    return list(found)


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        (),
        ("help",),
        ("recall", "2026-01-13-qc-flags", "--section", "Digest"),
        ("search", "tide table"),
    ],
    ids=" ".join,
)
def test_what_is_asked_for_most_imports_nothing_heavy(
    sample: Store, words: tuple[str, ...]
) -> None:
    assert loaded(sample, *words) == []


def test_the_index_imports_nothing_heavy_but_templates_at_most(sample: Store) -> None:
    assert set(loaded(sample, "index")) <= {"jinja2"}


def test_help_imports_no_verb(sample: Store) -> None:
    script = "import sys; from memshelf.surfaces.cli import run; run(['--help'])\n" + (
        "print(*[n for n in sys.modules if n.startswith('memshelf.verbs.')], file=sys.stderr)"
    )
    ran = run_process([sys.executable, "-c", script], cwd=sample.root)
    assert ran.err.split() == []
