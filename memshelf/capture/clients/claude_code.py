"""Claude Code: `mcpServers` in .claude.json or .mcp.json, hooks in settings.json."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .client import Client, Target, Wiring
from .entries import EVENT, NAME, SHELF

SECONDS = 30
"""How long the hook may take; the first reading of a large shelf takes some."""


def _targets(scope: str, home: Path, project: Path, environ: Mapping[str, str]) -> list[Target]:
    if scope == "project":
        settings = project / ".claude" / "settings.json"
        return [
            Target(project / ".mcp.json", ("mcpServers",)),
            Target(settings, hooks=True),
        ]
    named = environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(named) if named else home / ".claude"
    legacy = folder / ".config.json"
    servers = legacy if legacy.is_file() else (Path(named) if named else home) / ".claude.json"
    return [
        Target(servers, ("mcpServers",), others=("projects", "mcpServers")),
        Target(folder / "settings.json", hooks=True),
    ]


def _server(wiring: Wiring) -> dict[str, Any]:
    command, *args = wiring.server
    return {"type": "stdio", "command": command, "args": args, "env": {SHELF: wiring.shelf}}


def _hook(wiring: Wiring) -> dict[str, Any]:
    command, *args = wiring.hook
    if os.name == "nt":  # its shell may be bash or PowerShell there; this form needs none
        return {"type": "command", "command": command, "args": args, "timeout": SECONDS}
    return {"type": "command", "command": shlex.join(wiring.hook), "timeout": SECONDS}


def _by_hand(wiring: Wiring, scope: str) -> str:
    words = ("claude", "mcp", "add", "--scope", scope, NAME, "--env", f"{SHELF}={wiring.shelf}")
    return shlex.join((*words, "--", *wiring.server))


def _next(scope: str) -> tuple[str, ...]:
    shared = (
        "Claude Code asks once whether the project's server may start. The paths in both files hold "
        "on this machine only: think before you commit them.",
    )
    return (
        "Start Claude Code anew; `/mcp` shows memshelf as connected, and a new session begins "
        f"with the index (the {EVENT} hook).",
        *(shared if scope == "project" else ()),
    )


CLAUDE_CODE = Client("claude-code", "Claude Code", _targets, _server, _hook, _by_hand, _next)
