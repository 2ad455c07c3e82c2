"""The pages of a shelf's site, for whoever puts them somewhere: a folder, MkDocs, a pages branch."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ..domain.choosing import visibility
from ..domain.errors import ShelfError
from ..domain.sayings import sayings
from ..domain.shelf import Shelf
from ..storage.store import Store
from .rendering import own_chart

if TYPE_CHECKING:
    from ..render.site import Site
    from ..render.site_episode import Said


def site_of(
    store: Store,
    shelf: Shelf,
    *,
    directory_urls: bool = False,
    private: bool = False,
    rev: str = "",
    url: str = "",
) -> Site:
    """The site of a snapshot that is cut to what its readers may see.

    With `private` its readers are those of the shelf itself: they see levels and problems.
    """
    from ..render.site import Form, Site
    from .bodies import kept_bodies

    own = store.root / "templates"
    chart = own_chart(store) if private and not rev else ""
    form = Form(directory_urls, own if own.is_dir() else None, private, url, chart)
    default = shelf.config.visibility
    levels = {entry.path: visibility(entry, default) for entry in shelf.entries if private}
    newest = shelf.entries[::-1]
    return Site(shelf, kept_bodies(store, shelf, newest, rev), said_in(shelf), form, levels)


def said_in(shelf: Shelf) -> Said:
    """The sentences in which episodes of a snapshot name others, read when they are asked for."""

    @cache
    def of(name: str) -> dict[str, str]:
        try:
            return sayings(shelf.load(shelf.by_id[name].path))
        except (ShelfError, LookupError):  # its file has gone by now
            return {}

    return lambda source, target: of(source).get(target, "")
