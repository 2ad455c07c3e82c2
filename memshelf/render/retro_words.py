"""The words of a retrospective's lines: decisions, threads, episodes, and what became of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..domain.entry import Entry
from ..domain.episode import DESCRIPTION_LIMIT, TITLE_LIMIT
from ..domain.period import Period
from ..domain.shelf import Shelf
from ..domain.text import clip, plural
from ..domain.threads import Decision, Replacement, Thread, days
from .index import date
from .report import Line, Span, ident, line, strong
from .words import unmarked

_TEXT, _OPTION = 200, 160
"""Characters of a decision or a thread, and of a rejected option."""
_WHOLE = 4_000


def nowhere(_: str) -> str:
    """The address of episodes in a report that leads to none."""
    return ""


class Form(NamedTuple):
    """How a report is to be.

    `short` is for a message, `full` leaves texts whole, `invite` is for those who may write the
    period's text; `address` says where an id, or an address `ID/t2`, is to be found from the report,
    "" for nowhere. In a report with `titled` episodes it is their titles that lead there, and ids
    are left out beside them. `everything` is the address of a page that lists all episodes.
    """

    short: bool = False
    full: bool = False
    invite: bool = True
    address: Callable[[str], str] = nowhere
    titled: bool = False
    everything: str = ""


USUAL = Form()


class Words:
    """Lines about the things of one shelf, as of the end of one period.

    What came after it is known by its id alone, unless the lines are about what came `later`.
    """

    def __init__(self, shelf: Shelf, period: Period, form: Form, later: bool = False) -> None:
        self.shelf, self.period, self.form, self._later = shelf, period, form, later
        self._limit, self._option = (_WHOLE, _WHOLE) if form.full else (_TEXT, _OPTION)

    def cut(self, markdown: str) -> str:
        """A text of an episode without marks of Markdown, at most as long as the form allows."""
        return clip(unmarked(markdown[: 4 * self._limit]), self._limit)

    # --- names -------------------------------------------------------------------------------

    def id(self, address: str) -> Span:
        """An id or an address, leading to its episode where the report leads anywhere."""
        return ident(address, self.form.address(address))

    def named(self, episode: str) -> Iterator[Span]:
        """The title of an episode and its id; of one that is not on the shelf by then the id."""
        found = self.shelf.by_id.get(episode)
        if found and found.title and self._known(found):
            yield from self._entitled(found)
        else:
            yield self.id(episode)

    def _known(self, entry: Entry) -> bool:
        return self._later or not entry.day or entry.ledger_date <= self.period.end

    def title(self, entry: Entry) -> Span:
        """The title of an episode, leading to it where the report's titles do."""
        href = self.form.address(entry.id) if self.form.titled else ""
        return strong(clip(entry.heading, TITLE_LIMIT), href)

    def _entitled(self, entry: Entry) -> Iterator[Span]:
        title = self.title(entry)
        yield title
        if not title.href:
            yield self.id(entry.id)

    # --- lines -------------------------------------------------------------------------------

    def episode(self, entry: Entry) -> Line:
        """An episode with what stands in its line of the index, its kind and its tags."""
        said = clip(entry.description, DESCRIPTION_LIMIT)
        tail = [entry.kind or entry.category]
        tail += [f"tags: {', '.join(entry.tags)}"] if entry.tags else []
        title = self._entitled(entry)
        return line(date(entry), *title, f"— {said}" if said else "", f"· {' · '.join(tail)}")

    def decision(self, made: Decision) -> Line:
        """A decision with its rejected options below, and what reversed it by then."""
        below = tuple(line(clip(self.cut(option), self._option)) for option in made.rejected)
        state = self._reversed(made) if made.reversed_by else ()
        spans = (self.cut(made.text), "—", self.id(made.address), *state)
        return line(*spans, below=below, past=not made.stands)

    def _reversed(self, made: Decision) -> tuple[Span | str, ...]:
        return ("· reversed by", self.id(made.reversed_by), f"on {made.reversed_on}")

    def thread(self, found: Thread) -> Line:
        """An open thread, with its age at the period's end."""
        since = f"· since {found.since}, {plural(found.age(self.period.end), 'day')}"
        return self._thread(found, since if found.since else "")

    def closed(self, found: Thread) -> Line:
        """A closed thread: opened when, by what it was closed, after how many days."""
        if found.closed_by == found.episode:
            return self._thread(found, f"· ticked off where it was opened, {found.closed_on}")
        after = f"on {found.closed_on}, after {plural(days(found.since, found.closed_on), 'day')}"
        opened = f"· opened {found.since} · closed by" if found.since else "· closed by"
        return self._thread(found, opened, self.id(found.closed_by), after)

    def carried(self, found: Thread) -> Line:
        """A thread that another carries on."""
        return self._thread(found, "· carried on as", self.id(found.carried_by))

    def _thread(self, found: Thread, *rest: Span | str) -> Line:
        return line(self.cut(found.text), "—", self.id(found.address), *rest)

    def replaced(self, found: Replacement) -> Line:
        """An episode that another replaced, and why: what the new one says of itself."""
        new = self.shelf.by_id.get(found.new)
        why = clip(new.description, DESCRIPTION_LIMIT) if new else ""
        return line(*self.named(found.old), *self._by(found.new, found.date, why))

    def turned(self, made: Decision) -> Line:
        """A single decision that was reversed, and by what."""
        new = self.shelf.by_id.get(made.reversed_by)
        why = clip(new.description, DESCRIPTION_LIMIT) if new else ""
        by = self._by(made.reversed_by, made.reversed_on, why)
        return line(self.cut(made.text), "—", self.id(made.address), *by)

    def _by(self, new: str, day: str, why: str) -> tuple[Span | str, ...]:
        when = f"on {day}" if day else ""
        return ("→", *self.named(new), when, f"— {why}" if why else "")
