"""Find episodes that hold every word of a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ..domain.errors import UsageError, at_least
from ..domain.shelf import left_out
from ..engine.plain import Hit, hit, parse, ranked
from ..storage.store import Store
from ..verb import verb


@dataclass(frozen=True)
class Found:
    """The hits, best first, and how many there were in all."""

    mode: str
    hits: tuple[Hit, ...]
    total: int
    problems: tuple[str, ...] = ()

    def __str__(self) -> str:
        rows = [f"{h.address}\t{h.score}\t{h.snippet}\t{h.section}" for h in self.hits]
        return "\n".join(rows)

    @property
    def hint(self) -> str:
        """What to say beside the hits."""
        left = self.total - len(self.hits)
        more = f"{left} more; raise --max-results." if left else ""
        nothing = "" if self.hits else "nothing holds all of these words."
        said = [text for text in (nothing, more, left_out(self.problems)) if text]
        return f"memshelf: {' '.join(said)}" if said else ""


@verb()
def search(
    store: Store,
    query: Annotated[str, "Words; every one must occur. `-word` leaves out."],
    *,
    max_results: Annotated[int, "At most so many hits."] = 10,
) -> Found:
    """Find episodes that hold every word of a query.

    Case, accents and ё do not matter, a word is matched from its beginning. Each hit names an
    episode and the section that fits best, which recall then fetches.

    Example:
    memshelf search "token bucket"
    memshelf search лимиты --json
    """
    at_least(1, "max_results", max_results)
    wanted = parse(query)
    if not wanted.words:
        raise UsageError(
            "The query has no word to look for.", 'Give words: memshelf search "redis cache"'
        )
    shelf = store.read()
    matches = ranked(wanted, shelf.entries, store.listed)
    best = matches[:max_results]
    hits = tuple(hit(wanted, match, store.text(match.entry.path)) for match in best)
    return Found("words", hits, len(matches), shelf.unread)
