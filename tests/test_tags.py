"""Tags: spellings that are one, addresses that never move, what stands under a tag."""

from __future__ import annotations

import json
import random
import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from conftest import Cli, same_anywhere
from gitkit import put
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support import ANY_TEXT, add, episode

import memshelf
from memshelf.domain.config import Config
from memshelf.domain.entry import Entry, entry_of
from memshelf.domain.errors import ShelfError
from memshelf.domain.shelf import Shelf
from memshelf.domain.tags import Tag, named, tag_key, tag_slug, tags, under, untagged
from memshelf.render.tags import tag_text, tags_data, tags_text
from memshelf.render.tags_page import Tagged
from memshelf.storage import files
from memshelf.storage.store import Store

GOLDEN = Path(__file__).parent / "golden" / "tags"
HOSTILE = (
    *("<img src=x onerror=alert(1)>", '"onmouseover="x', "a|b", "[a](javascript:b)", "**c**"),
    *('"]; click n0 "javascript:alert(1)"', "# Big", "- x", "`", "\u202eabc", "a\tb", "</script>"),
)


def tagged(name: str, *names: str, text: str = "") -> Entry:
    """An episode with these tags."""
    front = json.dumps(names, ensure_ascii=False)
    found = (text or episode(name, name)).replace("tags: [cache, infra]", f"tags: {front}")
    return entry_of(f"docs/topics/{name}.md", found)


def on(*given: Sequence[str], **rest: object) -> Shelf:
    """A shelf with an episode a day, oldest first, each with these tags."""
    entries = (tagged(f"2026-01-{day:02}-e", *names) for day, names in enumerate(given, 1))
    return Shelf.make(entries, **rest)


def by_name(shelf: Shelf) -> dict[str, Tag]:
    return {tag.name: tag for tag in tags(shelf)}


# --- which spellings are one tag ---------------------------------------------------------------


def test_spellings_that_differ_by_case_or_accents_are_one_tag() -> None:
    found = by_name(on(["Café"], ["cafe"], ["CAFE"], ["cafe"], ["café"]))
    assert list(found) == ["cafe"]
    assert found["cafe"].count == 5
    assert found["cafe"].variants == (("CAFE", 1), ("Café", 1), ("café", 1))


def test_signs_that_mean_something_keep_tags_apart() -> None:
    found = by_name(on(["C"], ["C++"], ["C#"], ["c"], ["F#"], ["f"]))
    assert {name: tag.count for name, tag in found.items()} == {
        "c": 2,
        "C++": 1,
        "C#": 1,
        "F#": 1,
        "f": 1,
    }
    assert len({tag.slug for tag in found.values()}) == 5


def test_of_spellings_used_equally_often_the_plain_one_names_the_tag() -> None:
    for order in permutations(["API", "api", "Api"]):
        assert list(by_name(on(*([name] for name in order)))) == ["api"]


def test_an_episode_counts_once_for_a_tag_that_it_spells_twice() -> None:
    assert by_name(on(["auth", "Auth", "AUTH"]))["auth"].count == 1


def test_the_most_used_come_first_and_then_the_names_decide() -> None:
    assert list(by_name(on(["b", "a"], ["b"], ["c"]))) == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("front", "wanted"),
    [
        ("tags:", []),
        ("tags: []", []),
        ("tags: null", ["null"]),
        ("tags: solo", ["solo"]),
        ('tags: [1, true, ""]', ["1", "true"]),
        ("tags: ['', ' ', a]", ["a"]),
        ("tags:\n  - one\n  - two words", ["one", "two words"]),
        ("kind2: x", []),
    ],
)
def test_tags_in_any_form_are_read(front: str, wanted: list[str]) -> None:
    text = episode("2026-01-05-a", "A").replace("tags: [cache, infra]", front)
    shelf = Shelf.make([entry_of("docs/topics/2026-01-05-a.md", text)])
    assert [tag.name for tag in tags(shelf)] == wanted
    assert len(untagged(shelf)) == (0 if wanted else 1)


# --- addresses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "slug"),
    [
        ("auth", "auth"),
        ("Auth", "auth"),
        ("time-zone", "time-zone"),
        ("snake_case", "snake_case"),
        ("2026", "2026"),
        ("café", "cafe"),
        ("C++", "c-cedb1bac"),
        ("c#", "c-951a4d36"),
        ("a/b", "a-b-c14cddc0"),
        ("..", "t-5ec1f7e7"),
        ("日本語", "t-77710aed"),
        ("Кириллица", "kirillitsa-7aff089a"),
        ("con", "con-1143da2b"),
        ("index", "index-1bc04b52"),
    ],
)
def test_the_address_of_a_tag_never_moves(tag: str, slug: str) -> None:
    assert tag_slug(tag) == slug


ODD = (
    *(
        "C",
        "C++",
        "C#",
        "c",
        "日本語",
        "Кириллица",
        "ทดสอบ",
        "हिन्दी",
        "हिन्द",
        "🚀",
        "🌊",
        "a/b",
        "a-b",
    ),
    *(
        "..",
        ".",
        "con",
        "nul",
        "CON",
        "com1",
        "aux",
        "index",
        "x" * 300,
        "x" * 301,
        "a b",
        "-",
        "_",
    ),
    *(
        "c-cedb1bac",
        "t-77710aed",
        "ё",
        "е",
        "й",
        "и",
        "\u0301",
        "#",
        "%",
        "?",
        "ﬁne",
        "ß",
        "ı",
        "İ",
    ),
    *HOSTILE,
)


def test_different_tags_have_different_addresses() -> None:
    keys = {tag_key(tag) for tag in ODD} - {""}
    assert len({tag_slug(key) for key in keys}) == len(keys)
    assert tag_key("हिन्दी") != tag_key("हिन्द")


@settings(max_examples=300, deadline=None)
@given(st.one_of(ANY_TEXT, st.sampled_from(ODD)))
def test_an_address_is_safe_in_a_link_and_as_a_file_everywhere(tag: str) -> None:
    slug = tag_slug(tag)
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]*", slug) and len(slug) <= 49
    for ending in ("", ".md", ".html"):
        files.safe_join(Path("/shelf"), f"tags/{slug}{ending}", portable=True)
    assert slug == tag_slug(slug) or slug != tag_key(tag)
    assert slug != "index"


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT)
def test_what_is_the_same_for_all_spellings_is_a_spelling_too(tag: str) -> None:
    assert tag_key(tag_key(tag)) == tag_key(tag)
    assert tag_slug(tag_key(tag)) == tag_slug(tag)


@settings(max_examples=200, deadline=None)
@given(st.text(string.ascii_lowercase + string.digits + "-_+#./ ", max_size=50))
def test_an_address_without_a_hash_is_the_tag_itself(tag: str) -> None:
    slug = tag_slug(tag)
    assert slug == tag_key(tag) or re.fullmatch(r".*-[0-9a-f]{8}", slug)


# --- what goes with a tag, and when ------------------------------------------------------------


def test_what_goes_with_a_tag_is_said_by_shared_episodes() -> None:
    found = by_name(on(["a", "b", "c"], ["a", "B"], ["a", "c"], ["b"], ["a", "b"]))
    assert [(t.name, t.episodes) for t in found["a"].goes_with] == [("b", 3), ("c", 2)]
    assert [(t.name, t.episodes) for t in found["c"].goes_with] == [("a", 2), ("b", 1)]
    assert found["a"].goes_with[0].slug == "b"


def test_at_most_ten_tags_are_said_to_go_with_one() -> None:
    many = [f"t{number:02}" for number in range(30)]
    assert [t.name for t in by_name(on(["a", *many]))["a"].goes_with] == many[:10]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from("aAbcDé"), max_size=4), max_size=8), st.randoms())
def test_counts_are_those_of_counting_by_hand(
    given: list[list[str]], chance: random.Random
) -> None:
    shelf = on(*given)
    keys = [{tag_key(name) for name in names} for names in given]
    wanted = Counter(key for some in keys for key in some)
    found = {tag.key: tag for tag in tags(shelf)}
    assert {key: tag.count for key, tag in found.items()} == wanted
    for key, tag in found.items():
        shared = Counter(other for some in keys if key in some for other in some - {key})
        assert {tag_key(t.name): t.episodes for t in tag.goes_with} == shared
    entries = list(shelf.entries)
    chance.shuffle(entries)
    assert tags(Shelf.make(entries)) == tags(shelf)


def test_the_time_line_has_every_quarter_from_the_first_to_the_last() -> None:
    shelf = Shelf.make(
        tagged(f"{day}-e", "a") for day in ("2025-11-01", "2026-05-01", "2026-06-01")
    )
    (tag,) = tags(shelf)
    assert tag.timeline == (("2025Q4", 1), ("2026Q1", 0), ("2026Q2", 2))
    assert (tag.first, tag.last) == ("2025-11-01", "2026-06-01")
    fiscal = replace(shelf, config=Config(fiscal_year_start=7))
    assert [label for label, _ in tags(fiscal)[0].timeline] == ["FY2026Q2", "FY2026Q3", "FY2026Q4"]


def test_a_time_line_over_centuries_has_only_what_is_there() -> None:
    days = ("0001-02-03", "2026-05-01")
    (tag,) = tags(Shelf.make(tagged(f"{day}-e", "a") for day in days))
    assert [count for _, count in tag.timeline] == [1, 1]


def test_an_episode_without_a_date_counts_and_is_in_no_quarter() -> None:
    text = episode("2026-01-05-a", "A").replace("2026-01-05", "0000-00-00")
    (tag,) = tags(Shelf.make([tagged("odd", "a", text=text)]))
    assert (tag.count, tag.timeline, tag.first, tag.last) == (1, (), "", "")
    assert "1 episode" in tag_text(Shelf(), under(Shelf(), tag))


# --- text and data -----------------------------------------------------------------------------


def test_the_text_has_the_peers_form() -> None:
    shelf = on(["b", "a"], ["b"], [])
    assert tags_text(tags(shelf), untagged(shelf)).split("\n") == [
        "b\t2\t2026-01-01-e 2026-01-02-e",
        "a\t1\t2026-01-01-e",
        "(untagged)\t1\t2026-01-03-e",
    ]


def test_a_tag_cannot_make_a_line_or_a_cell_of_its_own() -> None:
    shelf = on(["a\tb\nc"], ["x\u2028y"])
    assert [line.count("\t") for line in tags_text(tags(shelf), ()).split("\n")] == [2, 2]


def test_the_data_has_the_peers_keys_and_more() -> None:
    shelf = on(["b", "A"], ["b", "a"], [])
    data = tags_data(shelf, tags(shelf), untagged(shelf))
    assert data["tags"] == {
        "a": ["2026-01-01-e", "2026-01-02-e"],
        "b": ["2026-01-01-e", "2026-01-02-e"],
    }
    assert data["untagged"] == ["2026-01-03-e"]
    assert data["details"]["a"]["variants"] == {"A": 1}


def test_under_a_tag_stand_its_decisions_open_threads_and_episodes() -> None:
    first = episode("2026-01-01-a", "First").replace("[cache, infra]", "[x]")
    second = first.replace("2026-01-01-a", "2026-01-02-b").replace("First", "Second")
    third = episode("2026-01-03-c", "Third").replace(
        "mode: live\n", "mode: live\nsupersedes: [2026-01-01-a]\ncloses: [2026-01-02-b/t1]\n"
    )
    named_so = {"2026-01-01-a": first, "2026-01-02-b": second, "2026-01-03-c": third}
    shelf = Shelf.make(entry_of(f"docs/topics/{n}.md", text) for n, text in named_so.items())
    found = under(shelf, by_name(shelf)["x"])
    assert [d.address for d in found.decisions] == ["2026-01-02-b/d1"]
    assert [t.address for t in found.threads] == ["2026-01-01-a/t1"]
    assert [e.id for e in found.episodes] == ["2026-01-02-b", "2026-01-01-a"]
    assert "2026-01-01-a: First [replaced by 2026-01-03-c]" in tag_text(shelf, found)


def test_a_tag_is_found_in_any_spelling_and_by_its_address() -> None:
    found = tags(on(["Café"], ["C++"]))
    for name in ("cafe", "CAFÉ", " café "):
        assert named(found, name).name == "Café"
    assert named(found, "c-cedb1bac").name == "C++"
    with pytest.raises(ShelfError, match="Did you mean Café") as caught:
        named(found, "cafes")
    assert caught.value.code == "tag-not-found"


# --- pages -------------------------------------------------------------------------------------


def shown(markdown: str) -> str:
    """What a reader of CommonMark and tables shows, as plain text; fails where HTML is let through."""
    out = []
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        assert token.type != "html_block", token.content
        for part in token.children or ():
            assert part.type not in ("html_inline", "link_open", "image", "strong_open"), part
            out.append(part.content if part.type in ("text", "code_inline") else " ")
        out.append("\n" if token.type == "inline" else "")
    return "".join(out)


@pytest.mark.parametrize("tag", HOSTILE)
def test_whatever_a_tag_holds_is_shown_as_text(tag: str) -> None:
    shelf = on([tag, "other"], [tag])
    page = Tagged(shelf)
    wanted = re.sub(r"\s+", " ", tag.replace("\u202e", ""))
    assert wanted in shown(page.one(under(shelf, tags(shelf)[0])))
    assert wanted in shown(page.all().replace("**", ""))
    assert wanted in shown(Tagged(on([tag])).all())


def test_an_empty_shelf_says_how_a_tag_is_given() -> None:
    page = Tagged(Shelf()).all()
    assert "No tags yet." in page and "--tag" in page
    assert "## " not in page
    assert tags_text((), ()) == ""


def test_where_no_episode_has_a_tag_the_command_says_how_one_gets_it(
    cli: Cli, store: Store
) -> None:
    add(store, episode().replace("tags: [cache, infra]\n", ""))
    ran = cli("tags", "--shelf", store.root)
    assert ran.code == 0 and ran.out.startswith("(untagged)\t1\t")
    command = re.search(r"`memshelf (edit ID --tag \+WORD)`", ran.err)
    assert command
    words = command[1].replace("ID", "2026-01-05-cache").split()
    assert cli(*words, "--shelf", store.root).code == 0
    tagged = cli("tags", "--shelf", store.root)
    assert tagged.out.startswith("WORD\t1\t") and not tagged.err


def test_untagged_episodes_are_listed_even_where_there_is_no_tag() -> None:
    page = Tagged(on([])).all()
    assert "No tags yet." in page and "2026-01-01-e" in page.partition("## Untagged")[2]


def test_a_long_list_says_how_many_are_not_shown() -> None:
    days = [f"{year}-{month:02}-01-e" for year in range(2000, 2021) for month in range(1, 13)]
    shelf = Shelf.make(tagged(name, "a") for name in days)
    (tag,) = tags(shelf)
    page = Tagged(shelf).one(under(shelf, tag))
    assert page.count("- ") < 400 and "52 more." in page
    assert "12 more." in Tagged(shelf).one(under(shelf, tag), most=240)
    assert "52 more." in tag_text(shelf, under(shelf, tag))


def test_links_lead_where_the_caller_says_and_never_to_a_tag_used_once() -> None:
    asked: list[str] = []

    def at(slug: str) -> str:
        asked.append(slug)
        return f"{slug}.md"

    shelf = on(["a", "C++"], ["a", "b"], [])
    page = Tagged(shelf, tag_at=at, episode_at=lambda path: f"../{path}")
    assert (
        "[a](a.md)" in page.all() and "[2026-01-03-e](../docs/topics/2026-01-03-e.md)" in page.all()
    )
    assert "[2026-01-01-e](../docs/topics/2026-01-01-e.md)" in page.one(
        under(shelf, tags(shelf)[0])
    )
    assert set(asked) == {"a"}


# --- the verb ----------------------------------------------------------------------------------

CASES: dict[str, tuple[str, ...]] = {
    "tags.txt": (),
    "tags.md": ("--format", "md"),
    "tags.json": ("--json",),
    "print.txt": ("print",),
    "print.md": ("Print", "--format", "md"),
    "print.json": ("print", "--json", "--max-results", "2"),
    "cpp.md": ("c++", "--format", "md"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_sample_is_as_the_golden_file_shows_it(
    name: str, cli: Cli, sample: Store, update: bool
) -> None:
    ran = cli("tags", *CASES[name], "--shelf", sample.root)
    assert (ran.code, ran.err) == (0, "")
    if update:
        put(GOLDEN, name, ran.out)
    assert ran.out == (GOLDEN / name).read_text("utf-8")


def test_the_report_is_written_where_it_is_wanted_and_not_over_the_shelf(
    cli: Cli, sample: Store, tmp_path: Path
) -> None:
    out = tmp_path / "tags.md"
    ran = cli("tags", "--format", "md", "--out", out, "--shelf", sample.root)
    assert (ran.code, ran.out, ran.err) == (0, "", f"memshelf: wrote {out}\n")
    assert out.read_text("utf-8") == (GOLDEN / "tags.md").read_text("utf-8")
    for target in ("docs/topics/tags.md", "INDEX.md", "shelf.yml", ".git/config"):
        before = (sample.root / target).read_bytes() if (sample.root / target).exists() else b""
        assert cli("tags", "--out", sample.root / target, "--shelf", sample.root).code == 1
        after = (sample.root / target).read_bytes() if (sample.root / target).exists() else b""
        assert after == before


def test_a_tag_that_is_nowhere_is_answered_with_near_ones(cli: Cli, sample: Store) -> None:
    ran = cli("tags", "prints", "--shelf", sample.root)
    assert ran.code == 1 and "Did you mean print" in ran.err


def test_what_cannot_be_read_is_said(cli: Cli, sample: Store) -> None:
    (sample.root / "docs/topics/2026-01-01-bad.md").write_bytes(b"\xff\xfe")
    ran = cli("tags", "--shelf", sample.root)
    assert ran.code == 0 and "1 file cannot be read" in ran.err
    assert json.loads(cli("tags", "--json", "--shelf", sample.root).out)["problems"]


def test_the_tags_of_an_earlier_commit_can_be_asked_for(cli: Cli, sample: Store) -> None:
    before = cli("tags", "--shelf", sample.root).out
    put(sample.root, "docs/topics/2026-12-01-new.md", episode("2026-12-01-new", "New"))
    assert "infra\t1\t2026-12-01-new" in cli("tags", "--shelf", sample.root).out
    assert cli("tags", "--rev", "HEAD", "--shelf", sample.root).out == before


def test_an_own_template_stands_in_front_of_ours(cli: Cli, sample: Store) -> None:
    put(sample.root, "templates/tags.md.j2", "Own: {{ head }}\n")
    out = cli("tags", "--format", "md", "--shelf", sample.root).out
    assert out.startswith("Own: Eelgrass project memory")


@pytest.mark.shared
@pytest.mark.parametrize("name", ["real_shelf", "peer_shelf"])
def test_on_shelves_by_other_hands_every_tag_of_every_episode_is_counted(
    name: str, request: pytest.FixtureRequest
) -> None:
    store: Store = request.getfixturevalue(name)
    shelf = store.read()
    wanted = Counter(tag_key(tag) for entry in shelf.entries for tag in set(entry.tags))
    assert {tag.key: tag.count for tag in tags(shelf)} == wanted
    answer = memshelf.tags(store).data()
    assert sum(map(len, answer["tags"].values())) == sum(wanted.values())
    for tag in tags(shelf):
        page = memshelf.tags(store, tag.name, format="md")
        assert f"# {tag.name}" in str(page).replace("\\", "")


def test_the_same_shelf_gives_the_same_pages_everywhere() -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from test_tags import on, under, tags, Tagged, tags_text, tag_text\n"
        "shelf = on(['b', 'É', 'x'], ['B', 'é'], ['C++', 'c'], ['日本語', 'x'])\n"
        "print(tags_text(tags(shelf), ()), Tagged(shelf).all())\n"
        "for tag in tags(shelf): print(Tagged(shelf).one(under(shelf, tag)))\n"
    )
    assert "日本語" in same_anywhere(script)
