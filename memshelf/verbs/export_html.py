"""Export the shelf as one HTML file, for reading on a phone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ..domain.errors import EpisodeNotFound, ShelfError
from ..domain.shelf import left_out
from ..domain.text import plural
from ..storage import files
from ..storage.store import Store
from ..verb import CommandLineOnly, Flag, verb


@dataclass(frozen=True)
class Exported:
    """The file that was written, and what is in it; `text` is the page where no file was named."""

    path: str
    bytes: int
    episodes: int
    text: str = ""
    problems: tuple[str, ...] = ()

    @property
    def hint(self) -> str:
        """What is not in the page."""
        return f"memshelf: {left_out(self.problems)}" if self.problems else ""

    def __str__(self) -> str:
        if self.text:
            return self.text
        return f"wrote {self.path}: {plural(self.episodes, 'episode')}, {self.bytes:,} bytes"


@verb(name="export html", mcp=False)
def export_html(
    store: Store,
    *,
    episodes: Annotated[Sequence[str], "Only these episodes.", Flag("--episode")] = (),
    all: Annotated[bool, "Every episode [default].", CommandLineOnly()] = True,
    out: Annotated[Path | None, "The file to write; else the page is printed."] = None,
) -> Exported:
    """Export the shelf as one HTML file, for reading on a phone.

    Self-contained: no script, no request to any network. Archived episodes are in it.

    Example:
    memshelf export html --out shelf.html
    memshelf export html --episode 2026-01-20-token-bucket-limiter --out one.html
    """
    from ..render.html import html

    shelf = store.read()
    ids = tuple(_named(store, name) for name in episodes)
    page = html(shelf, whole=all and not ids, only=ids)
    count = len(ids) if ids else len(shelf.entries) if all else 0
    if out is None:
        return Exported("", len(page.raw), count, page.raw.decode("utf-8"), shelf.unread)
    out = Path(out)
    _refuse_inside(store, out)
    try:
        files.replace(out.absolute(), page.raw)
    except OSError as trouble:
        raise files.sentence(trouble, out) from None
    return Exported(str(out), len(page.raw), count, problems=shelf.unread)


def _named(store: Store, name: str) -> str:
    found = store.read().by_id.get(name.removesuffix(".md"))
    if found is None:
        raise EpisodeNotFound(name, store.near(name))
    return found.id


def _refuse_inside(store: Store, out: Path) -> None:
    """A page must not overwrite the shelf's own sources, nor land in git's folder."""
    files.within_workspace(out.absolute().parent)
    root, target = store.root.resolve(), out.resolve()
    if not target.is_relative_to(root):
        return
    inside = target.relative_to(root)
    ours = inside.parts[0] in ("docs", "archive", ".git", "templates")
    if ours or target.suffix.lower() not in (".html", ".htm"):
        said = f"{out} lies among the shelf's own files."
        raise ShelfError(
            said, "Name a file outside the shelf, or one ending in .html.", "unsafe-path"
        )
