"""What each commit did to the episode files of a shelf, by one git process."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from ..domain.changes import stem
from ..domain.dates import of_id
from ..domain.lineage import Step
from .gitcall import time_limit
from .repo import Repo
from .store import ROOTS

_EPISODE = re.compile(rf"(?:{'|'.join(ROOTS)})/[^./][^/]*/[^./][^/]*\.md", re.DOTALL)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", re.ASCII)
_MAIL = re.compile(r"(\S+?)@\S*")
_PLAIN_FILES = ("100644", "100755", "100664")
_ALIKE = 90
"""Percent of a text that another must have to be that episode under a name with another date."""
_MUCH, _LEAST = 60, 30
"""Percent that must be the same for a file to be one that lay elsewhere; and where our own commit
says that it is, of a text of three lines too."""
_LONG = 5
"""Times the usual deadline: ten thousand commits take two seconds, and slow disks exist."""
_LOG = (
    # what a user's settings could change in the answer, said
    *("-c", "log.showRoot=true", "-c", "diff.renameLimit=1000", "-c", "core.quotePath=false"),
    *("log", "--topo-order", "--raw", "-c", "-z", "--no-abbrev", f"--find-renames={_LEAST}%"),
    *("--no-show-signature", "--no-color", "--no-ext-diff", "--no-textconv", "--relative"),
    *("--no-notes", "--encoding=UTF-8", "--format=%H%n%P%n%aI%n%cI%n%aN%n%s"),
)
_PATHS = ("--", "docs", "archive")
_FEW = 200
"""Commits behind the last one that was read which are read in place of all."""


class Limits(NamedTuple):
    """Where a shallow clone ends: the commits whose parents are not there, and the last day of any of
    them that HEAD leads to; empty where all history is there."""

    commits: frozenset[str] = frozenset()
    day: str = ""


def limits(repo: Repo, commit: str) -> Limits:
    """Where the history behind a commit ends."""
    with contextlib.suppress(OSError):
        listed = (repo.where.common_dir / "shallow").read_text("ascii").split()
        ran = repo.git("log", "--max-parents=0", "--no-show-signature", "--format=%H %aI", commit)
        roots = dict(line.split(" ", 1) for line in ran.out.splitlines())
        ends = {name: roots[name] for name in listed if name in roots}
        return Limits(
            frozenset(ends), max((_moment(when)[:10] for when in ends.values()), default="")
        )
    return Limits()


def steps(repo: Repo, commit: str, ends: frozenset[str] = frozenset()) -> list[Step]:
    """What each commit up to one did to episode files, parents first; paths are those of the shelf.

    A merge counts for the files in which it differs from all of its parents. Side branches that
    brought nothing are left out, as git does it for paths. `ends` are commits whose parents are
    not there.
    """
    ran = repo.git(*_log(repo), commit, *_PATHS, deadline=_LONG * time_limit())
    return [step for _, found in reversed(_parsed(ran.out, ends)) for step in found]


def since(repo: Repo, old: str, new: str) -> list[Step] | None:
    """What the commits after one did, up to another, as `steps` gives it; None where these are
    many, or not one behind the other in a line, so that all may have to be in another order."""
    many = f"--max-count={_FEW}"
    ran = repo.git(*_log(repo), "--sparse", many, f"{old}..{new}", *_PATHS, check=False)
    found = _parsed(ran.out) if not ran.code else []
    line = [*(commit.id for commit, _ in found), old]
    parents = [commit.parents for commit, _ in found]
    if line[0] != new or parents != line[1:]:
        return None
    return [step for _, some in reversed(found) for step in some]


def _log(repo: Repo) -> tuple[str, ...]:
    return (*(("-C", repo.where.prefix) if repo.where.prefix else ()), *_LOG)


class _Commit(NamedTuple):
    id: str
    parents: str
    when: str
    author: str
    known: bool
    subject: str = ""


def _parsed(out: str, ends: frozenset[str] = frozenset()) -> list[tuple[_Commit, list[Step]]]:
    """Commits and their steps in git's order. Format: git-log(1), and *Raw output format* of
    git-diff-tree(1)."""
    cells = iter(out.split("\0"))
    found: list[tuple[_Commit, list[Step]]] = []
    for cell in cells:
        cell = cell.lstrip("\n")
        if cell.startswith(":"):
            commit, steps = found[-1]
            steps += _step(commit, cell, cells)
        elif cell:
            found.append((_commit(cell, ends), []))
    return found


def _commit(cell: str, ends: frozenset[str]) -> _Commit:
    cells = (*cell.split("\n", 5), "", "", "", "", "")
    name, parents, when, committed, author, subject = cells[:6]
    moment = _moment(when) or _moment(committed)
    return _Commit(name, parents, moment, person(author), name not in ends, subject)


def _moment(text: str) -> str:
    """A moment as git writes it, in one form for all of its versions; empty where it is none."""
    found = _MOMENT.fullmatch(text.replace("Z", "+00:00"))
    with contextlib.suppress(ValueError, OverflowError):  # an offset of four days, a year too far
        if found:
            datetime.fromisoformat(found.group()).astimezone(UTC)
            return found.group()
    return ""


def person(name: str) -> str:
    """The name of an author: of an address that stands in its place only what is before the `@`.

    >>> person("ann@example.org"), person("Ann  Example")
    ('ann', 'Ann Example')
    """
    readable = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _MAIL.sub(r"\1", " ".join(readable.split()))


def _step(commit: _Commit, facts: str, cells: Iterator[str]) -> Iterator[Step]:
    sides = len(facts) - len(facts.lstrip(":"))
    *cut, status = facts.lstrip(":").split(" ")
    modes, blobs = cut[: sides + 1], cut[sides + 1 :]
    old_path = next(cells, "") if sides == 1 and status[0] == "R" else ""
    path = next(cells, "")
    *olds, new = (
        blob if mode in _PLAIN_FILES else "" for mode, blob in zip(modes, blobs, strict=True)
    )
    who = (commit.id, commit.when, commit.author)
    step = Step(*who, tuple(olds), new, path, old_path, commit.known)
    told = commit.subject == renames(stem(old_path), stem(path))
    if not old_path or told or _is_same(old_path, path, int(status[1:])):
        parts = [step]
    else:
        apart = step._replace(old_path="")
        parts = [apart._replace(new="", path=old_path), apart._replace(olds=("",))]
    yield from (one for one in parts if _is_episode(one.path))


def renames(old: str, new: str) -> str:
    """The first line of the commit by which an episode gets another name. It proves that a file is
    the same episode, however short it is and whatever date its new name bears."""
    return f"rename: {old} to {new}"


def _is_same(old: str, new: str, alike: int) -> bool:
    """Whether a file is an episode that lay elsewhere, and not one that came as another went: two
    weekly reports may be much alike, but then they bear two dates."""
    if not (_is_episode(old) and _is_episode(new)) or alike < _MUCH:
        return False
    days = of_id(stem(old)), of_id(stem(new))
    return stem(old) == stem(new) or (days[0] == days[1] != "") or alike >= _ALIKE


def _is_episode(path: str) -> bool:
    readable = path.isascii() or not any("\ud800" <= char <= "\udfff" for char in path)
    return bool(path) and readable and bool(_EPISODE.fullmatch(path))
