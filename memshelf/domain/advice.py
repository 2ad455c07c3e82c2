"""What of a context window could be put down: its occupants, and what they would give back, net.

Nothing here sees a window: whoever asks says what is in it. What is claimed of an episode is looked
up, memshelf counts itself, and what would not pay for its own line is not proposed. Rules and
numbers are those of the peer's `advise`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .economy import WINDOW, IndexPrice, economy, index_price
from .entry import Entry
from .errors import UsageError
from .shelf import Shelf

STATES = ("live", "closed", "unknown")
KINDS = ("topic", "research", "tool-output", "instructions", "other")
STALE_AFTER = 10
"""Turns without a touch after which an occupant counts as left."""
EPISODE_COST = 200
"""Tokens that an episode costs every later session: its digest and its line in the index."""
LEAST = 10 * EPISODE_COST
"""Tokens below which an occupant does not pay for an episode."""
_INDEX_SHARE = 0.03
"""Share of the window that INDEX.md may take before folding old episodes is proposed."""
STATIC, MEMORY, LIVE, RECLAIMABLE = PLACES = ("static", "memory", "live", "reclaimable")


class Occupant(NamedTuple):
    """One thing in a context window, as the caller tells of it."""

    label: str
    tokens: int
    state: str = "unknown"
    kind: str = "topic"
    idle: int | None = None
    episode: str = ""


class Proposal(NamedTuple):
    """Something that could be put down, the tokens that this gives back net, and why.

    `action` is drop, shelve or rollup; `reason` names the sentence, `idle` and `episode` fill it.
    """

    action: str
    target: str
    tokens: int
    reason: str
    size: int = 0
    idle: int = 0
    episode: str = ""
    until: str = ""
    folded: int = 0


class Note(NamedTuple):
    """Something to know beside the proposals: the name of a sentence, and what fills it."""

    name: str
    words: tuple[str | int, ...] = ()


class Advice(NamedTuple):
    """What a window is made of, and what could be put down, most first. Counts are tokens."""

    budget: int
    breakdown: dict[str, int]
    memory: int
    index_tokens: int
    index_budget: int
    index_entry: int
    episodes: int
    proposals: tuple[Proposal, ...]
    notes: tuple[Note, ...]

    @property
    def accounted(self) -> int:
        """All that is known to be in the window."""
        return sum(self.breakdown.values())

    @property
    def reclaimable(self) -> int:
        """What all proposals together give back, net."""
        return sum(proposal.tokens for proposal in self.proposals)


def advice(
    shelf: Shelf,
    index: str,
    occupants: Sequence[Occupant],
    budget: int = WINDOW,
    stale_after: int = STALE_AFTER,
    with_self: bool = True,
) -> Advice:
    """What is in a window of `budget` tokens, and what could be put down.

    `index` is the text of INDEX.md. An occupant left alone for `stale_after` turns counts as left;
    without `with_self` what memshelf itself costs is left out of the sum.
    """
    price = index_price(shelf, index)
    memory = economy(shelf, price.tokens).standing_cost
    breakdown = dict.fromkeys(PLACES, 0) | {MEMORY: memory if with_self else 0}
    for one in occupants:
        breakdown[_place(shelf, one, stale_after)] += one.tokens
    left = [one for one in occupants if _place(shelf, one, stale_after) == RECLAIMABLE]
    found = [proposal for one in left if (proposal := _of_occupant(shelf, one))]
    fold = folding(shelf, price, budget)
    proposals = sorted([*found, *fold], key=lambda p: (-p.tokens, p.action, p.target))
    notes = [
        *_notes(shelf, occupants, left),
        *_index_notes(shelf, price.tokens > price.budget, fold),
    ]
    return Advice(
        budget=budget,
        breakdown=breakdown,
        memory=memory,
        index_tokens=price.tokens,
        index_budget=price.budget,
        index_entry=int(price.each),
        episodes=len(shelf.entries),
        proposals=tuple(proposals),
        notes=tuple(notes),
    )


def _place(shelf: Shelf, one: Occupant, stale_after: int) -> str:
    """Where an occupant is counted; the first rule that holds."""
    if one.kind == "instructions":
        return STATIC
    if _shelved(shelf, one) or one.state == "closed":
        return RECLAIMABLE
    if one.state == "live":
        return LIVE
    return RECLAIMABLE if (one.idle or 0) >= stale_after else LIVE


def _shelved(shelf: Shelf, one: Occupant) -> Entry | None:
    """The episode that an occupant is said to be on the shelf as, if it is there."""
    name = one.episode.removesuffix(".md")
    return shelf.by_id.get(name) if name else None


def _of_occupant(shelf: Shelf, one: Occupant) -> Proposal | None:
    held = _shelved(shelf, one)
    if held:
        reason = "live" if one.state == "live" else "shelved"
        return Proposal("drop", one.label, one.tokens, reason, one.tokens, episode=held.stem)
    if one.tokens < LEAST:
        return None
    reason, net = ("closed" if one.state == "closed" else "idle"), one.tokens - EPISODE_COST
    return Proposal("shelve", one.label, net, reason, one.tokens, idle=one.idle or 0)


# --- folding old episodes ------------------------------------------------------------------------


def folding(shelf: Shelf, price: IndexPrice, budget: int) -> list[Proposal]:
    """Folding the oldest whole days until the index is back at its share of a window of `budget`
    tokens, where that is passed."""
    excess = price.tokens - int(_INDEX_SHARE * budget)
    if excess <= 0:
        return []
    prices = {line.id: line.tokens for line in price.lines}
    oldest = [entry for entry in shelf.live if entry.stem in prices and entry.day]
    if len(oldest) < 2:
        return []
    average = sum(prices[entry.stem] for entry in oldest) // len(oldest)
    folded: list[Entry] = []
    gain = -average
    for entry in oldest:
        same_day = bool(folded) and folded[-1].ledger_date == entry.ledger_date
        if gain >= excess and len(folded) >= 2 and not same_day:
            break
        folded.append(entry)
        gain += prices[entry.stem]
    if len(folded) < 2 or gain <= 0:
        return []
    until = folded[-1].ledger_date
    return [
        Proposal(
            "rollup",
            f"{until}-rollup",
            gain,
            "index",
            price.tokens,
            until=until,
            folded=len(folded),
        )
    ]


# --- notes -------------------------------------------------------------------------------------


def _notes(shelf: Shelf, occupants: Sequence[Occupant], left: Sequence[Occupant]) -> Iterator[Note]:
    if not occupants:
        yield Note("none")
    titles = {e.heading.casefold(): e.stem for e in shelf.entries} | {
        e.id.casefold(): e.stem for e in shelf.entries
    }
    for one in occupants:
        if one.episode and not _shelved(shelf, one):
            yield Note("not-there", (one.label, one.episode))
        named = titles.get(one.label.strip().casefold())
        if named and not one.episode:
            yield Note("same-name", (one.label, named))
    unsaid = sum(
        one.state == "unknown"
        and one.idle is None
        and not one.episode
        and one.kind != "instructions"
        for one in occupants
    )
    if unsaid:
        yield Note("no-state", (unsaid,))
    small = sum(one.tokens < LEAST and not _shelved(shelf, one) for one in left)
    if small:
        yield Note("small", (small, LEAST, EPISODE_COST))


def _index_notes(shelf: Shelf, dear: bool, fold: Sequence[Proposal]) -> Iterator[Note]:
    if dear:
        yield Note("dear-lines")
    if fold and fold[0].folded * 10 > len(shelf.live) * 9:
        yield Note("nearly-all", (fold[0].folded, len(shelf.live)))


# --- what a caller says ----------------------------------------------------------------------------

_FORM = "LABEL=TOKENS[,live|closed|unknown][,idle=N][,kind=K][,episode=ID]"


def occupant(spec: str) -> Occupant:
    """An occupant from its short form. Raises UsageError.

    >>> occupant("auth refactor=42000,closed")
    Occupant(label='auth refactor', tokens=42000, state='closed', kind='topic', idle=None, episode='')
    """
    label, equals, rest = spec.partition("=")
    size, *parts = [part.strip() for part in rest.split(",")]
    given: dict[str, object] = {"label": label.strip(), "tokens": size}
    for part in filter(None, parts):
        name, named, value = part.partition("=")
        given[name if named else "state"] = value if named else part
    if not equals:
        raise UsageError(f"{spec!r} says no size.", f"Write {_FORM}.")
    return made(given, spec)


_NAMES = {"approx_tokens": "tokens", "idle_turns": "idle", "episode_id": "episode"}


def made(given: dict[str, object], shown: str = "") -> Occupant:
    """An occupant from its fields; the peer's names are taken too. Raises UsageError."""
    fields = {_NAMES.get(name, name): value for name, value in given.items() if value is not None}
    shown = shown or str(given.get("label", "an occupant"))
    unknown = sorted(set(fields) - set(Occupant._fields))
    if unknown:
        raise UsageError(f"{shown!r}: there is no field {unknown[0]!r}.", f"Write {_FORM}.")
    label = str(fields.get("label", "")).strip()
    if not label:
        raise UsageError(f"{shown!r} has no label.", f"Write {_FORM}.")
    state, kind = str(fields.get("state", "unknown")), str(fields.get("kind", "topic"))
    for value, known in ((state, STATES), (kind, KINDS)):
        if value not in known:
            raise UsageError(f"{shown!r}: {value!r} is not known.", f"One of: {', '.join(known)}.")
    idle = _count(shown, "idle", fields["idle"]) if "idle" in fields else None
    size = _count(shown, "a size", fields.get("tokens", ""))
    return Occupant(label, size, state, kind, idle, str(fields.get("episode", "")))


def _count(shown: str, name: str, value: object) -> int:
    text = str(value).strip().replace("_", "")
    if isinstance(value, bool) or not (text.isascii() and text.isdigit()) or len(text) > 12:
        said = f"{shown!r}: {value!r} is no whole number for {name}."
        raise UsageError(said, f"Write {_FORM}.")
    return int(text)
