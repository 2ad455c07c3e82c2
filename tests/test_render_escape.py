"""Text put into Markdown, HTML, JSON, XML and tables is shown as it is and does nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from xml.etree import ElementTree

import markdown as python_markdown
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memshelf.render import escape

HOSTILE = (
    "x <img src=x onerror=alert(1)> [a](javascript:b) **c** | d",
    "# Big",
    "## Big ##",
    "#",
    "- item",
    "1. one",
    "1) one",
    "> quote",
    "=====",
    "-----",
    "***",
    "!!! note",
    "??? details",
    ": definition",
    "C#",
    "a\nb\r\nc\u2028d\u2029e",
    "`code` ``two``",
    "back\\slash \\* \\",
    "&amp; &#65; &copy; AT&T",
    "{{ macro }} {% raw %} {: .class }",
    "$x$ and $$y$$",
    "~~gone~~ ~sub~",
    "==mark== %%hidden%%",
    "![alt](http://example.org/x.png)",
    "[[wiki]] [ref][1] [^1]",
    "<!-- comment -->",
    "</title><script>alert(1)</script>",
    "snake_case_and *stars*",
    "| a | b |",
    "\u05e9\u05dc\u05d5\u05dd \u202ereversed",
    "--- - ---",
    "+1",
    "http://example.org/a_b_c",
)


class Seen(HTMLParser):
    """The text and the tags of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.tags = "", set[str]()
        self.feed(html)
        self.close()

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)


def readers() -> dict[str, Callable[[str], str]]:
    github = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    extensions = ["tables", "fenced_code", "attr_list", "admonition", "def_list", "footnotes"]
    return {
        "commonmark": github.render,
        "mkdocs": lambda text: python_markdown.markdown(text, extensions=extensions),
    }


PLACES = {
    "line": ("{0}", "{0}", {"p"}),
    "heading": ("# {0}", "{0}", {"h1"}),
    "index": ("- 2026-01-02 [{0}](docs/x.md) — {0}", "2026-01-02 {0} — {0}", {"ul", "li", "a"}),
}


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_hostile_text_literally_in_any_reader_and_place(text: str) -> None:
    for reader in readers().values():
        for template, expected, tags in PLACES.values():
            seen = Seen(reader(template.format(escape.markdown(text))))
            assert seen.text.strip() == expected.format(escape.plain(text))
            assert seen.tags == tags


ATOMS = st.sampled_from([*"\\`*_{}[]()#+-.!<>|&~$%=:\"'@^/ 1aé日\n\t\x00", *HOSTILE])


@given(st.lists(ATOMS, max_size=8).map("".join))
@settings(max_examples=300, deadline=None)
def test_markdown_shows_any_text_literally(text: str) -> None:
    for name, reader in readers().items():
        for template, expected, tags in PLACES.values():
            if name == "mkdocs" and not escape.plain(text):
                continue
            seen = Seen(reader(template.format(escape.markdown(text))))
            assert seen.text.strip() == expected.format(escape.plain(text)).strip(), template
            assert seen.tags <= tags, template


@given(st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_html_and_attributes_give_back_the_text_and_no_tag(text: str) -> None:
    seen = Seen(f"<b>{escape.html(text)}</b>")
    assert seen.tags == {"b"}
    assert seen.text == escape.clean(text)

    class Values(HTMLParser):
        value = ""

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert len(attrs) == 1
            self.value = attrs[0][1] or ""

    parser = Values()
    parser.feed(f'<i title="{escape.attribute(text)}">')
    assert parser.value == escape.clean(" ".join(text.split()))


@pytest.mark.parametrize("text", ["</script><script>", "<!--<script>", "]]>", "\u2028", "a & b"])
def test_json_in_html_can_end_nothing_and_reads_back(text: str) -> None:
    written = escape.json_in_html({"text": text})
    assert not set(written) & set("<>&\u2028")
    assert json.loads(written) == {"text": text}


def test_xml_holds_no_character_that_xml_forbids() -> None:
    every = "".join(map(chr, range(0x300))) + "\ud800\ufffe<&>\"'"
    root = ElementTree.fromstring(f'<a b="{escape.xml(every)}">{escape.xml(every)}</a>')
    assert root.text is not None and "<&>\"'" in root.text


@pytest.mark.parametrize("breaker", list("\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))
def test_a_cell_stays_one_cell(breaker: str) -> None:
    assert escape.tsv(f"a{breaker}{breaker}b") == "a b"


def test_marks_that_turn_the_direction_and_control_characters_go() -> None:
    assert escape.plain("a\u202eb\u2067c\x1b[31m") == "abc\ufffd[31m"
    assert escape.plain("  spaced \n out ") == "spaced out"
    assert escape.plain("family \U0001f468\u200d\U0001f469") == "family \U0001f468\u200d\U0001f469"
