"""Shelves to measure on: generated once, one copy a tool, kept between runs."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from . import episodes, prose, words
from .world import ROOT, Tool, World

BASE = "bench-base"
"""The tag of the commit to which a shelf is put back between runs."""
DATE = "2026-11-29T12:00:00Z"
_NAME = "Bench shelf"
_PREAMBLE = "Memory shelf of a benchmark: generated text, in which nothing was ever decided."
_MANIFEST = f"""\
spec_version: "0.1"
mode: single
name: "{_NAME}"
profile: memory
docs_root: docs
categories:
  - topics
  - research
  - sessions
index:
  path: INDEX.md
  generated_by: docshelf-mcp
ledger:
  path: ledger.tsv
policy:
  path: POLICY.md
  patterns: POLICY.patterns
"""
_DOCSHELF = {
    "name": _NAME,
    "remote": "",
    "branch": "main",
    "preamble": _PREAMBLE,
    "category_order": ["topics", "research", "sessions"],
    "split_threshold_bytes": 51200,
    "index_style": "auto",
    "subindex_threshold_sections": 10,
    "provider": "github",
    "url_template": "",
}


class Shelf(NamedTuple):
    """A tool's copy of a shelf, and an episode of middling size on it."""

    root: Path
    size: int
    episode: str

    @property
    def id(self) -> str:
        """The id of that episode."""
        return Path(self.episode).stem

    def git(self, *arguments: str) -> str:
        """Run git on the shelf; its output."""
        return _git(self.root, *arguments)

    def reset(self) -> None:
        """Put the shelf back to its base commit."""
        self.git("reset", "--quiet", "--hard", BASE)
        self.git("clean", "-fdxq")


def made(world: World, count: int) -> dict[str, Shelf]:
    """The shelf of a size for each tool, generated unless it is there already."""
    stamp = f"{_generator()} {world.peer is not None}"
    tools = [world.ours, *([world.peer] if world.peer else [])]
    mark = world.folder / "shelves" / f"{count}.stamp"
    if not mark.is_file() or mark.read_text("utf-8") != stamp:
        print(f"bench: making the shelf of {count:,} episodes", file=sys.stderr)
        mark.unlink(missing_ok=True)
        _make(world, count, tools)
        mark.write_text(stamp, "utf-8")
    found = {}
    for tool in tools:
        root = world.shelf(count, tool)
        found[tool.name] = Shelf(root, count, middling(root))
        found[tool.name].reset()
    _settle(world, found[world.ours.name])
    return found


def _generator() -> str:
    """A hash of what the text comes from."""
    sources = (episodes, prose, words, sys.modules[__name__])
    texts = [Path(str(source.__file__)).read_bytes() for source in sources]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


def _make(world: World, count: int, tools: list[Tool]) -> None:
    """Written once, rendered by the peer where there is one, copied, committed in each copy."""
    first, *others = (world.shelf(count, tool) for tool in tools)
    for root in (first, *others):
        _remove(root)
    _run_write(first, count)
    renderer = world.peer or world.ours
    run = [*renderer.cli, "rebuild", "--shelf", str(first)]
    subprocess.run(run, env=world.environ(renderer), check=True, stdout=subprocess.DEVNULL)
    for root in others:
        shutil.copytree(first, root)
    for root in (first, *others):
        _git(root, "init", "--quiet", "--initial-branch", "main")
        _git(root, "add", "--all")
        _commit(root)


def _run_write(root: Path, count: int) -> None:
    """In another process: the memory of this one is a floor under what it measures."""
    code = f"import sys; from pathlib import Path; from {__name__} import write; "
    code += "write(Path(sys.argv[1]), int(sys.argv[2]))"
    subprocess.run([sys.executable, "-c", code, str(root), str(count)], cwd=ROOT, check=True)


def _remove(root: Path) -> None:
    """Windows removes no file that is marked read-only, as git marks its objects."""
    for path in root.rglob("*") if os.name == "nt" else ():
        path.chmod(0o666)
    shutil.rmtree(root, ignore_errors=True)


def write(root: Path, count: int) -> None:
    """The files of a shelf: episodes, and what its two readers need to know of it."""
    for category in episodes.CATEGORIES.values():
        (root / "docs" / category).mkdir(parents=True)
    for path, text in episodes.episodes(count):
        _put(root / path, text)
    _put(root / "shelf.yml", _MANIFEST)
    _put(root / ".docshelf.json", json.dumps(_DOCSHELF, indent=2) + "\n")
    _put(root / "POLICY.md", "# Policy\n\nNo secrets and no names.\n")
    _put(root / "POLICY.patterns", "# KIND REGEX, one a line\n")
    _put(root / ".gitignore", "recall-log.tsv\n")


def _put(file: Path, text: str) -> None:
    file.write_text(text, "utf-8", newline="\n")


def _settle(world: World, shelf: Shelf) -> None:
    """Let memshelf draw its own chart, which a shelf that the peer rendered has not yet.

    From then on a rebuild finds nothing to do. What else it would change is none of its business.
    """
    run = [*world.ours.cli, "rebuild", "--shelf", str(shelf.root)]
    environ = world.environ(world.ours)
    subprocess.run(run, env=environ, check=True, stdout=subprocess.DEVNULL)
    changed = shelf.git("status", "--porcelain", "--untracked-files=all").split("\n")
    others = [line for line in changed if line and not line.endswith(" stats.svg")]
    if others and world.peer:
        raise SystemExit(f"bench: memshelf renders otherwise than the peer: {others}")
    if any(changed):
        shelf.git("add", "--all")
        _commit(shelf.root, "--amend")


def _commit(root: Path, *options: str) -> None:
    _git(root, "commit", "--quiet", "--message", "bench shelf", "--date", DATE, *options)
    _git(root, "tag", "--force", BASE)


def _git(root: Path, *arguments: str) -> str:
    config = root.parent.parent / "gitconfig"
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environ = kept | {"GIT_CONFIG_GLOBAL": str(config), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *arguments],
        cwd=root,
        env=environ | {"GIT_COMMITTER_DATE": DATE},
        check=True,
        capture_output=True,
    )
    return done.stdout.decode("utf-8")


def middling(root: Path) -> str:
    """The path of a topic whose size is nearest to the mean of all episodes."""
    sizes = {path: path.stat().st_size for path in sorted(root.glob("docs/*/*.md"))}
    mean = sum(sizes.values()) / len(sizes)
    topics = {path: size for path, size in sizes.items() if path.parent.name == "topics"}
    best = min(topics or sizes, key=lambda path: (abs(sizes[path] - mean), path.name))
    return best.relative_to(root).as_posix()


def facts(world: World, shelf: Shelf) -> dict[str, Any]:
    """How large a shelf is, and what each tool's doctor says of it."""
    sizes = [path.stat().st_size for path in shelf.root.glob("docs/*/*.md")]
    said = {}
    for tool in filter(None, (world.ours, world.peer)):
        root = world.shelf(shelf.size, tool)
        run = [*tool.cli, "doctor", "--shelf", str(root)]
        environ = world.environ(tool) | {"MEMSHELF_OUTPUT": "json"}
        done = subprocess.run(run, env=environ, capture_output=True, check=False)
        answer = json.loads(done.stdout)
        said[tool.name] = {key: answer[key] for key in ("errors", "warnings")}
        if answer["errors"]:
            worst = [f for f in answer["findings"] if f["level"] == "error"][:3]
            raise SystemExit(f"bench: {tool.name} finds errors on its shelf: {worst}")
    return {"bytes": sum(sizes), "mean": round(sum(sizes) / len(sizes)), "doctor": said}
