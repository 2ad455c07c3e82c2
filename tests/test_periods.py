"""Periods: what their labels mean, where they begin and end, on calendar and fiscal years."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memshelf.domain.errors import UsageError
from memshelf.domain.period import (
    FORMS,
    containing,
    covering,
    holding,
    of_quarter,
    period,
    previous,
)

DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31))
KINDS = st.sampled_from(("week", "month", "quarter", "year"))


@pytest.mark.parametrize(
    ("label", "first", "last", "kind"),
    [
        ("2026Q3", "2026-07-01", "2026-09-30", "quarter"),
        ("2026-07", "2026-07-01", "2026-07-31", "month"),
        ("2024-02", "2024-02-01", "2024-02-29", "month"),
        ("2026", "2026-01-01", "2026-12-31", "year"),
        ("2026W27", "2026-06-29", "2026-07-05", "week"),
        ("2020W53", "2020-12-28", "2021-01-03", "week"),
        ("2026-07-01..2026-08-15", "2026-07-01", "2026-08-15", "span"),
    ],
)
def test_a_label_names_its_first_and_last_day(label: str, first: str, last: str, kind: str) -> None:
    found = period(label)
    assert (found.label, found.begin, found.end, found.kind) == (label, first, last, kind)
    assert not found.fiscal


def test_other_spellings_mean_the_same() -> None:
    assert period(" 2026q3 ") == period("2026-Q3") == period("2026Q3")
    assert period("2026-W27") == period("2026w27") == period("2026W27")
    assert period("2026-07-01").label == "2026-07-01..2026-07-01"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "x",
            "2026Q5",
            "2026Q0",
            "2026-13",
            "2026-00",
            "2026W54",
            "2026W00",
            "0000",
            "0000Q1",
        ),
        *("2026-02-30", "2026-07-02..2026-07-01", "..2026-07-01", "2026-07-01..", "26Q3", "٢٠٢٦"),
        *("2026Q3\n2026Q4", "FY", "20265", "../x", "2026-07-01..2026-02-30"),
    ],
)
def test_what_is_no_period_is_refused_with_the_forms_that_are(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        period(text)
    assert FORMS in refused.value.fix and refused.value.exit_code == 2


# --- the last day and the first one ----------------------------------------------------------


@pytest.mark.parametrize(
    ("day", "label"),
    [
        (date(2026, 3, 31), "2026Q1"),
        (date(2026, 4, 1), "2026Q2"),
        (date(2026, 12, 31), "2026Q4"),
        (date(2027, 1, 1), "2027Q1"),
        (date(2024, 2, 29), "2024Q1"),
    ],
)
def test_the_first_and_the_last_day_lie_in_their_own_quarter(day: date, label: str) -> None:
    assert containing(day, "quarter").label == label


@settings(max_examples=150)
@given(DAYS, KINDS, st.integers(1, 12))
def test_a_day_lies_in_one_period_of_a_kind_and_the_label_means_that_period(
    day: date, kind: str, start: int
) -> None:
    found = containing(day, kind, start)
    assert found.first <= day <= found.last
    assert found.first == containing(found.first, kind, start).first
    assert found.last == containing(found.last, kind, start).last
    if 1 < day.year < 9999:  # the outermost years may reach out of the calendar
        assert period(found.label, start) == found


@settings(max_examples=100)
@given(st.dates(date(1, 3, 1), date(9998, 12, 31)), KINDS, st.integers(1, 12))
def test_the_one_before_ends_the_day_before(day: date, kind: str, start: int) -> None:
    found = containing(day, kind, start)
    before = previous(found, start)
    if before is not None:
        assert before.last + timedelta(days=1) == found.first and before.kind == kind
        assert found.eve == before.end


def test_before_the_calendar_begins_there_is_nothing() -> None:
    assert previous(period("0001Q1")) is None
    assert period("0001Q1").eve == ""
    assert previous(period("0001-01-01..0001-01-31")) is None


def test_the_one_before_a_span_is_as_long() -> None:
    assert previous(period("2026-03-01..2026-03-10")) == period("2026-02-19..2026-02-28")


@pytest.mark.parametrize("start", range(1, 13))
def test_the_calendar_begins_within_its_first_periods(start: int) -> None:
    for kind in ("month", "quarter", "year"):
        assert containing(date.min, kind, start).first == date.min


def test_the_calendar_ends_within_its_last_periods() -> None:
    assert period("9999Q4").end == period("9999").end == "9999-12-31"
    assert containing(date.max, "week").last == date.max


# --- fiscal years ----------------------------------------------------------------------------


def test_a_fiscal_label_says_so_and_is_named_by_the_year_in_which_it_ends() -> None:
    quarter, year = period("FY2027Q1", 7), period("FY2027", 7)
    assert (quarter.begin, quarter.end) == ("2026-07-01", "2026-09-30")
    assert (year.begin, year.end) == ("2026-07-01", "2027-06-30")
    assert quarter.fiscal and year.fiscal
    assert previous(quarter, 7) == period("FY2026Q4", 7)


def test_a_calendar_quarter_is_refused_on_a_fiscal_year_with_the_labels_it_may_mean() -> None:
    with pytest.raises(UsageError) as refused:
        period("2026Q3", 7)
    assert "begins in July" in refused.value.message
    assert "FY2026Q3 (2026-01-01 to 2026-03-31)" in refused.value.fix
    assert "FY2027Q1 (2026-07-01 to 2026-09-30)" in refused.value.fix


def test_where_the_quarters_do_not_match_the_days_are_named() -> None:
    with pytest.raises(UsageError, match=r"the span 2026-07-01\.\.2026-09-30"):
        period("2026Q3", 2)
    with pytest.raises(UsageError, match=r"FY2026 .* the span 2026-01-01\.\.2026-12-31"):
        period("2026", 7)


def test_a_fiscal_label_is_refused_where_the_year_begins_in_january() -> None:
    with pytest.raises(UsageError, match="Ask for 2027Q1"):
        period("FY2027Q1")


def test_months_weeks_and_spans_are_the_same_on_every_shelf() -> None:
    for label in ("2026-07", "2026W27", "2026-07-01..2026-07-02"):
        assert period(label, 7) == period(label)


@pytest.mark.parametrize(
    ("text", "start", "as_of", "label"),
    [
        ("Q3", 1, "2026-09-30", "2026Q3"),
        ("q4", 1, "2026-09-30", "2025Q4"),
        ("1", 1, "2026-01-01", "2026Q1"),
        ("Q1", 7, "2026-12-31", "FY2027Q1"),
        ("Q1", 7, "2026-06-30", "FY2026Q1"),
        ("2026Q3", 1, "", "2026Q3"),
    ],
)
def test_a_bare_quarter_is_the_last_one_that_had_begun(
    text: str, start: int, as_of: str, label: str
) -> None:
    assert of_quarter(text, start, as_of).label == label


def test_a_bare_quarter_means_nothing_without_a_day() -> None:
    with pytest.raises(UsageError):
        of_quarter("Q3", 1, "")


# --- many ------------------------------------------------------------------------------------


def test_a_year_is_covered_by_its_quarters() -> None:
    year = period("FY2027", 7)
    labels = [found.label for found in covering(year.first, year.last, "quarter", 7)]
    assert labels == ["FY2027Q1", "FY2027Q2", "FY2027Q3", "FY2027Q4"]


def test_one_day_far_away_brings_no_empty_periods_between() -> None:
    days = [date(2026, 9, 30), date(2026, 7, 1), date(2026, 3, 31), date(9999, 12, 31)]
    assert [p.label for p in holding(days, "quarter")] == ["2026Q1", "2026Q3", "9999Q4"]
    assert holding([], "month") == []


def test_the_months_of_a_period_are_those_it_touches() -> None:
    assert period("2026Q3").months == ("2026-07", "2026-08", "2026-09")
    assert period("2025W01").months == ("2024-12", "2025-01")
