from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memshelf.domain import sections
from memshelf.domain.episode import Document
from memshelf.domain.sections import addresses, fault_of_body, find, outline

# CommonMark with the parts switched off in which the line grammar means to differ.
COMMONMARK = MarkdownIt("commonmark").disable(
    ["html_block", "html_inline", "lheading", "reference"]
)


def names(text: str) -> list[str]:
    return [section.name for section in outline(text).sections]


def h2(text: str) -> list[str]:
    tokens = COMMONMARK.parse(text)
    return [
        tokens[place + 1].content
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and (token.tag, token.level) == ("h2", 0)
        if tokens[place + 1].content
    ]


def bodies(text: str) -> dict[str, str]:
    document = Document.of(text)
    return {name: document.body(name) or "" for name in document.names}


HEADINGS = [
    "## A",
    "## B ##",
    "##  C#",
    "   ## D",
    "## F# and C# ##",
    "## x \t",
    "##F",
    "##",
    "### g",
]
FENCES = [
    "```",
    "````",
    "```py",
    "``` a`b",
    "~~~",
    "~~~~",
    "~~~ x`",
    "  ```",
    "    ```",
    "    ## E",
]
PROSE = ["text", "", "", "* * *", "---", "***", "|a|b|", "# h"]
TOP = st.lists(st.sampled_from(HEADINGS + FENCES + PROSE), max_size=8)
HELD = st.one_of(  # a list item or a quote with a fence in it, then what follows
    *(
        st.tuples(*map(st.sampled_from, rows)).map("\n".join)
        for rows in (
            [
                ["- ```", "- a\n\n  ```", "1. ```py", "10) ~~~", "* ````"],
                ["    x", "     ## in"],
                ["    ```", ""],
            ],
            [["> ```", "> - ```", "> ~~~ x"], ["> ## in", "> x"], ["> ```", "> ~~~", ""]],
            [["- ```\n  x\n  ```"], ["  ```", "  ~~~"], ["  ## in", "  y", ""]],
            [["1.\n  ```", "- ```\n\tcode\n  ```"], ["", "text"], ["", "```"]],
        )
    )
)


@settings(max_examples=500, deadline=None)
@given(TOP, st.sampled_from(["\n", "\r\n"]))
def test_the_sections_are_the_top_level_h2_of_commonmark(lines: list[str], newline: str) -> None:
    text = "\n".join(lines) + "\n"
    assert names(text.replace("\n", newline)) == h2(text)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(HELD, min_size=1, max_size=2),
    st.lists(st.sampled_from(["## A", "## B", "text"]), max_size=3),
)
def test_a_fence_in_a_list_or_a_quote_ends_with_it(held: list[str], after: list[str]) -> None:
    text = "\n\n".join(held) + "\n\n" + "\n\n".join(after) + "\n"
    inner = {"in"}  # up to three spaces before it a heading counts, whatever stands above
    assert [n for n in names(text) if n not in inner] == [n for n in h2(text) if n not in inner]


LINES = st.lists(
    st.sampled_from(
        [
            *(*HEADINGS, *FENCES, *PROSE),
            *("Decisions", "Digest ", "  open threads", "-", "--", " ---", "- a", "a\rb", "```\r"),
            *(
                "\r",
                "## A\x0b",
                "\u2028## no",
                "\x0c## no",
                "##\xa0x",
                "> ```",
                "1. ```",
                "\t```",
                "   ```",
            ),
        ]
    ),
    max_size=12,
)


@settings(max_examples=500, deadline=None)
@given(LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "# Head\n", "# Head\r\n"]))
def test_the_quick_way_and_the_line_by_line_way_agree(
    lines: list[str], newline: str, head: str
) -> None:
    text = head + newline.join(lines)
    assert outline(text, len(head)) == sections._outline_by_lines(text, len(head))


def test_a_heading_inside_a_fence_is_text() -> None:
    text = "## Decisions\nbefore\n\n```\n## Not a heading\n```\n\nafter\n\n## Next\nx\n"
    assert bodies(text) == {
        "Decisions": "before\n\n```\n## Not a heading\n```\n\nafter",
        "Next": "x",
    }


@pytest.mark.parametrize(
    "opening", ["```", "~~~", "````md", "- ```", "1. ~~~", "> ```", "> - ```", "-\t```"]
)
def test_headings_do_not_count_inside_any_fence(opening: str) -> None:
    inside = {">": "> ", "`": "", "~": ""}.get(opening[0], "    ")
    closing = opening.strip("->1. \t").rstrip("md")
    text = f"## A\n{opening}\n{inside}## no\n{inside}{closing}\n\n## B\nb\n"
    assert names(text) == ["A", "B"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        *(("## Digest ##", "Digest"), ("## C#", "C#"), ("## F# and C# ##", "F# and C#")),
        *(
            ("   ## Three spaces", "Three spaces"),
            ("##\tTab", "Tab"),
            ("## `code` **b**", "`code` **b**"),
        ),
        *(
            ("## 決定", "決定"),
            ("## Решения", "Решения"),
            ("## a\xa0b", "a\xa0b"),
            ("## x \\#", "x \\#"),
        ),
    ],
)
def test_a_heading_line_gives_its_name_without_closing_hashes(line: str, name: str) -> None:
    assert names(f"{line}\ntext\n") == [name]


@pytest.mark.parametrize(
    "line", ["##", "## ", "##x", "    ## x", "\t## x", "\\## x", "# x", "### x", "> ## x", "- ## x"]
)
def test_other_lines_open_no_section(line: str) -> None:
    assert names(f"{line}\ntext\n") == []


def test_an_html_block_never_hides_a_heading() -> None:
    assert names("<details>\n## A\n<!--\n## B\n") == ["A", "B"]


@pytest.mark.parametrize("space", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\r"])
def test_only_lf_and_crlf_end_a_line(space: str) -> None:
    assert names(f"a{space}## not a heading\n") == []


def test_an_underlined_known_name_is_a_section_where_it_stands_alone() -> None:
    text = "Decisions\n---------\ntext\n\n## B\n\nOpen threads\n---\n- x\n"
    assert bodies(text) == {"Decisions": "text", "B": "", "Open threads": "- x"}


@pytest.mark.parametrize(
    "text",
    [
        *("prose\nDecisions\n---\n", "Anything\n---\n", "Decisions\n\n---\n", "- Decisions\n---\n"),
        *("```\nDecisions\n---\n```\n", "> Decisions\n---\n", "Decisions and more\n---\n"),
    ],
)
def test_other_underlined_lines_are_none(text: str) -> None:
    assert names(text) == []


def test_two_sections_of_one_name_are_both_kept_and_addressed() -> None:
    text = "## Notes\na\n\n## Decisions\nx\n\n## Notes\nb\n"
    assert bodies(text) == {"Notes": "a", "Decisions": "x", "Notes (2)": "b"}


def test_an_address_never_means_two_sections() -> None:
    taken = ("Notes", "Notes (2)", "Notes", "Notes")
    assert len(set(addresses(taken))) == 4
    text = "".join(f"## {name}\n{place}\n\n" for place, name in enumerate(taken))
    assert sorted(bodies(text).values()) == ["0", "1", "2", "3"]


def test_a_name_is_found_whatever_its_case_but_an_exact_one_comes_first() -> None:
    assert find(("notes", "Notes"), "Notes") == 1
    assert find(("Decisions",), "decisions") == 0
    assert find(("Open threads",), "OPEN THREADS") == 0
    assert find(("Решения",), "решения") == 0
    assert find(("Decisions",), "Desisions") is None


@pytest.mark.parametrize(
    "body",
    [
        *("a\n## b", "## b", "```\nopen", "~~~", "text\n\nDecisions\n---\nx", "   ## b"),
        *("a\n\n```\n## x\n", "- a\n\n  ## b"),
    ],
)
def test_a_body_that_would_open_a_section_or_leaves_a_fence_open_has_a_fault(body: str) -> None:
    assert fault_of_body(body)


@pytest.mark.parametrize(
    "body",
    [
        *(
            "",
            "a\n### b",
            "```\n## x\n```",
            "a\n---\nb",
            "---\ntitle: old\n---\ntext",
            "> ## b",
            "- ```\n  x",
        ),
        *("<details>\n", "    ## code", "***"),
    ],
)
def test_other_bodies_have_none(body: str) -> None:
    assert fault_of_body(body) is None
