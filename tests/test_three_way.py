"""The merge of an episode's parts, and of the recall log's events."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import HARD_TEXT, episode

from memshelf.domain.amend import amend
from memshelf.domain.log_union import Sides, split, united
from memshelf.domain.merging import completed, pattern
from memshelf.domain.three_way import merged_lines, propose

BASE = episode()
LINES = st.lists(st.sampled_from("abcd"), max_size=8).map("\n".join)


def changed(*pairs: tuple[str, str], text: str = BASE) -> str:
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


# --- lines -------------------------------------------------------------------------------------


@given(LINES, LINES)
def test_one_sided_changes_always_merge(base: str, new: str) -> None:
    assert merged_lines(base, new, base) == merged_lines(base, base, new) == new
    assert merged_lines(base, new, new) == new


@given(LINES, LINES, LINES)
def test_a_merge_of_lines_is_the_same_from_both_sides_and_loses_none(
    base: str, ours: str, theirs: str
) -> None:
    found = merged_lines(base, ours, theirs)
    assert found == merged_lines(base, theirs, ours)
    if found is not None:
        new = {line for side in (ours, theirs) for line in side.split("\n")} - {*base.split("\n")}
        assert new <= {*found.split("\n")}


def test_lines_that_touch_are_a_conflict() -> None:
    assert merged_lines("a\nb\nc", "a\nB\nc", "a\nb\nC") is None
    assert merged_lines("a", "a\nb", "a\nc") is None


# --- episodes ----------------------------------------------------------------------------------


def test_changes_of_different_keys_and_sections_go_together() -> None:
    ours = changed(("mode: live\n", ""), ("- Redis for", "- Valkey for"))
    theirs = changed(('"Cache: Redis"', '"Cache: all"'), ("# Cache: Redis", "# Cache: all"))
    theirs = amend(
        theirs, {"closes": ("2026-01-01-x/t1",)}, {"Artifacts": "- a.py", "Open threads": ""}
    )
    found = propose(BASE, ours, theirs)
    assert found.conflicts == ()
    expected = amend(
        ours, {"display_title": "Cache: all"}, {"Artifacts": "- a.py", "Open threads": ""}
    )
    assert found.text == amend(expected, {"closes": ("2026-01-01-x/t1",)}, {})
    assert {(part.name, part.changed) for part in found.parts} == {
        ("mode", "ours"),
        ("Decisions", "ours"),
        ("display_title", "theirs"),
        ("title line", "theirs"),
        ("closes", "theirs"),
        ("Artifacts", "theirs"),
        ("Open threads", "theirs"),
    }


def test_keys_that_nobody_knows_and_text_above_the_sections_are_merged_too() -> None:
    ours = changed(("mode: live\n", "mode: live\ncolour: [red, green]\n"))
    theirs = changed(("\n## Digest", "\nSeen twice.\n\n## Digest"))
    found = propose(BASE, ours, theirs)
    assert found.text is not None and "Seen twice." in found.text
    assert "colour: [red, green]\n" in found.text
    assert propose(BASE, theirs, ours).text is not None


def test_lists_take_what_each_side_added_and_took_away() -> None:
    ours = changed(("tags: [cache, infra]", "tags: [cache, a]"))
    theirs = changed(("tags: [cache, infra]", "tags: [b, cache, infra]"))
    (part,) = propose(BASE, ours, theirs).parts
    assert part.merged == "[cache, a, b]"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (("- Redis for", "- Valkey for"), ("- Redis for", "- Redis 8 for")),
        (("mode: live", "mode: import"), ("mode: live\n", "")),
        (("## Open threads\n- Choose an eviction policy.\n", ""), ("- Choose an", "- Choose any")),
    ],
)
def test_what_does_not_go_together_gives_no_text_and_shows_all_sides(
    ours: tuple[str, str], theirs: tuple[str, str]
) -> None:
    found = propose(BASE, changed(ours), changed(theirs))
    (part,) = found.parts
    assert found.text is None and not part.clean and part.merged is None
    said = str(part)
    assert "in conflict" in said and all(
        f"\n  {side}: " in said for side in ("base", "ours", "theirs")
    )


@given(HARD_TEXT, HARD_TEXT)
def test_no_text_makes_it_fail_and_a_merge_with_nothing_is_the_same(ours: str, theirs: str) -> None:
    propose("", ours, theirs)
    one = changed(("Rejected: memcached.", ours.replace("\n", " ")))
    assert propose(BASE, one, BASE).text == one


@given(st.booleans(), st.booleans())
def test_line_ends_are_no_difference(ours: bool, theirs: bool) -> None:
    texts = [BASE.replace("\n", "\r\n") if crlf else BASE for crlf in (ours, theirs)]
    found = propose(BASE, *texts)
    assert found.parts == () and found.text == texts[0]


# --- the log -----------------------------------------------------------------------------------

ROWS = st.lists(
    st.sampled_from(["a\t\t1", "a\t\t1\t", "b\tDigest\t2", "c\t\t3\t2026-01-05", "odd"])
)


def log(rows: list[str]) -> str:
    return "h\tx\n" + "".join(f"{row}\n" for row in rows)


def counts(rows: list[str]) -> Counter[str]:
    return Counter(row.rstrip("\t") for row in rows)


@given(ROWS, ROWS, ROWS)
def test_the_union_keeps_as_many_of_each_event_as_both_made(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    text = united(Sides(log(base), log(base + ours), log(base + theirs)))
    header, *rows = text.split("\n")[:-1]
    assert header == "h\tx"
    assert counts(rows) == counts(base) + counts(ours) + counts(theirs)
    assert [row.rstrip("\t") for row in rows[: len(base)]] == [row.rstrip("\t") for row in base]


@given(ROWS, ROWS)
def test_without_a_base_there_are_as_many_as_the_side_that_has_more(
    ours: list[str], theirs: list[str]
) -> None:
    rows = united(Sides(None, log(ours), log(theirs))).split("\n")[1:-1]
    assert counts(rows) == counts(ours) | counts(theirs)


@given(ROWS, ROWS, ROWS)
def test_a_union_loses_nothing_even_where_a_side_took_rows_out(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    rows = united(Sides(log(base), log(ours), log(theirs))).split("\n")[1:-1]
    assert counts(rows) >= counts(ours) | counts(theirs)


def test_a_header_that_a_merge_by_lines_doubled_and_crlf_are_mended() -> None:
    sides = Sides(None, "h\tx\r\na\t\t1\r\nh\tx\r\n\r\n", "")
    assert united(sides) == "h\tx\na\t\t1\n"


def test_conflict_markers_are_split_in_both_styles() -> None:
    text = "h\n<<<<<<< A\na\n||||||| 1\nb\n=======\nc\n>>>>>>> B\nz\n"
    assert split(text) == Sides("h\nb\nz\n", "h\na\nz\n", "h\nc\nz\n")
    plain = text.replace("||||||| 1\nb\n", "")
    assert split(plain) == Sides(None, "h\na\nz\n", "h\nc\nz\n")
    both = split(text + plain)
    assert both is not None and both.base is None
    for broken in ("h\n", "h\n<<<<<<< A\na\n", "=======\n", text.replace(">>>>>>> B\n", "")):
        assert split(broken) is None


# --- the rules ---------------------------------------------------------------------------------


def test_rules_that_are_there_are_never_doubled() -> None:
    wanted = "# why\n/a merge=union\n/b merge=union\n"
    once = completed("*.x text", wanted)
    assert once.startswith("*.x text\n#") and completed(once, wanted) == once
    assert "/a merge=union" not in completed("/a -diff merge=mine\n", wanted)
    assert pattern("a[b]*/x?") == "/a\\[b]\\*/x\\?"
