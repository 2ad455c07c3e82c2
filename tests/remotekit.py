"""Shelves with a bare remote, and clones of it: real repositories in a test's own folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import Cli
from gitkit import git, put
from support import DECISIONS, DIGEST, episode

import memshelf
from memshelf.storage.store import Store

MANUAL = '[shelf]\nrebuild = "manual"\n'
FIRST, SECOND, THIRD = "2026-01-05-first", "2026-02-01-second", "2026-02-02-third"


def bare(store: Store, *options: str) -> Path:
    """A bare remote that holds the shelf, called origin there."""
    remote = store.root.parent / "origin.git"
    git(store.root.parent, "init", "-q", "--bare", "-b", "main", *options, str(remote))
    git(store.root, "remote", "add", "origin", str(remote))
    git(store.root, "push", "-q", "-u", "origin", "main")
    return remote


def clone(remote: Path, name: str, *options: str) -> Store:
    """Another clone, beside the remote."""
    git(remote.parent, "clone", "-q", *options, remote.as_uri(), name)
    return memshelf.open_shelf(remote.parent / name)


def clones(store: Store) -> tuple[Store, Store, Path]:
    """Two clones of one remote with an episode, both level with it, and the remote."""
    put_episode(store, FIRST)
    remote = bare(store)
    return store, clone(remote, "other"), remote


def ahead(other: Store, name: str = SECOND) -> None:
    """Let the remote have an episode more, by another clone."""
    put_episode(other, name)
    git(other.root, "push", "-q", "origin", "HEAD:main")


def settings(store: Store, text: str) -> None:
    """Commit memshelf.toml with this text."""
    put(store.root, "memshelf.toml", text)
    git(store.root, "add", "memshelf.toml")
    git(store.root, "commit", "-qm", "settings")


def put_episode(store: Store, name: str, title: str = "") -> str:
    """Commit an episode by hand; the commit's id."""
    put(store.root, f"docs/topics/{name}.md", episode(name, title or f"On {name[11:]}"))
    git(store.root, "add", f"docs/topics/{name}.md")
    git(store.root, "commit", "-qm", f"shelve: {name}")
    return git(store.root, "rev-parse", "HEAD")


def shelve(cli: Cli, store: Store, name: str, *flags: str, code: int = 0) -> dict[str, Any]:
    """Shelve an episode with all that it needs; the JSON answer."""
    words = ("shelve", "--slug", name, "--digest", DIGEST, "--section", f"Decisions={DECISIONS}")
    ran = cli(*words, "--title", f"On {name}", *flags, "--json", "--shelf", store.root)
    assert ran.code == code, (ran.out, ran.err)
    return dict(json.loads(ran.out))


def synced(cli: Cli, store: Store, *flags: str, code: int = 0) -> dict[str, Any]:
    """What `memshelf sync` answers, as data."""
    ran = cli("sync", *flags, "--json", "--shelf", store.root)
    assert ran.code == code, (ran.out, ran.err)
    return dict(json.loads(ran.out))["sync"]


def refused(cli: Cli, store: Store, *words: str) -> str:
    """What a command that is refused says."""
    ran = cli(*words, "--shelf", store.root)
    assert ran.code == 1, (ran.out, ran.err)
    return ran.err


def head(folder: Path, name: str = "HEAD") -> str:
    """The commit of a branch."""
    return git(folder, "rev-parse", name)


def episodes(folder: Path, revision: str = "HEAD") -> set[str]:
    """The ids of the episodes in a commit."""
    out = git(folder, "ls-tree", "-r", "--name-only", revision, "--", "docs")
    return {Path(line).stem for line in out.splitlines() if line.endswith(".md")}


def hook_there(remote: Path, name: str, script: str) -> None:
    """Install a hook at the remote; the script is for sh."""
    file = put(remote / "hooks", name, f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
