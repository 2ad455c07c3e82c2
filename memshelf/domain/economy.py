"""What a shelf costs and what it saves: the only place where these numbers are made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest
from typing import NamedTuple

from .dates import parse
from .patterns import lazy
from .shelf import Recall, Shelf
from .text import plural, tokens

_LEDGER_NUMBERS = lazy(
    r"^[^\t\n]*\t[^\t\n]*\t[^\t\n]*\t([0-9]{1,18})\t([0-9]{1,18})(?![^\t\r\n])", re.MULTILINE
)

_INDEX_LINE = lazy(
    r"^[-*] [^\n]*?(?<![^\s`(/])((?:\w|[^\x00-\x7f])[\w.%-]*)\.md\b[^\n]*$", re.MULTILINE
)

WINDOW = 200_000
"""Tokens of a context window where nothing else is said: no episode can have freed more."""


@dataclass(frozen=True)
class Economy:
    """The token economy of a shelf; the peer's keys with the peer's formulas (its `stats`).

    All counts are tokens of characters / 4. An unmeasured episode leaves the ratio on both sides;
    an episode above the window counts as the window in `shelved_mass` and whole in `work_volume`.
    """

    episodes: int
    index_tokens: int
    digest_tokens: int
    standing_cost: int
    work_volume: int
    shelved_mass: int
    capped_episodes: int
    compression_ratio: float
    recalls: int
    episodes_recalled: int
    fetched_tokens: int
    realized_savings: int
    unmeasured_episodes: int
    unmeasured_digest_tokens: int
    context_window: int


def economy(shelf: Shelf, index_tokens: int, window: int = WINDOW) -> Economy:
    """The economy of a shelf whose INDEX.md costs `index_tokens`.

    compression_ratio = shelved_mass / (standing_cost - unmeasured digests), to one decimal;
    realized_savings = sum over logged recalls of max(min(mass, window) - fetched, 0).
    """
    unmeasured = [e for e in shelf.entries if e.approx_tokens_source == "unmeasured"]
    measured = [e for e in shelf.entries if e.approx_tokens_source != "unmeasured"]
    digests = sum(e.digest_tokens for e in shelf.entries)
    standing = index_tokens + digests
    mass = sum(min(e.approx_tokens, window) for e in measured)
    idle = sum(e.digest_tokens for e in unmeasured)
    paid = standing - idle
    saved = _saved(shelf, window)
    return Economy(
        episodes=len(shelf.entries),
        index_tokens=index_tokens,
        digest_tokens=digests,
        standing_cost=standing,
        work_volume=sum(e.approx_tokens for e in measured),
        shelved_mass=mass,
        capped_episodes=sum(e.approx_tokens > window for e in measured),
        compression_ratio=round(mass / paid, 1) if paid > 0 and mass else 0.0,
        recalls=len(shelf.recalls),
        episodes_recalled=len({r.episode_id for r in shelf.recalls}),
        fetched_tokens=sum(r.tokens for r in shelf.recalls),
        realized_savings=sum(count for _, count in saved),
        unmeasured_episodes=len(unmeasured),
        unmeasured_digest_tokens=idle,
        context_window=window,
    )


def _saved(shelf: Shelf, window: int) -> list[tuple[Recall, int]]:
    """What each logged recall saved: the episode's tokens, clipped, less those that were fetched."""
    masses = {e.id: min(e.approx_tokens, window) for e in shelf.entries}
    return [(one, max(masses.get(one.episode_id, 0) - one.tokens, 0)) for one in shelf.recalls]


class Held(NamedTuple):
    """What the episodes of one kind hold: how many they are, tokens held (clipped), of digests; how
    often they were recalled, and the tokens that this saved."""

    kind: str
    episodes: int
    held: int
    digests: int
    recalls: int = 0
    saved: int = 0


def by_kind(shelf: Shelf, window: int = WINDOW) -> tuple[Held, ...]:
    """What each kind holds, by the same rules as `economy`; the sums are those of it."""
    out: dict[str, Held] = {}
    for entry in shelf.entries:
        kind = entry.kind or "other"
        so_far = out.get(kind, Held(kind, 0, 0, 0))
        measured = entry.approx_tokens_source != "unmeasured"
        held = so_far.held + (min(entry.approx_tokens, window) if measured else 0)
        digests = so_far.digests + entry.digest_tokens
        out[kind] = Held(kind, so_far.episodes + 1, held, digests)
    kinds = {entry.id: entry.kind or "other" for entry in shelf.entries}
    for recall, saved in _saved(shelf, window):
        if recall.episode_id in kinds:
            so_far = out[kinds[recall.episode_id]]
            out[so_far.kind] = so_far._replace(
                recalls=so_far.recalls + 1, saved=so_far.saved + saved
            )
    return tuple(out[kind] for kind in sorted(out))


class Month(NamedTuple):
    """One month: how many episodes came, how many tokens they hold, how many recalls were logged and
    the tokens that these saved; the tokens of the digests that came."""

    month: str
    episodes: int
    held: int
    recalls: int
    saved: int = 0
    digests: int = 0


def last_months(shelf: Shelf, count: int, window: int = WINDOW) -> tuple[Month, ...]:
    """The months up to that of the newest episode or recall, newest first, by the same rules as
    `series`."""
    found = series(shelf, window)
    episodes = {month: sum(n for _, n in kinds) for month, kinds in found.months}
    held: Counter[str] = Counter()
    digests: Counter[str] = Counter()
    before = Point("", 0, 0)
    for point in found.points:
        held[point.date[:7]] += point.held - before.held
        digests[point.date[:7]] += point.digests - before.digests
        before = point
    recalls = Counter(recall.date[:7] for recall in shelf.recalls)
    saved: Counter[str] = Counter()
    for recall, tokens_saved in _saved(shelf, window):
        saved[recall.date[:7]] += tokens_saved
    newest = max((one.date for one in shelf.recalls if parse(one.date)), default="")
    return tuple(
        Month(m, episodes.get(m, 0), held[m], recalls[m], saved[m], digests[m])
        for m in _before(max(shelf.as_of, newest), count)
    )


def _before(day: str, count: int) -> Iterator[str]:
    """The month of a day and those before it, `YYYY-MM`, so many of them."""
    if not day:
        return
    last = 12 * int(day[:4]) + int(day[5:7]) - 1
    for month in range(last, max(last - count, 11), -1):
        yield f"{month // 12:04}-{month % 12 + 1:02}"


class IndexLine(NamedTuple):
    """What one episode's line in INDEX.md costs in every session, in tokens."""

    id: str
    tokens: int


class IndexPrice(NamedTuple):
    """What INDEX.md costs: its tokens, what it may cost, how many episodes it lists, the tokens of
    an average line, and the lines in their order."""

    tokens: int
    budget: int
    listed: int
    each: float
    lines: tuple[IndexLine, ...]

    def dearest(self, most: int) -> tuple[IndexLine, ...]:
        """The lines that cost most, the dearest first."""
        return tuple(nsmallest(most, self.lines, key=lambda line: (-line.tokens, line.id)))


INDEX_BASE, INDEX_ENTRY = 200, 80
"""Tokens that INDEX.md may cost: a base, and so many an entry."""


def index_price(shelf: Shelf, index: str) -> IndexPrice:
    """The price of INDEX.md, given its text."""
    listed, cost = len(shelf.live), tokens(index)
    each = max((cost - INDEX_BASE) / listed, 0) if listed else 0.0
    lines = tuple(index_lines(index))
    return IndexPrice(cost, INDEX_BASE + INDEX_ENTRY * listed, listed, each, lines)


def index_lines(index: str) -> list[IndexLine]:
    """What each list line of INDEX.md costs that names an episode's file, in order.

    >>> index_lines("# Shelf\\n- 2026-01-05 [Cache](docs/topics/2026-01-05-cache.md) — chosen\\n")
    [IndexLine(id='2026-01-05-cache', tokens=15)]
    """
    return [
        IndexLine(found.group(1), tokens(found.string[found.start() : found.end()]))
        for found in _INDEX_LINE.finditer(index)
    ]


def short(count: int) -> str:
    """A count for eyes, as the peer writes it.

    >>> short(999), short(12_400), short(2_400_000), short(10_050_000), short(1_000_000)
    ('999', '12K', '2.4M', '10.05M', '1M')
    """
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.0f}K"
    return f"{count / 1e6:.2f}".rstrip("0").rstrip(".") + "M"


def banner(e: Economy) -> str:
    """The economy in one line, as the peer words it."""
    parts = [
        f"memshelf: {plural(e.episodes, 'episode')}",
        f"standing {short(e.standing_cost)} tok",
        f"holds ~{short(e.shelved_mass)} est. ({e.compression_ratio}:1)",
    ]
    if e.unmeasured_episodes:
        parts.append(f"{e.unmeasured_episodes} unmeasured")
    if e.capped_episodes:
        window = short(e.context_window)
        said = f"{e.capped_episodes} episode(s) clipped to a {window} window"
        parts.append(f"{said}, work volume ~{short(e.work_volume)}")
    if e.realized_savings:
        parts.append(f"realized saved {short(e.realized_savings)}")
    return " · ".join(parts)


def from_ledger(ledger: str, index: str, window: int = WINDOW) -> dict[str, float | str]:
    """Totals out of ledger.tsv and INDEX.md as they lie there: those of the last rebuild.

    The ledger does not say which masses are unmeasured (they are 0 there), so the ratio is the
    plain one, mass over standing cost.
    """
    counted = [(int(held), int(digest)) for held, digest in _LEDGER_NUMBERS.findall(ledger)]
    mass = sum(min(held, window) for held, _ in counted)
    standing = len(index) // 4 + sum(digest for _, digest in counted)
    ratio = round(mass / standing, 1) if mass and standing else 0.0
    return {
        "as_of": "last-rebuild",
        "episodes": len(counted),
        "shelved_mass": mass,
        "standing_cost": standing,
        "compression_ratio": ratio,
    }


class Point(NamedTuple):
    """The running sums up to and including one day: tokens held (clipped), tokens of digests."""

    date: str
    held: int
    digests: int


@dataclass(frozen=True)
class Series:
    """What stats.svg draws: running sums by day, and episodes a month by kind."""

    points: tuple[Point, ...]
    months: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]


def series(shelf: Shelf, window: int = WINDOW) -> Series:
    """The series of the chart, by the same rules as `economy`; undated episodes are left out."""
    return Series(tuple(_points(shelf, window)), tuple(_months(shelf)))


def _points(shelf: Shelf, window: int) -> Iterator[Point]:
    held: Counter[str] = Counter()
    digests: Counter[str] = Counter()
    for entry in shelf.entries:
        if entry.day:
            measured = entry.approx_tokens_source != "unmeasured"
            held[entry.ledger_date] += min(entry.approx_tokens, window) if measured else 0
            digests[entry.ledger_date] += entry.digest_tokens
    total_held = total_digests = 0
    for day in sorted(digests):
        total_held += held[day]
        total_digests += digests[day]
        yield Point(day, total_held, total_digests)


def _months(shelf: Shelf) -> Iterator[tuple[str, tuple[tuple[str, int], ...]]]:
    by_month: dict[str, Counter[str]] = {}
    for entry in shelf.entries:
        if entry.day:
            by_month.setdefault(entry.ledger_date[:7], Counter())[entry.kind or "other"] += 1
    for month in sorted(by_month):
        yield month, tuple(sorted(by_month[month].items()))
