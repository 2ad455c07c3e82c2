"""From Markdown to HTML: two engines that give the same bytes, and a dress that makes them harmless."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from attacks import ATTACKS
from conftest import ROOT, run_process
from hypothesis import given, settings
from hypothesis import strategies as st

from memshelf.domain.episode import parse_episode
from memshelf.render import commonmark, highlight
from memshelf.render.bodies import body, packed, unpacked
from memshelf.render.escape import controls
from memshelf.render.highlight import LIMIT, LINE_LIMIT, coloured
from memshelf.render.links import cut, joined, linked
from memshelf.render.markdown import fragment
from memshelf.storage.store import Store

needs_quick = pytest.mark.skipif(
    commonmark._quick() is None, reason="no wheel of markdown-it-pyrs for this Python"
)


# --- two engines, one output -----------------------------------------------------------------


def by_reference(markdown: str) -> str:
    return commonmark.reference(f"\n{markdown}\n")


def bodies_on(store: Store) -> Iterator[str]:
    """The Markdown of every section of a shelf."""
    for entry in store.read().entries:
        episode = store.episode(entry.path)
        yield from (episode.digest, *(text for _, text in episode.sections))


@needs_quick
@pytest.mark.parametrize("name", ["sample", "real_shelf", "peer_shelf"])
def test_a_shelfs_texts_come_out_the_same_from_either_engine(
    name: str, request: pytest.FixtureRequest
) -> None:
    texts = [controls(text) for text in bodies_on(request.getfixturevalue(name))]
    assert len(texts) > 10
    for text in texts:
        assert commonmark.plain(text) == by_reference(text)


@needs_quick
def test_the_quick_engine_renders_nearly_all_of_a_shelf(
    sample: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [controls(text) for text in bodies_on(sample)]
    slow: list[str] = []
    monkeypatch.setattr(commonmark, "reference", lambda text: slow.append(text) or "")
    for text in texts:
        commonmark.plain(text)
    assert len(texts) > 100 and len(slow) <= len(texts) // 50


@needs_quick
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_comes_out_the_same_from_either_engine(attack: tuple[str, str]) -> None:
    text = controls(attack[1])
    assert commonmark.plain(text) == by_reference(text)


# What the engines are known to see differently, by what it is; each was met once.
DIFFERENT = {
    "panic in an open label": "[\n    ```",
    "panic in a label with an escape": "[\\]`",
    "panic behind an address": "[<hp:]>`",
    "code after an open bracket": "[` `a` ``",
    "code that is blank": "```   ```",
    "list that ends a lazy quote": ">|\n3) x",
    "empty item below a quote": "> a\n1.",
    "tab in code in a quote": ">```-\n>\t",
    "list that ends a quote in a quote": ">>b\n>1.",
    "table without a bar in its head": "a\n|-",
    "table by colons alone": "a\n:-",
    "table with an escaped bar": "\\|\n--",
    "table that a list ends": "-|a\n-|-\n3)",
    "table behind a rule of bars": "x\n|-\n|-",
    "escape in a picture's words": "![\\d]()",
    "address in a picture's words": "![<a@b.c>](x)",
    "definition of a backslash": "[1]:\\",
    "title that touches its address": '[](<>"")',
    "emphasis found again after a nested one": "*i**i**i**i*\n**i**i",
    "strikethrough inside emphasis": "_~s~~_~~s~~",
    "many tildes": "~~s~~~~s~~~~~~",
    "space that is none in HTML": "\u00a0\n\n\u2003x\u2003",
    "symbol beside emphasis": "\U00015f19*\u0af1\U0001bed7*`a`",
    "fence in a tight list": "- c\n  ```",
    "empty quote": ">",
    "name that is not ASCII": "[](http://Ä.example/ü?ö#ä)",
    "percent signs in an address": "<hp:%20%zz%C3>",
    "lists within lists": "".join("  " * depth + "- a\n" for depth in range(60)),
    "brackets within brackets": "[a " * 101 + "](x)" * 101,
}


@needs_quick
@pytest.mark.parametrize("name", DIFFERENT)
def test_where_the_engines_differ_the_reference_counts(name: str) -> None:
    assert commonmark.plain(DIFFERENT[name]) == by_reference(DIFFERENT[name])


WORDS = """a word foo_bar __init__ 2*3 ** * *** _ ~~ ~ ` `` \\ [ ] ( ) ![ ]( [a](b) [`c`](u) [a](<b> "t")
    ![p](http://e.org/x.png) [y] [y]: <http://e.org/é%20> <a@b.co> <b> <!-- < > & &amp; &#60; \\* \\` | `a|b`
    **b** *i* `c` ~~s~~ "q" é Ж שלום 中文 🚀 ✅ € “ \u00a0 \u3000 javascript:x [j](javascript:x) [t](tel:1)
    [r](../x.md#y) [ ] [x] 2026-01-01-a . , : ! -""".split(" ")  # fmt: skip
STARTS = """- *\t + 1. 3) > >> # ##\t ###### ``` ```py ~~~ --- *** === | |a|b| |---|---| |:-:|--:| - [ ]
    \t    [y]: <div> <!-- 10. 1.""".replace("\n", " ").split(" ")  # fmt: skip


def line() -> st.SearchStrategy[str]:
    starts = st.lists(st.sampled_from(STARTS), max_size=3).map(" ".join)
    words = st.builds(str.join, st.sampled_from(["", " "]), st.lists(st.sampled_from(WORDS), max_size=6))  # fmt: skip
    return st.builds(" ".join, st.tuples(starts, words))


DOCUMENTS = st.lists(line(), max_size=8).map("\n".join)


@needs_quick
@settings(max_examples=400, deadline=None, derandomize=True)
@given(DOCUMENTS)
def test_any_document_comes_out_the_same_from_either_engine(text: str) -> None:
    assert commonmark.plain(text) == by_reference(text)


@needs_quick
@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.text(alphabet="ab é✅*_~`[]()!<>\\|-:#.1 \n\t\u00a0", max_size=40))
def test_any_row_of_signs_comes_out_the_same_from_either_engine(text: str) -> None:
    assert commonmark.plain(text) == by_reference(text)


@needs_quick
def test_the_texts_of_a_large_shelf_come_out_the_same_from_either_engine() -> None:
    for text in generated(300):
        assert commonmark.plain(text) == by_reference(text), text


def generated(count: int) -> Iterator[str]:
    """Sections as models write them, the same on each run."""
    chance = random.Random(11)
    words = "shelf индекс 索引 `path/to.py` **bold** *it* cache_key 2026-01-02-a [link](../a/b.md) 40% — x<y & \"q\"".split(" ")  # fmt: skip

    def sentence() -> str:
        return " ".join(chance.choices(words, k=chance.randint(3, 14))) + "."

    def block() -> str:
        kind = chance.randrange(7)
        if kind == 0:
            return "\n".join(f"- {sentence()}" for _ in range(chance.randint(1, 5)))
        if kind == 1:
            return f"1. {sentence()}\n   {sentence()}\n2. {sentence()}\n   - {sentence()}"
        if kind == 2:
            rows = "\n".join(f"| {chance.choice(words)} | {chance.random():.2f} |" for _ in "abc")
            return f"| name | value |\n|:-----|------:|\n{rows}"
        if kind == 3:
            code = "\n".join(f"x = f({chance.random()})  # {sentence()}" for _ in "abc")
            return f"```python\n{code}\n```"
        if kind == 4:
            return f"> {sentence()}\n> {sentence()}"
        if kind == 5:
            return f"- [ ] {sentence()}\n- [x] {sentence()}"
        return f"### {chance.choice(words)}\n\n{sentence()} {sentence()}"

    for _ in range(count):
        yield "\n\n".join(block() for _ in range(chance.randint(1, 6)))


_WITHOUT = """
import sys
if sys.argv[1] == "without":
    sys.modules["markdown_it_pyrs"] = None
sys.path.insert(0, "tests")
from attacks import ATTACKS
from memshelf.render import commonmark
from memshelf.render.markdown import fragment
assert (commonmark._quick() is None) == (sys.argv[1] == "without")
sys.stdout.reconfigure(encoding="utf-8")
for name, text in ATTACKS:
    print(name, fragment(text))
"""


@needs_quick
def test_without_the_quick_engine_a_page_is_the_same() -> None:
    made = [
        run_process([sys.executable, "-c", _WITHOUT, how], cwd=ROOT).out
        for how in ("with", "without")
    ]
    assert made[0] == made[1] and "javascript" in made[0]


@pytest.mark.parametrize(
    "text",
    [">" * 200_000 + "x", "> - " * 50_000 + "x", "1. " * 50_000 + "x", "*a " * 30_000 + "b*" * 30_000],
    ids=["quotes", "quotes and lists", "lists", "emphasis"],
)  # fmt: skip
def test_depth_without_bounds_ends_no_process(text: str) -> None:
    script = "import sys; from memshelf.render.markdown import fragment as f; f(sys.stdin.read())"
    assert run_process([sys.executable, "-c", script], cwd=ROOT, input=text).code == 0


# --- harmless --------------------------------------------------------------------------------

BLOCK = {"dir", "class", "lang"}
ALLOWED: dict[str, set[str]] = {
    **{tag: {"dir", "lang"} for tag in ("p", "h4", "h5", "h6", "blockquote")},
    **{tag: set() for tag in ("ul", "hr", "br", "em", "strong", "s", "table", "thead", "tbody", "tr")},
    **{tag: set() for tag in ("b", "u", "var", "del", "ins")},
    **dict.fromkeys(("li", "th", "td", "code"), BLOCK),
    "i": {"role", "aria-label"},
    "ol": {"start"},
    "pre": {"dir", "tabindex"},
    "div": {"class", "tabindex", "dir"},
    "a": {"href", "dir"},
}  # fmt: skip
VALUES = {
    "dir": r"auto|ltr|rtl",
    "class": r"left|center|right|task|scroll|language-[\w+#.-]{1,30}",
    "lang": r"[a-z]{2}",
    "role": r"img",
    "aria-label": r"open|done",
    "start": r"\d{1,9}",
    "tabindex": r"0",
    "href": r"(?:https?://|mailto:)\S*|(?!//|/\\|[\\]|[a-z][a-z0-9+.-]*:)\S*",
}
VOID = {"hr", "br"}


class Inert(HTMLParser):
    """A fragment taken apart, where anything that is not allowed fails."""

    def __init__(self, made: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text = ""
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(made)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED and len(dict(attrs)) == len(attrs), tag
        for name, value in attrs:
            assert name in ALLOWED[tag], (tag, name)
            assert re.fullmatch(VALUES[name], value or "", re.IGNORECASE | re.ASCII), (name, value)
        assert tag != "a" or "a" not in self.open
        assert "pre" not in self.open or tag in ("code", "b", "i", "u", "var", "del", "ins")
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    handle_decl = handle_pi = unknown_decl = handle_comment


def named(made: str, tag: str) -> list[dict[str, str]]:
    return [attrs for name, attrs in Inert(made).tags if name == tag]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_is_text_or_harmless_markup(attack: tuple[str, str]) -> None:
    made = fragment(attack[1])
    Inert(made)
    Inert(linked(made, lambda name: "#ep-target"))
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", made)


def test_all_attacks_together_are_harmless_too() -> None:
    Inert(fragment("\n\n".join(text for name, text in ATTACKS if not name.startswith("depth"))))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(DOCUMENTS)
def test_any_document_is_harmless(text: str) -> None:
    Inert(linked(fragment(text), lambda name: "#ep-x"))


def test_raw_html_is_shown_as_it_was_written() -> None:
    shown = Inert(fragment("<b onclick=x>hi</b> <!-- note --> <script>")).text
    assert shown == "<b onclick=x>hi</b> <!-- note --> <script>\n"


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("[a](http://e.org)", '<a href="http://e.org">a</a>'),
        ("<me@e.org>", '<a href="mailto:me@e.org">me@e.org</a>'),
        ("[a](../b/c.md#d)", '<a href="../b/c.md#d">a</a>'),
        ('[a](x.md "title")', '<a href="x.md">a</a>'),
        ("[**a**](tel:1)", "<strong>a</strong>"),
        ("[a](//e.org)", "a"),
        ("<irc://e.org>", "irc://e.org"),
        ("![a *b*](http://e.org/p.png)", '<a href="http://e.org/p.png">[picture: a b]</a>'),
        ("![](http://e.org/p)", '<a href="http://e.org/p">[picture: without words]</a>'),
        ("![a](p.png)", "[picture: a]"),
        ("![<&\"](p.png)", '[picture: &lt;&amp;"]'),
        ("[![a](p.png) b](http://e.org)", '<a href="http://e.org">[picture: a] b</a>'),
        ("[![a](p.png)](tel:1)", "[picture: a]"),
    ],
)  # fmt: skip
def test_links_and_pictures(markdown: str, expected: str) -> None:
    assert fragment(markdown) == f"<p>{expected}</p>\n"


# --- blocks ----------------------------------------------------------------------------------


def test_headings_go_below_those_of_the_page() -> None:
    made = fragment("\n\n".join(f"{'#' * level} {level}" for level in range(1, 7)))
    assert re.findall(r"<(h\d)>(\d)</\1>", made) == [
        ("h4", "1"), ("h4", "2"), ("h4", "3"), ("h5", "4"), ("h6", "5"), ("h6", "6"),
    ]  # fmt: skip


def test_tasks_are_boxes_that_say_in_words_what_they_are() -> None:
    made = fragment("- [ ] a\n- [x] **b**\n- [X] c\n- [y] d\n\n1. [ ] loose\n\n2. e")
    assert re.findall(r'<i role="img" aria-label="(\w+)">(.)</i> (\S+)', made) == [
        ("open", "☐", "a</li>"), ("done", "☑", "<strong>b</strong></li>"), ("done", "☑", "c</li>"),
        ("open", "☐", "loose</p>"),
    ]  # fmt: skip
    assert [attrs.get("class") for attrs in named(made, "li")] == ["task"] * 3 + [
        None,
        "task",
        None,
    ]
    assert not named(made, "input")


def test_a_table_scrolls_in_a_box_and_aligns_by_classes() -> None:
    made = fragment("| a | b | c | d |\n|---|:--|:-:|--:|\n| 1 | 2 | 3 | 4 |")
    assert made.startswith('<div class="scroll" tabindex="0"><table><thead><tr><th>a</th>')
    assert made.endswith("</tbody></table></div>\n") and "style" not in made
    assert [attrs.get("class") for attrs in named(made, "td")] == [None, "left", "center", "right"]


@pytest.mark.parametrize(
    ("head", "turned"), [("שם", True), ("`abc` שם", False), ("1 &amp; שם", True), ("name", False)]
)
def test_a_table_runs_as_its_head_is_read(head: str, turned: bool) -> None:
    made = fragment(f"| {head} | b |\n|---|---|\n| שלום | 1 |")
    assert ('tabindex="0" dir="rtl"><table>' in made) == turned


def test_where_no_letter_runs_from_right_to_left_no_block_says_which_way_it_runs() -> None:
    assert "dir=" not in fragment(
        "# Русский\n\n- 中文 `code`\n\n> é\n\n```\nx\n```\n\n| a |\n|---|"
    )


def test_marks_that_turn_what_follows_have_no_place_in_code() -> None:
    made = fragment("`a\u202eb`\n\n```js\nif (x) /* \u202e } \u2066 */ {\n```\n\n\u2067ab\u2069")
    assert "\u202e" not in made and "\u2066" not in made
    assert made.endswith('<p dir="auto">\u2067ab\u2069</p>\n')


# --- code in colours -------------------------------------------------------------------------


def plain_text(made: str) -> str:
    return Inert(f"<pre><code>{made}</code></pre>").text


def test_code_of_a_known_language_has_colours_and_the_same_text() -> None:
    made = fragment('```Python\ndef f(x):  # <b>\n    return "a & b"\n```')
    assert '<code class="language-Python"><b>def</b> <var>f</var>(x):  <i># &lt;b&gt;</i>' in made
    assert '<b>return</b> <u>"a &amp; b"</u>' in made
    assert Inert(made).text == 'def f(x):  # <b>\n    return "a & b"\n\n'


def test_a_patch_says_what_went_and_what_came() -> None:
    made = coloured("-old\n+new\n same\n", "diff")
    assert made == "<del>-old</del>\n<ins>+new</ins>\n same\n"


@pytest.mark.parametrize("language", sorted(highlight.LANGUAGES))
def test_every_language_that_is_looked_up_is_there_and_loses_nothing(language: str) -> None:
    code = 'x = 1 # y\n"<a>" & \'b\'\n\t{ if (a) [1,2] } // z\n<tag a="b">é 中</tag>\n$ ls -l\n'
    assert plain_text(coloured(code, language)) == code


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("text", "def f(): pass\n"),
        ("brainfuck", "+++\n"),
        ("python", "x = 1\n" * (LIMIT // 6 + 1)),
        ("python", "x" * (LINE_LIMIT + 1) + "\n"),
    ],
)
def test_code_that_is_unknown_or_long_stays_plain(language: str, code: str) -> None:
    assert coloured(code, language) == ""
    assert f'<code class="language-{language}">{code}</code>' in fragment(
        f"```{language}\n{code}```"
    )


def test_colours_can_be_left_out() -> None:
    made = fragment("```python\nif x: pass\n```", colours=False)
    assert '<code class="language-python">if x: pass\n</code>' in made


def test_the_highlighter_is_imported_only_where_code_is_met() -> None:
    script = (
        "import sys; from memshelf.render.markdown import fragment\n"
        "fragment('```\\nplain\\n```\\n\\n```nothing\\nx\\n```'); before = 'pygments' in sys.modules\n"
        "fragment('```python\\nx\\n```'); print(before, 'pygments' in sys.modules)"
    )
    assert run_process([sys.executable, "-c", script], cwd=ROOT).out.split() == ["False", "True"]


def contrast(one: str, other: str) -> float:
    """The contrast of two colours `#rrggbb` (WCAG 2.2, relative luminance)."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_colour_of_code_is_readable_on_its_ground_by_day_and_by_night() -> None:
    sources = [(ROOT / "site_templates" / f"{name}.css").read_text("utf-8") for name in ("export", "code")]  # fmt: skip
    (day_ground, night_ground), (day, night) = (
        [dict(re.findall(r"--([\w-]+): (#\w{6});", part)) for part in re.split("@media", css)[:2]]
        for css in sources
    )
    assert len(day) == len(night) == 5
    for colours, ground in ((day, day_ground), (night, night_ground)):
        for name, colour in colours.items():
            assert contrast(colour, ground["soft"]) >= 4.5, (name, colour)


# --- links of a page, and what is kept -------------------------------------------------------


def test_ids_and_links_are_cut_out_and_put_back() -> None:
    made = fragment(
        "See 2026-01-01-a, x2026-01-01-a, `2026-01-01-a`/t2, [b](../b.md), [2026-01-01-a](c.md), "
        "[web](https://e.org/2026-01-01-a), 2026-01-01-a-.\n\n```\n2026-01-01-a\n```"
    )
    pieces = cut(made)
    assert "".join(pieces) == made and len(pieces) == 11
    assert joined(pieces, lambda name: "") == linked(made, lambda name: "")
    shown = linked(made, {"2026-01-01-a": "#ep-a", "b": "#ep-b"}.get)
    assert shown.count('<a href="#ep-a" dir="ltr">2026-01-01-a</a>') == 4
    assert '<a href="#ep-b">b</a>' in shown and "x2026-01-01-a" in shown
    assert shown.endswith("<code>2026-01-01-a\n</code></pre>\n")


def test_a_text_without_ids_and_links_of_the_shelf_is_one_piece() -> None:
    assert cut("<p>a</p>") == ("<p>a</p>",)
    assert len(cut(fragment("[a](http://e.org) and <https://e.org/x.md>"))) == 1


def test_a_body_comes_back_as_it_was_packed() -> None:
    text = "## Digest\nSee 2026-01-01-a.\n\n## A\x1e <b>\n- [x](y.md)\n\n## A\nnone\n"
    episode = parse_episode(f"---\nid: x\n---\n\n{text}", "x")
    made = body(episode.digest, episode.sections, colours=True)
    assert [name for name, _ in made] == ["Digest", "A <b>", "A"]
    assert unpacked(packed(made)) == made
    assert unpacked(packed(body("", (), colours=True))) == (("Digest", ("",)),)


@pytest.mark.parametrize("text", ["", "no separator", "a\x1eb\x1ec"])
def test_a_damaged_body_is_none(text: str) -> None:
    assert unpacked(text) is None
