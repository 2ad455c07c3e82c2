"""docs/verbs.md: every verb, its parameters and examples, out of the one description of each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import __all__ as PUBLIC
from .. import verbs
from ..domain.page import Page
from ..verb import Param, Verb
from .watching import HELP

PATH = "docs/verbs.md"

_HEAD = """\
# Verbs

<!-- Generated from the verbs themselves: `make docs` writes it anew. -->

One verb has one description, and from it come the command line, the MCP tool and the Python function.
`memshelf --help` shows the twelve of every day, `memshelf help GROUP` those of a group, and `memshelf VERB --help` one of them.

Every verb takes `--json` (or `MEMSHELF_OUTPUT=json`): the answer is then one JSON object that begins with `status`.
A verb that works on a shelf takes `--shelf PATH`; without it `MEMSHELF_SHELF_PATH` counts, and then the nearest folder upwards that is a shelf.
A flag that is on or off has its opposite: `--commit` and `--no-commit`.

| exit code | means |
|---|---|
| 0 | done, and nothing to complain about |
| 1 | refused, or findings of level error: what is wrong and what to do is said on standard error |
| 2 | the command line itself is wrong: nothing was looked at, nothing was done |
| 3 | only `doctor`: the shelf cannot be used at all |
| 70 | a fault in memshelf itself, with the lines to report |
"""


def reference() -> Page:
    """The reference of all verbs as Markdown, group by group."""
    groups = {**verbs.GROUPS, "kept": verbs.KEPT}
    parts = [_HEAD]
    for group, names in groups.items():
        parts.append(f"\n## {group.capitalize()}\n")
        parts += [_section(verbs.load(name)) for name in names]
    return Page(PATH, "".join(parts))


def _section(verb: Verb) -> str:
    lines = [f"### {verb.name}", "", *_prose(verb.help), "", *_usage(verb), *_table(verb)]
    return "\n" + "\n".join([*lines, *_elsewhere(verb)]) + "\n"


def _prose(text: str) -> Iterator[str]:
    """The help as paragraphs, each sentence on a line of its own."""
    for place, paragraph in enumerate(text.split("\n\n")):
        if place:
            yield ""
        yield " ".join(paragraph.split()).replace(". ", ".\n")


def _usage(verb: Verb) -> Iterator[str]:
    yield "```sh"
    yield from verb.examples
    yield from ("```", "")


def _table(verb: Verb) -> Iterator[str]:
    if not verb.params:
        return
    yield "| parameter | what | default |"
    yield "|---|---|---|"
    for param in verb.params:
        yield f"| {_flags(param)} | {_what(verb, param)} | {_default(param)} |"
    if verb.watch:
        yield f"| `--watch` | {HELP} Only on the command line. |  |"
    yield ""


def _flags(param: Param) -> str:
    argument = f"`{param.name.upper()}` or " if param.positional else ""
    kinds = {"bool": "", "secret": "", "choice": " " + "|".join(param.choices), "map": " NAME=TEXT"}
    value = kinds.get(param.kind, " N" if param.kind in ("int", "number") else " TEXT")
    value = " PATH" if param.is_path else value
    flag = f"`{param.flag}{value}`".replace("|", "\\|")
    source = "NAME=PATH" if param.kind == "map" else "PATH"
    others = [f"`--{name.replace('_', '-')}`" for name in param.aliases]
    from_file = param.from_file or param.kind == "secret"
    others += [f"`{param.flag}-file {source}`"] if from_file else []
    return ", ".join([argument + flag, *others])


def _what(verb: Verb, param: Param) -> str:
    repeated = " May be given more than once." if param.kind in ("list", "map") else ""
    alone = " Not over MCP." if param.surface_only and verb.over_mcp else ""
    return _cell(param.help) + repeated + alone


def _cell(text: str) -> str:
    return re.sub(r"\[([^\]]+)\]", r"(\1)", text.replace("|", "\\|"))


def _default(param: Param) -> str:
    if param.required:
        return "required"
    if param.default in (None, "", (), False) or param.default == {}:
        return ""
    return "on" if param.default is True else f"`{param.default}`"


def _elsewhere(verb: Verb) -> Iterator[str]:
    """Under which names the verb goes on the other surfaces."""
    function = verb.run.__name__
    in_python = f"In Python: `memshelf.{function}`.\n" if function in PUBLIC else ""
    over_mcp = f"Over MCP: `{verb.tool}`." if verb.over_mcp else "It is not offered over MCP."
    yield in_python + over_mcp
