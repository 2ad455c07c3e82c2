"""The branch that a site is published on: read from the remote, written there, never checked out.

Commits are made of loose objects by git's plumbing with an index of their own. The worktree, the
index, HEAD and every local branch stay as they are, whatever happens.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..domain.errors import ShelfError
from ..domain.hosts import shown
from .committing import identity
from .gitcall import GitTrouble, Ran, plain, time_limit
from .repo import Blob, Repo

_FILE = "100644"
_PATIENCE = 5
"""How many times longer than any other call one may take that moves a site over a network."""


class PushRefused(GitTrouble):
    """The remote did not take the commit; nothing changed there or here."""

    code = "push-refused"


class Tip(NamedTuple):
    """What the branch holds at the remote: its commit ("" where there is no branch), the id of its
    tree, and its files."""

    commit: str = ""
    tree: str = ""
    files: Mapping[str, Blob] = {}


class PagesBranch:
    """One branch at one remote of a repository."""

    def __init__(self, repo: Repo, remote: str, branch: str) -> None:
        """Raises ShelfError where there is no such remote, or the branch cannot be one of pages."""
        self.repo, self.remote, self.branch = repo, remote, branch
        self.ref = f"refs/heads/{branch}"
        names = repo.git("remote").out.split("\n")
        if remote not in names:
            known = ", ".join(filter(None, names)) or "none"
            said = f"The repository has no remote {remote!r} (there: {known})."
            raise ShelfError(
                said, f"git remote add {remote} ADDRESS, or give --remote.", "no-remote"
            )
        if repo.git("check-ref-format", self.ref, check=False).code or branch.startswith("-"):
            raise ShelfError(f"{branch!r} is no name of a branch.", "Give --branch.", "bad-branch")
        if branch == repo.branch():
            said = f"{branch} is the branch of the shelf itself: pages would take its place."
            raise ShelfError(said, "Give another one: --branch gh-pages.", "bad-branch")

    @property
    def url(self) -> str:
        """Where a push goes, credentials and all: never to be shown as it is."""
        return self.repo.git("remote", "get-url", "--push", self.remote).out.strip()

    def tip(self) -> Tip:
        """What the branch holds there now. Raises GitTrouble where the remote cannot be reached."""
        listed = self._there("ls-remote", "--refs", "--", self.remote, self.ref)
        commit = next(
            (s[0] for s in map(str.split, listed.out.splitlines()) if s[1] == self.ref), ""
        )
        if not commit:
            return Tip()
        if self.repo.git("cat-file", "-e", f"{commit}^{{tree}}", check=False).code:
            quiet = ("fetch", "-q", "--no-tags", "--no-write-fetch-head", "--refmap=")
            self._there(*quiet, "--", self.remote, self.ref)
        tree = self.repo.git("rev-parse", f"{commit}^{{tree}}").out.strip()
        return Tip(commit, tree, self._files(commit))

    def follows(self, tip: Tip) -> bool:
        """Whether the branch has a history: commits before its tip."""
        before = ("rev-parse", "--quiet", "--verify", f"{tip.commit}^")
        return bool(tip.commit) and not self.repo.git(*before, check=False).code

    def _files(self, commit: str) -> dict[str, Blob]:
        files = {}
        ran = self.repo.git("ls-tree", "-r", "-z", "--full-tree", commit)
        for line in filter(None, ran.out.split("\0")):
            facts, path = line.split("\t", 1)
            mode, _, blob = facts.split()
            files[path] = Blob(mode, blob)
        return files

    def commit(
        self, parent: str, files: Mapping[str, bytes], kept: Mapping[str, Blob], message: str
    ) -> str:
        """A commit of some files and of others that the branch has; its id. Nobody points to it yet.

        With an empty parent it is the first of its line.
        """
        with tempfile.TemporaryDirectory(prefix="memshelf-pages-") as folder:
            blobs = self._stored(Path(folder), files)
            lines = [f"{blob.mode} {blob.id}\t{path}\0" for path, blob in (*kept.items(), *blobs)]
            env = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
            data = "".join(lines).encode("utf-8", "surrogateescape")
            self.repo.git("update-index", "-z", "--index-info", stdin=data, env=env)
            tree = self.repo.git("write-tree", env=env).out.strip()
        parents = ("-p", parent) if parent else ()
        made = self.repo.git(
            *("-c", "i18n.commitEncoding=utf-8", "commit-tree", tree, *parents, "-F", "-"),
            stdin=message.encode("utf-8"),
            env=identity(self.repo),
        )
        return made.out.strip()

    def _stored(self, folder: Path, files: Mapping[str, bytes]) -> list[tuple[str, Blob]]:
        """Put contents into git's store as they are: no filter, no line ends, no .gitignore."""
        places = [folder / f"{number}" for number in range(len(files))]
        for place, data in zip(places, files.values(), strict=True):
            place.write_bytes(data)
        names = "".join(f"{place}\n" for place in places).encode("utf-8", "surrogateescape")
        ran = self.repo.git("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=names)
        ids = ran.out.split()
        return [(path, Blob(_FILE, blob)) for path, blob in zip(files, ids, strict=True)]

    def push(self, commit: str, before: str, onto: bool) -> None:
        """Make a commit the branch's newest. Raises PushRefused in the remote's own words.

        `before` is what the branch held when it was read; `onto` says that the commit follows it.
        Otherwise it takes its place, but only where it is still there.
        """
        lease = () if onto else (f"--force-with-lease={self.ref}:{before}",)
        spec = f"{commit}:{self.ref}"
        alone = ("--porcelain", "--no-follow-tags", "--no-recurse-submodules")
        args = ("push", *alone, *lease, "--", self.remote, spec)
        ran = self.repo.git(*args, deadline=_PATIENCE * time_limit(), check=False)
        if ran.code:
            raise self._refused(ran)

    def _refused(self, ran: Ran) -> PushRefused:
        """What a push that failed says, and what to do."""
        said = shown(plain(f"{ran.err}\n{ran.out}"))
        fix = "Mend what git names, then publish again."
        if "[rejected]" in said:
            fix = "Somebody else published meanwhile: publish again, and it goes on top of that."
        elif "[remote rejected]" in said:
            fix = (
                "A rule or a hook of the remote refuses it: do what it asks for, or ask its owner."
            )
        elif "ermission" in said or "403" in said or "uthentication" in said:
            fix = "You may not push there: check the address (git remote -v) and your credentials."
        return PushRefused(
            f"{shown(self.remote)} did not take {self.branch}; nothing was published. git said: {said}",
            fix,
        )

    def _there(self, *args: str) -> Ran:
        """Ask the remote. Raises GitTrouble where that fails."""
        ran = self.repo.git(*args, deadline=_PATIENCE * time_limit(), check=False)
        if ran.code:
            said = shown(plain(ran.err)) or f"exit code {ran.code}"
            raise GitTrouble(
                f"The remote {self.remote!r} cannot be read; nothing was published. git said: {said}",
                "Check its address (git remote -v), the network and your credentials.",
            )
        return ran
