"""The evaluation set is sound: its shelf is healthy, and its questions ask about that shelf."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

import memshelf

SET = Path(__file__).parent / "evaluation"
HEADER = "# question\texpected id\tlanguage\tclass"
LANGUAGES = {"en", "ru", "de", "zh"}
CLASSES = {
    *("plain", "sentence", "inflected", "paraphrase"),
    *("typo", "identifier", "cross", "absent"),
}


class Row(NamedTuple):
    question: str
    expected: str
    language: str
    kind: str


def rows(half: str) -> list[Row]:
    header, *lines = (SET / half).read_text(encoding="utf-8").splitlines()
    assert header == HEADER
    return [Row(*line.split("\t")) for line in lines]


@pytest.fixture
def shelf(tmp_path: Path) -> memshelf.Store:
    copy = tmp_path / "shelf"
    shutil.copytree(SET / "shelf", copy)
    return memshelf.open_shelf(copy)


both = pytest.mark.parametrize("half", ["tune.tsv", "held.tsv"])


def test_the_shelf_is_read_whole_and_the_doctor_has_nothing_to_say_of_it(
    shelf: memshelf.Store,
) -> None:
    read = shelf.read()
    assert [p for p in read.problems if p.level == "error"] == []
    assert len(read.entries) == len(list((SET / "shelf" / "docs").rglob("*.md"))) >= 90
    found = memshelf.doctor(shelf, level="warning").report.findings
    # The shelf keeps no derived files, and a body may tell the digest's matter in other word forms.
    expected = {"stale-index", "stale-derived", "digest-body-mismatch"}
    assert [f for f in found if f.code not in expected] == []


@both
def test_every_expected_episode_is_on_the_shelf(shelf: memshelf.Store, half: str) -> None:
    ids = {entry.id for entry in shelf.read().entries}
    assert [row for row in rows(half) if row.expected and row.expected not in ids] == []


@both
def test_only_absent_questions_expect_nothing(half: str) -> None:
    assert [row for row in rows(half) if (row.kind == "absent") != (row.expected == "")] == []


@both
def test_each_half_has_every_class_and_language(half: str) -> None:
    found = rows(half)
    assert len(found) >= 100
    assert {row.language for row in found} == LANGUAGES
    assert min(Counter(row.kind for row in found).values()) >= 8
    assert {row.kind for row in found} == CLASSES


def test_the_halves_have_the_same_mix() -> None:
    tune, held = (Counter((r.language, r.kind) for r in rows(f"{h}.tsv")) for h in ("tune", "held"))
    assert [cell for cell in tune | held if abs(tune[cell] - held[cell]) > 1] == []


def test_no_question_stands_twice() -> None:
    asked = Counter(
        " ".join(r.question.casefold().split()) for r in rows("tune.tsv") + rows("held.tsv")
    )
    assert [question for question, times in asked.items() if times > 1] == []


def test_every_episode_is_asked_for() -> None:
    asked = {row.expected for row in rows("tune.tsv") + rows("held.tsv")}
    assert {p.stem for p in (SET / "shelf" / "docs").rglob("*.md")} <= asked


def test_cross_questions_are_asked_in_another_language_than_the_episode_has(
    shelf: memshelf.Store,
) -> None:
    native = {
        r.expected: r.language
        for h in ("tune", "held")
        for r in rows(f"{h}.tsv")
        if r.kind == "sentence"
    }
    crossed = [r for h in ("tune", "held") for r in rows(f"{h}.tsv") if r.kind == "cross"]
    assert [row for row in crossed if native[row.expected] == row.language] == []
