"""The page about a shelf's graph: what hangs together, what is named most, what replaced what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..domain.episode import TITLE_LIMIT
from ..domain.graph import DECIDED, Edge, Graph, chains, graph
from ..domain.graph_groups import MOST, QUARTER, Slice, labels, slices
from ..domain.shelf import Shelf
from ..domain.text import clip, plural
from .ego import OUT
from .escape import plain
from .index import date
from .report import (
    Block,
    Line,
    Part,
    Picture,
    Report,
    Row,
    Span,
    Table,
    ident,
    line,
    link,
    small,
    text,
)
from .site_lines import Lines, cut_block, made
from .site_places import Here

TOP, LISTED, NAMED = 10, 50, 12
"""So many episodes are said to be named most, so many chains are listed, so many names in a line."""

_LINES, _LEAST = 800, 10
"""So many lines say who names whom, over all quarters, and so many of a quarter at least: the page
stays under 200 KB."""


def graph_page(
    shelf: Shelf, here: Here, beside: Sequence[str] = (), known: Graph | None = None
) -> Report:
    """The page about the graph; `beside` are the addresses of its drawing and of its data, where there
    are these.

    A graph that is `known` is not made again.
    """
    return made("Graph", shelf, _Page(shelf, here, known or graph(shelf)).parts(*beside))


class _Page:
    """The parts of the page."""

    def __init__(self, shelf: Shelf, here: Here, of: Graph) -> None:
        self.shelf, self.here, self.graph = shelf, here, of
        self.lines = Lines(shelf, here)

    def parts(self, picture: str = "", data: str = "") -> Iterator[Part | None]:
        """All of them, in order."""
        if not self.graph.edges:
            yield Part("none", "", said=(_empty(),))
            yield self._missing()
            return
        quarters = slices(self.graph, labels(QUARTER, self.shelf.config.fiscal_year_start), QUARTER)
        yield self._counts(data)
        yield self._most()
        yield _picture(picture)
        yield self._map(quarters)
        yield self._chains()
        yield self._missing()
        yield self._mentions([one for one in quarters if one.edges])

    def _counts(self, data: str) -> Part:
        said = ", ".join(
            (
                plural(len(self.graph.nodes), "episode"),
                plural(len(self.graph.edges), "mention"),
                plural(len(self.graph.groups), "group"),
                f"{len(self.graph.alone):,} alone",
            )
        )
        whole = (line(link("All mentions, as JSON", data)),) if data else ()
        return Part("counts", "", said=(line(f"{said}."), *whole))

    def _most(self) -> Part:
        named, place = self.graph.mentioned, self.graph.place
        ranked = sorted(named, key=lambda name: (named[name], place[name]), reverse=True)
        rows = tuple(self._row(name, named[name]) for name in ranked[:TOP])
        table = Table(("Episode", "Named by", "Date"), rows)
        return Part("most", "Most mentioned", tables=(table,))

    def _row(self, name: str, count: int) -> Row:
        entry = self.graph.by_id[name]
        title = clip(plain(entry.heading), TITLE_LIMIT)
        return Row(title, (f"{count:,}", date(entry)), href=self.here.at(entry))

    def _map(self, quarters: Sequence[Slice]) -> Part:
        """The quarters in numbers."""
        rows = tuple(
            Row(
                one.label,
                (f"{len(one.entries):,}", f"{len(one.edges):,}"),
                href=self.here.quarter(one.label),
            )
            for one in quarters[:MOST]
        )
        older = len(quarters) - MOST
        left = (Block("", (), f"{plural(older, 'quarter')} more, older."),) if older > 0 else ()
        return Part(
            "map",
            "By quarter",
            tables=(Table(("Quarter", "Episodes", "Mentions"), rows),),
            blocks=left,
        )

    def _chains(self) -> Part | None:
        found = chains(self.shelf)
        if not found:
            return None
        lines = tuple(line(*self._chain(chain)) for chain in found[:LISTED])
        block = cut_block("", lines, len(found) - LISTED)
        return Part("replaced", "What replaced what", blocks=(block,))

    def _chain(self, chain: Sequence[str]) -> Iterator[Span]:
        for place, name in enumerate(chain[:NAMED]):
            if place:
                yield small("replaces")
            yield self.lines.title(name)
        if chain[NAMED:]:
            yield small(f"and {len(chain) - NAMED:,} more before that")

    def _missing(self) -> Part | None:
        found = self.graph.missing
        if not found:
            return None
        lines = tuple(
            line(ident(edge.target), small("by"), self.lines.title(edge.source), *_where(edge))
            for edge in found[:LISTED]
        )
        block = cut_block("", lines, len(found) - LISTED)
        return Part("missing", "Mentioned but not on the shelf", blocks=(block,))

    # --- in words ----------------------------------------------------------------------------

    def _mentions(self, quarters: Sequence[Slice]) -> Part:
        """Quarter by quarter who names whom, the newest open, the others folded."""
        most = max(_LINES // max(1, min(len(quarters), MOST)), _LEAST)
        blocks = [self._slice(one, most, bool(place)) for place, one in enumerate(quarters[:MOST])]
        if quarters[MOST:]:
            said = f"{plural(len(quarters) - MOST, 'quarter')} more, older."
            blocks.append(Block("", (), said))
        return Part("mentions", "Who names whom", blocks=tuple(blocks))

    def _slice(self, one: Slice, most: int, folded: bool) -> Block:
        sources = {edge.source for edge in one.edges}
        found = [entry.id for entry in reversed(one.entries) if entry.id in sources]
        lines: list[Line] = []
        while len(lines) < len(found) and most > 0:
            lines.append(self._named(found[len(lines)]))
            most -= 1 + len(lines[-1].below)
        left = len(found) - len(lines)
        heading = f"{one.label}: {plural(len(one.edges), 'mention')}"
        more = f"{left:,} more: each says on its own page whom it names." if left > 0 else ""
        return Block(heading, tuple(lines), more, folded)

    def _named(self, name: str) -> Line:
        """An episode, and below it whom it names, with the strongest reason for each."""
        strongest = self.graph.strongest
        near = [one.id for one in self.graph.neighbours(name) if (name, one.id) in strongest]
        below = [
            line(small(OUT[edge.why]), self.lines.title(edge.target), *_where(edge))
            for edge in (strongest[name, other] for other in near[:NAMED])
        ]
        if near[NAMED:]:
            below.append(line(f"and {len(near) - NAMED:,} more"))
        return line(self.lines.title(name), small(date(self.graph.by_id[name])), below=tuple(below))


def _picture(address: str) -> Part | None:
    """The drawing: each episode of a small shelf, the quarters of a big one."""
    says = "Who names whom: the tables and lists on this page say the same in words."
    return Part("picture", "Drawn", pictures=(Picture(address, says),)) if address else None


def _where(edge: Edge) -> tuple[Span, ...]:
    """The section of a mention, unless the reason says it already."""
    section = clip(plain(edge.section), 60) if edge.why != DECIDED else ""
    return (text(f"in {section}"),) if section else ()


def _empty() -> Line:
    return line(
        "No episode names another yet. Write the other’s id, or a link to its file, in any section;",
        ident("closes: [ID/t1]"), "and", ident("supersedes: [ID]"), "in the front matter name it too.",
    )  # fmt: skip
