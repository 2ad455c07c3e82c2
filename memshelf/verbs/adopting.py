"""Bringing episodes of an older form up to today's, once: what only derived files knew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..domain import frontmatter
from ..domain.episode import KEYS, ORDER, Document, written
from ..domain.rolling import refilled
from ..domain.splicing import splice
from ..domain.text import clip, plural
from ..storage import gate
from ..storage.gate import Change
from ..storage.store import Store


@dataclass(frozen=True)
class Adoption:
    """Which episodes got fields that stood only beside them, and which were left alone."""

    adopted: tuple[str, ...]
    skipped: tuple[str, ...]

    def data(self) -> dict[str, Any]:
        """The peer's keys."""
        count = len(self.adopted)
        return {"adopted": self.adopted, "skipped": self.skipped, "count": count}

    def __str__(self) -> str:
        return f"{plural(len(self.adopted), 'episode')} brought up to date"


def adopt(store: Store) -> Adoption:
    """Write into each live episode the date, notes, title and description it lacks and that ledger
    and .meta.json know; its front matter as YAML where only the line-by-line rule read it; and into
    a rollup without keywords those of what it stands for."""
    rows, names = _ledger(store), _names(store)
    changes: list[Change] = []
    adopted: list[str] = []
    skipped: list[str] = []
    shelf = store.read(bodied=True)
    for entry in shelf.live:
        old = store.text(entry.path)
        document = Document.of(old)
        fields = dict(
            _missing(document, rows.get(entry.id, {}), names.get(entry.path, {}), entry.id)
        )
        fields |= _requoted(document)
        fields |= {key: written(key, value) for key, value in refilled(shelf, entry).items()}
        new = splice(old, fields, ORDER) if fields and document.front.present else old
        (adopted if new != old else skipped).append(entry.id)
        if new != old:
            changes.append(Change(entry.path, new.encode("utf-8"), old.encode("utf-8")))
    if changes:
        plain = store.config.storage == "plain"
        gate.save(store.root, changes, "memshelf: adopt", commit=False, plain=plain)
    return Adoption(tuple(adopted), tuple(skipped))


def _missing(
    document: Document, row: dict[str, str], name: dict[str, str], episode: str
) -> Iterator[tuple[str, str]]:
    values = document.front.values
    known = {
        "date": row.get("date") or episode[:10],
        "notes": row.get("notes", ""),
        "display_title": name.get("title", ""),
        "description": clip(name.get("description", ""), 120, 80),
    }
    from ..domain.dates import parse

    for key, value in known.items():
        useless = not value or value == episode or (key == "date" and parse(value) is None)
        if key not in values and not useless:
            yield key, written(key, value)


def _requoted(document: Document) -> dict[str, str]:
    if not any(f.code == "frontmatter-not-yaml" for f in document.front.findings):
        return {}
    values = document.front.values
    return {key: _line(key, value) for key, value in values.items()}


def _line(key: str, value: Any) -> str:
    return written(key, value) if key in KEYS else frontmatter.value(value)


def _ledger(store: Store) -> dict[str, dict[str, str]]:
    return ledger_rows((store.bytes("ledger.tsv") or b"").decode("utf-8", "replace"))


def ledger_rows(text: str) -> dict[str, dict[str, str]]:
    """The rows of a ledger by episode, each cell by its column; a short row has fewer."""
    lines = text.split("\n")
    head = lines[0].rstrip("\r").split("\t")
    rows = (
        dict(zip(head, line.rstrip("\r").split("\t"), strict=False)) for line in lines[1:] if line
    )
    return {row.get("episode_id", ""): row for row in rows}


def _names(store: Store) -> dict[str, dict[str, str]]:
    out: dict[str, dict[str, str]] = {}
    for category in store.categories():
        data = store.bytes(f"docs/{category}/.meta.json") or b"{}"
        found = folder_names(data.decode("utf-8", "replace"))
        out |= {f"docs/{category}/{name}": said for name, said in found.items()}
    return out


def folder_names(text: str) -> dict[str, dict[str, str]]:
    """What a .meta.json says of each file; what is no text in it says nothing."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # nested too deeply
        return {}
    rows = found.items() if isinstance(found, dict) else ()
    return {
        name: {key: value for key, value in said.items() if isinstance(value, str)}
        for name, said in rows
        if isinstance(said, dict)
    }
