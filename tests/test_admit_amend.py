"""An amend splices: what was not named stays byte for byte, and every rule is asked again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import Cli
from gitkit import git, put, status
from hypothesis import given, settings
from hypothesis import strategies as st
from support import DIGEST, add, changed, episode, tree

from memshelf.domain.amend import amend
from memshelf.domain.episode import Document
from memshelf.storage.store import Store

NAME = "2026-01-05-cache"
PATH = f"docs/topics/{NAME}.md"
AMEND = ("shelve", "--amend", "--slug", NAME)

HAND_MADE = """\
# 2026-01-05-cache

---
# why this one matters
kind: topic   # of three
id: 2026-01-05-cache
x-client: {name: editor, version: [1, 2]}
span: '2026-01-05'
tags:
  - cache
  # a comment in a list
  - infra
display_title: >-
  Cache:
  Redis
approx_tokens: 4100
date: 2026-01-05
---

Text above the first section.


## Digest ##

Redis was chosen for the cache; memcached was rejected. Open: eviction.\x20\x20

## Notes
one\ttab

## Decisions
* Redis for the cache.


* Rejected: memcached.

## Notes
two
"""


@pytest.fixture
def held(store: Store) -> Store:
    """A shelf with one good episode."""
    add(store, episode())
    return store


def read(store: Store, path: str = PATH) -> str:
    return (store.root / path).read_bytes().decode("utf-8")


def amended(
    text: str, fields: dict[str, Any] | None = None, sections: dict[str, str] | None = None
) -> str:
    return amend(text, fields or {}, sections or {})


# --- bytes -----------------------------------------------------------------------------------

FORMS = [
    HAND_MADE,
    episode(),
    HAND_MADE.replace("\n", "\r\n"),
    "\ufeff" + HAND_MADE,
    "\ufeff" + episode().replace("\n", "\r\n"),
    episode().replace("# Cache: Redis\n\n", ""),
]


@pytest.mark.parametrize(
    "text", FORMS, ids=["by hand", "ours", "CRLF", "BOM", "BOM and CRLF", "no heading"]
)
@pytest.mark.parametrize(
    ("fields", "sections"),
    [
        ({"tags": ("new", "C#")}, {}),
        ({"session": "run #4"}, {}),
        ({"approx_tokens": 5}, {}),
        ({}, {"Decisions": "- Only this."}),
        ({}, {"Artifacts": "file.py"}),
        ({"notes": "a"}, {"Digest": "Memcached was chosen, Redis rejected."}),
    ],
)
def test_only_the_named_lines_and_sections_change(
    text: str, fields: dict[str, Any], sections: dict[str, str]
) -> None:
    new = amended(text, fields, sections)
    before, after = Document.of(text), Document.of(new)
    expected = dict(before.front.values)
    for key, value in fields.items():
        expected[key] = value if isinstance(value, tuple) else str(value)
    assert after.front.values == expected
    for name in {*before.names, *after.names}:
        wanted = sections.get(name, before.body(name) if name in before.names else None)
        assert after.body(name) == wanted
    assert after.preamble == before.preamble
    gone = set(text.split("\n")) - set(new.split("\n"))
    kept = {
        row
        for section in before.sections
        if section.name not in sections
        for row in text[section.start : section.end].split("\n")
    }
    assert not gone & (kept - {""})
    assert ("\r\n" in new) == ("\r\n" in text)
    assert "\n" not in new.replace("\r\n", "") or "\r\n" not in text
    assert new.startswith("\ufeff") == text.startswith("\ufeff")
    assert new.lstrip("\ufeff").startswith("#") == text.lstrip("\ufeff").startswith("#")


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(FORMS),
    st.sampled_from(
        ["Digest", "Decisions", "Notes", "Notes (2)", "Open threads", "Timeline", "Zeta"]
    ),
    st.lists(
        st.sampled_from(
            ["- a", "text", "", "```\n## x\n```", "### h", "  indented", "é日本", "---"]
        ),
        min_size=1,
        max_size=4,
    ).map("\n".join),
)
def test_a_section_is_replaced_or_added_and_the_others_stay(
    text: str, name: str, body: str
) -> None:
    before = Document.of(text)
    if (name == "Notes (2)" and name not in before.names) or (name == "Notes" and not body.strip()):
        return  # an address that means nothing yet; one whose removal renames the other
    after = Document.of(amended(text, {}, {name: body}))
    left = [n for n in before.names if n != name]
    assert [(n, after.body(n)) for n in left] == [(n, before.body(n)) for n in left]
    wanted = body.strip("\n").rstrip() if body.strip() else None
    found = after.body(name)
    assert (found or "").strip() == (wanted or "").strip()


def test_a_section_that_is_added_stands_where_the_writer_puts_it() -> None:
    assert Document.of(amended(episode(), {}, {"Timeline": "t"})).names == (
        "Digest",
        "Decisions",
        "Timeline",
        "Open threads",
    )
    assert Document.of(amended(episode(), {}, {"Zeta": "z"})).names[-1] == "Zeta"


def test_an_empty_text_takes_a_field_or_a_section_away() -> None:
    new = amended(episode(), {"description": ""}, {"Open threads": ""})
    assert new == episode().replace('description: "One sentence."\n', "").replace(
        "\n## Open threads\n- Choose an eviction policy.\n", ""
    )


def test_a_new_title_is_the_new_heading_and_changes_no_other_line() -> None:
    text = (
        episode(title="A")
        .replace("mode: live\n", "mode: live\n# A\n")
        .replace("## Decisions\n", "## Decisions\n# A\n### A\n")
    )
    new = amended(text, {"display_title": "B #"})
    assert new == text.replace('display_title: "A"', 'display_title: "B #"').replace(
        "---\n\n# A\n", "---\n\n# B \\#\n"
    )


def test_the_peers_heading_stays_the_id() -> None:
    assert amended(HAND_MADE, {"display_title": "New"}).startswith("# 2026-01-05-cache\n")


# --- the verb --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form", FORMS, ids=["by hand", "ours", "CRLF", "BOM", "BOM and CRLF", "no heading"]
)
def test_what_an_amend_commits_is_the_spliced_file(form: str, cli: Cli, store: Store) -> None:
    add(store, form)
    ran = cli(*AMEND, "--tag", "only", "--json", "--shelf", store.root)
    assert ran.code == 0, ran.err
    assert read(store) == amended(form, {"tags": ("only",)})
    assert json.loads(ran.out)["amended"] is True
    assert git(store.root, "log", "-1", "--format=%s", "--", PATH) == f"shelve: {NAME} (amend)"
    assert status(store.root) == []


def test_what_was_not_named_is_kept(cli: Cli, held: Store) -> None:
    cli(*AMEND, "--digest", "Redis it is; memcached was rejected.", "--shelf", held.root)
    found = held.episode(PATH)
    assert found.digest == "Redis it is; memcached was rejected."
    assert (found.tags, found.approx_tokens, found.display_title) == (
        ("cache", "infra"),
        4100,
        "Cache: Redis",
    )
    assert len(found.sections) == 2


def test_a_hand_edit_that_is_not_committed_stops_the_amend_with_the_difference(
    cli: Cli, held: Store
) -> None:
    edited = episode().replace("Rejected: memcached.", "Rejected: memcached, by hand.")
    put(held.root, PATH, edited)
    head = git(held.root, "rev-parse", "HEAD")
    ran = cli(*AMEND, "--tag", "x", "--shelf", held.root)
    assert ran.code == 1
    assert "+- Rejected: memcached, by hand." in ran.err + ran.out
    assert PATH in ran.err
    assert (read(held), git(held.root, "rev-parse", "HEAD")) == (edited, head)


def test_a_slip_in_a_section_name_is_an_error_with_near_names(cli: Cli, held: Store) -> None:
    ran = cli(*AMEND, "--section", "Desisions=x", "--shelf", held.root)
    assert ran.code == 1 and "Decisions" in ran.err
    assert read(held) == episode()
    assert cli(*AMEND, "--section", "Artifacts=x", "--shelf", held.root).code == 0


def test_amending_what_is_not_there_is_an_error_with_near_ids(cli: Cli, held: Store) -> None:
    before = tree(held.root)
    ran = cli("shelve", "--amend", "--slug", "2026-01-05-cash", "--tag", "x", "--shelf", held.root)
    assert ran.code == 1 and NAME in ran.err
    assert changed(before, tree(held.root)) == set()


def test_a_new_kind_moves_the_file_in_one_commit(cli: Cli, held: Store) -> None:
    ran = cli(*AMEND, "--kind", "research", "--json", "--shelf", held.root)
    data = json.loads(ran.out)
    assert (data["address"], data["moved_from"]) == (f"docs/research/{NAME}.md", PATH)
    assert not (held.root / PATH).exists()
    assert read(held, data["address"]) == episode().replace("kind: topic", "kind: research")
    named = git(
        held.root, "show", "--format=", "--name-only", "--no-renames", data["commit"]
    ).split()
    assert sorted(named) == sorted([PATH, data["address"]])
    assert cli("doctor", "--shelf", held.root).code == 0


def test_a_new_kind_must_be_met(cli: Cli, held: Store) -> None:
    ran = cli(*AMEND, "--kind", "session", "--shelf", held.root)
    assert ran.code == 1 and "Timeline" in ran.err
    assert read(held) == episode()


def test_an_archived_episode_is_amended_where_it_lies_and_keeps_its_kind(
    cli: Cli, store: Store
) -> None:
    path = add(store, episode(), f"archive/docs/topics/{NAME}.md")
    assert cli(*AMEND, "--tag", "x", "--shelf", store.root).code == 0
    assert read(store, path) == amended(episode(), {"tags": ("x",)})
    assert cli(*AMEND, "--kind", "research", "--shelf", store.root).code == 1


def test_redaction_and_the_contract_run_again(cli: Cli, held: Store) -> None:
    token = "gh" + "p_" + "a1B2" * 9
    ran = cli(
        *AMEND,
        "--section",
        f"Artifacts=the token {token}",
        "--notes",
        f"see {token}",
        "--json",
        "--shelf",
        held.root,
    )
    assert ran.code == 0
    assert token not in read(held) and "«redacted:github-token»" in read(held)
    assert json.loads(ran.out)["redaction"]["total"] == 2
    before = read(held)
    for digest in ("We chose Redis.", "word " * 121, " "):
        assert cli(*AMEND, "--digest", digest, "--shelf", held.root).code == 1
    assert read(held) == before


def test_a_secret_that_was_there_before_is_masked_by_an_amend(cli: Cli, store: Store) -> None:
    token = "gh" + "p_" + "a1B2" * 9
    add(store, episode().replace("One sentence.", f"Use {token}."))
    ran = cli(*AMEND, "--tag", "x", "--shelf", store.root)
    assert ran.code == 0
    assert token not in read(store)


@pytest.mark.parametrize(
    "section",
    [
        "Notes=a\n## Decisions\nb",
        "Notes=```\nopen",
        "Decisions=x\n\nOpen threads\n---\ny",
        "No\ntes=x",
        "C ##=x",
        "Digest=  ",
    ],
)
def test_a_body_or_a_name_that_would_change_other_sections_is_refused(
    section: str, cli: Cli, held: Store
) -> None:
    ran = cli(*AMEND, "--section", section, "--shelf", held.root)
    assert ran.code == 1, ran
    assert read(held) == episode()


def test_old_fields_that_break_a_rule_of_today_do_not_stop_an_amend_of_others(
    cli: Cli, store: Store
) -> None:
    old = (
        episode()
        .replace("span: 2026-01-05", "span: sometime")
        .replace("[cache, infra]", '["a, b"]')
        .replace("One sentence.", "x" * 200)
    )
    add(store, old)
    ran = cli(*AMEND, "--notes", "seen", "--shelf", store.root)
    assert ran.code == 0, ran.err
    assert read(store) == old.replace("mode: live\n", 'mode: live\nnotes: "seen"\n')
    assert cli(*AMEND, "--span", "sometime", "--shelf", store.root).code == 1


# --- repetition ------------------------------------------------------------------------------


def test_the_same_amend_again_answers_already_and_makes_no_commit(cli: Cli, held: Store) -> None:
    cli(*AMEND, "--tag", "x", "--shelf", held.root)
    head = git(held.root, "rev-parse", "HEAD")
    ran = cli(*AMEND, "--tag", "x", "--json", "--shelf", held.root)
    assert json.loads(ran.out)["already"] is True
    assert git(held.root, "rev-parse", "HEAD") == head


NEW = ("shelve", "--slug", "2026-02-01-new", "--digest", DIGEST, "--section", "Decisions=- Redis.")


def test_the_same_request_again_answers_already_with_the_same_address(
    cli: Cli, store: Store
) -> None:
    first = json.loads(cli(*NEW, "--json", "--shelf", store.root).out)
    head = git(store.root, "rev-parse", "HEAD")
    second = json.loads(cli(*NEW, "--json", "--shelf", store.root).out)
    assert (second["already"], second["address"]) == (True, first["address"])
    assert git(store.root, "rev-parse", "HEAD") == head
    assert cli(*NEW, "--tag", "x", "--shelf", store.root).code == 1


def test_an_operation_key_makes_a_repetition_do_nothing(cli: Cli, store: Store) -> None:
    cli(*NEW, "--op", "k-1", "--shelf", store.root)
    again = cli(*NEW, "--op", "k-1", "--tag", "later", "--json", "--shelf", store.root)
    assert json.loads(again.out)["already"] is True
    other = cli(*NEW, "--op", "k-2", "--tag", "later", "--shelf", store.root)
    assert other.code == 1


def test_an_operation_key_holds_where_the_slug_is_made_from_the_title(
    cli: Cli, store: Store
) -> None:
    words = (
        "shelve",
        "--title",
        "Same title",
        "--digest",
        DIGEST,
        "--section",
        "Decisions=x",
        "--op",
        "k",
    )
    first = json.loads(cli(*words, "--json", "--shelf", store.root).out)
    second = json.loads(cli(*words, "--json", "--shelf", store.root).out)
    assert (second["already"], second["address"]) == (True, first["address"])


# --- what other episodes say of it -----------------------------------------------------------


def test_superseding_writes_the_pointer_into_the_old_episode_in_the_same_commit(
    cli: Cli, held: Store
) -> None:
    ran = cli(*NEW, "--supersedes", NAME, "--json", "--shelf", held.root)
    assert ran.code == 0, ran.err
    commit = json.loads(ran.out)["commit"]
    named = git(held.root, "show", "--format=", "--name-only", commit).split()
    assert sorted(named) == sorted([PATH, "docs/topics/2026-02-01-new.md"])
    assert read(held) == episode().replace(
        "mode: live\n", "mode: live\nsuperseded_by: [2026-02-01-new]\n"
    )
    recalled = cli("recall", NAME, "--shelf", held.root).out
    assert "2026-02-01-new" in recalled
    assert "2026-02-01-new" in (held.root / "INDEX.md").read_text().split(NAME)[1]
    assert cli("doctor", "--shelf", held.root).code == 0


def test_an_amend_can_supersede_too_and_a_decision_is_superseded_by_its_address(
    cli: Cli, held: Store
) -> None:
    cli(*NEW, "--shelf", held.root)
    amend_new = ("shelve", "--amend", "--slug", "2026-02-01-new")
    assert cli(*amend_new, "--supersedes", f"{NAME}/d1", "--shelf", held.root).code == 0
    assert "superseded_by" not in read(held)
    assert cli(*amend_new, "--supersedes", NAME, "--shelf", held.root).code == 0
    assert held.episode(PATH).superseded_by == ("2026-02-01-new",)


def test_an_episode_cannot_supersede_itself(cli: Cli, held: Store) -> None:
    assert cli(*AMEND, "--supersedes", NAME, "--shelf", held.root).code == 1
    assert read(held) == episode()


@pytest.mark.parametrize(
    ("flag", "address", "section", "moved", "kept"),
    [
        ("--closes", f"{NAME}/t2", "Open threads", "- b\n- a", "- a\n- b\n- c"),
        ("--closes", f"{NAME}/t2", "Open threads", "- new\n- a\n- b", "- a\n- b, reworded"),
        ("--supersedes", f"{NAME}/d2", "Decisions", "- B.\n- A.", "- A.\n- B.\n- C."),
        ("--closes", f"{NAME}/t2", "Open threads", "- a", "- a\n- b\n- c"),
    ],
)
def test_an_amend_that_would_move_an_address_in_use_is_refused(
    flag: str, address: str, section: str, moved: str, kept: str, cli: Cli, store: Store
) -> None:
    text = (
        episode()
        .replace("- Choose an eviction policy.", "- a\n- b")
        .replace("- Redis for the cache.\n- Rejected: memcached.", "- A.\n- B.")
    )
    add(store, text)
    assert cli(*NEW, flag, address, "--shelf", store.root).code == 0
    ran = cli(*AMEND, "--section", f"{section}={moved}", "--shelf", store.root)
    assert ran.code == 1 and address in ran.err
    assert cli(*AMEND, "--section", f"{section}={kept}", "--shelf", store.root).code == 0


# --- taking away -----------------------------------------------------------------------------


def test_tags_are_taken_away_by_an_empty_one(cli: Cli, held: Store) -> None:
    assert cli(*AMEND, "--tag", "", "--shelf", held.root).code == 0
    assert read(held) == episode().replace("tags: [cache, infra]", "tags: []")


def test_what_every_reader_needs_cannot_be_taken_away(cli: Cli, held: Store) -> None:
    ran = cli(*AMEND, "--span", "", "--shelf", held.root)
    assert ran.code == 1 and "span" in ran.err
    assert read(held) == episode()


def test_a_title_that_was_taken_away_and_given_again_is_the_heading(cli: Cli, held: Store) -> None:
    assert cli(*AMEND, "--title", "", "--shelf", held.root).code == 0
    assert f"\n# {NAME}\n" in read(held)
    assert cli(*AMEND, "--title", "Cache: Redis", "--shelf", held.root).code == 0
    assert read(held) == episode()


@pytest.mark.parametrize("flag", ["--closes", "--supersedes"])
def test_a_reference_to_nothing_is_refused_or_found(flag: str, cli: Cli, held: Store) -> None:
    ran = cli(*NEW, flag, "2026-01-01-nowhere", "--shelf", held.root)
    assert ran.code == 1 and "2026-01-01-nowhere" in ran.err
    letter = "t" if flag == "--closes" else "d"
    if cli(*NEW, flag, f"{NAME}/{letter}9", "--shelf", held.root).code == 0:
        assert f"{NAME}/{letter}9" in cli("doctor", "--shelf", held.root).out
