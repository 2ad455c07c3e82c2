"""A private, local, git-backed shelf of Markdown that an AI agent uses as its memory.

    >>> import memshelf
    >>> shelf = memshelf.open_shelf(memshelf.sample_shelf())
    >>> memshelf.recall(shelf, "2026-01-13-qc-flags", section="Digest", log=False).section
    'Digest'

`open_shelf(path)` gives a handle, and every verb is a function that takes it first:
`memshelf.shelve(shelf, ...)`, `memshelf.search(shelf, "words")`, `memshelf.rebuild(shelf)` ... Each
answers with a small frozen value. What goes wrong is a `ShelfError` with `code`, `message`, `fix`.

Left out are `setup`, `serve` and `hook`, which are for programs, `eval`, whose name is Python's own,
and most verbs that are kept for an older tool's sake and shown nowhere.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:  # nothing is imported before it is asked for
    import os
    from pathlib import Path
    from typing import Any

    from .domain.errors import ShelfError
    from .storage.store import Store
    from .verbs.advise import advise
    from .verbs.archive import archive
    from .verbs.cache_clear import cache_clear
    from .verbs.cache_rebuild import cache_rebuild
    from .verbs.cache_status import cache_status
    from .verbs.context import context
    from .verbs.decisions import decisions
    from .verbs.demo import demo
    from .verbs.doctor import doctor
    from .verbs.edit import edit
    from .verbs.export_epub import export_epub
    from .verbs.export_html import export_html
    from .verbs.export_json import export_json
    from .verbs.export_site import export_site
    from .verbs.forget import forget
    from .verbs.fork import fork
    from .verbs.graph import graph
    from .verbs.index import index
    from .verbs.init import init
    from .verbs.lint_digest import lint_digest
    from .verbs.log import log
    from .verbs.publish import publish
    from .verbs.rebuild import rebuild
    from .verbs.recall import recall
    from .verbs.rename import rename
    from .verbs.resolve import resolve
    from .verbs.restore import restore
    from .verbs.retro import retro
    from .verbs.rollup import rollup
    from .verbs.search import search
    from .verbs.shelve import shelve
    from .verbs.stats import stats
    from .verbs.status import status
    from .verbs.supersede import supersede
    from .verbs.sync import sync
    from .verbs.tags import tags
    from .verbs.tags_rename import tags_rename
    from .verbs.threads import threads
    from .verbs.unarchive import unarchive

__all__ = [
    "ShelfError",
    "Store",
    "__version__",
    "advise",
    "archive",
    "cache_clear",
    "cache_rebuild",
    "cache_status",
    "context",
    "decisions",
    "demo",
    "doctor",
    "edit",
    "export_epub",
    "export_html",
    "export_json",
    "export_site",
    "forget",
    "fork",
    "graph",
    "index",
    "init",
    "lint_digest",
    "log",
    "open_shelf",
    "publish",
    "rebuild",
    "recall",
    "rename",
    "resolve",
    "restore",
    "retro",
    "rollup",
    "sample_shelf",
    "search",
    "shelve",
    "stats",
    "status",
    "supersede",
    "sync",
    "tags",
    "tags_rename",
    "threads",
    "unarchive",
]


def open_shelf(path: str | os.PathLike[str]) -> Store:
    """A handle on the shelf at a path. Raises NotAShelf, a ShelfError, where there is none."""
    from .storage.store import Store

    return Store.open(path)


def sample_shelf() -> Path:
    """The folder of the sample shelf that ships with memshelf. Copy it; do not write to it."""
    from pathlib import Path

    return Path(__file__).with_name("sample")


def __getattr__(name: str) -> Any:
    """Verbs and types by name, imported when they are first asked for."""
    import importlib

    if name == "ShelfError":
        return importlib.import_module(".domain.errors", __name__).ShelfError
    if name == "Store":
        return importlib.import_module(".storage.store", __name__).Store
    if name in __all__:
        return getattr(importlib.import_module(f".verbs.{name}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
