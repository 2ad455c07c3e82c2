"""The table of what was asked for, and whether it holds."""

from __future__ import annotations

from .demands import ALL, Found, Sizes, judged

_HEAD = """\
## What was asked for

| what | episodes | asked for | found | by processor time | holds |
|---|---|---|---|---|---|"""
_HOLDS = {True: "yes", False: "**no**", None: ""}


def demanded(sizes: Sizes) -> str:
    """A line for each demand at each size."""
    return "\n".join([_HEAD, *map(_line, judged(sizes)), ""])


def _line(found: Found) -> str:
    demand = found.demand
    cells = [
        named(demand.label),
        "all" if demand.size == ALL else f"{found.size:,}",
        demand.said,
        _value(found.wall, demand.unit) or "not measured",
        _value(found.cpu, demand.unit),
        _HOLDS[found.holds],
    ]
    return f"| {' | '.join(cells)} |"


def _value(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}{unit}"


def named(label: str) -> str:
    """A row's name as the page shows it."""
    return f"`{label}`" if label.startswith("-") else label
