"""What `rebuild`, a write and `doctor` share: derived files made, compared, written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from .. import __version__
from .. import render as renderers
from ..domain.config import DOCSHELF, MANIFEST, SETTINGS
from ..domain.finding import Finding
from ..domain.page import Page
from ..domain.shelf import Shelf
from ..domain.text import tokens
from ..storage import gate, recalls
from ..storage.gate import Change
from ..storage.glance import program_places
from ..storage.marks import marks
from ..storage.store import Store
from ..storage.survey import Survey

CHART = "stats.svg"
MESSAGE = "memshelf: render derived files"
Draw = Callable[[Shelf, int], Page]
_INPUTS = (MANIFEST, DOCSHELF, SETTINGS, "archive/.docshelf.json", recalls.LOG)


@dataclass(frozen=True)
class Rendering:
    """How derived files stand: written or drifted, right already, and what hindered."""

    episodes: int
    written: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    drifted: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    problems: tuple[Finding, ...] = ()
    committed: bool = False
    commit: str | None = None


def check(
    store: Store,
    survey: Survey | None = None,
    shelf: Shelf | None = None,
    pages: list[Page] | None = None,
) -> Rendering:
    """Compare every derived file with what it must be; nothing is written.

    A survey, its snapshot and the derived pages of that are taken where none are given.
    """
    survey = survey or store.survey()
    key = fingerprint(store, survey)
    known = _remembered(store, survey, key)
    if known:
        return known
    shelf = shelf or store.snapshot(survey)
    pages, drifted = _pages(store, shelf, pages or renderers.derived(shelf), draw=None)
    found = _described(shelf, pages, tuple(drifted))
    _remember(store, key, found)
    return found


def render(store: Store, commit: bool) -> Rendering:
    """Write every derived file that differs, fold in logged recalls, and commit if asked."""
    plain = store.settings["storage"] == "plain"
    with gate.writer(store.root, plain=plain):
        log, claimed = _recalls(store)
        survey = store.survey()
        key = fingerprint(store, survey)
        known = None if commit or log else _remembered(store, survey, key)
        if known and _chart_is_ours(store):
            return known
        shelf = store.snapshot(survey)
        pages, drifted = _pages(store, shelf, renderers.derived(shelf), draw=_draw)
        found = _described(shelf, pages, tuple(drifted))
        wanted = [page for page in pages if commit or page.path in drifted]
        changes = [_change(store, page.path, page.raw) for page in wanted]
        changes += [
            _change(store, path, None) for path in drifted if path not in {p.path for p in pages}
        ]
        changes += [_change(store, page.path, page.raw) for page in log]
        saved = gate.save(
            store.root, changes, MESSAGE, commit=commit, plain=plain, allow_dirty=True
        )
        for spool in claimed:
            spool.unlink(missing_ok=True)
    written = tuple(sorted({*found.drifted, *(page.path for page in log)}))
    done = replace(
        found, written=written, drifted=(), committed=saved.committed, commit=saved.commit
    )
    _remember(store, fingerprint(store, survey), done)
    warnings = saved.warnings if commit else ()
    return replace(done, warnings=(*done.warnings, *warnings))


def _change(store: Store, path: str, data: bytes | None) -> Change:
    return Change(path, data, store.bytes(path))


# --- pages -----------------------------------------------------------------------------------


def _pages(
    store: Store, shelf: Shelf, pages: list[Page], draw: Draw | None
) -> tuple[list[Page], list[str]]:
    """Every derived page with the chart, and the paths that differ on disk or must go."""
    index = next((str(page.data) for page in pages if page.path == "INDEX.md"), "")
    chart, stale = _chart(store, shelf, tokens(index), draw)
    drift = store.compare(pages, [path for path in renderers.owned(shelf) if path != CHART])
    changed = [page.path for page in drift.changed] + list(drift.stale)
    return [*pages, *chart], sorted(changed + ([CHART] if stale else []))


def _chart(store: Store, shelf: Shelf, cost: int, draw: Draw | None) -> tuple[list[Page], bool]:
    """The chart, where INDEX.md costs so many tokens, and whether it is stale. It is drawn only where it must be: that costs matplotlib.

    A chart without our stamp was drawn by another tool: `rebuild` redraws it, a check lets it be.
    """
    from ..render.chart import chart_current

    there = store.peek(CHART)
    if there is None and not shelf.entries:
        return [], False
    current = there is not None and chart_current(there.decode("utf-8", "replace"), shelf, cost)
    if current or (current is None and draw is None):
        return [Page(CHART, there or b"")], False
    return [draw(shelf, cost)] if draw else [], True


def _chart_is_ours(store: Store) -> bool:
    """False for a chart that another tool drew: a check lets it be, a rebuild draws it anew."""
    return store.peek(CHART) is None or bool(own_chart(store))


def own_chart(store: Store) -> str:
    """The shelf's own chart, which tells of the whole shelf; nothing where it is not ours."""
    from ..render.chart import stamped

    text = (store.peek(CHART) or b"").decode("utf-8", "replace")
    return text if stamped(text) else ""


def _draw(shelf: Shelf, cost: int) -> Page:
    from ..render.chart import chart

    return chart(shelf, cost)


def _described(shelf: Shelf, pages: Iterable[Page], drifted: tuple[str, ...]) -> Rendering:
    paths = [page.path for page in pages]
    broken = tuple(f for e in shelf.entries for f in e.findings if f.level == "error")
    twice = (
        f"{name} stands in {', '.join(paths)}" for name, paths in sorted(shelf.duplicates.items())
    )
    undated = (f"{e.path} has no date" for e in shelf.entries if not e.day)
    return Rendering(
        episodes=len(shelf.entries),
        unchanged=tuple(path for path in paths if path not in drifted),
        drifted=drifted,
        warnings=(*twice, *undated),
        problems=(*shelf.problems, *broken),
    )


# --- recalls ---------------------------------------------------------------------------------


def _recalls(store: Store) -> tuple[list[Page], list[Path]]:
    """The recall log with the pending rows at its end, where there are any."""
    rows, claimed = recalls.claim(store.root)
    if not rows:
        return [], claimed
    before = (store.bytes(recalls.LOG) or b"").decode("utf-8", "surrogateescape")
    head = before if before else recalls.HEADER
    head += "" if head.endswith("\n") else "\n"
    return [Page(recalls.LOG, (head + rows).encode("utf-8", "surrogateescape"))], claimed


# --- what was rendered before ------------------------------------------------------------------


def fingerprint(store: Store, survey: Survey) -> str:
    """A hash over all that derived files are made from: episodes, settings, and memshelf itself."""
    digest = hashlib.sha256(f"{__version__}\0{survey.fingerprint}".encode())
    for path in _INPUTS:
        digest.update(b"\0" + (store.peek(path) or b"-"))
    digest.update(marks(program_places())[0])
    return digest.hexdigest()


def on_disk(store: Store) -> str:
    """A hash over every derived file as it is now."""
    return hashlib.sha256(
        repr(sorted(_hashes(store, renderers.OWNED).items())).encode()
    ).hexdigest()


def _hashes(store: Store, paths: Iterable[str]) -> dict[str, str]:
    return {path: hashlib.sha256(store.peek(path) or b"").hexdigest() for path in paths}


def _remembered(store: Store, survey: Survey, key: str) -> Rendering | None:
    """The rendering of an unchanged shelf whose derived files are as they were left."""
    kept = store.cache.fact("rendered")
    if not kept or survey.problems:
        return None
    try:
        known = json.loads(kept)
    except ValueError:
        return None
    if known["key"] != key or _hashes(store, known["hashes"]) != known["hashes"]:
        return None
    there = {path for path in renderers.OWNED if store.has(path)}
    if there != set(known["hashes"]):
        return None
    return Rendering(
        len(survey.rows), unchanged=tuple(known["unchanged"]), warnings=tuple(known["warnings"])
    )


def _remember(store: Store, key: str, found: Rendering) -> None:
    if found.problems or found.drifted:
        return
    there = sorted(path for path in renderers.OWNED if store.has(path))
    known = {
        "key": key,
        "hashes": _hashes(store, there),
        "unchanged": sorted({*found.unchanged, *found.written} & set(there)),
        "warnings": found.warnings,
    }
    store.cache.keep_fact("rendered", json.dumps(known))
