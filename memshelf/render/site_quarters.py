"""The quarters of a site: the page that lists them, and the retrospective of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..domain.lookback import retrospectives
from ..domain.period import QUARTER, holding
from ..domain.shelf import Shelf
from ..domain.text import plural
from .report import Part, Report, Row, Table, line
from .retro import retro
from .retro_words import Form
from .site_lines import made
from .site_periods import label
from .site_places import DATES, Here


def quarters_page(shelf: Shelf, here: Here) -> Report:
    """The quarters, newest first, each with how many episodes lie in it."""
    start = shelf.config.fiscal_year_start
    count = Counter(label(entry.ledger_date, start) for entry in shelf.entries)
    rows = tuple(
        Row(quarter, (f"{count[quarter]:,}",), href=here.quarter(quarter))
        for quarter in here.places.quarters
    )
    said = (line("No episode has a date yet."),) if not rows else ()
    undated = len(shelf.entries) - sum(count[quarter] for quarter in here.places.quarters)
    if rows and undated:
        said = (line(f"{plural(undated, 'episode')} without a date in none of them."),)
    tables = (Table(("Quarter", "Episodes"), rows),) if rows else ()
    part = Part("quarters", "", said=said, tables=tables)
    return made("Quarters", shelf, (part,), plural(len(rows), "quarter"))


def quarter_reports(shelf: Shelf, here: Here) -> Iterator[tuple[str, Report]]:
    """The retrospective of each quarter that holds episodes, oldest first, and its page.

    The shelf is gone through once for all of them.
    """
    days = (entry.day for entry in shelf.entries if entry.day)
    periods = holding(days, QUARTER, shelf.config.fiscal_year_start)
    for seen in retrospectives(shelf, periods):
        path = here.places.quarter(seen.period.label)
        beside = here.places.at(path)
        form = Form(
            invite=False, address=beside.episode, titled=True, everything=beside.page(DATES)
        )
        yield path, retro(shelf, seen, form)
