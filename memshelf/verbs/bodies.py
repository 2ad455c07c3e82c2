"""The bodies of episodes for what is exported: rendered once for each content, then kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ..domain.entry import Entry
from ..domain.episode import Document, texts_of
from ..domain.errors import ShelfError
from ..domain.shelf import Shelf
from ..render.bodies import (
    Bodies,
    Body,
    bodies_of,
    body,
    body_in,
    coloured,
    packed,
    unpacked,
    version,
)
from ..storage import files
from ..storage.fragments import Fragments
from ..storage.parallel import chunks, mapped
from ..storage.store import Store
from ..storage.survey import blob_id

Asked = tuple[str, bool]
"""The path of an episode, and whether its code is wanted in colours."""
Made = tuple[str, str]
"""The key under which a body is kept, and the body as one text."""


def kept_bodies(store: Store, shelf: Shelf, inside: Sequence[Entry], rev: str = "") -> Bodies:
    """The bodies of some episodes of a snapshot; what is not kept yet is rendered now.

    `rev` is the revision that the snapshot was read from, if it was one: its contents are not in
    the files. They are read a few hundred at a time: ask for them in the order of `inside`, or in
    the opposite one.
    A snapshot whose texts are not those of the files is rendered as it is asked for.
    """
    if not shelf.contents:
        return bodies_of(shelf)
    kept = _Kept(Fragments(store.cache, version(), "fragments", str), shelf, inside)
    missing = kept.missing()
    made = kept.of_snapshot(missing) if rev else _of_files(store, missing)
    done = 0
    for some in made:
        kept.fragments.keep(some, len(shelf.entries))
        done += len(some)
        store.report(done, len(missing))
    return kept


def streamed_bodies(store: Store, shelf: Shelf, missing: Sequence[Entry], rev: str = "") -> Bodies:
    """The bodies of some episodes, rendered while they are asked for in this order, and not kept.

    For outputs that keep what they make of them. Like `kept_bodies` in all else.
    """
    newest = coloured(shelf)
    if rev or not shelf.contents or not missing:
        return bodies_of(shelf)
    asked = [(entry.path, entry.path in newest) for entry in missing]
    return _Streamed(store, shelf, _of_files(store, asked), missing)


def _of_files(store: Store, asked: Sequence[Asked]) -> Iterator[list[Made]]:
    """What is made of the files, on as many processors as there may be, a portion at a time."""
    jobs = [(str(store.root), list(some)) for some in chunks(asked)]
    return mapped(_render, jobs, store.workers)


def _render(job: tuple[str, list[Asked]]) -> list[Made]:
    root, asked = job
    return [made for path, colours in asked if (made := _rendered(root, path, colours))]


def _rendered(root: str, path: str, colours: bool) -> Made | None:
    """What is made of a file, under the id of what stands in it by now; None where it has gone."""
    try:
        data = files.read_bytes(os.path.join(root, path), path, files.SIZE_LIMIT)  # noqa: PTH118
        document = Document.of(files.decoded(data, path))
    except ShelfError:
        return None
    return _key(blob_id(data), colours), packed(body(*texts_of(document), colours))


def _key(blob: str, colours: bool) -> str:
    return f"{blob} in colours" if colours else blob


class _Streamed:
    """Gives bodies out of portions that are still being made; what cannot be read is rendered."""

    def __init__(
        self, store: Store, shelf: Shelf, made: Iterator[list[Made]], missing: Sequence[Entry]
    ) -> None:
        self._store, self._shelf, self._made = store, shelf, made
        self._newest = coloured(shelf)
        self._begins = {some[0].path for some in chunks(missing)}
        self._ahead: dict[str, str] = {}
        self._done, self._total = 0, len(missing)

    def __call__(self, entry: Entry) -> Body:
        if entry.path in self._begins:
            self._ahead = dict(next(self._made, ()))
            self._done += len(self._ahead)
            self._store.report(self._done, self._total)
        colours = entry.path in self._newest
        key = _key(self._shelf.contents.get(entry.path, ""), colours)
        return unpacked(self._ahead.get(key, "")) or body_in(self._shelf, entry, colours)


class _Kept:
    """Gives kept bodies, reading them in portions; what cannot be read is rendered."""

    def __init__(self, fragments: Fragments[str], shelf: Shelf, inside: Sequence[Entry]) -> None:
        self.fragments, self._shelf, self._inside = fragments, shelf, inside
        self._newest = coloured(shelf)
        self._portions = {entry.path: some for some in chunks(inside) for entry in some}
        self._portion: Sequence[Entry] = ()
        self._ahead: dict[str, str] = {}

    def __call__(self, entry: Entry) -> Body:
        portion = self._portions.get(entry.path, self._portion)
        if portion is not self._portion:
            self._portion = portion
            self._ahead = self.fragments.some([self._key(one) for one in portion])
        found = unpacked(self._ahead.get(self._key(entry), ""))
        return found or body_in(self._shelf, entry, entry.path in self._newest)

    def missing(self) -> list[Asked]:
        """The episodes of which nothing is kept."""
        known = self.fragments.known()
        lacking = (entry for entry in self._inside if self._key(entry) not in known)
        return [(entry.path, entry.path in self._newest) for entry in lacking]

    def of_snapshot(self, asked: Sequence[Asked]) -> Iterator[list[Made]]:
        """What is made of episodes as the snapshot gives them."""
        entries = {entry.path: entry for entry in self._inside}
        for some in chunks(asked):
            yield [
                (self._key(entries[path]), packed(body_in(self._shelf, entries[path], colours)))
                for path, colours in some
            ]

    def _key(self, entry: Entry) -> str:
        blob = self._shelf.contents.get(entry.path, "")
        return _key(blob, entry.path in self._newest)
