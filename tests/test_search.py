"""`memshelf search`: questions in any words, any form, any script, and what is said beside."""

from __future__ import annotations

import contextlib
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from gitkit import git, put
from hypothesis import given, settings
from support import DECISIONS, DIGEST, HARD_TEXT, add, episode

import memshelf
from memshelf.domain.errors import UsageError
from memshelf.storage.store import Store

NAME = "2026-01-05-cache"


def asked(cli: Cli, store: Store, *words: object) -> dict[str, Any]:
    ran = cli("search", *words, "--json", "--shelf", store.root)
    assert ran.code == 0, ran.err
    answer: dict[str, Any] = json.loads(ran.out)
    return answer


def found(cli: Cli, store: Store, *words: object) -> list[str]:
    hits = asked(cli, store, *words, "--max-results", "100")["hits"]
    return [hit["id"][11:] for hit in hits]


def shelved(root: Path, name: str, text: str, **front: str) -> None:
    """An episode with one section of its own."""
    lines = {"id": name, "kind": "topic", "date": name[:10], "tags": "[]"} | front
    head = "".join(f"{key}: {value}\n" for key, value in lines.items())
    put(
        root, f"docs/topics/{name}.md", f"---\n{head}---\n\n## Digest\nD.\n\n## Decisions\n{text}\n"
    )


@pytest.fixture
def words(store: Store) -> Store:
    """Episodes whose texts differ in what search must tell apart."""
    texts = {
        "far": "slow at first\n\nsome text between\n\nthen a benchmark",
        "slowonly": "slow",
        "accents": "Café, résumé, naïve, über, Ёлка, Straße, İstanbul",
        "nfd": unicodedata.normalize("NFD", "crème brûlée"),
        "tokyo": "東京都の天気と検索の話。ｶﾀｶﾅ",
        "thai": "ภาษาไทยและการค้นหา",
        "hindi": "हिन्दी में खोज; தமிழ் தேடல்; বাংলা অনুসন্ধান",
        "points": "בְּרֵאשִׁית, مُحَمَّد, الرَّحْمٰن",
        "khmer": "ភាសាខ្មែរ និង မြန်မာဘာသာ",
        "kananfd": unicodedata.normalize("NFD", "データベース"),
        "cpp": "written in C++ and C#, f(x)",
        "dont": "don’t re-read a/b foo-bar:baz",
        "russian": "Решения приняты ночной сменой. Лимит хоста.",
        "cat": "a cat sat",
        "names": "calls parseHttpHeader in src/net/http_client.py, issue #208, v2.3.1, commit 9fceb02",
        "numbers": "costs 10,000 a year and 1 250 000 in all",
        "german": "Die Entscheidungen der Häuser wurden für die Datenbankmigration getroffen",
    }
    for number, (name, text) in enumerate(texts.items(), 1):
        shelved(store.root, f"2026-01-{number:02}-{name}", text, tags=f"[tag{number}]", mode="live")
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "words")
    return store


# --- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("slow benchmark", ["far", "slowonly"]),
        ("benchmark slow", ["far", "slowonly"]),
        ("SLOW", ["slowonly", "far"]),
        ("Why was it slow?", ["slowonly", "far"]),
        ("cafe", ["accents"]),
        ("CAFÉ", ["accents"]),
        ("resume", ["accents"]),
        ("naive", ["accents"]),
        ("uber", ["accents"]),
        ("елка", ["accents"]),
        ("ёлки", ["accents"]),
        ("strasse", ["accents"]),
        ("istanbul", ["accents"]),
        ("creme brulee", ["nfd"]),
        ("crème", ["nfd"]),
        ("東京", ["tokyo"]),
        ("検索", ["tokyo"]),
        ("東京の検索はどうですか？", ["tokyo"]),
        ("天", ["tokyo"]),
        ("気", ["tokyo"]),
        ("カタカナ", ["tokyo"]),
        ("ค้นหา", ["thai"]),
        ("हिन्दी", ["hindi"]),
        ("हद", []),
        ("தமிழ்", ["hindi"]),
        ("তমূসবিসন", []),
        ("বাংলা", ["hindi"]),
        ("בראשית", ["points"]),
        ("محمد", ["points"]),
        ("الرحمن", ["points"]),
        ('"ខ្មែរ"', ["khmer"]),
        ('"မြန်မာ"', ["khmer"]),
        ("データ", ["kananfd"]),
        ("ベース", ["kananfd"]),
        ("don't", ["dont"]),
        ("dont", ["dont"]),
        ("reread", ["dont"]),
        ("foo-bar:baz", ["dont"]),
        ("foobar", ["dont"]),
        ("C++", ["cpp"]),
        ("c#", ["cpp"]),
        ("решение", ["russian"]),
        ("каким было решение?", ["russian"]),
        ("ночные смены", ["russian"]),
        ("какие лимиты у хостов?", ["russian"]),
        ("cats", ["cat"]),
        ("cat sat", ["cat"]),
        ("header", ["names"]),
        ("parseHttpHeader", ["names"]),
        ("parse http header", ["names"]),
        ("http_client.py", ["names"]),
        ("src/net/http_client.py", ["names"]),
        ("#208", ["names"]),
        ("208", ["names"]),
        ("2.3.1", ["names"]),
        ("9fceb02", ["names"]),
        ("10000", ["numbers"]),
        ("10 000", ["numbers"]),
        ("10.000", ["numbers"]),
        ("1250000", ["numbers"]),
        ("Entscheidung", ["german"]),
        ("Haus", ["german"]),
        ("tag3", ["accents"]),
        ("2026-01-14-cat", ["cat"]),
        ("pillar", []),
        ("live", []),
        ("mode", []),
        ("kind", []),
    ],
)
def test_forms_case_accents_scripts_and_names_of_code_do_not_matter(
    query: str, wanted: list[str], cli: Cli, words: Store
) -> None:
    assert found(cli, words, "--query", query)[: len(wanted) or 99] == wanted


def test_none_of_the_words_has_to_be_there_and_what_nobody_says_is_named(
    cli: Cli, words: Store
) -> None:
    answer = asked(cli, words, "how slow is the quetzalcoatlus")
    assert [hit["id"][11:] for hit in answer["hits"]] == ["slowonly", "far"]
    assert answer["unknown_words"] == ["quetzalcoatlus"]
    ran = cli("search", "slow quetzalcoatlus", "--shelf", words.root)
    assert "Nobody here says 'quetzalcoatlus'" in ran.err


@pytest.mark.parametrize(
    ("query", "wanted", "read"),
    [
        ("benchmrak", "far", "benchmark"),
        ("bench", "far", "benchmark"),
        ("Лиммит", "russian", "лимит"),
        ("Migration", "german", ""),
        ("httpheader", "names", "http"),
    ],
)
def test_an_unknown_word_is_read_as_a_beginning_a_compound_or_a_mistake(
    query: str, wanted: str, read: str, cli: Cli, words: Store
) -> None:
    shelved(words.root, "2026-02-01-other", "Datenbank und Migration")
    answer = asked(cli, words, query)
    assert wanted in [hit["id"][11:] for hit in answer["hits"]] or wanted == "german"
    assert not read or any(token.startswith(read) for token in answer["read_as"][query])


@pytest.mark.parametrize("query", ["", " ", "   \t\n", "()", '"', "***", "- -", "!?"])
def test_a_query_without_a_word_is_a_usage_error(query: str, cli: Cli, words: Store) -> None:
    ran = cli("search", f"--query={query}", "--shelf", words.root)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err


@pytest.mark.parametrize(
    "query",
    [
        *(
            '"slow',
            "(slow",
            "slow*",
            "NEAR(slow",
            "slow AND",
            "slow\\",
            "^slow$",
            "[slow",
            "slow:*",
        ),
        *("{slow}", "slow OR", "title:slow", "tag: slow", "since:never slow", "slow'", "-slow -"),
    ],
)
def test_what_looks_like_an_operator_is_text(query: str, cli: Cli, words: Store) -> None:
    assert set(found(cli, words, f"--query={query}")) >= {"far", "slowonly"}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("small")
    put(root, "shelf.yml", "mode: single\n")
    put(root, f"docs/topics/{NAME}.md", episode())
    return root


@settings(max_examples=100, deadline=None)
@given(HARD_TEXT)
def test_no_query_is_an_error(small: Path, query: str) -> None:
    with contextlib.suppress(UsageError):  # no word in it
        memshelf.search(memshelf.open_shelf(small), query)


# --- what narrows down ---------------------------------------------------------------------------


def test_quotes_mean_a_phrase_and_a_minus_leaves_out(cli: Cli, words: Store) -> None:
    shelved(words.root, "2026-02-01-side", "a slow benchmark")
    assert found(cli, words, '"slow benchmark"') == ["side"]
    assert found(cli, words, "«slow benchmark»") == ["side"]
    assert found(cli, words, "slow benchmark")[0] == "side"  # near each other counts
    assert found(cli, words, "slow -benchmark") == ["slowonly"]
    assert found(cli, words, "--query=-cat") == ["cat"]


def test_a_minus_before_quotes_a_filter_or_a_compound_leaves_out_all_of_it_and_nothing_else(
    cli: Cli, words: Store
) -> None:
    shelved(words.root, "2026-02-01-side", "a slow benchmark, 10,000 runs", tags="[ops]")
    assert found(cli, words, 'slow -"slow benchmark"') == ["slowonly", "far"]
    assert found(cli, words, "slow -«slow benchmark»") == ["slowonly", "far"]
    assert found(cli, words, "slow -tag:ops") == ["slowonly", "far"]
    assert found(cli, words, "slow –tag:OPS –id:2026-01-01") == ["slowonly"]
    assert found(cli, words, "tag:ops -benchmark") == []
    assert found(cli, words, "tag:tag14 -benchmark") == ["cat"]
    assert found(cli, words, "--query=-tag:ops -tag:tag2 slow") == ["far"]
    assert len(found(cli, words, "--query=-tag:ops")) == 17
    # a run of several words is left out where it stands so, not wherever one of them does
    shelved(words.root, "2026-02-02-shift", "the slow night-shift client")
    left = found(cli, words, "slow -night-shift -http_client.py")
    assert sorted(left) == ["far", "side", "slowonly"]
    assert "shift" in found(cli, words, "client -http_client.py -shift-night")
    assert found(cli, words, "--query=-«slow benchmark»") == ["side"]  # alone it is asked for


@pytest.mark.parametrize("query", ['"git commit -m"', '"see tag:ops here"', '"−m"', "«commit -m»"])
def test_in_quotes_a_minus_and_a_filter_are_text(query: str, cli: Cli, words: Store) -> None:
    shelved(words.root, "2026-02-01-code", "run git commit -m, and see tag:ops here; −m is a flag")
    assert found(cli, words, f"--query={query}") == ["code"]


@pytest.mark.parametrize(
    ("query", "there"),
    [
        *(('"東京都"', True), ('"京都"', True), ('"京都の天気"', True), ('"検索の話"', True)),
        *(('"話"', True), ('"検"', True), ('"都東"', False), ('"東京天気"', False)),
        *(('"ภาษาไทย"', True), ('"และการ"', True), ('"ไทยการ"', False)),
    ],
)
def test_a_phrase_without_spaces_may_end_where_the_text_goes_on(
    query: str, there: bool, cli: Cli, words: Store
) -> None:
    assert len(found(cli, words, query)) == there
    without = found(cli, words, f"tag:tag5 -{query}"), found(cli, words, f"tag:tag6 -{query}")
    assert (without == (["tokyo"], ["thai"])) is not there


def test_a_phrase_is_found_behind_a_part_of_itself(cli: Cli, store: Store) -> None:
    shelved(store.root, "2026-01-05-a", "先看东京与东京都的天气")
    for query in ('"东京都"', '"东京与东京都"', '"东京都的天气"'):
        assert found(cli, store, query) == ["a"]


def test_of_several_tags_all_must_fit_of_several_kinds_any(cli: Cli, store: Store) -> None:
    shelved(store.root, "2026-01-05-a", "x", tags="[ops, web]")
    shelved(store.root, "2026-01-06-b", "x", tags="[ops]", kind="session", author="bob")
    shelved(store.root, "2026-01-07-c", "x", tags="[web]", kind="research", author="ann")
    assert found(cli, store, "tag:ops tag:web") == ["a"]
    assert found(cli, store, "kind:topic kind:session") == ["b", "a"]
    assert found(cli, store, "author:ann author:bob -kind:session") == ["c"]
    assert found(cli, store, "id:2026-01-05 id:2026-01-07") == ["c", "a"]


def test_an_author_is_found_without_the_address_too(cli: Cli, store: Store) -> None:
    shelved(store.root, "2026-01-05-a", "x", author='"Ann Lee <ann@example.org>"')
    assert found(cli, store, 'author:"ann lee"') == ["a"]
    assert found(cli, store, 'author:"Ann Lee <ann@example.org>"') == ["a"]
    assert found(cli, store, "author:lee") == []


def test_days_are_given_by_any_period_and_what_names_none_is_told(cli: Cli, store: Store) -> None:
    for day in ("2026-03-31", "2026-04-01", "2026-06-30", "2026-07-01"):
        shelved(store.root, f"{day}-{day[5:7]}{day[8:]}", "slow")
    assert found(cli, store, "since:2026Q2 until:2026-Q2") == ["0630", "0401"]
    assert found(cli, store, "since:2026q3") == ["0701"]
    assert found(cli, store, "until:2026W14") == ["0401", "0331"]
    for wrong in (
        "since:yesterday",
        "until:2026-13",
        "since:2026Q5",
        "-since:2026",
        "since:FY2026",
    ):
        answer = asked(cli, store, f"--query=slow {wrong}")
        assert len(answer["hits"]) == 4
        assert any(wrong in note and "2026Q3" in note for note in answer["notes"])


def test_a_filter_that_nothing_fits_is_named_with_what_comes_near(cli: Cli, words: Store) -> None:
    shelved(words.root, "2026-02-01-ops", "slow", tags="[Operations]")
    for query, said in (
        ("slow tag:operation", "No episode has tag:operation. Did you mean operations?"),
        ("kind:topics", "No episode has kind:topics. Did you mean topic?"),
        ("author:zoe slow", "No episode has author:zoe."),
        ("id:2027", "No episode has id:2027."),
    ):
        ran = cli("search", query, "--shelf", words.root)
        assert (ran.code, ran.out) == (0, "\n") or ran.out == ""
        assert f"memshelf: {said}\n" in ran.err
        assert said in cli("context", query, "--shelf", words.root).out
    assert asked(cli, words, "tag:tag2 tag:tag3")["notes"] == []  # both are there


def test_filters_narrow_down_with_and_without_words(cli: Cli, store: Store) -> None:
    facts = (
        ("2026-01-05-a", "topic", "[Ops]", "ann"),
        ("2026-02-05-b", "session", "[ops, x]", "bob"),
    )
    for name, kind, tags, author in (*facts, ("2026-03-05-c", "topic", "[x]", "Ann")):
        shelved(store.root, name, "slow", kind=kind, tags=tags, author=author, project="P1")
    assert sorted(found(cli, store, "slow tag:ops")) == ["a", "b"]
    assert found(cli, store, "tag:x") == ["c", "b"]
    assert found(cli, store, "kind:session slow") == ["b"]
    assert found(cli, store, 'author:"ann"') == ["c", "a"]
    assert found(cli, store, "since:2026-02") == ["c", "b"]
    assert found(cli, store, "until:2026-02 since:2026-01-05") == ["b", "a"]
    assert found(cli, store, "since:2027") == []
    assert found(cli, store, "id:2026-01 project:p1") == ["a"]


def test_synonyms_of_a_shelf_are_found_and_a_bad_list_is_refused(cli: Cli, words: Store) -> None:
    assert found(cli, words, "feline") == []
    put(words.root, "memshelf.toml", '[search]\nsynonyms = [["feline", "cat"]]\n')
    assert found(cli, words, "feline") == ["cat"]
    put(words.root, "memshelf.toml", '[search]\nsynonyms = ["cat"]\n')
    ran = cli("search", "cat", "--shelf", words.root)
    assert ran.code == 1 and "search.synonyms" in ran.err


# --- order ---------------------------------------------------------------------------------------


def test_a_title_counts_more_than_a_mention_and_exact_spelling_comes_first(
    cli: Cli, store: Store
) -> None:
    texts = {
        "2026-01-01-a": episode("2026-01-01-a", "Weather").replace("eviction policy", "zebra"),
        "2026-01-02-b": episode("2026-01-02-b", "The zebra"),
        "2026-01-03-c": episode("2026-01-03-c", "Notes c").replace("eviction policy", "cafe"),
        "2026-01-04-d": episode("2026-01-04-d", "Notes d").replace("eviction policy", "café"),
    }
    for name, text in texts.items():
        put(store.root, f"docs/topics/{name}.md", text)
    assert found(cli, store, "zebra") == ["b", "a"]
    assert found(cli, store, "café") == ["d", "c"]
    assert found(cli, store, "cafe") == ["c", "d"]


def test_of_equal_ones_the_newer_comes_first_and_recency_can_be_turned_up(
    cli: Cli, store: Store
) -> None:
    shelved(store.root, "2025-01-01-a", "zebra zebra")
    shelved(store.root, "2026-01-01-b", "zebra")
    shelved(store.root, "2026-01-02-c", "zebra")
    assert found(cli, store, "zebra") == ["a", "c", "b"]
    assert found(cli, store, "zebra", "--recency", "1") == ["c", "b", "a"]
    assert cli("search", "zebra", "--recency", "2", "--shelf", store.root).code == 2


def test_no_kind_of_episode_crowds_out_another_that_is_nearly_as_good(
    cli: Cli, store: Store
) -> None:
    for day in range(1, 7):
        shelved(store.root, f"2026-01-0{day}-t{day}", "zebra")
    shelved(store.root, "2025-12-01-s", "zebra", kind="session")
    shelved(store.root, "2025-12-02-weak", "zebra " + "word " * 4000, kind="research")
    assert found(cli, store, "zebra") == ["t6", "t5", "s", "t4", "t3", "t2", "t1", "weak"]


def test_what_was_replaced_or_archived_is_behind_a_flag_and_marked(cli: Cli, store: Store) -> None:
    add(store, episode("2026-01-01-old", "Old"), "docs/topics/2026-01-01-old.md")
    new = ("shelve", "--slug", "2026-02-01-new", "--digest", DIGEST)
    decided = ("--section", f"Decisions={DECISIONS}", "--supersedes", "2026-01-01-old")
    assert cli(*new, *decided, "--shelf", store.root).code == 0
    add(store, episode("2026-01-02-past", "Past"), "archive/docs/topics/2026-01-02-past.md")
    assert found(cli, store, "redis") == ["new"]
    assert asked(cli, store, "redis")["hidden"] == 2
    assert (
        "2 hits replaced or archived: --past" in cli("search", "redis", "--shelf", store.root).err
    )
    hits = asked(cli, store, "redis", "--past")["hits"]
    marks = {hit["id"][11:]: (hit.get("archived"), hit.get("replaced_by")) for hit in hits}
    assert marks == {"new": (None, None), "old": (None, ["2026-02-01-new"]), "past": (True, None)}
    assert (
        "(replaced by 2026-02-01-new)" in cli("search", "old", "--past", "--shelf", store.root).out
    )


# --- what a hit says -----------------------------------------------------------------------------


def test_a_hit_names_its_section_and_its_excerpt_is_verbatim(cli: Cli, words: Store) -> None:
    shelved(
        words.root, "2026-02-02-long", "filler text " * 300 + "the benchmark ran\n\n" + "x " * 400
    )
    for hit in asked(cli, words, "benchmark")["hits"]:
        text = (words.root / hit["address"]).read_text("utf-8")
        assert hit["excerpt"] == text[hit["start"] : hit["end"]]
        assert "benchmark" in hit["excerpt"] and len(hit["excerpt"]) <= 300
        assert hit["section"] == "Decisions"
        assert hit["why"]["words"] == ["benchmark"] and hit["why"]["score"]["words"] > 0
        recalled = cli("recall", hit["id"], "--section", hit["section"], "--shelf", words.root)
        assert "benchmark" in recalled.out


def test_the_excerpt_shows_the_word_also_behind_many_accents(cli: Cli, store: Store) -> None:
    add(store, episode().replace("Choose an", "e\u0301 " * 400 + "zebra"))
    assert "zebra" in asked(cli, store, "zebra")["hits"][0]["excerpt"]


def test_a_word_that_stands_a_hundred_thousand_times_is_no_trouble(cli: Cli, store: Store) -> None:
    shelved(store.root, "2026-01-05-many", "zebra " * 100_000 + "gnu zebra")
    (hit,) = asked(cli, store, "zebra gnu")["hits"]
    assert hit["excerpt"].endswith("gnu zebra")
    (hit,) = asked(cli, store, "zebra")["hits"]
    assert hit["excerpt"].startswith("zebra zebra")


def test_an_excerpt_begins_below_its_heading_of_any_form(cli: Cli, store: Store) -> None:
    put(
        store.root,
        "docs/topics/2026-01-05-a.md",
        "Title\n===\n\nDecisions\n---------\nzebra crossing\n",
    )
    (hit,) = asked(cli, store, "zebra")["hits"]
    assert (hit["section"], hit["excerpt"]) == ("Decisions", "zebra crossing")


@pytest.mark.parametrize(
    ("detail", "keys"),
    [
        ("address", {"address", "id", "section", "score", "title"}),
        (
            "excerpt",
            {"address", "id", "section", "score", "title", "excerpt", "start", "end", "why"},
        ),
    ],
)
def test_detail_says_how_much_of_a_hit_is_told(
    detail: str, keys: set[str], cli: Cli, words: Store
) -> None:
    (hit,) = asked(cli, words, "benchmark", "--max-results", "1", "--detail", detail)["hits"]
    assert set(hit) == keys


def test_digest_and_section_come_whole_when_asked_for(cli: Cli, words: Store) -> None:
    (hit,) = asked(cli, words, "benchmark", "--max-results", "1", "--detail", "digest")["hits"]
    assert hit["text"] == "D."
    (hit,) = asked(cli, words, "benchmark", "--max-results", "1", "--detail", "section")["hits"]
    assert hit["text"].startswith("## Decisions\nslow at first") and "benchmark" in hit["text"]


def test_pages_follow_each_other_by_cursor_and_hold_each_hit_once(cli: Cli, store: Store) -> None:
    for number in range(50):
        shelved(store.root, f"2026-01-{number % 28 + 1:02}-n{number}", "zebra " * (number % 7 + 1))
    seen: list[str] = []
    cursor = ""
    for _ in range(20):
        more = ("--cursor", cursor) if cursor else ()
        answer = asked(cli, store, "zebra", "--max-results", "7", *more)
        seen += [hit["id"] for hit in answer["hits"]]
        cursor = answer.get("next_cursor", "")
        if not cursor:
            break
    assert len(seen) == len(set(seen)) == answer["total"] == 50
    assert seen == [hit["id"] for hit in asked(cli, store, "zebra", "--max-results", "50")["hits"]]
    assert cli("search", "zebra", "--cursor", "x", "--shelf", store.root).code == 2


def test_every_hit_has_its_excerpt_and_offsets_also_where_they_are_empty_or_0(
    cli: Cli, store: Store
) -> None:
    put(store.root, "docs/topics/2026-01-05-bare.md", "zebra crossing\n")
    put(store.root, "docs/topics/2026-01-06-empty.md", "---\ntags: [zebra]\n---\n")
    hits = asked(cli, store, "zebra")["hits"]
    assert {hit["id"][11:] for hit in hits} == {"bare", "empty"}
    for hit in hits:
        text = (store.root / hit["address"]).read_text("utf-8")
        assert hit["excerpt"] == text[hit["start"] : hit["end"]]
        assert hit["why"]["words"] == ["zebra"]


def test_behind_the_last_page_it_says_how_many_hits_there_are(cli: Cli, words: Store) -> None:
    ran = cli("search", "slow", "--cursor", "500", "--shelf", words.root)
    assert ran.code == 0 and "That was all: 2 hits." in ran.err and "Nothing" not in ran.err


def test_what_has_no_words_is_answered_by_what_fits(cli: Cli, words: Store) -> None:
    answer = asked(cli, words, "tag:tag2")
    assert answer["hits"][0]["excerpt"] == "D."  # what stands below the heading
    assert (answer["likely"], answer["confidence"]) == (True, 1.0)
    assert asked(cli, words, "tag:nobody")["likely"] is False


def test_for_eyes_it_is_said_that_no_hit_is_likely_an_answer(cli: Cli, words: Store) -> None:
    odd = "which slow elephant repaired the submarine propeller yesterday"
    assert "Nothing on the shelf clearly answers" in cli("search", odd, "--shelf", words.root).err
    assert "clearly" not in cli("search", "slow benchmark", "--shelf", words.root).err


def test_an_answer_that_is_not_there_is_told_from_one_that_is(cli: Cli, words: Store) -> None:
    assert asked(cli, words, "slow benchmark")["likely"] is True
    answer = asked(cli, words, "which slow elephant repaired the submarine propeller yesterday")
    assert answer["likely"] is False and answer["hits"]


def test_a_file_that_cannot_be_read_is_told_and_hides_no_other(cli: Cli, words: Store) -> None:
    (words.root / "docs/topics/2026-03-01-bytes.md").write_bytes(b"---\nid: \xff\xfe\n---\nslow\n")
    for _ in range(2):
        ran = cli("search", "slow", "--shelf", words.root)
        assert ran.code == 0 and "slowonly" in ran.out
        assert "1 file cannot be read" in ran.err


# --- shelves by other hands ----------------------------------------------------------------------


@pytest.mark.shared
@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("роллап возможен при остановленном полигоне?", "session-start-hook-host-cap"),
        ("какой лимит у хоста на вывод хука?", "session-start-hook-host-cap"),
        ("какие лимиты у хостов на выводы хуков", "session-start-hook-host-cap"),
        ("What limit does the host put on hook output?", "session-start-hook-host-cap"),
        ("хука?", "session-start-hook-host-cap"),
        ("хуки", "session-start-hook-host-cap"),
        ("10000", "session-start-hook-host-cap"),
        ("10 000", "session-start-hook-host-cap"),
        ("Зачем выбрали merge вместо rebase?", "memshelf-issue-sweep-17-18-87-115-142"),
        ("«merge, а не rebase»", "memshelf-issue-sweep-17-18-87-115-142"),
        ("почему отклонили sentence-transformers", "memshelf-issue-sweep-17-18-87-115-142"),
        ("embedding model", "memshelf-issue-sweep-17-18-87-115-142"),
        ("роллапы", "shelve-date-fix-and-m2-measurements"),
        ("роллап", "shelve-date-fix-and-m2-measurements"),
    ],
)
def test_questions_that_the_peer_cannot_answer_find_their_episode_first(
    query: str, wanted: str, cli: Cli, real_shelf: Store
) -> None:
    assert found(cli, real_shelf, "--query", query)[0] == wanted


@pytest.mark.shared
@pytest.mark.parametrize(
    "forms",
    [
        ("хук", "хуки", "хука", "хуков?"),
        ("роллап", "роллапы", "роллапов"),
        ("ночная смена", "ночные смены", "ночной смены", "ночных смен"),
        ("решение", "решения", "решений", "решениями"),
        ("ещё", "еще"),
        ("night shift", "night-shift", "night shifts"),
    ],
)
def test_every_form_of_a_word_finds_the_same(
    forms: tuple[str, ...], cli: Cli, real_shelf: Store
) -> None:
    answers = [found(cli, real_shelf, "--query", form) for form in forms]
    assert answers[0] and all(set(answer) == set(answers[0]) for answer in answers)


@pytest.mark.shared
def test_a_word_does_not_hit_in_the_middle_of_others(cli: Cli, real_shelf: Store) -> None:
    assert found(cli, real_shelf, "еж") == []


@pytest.mark.shared
@pytest.mark.parametrize(
    ("golden", "query"),
    [("search-redis.tsv", "redis"), ("search-ru.tsv", "Отклонено")],
)
def test_what_the_peer_finds_on_its_shelf_is_found(
    golden: str, query: str, cli: Cli, peer_shelf: Store, shared: Path
) -> None:
    rows = (shared / "data/peer-shelf-golden" / golden).read_text("utf-8").splitlines()
    addresses = {row.split("\t")[0] for row in rows if row}
    hits = asked(cli, peer_shelf, query, "--max-results", "50", "--past")["hits"]
    assert addresses <= {hit["address"] for hit in hits}
