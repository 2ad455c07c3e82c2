from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT

from memshelf.domain.dates import Span, of_id, parse, parse_span, quarter
from memshelf.domain.errors import BadField
from memshelf.domain.slug import episode_id, is_id, slugify

DAY = "2026-11-30"


@pytest.mark.parametrize(
    "text",
    [
        "2026-13-40",
        "2026-2-8",
        "2026-02-29",
        "2026-02-31",
        "0000-01-01",
        "",
        "2026-01-01 ",
        "２０２６-01-01",
        "20260101",
        "2026-01-01T00:00",
        "٢٠٢٦-01-01",
        "2026-01-1",
    ],
)
def test_what_is_no_calendar_date_is_none(text: str) -> None:
    assert parse(text) is None


@given(st.dates())
def test_every_calendar_date_is_one(day: date) -> None:
    assert parse(day.isoformat()) == day


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01..2026-01-01",
        "..",
        "",
        "2026-01-01..x",
        "2026-02-30",
        "2026-01-01...2026-01-02",
        "2026-01-01..2026-01-02..2026-01-03",
        "a..b",
    ],
)
def test_what_is_no_span_that_runs_forward_is_none(text: str) -> None:
    assert parse_span(text) is None


def test_a_span_is_a_day_or_two_either_of_which_may_be_open() -> None:
    first, last = date(2026, 1, 1), date(2026, 2, 1)
    assert parse_span("2026-01-01") == Span(first, first)
    assert parse_span("2026-01-01..2026-02-01") == Span(first, last)
    assert parse_span("..2026-02-01") == Span(None, last)
    assert parse_span("2026-01-01..") == Span(first, None)


@pytest.mark.parametrize(
    ("day", "start", "wanted"),
    [
        *(((2026, 3, 31), 1, "2026Q1"), ((2026, 4, 1), 1, "2026Q2"), ((2026, 12, 31), 1, "2026Q4")),
        *(
            ((2024, 2, 29), 1, "2024Q1"),
            ((2026, 7, 1), 7, "FY2027Q1"),
            ((2026, 6, 30), 7, "FY2026Q4"),
        ),
        *(
            ((2026, 12, 31), 10, "FY2027Q1"),
            ((2026, 1, 1), 2, "FY2026Q4"),
            ((2026, 2, 1), 2, "FY2027Q1"),
        ),
    ],
)
def test_a_quarter_goes_by_the_calendar_date(
    day: tuple[int, int, int], start: int, wanted: str
) -> None:
    assert quarter(date(*day), start) == wanted


@pytest.mark.parametrize(
    ("slug", "title", "wanted"),
    [
        ("2026-07-23-topic", "", "2026-07-23-topic"),
        ("2026-07-23-topic.md", "", "2026-07-23-topic"),
        ("topic", "", f"{DAY}-topic"),
        ("", "Auth: one token", f"{DAY}-auth-one-token"),
        ("2026-01-05", "Auth", "2026-01-05-auth"),
        ("2026-07-23-Caps and Spaces", "", "2026-07-23-caps-and-spaces"),
        ("2026-07-23-Ёлка й", "", "2026-07-23-elka-y"),
        ("2026-07-23-café", "", "2026-07-23-cafe"),
        ("2026-07-23-e\u0301", "", "2026-07-23-e"),
        ("Über größe", "", f"{DAY}-uber-grosse"),
        ("2026-07-23-a.b", "", "2026-07-23-a-b"),
        ("2026-07-23-aux.", "", "2026-07-23-aux"),
        ("2026-07-23-under_score", "", "2026-07-23-under_score"),
    ],
)
def test_an_id_is_made_of_what_people_type(slug: str, title: str, wanted: str) -> None:
    assert episode_id(slug, title, DAY) == wanted


@pytest.mark.parametrize(
    ("slug", "title"),
    [
        *(
            ("2026-13-40-x", ""),
            ("2026-02-31-x", ""),
            ("../../evil", ""),
            ("a/b", ""),
            ("a\\b", ""),
        ),
        *(("", ""), ("a\x00b", ""), ("2026-01-05-", ""), ("2026-00-01-x", "")),
    ],
)
def test_a_slug_that_cannot_be_an_id_is_refused(slug: str, title: str) -> None:
    with pytest.raises(BadField):
        episode_id(slug, title, DAY)


@given(ANY_TEXT, ANY_TEXT)
def test_whatever_was_given_the_id_has_its_form_or_is_refused(slug: str, title: str) -> None:
    try:
        made = episode_id(slug, title, DAY)
    except BadField:
        return
    assert is_id(made)
    assert episode_id(made, "", DAY) == made


@pytest.mark.parametrize("text", ["日本語の題", "한국어 제목", "ทดสอบ", "हिन्दी", "🚀", "אבג"])
def test_a_title_in_another_script_gets_an_id_of_its_own(text: str) -> None:
    assert is_id(episode_id("", text, DAY))
    assert slugify(text) != slugify(text + "ー")


def test_an_id_has_at_most_eighty_characters() -> None:
    made = episode_id("", "word " * 60, DAY)
    assert len(made) <= 80
    assert not made.endswith("-")


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-31-x",
        "x",
        "2026-01-05",
        "2026-01-05-",
        "2026-01-05-X",
        "2026-01-05-é",
        "2026-01-05-" + "x" * 70,
    ],
)
def test_old_ids_are_known_as_such(text: str) -> None:
    assert not is_id(text)


def test_the_date_of_an_id_is_its_beginning_where_that_is_a_date() -> None:
    assert of_id("2026-01-05-x") == "2026-01-05"
    assert of_id("2026-02-31-x") == of_id("x-2026-01-05") == ""
