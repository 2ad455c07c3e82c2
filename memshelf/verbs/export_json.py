"""Export the whole shelf as one JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from ..domain.choosing import Choice, chosen
from ..domain.finding import left_out
from ..domain.sizes import said_size
from ..domain.text import plural
from ..storage.store import Store
from ..verb import Rev, verb
from .choosing import For, Ids, Kinds, Quarters, Tags, Visibilities
from .leaving import outgoing
from .writing_out import refuse_place, write_out


@dataclass(frozen=True)
class Dumped:
    """The document that was written; where no file was named, its `pieces`."""

    path: str
    bytes: int
    episodes: int
    problems: tuple[str, ...] = ()
    pieces: Iterable[str] | None = field(default=None, repr=False, compare=False)

    @property
    def hint(self) -> str:
        """What is not in the document."""
        return f"memshelf: {left_out(self.problems)}" if self.problems else ""

    def data(self) -> dict[str, Any]:
        """What is said of a document that was written."""
        known = {"path": self.path, "bytes": self.bytes, "episodes": self.episodes}
        return known | {"problems": self.problems}

    def __str__(self) -> str:
        if self.pieces:
            return "".join(self.pieces)
        inside = plural(self.episodes, "episode")
        return f"wrote {self.path}: {inside}, {said_size(self.bytes)}"


@verb(name="export json", mcp=False, watch=True)
def export_json(
    store: Store,
    *,
    ids: Ids = (),
    quarters: Quarters = (),
    tags: Tags = (),
    kinds: Kinds = (),
    visibilities: Visibilities = (),
    for_: For = None,
    out: Annotated[Path | None, "The file to write; else it is printed."] = None,
    rev: Rev = "",
) -> Dumped:
    """Export the whole shelf as one JSON document.

    Episodes with all their fields and sections, threads, decisions, who names whom, tags, recalls.
    docs/export.schema.json describes it; `version` in it counts up when a key changes its meaning.

    Example:
    memshelf export json --out shelf.json
    memshelf export json --tag auth --quarter 2026Q3
    """
    from ..render.export_json import Document

    if out is not None:
        refuse_place(store, Path(out))
    choice = Choice.make(quarters, tags, kinds, visibilities, ids)
    going = outgoing(store, for_, rev)
    found = chosen(going.shelf, choice).required()
    document, count = Document(found), len(found.inside)
    name = Path(out).name if out else "shelf.json"
    if out is None:
        whole = going.guarded(name, (piece.encode("utf-8") for piece in document)) if for_ else None
        pieces = document if whole is None else [data.decode("utf-8") for data in whole]
        return Dumped("", 0, count, found.shelf.unread, pieces)
    size = 0

    def told() -> Iterator[bytes]:
        nonlocal size
        for place, piece in enumerate(document):
            store.report(min(place, count), count)
            data = piece.encode("utf-8")
            size += len(data)
            yield data

    path = write_out(store, Path(out), going.guarded(name, told()))
    return Dumped(str(path), size, count, found.shelf.unread)
