"""Export the shelf as one HTML file, under the peer's name and with its flags."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..storage.store import Store
from ..verb import verb
from .choosing import Ids
from .export_html import Exported, export_html


@verb(mcp=False)
def mirror(
    store: Store,
    *,
    ids: Ids = (),
    all: Annotated[bool, "Every episode; else the index alone."] = False,
    out: Annotated[Path | None, "The file to write; else the page is printed."] = None,
) -> Exported:
    """Export the shelf as one HTML file, under the peer's name and with its flags.

    The same page as `export html`, which has more to choose from. Without --all or an episode it is
    the index alone.

    Example:
    memshelf mirror --all --out shelf.html
    memshelf mirror --episode 2026-01-20-token-bucket-limiter --out one.html
    """
    made: Exported = export_html(store, ids=ids, index_only=not (all or ids), out=out)
    return made
