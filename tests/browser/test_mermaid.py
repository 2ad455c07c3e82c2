"""The diagrams in the real Mermaid: read and drawn with every label as text, and nothing run.

Its script comes with the package mermaidx, which brings it unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from graphkit import ATTACKS, attacks, crowd

import memshelf
from memshelf.domain.graph import Graph, graph
from memshelf.domain.graph_groups import labels, slices
from memshelf.domain.shelf import Shelf
from memshelf.domain.text import one_line
from memshelf.render import escape
from memshelf.render.graph_text import graph_page
from memshelf.render.mermaid import CHARACTERS, EDGES, Limit, Pen, mermaid
from memshelf.storage.store import Store

from .conftest import Phone

Draw = Callable[..., dict[str, Any]]
QUARTERS = labels("quarter")

_RENDER = """async ([text, host]) => {
    mermaid.initialize({startOnLoad: false, ...host});
    const made = await mermaid.render('drawn' + document.querySelectorAll('svg').length, text);
    const box = document.createElement('div');
    box.innerHTML = made.svg;
    document.body.append(box);
    await new Promise(done => setTimeout(done, 50));
    const said = all => [...box.querySelectorAll(all)].map(one => one.textContent);
    return {
        nodes: said('.node'),
        edges: said('.edgeLabel').filter(text => text.trim()),
        paths: box.querySelectorAll('.edgePaths path').length,
        live: said('a, script, img, iframe, form, input'),
        trouble: said('.error-text'),
    };
}"""


@pytest.fixture
def draw(phone: Phone, tmp_path: Path) -> Draw:
    """Draw a diagram as a page would: `draw(text, securityLevel="loose")`; what then stands in it."""
    found = find_spec("mermaidx")
    if found is None or found.origin is None:
        pytest.skip("mermaidx is not installed: pip install -e '.[dev]' brings it")
    blank = tmp_path / "blank.html"
    blank.write_text("<!doctype html><title>Mermaid</title><body>", "utf-8")
    seen = phone(blank, scale=1)
    seen.page.add_script_tag(path=Path(found.origin).parent / "assets" / "mermaid.js")

    def call(text: str, **host: object) -> dict[str, Any]:
        answer: dict[str, Any] = seen.page.evaluate(_RENDER, [text, host])
        return answer

    return call


def drawn(made: Shelf) -> str:
    return mermaid(graph(made), "Shelf", QUARTERS, "quarter").text


def plain_label(text: str) -> str:
    """A label without what no reader sees: joiners, and how lines are broken."""
    return re.sub(r"[\u2060\s]", "", text)


HOSTS: tuple[dict[str, object], ...] = (
    {},
    {"htmlLabels": True, "flowchart": {"htmlLabels": True}},
    {"securityLevel": "loose"},
)


def test_attacks_are_labels_and_nothing_runs(draw: Draw) -> None:
    """Whatever the host has set, and also where it does not read the line that begins ours."""
    text = drawn(attacks())
    wanted = {plain_label(escape.mermaid(attack)) for attack in ATTACKS}
    names = (plain_label(escape.mermaid(one_line(f"{attack} x"))) for attack in ATTACKS)
    sections = {name for name in names if len(name) < 30}
    for host in HOSTS:
        for form in (text, text.partition("\n")[2]):
            found = draw(form, **host)
            assert {plain_label(label) for label in found["nodes"]} == wanted
            assert sections <= {plain_label(label) for label in found["edges"]}
            assert (found["paths"], found["live"], found["trouble"]) == (len(ATTACKS), [], [])


def fullest(made: Graph, limit: Limit) -> str:
    return Pen(made).diagram(slices(made, labels("tag"), "tag")[0].edges, limit=limit).text


def test_a_diagram_with_all_the_edges_that_are_allowed_is_drawn_and_one_more_is_not(
    draw: Draw,
) -> None:
    made = graph(crowd(60, 20))
    assert len(made.edges) > EDGES
    found = draw(fullest(made, Limit()))
    assert (found["paths"], found["trouble"]) == (EDGES, [])
    with pytest.raises(Exception, match=r"Too many edges|Edge limit exceeded"):
        draw(fullest(made, Limit(edges=EDGES + 1)))


def test_a_diagram_as_long_as_is_allowed_is_drawn_and_a_longer_one_is_not(draw: Draw) -> None:
    text = drawn(crowd(3))
    again = "    n0\n"  # a node that is there already adds nothing but its characters
    longest = text + again * ((CHARACTERS - len(text)) // len(again))
    assert draw(longest)["paths"] == 3
    assert draw(longest + again * 12)["paths"] != 3  # our first line is not counted by Mermaid


def test_the_diagrams_of_a_big_shelf_are_all_read(draw: Draw) -> None:
    made = graph(crowd(700))
    page = graph_page(made, "Shelf", "", (), QUARTERS, "quarter").text
    parts = re.findall(r"^```mermaid\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(parts) == 9
    shortest = min(parts, key=len)
    assert draw(shortest)["paths"] == len(re.findall(r"^    n\d+ --", shortest, re.MULTILINE))


def test_the_sample_and_an_empty_shelf_are_drawn(draw: Draw, sample: Store) -> None:
    answer = memshelf.graph(sample, format="mermaid")
    found = draw(answer.text)
    assert (len(found["nodes"]), found["paths"]) == (answer.episodes, answer.mentions)
    assert draw(drawn(Shelf()))["nodes"] == []
