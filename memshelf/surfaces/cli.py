"""The command line: translates words into calls of verbs, and answers into text and exit codes."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from .. import __version__, verbs
from ..domain.errors import NotAShelf, ShelfError, ShelfUnusable, UsageError
from ..verb import Param, Verb, as_object, good
from .terminal import Progress, complain, read_outside, say, say_json

GIT_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
BUG = 70


class Verbs(click.Group):
    """A group whose commands are made when one is called: help imports no verb."""

    prefix = ""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every name under this group, `help` first at the top."""
        names = [n.removeprefix(self.prefix) for n in verbs.NAMES if n.startswith(self.prefix)]
        firsts = dict.fromkeys(name.split(" ")[0] for name in names)
        return list(firsts) if self.prefix else ["help", *firsts]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, with its verb imported."""
        full = self.prefix + cmd_name
        if full == "help":
            return _help_command()
        if full in verbs.NAMES:
            return command(verbs.load(full))
        if any(name.startswith(full + " ") for name in verbs.NAMES):
            return _subgroup(full)
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Like click's own, but a word that is no verb is answered with the nearest ones."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            import difflib

            near = difflib.get_close_matches(args[0], self.list_commands(ctx), 3)
            hint = f" Did you mean {', '.join(near)}?" if near else " `memshelf help` lists all."
            ctx.fail(f"No verb {self.prefix + args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The everyday verbs at the top; all of them in a group."""
        names = (
            [n for n in verbs.NAMES if n.startswith(self.prefix)] if self.prefix else verbs.EVERYDAY
        )
        with formatter.section("Verbs"):
            formatter.write_dl([(name, verbs.summary(name)) for name in names])
        if not self.prefix:
            with formatter.section("More"):
                groups = " ".join(verbs.GROUPS)
                formatter.write_dl([("help GROUP", f"The verbs of a group: {groups}")])


def _subgroup(name: str) -> Verbs:
    group = Verbs(name=name, help=f"{name.capitalize()} the shelf.", context_settings=CONTEXT)
    group.prefix = name + " "
    return group


def _help_command() -> click.Command:
    def show(words: tuple[str, ...]) -> None:
        say(_help_text(" ".join(words)))

    return click.Command(
        "help",
        callback=show,
        params=[click.Argument(["words"], nargs=-1)],
        help="Show the verbs of a group, or one verb.",
    )


def _help_text(words: str) -> str:
    context = click.Context(root(), info_name="memshelf")
    if not words:
        return "\n".join(_group_text(group) for group in verbs.GROUPS)
    if words in verbs.GROUPS:
        return _group_text(words)
    if words in verbs.NAMES:
        made = command(verbs.load(words))
        return made.get_help(click.Context(made, info_name=words, parent=context))
    raise UsageError(
        f"There is no verb or group {words!r}.", f"The groups: {' '.join(verbs.GROUPS)}."
    )


def _group_text(group: str) -> str:
    rows = [(name, verbs.summary(name)) for name in verbs.GROUPS[group]]
    return f"{group}:\n" + "\n".join(f"  {name:<14}{text}" for name, text in rows)


def root() -> Verbs:
    """The command `memshelf`."""
    made = Verbs(
        name="memshelf",
        help="A private, local, git-backed shelf of Markdown: memory for agents, readable by people.",
        context_settings=CONTEXT,
        invoke_without_command=True,
        callback=_plain,
    )
    made.params.append(click.Option(["--version"], is_flag=True, help="Show the version."))
    return made


@click.pass_context
def _plain(ctx: click.Context, version: bool) -> None:
    if version:
        say(f"memshelf {__version__}")
        ctx.exit()
    if ctx.invoked_subcommand is None:
        say(ctx.get_help())


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
    params.append(click.Option(["--json", "as_json"], is_flag=True, help="Answer in JSON."))

    def call(**given: Any) -> None:
        raise SystemExit(_call(verb, given))

    examples = "\b\nExample:\n" + "\n".join(f"  {line}" for line in verb.examples)
    return click.Command(
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
        out.append(_Argument([own], required=False, metavar=param.name.upper(), **shared))
        out.append(click.Option([*names, param.name], help=param.help, **shared))
    elif param.kind == "bool":
        both = f"{param.flag}/--no-{param.flag[2:]}"
        out.append(click.Option([both, param.name], help=param.help, default=None))
    elif param.kind in ("list", "map"):
        metavar = "NAME=TEXT" if param.kind == "map" else "TEXT"
        option = click.Option([*names, param.name], multiple=True, help=param.help, metavar=metavar)
        out.append(option)
    else:
        out.append(click.Option([*names, param.name], help=_shown(param), **shared))
    if param.from_file:
        metavar = "NAME=PATH" if param.kind == "map" else "PATH"
        flag = f"{param.flag}-file"
        help_text = f"{param.flag} from a file, `-` for standard input."
        many = {"multiple": True} if param.kind == "map" else {}
        out.append(
            click.Option([flag, f"{param.name}_file"], metavar=metavar, help=help_text, **many)
        )
    return out


class _Argument(click.Argument):
    """An argument whose value may be completed from the ids on the shelf."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Episode ids that begin with what was typed."""
        from click.shell_completion import CompletionItem

        from ..storage.store import Store, discover

        if self.name != "id_argument":
            return super().shell_complete(ctx, incomplete)
        try:
            where, _ = discover(ctx.params.get("shelf"), os.environ)
            stems = [Path(path).stem for path, _ in Store(where)._paths()]
        except (ShelfError, OSError):
            return []
        return [CompletionItem(stem) for stem in sorted(stems) if stem.startswith(incomplete)]


def _shown(param: Param) -> str:
    default = "" if param.default in (None, "", False) else f" [default: {param.default}]"
    return param.help + default


def _call(verb: Verb, given: dict[str, Any]) -> int:
    wants_json = given.pop("as_json") or os.environ.get("MEMSHELF_OUTPUT", "").lower() == "json"
    progress = Progress()
    try:
        arguments = _arguments(verb, given)
        answer = verb.run(*_place(verb, given, progress), **arguments)
    except ShelfError as trouble:
        progress.done()
        code = complain(trouble, wants_json)
        return verb.unusable if isinstance(trouble, NotAShelf | ShelfUnusable) else code
    progress.done()
    if verb.name == "serve":  # from here on this process speaks MCP instead
        from .mcp import serve

        serve(answer.shelf, answer.tools)
    if wants_json and not getattr(answer, "verbatim", False):
        say_json(as_object(answer))
    elif text := str(answer):
        say(text)
    hint: str = getattr(answer, "hint", "")
    if hint and not wants_json:
        say(hint, err=True)
    return 0 if good(answer) else 1


def _place(verb: Verb, given: dict[str, Any], progress: Progress) -> tuple[Any, ...]:
    if not verb.place:
        return ()
    from ..storage.store import Store, discover, here

    flag = given.get("shelf")
    if verb.place == "path":
        named = flag or os.environ.get("MEMSHELF_SHELF_PATH")
        return (Path(named) if named else here(),)
    where, how = discover(flag, os.environ)
    if how == "environment":
        say(f"memshelf: shelf from $MEMSHELF_SHELF_PATH: {where}", err=True)
    store = Store.open(where)
    store.progress = progress
    store.workers = os.cpu_count() or 1
    return (store,)


def _arguments(verb: Verb, given: dict[str, Any]) -> dict[str, Any]:
    """Only what was given: defaults live in the signature and nowhere else."""
    out: dict[str, Any] = {}
    stdin = _StandardInput()
    for param in verb.params:
        value = given.get(param.name)
        if param.positional:
            value = _one_of(param, given.get(f"{param.name}_argument"), value)
        if param.kind == "map":
            value = _pairs(param, given, stdin)
        elif param.from_file and given.get(f"{param.name}_file"):
            value = _one_of(param, value, stdin.read(given[f"{param.name}_file"]))
        if value is None and param.default_file and param.required:
            value = stdin.read(param.default_file)
        if value is None or (param.kind in ("list", "map") and not value):
            if param.required:
                given_as = param.name.upper() if param.positional else f"{param.flag} TEXT"
                raise UsageError(f"{param.name} is missing.", f"memshelf {verb.name} {given_as}")
            continue
        out[param.name] = Path(value) if param.is_path else value
    return out


def _pairs(param: Param, given: dict[str, Any], stdin: _StandardInput) -> dict[str, str]:
    """NAME=TEXT and NAME=PATH flags as one mapping; a name given twice is refused."""
    pairs = [_pair(param, text) for text in given.get(param.name) or ()]
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
            return sys.stdin.buffer.read().decode("utf-8")
        except UnicodeDecodeError:
            raise ShelfError(
                "Standard input is not UTF-8.", "Convert it first.", "not-utf8"
            ) from None


def main(arguments: Sequence[str] | None = None) -> None:
    """The script `memshelf`."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code of a command line: 0 good, 1 refused or bad news, 2 usage, 70 a bug."""
    gc.set_threshold(
        100_000
    )  # a command lives shortly: looking for cycles is a fifth of a cold read
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        root().main(
            args=None if arguments is None else list(arguments),
            prog_name="memshelf",
            standalone_mode=False,
            complete_var="_MEMSHELF_COMPLETE",
        )
        sys.stdout.flush()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as trouble:
        trouble.show()
        return 2
    except (KeyboardInterrupt, click.Abort):
        say("memshelf: interrupted; nothing half-done is left.", err=True)
        return 130
    except ShelfError as trouble:
        return complain(trouble, False)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader left: end without noise
        return 1
    except Exception:
        import traceback

        traceback.print_exc()
        say(
            "memshelf: this is a fault in memshelf itself; please report the lines above.", err=True
        )
        return BUG
    return 0
