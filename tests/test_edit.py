"""Changing single keys of episodes, and renaming a tag: only the named keys' bytes change."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import files_of, git, put, status
from support import add, changed, episode, put_bytes, tree

import memshelf
from memshelf.domain.errors import ShelfError, UsageError
from memshelf.storage.store import Store

FIRST, SECOND = "2026-01-05-cache", "2026-01-06-cache-two"
PATH = f"docs/topics/{FIRST}.md"
PEER = (
    "# {id}\n\n---\nid: {id}\nkind: topic\nsession: run #4\nspan: 2026-01-05\ndate: 2026-01-05\n"
    'display_title: "Cache"\ntags: [release, #208]\napprox_tokens: 10\n'
    "approx_tokens_source: estimate\nmode: live\nx_own: kept\n---\n\n"
    "## Digest\nRedis was chosen.\n\n## Decisions\n- Redis.\n"
)
BLOCK = (
    "\ufeff---\r\nid: {id}\r\nkind: 'topic'\r\n# a comment\r\ntags:\r\n  - Auth\r\n  - b # two\r\n"
    "unknown:\r\n  deep: [1, 2]\r\napprox_tokens: 5\r\n---\r\n\r\n# T\r\n\r\n## Digest\r\n"
    "We chose it.  \r\n\r\n## Decisions\r\n- Redis.\r\n"
)


@pytest.fixture
def two(store: Store) -> Store:
    add(store, episode(FIRST), PATH)
    add(store, episode(SECOND, "Cache: two"), f"docs/topics/{SECOND}.md")
    return store


def raw(store: Store, path: str = PATH) -> bytes:
    return (store.root / path).read_bytes()


# --- edit --------------------------------------------------------------------------------------


def test_one_episode_is_changed_at_once_and_the_commit_holds_only_it(cli: Cli, two: Store) -> None:
    before = raw(two)
    words = ("--tag", "+Latency", "--tag", "-INFRA", "--visibility", "team", "--shelf", two.root)
    ran = cli("edit", FIRST, *words)
    assert ran.code == 0, ran.err
    commit = git(two.root, "log", "--format=%H", "-1", "--", PATH)
    assert commit[:12] in ran.out and files_of(two.root, commit) == [PATH]
    wanted = before.replace(b"tags: [cache, infra]", b"tags: [cache, Latency]")
    assert raw(two) == wanted.replace(b"mode: live\n", b"mode: live\nvisibility: team\n")
    assert status(two.root) == []


def test_derived_files_follow_in_a_commit_of_their_own(two: Store) -> None:
    memshelf.edit(two, [FIRST], title="Another name")
    assert "Another name" in two.text("INDEX.md")
    assert PATH not in files_of(two.root)
    assert two.text(PATH).count("# Another name") == 1


def test_several_are_shown_first_and_written_in_one_commit(cli: Cli, two: Store) -> None:
    head = git(two.root, "rev-parse", "HEAD")
    words = ("edit", FIRST, SECOND, "--visibility", "public", "--shelf", two.root)
    shown = cli(*words)
    assert shown.out.count("+visibility: public") == 2
    assert shown.err.count("--apply") == 1 and "--apply" not in shown.out
    assert git(two.root, "rev-parse", "HEAD") == head and status(two.root) == []
    done = json.loads(cli(*words, "--apply", "--json").out)
    assert files_of(two.root, done["commit"]) == [PATH, f"docs/topics/{SECOND}.md"]
    assert done["files"] == [PATH, f"docs/topics/{SECOND}.md"] and not done["dry_run"]
    again = cli(*words, "--apply")
    assert again.code == 0 and "nothing had to change" in again.out


def test_one_that_is_named_twice_is_one(cli: Cli, two: Store) -> None:
    ran = cli("edit", FIRST, f"{FIRST}.md", "--visibility", "team", "--shelf", two.root)
    assert ran.code == 0 and f"edited {FIRST} (commit" in ran.out


def test_a_dry_run_of_one_writes_nothing(cli: Cli, two: Store) -> None:
    before = tree(two.root)
    ran = cli("edit", FIRST, "--date", "2026-01-09", "--dry-run", "--shelf", two.root)
    assert "-date: 2026-01-05" in ran.out and "+date: 2026-01-09" in ran.out
    assert changed(before, tree(two.root)) == set()


@pytest.mark.parametrize("text", [PEER, BLOCK])
def test_files_by_other_hands_keep_every_other_byte(store: Store, text: str) -> None:
    put_bytes(store.root / PATH, text.format(id=FIRST).encode("utf-8"))
    git(store.root, "add", "-A")
    git(store.root, "-c", "core.autocrlf=false", "commit", "-qm", "by hand")
    before = raw(store).splitlines(keepends=True)
    memshelf.edit(store, [FIRST], tags=["+new"], retain_until="2027-01-01")
    after = raw(store).splitlines(keepends=True)
    new = [line for line in after if line not in before]
    assert [line.split(b":")[0] for line in new] in ([b"retain_until", b"tags"],) * 2
    gone = [line for line in before if line not in after]
    assert all(b"tags" in line or line.startswith(b"  - ") for line in gone)
    assert [line for line in after if line in before] == [x for x in before if x not in gone]
    assert store.episode(PATH).tags[-1] == "new" and len(store.episode(PATH).tags) == 3
    endings = {line[-2:] == b"\r\n" for line in after}
    assert endings == {text is BLOCK}


def test_a_new_kind_moves_the_file(cli: Cli, two: Store) -> None:
    ran = cli("edit", FIRST, "--kind", "research", "--shelf", two.root)
    assert f"moved from {PATH}" in ran.out
    assert two.locate(FIRST) == f"docs/research/{FIRST}.md"
    assert set(files_of(two.root, "HEAD~1")) == {PATH, f"docs/research/{FIRST}.md"}


def test_nothing_is_written_unless_all_can_be(two: Store) -> None:
    before = tree(two.root)
    with pytest.raises(ShelfError, match="2026-01-07"):
        memshelf.edit(two, [FIRST, "2026-01-07-none"], visibility="team", apply=True)
    with pytest.raises(ShelfError, match="Timeline"):
        memshelf.edit(two, [FIRST, SECOND], kind="session", apply=True)
    assert changed(before, tree(two.root)) == set()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tags": ["plain"]}, r"\+TAG"),
        ({"tags": ["+"]}, r"\+TAG"),
        ({"tags": ["+a,b"]}, "tag"),
        ({"date": "2026-02-30"}, "calendar"),
        ({"retain_until": "soon"}, "calendar"),
        ({"title": "Cache: two"}, "already"),
        ({}, "Nothing to change"),
    ],
)
def test_what_cannot_be_is_refused(two: Store, given: dict[str, list[str]], said: str) -> None:
    two.read()
    before = tree(two.root)
    with pytest.raises(ShelfError, match=said):
        memshelf.edit(two, [FIRST], **given)
    assert changed(before, tree(two.root)) == set()


def test_an_id_of_two_files_is_refused_and_both_are_named(cli: Cli, two: Store) -> None:
    add(two, episode(FIRST, "Another"), f"archive/{PATH}")
    before = tree(two.root)
    ran = cli("edit", FIRST, "--visibility", "team", "--shelf", two.root)
    assert ran.code == 1 and PATH in ran.err and f"archive/{PATH}" in ran.err
    assert changed(before, tree(two.root)) == set()


@pytest.mark.parametrize("words", [("edit", FIRST, "--tag", "+a"), ("tags", "rename", "a", "b")])
def test_to_write_and_not_to_is_a_usage_error(cli: Cli, two: Store, words: tuple[str, ...]) -> None:
    ran = cli(*words, "--apply", "--dry-run", "--shelf", two.root)
    assert (ran.code, "--dry-run does not" in ran.err) == (2, True)


def test_a_title_for_several_is_refused(two: Store) -> None:
    with pytest.raises(UsageError, match="one episode"):
        memshelf.edit(two, [FIRST, SECOND], title="One")


def test_a_secret_in_a_new_description_is_masked(cli: Cli, two: Store) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    ran = cli("edit", FIRST, "--description", f"Token {secret}", "--shelf", two.root)
    assert ran.code == 0 and secret not in ran.out and "redact" in ran.out.lower()
    assert secret not in two.text(PATH)


def test_an_uncommitted_edit_is_not_overwritten(two: Store) -> None:
    put(two.root, PATH, episode(FIRST) + "mine\n")
    with pytest.raises(ShelfError, match="not committed"):
        memshelf.edit(two, [FIRST], visibility="team")
    assert two.text(PATH).endswith("mine\n")


def test_writers_at_once_lose_nothing(two: Store) -> None:
    """Each reads and writes with the lock held, so that the second builds on the first."""
    failed: list[BaseException] = []

    def work(tag: str) -> None:
        try:
            memshelf.edit(memshelf.open_shelf(two.root), [FIRST], tags=[f"+{tag}"])
        except BaseException as trouble:
            failed.append(trouble)

    workers = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failed
    assert sorted(two.episode(PATH).tags) == ["cache", "infra", "t0", "t1", "t2", "t3"]


def test_an_archived_episode_is_edited_where_it_lies(store: Store) -> None:
    path = add(store, episode(FIRST), f"archive/{PATH}")
    memshelf.edit(store, [FIRST], tags=["+old"])
    assert store.episode(path).tags == ("cache", "infra", "old")


# --- tags rename -------------------------------------------------------------------------------


def tagged(name: str, tags: str) -> str:
    return episode(name, name).replace("tags: [cache, infra]", f"tags: {tags}")


@pytest.fixture
def many(store: Store) -> Store:
    texts = {
        "2026-01-01-a": "[Café, x]",
        "2026-01-02-b": "[x, cafe, CAFÉ, bar]",
        "2026-01-03-c": "[cafe-bar]",
    }
    for name, tags in texts.items():
        put(store.root, f"docs/topics/{name}.md", tagged(name, tags))
    add(store, tagged("2026-01-04-d", "[café]"), "archive/docs/topics/2026-01-04-d.md")
    return store


def tags_of(store: Store) -> list[tuple[str, ...]]:
    return [entry.tags for entry in store.read().entries]


def test_a_tag_is_renamed_in_every_spelling_and_merged(cli: Cli, many: Store) -> None:
    words = ("tags", "rename", "CAFE", "bar", "--shelf", many.root)
    shown = cli(*words)
    assert shown.code == 0 and "--apply" in shown.err and ("x", "bar") not in tags_of(many)
    done = json.loads(cli(*words, "--apply", "--json").out)
    assert tags_of(many) == [("bar", "x"), ("x", "bar"), ("cafe-bar",), ("bar",)]
    assert len(files_of(many.root, done["commit"])) == 3
    assert cli(*words, "--apply").code == 1  # no episode has it any more


def test_spellings_become_one(many: Store) -> None:
    memshelf.tags_rename(many, "cafe", "Café", apply=True)
    assert tags_of(many)[:2] == [("Café", "x"), ("x", "Café", "bar")]
    before = tree(many.root)
    memshelf.tags_rename(many, "cafe", "Café", apply=True)
    assert changed(before, tree(many.root)) == set()


@pytest.mark.parametrize(("old", "new"), [("none-such", "x"), ("cafe", "a,b"), ("cafe", "")])
def test_what_is_no_tag_is_refused(many: Store, old: str, new: str) -> None:
    with pytest.raises(ShelfError):
        memshelf.tags_rename(many, old, new, apply=True)


def test_tags_still_shows_a_tag_and_that_of_the_name_rename_too(cli: Cli, store: Store) -> None:
    add(store, tagged(FIRST, "[rename]"), PATH)
    assert (
        FIRST
        in cli("tags", "rename", "--shelf", store.root).err
        + cli("tags", "--tag", "rename", "--shelf", store.root).out
    )
    assert cli("tags", "rename", "--shelf", store.root).code == 2
    assert "usage: memshelf tags rename" in cli("tags", "rename", "--help").out.lower()


def test_a_shelf_that_people_use_has_a_tag_renamed(real_shelf: Store) -> None:
    tag, ids = max(memshelf.tags(real_shelf).data()["tags"].items(), key=lambda pair: len(pair[1]))
    bodies = {e.path: real_shelf.document(e.path).text for e in real_shelf.read().entries}
    answer = memshelf.tags_rename(real_shelf, tag, "quite-new", apply=True)
    assert len(answer.files) == len(ids)
    for path, text in bodies.items():
        after = Path(real_shelf.root / path).read_text("utf-8")
        before, now = text.splitlines(), after.splitlines()
        differ = [pair for pair in zip(before, now, strict=True) if pair[0] != pair[1]]
        assert all(old.startswith("tags:") for old, _ in differ)
        assert bool(differ) is (path in answer.files)


def test_a_shelf_by_the_peer_has_a_tag_renamed(peer_shelf: Store) -> None:
    entry = next(entry for entry in peer_shelf.read().entries if entry.tags)
    answer = memshelf.tags_rename(peer_shelf, entry.tags[0].upper(), "quite-new", apply=True)
    assert entry.path in answer.files and answer.committed
    assert "quite-new" in peer_shelf.episode(entry.path).tags
