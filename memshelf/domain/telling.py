"""The changes of a shelf's episodes, out of what happened to files and how their texts differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from .changes import AMENDED, NEW, REMOVED, REPLACED, Change
from .difference import Difference
from .lineage import Event, Step

Texts = tuple[tuple[str, ...], str]
"""The ids of the contents that a change lies between."""

Differences = Mapping[Texts, Difference | None]
"""How texts differ, of those changes of which it was looked up; None where git lacks one."""


def texts(step: Step) -> Texts:
    """What a step lies between."""
    return step.olds, step.new


def changes(happened: Sequence[Event], found: Differences, ids: Mapping[str, str]) -> list[Change]:
    """The changes, newest first, of the episodes that are on the shelf (id by path). What is not
    there any more is among them as removed, unnamed."""
    live = {event.path for event in happened if not event.gone}
    back = ids.keys() - live  # removed on one branch only, or put back and not yet committed
    replaced = _Replaced(ids, happened)
    made: list[tuple[str, int, Change]] = []
    for event in happened:
        seen = found.get(texts(event.step))
        told: Iterable[Change] = ()
        if event.kind == REMOVED:
            told = () if event.path in back else (_change(event, "", seen),)
        elif event.path in (back if event.gone else ids):
            told = _of_one(event, seen, replaced)
        made += [(change.day, event.place, change) for change in told]
    return [change for _, _, change in sorted(made, key=lambda one: one[:2], reverse=True)]


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

    def __init__(self, ids: Mapping[str, str], happened: Iterable[Event]) -> None:
        self.ids = ids
        self._paths = {name: path for path, name in ids.items()}
        self._told: set[tuple[str, str]] = set()
        self._born = {
            event.path: event.step.commit
            for event in happened
            if event.kind == NEW and not event.gone
        }

    def first(self, path: str, new: str) -> bool:
        """True when it is asked for the first time."""
        before = len(self._told)
        self._told.add((path, new))
        return len(self._told) > before

    def path(self, old: str, event: Event) -> str:
        """Where an episode lies that another replaces; "" for one that came with it, replaced."""
        path = self._paths.get(old, "")
        return "" if path == event.path or self._born.get(path) == event.step.commit else path


def _change(event: Event, path: str, seen: Difference | None) -> Change:
    step, found = event.step, seen or Difference()
    kind = REPLACED if event.kind == AMENDED and found.superseded_by else event.kind
    head = (kind, path, step.when, step.author, step.commit)
    if event.kind == REMOVED:
        return Change(*head, before=found.before)
    links = (found.sections, found.closes, found.superseded_by)
    return Change(*head, step.old_path, *links, found.before)
