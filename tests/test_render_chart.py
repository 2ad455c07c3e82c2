"""stats.svg: right at any size, inside its box, equal on every machine, drawn only on need."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
from conftest import ROOT, run_process, same_anywhere

from memshelf.domain.config import Config
from memshelf.domain.economy import economy, short
from memshelf.domain.entry import Entry, entry_of
from memshelf.domain.shelf import Shelf
from memshelf.render import chart_plan
from memshelf.render.chart import VERSION, chart, chart_current, chart_stamp
from memshelf.render.index import index_tokens

BLANK = entry_of(
    "docs/topics/x.md",
    "---\nid: x\nkind: topic\ntags: []\napprox_tokens: 1\n---\n\n## Digest\nD.\n",
)
SVG = "{http://www.w3.org/2000/svg}"
KINDS = ("topic", "research", "session", "letter")


def entry(day: str, number: int = 0, mass: int = 40_000, **changed: object) -> Entry:
    name = f"{day}-n{number:05d}"
    fields = {"digest_tokens": 80, "approx_tokens": mass, "kind": KINDS[number % 11 % 4]} | changed
    return BLANK._replace(path=f"docs/topics/{name}.md", id=name, date=day, **fields)


def spread(count: int, years: int = 3, **changed: object) -> Shelf:
    """`count` episodes over some years, as evenly as days allow."""
    days = [n * 336 * years // count for n in range(count)]
    return Shelf.make(
        (
            entry(f"{2023 + d // 336}-{d // 28 % 12 + 1:02d}-{d % 28 + 1:02d}", n, **changed)
            for n, d in enumerate(days)
        ),
        config=Config(name="Tides", generated_by="external"),
    )


SHELVES = {
    "none": Shelf(),
    "one": Shelf.make([entry("2026-02-03")]),
    "two": Shelf.make([entry("2026-02-03"), entry("2026-02-03", 1)]),
    "six": spread(6, 1),
    "thousand": spread(1_000),
    "ten thousand": spread(10_000),
    "fifteen years": spread(300, 15),
    "a century": Shelf.make(entry(f"{1930 + n}-03-10", n) for n in range(96)),
    "an outlier": Shelf.make([entry("1026-01-01"), *spread(20).entries]),
    "no mass": spread(20, mass=0, approx_tokens_source="unmeasured"),
    "no digests": spread(20, digest_tokens=0),
    "neither": spread(20, mass=0, digest_tokens=0),
    "huge": spread(20, mass=900_000_000),
    "digests dearer": spread(20, mass=3),
    "undated": Shelf.make([entry("2026-02-03")._replace(id="x", date="")]),
    "wide name": Shelf.make([entry("2026-02-03")], config=Config(name="記憶の棚" * 40)),
    "hostile name": Shelf.make([entry("2026-02-03")], config=Config(name='"><svg onload=x> $a$ & ]]>')),
}  # fmt: skip


@pytest.fixture(scope="module", params=SHELVES)
def drawn(request: pytest.FixtureRequest) -> tuple[Shelf, str]:
    shelf = SHELVES[request.param]
    return shelf, str(chart(shelf).data)


def texts(svg: str) -> list[tuple[str, float, float, float, str]]:
    """Each text: what it says, x, y, size, anchor."""
    out = []
    for node in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        style = dict(re.findall(r"([\w-]+): ([^;]+)", node.get("style", "")))
        size = float(style.get("font-size", node.get("font-size", "")).removesuffix("px"))
        anchor = style.get("text-anchor", "start")
        out.append(
            (node.text or "", float(node.get("x", "")), float(node.get("y", "")), size, anchor)
        )
    return out


def test_it_is_one_small_picture_of_480_units(drawn: tuple[Shelf, str]) -> None:
    _, svg = drawn
    root = ElementTree.fromstring(svg)
    assert root.get("width") == "480" and root.get("viewBox") == f"0 0 480 {root.get('height')}"
    assert root.get("role") == "img" and len(svg.encode()) <= 40_000
    named = {node.get("id"): node.text for node in root if node.get("id")}
    assert all(named[name] for name in (root.get("aria-labelledby") or "").split())
    assert "<style" not in svg and "<script" not in svg and "<image" not in svg
    assert not re.findall(r'(?:href|src)="(?!#)', svg.replace('xmlns:xlink="http', ""))


def test_nothing_stands_outside_its_box(drawn: tuple[Shelf, str]) -> None:
    _, svg = drawn
    height = float(ElementTree.fromstring(svg).get("height") or 0)
    for words, x, y, size, anchor in texts(svg):
        width = sum(0.66 if char < "\u0300" else 1.0 for char in words) * size
        left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * width
        assert left >= 0 and left + width <= 480 + 4, words
        assert size <= y <= height - 4, words
    for x, y in points(svg):
        assert -0.5 <= x <= 480.5 and -0.5 <= y <= height + 0.5


def points(svg: str) -> list[tuple[float, float]]:
    """Every corner of every path that is drawn where it stands, without markers (which are placed)."""
    bare = re.sub(r"<defs>.*?</defs>", "", svg, flags=re.DOTALL)
    out = []
    for path in re.findall(r'\bd="([^"]*)"', bare):
        x = y = 0.0
        for command, numbers in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
            values = [float(value) for value in numbers.split()]
            x = values[-2] if len(values) > 1 else values[0] if command == "H" else x
            y = values[-1] if len(values) > 1 or command == "V" else y
            out.append((x, y))
    return out


def test_no_text_is_smaller_than_13_units(drawn: tuple[Shelf, str]) -> None:
    assert min(size for *_, size, _ in texts(drawn[1])) >= 13


def test_the_headline_numbers_are_those_of_the_economy(drawn: tuple[Shelf, str]) -> None:
    shelf, svg = drawn
    said = [words for words, *_ in texts(svg)]
    spent = economy(shelf, index_tokens(shelf))
    if not spent.episodes:
        assert "No episodes yet" in said
        return
    assert said[1] == f"{spent.episodes:,}"
    assert said[3] == short(spent.shelved_mass)
    assert said[5] == short(spent.standing_cost)
    assert said[7] in (f"{spent.compression_ratio}:1", "–")


def test_the_bars_count_every_dated_episode_once() -> None:
    for shelf in SHELVES.values():
        plan = chart_plan.plan(shelf, 0)
        assert len(plan.bars) <= chart_plan.BARS and len(plan.points) <= 400
        drawn = sum(sum(bar.counts) for bar in plan.bars)
        assert drawn == sum(e.day is not None for e in shelf.entries) - (
            "earlier" in str(plan.foot)
        )
        assert all(a.end == b.start for a, b in zip(plan.bars, plan.bars[1:], strict=False))
        assert [p[0] for p in plan.points] == sorted({p[0] for p in plan.points})


def test_the_lines_end_at_the_sums() -> None:
    for name in ("six", "ten thousand"):
        shelf = SHELVES[name]
        spent = economy(shelf, 0)
        assert chart_plan.plan(shelf, 0).points[-1][1:] == (spent.shelved_mass, spent.digest_tokens)


def test_the_sum_at_the_end_of_a_line_is_the_headline_s_to_the_last_digit() -> None:
    shelf = Shelf.make([entry("2026-02-03", mass=126_900), entry("2026-03-03", 1, mass=125_000)])
    many = Shelf.make(
        [*shelf.entries, *(entry("2026-04-01", n, mass=199_000) for n in range(2, 10))]
    )
    said = [words for words, *_ in texts(str(chart(many).data))]
    assert short(economy(many, 0).shelved_mass) == "1.84M" and said.count("1.84M") == 2


@pytest.mark.parametrize(
    ("count", "years", "unit", "first"),
    [
        (12, 1, "month", "Jan"),
        (1_000, 3, "month", "Q1"),
        (100, 5, "month", "2023"),
        (100, 10, "quarter", "2024"),
        (300, 40, "year", "2028"),
    ],
)
def test_bars_and_labels_grow_coarser_with_time(
    count: int, years: int, unit: str, first: str
) -> None:
    plan = chart_plan.plan(spread(count, years), 0)
    assert (plan.unit, plan.labels[0].text) == (unit, first)
    assert len(plan.labels) <= 14


def test_one_episode_has_numbers_and_a_bar_but_no_line() -> None:
    svg = str(chart(SHELVES["one"]).data)
    said = [words for words, *_ in texts(svg)]
    assert "Episodes a month" in said and not [words for words in said if "held and" in words]


def test_the_foot_names_what_was_left_out() -> None:
    shelf = Shelf.make(
        [
            entry("2026-01-02", 1, mass=300_000),
            entry("2026-01-03", 2, mass=0, approx_tokens_source="unmeasured"),
            BLANK,
        ]
    )
    foot = " · ".join(chart_plan.plan(shelf, 0).foot)
    assert foot == "As of 2026-01-03 · 1 unmeasured · 1 clipped to 200K · 1 without a date"


# --- the stamp -------------------------------------------------------------------------------


def test_a_chart_is_current_until_what_it_shows_changes() -> None:
    shelf = SHELVES["six"]
    svg = str(chart(shelf, 100).data)
    assert chart_current(svg, shelf, 100) is True
    assert chart_current(svg, shelf, 101) is False
    grown = Shelf.make([*shelf.entries, entry("2024-05-05", 99)], config=shelf.config)
    assert chart_current(svg, grown, 100) is False
    again = Shelf.make([e._replace(title="Retitled") for e in shelf.entries], config=shelf.config)
    assert chart_current(svg, again, 100) is True


def test_one_changed_byte_is_drift_and_other_line_ends_are_not() -> None:
    shelf = SHELVES["six"]
    svg = str(chart(shelf).data)
    assert chart_current(svg.replace("\n", "\r\n"), shelf) is True
    for place in range(0, len(svg), max(1, len(svg) // 60)):
        touched = svg[:place] + ("~" if svg[place] != "~" else "-") + svg[place + 1 :]
        assert chart_current(touched, shelf) is not True, svg[max(0, place - 20) : place + 20]
    assert (
        chart_current(
            svg.replace(f"memshelf-chart {VERSION}", f"memshelf-chart {VERSION + 1}"), shelf
        )
        is False
    )


@pytest.mark.shared
def test_a_chart_by_another_tool_is_no_drift(shared: Path) -> None:
    svg = (shared / "data" / "real-shelf" / "stats.svg").read_text("utf-8")
    assert chart_current(svg, SHELVES["six"]) is None
    assert chart_current("", SHELVES["six"]) is None


def test_the_stamp_is_told_without_matplotlib() -> None:
    script = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from memshelf.domain.shelf import Shelf\n"
        "from memshelf.render.chart import chart_current, chart_stamp\n"
        "print(chart_stamp(Shelf(), 5), chart_current('', Shelf()))"
    )
    ran = run_process([sys.executable, "-c", script], cwd=ROOT)
    assert ran.out.split() == [*chart_stamp(Shelf(), 5).split(), "None"]


# --- the same everywhere ---------------------------------------------------------------------


def test_two_processes_draw_the_same_bytes() -> None:
    script = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import hashlib, test_render_chart as t\n"
        "print(hashlib.sha256(t.chart(t.SHELVES['thousand']).raw).hexdigest())"
    )
    assert len(same_anywhere(script).strip()) == 64


def test_the_users_own_style_changes_nothing_and_is_left_as_it_was() -> None:
    plain = chart(SHELVES["six"])
    theirs = {"font.size": 30.0, "axes.grid": True, "lines.linewidth": 9.0, "svg.fonttype": "path"}
    with matplotlib.rc_context(theirs):  # type: ignore[arg-type]
        assert chart(SHELVES["six"]) == plain
        assert matplotlib.rcParams["font.size"] == 30.0


def test_drawing_does_not_start_pyplot() -> None:
    script = (
        "import sys\nfrom memshelf.domain.shelf import Shelf\n"
        "sys.path[:0] = sys.argv[1:]\nimport test_render_chart as t\n"
        "t.chart(t.SHELVES['six']); print('matplotlib.pyplot' in sys.modules)"
    )
    ran = run_process([sys.executable, "-c", script, str(ROOT / "tests")], cwd=ROOT)
    assert ran.out.strip() == "False", ran.err
