"""What a merge left open: the stages of each path, put into the index as one when it is settled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from . import gitdir
from .gitcall import GitTrouble
from .repo import Blob, Repo
from .staging import Staging

BASE, OURS, THEIRS = 1, 2, 3
_HEADS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "REVERT_HEAD")


class Unmerged(NamedTuple):
    """One path with an unfinished merge: what it was, and what it is on either side, where it is.

    `path` counts from the top of the worktree. In a rebase `ours` is what one rebases onto.
    """

    path: str
    base: Blob | None
    ours: Blob | None
    theirs: Blob | None

    @property
    def undecided(self) -> bool:
        """False where no two texts differ: only the place of the file was in doubt."""
        sides = {blob.id for blob in (self.base, self.ours, self.theirs) if blob}
        if self.base is None:
            return bool(self.ours and self.theirs)
        return len(sides) > 1 or not (self.ours and self.theirs)

    @property
    def mode(self) -> str:
        """The mode that the path is to have."""
        return next((blob.mode for blob in (self.ours, self.theirs) if blob), "100644")


def unmerged(repo: Repo) -> tuple[Unmerged, ...]:
    """Every path with an unfinished merge, sorted; no process is started where there is none."""
    staging = Staging(repo)
    staging.look()
    if not staging.unmerged():
        return ()
    stages: dict[str, dict[int, Blob]] = {}
    for line in filter(None, repo.git("ls-files", "-u", "-z").out.split("\0")):
        facts, path = line.split("\t", 1)
        mode, blob, stage = facts.split()
        stages.setdefault(path, {})[int(stage)] = Blob(mode, blob)
    return tuple(
        Unmerged(path, *(found.get(stage) for stage in (BASE, OURS, THEIRS)))
        for path, found in sorted(stages.items())
    )


def settle(repo: Repo, entries: Mapping[str, Blob], gone: Iterable[str] = ()) -> None:
    """Mark paths as settled: each with one content in the index, or not in it at all.

    All else in the index stays. Raises GitTrouble where another program holds its lock.
    """
    nothing = "0" * (64 if gitdir.hash_name(repo.where) == "sha256" else 40)
    lines = [f"0 {nothing}\t{path}\0" for path in gone]
    lines += [f"{blob.mode} {blob.id} 0\t{path}\0" for path, blob in entries.items()]
    staging = Staging(repo)
    try:
        if not lines or staging.put("".join(lines).encode("utf-8", "surrogateescape")):
            return
    finally:
        staging.clear()
    raise GitTrouble(
        f"{staging.lock} is held by another git program; the files are written and not staged.",
        "If no git is running, delete the lock; then try again.",
        "index-locked",
    )


def kept(repo: Repo, data: bytes, mode: str, path: str) -> Blob:
    """A content, stored after the filters of its path."""
    ran = repo.git("hash-object", "-w", "--stdin", "--path", path, stdin=data)
    return Blob(mode, ran.out.strip())


def on_disk(repo: Repo, blob: Blob, path: str) -> bytes:
    """The bytes that a file of that content has, after the filters of its path."""
    return repo.git("cat-file", "--filters", f"--path={path}", blob.id).raw


def stored(repo: Repo, paths: Iterable[str]) -> dict[str, Blob]:
    """Files as they lie on disk, stored after the filters of their paths."""
    wanted = list(paths)
    if not wanted:
        return {}
    given = "".join(f"{path}\n" for path in wanted).encode("utf-8", "surrogateescape")
    ids = repo.git("hash-object", "-w", "--stdin-paths", stdin=given).out.split()
    return {path: Blob("100644", name) for path, name in zip(wanted, ids, strict=True)}


def sides(repo: Repo, begun: bool) -> tuple[str, str] | None:
    """The two revisions that are merged, or with nothing `begun` those that HEAD has merged."""
    if not begun:
        found = repo.git("rev-parse", "-q", "--verify", "HEAD^2", check=False).out.strip()
        return ("HEAD^1", found) if found else None
    for name in _HEADS[:-1]:  # what a revert takes away is to be gone
        if found := repo.git("rev-parse", "-q", "--verify", name, check=False).out.strip():
            return "HEAD", found
    return None


def files_at(repo: Repo, revision: str) -> dict[str, Blob]:
    """Every file of a revision by its path; none where there is no such revision."""
    listed = repo.git("ls-tree", "-r", "-z", "--full-tree", revision, check=False).out
    rows = (line.split("\t", 1) for line in filter(None, listed.split("\0")))
    return {path: Blob(*facts.split()[::2]) for facts, path in rows}


def base_of(repo: Repo, ours: str, theirs: str) -> str:
    """The commit with which two revisions begin to differ; empty where they have none."""
    return repo.git("merge-base", ours, theirs, check=False).out.strip()


def home(repo: Repo, one: Unmerged) -> str | None:
    """Where the side that has a file keeps it, if git moved it elsewhere in the merge.

    git takes a folder whose files all moved for a folder that was renamed, and moves what the other
    side put there after them; a roll-up moves only what it names.
    """
    name = one.path.rpartition("/")[2]
    ids = {blob.id for blob in (one.ours, one.theirs) if blob}
    places = (("HEAD",), one.ours), (_HEADS, one.theirs)
    for revision in (rev for revisions, blob in places if blob for rev in revisions):
        there = files_at(repo, revision)
        same = (p for p, b in there.items() if b.id in ids and p.rpartition("/")[2] == name)
        if one.path not in there and (found := next(same, None)):
            return found
    return None
