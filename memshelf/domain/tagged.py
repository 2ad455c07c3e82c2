"""Tags with their episodes; spellings that differ by case or accent only are one tag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from .entry import Entry
from .text import fold


class Tag(NamedTuple):
    """A tag: the spelling that is used most, all its spellings, and its episodes in given order."""

    name: str
    spellings: tuple[str, ...]
    entries: tuple[Entry, ...]


def tagged(entries: Iterable[Entry]) -> list[Tag]:
    """The tags of some episodes, A to Z."""
    spelled: dict[str, Counter[str]] = {}
    found: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        for name in entry.tags:
            spelled.setdefault(fold(name), Counter())[name] += 1
            found.setdefault(fold(name), {})[entry.path] = entry
    return [
        Tag(
            min(names, key=lambda name: (-names[name], name)),
            tuple(sorted(names)),
            tuple(found[key].values()),
        )
        for key, names in sorted(spelled.items())
    ]
