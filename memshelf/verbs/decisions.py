"""List what was decided, newest first, what was rejected for it, and what reversed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from ..domain.about import About
from ..domain.errors import at_least
from ..domain.finding import left_out
from ..domain.text import clip, plural
from ..domain.threads import Decision, days
from ..domain.threads import decisions as all_decisions
from ..render.escape import plain
from ..storage.store import Store
from ..verb import Filled, Rev, verb

_CUT = 200


@dataclass(frozen=True)
class Decisions:
    """Decisions that were asked for, newest first, and how many stand and were reversed."""

    as_of: str
    stand: int
    reversed: int
    decisions: tuple[Decision, ...]
    left: int
    problems: tuple[str, ...] = ()

    def data(self) -> dict[str, Any]:
        """The counts, then each decision with its state and for how many days it stood."""
        rows = [
            {
                **decision._asdict(),
                "state": "stands" if decision.stands else "reversed",
                "stood": days(decision.date, decision.reversed_on or self.as_of),
            }
            for decision in self.decisions
        ]
        counts = {"stand": self.stand, "reversed": self.reversed}
        rest = {"left": self.left, "problems": self.problems}
        return {"as_of": self.as_of, **counts, "decisions": rows, **rest}

    def __str__(self) -> str:
        as_of = f" (as of {self.as_of})" if self.as_of else ""
        head = f"{self.stand:,} stand, {self.reversed:,} reversed{as_of}"
        rows = [line for decision in self.decisions for line in _lines(decision)]
        more = [f"{self.left:,} more: raise --max-results."] if self.left else []
        empty = [] if rows else [self._empty()]
        out = [left_out(self.problems)] if self.problems else []
        return "\n".join([head, *rows, *empty, *more, *out])

    def _empty(self) -> str:
        if self.stand or self.reversed:
            return "None that was asked for."
        return 'No decision yet: each item of a section "Decisions" is one.'


def _lines(decision: Decision) -> list[str]:
    after = plural(days(decision.date, decision.reversed_on), "day")
    gone = f" (reversed by {decision.reversed_by} after {after})" if not decision.stands else ""
    row = f"- {decision.address}{gone}: {clip(plain(decision.text), _CUT)}"
    return [row, *(f"  {clip(plain(text), _CUT)}" for text in decision.rejected)]


@verb(remembers=("state", "about", "max_results"))
def decisions(
    store: Store,
    *,
    state: Annotated[Literal["stands", "reversed", "all"], "Which decisions."] = "stands",
    about: Annotated[str, "Only those about these words.", Filled()] = "",
    max_results: Annotated[int, "At most so many."] = 50,
    rev: Rev = "",
) -> Decisions:
    """List what was decided, newest first, what was rejected for it, and what reversed it.

    A decision is an item of a section "Decisions", addressed as ID/d1. A later episode reverses it
    with `supersedes: [ID/d1]`, or by replacing the whole episode.

    Example:
    memshelf decisions
    memshelf decisions --about tables --state all
    """
    at_least(1, "max_results", max_results)
    shelf = store.read(rev, bodied=True)
    found = all_decisions(shelf)
    stand = sum(decision.stands for decision in found)
    wanted = [d for d in found if state == "all" or d.stands == (state == "stands")]
    if about:
        is_about = About.of(about).among(shelf)
        wanted = [d for d in wanted if is_about(d.episode, " ".join((d.text, *d.rejected)))]
    wanted.sort(key=lambda d: (d.date, d.episode), reverse=True)
    shown = tuple(wanted[:max_results])
    return Decisions(
        shelf.as_of, stand, len(found) - stand, shown, len(wanted) - len(shown), shelf.unread
    )
