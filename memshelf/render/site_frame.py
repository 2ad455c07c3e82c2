"""What of a site stands while no episode shows another face: its lists, and what is around episodes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol


class Frame(NamedTuple):
    """The paths of the lists; of each episode, newest first, a name of all that its page shows of
    others, and the paths of those whose words it shows."""

    lists: Sequence[str]
    around: Sequence[str]
    quoted: Sequence[Sequence[str]]


class KeptFrame(Protocol):
    """Where the frame of a site is kept, by a key that names all that it is made of."""

    @property
    def key(self) -> str:
        """The key."""

    def text(self) -> str:
        """What is kept, "" for nothing."""

    def keep(self, text: str) -> None:
        """Keep a frame."""


class Kept(Protocol):
    """Where texts are kept by a name."""

    def some(self, keys: Sequence[str]) -> dict[str, str]:
        """What is kept under some names."""

    def keep(self, made: Iterable[tuple[str, str]], wanted: int) -> None:
        """Keep texts; so many are `wanted` in all."""


class Memory(NamedTuple):
    """What the last site of a shelf left: its frame, its pages, and the content of each episode by
    its path. `kind` tells sites for other readers apart, `version` names what made the pages."""

    frame: KeptFrame
    pages: Kept
    contents: Mapping[str, str]
    kind: str
    version: str
    wanted: int


class Portion:
    """Some pages by their paths, each with a key that names all that it is made of: those that the
    last site left under the same key, and those that are made now and left to the next."""

    def __init__(self, memory: Memory | None, keys: Mapping[str, str]) -> None:
        self._memory, self._keys = memory, keys
        self._there = self._kept(memory) if memory else {}
        self._made: list[tuple[str, str]] = []

    def _kept(self, memory: Memory) -> dict[str, str]:
        names = {f"{memory.kind} {path}": path for path in self._keys}
        found = {}
        for name, row in memory.pages.some(list(names)).items():
            key, _, text = row.partition("\0")
            if key == self._key(names[name]):
                found[names[name]] = text
        return found

    def _key(self, path: str) -> str:
        return f"{self._memory.version if self._memory else ''} {self._keys[path]}"

    @property
    def whole(self) -> bool:
        """Whether all of them are there."""
        return len(self._there) == len(self._keys)

    def text(self, path: str, make: Callable[[], str]) -> str:
        """A page as it was left, else as it is made now."""
        text = self._there.get(path)
        if text is None:
            text = make()
            if self._memory:
                self._made.append((f"{self._memory.kind} {path}", f"{self._key(path)}\0{text}"))
        return text

    def keep(self) -> None:
        """Leave what was made to the next site."""
        if self._memory and self._made:
            self._memory.pages.keep(self._made, self._memory.wanted)


def packed(frame: Frame) -> str:
    """A frame as one text."""
    return json.dumps(frame, ensure_ascii=False)


def unpacked(text: str) -> Frame | None:
    """The frame of such a text, None where there is none."""
    return Frame(*json.loads(text)) if text else None
