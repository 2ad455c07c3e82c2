"""History: what git knows of the episodes of a shelf, read with as few processes as may be.

One lists what each commit did, one hands out the texts of which it is to be said in which sections
they differ. Both are spared as long as HEAD is the commit that was read before, and where it has
only moved on from there they read what is new.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..domain.changes import BULK, NEW, REMOVED, RENAMED, SHOWN, History, stem
from ..domain.difference import Difference, Version, difference, version
from ..domain.errors import ShelfError
from ..domain.lineage import Event, Step, events
from ..domain.telling import Texts, changes, texts
from . import files, gitlog, history_kept
from .cache import Cache
from .gitcall import GitTrouble
from .history_kept import Kept
from .objects import Objects
from .repo import Repo

_READ = 400
"""The newest changes of which the texts are read: more than any page shows, since some of them may
be hidden from its readers."""


def history(root: Path, cache: Cache, ids: Mapping[str, str], commit: str = "") -> History:
    """The history of the episodes that are on a shelf (id by path), up to HEAD or a commit.

    Where git is missing or fails it is not available, and says why.
    """
    try:
        repo = Repo.of(root)
        if repo is None:
            return History()
        head = commit or repo.commit_id()
        if not head:
            return History(available=True)
        return _read(repo, cache, ids, head, keep=not commit)
    except GitTrouble as trouble:
        return History(why=trouble.message)


def _read(repo: Repo, cache: Cache, ids: Mapping[str, str], head: str, keep: bool) -> History:
    before = history_kept.read(repo, cache)
    now = _stepped(repo, before, head)
    happened = events(now.steps)
    wanted = {texts(event.step): event.step for event in _wanted(happened)}
    missing = {key: step for key, step in wanted.items() if key not in before.found}
    found = {key: before.found.get(key) for key in wanted}
    if missing:
        found |= _differences(Objects(repo), missing)
    if keep and (missing or before.head != head):
        history_kept.write(repo, cache, now._replace(found=found))
    return History(tuple(changes(happened, found, ids)), now.begins, True, head)


def _stepped(repo: Repo, before: Kept, head: str) -> Kept:
    """What commits did up to one: as it was read before, with what came since, or read anew."""
    if before.head == head:
        return before
    if before.head:
        since = gitlog.since(repo, before.head, head)
        if since is not None:
            return before._replace(head=head, steps=(*before.steps, *since))
    ends = gitlog.limits(repo, head)
    return Kept(head, ends.day, tuple(gitlog.steps(repo, head, ends.commits)))


def _wanted(happened: Sequence[Event]) -> Iterator[Event]:
    """The changes whose texts are to be read: the newest, the last ones of each episode, and those
    that gave one another name, which may not be told to everybody."""
    counts: dict[str, int] = {}
    at_once: dict[tuple[str, str], int] = {}
    told = 0
    for event in reversed(happened):
        key = (event.step.commit, event.kind)
        at_once[key] = at_once.get(key, 0) + 1
        told += at_once[key] <= BULK
        counts[event.path] = counts.get(event.path, 0) + 1
        late = told <= _READ and at_once[key] <= BULK
        own = event.kind not in (NEW, REMOVED) and counts[event.path] <= SHOWN and not event.gone
        if late or own or (event.kind == RENAMED and not event.gone):
            yield event


def _differences(
    objects: Objects, wanted: Mapping[Texts, Step]
) -> Iterator[tuple[Texts, Difference | None]]:
    """How the texts of some changes differ; None where git lacks one."""
    blobs: dict[str, str] = {}
    for (olds, new), step in wanted.items():
        blobs |= dict.fromkeys(filter(None, olds), stem(step.old_path or step.path))
        blobs |= {new: stem(step.path)} if new else {}
    versions = dict(_versions(objects, blobs))
    for olds, new in wanted:
        before = [versions.get(name) for name in olds if name]
        now = versions.get(new)
        known = [one for one in before if one]
        whole = len(known) == len(before) and (now or not new)
        yield (olds, new), difference(known, now) if whole else None


def _versions(objects: Objects, blobs: Mapping[str, str]) -> Iterator[tuple[str, Version]]:
    read = objects.read((name, blob) for blob, name in blobs.items())
    for (blob, name), content in zip(blobs.items(), read, strict=True):
        with contextlib.suppress(ShelfError):
            if isinstance(content, bytes):
                yield blob, version(files.decoded(content, name), name)
