"""Show who names whom, and why."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..domain.errors import EpisodeNotFound
from ..domain.finding import left_out
from ..domain.shelf import Shelf
from ..domain.text import plural
from ..render.graph_form import Form, Format
from ..storage.naming import naming, while_reading
from ..storage.store import Store
from ..verb import CommandLineOnly, Filled, Rev, verb
from .writing_out import write_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..domain.entry import Entry, Names
    from ..domain.graph import Graph

_NAMED = 8


@dataclass(frozen=True)
class Graphed:
    """The graph in the form asked for, as text or in a file, and what it counts.

    `left_out` are edges that stand in none of the `diagrams`; `nothing` says why there is no mention.
    """

    format: str
    episodes: int
    mentions: int
    diagrams: int
    left_out: int
    text: str
    path: str = ""
    problems: tuple[str, ...] = ()
    nothing: str = ""

    def data(self) -> dict[str, Any]:
        """The counts, and the graph itself: its nodes and edges, or the text in another form."""
        known = {**asdict(self), "problems": list(self.problems)}
        text, _ = known.pop("text"), known.pop("nothing")
        if self.path:
            return known
        return known | (json.loads(text) if self.format == "json" else {"text": text})

    @property
    def hint(self) -> str:
        """What is not in the answer itself."""
        said = [f"wrote {self.path}"] if self.path else []
        if self.left_out:
            said.append(f"{plural(self.left_out, 'mention')} in no diagram: too many for one.")
        said += [self.nothing] if self.nothing else []
        said += [left_out(self.problems)] if self.problems else []
        return "\n".join(f"memshelf: {line}" for line in said)

    def __str__(self) -> str:
        return "" if self.path else self.text


@verb(mcp=False, remembers=("format", "section", "all", "ego", "by"))
def graph(
    store: Store,
    *,
    format: Annotated[Format, "What to make of it."] = "json",
    section: Annotated[
        str, "Only what is named in sections of this name, e.g. Decisions.", Filled()
    ] = "",
    all: Annotated[bool, "Draw episodes that none names and that name none, too."] = False,
    ego: Annotated[str, "Only this episode and those one step away.", Filled()] = "",
    by: Annotated[Literal["quarter", "tag"], "How to split what is too big for one."] = "quarter",
    out: Annotated[Path | None, "The file to write; else it is printed.", CommandLineOnly()] = None,
    rev: Rev = "",
) -> Graphed:
    """Show who names whom, and why.

    An episode names another by its id or a link to its file in any section, and by `supersedes`
    and `closes` in its front matter. Mermaid stays within the limits of its hosts: a graph that is
    too big becomes Markdown with a diagram for each quarter or tag. SVG has no scripts: episodes
    one by one up to a hundred, beyond that a map of quarters or tags.

    Example:
    memshelf graph --format text
    memshelf graph --format mermaid --section Decisions
    memshelf graph --format mermaid --rev HEAD~3
    memshelf graph --format svg --ego 2026-01-20-token-bucket-limiter --out ego.svg
    """
    form = Form(format, by, all, ego.removesuffix(".md"))
    if rev:
        answer = _answer(store, store.read(rev), form, section)
    else:
        answer = _current(store, form, section)
    if out is None:
        return answer
    where = write_out(store, out, answer.text)
    return replace(answer, text="", path=str(where))


def _current(store: Store, form: Form, section: str) -> Graphed:
    """The answer for the files as they are, of which nothing is read but what they name."""
    survey = store.survey(while_reading)
    return _answer(store, store.snapshot(survey), form, section, naming(store, survey))


def _answer(
    store: Store,
    shelf: Shelf,
    form: Form,
    section: str = "",
    names: Callable[[Entry], Names] | None = None,
) -> Graphed:
    from ..domain.graph import graph
    from ..render.graph_form import drawn

    whole = made = graph(shelf, names)
    if section.strip():
        made = made.within(section)
    if form.ego:
        named = [entry.id for entry in made.nodes if form.ego in (entry.id, entry.stem)]
        if not named:
            raise EpisodeNotFound(form.ego, store.near(form.ego))
        form = form._replace(ego=named[0])
    text, diagrams, left = drawn(made, shelf, form)
    near = made.around(form.ego) if form.ego else made
    nothing = "" if near.edges else _nothing(whole, form, section)
    return Graphed(
        *(form.format, len(near.nodes), len(near.edges), diagrams, left, text),
        problems=shelf.unread,
        nothing=nothing,
    )


def _nothing(whole: Graph, form: Form, section: str) -> str:
    """Why there is no mention: in none of the sections asked for, around this episode, at all.

    Empty where the text says it.
    """
    if not whole.edges and form.format in ("text", "markdown"):
        return ""
    if not whole.edges:
        return "no episode names another yet; `--format text` says how one does."
    if not section.strip():
        return f"{form.ego} names no episode, and none names it."
    from ..render.escape import plain

    used = Counter(plain(edge.section) for edge in whole.edges if edge.section)
    known = ", ".join(name for name, _ in used.most_common(_NAMED)) or "front matter alone"
    return f"no mention asked for stands in a section {section!r}; mentions stand in: {known}."
