"""The table of how what was measured grows with the shelf."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from . import figures
from .demands import Sizes, begun_at
from .figures import CPU, WALL
from .page_demands import named
from .page_sizes import PHONE

_SAID = (
    "The exponent *a* of cost = start + c·N^*a*, by processor time where there is one: 0 stays, 1 grows with "
    "the shelf. The start is what `--help` takes; of a call to a server, nothing. "
    "A dash: less than 10 ms above the start, so nothing to see."
)
Step = tuple[int, int]


def growing(sizes: Sizes) -> str:
    """The exponents between neighbouring sizes; nothing where there is one size alone."""
    if len(sizes) < 2:
        return ""
    steps = {label: _steps(label, sizes) for label in _labels(sizes)}
    every = sorted({step for some in steps.values() for step in some})
    names = [f"{small:,} to {large:,}" for small, large in every]
    heads = [f"{name}: {side}" for name in names for side in ("memshelf", "peer")]
    rows = [
        f"| {named(label)} | {' | '.join(_exponents(label, every, some, sizes))} |"
        for label, some in steps.items()
        if some
    ]
    head = ["## How it grows", "", _SAID, "", f"| | {' | '.join(heads)} |"]
    return "\n".join([*head, "|---" * (len(heads) + 1) + "|", *rows, ""])


def _labels(sizes: Sizes) -> list[str]:
    """Every row of any size, in the order of the size that has the most."""
    every = sorted((found["rows"] for found in sizes.values()), key=len, reverse=True)
    labels = dict.fromkeys(label for rows in every for label in rows)
    return [label for label in labels if not label.startswith(PHONE)]


def _steps(label: str, sizes: Sizes) -> list[Step]:
    """The pairs of neighbouring sizes that a row was measured at."""
    known = [size for size, found in sizes.items() if label in found["rows"]]
    return list(itertools.pairwise(known))


def _exponents(label: str, every: list[Step], some: list[Step], sizes: Sizes) -> Iterator[str]:
    for step in every:
        for side in ("ours", "peer"):
            yield _exponent(label, step, side, sizes) if step in some else ""


def _exponent(label: str, step: Step, side: str, sizes: Sizes) -> str:
    small, large = (sizes[size]["rows"][label].get(side) for size in step)
    if not (small and large):
        return ""
    which = WALL if figures.median(large, CPU) is None else CPU
    begun = begun_at(sizes, reversed(step), label, side, which)
    found = figures.growth((step[0], small), (step[1], large), begun or 0.0, which)
    return "–" if found is None else f"{found:.1f}".replace("-0.0", "0.0")
