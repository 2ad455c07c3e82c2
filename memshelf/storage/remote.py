"""The remote of a shelf: what follows what, fetching and pushing, in git's own words.

Every call has a deadline, asks nothing, and what is said of it bears no credentials.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import NamedTuple

from ..domain.hosts import shown
from ..domain.redact import redact
from .gitcall import GitTimeout, Ran, plain, time_limit
from .repo import Repo

ENGLISH = {"LANGUAGE": "en"}
"""git's words in the language in which they are understood here; hooks keep the user's letters."""

_RACED = (
    *("(fetch first)", "(non-fast-forward)", "(stale info)", "cannot lock ref"),
    *("failed to update ref", "reference already exists", "incorrect old value"),
)
_UNREACHED = ("Could not read from remote", "unable to access", "unable to connect")
_LATE = (
    "the push to {} did not end within {:g} s (the network, or a hook that waits); whether it "
    "arrived, `memshelf sync` tells; MEMSHELF_GIT_TIMEOUT=SECONDS allows more time"
)
_ALONE = ("--porcelain", "--no-follow-tags", "--no-recurse-submodules")
_ATTEMPTS = 6
_FETCH = ("fetch", "-q", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")


class Target(NamedTuple):
    """Where a branch goes: the remote, its branch there, and the branch here."""

    remote: str
    branch: str
    local: str

    @property
    def ref(self) -> str:
        """The reference that remembers what the remote held."""
        return f"refs/remotes/{self.remote}/{self.branch}"

    @property
    def label(self) -> str:
        """As people call it."""
        return f"{self.remote}/{self.branch}"


class Pushed(NamedTuple):
    """How a push ended: `raced` where somebody was faster, `said` is git's own text.

    `reached` is False where the remote did not answer at all.
    """

    done: bool
    raced: bool = False
    said: str = ""
    reached: bool = True


class Fetched(NamedTuple):
    """Why nothing was fetched, "" where it was; `offline` where the remote did not answer."""

    trouble: str = ""
    offline: bool = False


def said(text: str) -> str:
    """What git said, fit to be shown: no credentials, no control characters, no secrets."""
    lines = [line for line in plain(shown(text)).splitlines() if not line.startswith("hint:")]
    return redact(" ".join(" ".join(lines).split()))[0]


def target(repo: Repo) -> Target | str:
    """Where the branch at HEAD goes: its upstream, else `origin` or the first remote.

    A sentence where it goes nowhere.
    """
    facts = _settings(repo)
    remotes = [name[7:-4] for name in facts if name.startswith("remote.") and name.endswith(".url")]
    if not remotes:
        repo.git("rev-parse", "--git-dir")  # a folder that git will not trust seems to have none
        return "there is no remote (git remote add origin ADDRESS connects one)"
    branch = repo.branch()
    if branch is None:
        return "HEAD is detached: no branch to sync (git switch NAME goes to one)"
    if not repo.commit_id():
        return f"there is no commit on {branch} yet"
    remote = facts.get(f"branch.{branch}.remote", "")
    merge = facts.get(f"branch.{branch}.merge", "").removeprefix("refs/heads/")
    if remote in remotes and merge:
        return Target(remote, merge, branch)
    return Target("origin" if "origin" in remotes else remotes[0], branch, branch)


def _settings(repo: Repo) -> dict[str, str]:
    """The settings of branches and remotes by name."""
    ran = repo.git("config", "-z", "--get-regexp", r"^(branch|remote)\.", check=False)
    rows = (row.partition("\n") for row in ran.out.split("\0") if row)
    return {name: value for name, _, value in rows}


def address(repo: Repo, remote: str) -> str:
    """Where a push goes, credentials and all: never to be shown as it is."""
    return repo.git("remote", "get-url", "--push", remote, check=False).out.strip()


def fetch(repo: Repo, to: Target, seconds: float | None = None) -> Fetched:
    """Learn what the remote's branch holds, or why that cannot be.

    The reference is named, so that a clone of a single branch learns of others too.
    """
    spec = f"+refs/heads/{to.branch}:{to.ref}"
    limit = min(seconds or time_limit(), time_limit())
    try:
        ran = _fetched(repo, (*_FETCH, "--", to.remote, spec), limit)
    except GitTimeout:
        return Fetched(f"{to.remote} did not answer within {limit:g} s", offline=True)
    if not ran.code:
        return Fetched()
    if "couldn't find remote ref" in ran.err:
        return Fetched(f"{to.remote} has no branch {to.branch} yet (a push makes it)")
    why = said(ran.err) or f"exit code {ran.code}"
    unreached = any(sign in ran.err for sign in _UNREACHED)
    what = f"{to.remote} was not reached" if unreached else f"nothing came from {to.remote}"
    return Fetched(f"{what}; git said: {why}", offline=True)


def _fetched(repo: Repo, words: Sequence[str], limit: float) -> Ran:
    """Run a fetch, anew where another process of this clone moved the same reference meanwhile."""
    for attempt in range(1, _ATTEMPTS + 1):
        ran = repo.git(*words, env=ENGLISH, deadline=limit, check=False)
        if not ran.code or "cannot lock ref" not in ran.err or attempt == _ATTEMPTS:
            break
        time.sleep(0.1 * attempt * random.uniform(0.5, 1.5))
    return ran


def apart(repo: Repo, to: Target) -> tuple[int, int]:
    """How many commits each side has alone: here, and at the remote as last fetched."""
    ran = repo.git("rev-list", "--left-right", "--count", f"HEAD...{to.ref}", "--")
    ours, theirs = ran.out.split()
    return int(ours), int(theirs)


def known(repo: Repo, to: Target) -> bool:
    """Whether the remote's branch was ever seen."""
    return not repo.git("rev-parse", "-q", "--verify", f"{to.ref}^{{commit}}", check=False).code


def default(repo: Repo, to: Target) -> Target:
    """The same remote with its own branch, as far as this clone knows it, else as it was."""
    prefix = f"refs/remotes/{to.remote}/"
    ran = repo.git("symbolic-ref", "-q", f"{prefix}HEAD", check=False)
    return to._replace(branch=ran.out.strip().removeprefix(prefix) or to.branch)


def waiting(repo: Repo, to: Target, prefix: str) -> list[str]:
    """The branches there whose names begin so, as far as this clone knows them, that HEAD leads on
    from and the remote's branch does not hold yet; the newest first."""
    refs = f"refs/remotes/{to.remote}/"
    words = (
        "--sort=-committerdate",
        "--format=%(refname)",
        "--merged=HEAD",
        f"--no-merged={to.ref}",
    )
    ran = repo.git("for-each-ref", *words, f"{refs}{prefix}", check=False)
    return [name.removeprefix(refs) for name in ran.out.split()]


def push(repo: Repo, to: Target, commit: str, branch: str = "", *, new: bool = False) -> Pushed:
    """Make a commit the newest of a branch there; with `new` only if there is none of that name.

    Never forced: what the remote has is never lost.
    """
    ref = f"refs/heads/{branch or to.branch}"
    lease = (f"--force-with-lease={ref}:",) if new else ()
    args = ("push", *_ALONE, *lease, "--", to.remote, f"{commit}:{ref}")
    try:
        ran = repo.git(*args, env=ENGLISH, check=False)
    except GitTimeout:
        return Pushed(False, said=_LATE.format(to.remote, time_limit()), reached=False)
    return _ended(ran)


def _ended(ran: Ran) -> Pushed:
    text = f"{ran.err}\n{ran.out}"
    told = said(ran.err)
    if not ran.code:
        return Pushed(True, said=told)
    refused = [line for line in ran.out.splitlines() if line.startswith("!")]
    if not refused:
        return Pushed(False, said=told or f"exit code {ran.code}", reached=False)
    return Pushed(False, any(sign in text for sign in _RACED), told)
