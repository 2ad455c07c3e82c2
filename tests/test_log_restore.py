"""Who changed an episode, when and what; and an older state of it brought back as a new commit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import POSIX, files_of, git, killed_at, litter, put, status
from histories import FIRST, SECOND, commit, moved, path, text
from support import changed, tree

import memshelf
from memshelf.domain.errors import ShelfError
from memshelf.domain.who import Said, Who, who
from memshelf.storage.store import Store

REDIS, VALKEY = "- Redis for the cache.", "- Valkey for the cache."
RENAMED = "2026-01-05-renamed"


def raw(root: Path, name: str = FIRST) -> str:
    return (root / path(name)).read_bytes().decode("utf-8")


@pytest.fixture
def root(store: Store) -> Path:
    """An episode that came, was amended by an agent, and was amended once more."""
    one = text(FIRST).replace("mode: live\n", "mode: live\nagent: claude-code\n")
    commit(store.root, {path(FIRST): one}, "2026-01-05")
    commit(store.root, {path(FIRST): one.replace(REDIS, VALKEY)}, "2026-01-06", "Bob Example")
    git(store.root, "commit", "-q", "--amend", "-m", "second\n\nCo-Authored-By: Claude <a@b.org>")
    commit(
        store.root, {path(FIRST): one.replace(REDIS, VALKEY) + "\n## Notes\nMore.\n"}, "2026-01-07"
    )
    return store.root


def on(root: Path, day: str) -> str:
    """The commit of a day."""
    return git(root, "log", "--format=%H", f"--grep=^on {day}$")


# --- log ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("author", "trailers", "said", "wanted"),
    [
        ("Ann", [("Agent", "claude-code 2.1")], None, Who("agent", "claude-code 2.1")),
        ("Ann", [("Co-authored-by", "Bob <b@x.org>")], None, Who("unknown")),
        ("Ann", [("co-authored-by", "Copilot <c@x.org>")], None, Who("agent", "Copilot")),
        ("renovate[bot]", [], None, Who("agent", "renovate[bot]")),
        ("Ann", [], Said(agent="codex"), Who("agent", "codex")),
        ("Ann", [], Said(author="ann"), Who("human")),
        ("Claude Monet", [], None, Who("unknown")),
        ("Ann", [("Signed-off-by", "Claude <c@x.org>")], None, Who("unknown")),
    ],
)
def test_an_agent_is_one_that_says_so(
    author: str, trailers: list[tuple[str, str]], said: Said | None, wanted: Who
) -> None:
    assert who(author, trailers, said) == wanted


def test_the_changes_are_told_newest_first(cli: Cli, root: Path) -> None:
    data = json.loads(cli("log", FIRST, "--json", "--shelf", root).out)
    rows = [(row["when"][:10], row["kind"], row["author"], row["by"]) for row in data["changes"]]
    assert rows == [
        ("2026-01-07", "amended", "Ann Example", "unknown"),
        ("2026-01-06", "amended", "Bob Example", "agent"),
        ("2026-01-05", "new", "Ann Example", "agent"),
    ]
    assert [row.get("sections") for row in data["changes"]] == [["Notes"], ["Decisions"], None]
    assert [row.get("agent") for row in data["changes"]] == [None, "Claude", "claude-code"]
    assert data["available"] and not data["complete_from"]
    shown = cli("log", FIRST, "--max-results", "2", "--shelf", root).out.splitlines()
    assert shown[0] == path(FIRST) and "Notes" in shown[1] and "with Claude: Decisions" in shown[2]
    assert "1 older change more" in shown[3]


def test_a_rename_and_what_replaces_it_are_told(cli: Cli, root: Path) -> None:
    put(root, path(SECOND), text(SECOND))
    commit(root, {}, "2026-02-01")
    memshelf.rename(memshelf.open_shelf(root), FIRST, RENAMED)
    memshelf.supersede(memshelf.open_shelf(root), RENAMED, by=SECOND)
    data = json.loads(cli("log", RENAMED, "--json", "--shelf", root).out)
    kinds = [row["kind"] for row in data["changes"]]
    assert kinds == ["replaced", "renamed", "amended", "amended", "new"]
    assert data["changes"][0]["replaced_by"] == [SECOND]
    assert f"was {FIRST}" in cli("log", RENAMED, "--shelf", root).out


def test_a_shallow_clone_says_from_when_on_it_knows(cli: Cli, root: Path) -> None:
    clone = root.parent / "shallow"
    git(root.parent, "clone", "-q", "--depth", "2", root.as_uri(), str(clone))
    ran = cli("log", FIRST, "--shelf", clone)
    assert ran.code == 0 and "The clone is shallow: all is known from 2026-01-06 on" in ran.out
    assert json.loads(cli("log", FIRST, "--json", "--shelf", clone).out)["complete_from"]


def test_without_git_it_says_so(cli: Cli, tmp_path: Path) -> None:
    memshelf.init(tmp_path / "plain", name="Plain", storage="plain")
    put(tmp_path / "plain", path(FIRST), text(FIRST))
    ran = cli("log", FIRST, "--shelf", tmp_path / "plain")
    assert ran.code == 0 and "no git history" in ran.out
    with pytest.raises(ShelfError) as trouble:
        memshelf.restore(memshelf.open_shelf(tmp_path / "plain"), FIRST, rev="HEAD")
    assert trouble.value.code == "no-such-revision"


def test_an_episode_that_is_not_committed_has_no_changes_yet(cli: Cli, root: Path) -> None:
    put(root, path(SECOND), text(SECOND))
    assert "Nothing of it is committed yet." in cli("log", SECOND, "--shelf", root).out


def test_one_that_was_removed_is_told_with_the_way_back(cli: Cli, root: Path) -> None:
    head = git(root, "rev-parse", "HEAD")
    gone = commit(root, {path(FIRST): None}, "2026-03-01")
    ran = cli("log", FIRST, "--shelf", root)
    assert ran.code == 1 and f"restore {FIRST} --rev {gone[:12]}~1" in ran.err
    assert cli("restore", FIRST, "--rev", f"{gone[:12]}~1", "--shelf", root).code == 0
    assert raw(root) == git(root, "show", f"{head}:{path(FIRST)}") + "\n"
    assert cli("log", "2026-01-01-never", "--shelf", root).code == 1


def test_the_log_of_shelves_by_other_hands(peer_shelf: Store, real_shelf: Store) -> None:
    for store in (peer_shelf, real_shelf):
        for entry in store.read().entries[:5]:
            found = memshelf.log(store, entry.id)
            assert found.changes and found.changes[-1].change.kind == "new"


# --- restore -----------------------------------------------------------------------------------


def test_an_older_state_comes_back_as_a_new_commit_of_one_file(cli: Cli, root: Path) -> None:
    old = git(root, "show", f"HEAD~2:{path(FIRST)}") + "\n"
    count = int(git(root, "rev-list", "--count", "HEAD"))
    done = json.loads(cli("restore", FIRST, "--rev", "HEAD~2", "--json", "--shelf", root).out)
    assert raw(root) == old and files_of(root, done["commit"]) == [path(FIRST)]
    assert int(git(root, "rev-list", "--count", "HEAD")) > count and status(root) == []
    again = cli("restore", FIRST, "--rev", done["commit"], "--shelf", root)
    assert again.code == 0 and "nothing had to change" in again.out


def test_a_dry_run_shows_the_difference_and_writes_nothing(cli: Cli, root: Path) -> None:
    before = tree(root)
    ran = cli("restore", FIRST, "--rev", "HEAD~2", "--dry-run", "--shelf", root)
    assert f"-{VALKEY}" in ran.out and f"+{REDIS}" in ran.out
    assert changed(before, tree(root)) == set()


def test_an_edit_that_is_not_committed_is_kept_and_stops_it(root: Path) -> None:
    put(root, path(FIRST), raw(root) + "mine\n")
    with pytest.raises(ShelfError, match="not committed"):
        memshelf.restore(memshelf.open_shelf(root), FIRST, rev="HEAD~2")
    assert raw(root).endswith("mine\n")


def test_it_keeps_its_name_and_its_place_of_today(root: Path) -> None:
    memshelf.rename(memshelf.open_shelf(root), FIRST, RENAMED)
    place = f"archive/docs/topics/{RENAMED}.md"
    moved(root, path(RENAMED), place, "2026-02-02")
    made = memshelf.restore(memshelf.open_shelf(root), RENAMED, rev=on(root, "2026-01-05"))
    assert made.files == (place,)
    now = (root / place).read_text("utf-8")
    assert f"id: {RENAMED}\n" in now and REDIS in now and FIRST not in now
    with pytest.raises(ShelfError, match=f"called {RENAMED} today"):
        memshelf.restore(memshelf.open_shelf(root), FIRST, rev=on(root, "2026-01-05"))


def test_others_are_named_as_they_are_called_today(root: Path) -> None:
    store = memshelf.open_shelf(root)
    put(root, path(SECOND), text(SECOND))
    named = text(FIRST) + f"\n## Notes\nAs [there]({SECOND}.md) and in {SECOND}/t1.\n"
    then = commit(root, {path(FIRST): named}, "2026-02-01")
    commit(root, {path(FIRST): text(FIRST)}, "2026-02-02")
    memshelf.rename(store, SECOND, RENAMED)
    memshelf.restore(memshelf.open_shelf(root), FIRST, rev=then)
    assert f"As [there]({RENAMED}.md) and in {RENAMED}/t1." in raw(root)


def test_a_secret_of_that_time_is_masked_by_the_rules_of_now(cli: Cli, root: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    then = commit(root, {path(FIRST): f"{text(FIRST)}\n## Notes\n{secret}\n"}, "2026-02-01")
    commit(root, {path(FIRST): text(FIRST)}, "2026-02-02")
    ran = cli("restore", FIRST, "--rev", then, "--shelf", root)
    assert ran.code == 0 and secret not in ran.out and secret not in raw(root)
    assert "## Notes" in raw(root) and "redact" in ran.out.lower()


def test_what_replaces_it_since_stays_written_in_it(root: Path) -> None:
    put(root, path(SECOND), text(SECOND))
    before = commit(root, {}, "2026-02-01")
    store = memshelf.open_shelf(root)
    memshelf.supersede(store, f"{FIRST}/d1", by=SECOND)
    made = memshelf.restore(store, FIRST, rev=f"{before}~1")
    assert f"reversed_by: [d1 {SECOND}]" in raw(root) or not made.files
    made = memshelf.restore(store, FIRST, rev=f"{before}~3")
    assert f"reversed_by: [d1 {SECOND}]" in raw(root) and any(SECOND in w for w in made.warnings)


def test_what_protects_it_today_and_did_not_then_is_told(cli: Cli, root: Path) -> None:
    put(root, "memshelf.toml", '[shelf]\nvisibility = "team"\n')
    then = commit(root, {}, "2026-02-01")
    words = ("--visibility", "private", "--retain-until", "2099-01-01", "--shelf", root)
    assert cli("edit", FIRST, *words).code == 0
    ran = cli("restore", FIRST, "--rev", then, "--dry-run", "--shelf", root)
    assert "It was team then, and is private today" in ran.out
    assert f"edit {FIRST} --retain-until 2099-01-01" in ran.out
    back = cli("restore", FIRST, "--rev", "HEAD", "--shelf", root)
    assert back.code == 0 and "warning" not in back.out


def test_an_address_that_another_names_and_that_means_something_else_then_is_told(
    root: Path,
) -> None:
    before = commit(root, {}, "2026-02-01")
    more = text(FIRST).replace("- Choose an", "- Another one.\n- Choose an")
    commit(root, {path(FIRST): more}, "2026-02-02")
    later = text(SECOND).replace("mode: live\n", f"mode: live\ncloses: [{FIRST}/t1]\n")
    commit(root, {path(SECOND): later}, "2026-02-03")
    made = memshelf.restore(memshelf.open_shelf(root), FIRST, rev=before, dry_run=True)
    assert any(f"Another episode names {FIRST}/t1" in said for said in made.warnings)


def test_what_todays_rules_find_wrong_is_told_and_no_reason_to_refuse(root: Path) -> None:
    bad = text(FIRST).replace("Open: eviction.", "Open: eviction. " + "word " * 130)
    then = commit(root, {path(FIRST): bad}, "2026-02-01")
    commit(root, {path(FIRST): text(FIRST)}, "2026-02-02")
    made = memshelf.restore(memshelf.open_shelf(root), FIRST, rev=then)
    assert made.committed and any("today's rules" in said for said in made.warnings)


def test_another_kind_of_that_time_moves_the_file_back(root: Path) -> None:
    memshelf.edit(memshelf.open_shelf(root), [FIRST], kind="research")
    made = memshelf.restore(memshelf.open_shelf(root), FIRST, rev=on(root, "2026-01-07"))
    assert made.moved == ((f"docs/research/{FIRST}.md", path(FIRST)),)
    assert not (root / f"docs/research/{FIRST}.md").exists()


@pytest.mark.parametrize(
    ("name", "rev", "code"),
    [
        (FIRST, "none-such", "no-such-revision"),
        (FIRST, "--all", "no-such-revision"),
        (SECOND, "HEAD", "not-there-then"),
        ("../x", "HEAD", "not-there-then"),
    ],
)
def test_what_cannot_be_brought_back_is_refused(root: Path, name: str, rev: str, code: str) -> None:
    before = tree(root)
    with pytest.raises(ShelfError) as trouble:
        memshelf.restore(memshelf.open_shelf(root), name, rev=rev)
    assert trouble.value.code == code and trouble.value.fix
    assert changed(before, tree(root)) == set()


def test_an_id_of_two_files_is_refused_and_both_are_named(cli: Cli, root: Path) -> None:
    commit(root, {f"archive/{path(FIRST)}": text(FIRST)}, "2026-02-01")
    ran = cli("restore", FIRST, "--rev", "HEAD~1", "--shelf", root)
    assert ran.code == 1 and path(FIRST) in ran.err and f"archive/{path(FIRST)}" in ran.err


def test_a_state_in_the_middle_of_a_merge_is_refused(root: Path) -> None:
    half = f"{text(FIRST)}\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"
    then = commit(root, {path(FIRST): half}, "2026-02-01")
    commit(root, {path(FIRST): text(FIRST)}, "2026-02-02")
    with pytest.raises(ShelfError) as trouble:
        memshelf.restore(memshelf.open_shelf(root), FIRST, rev=then)
    assert trouble.value.code == "merge-conflict"


RESTORE = """
memshelf.restore(memshelf.open_shelf(Path(sys.argv[1])), sys.argv[2], rev="HEAD~2")
"""


@POSIX
@pytest.mark.parametrize(("module", "name"), [("gate", "make_commit"), ("journal", "end")])
def test_killed_in_the_middle_it_is_wholly_done_or_not_at_all(
    root: Path, module: str, name: str
) -> None:
    now, then = raw(root), git(root, "show", f"HEAD~2:{path(FIRST)}") + "\n"
    killed_at((module, name), RESTORE, root, FIRST)
    memshelf.open_shelf(root)
    assert raw(root) == (then if module == "journal" else now)
    assert (status(root), litter(root)) == ([], [])
