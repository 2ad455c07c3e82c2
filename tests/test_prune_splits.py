"""Copies of sections beside an episode go, and nothing that is no copy."""

from __future__ import annotations

import json

import pytest
from conftest import Cli
from gitkit import POSIX, git, put, status
from support import DIGEST, add, episode, tree

from memshelf.storage.store import Store

NAME = "2026-01-05-cache"
FOLDER = f"docs/topics/{NAME}"


@pytest.fixture
def split(store: Store) -> Store:
    """An episode with a folder of its sections, as docshelf cut long documents."""
    add(store, episode(NAME), f"{FOLDER}.md")
    put(store.root, f"{FOLDER}/01-decisions.md", "# Decisions\n\n- Redis for the cache.\n")
    put(store.root, f"{FOLDER}/SUBINDEX.md", "# Whatever stands here\n\n- [Digest](00-digest.md)\n")
    return store


def answer(cli: Cli, store: Store, *more: str) -> dict[str, object]:
    ran = cli("prune-splits", "--json", *more, "--shelf", store.root)
    assert ran.code == 0, ran.err
    found: dict[str, object] = json.loads(ran.out)
    return found


def test_copies_are_listed_and_deleted_when_that_is_said(cli: Cli, split: Store) -> None:
    put(split.root, f"{FOLDER}/00-digest.md", f"# Digest\n\n{DIGEST}\n")
    before = tree(split.root)
    said = answer(cli, split)
    assert list(said) == [
        *("status", "local", "tracked", "deleted", "count", "applied", "note"),
        "warnings",
    ]
    assert (said["local"], said["deleted"], said["count"]) == ([FOLDER], [], 1)
    assert tree(split.root) == before
    assert answer(cli, split, "--apply")["deleted"] == [FOLDER]
    assert not (split.root / FOLDER).exists()
    assert (split.root / f"{FOLDER}.md").exists()
    assert not status(split.root)
    assert answer(cli, split)["count"] == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("02-notes.md", "# Notes\nwords of somebody's own\n"),
        ("picture.png", "no text"),
        ("deeper/03-x.md", "# Decisions\n"),
    ],
)
def test_a_folder_that_holds_anything_else_is_named_and_left(
    cli: Cli, split: Store, name: str, text: str
) -> None:
    put(split.root, f"{FOLDER}/{name}", text)
    said = answer(cli, split, "--apply")
    assert (said["local"], said["deleted"]) == ([], [])
    assert FOLDER in str(said["warnings"])
    assert (split.root / FOLDER / name).exists()


def test_what_git_tracks_is_left_alone(cli: Cli, split: Store) -> None:
    git(split.root, "add", "--all", "--force")
    git(split.root, "commit", "-qm", "by hand")
    assert answer(cli, split, "--apply")["tracked"] == [FOLDER]
    assert (split.root / FOLDER).exists()


def test_folders_in_the_archive_are_found_and_those_without_an_episode_are_not(
    cli: Cli, store: Store
) -> None:
    add(store, episode(NAME), f"archive/{FOLDER}.md")
    put(store.root, f"archive/{FOLDER}/00-decisions.md", "# Decisions\n")
    put(store.root, "docs/topics/2026-01-01-alone/00-decisions.md", "# Decisions\n")
    assert answer(cli, store, "--apply")["deleted"] == [f"archive/{FOLDER}"]
    assert (store.root / "docs/topics/2026-01-01-alone").exists()


@POSIX
def test_a_link_in_the_place_of_a_folder_or_in_it_is_not_followed(cli: Cli, split: Store) -> None:
    outside = split.root.parent / "outside"
    put(outside, "kept.md", "# Decisions\n")
    (split.root / FOLDER / "link").symlink_to(outside)
    add(split, episode("2026-01-06-b"), "docs/topics/2026-01-06-b.md")
    git(split.root, "rm", "-q", "--cached", "-r", FOLDER)
    (split.root / "docs/topics/2026-01-06-b").symlink_to(outside)
    assert answer(cli, split, "--apply")["deleted"] == []
    assert (outside / "kept.md").exists()


def test_without_git_it_is_refused(cli: Cli, split: Store) -> None:
    put(split.root, "memshelf.toml", '[shelf]\nstorage = "plain"\n')
    ran = cli("prune-splits", "--apply", "--shelf", split.root)
    assert (ran.code, "Without git" in ran.err) == (1, True)
