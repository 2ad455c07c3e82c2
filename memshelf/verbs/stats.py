"""Show what the shelf costs and saves."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from ..domain.economy import WINDOW, Economy, economy, short
from ..domain.economy import banner as banner_line
from ..domain.errors import UsageError
from ..domain.shelf import left_out
from ..domain.text import plural
from ..storage.store import Store
from ..verb import CommandLineOnly, Rev, verb


@dataclass(frozen=True)
class Stats:
    """The economy of a shelf; `only` is a text that stands for the whole answer."""

    economy: Economy
    kinds: dict[str, int]
    open_threads: int
    only: str = ""
    problems: tuple[str, ...] = ()

    @property
    def notes(self) -> dict[str, str]:
        """Sentences about what the numbers leave out."""
        e = self.economy
        out = {}
        if not e.recalls:
            out["note"] = "No recalls are logged yet: `memshelf recall ID` logs one each."
        if e.capped_episodes:
            window = short(e.context_window)
            out["capped_note"] = (
                f"{plural(e.capped_episodes, 'episode')} clipped to {window} tokens."
            )
        if self.problems:
            out["left_out"] = left_out(self.problems)
        return out

    def data(self) -> dict[str, Any]:
        """The peer's keys, then ours."""
        own: dict[str, Any] = {"kinds": self.kinds, "open_threads": self.open_threads}
        if self.problems:
            own["problems"] = self.problems
        return {**asdict(self.economy), "banner": banner_line(self.economy), **self.notes, **own}

    def __str__(self) -> str:
        if self.only:
            return self.only
        e = self.economy
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.kinds.items())
        rows = [
            banner_line(e),
            "",
            f"Standing cost   {e.standing_cost:>12,} tokens: INDEX {e.index_tokens:,}, digests {e.digest_tokens:,}",
            f"Held            {e.shelved_mass:>12,} tokens, {e.compression_ratio}:1",
            f"Episodes        {e.episodes:>12,} ({kinds or 'none yet'}); {plural(self.open_threads, 'open thread')}",
            f"Recalls         {e.recalls:>12,} of {plural(e.episodes_recalled, 'episode')}; "
            f"fetched {e.fetched_tokens:,}, saved {e.realized_savings:,}",
        ]
        return "\n".join([*rows, *self.notes.values()])


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

    Standing cost against tokens held, claimed and realized. Tokens are characters / 4.

    Example:
    memshelf stats
    memshelf stats --banner
    """
    from ..domain.threads import open_threads as count_open
    from ..render.index import index_tokens

    if chart and rev:
        said = "--chart draws the shelf as it is, and --rev reads another state."
        raise UsageError(said, "Give one of them.")
    shelf = store.read(rev, bodied=True)
    found = economy(shelf, index_tokens(shelf), window(context_window))
    kinds: dict[str, int] = {}
    for entry in shelf.entries:
        name = entry.kind or "other"
        kinds[name] = kinds.get(name, 0) + 1
    open_threads = count_open(shelf)
    only = banner_line(found) if banner else ""
    if chart:
        only = _draw(store)
    return Stats(found, dict(sorted(kinds.items())), open_threads, only, shelf.unread)


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
        return int(named) if named.isdigit() and int(named) > 0 else WINDOW
    if given < 1:
        raise UsageError(f"A context window of {given} tokens is none.", "Give a number above 0.")
    return given
