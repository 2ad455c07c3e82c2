"""Sites in tests: built by the real MkDocs, and every link in them followed on the disk."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from gitkit import put

import memshelf
from memshelf.storage.store import Store

PLUGIN = "site_name: x\ntheme: {name: material, font: false}\nplugins: [memshelf]\n"
"""A mkdocs.yml beside a shelf's own docs/."""


def for_all(store: Store) -> Store:
    """The same shelf, all of it for everybody."""
    settings = (store.root / "memshelf.toml").read_text("utf-8")
    settings = settings.replace('visibility = "private"', 'visibility = "public"')
    put(store.root, "memshelf.toml", settings + '\n[publish]\ninclude = ["public"]\n')
    return memshelf.open_shelf(store.root)


class Found(HTMLParser):
    """The ids of a page, where its links and parts lead, and what it would run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src"):
                self.links.append(value or "")
            if name.startswith("on"):
                self.handlers.append(f"{tag} {name}")

    handle_startendtag = handle_starttag


class Built:
    """A folder of HTML, as MkDocs left it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def pages(self) -> dict[str, Found]:
        """Every page by its path."""
        return {
            path.relative_to(self.folder).as_posix(): Found(path.read_text("utf-8"))
            for path in sorted(self.folder.rglob("*.html"))
        }

    def broken(self) -> list[str]:
        """Links that lead to no file, or to no place in it; and ids that a page has twice."""
        out = []
        for name, page in self.pages.items():
            if name == "404.html":  # served for any address, so that its links are absolute
                continue
            out += [f"{name}: id {one} twice" for one in set(page.ids) if page.ids.count(one) > 1]
            out += [f"{name} -> {link}" for link in page.links if not self._leads(name, link)]
        return out

    def _leads(self, page: str, link: str) -> bool:
        parts = urlsplit(link)
        if parts.scheme in ("http", "https", "mailto", "data"):
            return True
        target = self.folder / page
        if parts.path:
            target = target.parent / unquote(parts.path)
            target = target / "index.html" if target.is_dir() else target
        if not target.resolve().is_file():
            return False
        there = self.pages.get(target.resolve().relative_to(self.folder.resolve()).as_posix())
        return not parts.fragment or bool(there and unquote(parts.fragment) in there.ids)


def mkdocs(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run MkDocs in a folder; its verdict is what it prints and its exit code."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def build(folder: Path, *arguments: object) -> Built:
    """Build the site of a folder strictly; what MkDocs warns of fails."""
    ran = mkdocs("build", "--strict", *arguments, cwd=folder)
    assert ran.returncode == 0 and "WARNING" not in ran.stderr, ran.stderr
    return Built(folder / "site")
