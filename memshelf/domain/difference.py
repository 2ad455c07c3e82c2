"""In which sections two versions of an episode differ, and what the later one closes and replaces."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from .changes import FRONT, UNKNOWN
from .entry import names_of
from .episode import REVERSED, Document, known_fields
from .items import items

T = TypeVar("T")
_LINKS = ("closes", "supersedes", "superseded_by", REVERSED)
_APART = (*_LINKS, "approx_tokens", "approx_tokens_source", "op")
"""Keys that are told as what they mean, and those that every write sets anew: none of them counts
as a change of the front matter."""


class Version(NamedTuple):
    """What is compared of one version of an episode: a hash of each section's text by its address,
    and one of the rest; what it closes, the threads that are ticked off in it, what it replaces,
    what replaces it, and what it says of who may read it."""

    id: str
    front: str
    sections: dict[str, str]
    closes: tuple[str, ...]
    ticked: tuple[tuple[str, str], ...]
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]
    visibility: str


class Difference(NamedTuple):
    """How a version differs from those before it; see `changes.Change`. `supersedes` are the ids and
    addresses that it was the first version to replace."""

    sections: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    before: str = UNKNOWN

    @property
    def visible(self) -> bool:
        """False where a reader could see no difference: other line ends, another order of keys."""
        return any(self[:4])


def version(text: str, stem: str) -> Version:
    """What is compared of a file's text."""
    document = Document.of(text)
    known = known_fields(document.front, stem)
    bodies = [section.body(text) for section in document.sections]
    rest = [pair for pair in document.front.values.items() if pair[0] not in _APART]
    threads = items(document.body("Open threads") or "")
    return Version(
        known["id"],
        _hash(repr((document.front.heading, rest, document.preamble))),
        dict(zip(document.names, map(_hash, bodies), strict=True)),
        tuple(dict.fromkeys((*known.get("closes", ()), *names_of(document).closing))),
        tuple((f"{known['id']}/t{n}", one.text) for n, one in enumerate(threads, 1) if one.ticked),
        known.get("supersedes", ()),
        known.get("superseded_by", ()),
        known.get("visibility", ""),
    )


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()


def difference(olds: Sequence[Version], new: Version | None) -> Difference:
    """How a version differs from all versions that it was made from: of a merge, what none of its
    sides had. Without any it is the first one, without a `new` one the episode was removed."""
    before = olds[0].visibility if olds else UNKNOWN
    if new is None:
        return Difference(before=before)
    done = {text for old in olds for _, text in old.ticked}
    ticked = [name for name, text in new.ticked if olds and text not in done]
    return Difference(
        _sections(olds, new) if olds else (),
        (*_gained([old.closes for old in olds], new.closes), *ticked),
        _gained([old.supersedes for old in olds], new.supersedes),
        _gained([old.superseded_by for old in olds], new.superseded_by),
        before,
    )


def _sections(olds: Sequence[Version], new: Version) -> tuple[str, ...]:
    """The addresses of what is new or other than before, then of what is gone."""
    front = [] if any(old.front == new.front for old in olds) else [FRONT]
    there = [
        name
        for name, body in new.sections.items()
        if all(old.sections.get(name) != body for old in olds)
    ]
    gone = [
        name
        for name in olds[0].sections
        if name not in new.sections and all(name in old.sections for old in olds)
    ]
    return (*front, *there, *gone)


def _gained(before: Sequence[tuple[T, ...]], now: tuple[T, ...]) -> tuple[T, ...]:
    had = {one for some in before for one in some}
    return tuple(one for one in now if one not in had)
