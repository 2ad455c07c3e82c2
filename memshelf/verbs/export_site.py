"""Export the shelf as the pages of a site, which MkDocs builds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ..domain.shelf import Shelf, left_out
from ..domain.text import plural
from ..storage.store import Store
from ..verb import Rev, verb
from .site_build import site_of
from .writing_out import refuse_folder

if TYPE_CHECKING:
    from ..domain.page import Page
    from ..render.site import Site


@dataclass(frozen=True)
class SiteWritten:
    """What the folder holds now, and how many of its files are new or changed, or gone."""

    path: str
    episodes: int
    files: int
    written: int
    removed: int
    problems: tuple[str, ...] = ()

    @property
    def hint(self) -> str:
        """What is not on the pages, and how to go on."""
        rows = [f"memshelf: {left_out(self.problems)}"] if self.problems else []
        return "\n".join(
            [*rows, f"Build it: mkdocs build --strict -f {Path(self.path) / 'mkdocs.yml'}"]
        )

    def __str__(self) -> str:
        gone = f", {self.removed:,} removed" if self.removed else ""
        return (
            f"wrote {self.path}: {plural(self.episodes, 'episode')}, {plural(self.files, 'file')} "
            f"({self.written:,} new or changed{gone})"
        )


@verb(name="export site", mcp=False, watch=True)
def export_site(
    store: Store,
    out: Annotated[Path, "The folder to fill."],
    *,
    site_url: Annotated[str, "Where the site will stand, for its feed: https://..."] = "",
    rev: Rev = "",
) -> SiteWritten:
    """Export the shelf as the pages of a site, which MkDocs builds.

    Markdown pages and a mkdocs.yml that needs no plugin and no network: `mkdocs build --strict -f
    ../site/mkdocs.yml` builds it, Zensical too. A second export writes only what changed and removes
    what has gone.

    Example:
    memshelf export site ../site
    memshelf export site ../site --site-url https://example.org/memory/
    """
    from ..storage.folder import fill

    folder = Path(out)
    refuse_folder(store, folder)
    shelf = store.read(rev, bodied=True, history=True)
    site = site_of(store, shelf, private=True, rev=rev, url=site_url)
    found = fill(folder.absolute(), _files(shelf, site, site_url))
    return SiteWritten(
        *(str(folder), len(shelf.entries), found.files, len(found.written), len(found.removed)),
        shelf.unread,
    )


def _files(shelf: Shelf, site: Site, site_url: str) -> Iterator[Page]:
    """Everything in the folder: the pages, what stands beside them, and the settings."""
    from ..render.site_config import site_config

    there = []
    for page in chain(site.assets(), site.pages()):
        there.append(page.path)
        yield page._replace(path=f"docs/{page.path}")
    yield site_config(shelf, there, site_url)
