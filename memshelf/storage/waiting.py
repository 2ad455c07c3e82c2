"""Where episodes that no renderer has counted are, and since when, as git's own files tell it offline.

A handful of git processes, however many episodes there are.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..domain.waiting import Wait, Waiting
from .repo import Repo, literal
from .store import Store

_HOUR = 3600.0
_MOST = 200
"""Paths that are looked at: the findings name three, and the oldest are the first."""
_LEDGER = "ledger.tsv"


class _Branches(NamedTuple):
    """The branch that this one follows and the one that is rendered, as full names of refs."""

    upstream: str
    render: str


class _Move(NamedTuple):
    """One move of a branch of the remote, as this clone noted it: where to, when, and why."""

    commit: str
    at: float
    why: str


def waiting(store: Store, paths: Sequence[str], plain: bool, now: float) -> Waiting:
    """Where episodes are that the ledger has no row for, oldest first, and how long they wait.

    `now` is in seconds of the epoch. Without git, and with `plain`, only the files' own times speak.
    """
    names = {path: path.rpartition("/")[2][:-3] for path in paths}
    repo = None if plain else Repo.of(store.root)
    branches = _branches(repo) if repo else None
    if repo is None or branches is None:
        wait = _without_upstream(store, repo, paths[:_MOST], now)
        remote = repo is not None and bool(repo.git("remote").out.strip())
        return Waiting(tuple(names.values()), wait=wait, remote=remote)
    full = {repo.where.full(path): path for path in paths}
    rendered = repo.tree(branches.render, full)
    same = branches.upstream == branches.render
    followed = rendered if same else repo.tree(branches.upstream, full)
    visible = [path for path in full if path in rendered]
    unmerged = [path for path in full if path not in rendered and path in followed]
    unpushed = [path for path in full if path not in rendered and path not in followed]
    wait = _rendered_wait(repo, branches.render, visible[:_MOST], now) if visible else Wait()
    stems = [tuple(names[full[path]] for path in some) for some in (visible, unmerged, unpushed)]
    return Waiting(
        stems[0],
        stems[1],
        stems[2],
        wait=wait,
        render=branches.render.removeprefix("refs/remotes/"),
        upstream=branches.upstream.removeprefix("refs/remotes/"),
        remote=True,
    )


# --- branches ------------------------------------------------------------------------------------


def _branches(repo: Repo) -> _Branches | None:
    """What this branch follows, and what is rendered: the remote's own branch, else main, else
    master, else what is followed. None where nothing is followed."""
    branch = repo.branch()
    if not branch:
        return None
    form = "--format=%(upstream)%00%(upstream:remotename)"
    upstream, _, remote = (
        repo.git("for-each-ref", form, f"refs/heads/{branch}").out.strip().partition("\0")
    )
    if not upstream or not remote:
        return None
    base = f"refs/remotes/{remote}"
    wanted = (f"{base}/HEAD", f"{base}/main", f"{base}/master", upstream)
    listed = repo.git("for-each-ref", "--format=%(refname)%00%(symref)", *wanted).out.splitlines()
    there = dict(line.split("\0", 1) for line in listed)
    if upstream not in there:
        return None
    head = there.pop(f"{base}/HEAD", "")
    for render in (head, *wanted[1:]):
        if render in there or (render and render == head):
            return _Branches(upstream, render)
    return None


# --- times -----------------------------------------------------------------------------------------


def _without_upstream(store: Store, repo: Repo | None, paths: Sequence[str], now: float) -> Wait:
    """The age of the ledger, but no more than the age of the oldest of the episodes."""
    age, *waits = _ages_here(store, repo, (_LEDGER, *paths), now)
    known = [wait for wait in waits if wait is not None]
    if len(known) < len(waits):
        return Wait(cut=True)
    if age is None:
        return Wait(None, max(known, default=None), cut=True)
    least = min(age, max(known, default=age))
    return Wait(least, least)


def _ages_here(
    store: Store, repo: Repo | None, paths: Sequence[str], now: float
) -> list[float | None]:
    """Hours since each file was changed: by its last commit, or on disk where HEAD has it not."""
    full = {path: repo.where.full(path) if repo else path for path in paths}
    head = repo.commit_id() if repo else ""
    tracked = repo.tree(head, full.values()) if repo and head else {}
    there = [name for name in full.values() if name in tracked]
    ages = _ages(repo, "HEAD", there, now) if repo and there else {}
    return [
        ages.get(name) if name in tracked else _file_age(store, path, now)
        for path, name in full.items()
    ]


def _file_age(store: Store, path: str, now: float) -> float | None:
    with contextlib.suppress(OSError):
        return (now - (store.root / path).stat().st_mtime) / _HOUR
    return None


def _ages(repo: Repo, ref: str, paths: Sequence[str], now: float) -> dict[str, float | None]:
    """Hours since the last commit that touched each file; None where a shallow clone ends there."""
    cuts = _cuts(repo)
    specs = [literal(path) for path in paths]
    words = ("log", "--format=%x01%H %ct", "--name-only", "-z", "--no-renames", "-m")
    out = repo.git(*words, "--no-show-signature", "--no-color", ref, "--", *specs).out
    found: dict[str, float | None] = {}
    age: float | None = None
    for cell in out.replace("\n", "\0").split("\0"):
        if cell.startswith("\x01"):
            commit, _, when = cell[1:].partition(" ")
            age = None if commit in cuts else (now - float(when)) / _HOUR
        elif cell:
            found.setdefault(cell, age)
    return found


def _cuts(repo: Repo) -> frozenset[str]:
    """The commits whose parents are not here."""
    with contextlib.suppress(OSError):
        return frozenset((repo.where.common_dir / "shallow").read_text("ascii").split())
    return frozenset()


def _rendered_wait(repo: Repo, ref: str, paths: Sequence[str], now: float) -> Wait:
    """How long files have been on a branch of the remote: the longest of them, at least and at most.

    At most: the age of the last commit to a file. At least: this clone noted when the branch moved;
    the first move that brought any of them is looked for by halves.
    """
    touched = _ages(repo, ref, paths, now)
    ages = [touched.get(path) for path in paths]
    known = [age for age in ages if age is not None]
    most = max(known, default=None) if len(known) == len(ages) else None
    moves = _moves(repo, ref)
    place = _first(len(moves), lambda n: bool(repo.tree(moves[n].commit, paths))) if moves else None
    if place is None:
        return Wait(None, most, cut=most is None)
    there = (now - moves[place].at) / _HOUR
    if "push" in moves[place].why:
        return Wait(there, there)
    if place > 0:
        absent = (now - moves[place - 1].at) / _HOUR
        most = absent if most is None else min(most, absent)
    if most is not None and there > most:  # the clocks of two machines contradict each other
        return Wait()
    return Wait(there, most)


def _moves(repo: Repo, ref: str) -> list[_Move]:
    """The moves of a branch that this clone noted, oldest first; those whose commits are gone are
    left out. Format: the reflog, gitrepository-layout(5)."""
    lines: list[str] = []
    with contextlib.suppress(OSError):
        text = (repo.where.common_dir / "logs" / ref).read_text("utf-8", "replace")
        lines = text.splitlines()
    found = []
    for line in lines:
        facts, _, why = line.partition("\t")
        words = facts.split(" ")
        if len(words) >= 4 and words[-2].isascii() and words[-2].isdigit():
            found.append(_Move(words[1], float(words[-2]), why))
    asked = "".join(f"{move.commit}\n" for move in found).encode()
    if not found:
        return []
    said = repo.git("cat-file", "--batch-check=%(objecttype)", stdin=asked).out.splitlines()
    return [move for move, kind in zip(found, said, strict=True) if kind == "commit"]


def _first(count: int, holds: Callable[[int], bool]) -> int | None:
    """The first place from which on something holds, where it holds at the end; by halves."""
    if not count or not holds(count - 1):
        return None
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
