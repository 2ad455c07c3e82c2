"""The pages of a shelf's site, for whoever puts them somewhere: a folder, MkDocs, a pages branch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..domain.choosing import visibility
from ..domain.errors import ShelfError
from ..domain.page import Page
from ..domain.sayings import sayings
from ..domain.shelf import Shelf
from ..storage.store import Store
from .rendering import own_chart

if TYPE_CHECKING:
    from ..domain.entry import Entry
    from ..domain.finding import Finding
    from ..render.site import Form, Readers, Site
    from ..render.site_episode import Said
    from ..render.site_frame import Memory
    from ..storage.folder import Filled


def site_of(
    store: Store,
    shelf: Shelf,
    *,
    directory_urls: bool = False,
    readers: Readers = "public",
    rev: str = "",
    url: str = "",
) -> Site:
    """The site of a snapshot that is cut to what its `readers` may see."""
    from ..render.site import Form, Site
    from .bodies import kept_bodies

    own = store.root / "templates"
    chart = own_chart(store) if readers == "owner" and not rev else ""
    form = Form(directory_urls, own if own.is_dir() else None, readers, url, chart)
    default = shelf.config.visibility
    levels = {entry.path: visibility(entry, default) for entry in shelf.entries if form.insiders}
    newest = shelf.entries[::-1]
    memory = None if rev or form.templates or not shelf.contents else _memory(store, shelf, form)
    bodies = kept_bodies(store, shelf, newest, rev)
    return Site(shelf, bodies, said_in(shelf), form, levels, memory)


def _memory(store: Store, shelf: Shelf, form: Form) -> Memory:
    """What the last site of this kind left in the cache, and where this one leaves what it makes."""
    from ..render.bodies import version
    from ..render.site_frame import Memory
    from ..storage.fragments import Fragments
    from ..storage.glance import program_places
    from ..storage.marks import marks
    from ..storage.remembered import Remembered, of_each

    kind = f"site {form.readers} {form.directory_urls:d}{bool(form.url):d}"
    made = f"{marks(program_places())[0].hex()} {version()} {form.url}"
    parts = [made, repr(shelf.config), repr(shelf.problems), repr(shelf.recalls), repr(shelf.files)]
    parts += [str(shelf.changes.available), *of_each(store.cache, "site faces", shelf, _face)]
    parts += [entry.path for entry in shelf.entries]
    frame = Remembered(store.cache, f"{kind} frame", _hashed("\0".join(parts)))
    pages = Fragments(store.cache, "1", "pages", str)
    return Memory(frame, pages, shelf.contents, kind, _hashed(made), 4 * len(shelf.entries))


def _face(entry: Entry) -> str:
    """What the lists of a site show of an episode."""
    from ..render.face import face

    return f"{face(entry)} {bool(entry.digest.strip()):d} {entry.description}"


def lost_past(shelf: Shelf) -> str:
    """What a build says of a history that is not whole, "" of one that is."""
    past = shelf.changes
    if past.begins:
        return (
            f"The clone is shallow: history begins on {past.begins}, and so do the pages that tell of "
            "it. `git fetch --unshallow` brings the rest (in a workflow, fetch-depth: 0)."
        )
    return f"{past.why} Pages that tell of the past are left out." if past.why else ""


def broken_links(site: Site, docs: Path, found: Filled) -> Iterator[Finding]:
    """Links that lead nowhere, of the pages that were written now into a folder."""
    from ..render.site_links import broken

    def text(path: str) -> str:
        return (docs / path).read_text("utf-8")

    paths = [path.removeprefix("docs/") for path in found.files if path.startswith("docs/")]
    urls = {site.places.url(path): path for path in paths}
    now = (path.removeprefix("docs/") for path in found.written if path.endswith(".md"))
    return broken((Page(path, text(path)) for path in now), urls, text)


def said_in(shelf: Shelf) -> Said:
    """The sentences in which episodes of a snapshot name others, read when they are asked for."""

    @cache
    def of(name: str) -> dict[str, str]:
        try:
            return sayings(shelf.load(shelf.by_id[name].path))
        except (ShelfError, LookupError):  # its file has gone by now
            return {}

    return lambda source, target: of(source).get(target, "")


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
