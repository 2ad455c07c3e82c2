"""One id that was shelved on both sides of a sync, with different texts: it is refused, both are kept."""

from __future__ import annotations

import shlex
from pathlib import Path

from ..domain.slug import is_id
from ..domain.syncing import added, same_id
from .gitcall import GitTrouble
from .remote import Target
from .repo import Repo, literal
from .store import ROOTS


class SameId(GitTrouble):
    """One id was shelved on both sides, with different texts."""

    code = "same-id"


def refuse(repo: Repo, to: Target, base: str) -> None:
    """Raise SameId where an episode was shelved here, committed or not, and another there."""
    theirs = added(_changes(repo, base, to.ref))
    if not theirs:
        return
    ours = added(_changes(repo, base, "HEAD"))
    loose = {same_id(path): (path, "") for path in _untracked(repo)}
    for name, (there, content) in theirs.items():
        here, own = ours.get(name) or loose.get(name) or (there, content)
        if here != there or (own or _as_committed(repo, here)) != content:
            raise _both(repo, to, here, there)


def _as_committed(repo: Repo, path: str) -> str:
    """The id that a file's content would have in a commit; "" for what cannot be read."""
    try:
        return repo.filtered_id((repo.where.worktree / path).read_bytes(), path)
    except OSError:
        return ""


def _both(repo: Repo, to: Target, here: str, there: str) -> SameId:
    short = repo.where.short
    commit = "" if repo.tree("HEAD", [here]) else f"commit {short(here)} (git add, git commit), "
    new = _another(repo, to, here)
    return SameId(
        f"The same id was shelved twice: {short(here)} here, {short(there)} at {to.label}, with "
        "another text. Both are kept where they are; nothing was changed.",
        f"`git show {to.ref}:{there}` shows theirs. Give yours another id: {commit}"
        f"`memshelf rename {shlex.quote(Path(here).stem)} {new}`, then `memshelf sync --push`.",
    )


def _another(repo: Repo, to: Target, path: str) -> str:
    """An id like that of a file which neither side has; its form, where the old one has another."""
    specs = [literal(repo.where.full(root)) for root in ROOTS]
    taken = set()
    for side in ("HEAD", to.ref):
        names = repo.git("ls-tree", "-r", "-z", "--full-tree", "--name-only", side, "--", *specs)
        taken |= {same_id(name) for name in names.out.split("\0")}
    found = (f"{same_id(path)}-{number}" for number in range(2, 10_000))
    new = next((name for name in found if name not in taken), "")
    return new if is_id(new) else "YYYY-MM-DD-words"


def _changes(repo: Repo, old: str, new: str) -> dict[str, tuple[str, str]]:
    """What differs between two commits among the episodes, by path: contents, "" for no file."""
    specs = [literal(repo.where.full(root)) for root in ROOTS]
    ran = repo.git("diff-tree", "-r", "-z", "--no-renames", old, new, "--", *specs)
    fields = ran.out.split("\0")
    found = {}
    for facts, path in zip(fields[::2], fields[1::2], strict=False):
        _, _, before, after, _ = facts.removeprefix(":").split()
        found[path] = (before if before.strip("0") else "", after if after.strip("0") else "")
    return found


def _untracked(repo: Repo) -> list[str]:
    specs = [literal(repo.where.full(root)) for root in ROOTS]
    ran = repo.git("ls-files", "-o", "-z", "--", *specs)
    return [path for path in ran.out.split("\0") if path.endswith(".md")]
