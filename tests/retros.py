"""What the tests of retrospectives share: shelves in memory, their reports, and what proves them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from test_render_html import VOID, Node

from memshelf.domain.config import Config
from memshelf.domain.entry import entry_of
from memshelf.domain.episode import Episode, format_episode
from memshelf.domain.lookback import retrospectives
from memshelf.domain.period import holding, period
from memshelf.domain.retrospect import Retrospective
from memshelf.domain.shelf import Shelf
from memshelf.render.report import to_html, to_markdown
from memshelf.render.retro import retro
from memshelf.render.retro_words import Form


def look(shelf: Shelf, label: str, *, full: bool = False) -> Retrospective:
    start = shelf.config.fiscal_year_start
    (seen,) = retrospectives(shelf, [period(label, start)], full)
    return seen


def text(shelf: Shelf, label: str, **form: bool) -> str:
    seen = look(shelf, label, full=form.get("full", False))
    return to_markdown(retro(shelf, seen, Form(**form)), "retro.md.j2")


def page(shelf: Shelf, label: str, **form: bool) -> str:
    return to_html(retro(shelf, look(shelf, label), Form(**form)), "retro.html.j2")


def part(report: str, title: str) -> str:
    """One part of a report, without its heading."""
    found = re.search(rf"^## {title}[^\n]*\n(.*?)(?=^## |^---$|\Z)", report, re.M | re.S)
    return found[1].strip() if found else ""


def topic(name: str, decided: str = "- Yes.", opened: str = "none", **fields: object) -> Episode:
    known: dict[str, object] = {
        "id": name,
        "kind": "topic",
        "date": name[:10],
        "display_title": name[11:].capitalize(),
        "digest": "Decided: yes.",
        "sections": (("Decisions", decided), ("Open threads", opened)),
    }
    return Episode.make(**(known | fields))


def shelf_of(*episodes: Episode, **rest: object) -> Shelf:
    files = {f"docs/topics/{one.id}.md": format_episode(one) for one in episodes}
    made = (entry_of(path, text) for path, text in files.items())
    return Shelf.make(made, **({"config": Config(name="Tides")} | rest))


def balanced(shelf: Shelf, kind: str) -> Iterator[Retrospective]:
    """The retrospectives of a shelf by periods of a kind, each with sums that are right."""
    days = [entry.day for entry in shelf.entries if entry.day]
    periods = holding(days, kind, shelf.config.fiscal_year_start)
    for seen in retrospectives(shelf, periods, full=True):
        f = seen.figures
        assert seen.open_before + f.opened - f.closed - f.carried == f.open
        assert len(seen.opened.shown) + len(seen.carried_in.shown) == f.open
        assert sum(count for _, count in f.kinds) == f.episodes == len(seen.episodes.shown)
        assert seen.earlier + f.episodes + seen.since.after + seen.undated == seen.total
        assert seen.since.gone <= f.open
        yield seen


def rendered(report: str) -> str:
    """A report as HTML, by a reader of Markdown that lets raw HTML through."""
    return MarkdownIt("commonmark").enable("table").render(report)


class Tree(Node):
    """A page taken apart, of which elements without content may end as they begin."""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)


def harmless(node: Node) -> None:
    for tag, attrs in node.tags:
        assert tag not in {"script", "iframe", "object", "form", "input", "math", "base"}, tag
        assert not any(name.startswith("on") for name in attrs), attrs
        assert re.fullmatch("text-align:(?:right|center)|", attrs.get("style", ""))  # of a column
    schemes = {href.partition(":")[0] for href in node.hrefs if re.match(r"[\w+.-]+:", href)}
    assert schemes <= {"http", "https", "mailto"}
