"""How good the answers are, on questions that were kept aside while the engine was tuned.

Floors, not figures: docs/evaluation.md has the figures, and how they are measured.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import ROOT

import memshelf
from memshelf.domain.questions import Question, questions
from memshelf.storage.store import Store
from memshelf.verbs.evaluating import Evaluated, evaluate
from memshelf.verbs.semantic_build import semantic_build

SET = ROOT / "tests" / "evaluation"


def held() -> tuple[Question, ...]:
    return questions((SET / "held.tsv").read_text("utf-8"), "held.tsv")


@pytest.fixture
def asked(tmp_path: Path) -> Store:
    return memshelf.open_shelf(shutil.copytree(SET / "shelf", tmp_path / "shelf"))


def test_by_words_alone_most_questions_find_their_episode(asked: Store) -> None:
    measured = evaluate(asked, held(), 5, "lexical").modes["lexical"]
    assert measured.all.hitk >= 0.87
    for kind in ("plain", "sentence", "inflected", "typo", "identifier"):
        assert measured.classes[kind].hit1 >= 0.95, kind
    assert measured.absent and measured.absent.recognised >= 0.6 and measured.absent.wrong <= 0.3


def test_with_meaning_nearly_all_do_and_no_first_place_is_lost_on_the_whole(asked: Store) -> None:
    assert semantic_build(asked).episodes == 96
    answer: Evaluated = evaluate(asked, held(), 5, "lexical,hybrid,auto")
    words, both, auto = (answer.modes[name].all for name in ("lexical", "hybrid", "auto"))
    assert both.hitk >= 0.93 and auto.hitk >= 0.93
    assert both.hit1 >= words.hit1 and auto.hit1 >= words.hit1
    gone = answer.modes["hybrid"].absent
    assert gone and gone.auc and gone.auc >= 0.8
