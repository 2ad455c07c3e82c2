"""JSON configurations: values put in and taken out of the text, every other byte kept."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from .draft import GONE, Draft, OddConfig, Path

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_BOM = "\ufeff"


def read(text: str) -> dict[str, Any]:
    """What a configuration says; an empty file says nothing. Raises OddConfig if it is not JSON."""
    try:
        data = json.loads(text.removeprefix(_BOM) or "{}") if text.strip() else {}
    except (json.JSONDecodeError, RecursionError) as trouble:
        where = f" (line {trouble.lineno})" if isinstance(trouble, json.JSONDecodeError) else ""
        raise OddConfig(
            f"It is not plain JSON{where}.", "Mend it, or take its comments out, then try again."
        ) from None
    if not isinstance(data, dict):
        raise OddConfig("It is JSON, but no object.", "Move it away, then try again.")
    return data


def edited(text: str, draft: Draft) -> str:
    """The text with a draft's edits. Raises OddConfig where they do not come out as they should."""
    mark = _BOM if text.startswith(_BOM) else ""
    body = text.removeprefix(_BOM)
    body = body if body.strip() else "{}\n"
    style = _style(body)
    for edit in draft.edits:
        body = _drop(body, edit.path) if edit.value is GONE else _put(body, edit, style)
    if json.loads(body) != draft.data:
        raise OddConfig("It names a key twice.", "Put that right, then try again.")
    return mark + body


class _Style(NamedTuple):
    """How a file is laid out: a level's indentation ("" for all on one line), and its newline."""

    unit: str
    newline: str
    colon: str

    def dump(self, value: Any, indent: str | None) -> str:
        """A value as text that begins in a line of this indentation; on one line for None."""
        if indent is None:
            comma = ", " if self.colon == ": " else ","
            return json.dumps(value, ensure_ascii=False, separators=(comma, self.colon))
        text = json.dumps(value, ensure_ascii=False, indent=self.unit)
        return text.replace("\n", self.newline + indent)


def _style(text: str) -> _Style:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = re.search(r'\n([ \t]+)"', text)
    colon = ":" if re.search(r'"\s*:\S', text) and not re.search(r'":\s', text) else ": "
    on_one_line = "\n" not in text.strip() and text.strip() not in ("{}", "{ }")
    return _Style("" if on_one_line else lines.group(1) if lines else "  ", newline, colon)


class _Member(NamedTuple):
    """A member of an object or an item of a list: where it begins, its value begins, and it ends."""

    key: str | int
    start: int
    value: int
    end: int


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _members(text: str, opening: int) -> tuple[list[_Member], int]:
    """The members of the object or list that opens at a place, and where its bracket closes."""
    members: list[_Member] = []
    at = _skip(text, opening + 1)
    while text[at] not in "}]":
        start = at
        key: str | int = len(members)
        if text[opening] == "{":
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        end = _DECODER.raw_decode(text, at)[1]
        members.append(_Member(key, start, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return members, at


def _put(text: str, edit: Any, style: _Style) -> str:
    path, value = edit
    opening = _skip(text, 0)
    for depth, key in enumerate(path):
        members, close = _members(text, opening)
        found = [member for member in members if member.key == key]
        if not found:
            for inner in reversed(path[depth + 1 :]):
                value = [value] if isinstance(inner, int) else {inner: value}
            return _insert(text, (opening, close), members, key, value, style)
        opening = found[-1].value
    inline = None if not style.unit else _indentation(text, opening)
    return text[:opening] + style.dump(value, inline) + text[found[-1].end :]


def _insert(
    text: str,
    ends: tuple[int, int],
    members: list[_Member],
    key: str | int,
    value: Any,
    style: _Style,
) -> str:
    """A member put in after the last one, laid out as the first one is."""
    opening, close = ends
    name = json.dumps(key, ensure_ascii=False) + style.colon if isinstance(key, str) else ""
    if members:
        lead, last = text[opening + 1 : members[0].start], members[-1].end
        inside = lead.rpartition("\n")[2] if "\n" in lead else None
        after = lead or (" " if style.colon == ": " else "")
        return text[:last] + "," + after + name + style.dump(value, inside) + text[last:]
    if not style.unit:
        return text[: opening + 1] + name + style.dump(value, None) + text[close:]
    outside = _indentation(text, opening)
    inside = outside + style.unit
    made = style.newline + inside + name + style.dump(value, inside) + style.newline + outside
    return text[: opening + 1] + made + text[close:]


def _indentation(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _drop(text: str, path: Path) -> str:
    inner = _skip(text, 0)
    for key in path:
        opening = inner
        members, close = _members(text, opening)
        place = max(n for n, member in enumerate(members) if member.key == key)
        inner = members[place].value
    if place:
        return text[: members[place - 1].end] + text[members[place].end :]
    if len(members) > 1:
        return text[: members[0].start] + text[members[1].start :]
    return text[: opening + 1] + text[close:]
