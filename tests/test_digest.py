from __future__ import annotations

import pytest
from support import DIGEST

from memshelf.domain.digest import check_digest, digest_report


def codes(text: str, level: str) -> list[str]:
    return [f.code for f in check_digest(text).findings if f.level == level]


def test_a_good_digest_has_no_finding_and_its_words_are_counted() -> None:
    assert check_digest(DIGEST) == ((), 11)
    assert digest_report(check_digest(DIGEST)) == "digest ok (11 words)"


@pytest.mark.parametrize("text", ["", " \n\t ", "\ufeff"[:0]])
def test_an_empty_one_is_an_error_and_nothing_else_is_said(text: str) -> None:
    assert [f.code for f in check_digest(text).findings] == ["empty"]
    assert check_digest(text).looked_at == 0


def test_at_most_120_words_and_the_message_says_how_many_to_cut() -> None:
    assert codes("decided " * 120, "error") == []
    assert codes("decided " * 123, "error") == ["too-long"]
    assert "3" in digest_report(check_digest("decided " * 123))


@pytest.mark.parametrize(("count", "wanted"), [(240, []), (242, ["too-long"])])
def test_without_spaces_two_characters_count_as_a_word(count: int, wanted: list[str]) -> None:
    assert codes("決" * count, "error") == wanted


@pytest.mark.parametrize(
    "text",
    [
        *(
            "We chose Redis.",
            "It was our choice.",
            "Choose us.",
            "we're done, rejected",
            "we’ve decided",
            "OURS is open",
        ),
        *("Мы выбрали Redis.", "Решили у нас.", "Наше решение", "нашим решением"),
    ],
)
def test_whoever_we_are_is_an_error(text: str) -> None:
    assert codes(text, "error") == ["referent-we"]


@pytest.mark.parametrize(
    "text",
    [
        "Decided for the US market.",
        "Нашёл и решил.",
        "The west was chosen.",
        "Reuse was rejected.",
        "Wehr: open",
        "In the EU and US, decided.",
    ],
)
def test_words_that_only_look_like_it_are_none(text: str) -> None:
    assert codes(text, "error") == []


@pytest.mark.parametrize(
    "text", ["It was decided.", "Redis decided. This stays open.", "Это решено.", "Они выбрали."]
)
def test_a_sentence_that_opens_with_a_bare_word_is_a_warning(text: str) -> None:
    assert codes(text, "warning") == ["referent-bare"]


def test_what_names_nothing_decided_is_thin() -> None:
    assert codes("Redis and memcached were compared.", "warning") == ["thin"]
    assert codes("OpenAI was compared.", "warning") == ["thin"]
    assert codes("キャッシュはRedisに決定。memcachedは不採用。", "warning") == []
    assert codes("Redis wurde gewählt, memcached verworfen.", "warning") == []


def test_a_secret_is_an_error_whose_value_is_not_shown() -> None:
    token = "gh" + "p_" + "a1B2" * 9
    found = check_digest(f"Decided to use {token}.")
    assert [f.code for f in found.errors] == ["secret"]
    assert token not in digest_report(found)
