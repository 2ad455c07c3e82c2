"""The finished site of what leaves a shelf: its pages, built by MkDocs into a folder."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from ..domain.errors import ShelfError
from ..domain.finding import Finding
from ..domain.leaving import Leaving
from ..domain.publishing import Publishing
from ..domain.text import plural
from ..render.site_config import site_files
from ..storage.folder import fill
from ..storage.gitcall import plain
from ..storage.store import Store
from .site_build import broken_links, site_of

_PATIENCE = 3600.0
_SHOWN = 10


def built_site(store: Store, leaving: Leaving, folder: Path, url: str = "") -> None:
    """Write the site of what leaves into an empty folder; its feed needs the `url` of the site.

    The date of the newest episode stands for the clock, so that the same shelf gives the same files
    on any day. Raises ShelfError with what MkDocs said.
    """
    with tempfile.TemporaryDirectory(prefix="memshelf-source-") as name:
        source = Path(name).resolve()
        readers = Publishing.of(store.config).readers
        site = site_of(store, leaving.shelf, readers=readers, url=url)
        found = fill(source, site_files(site))
        if site.form.templates:
            _whole(broken_links(site, source / "docs", found))
        _build(source, folder, _epoch(leaving.shelf.as_of))


def _whole(broken: Iterable[Finding]) -> None:
    """Raise ShelfError for links that lead nowhere: our own pages have none."""
    if found := [*broken]:
        said = "\n".join(f"{one.where}: {one.message}" for one in found[:_SHOWN])
        more = f"\nand {len(found) - _SHOWN:,} more" if found[_SHOWN:] else ""
        raise ShelfError(
            f"The shelf's own templates make {plural(len(found), 'link')} that lead nowhere.\n{said}{more}",
            "Mend templates/site/ on the shelf; nothing was published.",
            "broken-link",
        )


def _build(source: Path, folder: Path, epoch: str) -> None:
    command = [
        sys.executable,
        "-P",  # the current folder may be a shelf of a stranger: nothing is imported from it
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "-f",
        str(source / "mkdocs.yml"),
    ]
    env = os.environ | {"SOURCE_DATE_EPOCH": epoch, "NO_MKDOCS_2_WARNING": "1"}
    try:
        ran = subprocess.run(
            [*command, "-d", str(folder)],
            capture_output=True,
            check=False,
            env=env,
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired:
        said = f"MkDocs did not end within {_PATIENCE:g} s and was stopped."
        raise ShelfError(said, "Publish a smaller part of the shelf.", "site-failed") from None
    if ran.returncode:
        said = plain(ran.stderr.decode("utf-8", "replace"))
        fix = (
            "Build it by hand to see more: memshelf export site ../site, then the command it names."
        )
        raise ShelfError(f"MkDocs could not build the site; it said: {said}", fix, "site-failed")


def _epoch(day: str) -> str:
    """The seconds at which a day begins; of a shelf without dates, the first."""
    try:
        return str(int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()))
    except ValueError:
        return "0"
