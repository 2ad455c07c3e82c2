"""What must hold after each step, and at the end, whatever happened."""

from __future__ import annotations

from pathlib import Path

import memshelf
from memshelf.render import OWNED

from .operations import WORD, Did, commit_files
from .world import DRAFT, Fault, World, git

_OURS_IN_GIT = ("memshelf-",)
_DERIVED = frozenset((*OWNED, "recall-log.tsv"))


def held(root: Path, revision: str = "HEAD") -> set[str]:
    """The words in the files of a commit."""
    words = ("grep", "-h", "-o", "-E", "q[0-9]+q", revision, "--", "docs", "archive")
    return set(WORD.findall(git(root, *words, check=False)))


def reported_is_committed(root: Path, did: Did) -> None:
    """What was answered as saved is in HEAD, in a commit of exactly its files."""
    lost = set(did.words) - held(root)
    if lost:
        raise Fault(f"reported as saved and not in HEAD: {lost}")
    if did.commit and did.files is not None:
        found = commit_files(root, did.commit)
        if found != did.files:
            raise Fault(f"commit {did.commit[:12]} holds {set(found)}, not {set(did.files)}")


def nothing_is_left(root: Path) -> None:
    """The working tree is what HEAD holds, what was staged stays, and no file of ours is about."""
    rows = git(root, "status", "--porcelain", "-uall").splitlines()
    drafts = [f"A  {DRAFT}"] if (root / DRAFT).exists() else []
    if rows != drafts:
        raise Fault(f"git status in {root.name}: {rows}")
    found = [path.name for path in _litter(root)]
    if found:
        raise Fault(f"left over in {root.name}: {found}")


def _litter(root: Path) -> list[Path]:
    inside = root / ".git"
    left = [path for path in inside.iterdir() if path.name.startswith(_OURS_IN_GIT)]
    left += [path for path in inside.iterdir() if path.suffix == ".lock"]
    left += [*inside.glob("refs/**/*.lock"), *inside.glob("worktrees/*")]
    left += list(root.glob("*/**/.memshelf-*")) + list(root.glob(".memshelf-*"))
    return [path for path in left if path.name != "memshelf.lock"]


def sound(root: Path) -> None:
    """git finds nothing wrong."""
    said = git(root, "fsck", "--strict", "--no-dangling", "--no-progress", check=True)
    if said:
        raise Fault(f"git fsck in {root.name}: {said}")


def commits_hold_their_own(root: Path) -> None:
    """No commit that is no merge mixes episodes with what is rendered from them."""
    out = git(root, "log", "--no-merges", "--format=%x01%s", "--name-only", "-z", "--no-renames")
    for block in out.split("\1")[2:]:
        subject, *names = filter(None, block.replace("\n", "\0").split("\0"))
        derived = _DERIVED & set(names)
        beginning = subject.startswith("memshelf: init")
        if derived - {"recall-log.tsv"} and derived != set(names) and not beginning:
            raise Fault(f"{subject!r} holds both kinds of files: {names}")


def derived_follow_from_episodes(root: Path) -> None:
    """`rebuild --check` finds nothing, and what is deleted comes back byte for byte."""
    drifted = memshelf.rebuild(memshelf.open_shelf(root), check=True).rendering.drifted
    if drifted:
        raise Fault(f"rebuild --check after rebuild in {root.name}: {drifted}")


def are_one(world: World) -> None:
    """Every clone and the remote hold the same commit, and all files the same bytes."""
    heads = {clone.name: git(clone, "rev-parse", "HEAD") for clone in world.clones}
    heads["remote"] = git(world.remote, "rev-parse", "refs/heads/main")
    if len(set(heads.values())) != 1:
        raise Fault(f"no convergence: {heads}")
    trees = [_bytes(clone) for clone in world.clones]
    for clone, tree in zip(world.clones, trees, strict=True):
        differing = {path for path in {*tree, *trees[0]} if tree.get(path) != trees[0].get(path)}
        if differing:
            raise Fault(f"{clone.name} differs from {world.clones[0].name} in {differing}")


def _bytes(root: Path) -> dict[str, bytes]:
    names = git(root, "ls-files", "-z").split("\0")
    return {name: (root / name).read_bytes() for name in names if name and name != DRAFT}


def all_words(world: World, saved: set[str]) -> None:
    """Nothing that was ever reported as saved is missing at the end."""
    lost = saved - held(world.clones[0])
    if lost:
        raise Fault(f"reported as saved and lost: {sorted(lost)}")
