from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memshelf.engine.fuse import POOL, mmr, rrf

LISTS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=4)
RANKED = st.lists(st.floats(-5, 50), max_size=60).map(lambda s: list(enumerate(sorted(s)[::-1])))


def test_a_key_of_two_lists_beats_the_first_of_one() -> None:
    assert rrf([["a", "b"], ["c", "b"]]) == pytest.approx({"b": 2 / 62, "a": 1 / 61, "c": 1 / 61})
    assert list(rrf([["a", "b"], ["c", "b"]])) == ["b", "a", "c"]


@given(LISTS)
@settings(max_examples=50)
def test_fused_scores_fall_and_each_key_is_there_once(lists: list[list[str]]) -> None:
    found = rrf(lists)
    assert set(found) == {key for ranked in lists for key in ranked}
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert found == pytest.approx(rrf(lists[::-1]))


@given(st.lists(st.sampled_from("abcdefgh"), unique=True))
@settings(max_examples=25)
def test_one_list_keeps_its_order(ranked: list[str]) -> None:
    assert list(rrf([ranked])) == ranked == list(rrf([ranked, ranked, []]))


@given(RANKED)
@settings(max_examples=50)
def test_without_diversity_the_order_stays(ranked: list[tuple[int, float]]) -> None:
    assert mmr(ranked, lambda a, b: 1.0, 0) == [key for key, _ in ranked]


@given(RANKED, st.floats(0, 1))
@settings(max_examples=50)
def test_diversity_loses_nothing_and_leaves_the_rest_alone(
    ranked: list[tuple[int, float]], diversity: float
) -> None:
    found = mmr(ranked, lambda a, b: float(a % 3 == b % 3), diversity)
    keys = [key for key, _ in ranked]
    assert sorted(found) == keys
    assert found[POOL:] == keys[POOL:]
    assert found[:1] == keys[:1]


@pytest.mark.parametrize("scale", [0.001, 1, 1000])
def test_diversity_weighs_the_same_whatever_the_scale_of_the_scores(scale: float) -> None:
    ranked = [("a1", 10 * scale), ("a2", 9 * scale), ("b1", 8 * scale), ("b2", 0.0)]
    found = mmr(ranked, lambda x, y: float(x[0] == y[0]), 0.3)
    assert found == ["a1", "b1", "a2", "b2"]
