"""Out of what each commit did to files: what happened to each episode, under whatever name it had.

Commits come in one row, parents before children, also where branches ran side by side. So a change
counts by its content: a version that an episode has reached already is no change when a merge, a
squash or a cherry-pick brings it once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .changes import AMENDED, ARCHIVED, NEW, REMOVED, RENAMED, UNARCHIVED, stem


class Step(NamedTuple):
    """What one commit did to one file.

    `olds` are the ids of the content in each parent ("" for no file), of which a merge has several;
    `new` is "" where the file is gone. `old_path` is given for a rename. `known` is False in the
    first commit of a shallow clone, whose files may be older than it.
    """

    commit: str
    when: str
    author: str
    olds: tuple[str, ...]
    new: str
    path: str
    old_path: str = ""
    known: bool = True


class Event(NamedTuple):
    """A step that is a change, its kind, its place among all steps, and where the episode is today.

    `path` is where it was last, if `gone`.
    """

    place: int
    kind: str
    path: str
    gone: bool
    step: Step


def events(steps: Iterable[Step]) -> list[Event]:
    """The changes of all episodes, oldest first; the steps come parents first."""
    follow = _Follow()
    for place, step in enumerate(steps):
        follow.take(place, step)
    return sorted(follow.events())


@dataclass
class _Life:
    """One episode: where it is, the content that it has, and what happened to it."""

    path: str
    blob: str = ""
    happened: list[tuple[int, str, Step]] = field(default_factory=list)
    gone: bool = False


class _Follow:
    def __init__(self) -> None:
        self._lives: list[_Life] = []
        self._at: dict[str, _Life] = {}
        self._moved: dict[str, str] = {}
        self._gone: dict[str, _Life] = {}

    def take(self, place: int, step: Step) -> None:
        if not step.new:
            self._remove(place, step)
        elif step.old_path:
            self._move(place, step)
        elif any(step.olds):
            self._amend(place, step)
        else:
            self._add(place, step)

    def events(self) -> Iterator[Event]:
        for life in self._lives:
            for place, kind, step in life.happened:
                yield Event(place, kind, life.path, life.gone, step)

    def _begin(self, path: str) -> _Life:
        life = self._at[path] = _Life(path)
        self._lives.append(life)
        self._moved.pop(path, None)
        return life

    def _add(self, place: int, step: Step) -> None:
        """A file that is there already was added on two branches: the second is an amendment."""
        life = self._at.get(step.path)
        if life:
            self._reach(life, place, AMENDED, step._replace(olds=(life.blob,)))
            return
        life = self._begin(step.path)
        life.blob = step.new
        if step.known:
            life.happened.append((place, NEW, step))

    def _amend(self, place: int, step: Step) -> None:
        path = self._today(step.path)
        life = self._at.get(path) or self._back(path) or self._begin(path)
        self._reach(life, place, AMENDED, step)

    def _move(self, place: int, step: Step) -> None:
        before = self._today(step.old_path)
        if before == step.path:  # both sides moved it there
            self._amend(place, step._replace(old_path=""))
            return
        life = self._at.pop(before, None) or self._begin(before)
        self._at.pop(before, None)
        self._at[step.path], life.path, life.blob = life, step.path, step.new
        self._moved.pop(step.path, None)
        self._moved[before] = self._moved[step.old_path] = step.path
        life.happened.append((place, _kind(step), step))

    def _remove(self, place: int, step: Step) -> None:
        life = self._at.pop(self._today(step.path), None)
        if life:
            life.gone = True
            life.happened.append((place, REMOVED, step))
            self._gone[life.path] = life

    def _back(self, path: str) -> _Life | None:
        """An episode that one branch removed while another went on with it."""
        life = self._gone.pop(path, None)
        if life:
            life.gone, self._at[path] = False, life
            life.happened = [one for one in life.happened if one[1] != REMOVED]
        return life

    def _reach(self, life: _Life, place: int, kind: str, step: Step) -> None:
        if step.new != life.blob and step.new not in step.olds:
            life.happened.append((place, kind, step))
        life.blob = step.new

    def _today(self, path: str) -> str:
        """Where a file is that another branch may have moved; no name leads in a circle here, since
        one that is taken again forgets where it had led."""
        while path not in self._at and path in self._moved:
            path = self._moved[path]
        return path


def _kind(step: Step) -> str:
    if stem(step.old_path) != stem(step.path):
        return RENAMED
    before, after = (path.startswith("archive/") for path in (step.old_path, step.path))
    if before == after:
        return RENAMED
    return ARCHIVED if after else UNARCHIVED
