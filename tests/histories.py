"""Shelves with a history that tests write commit by commit."""

from __future__ import annotations

from pathlib import Path

from gitkit import git, put
from support import episode

from memshelf.domain.changes import Change
from memshelf.domain.shelf import Shelf
from memshelf.storage.store import Store

FIRST, SECOND = "2026-01-05-first", "2026-02-01-second"


def path(name: str, folder: str = "docs/topics") -> str:
    """Where an episode lies."""
    return f"{folder}/{name}.md"


def text(name: str, *changes: tuple[str, str], title: str = "") -> str:
    """The text of an episode, with some of its words replaced by others."""
    out = episode(name, title or f"On {name[11:]}")
    for old, new in changes:
        assert old in out, old
        out = out.replace(old, new)
    return out


def commit(
    root: Path, files: dict[str, str | None], day: str = "2026-03-01", who: str = "Ann Example"
) -> str:
    """Write some files (None removes one) and commit them all; the commit's id."""
    for name, content in files.items():
        if content is None:
            (root / name).unlink()
        else:
            put(root, name, content)
    git(root, "add", "--all")
    at(root, day, "commit", "-q", "--allow-empty", "-m", f"on {day}", f"--author={who} <x@y.org>")
    return git(root, "rev-parse", "HEAD")


def at(root: Path, day: str, *words: str) -> None:
    """A git command whose commit bears a date: a day at noon, or a moment with its zone."""
    moment = day if "T" in day else f"{day}T12:00:00+0200"
    git(root, *words, GIT_AUTHOR_DATE=moment, GIT_COMMITTER_DATE=moment)


def moved(root: Path, old: str, new: str, day: str, *changes: tuple[str, str]) -> str:
    """Commit that a file is somewhere else now, with some of its words replaced."""
    content = (root / old).read_text("utf-8")
    for before, after in changes:
        assert before in content, before
        content = content.replace(before, after)
    return commit(root, {old: None, new: content}, day)


def read(root: Path, rev: str = "") -> Shelf:
    """The shelf with its history."""
    return Store.open(root).read(rev, history=True)


def told(root: Path, rev: str = "") -> list[tuple[str, ...]]:
    """Day, kind and name of each change, newest first, with the sections of an amendment."""
    return [short(change) for change in read(root, rev).changes.changes]


def short(change: Change) -> tuple[str, ...]:
    """What a test compares of a change."""
    name = change.path.rpartition("/")[2].removesuffix(".md")
    return (change.day, change.kind, name, *change.sections)
