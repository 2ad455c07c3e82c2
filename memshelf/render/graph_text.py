"""The graph in words: counts, the most mentioned, what replaced what, what is broken, every mention.

Markdown that reads as text. With diagrams it is the page about a shelf's graph, bounded at any size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..domain.entry import Entry
from ..domain.graph import DECIDED, Edge, Graph
from ..domain.graph_groups import MOST, Labels, slices
from ..domain.text import clip, plural
from .ego import IN, OUT, Line, ego_text
from .escape import markdown, plain
from .index import date
from .mermaid import Drawn, Limit, Pen, left_out, slice_lines

TOP, LISTED, NAMED = 10, 200, 12
_PAGE = 90_000
"""Characters that all diagrams of a page may have together: the page stays under 200 KB."""

Chains = Sequence[tuple[str, ...]]


def graph_text(graph: Graph, name: str, as_of: str, chains: Chains = ()) -> str:
    """The graph in words, at most some two hundred lines of mentions."""
    parts = (_head(graph, name, as_of), *_words(graph, chains))
    return _joined(parts) if graph.edges or graph.missing else _joined((parts[0], _empty(graph)))


def graph_page(graph: Graph, name: str, as_of: str, chains: Chains, of: Labels, by: str) -> Drawn:
    """The same with Mermaid diagrams after the most mentioned: of everything, or group by group."""
    if not graph.edges:
        return Drawn(graph_text(graph, name, as_of, chains), 0, 0)
    most, *rest = _words(graph, chains)
    made = _diagrams(graph, of, by)
    pictures = iter(made.text.splitlines())
    text = _joined((_head(graph, name, as_of), most, pictures, *rest))
    return made._replace(text=text)


def ego_words(graph: Graph, name: str) -> str:
    """Who names one episode, and what it names, a line each."""
    lines = ego_text(graph, name)
    entry = graph.by_id[name]
    head = [f"# {_title(entry)}", "", f"{_code(name)} · {date(entry)}", ""]
    if not lines:
        return "\n".join([*head, "It names no episode, and none names it.", ""])
    return "\n".join([*head, *map(_ego_line, lines), ""])


def _ego_line(line: Line) -> str:
    where = _in(line.why in (OUT[DECIDED], IN[DECIDED]), line.section)
    title = f"{_short(line.title)} ({_code(line.id)})" if line.title != line.id else _code(line.id)
    return f"- {line.why} {title}{where}"


def _joined(parts: Sequence[Iterator[str]]) -> str:
    return "\n".join(line for part in parts for line in part)


def _words(graph: Graph, chains: Chains) -> tuple[Iterator[str], ...]:
    return _most(graph), _chains(graph, chains), _missing(graph), _mentions(graph)


def _head(graph: Graph, name: str, as_of: str) -> Iterator[str]:
    yield from (f"# {_short(name)}: who names whom", "")
    counts = [
        *([f"as of {as_of}"] if as_of else []),
        plural(len(graph.nodes), "episode"),
        plural(len(graph.edges), "mention"),
        plural(len(graph.groups), "group"),
        f"{len(graph.alone):,} alone",
        *([f"in sections {_short(graph.section)} only"] if graph.section else []),
    ]
    yield from (" · ".join(counts), "")


def _empty(graph: Graph) -> Iterator[str]:
    if graph.section:
        yield from (f"No mention stands in a section {_short(graph.section)}.", "")
        return
    yield (
        "No episode names another yet. Write the other's id, or a link to its file, in any section; "
        "`closes: [ID/t1]` and `supersedes: [ID]` in the front matter name it too."
    )
    yield ""


def _most(graph: Graph) -> Iterator[str]:
    if not graph.mentioned:
        return
    ranked = sorted(graph.mentioned, key=lambda name: (graph.mentioned[name], graph.place[name]))
    yield from ("## Most mentioned", "", "| named by | episode | date | id |", "|--:|---|---|---|")
    for name in ranked[: -TOP - 1 : -1]:
        entry = graph.by_id[name]
        yield f"| {graph.mentioned[name]:,} | {_title(entry)} | {date(entry)} | {_code(name)} |"
    yield ""


def _chains(graph: Graph, chains: Chains) -> Iterator[str]:
    if not chains or graph.section:  # front matter stands in no section
        return
    yield from ("## What replaced what", "")
    yield from (
        f"- {' replaces '.join(_named(graph, name) for name in chain)}" for chain in chains[:LISTED]
    )
    yield from _more(len(chains) - LISTED, "chain")


def _missing(graph: Graph) -> Iterator[str]:
    if not graph.missing:
        return
    yield from ("## Mentioned but not on the shelf", "")
    for edge in graph.missing[:LISTED]:
        yield f"- {_code(edge.target)} by {_named(graph, edge.source)}{_where(edge)}"
    yield from _more(len(graph.missing) - LISTED, "mention")


def _mentions(graph: Graph) -> Iterator[str]:
    """Every episode that names others, newest first, with the strongest reason for each."""
    sources = [entry for entry in reversed(graph.nodes) if entry.id in graph.outgoing]
    if not sources:
        return
    yield from ("## Who names whom", "")
    for entry in sources[:LISTED]:
        yield f"- {date(entry)} {_named(graph, entry.id)}"
        near = [one for one in graph.neighbours(entry.id) if (entry.id, one.id) in graph.strongest]
        for one in near[:NAMED]:
            edge = graph.strongest[entry.id, one.id]
            yield f"  - {OUT[edge.why]} {_named(graph, one.id)}{_where(edge)}"
        if len(near) > NAMED:
            yield f"  - and {len(near) - NAMED:,} more"
    yield from _more(len(sources) - LISTED, "episode")


def _diagrams(graph: Graph, of: Labels, by: str) -> Drawn:
    pen = Pen(graph)
    whole = pen.diagram(graph.edges, limit=Limit(characters=_PAGE // 2))
    if not whole.left:
        picture = ("```mermaid", whole.text.rstrip("\n"), "```")
        return Drawn("\n".join(("## The whole graph", "", *picture, "", "")), 1, 0)
    found = [one for one in slices(graph, of, by) if one.edges]
    limit = Limit(characters=max(_PAGE // min(len(found), MOST), 1_500))
    made = [(one, pen.diagram(one.edges, limit=limit)) for one in found[:MOST]]
    lines = (f"## By {by}", "", *(line for pair in made for line in slice_lines(*pair, "###")))
    text = "\n".join((*lines, *_more(len(found) - MOST, by)))
    return Drawn(text + "\n", len(made), left_out(found, made))


def _more(count: int, noun: str) -> Iterator[str]:
    if count > 0:
        yield from ("", f"{plural(count, noun)} more: `memshelf graph --format json` has them all.")
    yield ""


def _where(edge: Edge) -> str:
    return _in(edge.why == DECIDED, edge.section)


def _in(said: bool, section: str) -> str:
    """The section of a mention, unless the reason says it already."""
    return f" in *{markdown(clip(plain(section), 60))}*" if section and not said else ""


def _code(name: str) -> str:
    """An id as code, or as text where it holds what would end the code or a table's cell."""
    return markdown(name) if "`" in name or "|" in name else f"`{plain(name)}`"


def _named(graph: Graph, name: str) -> str:
    entry = graph.by_id.get(name)
    return f"{_title(entry)} ({_code(name)})" if entry and entry.title else _code(name)


def _title(entry: Entry) -> str:
    return _short(entry.heading)


def _short(text: str) -> str:
    return markdown(clip(plain(text), 100))
