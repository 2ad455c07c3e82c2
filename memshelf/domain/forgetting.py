"""What still names an episode that is to be forgotten, and how it is taken out of a history."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from .dates import parse
from .entry import Entry
from .rolling import SECTION, is_rollup, listed
from .shelf import Shelf


class Naming(NamedTuple):
    """An episode that names a forgotten one, and where: sections, or keys of its front matter."""

    id: str
    path: str
    places: tuple[str, ...]


def naming(
    shelf: Shelf,
    gone: Collection[str],
    paths: Collection[str],
    keys: Mapping[str, tuple[str, ...]],
) -> tuple[Naming, ...]:
    """The episodes that name one of some ids, those at `paths` apart, oldest first.

    `keys` are those of the front matter that do, by path.
    """
    wanted = frozenset(gone)
    found = (
        (entry, (*keys.get(entry.path, ()), *_places(shelf, entry, wanted)))
        for entry in shelf.entries
        if entry.path not in paths
    )
    return tuple(
        Naming(entry.id, entry.path, tuple(dict.fromkeys(places)))
        for entry, places in found
        if places
    )


def _places(shelf: Shelf, entry: Entry, gone: frozenset[str]) -> Iterator[str]:
    sections = dict.fromkeys(section for name, section in entry.mentions if name in gone)
    rollup = is_rollup(shelf, entry)
    if rollup and SECTION not in sections and gone & set(listed(shelf, entry)):
        sections[SECTION] = None  # an id without a date is named only there
    if rollup and entry.keywords and SECTION in sections:
        yield "keywords"  # of which some may be its own words
    yield from (section or "above the first heading" for section in sections)


class Expired(NamedTuple):
    """Episodes past the last day that they are to be kept, and sentences about those that name no
    day of the calendar."""

    entries: tuple[Entry, ...]
    unclear: tuple[str, ...]


def expired(shelf: Shelf, today: date) -> Expired:
    """What is past its `retain_until`: on that day itself it is kept still."""
    given = [(entry, parse(entry.retain_until)) for entry in shelf.entries if entry.retain_until]
    unclear = tuple(
        f"{entry.path} is to be kept until {json.dumps(entry.retain_until, ensure_ascii=False)}, "
        "which is no date YYYY-MM-DD: it stays."
        for entry, last in given
        if last is None
    )
    return Expired(tuple(entry for entry, last in given if last and last < today), unclear)


class Place(NamedTuple):
    """A repository as the steps name it: its folder, the shelf in it ("" is the top), a remote."""

    folder: str
    shelf: str = ""
    remote: str = ""


def steps(
    place: Place, names: Sequence[str], paths: Iterable[str], derived: Iterable[str]
) -> tuple[str, ...]:
    """The command lines that take files out of every commit, in a fresh clone, and publish that.

    All paths count from the top of the repository. Derived files quoted titles and descriptions:
    their past goes too, and `rebuild` renders them.
    """
    clone = f"{place.folder.rstrip('/')}-without"
    options = " ".join(f"--path {shlex.quote(path)}" for path in (*paths, *derived))
    message = "return message" + "".join(
        f".replace({_bytes(name)}, b'(forgotten)')" for name in names
    )
    quoted = shlex.quote(clone)
    at = shlex.quote(f"{clone}/{place.shelf}".rstrip("/"))
    out = [
        f"git clone --no-local {shlex.quote(place.folder)} {quoted}",
        f"git -C {quoted} filter-repo --invert-paths {options} "
        f"--message-callback {shlex.quote(message)}",
        f"memshelf rebuild --shelf {at} --commit",
    ]
    if place.remote:
        url = f'"$(git -C {shlex.quote(place.folder)} remote get-url {shlex.quote(place.remote)})"'
        out += [f"git -C {quoted} push --force --{what} {url}" for what in ("all", "tags")]
    return tuple(out)


def _bytes(text: str) -> str:
    """A text as Python spells its bytes."""
    return repr(text.encode("utf-8"))


AFTERWARDS = (
    "Every other clone, fork, backup and published site holds it until it is replaced, "
    "and a host may keep old commits until it is asked to drop them.",
    "A secret that was published is known: revoke it.",
)
"""What no command line can do."""
