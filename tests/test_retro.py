"""Retrospectives: what stands on them, what never moves, what adds up, and what cannot break them."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from conftest import Cli, same_anywhere
from gitkit import POSIX, git, put
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support import DECISIONS, DIGEST
from test_render_html import ATTACKS, VOID, Node

import memshelf
from memshelf.domain.config import Config
from memshelf.domain.entry import entry_of
from memshelf.domain.episode import Episode, format_episode
from memshelf.domain.finding import Finding
from memshelf.domain.lookback import retrospectives
from memshelf.domain.period import holding, period
from memshelf.domain.retrospect import Retrospective
from memshelf.domain.shelf import Recall, Shelf
from memshelf.domain.threads import OPEN, threads
from memshelf.domain.timeline import NEVER, Standing, Timeline
from memshelf.render.inert import inert
from memshelf.render.report import to_html, to_markdown
from memshelf.render.retro import retro
from memshelf.render.retro_words import Form
from memshelf.render.words import unmarked
from memshelf.storage.store import Store
from memshelf.verbs.retro_data import data

GOLDEN = Path(__file__).parent / "golden" / "retro"
PARTS = [
    *("In short", "At a glance", "Decisions", "Threads", "Replaced", "Most mentioned"),
    *("Memory used", "Topics", "Episodes", "Exceptions", "Since then"),
]


def look(shelf: Shelf, label: str, *, full: bool = False) -> Retrospective:
    start = shelf.config.fiscal_year_start
    (seen,) = retrospectives(shelf, [period(label, start)], full)
    return seen


def text(shelf: Shelf, label: str, **form: bool) -> str:
    seen = look(shelf, label, full=form.get("full", False))
    return to_markdown(retro(shelf, seen, Form(**form)), "retro.md.j2")


def page(shelf: Shelf, label: str, **form: bool) -> str:
    return to_html(retro(shelf, look(shelf, label), Form(**form)), "retro.html.j2")


def part(report: str, title: str) -> str:
    """One part of a report, without its heading."""
    found = re.search(rf"^## {title}[^\n]*\n(.*?)(?=^## |^---$|\Z)", report, re.M | re.S)
    return found[1].strip() if found else ""


def topic(name: str, decided: str = "- Yes.", opened: str = "none", **fields: object) -> Episode:
    known: dict[str, object] = {
        "id": name,
        "kind": "topic",
        "date": name[:10],
        "display_title": name[11:].capitalize(),
        "digest": "Decided: yes.",
        "sections": (("Decisions", decided), ("Open threads", opened)),
    }
    return Episode.make(**(known | fields))


def shelf_of(*episodes: Episode, **rest: object) -> Shelf:
    files = {f"docs/topics/{one.id}.md": format_episode(one) for one in episodes}
    made = (entry_of(path, text) for path, text in files.items())
    return Shelf.make(made, **({"config": Config(name="Tides")} | rest))


# --- what stands on it -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("2026Q2.md", ("--quarter", "2026Q2")),
        ("2026Q2-short.md", ("--quarter", "2026Q2", "--short")),
        ("2026.md", ("--year", "2026")),
        ("2026Q2.json", ("--quarter", "2026Q2", "--json")),
        ("2026Q2.html", ("--quarter", "2026Q2", "--format", "html")),
    ],
)
def test_a_report_of_the_sample_is_as_the_golden_file_shows_it(
    sample: Store, cli: Cli, update: bool, name: str, words: tuple[str, ...]
) -> None:
    ran = cli("retro", "--shelf", sample.root, *words)
    assert ran.code == 0 and not ran.err
    made = re.sub("<style>.*?</style>", "<style></style>", ran.out, flags=re.DOTALL)
    made = re.sub("'sha256-[^']*'", "'sha256-'", made)  # the style is shared and has its own tests
    if update:
        GOLDEN.mkdir(parents=True, exist_ok=True)
        (GOLDEN / name).write_text(made, "utf-8", newline="\n")
    assert made == (GOLDEN / name).read_text("utf-8")


def test_the_parts_stand_in_their_order(sample: Store) -> None:
    titles = re.findall(r"^## (.+?)(?: \([\d,]+\))?$", text(sample.read(), "2026Q2"), re.M)
    assert titles == PARTS


def test_threads_are_followed_from_opening_to_closing() -> None:
    shelf = shelf_of(
        topic("2026-01-10-first", opened="- Rotate the key\n- Buy a mast"),
        topic("2026-04-20-second", opened="- [x] Done at once\n- Paint", closes=["2026-01-10-first/t1"]),
        topic("2026-05-01-third", opened="- Mast again: 2026-01-10-first/t2"),
    )  # fmt: skip
    said = part(text(shelf, "2026Q2"), "Threads")
    assert said.startswith(
        "2 open before + 3 opened − 2 closed − 1 carried on by others = 2 open at the end."
    )
    assert (
        "- Rotate the key — `2026-01-10-first/t1` · opened 2026-01-10 · closed by "
        "`2026-04-20-second` on 2026-04-20, after 100 days"
    ) in said
    assert "Done at once — `2026-04-20-second/t1` · ticked off where it was opened" in said
    assert "- Mast again: 2026-01-10-first/t2 — `2026-05-01-third/t1` · since 2026-01-10, 171 days" in said  # fmt: skip


def test_a_decision_has_its_rejected_options_below_and_says_what_reversed_it() -> None:
    shelf = shelf_of(
        topic("2026-04-10-old", "- Use **Redis**.\n  - Rejected: memcached. It forgets.\n- Keep `x`."),
        topic("2026-06-10-new", "- Use Valkey.", supersedes=["2026-04-10-old/d1"]),
    )  # fmt: skip
    said = part(text(shelf, "2026Q2"), "Decisions")
    assert said.index("Keep x.") < said.index("Use Redis.")  # what stands comes first
    assert (
        "- Use Redis. — `2026-04-10-old/d1` · reversed by `2026-06-10-new` on 2026-06-10\n"
        "  - Rejected: memcached. It forgets.\n"
    ) in said + "\n"
    assert "Single decisions (1)" in part(text(shelf, "2026Q2"), "Replaced")


def test_a_period_without_episodes_says_so_and_how_much_is_open(sample: Store) -> None:
    shelf = sample.read()
    assert "No episodes in 2027Q1. Open from before: 10." in text(shelf, "2027Q1")
    assert text(shelf, "2020").splitlines()[4:] == ["No episodes in 2020."]
    assert "No episodes" in page(shelf, "2027Q1")


def test_parts_with_nothing_in_them_are_left_out() -> None:
    alone = shelf_of(topic("2026-04-10-alone", decided="none"))
    titles = re.findall(r"^## (.+?)(?: \(1\))?$", text(alone, "2026Q2", invite=False), re.M)
    assert titles == ["At a glance", "Episodes", "Exceptions", "Since then"]


def test_a_year_has_a_table_of_its_quarters(sample: Store) -> None:
    said = part(text(sample.read(), "2026"), "At a glance")
    rows = re.findall(r"^\| (2026Q\d) \| (\d+) \|", said, re.M)
    assert rows == [("2026Q1", "9"), ("2026Q2", "7"), ("2026Q3", "8"), ("2026Q4", "0")]


def test_a_fiscal_quarter_says_that_it_is_one(sample: Store, cli: Cli) -> None:
    with (sample.root / "memshelf.toml").open("a") as settings:
        settings.write("fiscal_year_start = 7\n")
    for words in (("--quarter", "Q1"), ("--quarter", "FY2027Q1"), ("--fiscal", "FY2027Q1"), ()):
        ran = cli("retro", "--shelf", sample.root, *words)
        assert ran.out.startswith("# Retro FY2027Q1\n")
        assert "2026-07-01 to 2026-09-30 (fiscal quarter; the year begins in July)" in ran.out
    refused = cli("retro", "--shelf", sample.root, "--quarter", "2026Q3")
    assert refused.code == 2 and "FY2027Q1" in refused.err


def test_what_was_recalled_and_what_never_was() -> None:
    shelf = shelf_of(
        *(topic(f"2026-01-0{n}-e{n}") for n in range(1, 6)),
        topic("2026-04-01-later"),
        recalls=(
            Recall("2026-01-01-e1", "", 9, "2026-02-01"),
            *(Recall("2026-01-02-e2", "", 9, f"2026-05-0{n}") for n in (1, 2)),
            Recall("2026-04-01-later", "", 9, "2026-05-01"),
            Recall("2026-01-03-e3", "", 9, "2026-07-01"),
            Recall("2026-01-04-e4", "", 9),
        ),
    )
    seen = look(shelf, "2026Q2")
    assert seen.recalled.shown == (("2026-01-02-e2", 2), ("2026-04-01-later", 1))
    assert [e.id[11:] for e in seen.unrecalled.shown] == ["e3", "e4", "e5"]
    assert seen.unrecalled.total == 3 and seen.figures.recalls == 3
    assert "have no date" in part(text(shelf, "2026Q2"), "Memory used")
    assert "never" not in text(shelf_of(topic("2026-01-01-a")), "2026Q1")


def test_tags_that_rise_and_tags_that_are_new() -> None:
    shelf = shelf_of(
        topic("2026-01-01-a", tags=["Café", "old"]),
        topic("2026-04-01-b", tags=["cafe", "fresh"]),
        topic("2026-04-02-c", tags=["CAFÉ", "old"]),
    )
    said = part(text(shelf, "2026Q2"), "Topics")
    assert "**Used most:** Café (2), fresh (1), old (1)" in said
    assert "**Rising:** Café (1 to 2)" in said and "**New:** fresh (1)" in said


def test_short_is_the_text_the_numbers_and_the_first_five_decisions(sample: Store) -> None:
    said = text(sample.read(), "2026Q2", short=True)
    whole = re.findall(r"^- .+$", part(text(sample.read(), "2026Q2"), "Decisions"), re.M)
    assert re.findall(r"^- .+$", part(said, "Decisions"), re.M) == whole[:5]
    assert "9 more." in said and "A quarter of second thoughts" in said
    assert len(said) < 3000 and "|" not in said


# --- what never moves ------------------------------------------------------------------------


def fixed(report: str) -> str:
    """A report without its last part, which is the only one that grows."""
    head, mark, _ = report.partition("\n## Since then\n")
    assert mark
    return head


def test_nothing_that_is_shelved_later_moves_a_report_but_since_then(
    sample: Store, cli: Cli
) -> None:
    before = {label: text(sample.read(), label) for label in ("2026Q2", "2026-05", "2026W20")}
    at = ("--shelf", sample.root)
    later = (
        *("shelve", *at, "--slug", "2027-01-02-later", "--digest", DIGEST),
        *("--section", f"Decisions={DECISIONS}", "--tag", "web", "--tag", "prediction"),
        *("--section", "Open threads=- Goes on: 2026-05-06-vyezd-na-north-bar/t2"),
        *("--supersedes", "2026-04-21-alte-gezeitenkalender"),
        *("--supersedes", "2026-06-11-certificate-rollover/d1"),
        *("--closes", "2026-06-03-public-api-v2/t2", "--closes", "2026-02-26-residuals-and-air-pressure/t1"),
    )  # fmt: skip
    assert cli(*later).code == 0
    amended = ("--slug", "2026-08-12-print-on-demand", "--amend", "--section", "Decisions=- Other.")
    assert cli("shelve", *at, *amended).code == 0
    old = "docs/topics/2026-05-25-tide-widget-japanese.md"
    (sample.root / "archive" / old).parent.mkdir(parents=True, exist_ok=True)
    git(sample.root, "mv", old, f"archive/{old}")
    with (sample.root / "recall-log.tsv").open("a") as log:
        log.write("2026-03-05-nul-glubin\t\t10\t2027-01-03\n")
    shelf = memshelf.open_shelf(sample.root).read()
    for label, was in before.items():
        now = text(shelf, label)
        assert fixed(now) == fixed(was)
        assert now != was
    since = part(text(shelf, "2026Q2"), "Since then")
    for name in ("Closed", "Carried on", "Decisions reversed", "Replaced", "Archived by now"):
        assert f"### {name}" in since
    assert "by `2027-01-02-later`" in since


def test_a_later_reversal_of_one_decision_hides_no_earlier_one_of_its_episode() -> None:
    old = topic("2026-01-10-old", "- Yes.\n- Never.")
    whole = topic("2026-02-10-whole", supersedes=["2026-01-10-old"])
    before = shelf_of(old, whole)
    after = shelf_of(old, whole, topic("2026-05-10-one", supersedes=["2026-01-10-old/d1"]))
    assert look(before, "2026Q1").figures == look(after, "2026Q1").figures
    assert look(after, "2026Q1").figures.reversed == 2


_DAYS = (0, 30, 31, 58, 60, 88, 89, 90, 94, 119, 120, 180, 181)
"""Days of 2026 around the ends of months and quarters, counted from its first."""


@st.composite
def histories(draw: st.DrawFn) -> Shelf:
    """A shelf of a few episodes that open, close, carry on, reverse and replace one another."""
    days = draw(st.lists(st.sampled_from(_DAYS), min_size=1, max_size=9))
    names = [f"{date(2026, 1, 1) + timedelta(days=day)}-e{n}" for n, day in enumerate(sorted(days))]
    made = []
    for n, name in enumerate(names):
        other = st.sampled_from(names[: n + 1])
        place = st.builds(lambda one, k: f"{one}/t{k}", other, st.integers(1, 3))
        single = st.builds(lambda one: f"{one}/d1", other)
        lines = st.one_of(place.map("Goes on: {}".format), st.sampled_from(("Look", "[x] Done")))
        opened = draw(st.lists(lines, max_size=3))
        found = topic(
            name,
            opened="\n".join(f"- {line}" for line in opened) or "none",
            tags=draw(st.lists(st.sampled_from(("a", "B", "b")), max_size=2)),
            closes=[one for one in draw(st.lists(place, max_size=2)) if not one.startswith(name)],
            supersedes=draw(st.lists(st.one_of(other.filter(name.__ne__), single), max_size=1))
            if n
            else [],
        )
        made.append(found)
    rows = st.builds(
        lambda name, day: Recall(name, "", 1, f"2026-{day}"),
        st.sampled_from(names),
        st.sampled_from(("01-09", "03-31", "04-01", "07-07")),
    )
    return shelf_of(*made, recalls=tuple(draw(st.lists(rows, max_size=4))))


def until(shelf: Shelf, day: str) -> Shelf:
    """The shelf as it was on a day: without what was shelved and recalled later."""
    return replace(
        shelf,
        entries=tuple(entry for entry in shelf.entries if entry.ledger_date <= day),
        recalls=tuple(recall for recall in shelf.recalls if recall.date <= day),
    )


@settings(max_examples=60, deadline=None)
@given(histories(), st.sampled_from(("2026Q1", "2026-03", "2026W14", "2026")))
def test_what_is_seen_from_a_day_is_what_was_there_on_that_day(shelf: Shelf, label: str) -> None:
    now, then = data(look(shelf, label)), data(look(until(shelf, period(label).end), label))
    for key in ("since", "sum"):
        now.pop(key), then.pop(key)
    assert now == then


@settings(max_examples=60, deadline=None)
@given(histories())
def test_every_history_adds_up_and_lists_what_is_open_by_age(shelf: Shelf) -> None:
    found = threads(shelf)
    for kind in ("month", "quarter"):
        for seen in balanced(shelf, kind):
            end = seen.period.end
            there = {t.address for t in found if t.date <= end and t.on(end).state == OPEN}
            shown = [*seen.carried_in.shown, *seen.opened.shown]
            assert {thread.address for thread in shown} == there
            for listed in (seen.carried_in.shown, seen.opened.shown):
                assert list(listed) == sorted(listed, key=lambda thread: thread.since)
            (alone,) = retrospectives(shelf, [seen.period])
            assert [t.address for t in alone.opened.shown] == [t.address for t in seen.opened.shown]


_RENDERED = """
import random, sys
sys.path.insert(0, sys.argv[1])
import memshelf
from memshelf.domain.shelf import Shelf
from test_retro import page, text
shelf = memshelf.open_shelf(memshelf.sample_shelf()).read()
entries = list(shelf.entries)
random.shuffle(entries)
from dataclasses import replace
mixed = Shelf.make(entries, **{n: getattr(shelf, n) for n in ("config", "recalls", "load", "files")})
assert text(mixed, "2026Q2") == text(shelf, "2026Q2")
print(text(mixed, "2026Q2"), text(mixed, "2026"), page(mixed, "2026Q2"))
"""


def test_the_same_shelf_gives_the_same_bytes_anywhere() -> None:
    assert same_anywhere(_RENDERED).count("# Retro 2026") == 2


# --- what adds up ----------------------------------------------------------------------------


def balanced(shelf: Shelf, kind: str) -> Iterator[Retrospective]:
    """The retrospectives of a shelf by periods of a kind, each with sums that are right."""
    days = [entry.day for entry in shelf.entries if entry.day]
    periods = holding(days, kind, shelf.config.fiscal_year_start)
    for seen in retrospectives(shelf, periods, full=True):
        f = seen.figures
        assert seen.open_before + f.opened - f.closed - f.carried == f.open
        assert len(seen.opened.shown) + len(seen.carried_in.shown) == f.open
        assert sum(count for _, count in f.kinds) == f.episodes == len(seen.episodes.shown)
        assert seen.earlier + f.episodes + seen.since.after + seen.undated == seen.total
        assert seen.since.gone <= f.open
        yield seen


@pytest.mark.parametrize("kind", ["week", "month", "quarter", "year"])
@pytest.mark.parametrize("name", ["sample", "real_shelf", "peer_shelf"])
def test_the_periods_of_a_shelf_add_up_to_all_that_is_on_it(
    name: str, kind: str, request: pytest.FixtureRequest
) -> None:
    store: Store = request.getfixturevalue(name)
    shelf = store.read()
    seen = list(balanced(shelf, kind))
    files = [*store.root.glob("docs/*/*.md"), *store.root.glob("archive/docs/*/*.md")]
    assert sum(one.figures.episodes for one in seen) == len(shelf.entries) == len(files)
    assert sum(one.figures.opened for one in seen) == len(threads(shelf))
    assert sum(one.figures.decisions for one in seen) == sum(
        len(e.decisions) for e in shelf.entries
    )
    assert sum(one.figures.recalls for one in seen) <= len(shelf.recalls)
    assert sum(one.since.archived.total for one in seen) == len(shelf.archived)


def test_the_22_items_and_4_lines_of_the_six_real_episodes_are_threads_and_open(
    real_shelf: Store,
) -> None:
    bodies = [
        path.read_text("utf-8").partition("\n## Open threads\n")[2].partition("\n## ")[0]
        for path in real_shelf.root.glob("docs/*/*.md")
    ]
    lines = [line for body in bodies for line in body.splitlines() if line.strip()]
    listed = [line for line in lines if line.startswith("- ")]
    assert (len(listed), len(lines) - len(listed)) == (22, 4)
    shelf = real_shelf.read()
    year = look(shelf, "2026")
    assert (year.figures.episodes, year.figures.opened, year.figures.open) == (6, 26, 26)
    assert [f.opened for _, f in year.quarters] == [0, 0, 16, 10]
    said = part(text(shelf, "2026"), "Threads")
    assert "0 open before + 26 opened − 0 closed" in said
    shown = re.findall(r"^- .* — `(.+/t\d+)` · since", said, re.M)
    assert len(shown) == len(set(shown)) == 26


@pytest.mark.parametrize("kind", ["month", "quarter"])
def test_all_at_once_are_as_each_by_itself(sample: Store, kind: str) -> None:
    shelf = sample.read()
    periods = holding((e.day for e in shelf.entries if e.day), kind)
    together = [data(seen) for seen in retrospectives(shelf, periods)]
    assert together == [data(look(shelf, one.label)) for one in periods]


def test_what_stands_is_looked_at_once_however_often_one_asks() -> None:
    names = range(2_000)
    looks: list[int] = []

    def left(n: int) -> str:
        looks.append(n)
        return NEVER if n % 7 == 3 else f"{n // 4 + n % 5:04}"

    standing = Standing(Timeline(names, lambda n: f"{n // 4:04}"), left, lambda n: -n % 100)
    for day in range(500):
        now = f"{day:04}"
        shown = standing.first(now, now, 3)
        if day % 50 == 0:
            there = [n for n in names if n // 4 <= day and (n % 7 == 3 or n // 4 + n % 5 > day)]
            assert shown == sorted(there, key=lambda n: (-n % 100, n))[:3]
    assert len(looks) == len(names)


# --- exceptions ------------------------------------------------------------------------------


def test_what_is_in_no_figure_is_named() -> None:
    shelf = Shelf.make(
        [
            *shelf_of(topic("2026-04-10-good")).entries,
            entry_of("docs/topics/bad.md", "---\nid: bad\ndate: 2026-13-40\n---\n# Bad\n\n## Digest\nx\n"),
            entry_of("docs/topics/none.md", "# No front matter\n\ntext\n"),
            entry_of("docs/topics/2026-05-01-mute.md", "---\nid: 2026-05-01-mute\n---\n# Mute\n\ntext\n"),
            entry_of("docs/topics/2026-05-02-twice.md", format_episode(topic("2026-05-02-twice"))),
            entry_of("archive/docs/topics/2026-05-02-twice.md", format_episode(topic("2026-05-02-twice"))),
            entry_of("docs/topics/2099-01-01-far.md", format_episode(topic("2099-01-01-far"))),
        ],
        problems=(
            Finding("error", "not-utf8", "It is not UTF-8.", "docs/topics/2026-06-01-bytes.md"),
            Finding("error", "not-utf8", "It is not UTF-8.", "docs/topics/2027-06-01-later.md"),
        ),
    )  # fmt: skip
    report = text(shelf, "2026Q2")
    said = part(report, "Exceptions")
    assert said.startswith("0 episodes before + 4 in 2026Q2 = 4 with a date up to 2026-06-30.")
    assert "`docs/topics/bad.md` — 2026-13-40 is no calendar date" in said
    assert "`docs/topics/none.md` — no date" in said
    assert "`docs/topics/2026-06-01-bytes.md` — It is not UTF-8." in said and "later.md" not in said
    assert "Without a digest (1)" in said and "2026-05-01-mute" in said
    assert "docs/topics/2026-05-02-twice.md" in said and "archive/docs/topics/" in said
    since = part(report, "Since then")
    assert (
        "the newest `2099-01-01-far` on 2099-01-01: 4 + 1 + 2 without a date = 7 on the shelf."
        in since
    )
    assert "Archived by now (1)" in since
    assert list(balanced(shelf, "quarter"))


def test_a_closing_on_a_day_that_is_none_upsets_no_sum() -> None:
    opened = topic("2026-04-10-a", opened="- One\n- Two")
    closer = format_episode(topic("2026-05-01-b", closes=["2026-04-10-a/t1"]))
    bad = entry_of(
        "docs/topics/2026-05-01-b.md", closer.replace("date: 2026-05-01", "date: 2026-13-40")
    )
    shelf = Shelf.make([*shelf_of(opened, topic("2027-02-01-c")).entries, bad])
    assert [seen.figures.open for seen in balanced(shelf, "quarter")] == [2, 1]


# --- people's own text -----------------------------------------------------------------------


def test_peoples_own_text_stands_first_and_its_headings_below_the_report_s() -> None:
    own = "# Mine\n\nWords.\n\nAlso\n----\n\n```\n# code\n"
    shelf = shelf_of(topic("2026-04-10-a"), files={"retros/2026Q2.md": own})
    report = text(shelf, "2026Q2")
    assert report.index("## In short") < report.index("### Mine") < report.index("## At a glance")
    assert "\n#### Also\n" in report and "\n# code\n```\n" in report
    assert outline(report) == outline(text(shelf_of(topic("2026-04-10-a")), "2026Q2")) | {
        ("h3", "Mine"),
        ("h4", "Also"),
    }
    made = Tree(page(shelf, "2026Q2"))
    assert [tag for tag, _ in made.tags if tag in ("h4", "h5")] == ["h4", "h4"]


def test_who_has_written_nothing_is_invited_and_published_pages_invite_nobody() -> None:
    shelf = shelf_of(topic("2026-04-10-a"), files={"retros/2026Q2.md": "<!-- only a note -->\n"})
    said = part(text(shelf, "2026Q2"), "In short")
    assert "`retros/2026Q2.md`" in said and "`memshelf retro --quarter 2026Q2 --edit`" in said
    assert not part(text(shelf, "2026Q2", invite=False), "In short")


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_text_of_people_runs_anything_or_breaks_out(attack: str) -> None:
    def with_text(own: str) -> Shelf:
        return shelf_of(topic("2026-04-10-a"), files={"retros/2026Q2.md": own})

    made, plain = (
        rendered(text(with_text(attack), "2026Q2")),
        rendered(text(with_text("x"), "2026Q2")),
    )
    assert re.findall("<h2>.*?</h2>", made) == re.findall("<h2>.*?</h2>", plain)
    harmless(Tree(made))
    harmless(Tree(page(with_text(attack), "2026Q2")))


def rendered(report: str) -> str:
    """A report as HTML, by a reader of Markdown that lets raw HTML through."""
    return MarkdownIt("commonmark").enable("table").render(report)


class Tree(Node):
    """A page taken apart, of which elements without content may end as they begin."""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)


def harmless(node: Node) -> None:
    for tag, attrs in node.tags:
        assert tag not in {"script", "iframe", "object", "form", "input", "math", "base"}, tag
        assert not any(name.startswith("on") for name in attrs), attrs
        assert re.fullmatch("text-align:(?:right|center)|", attrs.get("style", ""))  # of a column
    schemes = {href.partition(":")[0] for href in node.hrefs if re.match(r"[\w+.-]+:", href)}
    assert schemes <= {"http", "https", "mailto"}


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("a `<b>` <i>", "a `<b>` &lt;i>"),
        ("\\`<b>\\`", "\\`&lt;b>\\`"),
        ("[x](javascript:y) [z](https://e.org) <https://e.org>",
         "[x\\](javascript:y) [z](https://e.org) <https://e.org>"),
        ("[x](java&#115;cript:y)", "[x\\](java&#115;cript:y)"),
        ("[r]: javascript:y\n\n[r]", "[r\\]: javascript:y\n\n[r]"),
        ("> ~~~\n> <b>\n<i>", "> ~~~\n> <b>\n&lt;i>"),
        ("~~~\n<b>", "~~~\n<b>\n~~~"),
        ("a <!-- gone\n--> b", "a  b"),
        ("a <!-- open", "a &lt;!-- open"),
        ("###### six", "###### six"),
        ("2 < 3 > 1", "2 < 3 > 1"),
    ],
)  # fmt: skip
def test_markdown_of_people_is_kept_but_for_what_acts(given: str, safe: str) -> None:
    assert inert(given) == safe


def test_marks_of_markdown_are_taken_off_only_in_pairs() -> None:
    assert (
        unmarked("**a `b*c*` d** [e](f.md) ![g](h) _i_ j_k_l **open")
        == "a b*c* d e g i j_k_l **open"
    )


# --- what cannot break it --------------------------------------------------------------------

HOSTILE = (
    "# Big\n- x",
    "**open",
    "`open",
    "x <img src=x onerror=alert(1)> [a](javascript:b) **c** | d",
    "</li></ul></section><script>alert(1)</script>",
    "---",
    "1. one",
    "> quote",
    "![x](http://example.org/x.png)",
    "<!--",
    "\u202eesrever",
    "שלום עולם",
    "日本語 🚀",
    "a\tb\u2028c",
)


def outline(report: str) -> set[tuple[str, str]]:
    """The headings of a report as any reader of Markdown sees them."""
    tokens = MarkdownIt("commonmark").enable("table").parse(report)
    pairs = itertools.pairwise(tokens)
    return {(one.tag, after.content) for one, after in pairs if one.type == "heading_open"}


def shape(report: str) -> list[str]:
    """The structure of a report: which blocks, in which order, with no text."""
    return [token.type for token in MarkdownIt("commonmark").enable("table").parse(report)]


def dressed(hostile: str) -> Shelf:
    """A shelf with a text in every place that a report shows."""
    line = hostile.replace("\n", " ")
    return shelf_of(
        topic("2026-01-10-old", f"- D {line}", display_title=hostile),
        topic(
            "2026-04-10-a",
            f"- {line} end",
            f"- {line} end",
            display_title=hostile,
            description=hostile,
            tags=[hostile, "tag"],
            supersedes=["2026-01-10-old"],
        ),
        config=Config(name=hostile),
        recalls=(
            Recall("2026-01-10-old", "", 1, "2026-04-11"),
            *[Recall(hostile, "", 1, "2026-04-12")] * 2,
        ),
    )


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_text_of_an_episode_changes_the_structure_of_a_report(hostile: str) -> None:
    usual, made = text(dressed("Plain words"), "2026Q2"), text(dressed(hostile), "2026Q2")
    assert shape(made) == shape(usual)
    assert {tag for tag, _ in outline(made)} == {"h1", "h2", "h3"}
    harmless(Tree(rendered(made)))
    node, plain = (
        Tree(page(dressed(hostile), "2026Q2")),
        Tree(page(dressed("Plain words"), "2026Q2")),
    )
    kept, usual_tags = ([tag for tag, _ in made.tags if tag != "span"] for made in (node, plain))
    assert kept == usual_tags  # a span says what language a text is in
    harmless(node)


@pytest.mark.parametrize("hostile", HOSTILE[:4])
def test_a_message_keeps_its_structure_too(hostile: str) -> None:
    usual, made = dressed("Plain words"), dressed(hostile)
    assert shape(text(made, "2026Q2", short=True)) == shape(text(usual, "2026Q2", short=True))


def test_titles_are_shown_as_they_are() -> None:
    words = "a *b* <i> | `c`"
    assert words in Tree(rendered(text(dressed(words), "2026Q2"))).text
    assert words in Tree(page(dressed(words), "2026Q2")).text


# --- one page --------------------------------------------------------------------------------


def test_the_page_needs_nothing_else_and_its_policy_allows_nothing_else(sample: Store) -> None:
    made = page(sample.read(), "2026")
    node = Tree(made)
    harmless(node)
    (policy,) = (
        a["content"] for a in node.named("meta") if "content" in a and "-src" in a["content"]
    )
    style = made.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert (
        policy
        == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style and "@import" not in style
    assert not [attrs for _, attrs in node.tags if "style" in attrs or "src" in attrs]
    assert len(set(node.ids)) == len(node.ids)


def test_the_bars_of_the_page_are_as_long_as_their_numbers(sample: Store) -> None:
    made = page(sample.read(), "2026Q2")
    (row,) = re.findall(r"<tr><th scope=\"row\"><bdi>Episodes</bdi></th>.*?</tr>", made)
    assert re.findall(r"<td class=\"number\">(\d+)</td>", row) == ["7", "9"]
    assert re.findall(r'width="(\d+)"', row) == ["78", "100"]


def test_ids_lead_to_their_episodes_where_the_report_lies_beside_them(sample: Store) -> None:
    shelf = sample.read()
    form = Form(address=lambda entry: f"../{entry.path}")
    report = retro(shelf, look(shelf, "2026Q2"), form)
    made = to_markdown(report, "retro.md.j2")
    targets = re.findall(r"\]\((\.\./[^)]+)\)", made)
    assert targets and all((sample.root / "docs" / target).is_file() for target in targets)
    assert set(Tree(to_html(report, "retro.html.j2")).hrefs) == set(targets)


# --- size ------------------------------------------------------------------------------------


def busy(count: int) -> Shelf:
    """A shelf with so many episodes in one quarter, each with six decisions and five threads."""
    made = []
    for n in range(count):
        day = f"2026-{4 + n % 3:02}-{1 + n % 28:02}"
        name = f"{day}-an-episode-with-a-name-of-some-length-{n:04}"
        decided = "\n".join(f"- {'We keep what was measured there. ' * 5}{k}" for k in range(6))
        opened = "\n".join(f"- {'Somebody has to look at this again. ' * 5}{k}" for k in range(5))
        made.append(topic(name, decided, opened, description="d " * 55, tags=[f"t{n % 40}"]))
    before = [
        topic(f"2026-01-{1 + n % 28:02}-before-{n:04}", opened="- Old " * 20) for n in range(300)
    ]
    return shelf_of(*before, *made)


@pytest.mark.parametrize("count", [80, 240])
def test_a_large_quarter_stays_readable_and_says_what_it_leaves_out(count: int) -> None:
    shelf = busy(count)
    report = text(shelf, "2026Q2")
    assert len(report.encode()) < 60_000 if count == 240 else len(report.encode()) < 120_000
    assert f"{6 * count - 60:,} more, of episodes" in report
    assert f"## Episodes ({count})" in report
    assert ("--full” lists them" in report) == (count == 240)
    seen = look(shelf, "2026Q2", full=True)
    assert len(seen.decisions.shown) == 6 * count and len(seen.episodes.shown) == count
    assert seen.carried_in.total == len(seen.carried_in.shown) == 300


def test_of_many_decisions_those_are_shown_whose_episodes_are_named_most() -> None:
    shelf = busy(80)
    named = shelf.entries[310].id
    citing = topic("2026-06-29-citing", f"- See {named}.")
    seen = look(Shelf.make([*shelf.entries, *shelf_of(citing).entries]), "2026Q2")
    assert sum(d.episode == named for d in seen.decisions.shown) == 6


# --- the command line ------------------------------------------------------------------------


def test_without_a_period_it_is_the_quarter_of_the_newest_episode(sample: Store, cli: Cli) -> None:
    assert cli("retro", "--shelf", sample.root).out.startswith("# Retro 2026Q3\n")


def test_a_file_is_named_on_standard_error_and_its_ending_says_its_form(
    sample: Store, cli: Cli, tmp_path: Path
) -> None:
    for name, first in (("a.md", "# Retro"), ("a.html", "<!doctype html>"), ("a.txt", "# Retro")):
        ran = cli("retro", "--shelf", sample.root, "--quarter", "2026Q2", "--out", tmp_path / name)
        assert (ran.code, ran.out, ran.err) == (0, "", f"memshelf: wrote {tmp_path / name}\n")
        assert (tmp_path / name).read_text("utf-8").startswith(first)
    ran = cli("retro", "--shelf", sample.root, "--out", sample.root / "retros" / "2026Q2.md")
    assert ran.code == 1 and "the shelf's own files" in ran.err
    assert "second thoughts" in (sample.root / "retros" / "2026Q2.md").read_text("utf-8")


def test_all_are_written_into_a_folder_with_an_index(
    sample: Store, cli: Cli, tmp_path: Path
) -> None:
    for form in ("md", "html"):
        ran = cli(
            "retro", "--shelf", sample.root, "--all", "--format", form, "--out", tmp_path / form
        )
        assert ran.code == 0
        names = sorted(path.name for path in (tmp_path / form).iterdir())
        assert names == [
            *(f"{q}.{form}" for q in ("2025Q4", "2026Q1", "2026Q2", "2026Q3")),
            f"index.{form}",
        ]
    index = (tmp_path / "md" / "index.md").read_text("utf-8")
    assert "| [2026Q2](2026Q2.md) | 7 | 14 | 3 | 10 | 6 | 0 | 14 | 3 |" in index
    alone = cli("retro", "--shelf", sample.root, "--quarter", "2026Q2").out
    assert (tmp_path / "md" / "2026Q2.md").read_text("utf-8") == alone
    assert 'href="2026Q2.html"' in (tmp_path / "html" / "index.html").read_text("utf-8")


def test_all_are_printed_newest_first(sample: Store, cli: Cli) -> None:
    ran = cli("retro", "--shelf", sample.root, "--all")
    assert re.findall("^# Retro (.+)$", ran.out, re.M) == ["2026Q3", "2026Q2", "2026Q1", "2025Q4"]
    months = cli("retro", "--shelf", sample.root, "--every", "month", "--json")
    found = json.loads(months.out)
    assert found["episodes"] == sum(p["episodes"] for p in found["periods"]) == 28


def test_the_counts_come_as_json(sample: Store, cli: Cli) -> None:
    found = json.loads(cli("retro", "--shelf", sample.root, "--quarter", "2026Q2", "--json").out)
    assert found["status"] == "ok" and found["episodes"] == 7 and found["period"] == "2026Q2"
    assert found["kinds"] == {"topic": 3, "research": 2, "session": 2}
    assert len(found["decision_list"]) == found["decisions"] == 14
    assert len(found["closed_list"]) == found["threads_closed"] == 6
    assert found["sum"]["total"] == 28 and found["before"]["episodes"] == 9


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--quarter", "2026Q7"), "is no period"),
        (("--quarter", "2026-07"), "--month 2026-07"),
        (("--month", "2026Q3"), "--quarter 2026Q3"),
        (("--fiscal", "2026Q3"), "no fiscal period"),
        (("--quarter", "2026Q2", "--week", "2026W20"), "two periods"),
        (("--all", "--quarter", "2026Q2"), "every quarter"),
        (("--all", "--format", "html"), "--out FOLDER"),
        (("--all", "--out", "one.md"), "Name a folder"),
        (("--edit", "--short"), "--edit opens a text"),
        (("--edit", "--all"), "--edit opens a text"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_way_out(
    sample: Store, cli: Cli, words: tuple[str, ...], said: str
) -> None:
    ran = cli("retro", "--shelf", sample.root, *words)
    assert ran.code == 2 and said in ran.err and not ran.out


def test_an_empty_shelf_has_no_period_to_look_back_on(store: Store, cli: Cli) -> None:
    ran = cli("retro", "--shelf", store.root)
    assert ran.code == 0 and ran.out.startswith("No episode of this shelf has a date yet")
    assert (
        "No episodes in 2026Q3.\n" in cli("retro", "--shelf", store.root, "--quarter", "2026Q3").out
    )
    assert json.loads(cli("retro", "--shelf", store.root, "--json").out)["episodes"] == 0
    assert cli("retro", "--shelf", store.root, "--all").code == 0


def test_the_readers_see_nothing_of_what_is_hidden(sample: Store, cli: Cli) -> None:
    ran = cli("retro", "--shelf", sample.root, "--quarter", "2026Q2", "--visibility", "public")
    whole = cli("retro", "--shelf", sample.root, "--quarter", "2026Q2")
    assert "certificate-rollover" in whole.out and "certificate-rollover" not in ran.out
    assert "second thoughts" not in ran.out and "Nobody has written" not in ran.out


def test_a_revision_is_looked_back_at_as_it_was(sample: Store, cli: Cli) -> None:
    before = cli("retro", "--shelf", sample.root, "--quarter", "2026Q3").out
    name = "2026-09-30-release-1-0.md"
    (sample.root / "docs" / "topics" / name).unlink()
    git(sample.root, "commit", "-qam", "gone")
    now = cli("retro", "--shelf", sample.root, "--quarter", "2026Q3").out
    then = cli("retro", "--shelf", sample.root, "--quarter", "2026Q3", "--rev", "HEAD~1").out
    assert (
        now != before
        and then.partition("## At a glance")[2] == before.partition("## At a glance")[2]
    )


def test_a_shelf_may_have_a_template_of_its_own(sample: Store, cli: Cli) -> None:
    put(sample.root, "templates/retro.md.j2", "{{ report.title }}, ours\n")
    assert cli("retro", "--shelf", sample.root).out == "Retro 2026Q3, ours\n"


# --- people write their text -----------------------------------------------------------------


def test_without_a_terminal_nothing_is_opened_and_the_file_is_named(
    sample: Store, cli: Cli
) -> None:
    ran = cli("retro", "--shelf", sample.root, "--quarter", "2026Q3", "--edit")
    assert ran.code == 1 and "no terminal" in ran.err and "retros/2026Q3.md" in ran.err
    assert not (sample.root / "retros" / "2026Q3.md").exists()


class Edits:
    """memshelf at a terminal of its own, with an editor that is a script."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder, self.store = folder, store

    def run(self, script: str, *words: str, **environ: str) -> tuple[int, str]:
        """The exit code and all that the terminal showed; `script` finds the file as $1."""
        import pty

        editor = put(self.folder, "editor", f"#!/bin/sh\n{script}\n")
        editor.chmod(0o755)
        command = [sys.executable, "-m", "memshelf", "retro", "--edit", *words]
        env = {**os.environ, "TERM": "xterm", "VISUAL": str(editor), **environ}
        shown: list[bytes] = []
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.store.root)
            os.execve(command[0], command, env)
        reader = threading.Thread(target=self._read, args=(terminal, shown))
        reader.start()
        _, status = os.waitpid(pid, 0)
        reader.join(timeout=10)
        os.close(terminal)
        return os.waitstatus_to_exitcode(status), b"".join(shown).decode("utf-8", "replace")

    @staticmethod
    def _read(terminal: int, shown: list[bytes]) -> None:
        try:
            while data := os.read(terminal, 4096):
                shown.append(data)
        except OSError:  # the other side is closed
            return


@pytest.fixture
def edits(tmp_path: Path, sample: Store) -> Edits:
    return Edits(tmp_path, sample)


@POSIX
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_the_text_of_a_period_is_written_in_the_editor_and_committed(edits: Edits) -> None:
    root = edits.store.root
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    code, shown = edits.run(
        f'cat "$1" > seen; echo "Paper won. {secret}" >> "$1"', "--quarter", "Q3"
    )
    assert code == 0 and "wrote retros/2026Q3.md (commit" in shown, shown
    note = (root / "seen").read_text("utf-8")
    assert "2026Q3, 2026-07-01 to 2026-09-30, in your own words" in note
    kept = git(root, "show", "HEAD:retros/2026Q3.md")
    assert kept.startswith("Paper won. ") and secret not in kept and "<!--" not in kept
    assert git(root, "log", "-1", "--format=%s") == "retro: 2026Q3 in short"
    assert git(root, "show", "--format=", "--name-only", "HEAD") == "retros/2026Q3.md"
    code, shown = edits.run('cat "$1" > seen; true', "--quarter", "Q3")
    assert code == 0 and "as it was" in shown
    assert (root / "seen").read_text("utf-8").rstrip("\n") == kept


@POSIX
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_what_is_left_empty_or_cannot_be_edited_changes_nothing(edits: Edits) -> None:
    root = edits.store.root
    head = git(root, "rev-parse", "HEAD")
    code, shown = edits.run('echo > "$1"', "--quarter", "2026Q2")
    assert code == 0 and "retros/2026Q2.md is as it was" in shown
    code, shown = edits.run("exit 3")
    assert code == 1 and "retros/2026Q3.md yourself" in shown and "VISUAL" in shown
    assert git(root, "rev-parse", "HEAD") == head and not (root / "retros" / "2026Q3.md").exists()


@POSIX
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_text_that_cannot_be_saved_is_kept_where_the_error_says(edits: Edits) -> None:
    hook = put(edits.store.root, ".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    code, shown = edits.run('echo "Words." > "$1"', "--quarter", "2026Q3")
    assert code == 1
    (kept,) = re.findall(r"Your text is kept: (\S+)", shown)
    assert Path(kept).read_text("utf-8") == "Words.\n"
    assert not (edits.store.root / "retros" / "2026Q3.md").exists()


# --- over MCP --------------------------------------------------------------------------------


def test_an_agent_may_ask_for_a_quarter_a_span_and_a_message() -> None:
    from memshelf.surfaces.mcp_schema import offer, tool

    found = tool(offer("show")["memshelf_retro"])
    assert set(found["inputSchema"]["properties"]) == {"quarter", "span", "short"}
    assert found["annotations"]["readOnlyHint"]
