"""The browser of this machine, driven by Playwright: which one, what is lacking, started.

Playwright's own builds are never fetched: a test runs on what the system's packages installed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# No name but this machine leads anywhere: what slips past a page's policy reaches no network either.
OFFLINE = (
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--no-first-run",
)


def program() -> str | None:
    """The Chromium that MEMSHELF_CHROMIUM names, else the first of its family on the path."""
    named = os.environ.get("MEMSHELF_CHROMIUM")
    return next(filter(None, map(shutil.which, [named] if named else NAMES)), None)


def lacking() -> str:
    """What is missing for a browser and how to get it, or nothing."""
    if find_spec("playwright") is None:
        return "Playwright is not installed: pip install -e '.[dev]' brings it"
    if program():
        return ""
    named = os.environ.get("MEMSHELF_CHROMIUM")
    if named:
        return f"MEMSHELF_CHROMIUM names no program that runs: {named}"
    return "there is no Chromium: install it (Debian: chromium), or name one in MEMSHELF_CHROMIUM"


@contextmanager
def started(home: Path) -> Iterator[Browser]:
    """A browser without a window, with a home of its own."""
    from playwright.sync_api import sync_playwright

    environ = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program(), args=OFFLINE, env={**environ, "HOME": str(home)}
        )
        try:
            yield browser
        finally:
            browser.close()
