"""A report as a small tree of parts, lists and tables, and its two forms: Markdown and HTML.

The texts in it are plain: each template's language escapes them where they are put in. Everything
is sorted, counted and worded before it comes here.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .escape import markdown, plain
from .language import proven
from .templates import environment, made_here

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_STYLES = ("export.css", "code.css", "report.css")
_CODE = re.compile(r"[\w./][\w./ -]*", re.ASCII)


class Span(NamedTuple):
    """A piece of a line: `text`, `strong`, `small` or `id`, which may lead to an address."""

    kind: str
    text: str
    href: str = ""

    @property
    def lang(self) -> str:
        """The language that its script proves, or an empty text."""
        return proven(self.text)


class Line(NamedTuple):
    """An item of a list, with the items below it; `past` for what holds no more."""

    spans: tuple[Span, ...]
    below: tuple[Line, ...] = ()
    past: bool = False


class Row(NamedTuple):
    """A row of a table: its name, its cells, how long its bars are, in percent, and where its name
    leads."""

    name: str
    cells: tuple[str, ...]
    bars: tuple[int, ...] = ()
    href: str = ""


class Table(NamedTuple):
    """Names of columns, the first that of the rows', and the rows."""

    head: tuple[str, ...]
    rows: tuple[Row, ...]


class Bars(NamedTuple):
    """A stacked bar: its name, its number, and of each part where it begins and how long it is, in
    percent, and its place in the legend."""

    name: str
    number: str
    parts: tuple[tuple[int, int, int], ...]


class Chart(NamedTuple):
    """Stacked bars, and what their parts stand for."""

    legend: tuple[str, ...]
    rows: tuple[Bars, ...]


class Block(NamedTuple):
    """A list with a heading of its own ("" for none), and a sentence about what is not in it.

    A folded one is opened by its heading, where the form can do that.
    """

    heading: str
    lines: tuple[Line, ...] = ()
    more: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Part:
    """One part of a report: sentences, then people's own text, table, chart, lists."""

    anchor: str
    title: str
    said: tuple[Line, ...] = ()
    text: str = ""
    tables: tuple[Table, ...] = ()
    chart: Chart | None = None
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True)
class Report:
    """A report: its title, a line below it, its parts, and a last line."""

    title: str
    head: str
    parts: tuple[Part, ...]
    foot: str
    lang: str = ""


# --- Markdown --------------------------------------------------------------------------------


def to_markdown(report: Report, name: str, templates: Path | None = None) -> str:
    """The report by a Markdown template, in which each text is escaped unless it was made here."""
    from .inert import inert

    env = _markdown_environment(templates)
    return env.get_template(name).render(report=report, inert=lambda text: made_here(inert(text)))


@cache
def _markdown_environment(templates: Path | None) -> Environment:
    """The environment of pages with another escaper: what no template marks as made by us is
    literal text to every reader of Markdown."""
    env = environment(templates).overlay(finalize=_as_markdown)
    env.filters = {**env.filters, "code": _as_code, "target": _as_target}
    return env


def _as_markdown(value: Any) -> Any:
    return value if hasattr(value, "__html__") else made_here(markdown(str(value)))


def _as_code(text: str) -> Markup:
    """An id or an address as code, where it can be one."""
    return made_here(f"`{text}`" if _CODE.fullmatch(text) else markdown(text))


def _as_target(path: str) -> Markup:
    from .index import target

    return made_here(target(path))


# --- HTML ------------------------------------------------------------------------------------


def to_html(report: Report, name: str, templates: Path | None = None) -> str:
    """The report as one page that needs nothing else; it runs no script."""
    from .inert import without_comments
    from .markdown import fragment

    env = environment(templates)
    style = "\n".join(env.get_template(css).render() for css in _STYLES).replace("</", "<\\/")
    return env.get_template(name).render(
        report=report,
        css=made_here(style),
        css_hash=base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode(),
        inert=lambda text: made_here(fragment(without_comments(text))),
    )


# --- pieces ----------------------------------------------------------------------------------


def text(words: str) -> Span:
    """A piece of running text."""
    return Span("text", plain(words))


def strong(words: str) -> Span:
    """A title."""
    return Span("strong", plain(words))


def link(words: str, href: str) -> Span:
    """A title that leads to where it is told, or running text where there is no such place."""
    return Span("text", plain(words), href)


def small(words: str) -> Span:
    """Small print."""
    return Span("small", plain(words))


def ident(words: str, href: str = "") -> Span:
    """An id or an address."""
    return Span("id", plain(words), href)


def line(*spans: Span | str, below: tuple[Line, ...] = (), past: bool = False) -> Line:
    """An item out of pieces; bare texts are running text."""
    made = (text(part) if isinstance(part, str) else part for part in spans)
    return Line(tuple(part for part in made if part.text), below, past)
