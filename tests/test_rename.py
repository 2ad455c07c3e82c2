"""An episode gets another id: its file moves, and all that names it follows, and nothing else."""

from __future__ import annotations

import json
import re

import pytest
from conftest import Cli
from gitkit import POSIX, files_of, git, killed_at, litter, put, status
from hypothesis import given
from hypothesis import strategies as st
from support import add, changed, episode, put_bytes, tree

import memshelf
from memshelf.domain import frontmatter
from memshelf.domain.errors import ShelfError
from memshelf.domain.mentions import named
from memshelf.domain.renaming import following, own
from memshelf.storage.store import Store

OLD, LONGER, NEW = "2026-01-05-cache", "2026-01-05-cache-two", "2026-01-05-redis"
OTHER = "2026-02-05-other"


def path(name: str, root: str = "docs/topics") -> str:
    return f"{root}/{name}.md"


# --- one text ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"as in {OLD}.", f"as in {NEW}."),
        (f"{OLD}/t2, {OLD}/d1; ({OLD})", f"{NEW}/t2, {NEW}/d1; ({NEW})"),
        (f"[it](../topics/{OLD}.md#decisions)", f"[it](../topics/{NEW}.md#decisions)"),
        (f"{LONGER} x{OLD} _{OLD} {OLD}s -{OLD}", f"{LONGER} x{OLD} _{OLD} {OLD}s -{OLD}"),
        (
            f"```sh\nmemshelf recall {OLD}\n```\n`{OLD}`",
            f"```sh\nmemshelf recall {NEW}\n```\n`{NEW}`",
        ),
        (f"---\ncloses: [{OLD}/t1, {LONGER}]\n---\n", f"---\ncloses: [{NEW}/t1, {LONGER}]\n---\n"),
        (f"---\nop: {OLD}\nsession: {OLD}\n---\n", f"---\nop: {OLD}\nsession: {OLD}\n---\n"),
        (
            f"\ufeff---\r\nsupersedes:\r\n  - '{OLD}'\r\n  - {OLD}/d1 # c\r\n---\r\n",
            f"\ufeff---\r\nsupersedes:\r\n  - '{NEW}'\r\n  - {NEW}/d1 # c\r\n---\r\n",
        ),
        (f"2026-01-05-Cache {OLD}-", f"2026-01-05-Cache {NEW}-"),
        (f"{OLD} " * 300, f"{NEW} " * 300),
    ],
)
def test_mentions_follow_and_no_other_byte(text: str, wanted: str) -> None:
    assert following(text, {OLD}, NEW) == wanted


def test_an_id_in_another_form_follows_where_it_is_a_name() -> None:
    text = (
        "---\nid: x\nsupersedes: [auth, auth-two, oauth]\ncloses: auth/t1\ntags: [auth]\n---\n"
        "auth is [here](auth.md), [there](../a/auth-two.md), [and](<auth.md>) auth.\n"
    )
    wanted = (
        f"---\nid: x\nsupersedes: [{NEW}, auth-two, oauth]\ncloses: {NEW}/t1\ntags: [auth]\n---\n"
        f"auth is [here]({NEW}.md), [there](../a/auth-two.md), [and](<{NEW}.md>) auth.\n"
    )
    assert following(text, {"auth"}, NEW) == wanted
    odd = "[a](../%D0%B1%20b.md) [b](б%20b.md)"
    assert following(odd, {"б b"}, NEW) == f"[a](../{NEW}.md) [b]({NEW}.md)"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            f"# {OLD}\n\n---\nid: {OLD}\n---\nx {OLD}/d1\n",
            f"# {NEW}\n\n---\nid: {NEW}\n---\nx {NEW}/d1\n",
        ),
        (
            f'---\nid: "{OLD}"  # c\r\nk: 1\n---\n# T\n',
            f'---\nid: "{NEW}"  # c\r\nk: 1\n---\n# T\n',
        ),
        (
            "---\nid: auth\nkind: topic\n---\n# auth\n",
            f"---\nid: {NEW}\nkind: topic\n---\n# {NEW}\n",
        ),
        ("# T\n\nNo front matter.\n", "# T\n\nNo front matter.\n"),
    ],
)
def test_the_episode_itself_bears_the_new_id(text: str, wanted: str) -> None:
    assert own(text, {OLD, "auth"}, NEW) == wanted


PIECES = st.sampled_from(
    (
        *(
            OLD,
            LONGER,
            f"{OLD}/t1",
            f"[a]({OLD}.md)",
            f"[b](x/{OLD}.md#s)",
            f"<{OLD}>",
            OLD.upper(),
        ),
        *("auth", "[c](auth.md)", "[d](%61uth.md)", "[e](<auth.md>)", "oauth.md", "![f](auth.md)"),
        *(" ", "\n", "\r\n", "-", "_", "x", "é", "20", "```\n", "---\n", "# ", "]("),
        *(f"supersedes: [{OLD}, auth]\n", "closes:\n  - auth/t1\n", f"id: {OLD}\n", f"op: {OLD}\n"),
    )
)


@given(st.lists(PIECES, max_size=30), st.booleans())
def test_whatever_the_text_nothing_but_names_changes(pieces: list[str], front: bool) -> None:
    text = ("---\n" if front else "") + "".join(pieces)
    after = following(text, {OLD, "auth"}, NEW)
    back = after.replace(NEW, OLD)
    assert re.sub(f"{OLD}|auth|%61uth", "", back) == re.sub(f"{OLD}|auth|%61uth", "", text)
    body = frontmatter.read(after).body
    assert all(name not in (OLD, "auth") for _, name in named(after[body:]))
    assert following(after, {OLD, "auth"}, NEW) == after


# --- on a shelf --------------------------------------------------------------------------------


@pytest.fixture
def shelf(store: Store) -> Store:
    put(store.root, path(OLD), episode(OLD))
    put(store.root, path(LONGER), episode(LONGER, "Two"))
    other = episode(OTHER, "Other").replace("mode: live\n", f"mode: live\nsupersedes: [{OLD}/d1]\n")
    put(
        store.root,
        path(OTHER, "archive/docs/topics"),
        f"{other}\n## Notes\nSee {OLD}/t1, {LONGER}.\n",
    )
    put(store.root, "retros/2026Q1.md", f"It began with {OLD}.\n")
    add(
        store, f"episode_id\tsection\tfetched_tokens\n{OLD}\t\t5\n{LONGER}\t\t7\n", "recall-log.tsv"
    )
    return store


def test_the_file_moves_and_all_that_names_it_follows_in_one_commit(cli: Cli, shelf: Store) -> None:
    before = tree(shelf.root)
    done = json.loads(cli("rename", OLD, NEW, "--json", "--shelf", shelf.root).out)
    archived = path(OTHER, "archive/docs/topics")
    wanted = {path(OLD), path(NEW), archived, "retros/2026Q1.md", "recall-log.tsv"}
    assert set(files_of(shelf.root, done["commit"])) == wanted
    assert done["moved"] == [{"from": path(OLD), "to": path(NEW)}]
    for name in (archived, "retros/2026Q1.md", "recall-log.tsv"):
        now = (shelf.root / name).read_bytes()
        assert now == before[name].replace(f"{OLD}.".encode(), f"{NEW}.".encode()).replace(
            f"{OLD}/".encode(), f"{NEW}/".encode()
        ).replace(f"{OLD}\t".encode(), f"{NEW}\t".encode())
        assert NEW.encode() in now
    assert (shelf.root / path(LONGER)).read_bytes() == before[path(LONGER)]
    assert shelf.locate(OLD) is None and shelf.episode(path(NEW)).id == NEW
    assert NEW in shelf.text("INDEX.md") and status(shelf.root) == []
    assert cli("doctor", "--shelf", shelf.root).code == 0
    assert memshelf.decisions(shelf, state="reversed").decisions[0].address == f"{NEW}/d1"


def test_history_and_the_site_lead_from_the_old_name_to_the_new_one(cli: Cli, shelf: Store) -> None:
    cli("rename", OLD, NEW, "--shelf", shelf.root)
    history = shelf.read(history=True).changes
    assert history.moved[path(OLD)] == path(NEW)
    assert [change.kind for change in history.of(path(NEW))] == ["renamed", "new"]
    out = shelf.root.parent / "site"
    ran = cli("export", "site", "--out", out, "--shelf", shelf.root)
    assert ran.code == 0, ran.err
    pages = [file for file in out.rglob("*") if file.is_file() and OLD in file.as_posix()]
    pages = [file for file in pages if LONGER not in file.as_posix()]
    assert pages and NEW in pages[0].read_text("utf-8")


def test_a_short_episode_under_another_date_is_followed_too(cli: Cli, store: Store) -> None:
    text = (
        f"---\nid: {OLD}\nkind: topic\ntags: []\n---\n# T\n\n## Digest\nWe did {OLD}. Open: no.\n"
    )
    add(store, text, path(OLD))
    memshelf.rename(store, OLD, "2026-07-09-other-name")
    kinds = [row.change.kind for row in memshelf.log(store, "2026-07-09-other-name").changes]
    assert kinds == ["renamed", "new"]


def test_who_asks_for_the_old_name_is_told_the_new_one(cli: Cli, shelf: Store) -> None:
    memshelf.rename(shelf, OLD, NEW)
    memshelf.rename(shelf, NEW, "2026-01-05-third")
    for words in (("recall", OLD), ("edit", OLD, "--visibility", "team"), ("rename", NEW, OLD)):
        ran = cli(*words, "--shelf", shelf.root)
        assert ran.code == 1 and "It is called 2026-01-05-third today." in ran.err, words
    assert "docs/topics/2026-01-05-third.md" in cli("log", OLD, "--shelf", shelf.root).out


def test_an_archived_episode_stays_in_the_archive(shelf: Store) -> None:
    memshelf.rename(shelf, OTHER, "2026-02-05-else")
    assert shelf.locate("2026-02-05-else") == path("2026-02-05-else", "archive/docs/topics")


def test_a_dry_run_shows_all_and_writes_nothing(cli: Cli, shelf: Store) -> None:
    before = tree(shelf.root)
    ran = cli("rename", OLD, NEW, "--dry-run", "--shelf", shelf.root)
    assert f"move {path(OLD)} to {path(NEW)}" in ran.out and f"+It began with {NEW}." in ran.out
    assert changed(before, tree(shelf.root)) == set()


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (OLD, LONGER, "episode-exists"),
        (OLD, OTHER, "episode-exists"),
        (OLD, OLD, "episode-exists"),
        (OLD, "redis", "bad-field"),
        (OLD, "2026-02-30-redis", "bad-field"),
        (OLD, "2026-01-05-Redis", "bad-field"),
        (OLD, "../2026-01-05-redis", "bad-field"),
        (OLD, "2026-01-05-" + "x" * 80, "bad-field"),
        (OLD, "", "bad-field"),
        ("2026-01-05-none", NEW, "episode-not-found"),
    ],
)
def test_what_cannot_be_is_refused(shelf: Store, old: str, new: str, code: str) -> None:
    before = tree(shelf.root)
    with pytest.raises(ShelfError) as trouble:
        memshelf.rename(shelf, old, new)
    assert trouble.value.code == code and trouble.value.fix
    assert changed(before, tree(shelf.root)) == set()


def test_an_edit_in_a_file_that_names_it_stops_the_whole(shelf: Store) -> None:
    put(shelf.root, "retros/2026Q1.md", f"Mine, with {OLD}.\n")
    before = tree(shelf.root)
    with pytest.raises(ShelfError, match="not committed"):
        memshelf.rename(shelf, OLD, NEW)
    assert changed(before, tree(shelf.root)) == set()


def test_recalls_that_are_not_committed_stay_and_are_told(shelf: Store) -> None:
    put(shelf.root, "recall-log.tsv", f"episode_id\tsection\tfetched_tokens\n{OLD}\t\t5\n")
    made = memshelf.rename(shelf, OLD, NEW)
    assert made.committed and any("recall-log.tsv" in said for said in made.warnings)


def test_of_two_files_with_one_id_none_is_renamed(shelf: Store) -> None:
    add(shelf, episode(OLD), path(OLD, "docs/research"))
    with pytest.raises(ShelfError, match="stands in 2 files"):
        memshelf.rename(shelf, OLD, NEW)
    git(shelf.root, "mv", path(OLD, "docs/research"), path("2026-01-05-odd", "docs/research"))
    git(shelf.root, "commit", "-qm", "by hand")
    with pytest.raises(ShelfError, match="stands in 2 files"):  # by a name that is its own
        memshelf.rename(shelf, "2026-01-05-odd", NEW)


def test_three_hundred_mentions_in_three_hundred_files_follow(store: Store) -> None:
    for number in range(300):
        name = f"2026-02-01-n{number}"
        put(store.root, path(name), f"{episode(name, name)}\n## Notes\n- {OLD}\n")
    add(store, episode(OLD), path(OLD))
    made = memshelf.rename(store, OLD, NEW)
    assert len(made.files) == 301 and len(files_of(store.root, made.commit or "")) == 302
    assert git(store.root, "grep", "-l", f"- {OLD}", check=False) == ""


def test_an_old_shelfs_odd_names_become_good_ones(store: Store) -> None:
    text = (
        "# auth\n\n---\nid: auth\nkind: topic\ntags: []\n---\n\n## Digest\nWe did. See [b](b.md).\n"
    )
    put_bytes(store.root / path("Auth Notes"), text.encode())
    add(store, episode(OTHER) + "\n## Notes\n[a](Auth%20Notes.md) [b](auth.md) auth\n", path(OTHER))
    memshelf.rename(store, "auth", NEW)
    assert store.episode(path(NEW)).id == NEW and store.document(path(NEW)).front.heading == NEW
    assert f"[a]({NEW}.md) [b]({NEW}.md) auth" in store.text(path(OTHER))


RENAME = "memshelf.rename(memshelf.open_shelf(Path(sys.argv[1])), sys.argv[2], sys.argv[3])"


@POSIX
@pytest.mark.parametrize(
    ("module", "name", "after", "lands"),
    [
        ("journal", "begin", True, False),
        ("batch", "write", True, False),
        ("gate", "make_commit", False, False),
        ("gate", "make_commit", True, True),
    ],
)
def test_killed_in_the_middle_it_is_wholly_done_or_not_at_all(
    shelf: Store, module: str, name: str, after: bool, lands: bool
) -> None:
    before = tree(shelf.root)
    killed_at((module, name), RENAME, shelf.root, OLD, NEW, after=after)
    memshelf.open_shelf(shelf.root)  # whoever opens the shelf next finishes or undoes it
    assert bool(shelf.locate(NEW)) is lands and bool(shelf.locate(OLD)) is not lands
    assert (status(shelf.root), litter(shelf.root)) == ([], [])
    if not lands:
        assert changed(before, tree(shelf.root)) == set()


def test_shelves_by_other_hands_have_their_most_named_episode_renamed(
    real_shelf: Store, peer_shelf: Store
) -> None:
    for store in (real_shelf, peer_shelf):
        shelf = store.read()
        counts = {
            entry.id: sum(entry.id in dict(other.mentions) for other in shelf.entries)
            for entry in shelf.entries
        }
        old = max(counts, key=lambda name: (counts[name], name))
        new = f"{old[:10]}-quite-another-name"
        made = memshelf.rename(store, old, new)
        after = store.read()
        assert made.committed and len(made.files) >= counts[old] + 1
        assert sum(new in dict(other.mentions) for other in after.entries) == counts[old]
        assert all(old not in dict(other.mentions) for other in after.entries)
        assert len(after.problems) == len(shelf.problems)
