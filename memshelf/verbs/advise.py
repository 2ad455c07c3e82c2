"""Say what a context window is made of, and what of it could be put down."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from ..domain.advice import STALE_AFTER, Advice, Occupant, Proposal, advice, made, occupant
from ..domain.advice_words import Words, note, target, why, words
from ..domain.advice_words import summary as in_one_line
from ..domain.economy import WINDOW
from ..domain.errors import ShelfError, UsageError, at_least
from ..storage.store import Store
from ..verb import Alias, CommandLineOnly, Flag, Objects, verb


@dataclass(frozen=True)
class Advised:
    """What a window is made of, and the proposals, most first; in one language."""

    advice: Advice
    language: str
    shelf: str
    only_summary: bool = False

    @property
    def summary(self) -> str:
        """All of it in one line."""
        return in_one_line(self.words, self.advice)

    @property
    def words(self) -> Words:
        """The sentences of the shelf's language."""
        return words(self.language)

    def data(self) -> dict[str, Any]:
        """The peer's keys."""
        a, said = self.advice, self.words
        return {
            "status": "ok",
            "budget_tokens": a.budget,
            "accounted_tokens": a.accounted,
            "headroom_tokens": a.budget - a.accounted,
            "breakdown": a.breakdown,
            "memory_overhead": a.memory,
            "reclaimable_tokens": a.reclaimable,
            "episodes_on_shelf": a.episodes,
            "index_tokens": a.index_tokens,
            "index_budget_tokens": a.index_budget,
            "index_entry_tokens": a.index_entry,
            "proposals": [
                {
                    "action": one.action,
                    "target": target(said, one),
                    "tokens": one.tokens,
                    "why": why(said, one),
                    "command": self.command(one),
                }
                for one in a.proposals
            ],
            "notes": [note(said, one) for one in a.notes],
            "summary": self.summary,
        }

    def command(self, one: Proposal) -> str:
        """What would do it, ready to be filled in and run."""
        base = ("memshelf", one.action if one.action != "drop" else "recall", "--shelf", self.shelf)
        said = self.words
        rest: tuple[str, ...] = ("--id", one.episode, "--section", said.section)
        if one.action == "shelve":
            rest = ("--title", one.target, "--approx-tokens", str(one.size))
            rest += ("--digest", said.digest, "--section", f"Decisions={said.decisions}")
        if one.action == "rollup":
            rest = ("--slug", one.target, "--until", one.until, "--digest", said.digest)
        return shlex.join((*base, *rest))

    def __str__(self) -> str:
        if self.only_summary:
            return self.summary
        a, said = self.advice, self.words
        rows = [said.head.format(accounted=f"{a.accounted:,}", budget=f"{a.budget:,}")]
        rows += [f"  {said.places[name]:<20}{size:>10,}" for name, size in a.breakdown.items()]
        for one in a.proposals:
            rows += ["", f"{said.actions[one.action]} {target(said, one)}: {one.tokens:,}"]
            rows += [f"  {why(said, one)}", f"  {self.command(one)}"]
        if not a.proposals:
            rows += ["", said.nothing]
        return "\n".join([*rows, *(f"* {note(said, one)}" for one in a.notes)])


@verb()
def advise(
    store: Store,
    *,
    occupants: Annotated[
        Sequence[str],
        "What is in the window: LABEL=TOKENS[,live|closed][,idle=N][,kind=K][,episode=ID].",
        Flag("--occupant"),
        Objects(),
    ] = (),
    occupants_json: Annotated[
        str, "A file with a list of objects instead; - is standard input.", CommandLineOnly()
    ] = "",
    budget: Annotated[int, "Tokens of the window.", Alias("budget_tokens")] = WINDOW,
    stale_after: Annotated[
        int, "Turns untouched that count as left.", Alias("stale_after_turns")
    ] = STALE_AFTER,
    exclude_self: Annotated[bool, "Leave out what memshelf itself costs."] = False,
    summary: Annotated[bool, "Only the one line.", CommandLineOnly()] = False,
) -> Advised:
    """Say what a context window is made of, and what of it could be put down.

    Nobody sees your window, so you say what is in it. Claims of episodes are looked up, memshelf
    counts itself, and what would not pay for its own line is not proposed. Writes nothing.

    Example:
    memshelf advise --occupant "auth refactor=42000,closed" --occupant "search dump=9000,idle=18"
    memshelf advise --summary
    """
    at_least(1, "budget", budget)
    at_least(1, "stale_after", stale_after)
    given = [*map(_occupant, occupants), *(_from_file(occupants_json) if occupants_json else ())]
    from ..render.index import index_text

    shelf = store.read(bodied=True)
    found = advice(shelf, index_text(shelf), given, budget, stale_after, not exclude_self)
    return Advised(found, shelf.config.language, str(store.root), summary)


def _occupant(spec: str) -> Occupant:
    return _objects(spec)[0] if spec.lstrip().startswith("{") else occupant(spec)


def _from_file(name: str) -> list[Occupant]:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
    except (OSError, UnicodeError) as trouble:
        reason = getattr(trouble, "strerror", "") or "it is not UTF-8"
        raise ShelfError(f"{name} cannot be read: {reason}.", "Name another file.") from None
    return _objects(text)


def _objects(text: str) -> list[Occupant]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError("The occupants are no JSON.", "Give a list of objects.") from None
    rows = found if isinstance(found, list) else [found]
    if not all(isinstance(row, dict) for row in rows):
        raise UsageError("The occupants are no list of objects.", "Give a list of objects.")
    return [made(row) for row in rows]
