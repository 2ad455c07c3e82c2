from __future__ import annotations

import pytest
from support import episode

from memshelf.domain.entry import Entry, entry_of
from memshelf.domain.graph import DECIDED, MENTIONS, REPLACES, Edge, graph
from memshelf.domain.items import choices, items
from memshelf.domain.mentions import closing_lines
from memshelf.domain.shelf import Shelf
from memshelf.domain.threads import (
    CARRIED,
    CLOSED,
    OPEN,
    Decision,
    Thread,
    decisions,
    open_threads,
    threads,
)

FIRST, SECOND, THIRD = "2026-01-05-first", "2026-02-05-second", "2026-03-05-third"


def texts(body: str) -> list[str]:
    return [item.text for item in items(body)]


def entry(name: str, opened: str = "none", front: str = "", extra: str = "") -> Entry:
    text = episode(name, name).replace("- Choose an eviction policy.\n", f"{opened}\n{extra}")
    return entry_of(f"docs/topics/{name}.md", text.replace("mode: live\n", f"mode: live\n{front}"))


def found(*entries: Entry) -> dict[str, Thread]:
    return {thread.address: thread for thread in threads(Shelf.make(entries))}


# --- items -----------------------------------------------------------------------------------


def test_the_items_are_the_top_level_list_items_with_what_belongs_to_them() -> None:
    body = "Prose before.\n\n- one\n  goes on\n  - nested\n- [ ] two\n\n  its paragraph\n* * *\n- three"
    assert texts(body) == ["one goes on - nested", "two its paragraph", "three"]
    assert texts("1. one\n2. two\n10) three") == ["one", "two", "three"]


def test_without_a_list_each_line_is_one() -> None:
    assert texts("Alert on lock age.\nRotate the key.\n\nThird.") == [
        *("Alert on lock age.", "Rotate the key.", "Third."),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "none",
        "None.",
        "- none",
        "нет",
        "Нет.",
        "-",
        "—",
        "- n/a",
        "なし",
        "无",
        "keine",
        "* нет",
        "***",
        "nothing",
    ],
)
def test_words_for_none_are_no_item(body: str) -> None:
    assert items(body) == []


def test_code_blocks_are_not_read() -> None:
    assert texts("- a\n\n```\n- no\n```\n- b") == ["a", "b"]


def test_a_rejected_option_in_a_list_below_its_decision_is_one_and_whole() -> None:
    body = (
        "- Redis.\n  Because it is there.\n  - Rejected: memcached. It forgets\n    on Mondays.\n"
        "    - and Tuesdays\n  - Port 6379\n  1. Verworfen: nichts tun.\n- Keep it.\n"
    )
    assert [(choice.text, choice.rejected) for choice in choices(body)] == [
        (
            "Redis. Because it is there. - Port 6379",
            (
                "Rejected: memcached. It forgets on Mondays. - and Tuesdays",
                "Verworfen: nichts tun.",
            ),
        ),
        ("Keep it.", ()),
    ]


def test_sentences_of_scripts_without_spaces_stay_together() -> None:
    (choice,) = choices(
        "- 用語は海図に合わせる。満潮、干潮。\n  - 不採用：機械翻訳。「高い水」になった。"
    )
    assert choice.text == "用語は海図に合わせる。満潮、干潮。"
    assert choice.rejected == ("不採用：機械翻訳。「高い水」になった。",)


def test_of_several_reversals_the_first_counts_whether_of_one_decision_or_of_all() -> None:
    old = entry(FIRST)
    whole = entry(SECOND, front=f"supersedes: [{FIRST}]\n")
    single = entry(THIRD, front=f"supersedes: [{FIRST}/d1]\n")
    for later in ((whole, single), (single, whole)):
        made = next(d for d in decisions(Shelf.make([old, *later])) if d.episode == FIRST)
        assert (made.reversed_by, made.reversed_on) == (SECOND, "2026-02-05")


def test_two_files_with_one_id_have_the_threads_of_the_later_and_what_only_the_other_has() -> None:
    live = entry(FIRST, "- one\n- two")
    archived = live._replace(path=f"zz/docs/topics/{FIRST}.md")
    other = entry(FIRST, "- [x] uno\n- due\n- tre")._replace(path=f"aa/docs/topics/{FIRST}.md")
    shelf = Shelf.make([other, archived, entry(SECOND, front=f"closes: [{FIRST}/t3]\n")])
    found = {thread.address: (thread.text, thread.state) for thread in threads(shelf)}
    assert found == {
        f"{FIRST}/t1": ("one", OPEN),
        f"{FIRST}/t2": ("two", OPEN),
        f"{FIRST}/t3": ("tre", CLOSED),
    }
    assert open_threads(shelf) == 2


def test_a_ticked_box_is_known_and_taken_off() -> None:
    assert [tuple(item) for item in items("- [x] done\n- [ ] open\n- [X] also")] == [
        *(("done", True), ("open", False), ("also", True)),
    ]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("- Redis.\n- Rejected: memcached.", [("Redis.", ("Rejected: memcached.",))]),
        (
            "- Redis. Rejected: memcached, too old.",
            [("Redis.", ("Rejected: memcached, too old.",))],
        ),
        (
            "- Redis.\n  Rejected: a.\n  Rejected: b.\n- Next.",
            [("Redis.", ("Rejected: a.", "Rejected: b.")), ("Next.", ())],
        ),
        (
            "- Redis. Rejected: memcached (approx. ten servers). It stays.",
            [("Redis. It stays.", ("Rejected: memcached (approx. ten servers).",))],
        ),
        (
            "- Взяли Б. Отклонено: А (ради 1–2 тыс. чанков).",
            [("Взяли Б.", ("Отклонено: А (ради 1–2 тыс. чанков).",))],
        ),
        ("- Отклонено: А.", [("Отклонено: А.", ())]),
        ("- Взяли Б.\n- Отклонено: А.", [("Взяли Б.", ("Отклонено: А.",))]),
        (
            "- Redis gewählt.\n- Verworfen: memcached.",
            [("Redis gewählt.", ("Verworfen: memcached.",))],
        ),
        ("- Redisにする。\n- 不採用：memcached", [("Redisにする。", ("不採用：memcached",))]),
        ("- The rejected patch is kept.", [("The rejected patch is kept.", ())]),
        ("- **Rejected**: x", [("**Rejected**: x", ())]),
    ],
)
def test_what_was_rejected_belongs_to_the_decision_before_it(
    body: str, wanted: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert [tuple(choice) for choice in choices(body)] == wanted


# --- mentions --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "see 2026-01-05-end and `2026-01-05-endless`, 2026-01-05-end-2.",
            ("2026-01-05-end", "2026-01-05-endless", "2026-01-05-end-2"),
        ),
        (
            "[x](../topics/2026-01-05-end.md) [y](../topics/old-name.md#decisions)",
            ("2026-01-05-end", "old-name"),
        ),
        ("x2026-01-05-end 12026-01-05-end a-2026-01-05-end", ()),
        ("(2026-01-05-end)", ("2026-01-05-end",)),
        ("2026-01-05-end twice 2026-01-05-end", ("2026-01-05-end",)),
        ("on 2026-01-05 nothing", ()),
        ("см. 2026-01-05-конец, 2026-01-05-конец-2", ("2026-01-05-конец", "2026-01-05-конец-2")),
    ],
)
def test_a_bare_id_or_a_link_names_an_episode(text: str, wanted: tuple[str, ...]) -> None:
    mentions = entry(FIRST, extra=f"\n## Notes\n{text}\n").mentions
    assert {name for name, section in mentions if section == "Notes"} == set(wanted)
    assert len(mentions) == len(set(mentions))


def test_a_line_that_closes_names_addresses() -> None:
    text = f"- Closes {FIRST}/t2, {SECOND}.\nIt discloses {THIRD}.\nЗакрывает {THIRD}/t1"
    assert closing_lines(text) == (f"{FIRST}/t2", SECOND, f"{THIRD}/t1")


# --- threads ---------------------------------------------------------------------------------


def test_a_thread_has_an_address_and_the_date_of_its_episode() -> None:
    thread = found(entry(FIRST, "- a\n- b"))[f"{FIRST}/t2"]
    assert (thread.text, thread.date, thread.state, thread.since) == (
        "b",
        "2026-01-05",
        OPEN,
        "2026-01-05",
    )


@pytest.mark.parametrize(
    "later",
    [
        entry(SECOND, front=f"closes: [{FIRST}/t2]\n"),
        entry(SECOND, extra=f"\n## Artifacts\nCloses {FIRST}/t2\n"),
    ],
)
def test_a_later_episode_closes_one_thread_by_its_address(later: Entry) -> None:
    threads = found(entry(FIRST, "- a\n- b"), later)
    assert [threads[f"{FIRST}/t{n}"].state for n in (1, 2)] == [OPEN, CLOSED]
    assert threads[f"{FIRST}/t2"].closed_by == SECOND


def test_a_bare_id_closes_all_threads_of_its_episode_and_a_mention_none() -> None:
    first = entry(FIRST, "- a\n- b")
    closed = found(first, entry(SECOND, front=f"closes: [{FIRST}]\n"))
    assert {thread.state for thread in closed.values()} == {CLOSED}
    mentioned = found(first, entry(SECOND, extra=f"\n## Notes\nSee {FIRST} and {FIRST}/t1.\n"))
    assert {thread.state for thread in mentioned.values()} == {OPEN}


def test_an_earlier_episode_closes_nothing_of_a_later_one() -> None:
    threads = found(entry(FIRST, front=f"closes: [{SECOND}]\n"), entry(SECOND, "- a"))
    assert threads[f"{SECOND}/t1"].state == OPEN


def test_a_ticked_box_closes_its_own_thread() -> None:
    thread = found(entry(FIRST, "- [x] a\n- [ ] b"))[f"{FIRST}/t1"]
    assert (thread.state, thread.closed_by) == (CLOSED, FIRST)


def test_a_thread_carried_on_counts_once_with_the_age_of_the_first() -> None:
    threads = found(
        entry(FIRST, "- choose the eviction policy\n- rotate keys"),
        entry(SECOND, f"- the eviction policy of {FIRST} is still open"),
        entry(THIRD, f"- see {SECOND}/t1, the policy"),
    )
    states = {address: thread.state for address, thread in threads.items()}
    assert states == {
        f"{FIRST}/t1": CARRIED,
        f"{FIRST}/t2": OPEN,
        f"{SECOND}/t1": CARRIED,
        f"{THIRD}/t1": OPEN,
    }
    last = threads[f"{THIRD}/t1"]
    assert (last.since, last.first, last.age("2026-03-15")) == ("2026-01-05", f"{FIRST}/t1", 69)


def test_the_state_does_not_depend_on_the_order_in_which_files_are_read() -> None:
    entries = [
        entry(FIRST, "- a\n- b"),
        entry(SECOND, f"- b of {FIRST}/t2", front=f"closes: [{FIRST}/t1]\n"),
        entry(THIRD, "- c", front=f"closes: [{SECOND}/t1]\n"),
    ]
    assert found(*entries) == found(*reversed(entries))
    assert found(*entries)[f"{FIRST}/t2"].state != OPEN


def test_the_state_of_a_thread_on_a_day_of_the_past_is_known() -> None:
    threads = found(
        entry(FIRST, "- choose a policy"),
        entry(SECOND, f"- the policy of {FIRST} is still open"),
        entry(THIRD, front=f"closes: [{FIRST}/t1, {SECOND}/t1]\n"),
    )
    first, second = threads[f"{FIRST}/t1"], threads[f"{SECOND}/t1"]
    assert [first.on(day).state for day in (FIRST[:10], SECOND[:10], THIRD[:10])] == [
        OPEN,
        CARRIED,
        CLOSED,
    ]
    assert (first.state, second.closed_by, second.on(SECOND[:10]).closed_by) == (CLOSED, THIRD, "")


def deciding(name: str, body: str) -> Entry:
    text = episode(name, name).replace("- Redis for the cache.\n- Rejected: memcached.", body)
    return entry_of(f"docs/topics/{name}.md", text)


def decided(*entries: Entry) -> dict[str, Decision]:
    return {decision.address: decision for decision in decisions(Shelf.make(entries))}


def test_a_decision_stands_until_a_later_episode_supersedes_it_or_its_whole_episode() -> None:
    first = deciding(FIRST, "- Redis. Rejected: memcached.\n- TTL of an hour.")
    found = decided(first, entry(SECOND, front=f"supersedes: [{FIRST}/d2]\n"))
    assert [found[f"{FIRST}/d{n}"].stands for n in (1, 2)] == [True, False]
    assert found[f"{FIRST}/d1"].rejected == ("Rejected: memcached.",)
    assert (found[f"{FIRST}/d2"].reversed_by, found[f"{FIRST}/d2"].reversed_on) == (
        SECOND,
        SECOND[:10],
    )
    assert found[f"{FIRST}/d2"].on(FIRST[:10]).stands
    whole = decided(first, entry(THIRD, front=f"supersedes: [{FIRST}]\n"))
    assert {whole[f"{FIRST}/d{n}"].reversed_by for n in (1, 2)} == {THIRD}


def test_an_earlier_episode_reverses_nothing() -> None:
    later = deciding(SECOND, "- Redis.")
    assert decided(entry(FIRST, front=f"supersedes: [{SECOND}]\n"), later)[f"{SECOND}/d1"].stands


def test_an_edge_says_in_which_section_and_why_an_episode_is_named() -> None:
    shelf = Shelf.make(
        [
            entry(FIRST),
            deciding(SECOND, f"- As in {FIRST}.\n\n## Notes\n{FIRST} {SECOND}"),
            entry(THIRD, front=f"supersedes: [{SECOND}]\n", extra="\n## Notes\n2020-01-01-gone\n"),
        ]
    )
    made = graph(shelf)
    assert made.edges == (
        Edge(SECOND, FIRST, "Decisions", DECIDED),
        Edge(SECOND, FIRST, "Notes", MENTIONS),
        Edge(THIRD, SECOND, "", REPLACES),
    )
    assert [edge.target for edge in made.missing] == ["2020-01-01-gone"]
    assert made.mentioned == {FIRST: 1, SECOND: 1}
