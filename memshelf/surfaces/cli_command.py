"""A verb as a command of the command line: its flags, its call, its exit code."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..domain.errors import NotAShelf, ShelfError, ShelfUnusable
from ..verb import Param, Verb, as_object, good
from . import watching
from .cli_arguments import arguments
from .cli_memory import memory
from .terminal import Progress, asker, complain, json_text, once, say, say_pieces

if TYPE_CHECKING:
    from ..storage.store import Store

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Told(click.Command):
    """A command whose help is written as answers are."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option, as click makes it."""
        option = super().get_help_option(ctx)
        if option:
            option.callback = _help
        return option


def _help(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        say(ctx.get_help())
        ctx.exit()


def command(verb: Verb) -> click.Command:
    """A verb as a command: positional parameters as arguments and flags, the others as flags."""
    params: list[click.Parameter] = []
    for param in verb.params:
        params += _parameters(param)
    if verb.place:
        params.append(
            click.Option(
                ["--shelf"],
                metavar="PATH",
                help="The shelf (else $MEMSHELF_SHELF_PATH, else here).",
            )
        )
    if verb.watch:
        params.append(click.Option(["--watch"], is_flag=True, help=watching.HELP))
    params.append(click.Option(["--json", "as_json"], is_flag=True, help="Answer in JSON."))

    def call(**given: Any) -> None:
        raise SystemExit(_call(verb, given))

    examples = "\b\nExample:\n" + "\n".join(f"  {line}" for line in verb.examples)
    return Told(
        verb.name.rpartition(" ")[2],
        callback=call,
        params=params,
        help=verb.help,
        epilog=examples if verb.examples else None,
        context_settings=CONTEXT,
    )


def _parameters(param: Param) -> list[click.Parameter]:
    out: list[click.Parameter] = []
    names = [param.flag, *(f"--{alias.replace('_', '-')}" for alias in param.aliases)]
    kinds: dict[str, Any] = {"int": int, "number": float, "choice": click.Choice(param.choices)}
    shared: dict[str, Any] = {"default": None, "type": kinds.get(param.kind)}
    if param.positional:
        # Shown once, as an argument; the flag of the same name is accepted beside it.
        own = f"{param.name}_argument"
        several = param.kind == "list"
        shown = param.name.upper() + ("..." if several else "")
        shown = shown if param.required else f"[{shown}]"
        plenty: dict[str, Any] = {"nargs": -1} if several else {}
        out.append(_Argument([own], required=False, metavar=shown, **shared, **plenty))
        repeated: dict[str, Any] = {"multiple": True, "metavar": "TEXT"} if several else {}
        out.append(click.Option([*names, param.name], help=param.help, **shared, **repeated))
    elif param.kind == "bool":
        both = f"{param.flag}/--no-{param.flag[2:]}"
        out.append(click.Option([both, param.name], help=param.help, default=None))
    elif param.kind == "secret":
        out.append(click.Option([*names, param.name], is_flag=True, help=param.help))
    elif param.kind in ("list", "map"):
        metavar = "NAME=TEXT" if param.kind == "map" else "TEXT"
        option = click.Option([*names, param.name], multiple=True, help=param.help, metavar=metavar)
        out.append(option)
    else:
        out.append(click.Option([*names, param.name], help=_shown(param), **shared))
    if param.from_file or param.kind == "secret":
        metavar = "NAME=PATH" if param.kind == "map" else "PATH"
        flag = f"{param.flag}-file"
        help_text = f"{param.flag} from a file, `-` for standard input."
        many = {"multiple": True} if param.kind == "map" else {}
        out.append(
            click.Option([flag, f"{param.name}_file"], metavar=metavar, help=help_text, **many)
        )
    return out


_IDS = ("id_argument", "ids_argument")


class _Argument(click.Argument):
    """An argument whose value may be completed from the ids on the shelf."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Episode ids that begin with what was typed."""
        from click.shell_completion import CompletionItem

        from ..storage.store import Store, discover

        if self.name not in _IDS:
            return super().shell_complete(ctx, incomplete)
        try:
            where, _ = discover(ctx.params.get("shelf"), os.environ)
            stems = Store(where).stems()
        except (ShelfError, OSError):
            return []
        return [CompletionItem(stem) for stem in sorted(stems) if stem.startswith(incomplete)]


def _shown(param: Param) -> str:
    default = "" if param.default in (None, "", False) else f" [default: {param.default}]"
    return param.help + default


def _call(verb: Verb, given: dict[str, Any]) -> int:
    wants_json = given.pop("as_json") or os.environ.get("MEMSHELF_OUTPUT", "").lower() == "json"
    watch = given.pop("watch", False)
    progress = Progress()
    try:
        asked = arguments(verb, given)
        if watch:
            return watching.watch(verb, asked, _again(given), wants_json)
        place = _place(verb, given, progress)
        kept = memory(verb, place, asked, click.get_current_context().obj)
        answer = verb.run(*place, **asked)
        as_data = wants_json and not getattr(answer, "verbatim", False)
        pieces = getattr(answer, "pieces", None)
        text = "" if pieces else json_text(as_object(answer)) if as_data else str(answer)
    except ShelfError as trouble:
        progress.done()
        code = complain(trouble, wants_json)
        return verb.unusable if isinstance(trouble, NotAShelf | ShelfUnusable) else code
    progress.done()
    if verb.name == "serve":  # from here on this process speaks MCP instead
        from .mcp import serve

        serve(answer.shelf, answer.tools)
    if pieces:
        say_pieces(pieces)
    elif text:
        say(text, raw=as_data)
    hint = "" if wants_json else getattr(answer, "hint", "")
    if hint:
        say(hint, err=True)
    if kept:
        kept.keep(answer, text, _found(given)[1] + (f"{hint}\n" if hint else ""))
    return 0 if good(answer) else 1


def _place(verb: Verb, given: dict[str, Any], progress: Progress) -> tuple[Any, ...]:
    if not verb.place:
        return ()
    if verb.place == "path":
        from ..storage.store import here

        named = given.get("shelf") or os.environ.get("MEMSHELF_SHELF_PATH")
        return (Path(named) if named else here(),)
    return (_opened(_where(given), progress, asker()),)


def _where(given: dict[str, Any]) -> Path:
    where, note = _found(given)
    if note:
        say(note, err=True)
    return where


def _found(given: dict[str, Any]) -> tuple[Path, str]:
    """Where the shelf is, and a line for standard error where that is a surprise."""
    from ..storage.store import discover

    where, how = discover(given.get("shelf"), os.environ)
    said = f"memshelf: shelf from $MEMSHELF_SHELF_PATH: {where}\n"
    return where, said if how == "environment" else ""


def _opened(where: Path, progress: Progress, ask: Callable[[str], bool] | None) -> Store:
    from ..storage.store import Store

    store = Store.open(where)
    store.progress = progress
    store.ask = ask
    store.workers = os.cpu_count() or 1
    store.tool_tokens = _tool_tokens
    return store


def _tool_tokens() -> int:
    from .mcp import DEFAULT_SET
    from .mcp_schema import price

    return price(os.environ.get("MEMSHELF_TOOLS") or DEFAULT_SET)


def _again(given: dict[str, Any]) -> Callable[[Progress], Store]:
    """What opens the shelf for each run of a watched verb; a question is put in the first only."""
    where, ask = _where(given).absolute(), once(asker())
    return lambda progress: _opened(where, progress, ask)
