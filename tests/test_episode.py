from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from support import ANY_TEXT, HARD_TEXT, episode, peer_front, peer_list

from memshelf.domain.admit import tag_fault
from memshelf.domain.episode import (
    KEYS,
    KNOWN,
    QUOTED,
    Document,
    Episode,
    check_bodies,
    format_episode,
    parse_episode,
    troubles,
)
from memshelf.domain.errors import BadField

BODY = st.one_of(
    ANY_TEXT,
    st.lists(
        st.sampled_from(
            [
                *(
                    "text",
                    "",
                    "---",
                    "```",
                    "~~~",
                    "  ```",
                    "- a",
                    "- ```",
                    "> ```",
                    "  indented",
                    "\ttab",
                    "***",
                ),
                *(
                    "### h3",
                    "# h1",
                    "id: x",
                    "Decisions",
                    "a\r",
                    "\u2028",
                    "\x0c## x",
                    "\x85",
                    "\ufeff",
                    "<!--",
                ),
                *(
                    "<details>",
                    "|a|b|",
                    "🚀",
                    "אבג",
                    "日本語",
                    "\x1b[0m",
                    "\x00",
                    "=====",
                    "- [x] done",
                    "    ## x",
                ),
            ]
        ),
        max_size=8,
    ).map("\n".join),
)
NAME = st.one_of(
    st.sampled_from(
        [*KNOWN[1:], "Notes", "C#", "decisions", "F# and C# ##", "決定", "a (2)", "#", "x\\"]
    ),
    ANY_TEXT,
)
FIELDS = st.fixed_dictionaries(
    {"id": st.from_regex(r"20[0-9]{2}-0[1-9]-1[0-9]-[a-z0-9_-]{1,20}", fullmatch=True)},
    optional={
        "kind": st.sampled_from(["topic", "research", "session"]),
        "span": st.sampled_from(["2026-01-05", "2026-01-05..2026-02-01", "..2026-02-01"]),
        "date": st.just("2026-01-05"),
        "approx_tokens": st.integers(0, 10**9),
        "tags": st.lists(HARD_TEXT, max_size=4),
        "keywords": st.lists(ANY_TEXT, max_size=2),
        "supersedes": st.lists(st.sampled_from(["2026-01-01-a", "2026-01-01-a/d2"]), max_size=2),
        **{key: HARD_TEXT for key, how in KEYS.items() if how == QUOTED},
        "extra": st.lists(
            st.tuples(
                st.sampled_from(["zeta", "alpha", "x-y"]),
                st.one_of(HARD_TEXT, st.lists(HARD_TEXT, max_size=2).map(tuple)),
            ),
            max_size=2,
            unique_by=lambda pair: pair[0],
        ).map(tuple),
    },
)


def made(fields: dict[str, Any], digest: str, sections: list[tuple[str, str]]) -> Episode:
    found = Episode.make(**fields, digest=digest, sections=sections)
    assume(all(all(getattr(found, key)) for key in ("tags", "keywords")))  # no empty items
    assume("Digest" not in [name for name, _ in found.sections])
    try:
        check_bodies(found)
    except BadField:
        assume(False)
    return found


@settings(max_examples=300, deadline=None)
@given(FIELDS, BODY, st.lists(st.tuples(NAME, BODY), max_size=4))
def test_what_is_formatted_is_parsed_as_the_same_episode(
    fields: dict[str, Any], digest: str, sections: list[tuple[str, str]]
) -> None:
    whole = made(fields, digest, sections)
    assert parse_episode(format_episode(whole)) == whole


@settings(max_examples=150, deadline=None)
@given(FIELDS, BODY)
def test_every_reader_finds_the_same_fields_in_a_file_that_was_written(
    fields: dict[str, Any], body: str
) -> None:
    whole = made(fields, "Redis was chosen.", [("Decisions", body)])
    text = format_episode(whole)
    assert text.startswith("---\nid: ")
    block = text[4 : text.index("\n---\n") + 1]
    for read in (yaml.load(block, Loader=yaml.BaseLoader), YAML(typ="safe", pure=True).load(block)):
        assert list(read) == list(Document.of(text).front.values)
        for key, how in KEYS.items():
            if how == QUOTED and getattr(whole, key):
                assert read[key] == getattr(whole, key)
        assert [str(tag) for tag in read["tags"]] == list(whole.tags)
    peer = peer_front(block)
    assert peer["id"] == whole.id
    assert peer.get("display_title", "") == whole.display_title
    if not any(tag_fault(tag) for tag in whole.tags):
        assert peer_list(peer["tags"]) == list(whole.tags)


@settings(max_examples=100, deadline=None)
@given(FIELDS, BODY, st.lists(st.tuples(NAME, BODY), max_size=3))
def test_a_crlf_twin_and_a_bom_read_the_same(
    fields: dict[str, Any], digest: str, sections: list[tuple[str, str]]
) -> None:
    whole = made(fields, digest, sections)
    text = format_episode(whole)
    assert parse_episode("\ufeff" + text.replace("\n", "\r\n")) == whole


@settings(max_examples=200, deadline=None)
@given(st.one_of(ANY_TEXT, BODY))
def test_no_text_at_all_makes_parsing_fail(text: str) -> None:
    for form in (text, f"---\n{text}\n---\n{text}", f"# {text}\n\n---\nid: {text}\n---\n"):
        assert isinstance(parse_episode(form, "stem"), Episode)
        troubles(Document.of(form))


def test_the_peers_form_with_the_heading_first_reads_the_same() -> None:
    text = episode()
    block = text[: text.index("\n---\n") + 5]
    peer = f"# 2026-01-05-cache\n\n{block}\n" + text[text.index("## Digest") :]
    assert parse_episode(peer) == parse_episode(text)


def test_a_line_break_in_a_title_makes_no_key() -> None:
    text = format_episode(Episode.make(id="2026-01-05-x", display_title="a\ninjected: true"))
    assert parse_episode(text).display_title == "a injected: true"
    assert "injected" not in Document.of(text).front.values


def test_sections_are_written_in_the_known_order_and_the_rest_as_given() -> None:
    given = [
        ("Zeta", "z"),
        ("Open threads", "o"),
        ("Alpha", "a"),
        ("Decisions", "d"),
        ("Blank", " \n "),
    ]
    whole = Episode.make(id="2026-01-05-x", digest="x", sections=given)
    assert whole.names == ("Digest", "Decisions", "Open threads", "Zeta", "Alpha")


@pytest.mark.parametrize("line", ["tags: solo", "tags:\n  - solo", "tags: [solo]", "tags: 'solo'"])
def test_a_scalar_is_one_tag(line: str) -> None:
    assert parse_episode(f"---\nid: x\n{line}\n---\n").tags == ("solo",)


@pytest.mark.parametrize("line", ["tags:", "tags: []", "tags: ''", "other: 1"])
def test_no_tags_are_no_tags(line: str) -> None:
    assert parse_episode(f"---\nid: x\n{line}\n---\n").tags == ()


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        (
            "tags: [1, true, null, 1.10, 0123, 2026-01-01]",
            ("1", "true", "null", "1.10", "0123", "2026-01-01"),
        ),
        ("tags: [C#, a: b]", ("C#", "a: b")),
        ("tags: [release, #208]", ("release", "#208")),
        (
            "tags: [C, C++, C#, 日本語, 'ทดสอบ', हिन्दी, 🚀]",
            ("C", "C++", "C#", "日本語", "ทดสอบ", "हिन्दी", "🚀"),
        ),
    ],
)
def test_tags_are_the_text_that_was_written(line: str, tags: tuple[str, ...]) -> None:
    assert parse_episode(f"---\nid: x\n{line}\n---\n").tags == tags


def test_unknown_keys_are_kept_in_order() -> None:
    found = parse_episode("---\nzeta: 1\nid: x\nalpha: [a, b]\nnested: {a: {b: c}}\n---\n")
    assert found.extra == (("zeta", "1"), ("alpha", ("a", "b")), ("nested", {"a": {"b": "c"}}))


def test_a_body_with_its_own_front_matter_stays_text() -> None:
    body = "---\ntitle: old\n---\ntext"
    whole = Episode.make(id="2026-01-05-x", digest="d", sections=[("Notes", body)])
    text = format_episode(whole)
    assert parse_episode(text).sections == (("Notes", body),)
    assert parse_episode(text).display_title == ""


@pytest.mark.parametrize("title", ["#", "x #", "C#", "a ##", "## x", "Digest", "---", "\\", "x\\"])
def test_any_title_can_be_the_heading(title: str) -> None:
    whole = Episode.make(id="2026-01-05-x", display_title=title, digest="d")
    assert parse_episode(format_episode(whole)) == whole


@pytest.mark.parametrize("name", ["a\x00b", "#", "##", " ", "a\n## b"])
def test_a_section_name_that_cannot_stand_in_a_heading_is_refused(name: str) -> None:
    whole = Episode(id="2026-01-05-x", digest="d", sections=((name, "text"),))
    back = parse_episode(format_episode(whole))
    if back != whole:
        with pytest.raises(BadField):
            check_bodies(whole)


def test_conflict_markers_are_an_error_and_a_mention_of_them_is_none() -> None:
    marks = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"
    codes = [f.code for f in troubles(Document.of(episode() + marks))]
    assert codes == ["merge-conflict"]
    assert troubles(Document.of(episode() + "The marks `<<<<<<<` and `>>>>>>>`.\n")) == ()
    assert troubles(Document.of(episode() + "Title\n=======\n\n<<<<<<< x\n")) == ()
