"""Which episodes an output holds, and that hidden ones leave no trace in it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memshelf.domain.choosing import Choice, Chosen, LeftOut, chosen
from memshelf.domain.config import Config
from memshelf.domain.entry import entry_of
from memshelf.domain.episode import Episode, format_episode, parse_episode
from memshelf.domain.errors import EpisodeNotFound, ShelfError, UsageError
from memshelf.domain.finding import Finding
from memshelf.domain.graph import graph
from memshelf.domain.hiding import SHOWN, Hidden
from memshelf.domain.shelf import Recall, Shelf
from memshelf.domain.threads import decisions, threads

OLD, NEW, TEAM = "2026-01-05-old-plan", "2026-04-07-new-plan", "2026-05-01-team-notes"


def shelf_of(*episodes: Episode, visibility: str = "private", **rest: object) -> Shelf:
    files = {f"docs/topics/{one.id}.md": format_episode(one) for one in episodes}
    return Shelf.make(
        (entry_of(path, text) for path, text in files.items()),
        config=Config(name="Tides", visibility=visibility),
        load=lambda path: parse_episode(files[path], Path(path).stem),
        **rest,
    )


def episode(name: str, **fields: object) -> Episode:
    known = {"id": name, "digest": "Decided: yes.", "sections": (("Decisions", "- Yes"),)}
    return Episode.make(**(known | fields))


def names(found: Chosen) -> list[str]:
    return [entry.id for entry in found.inside]


# --- choosing --------------------------------------------------------------------------------

SHELF = shelf_of(
    episode(OLD, tags=["Café", "infra"], visibility="public"),
    episode("2026-02-11-lab", kind="research", tags=["lab"], visibility="team"),
    episode(NEW, tags=["infra"], supersedes=[OLD]),
    episode("2026-05-02-talk", kind="session", tags=["cafe"], visibility="public"),
)


@pytest.mark.parametrize(
    ("asked", "inside"),
    [
        ({}, ["2026-05-02-talk", NEW, "2026-02-11-lab", OLD]),
        ({"quarters": ["2026q1", "2026-Q3"]}, ["2026-02-11-lab", OLD]),
        ({"quarters": ["2026"], "tags": ["infra"]}, [NEW, OLD]),
        ({"quarters": ["2025"]}, []),
        ({"tags": ["cafe"]}, ["2026-05-02-talk", OLD]),
        ({"tags": ["cafe", "lab"], "quarters": ["2026Q1"]}, ["2026-02-11-lab", OLD]),
        ({"kinds": ["research", "session"]}, ["2026-05-02-talk", "2026-02-11-lab"]),
        ({"ids": [f"{NEW}.md"]}, [NEW]),
        ({"visibilities": ["public"]}, ["2026-05-02-talk", OLD]),
        ({"visibilities": ["team", "public"]}, ["2026-05-02-talk", "2026-02-11-lab", OLD]),
    ],
)
def test_of_one_kind_any_value_is_enough_and_of_several_kinds_all_must_hold(
    asked: dict[str, list[str]], inside: list[str]
) -> None:
    assert names(chosen(SHELF, Choice.make(**asked))) == inside


def test_what_is_left_out_is_named_with_its_reason_newest_first() -> None:
    found = chosen(SHELF, Choice.make(visibilities=["public", "team"], quarters=["2026Q1"]))
    assert found.left_out == (
        LeftOut("docs/topics/2026-05-02-talk.md", "2026-05-02-talk", "quarter"),
        LeftOut(f"docs/topics/{NEW}.md", NEW, "visibility"),
    )
    assert [one.id for one in found.visible_left_out] == ["2026-05-02-talk"]
    assert found.counts == {"visibility": 1, "quarter": 1}


def test_the_readers_are_not_told_of_words_that_only_hidden_episodes_have() -> None:
    asked = Choice.make(visibilities=["public"], ids=[NEW, OLD], tags=["lab", "infra"],
                        kinds=["research", "topic"])  # fmt: skip
    found = chosen(SHELF, asked)
    assert names(found) == [OLD]
    assert str(found.told) == f"tagged infra, of kind topic, {OLD}"


def test_what_is_only_not_chosen_still_counts() -> None:
    """A book of the first quarter says that a later episode replaced what stands in it."""
    found = chosen(SHELF, Choice.make(quarters=["2026Q1"]))
    assert found.shelf is SHELF and found.shelf.superseded == {OLD: (NEW,)}


def test_quarters_may_be_of_the_shelfs_own_year_or_of_the_calendar() -> None:
    shelf = Shelf.make(SHELF.entries, config=Config(fiscal_year_start=7))
    for label in ("2026Q1", "FY2026Q3"):
        assert names(chosen(shelf, Choice.make(quarters=[label]))) == ["2026-02-11-lab", OLD]
    for label in ("2026", "fy2026"):
        assert len(names(chosen(shelf, Choice.make(quarters=[label])))) == len(SHELF.entries)


def test_an_episode_without_a_date_is_in_no_quarter_but_in_the_whole() -> None:
    shelf = shelf_of(episode("note"))
    assert names(chosen(shelf, Choice())) == ["note"]
    assert chosen(shelf, Choice.make(quarters=["2026Q1"])).counts == {"quarter": 1}


@pytest.mark.parametrize(
    ("asked", "trouble", "said"),
    [
        ({"ids": ["new-plan"]}, EpisodeNotFound, f"Did you mean {NEW}?"),
        ({"ids": ["zzz"]}, EpisodeNotFound, "search WORDS"),
        ({"tags": ["infar"]}, ShelfError, "Did you mean infra?"),
        ({"kinds": ["sesion"]}, ShelfError, "Did you mean session?"),
        ({"tags": ["qqqqqq"]}, ShelfError, "No episode has the tag 'qqqqqq'."),
        ({"quarters": ["2026Q5"]}, UsageError, "'2026Q5' is no quarter."),
        ({"visibilities": ["pubic"]}, UsageError, "One of: private, team, public."),
    ],
)
def test_a_slip_of_the_hand_is_refused_with_what_may_be_meant(
    asked: dict[str, list[str]], trouble: type[ShelfError], said: str
) -> None:
    with pytest.raises(trouble) as caught:
        chosen(SHELF, Choice.make(**asked))
    assert said in str(caught.value)


def test_a_choice_of_nothing_says_so_and_why() -> None:
    private = shelf_of(episode(OLD), episode(NEW))
    with pytest.raises(ShelfError, match="None of 2 episodes is chosen") as caught:
        chosen(private, Choice.make(visibilities=["public"])).required()
    assert caught.value.code == "nothing-chosen" and "2 of them are not public" in caught.value.fix
    with pytest.raises(ShelfError, match=r"2026Q4, tagged infra or lab"):
        chosen(SHELF, Choice.make(quarters=["2026Q4"], tags=["infra", "lab"])).required()
    assert chosen(Shelf(), Choice()).required().inside == ()


def test_the_shelf_says_what_an_episode_is_that_says_nothing_and_no_word_is_private() -> None:
    shelf = shelf_of(episode(OLD), episode(NEW, visibility="Public!"), visibility="public")
    assert names(chosen(shelf, Choice.make(visibilities=["public"]))) == [OLD]
    assert names(chosen(shelf, Choice.make(visibilities=["private"]))) == [NEW]


# --- hiding ----------------------------------------------------------------------------------

SECRET = "2026-03-03-secret-merger"
TEXTS = (
    f"See {SECRET}.", f"_{SECRET}_ and **{SECRET}**", f"`{SECRET}`/t2", f"{SECRET}/d1のため",
    f"[that one](../topics/{SECRET}.md#decisions)", f"[x](<{SECRET}.md>)", f"x{SECRET}",
    f"docs/topics/{SECRET}.md", f"```\n{SECRET}\n```", f"[x][y]\n\n[y]: {SECRET}.md",
    "[x](2026-03-03-%73ecret-merger.md)", f"https://e.org/{SECRET}?a", f"{SECRET}-", f"{SECRET}_b",
)  # fmt: skip


def hidden_shelf() -> Shelf:
    text = "\n\n".join(TEXTS)
    items = "\n".join(f"- {line}" for line in TEXTS if "\n" not in line)
    return shelf_of(
        episode(SECRET, display_title="Secret", tags=["hush"], closes=[f"{OLD}/t1", TEAM],
                sections=(("Decisions", "- Buy"), ("Open threads", "- Pay"))),
        episode(
            OLD,
            visibility="public",
            display_title=f"After {SECRET}",
            description=f"Follows {SECRET}.",
            tags=[f"x-{SECRET}", "plain"],
            supersedes=[SECRET, f"{SECRET}/d1"],
            superseded_by=[SECRET],
            closes=[f"{SECRET}/t1"],
            digest=f"Decided after {SECRET}.",
            sections=(("Decisions", items), (f"On {SECRET}", text),
                      ("Open threads", f"{items}\n\nCloses {SECRET}/t1")),
            extra=(("see", (SECRET, "other")), ("map", f"to {SECRET}")),
        ),
        recalls=(Recall(SECRET, "", 5), Recall(OLD, "", 7)),
        problems=(Finding("error", "not-utf8", "It is not UTF-8.", "docs/topics/secret.md"),),
        files={"retros/2026Q1.md": "We bought them."},
    )  # fmt: skip


def test_a_hidden_episode_leaves_no_trace_in_what_is_shown() -> None:
    shelf = chosen(hidden_shelf(), Choice.make(visibilities=["public"])).shelf
    (entry,) = shelf.entries
    whole = shelf.load(entry.path)
    every = repr((entry[:-1], entry.facts, asdict(whole), threads(shelf), decisions(shelf),
                  graph(shelf), shelf.recalls, shelf.problems, shelf.files, shelf.superseded))  # fmt: skip
    for trace in ("merger", "Secret", "hush", "bought", "secret.md"):
        assert trace not in every, trace
    assert entry.title == f"After {SHOWN}" and entry.tags == (f"x-{SHOWN}", "plain")
    assert entry.supersedes == entry.superseded_by == entry.closes == ()
    assert whole.extra == (("see", (SHOWN, "other")), ("map", f"to {SHOWN}"))
    assert {thread.state for thread in threads(shelf)} == {"open"}
    assert graph(shelf).missing == () and shelf.recalls == (Recall(OLD, "", 7),)
    with pytest.raises(LookupError):
        shelf.load(f"docs/topics/{SECRET}.md")


def test_a_link_to_a_hidden_episode_keeps_its_words() -> None:
    hidden = Hidden([SECRET])
    assert hidden.text(f"As [we said](../x/{SECRET}.md#a), [a](b.md).") == (
        f"As [we said] {SHOWN}, [a](b.md)."
    )
    assert hidden.text(f"{SECRET}/t2 and ({SECRET})") == f"{SHOWN} and ({SHOWN})"


def test_names_that_only_begin_alike_stay() -> None:
    hidden = Hidden([SECRET, "note", "plan-b", "Файл"], [f"{SECRET}-two", OLD])
    for text in (f"{SECRET}-two", f"{SECRET}s", OLD, "note that", "plan-bc", "a note.mdx", "Файлы"):
        assert hidden.text(text) == text
    assert hidden.text("[n](note.md), plan-b, _plan-b_, Файл.md") == (
        f"[n] {SHOWN}, {SHOWN}, _{SHOWN}_, {SHOWN}"
    )


def test_of_two_episodes_with_one_id_the_visible_one_keeps_it() -> None:
    assert Hidden([OLD], [OLD]).text(OLD) == OLD


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("ab 1_-.*`/[]()é中\n"), max_size=8), st.text(max_size=8))
def test_whatever_stands_round_a_hidden_id_it_does_not_come_through(left: str, right: str) -> None:
    shown = Hidden([SECRET]).text(f"{left}{SECRET}{right}")
    assert SECRET not in shown or (right[:1].isascii() and right[:1].isalnum())


def test_nothing_is_taken_apart_where_all_may_be_seen() -> None:
    shelf = hidden_shelf()
    every = ["private", "team", "public"]
    assert chosen(shelf, Choice.make(visibilities=every)).shelf is shelf
    assert chosen(shelf, Choice()).shelf is shelf
