"""@verb: one signature, read once, for every surface.

A verb is a function. Its signature is the request, its docstring the help, its return type the
answer. Positional parameters are arguments on the command line (and may be given by flag too),
keyword-only ones are flags; over MCP all are flat properties.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin


class Flag(NamedTuple):
    """The flag of a parameter, where it is not the parameter's name."""

    name: str


class Alias(NamedTuple):
    """Another name under which a parameter is accepted; it stands in no help and no schema."""

    name: str


class FromFile(NamedTuple):
    """On the command line the value may come from a file or, with `-`, from standard input.

    `default` is the file that is read where neither the value nor a file was given.
    """

    default: str = ""


class CommandLineOnly(NamedTuple):
    """A parameter that other surfaces do not offer."""


class Objects(NamedTuple):
    """A list whose items a program may send as objects too: the verb gets each as its JSON text."""


class Filled(NamedTuple):
    """On the command line an empty value is refused: it comes from a variable that was not set,
    and must not pass for a flag that was not given."""


class Secret(NamedTuple):
    """A text that never stands on a command line, where others could read it: it is asked for at a
    prompt, or comes from a file. `said` is told before that. Other surfaces do not offer it."""

    said: str = ""


Rev = Annotated[str, "Read the shelf as it was at this git revision.", CommandLineOnly(), Filled()]
"""The parameter `rev` of a verb that reads a snapshot: it hands it to `store.read`."""


class Param(NamedTuple):
    """One parameter: `kind` is text, int, number, bool, choice, list, map or secret."""

    name: str
    kind: str
    help: str
    flag: str
    default: Any
    required: bool
    positional: bool
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    from_file: bool = False
    default_file: str = ""
    surface_only: bool = False
    is_path: bool = False
    filled: bool = False
    said: str = ""
    objects: bool = False


class Verb(NamedTuple):
    """What the surfaces know of a verb.

    `place` says what its first parameter is: `store` (an opened shelf), `path` (where a shelf is or
    will be) or "" (it needs none). `prose` answers are text for reading, the others are data.
    `watch` verbs can be run again whenever the shelf changed, which the command line offers.
    """

    name: str
    run: Callable[..., Any]
    summary: str
    help: str
    examples: tuple[str, ...]
    params: tuple[Param, ...]
    place: str
    writes: bool
    destructive: bool
    idempotent: bool
    prose: bool
    over_mcp: bool
    watch: bool
    unusable: int
    """The exit code for a shelf that cannot be used."""
    remembers: tuple[str, ...] | None = None
    """Its parameters beside which an answer depends on the shelf's files alone: one that was made
    from no others may be said again while those stand."""

    @property
    def tool(self) -> str:
        """The name over MCP."""
        return "memshelf_" + re.sub(r"[ -]", "_", self.name)


def verb(
    *,
    name: str = "",
    writes: bool = False,
    destructive: bool = False,
    idempotent: bool = True,
    prose: bool = False,
    mcp: bool = True,
    watch: bool = False,
    unusable: int = 1,
    remembers: Sequence[str] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function a verb: its description is read off and kept as `__verb__`."""

    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        title = name or run.__name__.rstrip("_").replace("_", "-")
        run.__verb__ = _read(  # type: ignore[attr-defined]
            title, run, writes, destructive, idempotent, prose, mcp, watch, unusable
        )._replace(remembers=None if remembers is None else tuple(remembers))
        return run

    return register


def described(run: Callable[..., Any]) -> Verb:
    """The description of a verb's function."""
    found: Verb = run.__verb__  # type: ignore[attr-defined]
    return found


def _read(
    title: str,
    run: Callable[..., Any],
    writes: bool,
    destructive: bool,
    idempotent: bool,
    prose: bool,
    mcp: bool,
    watch: bool,
    unusable: int,
) -> Verb:
    parameters = list(inspect.signature(run, eval_str=True).parameters.values())
    place = {"store": "store", "root": "path"}.get(parameters[0].name, "") if parameters else ""
    params = tuple(_param(title, p) for p in parameters[1 if place else 0 :])
    summary, text, examples = _help(inspect.getdoc(run) or "")
    if not summary:
        raise TypeError(f"the verb {title} has no help")
    return Verb(
        title,
        run,
        summary,
        text,
        examples,
        params,
        place,
        writes,
        destructive,
        idempotent,
        prose,
        mcp,
        watch,
        unusable,
    )


def _help(doc: str) -> tuple[str, str, tuple[str, ...]]:
    """The first sentence, the whole text without examples, and the lines of `Example:`."""
    text, _, rest = doc.partition("\nExample:\n")
    examples = tuple(line.strip() for line in rest.splitlines() if line.strip())
    return text.split("\n")[0].strip(), text.strip(), examples


def _param(title: str, parameter: inspect.Parameter) -> Param:
    hint = parameter.annotation
    if not hasattr(hint, "__metadata__"):
        raise TypeError(f"{title}: the parameter {parameter.name} has no help")
    notes = hint.__metadata__
    kind, choices, is_path = _kind(hint.__origin__)
    secrets = [note for note in notes if isinstance(note, Secret)]
    name = parameter.name.rstrip("_")
    flags = [note.name for note in notes if isinstance(note, Flag)]
    required = parameter.default is inspect.Parameter.empty
    return Param(
        name=parameter.name,
        kind="secret" if secrets else kind,
        help=notes[0],
        flag=flags[0] if flags else "--" + name.replace("_", "-"),
        default=None if required else parameter.default,
        required=required,
        positional=parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD,
        choices=choices,
        aliases=tuple(note.name for note in notes if isinstance(note, Alias)),
        from_file=any(isinstance(note, FromFile) for note in notes),
        default_file=next((n.default for n in notes if isinstance(n, FromFile)), ""),
        surface_only=any(isinstance(note, CommandLineOnly | Secret) for note in notes),
        is_path=is_path,
        filled=any(isinstance(note, Filled) for note in notes),
        said=secrets[0].said if secrets else "",
        objects=any(isinstance(note, Objects) for note in notes),
    )


def _kind(hint: Any) -> tuple[str, tuple[str, ...], bool]:
    if get_origin(hint) in (types.UnionType, typing.Union):
        hint = next(part for part in get_args(hint) if part is not type(None))
    if get_origin(hint) is Literal:
        return "choice", get_args(hint), False
    origin = get_origin(hint) or hint
    if origin is Mapping:
        return "map", (), False
    if origin in (Sequence, tuple, list):
        return "list", (), False
    plain = {str: "text", bool: "bool", int: "int", float: "number", Path: "text"}
    return plain[origin], (), origin is Path


def as_data(value: Any) -> Any:
    """An answer as JSON-ready values: dataclasses and named tuples as objects, in field order.

    A value with a method `data` says itself what it is.
    """
    if hasattr(value, "data") and callable(value.data):
        return as_data(value.data())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_data(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if hasattr(value, "_asdict"):
        return {name: as_data(part) for name, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): as_data(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_data(part) for part in value]
    return value


def as_object(answer: Any) -> dict[str, Any]:
    """An answer as one JSON object that begins with its `status`: ok, or attention."""
    data = as_data(answer)
    body = data if isinstance(data, dict) else {"result": data}
    status = {} if "status" in body else {"status": "ok" if good(answer) else "attention"}
    return status | body


def good(answer: Any) -> bool:
    """False for an answer that is bad news: findings of level error, drift, nothing found."""
    return bool(getattr(answer, "ok", True))
