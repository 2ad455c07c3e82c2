"""Changing front matter key by key: every byte that was not named stays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .errors import BadField
from .frontmatter import Front, read


def splice(text: str, changes: Mapping[str, str | None], order: tuple[str, ...]) -> str:
    """The text with some keys' lines replaced (None removes), every other byte as it was.

    A key that is new goes before the first key that follows it in `order`, else at the end.
    """
    before = read(text)
    for key, written in changes.items():
        front = read(text)
        newline = "\r\n" if text[: front.start].endswith("\r\n") else "\n"
        line = "" if written is None else f"{key}: {written}{newline}"
        begin, end = _place(text, front, key, order)
        text = text[:begin] + line + text[end:]
        while written is None and _place(text, read(text), key, ()) != _end(text):
            begin, end = _place(text, read(text), key, ())  # a duplicate, which would count now
            text = text[:begin] + text[end:]
    _prove(before, read(text), changes)
    return text


def _end(text: str) -> tuple[int, int]:
    front = read(text)
    return front.end, front.end


def _prove(before: Front, after: Front, changes: Mapping[str, str | None]) -> None:
    """Raise BadField where a change reached further than the keys that it names."""
    kept = {key: value for key, value in before.values.items() if key not in changes}
    left = {key: value for key, value in after.values.items() if key not in changes}
    made = {key for key, written in changes.items() if written is not None}
    if kept != left or {key for key in after.values if key in changes} != made:
        said = "it is written in a form that cannot be changed key by key."
        raise BadField("front matter", said, "Write each value on one line, `key: value`.")


def _place(text: str, front: Front, key: str, order: tuple[str, ...]) -> tuple[int, int]:
    spans = list(key_spans(text, front))
    for name, begin, end in reversed(spans):  # of a duplicate the last counts
        if name == key:
            return begin, end
    later = order[order.index(key) + 1 :] if key in order else ()
    for name, begin, _ in spans:
        if name in later:
            return begin, begin
    return front.end, front.end


def key_spans(text: str, front: Front) -> Iterator[tuple[str, int, int]]:
    """Each top-level key with the lines that its value takes; comments between keys belong to none."""
    open_key: tuple[str, int, int] | None = None
    at = front.start
    while at < front.end:
        end = text.index("\n", at) + 1
        line = text[at:end].rstrip("\r\n")
        found = re.match(
            r"(\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s#\-\[{][^:]*?)[ \t]*:(?=[ \t]|$)", line
        )
        if found:
            if open_key:
                yield open_key
            open_key = (found.group(1).strip("\"'"), at, end)
        elif open_key and line.strip() and line[:1] in " \t-":
            open_key = (open_key[0], open_key[1], end)
        at = end
    if open_key:
        yield open_key
