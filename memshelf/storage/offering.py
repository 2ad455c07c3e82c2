"""A branch that offers one episode alone: its commit on top of what the remote has."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ..domain.patterns import lazy
from .committing import identity
from .remote import Pushed, Target, push
from .repo import Blob, Change, Repo

_NOT_IN_A_NAME = lazy(r"[^\w-]+")
_SHORT = 7
_MORE = "The branch holds every commit that was not pushed, not this episode alone: {}."


class Offer(NamedTuple):
    """What is offered: a commit, and a warning where it holds more than the episode."""

    commit: str
    warning: str = ""


class Offered(NamedTuple):
    """The branch that was made, "" for none, and how its push ended."""

    branch: str
    pushed: Pushed


def offer(repo: Repo, base: str, path: str) -> Offer:
    """The newest commit of an episode (path from the top of the worktree), on top of `base`.

    Nobody points to it yet. Where the episode cannot stand on `base`, HEAD with a warning.
    """
    commit, changes = repo.changed(repo.last_commit([path]))
    if not base:
        return Offer(repo.commit_id(), _MORE.format("the remote has no branch to put it on"))
    parents = repo.git("rev-list", "--parents", "-1", commit).out.split()[1:]
    if parents == [repo.git("rev-parse", base).out.strip()]:
        return Offer(commit)
    entries = _entries(repo, base, path, changes)
    if entries is None:
        return Offer(repo.commit_id(), _MORE.format("it builds on commits that are not there yet"))
    return Offer(_commit(repo, base, commit, entries))


def _entries(
    repo: Repo, base: str, path: str, changes: Mapping[str, Change]
) -> dict[str, Blob | None] | None:
    """What a commit changed, where `base` holds what it was before; None where it does not.

    Of an episode that `base` does not know, the whole of it.
    """
    there = repo.tree(base, changes)
    own = path if path not in there else ""
    fits = all(name == own or there.get(name) == change.old for name, change in changes.items())
    return {name: change.new for name, change in changes.items()} if fits else None


def _commit(repo: Repo, base: str, commit: str, entries: Mapping[str, Blob | None]) -> str:
    """The same change by the same author under the same message, signed as the user's are."""
    sign = repo.git("config", "--type=bool", "commit.gpgSign", check=False).out.strip() == "true"
    with tempfile.TemporaryDirectory(prefix="memshelf-offer-") as folder:
        env = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        repo.git("read-tree", base, env=env)
        repo.git("update-index", "-z", "--index-info", stdin=_lines(repo, entries), env=env)
        tree = repo.git("write-tree", env=env).out.strip()
    author = repo.git(
        "log", "-1", "--no-show-signature", "--encoding=UTF-8", "--format=%an%n%ae%n%aI%n%B", commit
    )
    name, mail, when, message = author.out.split("\n", 3)
    env = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_AUTHOR_DATE": when}
    made = repo.git(
        *("commit-tree", tree, "-p", base, *(["-S"] if sign else []), "-F", "-"),
        stdin=message.strip("\n").encode("utf-8", "surrogateescape") + b"\n",
        env={**identity(repo), **env},
    )
    return made.out.strip()


def _lines(repo: Repo, entries: Mapping[str, Blob | None]) -> bytes:
    nothing = "0" * len(repo.commit_id())
    rows = [
        f"{blob.mode} {blob.id}\t{path}\0" if blob else f"0 {nothing}\t{path}\0"
        for path, blob in entries.items()
    ]
    return "".join(rows).encode("utf-8", "surrogateescape")


def put(repo: Repo, to: Target, path: str, commit: str) -> Offered:
    """Push a commit as a new branch, `shelve/ID`, with the commit's name added if that is taken."""
    name = f"shelve/{_NOT_IN_A_NAME.sub('-', PurePosixPath(path).stem)}"
    done = push(repo, to, commit, name, new=True)
    if done.raced:
        name = f"{name}-{commit[:_SHORT]}"
        done = push(repo, to, commit, name, new=True)
    return Offered(name if done.done else "", done)
