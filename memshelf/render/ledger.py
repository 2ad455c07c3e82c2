"""ledger.tsv: one row an episode, live and archived, byte for byte as the peer renders it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..domain.entry import Entry
from ..domain.episode import CATEGORIES
from ..domain.page import Page
from ..domain.shelf import Shelf
from .escape import tsv

HEADER = "date\tepisode_id\tmode\tapprox_tokens_in\tdigest_tokens\tnotes\n"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def ledger(shelf: Shelf) -> Iterator[Page]:
    """The ledger of a shelf (format.md, *Derived files*)."""
    rows = sorted((ledger_date(entry), entry.id, entry) for entry in _counted(shelf.entries))
    yield Page("ledger.tsv", HEADER + "".join(_row(date, entry) for date, _, entry in rows))


def _counted(entries: Iterable[Entry]) -> Iterable[Entry]:
    """The episodes that count: in a known folder, naming their id; of two with one id the live
    one, then the first path, so that no mass is counted twice."""
    known = [entry for entry in entries if entry.has_id and entry.category in CATEGORIES]
    out: dict[str, Entry] = {}
    for entry in sorted(known, key=lambda entry: (entry.archived, entry.path)):
        out.setdefault(entry.id, entry)
    return out.values()


def ledger_date(entry: Entry) -> str:
    """What has the form of a date, in the front matter or else at the head of the id, else "".

    The peer's rule: a day that no calendar knows stays, and is a finding elsewhere.
    """
    if _DATE.fullmatch(entry.date):
        return entry.date
    return entry.id[:10] if _DATE.fullmatch(entry.id[:10]) else ""


def _row(date: str, entry: Entry) -> str:
    mode, notes = entry.mode or "live", entry.notes
    if not (entry.id + mode + notes).isprintable():
        mode, notes = tsv(mode), tsv(notes)
    name = tsv(entry.id)
    return f"{date}\t{name}\t{mode}\t{entry.approx_tokens}\t{entry.digest_tokens}\t{notes}\n"
