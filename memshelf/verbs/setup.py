"""Connect a client to the shelf: show what would be written, write it, take it back."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from ..capture.clients import backup
from ..capture.clients.claude_code import CLAUDE_CODE
from ..capture.clients.client import (
    Client,
    Target,
    Wiring,
    connected,
    remarks,
    shelf_named,
)
from ..capture.clients.codex import CODEX
from ..capture.clients.difference import difference
from ..capture.clients.draft import OddConfig
from ..capture.clients.entries import EVENT
from ..capture.clients.launch import Launch, launch
from ..domain.errors import NotAShelf, ShelfError, UsageError
from ..storage import files
from ..storage.places import state_dir
from ..storage.store import MARKERS, discover
from ..verb import verb
from . import GROUPS, NAMES

CLIENTS = {client.name: client for client in (CLAUDE_CODE, CODEX)}
TOOL_SETS = ("core", *GROUPS, "peer", "all")


class Change(NamedTuple):
    """A file of the client's: created, changed, deleted or unchanged, and the lines that differ."""

    path: str
    action: str
    diff: str


@dataclass(frozen=True)
class Configured:
    """What was, or would be, written where, and what to do next."""

    client: str
    scope: str
    shelf: str
    command: tuple[str, ...]
    why: str
    files: tuple[Change, ...]
    written: bool
    by_hand: str
    next: tuple[str, ...]

    def __str__(self) -> str:
        shelf = [f"Shelf: {self.shelf}"] if self.shelf else []
        starts = [f"Server: {' '.join(self.command)} ({self.why})"] if self.command else []
        diffs = [change.diff for change in self.files if change.diff]
        return "\n".join([*shelf, *starts, *diffs, *self.next])


class _Plan(NamedTuple):
    """A file before and after; None stands for no file. `keep` is the backup to be made."""

    target: Target
    before: str | None
    after: str | None
    keep: str | None


@verb(writes=True, mcp=False)
def setup(
    root: Path,
    client: Annotated[Literal["claude-code", "codex"], "Which client."],
    *,
    write: Annotated[bool, "Write it; without this it is only shown."] = False,
    undo: Annotated[bool, "Take away what was written, and put back what it replaced."] = False,
    scope: Annotated[
        Literal["user", "project"], "For all your projects, or for the one in this folder."
    ] = "user",
    tools: Annotated[str, "Sets of tools that the client is offered, such as core,show."] = "",
) -> Configured:
    """Connect a client to the shelf: show what would be written, write it, take it back.

    It writes the MCP server `memshelf` and a hook that begins every session with the index into the
    client's own configuration. Entries and start hooks of the older memshelf-mcp are replaced;
    everything else stays byte for byte.

    Example:
    memshelf setup claude-code --shelf ~/shelf
    memshelf setup claude-code --shelf ~/shelf --write
    memshelf setup codex --undo
    """
    known = _client(client, write, undo, tools)
    targets = known.targets(scope, Path.home(), Path.cwd(), os.environ)
    if undo:
        return _taken_back(known, scope, targets)
    start = launch(shutil.which, sys.executable)
    wiring = _wiring(start, _shelf(root, targets), tools)
    plans = [_planned(known, target, wiring) for target in targets]
    if write:
        _carry_out(plans, scope)
    return _configured(known, scope, start, wiring, plans, write)


def _client(name: str, write: bool, undo: bool, tools: str) -> Client:
    if name not in CLIENTS:
        raise UsageError(f"There is no client {name!r}.", f"Known are: {', '.join(CLIENTS)}.")
    if write and undo:
        raise UsageError("--write and --undo are opposites.", "Give one of them.")
    words = filter(None, (word.strip() for word in tools.split(",")))
    if unknown := [word for word in words if word not in (*TOOL_SETS, *NAMES)]:
        raise UsageError(
            f"There is no set of tools {unknown[0]!r}.", f"Sets: {', '.join(TOOL_SETS)}."
        )
    return CLIENTS[name]


def _shelf(root: Path, targets: Sequence[Target]) -> str:
    """The shelf named or found here, else the one that the client's entry names already."""
    if root != Path.cwd():
        if not any((root / marker).is_file() for marker in MARKERS):
            raise NotAShelf(root)
        return _absolute(root)
    try:
        return _absolute(discover(None, {}, root)[0])
    except ShelfError:
        if found := next(filter(None, map(_named_in, targets)), ""):
            return found
        raise


def _named_in(target: Target) -> str:
    text = _text(target.path) or ""
    try:
        return shelf_named(target, text)
    except OddConfig as trouble:
        raise _refused(target.path, trouble) from None


def _absolute(root: Path) -> str:
    files.within_workspace(root)
    return os.path.normpath(root.absolute())


def _wiring(start: Launch, shelf: str, tools: str) -> Wiring:
    offered = ("--tools", tools) if tools else ()
    hook = (*start.command_line, "hook", EVENT, "--shelf", shelf)
    return Wiring((*start.server, *offered), hook, shelf)


# --- planning --------------------------------------------------------------------------------


def _planned(client: Client, target: Target, wiring: Wiring) -> _Plan:
    """A file with memshelf in it. The backup leads to the file as it was before the first time."""
    text, saved = _text(target.path), _text(_backup(target.path))
    try:
        after, before = connected(client, target, text or "", wiring)
        if after == text:
            return _Plan(target, text, text, None)
        base = backup.undone(target, text, saved) if text is not None and saved else text
        before = connected(client, target, base or "", wiring)[1]
    except OddConfig as trouble:
        raise _refused(target.path, trouble) from None
    return _Plan(target, text, after, backup.kept(base, after, before))


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise _refused(path, OddConfig("It is not UTF-8.", "Save it as UTF-8.")) from None
    except OSError as trouble:
        raise files.sentence(trouble, path) from None


def _refused(path: Path, trouble: OddConfig) -> ShelfError:
    said = f"{path} is left as it is: {trouble.message[:1].lower()}{trouble.message[1:]}"
    return OddConfig(said, trouble.fix)


def _backup(path: Path) -> Path:
    return state_dir(path) / "setup.json"


# --- writing ---------------------------------------------------------------------------------


def _carry_out(plans: Sequence[_Plan], scope: str) -> None:
    mode = 0o600 if scope == "user" else None  # a new file of the user's may hold keys one day
    for plan in plans:
        if plan.before != plan.after:
            try:
                if plan.keep is not None:
                    _replace(_backup(plan.target.path), plan.keep, 0o600)
                _replace(plan.target.path, plan.after, mode)
            except OSError as trouble:
                raise files.sentence(trouble, plan.target.path) from None


def _replace(path: Path, text: str | None, mode: int | None) -> None:
    """Write or remove a file. A link stays one: what it leads to is written."""
    real = Path(os.path.realpath(path))
    if text is None:
        real.unlink(missing_ok=True)
        return
    real.parent.mkdir(parents=True, exist_ok=True)
    files.replace(real, text.encode("utf-8"), mode=mode)


def _taken_back(client: Client, scope: str, targets: Sequence[Target]) -> Configured:
    plans = []
    for target in targets:
        text, saved = _text(target.path), _text(_backup(target.path))
        try:
            left = backup.undone(target, text, saved) if text else text
        except OddConfig as trouble:
            raise _refused(target.path, trouble) from None
        plans.append(_Plan(target, text, left, None))
    _carry_out(plans, scope)
    for plan in plans:
        with contextlib.suppress(OSError):
            _backup(plan.target.path).unlink()
            _backup(plan.target.path).parent.rmdir()
    changes = tuple(map(_change, plans))
    done = any(change.diff for change in changes)
    said = f"Taken away. Start {client.title} anew." if done else "Nothing of memshelf was there."
    return Configured(client.name, scope, "", (), "", changes, done, "", (said,))


# --- telling ---------------------------------------------------------------------------------


def _configured(
    client: Client, scope: str, start: Launch, wiring: Wiring, plans: Sequence[_Plan], write: bool
) -> Configured:
    changes = tuple(map(_change, plans))
    again = f"memshelf setup {client.name}" + (" --scope project" if scope == "project" else "")
    by_hand = client.by_hand(wiring, scope)
    if not any(change.diff for change in changes):
        said = [f"{client.title} is connected already; there is nothing to write."]
    elif write:
        said = ["Written.", *client.next_steps(scope), f"To take it back: {again} --undo"]
    else:
        said = ["Nothing is written yet. To write it, add --write."]
        said += [f"Or the server alone, by hand: {by_hand}"] if by_hand else []
    said += [note for plan in plans for note in remarks(plan.target, plan.after or "")]
    return Configured(
        client.name,
        scope,
        wiring.shelf,
        wiring.server,
        start.why,
        changes,
        write,
        by_hand,
        tuple(said),
    )


def _change(plan: _Plan) -> Change:
    action = "changed" if plan.before is not None else "created"
    if plan.after is None:
        action = "deleted"
    if plan.before == plan.after:
        action = "unchanged"
    return Change(
        str(plan.target.path), action, difference(plan.target.path, plan.before, plan.after)
    )
