"""What was typed, as the arguments of a verb: flags, files, standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..domain.errors import ShelfError, UsageError
from ..verb import Param, Verb
from .terminal import ask_secret, read_outside, say


def arguments(verb: Verb, given: dict[str, Any]) -> dict[str, Any]:
    """Only what was given: defaults live in the signature and nowhere else."""
    out: dict[str, Any] = {}
    stdin = _StandardInput()
    for param in verb.params:
        value = given.get(param.name)
        if param.positional:
            typed = given.get(f"{param.name}_argument")
            if param.kind == "list":
                value = (*(typed or ()), *(value or ()))
            else:
                value = _one_of(param, typed, value)
        if param.kind == "secret":
            value = _secret(param, given, stdin)
        elif param.kind == "map":
            value = _pairs(param, given, stdin)
        elif param.from_file and given.get(f"{param.name}_file"):
            value = _one_of(param, value, stdin.read(given[f"{param.name}_file"]))
        if param.from_file and value == "-":
            value = stdin.read("-")
        if value is None and param.default_file and param.required:
            value = stdin.read(param.default_file)
        if value is None or (param.kind in ("list", "map") and not value):
            if param.required:
                given_as = param.name.upper() if param.positional else f"{param.flag} TEXT"
                raise UsageError(f"{param.name} is missing.", f"memshelf {verb.name} {given_as}")
            continue
        if param.filled and not value:
            fix = f"Give it a value, or leave {param.flag} out."
            raise ShelfError(f"{param.flag} is empty.", fix, "empty")
        out[param.name] = Path(value) if param.is_path else value
    return out


def _secret(param: Param, given: dict[str, Any], stdin: _StandardInput) -> str | None:
    """A secret out of a file, else asked for; None where neither was wanted."""
    file = given.get(f"{param.name}_file")
    if not file and not given.get(param.name):
        return None
    if param.said:
        say(f"memshelf: {param.said}", err=True)
    if not file:
        return ask_secret(param.name.capitalize(), f"{param.flag}-file PATH")
    return stdin.read(file).removesuffix("\n").removesuffix("\r")


def _pairs(param: Param, given: dict[str, Any], stdin: _StandardInput) -> dict[str, str]:
    """NAME=TEXT and NAME=PATH flags as one mapping; a name given twice is refused."""
    pairs = [_pair(param, text) for text in given.get(param.name) or ()]
    pairs = [(name, stdin.read("-") if text == "-" else text) for name, text in pairs]
    from_files = [_pair(param, text) for text in given.get(f"{param.name}_file") or ()]
    pairs += [(name, stdin.read(path)) for name, path in from_files]
    out: dict[str, str] = {}
    for name, text in pairs:
        if name in out:
            raise UsageError(f"{param.flag} {name!r} is given twice.", "Join the two texts.")
        out[name] = text
    return out


def _one_of(param: Param, first: Any, second: Any) -> Any:
    if first is not None and second is not None:
        raise UsageError(f"{param.flag} is given twice.", "Give it once.")
    return first if first is not None else second


def _pair(param: Param, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(
            f"{param.flag} {text[:40]!r} is not NAME=TEXT.", f"Write {param.flag} 'Name=text'."
        )
    return name.strip(), value


class _StandardInput:
    """Standard input, which can be read once."""

    def __init__(self) -> None:
        self._used = False

    def read(self, path: str) -> str:
        """The text of a file, or of standard input for `-`."""
        if path != "-":
            return read_outside(Path(path))
        if self._used:
            raise UsageError(
                "Standard input is read twice.", "Use `-` once; put the rest in files."
            )
        self._used = True
        try:
            return sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ShelfError(
                "Standard input is not UTF-8.", "Convert it first.", "not-utf8"
            ) from None
