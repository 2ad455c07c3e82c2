"""Export the shelf as a book (EPUB), for any reading app."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

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
class Book:
    """One file that was written."""

    path: str
    episodes: int
    bytes: int

    def __str__(self) -> str:
        return f"wrote {self.path}: {plural(self.episodes, 'episode')}, {said_size(self.bytes)}"


@dataclass(frozen=True)
class Bound:
    """The books that were written, newest first, and how many episodes are in none, by reason."""

    books: tuple[Book, ...]
    left_out: dict[str, int]
    problems: tuple[str, ...] = ()

    @property
    def hint(self) -> str:
        """What is in no book, and what opens one."""
        counts = ", ".join(f"{count:,} by {why}" for why, count in self.left_out.items())
        rows = [f"memshelf: left out: {counts}."] if counts else []
        rows += [f"memshelf: {left_out(self.problems)}"] if self.problems else []
        rows.append("Any reading app opens it; there a new export takes the place of the old one.")
        return "\n".join(rows)

    def __str__(self) -> str:
        return "\n".join(map(str, self.books))


@verb(name="export epub", mcp=False, watch=True)
def export_epub(
    store: Store,
    *,
    out: Annotated[Path, "The file to write: shelf.epub."],
    ids: Ids = (),
    quarters: Quarters = (),
    tags: Tags = (),
    kinds: Kinds = (),
    visibilities: Visibilities = (),
    for_: For = None,
    one_book: Annotated[bool, "One book, also of more than 2,000 episodes."] = False,
    stored: Annotated[bool, "Not compressed: larger, the same bytes on every machine."] = False,
    rev: Rev = "",
) -> Bound:
    """Export the shelf as a book (EPUB), for any reading app.

    Without scripts and without anything from elsewhere: a part for each year, a chapter for each
    month, and lists of tags, decisions and open threads. More than 2,000 episodes make a book for
    each year: shelf-2026.epub.

    Example:
    memshelf export epub --out shelf.epub
    memshelf export epub --out public.epub --for public --quarter 2026Q3
    """
    from ..render.epub import Shared, epub, volumes
    from ..render.zipped import unzipped
    from .bodies import kept_bodies

    refuse_place(store, Path(out))
    choice = Choice.make(quarters, tags, kinds, visibilities, ids)
    going = outgoing(store, for_, rev)
    found = chosen(going.shelf, choice).required()
    own = store.root / "templates"
    bodies = kept_bodies(store, found.shelf, found.inside, rev)
    shared = Shared.of(found, bodies, own if own.is_dir() else None)
    made = ((volume, epub(shared, volume, stored)) for volume in volumes(found, one_book))
    bound = [*made] if for_ else made  # all are looked through before the first is written
    if for_:
        going.check(page for volume, data in bound for page in unzipped(data, f"{volume.label}/"))
    books = []
    for volume, data in bound:
        path = write_out(store, _named(Path(out), volume.label), data)
        books.append(Book(str(path), len(volume.entries), len(data)))
    return Bound(tuple(books), found.counts, found.shelf.unread)


def _named(path: Path, label: str) -> Path:
    return path.with_name(f"{path.stem}-{label}{path.suffix}") if label else path
