"""What happens in a history: a table of operations, each of which says what it reports as saved."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from datetime import date, timedelta
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import memshelf
from memshelf.storage.store import ROOTS, Store

from .world import DECISIONS, git

DIGEST = "Redis was chosen for the cache; memcached was rejected. {word}"
SHARED = "2026-03-01-shared"
WORD = re.compile(r"\bq\d+q\b")


class Turn(NamedTuple):
    """One operation about to happen: where, with which dice, and the word that it leaves."""

    root: Path
    dice: random.Random
    number: int

    @property
    def word(self) -> str:
        """A word that no other turn leaves."""
        return word(self.number)

    @property
    def store(self) -> Store:
        """A fresh handle, as a new process has it."""
        return memshelf.open_shelf(self.root)

    def some(self, count: int = 1) -> list[str]:
        """Ids of live episodes, oldest first."""
        names = live(self.root)
        return sorted(self.dice.sample(names, min(count, len(names))))

    def new(self, letter: str) -> str:
        """An id that is free."""
        day = date(2026, 2, 1) + timedelta(days=self.dice.randrange(100))
        return f"{day}-{letter}{self.number}"


class Did(NamedTuple):
    """What was reported: words that are saved, the commit, and exactly its files where known.

    `gone` are words that need not be anywhere any more, since their episode was forgotten.
    """

    words: tuple[str, ...] = ()
    commit: str | None = None
    files: frozenset[str] | None = None
    gone: tuple[str, ...] = ()


class Operation(NamedTuple):
    """An operation, and how often it comes."""

    run: Callable[[Turn], Did]
    weight: int
    mortal: bool = True
    """Whether it is worth being killed."""


def word(number: int) -> str:
    """The word of a turn: `q17q`, which no other word contains."""
    return f"q{number}q"


def live(root: Path) -> list[str]:
    """The ids of the episodes that are not archived, sorted."""
    return sorted(path.stem for path in (root / "docs").glob("*/*.md"))


# --- writing ---------------------------------------------------------------------------------


def shelve_anew(turn: Turn) -> Did:
    """What always works: a new episode under an id that nobody else takes."""
    return _shelve(turn, slug=turn.new("a"))


def _shelve(turn: Turn, slug: str = "", **more: Any) -> Did:
    kind = turn.dice.choice(("topic", "topic", "research"))
    slug = slug or (SHARED if turn.dice.random() < 0.08 else turn.new("n"))
    done = memshelf.shelve(
        turn.store,
        slug=slug,
        display_title=f"Turn {turn.number}",
        kind=kind,
        digest=DIGEST.format(word=turn.word),
        sections={"Decisions": DECISIONS, "Notes": f"Of {turn.word}."},
        tags=("cache",),
        **more,
    )
    replaced = {path for name in more.get("supersedes", ()) for path in _paths(turn.root, name)}
    known = {done.address} | replaced if done.committed else None
    return Did((turn.word,), done.commit, frozenset(known) if known else None)


def _supersedes(turn: Turn) -> Did:
    return _shelve(turn, supersedes=turn.some())


def _shelve_push(turn: Turn) -> Did:
    return _shelve(turn, push=True)


def _amend(turn: Turn) -> Did:
    (name,) = turn.some()
    # names that are like another one are taken for slips of the pen, and refused
    part = {sha256(turn.word.encode()).hexdigest()[:12]: f"Added as {turn.word}."}
    done = memshelf.shelve(turn.store, slug=name, amend=True, sections=part)
    return Did((turn.word,), done.commit, frozenset({done.address}))


def _edit(turn: Turn) -> Did:
    names = turn.some(turn.dice.choice((1, 1, 2)))
    done = memshelf.edit(turn.store, names, tags=(f"+{turn.word}",), apply=True)
    return Did((turn.word,), done.commit, frozenset(done.files))


def _rename(turn: Turn) -> Did:
    (name,) = turn.some()
    done = memshelf.rename(turn.store, name, f"{name[:10]}-r{turn.number}")
    return Did((), done.commit)


def _supersede(turn: Turn) -> Did:
    old, new = (turn.some(2) * 2)[:2]
    return Did((), memshelf.supersede(turn.store, old, by=new).write.commit)


def _retag(turn: Turn) -> Did:
    old, new = turn.dice.sample(("cache", "infra", "limits"), 2)
    done = memshelf.tags_rename(turn.store, old, new, apply=True)
    return Did((), done.commit, frozenset(done.files) if done.files else None)


def _forget(turn: Turn) -> Did:
    (name,) = turn.some()
    text = "".join((turn.root / path).read_text("utf-8") for path in _paths(turn.root, name))
    _verb("forget")(turn.store, (name,), apply=True)
    return Did(gone=tuple(WORD.findall(text)))


def _rollup(turn: Turn) -> Did:
    _verb("rollup")(
        turn.store,
        f"2026-06-01-u{turn.number}",
        digest=f"Redis was chosen everywhere. {turn.word}",
        episode=turn.some(3),
        sections={"Decisions": DECISIONS},
        apply=True,
    )
    return Did((turn.word,))


# --- the remote, derived files, reading ------------------------------------------------------


def _sync(turn: Turn) -> Did:
    _verb("sync")(turn.store)
    return Did()


def _push(turn: Turn) -> Did:
    _verb("sync")(turn.store, push=True)
    return Did()


def _rebuild(turn: Turn) -> Did:
    memshelf.rebuild(turn.store, commit=True)
    return Did()


def _recall(turn: Turn) -> Did:
    (name,) = turn.some()
    memshelf.recall(turn.store, name)
    return Did()


def _verb(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module(f"memshelf.verbs.{name}"), name)
    return found


TABLE = {
    "shelve": Operation(_shelve, 6),
    "shelve --supersedes": Operation(_supersedes, 2),
    "shelve --push": Operation(_shelve_push, 2),
    "amend": Operation(_amend, 5),
    "edit": Operation(_edit, 3),
    "rename": Operation(_rename, 2),
    "supersede": Operation(_supersede, 1),
    "tags rename": Operation(_retag, 1),
    "forget": Operation(_forget, 1),
    "rollup": Operation(_rollup, 1),
    "sync": Operation(_sync, 3),
    "sync --push": Operation(_push, 4),
    "rebuild --commit": Operation(_rebuild, 1),
    "recall": Operation(_recall, 1, mortal=False),
}
for _name in ("forget", "rollup"):  # only where this memshelf has them
    if find_spec(f"memshelf.verbs.{_name}") is None:
        del TABLE[_name]


def _paths(root: Path, name: str) -> list[str]:
    found = (path for top in ROOTS for path in (root / top).glob(f"*/{name}.md"))
    return [path.relative_to(root).as_posix() for path in found]


def jump(dice: random.Random) -> None:
    """Set the clock that memshelf and git read to another day, years away at times."""
    day = date(2026, 6, 1) + timedelta(days=dice.randrange(-4000, 4000))
    seconds = (day - date(1970, 1, 1)).days * 86_400
    os.environ["SOURCE_DATE_EPOCH"] = str(seconds)
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        os.environ[name] = f"{seconds} +0000"


def commit_files(root: Path, commit: str) -> frozenset[str]:
    """The files that a commit changed."""
    words = ("diff-tree", "--root", "--no-commit-id", "--no-renames", "--name-only", "-r", "-z")
    return frozenset(filter(None, git(root, *words, commit).split("\0")))
