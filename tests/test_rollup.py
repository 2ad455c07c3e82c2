"""One episode in the index for many: nothing that went behind it is lost, however often it is done."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import POSIX, files_of, git, hook, litter, put, status
from support import add, episode, tree

import memshelf
from memshelf.domain.dates import parse
from memshelf.domain.keywords import fitting, handles, together
from memshelf.domain.rolling import behind, listed
from memshelf.domain.text import tokens, words
from memshelf.storage.gate import writer
from memshelf.storage.store import Store
from memshelf.verbs import load

DIGEST = "The first weeks were about caches; a second region was rejected."
ROLLUP = "2026-04-01-spring"
SUBJECTS = {
    "2026-01-03-gull": "Gulls learned to open the harbour kiosk",
    "2026-01-09-ferry": "Ferries leave on odd minutes",
    "2026-01-15-lantern": "Lanterns burn rapeseed oil",
    "2026-01-21-anchor": "Anchors are weighed by moonlight",
    "2026-01-27-barnacle": "Barnacles are scraped in dock seven",
}
QUESTIONS = {
    "what did the gulls learn": "2026-01-03-gull",
    "when do the ferries leave": "2026-01-09-ferry",
    "which oil do lanterns burn": "2026-01-15-lantern",
    "how are anchors weighed": "2026-01-21-anchor",
    "where are barnacles scraped": "2026-01-27-barnacle",
}


def of(name: str, title: str = "") -> str:
    """An episode with a title of its own."""
    return episode(name, title or f"On the {name[11:]} of the harbour and of its walls")


def path(name: str) -> str:
    return f"docs/topics/{name}.md"


@pytest.fixture
def five(store: Store) -> Store:
    """A shelf with five episodes on five subjects, rendered and committed."""
    for name, title in SUBJECTS.items():
        put(store.root, path(name), of(name, title))
    git(store.root, "add", "--all")
    git(store.root, "commit", "-qm", "by hand")
    memshelf.rebuild(store, commit=True)
    return store


def roll(cli: Cli, store: Store, slug: str, *more: str) -> dict[str, object]:
    """Roll up and apply; what was answered."""
    words = ("rollup", slug, "--digest", DIGEST, "--apply", "--json", *more, "--shelf", store.root)
    ran = cli(*words)
    assert ran.code == 0, ran.err
    answer: dict[str, object] = json.loads(ran.out)
    return answer


def test_many_go_behind_one_in_a_commit_of_exactly_these_files(cli: Cli, five: Store) -> None:
    before = tree(five.root)
    said = roll(cli, five, ROLLUP, "--until", "2026-01-31")
    assert said["count"] == 5
    assert said["address"] == path(ROLLUP)
    moved = {*map(path, SUBJECTS), *(f"archive/{path(name)}" for name in SUBJECTS)}
    assert set(files_of(five.root, str(said["commit"]))) == {path(ROLLUP), *moved}
    for name in SUBJECTS:
        assert (five.root / "archive" / path(name)).read_bytes() == before[path(name)]
    text = (five.root / path(ROLLUP)).read_text("utf-8")
    assert "tags: [rollup]" in text
    assert "span: 2026-01-03..2026-01-27" in text
    assert "(../../archive/INDEX.md)" in text
    assert all(f"- `{name}` — {title}" in text for name, title in SUBJECTS.items())
    assert not status(five.root)


def test_the_answer_has_the_peers_keys(cli: Cli, five: Store) -> None:
    said = roll(cli, five, ROLLUP, "--until", "2026-01-31")
    peers = ["slug", "address", "archived", "count", "index_tokens_before", "index_tokens_after"]
    assert list(said)[1:9] == [*peers, "warnings", "keywords"]
    cost = len((five.root / "INDEX.md").read_text("utf-8")) // 4
    assert said["index_tokens_after"] == cost
    assert said["index_tokens_before"] > cost  # type: ignore[operator]


def test_over_mcp_it_is_shown_whole_and_answered_in_few_tokens_once_it_is_written(
    five: Store,
) -> None:
    from memshelf.surfaces.mcp_answers import result
    from memshelf.verbs.rollup import rollup

    def call(apply: bool) -> dict[str, object]:
        answer = rollup(five, ROLLUP, digest=DIGEST, until="2026-01-31", apply=apply)
        body: dict[str, object] = result(load("rollup"), answer)["structuredContent"]
        return body

    shown = call(apply=False)
    assert shown["dry_run"] is True
    assert f"id: {ROLLUP}" in str(shown["would_write"])
    written = call(apply=True)
    assert written["committed"] is True
    assert tokens(json.dumps(written)) <= 120


def test_more_than_one_is_only_shown_until_it_is_applied(cli: Cli, five: Store) -> None:
    before, head = tree(five.root), git(five.root, "rev-parse", "HEAD")
    words = ("rollup", ROLLUP, "--until", "2026-01-31", "--digest", DIGEST, "--shelf", five.root)
    ran = cli(*words)
    assert ran.code == 0
    assert f"id: {ROLLUP}" in ran.out
    assert f"would archive {path('2026-01-03-gull')}" in ran.out
    assert "5 open threads went behind it" in ran.out
    assert cli(*words, "--apply", "--dry-run").code == 2
    assert (tree(five.root), git(five.root, "rev-parse", "HEAD")) == (before, head)


def test_it_is_refused_where_the_index_would_not_become_smaller(cli: Cli, store: Store) -> None:
    add(store, episode("2026-01-05-x", "X"), path("2026-01-05-x"))
    before = tree(store.root)
    words = ("rollup", ROLLUP, "--episode", "2026-01-05-x", "--digest", DIGEST)
    ran = cli(*words, "--shelf", store.root)
    assert ran.code == 1
    found = re.search(r"from (\d+) to (\d+) tokens, (\d+) more", ran.err)
    assert found, ran.err
    assert int(found[2]) - int(found[1]) == int(found[3]) > 0
    assert tree(store.root) == before


def test_it_is_held_to_what_every_episode_is_held_to(cli: Cli, five: Store) -> None:
    before = tree(five.root)

    def refused(*more: str) -> str:
        ran = cli("rollup", "--until", "2026-01-31", "--apply", *more, "--shelf", five.root)
        assert ran.code in (1, 2)
        assert tree(five.root) == before
        return ran.err

    assert "digest" in refused(ROLLUP, "--digest", "")
    assert "too-long" in refused(ROLLUP, "--digest", "word " * 130)
    assert "referent-we" in refused(ROLLUP, "--digest", "We chose caches; we rejected queues.")
    assert "path" in refused("../../evil", "--digest", DIGEST)
    assert "is there already" in refused("2026-01-03-gull", "--digest", DIGEST)
    assert "Archived" in refused(ROLLUP, "--digest", DIGEST, "--section", "Archived=x")
    assert "calendar" in refused(ROLLUP, "--digest", DIGEST, "--until", "2026-02-30")
    assert "no kind" in refused(ROLLUP, "--digest", DIGEST, "--kind", "essay")


def test_a_secret_in_its_texts_is_masked_and_counted(cli: Cli, five: Store) -> None:
    key = "AKIA" + "Q3EGRT5YUIOPLKJH"
    said = roll(
        *(cli, five, ROLLUP, "--until", "2026-01-31"),
        *("--section", f"Decisions=- The key {key} was revoked."),
    )
    assert said["redaction"]["total"] == 1  # type: ignore[index]
    assert key not in (five.root / path(ROLLUP)).read_text("utf-8")


def test_kinds_and_ids_choose_and_what_has_no_date_stays(cli: Cli, five: Store) -> None:
    put(five.root, "docs/topics/undated.md", of("2026-01-02-x").replace("2026-01-02", "some day"))
    git(five.root, "add", "--all")
    git(five.root, "commit", "-qm", "by hand")
    at = ("--digest", DIGEST, "--shelf", five.root)
    ran = cli("rollup", ROLLUP, "--until", "2026-01-31", "--kind", "session", *at)
    assert (ran.code, "No live episode" in ran.err) == (1, True)
    ran = cli("rollup", ROLLUP, "--until", "2026-01-21", *at)
    assert "Without a date, and so left where they are: some day-x" in ran.out
    assert "4 episodes" in ran.out
    assert "barnacle" not in ran.out
    assert cli("rollup", ROLLUP, *at).code == 2
    said = roll(cli, five, ROLLUP, *(w for n in list(SUBJECTS)[:4] for w in ("--episode", n)))
    assert said["count"] == 4


def test_an_id_that_stands_twice_stops_it(cli: Cli, five: Store) -> None:
    name = "2026-01-09-ferry"
    add(five, of(name), f"archive/{path(name)}")
    before = tree(five.root)
    at = ("--digest", DIGEST, "--apply", "--shelf", five.root)
    for chosen in (("--until", "2026-01-31"), ("--episode", name)):
        ran = cli("rollup", ROLLUP, *chosen, *at)
        assert ran.code == 1
        assert f"archive/{path(name)}" in ran.err
    assert tree(five.root) == before


def test_an_undated_slug_gets_the_day_in_front_and_that_is_said(cli: Cli, five: Store) -> None:
    said = roll(cli, five, "2026-Q1-rollup", "--until", "2026-01-31", "--date", "2026-04-01")
    assert said["slug"] == "2026-04-01-2026-q1-rollup"
    assert "asked for: 2026-Q1-rollup" in str(said["warnings"])


def test_what_came_back_out_of_a_rollup_goes_behind_the_next_one(cli: Cli, five: Store) -> None:
    roll(cli, five, ROLLUP, "--until", "2026-01-31")
    assert cli("unarchive", "2026-01-09-ferry", "--shelf", five.root).code == 0
    roll(cli, five, "2026-05-01-again", "--until", "2026-04-30")
    shelf = memshelf.open_shelf(five.root).read()
    names = listed(shelf, shelf.by_id["2026-05-01-again"])
    assert sorted(names) == sorted([*SUBJECTS, ROLLUP])


# --- again and again ---------------------------------------------------------------------------


def generations(cli: Cli, store: Store, count: int = 3) -> str:
    """Roll up again and again, each time with two newer episodes; the id of the last rollup."""
    name = ""
    for number in range(count):
        if number:
            for letter in "ab":
                one = f"2026-0{number + 1}-10-{letter}{number}"
                add(store, of(one, f"Quay {letter * 5} numbered {number * 'x'}oak"), path(one))
        name = f"2026-0{number + 2}-28-rollup-{number}"
        roll(cli, store, name, "--until", f"2026-0{number + 2}-27")
        roll_day = parse(name[:10])
        assert roll_day is not None
    return name


def test_after_three_generations_five_known_questions_are_answered_through_the_index(
    cli: Cli, five: Store
) -> None:
    last = generations(cli, five)
    index = (five.root / "INDEX.md").read_text("utf-8")
    assert last in index
    assert not any(name in index for name in SUBJECTS)
    for question, wanted in QUESTIONS.items():
        assert wanted in by_index(cli, five, index, question), question


def by_index(cli: Cli, store: Store, index: str, question: str) -> str:
    """What one reads who follows from the index, of what a line says, to the one episode."""
    asked = {word for word in words(question) if len(word) > 3}
    for line in index.splitlines():
        found = re.search(r"\((docs/[^)]+)\.md\)", line)
        if found and asked & set(words(line)):
            rollup = cli("recall", found[1].rpartition("/")[2], "--shelf", store.root).out
            rows = [row for row in rollup.splitlines() if row.startswith("- `")]
            best = max(rows, key=lambda row: len(asked & set(words(row))))
            name = best.split("`")[1]
            return cli("recall", name, "--shelf", store.root).out
    return ""


def test_a_later_rollup_inherits_every_id_and_every_keyword(cli: Cli, five: Store) -> None:
    first = roll(cli, five, "2026-02-01-one", "--until", "2026-01-31")
    for one in ("2026-02-10-mast", "2026-02-11-keel"):
        add(five, of(one), path(one))
    second = roll(cli, five, "2026-03-01-two", "--until", "2026-02-28")
    assert set(first["keywords"]) <= set(second["keywords"])  # type: ignore[call-overload]
    shelf = memshelf.open_shelf(five.root).read()
    names = listed(shelf, shelf.by_id["2026-03-01-two"])
    assert set(names) == {*SUBJECTS, "2026-02-01-one", "2026-02-10-mast", "2026-02-11-keel"}
    assert len(behind(shelf, [shelf.by_id["2026-03-01-two"]])) == 9


def test_an_old_rollup_without_keywords_gets_those_of_what_it_stands_for(
    cli: Cli, peer_shelf: Store
) -> None:
    old = peer_shelf.root / "docs/topics/2026-10-05-2025q4-rollup.md"
    bare = re.sub(r"(?m)^(keywords|description): .*\n", "", old.read_text("utf-8"))
    bare = re.sub(r"\nКлючевые слова.*\n", "\n", bare)
    put(peer_shelf.root, old.relative_to(peer_shelf.root).as_posix(), bare)
    git(peer_shelf.root, "commit", "-qam", "as an older version wrote it")
    said = roll(cli, peer_shelf, "2026-11-01-all", "--until", "2026-10-31")
    assert {"layout", "hosted"} & set(said["keywords"])  # type: ignore[call-overload]
    text = (peer_shelf.root / str(said["address"])).read_text("utf-8")
    assert "`2025-11-04-repo-layout` — Repository layout: one workspace" in text
    assert "`2025-12-15-ci-runner-choice`" in text
    memshelf.rebuild(memshelf.open_shelf(peer_shelf.root), commit=True)
    assert memshelf.doctor(memshelf.open_shelf(peer_shelf.root)).ok


@pytest.mark.parametrize(
    ("description", "kept"),
    [
        ("Роллап: 2 эп.", False),
        ("", False),
        ("How the project began, told by its founder.", True),
    ],
)
def test_adopting_fills_the_keywords_of_an_old_rollup_and_overwrites_no_words(
    cli: Cli, peer_shelf: Store, description: str, kept: bool
) -> None:
    name = "docs/topics/2026-10-05-2025q4-rollup.md"
    line = f'description: "{description}"\n' if description else ""
    old = (peer_shelf.root / name).read_text("utf-8")
    bare = re.sub(r"(?m)^keywords: .*\n", "", old)
    bare = re.sub(r"(?m)^description: .*\n", line, bare)
    put(peer_shelf.root, name, bare)
    meta = (peer_shelf.root / "docs/topics/.meta.json").read_text("utf-8")
    put(peer_shelf.root, "docs/topics/.meta.json", re.sub(r'"Роллап[^"]*"', '""', meta))
    git(peer_shelf.root, "commit", "-qam", "as an older version wrote it")
    ran = cli("rebuild", "--adopt", "--shelf", peer_shelf.root)
    assert ran.code == 0, ran.err
    text = (peer_shelf.root / name).read_text("utf-8")
    assert re.search(r"(?m)^keywords: \[.*(layout|hosted)", text)
    index = (peer_shelf.root / "INDEX.md").read_text("utf-8")
    assert ("hosted" in index.split("2026-10-05-2025q4-rollup.md")[0].splitlines()[-1]) is not kept
    assert description.rstrip(".") in text
    assert cli("rebuild", "--adopt", "--json", "--shelf", peer_shelf.root).code == 0
    assert (peer_shelf.root / name).read_text("utf-8") == text


def test_two_rollups_that_name_each_other_end() -> None:
    from memshelf.domain.entry import entry_of
    from memshelf.domain.episode import parse_episode
    from memshelf.domain.shelf import Shelf

    texts = {
        f"archive/docs/topics/2026-01-0{a}-r.md": f"---\nid: 2026-01-0{a}-r\ntags: [rollup]\n---\n"
        f"## Archived\n- `2026-01-0{b}-r` — other\n- `gone` — not there\n"
        for a, b in ((1, 2), (2, 1))
    }
    entries = [entry_of(name, text) for name, text in texts.items()]
    shelf = Shelf.make(entries, load=lambda name: parse_episode(texts[name]))
    assert [e.id for e in behind(shelf, entries[:1])] == ["2026-01-01-r", "2026-01-02-r"]


# --- what stays true of what went behind ---------------------------------------------------------


def test_what_is_behind_is_recalled_searched_counted_and_its_addresses_hold(
    cli: Cli, five: Store
) -> None:
    at = ("--shelf", five.root)
    later = of("2026-02-20-later").replace(
        "mode: live\n", "mode: live\ncloses: [2026-01-03-gull/t1]\nsupersedes: [2026-01-09-ferry]\n"
    )
    add(five, later, path("2026-02-20-later"))
    counted = json.loads(cli("stats", "--json", *at).out)
    roll(cli, five, ROLLUP, "--until", "2026-01-31")
    after = json.loads(cli("stats", "--json", *at).out)
    assert after["shelved_mass"] == counted["shelved_mass"]
    assert after["episodes"] == counted["episodes"] + 1
    assert "Gulls" in cli("recall", "2026-01-03-gull", *at).out
    assert "2026-01-15-lantern" in cli("search", "rapeseed", "--past", *at).out
    assert ROLLUP in cli("search", "lanterns", *at).out
    closed = cli("threads", "--state", "closed", *at).out
    assert "2026-01-03-gull/t1" in closed
    assert "2026-01-15-lantern/t1" in cli("threads", *at).out
    listed_there = (five.root / "archive/INDEX.md").read_text("utf-8")
    assert "— replaced by 2026-02-20-later" in listed_there
    done = cli("threads", "--close", "2026-01-15-lantern/t1", "--by", "2026-02-20-later", *at)
    assert done.code == 0, done.err
    assert memshelf.doctor(memshelf.open_shelf(five.root)).ok


def test_a_rollup_is_as_private_as_the_most_private_behind_it(cli: Cli, five: Store) -> None:
    put(five.root, "memshelf.toml", '[shelf]\nvisibility = "public"\n')
    name = "2026-01-03-gull"
    text = (five.root / path(name)).read_text("utf-8")
    add(five, text.replace("mode: live\n", "mode: live\nvisibility: team\n"), path(name))
    roll(cli, five, ROLLUP, "--until", "2026-01-31")
    assert "visibility: team\n" in (five.root / path(ROLLUP)).read_text("utf-8")


def test_an_episode_that_people_tagged_rollup_is_no_rollup(cli: Cli, five: Store) -> None:
    name = "2026-01-11-bundler"
    text = of(name, "Choosing esbuild over webpack").replace("[cache, infra]", "[rollup, build]")
    add(five, text, path(name))
    first = roll(cli, five, "2026-02-01-one", "--until", "2026-01-31")
    assert first["count"] == 6
    assert "rollup of 6 episodes" in (five.root / path("2026-02-01-one")).read_text("utf-8")
    assert {"esbuild", "webpack", "choosing"} & set(first["keywords"])  # type: ignore[call-overload]


def test_a_rollup_whose_tag_was_renamed_is_one_still(cli: Cli, five: Store) -> None:
    first = roll(cli, five, "2026-02-01-one", "--until", "2026-01-31")
    words = ("tags", "rename", "rollup", "summaries", "--apply", "--shelf", five.root)
    assert cli(*words).code == 0
    add(five, of("2026-02-10-mast"), path("2026-02-10-mast"))
    second = roll(cli, five, "2026-03-01-two", "--until", "2026-02-28")
    assert set(first["keywords"]) <= set(second["keywords"])  # type: ignore[call-overload]
    shelf = memshelf.open_shelf(five.root).read()
    assert set(SUBJECTS) < set(listed(shelf, shelf.by_id["2026-03-01-two"]))


def test_what_is_saved_while_a_rollup_waits_for_its_turn_counts(five: Store) -> None:
    name = "2026-01-03-gull"
    text = (five.root / path(name)).read_text("utf-8")
    made: list[object] = []

    def work() -> None:
        store = memshelf.open_shelf(five.root)
        asked = {"until": "2026-01-31", "apply": True}
        made.append(memshelf.rollup(store, ROLLUP, digest=DIGEST, **asked))

    put(five.root, "memshelf.toml", '[shelf]\nvisibility = "public"\n')
    with writer(five.root):
        worker = threading.Thread(target=work)
        worker.start()
        time.sleep(0.5)  # for one that looks first and waits then
        add(five, text.replace("mode: live\n", "mode: live\nvisibility: private\n"), path(name))
    worker.join()
    assert made and "visibility: private\n" in (five.root / path(ROLLUP)).read_text("utf-8")


# --- bad days ------------------------------------------------------------------------------------


@POSIX
def test_a_hook_that_refuses_leaves_no_trace(cli: Cli, five: Store) -> None:
    hook(five.root, "commit-msg", "echo no rollups today >&2; exit 1")
    before = tree(five.root)
    words = ("rollup", ROLLUP, "--until", "2026-01-31", "--digest", DIGEST, "--apply")
    ran = cli(*words, "--shelf", five.root)
    assert ran.code == 1
    assert "no rollups today" in ran.err
    assert tree(five.root) == before
    assert not (five.root / "archive").exists()
    assert not status(five.root)
    assert not litter(five.root)


@POSIX
def test_one_that_is_killed_in_the_middle_is_undone_whole(
    five: Store, tmp_path: Path, cli: Cli
) -> None:
    mark = tmp_path / "mark"
    hook(
        five.root, "pre-commit", f"echo $$ > '{mark}.new'; mv '{mark}.new' '{mark}'; exec sleep 60"
    )
    before = tree(five.root)
    process = started(five, ROLLUP)
    while not mark.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.kill()
    process.communicate()
    os.kill(int(mark.read_text()), signal.SIGKILL)  # which ends git as well
    (five.root / ".git/hooks/pre-commit").unlink()
    last = time.monotonic() + 60
    while tree(five.root) != before and time.monotonic() < last:
        assert cli("index", "--shelf", five.root).code == 0
    assert tree(five.root) == before
    assert not status(five.root)
    assert roll(cli, five, ROLLUP, "--until", "2026-01-31")["committed"]


def started(store: Store, name: str) -> subprocess.Popen[bytes]:
    """A process that rolls up the five episodes."""
    words = ("rollup", name, "--until", "2026-01-31", "--digest", DIGEST, "--apply")
    return subprocess.Popen(
        [sys.executable, "-m", "memshelf", *words, "--shelf", str(store.root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_of_two_at_once_one_is_saved_and_the_other_plainly_refused(five: Store) -> None:
    both = [started(five, name) for name in ("2026-04-01-one", "2026-04-02-two")]
    said = [process.communicate(timeout=120) for process in both]
    assert sorted(process.returncode for process in both) == [0, 1], said
    assert all(b"Traceback" not in err for _, err in said)
    rollups = list((five.root / "docs/topics").glob("2026-04-*.md"))
    assert len(rollups) == 1
    assert len(list((five.root / "archive/docs/topics").glob("*.md"))) == 5
    assert not status(five.root)


def test_a_real_shelf_rolled_up_is_healthy_and_its_files_are_a_function_of_it(
    cli: Cli, real_shelf: Store
) -> None:
    newest = real_shelf.read().as_of
    roll(cli, real_shelf, f"{newest}-all-of-it", "--until", newest)
    again = memshelf.open_shelf(real_shelf.root)
    memshelf.rebuild(again, commit=True)
    assert memshelf.rebuild(memshelf.open_shelf(real_shelf.root), check=True).ok
    report = memshelf.doctor(memshelf.open_shelf(real_shelf.root))
    assert report.ok, str(report)


# --- keywords --------------------------------------------------------------------------------------


def test_each_episode_gives_a_keyword_before_any_gives_a_second(five: Store) -> None:
    shelf = five.read(bodied=True)
    found = handles(shelf.entries, shelf)
    first = found[: len(SUBJECTS)]
    for title in SUBJECTS.values():
        assert any(word in words(title) for word in first), (title, first)
    assert len(set(found)) == len(found)


def test_lists_of_words_are_joined_and_fitted() -> None:
    assert together(["a", "B"], ["b", "c"]) == ("a", "B", "c")
    assert fitting("Two: ", ["cache", "queue"], 3) == ""
