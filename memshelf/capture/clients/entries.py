"""What of memshelf stands in a configuration: servers, whatever their name, and start hooks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PureWindowsPath
from typing import Any

from .draft import Draft, Path

NAME = "memshelf"
SHELF = "MEMSHELF_SHELF_PATH"
EVENT = "SessionStart"
MATCHER = "startup|resume|clear|compact"
HOOKS: Path = ("hooks", EVENT)

_PEER = re.compile(r"memshelf[-_]mcp", re.IGNORECASE)
_STARTER = re.compile(r"uvx?|pipx|py|pythonw?[\d.]*|env|bash|zsh|sh|cmd", re.IGNORECASE)
_PACKAGE = re.compile(r"(git\+\S+/)?memshelf([-_]mcp)?(\.git|\.\w+|\[[\w,-]+\])*([@=<>~!]\S*)?")
_OUR_HOOK = re.compile(rf"memshelf\b.*\bhook\W+{EVENT}\b", re.DOTALL)
_PEER_HOOK = re.compile(
    r"memshelf.*session[-_]?start[\w-]*\.\w+|session-start-index\.sh", re.DOTALL | re.IGNORECASE
)


def runs_memshelf(entry: Any) -> bool:
    """Whether a server's entry starts memshelf, ours or the old one.

    >>> runs_memshelf({"command": "uvx", "args": ["memshelf-mcp==0.4.0"]})
    True
    >>> runs_memshelf({"command": "uvx", "args": ["mcp-server-git", "/src/memshelf-mcp"]})
    False
    """
    words = _words(entry)
    if not words:
        return False
    program, rest = PureWindowsPath(words[0]).stem.lower(), words[1:]
    serves = "serve" in rest
    if _PEER.fullmatch(program) or (program == NAME and serves):
        return True
    if not _STARTER.fullmatch(program.removesuffix(".exe")):
        return False
    names = [word for word in rest if _PACKAGE.fullmatch(word)]
    script = bool(rest) and _PEER.search(PureWindowsPath(rest[0]).stem) is not None
    by_path = script and not program.startswith(("uv", "pipx"))
    return by_path or any(serves or _PEER.search(name) for name in names)


def _words(entry: Any) -> list[str]:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("command"), str):
        return []
    given = entry.get("args")
    args = [str(word) for word in given] if isinstance(given, list) else []
    return [entry["command"], *(part for word in args for part in word.split())]


def shelf_of(entry: Mapping[str, Any]) -> str:
    """The shelf that a server's entry names, "" where it names none."""
    env = entry.get("env")
    named = env.get(SHELF) if isinstance(env, Mapping) else None
    if isinstance(named, str):
        return named
    args = entry.get("args")
    if isinstance(args, list) and "--shelf" in args[:-1]:
        return str(args[args.index("--shelf") + 1])
    return ""


def hook_text(handler: Any) -> str:
    """The command of a hook, with its arguments, as one text."""
    if not isinstance(handler, Mapping):
        return ""
    args = handler.get("args")
    words = [handler.get("command"), *(args if isinstance(args, list) else [])]
    return " ".join(str(word) for word in words if word)


def is_ours(handler: Any) -> bool:
    """Whether a hook calls `memshelf hook SessionStart`."""
    return _OUR_HOOK.search(hook_text(handler)) is not None


def is_memshelf(handler: Any) -> bool:
    """Whether a hook is ours, or the old adapter's script for the start of a session."""
    return is_ours(handler) or _PEER_HOOK.search(hook_text(handler)) is not None


def groups(draft: Draft) -> Iterator[tuple[int, Mapping[str, Any], list[Any]]]:
    """The groups of start hooks: number, group, and its hooks."""
    for number, group in enumerate(draft.items(HOOKS)):
        hooks = group.get("hooks") if isinstance(group, Mapping) else None
        if isinstance(hooks, list) and hooks:
            yield number, group, hooks
