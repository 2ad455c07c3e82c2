"""Going on with what git has begun: the commit of a merge, the next step of a rebase."""

from __future__ import annotations

from typing import NamedTuple

from . import gitdir
from .committing import identity
from .gitcall import plain
from .repo import Repo
from .unmerged import unmerged

_QUIET = ("-c", "user.useConfigOnly=true", "-c", "core.commentChar=#")
_STEPS: dict[str, tuple[str, ...]] = {
    "merge": ("commit", "--no-edit", "-q", "--cleanup=strip"),
    "rebase": ("rebase", "--continue"),
    "am": ("am", "--continue"),
    "cherry-pick": ("cherry-pick", "--continue"),
    "revert": ("revert", "--continue"),
}
_SKIPPED = ("cherry-pick", "revert")
"""What stops, instead of going on, where nothing is left of a commit."""


class Step(NamedTuple):
    """How a step ended: the commit at HEAD, whether the whole is done, and what git said where it
    is not and no conflict stopped it."""

    commit: str
    done: bool
    said: str = ""


def go_on(repo: Repo) -> Step:
    """Commit what is staged and go on with what was begun: to its end, or to the next conflict.

    Hooks and signing act. Where git has no identity here, the neutral one is taken.
    """
    begun = gitdir.in_progress(repo.where) or ""
    words = _STEPS.get(begun)
    if words is None:
        return Step(repo.commit_id(), False, f"git is in the middle of a {begun}: end it by hand.")
    if begun in _SKIPPED and not _staged(repo):
        words = (begun, "--skip")
    ran = repo.git(*_QUIET, *words, env=identity(repo), check=False)
    done = gitdir.in_progress(repo.where) is None
    stuck = ran.code and not done and not unmerged(repo)
    said = plain(ran.err or ran.out) if stuck else ""
    return Step(repo.commit_id(), done, said)


def _staged(repo: Repo) -> bool:
    """Whether the index differs from HEAD."""
    return repo.git("diff", "--cached", "--quiet", "HEAD", check=False).code != 0
