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

from .escape import markdown
from .language import turns
from .pieces import Span as Span  # who makes lines finds their pieces here as well
from .pieces import ident as ident
from .pieces import link as link
from .pieces import small as small
from .pieces import strong as strong
from .pieces import tag as tag
from .pieces import text as text
from .pieces import turned as turned
from .templates import environment, made_here

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_STYLES = ("export.css", "code.css", "report.css")
_CODE = re.compile(r"[\w./][\w./ -]*", re.ASCII)


class Line(NamedTuple):
    """An item of a list, with the items below it; `past` for what holds no more.

    `anchor` is its place in the page, and `data` are names and values by which a script filters.
    """

    spans: tuple[Span, ...]
    below: tuple[Line, ...] = ()
    past: bool = False
    anchor: str = ""
    data: tuple[tuple[str, str], ...] = ()

    @property
    def turned(self) -> bool:
        """True where it has to find its direction."""
        return turned(self.spans)


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

    A folded one is opened by its heading, where the form can do that. `onward` ends the sentence
    with where the rest is, and `anchor` is the place of the heading.
    """

    heading: str
    lines: tuple[Line, ...] = ()
    more: str = ""
    folded: bool = False
    onward: tuple[Span, ...] = ()
    anchor: str = ""

    @property
    def turned(self) -> bool:
        """True where its heading has to find its direction."""
        return turns(self.heading)


class Picture(NamedTuple):
    """A picture that lies elsewhere: its address, and in words what it shows."""

    href: str
    says: str


@dataclass(frozen=True)
class Part:
    """One part of a report: sentences, then people's own text, pictures, tables, chart, lists."""

    anchor: str
    title: str
    said: tuple[Line, ...] = ()
    text: str = ""
    tables: tuple[Table, ...] = ()
    chart: Chart | None = None
    blocks: tuple[Block, ...] = ()
    pictures: tuple[Picture, ...] = ()


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


# --- lines ----------------------------------------------------------------------------------


def line(
    *spans: Span | str,
    below: tuple[Line, ...] = (),
    past: bool = False,
    anchor: str = "",
    data: tuple[tuple[str, str], ...] = (),
) -> Line:
    """An item out of pieces; bare texts are running text."""
    made = [text(part) if isinstance(part, str) else part for part in spans]
    return Line(tuple([part for part in made if part.text]), below, past, anchor, data)
