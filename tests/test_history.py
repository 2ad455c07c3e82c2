"""What git knows of a shelf's episodes: who made, amended, moved and replaced which one when."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from gitkit import git, put
from histories import FIRST, SECOND, at, commit, moved, path, read, short, told
from histories import text as text_of
from hypothesis import given, settings
from hypothesis import strategies as st

from memshelf.domain.changes import Change, History
from memshelf.domain.choosing import seen_by
from memshelf.domain.lineage import Step, events
from memshelf.domain.shelf import Shelf
from memshelf.render.site_origin import past
from memshelf.storage import gitlog
from memshelf.storage.repo import Repo
from memshelf.storage.store import Store

MORE = ("- Redis for the cache.", "- Redis for the cache.\n- Two nodes.")
TICKED = ("- Choose an eviction", "- [x] Choose an eviction")


def old_paths(history: History, today: str) -> tuple[str, ...]:
    """Where an episode was before, the latest place first."""
    found = (change.old_path for change in history.of(today) if change.old_path != today)
    return tuple(dict.fromkeys(filter(None, found)))


@pytest.fixture
def root(store: Store) -> Path:
    """A shelf with one episode."""
    commit(store.root, {path(FIRST): text_of(FIRST)}, "2026-01-05")
    return store.root


# --- one line of commits -----------------------------------------------------------------------


def test_a_shelf_says_who_made_and_amended_an_episode_when_and_where(root: Path) -> None:
    commit(root, {path(FIRST): text_of(FIRST, MORE)}, "2026-01-07", "Björn Ünal")
    commit(root, {path(SECOND): text_of(SECOND), "INDEX.md": "# x\n"}, "2026-02-01")
    assert told(root) == [
        ("2026-02-01", "new", SECOND),
        ("2026-01-07", "amended", FIRST, "Decisions"),
        ("2026-01-05", "new", FIRST),
    ]
    history = read(root).changes
    assert [change.author for change in history.of(path(FIRST))] == ["Björn Ünal", "Ann Example"]
    assert history.available and not history.begins and not history.why
    assert history.head == git(root, "rev-parse", "HEAD") == history.changes[0].commit


def test_an_amendment_names_each_section_whose_text_changed(root: Path) -> None:
    cut = ("\n## Open threads\n- Choose an eviction policy.\n", "\n## Artifacts\nNone.\n")
    commit(root, {path(FIRST): text_of(FIRST, MORE, cut, ("[cache, infra]", "[cache]"))})
    (change, _) = read(root).changes.changes
    assert change.sections == ("front matter", "Decisions", "Artifacts", "Open threads")


@pytest.mark.parametrize(
    "change",
    [
        ("\n", "\r\n"),
        ("approx_tokens: 4100", "approx_tokens: 4200"),
        ("## Digest\n", "## Digest\n\n"),
    ],
)
def test_what_no_reader_could_see_is_no_change(root: Path, change: tuple[str, str]) -> None:
    text = text_of(FIRST).replace(*change)
    (root / path(FIRST)).write_bytes(text.encode())
    commit(root, {})
    assert told(root) == [("2026-01-05", "new", FIRST)]


def test_the_day_is_the_authors_own_and_not_this_machines(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root, path(SECOND), text_of(SECOND))
    git(root, "add", "-A")
    at(root, "2026-02-02T00:30:00+0900", "commit", "-qm", "early in Tokyo")
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    change = read(root).changes.changes[0]
    assert (change.day, change.when) == ("2026-02-02", "2026-02-02T00:30:00+09:00")


def test_a_moment_that_is_none_is_that_of_the_commit_and_never_nonsense(root: Path) -> None:
    """Imports from other systems hold offsets of days and years that no calendar has."""
    tree, day = git(root, "write-tree"), "2026-02-02T00:30:00+00:00"
    for author, committer, when in (
        ("1769992200 +9959", "1769992200 +0000", day),
        ("99999999999999 +0000", "1769992200 +0000", day),
        ("99999999999999 +0000", "1769992200 +9959", ""),
    ):
        raw = f"tree {tree}\nauthor A <a@b> {author}\ncommitter A <a@b> {committer}\n\nx\n"
        made = subprocess.run(
            ["git", "hash-object", "-t", "commit", "-w", "--literally", "--stdin"],
            cwd=root, input=raw.encode(), capture_output=True, check=True,
        ).stdout.decode().strip()  # fmt: skip
        git(root, "update-ref", "HEAD", made)
        assert [change.when for change in read(root).changes.changes] == [when]


@pytest.mark.parametrize(
    ("name", "shown"), [("ann@example.org", "ann"), ("A. <b", "A. b"), ("Ann\tX", "Ann X")]
)
def test_an_author_has_a_name_and_no_mail(root: Path, name: str, shown: str) -> None:
    put(root, path(FIRST), text_of(FIRST, MORE))
    git(root, "add", "-A")
    git(root, "-c", f"user.name={name}", "commit", "-qm", "x")
    assert read(root).changes.changes[0].author == shown


def test_closing_a_thread_and_ticking_it_off_are_told_as_that(root: Path) -> None:
    closing = ("mode: live", f"mode: live\ncloses: [{FIRST}/t1]")
    commit(root, {path(SECOND): text_of(SECOND, closing)}, "2026-02-01")
    commit(root, {path(SECOND): text_of(SECOND, closing, TICKED)}, "2026-02-02")
    later, new = read(root).changes.of(path(SECOND))
    assert (new.kind, new.closes, new.sections) == ("new", (f"{FIRST}/t1",), ())
    assert (later.closes, later.sections) == ((f"{SECOND}/t1",), ("Open threads",))


def test_closing_by_the_front_matter_alone_changes_no_section(root: Path) -> None:
    commit(root, {path(SECOND): text_of(SECOND)}, "2026-02-01")
    closing = ("mode: live", f"mode: live\ncloses: [{FIRST}/t1]")
    commit(root, {path(SECOND): text_of(SECOND, closing)}, "2026-02-02")
    change = read(root).changes.changes[0]
    assert (change.kind, change.sections, change.closes) == ("amended", (), (f"{FIRST}/t1",))


@pytest.mark.parametrize("both", [True, False])
def test_a_replaced_episode_has_a_change_whichever_side_says_so(root: Path, both: bool) -> None:
    files = {path(SECOND): text_of(SECOND, ("mode: live", f"mode: live\nsupersedes: [{FIRST}]"))}
    if both:
        says = ("mode: live", f"mode: live\nsuperseded_by: [{SECOND}]")
        files[path(FIRST)] = text_of(FIRST, says)
    commit(root, dict(files), "2026-02-01")
    assert sorted(told(root)[:2]) == [
        ("2026-02-01", "new", SECOND),
        ("2026-02-01", "replaced", FIRST),
    ]
    replaced = read(root).changes.later(path(FIRST))
    assert [change.by for change in replaced] == [(SECOND,)]


# --- names -------------------------------------------------------------------------------------


def test_an_episode_keeps_its_history_under_a_new_name_and_in_the_archive(root: Path) -> None:
    moved(root, path(FIRST), path("2026-01-05-better"), "2026-01-08", (FIRST, "2026-01-05-better"))
    moved(
        root,
        path("2026-01-05-better"),
        path("2026-01-05-better", "archive/docs/topics"),
        "2026-02-08",
    )
    moved(
        root,
        path("2026-01-05-better", "archive/docs/topics"),
        path("2026-01-05-better"),
        "2026-02-09",
    )
    assert told(root) == [
        ("2026-02-09", "unarchived", "2026-01-05-better"),
        ("2026-02-08", "archived", "2026-01-05-better"),
        ("2026-01-08", "renamed", "2026-01-05-better", "front matter"),
        ("2026-01-05", "new", "2026-01-05-better"),
    ]
    history, today = read(root).changes, path("2026-01-05-better")
    origin = history.origin(today)
    assert origin and origin.day == "2026-01-05"
    assert old_paths(history, today) == (
        path("2026-01-05-better", "archive/docs/topics"),
        path(FIRST),
    )
    assert set(history.moved.values()) == {today} and history.moved[path(FIRST)] == today


def test_a_name_that_comes_back_leads_in_no_circle(root: Path) -> None:
    for old, new in ((FIRST, "2026-01-05-b"), ("2026-01-05-b", FIRST)):
        moved(root, path(old), path(new), "2026-01-08", (old, new))
    history = read(root).changes
    assert old_paths(history, path(FIRST)) == (path("2026-01-05-b"),)
    assert history.moved == {path("2026-01-05-b"): path(FIRST)}


def test_what_is_removed_is_there_without_a_name(root: Path) -> None:
    commit(root, {path(SECOND): text_of(SECOND)}, "2026-02-01")
    commit(root, {path(FIRST): None}, "2026-02-02")
    assert told(root) == [("2026-02-02", "removed", ""), ("2026-02-01", "new", SECOND)]
    assert FIRST not in repr(read(root).changes)


def test_an_episode_that_comes_as_another_like_it_goes_is_not_that_one(root: Path) -> None:
    """Two weekly reports differ in little but their dates."""
    commit(root, {path(FIRST): None, path(SECOND): text_of(SECOND)}, "2026-02-01")
    assert told(root) == [("2026-02-01", "new", SECOND), ("2026-02-01", "removed", "")]
    assert FIRST not in repr(read(root).changes)


def test_what_is_removed_and_not_committed_has_no_change(root: Path) -> None:
    (root / path(FIRST)).unlink()
    assert told(root) == []


ODD = (
    "2026-01-06-é ü",
    "2026-01-06-日本",
    '2026-01-06-"q"',
    "2026-01-06-a\nb",
    ":100644 x",
    "2026\ty",
)


@pytest.mark.parametrize("name", ODD)
def test_any_name_that_a_file_may_have_is_followed(root: Path, name: str) -> None:
    commit(root, {path(name): text_of(SECOND)}, "2026-02-01")
    moved(root, path(name), path(f"{name}2"), "2026-02-02")
    assert [change.kind for change in read(root).changes.of(path(f"{name}2"))] == ["renamed", "new"]
    assert old_paths(read(root).changes, path(f"{name}2")) == (path(name),)


def test_a_shelf_may_lie_in_a_bigger_repository(root: Path, tmp_path: Path) -> None:
    big = tmp_path / "big"
    for part in ("one", "[two] shelf"):
        shutil.copytree(root, big / part, ignore=shutil.ignore_patterns(".git"))
    git(tmp_path, "init", "-q", str(big))
    commit(big, {}, "2026-03-01")
    commit(big, {f"one/{path(FIRST)}": text_of(FIRST, MORE)}, "2026-03-02")
    commit(big, {f"[two] shelf/{path(SECOND)}": text_of(SECOND)}, "2026-03-03")
    commit(big, {f"one/{path(FIRST)}": None, f"[two] shelf/{path('2026-01-05-x')}": text_of(FIRST)})
    assert told(big / "[two] shelf") == [
        ("2026-03-03", "new", SECOND), ("2026-03-01", "new", "2026-01-05-x"), ("2026-03-01", "new", FIRST),
    ]  # fmt: skip


NAMES = [f"docs/topics/n{n}.md" for n in range(6)]
MOVES = st.lists(st.tuples(st.sampled_from("amrd"), st.sampled_from(NAMES), st.sampled_from(NAMES)))


@settings(max_examples=80, deadline=None)
@given(MOVES)
def test_whatever_happens_to_files_each_of_them_keeps_what_happened_to_it(
    moves: list[tuple[str, str, str]],
) -> None:
    """Against a plain model: where each file is, and the list of what was done to it."""
    model: dict[str, list[str]] = {}
    gone, steps = 0, []
    for n, (what, one, other) in enumerate(moves):
        blob, had = f"b{n}", model.get(one)
        if what == "a" and had is None:
            model[one], step = ["new"], Step("c", "", "", ("",), blob, one)
        elif what == "m" and had is not None:
            had.append("amended")
            step = Step("c", "", "", ("x",), blob, one)
        elif what == "r" and had is not None and other not in model:
            model[other] = [*model.pop(one), "renamed"]
            step = Step("c", "", "", ("x",), blob, other, one)
        elif what == "d" and had is not None:
            gone, step = gone + 1, Step("c", "", "", ("x",), "", one)
            del model[one]
        else:
            continue
        steps.append(step)
    found: dict[str, list[str]] = {}
    for event in events(steps):
        if not event.gone:
            found.setdefault(event.path, []).append(event.kind)
    assert found == model
    assert sum(event.kind == "removed" for event in events(steps)) == gone


# --- branches ----------------------------------------------------------------------------------


def test_a_merge_shows_each_change_of_its_sides_once(root: Path) -> None:
    git(root, "checkout", "-qb", "side")
    commit(root, {path(SECOND): text_of(SECOND)}, "2026-02-01", "Bea")
    git(root, "checkout", "-q", "main")
    commit(root, {path(FIRST): text_of(FIRST, MORE)}, "2026-02-02")
    at(root, "2026-02-03", "merge", "-q", "-m", "merge", "side")
    assert told(root)[:2] == [
        ("2026-02-02", "amended", FIRST, "Decisions"), ("2026-02-01", "new", SECOND)
    ]  # fmt: skip
    assert len(told(root)) == 3 and read(root).changes.changes[1].author == "Bea"


def test_a_clean_merge_of_one_file_is_no_change_and_a_resolved_conflict_is(root: Path) -> None:
    base = text_of(FIRST)
    git(root, "checkout", "-qb", "side")
    commit(root, {path(FIRST): text_of(FIRST, ("Open: eviction.", "Open: size."))}, "2026-02-01")
    git(root, "checkout", "-q", "main")
    commit(root, {path(FIRST): text_of(FIRST, ("- Choose an", "- Soon choose an"))}, "2026-02-02")
    at(root, "2026-02-03", "merge", "-q", "-m", "merge", "side")
    assert [one[0] for one in told(root)] == ["2026-02-02", "2026-02-01", "2026-01-05"]
    git(root, "reset", "-q", "--hard", "HEAD~1")
    git(root, "merge", "-q", "--no-commit", "side")
    put(root, path(FIRST), base.replace("Open: eviction.", "Open: both."))
    git(root, "add", "-A")
    at(root, "2026-02-04", "commit", "-qm", "merge")
    assert told(root)[0] == ("2026-02-04", "amended", FIRST, "Digest")


def test_a_squash_and_a_cherry_pick_show_a_change_once(root: Path) -> None:
    git(root, "checkout", "-qb", "side")
    commit(root, {path(SECOND): text_of(SECOND)}, "2026-02-01")
    picked = commit(root, {path(SECOND): text_of(SECOND, MORE)}, "2026-02-02")
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", "--squash", "side")
    at(root, "2026-02-03", "commit", "-qm", "squashed")
    assert told(root)[:-1] == [("2026-02-03", "new", SECOND)]
    at(root, "2026-02-04", "merge", "-q", "-m", "merge", "side")
    assert [one for one in told(root) if one[:2] == ("2026-02-03", "new")] == told(root)[:1]
    git(root, "checkout", "-q", "-b", "third", f"{picked}~1")
    at(root, "2026-02-05", "cherry-pick", picked)
    assert told(root)[:-1] == [
        ("2026-02-02", "amended", SECOND, "Decisions"), ("2026-02-01", "new", SECOND)
    ]  # fmt: skip


def test_a_cherry_pick_on_two_branches_is_one_change(root: Path) -> None:
    git(root, "checkout", "-qb", "side")
    commit(root, {path("2026-01-09-x"): text_of("2026-01-09-x")}, "2026-02-01")
    picked = commit(root, {path(FIRST): text_of(FIRST, MORE)}, "2026-02-02")
    git(root, "checkout", "-q", "main")
    commit(root, {path(SECOND): text_of(SECOND)}, "2026-02-03")
    at(root, "2026-02-02", "cherry-pick", picked)
    at(root, "2026-02-04", "merge", "-q", "-m", "merge", "side")
    assert [one[1:] for one in told(root) if one[1] == "amended"] == [
        ("amended", FIRST, "Decisions")
    ]


def test_an_octopus_and_a_criss_cross_show_each_change_once(root: Path) -> None:
    for number in "234":
        git(root, "checkout", "-qb", f"b{number}", "main")
        name = f"2026-02-0{number}-b"
        commit(root, {path(name): text_of(name)}, f"2026-02-0{number}")
    git(root, "checkout", "-q", "main")
    at(root, "2026-02-05", "merge", "-q", "-m", "octopus", "b2", "b3", "b4")
    assert [one[1] for one in told(root)] == ["new"] * 4
    git(root, "checkout", "-q", "b2")
    at(root, "2026-02-06", "merge", "-q", "-m", "cross", "b3")
    git(root, "checkout", "-q", "b3")
    at(root, "2026-02-06", "merge", "-q", "-m", "cross", "b2~1")
    at(root, "2026-02-07", "merge", "-q", "-m", "cross", "b2")
    assert [one[1] for one in told(root)] == ["new"] * 3


def test_a_file_that_one_side_removed_and_the_other_went_on_with_is_not_removed(root: Path) -> None:
    git(root, "checkout", "-qb", "side")
    commit(root, {path(FIRST): None}, "2026-02-02")
    git(root, "checkout", "-q", "main")
    commit(root, {path(FIRST): text_of(FIRST, MORE)}, "2026-02-01")
    git(root, "merge", "-q", "side", check=False)
    git(root, "add", "-A")
    at(root, "2026-02-03", "commit", "-qm", "keep it")
    assert (root / path(FIRST)).is_file()
    assert told(root) == [
        ("2026-02-01", "amended", FIRST, "Decisions"), ("2026-01-05", "new", FIRST)
    ]  # fmt: skip


def test_a_file_that_one_side_moved_and_the_other_amended_is_one_episode(root: Path) -> None:
    archived = path(FIRST, "archive/docs/topics")
    git(root, "checkout", "-qb", "side")
    moved(root, path(FIRST), archived, "2026-02-01")
    git(root, "checkout", "-q", "main")
    commit(root, {path(FIRST): text_of(FIRST, MORE)}, "2026-02-02")
    at(root, "2026-02-03", "merge", "-q", "-m", "merge", "side")
    kinds = sorted(change.kind for change in read(root).changes.of(archived))
    assert kinds == ["amended", "archived", "new"]


def test_a_conflict_in_a_file_that_one_side_moved_is_settled_where_it_is_now(root: Path) -> None:
    archived = path(FIRST, "archive/docs/topics")
    git(root, "checkout", "-qb", "side")
    moved(root, path(FIRST), archived, "2026-02-01", ("Open: eviction.", "Open: size."))
    git(root, "checkout", "-q", "main")
    commit(root, {path(FIRST): text_of(FIRST, ("Open: eviction.", "Open: keys."))}, "2026-02-02")
    git(root, "merge", "-q", "side", check=False)
    put(root, archived, text_of(FIRST, ("Open: eviction.", "Open: both.")))
    git(root, "add", "-A")
    at(root, "2026-02-03", "commit", "-qm", "merge")
    found = [short(change)[:2] for change in read(root).changes.of(archived)]
    assert found == [
        ("2026-02-03", "amended"), ("2026-02-02", "amended"), ("2026-02-01", "archived"),
        ("2026-01-05", "new"),
    ]  # fmt: skip
    assert read(root).changes.of(archived)[0].sections == ("Digest",)


def test_an_author_date_before_the_first_one_hides_no_origin(root: Path) -> None:
    commit(root, {path(FIRST): text_of(FIRST, MORE)}, "2025-12-01")
    origin = read(root).changes.origin(path(FIRST))
    assert origin and origin.day == "2026-01-05"


# --- how far back ------------------------------------------------------------------------------


def shallow(root: Path, depth: int) -> Path:
    target = root.parent / f"shallow{depth}"
    git(root.parent, "clone", "-q", "--depth", str(depth), root.as_uri(), str(target))
    return target


def test_a_shallow_clone_says_where_its_history_begins(root: Path) -> None:
    commit(root, {path(SECOND): text_of(SECOND)}, "2026-02-01")
    commit(root, {path(FIRST): text_of(FIRST, MORE)}, "2026-02-03")
    clone = shallow(root, 2)
    history = read(clone).changes
    assert history.begins == "2026-02-01"
    assert [short(change) for change in history.changes] == [
        ("2026-02-03", "amended", FIRST, "Decisions")
    ]
    assert history.origin(path(FIRST)) is history.origin(path(SECOND)) is None
    git(clone, "fetch", "-q", "--unshallow")
    assert told(clone) == told(root) and read(clone).changes.begins == ""


def test_a_revision_has_the_history_up_to_it(root: Path) -> None:
    old = git(root, "rev-parse", "HEAD")
    moved(root, path(FIRST), path("2026-01-05-b"), "2026-02-01", (FIRST, "2026-01-05-b"))
    assert told(root, old) == [("2026-01-05", "new", FIRST)]
    assert [one[1] for one in told(root)] == ["renamed", "new"]
    git(root, "checkout", "-q", "--detach", old)
    assert told(root) == [("2026-01-05", "new", FIRST)]


def test_without_git_there_is_no_history_and_before_the_first_commit_an_empty_one(
    root: Path, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    shutil.copytree(root, plain, ignore=shutil.ignore_patterns(".git"))
    assert read(plain).changes == History()
    git(plain, "init", "-q")
    assert read(plain).changes == History(available=True)
    assert Store.open(root).read().changes == History()


def test_a_repository_that_cannot_be_read_says_why_and_stops_nothing(root: Path) -> None:
    commit(root, {path(SECOND): text_of(SECOND)})
    head = git(root, "rev-parse", "HEAD~1")
    file = root / ".git" / "objects" / head[:2] / head[2:]
    file.chmod(0o644)
    file.write_bytes(b"broken")
    shelf = read(root)
    assert len(shelf.entries) == 2
    assert not shelf.changes.available and "git log" in shelf.changes.why


def test_settings_of_the_user_change_nothing(root: Path, world: Path) -> None:
    moved(root, path(FIRST), path("2026-01-05-b"), "2026-02-01", (FIRST, "2026-01-05-b"))
    before = told(root)
    for key, value in {
        "log.showSignature": "true", "log.showRoot": "false", "diff.renames": "false",
        "log.date": "relative", "color.ui": "always", "log.diffMerges": "first-parent",
        "diff.renameLimit": "1", "log.follow": "true", "diff.relative": "false",
        "i18n.logOutputEncoding": "latin1", "core.quotePath": "true", "log.decorate": "full",
        "format.pretty": "fuller", "diff.noprefix": "true", "log.mailmap": "false",
    }.items():  # fmt: skip
        git(root, "config", "--global", key, value)
    shutil.rmtree(world / "cache")
    assert told(root) == before


# --- at what cost ------------------------------------------------------------------------------


def started(root: Path) -> int:
    before = Repo.started
    read(root)
    return Repo.started - before


def test_two_processes_read_a_history_and_none_one_that_was_read_before(root: Path) -> None:
    commit(root, {path(FIRST): text_of(FIRST, MORE)})
    assert (started(root), started(root)) == (2, 0)
    commit(root, {path(FIRST): text_of(FIRST)}, "2026-03-02")
    assert (started(root), started(root)) == (2, 0)


def test_a_kept_history_is_the_one_that_is_read(root: Path, world: Path) -> None:
    for day in range(1, 9):
        change = MORE if day % 2 else TICKED
        commit(root, {path(FIRST): text_of(FIRST, change)}, f"2026-02-0{day}")
        kept = read(root).changes
        assert read(root).changes == kept
    shutil.rmtree(world / "cache")
    assert read(root).changes == kept


def reset(root: Path) -> None:
    git(root, "reset", "-q", "--hard", "HEAD~1")


def rebased(root: Path) -> None:
    git(root, "commit", "-q", "--amend", "--author", "Bea <b@b>", "-m", "amended")


def merged(root: Path) -> None:
    git(root, "checkout", "-qb", "side", "HEAD~2")
    commit(root, {path("2026-01-07-x"): text_of("2026-01-07-x")}, "2026-01-07")
    git(root, "checkout", "-q", "main")
    at(root, "2026-02-03", "merge", "-q", "-m", "merge", "side")


def elsewhere(root: Path) -> None:
    commit(root, {"README.md": "x"}, "2026-02-03")
    commit(root, {"drafts/x.md": text_of(FIRST)}, "2026-02-03")
    commit(root, {path(FIRST): None, "drafts/y.md": text_of(FIRST)}, "2026-02-04")
    commit(root, {path("2026-01-05-z"): text_of(FIRST), "drafts/x.md": None}, "2026-02-05")


def renamed_author(root: Path) -> None:
    put(root, ".mailmap", "Anna Other <x@y.org>\n")


def collected(root: Path) -> None:
    """The commit that was read is not there any more."""
    rebased(root)
    git(root, "-c", "gc.reflogExpire=now", "reflog", "expire", "--expire=now", "--all")
    git(root, "gc", "-q", "--prune=now")


@pytest.mark.parametrize("move", [reset, rebased, merged, elsewhere, renamed_author, collected])
def test_wherever_head_goes_a_kept_history_answers_as_a_new_one(
    root: Path, world: Path, move: Callable[[Path], None]
) -> None:
    commit(root, {path(SECOND): text_of(SECOND)}, "2026-02-01")
    commit(root, {path(FIRST): text_of(FIRST, MORE)}, "2026-02-02")
    before = read(root).changes
    move(root)
    kept = read(root).changes
    shutil.rmtree(world / "cache")
    assert read(root).changes == kept != before


def test_a_damaged_cache_is_read_past(root: Path) -> None:
    fresh = read(root).changes
    cache = Store.open(root).cache
    key = cache.fact("history").partition("\n")[0]
    for kept in ("", "[", '["", "", [[1]], []]', '["x", "", [], [[1, 2]]]', "{}", "[1,2,3,4]"):
        cache.keep_fact("history", f"{key}\n{kept}")
        assert read(root).changes == fresh
    cache.close()


# --- shelves by other hands --------------------------------------------------------------------


def test_the_peers_shelf_has_the_changes_that_its_commits_made(peer_shelf: Store) -> None:
    history = peer_shelf.read(history=True).changes
    raw = git(
        peer_shelf.root,
        "log",
        "--format=",
        "--name-status",
        "-M",
        "--",
        "docs/*.md",
        "archive/docs/*.md",
    )
    kinds = [line[0] for line in raw.splitlines() if line]
    counts = {kind: kinds.count(kind) for kind in "AMRD"}
    found = [change.kind for change in history.changes]
    assert counts == {
        "A": found.count("new"), "M": found.count("amended"), "R": found.count("archived"), "D": 0
    }  # fmt: skip
    amended = next(change for change in history.changes if change.kind == "amended")
    assert amended.sections == ("front matter", "Digest", "Open threads")
    for entry in peer_shelf.read().entries:
        made = history.origin(entry.path)
        assert made and made.day >= entry.ledger_date and made.author == "Sample Author"


@pytest.mark.parametrize("name", ["sample", "real_shelf"])
def test_every_episode_of_a_shelf_has_its_origin(name: str, request: pytest.FixtureRequest) -> None:
    shelf = request.getfixturevalue(name).read(history=True)
    assert shelf.entries and len(shelf.changes.changes) >= len(shelf.entries)
    for entry in shelf.entries:
        first = past(shelf, entry).first
        origin = shelf.changes.origin(entry.path)
        assert origin and origin.author == "Ann Example"
        assert first.startswith(f"Shelved on {origin.day} by Ann Example")
        assert (f"session: {entry.session}" in first) == bool(entry.session)


# --- what readers may see ----------------------------------------------------------------------

PUBLIC = ("mode: live", "mode: live\nvisibility: public")
SECRET = "2026-01-20-secret-merger"


def public(root: Path) -> Shelf:
    return seen_by(read(root), ["public"])


def test_the_changes_of_hidden_episodes_leave_no_trace(root: Path) -> None:
    commit(root, {path(SECRET): text_of(SECRET)}, "2026-01-20")
    commit(root, {path(SECOND): text_of(SECOND, PUBLIC)}, "2026-02-01")
    closing = ("mode: live", f"mode: live\nvisibility: public\ncloses: [{SECRET}/t1, {SECRET}]")
    commit(root, {path(SECOND): text_of(SECOND, closing)}, "2026-02-02")
    replaced = ("mode: live", f"mode: live\nvisibility: public\nsuperseded_by: [{SECRET}]")
    commit(root, {path(SECOND): text_of(SECOND, replaced)}, "2026-02-03")
    commit(root, {path(FIRST): None}, "2026-02-04")
    assert [short(change) for change in public(root).changes.changes] == [
        ("2026-02-01", "new", SECOND)
    ]
    assert "secret" not in repr(public(root).changes)
    assert len(read(root).changes.changes) == 5


def test_a_section_that_was_taken_out_before_is_not_named(root: Path) -> None:
    secret = ("## Open threads", "## Layoffs in May\nAll.\n\n## Open threads")
    commit(root, {path(FIRST): text_of(FIRST, secret, MORE)}, "2026-02-01")
    commit(root, {path(FIRST): text_of(FIRST, MORE, PUBLIC)}, "2026-02-02")
    assert [short(change) for change in public(root).changes.changes] == [
        ("2026-02-02", "amended", FIRST, "front matter"),
        ("2026-02-01", "amended", FIRST, "Decisions"),
        ("2026-01-05", "new", FIRST),
    ]
    assert "Layoffs" in repr(read(root).changes)


@pytest.mark.parametrize("was", ["private", "public"])
def test_the_old_name_of_an_episode_is_told_to_those_who_could_know_it(
    root: Path, was: str
) -> None:
    said = ("mode: live", f"mode: live\nvisibility: {was}")
    commit(root, {path(SECRET): text_of(SECRET, said)}, "2026-02-01")
    plain = "2026-01-20-plain"
    moved(
        root, path(SECRET), path(plain), "2026-02-02", (SECRET, plain), (f"y: {was}", "y: public")
    )
    history = public(root).changes
    assert old_paths(history, path(plain)) == ((path(SECRET),) if was == "public" else ())
    assert [change.kind for change in history.of(path(plain))] == [
        "renamed" if was == "public" else "amended", "new",
    ]  # fmt: skip
    assert ("secret" in repr(history)) == (was == "public")


def test_what_was_removed_counts_for_those_who_surely_could_read_it(root: Path) -> None:
    for number, said in enumerate((None, "public", "team", "pubic")):
        name = f"2026-01-1{number}-x"
        mark = [("mode: live", f"mode: live\nvisibility: {said}")] if said else []
        commit(root, {path(name): text_of(name, *mark)}, "2026-02-01")
        commit(root, {path(name): None}, "2026-02-02")
    counts = [
        sum(change.kind == "removed" for change in seen_by(read(root), levels).changes.changes)
        for levels in (["public"], ["public", "team"], [])
    ]
    assert counts == [1, 2, 4]


def test_names_of_authors_that_are_addresses_are_cut() -> None:
    assert gitlog.person("a.b+c@d.org and e@f") == "a.b+c and e"


def test_a_change_with_no_date_has_no_day() -> None:
    assert Change("new", "x", "", "", "").day == ""
