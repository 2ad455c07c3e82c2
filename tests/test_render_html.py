"""The phone file: one page that needs nothing, runs nothing, and shows hostile text as text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from attacks import ATTACKS

from memshelf.domain.config import Config
from memshelf.domain.entry import entry_of
from memshelf.domain.episode import Episode, format_episode, parse_episode
from memshelf.domain.shelf import Shelf
from memshelf.render.html import html
from memshelf.render.language import page_language, proven
from memshelf.render.links import linked
from memshelf.render.markdown import fragment

VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


class Node(HTMLParser):
    """A page taken apart: tags with their attributes, ids, links, text, and whether it is balanced."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"twice in {tag}: {attrs}"
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self.text += data if not {"style", "script"} & set(self.open) else ""

    @property
    def ids(self) -> list[str]:
        return [attrs["id"] for _, attrs in self.tags if "id" in attrs]

    @property
    def hrefs(self) -> list[str]:
        return [attrs["href"] for tag, attrs in self.tags if tag == "a" and "href" in attrs]

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attrs for name, attrs in self.tags if name == tag]


def episode(name: str, **fields: object) -> Episode:
    known = {"id": name, "digest": "Decided: yes.", "sections": (("Decisions", "- Yes"),)}
    return Episode.make(**(known | fields))


def shelf_of(*episodes: Episode, folder: str = "docs/topics", **config: object) -> Shelf:
    files = {f"{folder}/{one.id}.md": format_episode(one) for one in episodes}
    return of_files(files, **config)


def of_files(files: dict[str, str], **config: object) -> Shelf:
    return Shelf.make(
        (entry_of(path, text) for path, text in files.items()),
        config=Config(**({"name": "Tides"} | config)),  # type: ignore[arg-type]
        load=lambda path: parse_episode(files[path], Path(path).stem),
    )


def page(shelf: Shelf, **options: object) -> str:
    return html(shelf, **options).text  # type: ignore[arg-type]


def prove_harmless(made: str) -> Node:
    """That a page runs nothing, fetches nothing, and that every id and link in it is right."""
    node = Node(made)
    for tag, attrs in node.tags:
        assert tag not in {"iframe", "object", "embed", "img", "math", "form", "base", "link",
                           "video", "audio", "source", "image", "use"}, tag  # fmt: skip
        assert not [name for name in attrs if name.startswith("on") or name in _LOADING], attrs
        assert "style" not in attrs
    assert node.named("script") == [{}] and len(node.named("input")) == 1  # both are our own
    for href in node.hrefs:
        assert re.match(r"#|https?://|mailto:", href), href
    ids = node.ids
    assert len(set(ids)) == len(ids)
    assert not [href for href in node.hrefs if href.startswith("#") and href[1:] not in ids]
    assert len(node.named("style")) == len(node.named("main")) == made.count("<title>") == 1
    assert hashed(made, "script") in made.partition("<style>")[0]
    style = made.partition("<style>")[2].partition("</style>")[0]
    assert style and "url(" not in style and "@import" not in style
    return node


def hashed(made: str, element: str) -> str:
    """The source expression for what stands in a page's only element of a name."""
    text = made.partition(f"<{element}>")[2].partition(f"</{element}>")[0]
    return f"{element}-src 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_LOADING = frozenset("src srcset srcdoc data action formaction background poster ping".split())


# --- nothing in an episode acts --------------------------------------------------------------

PLACES = ("body", "digest", "title", "tag", "section", "description", "kind", "lang")


@pytest.mark.parametrize("place", PLACES)
def test_hostile_text_in_any_place_is_text(place: str) -> None:
    texts = [attack.markdown for attack in ATTACKS]
    node = prove_harmless(page(attacked(texts, place)))
    for text in texts if place == "title" else ():
        if text.isprintable():
            assert " ".join(text.split())[:40] in node.text, text


def test_a_shelfs_name_is_text() -> None:
    for attack in ATTACKS:
        prove_harmless(page(attacked(["x"], "body", name=" ".join(attack.markdown.split()))))


@pytest.mark.parametrize("place", PLACES)
def test_no_template_in_a_text_is_run(place: str) -> None:
    texts = [attack.markdown for attack in ATTACKS if attack.name.startswith("templates")]
    assert any("7 * 7" in text for text in texts)
    assert "49" not in prove_harmless(page(attacked(texts, place))).text


def attacked(attacks: list[str], place: str, name: str = "Tides") -> Shelf:
    """A shelf with an episode for each attack, which has it in one place, and another episode."""
    target = {"docs/topics/2026-01-01-target.md": format_episode(episode("2026-01-01-target"))}
    files = {
        f"docs/topics/2026-01-02-{number}.md": _attacked(attack, place, f"2026-01-02-{number}")
        for number, attack in enumerate(attacks)
    }
    return of_files(files | target, name=name)


def _attacked(attack: str, place: str, name: str) -> str:
    """The file of an episode with an attack in one place."""
    line = " ".join(attack.split())
    front = {
        "id": name,
        "kind": line if place == "kind" else "topic",
        "display_title": line if place == "title" else "Title",
        "description": line if place == "description" else "",
        "tags": [line] if place == "tag" else ["tag"],
        "lang": line if place == "lang" else "",
        "approx_tokens": 1,
        "span": f"..{line}" if place == "kind" else "",
        "retain_until": line if place == "kind" else "",
        "supersedes": [line, "2026-01-01-target"] if place == "tag" else [],
    }
    lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in front.items())
    text = f"---\n{lines}---\n\n## Digest\n{attack if place == 'digest' else 'D.'}\n"
    text += f"\n## {line if place == 'section' else 'Decisions'}\n"
    return text + f"{attack if place == 'body' else 'Yes.'}\n\n## After\nStill here.\n"


def test_what_stays_open_in_one_section_does_not_swallow_the_next() -> None:
    for attack in ("<!-- todo", "<details>", "<div>", "> quote", "| a |\n|---|", "- item"):
        made = page(attacked([attack], "body"))
        assert re.search(r"<h3[^>]*>After</h3>\s*<p[^>]*>Still here\.</p>", made), attack


def test_the_policy_lets_only_this_pages_own_script_and_style_act() -> None:
    made = page(shelf_of(episode("2026-01-02-a")))
    (policy,) = [m["content"] for m in Node(made).named("meta") if "http-equiv" in m]
    assert policy.split("; ") == [
        "default-src 'none'",
        hashed(made, "script"),
        hashed(made, "style"),
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert made.index("http-equiv") < made.index("<style>")


def test_the_shell_of_an_empty_page_is_small() -> None:
    assert html(Shelf()).size <= 60_000


# --- what a page holds -----------------------------------------------------------------------


def test_a_page_has_head_line_contents_by_quarter_and_every_episode_folded() -> None:
    shelf = of_files(
        {
            "docs/topics/2026-03-31-a.md": format_episode(episode("2026-03-31-a", tags=["x", "y"])),
            "docs/topics/2026-04-01-b.md": format_episode(
                episode("2026-04-01-b", display_title="B")
            ),
            "docs/other/note.md": format_episode(episode("note")),
            "archive/docs/topics/2025-12-31-c.md": format_episode(episode("2025-12-31-c")),
        }
    )
    made = page(shelf)
    node = prove_harmless(made)
    assert "As of 2026-04-01 · 4 episodes: 3 topics, 1 other · 1 of them archived" in node.text
    contents = made.partition('<nav id="contents"')[2].partition("</nav>")[0]
    assert re.findall(r"<summary><bdi>(.+?)</bdi>", contents) == [
        "2026Q2", "2026Q1", "2025Q4", "Without a date"]  # fmt: skip
    articles = [attrs["id"] for attrs in node.named("article")]
    assert articles == ["ep-2026-04-01-b", "ep-2026-03-31-a", "ep-2025-12-31-c", "ep-note"]
    assert sum("open" in fold for fold in node.named("details")) == 1
    assert {"#ep-2026-03-31-a", "#contents", "#episodes", "#tags", "#letters"} <= set(node.hrefs)
    assert "2026-03-31 · topic · x · y" in " ".join(node.text.split())


def test_quarters_follow_the_fiscal_year() -> None:
    made = page(shelf_of(episode("2026-07-01-a"), episode("2026-06-30-b"), fiscal_year_start=7))
    assert "FY2027Q1" in made and "FY2026Q4" in made


def test_one_episode_alone_is_open_and_has_no_contents() -> None:
    shelf = shelf_of(episode("2026-03-31-a"), episode("2026-04-01-b"))
    node = prove_harmless(page(shelf, inside=[shelf.by_id["2026-03-31-a"]]))
    assert [attrs["id"] for attrs in node.named("article")] == ["ep-2026-03-31-a"]
    assert node.named("details") == [{"open": ""}] and not node.named("nav")
    assert "2026-04-01-b" not in node.text


def test_without_episodes_asked_for_the_contents_stand_alone() -> None:
    shelf = shelf_of(episode("2026-03-31-a", description="Said so."), episode("2026-04-01-b"))
    node = prove_harmless(page(shelf, index_only=True))
    assert not node.named("article") and not node.hrefs
    assert "2026-03-31-a" in node.text and "Said so." in node.text


def test_an_empty_shelf_says_so() -> None:
    node = prove_harmless(page(Shelf()))
    assert "Nothing on this shelf yet." in node.text and not node.named("nav")


def test_what_was_replaced_says_so_above_its_fold_and_links_to_its_successor() -> None:
    shelf = shelf_of(
        episode("2026-01-01-old", display_title="Old way"),
        episode("2026-02-01-new", display_title="New way", supersedes=["2026-01-01-old"]),
    )
    made = page(shelf)
    old = made.partition('<article id="ep-2026-01-01-old"')[2].partition("<details")[0]
    assert 'Replaced</strong> by <a href="#ep-2026-02-01-new">New way</a>' in old
    assert 'Replaces <a href="#ep-2026-01-01-old">Old way</a>' in made
    assert '<li class="past"><a href="#ep-2026-01-01-old"' in made
    alone = prove_harmless(page(shelf, inside=[shelf.by_id["2026-01-01-old"]]))
    assert "by 2026-02-01-new" in alone.text


def test_lists_put_what_was_replaced_last_and_lead_on_to_what_came_after() -> None:
    shelf = shelf_of(
        episode("2026-01-01-plain", tags=["x"]),
        episode("2026-01-02-old", tags=["x"]),
        episode("2026-04-02-new", supersedes=["2026-01-02-old"], display_title="New way"),
    )
    contents = page(shelf).partition('<nav id="contents"')[2].partition("</nav>")[0]
    assert re.findall(r"<summary><bdi>(.+?)</bdi>", contents) == ["2026Q2", "2026Q1"]
    first = contents.partition("2026Q1")[2]
    assert re.findall(r'<li(?: class="past")?><a href="#ep-([^"]+)"', first) == [
        "2026-01-01-plain", "2026-01-02-old"]  # fmt: skip
    assert '2026-01-02</i> · replaced by <a href="#ep-2026-04-02-new">New way</a></span>' in first
    tag = page(shelf).partition('data-tag="x"')[2].partition("</details>")[0]
    assert re.findall('href="#ep-([^"]+)"', tag) == ["2026-01-01-plain", "2026-01-02-old"]


def test_start_here_says_that_there_is_more_and_shows_no_marks() -> None:
    threads = "\n".join(f"- **Ask** about `x{n}` and <that>." for n in range(12))
    shelf = shelf_of(
        episode("2026-01-01-a", sections=(("Open threads", threads),)), episode("2026-01-02-b")
    )
    start = page(shelf).partition('id="start"')[2].partition("</section>")[0]
    assert "Ask about x0 and &lt;that&gt;." in start and start.count("Ask about") == 10
    assert '<p class="small">More, in <bdi>their episodes</bdi></p>' in start
    many = page(shelf_of(*(episode(f"2026-01-{day:02}-a") for day in range(1, 14))))
    assert '3 more, in <a href="#contents">Contents</a></p>' in many


def test_ids_and_links_in_text_lead_to_episodes_that_are_in_the_file() -> None:
    body = (
        "See 2026-01-01-end, not 2026-01-01-endless nor `2026-01-01-end`/t2; "
        "[that one](../topics/2026-01-01-end.md#decisions), [gone](../topics/2020-01-01-gone.md), "
        "[image](pic.png), [section](#decisions), [web](https://example.org/2026-01-01-end).\n\n"
        "```\n2026-01-01-end\n```"
    )
    shelf = shelf_of(
        episode("2026-01-01-end", display_title="The end"),
        episode("2026-02-01-a", display_title="Later", sections=(("Decisions", body),)),
    )
    made = page(shelf)
    node = prove_harmless(made)
    later = made.partition('<article id="ep-2026-02-01-a"')[2].partition("<footer")[0]
    assert later.count('href="#ep-2026-01-01-end"') == 3
    assert "endless" in later and '">2026-01-01-endless' not in later
    assert ">gone<" not in later and "gone" in later
    assert "https://example.org/2026-01-01-end" in node.hrefs
    assert 'Mentioned by <a href="#ep-2026-02-01-a">Later</a>' in made


def test_two_episodes_of_one_id_have_two_addresses() -> None:
    text = format_episode(episode("2026-01-02-a"))
    shelf = of_files({"docs/topics/2026-01-02-a.md": text, "docs/sessions/copy.md": text})
    assert len(prove_harmless(page(shelf)).named("article")) == 2


def test_ids_of_old_shelves_have_addresses_too() -> None:
    names = ('a "b" <c>', "Файл", "100%", "a#b?c")
    texts = {f"docs/topics/{n}.md": f"# x\n\n---\nid: {json.dumps(name)}\n---\n\n## Digest\nD.\n"
             for n, name in enumerate(names)}  # fmt: skip
    node = prove_harmless(page(of_files(texts)))
    assert len({href for href in node.hrefs if href.startswith("#ep-")}) == 4


def test_a_file_that_cannot_be_read_any_more_stops_no_page() -> None:
    shelf = shelf_of(episode("2026-01-02-a", digest="Decided: keep it."))
    without = Shelf(config=shelf.config, entries=shelf.entries)
    assert "Decided: keep it." in prove_harmless(page(without)).text


# --- language and direction ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "texts", "language"),
    [
        ("en-GB", ["שלום"], "en-GB"),
        ('x" onload="', ["Plain"], ""),
        ("", ["שלום עולם"], "he"),
        ("", ["README の日本語版を書く"], "ja"),
        ("", ["한국어 제목"], "ko"),
        ("", ["Русский текст"], ""),
        ("", ["中文标题"], ""),
        ("", ["Mostly English with שלום in it"], ""),
    ],
)
def test_a_pages_language_is_given_or_proven_or_left_out(
    given: str, texts: list[str], language: str
) -> None:
    assert page_language(given, texts) == language
    made = page(shelf_of(episode("2026-01-02-a", display_title=texts[0], digest=texts[0]),
                         language=given))  # fmt: skip
    assert Node(made).named("html") == [{"lang": "en"}]  # the page's own words
    assert Node(made).named("main")[0]["lang"] == language


def test_an_episode_in_another_language_says_so() -> None:
    made = page(shelf_of(episode("2026-01-02-a", lang="de"), episode("2026-01-03-b", digest="שלום"),
                         language="en"))  # fmt: skip
    assert [attrs.get("lang") for attrs in Node(made).named("article")] == ["he", "de"]
    assert proven("قرأ ستة أشخاص") == "ar" and proven("ทดสอบ") == "th"


def test_every_block_finds_its_own_direction_and_code_runs_left_to_right() -> None:
    made = fragment(
        "שלום\n\n- مرحبا `/a/b`\n- plain\n\n> اقتباس\n\n### כותרת\n\n"
        "| שם | b |\n|---|--:|\n| א | 1 |\n\n```\ncode\n```\n\n1. loose\n\n   עוד\n"
    )
    node = Node(made)
    for tag in ("li", "blockquote", "h4", "th", "td"):
        assert all(attrs.get("dir") == "auto" for attrs in node.named(tag)), tag
    assert [attrs.get("dir") for attrs in node.named("p")] == ["auto", None, None, "auto"]
    assert all(attrs["dir"] == "ltr" for tag in ("pre",) for attrs in node.named(tag))
    assert [attrs.get("dir") for attrs in node.named("code")] == ["ltr", None]
    assert node.named("div")[0]["dir"] == "rtl" and node.named("td")[1]["class"] == "right"


# --- Markdown as CommonMark has it -----------------------------------------------------------


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("Decided:\n- a\n  - b\n- [ ] c", r"<p[^>]*>Decided:</p>\s*<ul>\s*<li[^>]*>a\s*<ul>"),
        ("3. d\n   text", r'<ol start="3">\s*<li>d\s*text</li>'),
        ("~~gone~~ **bold** *it*", r"<s>gone</s> <strong>bold</strong> <em>it</em>"),
        ("# One\n\n### Three\n\n###### Six", r"<h4[^>]*>One</h4>\s*<h4[^>]*>Three</h4>\s*<h6"),
        ("| a |\n|---|\n| b |", r'<div class="scroll" tabindex="0"><table>'),
        ("```c++ {x}\n<T>\n```", r'<pre tabindex="0"><code class="language-c\+\+">&lt;T&gt;'),
        ("Map<string, {a: 1}> and <T>", r"Map&lt;string, \{a: 1\}&gt; and &lt;T&gt;"),
        ("${{ secrets.X }}", r"\$\{\{ secrets\.X \}\}"),
        ("![Map of it](http://e.org/x.png)", r'<a href="http://e.org/x.png"[^>]*>\[picture: Map of it\]</a>'),
        ("a\x0c## no heading", "a\ufffd## no heading"),
        ("", r"\A\Z"),
    ],
)  # fmt: skip
def test_a_fragment_is_commonmark_with_tables_and_no_raw_html(markdown: str, expected: str) -> None:
    made = fragment(markdown)
    Node(made)
    assert re.search(expected, made), made


def test_links_that_lead_nowhere_become_their_words() -> None:
    text = fragment("[**a**](x.md) [b](#c) [d](http://e.org) [f](../y.md)")
    made = linked(text, lambda name: "#ep-y" if name == "y" else "")
    assert made == (
        '<p><strong>a</strong> b <a href="http://e.org">d</a> <a href="#ep-y">f</a></p>\n'
    )


def test_a_block_says_its_language_where_its_script_proves_one() -> None:
    made = fragment(
        "Plain.\n\n日本語の段落です。\n\n- שלום עולם\n- mostly English, one word שלום\n\n中文 Решение\n"
    )
    assert re.findall(r'<(\w+)[^>]* lang="(\w+)"', made) == [("p", "ja"), ("li", "he")]


def test_an_empty_head_of_a_column_is_no_heading() -> None:
    made = fragment("| | b |\n|---|--:|\n| 1 | 2 |\n")
    assert re.findall(r"<t([hd])(?: [^>]*)?>(\w*)<", made) == [
        ("d", ""),
        ("h", "b"),
        ("d", "1"),
        ("d", "2"),
    ]
