"""The page of numbers: what the shelf holds, what it costs, what came of it."""

from __future__ import annotations

from collections.abc import Iterator

from ..domain.economy import WINDOW, Economy, banner, by_kind, economy, last_months, short
from ..domain.episode import CATEGORY
from ..domain.shelf import Shelf
from ..domain.text import plural
from ..domain.threads import open_threads
from .escape import plain
from .index import index_tokens
from .report import Line, Part, Picture, Report, Row, Table, line
from .site_lines import made
from .site_places import Here

MONTHS = 12


def stats_page(shelf: Shelf, here: Here, chart: str = "", window: int = WINDOW) -> Report:
    """The numbers of `memshelf stats`; `chart` is the address of stats.svg, where there is one."""
    return made("Stats", shelf, _parts(shelf, economy(shelf, index_tokens(shelf), window), chart))


def _parts(shelf: Shelf, found: Economy, chart: str) -> Iterator[Part]:
    says = "Tokens held and tokens of digests over time, and episodes a month by kind."
    pictures = (Picture(chart, says),) if chart else ()
    yield Part("banner", "", said=(line(banner(found)),), pictures=pictures)
    yield _table("cost", "Standing cost", ("", "Tokens", "Of the window"), _cost(found))
    yield _held(shelf, found)
    yield _returned(found)
    yield from _months(shelf, found)


def _table(
    anchor: str, title: str, head: tuple[str, ...], rows: Iterator[Row], *said: Line
) -> Part:
    return Part(anchor, title, said=said, tables=(Table(head, tuple(rows)),))


def _cost(found: Economy) -> Iterator[Row]:
    costs = (
        ("INDEX", found.index_tokens),
        ("Digests", found.digest_tokens),
        ("Together", found.standing_cost),
    )
    for name, tokens in costs:
        yield Row(name, (f"{tokens:,}", f"{100 * tokens / found.context_window:.1f} %"))


def _held(shelf: Shelf, found: Economy) -> Part:
    held = by_kind(shelf, found.context_window)
    rows = [
        Row(_kind(one.kind), (f"{one.episodes:,}", f"{one.held:,}", f"{one.digests:,}"))
        for one in held
    ]
    total = (f"{found.episodes:,}", f"{found.shelved_mass:,}", f"{found.digest_tokens:,}")
    rows.append(Row("Together", total))
    said = f"{len(shelf.archived):,} archived; {plural(open_threads(shelf), 'open thread')}."
    head = ("", "Episodes", "Tokens held", "Of digests")
    return _table("held", "What it holds", head, iter(rows), line(said))


def _kind(kind: str) -> str:
    name = plain(CATEGORY.get(kind, kind))
    return name[:1].upper() + name[1:]


def _returned(found: Economy) -> Part:
    """What came of it; of a shelf with one episode a ratio says nothing."""
    rows = [
        Row("Held for a token of standing cost", (f"{found.compression_ratio:,}",)),
        Row("Recalls", (f"{found.recalls:,}",)),
        Row("Episodes recalled", (f"{found.episodes_recalled:,}",)),
        Row("Tokens fetched", (f"{found.fetched_tokens:,}",)),
        Row("Tokens saved", (f"{found.realized_savings:,}",)),
    ]
    shown = iter(rows if found.episodes > 1 else rows[1:])
    return _table("return", "What came of it", ("", ""), shown, *_notes(found))


def _notes(found: Economy) -> Iterator[Line]:
    if not found.recalls:
        yield line("No recalls are logged yet.")
    if found.unmeasured_episodes:
        yield line(f"{plural(found.unmeasured_episodes, 'episode')} unmeasured, in no ratio.")
    if found.capped_episodes:
        window = short(found.context_window)
        clipped = plural(found.capped_episodes, "episode")
        yield line(
            f"{clipped} counted as {window} tokens: {found.work_volume:,} were worked through in all."
        )


def _months(shelf: Shelf, found: Economy) -> Iterator[Part]:
    months = last_months(shelf, MONTHS, found.context_window)
    rows = (
        Row(one.month, (f"{one.episodes:,}", f"{one.held:,}", f"{one.recalls:,}")) for one in months
    )
    if months:
        head = ("Month", "Episodes", "Tokens held", "Recalls")
        yield _table("months", "Last twelve months", head, rows)
