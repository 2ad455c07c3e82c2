"""Giving an episode another id: the file moves, and everything that names it follows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from unicodedata import normalize

from ..domain.entry import Entry
from ..domain.errors import BadField
from ..domain.finding import left_out
from ..domain.redact import find_secrets
from ..domain.renaming import following, own
from ..domain.shelf import Shelf
from ..domain.slug import is_id
from . import recalls
from .gitlog import renames
from .repo import Repo
from .reworking import Carried, Plan, Rework, carry_out
from .shelving import EpisodeExists, refuse_broken
from .standing import one_entry
from .store import Store

_SIDES = ("retros",)
"""Folders of other texts that name episodes and are written by people."""


class Renaming(NamedTuple):
    """What became of a request, and how many other files name the episode."""

    carried: Carried
    old: str
    new: str


def rename(store: Store, old: str, new: str, write: bool = True, commit: bool = True) -> Renaming:
    """Give an episode another id, in one commit with all that names it.

    Its file moves inside its folder, so that an archived one stays archived. Raises EpisodeNotFound,
    NotOne, BadField for an id in no allowed form, and EpisodeExists where it is taken.
    """
    name = new.strip().removesuffix(".md")
    seen: list[str] = []

    def make() -> Plan:
        shelf = store.read()
        entry = one_entry(store, shelf, old.strip())
        _refuse(store, shelf, entry, name)
        seen.append(entry.id)
        text = store.text(entry.path)
        refuse_broken(entry.path, text)
        olds = {normalize(form, one) for one in (entry.id, entry.stem) for form in ("NFC", "NFD")}
        target = f"{entry.path.rpartition('/')[0]}/{name}.md"
        moved = Rework(entry.path, target, text, own(text, olds, name))
        others = [one for one in _others(store, shelf, entry, olds, name) if one.changed]
        said = [left_out(shelf.unread)] if shelf.unread else []
        others += _recalls(store, olds, name, said)
        return Plan.of([moved, *others], renames(entry.stem, name), said)

    carried = carry_out(store, make, write, commit)
    return Renaming(carried, seen[-1], name)


def _refuse(store: Store, shelf: Shelf, entry: Entry, new: str) -> None:
    if not is_id(new):
        said = f"{new!r} is no id."
        fix = "Write YYYY-MM-DD-words: lower-case letters, digits, - and _; at most 80."
        raise BadField("new", said, fix)
    if find_secrets(new, store.policy.rules):
        raise BadField("new", "it holds what looks like a secret.", "Choose other words.")
    if new in (entry.id, entry.stem) and entry.id == entry.stem:
        raise EpisodeExists(f"{new} is its id already.", "Choose another one.")
    taken = store.locate(new) or (shelf.by_id[new].path if new in shelf.by_id else None)
    if taken and taken != entry.path:
        raise EpisodeExists(f"{new} is taken: {taken}.", "Choose another id.")


def _recalls(store: Store, olds: set[str], new: str, said: list[str]) -> list[Rework]:
    """The log of recalls under the new id, so that they still count; left alone where it holds rows
    that are not committed, which is no reason to refuse."""
    text = store.text(recalls.LOG) if store.has(recalls.LOG) else ""
    after = recalls.renamed(text, olds, new)
    if after == text:
        return []
    repo = None if store.settings["storage"] == "plain" else Repo.of(store.root)
    if repo and repo.dirty([repo.where.full(recalls.LOG)]):
        said.append(f"{recalls.LOG} is not committed: recalls so far stay under the old id.")
        return []
    return [Rework(recalls.LOG, recalls.LOG, text, after)]


def _others(store: Store, shelf: Shelf, entry: Entry, olds: set[str], new: str) -> Iterator[Rework]:
    """Every other text that names the episode, as it is to be."""
    paths = [one.path for one in shelf.entries if one.path != entry.path]
    paths += [f"{folder}/{name}" for folder in _SIDES for name in sorted(store.names(folder))]
    for path in paths:
        data = store.peek(path) or b""
        if any(one.encode("utf-8") in data or b"%" in data for one in olds):
            text = store.text(path)
            yield Rework(path, path, text, following(text, olds, new))
