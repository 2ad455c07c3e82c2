"""Export the shelf as the pages of a site, which MkDocs builds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ..domain.errors import UsageError
from ..domain.finding import left_out
from ..domain.page import Page
from ..domain.text import plural
from ..storage import exports
from ..storage.store import Store
from ..verb import Rev, verb
from .choosing import For
from .leaving import outgoing
from .site_build import broken_links, lost_past, site_of
from .writing_out import refuse_folder

if TYPE_CHECKING:
    from ..domain.finding import Finding


_PRIVATE = "It is as private as the shelf: `memshelf publish` is for others, or --for public."


@dataclass(frozen=True)
class SiteWritten:
    """What the folder holds now, and how many of its files are new or changed, or gone."""

    path: str
    episodes: int
    files: int
    written: int
    removed: int
    problems: tuple[str, ...] = ()
    private: bool = True
    broken: tuple[Finding, ...] = ()
    feed: bool = False
    history: str = ""

    @property
    def hint(self) -> str:
        """What is not on the pages, who may read them, and how to go on."""
        from ..render.feed import NONE

        rows = [f"memshelf: {left_out(self.problems)}"] if self.problems else []
        rows += [_PRIVATE] if self.private else []
        rows += map(str, self.broken)
        rows += [self.history] if self.history else []
        rows += [] if self.feed else [NONE.format("--site-url")]
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
    for_: For = None,
    site_url: Annotated[str, "Where the site will stand, for its feed: https://..."] = "",
    rev: Rev = "",
) -> SiteWritten:
    """Export the shelf as the pages of a site, which MkDocs builds.

    Markdown pages and a mkdocs.yml that needs no plugin and no network: `mkdocs build --strict -f
    ../site/mkdocs.yml` builds it, Zensical too. A second export writes only what changed and removes
    what has gone.

    Example:
    memshelf export site ../site
    memshelf export site ../site --for public --site-url https://example.org/memory/
    """
    from ..render.feed import has_feed
    from ..render.site_config import site_files
    from ..storage.folder import fill

    if site_url and not has_feed(site_url):
        said = f"{site_url!r} is no address of the web."
        raise UsageError(said, "Write --site-url https://example.org/memory/, or leave it out.")
    folder = Path(out)
    refuse_folder(store, folder)
    going = outgoing(store, for_, rev, history=True)
    site = site_of(store, going.shelf, readers=for_ or "owner", rev=rev, url=site_url)
    pages: Iterable[Page] = site_files(site)
    if for_:
        pages = list(pages)
        going.check(pages)
    found = fill(folder.absolute(), pages)
    exports.note(store.root, folder)
    return SiteWritten(
        *(str(folder), len(going.shelf.entries)),
        *(len(found.files), len(found.written), len(found.removed)),
        problems=going.shelf.unread,
        private=for_ is None,
        broken=tuple(broken_links(site, folder / "docs", found)),
        feed=has_feed(site_url),
        history=lost_past(going.shelf),
    )
