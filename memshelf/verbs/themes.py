"""What the themes of a site bring along: files that hold nothing of a shelf, and their words."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_FILES = (
    ("material", "templates/assets"),
    ("mkdocs", "themes"),
    ("mkdocs", "contrib/search/templates"),
)
_WORDS = (("material", "templates"), ("mkdocs", "themes"))


def _folders(places: tuple[tuple[str, str], ...]) -> Iterator[Path]:
    """The folders of installed packages, found without importing them."""
    for package, below in places:
        spec = importlib.util.find_spec(package)
        for home in (spec.submodule_search_locations or ()) if spec else ():
            yield Path(home, below)


@cache
def theme_files() -> frozenset[str]:
    """The SHA-256 of every file that a theme copies into a site as it is."""
    files = (path for folder in _folders(_FILES) for path in folder.rglob("*"))
    return frozenset(
        hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.is_file() and path.suffix not in (".html", ".py", ".pyc", ".yml")
    )


@cache
def theme_words() -> str:
    """What a theme's own templates say, in all its languages."""
    files = (path for folder in _folders(_WORDS) for path in sorted(folder.rglob("*.html")))
    return "\n".join(path.read_text("utf-8", "replace") for path in files)
