"""History: what git knows of the episodes of a shelf, read with as few processes as may be.

One lists what each commit did, one hands out the texts of which it is to be said in which sections
they differ. Both are spared as long as HEAD is the commit that was read before.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..domain.changes import (
    AMENDED,
    BULK,
    NEW,
    REMOVED,
    RENAMED,
    REPLACED,
    SHOWN,
    Change,
    History,
    stem,
)
from ..domain.difference import Difference, Version, difference, version
from ..domain.errors import ShelfError
from ..domain.lineage import Event, Step, events
from . import files, gitlog
from .cache import Cache
from .gitcall import GitTrouble
from .objects import Objects
from .repo import Repo

_LAYOUT = 1
"""Changes with what is kept, and with how it is made out of the same commits."""
_FACT = "history"
_READ = 400
"""The newest changes of which the texts are read: more than any page shows, since some of them may
be hidden from its readers."""


class Told(NamedTuple):
    """A change as it is kept: an event, and how its texts differ where they were read."""

    event: Event
    difference: Difference | None


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
        told, begins = _kept(repo, cache, head) or _read(repo, cache, head, keep=not commit)
    except GitTrouble as trouble:
        return History(why=trouble.message)
    return History(tuple(_changes(told, ids)), begins, True, head)


# --- reading ---------------------------------------------------------------------------------


def _read(repo: Repo, cache: Cache, head: str, keep: bool) -> tuple[list[Told], str]:
    ends = gitlog.limits(repo, head)
    happened = events(gitlog.steps(repo, head, ends.commits))
    known = {
        _texts(one.event.step): one.difference
        for one in _before(cache)
        if one.difference is not None
    }
    wanted = {_texts(event.step): event.step for event in _wanted(happened)}
    missing = {texts: step for texts, step in wanted.items() if texts not in known}
    found = {**known, **_differences(Objects(repo), missing)}
    told = [
        Told(event, found.get(texts) if (texts := _texts(event.step)) in wanted else None)
        for event in happened
    ]
    if keep:
        cache.keep_fact(_FACT, _encode(_key(repo, head), ends.day, told))
    return told, ends.day


Texts = tuple[tuple[str, ...], str]
"""The ids of the contents that a change lies between."""


def _texts(step: Step) -> Texts:
    return step.olds, step.new


def _wanted(happened: list[Event]) -> Iterator[Event]:
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


def _differences(objects: Objects, wanted: Mapping[Texts, Step]) -> dict[Texts, Difference]:
    """How the texts of some changes differ; those that git lacks are left out."""
    blobs: dict[str, str] = {}
    for (olds, new), step in wanted.items():
        blobs |= dict.fromkeys(filter(None, olds), stem(step.old_path or step.path))
        blobs |= {new: stem(step.path)} if new else {}
    versions = dict(_versions(objects, blobs))
    out = {}
    for olds, new in wanted:
        there = [name for name in (*olds, new) if name]
        if all(name in versions for name in there):
            before = [versions[name] for name in olds if name]
            out[olds, new] = difference(before, versions[new] if new else None)
    return out


def _versions(objects: Objects, blobs: Mapping[str, str]) -> Iterator[tuple[str, Version]]:
    read = objects.read((name, blob) for blob, name in blobs.items())
    for (blob, name), content in zip(blobs.items(), read, strict=True):
        with contextlib.suppress(ShelfError):
            if isinstance(content, bytes):
                yield blob, version(files.decoded(content, name), name)


# --- changes ---------------------------------------------------------------------------------


def _changes(told: Iterable[Told], ids: Mapping[str, str]) -> Iterator[Change]:
    """The changes, newest first. What is not on the shelf any more is there as removed, unnamed."""
    told = list(told)
    replaced = _Replaced(ids, told)
    live = {one.event.path for one in told if not one.event.gone}
    back = ids.keys() - live  # removed on one branch only, or put back and not yet committed
    made: list[tuple[str, int, Change]] = []
    for event, seen in told:
        if event.kind == REMOVED and event.path not in back:
            made.append(_placed(event, _change(event, "", seen)))
        elif event.kind != REMOVED and event.path in ids and (not event.gone or event.path in back):
            made += [_placed(event, change) for change in _of_one(event, seen, replaced)]
    return (change for _, _, change in sorted(made, key=lambda one: one[:2], reverse=True))


def _placed(event: Event, change: Change) -> tuple[str, int, Change]:
    return change.day, event.place, change


def _of_one(event: Event, seen: Difference | None, replaced: _Replaced) -> Iterator[Change]:
    """What one event says: of its own episode, and of those that this one replaces from now on."""
    if event.kind == AMENDED and seen and not seen.visible:
        return
    own = _change(event, event.path, seen)
    by = tuple(name for name in own.by if replaced.first(event.path, name))
    if own.kind != REPLACED or by or own.sections or own.closes:
        kind = AMENDED if own.kind == REPLACED and not by else own.kind
        yield own._replace(kind=kind, by=by)
    for old in seen.supersedes if seen else ():
        path, new = replaced.path(old, event), replaced.ids[event.path]
        if path and replaced.first(path, new):
            yield Change(REPLACED, path, own.when, own.author, own.commit, by=(new,))


class _Replaced:
    """Which episodes were told to be replaced by which: both files may say so, and it counts once."""

    def __init__(self, ids: Mapping[str, str], told: Iterable[Told]) -> None:
        self.ids = ids
        self._paths = {name: path for path, name in ids.items()}
        self._told: set[tuple[str, str]] = set()
        self._born = {one.event.path: one.event.step.commit for one in told if _is_birth(one)}

    def first(self, path: str, new: str) -> bool:
        """True when it is asked for the first time."""
        before = len(self._told)
        self._told.add((path, new))
        return len(self._told) > before

    def path(self, old: str, event: Event) -> str:
        """Where an episode lies that another replaces; "" for one that came with it, replaced."""
        path = self._paths.get(old, "")
        return "" if path == event.path or self._born.get(path) == event.step.commit else path


def _is_birth(one: Told) -> bool:
    return one.event.kind == NEW and not one.event.gone


def _change(event: Event, path: str, seen: Difference | None) -> Change:
    step, found = event.step, seen or Difference()
    kind = REPLACED if event.kind == AMENDED and found.superseded_by else event.kind
    head = (kind, path, step.when, step.author, step.commit)
    if event.kind == REMOVED:
        return Change(*head, before=found.before)
    links = (found.sections, found.closes, found.superseded_by)
    return Change(*head, step.old_path, *links, found.before)


# --- what is kept ----------------------------------------------------------------------------


def _key(repo: Repo, head: str) -> str:
    """What the history depends on: the commit, and files of git that cut it off or join it."""
    digest = hashlib.sha256()
    for name in ("shallow", "info/grafts"):
        with contextlib.suppress(OSError):
            digest.update((repo.where.common_dir / name).read_bytes())
        digest.update(b"\0")
    return f"{_LAYOUT} {head} {digest.hexdigest()[:16]} {repo.where.prefix}"


def _encode(key: str, begins: str, told: Iterable[Told]) -> str:
    rows = [[*event[:4], list(event.step), seen and list(seen)] for event, seen in told]
    return f"{key}\n{json.dumps([begins, rows], separators=(',', ':'))}"


def _kept(repo: Repo, cache: Cache, head: str) -> tuple[list[Told], str] | None:
    key, _, kept = cache.fact(_FACT).partition("\n")
    if key != _key(repo, head):
        return None
    with contextlib.suppress(ValueError, TypeError, IndexError):
        return _decode(kept)
    return None


def _before(cache: Cache) -> list[Told]:
    """What was read before, if it was at another commit: the same texts differ the same way."""
    key, _, kept = cache.fact(_FACT).partition("\n")
    if not key.startswith(f"{_LAYOUT} "):
        return []
    with contextlib.suppress(ValueError, TypeError, IndexError):
        return _decode(kept)[0]
    return []


def _decode(kept: str) -> tuple[list[Told], str]:
    begins, rows = json.loads(kept)
    return [_told(*row) for row in rows], begins


def _told(
    place: int, kind: str, path: str, gone: bool, step: list[Any], seen: list[Any] | None
) -> Told:
    commit, when, author, olds, new, *rest = step
    made = Step(commit, when, author, tuple(olds), new, *rest)
    found = Difference._make((*map(tuple, seen[:-1]), seen[-1])) if seen else None
    return Told(Event(place, kind, path, gone, made), found)
