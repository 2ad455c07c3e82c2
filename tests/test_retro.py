"""Retrospectives: what stands on them, what adds up, and what is left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Cli
from retros import balanced, look, page, part, shelf_of, text, topic

from memshelf.domain.entry import entry_of
from memshelf.domain.episode import format_episode
from memshelf.domain.finding import Finding
from memshelf.domain.lookback import retrospectives
from memshelf.domain.period import holding
from memshelf.domain.shelf import Recall, Shelf
from memshelf.domain.tags import tags
from memshelf.domain.threads import threads
from memshelf.domain.timeline import NEVER, Standing, Timeline
from memshelf.storage.store import Store
from memshelf.verbs.retro_data import data

GOLDEN = Path(__file__).parent / "golden" / "retro"
PARTS = [
    *("In short", "At a glance", "Decisions", "Threads", "Replaced", "Most mentioned"),
    *("Memory used", "Topics", "Episodes", "Exceptions", "Since then"),
]


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


def test_tags_of_nothing_but_marks_are_as_different_here_as_in_the_list_of_tags() -> None:
    acute, grave = "\u0301", "\u0300"
    shelf = shelf_of(topic("2026-01-01-a", tags=[acute]), topic("2026-01-02-b", tags=[grave]))
    assert [rise.now for rise in look(shelf, "2026Q1").used.shown] == [1, 1]
    assert len(tags(shelf)) == 2


def test_short_is_the_text_the_numbers_and_the_first_five_decisions(sample: Store) -> None:
    said = text(sample.read(), "2026Q2", short=True)
    whole = re.findall(r"^- .+$", part(text(sample.read(), "2026Q2"), "Decisions"), re.M)
    assert re.findall(r"^- .+$", part(said, "Decisions"), re.M) == whole[:5]
    assert "9 more." in said and "A quarter of second thoughts" in said
    assert len(said) < 3000 and "|" not in said


# --- what adds up ----------------------------------------------------------------------------


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
