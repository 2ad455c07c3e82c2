"""The verbs as a command line: words into calls, answers into text and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from .. import __version__, verbs
from ..domain.errors import ShelfError, UsageError
from .cli import leave, unwritten
from .cli_command import CONTEXT, Told, command
from .terminal import Unwritten, complain, say

BUG = 70


class Verbs(Told, click.Group):
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
        longer = self.prefix + " ".join(args[:2])
        if len(args) > 1 and longer in verbs.NAMES and self.prefix + args[0] in verbs.NAMES:
            # `tags rename` beside `tags`: the longer name counts
            return longer, command(verbs.load(longer)), args[2:]
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


_OF_GROUPS = {
    "cache": "What is kept outside the shelf to make it fast.",
    "semantic": "The vectors by which a search finds what is said in other words.",
}


def _subgroup(name: str) -> Verbs:
    text = _OF_GROUPS.get(name, f"{name.capitalize()} the shelf.")
    group = Verbs(name=name, help=text, context_settings=CONTEXT)
    group.prefix = name + " "
    return group


def _help_command() -> click.Command:
    def show(words: tuple[str, ...]) -> None:
        say(_help_text(" ".join(words)))

    return Told(
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


def call(words: Sequence[str], question: str = "") -> int:
    """The exit code of a command line; an answer that may be remembered is, under the question."""
    try:
        root().main(
            args=list(words),
            obj=question,
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
        say("memshelf: interrupted; nothing on the shelf is half-done.", err=True)
        return 130
    except ShelfError as trouble:
        return complain(trouble, False)
    except BrokenPipeError:
        return leave()
    except Unwritten as trouble:
        return unwritten(str(trouble))
    except Exception:
        import traceback

        traceback.print_exc()
        say(
            "memshelf: this is a fault in memshelf itself; please report the lines above.", err=True
        )
        return BUG
    return 0
