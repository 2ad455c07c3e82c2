"""Which episodes an output holds: cut first to what its readers may see, then chosen from that.

What the readers may not see leaves no trace: the snapshot that is rendered was made as if the
hidden episodes were not on the shelf. What is merely not chosen (another quarter, another tag)
still counts: a thread that it closed is closed, an episode that it replaced is replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from .changes import UNKNOWN, Readers
from .dates import quarter
from .entry import Entry
from .episode import VISIBILITIES, Episode
from .errors import EpisodeNotFound, ShelfError, UsageError
from .hiding import Hidden
from .near import hint, near, near_ids
from .patterns import lazy
from .shelf import Shelf
from .tags import tag_key
from .text import fold, plural

_QUARTER = lazy(r"(?:FY)?\d{4}(?:Q[1-4])?")
VISIBILITY, QUARTER, TAG, KIND, ID = "visibility", "quarter", "tag", "kind", "id"
REASONS = (VISIBILITY, QUARTER, TAG, KIND, ID)
"""Why an episode is left out; of several reasons the first one counts."""


@dataclass(frozen=True)
class Choice:
    """What was asked for: of each kind one of the values must hold, empty ones allow everything.

    Quarters are written `2026Q3` or `FY2027Q1`; tags in any case and with or without accents.
    """

    quarters: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    visibilities: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    @classmethod
    def make(
        cls,
        quarters: Sequence[str] = (),
        tags: Sequence[str] = (),
        kinds: Sequence[str] = (),
        visibilities: Sequence[str] = (),
        ids: Sequence[str] = (),
    ) -> Choice:
        """The choice of words as they are typed. Raises UsageError for one that means nothing."""
        return cls(
            tuple(map(_quarter, quarters)),
            tuple(tags),
            tuple(kinds),
            tuple(map(_visibility, visibilities)),
            tuple(name.removesuffix(".md") for name in ids),
        )

    def __bool__(self) -> bool:
        return any((self.quarters, self.tags, self.kinds, self.visibilities, self.ids))

    @property
    def flags(self) -> list[str]:
        """The choice as words of a command line: `--quarter 2026Q1 --tag auth`."""
        parts = (
            ("--visibility", self.visibilities),
            ("--quarter", self.quarters),
            ("--tag", self.tags),
            ("--kind", self.kinds),
            ("--id", self.ids),
        )
        return [word for flag, values in parts for value in values for word in (flag, value)]

    def __str__(self) -> str:
        """The choice in words, empty where nothing was chosen: `2026Q1, tagged auth or jwt`."""
        parts = (
            (self.visibilities, ""),
            (self.quarters, ""),
            (self.tags, "tagged "),
            (self.kinds, "of kind "),
            (self.ids, ""),
        )
        return ", ".join(head + " or ".join(values) for values, head in parts if values)


def _quarter(text: str) -> str:
    label = text.strip().upper().replace("-", "")
    if not _QUARTER.fullmatch(label):
        said = "Write 2026Q3 or FY2027Q1, or 2026 or FY2027 for a year."
        raise UsageError(f"{text!r} is no quarter.", said)
    return label


def _visibility(text: str) -> str:
    if text not in VISIBILITIES:
        raise UsageError(f"{text!r} is no visibility.", f"One of: {', '.join(VISIBILITIES)}.")
    return text


class LeftOut(NamedTuple):
    """An episode of the shelf that is not in an output, and why (one of REASONS)."""

    path: str
    id: str
    reason: str


class Chosen(NamedTuple):
    """`shelf` is all that the readers may see, `inside` the episodes of it that were chosen, newest
    first; `left_out` is for the one who exports, newest first, and names hidden ones too."""

    choice: Choice
    shelf: Shelf
    inside: tuple[Entry, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def told(self) -> Choice:
        """The choice as the readers may know it: no levels, and no id, tag or kind that only hidden
        episodes have."""
        entries = self.shelf.entries
        ids, kinds = names_of(entries), {fold(entry.kind) for entry in entries}
        tags = {tag_key(tag) for entry in entries for tag in entry.tags}
        return replace(
            self.choice,
            visibilities=(),
            ids=tuple(name for name in self.choice.ids if name in ids),
            tags=tuple(name for name in self.choice.tags if tag_key(name) in tags),
            kinds=tuple(name for name in self.choice.kinds if fold(name) in kinds),
        )

    @property
    def visible_left_out(self) -> tuple[LeftOut, ...]:
        """What the readers may be told: all but the hidden ones."""
        return tuple(one for one in self.left_out if one.reason != VISIBILITY)

    @property
    def counts(self) -> dict[str, int]:
        """How many episodes were left out for each reason that there was."""
        found = Counter(one.reason for one in self.left_out)
        return {reason: found[reason] for reason in REASONS if reason in found}

    def required(self) -> Chosen:
        """Itself; raises ShelfError where the shelf has episodes and none of them was chosen."""
        total = len(self.inside) + len(self.left_out)
        if self.inside or not total:
            return self
        said = f"None of {plural(total, 'episode')} is chosen ({self.choice})."
        raise ShelfError(said, _way_out(self), "nothing-chosen")


def _way_out(chosen: Chosen) -> str:
    hidden = chosen.counts.get(VISIBILITY, 0)
    if hidden:
        levels = " or ".join(chosen.choice.visibilities)
        return f"{hidden:,} of them are not {levels}: `visibility:` in an episode says who may read it."
    return "Leave out one of the conditions."


def visibility(entry: Entry, default: str) -> str:
    """Who may read an episode: what it says, else the shelf's default; a word that is none counts
    as private, and so does front matter that cannot be read: nobody knows what it says of it."""
    if any(one.level == "error" and one.code not in _OTHER_ERRORS for one in entry.findings):
        return VISIBILITIES[0]
    said = entry.visibility or default
    return said if said in VISIBILITIES else VISIBILITIES[0]


_OTHER_ERRORS = ("merge-conflict", "no-frontmatter")
"""Errors of a file beside those of its front matter."""


def chosen(shelf: Shelf, choice: Choice) -> Chosen:
    """The episodes of a shelf that a choice means, archived ones included.

    Raises EpisodeNotFound, with near names, for an id that is not on the shelf, and ShelfError for
    a tag or a kind that no episode has.
    """
    _known(shelf, choice)
    visible = seen_by(shelf, choice.visibilities)
    wanted = [(_reason(entry, choice, shelf), entry) for entry in visible.entries[::-1]]
    kept = {entry.path for entry in visible.entries}
    hidden = ((VISIBILITY, entry) for entry in shelf.entries if entry.path not in kept)
    out = [(entry.order, entry.path, why) for why, entry in (*wanted, *hidden) if why]
    return Chosen(
        choice,
        visible,
        tuple(entry for why, entry in wanted if not why),
        tuple(LeftOut(path, order[1], why) for order, path, why in sorted(out, reverse=True)),
    )


def _reason(entry: Entry, choice: Choice, shelf: Shelf) -> str:
    """Why an episode is not among those that were chosen, empty where it is."""
    if choice.quarters and not _labels(entry, shelf) & set(choice.quarters):
        return QUARTER
    if choice.tags and not {*map(tag_key, entry.tags)} & {*map(tag_key, choice.tags)}:
        return TAG
    if choice.kinds and fold(entry.kind) not in map(fold, choice.kinds):
        return KIND
    return "" if not choice.ids or {entry.id, entry.stem} & set(choice.ids) else ID


def _labels(entry: Entry, shelf: Shelf) -> set[str]:
    """The names of an episode's quarter and year, by the shelf's own year and by the calendar's."""
    day = entry.day
    labels = {quarter(day, shelf.config.fiscal_year_start), quarter(day)} if day else set()
    return labels | {label[:-2] for label in labels}


def _known(shelf: Shelf, choice: Choice) -> None:
    """Raise for what is nowhere on the shelf: a slip of the hand, not a choice."""
    ids = names_of(shelf.entries)
    for name in choice.ids:
        if name not in ids:
            raise EpisodeNotFound(name, near_ids(name, sorted(ids)))
    _among("tag", choice.tags, (tag for entry in shelf.entries for tag in entry.tags))
    _among("kind", choice.kinds, (entry.kind for entry in shelf.entries if entry.kind))


def _among(noun: str, asked: Iterable[str], there: Iterable[str]) -> None:
    if not asked:
        return
    known = {fold(name): name for name in sorted(there, reverse=True)}
    for name in asked:
        if fold(name) not in known:
            alike = [known[one] for one in near(fold(name), sorted(known))]
            said = f"No episode has the {noun} {name!r}."
            raise ShelfError(said, hint(alike, "Leave it out to get all."), f"{noun}-not-found")


def seen_by(shelf: Shelf, visibilities: Sequence[str]) -> Shelf:
    """The shelf as it would be if it held only episodes of these visibilities; all, where none.

    Ids of hidden episodes in the texts of the others read "(private episode)". A file that cannot
    be read may be private, and so may a text of a period (`retros/`) on a private shelf: they stay
    only where private episodes do, or where that is what the shelf is by default.
    """
    levels = set(visibilities or VISIBILITIES)
    if levels >= set(VISIBILITIES):
        return shelf
    default = shelf.config.visibility
    return visible_where(
        shelf,
        lambda entry: visibility(entry, default) in levels,
        levels,
        problems=VISIBILITIES[0] in levels,
    )


def names_of(entries: Iterable[Entry]) -> set[str]:
    """The names under which episodes are known: their ids, and those of their files."""
    return {name for entry in entries for name in (entry.id, entry.stem)}


def visible_where(
    shelf: Shelf, shows: Callable[[Entry], bool], levels: Set[str], problems: bool
) -> Shelf:
    """The shelf as it would be if it held only the episodes that are shown, of some visibilities.

    With `problems` what is said of unreadable files stays; texts of periods stay where the shelf is
    one of these visibilities by default.
    """
    shown = [entry for entry in shelf.entries if shows(entry)]
    paths, there = {entry.path for entry in shown}, names_of(shown)
    hidden = Hidden(names_of(one for one in shelf.entries if one.path not in paths), there)

    def load(path: str) -> Episode:
        if path not in paths:
            raise LookupError(f"this snapshot holds no {path}")
        return hidden.episode(shelf.load(path))

    texts = shelf.files.items() if shelf.config.visibility in levels else ()
    entries = tuple(map(hidden.entry, shown))
    return replace(
        shelf,
        entries=entries,
        recalls=tuple(row for row in shelf.recalls if row.episode_id in there),
        problems=shelf.problems if problems else (),
        load=load,
        contents={} if hidden.ids else shelf.contents,
        files={path: hidden.text(text) for path, text in texts},
        changes=shelf.changes.seen_by(_readers(shelf, entries, hidden, levels)),
    )


def _readers(shelf: Shelf, shown: Sequence[Entry], hidden: Hidden, levels: Set[str]) -> Readers:
    """Who may see these episodes: of an earlier version what they might have read then, by the rule
    of today; of a removed one only what it said itself."""
    by_path = {entry.path: entry for entry in shown}
    default = shelf.config.visibility

    def may_read(said: str) -> bool:
        level = said or default
        return said != UNKNOWN and (level if level in VISIBILITIES else VISIBILITIES[0]) in levels

    return Readers(
        sections=lambda path: (name for name, _ in by_path[path].sections),
        paths=frozenset(by_path),
        hides=hidden.named,
        may_read=may_read,
        may_count=lambda said: said in VISIBILITIES and said in levels,
        text=hidden.text,
    )
