"""Take an episode off the shelf, out of derived files and caches, and say what still holds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from ..domain.errors import EpisodeNotFound, UsageError
from ..domain.shelf import Shelf
from ..domain.text import plural
from ..storage.remains import remains
from ..storage.removing import Naming, naming
from ..storage.repo import Repo
from ..storage.reworking import alone
from ..storage.standing import each_once, every_file
from ..storage.store import Store
from ..verb import Alias, verb
from .forgetting import Done, Left, TakenOut, former, left, removed, taken_out, told
from .purge import Purged, purge


@dataclass(frozen=True)
class Forgotten:
    """The files that were removed, or without `applied` would be, and what still holds them.

    `taken_out` are the episodes whose front matter named them; `rendered` is the commit of the
    derived files.
    """

    ids: tuple[str, ...]
    paths: tuple[str, ...]
    applied: bool
    committed: bool
    commit: str | None
    rendered: str | None
    left: Left
    warnings: tuple[str, ...] = ()
    taken_out: tuple[TakenOut, ...] = ()

    def __str__(self) -> str:
        would = "" if self.applied else "would be "
        rows = [f"{would}removed: {path}" for path in self.paths]
        rows += [] if self.paths else ["No file in the tree goes by that name any more."]
        rows += [f"{would}taken out of: {one}" for one in self.taken_out]
        if self.commit:
            rows.append(f"commit {self.commit[:12]}")
        if self.rendered:
            rows.append(f"derived files without it: commit {self.rendered[:12]}")
        if self.applied:
            rows.append(
                "caches, the index of search, vectors and remembered answers are without it"
            )
        rows += self.left.lines
        rows += [f"warning: {text}" for text in self.warnings]
        what = "it" if len(self.ids) == 1 else plural(len(self.ids), "episode")
        return "\n".join([*rows, *([] if self.applied else [f"next: --apply forgets {what}."])])


@verb(writes=True, destructive=True, idempotent=True)
def forget(
    store: Store,
    ids: Annotated[Sequence[str], "The ids of the episodes.", Alias("id")] = (),
    *,
    expired: Annotated[bool, "All that are past their retain_until, as purge does."] = False,
    apply: Annotated[bool, "Do it; else it is only shown."] = False,
) -> Forgotten | Purged:
    """Take an episode off the shelf, out of derived files and caches, and say what still holds it.

    Every file that goes by the id goes, and the keys of other episodes name it no more. Derived
    files are rendered without it at once, whatever the settings. What texts, exports, the history
    and other clones still hold is said, with the steps that rewrite the history.

    Example:
    memshelf forget 2026-05-05-scratch-notes
    memshelf forget 2026-05-05-scratch-notes --apply
    memshelf forget --expired --apply
    """
    if bool(ids) == expired:
        raise UsageError("Give ids, or --expired, and one of them.", "memshelf forget ID")
    if expired:
        purged: Purged = purge(store, apply=apply)
        return purged
    names = each_once(ids)
    if not apply:
        seen = _look(store, names)
        done = Done(False, None, None, ())
        return seen.answer(False, done, seen.left(store, seen.shelf, seen.paths))
    with alone(store):  # what others write meanwhile is seen, or comes after
        seen = _look(store, names)
        done = removed(store, seen.paths, f"forget: {', '.join(names)}", seen.others)
    return seen.answer(True, done, seen.left(store, store.read(bodied=True), ()))


class _Look(NamedTuple):
    """What is to be forgotten: its files, every name of theirs, the episodes that name it, and
    what is to be told, which can be known only while it is there."""

    shelf: Shelf
    names: tuple[str, ...]
    paths: tuple[str, ...]
    every: tuple[str, ...]
    others: tuple[Naming, ...]
    told: tuple[str, ...]

    def left(self, store: Store, shelf: Shelf, paths: Sequence[str]) -> Left:
        """What holds it still on a shelf on which its files are at these paths."""
        return left(store, shelf, self.every, paths, former(self.shelf, self.paths), self.others)

    def answer(self, applied: bool, done: Done, found: Left) -> Forgotten:
        """The answer."""
        head = (self.names, self.paths, applied, done.committed, done.commit, done.rendered)
        return Forgotten(*head, found, (*done.warnings, *self.told), taken_out(self.others))


def _look(store: Store, names: tuple[str, ...]) -> _Look:
    shelf = store.read(bodied=True, history=True)
    paths = tuple(dict.fromkeys(path for name in names for path in _files(store, shelf, name)))
    every = tuple(dict.fromkeys((*names, *_other_names(shelf, paths))))
    others = naming(store, shelf, every, paths)
    said = (*_called_today(store, names), *told(shelf, paths, others))
    return _Look(shelf, names, paths, every, others, said)


def _called_today(store: Store, names: Iterable[str]) -> Iterator[str]:
    """Of names that an episode had before, that it is there: it is not forgotten by them."""
    for name in names:
        today = "" if store.locate(name) else store.called_today(name)
        if today:
            yield f"{name} is called {today} today, and that stays: forget {today} as well."


def _files(store: Store, shelf: Shelf, name: str) -> tuple[str, ...]:
    """The files of an id; none where only the history knows it. Raises EpisodeNotFound."""
    try:
        return every_file(store, shelf, name)
    except EpisodeNotFound:
        repo = None if store.settings["storage"] == "plain" else Repo.of(store.root)
        if repo and remains(repo, (name,)).commits:
            return ()
        raise


def _other_names(shelf: Shelf, paths: Sequence[str]) -> list[str]:
    """The ids and names of some files: they need not be the same."""
    gone = [entry for entry in shelf.entries if entry.path in paths]
    return [name for entry in gone for name in (entry.id, entry.stem)]
