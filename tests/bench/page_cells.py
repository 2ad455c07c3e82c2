"""How the page writes a time and a ratio."""

from __future__ import annotations

from . import figures
from .figures import CPU, Runs, Span


def time(runs: Runs) -> str:
    """A median, and the processor time in brackets where it is known."""
    cpu = figures.median(runs, CPU)
    return seconds(figures.median(runs)) + (f" ({seconds(cpu)})" if cpu is not None else "")


def seconds(value: float | None) -> str:
    """A time in the unit that suits it; empty where there is none."""
    if value is None:
        return ""
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1_000:.0f} ms" if value >= 0.01 else f"{value * 1_000:.1f} ms"


def middle(span: Span | None) -> str:
    """The median of a ratio."""
    return f"{span.middle:.1f}" if span else ""


def times(span: Span | None) -> str:
    """The median of a ratio, and between what it lay."""
    return f"{span.middle:.1f} ({span.least:.1f} to {span.most:.1f})" if span else ""
