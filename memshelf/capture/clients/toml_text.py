"""TOML configurations: tables put in and taken out of the text, every other byte kept.

The text is cut into statements (a header, or a key and its value), each with the path it speaks of.
A table is all statements below its path. Comments that stand on lines of their own stay.
"""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from .draft import GONE, Draft, OddConfig, Path

_BOM = "\ufeff"
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    + r"|'''.*?'{3,5}"
    + r'|"(?:\\.|[^"\\\n])*"'
    + r"|'[^'\n]*'|#[^\n]*|.",
    re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")


class _Statement(NamedTuple):
    """What the lines from `start` to `end` speak of; `header` for `[table]` and `[[table]]`."""

    start: int
    end: int
    path: Path
    header: bool


def read(text: str) -> dict[str, Any]:
    """What a configuration says. Raises OddConfig if it is not TOML."""
    try:
        return tomllib.loads(text.removeprefix(_BOM))
    except (tomllib.TOMLDecodeError, RecursionError) as trouble:
        raise OddConfig(f"It is not TOML ({trouble}).", "Mend it, then try again.") from None


def edited(text: str, draft: Draft) -> str:
    """The text with a draft's edits. Raises OddConfig where they do not come out as they should."""
    mark = _BOM if text.startswith(_BOM) else ""
    body = text.removeprefix(_BOM)
    newline = "\r\n" if "\r\n" in text else "\n"
    for edit in draft.edits:
        made = "" if edit.value is GONE else _rendered(edit.path, edit.value)
        body = _put(body, edit.path, made.replace("\n", newline), newline)
    try:
        right = tomllib.loads(body) == draft.data
    except tomllib.TOMLDecodeError:
        right = False
    if not right:
        raise OddConfig(
            "Its tables are written in a form that cannot be edited safely.",
            "Write them as [table] headers, or add the lines by hand.",
        )
    return mark + body


# --- statements ------------------------------------------------------------------------------


def _statements(text: str) -> list[_Statement]:
    found: list[_Statement] = []
    table: Path = ()
    places: dict[Path, int] = {}
    for start, end in _spans(text):
        source = text[start:end]
        if not source.lstrip().startswith("["):
            found.append(_Statement(start, end, table + _keys(tomllib.loads(source)), False))
            continue
        *parents, last = _keys(tomllib.loads(source))
        table = (*_resolved(parents, places), last)
        if source.lstrip().startswith("[["):
            places[table] = places.get(table, -1) + 1
            table = (*table, places[table])
        found.append(_Statement(start, end, table, True))
    return found


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each statement's lines begin and end; a statement ends with a line outside brackets."""
    depth, start, empty = 0, 0, True
    for token in _TOKEN.finditer(text):
        said = token.group()
        depth += (said in "[{") - (said in "]}")
        if said == "\n" and depth == 0:
            if not empty:
                yield start, token.end()
            start, empty = token.end(), True
        elif not said.isspace() and said[0] != "#":
            empty = False
    if not empty:
        yield start, len(text)


def _keys(data: Any) -> Path:
    """The keys of a statement by itself: down as long as there is one way only.

    >>> _keys(tomllib.loads("a.b = { c = 1, d = 2 }")), _keys(tomllib.loads("[[a.b]]"))
    (('a', 'b'), ('a', 'b'))
    """
    path: Path = ()
    while isinstance(data, dict) and len(data) == 1:
        key, data = next(iter(data.items()))
        path += (key,)
    return path


def _resolved(keys: list[Any], places: dict[Path, int]) -> Path:
    """Keys as a path: after a list of tables stands the number of its newest one."""
    path: Path = ()
    for key in keys:
        path += (key,)
        if path in places:
            path += (places[path],)
    return path


# --- putting in and taking out ---------------------------------------------------------------


def _put(text: str, path: Path, made: str, newline: str) -> str:
    """The table at a path replaced where it stands, else added at the end; "" takes it away."""
    statements = _statements(text)
    own = [n for n, found in enumerate(statements) if found.path[: len(path)] == path]
    together = all(second == first + 1 for first, second in pairwise(own))
    in_place = bool(own) and together and statements[own[0]].header
    for n in reversed(own):
        start, end = statements[n].start, statements[n].end
        if made and in_place and n == own[0]:
            text = text[:start] + made + text[end:]
        else:
            text = _without(text, start, end, newline)
    if in_place or not made:
        return text
    ended = text if text.endswith("\n") or not text else text + newline
    return ended + (newline + made if text else made)


def _without(text: str, start: int, end: int, newline: str) -> str:
    """Without these lines; of the blank lines before and after them one stays."""
    before, after = text[:start], text[end:]
    if before.endswith(newline * 2) and (not after or after.startswith(newline)):
        before = before.removesuffix(newline)
    return before + after


# --- writing ---------------------------------------------------------------------------------


def _rendered(path: Path, value: Mapping[str, Any]) -> str:
    """A table as TOML, its plain values first, then the tables below it.

    >>> print(_rendered(("a", "b c"), {"x": ["y"], "env": {"K": "v"}}), end="")
    [a."b c"]
    x = ["y"]
    <BLANKLINE>
    [a."b c".env]
    K = "v"
    """
    name = ".".join(_key(key) for key in path if isinstance(key, str))
    lines = [f"[[{name}]]" if isinstance(path[-1], int) else f"[{name}]"]
    below: list[str] = []
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            below.append(_rendered((*path, key), inner))
        elif isinstance(inner, list) and inner and isinstance(inner[0], Mapping):
            below += [_rendered((*path, key, n), item) for n, item in enumerate(inner)]
        else:
            lines.append(f"{_key(key)} = {_value(inner)}")
    return "\n".join(["\n".join(lines) + "\n", *below])


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return repr(value)
