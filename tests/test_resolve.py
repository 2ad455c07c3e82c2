"""Clones that each write: merged without conflict, or settled by `resolve`; nothing is lost."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import POSIX, git, hook, litter, new_repo, put, python, status
from support import Counted, episode, tree
from writers import (
    FIRST,
    FIRST_PATH,
    Writers,
    pair,
    push,
    resolve,
    right,
    shelve,
    without_rules,
    writers,
)

import memshelf
from memshelf.domain import merging
from memshelf.domain.errors import ShelfError
from memshelf.storage import recalls
from memshelf.storage.gitcall import GitTrouble
from memshelf.storage.gitdir import find, in_progress
from memshelf.storage.store import Store
from memshelf.verbs.rollup import rollup

__all__ = ("pair", "writers")
DERIVED = {"INDEX.md", "ledger.tsv", "stats.svg", "docs/topics/.meta.json"}
WAYS = {
    "merge": ("merge", "-q", "--no-edit", "origin/main"),
    "rebase": ("rebase", "-q", "origin/main"),
    "pull": ("pull", "-q", "--no-rebase", "--no-edit", "origin", "main"),
    "pull --rebase": ("pull", "-q", "--rebase", "origin", "main"),
}


def both_shelve(pair: tuple[Store, Store]) -> None:
    ann, bob = pair
    shelve(ann, "2026-02-01-cache")
    shelve(bob, "2026-02-02-queue")
    push(ann)
    git(bob.root, "fetch", "-q")


def unmerged(store: Store) -> set[str]:
    return set(git(store.root, "diff", "--name-only", "--diff-filter=U").split())


def begun(store: Store) -> str | None:
    where = find(store.root)
    assert where
    return in_progress(where)


# --- clones as they are ------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_plain_clone_merges_two_shelves_without_a_conflict(
    pair: tuple[Store, Store], way: str
) -> None:
    both_shelve(pair)
    _, bob = pair
    git(bob.root, *WAYS[way])
    assert status(bob.root) == [] and begun(bob) is None
    done = resolve(bob, commit=True)
    assert done.ok and done.committed and "INDEX.md" in done.regenerated
    assert right(bob) and status(bob.root) == []
    names = git(bob.root, "ls-files", "docs/topics").split()
    assert {"docs/topics/2026-02-01-cache.md", "docs/topics/2026-02-02-queue.md"} <= set(names)


@pytest.mark.parametrize("way", WAYS)
def test_a_clone_without_any_rule_ends_in_a_state_that_resolve_finishes(
    pair: tuple[Store, Store], way: str
) -> None:
    _, bob = pair
    without_rules(pair)
    both_shelve(pair)
    git(bob.root, *WAYS[way], check=False)
    assert unmerged(bob) == DERIVED
    shown = resolve(bob)
    assert shown.operation == ("rebase" if "rebase" in way else "merge")
    assert set(shown.regenerated) >= DERIVED and not shown.left and not shown.committed
    assert unmerged(bob) == set()
    done = resolve(bob, commit=True)
    assert done.committed and done.ok and begun(bob) is None
    assert right(bob) and status(bob.root) == []


def test_with_the_drivers_a_merge_ends_clean_and_the_log_has_every_event(
    pair: tuple[Store, Store],
) -> None:
    ann, bob = pair
    without_rules(pair)
    for store in pair:
        made = memshelf.init(store.root, merge_drivers=True)
        assert any("Merge drivers are set" in said for said in made.notes)
    git(ann.root, "reset", "-q", "--hard", "origin/main")
    git(bob.root, "reset", "-q", "--hard", "origin/main")
    for store in pair:
        rows = "".join(f"{FIRST}\t\t{number}\n" for number in (7, 7))
        put(store.root, recalls.LOG, recalls.HEADER + rows)
        git(store.root, "add", recalls.LOG)
        git(store.root, "commit", "-qm", "recalls")
    both_shelve(pair)
    git(bob.root, *WAYS["merge"])
    assert (bob.root / recalls.LOG).read_text() == recalls.HEADER + f"{FIRST}\t\t7\n" * 2
    rows = recalls.HEADER + f"{FIRST}\t\t7\n" * 2
    for store, number in zip(pair, (3, 4), strict=True):
        put(store.root, recalls.LOG, rows + f"{FIRST}\t\t9\n{FIRST}\t\t{number}\n")
        git(store.root, "commit", "-qam", "more")
    git(bob.root, "fetch", "-q", str(ann.root), "main")
    git(bob.root, "merge", "-q", "--no-edit", "FETCH_HEAD")
    assert (bob.root / recalls.LOG).read_text() == (
        rows + f"{FIRST}\t\t9\n{FIRST}\t\t4\n{FIRST}\t\t9\n{FIRST}\t\t3\n"
    )
    assert status(bob.root) == [] and resolve(bob, commit=True).ok and right(bob)


def test_the_drivers_are_of_one_clone_and_setting_them_twice_changes_nothing(
    writers: Writers,
) -> None:
    ann = writers.clone("ann")
    memshelf.init(ann.root, merge_drivers=True)
    once = [(ann.root / ".git" / name).read_text() for name in ("config", "info/attributes")]
    memshelf.init(ann.root, merge_drivers=True)
    assert once == [(ann.root / ".git" / n).read_text() for n in ("config", "info/attributes")]
    assert status(ann.root) == []
    assert git(ann.root, "check-attr", "merge", "INDEX.md", "docs/INDEX.md").split("\n") == [
        "INDEX.md: merge: memshelf-derived",
        "docs/INDEX.md: merge: unspecified",
    ]
    git(ann.root, "config", "merge.memshelf-log.driver", "no-such-program || exit 0")


def test_an_older_shelf_gets_the_lines_that_it_lacks(store: Store) -> None:
    put(store.root, ".gitattributes", "*.md text\n/INDEX.md merge=ours\n")
    git(store.root, "commit", "-qam", "own rules")
    memshelf.init(store.root, merge_drivers=True)
    text = (store.root / ".gitattributes").read_text()
    assert text.startswith("*.md text\n/INDEX.md merge=ours\n#")
    assert "/ledger.tsv merge=union\n" in text and text.count("INDEX.md") == 2
    assert status(store.root) == []


@pytest.mark.parametrize("way", WAYS)
def test_with_the_drivers_every_way_ends_clean(pair: tuple[Store, Store], way: str) -> None:
    _, bob = pair
    memshelf.init(bob.root, merge_drivers=True)
    both_shelve(pair)
    kept = {path: (bob.root / path).read_bytes() for path in DERIVED}
    git(bob.root, *WAYS[way])
    assert status(bob.root) == [] and begun(bob) is None
    if "rebase" not in way:  # there ours is what one rebases onto
        assert kept == {path: (bob.root / path).read_bytes() for path in DERIVED}
    assert resolve(bob, commit=True).committed and right(bob)


def test_between_a_merge_and_the_next_write_every_verb_works_and_the_write_mends_all(
    pair: tuple[Store, Store], cli: Cli
) -> None:
    both_shelve(pair)
    _, bob = pair
    git(bob.root, *WAYS["merge"])
    for words in (["status"], ["stats"], ["index"], ["search", "Redis"], ["recall", FIRST]):
        ran = cli(*words, "--shelf", bob.root)
        assert ran.code == 0, ran
    assert cli("doctor", "--shelf", bob.root).code in (0, 1)
    assert cli("rebuild", "--check", "--shelf", bob.root).code == 1
    shelve(Store.open(bob.root), "2026-02-04-later")
    assert right(bob) and status(bob.root) == []


@pytest.mark.parametrize("bot", merging.BOTS)
def test_where_a_bot_renders_nothing_is_rendered_outside_a_merge(store: Store, bot: str) -> None:
    put(store.root, bot, "name: bot\n")
    put(store.root, FIRST_PATH, episode(FIRST, "The first"))
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "shelve")
    before = tree(store.root)
    done = resolve(store, commit=True)
    assert "A bot renders the derived files." in done.notes and not done.committed
    assert tree(store.root) == before


def test_without_git_there_are_no_sides_to_take_and_it_says_so(tmp_path: Path) -> None:
    memshelf.init(tmp_path / "shelf", storage="plain")
    store = memshelf.open_shelf(tmp_path / "shelf")
    put(store.root, FIRST_PATH, episode(FIRST, "The first"))
    with pytest.raises(ShelfError, match="Edit the file to one text"):
        memshelf.resolve(store, episode=FIRST, take="ours")
    assert "This shelf keeps no history." in memshelf.resolve(store).notes


# --- nothing to do -----------------------------------------------------------------------------


def test_with_nothing_to_do_it_says_so_and_starts_no_git_process(
    store: Store, tmp_path: Path
) -> None:
    counted = Counted(tmp_path, store.root)
    counted.run("rebuild")
    ran = counted.run("resolve")
    assert (ran.returncode, ran.stdout) == (
        0,
        "note: Nothing to resolve: no conflict, and no derived file to render.\n",
    )
    assert counted.git == []
    data = json.loads(counted.run("resolve", "--json").stdout)
    assert data["status"] == "ok" and data["in_merge"] is False and data["doctor"] is None


# --- episodes ----------------------------------------------------------------------------------


def edited(store: Store, *changes: tuple[str, str], path: str = FIRST_PATH) -> None:
    text = (store.root / path).read_text("utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    put(store.root, path, text)
    git(store.root, "commit", "-qam", "amend")


def merge(pair: tuple[Store, Store]) -> Store:
    ann, bob = pair
    push(ann)
    git(bob.root, "fetch", "-q")
    git(bob.root, *WAYS["merge"], check=False)
    return bob


def test_amends_of_different_sections_merge_by_themselves(pair: tuple[Store, Store]) -> None:
    ann, bob = pair
    edited(ann, ("- Choose an eviction policy.", "- Choose LRU."))
    edited(bob, ("tags: [cache, infra]", "tags: [cache, infra, redis]"))
    merge(pair)
    assert begun(bob) is None and resolve(bob, commit=True).ok and right(bob)


def test_changes_that_git_calls_a_conflict_and_that_go_together_are_proposed_and_not_applied(
    pair: tuple[Store, Store],
) -> None:
    ann, bob = pair
    edited(ann, ("tags: [cache, infra]", "tags: [cache, redis]"))
    edited(bob, ("tags: [cache, infra]", "tags: [cache, infra, queue]"))
    merge(pair)
    before = tree(bob.root)
    shown = resolve(bob)
    assert tree(bob.root) == before and unmerged(bob) == {FIRST_PATH}
    (left,) = shown.left
    assert not shown.ok and left.id == FIRST and left.takes == ("merged", "ours", "theirs")
    (part,) = left.parts
    assert (part.name, part.base, part.ours, part.theirs, part.merged) == (
        "tags",
        "[cache, infra]",
        "[cache, infra, queue]",
        "[cache, redis]",
        "[cache, queue, redis]",
    )
    assert f"memshelf resolve --episode {FIRST} --take merged" in str(shown)
    done = resolve(bob, episode=FIRST, take="merged", commit=True)
    assert done.committed and done.resolved == (FIRST_PATH,)
    assert "tags: [cache, queue, redis]\n" in (bob.root / FIRST_PATH).read_text()
    assert right(bob) and status(bob.root) == []


def test_two_texts_of_one_section_are_shown_and_one_can_be_taken(
    pair: tuple[Store, Store], cli: Cli
) -> None:
    ann, bob = pair
    edited(ann, ("- Redis for the cache.", "- Redis 8 for the cache."))
    edited(bob, ("- Redis for the cache.", "- Valkey for the cache."))
    merge(pair)
    ran = cli("resolve", "--shelf", bob.root, "--json")
    assert ran.code == 1
    data = json.loads(ran.out)
    assert data["unresolved"] == [FIRST_PATH] and data["in_merge"] is True
    (part,) = data["proposals"][0]["parts"]
    assert (part["kind"], part["name"], part["clean"]) == ("section", "Decisions", False)
    assert part["ours"].startswith("- Valkey") and part["theirs"].startswith("- Redis 8")
    refused = cli("resolve", "--shelf", bob.root, "--episode", FIRST, "--take", "merged")
    assert refused.code == 1 and "Take one of: ours, theirs." in refused.err
    wrong = cli("resolve", "--shelf", bob.root, "--episode", "2026-09-09-x", "--take", "ours")
    assert wrong.code == 2 and FIRST in wrong.err
    assert cli("resolve", "--shelf", bob.root, "--episode", FIRST).code == 2
    taken = cli(
        "resolve", "--shelf", bob.root, "--episode", FIRST_PATH, "--take", "theirs", "--commit"
    )
    assert taken.code == 0, taken.out + taken.err
    assert "Redis 8" in (bob.root / FIRST_PATH).read_text()
    assert right(bob) and status(bob.root) == []


def test_the_same_id_on_both_sides_is_kept_twice(pair: tuple[Store, Store]) -> None:
    name = "2026-02-01-cache"
    path = f"docs/topics/{name}.md"
    for store, word in zip(pair, ("LRU", "LFU"), strict=True):
        put(store.root, path, episode(name, f"Cache {word}").replace("Redis for", word))
        git(store.root, "add", "-A")
        git(store.root, "commit", "-qm", "shelve")
    _, bob = pair
    merge(pair)
    (left,) = resolve(bob).left
    assert left.said == (
        f"Both sides shelved {name}. Both can be kept: ours as it is, theirs as {name}-2."
    )
    done = resolve(bob, episode=name, take="merged", commit=True)
    assert done.resolved == (path, f"docs/topics/{name}-2.md") and done.committed
    assert "LFU" in (bob.root / path).read_text()
    second = (bob.root / f"docs/topics/{name}-2.md").read_text()
    assert "LRU" in second and f"id: {name}-2\n" in second
    assert right(bob) and status(bob.root) == []


@pytest.mark.parametrize("by", ["ann", "bob"])
def test_an_edit_against_a_deletion_keeps_the_edit_if_asked(
    pair: tuple[Store, Store], by: str
) -> None:
    deletes, edits = pair if by == "ann" else reversed(pair)
    git(deletes.root, "rm", "-q", FIRST_PATH)
    git(deletes.root, "commit", "-qm", "forget")
    edited(edits, ("- Redis for the cache.", "- Valkey for the cache."))
    bob = merge(pair)
    (left,) = resolve(bob).left
    assert "edited on one side" in left.said and left.takes[0] == "merged"
    done = resolve(bob, episode=FIRST, take="merged", commit=True)
    assert done.committed and "Valkey" in (bob.root / FIRST_PATH).read_text()
    assert right(bob)


def test_taking_the_deletion_deletes(pair: tuple[Store, Store]) -> None:
    ann, bob = pair
    shelve(bob, "2026-02-02-queue")
    git(ann.root, "rm", "-q", FIRST_PATH)
    git(ann.root, "commit", "-qm", "forget")
    edited(bob, ("- Redis for the cache.", "- Valkey for the cache."))
    merge(pair)
    assert resolve(bob, episode=FIRST, take="theirs", commit=True).committed
    assert not (bob.root / FIRST_PATH).exists() and right(bob) and status(bob.root) == []


def test_a_rename_against_an_edit_keeps_both(pair: tuple[Store, Store]) -> None:
    ann, bob = pair
    new = "docs/topics/2026-01-05-redis.md"
    git(ann.root, "mv", FIRST_PATH, new)
    edited(ann, (f"id: {FIRST}", "id: 2026-01-05-redis"), path=new)
    edited(bob, ("- Redis for the cache.", "- Valkey for the cache."))
    merge(pair)
    assert resolve(bob, commit=True).ok
    assert "Valkey" in (bob.root / new).read_text() and not (bob.root / FIRST_PATH).exists()
    assert right(bob) and status(bob.root) == []


def test_two_names_for_one_episode_keep_both_files(pair: tuple[Store, Store]) -> None:
    for store, word in zip(pair, ("redis", "valkey"), strict=True):
        git(store.root, "mv", FIRST_PATH, f"docs/topics/2026-01-05-{word}.md")
        git(store.root, "commit", "-qm", "rename")
    bob = merge(pair)
    shown = resolve(bob)
    assert FIRST_PATH in shown.resolved
    ids = {left.id for left in shown.left}
    assert ids == {"2026-01-05-redis", "2026-01-05-valkey"}
    for name in sorted(ids):
        done = resolve(bob, episode=name, take="merged", commit=True)
    assert done.committed
    assert {f"docs/topics/{name}.md" for name in ids} <= set(git(bob.root, "ls-files").split())


def test_an_edit_of_what_was_archived_goes_into_the_archive(pair: tuple[Store, Store]) -> None:
    ann, bob = pair
    archived = f"archive/{FIRST_PATH}"
    (ann.root / archived).parent.mkdir(parents=True)
    git(ann.root, "mv", FIRST_PATH, archived)
    shelve(ann, "2026-03-01-rollup")
    git(ann.root, "commit", "-qam", "rollup")
    memshelf.rebuild(Store.open(ann.root), commit=True)
    edited(bob, ("- Redis for the cache.", "- Valkey for the cache."))
    shelve(bob, "2026-02-02-queue")
    push(ann)
    git(bob.root, "fetch", "-q")
    git(bob.root, "merge", "-q", "--no-edit", "-s", "resolve", "origin/main", check=False)
    (left,) = resolve(bob).left
    assert archived in left.said
    assert resolve(bob, episode=FIRST, take="merged", commit=True).committed
    assert "Valkey" in (bob.root / archived).read_text()
    assert not (bob.root / FIRST_PATH).exists()
    assert right(bob) and status(bob.root) == []


def test_what_git_moves_after_a_roll_up_stays_where_it_was_shelved(
    pair: tuple[Store, Store],
) -> None:
    ann, bob = pair
    session = "docs/sessions/2026-01-06-talk.md"
    text = episode("2026-01-06-talk", "A talk").replace("kind: topic", "kind: session")
    text = text.replace("## Decisions", "## Timeline")
    for number in (1, 2):
        put(ann.root, session.replace("06", f"1{number}"), text.replace("01-06", f"01-1{number}"))
    git(ann.root, "rm", "-q", "docs/sessions/.gitkeep")
    git(ann.root, "add", "-A")
    git(ann.root, "commit", "-qm", "sessions")
    push(ann)
    git(bob.root, "pull", "-q", "origin", "main")
    (ann.root / "archive/docs").mkdir(parents=True)
    git(ann.root, "mv", "docs/sessions", "archive/docs/sessions")
    git(ann.root, "commit", "-qm", "rollup")
    put(bob.root, session, text)
    git(bob.root, "add", "-A")
    git(bob.root, "commit", "-qm", "shelve")
    merge(pair)
    assert unmerged(bob) == {f"archive/{session}"}
    done = resolve(bob, commit=True)
    assert done.committed and (bob.root / session).is_file(), done
    assert not (bob.root / "archive" / session).exists() and status(bob.root) == []


def test_markers_that_were_committed_are_found_and_can_be_settled(store: Store) -> None:
    marked = episode(FIRST, "The first").replace(
        "- Redis for the cache.",
        "<<<<<<< HEAD\n- Valkey.\n||||||| base\n- Redis for the cache.\n=======\n- Redis 8.\n>>>>>>> x",
    )
    put(store.root, FIRST_PATH, marked)
    log = "<<<<<<< HEAD\na\t\t1\n=======\na\t\t1\t\nb\t\t2\n>>>>>>> theirs\n"
    put(store.root, recalls.LOG, recalls.HEADER + log)
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "oh")
    told = [f for f in memshelf.doctor(store).report.errors if f.code == "merge-conflict"]
    assert [f.where for f in told] == [FIRST_PATH] and "memshelf resolve" in told[0].fix
    shown = resolve(store)
    assert [left.id for left in shown.left] == [FIRST] and shown.resolved == (recalls.LOG,)
    assert (store.root / recalls.LOG).read_text() == recalls.HEADER + "a\t\t1\t\nb\t\t2\n"
    done = resolve(store, episode=FIRST, take="theirs", commit=True)
    assert done.committed and done.ok and right(store)
    assert "- Redis 8.\n" in git(store.root, "show", f"HEAD:{FIRST_PATH}") + "\n"


# --- more writers, other states ----------------------------------------------------------------


def test_after_resolve_and_a_push_all_clones_hold_the_same_bytes(writers: Writers) -> None:
    clones = [writers.clone(name) for name in ("ann", "bob", "cid")]
    for number, store in enumerate(clones, 1):
        shelve(store, f"2026-02-0{number}-n{number}")
    for store in clones:
        git(store.root, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
        assert resolve(store, commit=True).ok
        push(store)
    for store in clones:
        git(store.root, "pull", "-q", "--ff-only", "origin", "main")
    trees = [tree(store.root) for store in clones]
    assert trees[0] == trees[1] == trees[2] and right(clones[0])
    assert len(git(clones[0].root, "ls-files", "docs/topics/*.md").split()) == 4


def test_two_clones_that_settle_the_same_merge_make_the_same_tree(
    pair: tuple[Store, Store],
) -> None:
    ann, bob = pair
    shelve(ann, "2026-02-01-cache")
    shelve(bob, "2026-02-02-queue")
    for store, other in ((ann, bob), (bob, ann)):
        git(store.root, "fetch", "-q", str(other.root), "main:theirs")
    for store in pair:
        git(store.root, "merge", "-q", "--no-edit", "theirs")
        assert resolve(store, commit=True).committed
    assert tree(ann.root) == tree(bob.root)


def test_an_octopus_of_four_merges_where_a_bot_renders(writers: Writers) -> None:
    clones = [writers.clone(name) for name in ("ann", "bob", "cid", "dan")]
    for number, store in enumerate(clones, 1):
        shelve_by_hand(store, f"2026-02-0{number}-n{number}")
        git(clones[0].root, "fetch", "-q", str(store.root), f"main:n{number}")
    git(clones[0].root, "merge", "-q", "--no-edit", "n2", "n3", "n4")
    assert len(git(clones[0].root, "log", "-1", "--format=%P").split()) == 4
    assert resolve(clones[0], commit=True).committed and right(clones[0])


def test_an_octopus_that_git_gives_up_changes_nothing_and_one_after_another_works(
    writers: Writers,
) -> None:
    clones = [writers.clone(name) for name in ("ann", "bob", "cid", "dan")]
    for number, store in enumerate(clones, 1):
        shelve(store, f"2026-02-0{number}-n{number}")
        git(clones[0].root, "fetch", "-q", str(store.root), f"main:n{number}")
    before = git(clones[0].root, "rev-parse", "HEAD")
    git(clones[0].root, "merge", "-q", "--no-edit", "n2", "n3", "n4", check=False)
    assert git(clones[0].root, "rev-parse", "HEAD") == before
    git(clones[0].root, "reset", "-q", "--hard")
    for number in (2, 3, 4):
        git(clones[0].root, "merge", "-q", "--no-edit", f"n{number}")
    assert resolve(clones[0], commit=True).committed and right(clones[0])


def shelve_by_hand(store: Store, name: str) -> None:
    put(store.root, f"docs/topics/{name}.md", episode(name, f"On {name}"))
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", name)


def test_a_roll_up_on_one_side_and_an_episode_on_the_other_merge_without_conflict(
    pair: tuple[Store, Store],
) -> None:
    ann, bob = pair
    (ann.root / "archive/docs/topics").mkdir(parents=True)
    git(ann.root, "mv", FIRST_PATH, f"archive/{FIRST_PATH}")
    git(ann.root, "commit", "-qm", "rollup")
    shelve(ann, "2026-03-01-rollup")
    edited(bob, ("- Redis for the cache.", "- Valkey for the cache."))
    shelve(bob, "2026-02-02-queue")
    merge(pair)
    assert begun(bob) is None
    assert resolve(bob, commit=True).committed and right(bob)
    assert "Valkey" in (bob.root / f"archive/{FIRST_PATH}").read_text()
    assert (bob.root / "docs/topics/2026-02-02-queue.md").is_file()


def test_a_cherry_pick_of_rendered_files_is_settled_and_gone_on_with(
    pair: tuple[Store, Store],
) -> None:
    _, bob = pair
    without_rules(pair)
    both_shelve(pair)
    git(bob.root, "cherry-pick", "HEAD..origin/main", check=False)
    assert begun(bob) == "cherry-pick"
    done = resolve(bob, commit=True)
    assert done.operation == "cherry-pick" and done.committed and begun(bob) is None
    assert resolve(bob, commit=True).ok and right(bob) and status(bob.root) == []


def test_in_a_rebase_several_commits_are_settled_one_after_another(
    pair: tuple[Store, Store],
) -> None:
    _, bob = pair
    without_rules(pair)
    shelve(bob, "2026-02-03-more")
    both_shelve(pair)
    git(bob.root, *WAYS["rebase"], check=False)
    done = resolve(bob, commit=True)
    assert done.committed and done.ok and begun(bob) is None
    assert right(bob) and status(bob.root) == []
    log = git(bob.root, "log", "--format=%s", "origin/main..HEAD").split("\n")
    assert [line for line in log if line.startswith("shelve")] == [
        "shelve: 2026-02-02-queue",
        "shelve: 2026-02-03-more",
    ]


def test_a_rebase_stops_at_an_episode_and_goes_on_when_it_is_settled(
    pair: tuple[Store, Store],
) -> None:
    ann, bob = pair
    edited(ann, ("- Redis for the cache.", "- Redis 8 for the cache."))
    edited(bob, ("- Redis for the cache.", "- Valkey for the cache."))
    shelve(bob, "2026-02-02-queue")
    push(ann)
    git(bob.root, "fetch", "-q")
    git(bob.root, *WAYS["rebase"], check=False)
    (left,) = resolve(bob, commit=True).left
    assert left.parts[0].theirs and left.parts[0].theirs.startswith("- Valkey")  # one's own commit
    assert begun(bob) == "rebase"
    done = resolve(bob, episode=FIRST, take="theirs", commit=True)
    assert done.committed and begun(bob) is None
    assert resolve(bob, commit=True).ok and right(bob)


def test_a_hook_that_refuses_leaves_all_settled_and_is_quoted(pair: tuple[Store, Store]) -> None:
    _, bob = pair
    without_rules(pair)
    both_shelve(pair)
    git(bob.root, *WAYS["merge"], check=False)
    hook(bob.root, "pre-commit", "echo no tea >&2; exit 1")
    done = resolve(bob, commit=True)
    assert not done.committed and any("no tea" in note for note in done.notes)
    assert unmerged(bob) == set() and begun(bob) == "merge"
    hook(bob.root, "pre-commit", "exit 0")
    assert resolve(bob, commit=True).committed


def test_settings_in_conflict_are_named_and_stop_what_needs_them(pair: tuple[Store, Store]) -> None:
    for store, word in zip(pair, ("en", "de"), strict=True):
        put(store.root, "memshelf.toml", f'[shelf]\nrebuild = "after-write"\nlanguage = "{word}"\n')
        git(store.root, "commit", "-qam", word)
    bob = merge(pair)
    (left,) = resolve(bob).left
    assert left.path == "memshelf.toml" and left.takes == ("ours", "theirs")
    with pytest.raises(ShelfError, match="memshelf resolve"):
        memshelf.rebuild(bob)
    done = resolve(bob, episode="memshelf.toml", take="theirs", commit=True)
    assert not any("settled and staged" in note for note in done.notes)
    assert done.committed and 'language = "en"' in (bob.root / "memshelf.toml").read_text()


def test_a_shelf_inside_a_larger_repository_leaves_the_rest_to_its_owner(tmp_path: Path) -> None:
    big = new_repo(tmp_path / "big one")
    memshelf.init(big / "my shelf")
    git(big, "clone", "-q", str(big), str(tmp_path / "other"))
    other = memshelf.open_shelf(tmp_path / "other" / "my shelf")
    here = memshelf.open_shelf(big / "my shelf")
    memshelf.init(here.root, merge_drivers=True)
    assert "memshelf-derived" in git(big, "check-attr", "merge", "my shelf/INDEX.md")
    shelve(here, "2026-02-01-cache")
    shelve(other, "2026-02-02-queue")
    for folder, word in ((big, "one"), (tmp_path / "other", "two")):
        put(folder, "README.md", f"{word}\n")
        git(folder, "commit", "-qam", word)
    git(big, "fetch", "-q", str(tmp_path / "other"), "main")
    git(big, "merge", "-q", "FETCH_HEAD", check=False)
    shown = resolve(here, commit=True)
    assert [left.path for left in shown.left] == ["README.md"] and not shown.committed
    put(big, "README.md", "both\n")
    git(big, "add", "README.md")
    done = resolve(here, commit=True)
    assert done.committed and right(here) and status(big) == []


def test_a_clone_with_crlf_ends_as_clean_as_any(writers: Writers) -> None:
    ann = writers.clone("ann")
    put(ann.root, ".gitattributes", "")
    git(ann.root, "commit", "-qam", "no rules")
    push(ann)
    bob = writers.clone("bob", "-c", "core.autocrlf=true")
    assert b"\r\n" in (bob.root / FIRST_PATH).read_bytes()
    for store, tag in ((ann, "redis"), (bob, "queue")):
        text = (store.root / FIRST_PATH).read_bytes()
        new = text.replace(b"tags: [cache, infra]", f"tags: [cache, {tag}]".encode())
        (store.root / FIRST_PATH).write_bytes(new)
        git(store.root, "commit", "-qam", tag)
        memshelf.rebuild(Store.open(store.root), commit=True)
    merge((ann, bob))
    assert resolve(bob, episode=FIRST, take="merged", commit=True).committed
    assert b"tags: [cache, queue, redis]\r\n" in (bob.root / FIRST_PATH).read_bytes()
    assert b"\r" not in git_bytes(bob.root, f"HEAD:{FIRST_PATH}")
    assert status(bob.root) == [] and memshelf.rebuild(Store.open(bob.root), check=True).ok


def git_bytes(folder: Path, name: str) -> bytes:
    return subprocess.run(["git", "show", name], cwd=folder, capture_output=True, check=True).stdout


@POSIX
@pytest.mark.parametrize("at", [1, 2, 4, 7])
def test_a_resolve_that_is_killed_is_finished_by_the_next(
    pair: tuple[Store, Store], tmp_path: Path, at: int
) -> None:
    """Killed at the `at`-th git process that it starts: in the log, the derived files, the commit."""
    _, bob = pair
    without_rules(pair)
    for number, store in enumerate(pair):
        put(store.root, recalls.LOG, recalls.HEADER + f"{FIRST}\t\t{number}\n")
        git(store.root, "add", "-A")
        git(store.root, "commit", "-qm", "recalls")
    both_shelve(pair)
    git(bob.root, *WAYS["merge"], check=False)
    script = f"""
import os, signal, sys
from memshelf.storage.repo import Repo
from memshelf.surfaces.cli import main
left, real = [{at}], Repo.git
def counted(self, *args, **given):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(self, *args, **given)
Repo.git = counted
main(["resolve", "--commit", "--shelf", sys.argv[1]])
"""
    child = python(script, bob.root)
    child.communicate(timeout=120)
    assert child.returncode == -9
    assert resolve(bob, commit=True).committed
    log = (bob.root / recalls.LOG).read_text()
    assert log == recalls.HEADER + f"{FIRST}\t\t1\n{FIRST}\t\t0\n"
    assert right(bob) and status(bob.root) == [] and litter(bob.root) == []


@pytest.mark.parametrize("rules", [True, False])
def test_two_roll_ups_at_once_leave_one_archive(pair: tuple[Store, Store], rules: bool) -> None:
    ann, bob = pair
    if not rules:
        without_rules(pair)
    git(bob.root, "pull", "-q", "origin", "main")
    for number in (1, 2):
        shelve_by_hand(ann, f"2026-02-0{number}-n{number}")
    push(ann)
    git(bob.root, "pull", "-q", "origin", "main")
    for store, number in zip(pair, (1, 2), strict=True):
        name = f"docs/topics/2026-02-0{number}-n{number}.md"
        (store.root / "archive/docs/topics").mkdir(parents=True)
        git(store.root, "mv", name, f"archive/{name}")
        git(store.root, "commit", "-qm", "rollup")
        memshelf.rebuild(Store.open(store.root), commit=True)
    merge(pair)
    archive = {"archive/INDEX.md", "archive/docs/topics/.meta.json"}
    assert archive <= unmerged(bob) if not rules else begun(bob) is None
    done = resolve(bob, commit=True)
    assert done.committed and done.ok and right(bob) and status(bob.root) == []
    index = (bob.root / "archive/INDEX.md").read_text()
    assert "2026-02-01-n1" in index and "2026-02-02-n2" in index


@pytest.mark.parametrize("drivers", [True, False])
@pytest.mark.parametrize("way", ["merge", "rebase"])
def test_an_archive_that_is_emptied_on_one_side_and_grows_on_the_other(
    pair: tuple[Store, Store], way: str, drivers: bool
) -> None:
    ann, bob = pair
    if drivers:
        memshelf.init(bob.root, merge_drivers=True)
    second = "docs/topics/2026-02-01-n1.md"
    shelve_by_hand(ann, "2026-02-01-n1")
    (ann.root / "archive/docs/topics").mkdir(parents=True)
    git(ann.root, "mv", FIRST_PATH, f"archive/{FIRST_PATH}")
    git(ann.root, "commit", "-qm", "rollup")
    memshelf.rebuild(Store.open(ann.root), commit=True)
    push(ann)
    git(bob.root, "pull", "-q", "origin", "main")
    git(ann.root, "mv", f"archive/{FIRST_PATH}", FIRST_PATH)
    git(bob.root, "mv", second, f"archive/{second}")
    for store in pair:
        git(store.root, "commit", "-qm", "moved")
        memshelf.rebuild(Store.open(store.root), commit=True)
    push(ann)
    git(bob.root, "fetch", "-q")
    git(bob.root, *WAYS[way], check=False)
    assert begun(bob) == way
    assert resolve(bob, commit=True).committed
    assert resolve(bob, commit=True).ok and right(bob) and status(bob.root) == []
    there = git(bob.root, "ls-files", "*.md").split()
    assert {FIRST_PATH, f"archive/{second}"} <= {*there} and second not in there


def test_what_git_lost_in_a_merge_that_it_ended_by_itself_is_brought_back(
    pair: tuple[Store, Store],
) -> None:
    bob = pair[1]
    git(bob.root, "checkout", "-q", "-b", "side")
    shelve(bob, "2026-02-02-queue")
    git(bob.root, "checkout", "-q", "main")
    shelve(bob, "2026-02-03-cache")
    git(bob.root, "merge", "-q", "--no-edit", "side")
    git(bob.root, "rm", "-q", FIRST_PATH)
    git(bob.root, "commit", "-q", "--amend", "--no-edit")
    done = resolve(bob, commit=True)
    assert done.resolved == (FIRST_PATH,) and "had lost it" in done.notes[0]
    assert right(bob) and status(bob.root) == []
    assert FIRST_PATH in git(bob.root, "ls-files").split()
    git(bob.root, "rm", "-q", FIRST_PATH)
    git(bob.root, "commit", "-qm", "forget")
    assert FIRST_PATH not in resolve(bob, commit=True).resolved


def test_what_a_revert_takes_away_stays_away(pair: tuple[Store, Store]) -> None:
    bob = pair[1]
    without_rules((bob, pair[0]))
    put(bob.root, "docs/topics/2026-02-01-n1.md", episode("2026-02-01-n1", "One"))
    memshelf.rebuild(Store.open(bob.root))
    git(bob.root, "add", "-A")
    git(bob.root, "commit", "-qm", "all in one")
    shelve(bob, "2026-02-02-queue")
    git(bob.root, "revert", "--no-edit", "HEAD~2", check=False)
    assert begun(bob) == "revert"
    done = resolve(bob, commit=True)
    assert done.operation == "revert" and done.committed and right(bob)
    assert not (bob.root / "docs/topics/2026-02-01-n1.md").exists() and status(bob.root) == []


@POSIX
def test_what_is_no_plain_file_is_left_alone(pair: tuple[Store, Store]) -> None:
    ann, bob = pair
    for store, target in ((ann, "one"), (bob, "two")):
        (store.root / "docs/topics/2026-02-01-link.md").symlink_to(target)
        git(store.root, "add", "-A")
        git(store.root, "commit", "-qm", "link")
    merge(pair)
    (left,) = resolve(bob).left
    assert left.takes == () and "by hand" in left.said


def test_what_a_stash_brought_is_settled_and_staged_and_not_committed(
    pair: tuple[Store, Store],
) -> None:
    ann, _ = pair
    put(ann.root, recalls.LOG, recalls.HEADER)
    git(ann.root, "add", "-A")
    git(ann.root, "commit", "-qm", "log")
    for number in (1, 2):
        put(ann.root, recalls.LOG, recalls.HEADER + f"a\t\t{number}\n")
        put(ann.root, "INDEX.md", f"{number}\n")
        git(ann.root, *(["stash", "-q"] if number == 1 else ["commit", "-qam", "more"]))
    put(ann.root, ".gitattributes", "")
    git(ann.root, "commit", "-qam", "no rules")
    git(ann.root, "stash", "pop", check=False)
    assert unmerged(ann) == {recalls.LOG, "INDEX.md"}
    done = resolve(ann)
    assert not done.committed and "staged" in done.notes[-1]
    assert (ann.root / recalls.LOG).read_text() == recalls.HEADER + "a\t\t2\na\t\t1\n"
    assert status(ann.root) == ["M  INDEX.md", f"M  {recalls.LOG}"] and right(ann)
    git(ann.root, "reset", "-q", "--hard")
    git(ann.root, "stash", "pop", check=False)
    assert resolve(ann, commit=True).committed and status(ann.root) == []


def test_a_repository_with_sha256_is_settled_too(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "--object-format=sha256", "shelf")
    memshelf.init(tmp_path / "shelf")
    ann = memshelf.open_shelf(tmp_path / "shelf")
    put(ann.root, ".gitattributes", "")
    shelve(ann, "2026-02-01-cache")
    git(ann.root, "commit", "-qam", "no rules")
    git(ann.root, "checkout", "-q", "-b", "side")
    shelve(ann, "2026-02-02-queue")
    git(ann.root, "checkout", "-q", "main")
    shelve(ann, "2026-02-03-queue")
    git(ann.root, "merge", "-q", "side", check=False)
    assert resolve(ann, commit=True).committed and right(ann) and status(ann.root) == []


def test_a_lock_that_another_git_holds_is_named_and_nothing_is_taken_for_settled(
    pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, bob = pair
    without_rules(pair)
    both_shelve(pair)
    git(bob.root, *WAYS["merge"], check=False)
    lock = put(bob.root, ".git/index.lock", "")
    with pytest.raises(GitTrouble, match=r"index\.lock is held"):
        resolve(bob, commit=True)
    assert unmerged(bob) == DERIVED
    lock.unlink()
    assert resolve(bob, commit=True).committed and right(bob)


def test_two_clones_of_a_shelf_by_another_hand_merge_too(real_shelf: Store, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(real_shelf.root), "remote.git")
    clones = []
    for name in ("ann", "bob"):
        git(tmp_path, "clone", "-q", "remote.git", name)
        clones.append(memshelf.open_shelf(tmp_path / name))
    for store, number in zip(clones, (1, 2), strict=True):
        shelve(store, f"2026-11-0{number}-n{number}")
        memshelf.rebuild(Store.open(store.root), commit=True)
    ann, bob = clones
    git(bob.root, "fetch", "-q", str(ann.root))
    git(bob.root, "merge", "-q", "--no-edit", "FETCH_HEAD", check=False)
    assert "INDEX.md" in unmerged(bob)
    done = resolve(bob, commit=True)
    assert done.committed and not done.left
    assert memshelf.rebuild(Store.open(bob.root), check=True).ok and status(bob.root) == []


@pytest.mark.parametrize("way", ["merge", "rebase"])
def test_the_verb_rollup_here_and_an_amend_and_an_episode_there(
    pair: tuple[Store, Store], way: str
) -> None:
    ann, bob = pair
    for number in range(1, 7):
        put(
            ann.root,
            f"docs/topics/2026-02-0{number}-n{number}.md",
            episode(f"2026-02-0{number}-n{number}", f"Number {number}"),
        )
    git(ann.root, "add", "-A")
    git(ann.root, "commit", "-qm", "two")
    push(ann)
    git(bob.root, "pull", "-q", "origin", "main")
    rollup(
        Store.open(ann.root),
        "2026-03-01-rollup",
        digest="The cache is Redis; memcached was rejected, twice. Open: eviction.",
        episode=[f"2026-02-0{number}-n{number}" for number in range(1, 7)],
        sections={"Decisions": "- Redis."},
        display_title="The cache",
        apply=True,
    )
    memshelf.shelve(
        Store.open(bob.root),
        slug="2026-02-01-n1",
        sections={"Decisions": "- Valkey for the cache."},
        amend=True,
    )
    shelve(bob, "2026-02-09-queue")
    push(ann)
    git(bob.root, "fetch", "-q")
    git(bob.root, *WAYS[way])
    assert resolve(bob, commit=True).committed
    assert "Valkey" in (bob.root / "archive/docs/topics/2026-02-01-n1.md").read_text()
    there = {path.rpartition("/")[2] for path in git(bob.root, "ls-files", "docs/*.md").split()}
    assert there == {f"{FIRST}.md", "2026-02-09-queue.md", "2026-03-01-rollup.md"}
    assert right(bob) and status(bob.root) == []
