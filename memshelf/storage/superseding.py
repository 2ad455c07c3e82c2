"""Replacing an episode, or one decision of it, by a later episode."""

from __future__ import annotations

from typing import NamedTuple

from ..domain import frontmatter
from ..domain.entry import Entry
from ..domain.episode import ORDER, Document, Episode, episode_of
from ..domain.errors import ShelfError
from ..domain.restating import Restating, restating
from ..domain.shelf import Shelf
from ..domain.splicing import splice
from .reworking import Carried, Plan, Rework, carry_out
from .shelving import refuse_broken, replaced
from .standing import one_entry
from .store import Store


class NotToReplace(ShelfError):
    """What was named cannot be replaced by that episode."""

    code = "not-to-replace"


class DecisionNotFound(ShelfError):
    """The address names no decision."""

    code = "decision-not-found"


class Superseding(NamedTuple):
    """What became of a request, and the episodes that still state what was replaced."""

    carried: Carried
    old: str
    new: str
    still: tuple[Restating, ...]


def supersede(
    store: Store, old: str, by: str, write: bool = True, commit: bool = True
) -> Superseding:
    """Write that an episode, or `ID/d1` one decision of it, is replaced by another, in one commit.

    `supersedes` of the new and `superseded_by` of the old, or for one decision `reversed_by`, gain
    a name, and nothing else changes. Raises EpisodeNotFound, DecisionNotFound and NotToReplace.
    """
    seen: list[Superseding] = []

    def make() -> Plan:
        shelf = store.read()
        first, place = _parted(shelf, old)
        entry, later = one_entry(store, shelf, first), _later(store, shelf, by)
        _refuse(shelf, entry, later)
        texts = _texts(entry, place)
        name = f"{entry.id}/{place}" if place else entry.id
        leave = {entry.id, later.id, *shelf.superseded.get(entry.id, ())}
        still = restating(shelf, entry.id, texts, leave)
        plan = _plan(store, shelf, entry, later, name)
        seen.append(Superseding(Carried(plan, None), name, later.id, still))
        return plan

    carried = carry_out(store, make, write, commit)
    return seen[-1]._replace(carried=carried)


def _parted(shelf: Shelf, name: str) -> tuple[str, str]:
    """The id in an address and what stands behind its stroke: `d1`, or nothing."""
    name = name.strip()
    if name in shelf.by_id:
        return name, ""
    first, _, place = name.partition("/")
    return first, place


def _later(store: Store, shelf: Shelf, by: str) -> Entry:
    """The episode that replaces something: a whole one, whatever stands in it."""
    name, stroke, _ = by.strip().partition("/")
    if stroke and (name in shelf.by_id or store.locate(name)):
        said = f"{by} is a part of an episode, and what replaces something is a whole one."
        raise NotToReplace(said, f"Name the episode: --by {name}")
    return one_entry(store, shelf, by.strip())


def _texts(entry: Entry, place: str) -> tuple[str, ...]:
    """The decisions that are replaced: the one of a place, or all."""
    made = [choice.text for choice in entry.decisions]
    if not place:
        return tuple(made)
    known = {f"d{number}": text for number, text in enumerate(made, 1)}
    if place not in known:
        own = ", ".join(f"{entry.id}/{one}" for one in known)
        said = f"Episode {entry.id} has no decision {place!r}."
        fix = f"Its decisions: {own}." if own else 'It has no section "Decisions": name it whole.'
        raise DecisionNotFound(said, fix)
    return (known[place],)


def _refuse(shelf: Shelf, old: Entry, new: Entry) -> None:
    if old.id == new.id:
        raise NotToReplace(f"{old.id} cannot replace itself.", "Name another episode with --by.")
    if new.ledger_date < old.ledger_date:
        said = f"{new.id} ({new.ledger_date}) is older than {old.id} ({old.ledger_date})."
        raise NotToReplace(said, "Name a later episode, or correct a date: edit ID --date.")
    if old.id in _replacing(shelf, new.id):
        said = f"{new.id} is itself replaced by {old.id}."
        raise NotToReplace(said, "The two would replace each other; choose which one stands.")


def _replacing(shelf: Shelf, name: str) -> set[str]:
    """All that replaces an episode, one after the other."""
    found: set[str] = set()
    todo = [name]
    while todo:
        for new in shelf.superseded.get(todo.pop(), ()):
            if new not in found:
                found.add(new)
                todo.append(new)
    return found


def _plan(store: Store, shelf: Shelf, old: Entry, new: Entry, name: str) -> Plan:
    path, text = new.path, store.text(new.path)
    refuse_broken(path, text)
    have = episode_of(Document.of(text), new.stem).supersedes
    after = text
    if name not in have:
        after = splice(text, {"supersedes": frontmatter.listed((*have, name))}, ORDER)
    reworks = [Rework(path, path, text, after)]
    for change in replaced(store, Episode(new.id, supersedes=(name,))):
        before, now = (change.expect or b"").decode(), (change.data or b"").decode()
        reworks.append(Rework(change.path, change.path, before, now))
    others = [one for one in shelf.superseded.get(old.id, ()) if one != new.id]
    said = [f"{old.id} is replaced by {', '.join(others)} too."] if others else []
    gone = shelf.superseded.get(new.id, ())
    said += [f"{new.id} is itself replaced by {', '.join(gone)}."] if gone else []
    return Plan.of(reworks, f"supersede: {name} by {new.id}", said)
