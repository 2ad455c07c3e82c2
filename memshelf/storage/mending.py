"""Giving an episode the id that its file's name says, in one commit; every other byte stays."""

from __future__ import annotations

from collections.abc import Mapping

from ..domain.entry import Entry
from ..domain.episode import ORDER, written
from ..domain.shelf import Shelf
from ..domain.slug import is_id
from ..domain.splicing import splice
from .gate import Change, Saved
from .shelving import refuse_broken, save
from .store import Store


def can_take_its_name(shelf: Shelf, entry: Entry, reversing: Mapping[str, tuple[str, ...]]) -> str:
    """Why an episode cannot simply be given its file's name as its id; "" where it can.

    `reversing` is what `storage.reversing` finds.
    """
    if not is_id(entry.stem):
        return f"{entry.stem!r} is no form of an id: rename the file"
    if any(
        other.id == entry.stem or other.stem == entry.stem
        for other in shelf.entries
        if other is not entry
    ):
        return f"another episode has the id {entry.stem}"
    users = [
        other.id
        for other in shelf.entries
        if other is not entry and _names(other, entry.id, reversing.get(other.path, ()))
    ]
    if users:
        return f"{users[0]} names it as {entry.id}"
    if any(recall.episode_id == entry.id for recall in shelf.recalls):
        return f"recalls are logged under {entry.id}"
    return ""


def _names(other: Entry, name: str, reversals: tuple[str, ...]) -> bool:
    later = (said.partition(" ")[2] for said in reversals)
    addresses = (*other.supersedes, *other.superseded_by, *other.closes, *later)
    named = {address.partition("/")[0] for address in addresses}
    return name in named or any(name == mentioned for mentioned, _ in other.mentions)


def take_its_name(store: Store, path: str) -> Saved:
    """Write the file's name as the episode's id. Raises what the write gate raises."""
    old, stem = store.text(path), path.rpartition("/")[2][:-3]
    refuse_broken(path, old)
    new = splice(old, {"id": written("id", stem)}, ORDER)
    change = Change(path, new.encode("utf-8"), old.encode("utf-8"))
    return save(store, [change], f"doctor: the id of {stem} is its file's name", commit=True)
