"""What `forget` and `purge` share: files, derived files and caches go, and what is left is told."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..domain.changes import stem
from ..domain.errors import ShelfError
from ..domain.forgetting import AFTERWARDS, Naming, Place, naming, steps
from ..domain.in_force import consequences
from ..domain.shelf import Shelf
from ..domain.text import plural
from ..storage import exports, files
from ..storage.exports import Export
from ..storage.remains import Remains, remains
from ..storage.removing import Naming as Others
from ..storage.removing import remove
from ..storage.repo import Repo
from ..storage.shelving import identity
from ..storage.store import Store
from . import rendering


class Done(NamedTuple):
    """What a removal did."""

    committed: bool
    commit: str | None
    rendered: str | None
    warnings: tuple[str, ...]


class TakenOut(NamedTuple):
    """An episode, and the keys of its front matter that do not name a forgotten one any more."""

    id: str
    path: str
    keys: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.path} ({', '.join(self.keys)})"


def taken_out(found: Sequence[Others]) -> tuple[TakenOut, ...]:
    """What is taken out of where."""
    return tuple(TakenOut(one.id, one.path, one.taken) for one in found if one.taken)


def told(shelf: Shelf, paths: Collection[str], found: Sequence[Others]) -> tuple[str, ...]:
    """What else is to be known when episodes go: where they are named still, what holds again."""
    named = (f"{one.path} names it still: {one.why_not}" for one in found if one.why_not)
    return (*named, *consequences(shelf, paths))


def removed(
    store: Store, paths: Sequence[str], message: str, others: Sequence[Others] = ()
) -> Done:
    """Delete episodes, take them out of what others say, render the derived files anew whatever the
    settings, clear the caches.

    The two writes are commits of their own. `paths` may be empty: then the rest is done.
    """
    gone = remove(store, paths, message, others) if paths or others else None
    saved = gone.saved if gone else None
    warnings = list(saved.warnings if saved else ())
    rendered = None
    try:
        plain = store.settings["storage"] == "plain" or Repo.of(store.root) is None
        found = rendering.render(store, commit=not plain)
        rendered = found.commit if found.committed else None
        warnings += [f.said for f in found.problems]
    except ShelfError as trouble:
        warnings.append(f"The derived files were not rendered and may hold it still: {trouble}")
    from ..engine.forgetting import forget

    warnings += forget(store, paths)
    if gone and gone.loose:
        warnings.append(f"Git never knew {', '.join(gone.loose)}: it cannot be brought back.")
    committed = bool(saved and saved.committed)
    said = (*warnings, *(identity(saved) if saved else ()))
    return Done(committed, saved.commit if saved and committed else None, rendered, said)


@dataclass(frozen=True)
class Left:
    """What still holds something of forgotten episodes, or names them."""

    named_in: tuple[Naming, ...] = ()
    files: tuple[str, ...] = ()
    recalls: int = 0
    exports: tuple[Export, ...] = ()
    history: Remains = field(default_factory=Remains)
    former: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    afterwards: tuple[str, ...] = AFTERWARDS

    def data(self) -> dict[str, Any]:
        """The fields as they are."""
        return dict(vars(self))

    @property
    def lines(self) -> Iterator[str]:
        """All of it in sentences."""
        for one in self.named_in:
            yield f"named in {one.id} ({', '.join(one.places)})"
        yield from (f"named in {path}" for path in self.files)
        if self.recalls:
            yield f"recall-log.tsv keeps {plural(self.recalls, 'row')} with the id, and no text"
        for export in self.exports:
            verb = "holds" if export.holds else "may hold"
            yield f"{export.path} {verb} it: export it again, and replace every copy"
        yield from _history(self.history)
        if self.former:
            yield f"  it was called before: {', '.join(self.former)} (forget these names as well)"
        if self.steps:
            yield "To take it out of the history (git-filter-repo is a program of its own):"
            yield from (f"  {step}" for step in self.steps)
            yield from self.afterwards


def _history(found: Remains) -> Iterator[str]:
    if found.why:
        yield f"history: {found.why}"
        return
    if not found.commits:
        yield "history: no commit of this clone holds it."
        return
    short = " or more; this clone knows only the newest" if found.part else ""
    yield f"history: {plural(found.commits, 'commit')} of this clone changed it{short}"
    if found.refs:
        yield f"  reached from {', '.join(found.refs)}"
    if found.tips:
        yield f"  named to this day on {', '.join(found.tips)}"
    if found.remotes:
        yield f"  {', '.join(found.remotes)} holds what was pushed, and so does every clone of it"


def former(shelf: Shelf, paths: Collection[str]) -> tuple[str, ...]:
    """The names that files had before they were renamed, of a shelf that was read with its history."""
    names = (stem(old) for old, new in shelf.changes.moved.items() if new in paths)
    known = {stem(path) for path in paths}
    return tuple(dict.fromkeys(name for name in names if name not in known))


def left(
    store: Store,
    shelf: Shelf,
    names: Sequence[str],
    paths: Collection[str],
    before: tuple[str, ...],
    others: Sequence[Others],
) -> Left:
    """What still holds something of episodes, by their names, apart from the files themselves.

    `before` are the names that they had earlier, `others` the episodes that name them.
    """
    from ..render import OWNED

    repo = None if store.settings["storage"] == "plain" else Repo.of(store.root)
    known = remains(repo, names)
    wanted = frozenset(names)
    lines: tuple[str, ...] = ()
    if repo and known.paths:
        remote = next((one for one in ("origin", *known.remotes) if one in known.remotes), "")
        place = Place(str(repo.where.worktree), repo.where.prefix, remote)
        lines = steps(place, names, known.paths, map(repo.where.full, OWNED))
    return Left(
        naming(shelf, wanted, paths, {one.path: one.still for one in others}),
        tuple(_elsewhere(store, shelf, names)),
        sum(recall.episode_id in wanted for recall in shelf.recalls),
        tuple(exports.holding(store.root, names)),
        known,
        before,
        lines,
    )


def _elsewhere(store: Store, shelf: Shelf, names: Iterable[str]) -> Iterator[str]:
    """Other files on the shelf that name one of some episodes: notes, texts of periods, pages."""
    from ..render import OWNED

    words = [name.encode("utf-8") for name in names]
    told = {*OWNED, "recall-log.tsv", *(entry.path for entry in shelf.entries)}
    for folder, folders, found in os.walk(store.root):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(found):
            path = Path(folder, name)
            short = path.relative_to(store.root).as_posix()
            if short not in told and not path.is_symlink() and _names(path, words):
                yield short


def _names(path: Path, words: list[bytes]) -> bool:
    try:
        if path.stat().st_size > files.SIZE_LIMIT:
            return False
        data = path.read_bytes()
    except OSError:
        return False
    return any(word in data for word in words)
