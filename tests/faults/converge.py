"""How a history ends: everybody syncs, and a person settles what the answers ask to be settled."""

from __future__ import annotations

import re
from pathlib import Path

import memshelf
from memshelf.domain.errors import ShelfError
from memshelf.render import OWNED
from memshelf.verbs.resolve import resolve
from memshelf.verbs.sync import sync

from .world import DRAFT, Fault, World, git

ROUNDS = 8
_TWICE = re.compile(r"shelved twice: (\S+) here, (\S+) at")


def converge(world: World) -> None:
    """Sync and push from each clone until nothing moves; derived files are rendered once, last."""
    _quiet(world)
    first = memshelf.open_shelf(world.clones[0])
    memshelf.rebuild(first, commit=True)
    _quiet(world)


def _quiet(world: World) -> None:
    for _ in range(ROUNDS):
        for number, clone in enumerate(world.clones):
            if len(set(_heads(world, clone))) > 1:
                _push(clone, number)
        if len(set(_heads(world, *world.clones))) == 1:
            return
    raise Fault(f"still moving after {ROUNDS} rounds: {_heads(world, *world.clones)}")


def _heads(world: World, *clones: Path) -> list[str]:
    """The commits of the remote and of some clones."""
    there = git(world.remote, "rev-parse", "refs/heads/main")
    return [there, *(git(clone, "rev-parse", "HEAD") for clone in clones)]


def _push(clone: Path, number: int) -> None:
    """`sync --push`, and where it is refused, what the answer says."""
    said = ""
    for attempt in range(6):
        said = _pushed(clone)
        if not said:
            return
        twice = _TWICE.search(said)
        if twice:
            _another_id(clone, Path(twice[1]), f"{number}-{attempt}")
        elif "cannot be joined" in said:
            _by_hand(clone)
        else:
            break
    raise Fault(f"{clone.name} cannot push: {said}")


def _pushed(clone: Path) -> str:
    try:
        answer = sync(memshelf.open_shelf(clone), push=True).sync
    except ShelfError as trouble:
        return str(trouble)
    return answer.problem or ""


def _another_id(clone: Path, ours: Path, suffix: str) -> None:
    store = memshelf.open_shelf(clone)
    name = f"{ours.stem}-{clone.name}-{suffix}"
    memshelf.rename(store, ours.stem, name)


def _by_hand(clone: Path) -> None:
    """Merge as a person would: what `resolve` proposes, else both texts; and commit by it."""
    draft = (clone / DRAFT).exists()
    if draft:
        git(clone, "rm", "-q", "--cached", DRAFT)
    git(clone, "-c", "merge.directoryRenames=false", "merge", "-q", "origin/main", check=False)
    _proposed(clone)
    rows = git(clone, "ls-files", "-u", "-z").split("\0")
    stages: dict[str, dict[str, str]] = {}
    for row in filter(None, rows):
        facts, path = row.split("\t", 1)
        _, blob, stage = facts.split()
        stages.setdefault(path, {})[stage] = blob
    for path, blobs in stages.items():
        _settle(clone, path, blobs)
    done = resolve(memshelf.open_shelf(clone), commit=True)
    if done.left or not done.committed:
        raise Fault(f"resolve did not end the merge in {clone.name}: {done}")
    if draft:
        git(clone, "add", DRAFT)


def _proposed(clone: Path) -> None:
    """Let `resolve` settle what it can, and take what it proposes."""
    for left in resolve(memshelf.open_shelf(clone)).left:
        if "merged" in left.takes:
            resolve(memshelf.open_shelf(clone), episode=left.path, take="merged")


def _settle(clone: Path, path: str, blobs: dict[str, str]) -> None:
    sides = [blobs[stage] for stage in ("2", "3") if stage in blobs]
    if not sides:
        git(clone, "rm", "-q", "--cached", "--", path)
        (clone / path).unlink(missing_ok=True)
        return
    texts = [git(clone, "cat-file", "blob", blob) + "\n" for blob in sides]
    base = git(clone, "cat-file", "blob", blobs["1"]) + "\n" if "1" in blobs else ""
    text = texts[0] if path in OWNED or len(texts) == 1 else united(clone, base, *texts)
    (clone / path).parent.mkdir(parents=True, exist_ok=True)
    (clone / path).write_text(text, "utf-8", newline="\n")
    git(clone, "add", "--", path)


def united(clone: Path, base: str, ours: str, theirs: str) -> str:
    """A text with what both sides added; of a front matter, both lists of tags in one."""
    parts = []
    for name, text in (("ours", ours), ("base", base), ("theirs", theirs)):
        file = clone.parent / f"{clone.name}-{name}"
        file.write_text(text, "utf-8", newline="\n")
        parts.append(str(file))
    merged = git(clone, "merge-file", "-p", "--union", *parts)
    return _one_of_each_key(merged) + "\n"


def _one_of_each_key(text: str) -> str:
    """Front matter with each key once: of lists, what is in either; of the rest, the first."""
    if text.count("---\n") < 2:  # no episode
        return text
    opening, front, body = text.split("---\n", 2)
    lines: dict[str, str] = {}
    for line in front.splitlines():
        key, _, value = line.partition(": ")
        if key in lines and value.startswith("["):
            items = (lines[key][1:-1] + ", " + value[1:-1]).split(", ")
            value = "[" + ", ".join(dict.fromkeys(items)) + "]"
        elif key in lines:
            continue
        lines[key] = value
    front = "".join(f"{key}: {value}\n" for key, value in lines.items())
    return f"{opening}---\n{front}---\n{body}"
