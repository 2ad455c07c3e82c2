"""Show what the shelf costs and saves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from ..domain.advice import folding
from ..domain.economy import (
    WINDOW,
    Economy,
    Held,
    IndexLine,
    IndexPrice,
    Month,
    by_kind,
    economy,
    index_price,
    last_months,
    short,
)
from ..domain.economy import banner as banner_line
from ..domain.errors import UsageError
from ..domain.finding import left_out
from ..domain.shelf import Shelf
from ..domain.text import beyond_latin, plural
from ..render.escape import plain
from ..storage.store import Store
from ..verb import CommandLineOnly, Rev, verb

_MONTHS, _DEAREST = 12, 5


@dataclass(frozen=True)
class Stats:
    """The economy of a shelf; `only` is a text that stands for the whole answer."""

    economy: Economy
    kinds: dict[str, int]
    open_threads: int
    only: str = ""
    problems: tuple[str, ...] = ()
    by_kind: tuple[Held, ...] = ()
    by_month: tuple[Month, ...] = ()
    tool_tokens: int | None = None
    dearest: tuple[IndexLine, ...] = ()
    archived: int = 0
    next_step: str = ""
    dear_script: bool = False

    @property
    def notes(self) -> dict[str, str]:
        """Sentences about what the numbers leave out."""
        e = self.economy
        out = {}
        if not e.recalls:
            out["note"] = "No recalls are logged yet: `memshelf recall ID` logs one each."
        if e.unmeasured_episodes:
            said = plural(e.unmeasured_episodes, "episode")
            out["unmeasured_note"] = f"{said} unmeasured, in no ratio."
        if e.capped_episodes:
            window = short(e.context_window)
            out["capped_note"] = (
                f"{plural(e.capped_episodes, 'episode')} clipped to {window} tokens."
            )
        if self.dear_script:
            out["script_note"] = (
                "Over a third of INDEX.md is in other scripts than Latin: a model pays more for it "
                "than characters / 4."
            )
        if self.problems:
            out["left_out"] = left_out(self.problems)
        return out

    def data(self) -> dict[str, Any]:
        """The peer's keys, then ours."""
        own: dict[str, Any] = {
            "kinds": self.kinds,
            "archived": self.archived,
            "open_threads": self.open_threads,
            "tool_tokens": self.tool_tokens,
            "by_kind": self.by_kind,
            "by_month": [one for one in self.by_month if one.episodes or one.recalls],
            "dearest_index_lines": self.dearest,
            "next_step": self.next_step,
        }
        if self.problems:
            own["problems"] = self.problems
        return {**asdict(self.economy), "banner": banner_line(self.economy), **self.notes, **own}

    def __str__(self) -> str:
        if self.only:
            return self.only
        e = self.economy
        kinds = ", ".join(f"{count:,} {plain(kind)}" for kind, count in self.kinds.items())
        share = f"{100 * e.standing_cost / e.context_window:.1f} % of {short(e.context_window)}"
        ratio = f", {e.compression_ratio}:1" if e.episodes > 1 else ""
        rows = [
            banner_line(e),
            "",
            f"Standing cost   {e.standing_cost:>12,} tokens, {share}: INDEX {e.index_tokens:,}, digests {e.digest_tokens:,}",
            f"Held            {e.shelved_mass:>12,} tokens{ratio}",
            f"Episodes        {e.episodes:>12,} ({kinds or 'none yet'}); {self.archived:,} archived; "
            f"{plural(self.open_threads, 'open thread')}",
            f"Recalls         {e.recalls:>12,} of {plural(e.episodes_recalled, 'episode')}; "
            f"fetched {e.fetched_tokens:,}, saved {e.realized_savings:,}",
        ]
        if self.tool_tokens is not None:
            rows.insert(
                3,
                f"Tools           {short(self.tool_tokens):>12} tokens of each session that is offered them",
            )
        return "\n".join([*rows, *self._tables(), *self._dearest(), "", *self._last()])

    def _dearest(self) -> Iterator[str]:
        if self.dearest:
            yield from ("", "Dearest lines of INDEX.md, in tokens")
        for line in self.dearest:
            yield f"{line.tokens:>12,} {plain(line.id)}"

    def _last(self) -> Iterator[str]:
        """What the numbers leave out, and the one thing to do about them."""
        yield from self.notes.values()
        yield f"Next: {self.next_step}" if self.next_step else "Nothing to do."

    def _tables(self) -> Iterator[str]:
        """What is claimed, what it costs and what was saved, by kind and by month."""
        heads = ("episodes", "held", "digests", "recalls", "saved")
        for title, found in (("By kind", self.by_kind), ("By month", self.by_month)):
            shown = [one for one in found if one.episodes or one.recalls]
            if shown:
                yield from ("", title.ljust(15) + "".join(head.rjust(12) for head in heads))
            for one in shown:
                counts = (one.episodes, one.held, one.digests, one.recalls, one.saved)
                yield f"{plain(one[0]):<15}" + "".join(f"{count:>12,}" for count in counts)


@verb(remembers=("banner", "context_window"))
def stats(
    store: Store,
    *,
    banner: Annotated[bool, "Only the one line.", CommandLineOnly()] = False,
    chart: Annotated[bool, "Draw stats.svg and print its name.", CommandLineOnly()] = False,
    context_window: Annotated[int | None, "Tokens of the window to reckon with."] = None,
    rev: Rev = "",
) -> Stats:
    """Show what the shelf costs and saves.

    Standing cost against tokens held, claimed and realized, by kind and by month (the last twelve),
    the dearest lines of INDEX.md, and the one step that would make it cheaper. Tokens are
    characters / 4.

    Example:
    memshelf stats
    memshelf stats --banner
    """
    from ..domain.threads import open_threads as count_open
    from ..render.index import index_text

    if chart and rev:
        said = "--chart draws the shelf as it is, and --rev reads another state."
        raise UsageError(said, "Give one of them.")
    shelf = store.read(rev, bodied=True)
    index = index_text(shelf)
    price = index_price(shelf, index)
    size = window(context_window)
    found = economy(shelf, price.tokens, size)
    kinds: dict[str, int] = {}
    for entry in shelf.entries:
        name = entry.kind or "other"
        kinds[name] = kinds.get(name, 0) + 1
    open_threads = count_open(shelf)
    only = banner_line(found) if banner else ""
    if chart:
        only = _draw(store)
    return Stats(
        found,
        dict(sorted(kinds.items())),
        open_threads,
        only,
        shelf.unread,
        by_kind(shelf, size),
        last_months(shelf, _MONTHS, size),
        store.tool_tokens() if store.tool_tokens and not only else None,
        price.dearest(_DEAREST),
        len(shelf.archived),
        _next_step(shelf, price, size),
        beyond_latin(index),
    )


def _next_step(shelf: Shelf, price: IndexPrice, size: int) -> str:
    """What would make the shelf cheaper; empty where nothing needs to."""
    for fold in folding(shelf, price, size):
        return (
            f"`memshelf rollup {fold.target} --until {fold.until} --digest TEXT` folds "
            f"{plural(fold.folded, 'episode')} and takes {fold.tokens:,} tokens off INDEX.md, which "
            "costs over 3 % of the window."
        )
    if price.listed and price.tokens > price.budget:
        return (
            f"shorten titles and descriptions of the dearest lines: INDEX.md costs {price.tokens:,} "
            f"tokens, and {price.budget:,} are its budget."
        )
    return ""


def _draw(store: Store) -> str:
    from ..render.chart import chart
    from ..storage import files

    page = chart(store.read())
    files.replace(files.safe_join(store.root, page.path), page.raw)
    return page.path


def window(given: int | None) -> int:
    """The context window to reckon with: given, else `MEMSHELF_CONTEXT_WINDOW`, else 200,000."""
    if given is None:
        named = os.environ.get("MEMSHELF_CONTEXT_WINDOW", "")
        return int(named) if re.fullmatch("[1-9][0-9]{0,11}", named) else WINDOW
    if given < 1:
        raise UsageError(f"A context window of {given} tokens is none.", "Give a number above 0.")
    return given
