"""Episodes taken off the shelf: the files, in one commit of exactly these."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple
from unicodedata import normalize

from ..domain.errors import ShelfError
from ..domain.shelf import Shelf
from ..domain.unnaming import naming_keys, without
from . import gate
from .gate import Change, Saved
from .repo import Repo
from .shelving import refuse_broken, save
from .store import Store


class Removed(NamedTuple):
    """What became of the write; `loose` are files that git did not know, which are gone for good."""

    saved: Saved
    loose: tuple[str, ...] = ()


class Naming(NamedTuple):
    """An episode whose front matter names forgotten ones: its text, and the text without that.

    `taken` are the keys that they are taken out of, `still` those that name them even so;
    `why_not` says why nothing can be taken out.
    """

    path: str
    id: str
    old: str
    new: str
    taken: tuple[str, ...]
    still: tuple[str, ...]
    why_not: str = ""


def naming(
    store: Store, shelf: Shelf, names: Collection[str], paths: Collection[str]
) -> tuple[Naming, ...]:
    """The episodes that name some ids in their front matter, those at `paths` apart.

    A name that an episode keeps which stays is not among them.
    """
    stay = [entry for entry in shelf.entries if entry.path not in paths]
    living = {name for entry in stay for name in (entry.id, entry.stem)}
    gone = {normalize(form, name) for name in names for form in ("NFC", "NFD")} - living
    return tuple(_naming(store, gone, {entry.path: entry.id for entry in stay}))


def _naming(store: Store, gone: set[str], ids: dict[str, str]) -> Iterator[Naming]:
    words = [name.encode("utf-8") for name in gone]
    for path, name in ids.items():
        data = store.peek(path) or b""
        if not any(word in data for word in words):
            continue
        old = store.text(path)
        try:
            refuse_broken(path, old)
            new, taken = without(old, gone)
            found = Naming(path, name, old, new, taken, naming_keys(new, gone))
        except ShelfError as trouble:
            found = Naming(path, name, old, old, (), naming_keys(old, gone), trouble.message)
        if found.taken or found.still or found.why_not:
            yield found


def remove(
    store: Store, paths: Sequence[str], message: str, others: Sequence[Naming] = ()
) -> Removed:
    """Delete files, take them out of what others say, and commit that.

    Raises UncommittedEdit where one of these files holds an edit of today. A file that was never
    given to git is only deleted: no commit may come to hold it.
    """
    loose = _unknown(store, [*paths, *(one.path for one in others)])
    changes = [_gone(store, path) for path in paths]
    changes += [
        Change(one.path, one.new.encode("utf-8"), one.old.encode("utf-8"))
        for one in others
        if one.taken
    ]
    known = [change for change in changes if change.path not in loose]
    rest = [change for change in changes if change.path in loose]
    saved = save(store, known, message, commit=True) if known else Saved()
    if rest:
        plain = gate.save(store.root, rest, message, commit=False)
        saved = saved if known else Saved(warnings=plain.warnings[:-1])
    return Removed(saved, tuple(path for path in paths if path in loose))


def _gone(store: Store, path: str) -> Change:
    return Change(path, None, store.bytes(path))


def _unknown(store: Store, paths: Sequence[str]) -> list[str]:
    repo = None if store.settings["storage"] == "plain" else Repo.of(store.root)
    if repo is None:
        return []
    full = {repo.where.full(path): path for path in paths}
    known = {*repo.tree(repo.commit_id(), full), *repo.staged(full, {})}
    return [path for place, path in full.items() if place not in known]
