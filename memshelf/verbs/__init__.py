"""What one can do with a shelf: one file, one verb."""

from __future__ import annotations

import importlib
from pathlib import Path

from ..verb import Verb, described

GROUPS: dict[str, tuple[str, ...]] = {
    "start": ("init", "setup", "status", "demo"),
    "write": ("shelve",),
    "read": ("context", "search", "recall", "index", "threads", "decisions"),
    "show": (
        *("rebuild", "retro", "tags", "graph", "stats"),
        *("export html", "export site", "export epub", "export json", "publish"),
    ),
    "life": (
        *("edit", "tags rename", "supersede", "rename", "log", "restore"),
        *("rollup", "archive", "unarchive", "forget"),
    ),
    "care": (
        *("doctor", "sync", "resolve", "advise", "eval"),
        *("cache status", "cache rebuild", "cache clear"),
    ),
    "connect": ("serve", "hook"),
}
KEPT = (
    *("lint-digest", "mirror", "fork", "freshness", "search-bench", "purge", "prune-splits"),
    "merge-driver",
    *("semantic build", "semantic status", "semantic drop"),
)
"""Verbs that work under the names that the peer gave them and are not shown."""

EVERYDAY = (
    *("init", "setup", "status", "shelve", "search", "recall"),
    *("index", "threads", "rebuild", "stats", "doctor", "export html"),
)

NAMES = tuple(name for names in GROUPS.values() for name in names) + KEPT


def module_of(name: str) -> str:
    """The module of a verb, by its name on the command line."""
    return name.replace(" ", "_").replace("-", "_")


def load(name: str) -> Verb:
    """The verb of a name; only its own module is imported."""
    module = importlib.import_module(f"{__name__}.{module_of(name)}")
    return described(getattr(module, module_of(name)))


def summary(name: str) -> str:
    """The first line of a verb's file, read without importing it."""
    path = Path(__file__).with_name(module_of(name) + ".py")
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().strip('"').rstrip(".")
