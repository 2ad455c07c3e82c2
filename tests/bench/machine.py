"""What the numbers depend on: the machine, the programs, how busy it was. No names, no paths."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import time
from pathlib import Path

from .world import World


def facts(world: World) -> dict[str, str]:
    """The facts by name, in the order in which they are shown."""
    found = {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "git": _said("git", "--version").removeprefix("git version "),
        "memshelf": _said(*world.ours.cli, "--version").removeprefix("memshelf "),
    }
    if world.peer:
        version = _said(*world.peer.cli, "--version").removeprefix("memshelf ")
        found["memshelf-mcp"] = f"{version}, on Python {_said(world.peer.python, '--version')[7:]}"
    return found | {"browser": _browser()}


def today() -> str:
    """The date of a measurement."""
    return time.strftime("%Y-%m-%d")


def load() -> float | None:
    """How many processes wanted the processor in the last minute, where the system tells."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        found = re.search(
            r"^(?:model name|Model)\s*:\s*(.+)$", info.read_text("utf-8"), re.MULTILINE
        )
        if found:
            return found[1].strip()
    if platform.system() == "Darwin":
        return _said("sysctl", "-n", "machdep.cpu.brand_string") or platform.machine()
    return platform.processor() or platform.machine()


def _browser() -> str:
    """Which browser opens pages, or why none does."""
    from ..browser import chromium

    lack = chromium.lacking()
    return (
        f"none: {lack}" if lack else _said(str(chromium.program()), "--version").split(" built ")[0]
    )


def _said(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()
