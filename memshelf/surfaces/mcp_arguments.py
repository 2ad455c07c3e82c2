"""What a host sent, as the arguments of a verb: old shapes taken, anything else refused by name."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..domain.errors import ShelfError
from ..domain.paging import is_cursor
from ..verb import Param, Verb
from .mcp_schema import wire_name

SHELF = "shelf_path"
CURSOR = "cursor"
UNSEEN = ("log", "commit", "sync")
"""Parameters that no schema offers and that are taken all the same: hosts know them of old."""

_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


class Request(NamedTuple):
    """A call as it was understood: the verb, its arguments, the shelf named in it, the part asked for."""

    verb: Verb
    arguments: dict[str, Any]
    shelf: str | None
    cursor: str


class BadArgument(ShelfError):
    """An argument that a tool cannot take. The value is never repeated: it may be anything."""

    code = "bad-argument"


def read(verb: Verb, given: Mapping[str, Any]) -> Request:
    """The request of a call. Raises BadArgument naming the field and what it takes."""
    named = {name: value for name, value in _unwrapped(verb, given).items() if value is not None}
    shelf = _text(SHELF, named.pop(SHELF)) if SHELF in named else None
    own_cursor = any(param.name == CURSOR for param in verb.params)
    takes = not verb.writes and CURSOR in named and (not own_cursor or is_cursor(named[CURSOR]))
    cursor = _text(CURSOR, named.pop(CURSOR)) if takes else ""
    arguments = _arguments(verb, named)
    if cursor and any(param.name == "log" for param in verb.params):
        arguments["log"] = False  # reading on is no second recall
    return Request(verb, arguments, shelf, cursor)


def _unwrapped(verb: Verb, given: Mapping[str, Any]) -> dict[str, Any]:
    """Some hosts send everything under `params`; what stands beside it counts less."""
    inner = given.get("params")
    if inner is None or any(wire_name(param) == "params" for param in verb.params):
        return dict(given)
    beside = {name: value for name, value in given.items() if name != "params"}
    return beside | dict(_decoded("params", inner, dict, "an object"))


def _arguments(verb: Verb, named: Mapping[str, Any]) -> dict[str, Any]:
    names = _names(verb)
    out: dict[str, Any] = {}
    for name, value in named.items():
        param = names.get(name)
        if param is None:
            raise _unknown(verb, name)
        taken = _taken(param, name, value)
        if out.get(param.name, taken) != taken:
            raise BadArgument(f"{name} is given twice, with two values.", "Give it once.")
        out[param.name] = taken
    needed = (p for p in verb.params if p.required)
    missing = [wire_name(p) for p in needed if out.get(p.name) in (None, (), [], {})]
    if missing:
        raise BadArgument(f"{verb.tool} needs {', '.join(missing)}.", "Give it and call again.")
    return out


def _names(verb: Verb) -> dict[str, Param]:
    """Every name under which a parameter is taken: its own, its flag's, its old ones."""
    out: dict[str, Param] = {}
    for param in verb.params:
        if not param.surface_only or param.name in UNSEEN:
            old = (alias.replace("-", "_") for alias in param.aliases)
            for name in (wire_name(param), param.flag.lstrip("-").replace("-", "_"), *old):
                out.setdefault(name, param)
    return out


def _unknown(verb: Verb, name: str) -> BadArgument:
    offered = [wire_name(param) for param in verb.params if not param.surface_only]
    near = difflib.get_close_matches(name, _names(verb), 1)
    close = wire_name(_names(verb)[near[0]]) if near else ""
    hint = f"Did you mean {close}?" if close else f"It takes {', '.join(offered) or 'none'}."
    return BadArgument(f"{verb.tool} has no argument {name[:60]!r}.", hint, "unknown-argument")


# --- one value ---------------------------------------------------------------------------------


def _taken(param: Param, name: str, value: Any) -> Any:
    if param.objects:
        value = [_as_text(item) for item in _items(name, value)]
    taken = _READERS[param.kind](name, value)
    if param.choices:
        return _choice(param, name, taken)
    return Path(taken) if param.is_path else taken


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _wrong(name, "a string")
    return str(value)


def _int(name: str, value: Any) -> int:
    number = _number(name, value, "a whole number")
    if not number.is_integer():
        raise _wrong(name, "a whole number")
    return int(number)


def _number(name: str, value: Any, wanted: str = "a number") -> float:
    try:
        if isinstance(value, bool):
            raise ValueError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise _wrong(name, wanted) from None
    if not math.isfinite(number):
        raise _wrong(name, wanted)
    return number


def _bool(name: str, value: Any) -> bool:
    word = str(value).strip().lower()
    if not isinstance(value, bool | str | int) or word not in (*_TRUE, *_FALSE):
        raise _wrong(name, "true or false")
    return word in _TRUE


def _list(name: str, value: Any) -> tuple[str, ...]:
    return tuple(_text(name, item) for item in _items(name, value))


def _items(name: str, value: Any) -> list[Any]:
    """An array of strings; a string that is no JSON array stands for itself alone."""
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return [value]
    found: list[Any] = _decoded(name, value, list, "an array of strings")
    return found


def _as_text(item: Any) -> Any:
    return json.dumps(item, ensure_ascii=False) if isinstance(item, dict) else item


def _map(name: str, value: Any) -> dict[str, str]:
    found = _decoded(name, value, dict, "an object whose values are strings")
    return {key: _text(f"{name}.{key[:60]}", item) for key, item in found.items()}


def _decoded(name: str, value: Any, kind: type, wanted: str) -> Any:
    """A list or an object, also as the JSON text that some hosts make of it."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise _wrong(name, wanted) from None
    if not isinstance(value, kind):
        raise _wrong(name, wanted)
    return value


def _choice(param: Param, name: str, value: str) -> str:
    if value not in param.choices:
        raise _wrong(name, f"one of {', '.join(param.choices)}")
    return value


def _wrong(name: str, wanted: str) -> BadArgument:
    return BadArgument(f"{name} must be {wanted}.", "Send it so and call again.", "wrong-type")


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "text": _text,
    "choice": _text,
    "int": _int,
    "number": _number,
    "bool": _bool,
    "list": _list,
    "map": _map,
}
