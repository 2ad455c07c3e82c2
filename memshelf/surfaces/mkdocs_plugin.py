"""The MkDocs plugin `memshelf`: a shelf as part of any MkDocs site. It writes no file into its tree.

The pages are those of `export site`. What MkDocs would have shown of the shelf's own files is taken
out. Only `mkdocs serve`, which stays on this machine, shows what is private: whatever is built holds
what [publish] lets leave, and the guard reads all of it before the build may end well.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
import shutil
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from mkdocs.config import config_options as options
from mkdocs.config.base import Config
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel

from ..domain.config import MANIFEST as SHELF
from ..domain.config import SETTINGS
from ..domain.errors import ShelfError
from ..domain.finding import left_out
from ..domain.publishing import Publishing
from ..render import feed, site_places
from ..render.left import NAME as MANIFEST
from ..render.site_config import LISTED, nav
from ..render.site_form import parted, whole
from ..render.site_links import broken
from ..storage.store import Store
from ..verbs.leaving import Outgoing, cut
from ..verbs.publishing import read_folder, to_read, with_manifest
from ..verbs.site_build import lost_past, site_of
from ..verbs.themes import theme_files, theme_words

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.pages import Page as MkPage

    from ..domain.page import Page
    from ..domain.shelf import Shelf
    from ..render.site import Site

_log = get_plugin_logger("memshelf")
_LINK = re.compile(r"\]\(([^()\s#]+\.md)(?=[#)])")
_SOURCES = ("docs", "archive", "retros", "templates")
_SETTINGS = (SHELF, SETTINGS)


class ShelfOptions(Config):  # type: ignore[no-untyped-call]
    """What stands below the plugin's name in mkdocs.yml."""

    shelf = options.Type(str, default=".")
    at = options.Optional(options.Type(str))


class ShelfPlugin(BasePlugin[ShelfOptions]):  # type: ignore[no-untyped-call]
    """Adds the pages of a shelf to the files of a site."""

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Remember whether the pages stay on this machine."""
        self._serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Make sure of what our pages need."""
        from ..render.site import SCRIPT, STYLE

        if "attr_list" not in config.markdown_extensions:
            config.markdown_extensions.append("attr_list")
        self._root = (Path(config.config_file_path or ".").parent / self.config.shelf).resolve()
        docs = Path(config.docs_dir).resolve()
        inside = self._root.relative_to(docs).as_posix() if self._root.is_relative_to(docs) else ""
        at = inside if self.config.at is None else self.config.at.strip("/")
        at = posixpath.normpath(at.replace("\\", "/"))
        first = at.split("/")[0]
        if first == ".." or ":" in first:  # no guard reads what stands outside of the site
            said = f"memshelf: at: {self.config.at} is no folder of the site."
            raise PluginError(f"{said} Name one in it, such as memory.")
        self._under = f"{at}/" if at != "." else ""
        for names, path in ((config.extra_css, STYLE), (config.extra_javascript, SCRIPT)):
            if self._under + path not in names:
                names.append(self._under + path)
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Take the shelf's own files out, and put its pages in."""
        named = _named(config)
        for file in list(files):
            if file.src_uri not in named and self._own(file, Path(config.docs_dir).resolve()):
                files.remove(file)
        try:
            pages = self._pages(config, files)
        except ShelfError as trouble:
            raise PluginError(f"memshelf: {trouble}") from None
        self._blocks: dict[str, list[str]] = {}
        for page in pages:
            path, data = self._under + page.path, page.data
            if files.get_file_from_path(path) is not None:
                _log.info("%s is the site's own; the shelf's page of that name is left out.", path)
                continue
            listed = config.nav is None and page.path in LISTED
            level = InclusionLevel.INCLUDED if listed else InclusionLevel.NOT_IN_NAV
            if isinstance(data, str) and path.endswith(".md"):
                data, self._blocks[path] = parted(data)
            files.append(File.generated(config, path, content=data, inclusion=level))
        if config.nav is None and not self._under:
            config.nav = nav(page.path for page in pages)
        return files

    def on_page_markdown(
        self, markdown: str, *, page: MkPage, config: MkDocsConfig, files: Files
    ) -> str:
        """Lead links of other pages to the shelf's own files, right on a git host, to their pages."""
        if not self._moved:
            return markdown
        folder = posixpath.dirname(page.file.src_uri)

        def led(found: re.Match[str]) -> str:
            target = posixpath.normpath(posixpath.join(folder, unquote(found[1])))
            there = self._moved.get(target)
            return f"]({quote(posixpath.relpath(there, folder or '.'))}" if there else found.group()

        return _LINK.sub(led, markdown)

    @event_priority(100)  # other plugins see the page whole
    def on_page_content(
        self, html: str, *, page: MkPage, config: MkDocsConfig, files: Files
    ) -> str:
        """Put the parts of our pages that are HTML already where they belong."""
        return whole(html, self._blocks.pop(page.file.src_uri, ()))

    @event_priority(-100)  # what other plugins write leaves too
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Guard the finished site, and put the manifest of what left into it.

        Where something in it must not leave, it is taken away again.
        """
        if self._serving:
            return
        folder = Path(config.site_dir)
        try:
            files = with_manifest(self._going.shelf, read_folder(folder))
            for found in self._going.check(to_read(files), "The site was removed."):
                _log.info(str(found))
            (folder / MANIFEST).write_bytes(files[MANIFEST])
        except BaseException as trouble:  # also where somebody ends it: nobody has looked at it yet
            _emptied(folder)
            if isinstance(trouble, ShelfError):
                raise PluginError(f"memshelf: {trouble}") from None
            raise

    def on_serve(self, server: LiveReloadServer, /, **_: Any) -> LiveReloadServer:
        """Build again when an episode is new, or the shelf is set up in another way."""
        for name in (*_SOURCES, *_SETTINGS):
            if (self._root / name).exists():
                server.watch(str(self._root / name))
        return server

    # --- the shelf -----------------------------------------------------------------------------

    def _pages(self, config: MkDocsConfig, files: Files) -> list[Page]:
        with closing(Store.open(self._root)) as store:
            shelf = store.read(bodied=True, history=True)
            self._warn(shelf)
            self._going = self._cut(store, shelf, files)
            url = f"{config.site_url.rstrip('/')}/{self._under}" if config.site_url else ""
            if not feed.has_feed(url):
                _log.info(feed.NONE.format("site_url in mkdocs.yml"))
            site = site_of(
                store,
                self._going.shelf,
                directory_urls=config.use_directory_urls,
                readers="owner" if self._serving else self._readers,
                url=url,
            )
            self._moved = self._raw(site, Path(config.docs_dir).resolve())
            pages = [*site.assets(), *site.pages()]
            urls = {site.places.url(page.path): page.path for page in pages}
            texts = {page.path: str(page.data) for page in pages}
            for found in broken(pages, urls, texts.__getitem__):
                _log.warning(str(found))
            return pages

    def _cut(self, store: Store, shelf: Shelf, files: Files) -> Outgoing:
        """What may leave, and the guard's watch; the words of the site's own pages hide nothing."""
        if self._serving:
            return Outgoing(shelf)
        own = "\n".join(file.content_string for file in files.documentation_pages())
        publishing = Publishing.of(store.config).required()
        self._readers = publishing.readers
        for found in publishing.findings:
            _log.warning(str(found))
        return cut(shelf, publishing, f"{theme_words()}\n{own}", theme_files())

    def _warn(self, shelf: Shelf) -> None:
        """Say what is not whole. Files that cannot be read stand on the page of problems."""
        if said := lost_past(shelf):
            _log.warning(said)
        if shelf.unread:
            _log.info(left_out(shelf.unread))

    def _raw(self, site: Site, docs: Path) -> dict[str, str]:
        """The pages of the shelf's own files, by where these stand in the docs of the site around."""
        if not self._root.is_relative_to(docs):
            return {}
        top = self._root.relative_to(docs).as_posix()
        pages = {"INDEX.md": site_places.HOME, **site.places.pages}
        return {posixpath.join(top, path): self._under + page for path, page in pages.items()}

    def _own(self, file: File, docs: Path) -> bool:
        """Whether MkDocs found a file of the shelf itself: an episode, or all in a shelf inside docs."""
        if file.abs_src_path is None:
            return False
        path = Path(file.abs_src_path).resolve()
        if not path.is_relative_to(self._root):
            return False
        parts = path.relative_to(self._root).parts
        return self._root.is_relative_to(docs) or (parts[0] in _SOURCES and len(parts) > 2)


def _named(config: MkDocsConfig) -> set[str]:
    """The files that mkdocs.yml names: they are the site's own, wherever they lie."""
    theme = (config.theme.get(name) for name in ("logo", "favicon"))
    return {str(name) for name in (*config.extra_css, *config.extra_javascript, *theme) if name}


def _emptied(folder: Path) -> None:
    """Take away all that was built; a folder that is a checkout stays one."""
    for path in folder.iterdir():
        if path.name == ".git":
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    with contextlib.suppress(OSError):  # not empty, or a link to where sites are put
        folder.rmdir()
