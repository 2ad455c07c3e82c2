"""Which episodes leave a shelf on a day, and which stay: the snapshot cut before it is rendered."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from .choosing import VISIBILITY, LeftOut, visibility, visible_where
from .dates import parse
from .entry import Entry
from .errors import ShelfError
from .publishing import PUBLIC, Publishing
from .shelf import Shelf
from .text import plural

RETAIN = "retain_until"
"""The reason of an episode that is past its last day."""


class Leaving(NamedTuple):
    """`shelf` as if it held only what leaves; `stays` is what does not, newest first, for the one
    who publishes: it names hidden episodes."""

    shelf: Shelf
    stays: tuple[LeftOut, ...] = ()

    def required(self, publishing: Publishing) -> Leaving:
        """Itself; raises ShelfError with the line to write where no episode may leave."""
        if self.shelf.entries:
            return self
        said = f"{self.none(publishing)}: nothing leaves."
        raise ShelfError(
            said,
            f"Write `visibility: {publishing.include[0]}` into the front matter of what may be read, "
            f'or visibility = "{publishing.include[0]}" under [shelf] in memshelf.toml for all.',
            "nothing-leaves",
        )

    def none(self, publishing: Publishing) -> str:
        """In words, for the one who publishes, why no episode leaves."""
        levels = " or ".join(publishing.include)
        past = sum(one.reason == RETAIN for one in self.stays)
        also = f" ({past:,} are past their retain_until)" if past else ""
        return f"None of {plural(len(self.stays), 'episode')} is {levels}{also}"


def leaving(shelf: Shelf, publishing: Publishing, today: date) -> Leaving:
    """The shelf cut to what may leave on a day, without a trace of the rest.

    An episode leaves up to and on its `retain_until`; one that names no day of the calendar there
    stays. Files that cannot be read may be private: the public is told of none, a team only where
    the shelf is not private by default. So it is with the texts of periods.
    """
    default, levels = shelf.config.visibility, frozenset(publishing.include)

    def why(entry: Entry) -> str:
        if visibility(entry, default) not in levels:
            return VISIBILITY
        return RETAIN if _past(entry, today) else ""

    reasons = {entry.path: why(entry) for entry in shelf.entries}
    problems = publishing.readers != PUBLIC and default in levels
    cut = visible_where(shelf, lambda entry: not reasons[entry.path], levels, problems)
    stays = [(entry, reasons[entry.path]) for entry in reversed(shelf.entries)]
    return Leaving(cut, tuple(LeftOut(one.path, one.id, reason) for one, reason in stays if reason))


def _past(entry: Entry, today: date) -> bool:
    if not entry.retain_until:
        return False
    last = parse(entry.retain_until)
    return last is None or last < today
