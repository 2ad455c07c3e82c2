"""Examine the shelf: structure, contract, secrets, ledger, the price of the index."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..domain.checks import VERSION, examine_shelf, without_row
from ..domain.errors import UsageError
from ..domain.finding import Finding, Report
from ..domain.text import plural
from ..render import derived
from ..storage.reversing import reversing
from ..storage.store import Store
from ..storage.survey import Row, Survey
from ..verb import CommandLineOnly, verb
from . import rendering
from .around import around, readers
from .examining import examined, while_reading

if TYPE_CHECKING:
    from ..capture.installed import Copy
    from .mending import Mend


@dataclass(frozen=True)
class Examined:
    """Every finding, worst first; with a fix what would be put right, or was."""

    report: Report
    mends: tuple[Mend, ...] = ()
    copies: tuple[Copy, ...] = ()

    @property
    def ok(self) -> bool:
        """True where nothing of level error was found."""
        return self.report.ok

    def data(self) -> dict[str, Any]:
        """The peer's keys."""
        found = self.report.findings
        own: dict[str, Any] = {"fixes": self.mends} if self.mends else {}
        own |= {"installed": self.copies} if self.copies else {}
        return own | {
            "status": "ok",
            "healthy": self.ok,
            "episodes_checked": self.report.looked_at,
            "errors": len(self.report.errors),
            "warnings": len(self.report.warnings),
            "unknowns": len(self.report.at("unknown")),
            "findings": [
                {
                    "level": f.level,
                    "code": f.code,
                    "path": f.where,
                    "detail": f.message,
                    "fix": f.fix,
                }
                for f in found
            ],
        }

    def __str__(self) -> str:
        counts = f"{plural(len(self.report.errors), 'error')}, {plural(len(self.report.warnings), 'warning')}"
        head = "healthy" if self.ok else "not healthy"
        rows = [*map(str, self.copies), *map(str, self.report.findings), *map(str, self.mends)]
        if any(not mend.done and not mend.not_because for mend in self.mends):
            rows.append("`memshelf doctor --fix --apply` does it.")
        return "\n".join([*rows, f"{plural(self.report.looked_at, 'episode')}: {head}; {counts}"])


@verb(unusable=3)
def doctor(
    store: Store,
    *,
    level: Annotated[
        Literal["error", "warning", "unknown", "info"], "Show findings from this level up."
    ] = "info",
    check_remote: Annotated[bool, "Ask who can read the remote.", CommandLineOnly()] = False,
    derived_stale_hours: Annotated[
        float, "Hours until derived files count as left behind.", CommandLineOnly()
    ] = 24.0,
    fix: Annotated[bool, "Show what could be put right by itself.", CommandLineOnly()] = False,
    apply: Annotated[bool, "With --fix: do it, a commit each.", CommandLineOnly()] = False,
    installed: Annotated[
        bool, "Also which copies of memshelf answer whom.", CommandLineOnly()
    ] = False,
) -> Examined:
    """Examine the shelf: structure, contract, secrets, ledger, the price of the index.

    Reads only, but for --fix --apply. Each finding says what is wrong, where, and what to do. Exit
    code 1 for errors, 3 for a shelf that cannot be used.

    Example:
    memshelf doctor
    memshelf doctor --level error --json
    memshelf doctor --fix
    """
    if not derived_stale_hours > 0:  # also what is no number
        raise UsageError(f"{derived_stale_hours} hours are no time.", "Give a number above 0.")
    if apply and not fix:
        raise UsageError("--apply belongs to --fix.", "Give both, or neither.")

    def look() -> Report:
        found, uncounted = examine(store)
        beside = around(store, uncounted, derived_stale_hours)
        return Report(tuple(dict.fromkeys((*found.findings, *beside))), found.looked_at)

    found = look()
    mends: tuple[Mend, ...] = ()
    if fix:
        found, mends = _mended(store, found, look) if apply else (found, _planned(store, found))
    asked = tuple(readers(store)) if check_remote else ()
    copies = _copies() if installed else ()
    every = (*found.findings, *asked, *(f for c in copies for f in c.findings))
    return Examined(_shown(found._replace(findings=every), level), mends, copies)


def _planned(store: Store, found: Report) -> tuple[Mend, ...]:
    from .mending import plan

    return tuple(plan(store, found.findings))


def _mended(
    store: Store, found: Report, look: Callable[[], Report]
) -> tuple[Report, tuple[Mend, ...]]:
    """What is found after all was put right that can be, and what was."""
    from .mending import apply, proved

    done = apply(store, found.findings, lambda: look().findings)
    after = look()
    return after, tuple(proved(mend, after.findings) for mend in done)


def _copies() -> tuple[Copy, ...]:
    from .. import __version__
    from ..capture.installed import copies

    return tuple(copies(__version__))


_RANK = {name: place for place, name in enumerate(("error", "warning", "unknown", "info"))}


def _shown(report: Report, level: str) -> Report:
    kept = [f for f in report.findings if _RANK[f.level] <= _RANK[level]]
    kept.sort(key=lambda f: (_RANK[f.level], f.where, f.code, f.message))
    return Report(tuple(kept), report.looked_at)


def examine(store: Store) -> tuple[Report, tuple[str, ...]]:
    """What the texts of a shelf decide, and the paths of episodes that its ledger has no row for.

    An unchanged shelf with unchanged derived files has the report that it had.
    """
    survey = store.survey(while_reading(store))
    parts = (rendering.fingerprint(store, survey), rendering.on_disk(store), _rules(store))
    key = ":".join(parts)
    kept = _kept(store, key)
    if kept is None:
        kept = _looked_at(store, survey)
        report, uncounted = kept
        fact = [key, report.looked_at, report.findings, uncounted]
        store.cache.keep_fact("examined", json.dumps(fact))
    return kept


def _kept(store: Store, key: str) -> tuple[Report, tuple[str, ...]] | None:
    try:
        known, looked_at, findings, uncounted = json.loads(store.cache.fact("examined"))
        report = Report(tuple(map(Finding._make, findings)), looked_at)
        return (report, tuple(uncounted)) if known == key else None
    except (ValueError, TypeError):
        return None


def _looked_at(store: Store, survey: Survey) -> tuple[Report, tuple[str, ...]]:
    shelf = store.snapshot(survey)
    pages = derived(shelf)
    index = next((str(page.data) for page in pages if page.path == "INDEX.md"), "")
    ledger = store.peek("ledger.tsv")
    text = None if ledger is None else ledger.decode("utf-8", "replace")
    read = {path: made.reversed for path, made in survey.also.items()}
    found = [
        *examine_shelf(shelf, index, text, reversing(store, shelf, read)),
        *_each(store, survey),
        *_drift(rendering.check(store, survey, shelf, pages)),
    ]
    uncounted = () if text is None else tuple(one.path for one in without_row(shelf, text))
    return Report(tuple(dict.fromkeys(found)), len(shelf.entries)), uncounted


def _each(store: Store, survey: Survey) -> Iterator[Finding]:
    """The findings of each file: made while it was read, else looked up by content and rules, else
    made now."""
    rules = _rules(store)
    known = store.cache.verdicts(rules)
    keys = {row.path: _key(row) for row in survey.rows}
    fresh = {keys[path]: made.found for path, made in survey.also.items() if path in keys}
    unknown = [p for p, key in keys.items() if key not in known and key not in fresh]
    fresh |= {keys[path]: found for path, found in examined(store, unknown)}
    if fresh:
        store.cache.keep_verdicts(rules, fresh)
    for key in keys.values():
        yield from fresh.get(key) or known.get(key, ())


def _key(row: Row) -> str:
    """Two files may hold the same text: what is found in it differs by the file's name."""
    return f"{row.blob}:{hashlib.sha256(row.path.encode()).hexdigest()[:12]}"


def _rules(store: Store) -> str:
    return hashlib.sha256(repr((VERSION, store.patterns)).encode()).hexdigest()


def _drift(found: rendering.Rendering) -> Iterator[Finding]:
    for path in found.drifted:
        code = "stale-index" if path.endswith("INDEX.md") else "stale-derived"
        fix = "`memshelf rebuild` renders it anew."
        yield Finding("warning", code, "It is not what the episodes make.", path, fix)
