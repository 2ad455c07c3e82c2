"""No text of episodes or of people changes a retrospective's structure, or runs anything."""

from __future__ import annotations

import base64
import hashlib
import html
import itertools
import re

import pytest
from attacks import TEXTS
from markdown_it import MarkdownIt
from retros import Tree, harmless, look, page, part, rendered, shelf_of, text, topic

from memshelf.domain.config import Config
from memshelf.domain.shelf import Recall, Shelf
from memshelf.render.inert import inert
from memshelf.render.report import to_html, to_markdown
from memshelf.render.retro import retro
from memshelf.render.retro_words import Form
from memshelf.render.words import unmarked
from memshelf.storage.store import Store

# --- people's own text -----------------------------------------------------------------------


def test_peoples_own_text_stands_first_and_its_headings_below_the_report_s() -> None:
    own = "# Mine\n\nWords.\n\nAlso\n----\n\n```\n# code\n"
    shelf = shelf_of(topic("2026-04-10-a"), files={"retros/2026Q2.md": own})
    report = text(shelf, "2026Q2")
    assert report.index("## In short") < report.index("### Mine") < report.index("## At a glance")
    assert "\n#### Also\n" in report and "\n# code\n```\n" in report
    assert outline(report) == outline(text(shelf_of(topic("2026-04-10-a")), "2026Q2")) | {
        ("h3", "Mine"),
        ("h4", "Also"),
    }
    made = Tree(page(shelf, "2026Q2"))
    assert [tag for tag, _ in made.tags if tag in ("h4", "h5")] == ["h4", "h4"]


def test_who_has_written_nothing_is_invited_and_published_pages_invite_nobody() -> None:
    shelf = shelf_of(topic("2026-04-10-a"), files={"retros/2026Q2.md": "<!-- only a note -->\n"})
    said = part(text(shelf, "2026Q2"), "In short")
    assert "`retros/2026Q2.md`" in said and "`memshelf retro --quarter 2026Q2 --edit`" in said
    assert not part(text(shelf, "2026Q2", invite=False), "In short")


@pytest.mark.parametrize("attack", TEXTS)
def test_no_text_of_people_runs_anything_or_breaks_out(attack: str) -> None:
    def with_text(own: str) -> Shelf:
        return shelf_of(topic("2026-04-10-a"), files={"retros/2026Q2.md": own})

    made, plain = (
        rendered(text(with_text(attack), "2026Q2")),
        rendered(text(with_text("x"), "2026Q2")),
    )
    assert re.findall("<h2>.*?</h2>", made) == re.findall("<h2>.*?</h2>", plain)
    harmless(Tree(made))
    harmless(Tree(page(with_text(attack), "2026Q2")))


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("a `<b>` <i>", "a `<b>` &lt;i>"),
        ("\\`<b>\\`", "\\`&lt;b>\\`"),
        ("[x](javascript:y) [z](https://e.org) <https://e.org>",
         "[x\\](javascript:y) [z](https://e.org) <https://e.org>"),
        ("[x](java&#115;cript:y)", "[x\\](java&#115;cript:y)"),
        ("[r]: javascript:y\n\n[r]", "[r\\]: javascript:y\n\n[r]"),
        ("> ~~~\n> <b>\n<i>", "> ~~~\n> <b>\n&lt;i>"),
        ("~~~\n<b>", "~~~\n<b>\n~~~"),
        ("a <!-- gone\n--> b", "a  b"),
        ("a <!-- open", "a &lt;!-- open"),
        ("###### six", "###### six"),
        ("2 < 3 > 1", "2 < 3 > 1"),
    ],
)  # fmt: skip
def test_markdown_of_people_is_kept_but_for_what_acts(given: str, safe: str) -> None:
    assert inert(given) == safe


def test_marks_of_markdown_are_taken_off_only_in_pairs() -> None:
    assert (
        unmarked("**a `b*c*` d** [e](f.md) ![g](h) _i_ j_k_l **open")
        == "a b*c* d e g i j_k_l **open"
    )


# --- what cannot break it --------------------------------------------------------------------

HOSTILE = (
    "# Big\n- x",
    "**open",
    "`open",
    "x <img src=x onerror=alert(1)> [a](javascript:b) **c** | d",
    "</li></ul></section><script>alert(1)</script>",
    "---",
    "1. one",
    "> quote",
    "![x](http://example.org/x.png)",
    "<!--",
    "\u202eesrever",
    "שלום עולם",
    "日本語 🚀",
    "a\tb\u2028c",
)


def outline(report: str) -> set[tuple[str, str]]:
    """The headings of a report as any reader of Markdown sees them."""
    tokens = MarkdownIt("commonmark").enable("table").parse(report)
    pairs = itertools.pairwise(tokens)
    return {(one.tag, after.content) for one, after in pairs if one.type == "heading_open"}


def shape(report: str) -> list[str]:
    """The structure of a report: which blocks, in which order, with no text."""
    return [token.type for token in MarkdownIt("commonmark").enable("table").parse(report)]


def dressed(hostile: str) -> Shelf:
    """A shelf with a text in every place that a report shows."""
    line = hostile.replace("\n", " ")
    return shelf_of(
        topic("2026-01-10-old", f"- D {line}", display_title=hostile),
        topic(
            "2026-04-10-a",
            f"- {line} end",
            f"- {line} end",
            display_title=hostile,
            description=hostile,
            tags=[hostile, "tag"],
            supersedes=["2026-01-10-old"],
        ),
        config=Config(name=hostile),
        recalls=(
            Recall("2026-01-10-old", "", 1, "2026-04-11"),
            *[Recall(hostile, "", 1, "2026-04-12")] * 2,
        ),
    )


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_text_of_an_episode_changes_the_structure_of_a_report(hostile: str) -> None:
    usual, made = text(dressed("Plain words"), "2026Q2"), text(dressed(hostile), "2026Q2")
    assert shape(made) == shape(usual)
    assert {tag for tag, _ in outline(made)} == {"h1", "h2", "h3"}
    harmless(Tree(rendered(made)))
    node, plain = (
        Tree(page(dressed(hostile), "2026Q2")),
        Tree(page(dressed("Plain words"), "2026Q2")),
    )
    kept, usual_tags = ([tag for tag, _ in made.tags if tag != "span"] for made in (node, plain))
    assert kept == usual_tags  # a span says what language a text is in
    harmless(node)


@pytest.mark.parametrize("hostile", HOSTILE[:4])
def test_a_message_keeps_its_structure_too(hostile: str) -> None:
    usual, made = dressed("Plain words"), dressed(hostile)
    assert shape(text(made, "2026Q2", short=True)) == shape(text(usual, "2026Q2", short=True))


def test_titles_are_shown_as_they_are() -> None:
    words = "a *b* <i> | `c`"
    assert words in Tree(rendered(text(dressed(words), "2026Q2"))).text
    assert words in Tree(page(dressed(words), "2026Q2")).text


# --- one page --------------------------------------------------------------------------------


def test_the_page_needs_nothing_else_and_its_policy_allows_nothing_else(sample: Store) -> None:
    made = page(sample.read(), "2026")
    node = Tree(made)
    harmless(node)
    (policy,) = (
        a["content"] for a in node.named("meta") if "content" in a and "-src" in a["content"]
    )
    style = made.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert (
        policy
        == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style and "@import" not in style
    assert not [attrs for _, attrs in node.tags if "style" in attrs or "src" in attrs]
    assert len(set(node.ids)) == len(node.ids)


def test_the_bars_of_the_page_are_as_long_as_their_numbers(sample: Store) -> None:
    made = page(sample.read(), "2026Q2")
    (row,) = re.findall(r"<tr><th scope=\"row\"><bdi>Episodes</bdi></th>.*?</tr>", made)
    assert re.findall(r"<td class=\"number\">(\d+)</td>", row) == ["7", "9"]
    assert re.findall(r'width="(\d+)"', row) == ["78", "100"]


def test_ids_lead_to_their_episodes_where_the_report_lies_beside_them(sample: Store) -> None:
    shelf = sample.read()
    form = Form(address=lambda name: f"../{shelf.by_id[name.partition('/')[0]].path}")
    report = retro(shelf, look(shelf, "2026Q2"), form)
    made = to_markdown(report, "retro.md.j2")
    targets = re.findall(r"\]\((\.\./[^)]+)\)", made)
    assert targets and all((sample.root / "docs" / target).is_file() for target in targets)
    assert set(Tree(to_html(report, "retro.html.j2")).hrefs) == set(targets)


def test_titles_can_lead_to_their_episodes_and_ids_are_left_out_then(sample: Store) -> None:
    shelf = sample.read()
    seen = look(shelf, "2026Q2")
    bare, linked = (
        to_html(retro(shelf, seen, form), "retro.html.j2")
        for form in (Form(), Form(address=lambda name: f"#{name}", titled=True))
    )
    title = shelf.by_id[seen.mentioned.shown[0][0]].title
    assert f"<strong>{html.escape(title)}</strong> <code" in bare
    assert f">{html.escape(title)}</a> " in linked
    assert f"<strong>{html.escape(title)}</strong>" not in linked
    assert {href.partition("/")[0][1:] for href in Tree(linked).hrefs} <= shelf.by_id.keys()
    assert any("/d1" in href for href in Tree(linked).hrefs)
