"""Which periods a retrospective is asked for, their reports, and the files of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..domain.dates import parse
from ..domain.errors import UsageError
from ..domain.lookback import retrospectives
from ..domain.period import QUARTER, Period, containing, holding, of_quarter, period
from ..domain.shelf import Shelf
from ..storage import files
from ..storage.store import Store
from .retro_data import data
from .writing_out import refuse_inside, write_out

if TYPE_CHECKING:
    from ..domain.retrospect import Retrospective
    from ..render.report import Report
    from ..render.retro_words import Form

_NOTHING = "No episode of this shelf has a date yet: there is no period to look back on."


class Asked(NamedTuple):
    """Words for one period and the flag that they came by, or the kind of which every one is meant."""

    words: str = ""
    flag: str = ""
    every: str = ""


def asked(given: Mapping[str, str], every: str | None) -> Asked:
    """What the flags ask for. Raises UsageError where they ask for two things."""
    named = [(words, flag) for flag, words in given.items() if words]
    if len(named) > 1:
        said = f"--{named[0][1]} and --{named[1][1]} name two periods."
        raise UsageError(said, "Give one of them.")
    if named and every:
        said = f"--{named[0][1]} names one period, and every {every} is asked for."
        raise UsageError(said, "Give one of them.")
    return Asked(*(named[0] if named else ("", "")), every or "")


def named(shelf: Shelf, wanted: Asked, must: bool = False) -> list[Period]:
    """The periods, oldest first; none on a shelf without a date, which `must` raises for."""
    start, newest = shelf.config.fiscal_year_start, parse(shelf.as_of)
    if wanted.words:
        return [_one(wanted, start, shelf.as_of)]
    if newest is None:
        if must:
            raise UsageError(_NOTHING, "Name one: --quarter 2026Q3.")
        return []
    if wanted.every:
        return holding((entry.day for entry in shelf.entries if entry.day), wanted.every, start)
    return [containing(newest, QUARTER, start)]


def _one(wanted: Asked, start: int, as_of: str) -> Period:
    """The period of a flag. Raises UsageError where the words name one of another kind."""
    read = of_quarter(wanted.words, start, as_of) if wanted.flag in (QUARTER, "fiscal") else None
    found = read or period(wanted.words, start)
    if wanted.flag == "fiscal" and not found.fiscal:
        said = f"{found.label} is no fiscal period."
        raise UsageError(said, f"memshelf retro --{found.kind} {found.label}")
    if wanted.flag not in (found.kind, "fiscal"):
        said = f"{found.label} is a {found.kind}, not a {wanted.flag}."
        raise UsageError(said, f"memshelf retro --{found.kind} {found.label}")
    return found


@dataclass(frozen=True)
class Reports:
    """The retrospectives that were asked for, oldest first, and their reports."""

    shelf: Shelf
    seen: tuple[Retrospective, ...]
    form: Form
    every: str
    templates: Path | None

    @property
    def data(self) -> Iterator[dict[str, Any]]:
        """Each as data, newest first."""
        return (data(one) for one in reversed(self.seen))

    def text(self, form: str) -> str:
        """All of them one after the other, newest first. Raises UsageError for several pages."""
        if form == "html" and self.every:
            fix = "Name a folder: --out FOLDER."
            raise UsageError("Several pages cannot be printed one after the other.", fix)
        if not self.seen:
            return self.overview(form) if form == "html" else f"{_NOTHING}\n"
        return "\n".join(text for _, text in reversed(list(self.each(form))))

    def each(self, form: str) -> Iterator[tuple[str, str]]:
        """The label and the text of each, oldest first."""
        from ..render.retro import retro

        for one in self.seen:
            yield one.period.label, self._written(retro(self.shelf, one, self.form), form)

    def overview(self, form: str) -> str:
        """The page that lists all of them, newest first, each with its file and numbers."""
        from ..render.retro import overview

        files = {one.period.label: f"{one.period.label}.{form}" for one in self.seen}
        return self._written(overview(self.shelf, self.seen[::-1], files), form)

    def _written(self, report: Report, form: str) -> str:
        from ..render.report import to_html, to_markdown

        if form == "html":
            return to_html(report, "retro.html.j2", self.templates)
        return to_markdown(report, "retro.md.j2", self.templates)


def reports(
    store: Store, shelf: Shelf, wanted: Asked, *, short: bool, full: bool, invite: bool
) -> Reports:
    """The reports of what was asked for."""
    from ..render.retro_words import Form

    seen = tuple(retrospectives(shelf, named(shelf, wanted), full))
    own = store.root / "templates"
    form = Form(short=short, full=full, invite=invite)
    return Reports(shelf, seen, form, wanted.every, own if own.is_dir() else None)


def written(store: Store, found: Reports, out: Path, form: str) -> tuple[str, ...]:
    """Write the one report to a file, or all of them and an index into a folder; the paths."""
    if not found.every:
        return (str(write_out(store, out, found.text(form))),)
    if out.suffix.lower() in (".md", ".html", ".htm"):
        raise UsageError(f"{out} is one file, and several are made.", "Name a folder.")
    texts = [*found.each(form), ("index", found.overview(form))]
    for name, _ in texts:
        refuse_inside(store, out / f"{name}.{form}")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as trouble:
        raise files.sentence(trouble, out) from None
    return tuple(str(write_out(store, out / f"{name}.{form}", text)) for name, text in texts)
