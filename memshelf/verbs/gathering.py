"""What a shelf has for a task: sections, open threads, lines of the index, the newest session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.episode import TITLE_LIMIT, Document, reversed_in
from ..domain.errors import ShelfError, UsageError
from ..domain.shelf import Shelf
from ..domain.text import clip
from ..domain.threads import OPEN, Thread, Threads
from ..engine import finder, following
from ..engine.finder import Found, Wanted
from ..engine.growing import Body
from ..engine.languages import language_of
from ..engine.packing import LINE, SECTION, SESSION, THREAD, Piece
from ..engine.passage import Excerpt, Part, Reader, even
from ..engine.query import Query, Term, parse
from ..engine.rank import idf
from ..engine.showing import Hit
from ..engine.synonyms import alike, groups
from ..render.escape import plain
from ..render.view import full_line
from ..storage.store import Store

_NEAR = 0.4
"""A hit is worth a section from this part of the best one's relevance up."""
_AS_MUCH = 0.5
"""A further section of a hit holds this part of the words of its best one."""
_SECOND = 0.7
_GUESSES = 3
"""Sections, at most, where nothing clearly answers the task."""
_THREAD = 0.2
"""The share of the task that a thread must hold to be touched by it."""
_THREAD_LIMIT = 300
_LOOKED_AT = 300
"""So many episodes that hold words of the task are looked through for threads that do."""


class Gathered(NamedTuple):
    """Pieces, the best of each kind first, and what the search found."""

    pieces: tuple[Piece, ...]
    found: Found


def gathered(store: Store, task: str, limit: int, past: bool) -> Gathered:
    """All that may be packed for a task; the best `limit` episodes are opened."""
    query = parse(task, alike(groups(store.config.raw)))
    if not query.asks:
        said = "The task has no word to look for."
        raise UsageError(said, 'Say it in words: memshelf context "speed up the nightly build"')
    found = finder.find(store, task, Wanted(limit, past=past, mode="auto", listed=_LOOKED_AT))
    name = f"context {store.config!r}"
    shelf, known = following.while_unchanged(store, name, lambda: _known(store))
    terms = _read_as(query, found)
    pieces = (
        *_sections(found, terms),
        *_threads(shelf, known, query, terms, found, past),
        *_lines(shelf, found.hits),
        *_session(store, shelf, past),
    )
    return Gathered(pieces, found._replace(problems=shelf.unread))


def _known(store: Store) -> tuple[Shelf, Threads]:
    shelf = store.read(bodied=True)
    return shelf, Threads(shelf)


def _read_as(query: Query, found: Found) -> list[Term]:
    """The words of the task as the search read them."""
    read = found.instead
    return [term._replace(tokens=read.get(term.written, term.tokens)) for term in query.words]


# --- sections ------------------------------------------------------------------------------------


def _sections(found: Found, terms: Sequence[Term]) -> list[Piece]:
    """The best section of each hit that holds much of the task, and others that hold as much."""
    reader = even(terms)
    least = _NEAR * max(map(_relevance, found.hits), default=0.0)
    near = (hit for hit in found.hits if _relevance(hit) >= least)
    scored = [pair for hit in near for pair in _of_hit(hit, reader)]
    scored.sort(key=lambda pair: -round(pair[0], 6))
    return [piece for _, piece in scored][: None if found.likely else _GUESSES]


def _relevance(hit: Hit) -> float:
    """The share of the task that the best section of a hit holds, or as much by its meaning."""
    cosine = hit.why["score"].get("meaning", 0.0)
    if not cosine:
        return hit.passage.share
    from ..engine.hybrid import CLOSE

    return max(hit.passage.share, finder.LIKELY * float(cosine) / CLOSE)


def _of_hit(hit: Hit, reader: Reader) -> Iterator[tuple[float, Piece]]:
    """The best section, and those that hold nearly as many words."""
    shares = dict(reader.shares(hit.document))
    best = shares.get(hit.passage.part, 0.0)
    yield hit.score, _section(hit, hit.passage.part, hit.excerpt)
    for part, share in shares.items():
        if (
            part != hit.passage.part
            and part.section != "Open threads"
            and 0 < best * _AS_MUCH <= share
        ):
            excerpt = reader.excerpt(hit.document, part)
            yield hit.score * _SECOND * min(share / best, 1.0), _section(hit, part, excerpt)


def _section(hit: Hit, part: Part, excerpt: Excerpt) -> Piece:
    stem = hit.doc.path.rpartition("/")[2][:-3]
    bodies = {section.start: section.body_start for section in hit.document.sections}
    start = bodies.get(part.start, part.start) if part.section else part.start
    at = max(excerpt.start, start)
    body = Body(hit.document.text, start, part.end, at, max(excerpt.end, at))
    address = f"{stem} § {part.section}" if part.section else stem
    gone = "".join(f"; {said}" for said in reversed_in(hit.document.front, part.section))
    head = _head(address, hit.title, hit.doc.date) + gone
    return Piece(SECTION, address, hit.doc.path, head, body)


def _head(address: str, title: str, date: str) -> str:
    """`[ID § Section] Title, 2026-03-01`."""
    rest = ", ".join(filter(None, (clip(plain(title), TITLE_LIMIT), date)))
    return f"[{clip(plain(address), 2 * TITLE_LIMIT)}] {rest}"


# --- threads -------------------------------------------------------------------------------------


def _threads(
    shelf: Shelf,
    known: Threads,
    query: Query,
    terms: Sequence[Term],
    found: Found,
    past: bool,
) -> list[Piece]:
    """Open threads that share words with the task, or stand in an episode that answers it.

    Where the task narrows down, only episodes do.
    """
    answers = {hit.doc.path: _relevance(hit) for hit in found.hits}
    near = {path: share for path, share in answers.items() if share >= finder.LIKELY}
    terms = [] if query.narrows else [one for one in terms if one.tokens and not one.beside]
    scored = [
        (share + near.get(entry.path, 0.0) / 2, entry, thread)
        for share, entry, thread in _weighed(shelf, known, terms, near, found.listed, past)
        if share >= _THREAD or entry.path in near
    ]
    scored.sort(key=lambda one: (-round(one[0], 6), one[2].since, one[2].address))
    return [_thread(entry, thread) for _, entry, thread in scored]


def _weighed(
    shelf: Shelf,
    known: Threads,
    terms: Sequence[Term],
    near: Mapping[str, float],
    listed: frozenset[str],
    past: bool,
) -> list[tuple[float, Entry, Thread]]:
    """Open threads of episodes that are near or hold a term in one, each with the share of the
    terms that it holds; a term weighs by how few threads have it."""
    reader = even(terms)
    rows: list[tuple[set[int], Entry, Thread]] = [
        (reader.among(thread.text, language), entry, thread)
        for entry, language in _touched(shelf, reader, near, listed, past)
        for thread in known.of(entry)
        if thread.state == OPEN
    ]
    held = Counter(n for there, _, _ in rows for n in there)
    weights = [idf(known.open, held[n]) for n in range(len(terms))]
    total = sum(weights) or 1.0
    return [
        (sum(weights[n] for n in sorted(there)) / total, entry, thread)
        for there, entry, thread in rows
    ]


def _touched(
    shelf: Shelf, reader: Reader, near: Mapping[str, float], listed: frozenset[str], past: bool
) -> Iterator[tuple[Entry, str]]:
    """Episodes that are near or whose threads hold a word of the task, and their languages."""
    for entry in shelf.entries if past else shelf.live:
        if entry.path not in listed and entry.path not in near:
            continue
        text = "\n".join(text for text, _ in entry.threads)
        if not text or (not past and entry.id in shelf.superseded):
            continue
        language = language_of(text, entry.lang)
        if entry.path in near or reader.among(text, language):
            yield entry, language


def _thread(entry: Entry, thread: Thread) -> Piece:
    since = f" (since {thread.since})" if thread.since else ""
    said = clip(plain(thread.text), _THREAD_LIMIT)
    head = f"{clip(plain(thread.address), TITLE_LIMIT)}{since}: {said}"
    return Piece(THREAD, thread.address, entry.path, head, said=thread.text)


# --- index lines and the newest session ----------------------------------------------------------


def _lines(shelf: Shelf, hits: Sequence[Hit]) -> Iterator[Piece]:
    entries = {entry.path: entry for entry in shelf.entries} if hits else {}
    for entry in filter(None, (entries.get(hit.doc.path) for hit in hits)):
        yield Piece(LINE, entry.stem, entry.path, full_line(shelf, entry))


def _session(store: Store, shelf: Shelf, past: bool) -> Iterator[Piece]:
    """The digest of the newest session that is not replaced."""
    entries = shelf.entries if past else shelf.live
    newest = (one for one in reversed(entries) if one.kind == "session")
    entry = next((one for one in newest if past or one.id not in shelf.superseded), None)
    body = _digest(store, entry) if entry else None
    if entry and body:
        address = f"{entry.stem} § Digest"
        head = _head(address, entry.heading, entry.ledger_date)
        yield Piece(SESSION, address, entry.path, head, body)


def _digest(store: Store, entry: Entry) -> Body | None:
    try:
        document = Document.of(store.text(entry.path))
    except ShelfError:  # gone since
        return None
    section = document.section("Digest")
    if section is None or not section.body(document.text).strip():
        return None
    start = section.body_start
    return Body(document.text, start, section.end, start, start)
