"""The manifests of a site: in it what left, file by file with its hash; elsewhere what stayed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from ..domain.choosing import LeftOut
from ..domain.shelf import Shelf

NAME = "memshelf-manifest.json"
FORM = 1
"""Changes whenever a key gets another meaning."""


def what_left(shelf: Shelf, files: Mapping[str, bytes], version: str) -> str:
    """The manifest that stands in a site: each of its files but itself, with its SHA-256.

    The same shelf and files give the same text on any day; `version` is memshelf's.
    """
    data = {
        "manifest": FORM,
        "memshelf": version,
        "shelf": shelf.name,
        "as_of": shelf.as_of,
        "episodes": len(shelf.entries),
        "files": {path: hashlib.sha256(files[path]).hexdigest() for path in sorted(files)},
    }
    return _text(data)


def files_of(text: str) -> frozenset[str]:
    """The files that a manifest names, and its own; none where the text is no manifest."""
    try:
        found = json.loads(text)["files"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return frozenset()
    return frozenset((*found, NAME)) if isinstance(found, dict) else frozenset()


def unhashed(text: str) -> str:
    """A manifest of ours with the names of its files alone: a hash behind `password.html` looks like
    a password."""
    data = json.loads(text)
    return _text({**data, "files": sorted(data["files"])})


def what_stayed(shelf: Shelf, stays: Iterable[LeftOut]) -> str:
    """What did not leave and why, for the one who publishes: it names hidden episodes."""
    data = {
        "manifest": FORM,
        "shelf": shelf.name,
        "stayed": [one._asdict() for one in stays],
    }
    return _text(data)


def _text(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
