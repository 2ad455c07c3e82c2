"""The card of stats.svg: what stands round the drawing, and the drawing made small and neutral."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .chart_plan import Plan
from .escape import xml

WIDTH = 480
SMALL = 13
"""Units of the smallest text: 10 px and more where a phone shows the card 390 px wide."""
INK, MUTED, EDGE = "#1b2330", "#57606a", "#d0d5dc"
_PAPER = f'fill="#fff" stroke="{EDGE}"'
FONTS = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"

_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"-?\d+\.\d+")
_FONT = re.compile(r"font: (?:(\w+) )?(\d+px) [^;]*; ")
_PATH = re.compile(r'\bd="([^"]*)"')
_FAMILY = re.compile(r"(font-size: \d+px; )font-family: [^;]*; ")
_TURN = re.compile(r' transform="rotate\(-0 [^)]*\)"')


def card(plan: Plan, height: int, heads: Iterable[tuple[int, str]] = (), drawn: str = "") -> str:
    """The whole SVG: what matplotlib drew, with our card, words, title and description.

    `heads` are the panels' headings and how far down each stands.
    """
    foot = enumerate(reversed(plan.foot))
    parts = [
        _head(height),
        f'<title id="memshelf-title">{xml(plan.name)}: what the shelf holds and costs</title>',
        f'<desc id="memshelf-desc">{xml(plan.description)}</desc>',
        f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="10" {_PAPER}/>',
        f'<g font-family="{FONTS}" fill="{INK}" stroke-linejoin="round">',
        _text(20, 34, _clipped(plan.name), 17, "bold"),
        *_numbers(plan),
        *(_text(20, at, words, 14, "bold") for at, words in heads),
        *(_text(20, height - 16 - 18 * row, line, SMALL, fill=MUTED) for row, line in foot),
        *_inner(drawn),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _head(height: int) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'role="img" aria-labelledby="memshelf-title memshelf-desc">'
    )


def _numbers(plan: Plan) -> Iterator[str]:
    if plan.numbers[0][0] == "0":
        yield _text(20, 76, "No episodes yet", 20, "bold")
        yield _text(20, 102, "The first one that is shelved draws this chart.", SMALL, fill=MUTED)
        return
    for left, (number, word) in zip((20, 130, 244, 358), plan.numbers, strict=True):
        yield _text(left, 76, number, 21 if len(number) < 9 else 17, "bold")
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


def _inner(drawn: str) -> Iterator[str]:
    """matplotlib's own groups, to a tenth of a unit, in the fonts of whoever looks at them."""
    if not drawn:
        return
    inside = drawn[drawn.index("<g id=") : drawn.rindex("</svg>")]
    rounded = _TAG.sub(lambda tag: _NUMBER.sub(_tenth, tag.group()), inside)
    plain = _TURN.sub("", _FAMILY.sub(r"\1", _FONT.sub(_longhand, rounded)))
    short = _PATH.sub(lambda found: f'd="{_straight(found[1])}"', plain)
    yield from (line.strip() for line in short.splitlines())


def _tenth(number: re.Match[str]) -> str:
    return f"{float(number.group()):.1f}".removesuffix(".0")


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
