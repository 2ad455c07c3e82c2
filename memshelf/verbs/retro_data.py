"""A retrospective as data: its counts first, then its lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ..domain.chronicle import Figures
from ..domain.entry import Entry
from ..domain.finding import Finding
from ..domain.period import Period
from ..domain.retrospect import Cut, Retrospective, Rise
from ..domain.threads import Decision, Replacement, Thread

T = TypeVar("T")


def data(seen: Retrospective) -> dict[str, Any]:
    """All that a report shows, as of the period's last day but for `since`.

    A list that is cut has its whole length beside it, under its name in `more`.
    """
    named = _lists(seen)
    more = {name: found.more for name, found in named.items() if found.more}
    return {
        **_period(seen.period),
        **figures(seen.figures),
        "open_before": seen.open_before,
        "before": {**_period(seen.before[0]), **figures(seen.before[1])} if seen.before else None,
        "quarters": [{**_period(p), **figures(f)} for p, f in seen.quarters],
        "sum": {
            "before": seen.earlier,
            "in_period": seen.figures.episodes,
            "after": seen.since.after,
            "without_date": seen.undated,
            "total": seen.total,
        },
        **{name: list(found.shown) for name, found in named.items() if "." not in name},
        "exceptions": _below(named, "exceptions"),
        "since": {"open_threads_gone": seen.since.gone, **_below(named, "since")},
        "more": more,
    }


def _below(named: Mapping[str, Cut[Any]], place: str) -> dict[str, Any]:
    inside = (name for name in named if name.startswith(f"{place}."))
    return {name.partition(".")[2]: list(named[name].shown) for name in inside}


def _period(period: Period) -> dict[str, Any]:
    return {
        "period": period.label,
        "kind": period.kind,
        "fiscal": period.fiscal,
        "first": period.begin,
        "last": period.end,
    }


def figures(found: Figures) -> dict[str, Any]:
    """The numbers of a period."""
    return {
        "episodes": found.episodes,
        "kinds": dict(found.kinds),
        "decisions": found.decisions,
        "decisions_reversed": found.reversed,
        "threads_opened": found.opened,
        "threads_closed": found.closed,
        "threads_carried": found.carried,
        "threads_open": found.open,
        "recalls": found.recalls,
    }


def _lists(seen: Retrospective) -> dict[str, Cut[Any]]:
    e, later = seen.exceptions, seen.since
    return {
        "decision_list": _each(seen.decisions, _decision),
        "closed_list": _each(seen.closed, _thread),
        "opened_list": _each(seen.opened, _thread),
        "carried_in_list": _each(seen.carried_in, _thread),
        "replaced_list": _each(seen.replaced, _replaced),
        "reversed_list": _each(seen.reversed, _decision),
        "mentioned": _each(seen.mentioned, lambda pair: {"id": pair[0], "by": pair[1]}),
        "recalled": _each(seen.recalled, lambda pair: {"id": pair[0], "recalls": pair[1]}),
        "never_recalled": _each(seen.unrecalled, _named),
        "tags_used": _each(seen.used, _tag),
        "tags_rising": _each(seen.rising, _tag),
        "tags_new": _each(seen.new, _tag),
        "episode_list": _each(seen.episodes, _episode),
        "exceptions.without_date": _each(e.undated, lambda entry: entry.path),
        "exceptions.unreadable": _each(e.unreadable, _problem),
        "exceptions.without_digest": _each(e.without_digest, _named),
        "exceptions.same_id": _each(e.twice, lambda t: {"id": t[0], "paths": list(t[1])}),
        "since.closed": _each(later.closed, _thread),
        "since.carried": _each(later.carried, _thread),
        "since.reversed": _each(later.reversed, _decision),
        "since.replaced": _each(later.replaced, _replaced),
        "since.archived": _each(later.archived, _named),
    }


def _each(found: Cut[T], make: Callable[[T], Any]) -> Cut[Any]:
    return Cut(tuple(map(make, found.shown)), found.total)


def _named(entry: Entry) -> str:
    return entry.id


def _episode(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "date": entry.ledger_date,
        "kind": entry.kind,
        "title": entry.title,
        "description": entry.description,
        "tags": list(entry.tags),
    }


def _decision(made: Decision) -> dict[str, Any]:
    return {
        "address": made.address,
        "date": made.date,
        "text": made.text,
        "rejected": list(made.rejected),
        "reversed_by": made.reversed_by,
        "reversed_on": made.reversed_on,
    }


def _thread(found: Thread) -> dict[str, Any]:
    return {
        "address": found.address,
        "date": found.date,
        "since": found.since,
        "text": found.text,
        "state": found.state,
        "closed_by": found.closed_by,
        "closed_on": found.closed_on,
        "carried_by": found.carried_by,
        "carried_on": found.carried_on,
    }


def _replaced(found: Replacement) -> dict[str, Any]:
    return {"old": found.old, "new": found.new, "date": found.date}


def _tag(rise: Rise) -> dict[str, Any]:
    return {"tag": rise.tag, "episodes": rise.now, "before": rise.before}


def _problem(found: Finding) -> dict[str, Any]:
    return {"path": found.where, "message": found.message}
