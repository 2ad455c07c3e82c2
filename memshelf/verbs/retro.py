"""Look back at a quarter, or any other period."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from ..domain.choosing import Choice, seen_by
from ..domain.errors import UsageError
from ..domain.finding import left_out
from ..storage.store import Store
from ..verb import CommandLineOnly, Filled, Rev, verb
from .choosing import Visibilities
from .editing import Edited, edit
from .looking_back import asked, named, reports, written


@dataclass(frozen=True)
class Retro:
    """The reports as text, or the files that hold them, and each as data."""

    periods: tuple[dict[str, Any], ...]
    text: str = field(default="", repr=False)
    paths: tuple[str, ...] = ()
    together: bool = False
    problems: tuple[str, ...] = ()

    @property
    def hint(self) -> str:
        """Which files were written, and what is in none of the reports."""
        rows = [f"wrote {path}" for path in self.paths]
        rows += [left_out(self.problems)] if self.problems else []
        return "\n".join(f"memshelf: {row}" for row in rows)

    def data(self) -> dict[str, Any]:
        """The counts and lists of the period, or of all periods under `periods`."""
        files = {"paths": list(self.paths)} if self.paths else {}
        problems = {"problems": list(self.problems)} if self.problems else {}
        if not self.together:
            return {**(self.periods[0] if self.periods else {"episodes": 0}), **files, **problems}
        count = sum(period["episodes"] for period in self.periods)
        return {"episodes": count, "periods": list(self.periods), **files, **problems}

    def __str__(self) -> str:
        return "" if self.paths else self.text


@verb(
    prose=True,
    remembers=(
        *("quarter", "span", "short", "month", "year", "fiscal", "week"),
        *("all", "every", "full", "format", "visibilities"),
    ),
)
def retro(
    store: Store,
    *,
    quarter: Annotated[
        str, "2026Q3, FY2027Q1, or Q3 for the last one [the newest].", Filled()
    ] = "",
    span: Annotated[str, "Any days: 2026-07-01..2026-08-15.", Filled()] = "",
    short: Annotated[bool, "As a message: text, numbers, five decisions."] = False,
    month: Annotated[str, "2026-07.", CommandLineOnly(), Filled()] = "",
    year: Annotated[str, "2026.", CommandLineOnly(), Filled()] = "",
    fiscal: Annotated[str, "FY2027Q1 or FY2027.", CommandLineOnly(), Filled()] = "",
    week: Annotated[str, "2026W27, as ISO counts weeks.", CommandLineOnly(), Filled()] = "",
    all: Annotated[bool, "Every quarter; with --out into a folder.", CommandLineOnly()] = False,
    every: Annotated[
        Literal["week", "month", "quarter", "year"] | None,
        "Every one that holds episodes.",
        CommandLineOnly(),
    ] = None,
    full: Annotated[bool, "Cut no list and no text.", CommandLineOnly()] = False,
    format: Annotated[
        Literal["md", "html"] | None, "Else by the ending of --out, else md.", CommandLineOnly()
    ] = None,
    out: Annotated[Path | None, "The file, or with --all the folder.", CommandLineOnly()] = None,
    edit_: Annotated[bool, "Write the period's text in your editor.", CommandLineOnly()] = False,
    visibilities: Annotated[Visibilities, CommandLineOnly()] = (),
    rev: Rev = "",
) -> Retro | Edited:
    """Look back at a quarter, or any other period.

    What was decided, opened, closed and replaced, as of its last day, and what came of it since.
    Without a period it is the quarter of the newest episode: no clock is asked, so that the same
    shelf gives the same text on any day.

    Example:
    memshelf retro --quarter 2026Q3
    memshelf retro --short --quarter Q3
    memshelf retro --year 2026 --out 2026.html
    memshelf retro --all --out ../reports
    memshelf retro --edit --quarter 2026Q3
    memshelf retro --rev v1.0 --short
    """
    words = {"quarter": quarter, "span": span, "month": month, "year": year}
    wanted = asked(words | {"fiscal": fiscal, "week": week}, every or ("quarter" if all else None))
    if edit_:
        _alone(
            all=all, every=every, out=out, short=short, full=full, format=format,
            visibility=visibilities, rev=rev,
        )  # fmt: skip
        return edit(store, named(store.read(), wanted, must=True)[0])
    shelf = seen_by(
        store.read(rev, bodied=True), Choice.make(visibilities=visibilities).visibilities
    )
    invite = not visibilities and not rev
    found = reports(store, shelf, wanted, short=short, full=full, invite=invite)
    form = _form(format, out)
    paths = written(store, found, out, form) if out is not None else ()
    text = "" if out is not None else found.text(form)
    return Retro(tuple(found.data), text, paths, bool(wanted.every), shelf.unread)


def _form(format: str | None, out: Path | None) -> str:
    """The form of the text: given, else by the ending of the file, else Markdown."""
    ending = Path(out).suffix.lower() if out is not None else ""
    return format or ("html" if ending in (".html", ".htm") else "md")


def _alone(**others: object) -> None:
    """Raise UsageError where --edit stands beside flags that mean a report."""
    beside = [name for name, value in others.items() if value]
    if beside:
        said = f"--edit opens a text and --{beside[0]} makes a report."
        raise UsageError(said, "Give one of them.")
