"""Connecting a client to memshelf, and taking that back: from a draft to its edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .draft import Draft, Path
from .entries import (
    HOOKS,
    MATCHER,
    NAME,
    SHELF,
    groups,
    is_memshelf,
    is_ours,
    runs_memshelf,
    shelf_of,
)

_OWN_KEYS = frozenset(
    "type command args env enabled disabled url headers http_headers env_http_headers "
    "bearer_token_env_var".split()
)
"""Settings of an entry that say what is started, or reached: these are replaced."""


class Before(NamedTuple):
    """What was replaced: servers by path (None where there was none), and groups of hooks."""

    servers: tuple[tuple[Path, Any], ...] = ()
    hooks: tuple[Any, ...] = ()


def connect_server(draft: Draft, table: Path, entry: Mapping[str, Any]) -> Before:
    """Let `memshelf` in a table of servers be this entry, and no other entry start memshelf.

    Others that start it for the same shelf are taken away. One for another shelf keeps its name and
    its shelf, and gets this command. Settings beside the command stay.
    """
    servers = dict(draft.mapping(table))
    before: list[tuple[Path, Any]] = []
    for name, old in servers.items():
        if name == NAME or not runs_memshelf(old):
            continue
        before.append(((*table, name), old))
        if shelf_of(old) in ("", shelf_of(entry)):
            draft.drop((*table, name))
        else:
            draft.put((*table, name), _merged(old, entry, shelf_of(old)))
    before.append(((*table, NAME), servers.get(NAME)))
    draft.put((*table, NAME), _merged(servers.get(NAME), entry, shelf_of(entry)))
    return _changed(draft, before)


def renew_servers(draft: Draft, table: Path, entry: Mapping[str, Any]) -> Before:
    """Give every entry of a table that starts memshelf this command; none is added."""
    before = [
        ((*table, name), old) for name, old in draft.mapping(table).items() if runs_memshelf(old)
    ]
    for path, old in before:
        draft.put(path, _merged(old, entry, shelf_of(old) or shelf_of(entry)))
    return _changed(draft, before)


def _changed(draft: Draft, before: list[tuple[Path, Any]]) -> Before:
    return Before(tuple((path, old) for path, old in before if draft.at(path) != old))


def _merged(old: Any, entry: Mapping[str, Any], shelf: str) -> dict[str, Any]:
    """The new command for this shelf, with the other settings and variables of the old entry."""
    kept = old if isinstance(old, Mapping) else {}
    variables = kept.get("env")
    env = variables if isinstance(variables, Mapping) else {}
    made = {**entry, "env": {**env, **entry.get("env", {}), SHELF: shelf}}
    return {**made, **{key: value for key, value in kept.items() if key not in _OWN_KEYS}}


def connect_hook(draft: Draft, handler: Mapping[str, Any]) -> Before:
    """Let one hook at the start of a session be memshelf's, in the place of those before it."""
    draft.mapping(HOOKS[:1])
    place = next((n for n, _, hooks in groups(draft) if all(map(is_memshelf, hooks))), None)
    taken = _take_hooks(draft, is_memshelf, but=place)
    place = len(draft.items(HOOKS)) if place is None else place
    draft.put((*HOOKS, place), {"matcher": MATCHER, "hooks": [dict(handler)]})
    return Before((), tuple(taken))


def _take_hooks(draft: Draft, wanted: Callable[[Any], bool], but: int | None = None) -> list[Any]:
    """Take hooks away, and their groups with them, `but` one group that will be overwritten.

    Gives those that are not ours, each in a group like its own.
    """
    found = [(n, g, hooks) for n, g, hooks in groups(draft) if any(map(wanted, hooks))]
    for number, _, hooks in reversed(found):
        if all(map(wanted, hooks)):
            if number != but:
                draft.drop((*HOOKS, number))
            continue
        for place in reversed([n for n, hook in enumerate(hooks) if wanted(hook)]):
            draft.drop((*HOOKS, number, "hooks", place))
    return [
        {**group, "hooks": others}
        for _, group, hooks in found
        if (others := [hook for hook in hooks if wanted(hook) and not is_ours(hook)])
    ]


def disconnect(draft: Draft, table: Path, before: Before) -> None:
    """Take memshelf's entry and hook away, and put back what they replaced."""
    servers = dict(before.servers)
    if table:
        servers.setdefault((*table, NAME), None)
    for path, old in servers.items():
        now = draft.at(path)
        if now is not None and not runs_memshelf(now):
            continue  # somebody made another entry of it since
        if old is None:
            draft.drop(path)
        elif path[:-1] == table or draft.at(path[:-1]) is not None:
            draft.put(path, old)
    _take_hooks(draft, is_ours)
    for group in before.hooks:
        draft.put((*HOOKS, len(draft.items(HOOKS))), group)
    draft.tidy(HOOKS, HOOKS[:1], table)


def remarks(data: Mapping[str, Any]) -> tuple[str, ...]:
    """What of the old system stays in a configuration although it is no entry and no start hook."""
    plugins, events = data.get("enabledPlugins"), data.get("hooks")
    named = [
        f"The plugin {name} is still enabled and puts an index of its own into every session: "
        f"disable it with `claude plugin disable {name}`."
        for name, on in (plugins.items() if isinstance(plugins, Mapping) else ())
        if on and "memshelf" in name
    ]
    pushes = isinstance(events, Mapping) and "autopush.sh" in str(events)
    left = "A hook that calls the old adapter's autopush.sh stays: it pushes, and writes nothing."
    return (*named, *((left,) if pushes and "memshelf" in str(events) else ()))
