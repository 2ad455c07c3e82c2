"""docs/*/.meta.json: titles and descriptions, byte for byte as the peer renders them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ..domain.entry import Entry
from ..domain.episode import CATEGORIES, DESCRIPTION_LIMIT
from ..domain.page import Page
from ..domain.shelf import Shelf
from ..domain.text import one_line
from .ledger import ledger_date

Names = dict[str, dict[str, str]]


def meta(shelf: Shelf) -> Iterator[Page]:
    """The `.meta.json` of each folder that holds an episode with a title or a description."""
    for (root, category), entries in _folders(shelf.entries).items():
        named = names(entries)
        if category in CATEGORIES and named:
            yield Page(f"{root}/{category}/.meta.json", _json(named))


def _json(named: Names) -> str:
    """What `json.dumps` gives with an indent of two, in a fifth of the time: with an indent it
    leaves its C encoder."""
    quoted = json.JSONEncoder(ensure_ascii=False).encode
    entries = ",\n".join(
        f'  {quoted(file)}: {{\n    "title": {quoted(said["title"])},\n'
        f'    "description": {quoted(said["description"])}\n  }}'
        for file, said in named.items()
    )
    return f"{{\n{entries}\n}}\n"


def names(entries: Iterable[Entry]) -> Names:
    """What a folder's `.meta.json` holds: by file name, in the order given, title and description."""
    return {
        entry.path.rpartition("/")[2]: {
            "title": entry.title or entry.id,
            "description": description(entry.description),
        }
        for entry in entries
        if entry.has_id and (entry.title or entry.description)
    }


def description(text: str) -> str:
    """A description on one line of at most 120 characters, cut by the peer's rule: at the last
    space where that leaves two thirds, without the punctuation before it; else where it ends."""
    line = one_line(text)
    if len(line) <= DESCRIPTION_LIMIT:
        return line
    head = line[: DESCRIPTION_LIMIT - 1]
    cut = head.rpartition(" ")[0].rstrip(" ,;:—-")
    return (cut if len(cut) >= DESCRIPTION_LIMIT * 2 // 3 else head.rstrip()) + "…"


def _folders(entries: Iterable[Entry]) -> dict[tuple[str, str], list[Entry]]:
    """Episodes by folder, each in the order of the ledger: (date, id)."""
    out: dict[tuple[str, str], list[Entry]] = {}
    for entry in sorted(entries, key=lambda entry: (ledger_date(entry), entry.id, entry.path)):
        root, category, _ = entry.path.rsplit("/", 2)
        out.setdefault((root, category), []).append(entry)
    return out
