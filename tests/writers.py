"""Several clones of one shelf with a bare remote, each with its writer."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitkit import git, put
from support import episode

import memshelf
from memshelf.storage.store import Store
from memshelf.verbs.resolve import Resolved

DIGEST = "Redis was chosen for the cache; memcached was rejected. Open: eviction."
FIRST = "2026-01-05-first"
FIRST_PATH = f"docs/topics/{FIRST}.md"


class Writers:
    """A bare remote, and a clone for each writer."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder, self.remote = folder, folder / "remote.git"
        git(folder, "clone", "-q", "--bare", str(store.root), str(self.remote))

    def clone(self, name: str, *options: str) -> Store:
        """A writer's clone, as it is, with no driver configured."""
        git(self.folder, "clone", "-q", *options, str(self.remote), name)
        return memshelf.open_shelf(self.folder / name)


@pytest.fixture
def writers(tmp_path: Path, store: Store) -> Writers:
    """A shelf that renders after each write, with one episode, at a bare remote."""
    put(store.root, FIRST_PATH, episode(FIRST, "The first"))
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "shelve: first")
    memshelf.rebuild(store, commit=True)
    return Writers(tmp_path, store)


@pytest.fixture
def pair(writers: Writers) -> tuple[Store, Store]:
    """Two clones of the same shelf."""
    return writers.clone("ann"), writers.clone("bob")


def shelve(store: Store, slug: str, **given: object) -> None:
    """Shelve a topic; the derived files follow in a commit of their own where the shelf is so."""
    title = slug[11:].replace("-", " ")
    memshelf.shelve(
        store,
        slug=slug,
        display_title=title,
        digest=DIGEST,
        sections={"Decisions": f"- {title}."},
        **given,  # type: ignore[arg-type]
    )


def push(store: Store) -> None:
    """Give the remote what a clone has."""
    git(store.root, "push", "-q", "origin", "HEAD:main")


def resolve(store: Store, **given: object) -> Resolved:
    """The verb, in a clone."""
    from memshelf.verbs.resolve import resolve as run

    return run(Store.open(store.root), **given)  # type: ignore[arg-type]


def right(store: Store) -> bool:
    """Whether every derived file is what the episodes make, and doctor finds no error."""
    opened = Store.open(store.root)
    return memshelf.rebuild(opened, check=True).ok and memshelf.doctor(opened).ok


def without_rules(pair: tuple[Store, Store]) -> None:
    """Take the lines about merges out for both, as in a shelf that was made before there were any."""
    one, other = pair
    put(one.root, ".gitattributes", "* text=auto eol=lf\n")
    git(one.root, "commit", "-qam", "old attributes")
    push(one)
    git(other.root, "pull", "-q", "origin", "main")
