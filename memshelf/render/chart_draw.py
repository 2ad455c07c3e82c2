"""Draws the plan of stats.svg: the only module that imports matplotlib, and it does so late."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .chart_plan import KINDS, WORDS, Plan
from .escape import xml

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 480
LEFT, RIGHT = 52, 376  # of both panels; the words at the ends stand to the right of them
INK, MUTED, HAIR, EDGE = "#1b2330", "#57606a", "#e6e8ec", "#d0d5dc"
HELD, DIGESTS, GAP = "#1d5fae", "#b0480a", "#edf3fb"
COLOURS = dict(zip(KINDS, ("#1d5fae", "#e8a33d", "#5a9b7c", "#8b909a"), strict=True))
SMALL = 13
FONTS = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"

_MAGNITUDES = ("", "K", "M", "B", "T", "P")
_NUMBER = re.compile(r"-?\d+\.\d+")
_FAMILY = re.compile(r"(font-size: \d+px; )font-family: [^;]*; ")
_FONT = re.compile(r"font: (?:(\w+) )?(\d+px) [^;]*; ")
_PATH = re.compile(r'\bd="([^"]*)"')
_TURN = re.compile(r' transform="rotate\(-0 [^)]*\)"')


def draw(plan: Plan) -> str:
    """The picture as SVG text of 480 units' width, equal for equal plans with one matplotlib."""
    if not plan.bars and not plan.points:
        return _card(plan, 132 + 18 * len(plan.foot), [])
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    lines = len(plan.points) > 1 and plan.points[-1][2] > 0
    height = (578 if lines else 364) + 18 * len(plan.foot)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
        figure.patch.set_visible(False)
        if lines:
            _lines(_panel(figure, plan, height, 164, 164), plan)
        _bars(_panel(figure, plan, height, 392 if lines else 178, 128), plan)
        out = io.StringIO()
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        FigureCanvasSVG(figure).print_svg(out, metadata=nothing)
    return _card(plan, height, [(143, "Tokens held, and tokens of digests")] * lines, out.getvalue(), lines)


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
    axes.vlines(plan.years, 0, 1, transform=axes.get_xaxis_transform(), colors=HAIR, lw=1, zorder=0.5)
    return axes


def _lines(axes: Axes, plan: Plan) -> None:
    days, held, digests = (list(column) for column in zip(*plan.points, strict=True))
    positive = [value for value in (*held, *digests) if value > 0]
    _decades(axes, min(positive), max(positive))
    if held[-1]:
        floor = axes.get_ylim()[0]
        between = [[max(value, floor) for value in values] for values in (digests, held)]
        axes.fill_between(days, *between, step="post", color=GAP, lw=0, zorder=0.2)
        _line(axes, days, held, HELD)
    _line(axes, days, digests, DIGESTS)
    _ends(axes, days[-1], held[-1], digests[-1])


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


def _ends(axes: Axes, day: int, held: int, digests: int) -> None:
    """The sums beside the ends of the lines, moved apart where they would touch."""
    from ..domain.economy import short

    (left, bottom), tall = axes.bbox.min, axes.bbox.height
    ends = axes.transData.transform([(day, max(held, 1)), (day, max(digests, 1))])
    across = (ends[0][0] - left + 11) / axes.bbox.width
    upper, lower = (min(max(end[1] - bottom, 16), tall) for end in ends)
    if abs(upper - lower) < 36:
        lower = max(16, min(upper, lower) - 18)
        upper = lower + 36
    for place, value, word, colour in ((upper, held, "held", HELD), (lower, digests, "digests", DIGESTS)):
        how: dict[str, Any] = {"transform": axes.transAxes, "color": colour, "va": "center"}
        axes.text(across, (place + 8) / tall, short(value), weight="bold", size=SMALL + 1, **how)
        axes.text(across, (place - 8) / tall, word, size=SMALL, **how)


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
        axes.plot([1.055], [at], "s", color=COLOURS[kind], ms=10, transform=axes.transAxes, clip_on=False)
        axes.text(1.085, at, WORDS[kind], color=INK, va="center_baseline", transform=axes.transAxes)


def _below(axes: Axes, day: float, text: str, down: int) -> None:
    if text:
        at = -down / axes.bbox.height
        place = {"transform": axes.get_xaxis_transform(), "ha": "center", "va": "top"}
        axes.text(day, at, text, color=MUTED, clip_on=False, **place)


# --- the card round the drawing ----------------------------------------------------------------


def _card(plan: Plan, height: int, heads: list[tuple[int, str]], drawn: str = "", lines: bool = False) -> str:
    """The whole SVG: what matplotlib drew, with our card, words, title and description."""
    if drawn:
        heads = [*heads, (371 if lines else 157, f"Episodes a {plan.unit}")]
    body = [
        f'<title id="memshelf-title">{xml(plan.name)}: what the shelf holds and what it costs</title>',
        f'<desc id="memshelf-desc">{xml(plan.description)}</desc>',
        f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="10" fill="#fff" stroke="{EDGE}"/>',
        f'<g font-family="{FONTS}" fill="{INK}" stroke-linejoin="round">',
        _text(20, 34, _clipped(plan.name), 17, "bold"),
        *_numbers(plan),
        *(_text(20, at, words, 14, "bold") for at, words in heads),
        *(_text(20, height - 16 - 18 * place, line, SMALL, fill=MUTED)
          for place, line in enumerate(reversed(plan.foot))),
        _inner(drawn),
        "</g>",
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="memshelf-title memshelf-desc">'
    )
    return "\n".join([head, *(part for part in body if part), "</svg>", ""])


def _numbers(plan: Plan) -> Iterator[str]:
    if plan.numbers[0][0] == "0":
        yield _text(20, 76, "No episodes yet", 20, "bold")
        yield _text(20, 102, "The first one that is shelved draws this chart.", SMALL, fill=MUTED)
        return
    for left, (number, word) in zip((20, 130, 244, 358), plan.numbers, strict=True):
        yield _text(left, 76, number, 21, "bold")
        yield _text(left, 97, word, SMALL, fill=MUTED)


def _text(x: int, y: int, words: str, size: int, weight: str = "", fill: str = "") -> str:
    extra = (f' font-weight="{weight}"' if weight else "") + (f' fill="{fill}"' if fill else "")
    return f'<text x="{x}" y="{y}" font-size="{size}"{extra}>{xml(words)}</text>'


def _clipped(name: str) -> str:
    """The name within the card's width, a character of a wide script counted as two narrow ones."""
    room, out = 40.0, ""
    for char in name:
        room -= 1.0 if char < "\u0300" else 1.75
        if room < 1:
            return out.rstrip() + "…"
        out += char
    return out


def _inner(drawn: str) -> str:
    """matplotlib's own groups, to a tenth of a unit, in the fonts of whoever looks at them."""
    if not drawn:
        return ""
    inside = drawn[drawn.index("<g id=") : drawn.rindex("</svg>")]
    rounded = _NUMBER.sub(lambda found: f"{float(found.group()):.1f}".removesuffix(".0"), inside)
    plain = _TURN.sub("", _FAMILY.sub(r"\1", _FONT.sub(_longhand, rounded)))
    short = _PATH.sub(lambda found: f'd="{_straight(found[1])}"', plain)
    return "\n".join(line.strip() for line in short.splitlines())


def _longhand(found: re.Match[str]) -> str:
    """The font of a text as matplotlib before 3.11 writes it."""
    weight = f"font-weight: {found[1]}; " if found[1] else ""
    return f"{weight}font-size: {found[2]}; "


def _straight(path: str) -> str:
    """A path with its level and upright strokes as H and V: a third of the bytes of a step line."""
    out, x, y = [], "", ""
    for command, *numbers in map(str.split, path.strip().split("\n")):
        if command == "L" and numbers[1] == y:
            out.append(f"H{numbers[0]}" if numbers[0] != x else "")
        elif command == "L" and numbers[0] == x:
            out.append(f"V{numbers[1]}")
        else:
            out.append(command + " ".join(numbers))
        x, y = numbers[-2:] if numbers else ("", "")
    return "".join(out)
