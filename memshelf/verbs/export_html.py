"""Export the shelf as one HTML file, for reading on a phone."""

from __future__ import annotations

import hashlib
import secrets
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ..domain.choosing import Choice, Chosen, chosen
from ..domain.errors import ShelfError
from ..domain.finding import left_out
from ..domain.sizes import parse_size, said_size
from ..domain.text import plural
from ..render.locked import NONCE, SALT, WARNING, Seal, accepted, locked
from ..storage.store import Store
from ..verb import Rev, Secret, verb
from .choosing import For, Ids, Kinds, Quarters, Tags, Visibilities
from .leaving import Outgoing, outgoing
from .rendering import own_chart
from .writing_out import refuse_place, write_out

if TYPE_CHECKING:
    from ..domain.entry import Entry
    from ..render.fitting import Fitted
    from ..render.manifest import Absent
    from ..storage.fragments import Fragments
    from ..storage.remembered import Remembered

LARGE = 20_000_000
"""Bytes above which a page is slow on a phone, and the command asks before it writes one."""

_TO_THE_PHONE = """\
To the phone: AirDrop, a cable, or a folder that syncs. It is as private as what is in it.
Android: open it from Files with a browser. iPhone: Files shows it whole, without its search.
For an iPhone the book is the better way: {book}"""
_LOCKED_TO_THE_PHONE = """\
To the phone: any way you like; nobody reads it without the passphrase, and neither do you.
Android: open it from Files with Chrome or Firefox. iPhone: it cannot be read there."""
_OLD_MANIFEST = "memshelf: {} of an earlier export still says what was in that one: remove it."


@dataclass(frozen=True)
class Exported:
    """The file that was written, and what is in it; `text` is the page where no file was named.

    `book` is the command that makes a book of the same episodes, for the same readers.
    """

    path: str
    bytes: int
    episodes: int
    listed: int = 0
    left_out: int = 0
    manifest: str = ""
    text: str = ""
    problems: tuple[str, ...] = ()
    locked: bool = False
    old_manifest: str = ""
    book: str = ""

    @property
    def hint(self) -> str:
        """What is not in the page, and how it gets to the phone."""
        rows = [f"memshelf: {left_out(self.problems)}"] if self.problems else []
        if self.path and self.locked:
            rows.append(_LOCKED_TO_THE_PHONE)
            rows += [_OLD_MANIFEST.format(self.old_manifest)] if self.old_manifest else []
        elif self.path:
            rows.append(_TO_THE_PHONE.format(book=self.book))
        return "\n".join(rows)

    def __str__(self) -> str:
        if self.text:
            return self.text
        where = f": {self.manifest}" if self.manifest else ""
        less = f" ({self.left_out:,} left out{where})" if self.left_out else ""
        listed = plural(self.listed, "episode")
        inside = listed if self.episodes or not self.listed else f"the index of {listed}"
        return f"wrote {self.path}: {inside}{less}, {said_size(self.bytes)}"


@verb(name="export html", mcp=False, watch=True)
def export_html(
    store: Store,
    *,
    ids: Ids = (),
    quarters: Quarters = (),
    tags: Tags = (),
    kinds: Kinds = (),
    visibilities: Visibilities = (),
    for_: For = None,
    index_only: Annotated[bool, "Titles and descriptions, no bodies."] = False,
    max_size: Annotated[str, "At most so large, as 5MB: the oldest episodes stay out."] = "",
    out: Annotated[Path | None, "The file to write; else the page is printed."] = None,
    passphrase: Annotated[
        str | None, "Lock the page with a passphrase, which is asked for.", Secret(WARNING)
    ] = None,
    rev: Rev = "",
) -> Exported:
    """Export the shelf as one HTML file, for reading on a phone.

    Complete without scripts, with a search where they run; nothing is asked of any network.
    Archived episodes are in it. Beside it lies a manifest of what is in and what is not.

    With --passphrase the file is encrypted and opens in a browser that runs its script, which an
    iPhone does not for a stored file. It has no manifest then, since that would name what is in it.

    Example:
    memshelf export html --out shelf.html
    memshelf export html --out recent.html --max-size 5MB
    memshelf export html --out auth.html --tag auth --quarter 2026Q3
    memshelf export html --out locked.html --passphrase
    memshelf export html --out public.html --for public
    """
    limit = parse_size(max_size) if max_size else 0
    if passphrase is not None:  # an empty one is refused as well: nobody meant an open page then
        accepted(passphrase)
    if out is not None:
        refuse_place(store, Path(out))
    choice = Choice.make(quarters, tags, kinds, visibilities, ids)
    going = outgoing(store, for_, rev)
    found = chosen(going.shelf, choice).required()
    chart = "" if rev or for_ or found.choice else own_chart(store)
    fit = _made(store, found, index_only, limit, chart, rev)
    parts = going.guarded(Path(out).name if out else "page.html", fit.document.parts)
    pieces = _Pieces(_locked(parts, passphrase) if passphrase else parts)
    if out is None:
        text = b"".join(pieces).decode("utf-8")
        return _answer(found, fit, index_only, pieces, text=text)
    if not limit:
        pieces.then = lambda: _agree(store, pieces.size, len(fit.inside))
    path = write_out(store, Path(out), pieces)
    if passphrase is not None:
        answer = _answer(found, fit, index_only, pieces, str(path))
        return replace(answer, locked=True, old_manifest=_old_manifest(path))
    beside = _manifest(store, path, going, found, fit, index_only, pieces)
    answer = _answer(found, fit, index_only, pieces, str(path), str(beside))
    return replace(answer, book=_book(path, choice, for_, rev))


def _made(
    store: Store, found: Chosen, index_only: bool, limit: int, chart: str, rev: str
) -> Fitted:
    from ..render.fitting import Fitted, fitted
    from ..render.html import Document, Scope, html
    from .bodies import streamed_bodies

    own = store.root / "templates"
    kept = None if own.is_dir() or not found.shelf.contents else _kept(store)

    whole = kept and not (index_only or limit or rev)
    frame = _frame(store, found, chart) if whole else None

    def make(inside: tuple[Entry, ...], out: tuple[Entry, ...]) -> Document:
        return html(
            found.shelf,
            inside,
            lambda missing: streamed_bodies(store, found.shelf, missing, rev),
            kept=kept,
            frame=frame,
            index_only=index_only,
            scope=Scope.of(found),
            left_out=out,
            chart=chart,
            templates=own if own.is_dir() else None,
        )

    return (
        fitted(found.inside, make, limit) if limit else Fitted(make(found.inside, ()), found.inside)
    )


def _kept(store: Store) -> Fragments[bytes]:
    """The articles that earlier exports made; a shelf's own templates make others each time."""
    from ..render import article, templates
    from ..storage.fragments import Fragments

    version = article.version(templates.source("article.html.j2"))
    return Fragments(store.cache, version, "articles", bytes)


def _frame(store: Store, found: Chosen, chart: str) -> Remembered:
    """The last page without its articles; it stands as long as nobody else shows what changed."""
    from ..render import html
    from ..render.face import SPEAKS, face
    from ..storage.remembered import Remembered, of_each

    shelf = found.shelf
    faces = of_each(store.cache, "faces", shelf, face)
    scope = html.Scope.of(found)
    parts = [html.version(), repr(shelf.config), repr(shelf.problems), repr(scope), chart]
    parts += faces
    parts += [entry.path for entry in found.inside]
    if not shelf.config.language and any(one.endswith(SPEAKS) for one in faces):
        parts += [shelf.contents[entry.path] for entry in shelf.entries]
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return Remembered(store.cache, "frame", hashlib.sha256(data).hexdigest())


def _agree(store: Store, size: int, count: int) -> None:
    """Ask before a page is written that a phone will not like, where there is somebody to ask."""
    ask: Callable[[str], bool] | None = store.ask
    if size <= LARGE or ask is None:
        return
    said = (
        f"The page of {plural(count, 'episode')} has {said_size(size)}, which is slow on a phone. "
        "Smaller: --max-size 5MB for the newest, or one file a year: --quarter 2026. Write it?"
    )
    if not ask(said):
        raise ShelfError("Nothing was written.", "Give --max-size or --quarter.", "too-large")


def _locked(page: Iterable[bytes], passphrase: str) -> Iterator[bytes]:
    """The page locked, with random bytes of its own: a second export of it is another file."""
    return locked(page, passphrase, Seal(secrets.token_bytes(SALT), secrets.token_bytes(NONCE)))


class _Pieces:
    """Pieces of bytes, once; afterwards how many bytes they were, and their hash.

    `then` is called when the last has gone by: what it raises undoes the writing of the file.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces, self._digest = pieces, hashlib.sha256()
        self.size = 0
        self.then: Callable[[], None] = lambda: None

    @property
    def sha256(self) -> str:
        """The hash of what has gone by, in hexadecimal digits."""
        return self._digest.hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self.size += len(piece)
            self._digest.update(piece)
            yield piece
        self.then()


def _old_manifest(out: Path) -> str:
    """A manifest that an export without a passphrase left beside the file, "" where there is none."""
    from ..render.manifest import SUFFIX

    path = out.with_suffix(SUFFIX)
    return str(path) if path.exists() else ""


def _manifest(
    store: Store,
    out: Path,
    going: Outgoing,
    found: Chosen,
    fit: Fitted,
    index_only: bool,
    pieces: _Pieces,
) -> Path:
    """Write the manifest of a page that was written; where that is."""
    from ..render.manifest import SUFFIX, manifest

    inside = () if index_only else fit.inside
    absent = _absent(found, fit)
    listing = manifest(out.name, pieces.size, pieces.sha256, found.shelf, inside, absent)
    beside = out.with_suffix(SUFFIX)
    going.check([(beside.name, listing)], f"{out} was written, {beside.name} was not.")
    return write_out(store, beside, listing)


def _book(page: Path, choice: Choice, readers: str | None, rev: str) -> str:
    """The command for a book of the same: without its flags it would hold the whole shelf."""
    asked = [
        *choice.flags,
        *(["--for", readers] if readers else []),
        *(["--rev", rev] if rev else []),
    ]
    words = ["memshelf", "export", "epub", *asked, "--out", str(page.with_suffix(".epub"))]
    return shlex.join(words)


def _absent(found: Chosen, fit: Fitted) -> list[Absent]:
    from ..render.manifest import Absent

    too_large = [Absent(entry.id, "size") for entry in fit.left_out]
    return [*too_large, *(Absent(one.id, one.reason) for one in found.left_out)]


def _answer(
    found: Chosen,
    fit: Fitted,
    index_only: bool,
    pieces: _Pieces,
    path: str = "",
    manifest: str = "",
    text: str = "",
) -> Exported:
    return Exported(
        path=path,
        bytes=pieces.size,
        episodes=0 if index_only else len(fit.inside),
        listed=len(fit.inside),
        left_out=len(fit.left_out) + len(found.left_out),
        manifest=manifest,
        text=text,
        problems=found.shelf.unread,
    )
