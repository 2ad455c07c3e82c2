"""A retrospective as a report: which parts stand on it, in which order, in which words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..domain.chronicle import Figures
from ..domain.episode import CATEGORY, TITLE_LIMIT
from ..domain.period import MONTHS, QUARTER, YEAR, Period
from ..domain.retrospect import Retrospective
from ..domain.shelf import Shelf
from ..domain.text import clip, plural
from . import retro_parts as parts
from .escape import plain
from .index import counted
from .inert import without_comments
from .language import page_language
from .report import Block, Line, Part, Report, Row, Table, ident, line
from .retro_words import USUAL, Form, Words

_FIVE = 5


def retro(shelf: Shelf, seen: Retrospective, form: Form = USUAL) -> Report:
    """The report of a period of a shelf; parts with nothing in them are left out."""
    words = Words(shelf, seen.period, form)
    make = _short if form.short else _whole
    return Report(
        title=f"Retro {seen.period.label}",
        head=_head(shelf, seen),
        parts=tuple(part for part in make(seen, words) if part),
        foot="" if form.short or not seen.figures.episodes else _foot(seen.period),
        lang=page_language(shelf.config.language, (e.title for e in seen.episodes.shown)) or "en",
    )


def path_of(period: Period) -> str:
    """The file of a shelf that holds people's own text of a period."""
    return f"retros/{period.label}.md"


def command(period: Period) -> str:
    """The words that ask for a period on the command line."""
    return f"memshelf retro --{'fiscal' if period.fiscal else period.kind} {period.label}"


def _whole(seen: Retrospective, words: Words) -> Iterator[Part | None]:
    yield _in_short(seen, words)
    if not seen.figures.episodes:
        yield Part("empty", "", said=(line(_empty(seen)),))
        return
    yield _at_a_glance(seen)
    yield parts.decided(seen, words)
    yield parts.threads(seen, words)
    yield parts.replaced(seen, words)
    yield parts.mentioned(seen, words)
    yield parts.memory(seen, words)
    yield parts.topics(seen)
    yield parts.episodes(seen, words, command(seen.period))
    yield parts.exceptions(seen, words)
    yield parts.since(seen, Words(words.shelf, seen.period, words.form, later=True))


def _short(seen: Retrospective, words: Words) -> Iterator[Part | None]:
    """For a message: what people wrote, the numbers as sentences, the first decisions."""
    yield _in_short(seen, words)
    if not seen.figures.episodes:
        yield Part("empty", "", said=(line(_empty(seen)),))
        return
    yield Part("glance", "At a glance", blocks=(Block("", tuple(map(line, _sentences(seen)))),))
    yield parts.first_decisions(seen, words, _FIVE)


def _empty(seen: Retrospective) -> str:
    said = f"No episodes in {seen.period.label}."
    return f"{said} Open from before: {seen.open_before:,}." if seen.open_before else said


def _head(shelf: Shelf, seen: Retrospective) -> str:
    name, period = clip(plain(shelf.name), TITLE_LIMIT), seen.period
    days = f"{period.begin} to {period.end}"
    if period.fiscal:
        begins = MONTHS[shelf.config.fiscal_year_start - 1]
        days += f" (fiscal {period.kind}; the year begins in {begins})"
    said = [name, days]
    if seen.figures.episodes:
        said.append(f"{plural(seen.figures.episodes, 'episode')}: {_kinds(seen.figures)}")
    return " · ".join(said)


def _foot(period: Period) -> str:
    return (
        f"Rendered by memshelf. Everything above “Since then” is as of {period.end} and does not "
        "move with what is shelved later."
    )


# --- 1: in short -----------------------------------------------------------------------------


def _in_short(seen: Retrospective, words: Words) -> Part | None:
    """People's own text, or where they may still write it, an invitation to."""
    path = path_of(seen.period)
    text = without_comments(words.shelf.files.get(path, ""))
    if text:
        return Part("short", "In short", text=text)
    if not words.form.invite or words.form.short or not seen.figures.episodes:
        return None
    return Part("short", "In short", said=(_invitation(path, seen.period),))


def _invitation(path: str, period: Period) -> Line:
    return line(
        "Nobody has written this part yet. It is the text of", ident(path), "on the shelf:",
        ident(f"{command(period)} --edit"), "opens it.",
    )  # fmt: skip


# --- 2: at a glance --------------------------------------------------------------------------


def _at_a_glance(seen: Retrospective) -> Part:
    before = seen.before if seen.before and seen.earlier else None
    head = ("", seen.period.label, *([before[0].label] if before else []))
    figures = [seen.figures, *([before[1]] if before else [])]
    rows = tuple(_row(name, cells) for name, cells in _lined(figures) if any(cells))
    tables = [Table(head, rows)]
    if seen.period.kind == YEAR:
        tables.append(_by_quarter(seen))
    return Part("glance", "At a glance", tables=tuple(tables), chart=parts.by_month(seen))


def _lined(figures: list[Figures]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The rows of the table: a name, and the number of each period."""
    yield "Episodes", tuple(f.episodes for f in figures)
    kinds = dict.fromkeys(kind for f in figures for kind, _ in f.kinds)
    for kind in kinds:
        yield (
            f"–\u00a0{plain(CATEGORY.get(kind, kind))}",
            tuple(dict(f.kinds).get(kind, 0) for f in figures),
        )
    for name, field in _NAMES.items():
        yield name, tuple(getattr(f, field) for f in figures)


_NAMES = {
    "Decisions": "decisions",
    "Decisions reversed": "reversed",
    "Threads opened": "opened",
    "Threads closed": "closed",
    "Threads carried on": "carried",
    "Threads open at the end": "open",
    "Recalls": "recalls",
}
_SHORT = ("Episodes", "Decisions", "Reversed", "Opened", "Closed", "Carried on", "Open", "Recalls")


def _row(name: str, cells: tuple[int, ...]) -> Row:
    longest = max(cells)
    bars = tuple(round(100 * cell / longest) for cell in cells)
    return Row(name, tuple(f"{cell:,}" for cell in cells), bars)


def _by_quarter(seen: Retrospective) -> Table:
    rows = (Row(period.label, _numbers(found)) for period, found in seen.quarters)
    return Table((QUARTER.capitalize(), *_SHORT), tuple(rows))


def _numbers(found: Figures) -> tuple[str, ...]:
    counts = (found.episodes, *(getattr(found, field) for field in _NAMES.values()))
    return tuple(f"{count:,}" for count in counts)


def _sentences(seen: Retrospective) -> Iterator[str]:
    """The numbers for a message, each with that of the period before in brackets."""
    f = seen.figures
    before = seen.before if seen.before and seen.earlier else None
    was = dict(zip(Figures._fields, before[1], strict=True)) if before else {}

    def number(field: str, noun: str) -> str:
        count = getattr(f, field)
        said = plural(count, noun) if noun else f"{count:,}"
        return f"{said} ({was[field]:,})" if was else said

    compared = f", with {before[0].label} in brackets" if before else ""
    yield f"{number('episodes', 'episode')}{compared}: {_kinds(f)}"
    yield f"{number('decisions', 'decision')}, {number('reversed', '')} reversed"
    yield (
        f"Threads: {number('opened', '')} opened, {number('closed', '')} closed, "
        f"{number('carried', '')} carried on, {number('open', '')} open at the end"
    )
    if f.recalls or was.get("recalls"):
        yield number("recalls", "recall")


def _kinds(figures: Figures) -> str:
    return ", ".join(
        counted(count, plain(CATEGORY.get(kind, kind))) for kind, count in figures.kinds
    )


# --- all periods -----------------------------------------------------------------------------


def overview(shelf: Shelf, seen: Sequence[Retrospective], addresses: Mapping[str, str]) -> Report:
    """The report that lists others in the order given: where each is, and its numbers."""
    rows = tuple(
        Row(one.period.label, _numbers(one.figures), href=addresses[one.period.label])
        for one in seen
    )
    said = (line("No episode has a date yet."),) if not rows else ()
    tables = (Table(("Period", *_SHORT), rows),) if rows else ()
    return Report(
        "Retros",
        f"{clip(plain(shelf.name), TITLE_LIMIT)} · {plural(len(seen), 'period')}",
        (Part("periods", "", said=said, tables=tables),),
        "",
        page_language(shelf.config.language, ()) or "en",
    )
