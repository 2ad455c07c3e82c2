"""The whole snapshot as one JSON document; docs/export.schema.json says what stands in it.

It is made in pieces, a line for each item, so that a large shelf never stands in memory as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from ..domain.choosing import Chosen, visibility
from ..domain.dates import quarter
from ..domain.entry import Entry
from ..domain.episode import Episode
from ..domain.errors import ShelfError
from ..domain.graph import graph
from ..domain.shelf import Shelf
from ..domain.tags import tags
from ..domain.threads import OPEN, decisions, threads
from .escape import halves

FORMAT, VERSION = "memshelf-export", 1
"""The version counts up when a key goes or changes its meaning; a new key does not change it."""


class Document:
    """The document of a choice, piece by piece, as often as it is asked for.

    The same snapshot and choice give the same text. Lists are newest first; threads and recalls
    oldest first, edges by their source. What was chosen limits every list; the states of threads,
    decisions and episodes are those of all that the readers may see.
    """

    def __init__(self, chosen: Chosen) -> None:
        self._chosen = chosen

    def __iter__(self) -> Iterator[str]:
        shelf = self._chosen.shelf
        yield f'{{\n"format": "{FORMAT}",\n"version": {VERSION},\n"shelf": {_line(_shelf(shelf))}'
        yield f',\n"chosen": {_line(asdict(self._chosen.told))}'
        for name, items in _lists(self._chosen).items():
            yield f',\n"{name}": ['
            for place, item in enumerate(items()):
                yield f"{',' if place else ''}\n{_line(item)}"
            yield "\n]"
        yield "\n}\n"


def _line(value: Any) -> str:
    return halves(json.dumps(value, ensure_ascii=False))


def _lists(chosen: Chosen) -> dict[str, Callable[[], Iterable[Any]]]:
    """Every list of the document; each is made when its turn comes."""
    shelf, inside = chosen.shelf, chosen.inside
    ids = {entry.id for entry in inside}
    return {
        "episodes": lambda: (_episode(shelf, entry) for entry in inside),
        "threads": lambda: (t._asdict() for t in threads(shelf) if t.episode in ids),
        "decisions": lambda: (
            one._asdict() | {"stands": one.stands}
            for one in reversed(decisions(shelf))
            if one.episode in ids
        ),
        "edges": lambda: (e._asdict() for e in graph(shelf).edges if e.source in ids),
        "missing": lambda: (e._asdict() for e in graph(shelf).missing if e.source in ids),
        "tags": lambda: (
            {"name": tag.name, "slug": tag.slug, "spellings": dict(tag.spellings)}
            | {"episodes": tag.count}
            for tag in tags(Shelf.make(inside, config=shelf.config))
        ),
        "recalls": lambda: (row._asdict() for row in shelf.recalls if row.episode_id in ids),
        "left_out": lambda: (one._asdict() for one in chosen.visible_left_out),
        "problems": lambda: (
            {"path": found.where, "code": found.code, "message": found.message, "fix": found.fix}
            for found in shelf.problems
        ),
    }


def _shelf(shelf: Shelf) -> dict[str, Any]:
    """What a shelf says of itself, as far as it is nobody's secret."""
    config = shelf.config
    return {
        "name": config.name,
        "as_of": shelf.as_of,
        "language": config.language,
        "visibility": config.visibility,
        "fiscal_year_start": config.fiscal_year_start,
        "episodes": len(shelf.entries),
        "archived": len(shelf.archived),
        "open_threads": sum(thread.state == OPEN for thread in threads(shelf)),
        "decisions_that_stand": sum(one.stands for one in decisions(shelf)),
    }


def _episode(shelf: Shelf, entry: Entry) -> dict[str, Any]:
    """All fields of an episode, and what the shelf knows of it."""
    whole = _load(shelf, entry)
    day = entry.day
    known = {
        "id": entry.id,
        "path": entry.path,
        "category": entry.category,
        "archived": entry.archived,
        "title": entry.title,
        "day": entry.ledger_date if day else "",
        "quarter": quarter(day, shelf.config.fiscal_year_start) if day else "",
        "tokens": entry.tokens,
        "digest_tokens": entry.digest_tokens,
        "replaced_by": shelf.superseded.get(entry.id, ()),
    }
    fields = {name: getattr(whole, name) for name in _FIELDS}
    fields["visibility"] = visibility(entry, shelf.config.visibility)
    sections = [{"name": name, "text": text} for name, text in whole.sections]
    return known | fields | {"sections": sections, "extra": dict(whole.extra)}


_FIELDS = (
    *("kind", "description", "date", "span", "tags", "keywords", "session", "notes", "author"),
    *("agent", "source", "mode", "lang", "retain_until", "approx_tokens", "approx_tokens_source"),
    *("supersedes", "superseded_by", "closes", "op", "digest"),
)


def _load(shelf: Shelf, entry: Entry) -> Episode:
    """The whole episode; where its file has gone since, what the entry knows."""
    try:
        return shelf.load(entry.path)
    except (ShelfError, LookupError):
        known: Mapping[str, Any] = entry._asdict()
        same = {name: known[name] for name in _FIELDS if name in known}
        return Episode(id=entry.id, **same, closes=entry.closes_field, digest=entry.digest)
