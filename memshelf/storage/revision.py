"""Revision: a shelf as it was at a commit, read from git and never from the folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..domain.entry import Entry
from ..domain.errors import ShelfError, ShelfUnusable
from ..domain.finding import Finding
from . import files
from .cache import Cache, Past
from .objects import Content, Objects
from .repo import Blob, Repo, literal
from .source import Source, unreadable
from .store import MARKERS, ROOTS
from .survey import FEW, Bodies, Progress, Raw, Row, Survey, made, not_a_file

if TYPE_CHECKING:
    from ..domain.shelf import Shelf

_EPISODE = re.compile(rf"((?:{'|'.join(ROOTS)})/[^./][^/]*/[^./][^/]*\.md)(/.*)?", re.DOTALL)
_LINK, _REPOSITORY = "120000", "160000"
_LONGEST = 1000


class NoSuchRevision(ShelfError):
    """The text names no commit of the repository, or one that holds no shelf."""

    code = "no-such-revision"


def at(root: Path, rev: str) -> Revision:
    """The shelf in a folder as it was at a revision: a branch, tag or commit, `HEAD~3`,
    `main@{2026-01-01}`: what `git rev-parse --verify 'REV^{commit}'` takes.

    Raises NoSuchRevision where there is none, and GitTrouble where git cannot be used.
    """
    repo = Repo.of(root)
    if repo is None:
        said = f"{root} is in no git repository, so it has no revisions."
        raise NoSuchRevision(said, "Leave --rev out: then the files are read as they are.")
    found = Revision(repo, rev, _commit(repo, rev), root.name)
    if not any(map(found.has, MARKERS)):
        said = f"At {rev!r} there was no shelf in {root}."
        fix = f"Name a later one: `git log --oneline -- {' '.join(MARKERS)}` shows them."
        raise NoSuchRevision(said, fix)
    return found


def _commit(repo: Repo, rev: str) -> str:
    """The id of the commit that a text names. A text that git could take for an option is none."""
    fix = "Name a branch, a tag or a commit: `git log --oneline` shows them."
    if not rev.strip() or rev[0] == "-" or "\0" in rev or len(rev) > _LONGEST:
        raise NoSuchRevision(f"{rev[:_LONGEST]!r} is no revision.", fix)
    ran = repo.git("rev-parse", "--verify", f"{rev}^{{commit}}", check=False)
    if not ran.code and re.fullmatch("[0-9a-f]{40,}", ran.out.strip()):
        return ran.out.strip()
    if not repo.commit_id():
        fix = "Nothing is committed here yet: commit first, or leave --rev out."
    elif (repo.where.common_dir / "shallow").is_file():
        fix = f"The clone is shallow: `git fetch --unshallow` brings the history. {fix}"
    raise NoSuchRevision(f"git knows no revision {rev!r} here.", fix)


class Revision(Source):
    """The shelf at a commit: what each file was, with the bytes that git keeps.

    Filters and line-end rules, which act on files, have no part in it.
    """

    def __init__(self, repo: Repo, rev: str, commit: str, folder: str) -> None:
        self.rev, self.commit, self.folder = rev, commit, folder
        self._files = _listing(repo, commit)
        self._objects = Objects(repo)

    # --- one file ------------------------------------------------------------------------------

    def has(self, path: str) -> bool:
        """Whether there was a file or a link."""
        return path in self._files and self._files[path].mode != _REPOSITORY

    def names(self, folder: str) -> list[str]:
        """The names of the Markdown files in a folder."""
        found = (path.rpartition("/") for path in self._files)
        return [name for place, _, name in found if place == folder and name.endswith(".md")]

    def bytes(self, path: str) -> bytes | None:
        """A file as bytes, None where there was none."""
        if not self.has(path):
            return None
        blob = self._files[path]
        if blob.mode == _LINK:
            raise files.is_link(path)
        return self._objects.one(path, blob.id)

    def text(self, path: str) -> str:
        """A file as text."""
        data = self.bytes(path)
        if data is None:
            said = f"{path} was not there at {self.rev!r}."
            raise ShelfError(said, "Name a later revision.", "missing")
        return files.decoded(data, path)

    # --- all of it -----------------------------------------------------------------------------

    def snapshot(self, survey: Survey) -> Shelf:
        """The snapshot of a survey; what made the shelf unusable then cannot be mended now."""
        try:
            return super().snapshot(survey)
        except ShelfUnusable as trouble:
            said = f"At {self.rev!r}: {trouble.message}"
            raise ShelfUnusable(said, "Name another revision.") from None

    def survey(self, cache: Cache, progress: Progress) -> Survey:
        """Every episode file: from the cache where its content is known there, else from git."""
        past = Past(cache)
        blobs, problems = self._episodes()
        bodies = Bodies(past, self._texts, progress)
        entries = dict(past.entries(blobs, bodies.facts))
        missing = sorted(blobs.keys() - entries.keys())
        read: list[tuple[str, str, Entry]] = []
        for place, (path, content) in enumerate(self._contents(missing)):
            progress(place, len(missing))
            raw = _read(path, content, len(missing) <= FEW)
            if raw.problem:
                problems.append(raw.problem)
                continue
            if raw.facts is not None:
                bodies.arrived[path] = raw.facts
            read.append((path, blobs[path], Entry._make((*raw.cells, bodies.facts))))
        past.keep(read)
        past.keep_facts((path, blobs[path], facts) for path, facts in bodies.arrived.items())
        entries |= {path: entry for path, _, entry in read}
        bodies.rows = tuple(Row(path, blobs[path]) for path in sorted(entries))
        return Survey(bodies.rows, tuple(sorted(problems)), lambda: entries, {})

    def episodes(self) -> tuple[str, ...]:
        """The paths of the episode files."""
        return tuple(sorted(self._episodes()[0]))

    def _episodes(self) -> tuple[dict[str, str], list[Finding]]:
        """The blob ids of the episode files by path, and what stands in the place of one."""
        blobs: dict[str, str] = {}
        others: set[str] = set()
        for path, blob in self._files.items():
            found = _EPISODE.fullmatch(path)
            if found and not found[2] and blob.mode not in (_LINK, _REPOSITORY):
                blobs[path] = blob.id
            elif found:
                others.add(found[1])
        return blobs, [not_a_file(path) for path in others]

    def _contents(self, paths: Iterable[str]) -> Iterator[tuple[str, Content]]:
        wanted = [(path, self._files[path].id) for path in paths]
        for (path, _), content in zip(wanted, self._objects.read(wanted), strict=True):
            yield path, content

    def _texts(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        for path, content in self._contents(paths):
            if not isinstance(content, ShelfError):
                yield path, files.decoded(content, path)


def _read(path: str, content: Content, few: bool) -> Raw:
    if isinstance(content, ShelfError):
        return Raw(problem=unreadable(path, content))
    return made(path, content, few)


def _listing(repo: Repo, commit: str) -> dict[str, Blob]:
    """Every file below the shelf at a commit, by its path on the shelf."""
    prefix = repo.where.prefix
    where = ("--", literal(prefix)) if prefix else ()
    ran = repo.git("ls-tree", "-r", "-z", "--full-tree", commit, *where)
    found = {}
    for line in ran.out.split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        if not prefix or path.startswith(f"{prefix}/"):
            mode, _, blob = facts.split(" ")
            found[repo.where.short(path)] = Blob(mode, blob)
    return found
