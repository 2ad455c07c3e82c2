"""A retrospective never moves: what is shelved later changes its last part alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from conftest import Cli, same_anywhere
from gitkit import git
from hypothesis import given, settings
from hypothesis import strategies as st
from retros import balanced, look, part, shelf_of, text, topic
from support import DECISIONS, DIGEST

import memshelf
from memshelf.domain.lookback import retrospectives
from memshelf.domain.period import period
from memshelf.domain.shelf import Recall, Shelf
from memshelf.domain.threads import OPEN, threads
from memshelf.storage.store import Store
from memshelf.verbs.retro_data import data

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
        other = st.sampled_from(names)
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
    past = until(shelf, period(label).end)
    now, then = data(look(shelf, label)), data(look(past, label))
    for key in ("since", "sum"):
        now.pop(key), then.pop(key)
    assert now == then
    if now["episodes"]:
        assert fixed(text(shelf, label)) == fixed(text(past, label))


@settings(max_examples=40, deadline=None)
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
from retros import page, text
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
