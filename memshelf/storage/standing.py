"""Which files an id stands for: usually one, and sometimes more than there should be."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable

from ..domain.entry import Entry
from ..domain.errors import ShelfError
from ..domain.shelf import Shelf
from .store import Store


class NotRead(ShelfError):
    """The file of an id cannot be read as an episode."""

    code = "not-read"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} cannot be read.", "`memshelf doctor` says why; mend it first.")


class NotOne(ShelfError):
    """More than one file goes by an id, so that nobody can say which one is meant."""

    code = "duplicate-id"


def each_once(names: Iterable[str]) -> tuple[str, ...]:
    """The ids that some names give, as people type them: each once, without the file's ending.

    >>> each_once(["2026-01-05-a", " 2026-01-05-a.md", "b"])
    ('2026-01-05-a', 'b')
    """
    return tuple(dict.fromkeys(name.strip().removesuffix(".md") for name in names))


def every_file(store: Store, shelf: Shelf, name: str) -> tuple[str, ...]:
    """The paths of all files that go by a name: by their own name, or by the id inside.

    Live ones first. Also of those that cannot be read. Raises EpisodeNotFound where there is none.
    """
    wanted = name.removesuffix(".md")
    inside = (entry.path for entry in shelf.entries if entry.id == wanted)
    found: dict[tuple[int, int], str] = {}
    for path in (*store.places(wanted), *inside):
        with contextlib.suppress(FileNotFoundError):  # another writer moved it meanwhile
            seen = os.lstat(store.root / path)  # one file may answer to both forms of its letters
            found.setdefault((seen.st_dev, seen.st_ino), path)
    if not found:  # `require` knows what to say of a name that is not there, or where it went
        return (store.require(name),)
    return tuple(sorted(found.values(), key=lambda path: (path.startswith("archive/"), path)))


def one_file(store: Store, shelf: Shelf, name: str) -> str:
    """The path of the one file that goes by a name. Raises NotOne, EpisodeNotFound."""
    paths = every_file(store, shelf, name)
    if len(paths) > 1:
        said = f"{name} stands in {len(paths)} files: {', '.join(paths)}."
        raise NotOne(said, "Delete or rename all but one of them, and commit that. Then repeat.")
    return paths[0]


def one_entry(store: Store, shelf: Shelf, name: str) -> Entry:
    """The episode that goes by a name. Raises NotOne, EpisodeNotFound, NotRead."""
    path = one_file(store, shelf, name)
    found = next((entry for entry in shelf.entries if entry.path == path), None)
    if found is None:
        raise NotRead(path)
    one_file(store, shelf, found.id)  # a file's name may be its own, and the id that of another
    return found
