"""What git still holds of a file that is gone from the tree: commits, branches, remotes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .gitcall import GitTrouble
from .repo import Repo

_REFS = 40
"""So many branches and tags are looked through for the name."""


class Remains(NamedTuple):
    """What the history of this clone holds.

    `paths` are from the top of the repository, all that the file ever had under its names; `commits`
    counts those that changed it; `refs` are the branches and tags that lead to it, `tips` those that
    name it to this day; `remotes` may have been given it. `part` says that this clone knows only
    the newest commits. `why` says why nothing is known.
    """

    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    commits: int = 0
    refs: tuple[str, ...] = ()
    tips: tuple[str, ...] = ()
    remotes: tuple[str, ...] = ()
    part: bool = False
    why: str = ""


def remains(repo: Repo | None, names: Iterable[str]) -> Remains:
    """What git holds of episodes by their names, on every branch, in stashes and in the reflog."""
    stems = tuple(dict.fromkeys(names))
    if repo is None:
        return Remains(stems, why="This shelf keeps no history.")
    try:
        return _found(repo, stems)
    except GitTrouble as trouble:
        return Remains(stems, why=trouble.message)


def _found(repo: Repo, stems: tuple[str, ...]) -> Remains:
    specs = [_anywhere(repo, stem) for stem in stems]
    every = ("--all", "--reflog", "--full-history")
    commits = repo.git("rev-list", *every, "--", *specs).out.split()
    told = repo.git("log", *every, "-m", "--format=", "--name-only", "-z", "--", *specs).out
    paths = sorted({path.strip("\n") for path in told.split("\0")} - {""})
    return Remains(
        *(stems, tuple(paths), len(commits)),
        _leading_to(repo, commits[-1:]),
        _tips(repo, stems),
        tuple(sorted(repo.remotes())),
        (repo.where.common_dir / "shallow").exists(),
    )


def _anywhere(repo: Repo, stem: str) -> str:
    """A pathspec for the file of an episode in whatever folder of the shelf."""
    shelf = repo.where.full("")
    return f":(top,glob){_plain(shelf)}**/{_plain(stem)}.md"


def _plain(text: str) -> str:
    """A text in which no character is a pattern."""
    return "".join(f"\\{char}" if char in "*?[\\" else char for char in text)


def _leading_to(repo: Repo, oldest: Sequence[str]) -> tuple[str, ...]:
    if not oldest:
        return ()
    found = repo.git("for-each-ref", "--format=%(refname:short)", "--contains", oldest[0])
    return tuple(sorted(found.out.split()))


def _tips(repo: Repo, stems: Sequence[str]) -> tuple[str, ...]:
    """Branches and tags, the one at HEAD apart, in whose newest files a name stands."""
    here = repo.commit_id()
    listed = repo.git(
        *("for-each-ref", "--format=%(objectname) %(*objectname) %(refname:short)"),
        *("refs/heads", "refs/remotes", "refs/tags"),
    ).out.splitlines()
    refs = [line.split()[-1] for line in listed if here not in line.split()[:-1]][:_REFS]
    words = [word for stem in stems for word in ("-e", stem)]
    found = []
    for ref in refs:
        ran = repo.git("grep", "-l", "-F", "-z", *words, ref, "--", check=False)
        named = repo.git("ls-tree", "-r", "--name-only", "-z", ref, check=False).out
        if ran.raw or any(f"{stem}." in named or f"{stem}/" in named for stem in stems):
            found.append(ref)
    return tuple(found)
