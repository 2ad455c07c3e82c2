"""Question files, made questions, the figures, and the verbs `eval` and `search-bench`."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from conftest import Cli
from support import add, episode

from memshelf.domain import evaluation
from memshelf.domain.errors import ShelfError
from memshelf.domain.evaluation import Asked, Scores, rank, scores, sign_test, significance
from memshelf.domain.questions import Question, as_tsv, made_questions, questions, spread
from memshelf.storage.store import Store

# --- question files ---------------------------------------------------------------------------


def test_a_file_of_the_peers_form_is_read() -> None:
    text = "# my queries\n\nredis limits\t2026-01-05-cache\r\n  лимиты \t docs/topics/2026  \n"
    assert questions(text, "q.tsv") == (
        Question("redis limits", ("2026-01-05-cache",)),
        Question("лимиты", ("docs/topics/2026",)),
    )


def test_further_columns_are_the_language_and_the_class() -> None:
    found = questions("a b\tx|y\tru\ttypo\tignored\nnot here\t-\tde\nnor here\t\n", "q.tsv")
    assert found == (
        Question("a b", ("x", "y"), "ru", "typo"),
        Question("not here", (), "de"),
        Question("nor here", ()),
    )


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"question": "q", "expected": "a"}, Question("q", ("a",))),
        ({"query": "q", "ids": ["a", "b"]}, Question("q", ("a", "b"))),
        (
            {"query": "q", "id": "a", "lang": "ja", "class": "typo"},
            Question("q", ("a",), "ja", "typo"),
        ),
        ({"question": "q", "expected": []}, Question("q", ())),
        ({"question": "q", "expected": None}, Question("q", ())),
    ],
)
def test_json_lines_are_read_under_either_name(row: object, expected: Question) -> None:
    assert questions(json.dumps(row) + "\n", "q.jsonl") == (expected,)


@pytest.mark.parametrize(
    "line",
    [
        "a question without a tab",
        "\tan answer without a question",
        '{"question": "q"}',
        '{"question": 1, "expected": "a"}',
        '{"question": "q", "expected": {"a": 1}}',
        '{"question": "q", "expected": [1]}',
        "{not json}",
    ],
)
def test_a_bad_line_is_refused_by_file_and_line_with_the_fix(line: str) -> None:
    with pytest.raises(ShelfError, match=r"^q\.tsv, line 3 ") as caught:
        questions(f"# head\ngood\ta\n{line}\n", "q.tsv")
    assert "QUESTION<TAB>EPISODE-ID" in caught.value.fix


def test_what_is_written_is_read_back() -> None:
    asked = (Question("a", ("x", "y"), "de", "typo"), Question("b", ()), Question("c", ("z",)))
    assert questions(as_tsv(asked), "q.tsv") == asked


# --- figures ----------------------------------------------------------------------------------

RIGHT = Question("q", ("b.md",), "en", "x")
TWO = Question("r", ("a.md", "c.md"), "ru", "x")
LOST = Question("s", ("z.md",), "en", "y")
GONE = Question("t", ())


def ranked(question: Question, names: str, likely: bool = True, sure: float | None = None) -> Asked:
    return Asked(question, tuple(f"docs/{name}.md" for name in names), likely, sure)


def test_the_scores_are_those_worked_out_by_hand() -> None:
    answers = [ranked(RIGHT, "abc"), ranked(TWO, "axc"), ranked(LOST, "abc"), ranked(GONE, "a")]
    found = scores(answers, 3)
    # Ranks 2, 1 and none; the second has its two answers at 1 and 3.
    two = (1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    assert found.n == 3
    assert found.hit1 == pytest.approx(1 / 3)
    assert found.hitk == pytest.approx(2 / 3)
    assert found.mrr == pytest.approx((1 / 2 + 1) / 3)
    assert found.ndcg == pytest.approx((1 / math.log2(3) + two) / 3)
    assert found.misses == ("s",)


def test_what_stands_behind_k_is_a_miss() -> None:
    assert rank(ranked(RIGHT, "acb"), 3) == 3
    assert rank(ranked(RIGHT, "acb"), 2) == 0
    assert scores([ranked(RIGHT, "acb")], 2) == Scores(1, 0, 0, 0, 0, ("q",))


def test_an_episode_that_is_hit_twice_counts_once() -> None:
    again = Asked(TWO, ("docs/a.md#one", "docs/a.md#two"))
    assert evaluation.ndcg(again, 5) == pytest.approx(1 / (1 + 1 / math.log2(3)))
    both = Question("r", ("docs/a", "a.md"))
    assert evaluation.gains(("docs/a.md", "docs/a.md"), both.expected) == (1, 0)


def test_fewer_places_than_answers_can_be_perfect() -> None:
    assert evaluation.ndcg(ranked(TWO, "ac"), 1) == 1


def test_groups_are_scored_by_themselves() -> None:
    answers = [ranked(RIGHT, "b"), ranked(LOST, "b"), ranked(TWO, "xa"), ranked(GONE, "a")]
    by_language = evaluation.grouped(answers, 5, lambda q: q.lang)
    assert {name: (s.n, s.mrr) for name, s in by_language.items()} == {
        "en": (2, 0.5),
        "ru": (1, 0.5),
    }
    assert list(evaluation.grouped(answers, 5, lambda q: q.kind)) == ["x", "y"]


def test_no_question_scores_nothing() -> None:
    assert scores([], 5) == Scores(0, 0, 0, 0, 0, ())


def test_absent_questions_are_counted_apart() -> None:
    answers = [
        *(ranked(RIGHT, "b", True, 0.9), ranked(LOST, "b", False, 0.4)),
        *(ranked(GONE, "b", False, 0.1), ranked(GONE, "b", True, 0.6)),
    ]
    found = evaluation.absent(answers)
    # Of the pairs .9/.1 .9/.6 .4/.1 .4/.6 three are in order.
    assert found == (2, 0.5, 0.5, 0.75)
    unsure = [answer._replace(confidence=None) for answer in answers]
    assert evaluation.absent(unsure).auc is None


def test_auc_is_the_share_of_pairs_in_order() -> None:
    draw = random.Random(1)
    above = [draw.randint(0, 9) for _ in range(30)]
    below = [draw.randint(0, 7) for _ in range(20)]
    pairs = [(a > b) + (a == b) / 2 for a in above for b in below]
    assert evaluation.auc(above, below) == pytest.approx(sum(pairs) / len(pairs))


# --- significance -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    # Two-sided binomial tails with even chances, as R's binom.test gives them.
    [(0, 0, 1.0), (1, 0, 1.0), (5, 5, 1.0), (6, 0, 0.03125), (7, 2, 0.1796875), (2, 7, 0.1796875)],
)
def test_the_sign_test_is_exact(gained: int, lost: int, p: float) -> None:
    assert sign_test(gained, lost) == p


def test_the_sign_test_takes_thousands_of_questions() -> None:
    assert sign_test(3000, 3000) == 1.0
    assert 0 <= sign_test(3000, 1000) < 1e-100


def test_a_small_gain_is_too_few_to_tell_and_a_large_one_is_not() -> None:
    first = [1] * 62 + [0] * 58
    few = significance(first, [0] * 2 + [1] * 60 + [1] * 7 + [0] * 51)
    assert few.note("lexical", "hybrid").startswith(
        "hybrid finds 7 more and loses 2 of 120 first places against lexical; MRR +0.042 "
    )
    assert few.note("lexical", "hybrid").endswith("p = 0.18: too few questions to tell")
    assert few.low < few.difference < few.high
    many = significance(first, [1] * 100 + [0] * 20)
    assert many.verdict == "hardly by chance" and many.low > 0
    even = significance([1] * 20 + [2] * 20, [2] * 20 + [1] * 20)
    assert even.verdict == "no difference to be seen" and even.low < 0 < even.high


def test_the_interval_is_the_same_each_time_and_covers_what_theory_says() -> None:
    steps = [1.0] * 30 + [0.0] * 60 + [-1.0] * 10
    low, high = evaluation.interval(steps)
    assert (low, high) == evaluation.interval(steps)
    error = 1.96 * math.sqrt((0.4 - 0.2**2) / 100)  # the normal interval of the same mean
    assert low == pytest.approx(0.2 - error, abs=0.03)
    assert high == pytest.approx(0.2 + error, abs=0.03)


def test_equal_rankings_are_said_to_be_equal() -> None:
    same = significance([1, 2, 0], [1, 3, 0])
    assert (same.p, same.gained, same.lost) == (1.0, 0, 0)
    assert same.note("a", "b").startswith("b and a have the same first places; MRR -0.056")


# --- made questions ---------------------------------------------------------------------------


def test_a_shelf_is_asked_for_each_title_and_a_sentence_of_each_digest(sample: Store) -> None:
    shelf = sample.read(bodied=True)
    made = made_questions(shelf)
    current = {e.id: e for e in shelf.live if e.id not in shelf.superseded}
    for kind in ("title", "digest"):
        assert [q.expected for q in made if q.kind == kind] == [(name,) for name in current]
    assert made == made_questions(sample.read())
    assert {"en", "ru", "de", "ja", "zh-Hans", "ar"} == {q.lang for q in made}
    assert all(len(q.text.split()) <= 20 for q in made)
    for question in made:
        if question.kind == "digest":
            digest = " ".join(current[question.expected[0]].digest.split())
            assert question.text in digest
    assert questions(as_tsv(made), "made.tsv") == made


def test_a_title_that_is_only_the_id_is_not_asked_and_a_shared_one_is_asked_once(
    store: Store,
) -> None:
    for slug, title in (("a", "2026 01 05 A"), ("b", "Standup"), ("c", "Standup")):
        name = f"2026-01-05-{slug}"
        add(store, episode(name, title=title), f"docs/topics/{name}.md")
    made = made_questions(store.read())
    titles = [q for q in made if q.kind == "title"]
    assert [(q.text, q.expected) for q in titles] == [
        ("Standup", ("2026-01-05-b", "2026-01-05-c")),
    ]
    assert any("2026-01-05-a" in q.expected for q in made)


def test_of_many_made_questions_some_are_asked_from_all_over_the_shelf(
    sample: Store, cli: Cli, tmp_path: Path
) -> None:
    made = made_questions(sample.read())
    few = spread(made, 10)
    assert len(set(few)) == 10 and sum(q.kind == "title" for q in few) == 5
    titles = [q.expected for q in made if q.kind == "title"]
    places = [titles.index(q.expected) for q in few if q.kind == "title"]
    assert places[0] < 5 and places[-1] > len(titles) - 7
    assert spread(made, len(made)) == made
    out = tmp_path / "few.tsv"
    ran = cli("eval", "--write", out, "--max-questions", "10", "--shelf", sample.root)
    assert ran.out.startswith("questions: 10 ") and f"{len(made) - 10} more can be made" in ran.out
    assert questions(out.read_text("utf-8"), "few.tsv") == few


# --- the verbs --------------------------------------------------------------------------------


def test_the_sample_shelf_ships_questions_that_name_its_episodes(sample: Store, cli: Cli) -> None:
    path = sample.root / "questions.tsv"
    asked = questions(path.read_text("utf-8"), path.name)
    ids = {e.id for e in sample.read().entries}
    assert len(asked) >= 24 and {name for q in asked for name in q.expected} <= ids
    ran = cli("eval", "--shelf", sample.root)
    assert ran.code == 0
    assert ran.out.startswith(f"questions: {len(asked)}  k: 5\nmode ")
    for head in ("hit@1", "hit@5", "mrr", "ndcg", "misses", "by language", "by class"):
        assert head in ran.out


def test_made_questions_are_measured_and_written(sample: Store, cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "made.tsv"
    ran = cli("eval", "--write", out, "--json", "--shelf", sample.root)
    assert ran.code == 0
    assert questions(out.read_text("utf-8"), "x") == made_questions(sample.read())
    found = json.loads(ran.out)["modes"]["lexical"]
    assert set(found["classes"]) == {"title", "digest"}
    assert found["classes"]["title"]["hit@1"] > 0.9
    again = cli("eval", out, "--json", "--shelf", sample.root)
    assert json.loads(again.out) == json.loads(ran.out)


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """Three questions to the sample shelf: one that is found, one that is not, one absent."""
    path = tmp_path / "q.tsv"
    path.write_text(
        "# first\ncertificate rollover\t2026-06-11-certificate\n"
        "certificate\t2026-02-04-public\nxylophone\t-\n",
        "utf-8",
    )
    return path


def test_the_answer_for_programs_has_each_figure(sample: Store, cli: Cli, asked: Path) -> None:
    found = json.loads(cli("eval", asked, "--json", "--shelf", sample.root).out)
    assert (found["status"], found["k"], found["questions"], found["absent"]) == ("ok", 5, 3, 1)
    lexical = found["modes"]["lexical"]
    assert {key: lexical[key] for key in ("n", "hit@1", "hit@k", "mrr", "ndcg", "misses")} == {
        "n": 2,
        **dict.fromkeys(("hit@1", "hit@k", "mrr", "ndcg"), 0.5),
        "misses": ["certificate"],
    }
    assert lexical["absent"]["n"] == 1 and lexical["absent"]["recognised"] == 1.0


def test_a_run_that_is_worse_than_its_baseline_fails(
    sample: Store, cli: Cli, asked: Path, tmp_path: Path
) -> None:
    earlier = tmp_path / "earlier.json"
    run = cli("eval", asked, "--json", "--shelf", sample.root).out
    earlier.write_text(run, "utf-8")
    same = cli("eval", asked, "--baseline", earlier, "--shelf", sample.root)
    assert same.code == 0 and "fell" not in same.out
    better = json.loads(run)
    better["modes"]["lexical"]["mrr"] += 0.05
    earlier.write_text(json.dumps(better), "utf-8")
    assert cli("eval", asked, "--baseline", earlier, "--shelf", sample.root).code == 0
    better["modes"]["lexical"]["mrr"] += 0.01
    earlier.write_text(json.dumps(better), "utf-8")
    worse = cli("eval", asked, "--baseline", earlier, "--shelf", sample.root)
    assert worse.code == 1 and "lexical: mrr fell from 0.56 to 0.50." in worse.out


@pytest.mark.parametrize(
    ("text", "said"),
    [("[]", "is not what"), ("{", "is not what"), ('{"k": 9, "modes": {}}', "with k = 9")],
)
def test_a_baseline_that_cannot_be_compared_is_refused(
    text: str, said: str, sample: Store, cli: Cli, asked: Path, tmp_path: Path
) -> None:
    earlier = tmp_path / "earlier.json"
    earlier.write_text(text, "utf-8")
    ran = cli("eval", asked, "--baseline", earlier, "--shelf", sample.root)
    assert ran.code == 1 and said in ran.err and str(earlier) in ran.err


def test_two_modes_are_measured_against_each_other(sample: Store, cli: Cli, asked: Path) -> None:
    ran = cli("eval", asked, "--modes", "lexical,hybrid", "--json", "--shelf", sample.root)
    found = json.loads(ran.out)
    assert list(found["modes"]) == ["lexical", "hybrid"]
    assert found["significance"]["n"] == 2 and "hybrid" in found["significance"]["note"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--modes", "grep"), "no mode 'grep'"),
        (("--k", "0"), "k is 0"),
        (("--make", "FILE"), "either read or made"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    words: tuple[str, ...], said: str, sample: Store, cli: Cli, asked: Path
) -> None:
    given = [asked if word == "FILE" else word for word in words]
    ran = cli("eval", *given, "--shelf", sample.root)
    assert ran.code == 2 and said in ran.err


def test_a_shelf_without_questions_says_where_to_get_some(store: Store, cli: Cli) -> None:
    ran = cli("eval", "--shelf", store.root)
    assert ran.code == 2 and "memshelf eval --make" in ran.err
    assert cli("eval", "--make", "--shelf", store.root).code == 1


def test_the_peers_name_and_flags_give_the_same(sample: Store, cli: Cli, asked: Path) -> None:
    words = ("--k", "3", "--verbose", "--shelf", sample.root)
    ours = cli("eval", asked, *words)
    assert cli("search-bench", "--queries", asked, *words) == ours
    assert ours.out.endswith("miss[lexical]\tcertificate\n") and "hit@3" in ours.out
    assert cli("search-bench", "--shelf", sample.root).code == 2
    asked.write_text("# nothing\n")
    assert cli("search-bench", "--queries", asked, *words).code == 2
    asked.write_text("no tab here\n")
    bad = cli("search-bench", "--queries", asked, *words)
    assert bad.code == 1 and "line 1" in bad.err
