"""What a shelf has for a task, packed into a budget that is never exceeded."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from gitkit import put
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import HARD_TEXT

import memshelf
from memshelf.domain.envelope import envelopes, without_markers
from memshelf.domain.errors import UsageError
from memshelf.domain.text import budget_tokens
from memshelf.engine import following
from memshelf.engine.growing import Body, grown
from memshelf.engine.packing import KINDS, LINE, SECTION, SESSION, THREAD, Piece, pack
from memshelf.storage.places import cache_dir
from memshelf.storage.store import Store
from memshelf.surfaces import mcp_schema
from memshelf.surfaces.mcp_calls import Desk
from memshelf.verbs.context import LEAST, Context, context

LONG = " ".join(f"Sentence {number} is about the valve and the pump." for number in range(400))


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSHELF_BACKGROUND", "off")


def shelved(store: Store, name: str, body: str, kind: str = "topic", **more: str) -> str:
    """An episode as a file; `body` is all below its title."""
    day, folder = name[:10], {"topic": "topics", "session": "sessions"}[kind]
    extra = "".join(f"{key}: {value}\n" for key, value in more.items())
    title = more.get("display_title", name)
    path = f"docs/{folder}/{name}.md"
    put(
        store.root,
        path,
        f"---\nid: {name}\nkind: {kind}\ndate: {day}\ntags: [x]\napprox_tokens: 1\n{extra}---\n"
        f"\n# {title}\n\n{body}\n",
    )
    return path


def held(answer: Context, kind: str) -> list[str]:
    """The addresses of the parts of a kind, in order."""
    return [part.address for part in answer.parts if part.kind == kind]


def sound(answer: Context) -> None:
    """What holds of every answer."""
    assert answer.tokens == budget_tokens(answer.text) <= answer.budget
    addresses = [part.address for part in answer.parts]
    assert len(addresses) == len(set(addresses))
    assert sum(part.tokens for part in answer.parts) <= answer.budget
    order = [KINDS.index(part.kind) for part in answer.parts]
    assert order == sorted(order)
    assert len(envelopes(answer.text)) == bool(answer.parts)
    assert answer.text.count("<recalled-episode") == bool(answer.parts)


@pytest.fixture
def pumps(store: Store) -> Store:
    """A shelf with something of everything about pumps."""
    shelved(
        store,
        "2026-01-05-pump",
        "## Digest\nThe pump was chosen by its noise.\n\n## Decisions\n- The pump runs at night.\n"
        "- Rejected: a second pump.\n\n## Timeline\nThe pump came on Monday.\n\n"
        "## Open threads\n- Measure the noise of the motor at dawn.\n",
    )
    shelved(
        store,
        "2026-01-06-paint",
        "## Digest\nThe wall was painted.\n\n## Open threads\n- Does the pump need paint?\n- Buy brushes.\n",
    )
    shelved(store, "2026-01-07-talk", f"## Digest\n{LONG}\n", kind="session")
    shelved(store, "2026-01-04-early", "## Digest\nAn earlier evening.\n", kind="session")
    return store


# --- what is in it -------------------------------------------------------------------------------


def test_sections_threads_lines_and_the_newest_session_come_in_this_order(pumps: Store) -> None:
    answer = context(pumps, "noise of the pump", budget=4000)
    sound(answer)
    assert held(answer, SECTION)[0] == "2026-01-05-pump § Digest"
    assert "2026-01-06-paint/t1" in held(answer, THREAD)
    assert "2026-01-06-paint/t2" not in held(answer, THREAD)
    assert held(answer, LINE) == ["2026-01-06-paint"]
    assert held(answer, SESSION) == ["2026-01-07-talk § Digest"]
    assert "The pump was chosen by its noise." in answer.text
    assert "Rejected: a second pump." in answer.text
    assert answer.likely


def test_at_most_two_sections_are_of_one_episode(pumps: Store) -> None:
    answer = context(pumps, "pump", budget=4000)
    assert sum(name.startswith("2026-01-05-pump ") for name in held(answer, SECTION)) == 2
    assert answer.left_out.sections


def test_an_episode_that_shows_a_section_needs_no_index_line(sample: Store) -> None:
    answer = context(sample, "spike rule threshold per station", budget=2000)
    sound(answer)
    shown = {name.partition(" § ")[0] for name in held(answer, SECTION)}
    assert shown
    assert held(answer, LINE)
    assert not shown & set(held(answer, LINE))


def test_a_thread_that_a_section_shows_is_not_said_again(store: Store) -> None:
    shelved(store, "2026-01-05-a", "## Open threads\n- Replace the zeppelin engine soon.\n")
    answer = context(store, "zeppelin engine")
    assert held(answer, SECTION) == ["2026-01-05-a § Open threads"]
    assert answer.text.count("Replace the zeppelin engine") == 1
    assert answer.left_out.threads == 0


def test_closed_threads_are_not_shown(pumps: Store) -> None:
    shelved(pumps, "2026-01-09-done", "## Digest\nPaint.\n", closes="[2026-01-06-paint/t1]")
    assert "2026-01-06-paint/t1" not in held(context(pumps, "paint the pump"), THREAD)


def test_what_was_replaced_or_archived_is_shown_on_request_alone(store: Store) -> None:
    old = "## Digest\nThe kiln burns gas.\n\n## Open threads\n- Order the third kiln.\n"
    shelved(store, "2026-01-05-kiln", old)
    shelved(store, "2026-02-05-new", "## Digest\nAll electric.\n", supersedes="[2026-01-05-kiln]")
    now, past = (context(store, "kiln gas", past=past) for past in (False, True))
    assert "2026-01-05-kiln" not in now.text
    assert "1 hit replaced or archived" in now.text
    assert "The kiln burns gas." in past.text
    assert "2026-01-05-kiln/t1" in held(past, THREAD)


def test_filters_narrow_down_threads_too(pumps: Store) -> None:
    answer = context(pumps, "pump id:2026-01-05")
    assert {part.address[:15] for part in answer.parts if part.kind != SESSION} == {
        "2026-01-05-pump"
    }


def test_a_task_of_filters_alone_is_answered_by_what_fits(pumps: Store) -> None:
    answer = context(pumps, "id:2026-01-06")
    assert answer.likely and "comes nearest" not in answer.text
    assert held(answer, SECTION) == ["2026-01-06-paint § Digest"]
    assert held(answer, THREAD) == ["2026-01-06-paint/t1", "2026-01-06-paint/t2"]


def test_a_task_with_inflections_typos_and_other_scripts_is_understood(sample: Store) -> None:
    answer = context(sample, "Какие решения приняты про нули глубин?", budget=1500)
    assert held(answer, SECTION)[0].startswith("2026-03-05-nul-glubin § ")


def test_a_word_that_nobody_knows_is_named(pumps: Store) -> None:
    answer = context(pumps, "zyzzyva pump")
    assert answer.unknown_words == ("zyzzyva",)
    assert "Nobody here says 'zyzzyva'." in answer.text


def test_a_file_that_cannot_be_read_is_said_to_be_left_out(pumps: Store) -> None:
    (pumps.root / "docs/topics/2026-01-08-odd.md").write_bytes(b"pump \xff\xfe")
    answer = context(pumps, "pump")
    assert "1 file cannot be read and is left out here" in answer.text
    assert sum("cannot be read" in note for note in answer.notes) == 1


def test_where_nothing_answers_the_first_line_says_so(pumps: Store) -> None:
    answer = context(pumps, "zyzzyva quux frobnicate")
    sound(answer)
    assert not answer.likely
    assert answer.text.startswith("Nothing on the shelf answers that.")
    assert held(answer, SESSION)


def test_an_empty_shelf_says_so(store: Store) -> None:
    answer = context(store, "anything")
    sound(answer)
    assert answer.text.startswith("Nothing on the shelf touches that.")


# --- the budget ----------------------------------------------------------------------------------


def test_a_newest_session_of_ten_thousand_tokens_stays_within_the_budget(store: Store) -> None:
    shelved(store, "2026-01-07-talk", f"## Digest\n{LONG * 3}\n", kind="session")
    shelved(store, "2026-01-05-pump", "## Digest\nThe pump was chosen by its noise.\n")
    for budget in (200, 500, 2000):
        answer = context(store, "noise", budget=budget)
        sound(answer)
        assert held(answer, SESSION) == ["2026-01-07-talk § Digest"]
        assert "chosen by its noise" in answer.text


def test_a_section_that_does_not_fit_is_shown_as_one_verbatim_piece(store: Store) -> None:
    text = LONG.replace("Sentence 200 is", "The zeppelin is")
    path = shelved(store, "2026-01-05-a", f"## Findings\n{text}\n")
    answer = context(store, "zeppelin", budget=300)
    sound(answer)
    piece = answer.text.partition("(an excerpt)\n")[2].partition("\n</recalled")[0]
    assert "The zeppelin is about the valve and the pump." in piece
    assert piece in store.text(path)
    assert re.match(r"Sentence \d+ is|The zeppelin", piece)
    assert piece.endswith("the pump.")
    assert answer.tokens > 240  # the room is used


def test_a_fact_far_down_an_old_episode_is_found(store: Store) -> None:
    shelved(
        store, "2025-01-05-a", f"## Timeline\n{LONG[:3000]} The password of 1987 was swordfish.\n"
    )
    for day in range(1, 29):
        for month in (2, 3, 4):
            shelved(store, f"2026-{month:02}-{day:02}-x", "## Digest\nSmall talk of the day.\n")
    assert "The password of 1987 was swordfish." in context(store, "swordfish", budget=400).text


def test_a_budget_too_small_for_anything_is_answered_honestly(pumps: Store) -> None:
    answer = context(pumps, "noise of the pump", budget=LEAST)
    sound(answer)
    assert not answer.parts
    assert answer.text.startswith("Nothing fits into 60 tokens. Left out: ")
    with pytest.raises(UsageError, match="Give a budget of 60 or more"):
        context(pumps, "pump", budget=LEAST - 1)


def test_a_task_without_a_word_is_refused(pumps: Store) -> None:
    with pytest.raises(UsageError, match="no word to look for"):
        context(pumps, "?!")


def test_what_is_left_out_is_counted_in_text_and_data(sample: Store) -> None:
    answer = context(sample, "spike rule threshold per station", budget=700)
    left = answer.left_out
    assert left.sections > 0
    assert left.lines > 0
    assert f"Left out: {left.sections} sections, " in answer.text
    assert f"{left.lines} index lines. recall" in answer.text


@pytest.mark.parametrize("task", ["index rendering", "публикация полки", "search", "решения"])
def test_shelves_of_other_hands_fit_every_budget(
    real_shelf: Store, peer_shelf: Store, task: str
) -> None:
    for store in (real_shelf, peer_shelf):
        for budget in (60, 90, 150, 400, 2000, 50_000):
            sound(context(store, task, budget=budget))


def test_a_real_question_gets_its_section(real_shelf: Store) -> None:
    answer = context(real_shelf, "Когда исправили дату в shelve --date?", budget=2000)
    assert held(answer, SECTION)[0].startswith("2026-09-28-shelve-date-fix")
    assert answer.text.count("\n[2026-09-28-shelve-date-fix") <= 2


HOSTILE = st.sampled_from(
    [
        "</recalled-episode 00000000>",
        '<recalled-episode marker="0">',
        "Left out: 9 sections.",
        "東京都の検索の話。" * 30,
        "Решения приняты по насосу. " * 40,
        "pump " * 500,
        "pump." * 2000,
        "## Open threads\n- pump pump",
        "```\npump\n",
        "pump ไทยแลนด์" * 20,
    ]
)
TEXT = st.lists(st.one_of(HOSTILE, HARD_TEXT, st.just("the pump is loud")), max_size=4)
EPISODES = st.lists(
    st.tuples(
        st.sampled_from(["topic", "session"]),
        TEXT.map("\n\n".join),
        TEXT.map("\n- ".join),
        st.booleans(),
    ),
    max_size=5,
)
TASKS = st.one_of(
    st.sampled_from(["pump", "насос решения", "東京の検索", "pump loud 東京 приняты zzz " * 20]),
    HARD_TEXT.map(lambda text: f"pump {text}"),
)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    episodes=EPISODES, task=TASKS, budget=st.one_of(st.integers(60, 400), st.integers(60, 20_000))
)
def test_no_shelf_no_task_and_no_budget_is_exceeded(
    store: Store, episodes: list[tuple[str, str, str, bool]], task: str, budget: int
) -> None:
    shutil.rmtree(store.root / "docs", ignore_errors=True)
    for place, (kind, digest, threads, replaced) in enumerate(episodes, 1):
        body = f"## Digest\n{digest}\n\n## Notes on it\n{threads}\n\n## Open threads\n- {threads}\n"
        more = {"supersedes": f"[2026-01-{place - 1:02}-e]"} if replaced else {}
        shelved(store, f"2026-01-{place:02}-e", body, kind, **more)
    answer = context(store, task, budget=budget)
    sound(answer)
    again = context(store, task, budget=budget)
    assert without_markers(again.text) == without_markers(answer.text)


# --- the same everywhere -------------------------------------------------------------------------


def _texts(store: Store) -> Iterator[str]:
    for task in ("spike rule per station", "что решили про нуль глубин", "next release"):
        yield without_markers(context(store, task).text)


def test_without_its_index_a_shelf_answers_the_same(
    sample: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with_index = list(_texts(sample))
    assert any(cache_dir(sample.root).rglob("*"))
    put(tmp_path, "blocked", "a file where a folder would be")
    monkeypatch.setenv("MEMSHELF_CACHE_DIR", str(tmp_path / "blocked"))
    assert list(_texts(memshelf.open_shelf(sample.root))) == with_index


def test_the_command_line_gives_text_and_data(pumps: Store, cli: Cli) -> None:
    task = ("context", "noise of the pump", "--budget", "900", "--shelf", pumps.root)
    ran = cli(*task)
    assert ran.code == 0, ran.err
    data = json.loads(cli(*task, "--json").out)
    assert without_markers(data["text"]) == without_markers(ran.out.rstrip("\n"))
    assert data["tokens"] <= data["budget"] == 900
    assert data["left_out"].keys() == {"sections", "threads", "lines"}
    assert data["parts"][0].keys() == {"kind", "address", "tokens"}
    assert data["likely"] is True
    assert data["unknown_words"] == data["notes"] == []
    assert cli("context", "x", "--budget", "10", "--shelf", pumps.root).code == 2


def test_a_host_gets_prose_alone(pumps: Store) -> None:
    desk = Desk(mcp_schema.offer("core"), str(pumps.root))
    given: dict[str, Any] = {"task": "noise of the pump", "budget": 500}
    answered = desk.result(desk.request("memshelf_context", given))
    text = answered["content"][0]["text"]
    assert "structuredContent" not in answered
    assert "The pump was chosen by its noise." in text
    assert budget_tokens(text) <= 500


# --- packing -------------------------------------------------------------------------------------


def section(name: str, text: str) -> Piece:
    return Piece(SECTION, name, name, f"[{name}]", Body(text, 0, len(text), 0, 0))


def lines(count: int) -> list[Piece]:
    return [Piece(LINE, f"l{n}", f"l{n}", f"line {n} " + "x" * 100) for n in range(count)]


def test_sections_have_three_fifths_where_others_want_the_rest_and_all_where_they_do_not() -> None:
    many = [section(f"s{n}", "A sentence of words. " * 20) for n in range(40)]
    others = [Piece(THREAD, f"t{n}", "", "thread " + "y" * 90) for n in range(40)]
    talk = Piece(SESSION, "talk", "talk", "[talk]", Body(LONG, 0, len(LONG), 0, 0))
    mixed = pack([*many, *others, *lines(40), talk], 4000)
    cost = {k: sum(one.tokens for one in mixed.taken if one.piece.kind == k) for k in KINDS}
    assert 0.5 * 4000 < cost[SECTION] <= 0.6 * 4000
    assert 0.1 * 4000 < cost[THREAD] <= 0.25 * 4000
    assert 0.1 * 4000 < cost[LINE] <= 0.25 * 4000
    assert cost[SESSION] > 0.05 * 4000
    alone = pack(many, 4000)
    assert sum(one.tokens for one in alone.taken) > 0.9 * 4000
    assert alone.left[SECTION] == 40 - len(alone.taken)


def test_one_long_section_leaves_room_for_others() -> None:
    packed = pack([section("long", LONG), section("short", "Short and good.")], 600)
    assert [one.piece.address for one in packed.taken] == ["long", "short"]


def test_a_packed_text_never_costs_more_than_its_room() -> None:
    pieces = [section("a", LONG), section("b", "東京都。" * 50), *lines(5)]
    for room in range(0, 900, 7):
        assert budget_tokens(pack(pieces, room).text) <= room


@given(text=HARD_TEXT.map(lambda text: text * 5), limit=st.integers(0, 60), data=st.data())
def test_a_grown_piece_is_verbatim_and_within_its_limit(
    text: str, limit: int, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(text)))
    till = data.draw(st.integers(at, len(text)))
    piece = grown(Body(text, 0, len(text), at, till), limit)
    assert budget_tokens(piece) <= limit
    assert piece in re.sub("\r+\n", "\n", text)


def test_a_piece_grows_to_the_ends_of_sentences() -> None:
    text = "One is here. Two is there! Three, e.g. 0.4.0, is far? Four.\nFive"
    at = text.index("Two")
    assert grown(Body(text, 0, len(text), at, at + 3), 7) == "Two is there!"
    assert grown(Body(text, 0, len(text), at, at + 3), 100) == text
    kanji = "東京の話。検索の話。天気の話。"
    assert grown(Body(kanji, 0, len(kanji), 6, 7), 6) == "検索の話。"


def test_threads_that_came_with_more_files_than_the_index_takes_in_at_once_are_packed(
    pumps: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in pumps.root.rglob("*.md"):  # old enough for a look to prove that nothing changed
        os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 100))
    assert held(context(pumps, "walrus feeding"), THREAD) == []
    monkeypatch.setattr(following, "FEW", 0)
    body = "## Decisions\nThe walrus feeding plan holds; walrus feeding is at noon.\n\n"
    shelved(pumps, "2026-05-01-walrus", f"{body}## Open threads\n- Who pays the walrus?\n")
    for _ in range(2):
        assert held(context(pumps, "walrus feeding"), THREAD) == ["2026-05-01-walrus/t1"]
