"""Everything that is rendered is the same to the byte on any machine, on any day, in any order."""

from __future__ import annotations

import os
import random
import shutil
import sys
from pathlib import Path

import pytest
from conftest import Cli, commit_all, run_process
from support import tree

from memshelf import render
from memshelf.storage.store import Store

# Every output of the command line that shows a shelf, and the file it goes to.
OUTPUTS = {
    "index.txt": ["index"],
    "stats.txt": ["stats"],
    "stats.json": ["stats", "--json"],
    "threads.txt": ["threads", "--state", "all"],
    "decisions.json": ["decisions", "--state", "all", "--json"],
    "tags.txt": ["tags"],
    "tags.md": ["tags", "--format", "md"],
    "tags.json": ["tags", "--json"],
    "tag.md": ["tags", "api", "--format", "md"],
    "graph.json": ["graph"],
    "graph.mmd": ["graph", "--format", "mermaid"],
    "graph.dot": ["graph", "--format", "dot"],
    "graph.svg": ["graph", "--format", "svg"],
    "graph.md": ["graph", "--format", "markdown"],
    "graph.txt": ["graph", "--format", "text", "--section", "Decisions"],
    "ego.svg": ["graph", "--format", "svg", "--ego", "2026-01-13-qc-flags"],
    "retro.md": ["retro", "--quarter", "2026Q2"],
    "retro.json": ["retro", "--quarter", "2026Q3", "--json"],
    "retro.html": ["retro", "--year", "2026", "--format", "html"],
    "retros.md": ["retro", "--all"],
    "short.md": ["retro", "--short"],
    "shelf.html": ["export", "html", "--out", "shelf.html"],
    "small.html": ["export", "html", "--max-size", "100KB", "--out", "small.html"],
    "shelf.epub": ["export", "epub", "--out", "shelf.epub"],
    "shelf.json": ["export", "json", "--out", "shelf.json"],
}
_SCRIPT = """
import contextlib, io, os, sys
from pathlib import Path
from memshelf.surfaces.cli import run
shelf, out, outputs = sys.argv[1], Path(sys.argv[2]), eval(sys.argv[3])
os.chdir(out)
for name, words in outputs.items():
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(said):
        code = run([*words, "--shelf", shelf])
    if code:
        raise SystemExit(f"{words} ended with {code}")
    if "--out" not in words:
        (out / name).write_bytes(said.buffer.getvalue())
run(["rebuild", "--shelf", shelf])
"""
_WORLDS = (
    {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8"},
    {"PYTHONHASHSEED": "77", "TZ": "America/Los_Angeles", "LC_ALL": "C", "COLUMNS": "40"},
)


def test_every_output_is_the_same_on_two_machines(sample: Store, tmp_path: Path) -> None:
    made = []
    for number, world in enumerate(_WORLDS):
        root = _shuffled(sample.root, tmp_path / f"machine {number}" / "shelf", seed=number)
        out = tmp_path / f"out{number}"
        out.mkdir()
        environ = world | {
            name: str(tmp_path / f"{name}{number}")
            for name in ("MEMSHELF_CACHE_DIR", "MEMSHELF_STATE_DIR")
        }
        script = [sys.executable, "-c", _SCRIPT, str(root), str(out), repr(OUTPUTS)]
        ran = run_process(script, cwd=tmp_path, environ=environ)
        assert ran.code == 0, ran.err + ran.out
        made.append(
            tree(out)
            | {name: (root / name).read_bytes() for name in render.OWNED if (root / name).exists()}
        )
    first, second = made
    assert first.keys() == second.keys() and OUTPUTS.keys() <= first.keys()
    assert [name for name in first if first[name] != second[name]] == []


def _shuffled(source: Path, target: Path, seed: int) -> Path:
    """A copy whose files were made in another order, at other times, in a repository of its own."""
    files = [
        path for path in sorted(source.rglob("*")) if path.is_file() and ".git" not in path.parts
    ]
    random.Random(seed).shuffle(files)
    for number, path in enumerate(files):
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
        os.utime(place, (1_600_000_000 + 1000 * number, 1_600_000_000 + 1000 * number))
    return commit_all(target)


def test_every_derived_file_comes_back_and_one_changed_byte_in_any_is_told(
    sample: Store, cli: Cli
) -> None:
    root = sample.root
    assert cli("rebuild", "--shelf", root).code == 0
    whole = tree(root)
    there = [name for name in render.OWNED if name in whole]
    assert {"INDEX.md", "ledger.tsv", "stats.svg", "archive/INDEX.md"} <= set(there)
    for name in there:
        (root / name).unlink()
    assert cli("rebuild", "--shelf", root).code == 0
    assert tree(root) == whole
    for name in there:
        data = whole[name]
        (root / name).write_bytes(data[: len(data) // 2] + b"~" + data[len(data) // 2 + 1 :])
        ran = cli("rebuild", "--check", "--shelf", root)
        assert ran.code == 1 and f"differs {name}" in ran.out
        (root / name).write_bytes(data)
    assert cli("rebuild", "--check", "--shelf", root).code == 0


@pytest.mark.parametrize("output", ["shelf.html", "graph.json", "retro.md", "tags.md"])
def test_the_working_tree_and_its_commit_render_alike(
    sample: Store, tmp_path: Path, output: str
) -> None:
    words, made = [word for word in OUTPUTS[output] if word not in ("--out", output)], []
    for rev in ("", "HEAD"):
        flags = ["--rev", rev] if rev else []
        run = [sys.executable, "-m", "memshelf", *words, *flags, "--shelf", str(sample.root)]
        ran = run_process(run, cwd=tmp_path)
        assert ran.code == 0, ran.err
        made.append(ran.out)
    assert made[0].replace(_chart(made[0]), "") == made[1].replace(_chart(made[1]), "")


def _chart(page: str) -> str:
    """The paragraph with the chart, which belongs to the working tree."""
    _, middle, rest = page.partition('<p><img class="chart"')
    return middle + rest.partition("</p>\n")[0] + "</p>\n" if middle else "\0"
