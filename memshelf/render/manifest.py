"""What stands beside an exported file: what is in it, what is not and why, its size and hash."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..domain.entry import Entry
from ..domain.shelf import Shelf

SUFFIX = ".manifest.json"
FORM = 1
"""Changes whenever a key of the manifest gets another meaning."""


class Absent(NamedTuple):
    """An episode that is not in the file, and why: by its id."""

    id: str
    why: str


def manifest(
    name: str,
    size: int,
    sha256: str,
    shelf: Shelf,
    episodes: Iterable[Entry],
    absent: Iterable[Absent],
) -> str:
    """The manifest of a file that holds some episodes, as JSON text, the same any day."""
    data: dict[str, Any] = {
        "manifest": FORM,
        "file": name,
        "bytes": size,
        "sha256": sha256,
        "shelf": shelf.name,
        "as_of": shelf.as_of,
        "episodes": [entry.id for entry in episodes],
        "left_out": [one._asdict() for one in absent],
        "problems": [found.said for found in shelf.problems],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
