"""Repo: the git side of a shelf, and the only importer of GitPython."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, ClassVar, NamedTuple

from . import gitdir
from .gitcall import (
    GitTimeout,
    GitTrouble,
    HookRejected,
    MergeInProgress,
    Ran,
    UncommittedEdit,
    call,
    plain,
    talk,
    time_limit,
)
from .gitdir import GitDir
from .lock import LockBusy

if TYPE_CHECKING:
    import git as gitpython

__all__ = [
    "Blob",
    "Change",
    "GitTimeout",
    "GitTrouble",
    "HookRejected",
    "LockBusy",
    "MergeInProgress",
    "Ran",
    "Repo",
    "UncommittedEdit",
    "literal",
    "pathspecs",
]

_ARGUMENTS = 200
"""Paths in one command line: far below what Windows can pass."""


class Blob(NamedTuple):
    """A file in a commit or an index: its mode in octal, and the id of its content."""

    mode: str
    id: str


class Change(NamedTuple):
    """How one commit changed one path; None is the side on which there is no file."""

    old: Blob | None
    new: Blob | None


class Repo:
    """The repository of a shelf, driven through the git program. Cheap to make.

    Every call has a deadline of its own and cannot ask anything on the terminal, drops what the
    environment says of another repository, and leaves the user's configuration alone.
    """

    started: ClassVar[int] = 0
    """git processes started since the import, for tests that count them."""

    def __init__(self, where: GitDir) -> None:
        self.where = where

    @classmethod
    def of(cls, root: Path) -> Repo | None:
        """The repository that a folder lies in, or None. Raises GitTrouble on a dangling `.git`."""
        where = gitdir.find(root)
        if where is None:
            return None
        if not where.git_dir.is_dir():
            raise GitTrouble(
                f"{where.worktree / '.git'} names {where.git_dir}, which is not there.",
                "`git worktree repair` or a fresh clone mends it.",
            )
        return cls(where)

    @classmethod
    def init(cls, folder: Path) -> Repo:
        """A new repository in a folder, with the branch name that the user's git gives."""
        cls.started += 1
        call(folder, ("init", "-q"))
        made = cls.of(folder)
        assert made is not None
        return made

    def git(
        self,
        *args: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        deadline: float | None = None,
        keep: Sequence[int] = (),
        check: bool = True,
    ) -> Ran:
        """Run git at the top of the worktree.

        `deadline` is in seconds; `keep` are open files that the child holds too. Raises GitTimeout,
        GitTrouble where git is missing or will not trust the folder, and with `check` also on any
        exit code but 0.
        """
        Repo.started += 1
        seconds = deadline or time_limit()
        return call(self.where.worktree, args, stdin, env, seconds, keep, check)

    def talk(self, *args: str, errors: IO[bytes]) -> subprocess.Popen[bytes]:
        """A git process at the top of the worktree that answers what it is asked; see `talk`."""
        Repo.started += 1
        return talk(self.where.worktree, args, errors)

    # --- facts -------------------------------------------------------------------------------

    def last_commit(self, paths: Iterable[str]) -> str:
        """The newest commit that changed any of some paths."""
        specs = [literal(path) for path in paths][:_ARGUMENTS]
        return self.git("rev-list", "-1", "HEAD", "--", *specs).out.strip()

    def commit_id(self) -> str:
        """The commit at HEAD; empty where there is none yet."""
        known = gitdir.commit(self.where)
        if known is None:
            return self.git("rev-parse", "-q", "--verify", "HEAD", check=False).out.strip()
        return known

    def branch(self) -> str | None:
        """The branch that HEAD is on; None where it is detached."""
        head = gitdir.head(self.where)
        if head.branch or head.detached:
            return head.branch
        return self.git("symbolic-ref", "-q", "--short", "HEAD", check=False).out.strip() or None

    def tree(self, revision: str, paths: Iterable[str]) -> dict[str, Blob]:
        """The files at some paths (from the top of the worktree) in a commit; absent are left out.

        An empty revision is the commit before the first: it holds nothing.
        """
        found: dict[str, Blob] = {}
        for some in _chunks(paths) if revision else ():
            ran = self.git("ls-tree", "-z", "--full-tree", revision, "--", *some)
            for line in filter(None, ran.out.split("\0")):
                facts, path = line.split("\t", 1)
                mode, _, blob = facts.split()
                found[path] = Blob(mode, blob)
        return found

    def staged(self, paths: Iterable[str], env: Mapping[str, str]) -> dict[str, Blob | None]:
        """The entries of an index at some paths; None marks one that is unmerged."""
        found: dict[str, Blob | None] = {}
        for some in _chunks(paths):
            ran = self.git("ls-files", "-s", "-z", "--", *some, env=env)
            for line in filter(None, ran.out.split("\0")):
                facts, path = line.split("\t", 1)
                mode, blob, stage = facts.split()
                found[path] = Blob(mode, blob) if stage == "0" else None
        return found

    def dirty(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of some paths that differ from HEAD, on disk or in the index, or are not in it.

        The execute bit is no difference: some disks say it of every file.
        """
        found = []
        for some in _chunks(paths):
            ran = self.git(
                *(
                    "-c",
                    "core.fileMode=false",
                    "status",
                    "--porcelain=v2",
                    "-z",
                    "--no-renames",
                    "--no-ahead-behind",
                ),
                *("--untracked-files=all", "--ignored", "--", *some),
            )
            found += [_path(line) for line in filter(None, ran.out.split("\0"))]
        return tuple(found)

    def content(self, blob: Blob | None) -> bytes:
        """What a file holds in a commit or an index; empty where there is none."""
        return self.git("cat-file", "blob", blob.id).raw if blob else b""

    def changed(self, revision: str) -> tuple[str, dict[str, Change]]:
        """The id of a commit (no merge), and what it changed, by path."""
        commit, *rest = self.git("diff-tree", "--root", "-r", "-z", revision).out.split("\0")
        changes = {}
        for facts, path in zip(rest[::2], rest[1::2], strict=False):
            old_mode, mode, old, new, _ = facts.removeprefix(":").split()
            changes[path] = Change(_blob(old_mode, old), _blob(mode, new))
        return commit, changes

    def blob_id(self, data: bytes) -> str:
        """git's id of a content, as it is without filters."""
        return hashlib.new(
            gitdir.hash_name(self.where), b"blob %d\0" % len(data) + data, usedforsecurity=False
        ).hexdigest()

    def filtered_id(self, data: bytes, path: str) -> str:
        """git's id of a content after the filters and line-end rules that a path has."""
        return self.git(
            "hash-object", "-t", "blob", "--stdin", "--path", path, stdin=data
        ).out.strip()

    # --- what GitPython reads ----------------------------------------------------------------

    def remotes(self) -> dict[str, str]:
        """The remotes and their addresses."""
        with self._gitpython() as repo:
            return {remote.name: next(remote.urls, "") for remote in repo.remotes}

    def config(self, section: str, key: str) -> str | None:
        """One setting, from the repository's, the user's and the system's configuration."""
        with self._gitpython() as repo, repo.config_reader() as reader:
            return str(reader.get(section, key)) if reader.has_option(section, key) else None

    @contextlib.contextmanager
    def _gitpython(self) -> Iterator[gitpython.Repo]:
        os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
        import configparser

        import git as gitpython

        try:
            with gitpython.Repo(self.where.worktree) as repo:
                yield repo
        except (gitpython.GitError, configparser.Error, OSError, ValueError) as trouble:
            said = plain(str(trouble)) or type(trouble).__name__
            raise GitTrouble(
                f"The repository cannot be read: {said}", "`git status` there says what is broken."
            ) from None


def literal(path: str) -> str:
    """A pathspec that means this path and no pattern."""
    return f":(literal){path}"


def pathspecs(paths: Iterable[str]) -> bytes:
    """What `--pathspec-from-file=- --pathspec-file-nul` reads: any number of literal paths."""
    return "".join(f"{literal(path)}\0" for path in paths).encode("utf-8", "surrogateescape")


def _chunks(paths: Iterable[str]) -> Iterator[list[str]]:
    specs = [literal(path) for path in paths]
    for start in range(0, len(specs), _ARGUMENTS):
        yield specs[start : start + _ARGUMENTS]


def _path(line: str) -> str:
    """The path in a line of `git status --porcelain=v2`, whose kinds have their own columns."""
    columns = {"1": 8, "u": 10}.get(line[0], 1)
    return line.split(" ", columns)[-1]


def _blob(mode: str, blob: str) -> Blob | None:
    return Blob(mode, blob) if mode.strip("0") else None
