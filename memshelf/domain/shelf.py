"""Shelf: an immutable snapshot of all there is to know at one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from .changes import History
from .config import Config
from .entry import Entry
from .episode import Episode
from .finding import Finding, unread
from .policy import Policy


class Recall(NamedTuple):
    """One row of the recall log: which episode, which section, how many tokens, when (or "")."""

    episode_id: str
    section: str
    tokens: int
    date: str = ""


def _not_loaded(path: str) -> Episode:
    raise LookupError(f"this snapshot was made without a way to read {path}")


@dataclass(frozen=True)
class Shelf:
    """A shelf as renderers and reports get it: no clock, no disk, sorted as made.

    `entries` are all episodes, archived ones too, oldest first by (date, id). `load` gives the
    whole episode of an entry's path, so that bodies stay on disk until one is rendered. `files`
    are other texts of the shelf that renderers need, by path (archive/.docshelf.json, retros).
    `contents` are git's ids of the files that `load` reads, by path: what is made of one may be kept
    by it. Empty where `load` gives anything else than what stands in the file. `changes` are what
    git knows, filled only for renderers that need it (`store.read(history=True)`).
    """

    config: Config = field(default_factory=Config)
    entries: tuple[Entry, ...] = ()
    recalls: tuple[Recall, ...] = ()
    problems: tuple[Finding, ...] = ()
    load: Callable[[str], Episode] = field(default=_not_loaded, compare=False)
    files: dict[str, str] = field(default_factory=dict)
    rules: Callable[[], Policy] = field(default=Policy, compare=False)
    contents: Mapping[str, str] = field(default_factory=dict, compare=False)
    changes: History = field(default_factory=History)

    @classmethod
    def make(cls, entries: Iterable[Entry], **rest: object) -> Shelf:
        """A snapshot with its entries in order."""
        return cls(entries=tuple(sorted(entries, key=_order)), **rest)  # type: ignore[arg-type]

    @property
    def name(self) -> str:
        """The shelf's name."""
        return self.config.name

    @property
    def unread(self) -> tuple[str, ...]:
        """What could not be read, as `path: why`."""
        return unread(self.problems)

    @cached_property
    def policy(self) -> Policy:
        """The shelf's own rules, read when they are first asked for: few verbs need them."""
        return self.rules()

    @cached_property
    def live(self) -> tuple[Entry, ...]:
        """The episodes that INDEX.md lists."""
        return tuple(entry for entry in self.entries if not entry.archived)

    @cached_property
    def archived(self) -> tuple[Entry, ...]:
        """The episodes behind a rollup."""
        return tuple(entry for entry in self.entries if entry.archived)

    @cached_property
    def by_id(self) -> dict[str, Entry]:
        """Episodes by id; of two with one id the live one, then the first path, counts."""
        out: dict[str, Entry] = {}
        for entry in sorted(self.entries, key=lambda e: (e.archived, e.path)):
            out.setdefault(entry.id, entry)
        return out

    def current_first(self, entries: Iterable[Entry]) -> list[Entry]:
        """Entries in the order given, but what was replaced after all others."""
        return sorted(entries, key=lambda entry: entry.id in self.superseded)

    @cached_property
    def superseded(self) -> dict[str, tuple[str, ...]]:
        """Ids that a later episode replaces, each with the ids that do.

        Read from both sides, `supersedes` of the new and `superseded_by` of the old; an address
        of one decision (`ID/d1`) replaces no episode.
        """
        pairs = [(old, new.id) for new in self.entries for old in new.supersedes if "/" not in old]
        pairs += [(old.id, new) for old in self.entries for new in old.superseded_by]
        out: dict[str, tuple[str, ...]] = {}
        for old, new in pairs:
            if old != new and new not in out.get(old, ()):
                out[old] = (*out.get(old, ()), new)
        return out

    @cached_property
    def duplicates(self) -> dict[str, tuple[str, ...]]:
        """Ids that more than one file claims, each with the paths."""
        counts = Counter(entry.id for entry in self.entries)
        out: dict[str, list[str]] = {}
        for entry in self.entries:
            if counts[entry.id] > 1:
                out.setdefault(entry.id, []).append(entry.path)
        return {name: tuple(paths) for name, paths in out.items()}

    @cached_property
    def as_of(self) -> str:
        """The newest date on the shelf, `YYYY-MM-DD` or empty: what stands for a clock."""
        return next((entry.ledger_date for entry in reversed(self.entries) if entry.day), "")


def _order(entry: Entry) -> tuple[str, str, str]:
    return (*entry.order, entry.path)
