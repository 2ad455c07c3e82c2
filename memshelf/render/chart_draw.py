"""Draws the plan of stats.svg: the only module that imports matplotlib, and it does so late."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .chart_card import INK, MUTED, SMALL, WIDTH, card
from .chart_plan import KINDS, WORDS, Plan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, RIGHT = 52, 376  # of both panels; the words at the ends stand to the right of them
HAIR = "#e6e8ec"
HELD, DIGESTS, GAP = "#1d5fae", "#b0480a", "#edf3fb"
COLOURS = dict(zip(KINDS, ("#1d5fae", "#e8a33d", "#5a9b7c", "#8b909a"), strict=True))

_MAGNITUDES = ("", "K", "M", "B", "T", "P")


def draw(plan: Plan) -> str:
    """The picture as SVG text of 480 units' width, equal for equal plans with one matplotlib."""
    foot = 18 * len(plan.foot)
    if not plan.bars:
        return card(plan, 132 + foot)
    bars = f"Episodes a {plan.unit}"
    if len(plan.points) < 2 or not max(plan.points[-1][1:]):
        return _drawn(plan, 364 + foot, [(157, bars)])
    return _drawn(plan, 578 + foot, [(143, "Tokens held and in digests, log scale"), (371, bars)])


def _drawn(plan: Plan, height: int, heads: list[tuple[int, str]]) -> str:
    """The card with a panel below each of its heads, the bars in the last one."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    out = io.StringIO()
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        for name, value in _SETTINGS.items():
            matplotlib.rcParams[name] = value  # type: ignore[index]
        figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
        figure.patch.set_visible(False)
        if len(heads) > 1:
            _lines(_panel(figure, plan, height, heads[0][0] + 21, 164), plan)
        _bars(_panel(figure, plan, height, heads[-1][0] + 21, 128), plan)
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        FigureCanvasSVG(figure).print_svg(out, metadata=nothing)  # type: ignore[no-untyped-call]
    return card(plan, height, heads, out.getvalue())


_SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "memshelf",
    "font.family": "DejaVu Sans",
    "font.size": SMALL,
    "text.parse_math": False,
    "axes.formatter.use_locale": False,
    "path.simplify": True,
}


def _panel(figure: Figure, plan: Plan, height: int, top: int, tall: int) -> Axes:
    """A bare plot box over the whole time, with hair lines at the years."""
    box = (LEFT / WIDTH, 1 - (top + tall) / height, (RIGHT - LEFT) / WIDTH, tall / height)
    axes: Axes = figure.add_axes(box)
    axes.set_xlim(plan.bars[0].start, plan.bars[-1].end)
    axes.set_xticks([])
    axes.patch.set_visible(False)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(MUTED)
    axes.tick_params(axis="y", length=0, pad=5, labelsize=SMALL, labelcolor=MUTED, which="both")
    axes.set_axisbelow(True)
    axes.vlines(
        plan.years, 0, 1, transform=axes.get_xaxis_transform(), colors=HAIR, lw=1, zorder=0.5
    )
    return axes


def _lines(axes: Axes, plan: Plan) -> None:
    days, held, digests = (list(column) for column in zip(*plan.points, strict=True))
    positive = [value for value in (*held, *digests) if value > 0]
    _decades(axes, min(positive), max(positive))
    floor = axes.get_ylim()[0]
    low, high = ([max(value, floor) for value in values] for values in (digests, held))
    axes.fill_between(days, low, high, step="post", color=GAP, lw=0, zorder=0.2)
    named = ((held, "held", HELD), (digests, "digests", DIGESTS))
    drawn = [(values, word, colour) for values, word, colour in named if values[-1] > 0]
    for values, _, colour in drawn:
        _line(axes, days, values, colour)
    _ends(axes, days[-1], [(values[-1], word, colour) for values, word, colour in drawn])


def _line(axes: Axes, days: list[int], values: list[int], colour: str) -> None:
    from_first = [(day, value) for day, value in zip(days, values, strict=True) if value > 0]
    xs, ys = zip(*from_first, strict=True)
    axes.step(xs, ys, where="post", color=colour, lw=2.2, solid_joinstyle="round", clip_on=False)
    axes.plot(xs[-1:], ys[-1:], "o", color=colour, ms=6, clip_on=False)


def _decades(axes: Axes, low: int, high: int) -> None:
    """A log axis from a power of ten below to some way above, with at most eight labels."""
    first, last = len(str(low)) - 1, len(str(high))
    axes.set_yscale("log")
    axes.set_ylim(10**first, max(high * 1.5, 10 ** (first + 1)))
    step = -(-(last - first + 1) // 8)
    powers = [power for power in range(first, last + 1, step) if 10**power <= high * 1.5]
    axes.set_yticks([10**power for power in powers], [_power(power) for power in powers])
    axes.yaxis.set_minor_locator(_no_ticks())
    axes.grid(axis="y", color=HAIR, lw=1)


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def _power(power: int) -> str:
    return f"{10 ** (power % 3)}{_MAGNITUDES[power // 3]}" if power < 18 else f"1e{power}"


def _ends(axes: Axes, day: int, ends: list[tuple[int, str, str]]) -> None:
    """The sums beside the ends of the lines, moved apart where they would touch."""
    from ..domain.economy import short

    (left, bottom), tall = axes.bbox.min, axes.bbox.height
    dots = axes.transData.transform([(day, value) for value, _, _ in ends])
    across = (dots[0][0] - left + 11) / axes.bbox.width
    places = sorted(
        (min(max(dot[1] - bottom, 16), tall), end) for dot, end in zip(dots, ends, strict=True)
    )
    low = min(places[0][0], places[-1][0] - 36) if len(places) > 1 else places[0][0]
    heights = [max(16, low), max(places[-1][0], max(16, low) + 36)][: len(places)]
    for at, (_, (value, word, colour)) in zip(heights, places, strict=True):
        how: dict[str, Any] = {"transform": axes.transAxes, "color": colour, "va": "center"}
        axes.text(across, (at + 8) / tall, short(value), weight="bold", size=SMALL + 1, **how)
        axes.text(across, (at - 8) / tall, word, size=SMALL, **how)


def _bars(axes: Axes, plan: Plan) -> None:
    top = max(sum(bar.counts) for bar in plan.bars)
    step = _step(top)
    axes.set_ylim(0, max(top * 1.04, step))
    axes.set_yticks(range(0, top + 1, step), [f"{tick:,}" for tick in range(0, top + 1, step)])
    axes.grid(axis="y", color=HAIR, lw=1)
    per_day = (RIGHT - LEFT) / (plan.bars[-1].end - plan.bars[0].start)
    for place, kind in enumerate(KINDS):
        boxes = list(_boxes(plan, place, per_day))
        if boxes:
            axes.add_patch(_compound(boxes, COLOURS[kind]))
    _legend(axes, plan)
    for label in plan.labels:
        middle = (label.start + label.end) / 2
        _below(axes, middle, label.text, 5)
        _below(axes, middle, label.year, 21)


def _step(top: int) -> int:
    """1, 2 or 5 times a power of ten, for at most four steps."""
    size = 1
    while True:
        for factor in (1, 2, 5):
            if top <= 4 * factor * size:
                return factor * size
        size *= 10


def _boxes(plan: Plan, place: int, per_day: float) -> Iterator[tuple[float, float, float, float]]:
    """Left, right, bottom, top of one kind's part in each bar, a bar being at most 36 units wide."""
    for bar in plan.bars:
        low, count = sum(bar.counts[:place]), bar.counts[place]
        if count:
            middle = (bar.start + bar.end) / 2
            half = min((bar.end - bar.start) * 0.39, 18 / per_day)
            yield middle - half, middle + half, low, low + count


def _compound(boxes: list[tuple[float, float, float, float]], colour: str) -> Any:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    points, codes = [], []
    for left, right, low, high in boxes:
        points += [(left, low), (left, high), (right, high), (right, low), (left, low)]
        codes += [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return PathPatch(Path(points, codes), fc=colour, ec="white", lw=0.6, clip_on=False)


def _legend(axes: Axes, plan: Plan) -> None:
    """The kinds that occur, in words, in the order in which they are stacked."""
    used = [kind for place, kind in enumerate(KINDS) if any(bar.counts[place] for bar in plan.bars)]
    tall = axes.bbox.height
    for place, kind in enumerate(used):
        at = (10 + 20 * place) / tall
        axes.plot(
            [1.055], [at], "s", color=COLOURS[kind], ms=10, transform=axes.transAxes, clip_on=False
        )
        axes.text(1.085, at, WORDS[kind], color=INK, va="center_baseline", transform=axes.transAxes)


def _below(axes: Axes, day: float, text: str, down: int) -> None:
    if text:
        at = -down / axes.bbox.height
        place: dict[str, Any] = {
            "transform": axes.get_xaxis_transform(),
            "ha": "center",
            "va": "top",
        }
        axes.text(day, at, text, color=MUTED, clip_on=False, **place)
