"""The bodies of episodes for what is exported: rendered once for each content, then kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ..domain.entry import Entry
from ..domain.episode import parse_episode
from ..domain.errors import ShelfError
from ..domain.shelf import Shelf
from ..render.bodies import Bodies, Body, bodies_of, body, body_in, packed, unpacked, version
from ..storage import files
from ..storage.fragments import Fragments
from ..storage.parallel import chunks, mapped
from ..storage.store import Store
from ..storage.survey import blob_id

Made = tuple[str, str]
"""The id of a content, and its body as one text."""


def kept_bodies(store: Store, shelf: Shelf, inside: Sequence[Entry], rev: str = "") -> Bodies:
    """The bodies of some episodes of a snapshot; what is not kept yet is rendered now.

    `rev` is the revision that the snapshot was read from, if it was one: its contents are not in
    the files. Ask for the bodies in the order of `inside`: they are read a few hundred at a time.
    A snapshot whose texts are not those of the files is rendered as it is asked for.
    """
    if not shelf.contents:
        return bodies_of(shelf)
    fragments = Fragments(store.cache, version())
    known = fragments.known()
    missing = [entry for entry in inside if shelf.contents.get(entry.path) not in known]
    made = _of_snapshot(shelf, missing) if rev else _of_files(store, missing)
    done = 0
    for some in made:
        fragments.keep(some, len(shelf.entries))
        done += len(some)
        store.report(done, len(missing))
    return _Reader(fragments, shelf, inside)


def _of_files(store: Store, entries: Sequence[Entry]) -> Iterator[list[Made]]:
    """What is made of the files, on as many processors as there may be, a portion at a time."""
    paths = [entry.path for entry in entries]
    jobs = [(str(store.root), list(some)) for some in chunks(paths)]
    return mapped(_render, jobs, store.workers)


def _render(job: tuple[str, list[str]]) -> list[Made]:
    root, paths = job
    return [made for path in paths if (made := _rendered(root, path))]


def _rendered(root: str, path: str) -> Made | None:
    """What is made of a file, under the id of what stands in it by now; None where it has gone."""
    try:
        data = files.read_bytes(os.path.join(root, path), path, files.SIZE_LIMIT)  # noqa: PTH118
        text = files.decoded(data, path)
    except ShelfError:
        return None
    return blob_id(data), packed(body(parse_episode(text)))


def _of_snapshot(shelf: Shelf, entries: Sequence[Entry]) -> Iterator[list[Made]]:
    for some in chunks(entries):
        yield [(shelf.contents[entry.path], packed(body_in(shelf, entry))) for entry in some]


class _Reader:
    """Gives kept bodies, reading ahead in one order; what cannot be read is rendered."""

    def __init__(self, fragments: Fragments, shelf: Shelf, inside: Sequence[Entry]) -> None:
        self._fragments, self._shelf = fragments, shelf
        self._portions = {some[0].path: some for some in chunks(inside)}
        self._ahead: dict[str, str] = {}

    def __call__(self, entry: Entry) -> Body:
        if entry.path in self._portions:
            contents = [
                self._shelf.contents.get(one.path, "") for one in self._portions[entry.path]
            ]
            self._ahead = self._fragments.some(contents)
        text = self._ahead.get(self._shelf.contents.get(entry.path, ""), "")
        return (unpacked(text) if text else None) or body_in(self._shelf, entry)
