"""Answers that are rendered from the whole shelf, remembered until anything on it changes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from .. import __version__
from ..domain.config import DOCSHELF, MANIFEST, SETTINGS
from ..domain.shelf import Shelf
from ..storage.store import Store
from ..storage.survey import Survey

Make = Callable[[Shelf], str]


def remembered(store: Store, survey: Survey, name: str, version: int, make: Make) -> str:
    """What `make` renders from the shelf as it was surveyed.

    Rendered once for the same files and settings: afterwards only the files' stamps are looked at.
    `name` tells answers of one shelf apart, so there must be few of them; `version` changes
    whenever the same shelf would render differently.
    """
    key = f"{__version__} {version} {_settings(store)} {survey.fingerprint}\n"
    known = store.cache.fact(f"answer {name}")
    if known.startswith(key):
        return known[len(key) :]
    text = make(store.snapshot(survey))
    store.cache.keep_fact(f"answer {name}", key + text)
    return text


def _settings(store: Store) -> str:
    found = (store.peek(name) or b"-" for name in (MANIFEST, DOCSHELF, SETTINGS))
    return hashlib.sha256(b"\0".join(found)).hexdigest()
