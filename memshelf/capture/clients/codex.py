"""Codex: `mcp_servers` in config.toml, hooks beside it in hooks.json or in the same file."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .client import Client, Target, Wiring
from .entries import NAME, SHELF

SECONDS = 30
TOKENS = 7_500
"""Codex cuts what a hook says at 2,500 tokens of four bytes unless the hook asks for more: 10,000
UTF-16 units are at most 30,000 bytes."""


def _targets(scope: str, home: Path, project: Path, environ: Mapping[str, str]) -> list[Target]:
    named = environ.get("CODEX_HOME")
    folder = project / ".codex" if scope == "project" else Path(named) if named else home / ".codex"
    config, beside = folder / "config.toml", folder / "hooks.json"
    if beside.is_file():  # Codex warns where hooks stand in both
        return [Target(config, ("mcp_servers",)), Target(beside, hooks=True)]
    return [Target(config, ("mcp_servers",), hooks=True)]


def _server(wiring: Wiring) -> dict[str, Any]:
    command, *args = wiring.server
    return {"command": command, "args": args, "env": {SHELF: wiring.shelf}}


def _hook(wiring: Wiring) -> dict[str, Any]:
    joined = subprocess.list2cmdline if os.name == "nt" else shlex.join
    return {
        "type": "command",
        "command": joined(wiring.hook),
        "timeout": SECONDS,
        "additionalContextLimit": TOKENS,
    }


def _by_hand(wiring: Wiring, scope: str) -> str:
    if scope == "project":
        return ""
    words = ("codex", "mcp", "add", NAME, "--env", f"{SHELF}={wiring.shelf}")
    return shlex.join((*words, "--", *wiring.server))


def _next(scope: str) -> tuple[str, ...]:
    trusted = "Codex reads a project's .codex folder only where the project is trusted."
    return (
        "Start Codex anew. It runs a new hook only after you have reviewed it: `/hooks` there.",
        *((trusted,) if scope == "project" else ()),
    )


CODEX = Client("codex", "Codex", _targets, _server, _hook, _by_hand, _next)
