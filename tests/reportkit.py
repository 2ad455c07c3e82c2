"""A report as text that hides nothing, for golden files, and what proves the pages of a site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from memshelf.domain.shelf import Shelf
from memshelf.render.report import Block, Line, Part, Report, Span, Table
from memshelf.render.site_lists import list_pages
from memshelf.render.site_places import STATS, Places
from memshelf.render.site_stats import stats_page


def pages(shelf: Shelf, *, directory_urls: bool = False) -> dict[str, Report]:
    """Every list page of a site by its path; none is made twice."""
    places = Places(shelf, directory_urls)
    made = list(list_pages(shelf, places, private=True))
    made.append((STATS, stats_page(shelf, places.at(STATS))))
    assert len({path.casefold() for path, _ in made}) == len(made)
    assert not {path for path, _ in made} & set(places.pages.values())
    return dict(made)


# --- as text ---------------------------------------------------------------------------------


def told(report: Report) -> str:
    """All that a report holds, a line for each thing."""
    return "\n".join([f"# {report.title}", report.head, *map(_part, report.parts), report.foot, ""])


def _part(part: Part) -> str:
    rows = [
        f"\n## {part.title} #{part.anchor}",
        *(_words(said.spans) for said in part.said),
        *([part.text] if part.text else []),
        *(f"![{picture.says}]({picture.href})" for picture in part.pictures),
        *map(_table, part.tables),
        *map(_block, part.blocks),
    ]
    return "\n".join(rows)


def _table(table: Table) -> str:
    rows = [" | ".join(table.head)]
    for row in table.rows:
        name = f"[{row.name}]({row.href})" if row.href else row.name
        bars = [f"({', '.join(map(str, row.bars))} %)"] if row.bars else []
        rows.append(" | ".join([name, *row.cells, *bars]))
    return "\n".join(rows)


def _block(block: Block) -> str:
    place = f" #{block.anchor}" if block.anchor else ""
    head = f"### {block.heading}{place}{' (folded)' if block.folded else ''}"
    more = f"… {block.more} {_words(block.onward)}".rstrip() if block.more else ""
    lines = [row for item in block.lines for row in _line(item, "")]
    return "\n".join(row for row in (head if block.heading else "", *lines, more) if row)


def _line(item: Line, indent: str) -> Iterator[str]:
    data = " ".join(f"{name}={value!r}" for name, value in item.data)
    notes = [*([f"#{item.anchor}"] if item.anchor else []), *(["past"] if item.past else [])]
    notes += [data] if data else []
    yield f"{indent}- {_words(item.spans)}" + (f"  {{{', '.join(notes)}}}" if notes else "")
    for under in item.below:
        yield from _line(under, f"{indent}  ")


_MARKS = {"strong": "**", "id": "`", "small": "", "tag": "", "text": ""}


def _words(spans: Iterable[Span]) -> str:
    marked = (_span(span) for span in spans)
    return " ".join(marked)


def _span(span: Span) -> str:
    words = f"{_MARKS[span.kind]}{span.text}{_MARKS[span.kind]}"
    words = f"({words})" if span.kind == "small" else f"<{words}>" if span.kind == "tag" else words
    return f"[{words}]({span.href})" if span.href else words


# --- what is in it ---------------------------------------------------------------------------


def lines_of(report: Report) -> Iterator[Line]:
    """Every line, those below others too."""
    waiting = [item for part in report.parts for item in part.said]
    waiting += [item for part in report.parts for block in part.blocks for item in block.lines]
    while waiting:
        item = waiting.pop()
        yield item
        waiting += item.below


def spans_of(report: Report) -> Iterator[Span]:
    """Every span."""
    for item in lines_of(report):
        yield from item.spans
    for part in report.parts:
        for block in part.blocks:
            yield from block.onward


def hrefs(report: Report) -> Iterator[str]:
    """Every address that a report leads to."""
    yield from (span.href for span in spans_of(report) if span.href)
    for part in report.parts:
        yield from (row.href for table in part.tables for row in table.rows if row.href)


def anchors(report: Report) -> list[str]:
    """Every place in a report."""
    found = [part.anchor for part in report.parts if part.title]
    found += [b.anchor for part in report.parts for b in part.blocks if b.anchor]
    return found + [item.anchor for item in lines_of(report) if item.anchor]


def split(url: str) -> tuple[str, str]:
    """An address as its file and its place there."""
    path, _, anchor = url.partition("#")
    return unquote(path), unquote(anchor)
