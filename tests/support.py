"""What the acceptance tests share: texts, the peer's reading rule, processes that count."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from gitkit import put
from hypothesis import strategies as st

from memshelf.storage.store import Store

DIGEST = "Redis was chosen for the cache; memcached was rejected. Open: eviction."
DECISIONS = "- Redis for the cache.\n- Rejected: memcached."
SHELVE = (
    *("shelve", "--slug", "2026-02-01-new"),
    *("--digest", DIGEST, "--section", f"Decisions={DECISIONS}"),
)
"""The words of the command line that shelves an episode with all that it needs."""

EPISODE = """\
---
id: {id}
kind: topic
span: {day}
date: {day}
display_title: "{title}"
description: "One sentence."
tags: [cache, infra]
approx_tokens: 4100
approx_tokens_source: estimate
mode: live
---

# {title}

## Digest
Redis was chosen for the cache; memcached was rejected. Open: eviction.

## Decisions
- Redis for the cache.
- Rejected: memcached.

## Open threads
- Choose an eviction policy.
"""

ODD_TEXTS = (
    *("a: b", "# x", "a # b", "- x", "---", "...", "no", "Yes", "1.10", "0123", "10:00", "0x1F"),
    *("2026-01-01", "null", "~", "", "[a", "a]", "{b", "'q'", '"dq"', "\\", "\\n", "C#", "C++"),
    *("<<", "=", "*a", "&a", "!x", "%x", "@x", "`x", "a, b", "?x", "why?", "| x", "> x", "y", "on"),
    *("-1", "+1", "1:30:00", "0o17", ".inf", ".nan", "1e3", ".5", "1_000", "a\nb", "a\r\nb", "\t"),
    *("\u2028", "\u2029", "\x85", "\x7f", "\ufeff", "\uffff", "\x00", "\x1b[31m", "é", "e\u0301"),
    *("日本語", "🚀", "👩‍👩‍👧", "אבג שלום", "\u200fعربى", "ё", "a\xa0b", "  lead", "trail  "),
)
ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
HARD_TEXT = st.one_of(
    ANY_TEXT,
    st.sampled_from(ODD_TEXTS),
    st.text("ab: #-\"'[]{},\\\n\t&*!|>%@`0123456789.eE_~?=<+y", max_size=14),
)


def episode(name: str = "2026-01-05-cache", title: str = "Cache: Redis") -> str:
    """The text of a good topic."""
    return EPISODE.format(id=name, day=name[:10], title=title)


def add(store: Store, text: str, path: str = "docs/topics/2026-01-05-cache.md") -> str:
    """Put a file on a shelf by hand and commit it, as it stands."""
    put_bytes(store.root / path, text.encode("utf-8"))
    subprocess.run(["git", "add", "-A"], cwd=store.root, check=True, capture_output=True)
    subprocess.run(["git", "commit", "-qm", "by hand"], cwd=store.root, check=True)
    return path


def put_bytes(path: Path, data: bytes) -> None:
    """Write bytes, the folder too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


# --- databases that are not what they were -------------------------------------------------------


def garbage(file: Path) -> None:
    """Make a database into noise."""
    file.write_bytes(b"not a database " * 1000)


def cut(file: Path) -> None:
    """Take the second half of a file away."""
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def foreign(file: Path) -> None:
    """Put a database of another program in the place of one, with tables of the same names."""
    file.unlink()
    other = sqlite3.connect(file)
    other.executescript("CREATE TABLE files(x); CREATE TABLE docs(x);")
    other.close()


# --- the peer's reading rule -----------------------------------------------------------------


def peer_front(block: str) -> dict[str, str]:
    """Front matter as the peer reads it: every line split at its first colon, both parts trimmed;
    what stands in double quotes is JSON, or if it is not, what is between them."""
    found: dict[str, str] = {}
    for line in block.split("\n"):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if colon:
            found[key] = _unquoted(value)
    return found


def _unquoted(value: str) -> str:
    if len(value) < 2 or value[0] != '"' or value[-1] != '"':
        return value
    try:
        return str(json.loads(value))
    except ValueError:
        return value[1:-1]


def peer_list(value: str) -> list[str]:
    """A list as the peer reads it: `[a, b]` cut at the commas, quotes taken off."""
    inner = value.strip().removeprefix("[").removesuffix("]")
    return [part.strip().strip("\"'") for part in inner.split(",") if part.strip()]


# --- counting what a process does ------------------------------------------------------------

_WATCH = """
import os, sys
log = os.open(os.environ["OPENED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def seen(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        name = os.fsdecode(arguments[0])
        if name.endswith((".md", ".tsv", ".svg", ".json", ".yml", ".toml")):
            os.write(log, (name + "\\n").encode("utf-8", "surrogateescape"))
sys.addaudithook(seen)
from memshelf.surfaces.cli import main
main(sys.argv[1:])
"""
_GIT = """#!{python}
import os, sys
with open({log!r}, "a") as log:
    log.write(" ".join(sys.argv[1:]).replace("\\n", " ") + "\\n")
if not os.environ.get("GIT_COUNTED"):
    os.environ["GIT_COUNTED"] = "1"
os.environ["PATH"] = {path!r}
os.execv({git!r}, [{git!r}, *sys.argv[1:]])
"""


class Counted:
    """A memshelf process, with the shelf's files that it opened and the git processes it started."""

    def __init__(self, folder: Path, shelf: Path) -> None:
        self.shelf = shelf.resolve()
        self.opened, self.calls = folder / "opened.log", folder / "git.log"
        self.bin = folder / "bin"
        git = shutil.which("git") or "git"
        script = _GIT.format(
            python=sys.executable, log=str(self.calls), path=os.environ["PATH"], git=git
        )
        put(self.bin, "git", script).chmod(0o755)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command line; what an earlier one did is forgotten."""
        for log in (self.opened, self.calls):
            log.write_text("")
        path = f"{self.bin}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            [sys.executable, "-c", _WATCH, *arguments],
            env={**os.environ, "PATH": path, "OPENED": str(self.opened)},
            cwd=self.shelf,
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def files(self) -> list[str]:
        """Paths on the shelf that were opened, in order, each once."""
        found = []
        for line in self.opened.read_text("utf-8").splitlines():
            path = (self.shelf / line).resolve()
            if path.is_relative_to(self.shelf) and ".git" not in path.parts:
                found.append(path.relative_to(self.shelf).as_posix())
        return list(dict.fromkeys(found))

    @property
    def episodes(self) -> list[str]:
        """Those of them that are episodes."""
        return [
            path
            for path in self.files
            if path.startswith(("docs/", "archive/docs/")) and path.endswith(".md")
        ]

    @property
    def git(self) -> list[str]:
        """The command lines of the git processes, those of GitPython's import apart."""
        return [line for line in self.calls.read_text("utf-8").splitlines() if line != "version"]


# --- whole shelves ---------------------------------------------------------------------------


def tree(root: Path, leave: Iterable[str] = (".git",)) -> dict[str, bytes]:
    """Every file below a folder by relative path, git's own apart."""
    left = set(leave)
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not left & set(path.relative_to(root).parts)
    }


def changed(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> set[str]:
    """The paths that differ between two trees."""
    return {path for path in {*before, *after} if before.get(path) != after.get(path)}
