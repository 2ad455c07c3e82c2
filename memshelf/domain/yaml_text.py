"""A YAML mapping in which every scalar stays the text that was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .finding import Finding
from .text import joined

Value = str | tuple[Any, ...] | dict[str, Any]

_DEPTH = 20


class Refused(Exception):
    """YAML that is understood and not read: anchors, aliases, depths that no shelf has."""

    start_mark: Any = None


class Composer:
    """Builds the mapping out of YAML events, so that every scalar stays the text it was."""

    def __init__(self, block: str) -> None:
        import yaml

        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        self._events: Iterator[Any] = iter(yaml.parse(block, Loader=loader))
        self._findings: list[Finding] = []

    def mapping(self) -> tuple[dict[str, Value], tuple[Finding, ...]]:
        """The mapping, and findings about keys that stand twice.

        Raises Refused, ValueError where the text is another thing than one mapping, YAMLError.
        """
        root = self._root()
        if isinstance(root, dict):
            return root, tuple(self._findings)
        if root in ("", None):
            return {}, tuple(self._findings)
        raise ValueError("not a mapping")

    def _root(self) -> Value | None:
        name = ""
        for event in self._events:
            name = type(event).__name__
            if name not in ("StreamStartEvent", "DocumentStartEvent", "StreamEndEvent"):
                value = self._value(event, 0)
                rest = [type(e).__name__ for e in self._events]
                if rest != ["DocumentEndEvent", "StreamEndEvent"]:
                    raise ValueError("more than one document")
                return value
        return None

    def _value(self, event: Any, depth: int) -> Value:
        kind = type(event).__name__
        if kind == "AliasEvent" or getattr(event, "anchor", None) is not None or depth > _DEPTH:
            refused = Refused("Anchors, aliases and deep nesting are not read")
            refused.start_mark = event.start_mark
            raise refused
        if kind == "ScalarEvent":
            return joined(event.value)
        if kind == "SequenceStartEvent":
            return tuple(self._until("SequenceEndEvent", depth))
        pairs = list(self._until("MappingEndEvent", depth))
        return self._fill(pairs[::2], pairs[1::2])

    def _until(self, stop: str, depth: int) -> Iterator[Value]:
        for event in self._events:
            if type(event).__name__ == stop:
                return
            yield self._value(event, depth + 1)

    def _fill(self, keys: list[Value], values: list[Value]) -> dict[str, Value]:
        out: dict[str, Value] = {}
        for key, value in zip(keys, values, strict=True):
            if not isinstance(key, str):
                raise ValueError("a key that is not text")
            if key in out:
                said = f"The key {key!r} stands twice; the last one counts."
                fix = "Remove one of the two lines."
                self._findings.append(Finding("warning", "duplicate-key", said, fix=fix))
            out[key] = value
        return out
