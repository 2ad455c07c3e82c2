"""What a shelf says under [sync], and which episodes two sides have both shelved."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from .config import SETTINGS, SYNC_KEYS
from .errors import ShelfUnusable


class Syncing(NamedTuple):
    """When a write asks the remote, unless its flags say otherwise.

    `autopush` pushes after each write, and `before_write` fetches before each `shelve`.
    """

    autopush: bool = False
    before_write: bool = False

    @classmethod
    def of(cls, tables: Mapping[str, Any]) -> Syncing:
        """What the table [sync] says. Raises ShelfUnusable naming the line to change."""
        table = tables.get("sync", {})
        if not isinstance(table, dict):
            raise ShelfUnusable(f"{SETTINGS} has a `sync` that is no table.", "Write [sync].")
        known = {key: table[key] for key in SYNC_KEYS if key in table}
        for key, value in known.items():
            if not isinstance(value, bool):
                said = f"{SETTINGS} says sync.{key} = {value!r}."
                raise ShelfUnusable(said, "Write true or false.")
        return cls(**known)


def added(changes: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """The new episodes among changed files, by what makes ids the same: path and content.

    `changes` maps a path to what it held before and holds now, "" for no file. A file that moved is
    not new. Ids are the same whatever their letters' case and composition, as disks see them.

    >>> added({"docs/topics/A.md": ("", "1f"), "docs/topics/b.md": ("2e", "")})
    {'a': ('docs/topics/A.md', '1f')}
    """
    gone = {same_id(path) for path, (old, new) in changes.items() if old and not new}
    return {
        same_id(path): (path, new)
        for path, (old, new) in changes.items()
        if new and not old and path.endswith(".md") and same_id(path) not in gone
    }


def same_id(path: str) -> str:
    """What two paths of one id have in common."""
    return unicodedata.normalize("NFC", path.rpartition("/")[2].removesuffix(".md")).casefold()
