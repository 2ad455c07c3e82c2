"""The lists of threads and decisions, and how a thread is closed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import files_of, git, put, status
from support import add, episode

import memshelf
from memshelf.domain.about import About
from memshelf.domain.entry import entry_of
from memshelf.domain.errors import ShelfError
from memshelf.domain.following import mentioned_since
from memshelf.domain.mentions import numbers
from memshelf.domain.shelf import Shelf
from memshelf.domain.threads import threads
from memshelf.storage.store import Store

GOLDEN = Path(__file__).parent / "golden" / "threads"
FIRST, SECOND, THIRD = "2026-01-05-first", "2026-02-05-second", "2026-03-05-third"


def text(name: str, opened: str = "", more: str = "", front: str = "") -> str:
    """An episode that leaves something open; `more` stands behind it, `front` in front matter."""
    made = episode(name, name).replace(
        "- Choose an eviction policy.\n", f"{opened or 'none'}\n{more}"
    )
    return made.replace("mode: live\n", f"mode: live\n{front}")


def shelf_of(**texts: str) -> Shelf:
    return Shelf.make(entry_of(f"docs/topics/{n}.md", t) for n, t in texts.items())


# --- words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "held"),
    [
        ("redis", True),
        ("REDIS cache", True),
        ("redis memcached", False),
        ("cafe", True),
        ("漢字", True),
        ("ключ", True),
        ("C++", True),
        ("c+++", False),
    ],
)
def test_every_word_must_stand_in_the_text(asked: str, held: bool) -> None:
    assert About.of(asked).holds("Redis, the Cache of the Café: 漢字を読む, Ключи, C++") is held


def test_words_may_stand_in_the_text_the_title_or_a_tag(cli: Cli, store: Store) -> None:
    add(store, text(FIRST, "- Choose a policy.\n- Rotate keys."), f"docs/topics/{FIRST}.md")
    add(store, text(SECOND, "- Buy a boat."), f"docs/topics/{SECOND}.md")

    def found(words: str) -> list[str]:
        data = json.loads(cli("threads", "--about", words, "--json", "--shelf", store.root).out)
        return [thread["address"] for thread in data["threads"]]

    assert found("policy") == [f"{FIRST}/t1"]
    assert found("first keys") == [f"{FIRST}/t2"]
    assert len(found("infra")) == 3
    assert found("policy boat") == []


def test_words_of_a_decision_may_stand_in_what_was_rejected(cli: Cli, sample: Store) -> None:
    ran = cli("decisions", "--about", "memcached", "--shelf", sample.root)
    assert "None that was asked for." in ran.out
    ran = cli("decisions", "--about", "keys statistics", "--state", "all", "--shelf", sample.root)
    assert "2026-02-04-public-api-v1/d2" in ran.out


# --- mentioned since ---------------------------------------------------------------------------


def test_a_number_is_one_that_stands_by_itself() -> None:
    assert numbers("#208, (PR #209) #208; C# 5, x#3, &#39;, ##4, #12345678, #7a, /#8") == (
        *("208", "209", "8"),
    )


def test_a_thread_says_where_its_episode_or_its_number_was_named_since() -> None:
    shelf = shelf_of(
        **{
            FIRST: text(FIRST, "- Merge #12\n- Other", "\n## Notes\nSee #12.\n"),
            SECOND: text(SECOND, more=f"\n## Notes\nAs in {FIRST}.\n"),
            THIRD: text(THIRD, more="\n## Notes\nMerged PR #12, not #120.\n"),
            "2025-12-01-before": text("2025-12-01-before", more="\n## Notes\n#12\n"),
        }
    )
    found = mentioned_since(shelf, threads(shelf))
    assert found == {f"{FIRST}/t1": (THIRD, SECOND), f"{FIRST}/t2": (SECOND,)}


def test_a_mention_closes_nothing(cli: Cli, sample: Store) -> None:
    data = json.loads(cli("threads", "--json", "--shelf", sample.root).out)
    mentioned = [t for t in data["threads"] if t["mentioned_since"]]
    assert mentioned and {t["state"] for t in mentioned} == {"open"}


# --- lists -------------------------------------------------------------------------------------

CASES: dict[str, tuple[str, ...]] = {
    "threads.txt": ("threads",),
    "all-threads.json": ("threads", "--state", "all", "--json"),
    "threads-about.txt": ("threads", "--about", "print", "--state", "all"),
    "decisions.txt": ("decisions",),
    "reversed.txt": ("decisions", "--state", "reversed"),
    "reversed.json": ("decisions", "--state", "reversed", "--json"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_sample_is_as_the_golden_file_shows_it(
    name: str, cli: Cli, sample: Store, update: bool
) -> None:
    ran = cli(*CASES[name], "--shelf", sample.root)
    assert (ran.code, ran.err) == (0, "")
    if update:
        put(GOLDEN, name, ran.out)
    assert ran.out == (GOLDEN / name).read_text("utf-8")


def test_threads_are_oldest_first_and_decisions_newest_first(sample: Store) -> None:
    since = [thread.since for thread in memshelf.threads(sample, state="all").threads]
    assert since == sorted(since)
    made = [decision.date for decision in memshelf.decisions(sample, state="all").decisions]
    assert made == sorted(made, reverse=True)


def test_the_decisions_of_an_episode_stand_in_their_order(store: Store) -> None:
    made = text(FIRST).replace("- Redis for the cache.\n- Rejected: memcached.", "- a\n- b\n- c")
    add(store, made, f"docs/topics/{FIRST}.md")
    assert [d.text for d in memshelf.decisions(store).decisions] == ["a", "b", "c"]


@pytest.mark.parametrize("verb", ["threads", "decisions"])
def test_a_list_that_is_cut_says_so(verb: str, cli: Cli, sample: Store) -> None:
    words = (verb, "--max-results", "2", "--shelf", sample.root)
    data = json.loads(cli(*words, "--json").out)
    assert len(data[verb]) == 2 and data["left"] > 0
    assert f"{data['left']} more" in cli(*words).out
    assert cli(verb, "--max-results", "0", "--shelf", sample.root).code == 2


@pytest.mark.parametrize("verb", ["threads", "decisions"])
def test_an_empty_shelf_has_none(verb: str, cli: Cli, store: Store) -> None:
    ran = cli(verb, "--shelf", store.root)
    said = {"threads": 'section "Open threads"', "decisions": 'section "Decisions"'}
    assert ran.code == 0 and said[verb] in ran.out and "as of" not in ran.out
    add(store, text(FIRST).replace("- Redis for the cache.\n- Rejected: memcached.", "none"))
    assert said[verb] in cli(verb, "--shelf", store.root).out


@pytest.mark.parametrize("verb", ["threads", "decisions"])
def test_no_text_turns_a_line_or_speaks_to_a_terminal(verb: str, cli: Cli, store: Store) -> None:
    hostile = "a \x1b[31mred\x07 \u202eback"
    made = text(FIRST, f"- {hostile}").replace("Redis for the cache", hostile)
    add(store, made.replace("Rejected: memcached", f"Rejected: {hostile}"))
    ran = cli(verb, "--shelf", store.root)
    assert "red" in ran.out and not set("\x1b\x07\u202e") & set(ran.out)


def test_a_thread_without_a_date_is_not_said_to_be_of_today(cli: Cli, store: Store) -> None:
    undated = (
        text(FIRST, "- Rotate keys.").replace(FIRST, "odd").replace("2026-01-05", "2026-13-45")
    )
    add(store, undated, "docs/topics/odd.md")
    assert (
        "odd/t1 (open, without a date): Rotate keys." in cli("threads", "--shelf", store.root).out
    )
    under = cli("tags", "cache", "--shelf", store.root).out
    assert "odd/t1 (open, without a date): Rotate keys." in under


def test_the_past_can_be_asked(cli: Cli, sample: Store) -> None:
    before = cli("decisions", "--shelf", sample.root).out
    add(sample, text(THIRD), f"docs/topics/{THIRD}.md")
    assert cli("decisions", "--rev", "HEAD~1", "--shelf", sample.root).out == before
    assert cli("decisions", "--shelf", sample.root).out != before


# --- shelves by other hands --------------------------------------------------------------------


def test_every_thread_of_a_shelf_that_people_use_is_found(real_shelf: Store) -> None:
    shelf = real_shelf.read()
    listed, bare = 0, 0
    for entry in shelf.entries:
        body = real_shelf.document(entry.path).body("Open threads") or ""
        lines = [line for line in body.splitlines() if line.startswith("- ")]
        listed += len(lines)
        bare += 0 if lines else len([line for line in body.splitlines() if line.strip()])
    assert (listed, bare) == (22, 4)
    answer = memshelf.threads(real_shelf)
    assert (answer.open, answer.closed, answer.carried) == (26, 0, 0)
    assert len(answer.threads) == 26 and answer.mentioned
    assert all(name in shelf.by_id for names in answer.mentioned.values() for name in names)


def test_every_decision_of_a_shelf_by_the_peer_is_found(peer_shelf: Store) -> None:
    shelf = peer_shelf.read()
    wanted = sum(len(entry.decisions) for entry in shelf.entries)
    answer = memshelf.decisions(peer_shelf, state="all", max_results=1000)
    assert answer.stand + answer.reversed == len(answer.decisions) == wanted > 10


# --- closing -----------------------------------------------------------------------------------


@pytest.fixture
def opened(store: Store) -> Store:
    """Three episodes; the first leaves two things open, the second carries on one of them."""
    put(store.root, f"docs/topics/{FIRST}.md", text(FIRST, "- Choose a policy.\n- Rotate keys."))
    put(store.root, f"docs/topics/{SECOND}.md", text(SECOND, f"- {FIRST}/t2 waits"))
    add(store, text(THIRD), f"docs/topics/{THIRD}.md")
    return store


def test_closing_writes_one_line_in_one_commit(cli: Cli, opened: Store) -> None:
    path = f"docs/topics/{THIRD}.md"
    before, head = opened.text(path), git(opened.root, "rev-list", "--count", "HEAD")
    put(opened.root, "memshelf.toml", '[shelf]\nrebuild = "manual"\n')
    git(opened.root, "commit", "-qam", "manual")
    ran = cli("threads", "--close", f"{FIRST}/t1", "--by", THIRD, "--shelf", opened.root)
    assert ran.code == 0 and f"closed {FIRST}/t1 by {THIRD} (commit " in ran.out
    line = f"closes: [{FIRST}/t1]\n"
    assert opened.text(path).replace(line, "") == before and line in opened.text(path)
    assert git(opened.root, "rev-list", "--count", "HEAD") == str(int(head) + 2)
    assert files_of(opened.root) == [path] and status(opened.root) == []
    state = {t.address: t.state for t in memshelf.threads(opened, state="all").threads}
    assert state[f"{FIRST}/t1"] == "closed"


def test_several_threads_are_closed_at_once_and_what_was_closed_before_stays(opened: Store) -> None:
    memshelf.threads(opened, close=[f"{FIRST}/t1"], by=THIRD)
    answer = memshelf.threads(opened, close=[f"{FIRST}/t1", f"{SECOND}/t1"], by=f"{THIRD}.md")
    assert answer.closed == (f"{SECOND}/t1",)
    assert f"closes: [{FIRST}/t1, {SECOND}/t1]\n" in opened.text(f"docs/topics/{THIRD}.md")
    again = memshelf.threads(opened, close=[f"{SECOND}/t1"], by=THIRD)
    assert again.already and "nothing changed" in str(again)


def test_derived_files_follow_where_the_shelf_is_set_so(cli: Cli, opened: Store) -> None:
    cli("rebuild", "--commit", "--shelf", opened.root)
    put(opened.root, "memshelf.toml", '[shelf]\nrebuild = "after-write"\n')
    git(opened.root, "commit", "-qam", "after-write")
    cli("threads", "--close", f"{FIRST}/t1", "--by", THIRD, "--shelf", opened.root)
    assert cli("rebuild", "--check", "--shelf", opened.root).code == 0
    assert status(opened.root) == []


@pytest.mark.parametrize(
    ("address", "by", "code", "said"),
    [
        (f"{FIRST}/t9", THIRD, "thread-not-found", f"{FIRST}/t1, {FIRST}/t2"),
        (f"{THIRD}/t1", THIRD, "thread-not-found", "no section"),
        ("2026-01-01-nowhere/t1", THIRD, "thread-not-found", "memshelf threads"),
        (FIRST, THIRD, "thread-not-found", f"{FIRST}/t1"),
        ("", THIRD, "thread-not-found", "memshelf threads"),
        (f"{FIRST}/t1", "2026-03-05-thrid", "episode-not-found", THIRD),
        (f"{FIRST}/t2", THIRD, "not-to-close", f"{SECOND}/t1"),
        (f"{SECOND}/t1", FIRST, "not-to-close", "later episode"),
    ],
)
def test_what_cannot_be_closed_is_refused_with_the_way_out(
    address: str, by: str, code: str, said: str, opened: Store
) -> None:
    head = git(opened.root, "rev-parse", "HEAD")
    with pytest.raises(ShelfError) as caught:
        memshelf.threads(opened, close=[f"{FIRST}/t1", address], by=by)
    assert caught.value.code == code and said in str(caught.value)
    assert git(opened.root, "rev-parse", "HEAD") == head and status(opened.root) == []


def test_what_another_episode_closed_is_not_closed_again(opened: Store) -> None:
    memshelf.threads(opened, close=[f"{FIRST}/t1"], by=SECOND)
    with pytest.raises(ShelfError, match=f"closed already, by {SECOND}"):
        memshelf.threads(opened, close=[f"{FIRST}/t1"], by=THIRD)


@pytest.mark.parametrize(
    "words",
    [
        ("--close", f"{FIRST}/t1"),
        ("--by", THIRD),
        ("--close", f"{FIRST}/t1", "--by", THIRD, "--rev", "HEAD"),
        ("--close", f"{FIRST}/t1", "--by", ""),
        ("--about", ""),
    ],
)
def test_half_a_request_is_a_slip(words: tuple[str, ...], cli: Cli, opened: Store) -> None:
    head = git(opened.root, "rev-parse", "HEAD")
    assert cli("threads", *words, "--shelf", opened.root).code in (1, 2)
    assert git(opened.root, "rev-parse", "HEAD") == head


def test_a_file_that_cannot_be_changed_key_by_key_is_left_alone(opened: Store) -> None:
    path = f"docs/topics/{THIRD}.md"
    broken = opened.text(path).replace("mode: live\n", "mode: live\ncloses: [\n")
    put(opened.root, path, broken)
    git(opened.root, "commit", "-qam", "broken")
    with pytest.raises(ShelfError):
        memshelf.threads(opened, close=[f"{FIRST}/t1"], by=THIRD)
    assert opened.text(path) == broken


def test_line_ends_and_the_rest_of_the_file_stay(opened: Store) -> None:
    path = opened.root / f"docs/topics/{THIRD}.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    put(opened.root, ".gitattributes", "* -text\n")
    git(opened.root, "commit", "-qam", "as it stands")
    before = path.read_bytes()
    memshelf.threads(opened, close=[f"{FIRST}/t1"], by=THIRD)
    line = f"closes: [{FIRST}/t1]\r\n".encode()
    assert path.read_bytes().replace(line, b"") == before
