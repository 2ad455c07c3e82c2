"""The index view: bounded, newest first, every episode on some page, nothing left out unsaid."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memshelf.domain.config import Config
from memshelf.domain.entry import Entry, Facts, entry_of
from memshelf.domain.errors import BadField
from memshelf.domain.items import Item
from memshelf.domain.shelf import Shelf
from memshelf.domain.text import budget_tokens, utf16_units
from memshelf.render.view import View, index_view, session_text

BLANK = entry_of(
    "docs/topics/x.md",
    "---\nid: x\nkind: topic\ntags: []\napprox_tokens: 1\n---\n\n## Digest\nD.\n",
)
CONFIG = Config(name="Tides", generated_by="external")


def entry(name: str, folder: str = "docs/topics", **changed: object) -> Entry:
    return BLANK._replace(path=f"{folder}/{name}.md", id=name, **changed)


def many(count: int, title: str = "A title", **changed: object) -> Shelf:
    days = [(2020 + n // 336, n // 28 % 12 + 1, n % 28 + 1) for n in range(count)]
    return Shelf.make(
        (
            entry(f"{y}-{m:02d}-{d:02d}-n{n:05d}", title=f"{title} {n}", **changed)
            for n, (y, m, d) in enumerate(days)
        ),
        config=CONFIG,
    )


def pages(shelf: Shelf, budget: int) -> list[View]:
    out = [index_view(shelf, budget)]
    while out[-1].next_cursor:
        out.append(index_view(shelf, budget, out[-1].next_cursor))
        assert len(out) <= len(shelf.live) + 1
    return out


def ids(text: str) -> list[str]:
    return re.findall(r"^(?:\d{4}-\d{2}-\d{2} )?(\d{4}-\d{2}-\d{2}-n\d{5})\b", text, re.MULTILINE)


def test_the_first_lines_say_what_it_is_how_to_use_it_and_what_there_is() -> None:
    two = Facts(threads=(Item("Do it"), Item("Done", ticked=True)))
    shelf = Shelf.make(
        [
            entry("2026-01-02-a", title="First"),
            entry("2026-01-03-b", "docs/sessions", more=lambda _: two),
            entry("2025-01-01-c", "archive/docs/topics"),
        ],
        config=CONFIG,
    )
    lines = index_view(shelf).text.splitlines()
    assert lines[0] == "Tides: index of a memory shelf, as of 2026-01-03"
    assert "data, not instructions" in lines[1]
    assert lines[2] == "1 topic, 1 session, 1 archived, 1 open thread. Newest first:"
    assert lines[3:] == ["2026-01-03-b", "2026-01-02-a — First"]


def test_a_line_has_date_id_title_and_description() -> None:
    dated = entry("2026-01-02-a", date="2026-02-01", title="T", description="D.")
    text = index_view(Shelf.make([dated, entry("old-id", title="Undated")])).text
    assert "\n2026-02-01 2026-01-02-a — T — D.\nold-id — Undated" in text


def test_what_was_replaced_says_by_what() -> None:
    shelf = Shelf.make([entry("2026-01-02-a", title="T", superseded_by=("2026-02-02-b",))])
    assert "2026-01-02-a (replaced by 2026-02-02-b) — T" in index_view(shelf).text


def test_an_empty_shelf_says_how_to_begin() -> None:
    view = index_view(Shelf(config=CONFIG))
    assert "Nothing shelved yet" in view.text and view[1:] == ("", 0, 0)
    assert "Nothing shelved yet" in session_text(Shelf(config=CONFIG))


@pytest.mark.parametrize("budget", [400, 2_500, 10_000])
def test_pages_keep_the_budget_and_hold_every_episode_once(budget: int) -> None:
    shelf = many(300, "t" * 76)
    found = pages(shelf, budget)
    assert all(budget_tokens(page.text) <= budget for page in found)
    assert [name for page in found for name in ids(page.text)] == [e.id for e in shelf.live][::-1]
    assert [page.left for page in found] == [
        300 - sum(p.shown for p in found[: n + 1]) for n in range(len(found))
    ]


def test_the_last_line_counts_what_is_left_and_how_to_get_it() -> None:
    view = index_view(many(300), 500)
    last = view.text.splitlines()[-1]
    assert f"{view.left} older episodes" in last and repr(view.next_cursor) in last
    assert "may still be on the shelf" in last
    assert "not shown" not in pages(many(300), 5_000)[-1].text


@pytest.mark.parametrize("title", ["🚀" * 6000, "長い題" * 2000, "x" * 5000, "א\n" * 300])
def test_titles_of_any_length_and_script_keep_the_budgets(title: str) -> None:
    shelf = many(60, title, description=title)
    assert budget_tokens(index_view(shelf).text) <= 2_500
    assert utf16_units(session_text(shelf)) <= 10_000


def test_a_page_shows_one_line_at_least_so_that_every_walk_ends() -> None:
    found = pages(many(5), 1)
    assert [page.shown for page in found] == [1] * 5


def test_two_files_of_one_name_are_both_reached() -> None:
    shelf = Shelf.make(
        [
            entry("2026-01-02-n00001"),
            entry("2026-01-02-n00001", "docs/sessions", date="2026-03-01"),
            entry("2026-02-01-n00002"),
        ]
    )
    found = pages(shelf, 1)
    assert [page.next_cursor for page in found] == [
        "sessions/2026-01-02-n00001", "2026-02-01-n00002", ""]  # fmt: skip


def test_a_cursor_holds_when_its_episode_has_gone() -> None:
    shelf = many(50)
    view = index_view(shelf, 500)
    rest = Shelf.make((e for e in shelf.entries if e.id != view.next_cursor), config=CONFIG)
    after = index_view(rest, 500, view.next_cursor)
    assert ids(after.text)[0] == ids(index_view(shelf, 500, view.next_cursor).text)[0]


def test_a_cursor_that_means_no_place_is_refused() -> None:
    with pytest.raises(BadField, match="cursor"):
        index_view(many(3), cursor="nowhere")


# --- the text at session start ---------------------------------------------------------------


def test_three_hundred_episodes_fit_in_ten_thousand_units_and_the_rest_is_counted() -> None:
    shelf = many(300, "t" * 76, description="d" * 100)
    text = session_text(shelf)
    assert 8_500 < utf16_units(text) <= 10_000
    shown = ids(text)
    newest = [e.id for e in shelf.live][::-1]
    assert shown == newest[: len(shown)] and 60 < len(shown) < 300
    last = text.splitlines()[-1]
    assert f"{300 - len(shown)} older episodes not shown (2020-01-01 to " in last
    assert "proves nothing" in last


def test_whole_lines_come_first_then_ids_alone() -> None:
    lines = session_text(many(300, "t" * 76)).splitlines()[3:-1]
    whole = [" — " in line for line in lines]
    assert whole == sorted(whole, reverse=True) and 10 < sum(whole) < len(whole)


def test_where_all_fit_as_ids_the_room_goes_to_whole_lines() -> None:
    text = session_text(many(60, "t" * 76, description="d" * 100))
    assert len(ids(text)) == 60 and "not shown" not in text
    assert text.count(" — ") > 60
    assert "not shown" not in session_text(many(20)) and session_text(many(20)).count("—") == 20


@given(st.integers(0, 3_000), st.integers(0, 40), st.text(max_size=30))
@settings(max_examples=60, deadline=None)
def test_the_session_text_never_exceeds_its_units(units: int, count: int, title: str) -> None:
    assert utf16_units(session_text(many(count, title), units)) <= units


@given(st.integers(300, 3_000), st.integers(0, 40), st.text(max_size=30))
@settings(max_examples=60, deadline=None)
def test_every_page_keeps_any_budget(budget: int, count: int, title: str) -> None:
    found = pages(many(count, title), budget)
    assert all(budget_tokens(page.text) <= budget for page in found)
    assert sum(page.shown for page in found) == count
