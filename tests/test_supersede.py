"""One episode, or one decision, replaced by a later one: written into both, and shown everywhere."""

from __future__ import annotations

import json

import pytest
from conftest import Cli
from gitkit import files_of, put, status
from support import add, changed, episode, put_bytes, tree

import memshelf
from memshelf.domain.errors import ShelfError
from memshelf.storage.store import Store

OLD, NEW, OTHER, LATER = "2026-01-05-cache", "2026-02-05-valkey", "2026-01-20-ops", "2026-03-01-z"


def path(name: str) -> str:
    return f"docs/topics/{name}.md"


def text(name: str, decided: str, more: str = "") -> str:
    made = episode(name, name.partition("-")[2])
    made = made.replace("- Redis for the cache.\n- Rejected: memcached.", decided)
    return f"{made}\n## Notes\n{more or 'None.'}\n"


@pytest.fixture
def shelf(store: Store) -> Store:
    put(store.root, path(OLD), text(OLD, "- Redis holds the sessions cache.\n- Evict by age."))
    put(store.root, path(NEW), text(NEW, "- Valkey holds all."))
    put(store.root, path(OTHER), text(OTHER, "- Sessions go to the cache that Redis holds now."))
    add(store, text(LATER, "- Buy a boat.", f"As in {OLD}."), path(LATER))
    return store


def raw(store: Store, name: str) -> bytes:
    return (store.root / path(name)).read_bytes()


def test_both_files_say_so_in_one_commit_and_nothing_else_changes(cli: Cli, shelf: Store) -> None:
    old, new = raw(shelf, OLD), raw(shelf, NEW)
    done = json.loads(cli("supersede", OLD, "--by", NEW, "--json", "--shelf", shelf.root).out)
    assert files_of(shelf.root, done["commit"]) == [path(OLD), path(NEW)]
    line = b"mode: live\n"
    assert raw(shelf, OLD) == old.replace(line, line + f"superseded_by: [{NEW}]\n".encode())
    assert raw(shelf, NEW) == new.replace(line, line + f"supersedes: [{OLD}]\n".encode())
    assert done["old"] == OLD and done["by"] == NEW and status(shelf.root) == []


def test_every_view_shows_what_was_replaced(cli: Cli, shelf: Store) -> None:
    where = ("--shelf", shelf.root)
    assert cli("supersede", OLD, "--by", NEW, *where).code == 0
    index = shelf.text("INDEX.md")
    assert index.index(NEW) < index.index(f"({path(OLD)})")
    assert f"replaced by [{NEW}]" in index or f"replaced by {NEW}" in index.replace("\\", "")
    ran = cli("search", "redis sessions", "--past", "--json", *where)
    assert ran.code == 0, ran
    hits = json.loads(ran.out)["hits"]
    assert next(hit for hit in hits if OLD in hit["address"])["replaced_by"] == [NEW]
    hits = json.loads(cli("search", "redis sessions", "--json", *where).out)["hits"]
    assert all(OLD not in hit["address"] for hit in hits)
    assert f"(Replaced by {NEW}" in cli("recall", OLD, *where).out
    assert OLD not in cli("decisions", *where).out
    assert f"{OLD}/d1" in cli("decisions", "--state", "reversed", *where).out
    retro = json.loads(cli("retro", "--year", "2026", "--json", *where).out)
    assert f"{OLD}/d1" in json.dumps(retro) and NEW in json.dumps(retro)
    assert cli("export", "html", "--out", shelf.root.parent / "x.html", *where).code == 0
    page = (shelf.root.parent / "x.html").read_text("utf-8")
    assert f'<strong>Replaced</strong> by <a href="#ep-{NEW}">' in page
    data = json.loads(cli("tags", "cache", "--json", *where).out)
    assert [NEW] in [row["replaced_by"] for row in data["episodes"]]


def test_one_decision_is_reversed_and_the_episode_stays(cli: Cli, shelf: Store) -> None:
    where = ("--shelf", shelf.root)
    ran = cli("supersede", f"{OLD}/d1", "--by", NEW, *where)
    assert ran.code == 0 and f"{OLD}/d1 is replaced by {NEW}" in ran.out
    assert shelf.episode(path(NEW)).supersedes == (f"{OLD}/d1",)
    assert shelf.episode(path(OLD)).superseded_by == ()
    standing = cli("decisions", *where).out
    assert f"{OLD}/d2" in standing and f"{OLD}/d1" not in standing
    assert f"(No longer stands: d1 replaced by {NEW}.)" in cli("recall", OLD, *where).out
    section = cli("recall", OLD, "--section", "Decisions", *where).out
    assert f"d1 replaced by {NEW}" in section
    assert NEW not in cli("recall", OLD, "--section", "Notes", *where).out
    assert OLD not in shelf.read().superseded


def test_shelving_what_reverses_a_decision_marks_it_too(cli: Cli, shelf: Store) -> None:
    words = ("--digest", "Chose B; A was rejected. Open: none.", "--section", "Decisions=- B.")
    where = ("--supersedes", f"{OLD}/d2", "--shelf", shelf.root)
    assert cli("shelve", "--slug", "2026-04-01-b", *words, *where).code == 0
    out = cli("recall", OLD, "--shelf", shelf.root).out
    assert "No longer stands: d2 replaced by 2026-04-01-b" in out


def test_a_decision_that_does_not_stand_is_never_shown_without_saying_so(
    cli: Cli, shelf: Store
) -> None:
    where = ("--shelf", shelf.root)
    cli("supersede", f"{OLD}/d1", "--by", NEW, *where)
    hits = json.loads(cli("search", "redis holds the sessions", "--json", *where).out)["hits"]
    marks = {hit["id"]: hit.get("reversed") for hit in hits if hit["section"] == "Decisions"}
    assert marks[OLD] == [f"d1 replaced by {NEW}"] and marks[OTHER] is None
    assert f"(d1 replaced by {NEW})" in cli("search", "redis holds the sessions", *where).out
    bundle = cli("context", "redis holds the sessions cache", *where).out
    assert f"d1 replaced by {NEW}" in bundle


def test_those_that_still_state_the_old_thing_are_listed(cli: Cli, shelf: Store) -> None:
    made = memshelf.supersede(shelf, OLD, by=NEW, dry_run=True)
    assert [(row.id, row.why) for row in made.still] == [(LATER, "mentions"), (OTHER, "says")]
    assert made.still[1].where == f"{OTHER}/d1"
    assert {"redis", "sessions", "cache", "holds"} <= set(made.still[1].words)
    second = memshelf.supersede(shelf, f"{OLD}/d2", by=NEW, dry_run=True)
    assert [row.id for row in second.still] == [LATER]
    assert "2 other episodes may still state it" in str(made)
    memshelf.supersede(shelf, OTHER, by=NEW)
    third = memshelf.supersede(shelf, OLD, by=NEW, dry_run=True)
    assert [row.id for row in third.still] == [LATER]
    memshelf.supersede(shelf, OLD, by=LATER)  # what replaces it as well may well name it
    assert memshelf.supersede(shelf, OLD, by=NEW, dry_run=True).still == ()


def test_asking_twice_changes_nothing(cli: Cli, shelf: Store) -> None:
    cli("supersede", OLD, "--by", NEW, "--shelf", shelf.root)
    before = tree(shelf.root)
    done = json.loads(cli("supersede", OLD, "--by", NEW, "--json", "--shelf", shelf.root).out)
    assert done["already"] and not done["committed"]
    assert changed(before, tree(shelf.root)) == set()


@pytest.mark.parametrize(
    ("old", "by", "code"),
    [
        (OLD, OLD, "not-to-replace"),
        (f"{OLD}/d1", OLD, "not-to-replace"),
        (NEW, OLD, "not-to-replace"),
        (OLD, f"{NEW}/d1", "not-to-replace"),
        (f"{OLD}/d9", NEW, "decision-not-found"),
        (f"{OLD}/t1", NEW, "decision-not-found"),
        ("2026-01-05-none", NEW, "episode-not-found"),
        (OLD, "2026-01-05-none", "episode-not-found"),
        ("", NEW, "episode-not-found"),
    ],
)
def test_what_cannot_be_replaced_is_refused(shelf: Store, old: str, by: str, code: str) -> None:
    before = tree(shelf.root)
    with pytest.raises(ShelfError) as trouble:
        memshelf.supersede(shelf, old, by=by)
    assert trouble.value.code == code and trouble.value.fix
    assert changed(before, tree(shelf.root)) == set()


def test_who_names_it_as_it_was_called_is_told_how_it_is_called(cli: Cli, shelf: Store) -> None:
    memshelf.rename(shelf, OLD, "2026-01-05-sessions")
    ran = cli("supersede", OLD, "--by", NEW, "--shelf", shelf.root)
    assert (ran.code, "called 2026-01-05-sessions today" in ran.err) == (1, True)


def test_an_id_of_two_files_is_refused_and_both_are_named(cli: Cli, shelf: Store) -> None:
    add(shelf, text(OLD, "- Another."), f"archive/{path(OLD)}")
    for words in ((OLD, "--by", NEW), (NEW, "--by", OLD)):
        ran = cli("supersede", *words, "--shelf", shelf.root)
        assert ran.code == 1 and path(OLD) in ran.err and f"archive/{path(OLD)}" in ran.err


def test_a_circle_is_refused_however_long(store: Store) -> None:
    names = [f"2026-01-05-{letter}" for letter in "abc"]
    for name in names:
        put(store.root, path(name), text(name, f"- {name[-1]} it is."))
    add(store, text("2026-01-05-d", "- d."), path("2026-01-05-d"))
    memshelf.supersede(store, names[0], by=names[1])
    memshelf.supersede(store, names[1], by=names[2])
    with pytest.raises(ShelfError, match="itself replaced by"):
        memshelf.supersede(store, names[2], by=names[0])
    more = memshelf.supersede(store, names[0], by="2026-01-05-d")
    assert "too" in more.write.warnings[0]


def test_files_by_other_hands_gain_one_line(store: Store) -> None:
    new = text(NEW, "- Valkey.").replace("\n", "\r\n")
    new = "\ufeff" + new.replace("mode: live", "supersedes:\r\n  - 2026-01-01-x\r\nmode: live")
    put_bytes(store.root / path(NEW), new.encode("utf-8"))
    old = f"# {OLD}\n\n---\nid: {OLD}\nkind: topic\ntags: [a]\nown: x\n---\n\n## Digest\nWe did.\n"
    add(store, old, path(OLD))
    memshelf.supersede(store, OLD, by=NEW)
    after = raw(store, NEW).decode("utf-8")
    wanted = new.replace(
        "supersedes:\r\n  - 2026-01-01-x\r\n", f"supersedes: [2026-01-01-x, {OLD}]\r\n"
    )
    assert after == wanted
    assert raw(store, OLD).decode() == old.replace("own: x\n", f"own: x\nsuperseded_by: [{NEW}]\n")


def test_shelves_by_other_hands_have_an_episode_replaced(
    real_shelf: Store, peer_shelf: Store
) -> None:
    for store in (real_shelf, peer_shelf):
        first, *_, last = [entry for entry in store.read().entries if entry.day]
        made = memshelf.supersede(store, first.id, by=last.id)
        assert made.write.committed and sorted(made.write.files) == sorted([first.path, last.path])
        assert store.read().superseded[first.id] == (last.id,)
