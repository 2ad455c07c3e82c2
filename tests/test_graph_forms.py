"""The graph in its forms: JSON, Mermaid, DOT, text; all whole, within their limits, harmless."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
from conftest import same_anywhere
from graphkit import ATTACKS, attacks, chain, crowd, entry, ids, shelf

from memshelf.domain.graph import chains, graph
from memshelf.domain.graph_groups import labels, slices
from memshelf.domain.text import utf16_units
from memshelf.render import escape
from memshelf.render.dot import graph_dot
from memshelf.render.graph import graph_json
from memshelf.render.graph_svg import graph_svg
from memshelf.render.graph_text import ego_words, graph_page, graph_text
from memshelf.render.mermaid import CHARACTERS, EDGES, Limit, Pen, mermaid

A, B, C = "2026-01-05-a", "2026-02-05-b", "2026-05-05-c"
BY_QUARTER = labels("quarter")


# --- JSON ------------------------------------------------------------------------------------


def test_json_has_the_peers_shape_with_the_reasons_beside_it() -> None:
    made = shelf(
        entry(A, tags=["t"]),
        entry(B, f"## Notes\n{A} 2020-01-01-gone", folder="archive/docs/topics"),
    )
    found = json.loads(graph_json(graph(made)))
    assert found["nodes"][1] == {
        "id": B,
        "kind": "topic",
        "date": B[:10],
        "title": f"Title of {B}",
        "description": "",
        "tags": [],
        "archived": True,
        "relative_path": f"archive/docs/topics/{B}.md",
    }
    assert found["edges"] == [{"source": B, "target": A, "section": "Notes", "why": "mentions"}]
    assert [edge["target"] for edge in found["missing"]] == ["2020-01-01-gone"]
    assert json.loads(graph_json(graph(shelf()))) == {"nodes": [], "edges": [], "missing": []}


def test_json_keeps_every_text_as_it_is() -> None:
    found = json.loads(graph_json(graph(attacks())))
    assert {node["title"] for node in found["nodes"]} == set(ATTACKS)


# --- Mermaid ---------------------------------------------------------------------------------


def test_a_small_graph_is_one_diagram_in_the_peers_form() -> None:
    made = graph(
        shelf(entry(A, folder="archive/docs/topics"), entry(B, f"## Notes\n{A}"), entry(C))
    )
    head, *lines = mermaid(made, "Shelf", BY_QUARTER, "quarter").text.splitlines()
    assert head.startswith("%%{init:") and '"htmlLabels": false' in head
    assert lines == ["graph LR", f'    n0("{A}")', f'    n1["{B}"]', '    n1 -- "Notes" --> n0']
    everything = mermaid(made, "Shelf", BY_QUARTER, "quarter", isolated=True)
    assert f'    n2["{C}"]' in everything.text.splitlines()


def diagrams(text: str) -> list[str]:
    return re.findall(r"^```mermaid\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) or [text]


def edges_of(diagram: str) -> list[str]:
    return re.findall(r"^    n\d+ -- .*", diagram, re.MULTILINE)


@pytest.mark.parametrize(("count", "mentions"), [(250, 2), (251, 2), (252, 2), (100, 10), (700, 3)])
def test_every_diagram_is_within_the_limits_and_no_edge_is_lost_unsaid(
    count: int, mentions: int
) -> None:
    made = graph(crowd(count, mentions))
    found = mermaid(made, "Shelf", BY_QUARTER, "quarter")
    parts = diagrams(found.text)
    assert len(parts) == found.diagrams
    assert all(len(edges_of(part)) <= EDGES and utf16_units(part) <= CHARACTERS for part in parts)
    shown = {line for part in parts for line in edges_of(part)}
    assert len(shown) + found.left == len(made.edges)
    assert (found.diagrams == 1) == (len(made.edges) <= EDGES)


def test_characters_are_counted_as_a_browser_counts_them() -> None:
    names = [f"2026-01-{n // 20 + 1:02}-{'🚀' * 30}{n}" for n in range(560)]
    made = graph(
        shelf(
            *(
                entry(n, "## 🚀\n[x](a.md)", stem=f"{n[:11]}s{k}", closes=[names[0]])
                for k, n in enumerate(names)
            )
        )
    )
    assert len(made.edges) > EDGES
    part = mermaid(made, "Shelf", labels("tag"), "tag").text
    assert all(utf16_units(one) <= CHARACTERS for one in diagrams(part))


def test_a_quarter_that_is_too_big_is_drawn_month_by_month() -> None:
    found = mermaid(graph(crowd(336, 9)), "Shelf", BY_QUARTER, "quarter")
    assert re.findall(r"^## (.*)$", found.text, re.MULTILINE)[:2] == ["2020-12", "2020-11"]
    assert found.left == 0


def test_what_no_diagram_holds_is_said_in_words_with_its_count() -> None:
    names = ids(28)
    made = graph(
        chain(
            {
                n: "".join(f"\n## S{s}\n{' '.join(names[:p])}\n" for s in range(3))
                for p, n in enumerate(names)
            }
        )
    )
    found = mermaid(made, "A *shelf*", BY_QUARTER, "quarter")
    assert (found.diagrams, found.left) == (1, len(made.edges) - EDGES)
    assert found.text.startswith("# A \\*shelf\\*: who names whom\n")
    assert f"{found.left} mentions are in no diagram" in found.text
    assert "500 of 1,134 mentions, the strongest reasons and the newest first" in found.text


def test_the_strongest_reasons_are_drawn_first() -> None:
    names = ids(20)
    bodies = {n: f"## Notes\n{' '.join(names)}" for n in names}
    made = graph(shelf(*(entry(n, b, closes=[names[0]]) for n, b in bodies.items())))
    one = slices(made, BY_QUARTER, "quarter")[0]
    part = Pen(made).diagram(one.edges, limit=Limit(edges=19))
    assert edges_of(part.text) == [f'    n{n} -- "closes" --> n0' for n in range(1, 20)]


# --- DOT and text ----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pydot calls its parser by old names
def test_dot_is_read_by_a_parser_with_every_label_whole() -> None:
    made = graph(attacks())
    text = graph_dot(made, 'A "shelf" \\')
    import pydot

    (parsed,) = pydot.graph_from_dot_data(text)
    found = {node.get_name(): node.get("label") for node in parsed.get_nodes()}
    for place, one in enumerate(made.nodes):
        assert found[f"n{place}"] == f'"{escape.dot(one.id)}"'
    assert len(parsed.get_edges()) == len(made.edges) == len(ATTACKS)


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
def test_graphviz_draws_it() -> None:
    text = graph_dot(graph(attacks()), "Shelf")
    ran = subprocess.run(["dot", "-Tcanon"], input=text.encode(), capture_output=True, check=False)
    assert ran.returncode == 0 and b"syntax error" not in ran.stderr


def test_an_empty_shelf_and_one_without_mentions_say_how_one_names_another() -> None:
    for made in (shelf(), shelf(entry(A))):
        text = graph_text(graph(made), "Shelf", made.as_of)
        assert "No episode names another yet. Write the other's id" in text
        assert "##" not in text
        assert graph_page(graph(made), "Shelf", "", (), BY_QUARTER, "quarter").diagrams == 0


def test_the_text_counts_and_names_what_is_broken() -> None:
    made = chain({A: "", B: f"## Notes\n{A} 2020-01-01-gone", C: ""})
    text = graph_text(graph(made), "Shelf", made.as_of)
    assert "as of 2026-05-05 · 3 episodes · 1 mention · 1 group · 1 alone" in text
    assert f"- `2020-01-01-gone` by Title of {B} (`{B}`) in *Notes*" in text
    assert f"  - mentions Title of {A} (`{A}`) in *Notes*" in text


def test_an_id_that_serves_as_title_is_said_once() -> None:
    untitled = (entry(A, f"## Notes\n{B}"), entry(B, f"## Notes\n{A}"))
    made = shelf(*(one._replace(title="") for one in untitled))
    text = graph_text(graph(made), "Shelf", made.as_of)
    listed = text.partition("## Who names whom")[2]
    assert f"\n- 2026-01-05 `{A}`\n  - mentions `{B}` in *Notes*\n" in listed
    assert ego_words(graph(made), A).splitlines()[-1] == f"- mentions `{B}` in *Notes*"


def test_where_one_section_was_asked_for_every_form_says_so() -> None:
    made = shelf(entry(A), entry(B, f"## Notes\n{A}", supersedes=[A]))
    some, none = graph(made).within("Notes"), graph(made).within("Nowhere")
    text = graph_text(some, "Shelf", made.as_of, chains(made))
    assert "in sections Notes only" in text and "What replaced what" not in text
    assert "No mention stands in a section Nowhere." in graph_text(none, "Shelf", made.as_of)
    assert "1 mention in sections Notes." in graph_svg(some, "Shelf", BY_QUARTER, "quarter")
    assert "No mention in sections Nowhere." in graph_svg(none, "Shelf", BY_QUARTER, "quarter")


def test_attacks_are_text_in_the_text_too() -> None:
    text = graph_text(graph(attacks()), "Shelf", "", chains(attacks()))
    assert not re.search(r"<(?!/?kbd)", re.sub(r"`[^`\n]*`", "", text))
    assert len(re.findall(r"^## ", text, re.MULTILINE)) == 2
    assert all(line.count(" | ") == 3 for line in text.splitlines() if re.match(r"\| \d", line))


@pytest.mark.parametrize("by", ["quarter", "tag"])
def test_the_page_stays_under_200_kilobytes(by: str) -> None:
    made = graph(crowd(2500))
    page = graph_page(made, "Shelf", "", (), labels(by), by)
    assert len(page.text.encode()) < 200_000
    assert all(utf16_units(part) <= CHARACTERS for part in diagrams(page.text))
    assert "more: `memshelf graph --format json` has them all." in page.text


def test_who_is_around_one_episode_is_said_line_by_line() -> None:
    made = graph(
        shelf(entry(A), entry(B, f"## Decisions\n{A}", supersedes=[A]), entry(C, f"## Notes\n{B}"))
    )
    assert ego_words(made, B).splitlines()[4:] == [
        f"- replaces Title of {A} (`{A}`)",
        f"- mentioned by Title of {C} (`{C}`) in *Notes*",
    ]
    alone = graph(shelf(entry(A)))
    assert "It names no episode, and none names it." in ego_words(alone, A)


def test_the_same_shelf_gives_the_same_bytes_anywhere() -> None:
    script = """
import sys
sys.path.insert(0, sys.argv[1])
from graphkit import attacks, crowd
from memshelf.domain.graph import chains, graph
from memshelf.render.graph_form import Form, drawn
for made in (attacks(), crowd(200)):
    for format in ("json", "mermaid", "dot", "svg", "text", "markdown"):
        for by in ("quarter", "tag"):
            sys.stdout.buffer.write(drawn(graph(made), made, Form(format, by, True)).text.encode())
"""
    assert len(same_anywhere(script)) > 100_000
