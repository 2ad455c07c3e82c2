"""Bringing back an older state of an episode, or one that is gone, as a new commit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..domain.admit import Rejected, admit
from ..domain.changes import stem
from ..domain.choosing import visibility
from ..domain.entry import Entry, entry_of
from ..domain.episode import CATEGORIES, VISIBILITIES, Document, Episode, episode_of
from ..domain.errors import EpisodeNotFound, ShelfError
from ..domain.redact import redact
from ..domain.renaming import following, own
from ..domain.shelf import Shelf
from . import revision
from .amending import moved_addresses
from .repo import Repo, literal
from .revision import NoSuchRevision, Revision
from .reworking import Carried, Plan, Rework, carry_out
from .shelving import marked, messages, refuse_broken
from .standing import one_file
from .store import ROOTS, Store


class NotThen(ShelfError):
    """There was no such episode at that revision."""

    code = "not-there-then"


class Gone(NamedTuple):
    """An episode that was removed: where it lay, and the commit that removed it, from which day."""

    path: str
    commit: str
    day: str


class Restoring(NamedTuple):
    """What became of a request: which episode, as it was at which commit."""

    carried: Carried
    id: str
    commit: str


def restore(
    store: Store, name: str, rev: str, write: bool = True, commit: bool = True
) -> Restoring:
    """Bring back an episode as it was at a revision, under its name of today, in one commit.

    Secrets by the rules of today are masked, and what others say of it since, `superseded_by` and
    `reversed_by`, is kept. Raises NoSuchRevision and NotThen, and UncommittedEdit where the file
    holds an edit that is not committed.
    """
    if Repo.of(store.root) is None:
        said = "This shelf keeps no history, so there is no older state."
        raise NoSuchRevision(said, "Take the file from a backup.")
    seen: list[Revision] = []

    def make() -> Plan:
        then = revision.at(store.root, rev)
        seen.append(then)
        shelf = store.read(history=True)
        now = _now(store, shelf, name)
        today = "" if now else store.called_today(_stem(name))
        if today:
            said = f"{_stem(name)} is called {today} today."
            raise NotThen(said, f"restore {today} --rev {then.rev}")
        path = _then(then, shelf, name, now)
        return _plan(store, shelf, then, path, now)

    carried = carry_out(store, make, write, commit)
    return Restoring(carried, _stem(name), seen[-1].commit)


def removed(store: Store, name: str) -> Gone | None:
    """Where and when an episode that is not on the shelf was removed from it; None if never."""
    repo = Repo.of(store.root)
    if repo is None or not repo.commit_id() or "/" in name or "\0" in name:
        return None
    folders = [f"{root}/{one}" for root in ROOTS for one in {*CATEGORIES, *store.categories(root)}]
    paths = [literal(repo.where.full(f"{folder}/{_stem(name)}.md")) for folder in folders]
    words = ("log", "-1", "--diff-filter=D", "--no-renames", "--name-only", "-z")
    ran = repo.git(*words, "--no-show-signature", "--format=%H %as", "HEAD", "--", *paths)
    head, _, rest = ran.out.partition("\0")
    if not head.strip():
        return None
    commit, _, day = head.strip().partition(" ")
    return Gone(repo.where.short(rest.strip("\0\n").split("\0")[0]), commit, day)


def not_found(store: Store, name: str) -> EpisodeNotFound:
    """That there is no such episode; of one that was removed, how it comes back."""
    trouble = EpisodeNotFound(name, store.near(_stem(name)))
    gone = removed(store, name)
    if gone:
        trouble.message = f"{_stem(name)} was removed on {gone.day}, in {gone.commit[:12]}."
        trouble.fix = f"It comes back with: restore {_stem(name)} --rev {gone.commit[:12]}~1"
    return trouble


def _stem(name: str) -> str:
    return name.strip().removesuffix(".md")


def _now(store: Store, shelf: Shelf, name: str) -> str:
    """Where the episode is today, or an empty text. Raises NotOne."""
    try:
        return one_file(store, shelf, _stem(name))
    except EpisodeNotFound:
        return ""


def _then(then: Revision, shelf: Shelf, name: str, now: str) -> str:
    """Where the episode was at the revision, under whatever name."""
    known = _stem(name)
    names = [now, *(change.old_path for change in shelf.changes.of(now))] if now else []
    places = [*names, *(path for path in then.episodes() if stem(path) == known)]
    path = next((path for path in places if path and then.has(path)), "")
    if not path:
        said = f"At {then.rev!r} there was no episode {known!r}."
        raise NotThen(said, f"`memshelf log {known}` shows its commits, or name an older one.")
    return path


def _plan(store: Store, shelf: Shelf, then: Revision, path: str, now: str) -> Plan:
    text = then.text(path)
    refuse_broken(f"{path} at {then.rev!r}", text)
    target = _target(path, now)
    old = store.text(now) if now else None
    was = episode_of(Document.of(text), stem(path)).id
    today = next((entry.id for entry in shelf.entries if entry.path == now), was)
    if stem(path) != stem(target):
        text = own(text, {was, stem(path)}, today)
    text = _of_today(shelf, text, now)
    text, counts = redact(text, store.policy.rules)
    text, kept = _kept(shelf, today, text)
    made = episode_of(Document.of(text), stem(target))
    said = [*kept, *_broken(store, made)]
    if old is not None:
        before, after = entry_of(now, old), entry_of(target, text)
        said += [*_looser(shelf, before, after), *_readdressed(store, today, old, text)]
    rework = Rework(now or target, target, old, text)
    return Plan.of([rework], f"restore: {stem(target)} as of {then.commit[:12]}", said, counts)


def _of_today(shelf: Shelf, text: str, own_path: str) -> str:
    """The text with other episodes that were renamed since under their names of today."""
    there = {entry.path: entry.id for entry in shelf.entries if entry.path != own_path}
    for old, new in shelf.changes.moved.items():
        name = stem(old)
        if new in there and name in text and name not in shelf.by_id:
            text = following(text, {name}, there[new])
    return text


def _target(path: str, now: str) -> str:
    """Where the file belongs: in its folder of today; of another kind then, in that one's."""
    if not now:
        return path
    category = path.split("/")[-2]
    root, here, name = now.rsplit("/", 2)
    return now if category == here or category not in CATEGORIES else f"{root}/{category}/{name}"


def _kept(shelf: Shelf, name: str, text: str) -> tuple[str, list[str]]:
    """The text with what later episodes replace of it, and sentences about what that state lacked."""
    said = []
    for place, by in _replacing(shelf, name):
        after = marked(text, place, by)
        if after != text:
            what = f"decision {place}" if place else "it"
            said.append(f"That {by} replaces {what} is kept.")
        text = after
    return text, said


def _looser(shelf: Shelf, now: Entry, then: Entry) -> Iterator[str]:
    """What protects the episode today and did not at that time."""
    default = shelf.config.visibility
    today, past = visibility(now, default), visibility(then, default)
    if VISIBILITIES.index(past) > VISIBILITIES.index(today):
        fix = f"`memshelf edit {now.id} --visibility {today}` keeps that"
        yield f"It was {past} then, and is {today} today: {fix}."
    if now.retain_until and then.retain_until != now.retain_until:
        was = f"was {then.retain_until} then" if then.retain_until else "was not there then"
        fix = f"`memshelf edit {now.id} --retain-until {now.retain_until}` keeps today's"
        yield f"Its retain_until {was}: {fix}."


def _readdressed(store: Store, name: str, old: str, text: str) -> Iterator[str]:
    for address in moved_addresses(store, name, old, text):
        yield f"Another episode names {address}, which is not the same item in that state."


def _replacing(shelf: Shelf, name: str) -> Iterator[tuple[str, str]]:
    for entry in shelf.entries:
        for old in entry.supersedes:
            first, _, place = old.partition("/")
            if first == name and entry.id != name:
                yield place, entry.id


def _broken(store: Store, episode: Episode) -> Iterator[str]:
    """What today's rules find wrong in that state: told, and no reason to refuse."""
    try:
        admit(episode, store.policy)
    except Rejected as trouble:
        found = trouble.report.errors
        yield from (f"By today's rules: {said}" for said in messages(found))
