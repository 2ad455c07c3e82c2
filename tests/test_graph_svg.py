"""The graph as a picture: static, without scripts, readable, harmless, and small beside an episode."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from graphkit import ATTACKS, attacks, crowd, entry, ids, shelf

from memshelf.domain.graph import Graph, graph
from memshelf.domain.graph_groups import labels
from memshelf.domain.shelf import Shelf
from memshelf.domain.text import one_line
from memshelf.render.ego import MOST, ego_svg, ego_text
from memshelf.render.escape import plain
from memshelf.render.graph_svg import ego_card, graph_svg
from memshelf.render.links import anchor
from memshelf.render.measure import fitted, width

A, B, C, D = "2026-01-05-a", "2026-02-05-b", "2026-05-05-c", "2026-06-05-d"
SVG = "{http://www.w3.org/2000/svg}"
BY_QUARTER = labels("quarter")
ALLOWED = {"svg", "title", "desc", "g", "a", "path", "text", "rect", "style"}


def link(name: str) -> str:
    return f"#{anchor(name)}"


def parsed(svg: str) -> ElementTree.Element:
    """The SVG as XML, with nothing in it that runs, fetches or styles by attribute."""
    root = ElementTree.fromstring(svg)
    for one in root.iter():
        assert one.tag.removeprefix(SVG) in ALLOWED
        assert not [name for name in one.attrib if name.startswith("on") or name == "style"]
        assert one.get("href", "#").startswith("#")
    return root


def texts(svg: str) -> list[str]:
    return [(one.text or "").strip("\u2068\u2069") for one in parsed(svg).iter(f"{SVG}text")]


def ego(made: Graph, name: str) -> str:
    return ego_svg(made, name, link, anchor(name), namespace=True)


def hub(count: int) -> Shelf:
    """One episode in the middle that so many others name."""
    names = ids(count)
    return shelf(entry("2019-01-01-hub"), *(entry(n, "## Notes\n2019-01-01-hub") for n in names))


# --- beside an episode -----------------------------------------------------------------------


def test_an_episode_without_edges_has_no_drawing() -> None:
    made = graph(shelf(entry(A)))
    assert (ego_svg(made, A, link), ego_text(made, A)) == ("", ())


def test_who_names_it_stands_above_and_what_it_names_below_each_a_link() -> None:
    made = graph(
        shelf(
            entry(A),
            entry(B, f"## Notes\n{A}", supersedes=[A]),
            entry(C, f"## Decisions\n{B}"),
            entry(D, f"## Notes\n{B}"),
        )
    )
    svg = ego(made, B)
    assert texts(svg)[0] == f"Title of {B}"
    found = [
        (one.get("href"), one[0].text, int(one[0].get("y", 0)))
        for one in parsed(svg).iter(f"{SVG}a")
    ]
    middle = int(next(one for one in parsed(svg).iter(f"{SVG}text")).get("y", 0))
    assert [(href, words, y > middle) for href, words, y in found] == [
        (link(C), f"Title of {C}", False),
        (link(D), f"Title of {D}", False),
        (link(A), f"Title of {A}", True),
    ]
    assert [line for line in texts(svg) if not line.startswith("Title")] == [
        *("decided in", "mentioned by", "replaces"),
    ]


def test_the_text_says_the_same_and_in_which_section() -> None:
    made = graph(
        shelf(entry(A), entry(B, f"## Notes\n{A}"), entry(C, f"## Notes\n{B}", closes=[A]))
    )
    assert [tuple(line) for line in ego_text(made, A)] == [
        ("closed by", "in", f"Title of {C}", C, ""),
        ("mentioned by", "in", f"Title of {B}", B, "Notes"),
    ]
    both = graph(shelf(entry(A, f"## Notes\n{B}"), entry(B, f"## Notes\n{A}")))
    assert ego_text(both, A)[0].direction == "both"


def test_arrow_heads_stand_at_the_episode_that_is_named() -> None:
    heads = re.compile(r"l-?\d-\d(?:m\d \d)")
    out = graph(shelf(entry(A), entry(B, f"## Notes\n{A}")))
    assert len(heads.findall(ego(out, A))) == len(heads.findall(ego(out, B))) == 1
    assert "l-3-5m3 5 3-5" in ego(out, A) and "l-5-3m5 3-5 3" in ego(out, B)
    both = graph(shelf(entry(A, f"## Notes\n{B}"), entry(B, f"## Notes\n{A}")))
    assert "l-5-3m5 3-5 3" in ego(both, A) and "l-5 3 5 3" in ego(both, A)


def test_at_most_twelve_are_drawn_and_the_others_counted() -> None:
    made = graph(hub(40))
    svg = ego(made, "2019-01-01-hub")
    assert len(list(parsed(svg).iter(f"{SVG}a"))) == MOST == 12
    assert "28 more in the text" in texts(svg)
    assert len(ego_text(made, "2019-01-01-hub")) == 40


def test_only_what_the_page_holds_is_a_link() -> None:
    made = graph(shelf(entry(A), entry(B, f"## Notes\n{A}"), entry(C, f"## Notes\n{A}")))
    svg = ego_svg(made, A, lambda name: link(name) if name == C else "", namespace=True)
    assert [one.get("href") for one in parsed(svg).iter(f"{SVG}a")] == [link(C)]
    assert f"Title of {B}" in texts(svg)


def test_a_title_is_cut_and_keeps_its_direction_to_itself() -> None:
    long = "A very long title that goes on and on and on"
    made = graph(
        shelf(entry(A, display_title=long), entry(B, f"## Notes\n{A}", display_title="שלום " * 9))
    )
    assert "A very long title that goes on…" in texts(ego(made, A))
    assert "\u2068שלום" in ego(made, A) and "\u2069</text>" in ego(made, A)


def test_no_title_leaves_its_room() -> None:
    for text in ("W" * 80, "日本語" * 30, "i" * 80, "Ж" * 80, "word " * 20, "👩‍👩‍👧" * 20):
        shown = fitted(text, 32, 19.0)
        assert len(shown) <= 32 and width(shown) <= 20.0


def test_two_drawings_on_a_page_share_no_id() -> None:
    made = graph(attacks())
    found = [re.findall(r'\bid="([^"]*)"', ego(made, one.id)) for one in made.nodes]
    flat = [name for names in found for name in names]
    assert len(flat) == len(set(flat)) == len(made.nodes)


def test_attacks_are_text_in_a_drawing() -> None:
    made = graph(attacks())
    for place, one in enumerate(made.nodes):
        shown = texts(ego(made, one.id))
        assert fitted(plain(one.heading), 32, 19.0) in [*shown, ""], place
    assert len({ego(made, attack) for attack in ATTACKS}) == len(ATTACKS)


def test_a_drawing_is_small() -> None:
    made = graph(hub(40))
    one = ego_svg(made, ids(1)[0], link, anchor(ids(1)[0]))
    twelve = ego_svg(made, "2019-01-01-hub", link, anchor("2019-01-01-hub"))
    assert len(one.encode()) < 1_200
    assert len(twelve.encode()) < 1_200 + 150 * 12


# --- by itself -------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_up_to_a_hundred_episodes_are_drawn_one_by_one(count: int) -> None:
    svg = graph_svg(graph(crowd(count)), "Shelf", BY_QUARTER, "quarter", isolated=True)
    root = parsed(svg)
    dates = [text for text in texts(svg) if re.fullmatch(r"20\d\d-\d\d-\d\d", text)]
    assert len(dates) == count and dates == sorted(dates, reverse=True)
    named = (root.get("aria-labelledby") or "").split()
    assert [one.get("id") for one in root if one.get("id")] == named and len(named) == 2
    assert ("No episode names another yet." in texts(svg)) == (count < 2)


def test_more_are_drawn_by_quarter_or_by_tag_in_at_most_sixty_rows() -> None:
    names = ids(300)
    made = graph(
        shelf(
            *(
                entry(n, f"## Notes\n{names[p - 1]}", tags=[f"t{p % 90}", "all"])
                for p, n in enumerate(names)
            )
        )
    )
    quarters = texts(graph_svg(made, "Shelf", BY_QUARTER, "quarter"))
    assert "2020Q1: 84 episodes, 84 mentions" in quarters
    tags = texts(graph_svg(made, "Shelf", labels("tag"), "tag"))
    assert len([text for text in tags if "mentions" in text and ":" in text]) == 60
    assert (
        "all: 300 episodes, 300 mentions" in tags and "31 tags more, with fewer mentions." in tags
    )


def test_many_quarters_become_years() -> None:
    names = [f"{1950 + n // 4}-{n % 4 * 3 + 1:02}-01-old-{n}" for n in range(300)]
    stems = [f"20{n // 300:02}-01-01-s{n}" for n in range(300)]
    made = graph(
        shelf(
            *(
                entry(n, f"## Notes\n{stems[p - 1]}", stem=stems[p], date=n[:10])
                for p, n in enumerate(names)
            )
        )
    )
    shown = texts(graph_svg(made, "Shelf", BY_QUARTER, "quarter"))
    assert "2024: 4 episodes, 4 mentions" in shown and "15 years more, older." in shown


def test_what_is_not_drawn_is_said() -> None:
    made = graph(shelf(entry(A), entry(B, f"## Notes\n{A}"), entry(C)))
    assert "1 episode without any mention: not drawn." in texts(
        graph_svg(made, "S", BY_QUARTER, "quarter")
    )
    everything = texts(graph_svg(made, "S", BY_QUARTER, "quarter", isolated=True))
    assert f"Title of {C}" in everything


def test_attacks_are_text_in_every_picture() -> None:
    made = graph(attacks())
    whole = texts(graph_svg(made, ATTACKS[0], BY_QUARTER, "quarter"))
    for attack in ATTACKS:
        assert any(one_line(plain(attack))[:8] in one for one in whole)
        assert parsed(ego_card(made, attack)) is not None


def test_a_card_of_one_episode_stands_by_itself_and_says_where_it_has_no_edges() -> None:
    made = graph(shelf(entry(A), entry(B, f"## Notes\n{A}"), entry(C)))
    assert "var(" not in ego_card(made, A) and 'fill="#fff"' in ego_card(made, A)
    assert "It names no episode, and none names it." in ego_card(made, C)
    assert not list(parsed(ego_card(made, A)).iter(f"{SVG}a"))
