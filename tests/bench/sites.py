"""The site: how long its pages take, how long MkDocs takes over them, and how large it is.

Beside it stands Material for MkDocs alone, on as many plain Markdown files (the shelf's own
episodes) with a navigation of two pages.
"""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

from .clock import Job, in_turn, process
from .group import OURS, Bench, Group, Prepare, Runs, settle
from .shelves import Shelf

COLD, WARM = "export site, first, no cache", "export site, nothing changed"
ONE_CHANGED = "export site, one section changed"
BUILD = "mkdocs build of the site"
MATERIAL = "material"
"""The side of a row that stands against Material alone."""

BYTES, SEARCH, FURNITURE = "site, bytes", "site, search index", "site, furniture of a page"
_LETTERS = itertools.cycle("abcdefghijklmnopqrstuvwxyz")


def _folder(bench: Bench, name: str) -> Path:
    return bench.world.folder / "sites" / f"{bench.ours.size}-{name}"


def _exporting(bench: Bench) -> list[str]:
    return ["export", "site", str(_folder(bench, "made")), "--shelf", str(bench.ours.root)]


def _export(bench: Bench) -> dict[str, Runs]:
    shutil.rmtree(_folder(bench, "made"), ignore_errors=True)
    ours = bench.world.ours
    jobs = {
        COLD: bench.job(ours, lambda _: _exporting(bench), prepare=_away(bench), cold=True),
        WARM: bench.job(ours, lambda _: _exporting(bench)),
    }
    changed = bench.job(ours, lambda _: _exporting(bench), prepare=_amended)
    return bench.against(jobs, None) | bench.against({ONE_CHANGED: changed}, None)


def _away(bench: Bench) -> Prepare:
    return lambda _: shutil.rmtree(_folder(bench, "made"), ignore_errors=True)


def _amended(shelf: Shelf) -> None:
    """Change a letter at the end of the last section."""
    file = shelf.root / shelf.episode
    text = file.read_text("utf-8").rstrip("\n")
    file.write_text(f"{text[:-1]}{next(_LETTERS)}\n", "utf-8", newline="\n")
    settle()


def _build(bench: Bench) -> dict[str, Runs]:
    bench.job(bench.world.ours, lambda _: _exporting(bench))()
    made, plain = _folder(bench, "made"), _folder(bench, "plain")
    _write_plain(bench, plain)
    every = {OURS: _mkdocs(bench, made), MATERIAL: _mkdocs(bench, plain)}
    return {BUILD: in_turn(every, min(bench.runs, 3))}


def _mkdocs(bench: Bench, folder: Path) -> Job:
    command = [
        bench.world.ours.python,
        "-m",
        "mkdocs",
        "build",
        "-q",
        "-f",
        str(folder / "mkdocs.yml"),
    ]
    environ = bench.world.environ(bench.world.ours) | {"NO_MKDOCS_2_WARNING": "1"}
    return lambda: process(command, environ)


def _write_plain(bench: Bench, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(bench.ours.root / "docs", folder / "docs")
    for name in ("index", "about"):
        (folder / "docs" / f"{name}.md").write_text(f"# {name}\n", "utf-8")
    settings = {
        "site_name": "Plain",
        "theme": {"name": "material"},
        "nav": ["index.md", "about.md"],
    }
    (folder / "mkdocs.yml").write_text(json.dumps(settings), "utf-8")  # JSON is YAML


def sizes_of(bench: Bench) -> dict[str, int]:
    """Bytes of the built site, of what is searched first, and of a page without its article."""
    site = _folder(bench, "made") / "site"
    files = [path for path in site.rglob("*") if path.is_file()]
    if not files:
        return {}
    heads = sum(path.stat().st_size for path in site.glob("assets/find/head-*.js"))
    pages = [path.read_text("utf-8") for path in itertools.islice(site.rglob("202*.html"), 50)]
    bare = [len(text) - (text.index("</article>") - text.index("<article")) for text in pages]
    return {
        BYTES: sum(path.stat().st_size for path in files),
        SEARCH: heads,
        FURNITURE: max(bare, default=0),
    }


GROUPS = (Group((COLD, WARM, ONE_CHANGED), _export), Group((BUILD,), _build))
