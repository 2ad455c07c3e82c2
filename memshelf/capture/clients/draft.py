"""A configuration while it is being changed: the data, and the edits that lead there.

The edits are what the writers of JSON and TOML apply to the text; the data is what they must come
out at. So a layout that a writer does not master is noticed, and refused instead of spoiled.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final, NamedTuple

from ...domain.errors import ShelfError

Path = tuple[str | int, ...]
GONE: Final = object()
"""The value of an edit that takes something away."""


class OddConfig(ShelfError):
    """A configuration that is not laid out as its program lays it out; it is left as it is."""

    code = "odd-config"


class Edit(NamedTuple):
    """A value that is to stand at a path, or GONE. A number in a path is a place in a list."""

    path: Path
    value: Any


class Draft:
    """What a configuration says, and every change made to it since it was read."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data: Any = copy.deepcopy(dict(data))
        self.edits: list[Edit] = []

    def at(self, path: Path) -> Any:
        """What stands at a path; None where nothing does."""
        found = self.data
        for key in path:
            if isinstance(key, int) and isinstance(found, list):
                found = found[key] if key < len(found) else None
            elif isinstance(found, Mapping):
                found = found.get(key)
            else:
                return None
        return found

    def mapping(self, path: Path) -> Mapping[str, Any]:
        """The table at a path, empty where there is none. Raises OddConfig for anything else."""
        return self._of_kind(path, Mapping, {})  # type: ignore[no-any-return]

    def items(self, path: Path) -> list[Any]:
        """The list at a path, empty where there is none. Raises OddConfig for anything else."""
        return self._of_kind(path, list, [])  # type: ignore[no-any-return]

    def _of_kind(self, path: Path, kind: Any, empty: Any) -> Any:
        found = self.at(path)
        if found is not None and not isinstance(found, kind):
            name = ".".join(map(str, path))
            wanted = "list" if kind is list else "table"
            raise OddConfig(f"`{name}` is no {wanted}.", "Put it right, then run this again.")
        return empty if found is None else found

    def put(self, path: Path, value: Any) -> None:
        """Let a value stand at a path; the place after the end of a list appends to it."""
        if self.at(path) == value:
            return
        self.edits.append(Edit(path, value))
        parent = self._parent(path)
        if isinstance(parent, list) and path[-1] == len(parent):
            parent.append(copy.deepcopy(value))
        else:
            parent[path[-1]] = copy.deepcopy(value)

    def _parent(self, path: Path) -> Any:
        """The container of a path's last key, made where it is missing."""
        found = self.data
        for key, inner in pairwise(path):
            if isinstance(found, Mapping) and key not in found:
                found[key] = [] if isinstance(inner, int) else {}  # type: ignore[index]
            found = found[key]
        return found

    def drop(self, path: Path) -> None:
        """Take away what stands at a path, if anything does."""
        if self.at(path) is not None:
            self.edits.append(Edit(path, GONE))
            del self.at(path[:-1])[path[-1]]

    def tidy(self, *paths: Path) -> None:
        """Take away the tables and lists among these that were left empty."""
        for path in paths:
            if path and self.at(path) in ([], {}):
                self.drop(path)
