from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from support import HARD_TEXT, add, episode, peer_front, peer_list

import memshelf
from memshelf.domain import frontmatter
from memshelf.domain.errors import BadField
from memshelf.domain.frontmatter import read, write
from memshelf.domain.splicing import splice
from memshelf.storage.store import Store

PARTS = st.sampled_from(
    [
        *("a", "b", "1", "_", "-", ".", "/", "+", " ", ":", "#", "?", "&", "*", "!", "|", ">", "'"),
        *('"', "[", "]", "{", "}", ",", "%", "@", "`", "~", "=", "é", "Ж", "日", "\xa0", "\u2028"),
        *("\x85", "\ufeff", "\x7f", "\t", "e3", "no", "null", "\\n", "\\u0041", "\\ud83d", "\\x41"),
        *("\\ud83d\\ude00", "\\/", "\\", "²", "٣", "0x1", "1:2"),
    ]
)
FRAGMENT = st.lists(PARTS, max_size=6).map("".join)
VALUE = st.one_of(
    FRAGMENT,
    FRAGMENT.map(lambda text: f'"{text}"'),
    st.lists(FRAGMENT, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
)
LINE = st.tuples(
    st.sampled_from(["id", "kind", "session", "span", "tags", "a-b", "k_1", "y", "null", "1x"]),
    VALUE,
    st.sampled_from(["\n", "\r\n"]),
).map(lambda parts: f"{parts[0]}: {parts[1]}{parts[2]}")


def values(block: str) -> dict[str, object]:
    return dict(read(f"---\n{block}---\n").values)


def codes(block: str) -> list[tuple[str, str]]:
    return [(found.level, found.code) for found in read(f"---\n{block}---\n").findings]


@settings(max_examples=300, deadline=None)
@given(HARD_TEXT, st.lists(HARD_TEXT, max_size=4))
def test_what_is_written_is_the_same_text_to_every_reader(text: str, items: list[str]) -> None:
    block = f"text: {frontmatter.quote(text)}\nlist: {frontmatter.listed(items)}\n"
    wanted = {"text": text, "list": items}
    assert values(block) == {"text": text, "list": tuple(items)}
    assert yaml.load(block, Loader=yaml.BaseLoader) == wanted
    assert yaml.load(block, Loader=yaml.SafeLoader) == wanted
    assert YAML(typ="safe", pure=True).load(block) == wanted
    assert peer_front(block)["text"] == text


@given(st.lists(st.text("abé日 ./+-_?C#", min_size=1).map(str.strip).filter(bool), max_size=4))
def test_the_peer_reads_the_same_tags(tags: list[str]) -> None:
    assert peer_list(frontmatter.listed(tags)) == tags


@settings(max_examples=1000, deadline=None)
@given(st.lists(LINE, max_size=3).map("".join))
def test_the_quick_way_reads_what_yaml_reads(block: str) -> None:
    quick = frontmatter._read_fast(block)
    if quick is not None:
        assert quick == frontmatter._read_yaml(block)[0]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (
            'title: "Fix: retry loop: part 2 # not a comment"',
            "Fix: retry loop: part 2 # not a comment",
        ),
        ("title: >-\n  Folded\n  title", "Folded title"),
        ("title: |-\n  Two\n  lines", "Two\nlines"),
        ("title: 'it''s'", "it's"),
        ("title: text # a comment", "text"),
        ("title: 10:00", "10:00"),
        ("title: 2026-01-01", "2026-01-01"),
        ("title: no", "no"),
        ("title: 0123", "0123"),
        ("title: 1.10", "1.10"),
        ("title: 'false'", "false"),
        ("title: null", "null"),
        ("title:", ""),
        (
            "title: [a, 'b', \"c\", 1.10, no, 2026-01-01]",
            ("a", "b", "c", "1.10", "no", "2026-01-01"),
        ),
        ("title:\n  - git\n  - 'it''s'", ("git", "it's")),
        ("title:\n- git\n- x", ("git", "x")),
        ("title: []", ()),
        ("title: solo", "solo"),
        ("title: {a: 1, b: [x]}", {"a": "1", "b": ("x",)}),
        ('"title": quoted key', "quoted key"),
        ('title: "\\ud83d\\ude80"', "🚀"),
        ("title: a\n  b", "a b"),
    ],
)
def test_any_yaml_is_read_as_the_text_that_was_written(line: str, wanted: object) -> None:
    assert values(f"id: x\n{line}\nlast: y\n") == {"id": "x", "title": wanted, "last": "y"}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("session: run #4", "run #4"),
        ("session: a: b", "a: b"),
        ("session: [x] and more", "[x] and more"),
        ("span: ..2026-01-01", "..2026-01-01"),
        ("tags: [release, #208]", ("release", "#208")),
        ("notes: see: the board", "see: the board"),
        ("notes:", ""),
    ],
)
def test_what_the_peer_writes_raw_means_what_it_says(line: str, wanted: object) -> None:
    key = line.partition(":")[0]
    assert values(f"id: x\n{line}\nmode: live\n") == {"id": "x", key: wanted, "mode": "live"}
    beside = values(
        f"id: x\n{line}\nmode: a: b\n"
    )  # what is no YAML makes no other line unreadable
    assert beside == {"id": "x", key: wanted, "mode": "a: b"}


def test_a_block_that_only_the_peers_rule_reads_is_a_warning_that_names_the_line() -> None:
    found = read("---\nid: x\nnotes: see: the board\n---\n")
    assert [(f.level, f.code) for f in found.findings] == [("warning", "frontmatter-not-yaml")]
    assert "Line 3" in found.findings[0].message


@pytest.mark.parametrize(
    "line", ['tags: [a, "b', "tags: [a, b", 'title: "open', "title: 'open", "- a", "title: {a: 1"]
)
def test_an_unbalanced_quote_or_bracket_is_an_error(line: str) -> None:
    assert [level for level, _ in codes(f"id: x\n{line}\nmode: live\n")] == ["error"]


@pytest.mark.parametrize(
    ("block", "code"),
    [
        ("a: &x 1\nb: *x\n", "frontmatter-refused"),
        ("a: " + "[" * 30 + "]" * 30 + "\n", "frontmatter-refused"),
        ("a: " + "{b: " * 200 + "c" + "}" * 200 + "\n", "frontmatter-refused"),
        ('a: "' + "x" * 70_000 + '"\n', "frontmatter-too-large"),
        ("tags: [" + ", ".join(f"t{n}" for n in range(20_000)) + "]\n", "frontmatter-too-large"),
        ("tags:\n" + "".join(f"  - t{n}\n" for n in range(20_000)), "frontmatter-too-large"),
    ],
)
def test_anchors_depths_and_sizes_that_no_shelf_has_are_findings_and_not_read(
    block: str, code: str
) -> None:
    assert codes(f"id: x\n{block}") == [("error", code)]
    assert values(f"id: x\n{block}") == {}


def test_nesting_that_stops_yaml_itself_is_a_finding_all_the_same() -> None:
    assert codes("id: x\na: " + "[" * 3000 + "]" * 3000 + "\n")


def test_an_anchor_bomb_is_refused_before_it_grows() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert codes("\n".join(rows) + "\n") == [("error", "frontmatter-refused")]


def test_of_a_key_that_stands_twice_the_last_counts_with_a_warning() -> None:
    assert values("id: a\nid: b\n") == {"id": "b"}
    assert codes("id: a\nid: b\n") == [("warning", "duplicate-key")]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize(
    "form", ["{front}\n# Head\n{body}", "# Head\n\n{front}{body}", "{front}{body}"]
)
def test_either_side_of_the_heading_with_bom_and_crlf_the_front_matter_is_found(
    newline: str, bom: str, form: str
) -> None:
    text = form.format(front="---\nid: x\ntags: [a]\n---\n", body="\n## Digest\nText.\n")
    found = read(bom + text.replace("\n", newline))
    assert found.values == {"id": "x", "tags": ("a",)}
    assert found.heading == ("Head" if "Head" in text else "")


def test_only_the_first_block_is_metadata() -> None:
    text = "---\nid: x\n---\n\n## Notes\n---\nid: other\ntitle: old\n---\ntext\n"
    found = read(text)
    assert found.values == {"id": "x"}
    assert text[found.body :].lstrip().startswith("## Notes\n---")


def test_a_block_that_never_ends_is_an_error_and_no_metadata() -> None:
    found = read("---\nid: x\n\n## Digest\nText.\n")
    assert [f.code for f in found.findings] == ["unclosed-frontmatter"]
    assert not found.present


def test_a_text_without_front_matter_has_none() -> None:
    found = read("# Head\n\nProse.\n\n---\n\nid: x\n\n---\n")
    assert (found.present, found.values, found.heading) == (False, {}, "Head")


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_half_a_character_is_never_written(text: str) -> None:
    with pytest.raises(BadField):
        frontmatter.quote(text)


# --- splicing --------------------------------------------------------------------------------

ORDER = ("id", "kind", "tags", "mode")


def test_splicing_replaces_the_lines_of_one_key_and_no_other_byte() -> None:
    text = (
        "---\n# why this is here\nid: x   # the id\ntags:\n  - a\n  # inside\n  - b\n"
        "unknown: {deep: [1, 2]}\nnotes: |\n  one\n\n  # two\n---\nbody: tags: no\n"
    )
    wanted = text.replace("tags:\n  - a\n  # inside\n  - b\n", "tags: [c]\n")
    assert splice(text, {"tags": "[c]"}, ORDER) == wanted
    assert splice(text, {"notes": None}, ORDER) == text.replace("notes: |\n  one\n\n  # two\n", "")


def test_a_new_key_goes_where_the_writer_puts_it_and_in_the_files_line_ends() -> None:
    text = "\ufeff# H\r\n\r\n---\r\nid: x\r\nmode: live\r\nextra: 1\r\n---\r\n"
    assert splice(text, {"tags": "[c]"}, ORDER) == text.replace("mode:", "tags: [c]\r\nmode:")
    assert splice(text, {"other": "1"}, ORDER) == text.replace(
        "extra: 1\r\n", "extra: 1\r\nother: 1\r\n"
    )
    assert splice("---\r\n---\r\n", {"id": "x"}, ORDER) == "---\r\nid: x\r\n---\r\n"


KEYS = ("id", "kind", "tags", "mode", "other", "x-y")
ENTRY = st.tuples(
    st.sampled_from(KEYS),
    st.sampled_from(
        [
            *("a", '"a: b"', "[a, b]", "'it''s'", "\n  - a\n  - b", "\n- a", ">-\n  a\n\n  b", ""),
            *(
                "|\n  # no comment\n  id: not a key",
                '"two\n  lines: 1"',
                "{a: 1,\n  b: 2}",
                "a # c",
            ),
            *("[a,\nb]", '"a\nid: b"', "{a: 1,\nid: 2}"),
        ]
    ),
    st.sampled_from(["", "# a comment\n", "\n"]),
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(ENTRY, max_size=5, unique_by=lambda entry: entry[0]),
    st.sampled_from(KEYS),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_splice_changes_what_it_names_and_nothing_else(
    entries: list[tuple[str, str, str]], key: str, newline: str
) -> None:
    block = "".join(f"{before}{name}: {value}\n" for name, value, before in entries)
    text = f"---\n{block}---\nbody\n".replace("\n", newline)
    before = read(text)
    if before.findings:
        return
    try:
        new = splice(text, {key: '"new"'}, ORDER)
        without = splice(new, {key: None}, ORDER)
    except BadField:  # a form that cannot be cut out safely is refused, never damaged
        return
    assert read(new).values == before.values | {key: "new"}
    kept = [row for row in text.split("\n") if row in new.split("\n")]
    others = [name for name, _, _ in entries if name != key]
    assert all(any(row.startswith(f"{name}:") for row in kept) for name in others)
    assert read(without).values == {name: v for name, v in before.values.items() if name != key}


def test_the_block_is_flat_with_one_key_a_line() -> None:
    assert write([("id", "x"), ("tags", "[a]")]) == "---\nid: x\ntags: [a]\n---\n"


@pytest.mark.parametrize("line", ['"\\ud800x"', '"\\ud83d\\ude00"', '"a \\udfff"'])
def test_halves_of_characters_that_were_escaped_are_shown_and_break_nothing(
    store: Store, line: str
) -> None:
    text = episode().replace('"Cache: Redis"', line)
    add(store, text)
    assert memshelf.stats(store).economy.episodes == 1
    title = read(text).values["display_title"]
    assert isinstance(title, str) and title.encode("utf-8")
    assert ("😀" in title) is (line == '"\\ud83d\\ude00"')
