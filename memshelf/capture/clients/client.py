"""A client: where its configuration lies, what memshelf's entries look like there, and the edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from . import connect, json_text, toml_text
from .draft import Draft
from .draft import Path as Keys
from .entries import runs_memshelf, shelf_of


class Wiring(NamedTuple):
    """What a client is to start: the words of the server and of the hook, and the shelf's path."""

    server: tuple[str, ...]
    hook: tuple[str, ...]
    shelf: str


class Target(NamedTuple):
    """A file of a client's configuration, and what of memshelf belongs into it.

    `servers` is the path of its table of servers, () for none. `others` are two keys around a name:
    tables for one project each, whose entries are brought up to date.
    """

    path: Path
    servers: Keys = ()
    hooks: bool = False
    others: Keys = ()


class Client(NamedTuple):
    """An agent's program that memshelf can be connected to."""

    name: str
    title: str
    targets: Callable[[str, Path, Path, Mapping[str, str]], list[Target]]
    server: Callable[[Wiring], dict[str, Any]]
    hook: Callable[[Wiring], dict[str, Any]]
    by_hand: Callable[[Wiring, str], str]
    next_steps: Callable[[str], tuple[str, ...]]


def connected(
    client: Client, target: Target, text: str, wiring: Wiring
) -> tuple[str, connect.Before]:
    """A file's text with memshelf in it, and what was replaced. Raises OddConfig."""
    form = _form(target)
    draft, entry = Draft(form.read(text)), client.server(wiring)
    befores = []
    if target.servers:
        befores.append(connect.connect_server(draft, target.servers, entry))
    for table in _other_tables(draft, target):
        befores.append(connect.renew_servers(draft, table, entry))
    if target.hooks:
        befores.append(connect.connect_hook(draft, client.hook(wiring)))
    servers = tuple(pair for before in befores for pair in before.servers)
    hooks = tuple(group for before in befores for group in before.hooks)
    return (form.edited(text, draft) if draft.edits else text), connect.Before(servers, hooks)


def disconnected(target: Target, text: str, before: connect.Before) -> str:
    """A file's text without memshelf, and with what it replaced. Raises OddConfig."""
    form = _form(target)
    draft = Draft(form.read(text))
    connect.disconnect(draft, target.servers, before)
    return form.edited(text, draft) if draft.edits else text


def shelf_named(target: Target, text: str) -> str:
    """The shelf that an entry for memshelf in a file names, "" where none does."""
    draft = Draft(_form(target).read(text))
    entries = draft.mapping(target.servers).values() if target.servers else ()
    named = (shelf_of(entry) for entry in entries if runs_memshelf(entry))
    return next(filter(None, named), "")


def remarks(target: Target, text: str) -> tuple[str, ...]:
    """What a person should know of a file that memshelf leaves as it is in this respect."""
    return connect.remarks(_form(target).read(text)) if target.hooks else ()


def _form(target: Target) -> Any:
    return toml_text if target.path.suffix == ".toml" else json_text


def _other_tables(draft: Draft, target: Target) -> list[Keys]:
    if not target.others:
        return []
    outer, inner = target.others
    return [(outer, name, inner) for name in draft.mapping((outer,))]


def commands(target: Target, text: str) -> list[str]:
    """The programs that the entries for memshelf in a file start, each once."""
    draft = Draft(_form(target).read(text))
    entries = draft.mapping(target.servers).values() if target.servers else ()
    return list(dict.fromkeys(str(e["command"]) for e in entries if runs_memshelf(e)))
