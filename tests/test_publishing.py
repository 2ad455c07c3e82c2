"""What [publish] says, and which episodes leave a shelf on a day."""

from __future__ import annotations

import tomllib
from datetime import date
from typing import Any

import pytest
from conftest import Cli
from gitkit import put
from test_choosing import NEW, OLD, TEAM, episode, shelf_of

from memshelf.domain.choosing import VISIBILITY, seen_by
from memshelf.domain.config import Config
from memshelf.domain.entry import entry_of
from memshelf.domain.errors import ShelfError, ShelfUnusable
from memshelf.domain.finding import Finding
from memshelf.domain.hiding import SHOWN
from memshelf.domain.leaving import RETAIN, Leaving, leaving
from memshelf.domain.publishing import Allow, Publishing, faults
from memshelf.domain.shelf import Shelf
from memshelf.storage.store import Store

TODAY = date(2026, 6, 1)
HASH = "0123456789abcdef"
ALLOW = '[publish]\n[[publish.allow]]\nhash = "0123456789abcdef"\n'


def read(toml: str) -> Publishing:
    return Publishing.of(Config(raw=tomllib.loads(toml)))


# --- the settings ----------------------------------------------------------------------------


def test_a_shelf_that_says_nothing_publishes_nothing_and_is_told_the_lines_to_write() -> None:
    with pytest.raises(ShelfError) as caught:
        read("[shelf]\n").required()
    assert caught.value.exit_code == 1
    assert '[publish]\n  include = ["public"]' in caught.value.fix


def test_an_empty_table_publishes_what_is_public_to_the_public() -> None:
    made = read("[publish]\n").required()
    assert (made.include, made.readers) == (("public",), "public")
    assert (made.branch, made.remote, made.allow_public) == ("gh-pages", "origin", False)


def test_every_setting_is_read() -> None:
    made = read(
        '[publish]\ninclude = ["team", "public"]\nreaders = "team"\nbranch = "pages"\n'
        'remote = "up"\nallow_public = true\n[[publish.allow]]\nhash = "0123456789abcdef"\n'
        'reason = "a sample key"\nuntil = 2027-01-01\n'
    )
    assert made.include == ("team", "public")
    assert (made.readers, made.branch, made.remote, made.allow_public) == (
        *("team", "pages", "up"),
        True,
    )
    assert made.allow == (Allow(HASH, "a sample key", date(2027, 1, 1)),)
    assert not made.findings


def test_the_end_of_an_exception_may_be_a_text() -> None:
    assert read(ALLOW + 'reason = "x"\nuntil = "2027-01-01"\n').allow[0].until.year == 2027


@pytest.mark.parametrize(
    ("toml", "said", "fix"),
    [
        ('[publish]\ninclude = ["team"]\n', "readers", 'include = ["public"]'),
        ('[publish]\ninclude = ["team"]\n', "readers", 'readers = "team"'),
        ('[publish]\ninclude = ["private"]\nreaders = "team"\n', "private", '["team", "public"]'),
        ('[publish]\ninclude = "public"\n', "publish.include", 'include = ["public"]'),
        ("[publish]\ninclude = []\n", "publish.include", 'include = ["public"]'),
        ('[publish]\nreaders = "all"\n', "publish.readers", '"team"'),
        ('[publish]\nbranch = "-d"\n', "publish.branch", "gh-pages"),
        ("[publish]\nallow_public = 1\n", "allow_public", "true or false"),
        ('publish = "yes"\n', "no table", "[publish]"),
        ("[publish]\nallow = 3\n", "publish.allow", "[[publish.allow]]"),
        ("[publish]\n[[publish.allow]]\n", "no hash", "16 digits"),
        (ALLOW, "no reason", "reason ="),
        (ALLOW + 'reason = " "\nuntil = 2027-01-01\n', "no reason", "reason ="),
        (ALLOW + 'reason = "x"\n', "no end", "until = 2027"),
        (ALLOW + 'reason = "x"\nuntil = "2027-02-30"\n', "no end", "until = 2027"),
        (ALLOW + 'reason = "x"\nuntil = 2027-01-01T00:00:00\n', "no end", "until = 2027"),
    ],
)
def test_what_cannot_hold_is_refused_with_the_line_to_change(
    toml: str, said: str, fix: str
) -> None:
    with pytest.raises(ShelfUnusable) as caught:
        read(toml)
    assert said in caught.value.message
    assert fix in caught.value.fix


def test_settings_that_nobody_knows_are_reported() -> None:
    found = read('[publish]\nreader = "team"\n' + ALLOW[10:] + 'reason="x"\nuntil=2027-01-01\nx=1')
    said = [one.message for one in found.findings]
    assert [name in text for name, text in zip(("publish.reader", "allow.x"), said, strict=True)]


def test_an_export_for_some_readers_keeps_the_exceptions_and_needs_no_table() -> None:
    assert Publishing().for_("team").include == ("team", "public")
    kept = read(ALLOW + 'reason = "x"\nuntil = 2027-01-01\n').for_("public")
    assert kept.include == ("public",)
    assert [one.hash for one in kept.allow] == [HASH]


def test_a_doctor_sees_what_is_wrong_with_them() -> None:
    found = faults(Config(raw={"publish": {"readers": "all"}}))
    assert [(one.level, one.code) for one in found] == [("error", "publish-settings")]
    assert not faults(Config())


# --- what leaves -----------------------------------------------------------------------------


def cut(shelf: Shelf, readers: str = "public", today: date = TODAY) -> Leaving:
    return leaving(shelf, Publishing().for_(readers), today)


def mixed(**rest: Any) -> Shelf:
    return shelf_of(
        episode(OLD, visibility="public", digest=f"See {NEW} and {TEAM}."),
        episode(NEW, visibility="private", supersedes=[OLD]),
        episode(TEAM, visibility="team"),
        **rest,
    )


@pytest.mark.parametrize(("readers", "ids"), [("public", [OLD]), ("team", [OLD, TEAM])])
def test_the_levels_of_the_readers_leave_and_the_rest_stays(readers: str, ids: list[str]) -> None:
    made = cut(mixed(), readers)
    assert [entry.id for entry in made.shelf.entries] == ids
    assert {one.id for one in made.stays} == {OLD, NEW, TEAM} - set(ids)
    assert {one.reason for one in made.stays} == {VISIBILITY}
    assert not made.shelf.superseded


def test_hidden_ids_are_shown_as_private_whatever_hides_them() -> None:
    past = shelf_of(
        episode(OLD, visibility="public", digest=f"See {NEW}."),
        episode(NEW, visibility="public", retain_until="2026-05-31"),
    )
    for made in (cut(mixed()), cut(past)):
        assert made.shelf.load(f"docs/topics/{OLD}.md").digest.startswith(f"See {SHOWN}")
    assert [(one.id, one.reason) for one in cut(past).stays] == [(NEW, RETAIN)]


@pytest.mark.parametrize(
    ("until", "leaves"),
    [("2026-06-01", True), ("2026-05-31", False), ("", True), ("2026-13-45", False), ("x", False)],
)
def test_an_episode_leaves_until_its_last_day_and_stays_where_that_is_no_day(
    until: str, leaves: bool
) -> None:
    made = cut(shelf_of(episode(OLD, visibility="public", retain_until=until)))
    assert bool(made.shelf.entries) is leaves


def test_a_word_that_is_no_visibility_counts_as_private() -> None:
    assert not cut(shelf_of(episode(OLD, visibility="Public"), visibility="public")).shelf.entries


@pytest.mark.parametrize(
    ("default", "readers", "problems", "periods"),
    [
        ("public", "public", 0, 1),
        ("public", "team", 1, 1),
        ("team", "team", 1, 1),
        ("team", "public", 0, 0),
        ("private", "team", 0, 0),
    ],
)
def test_unreadable_files_and_texts_of_periods_leave_only_where_they_cannot_be_private(
    default: str, readers: str, problems: int, periods: int
) -> None:
    shelf = mixed(
        visibility=default,
        problems=(Finding("error", "x", "broken", "docs/topics/a.md"),),
        files={"retros/2026Q1.md": f"We did {NEW}."},
    )
    made = cut(shelf, readers).shelf
    assert (len(made.problems), len(made.files)) == (problems, periods)
    assert NEW not in "".join(made.files.values())


def test_a_text_of_a_period_names_no_hidden_episode_in_an_export_either() -> None:
    shelf = mixed(visibility="public", files={"retros/2026Q1.md": f"We did {NEW}."})
    assert seen_by(shelf, ["public"]).files == {"retros/2026Q1.md": f"We did {SHOWN}."}


def test_where_nothing_may_leave_the_line_to_write_is_told() -> None:
    empty = cut(
        shelf_of(episode(NEW), episode(OLD, visibility="public", retain_until="2026-01-06"))
    )
    with pytest.raises(ShelfError) as caught:
        empty.required(Publishing())
    assert caught.value.exit_code == 1
    assert "1 are past" in caught.value.message
    assert "visibility: public" in caught.value.fix


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("---\nid: [\nvisibility: private\n---\n# x\n", False),
        ("---\nid: x\nvisibility: public\n---\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", True),
        ("# x\n\nno front matter\n", True),
    ],
)
def test_an_episode_whose_front_matter_cannot_be_read_counts_as_private(
    text: str, leaves: bool
) -> None:
    entry = entry_of(f"docs/topics/{OLD}.md", text)
    shelf = Shelf.make([entry], config=Config(visibility="public"))
    assert bool(cut(shelf).shelf.entries) is leaves


def test_the_doctor_says_it(store: Store, cli: Cli) -> None:
    put(store.root, "memshelf.toml", '[publish]\nreaders = "all"\n')
    ran = cli("doctor", "--shelf", store.root)
    assert "publish-settings" in ran.out
    assert ran.code == 1
