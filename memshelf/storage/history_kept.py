"""What was read of a shelf's history, kept in its cache; disposable."""

from __future__ import annotations

import contextlib
import hashlib
import json
from types import MappingProxyType
from typing import Any, NamedTuple

from ..domain.difference import Difference
from ..domain.lineage import Step
from ..domain.telling import Differences, Texts
from .cache import Cache
from .repo import Repo

_LAYOUT = 2
"""Changes with what is kept, and with what is made of the same commits and texts."""
_FACT = "history"


class Kept(NamedTuple):
    """What the commits up to `head` did, parents first, from which day on they are known, and how
    the texts differ that were looked at."""

    head: str = ""
    begins: str = ""
    steps: tuple[Step, ...] = ()
    found: Differences = MappingProxyType({})


def read(repo: Repo, cache: Cache) -> Kept:
    """What was kept, empty where it was for another repository or layout."""
    key, _, row = cache.fact(_FACT).partition("\n")
    if key == _key(repo):
        with contextlib.suppress(ValueError, TypeError, IndexError):
            return _decode(row)
    return Kept()


def write(repo: Repo, cache: Cache, kept: Kept) -> None:
    """Keep what was read, in place of what was kept before."""
    cache.keep_fact(_FACT, f"{_key(repo)}\n{_encode(kept)}")


def _key(repo: Repo) -> str:
    """What a history depends on besides its commits: where it is cut off or joined, and the names
    that people want to have."""
    where, digest = repo.where, hashlib.sha256()
    for file in (
        where.common_dir / "shallow",
        where.common_dir / "info" / "grafts",
        where.worktree / ".mailmap",
    ):
        with contextlib.suppress(OSError):
            digest.update(file.read_bytes())
        digest.update(b"\0")
    return f"{_LAYOUT} {digest.hexdigest()[:16]} {json.dumps(where.prefix)}"


def _encode(kept: Kept) -> str:
    found = [[*texts, seen] for texts, seen in kept.found.items()]
    return json.dumps([kept.head, kept.begins, kept.steps, found], separators=(",", ":"))


def _decode(row: str) -> Kept:
    head, begins, steps, found = json.loads(row)
    return Kept(
        head, begins, tuple(_step(*cells) for cells in steps), dict(map(_difference, found))
    )


def _step(commit: str, when: str, author: str, olds: list[str], *rest: Any) -> Step:
    return Step(commit, when, author, tuple(olds), *rest)


def _difference(cells: list[Any]) -> tuple[Texts, Difference | None]:
    olds, new, seen = cells
    found = Difference._make((*map(tuple, seen[:-1]), seen[-1])) if seen else None
    return (tuple(olds), new), found
