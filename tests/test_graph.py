"""Who names whom: the model, and the verb that shows it."""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import put
from graphkit import attacks, chain, entry, ids, same, shelf
from support import Counted

import memshelf
from memshelf.domain.graph import CLOSES, DECIDED, MENTIONS, REPLACES, Edge, chains, graph
from memshelf.domain.graph_groups import labels, slices
from memshelf.domain.tags import names
from memshelf.storage.naming import naming, while_reading
from memshelf.storage.store import Store

A, B, C, D = "2026-01-05-a", "2026-02-05-b", "2026-05-05-c", "2026-06-05-d"
FORMATS = ("json", "mermaid", "dot", "svg", "text", "markdown")
BY_QUARTER = labels("quarter")


# --- the model -------------------------------------------------------------------------------


def test_both_sides_of_a_replacement_are_one_edge() -> None:
    one = shelf(entry(A), entry(B, supersedes=[A]))
    other = shelf(entry(A, superseded_by=[B]), entry(B))
    both = shelf(entry(A, superseded_by=[B]), entry(B, supersedes=[A]))
    wanted = (Edge(B, A, "", REPLACES),)
    assert graph(one).edges == graph(other).edges == graph(both).edges == wanted


def test_a_link_to_a_file_that_is_no_episode_is_not_missing() -> None:
    made = graph(chain({A: "## Notes\n[x](../README.md) [y](../topics/2020-01-01-gone.md)"}))
    assert [edge.target for edge in made.missing] == ["2020-01-01-gone"]


def test_an_episode_named_by_its_files_name_is_found_by_its_id() -> None:
    made = graph(
        shelf(entry("odd id", stem="2026-01-05-a"), entry(B, "## Notes\nSee 2026-01-05-a."))
    )
    assert made.edges == (Edge(B, "odd id", "Notes", MENTIONS),)


def test_the_neighbours_come_with_the_strongest_reason_first_and_then_the_newest() -> None:
    made = graph(
        shelf(
            entry(A, "## Notes\n" + C),
            entry(B, "## Decisions\n" + C),
            entry(C, f"## Notes\n{A} {D}", closes=[f"{A}/t1"]),
            entry(D, "## Notes\n" + C, supersedes=[C]),
        )
    )
    near = made.neighbours(C)
    assert [(one.id, one.edge.why, one.outgoing, one.mutual) for one in near] == [
        (D, REPLACES, False, True),
        (A, CLOSES, True, True),
        (B, DECIDED, False, False),
    ]
    assert made.neighbours("nobody") == ()


def test_groups_hang_together_by_whatever_way_and_the_rest_is_alone() -> None:
    made = graph(
        chain({A: "", B: f"## Notes\n{A}", C: "", D: f"## Notes\n{A}", "2026-07-01-e": ""})
    )
    assert made.groups == ((A, B, D),)
    assert [one.id for one in made.alone] == [C, "2026-07-01-e"]


def test_a_chain_of_replacements_runs_from_the_newest_to_the_oldest() -> None:
    made = shelf(
        entry(A), entry(B, supersedes=[A]), entry(C, supersedes=[B]), entry(D, supersedes=[A])
    )
    assert chains(made) == ((D, A), (C, B, A))
    circle = shelf(entry(A, supersedes=[B]), entry(B, supersedes=[A]))
    assert chains(circle) == ((B, A, B),)
    assert chains(shelf(entry(A, supersedes=["2020-01-01-gone"]))) == ((A, "2020-01-01-gone"),)


def test_only_one_section_or_one_episode_may_be_asked_for() -> None:
    made = graph(chain({A: "", B: f"## Decisions\n{A}\n\n## Notes\n{A}", C: f"## Notes\n{B}"}))
    assert made.within("DECISIONS ").edges == (Edge(B, A, "Decisions", DECIDED),)
    assert len(made.within("decisions").nodes) == 3
    assert [one.id for one in made.around(A).nodes] == [A, B]


def test_the_order_in_which_files_are_read_changes_nothing() -> None:
    entries = list(attacks().entries)
    wanted = graph(shelf(*entries))
    random.Random(7).shuffle(entries)
    assert graph(shelf(*entries)) == wanted


def test_two_files_with_one_id_are_one_node() -> None:
    made = graph(shelf(entry(A), entry(A, f"## Notes\n{B}", folder="docs/research"), entry(B)))
    assert [one.id for one in made.nodes] == [A, B]
    assert made.edges == (Edge(A, B, "Notes", MENTIONS),)


def test_what_is_read_for_the_graph_alone_is_what_the_facts_say(sample: Store) -> None:
    """Found while reading, remembered, and read again where what was remembered is damaged."""
    made = sample.read()
    wanted = (graph(made).edges, graph(made).missing)
    for damage in ("", "", "nonsense", '{"a": 1}'):
        store = memshelf.open_shelf(sample.root)
        if damage:
            store.cache.keep_fact("names", damage)
        survey = store.survey(while_reading)
        found = graph(store.snapshot(survey), naming(store, survey))
        assert (found.edges, found.missing) == wanted


# --- groups ----------------------------------------------------------------------------------


def test_an_edge_is_in_the_group_of_the_episode_that_names() -> None:
    made = graph(
        chain({A: "", B: f"## Notes\n{A}", C: f"## Notes\n{A}", "undated": f"## Notes\n{A}"})
    )
    found = {one.label: len(one.edges) for one in slices(made, BY_QUARTER, "quarter")}
    assert found == {"2026Q2": 1, "2026Q1": 1, "without a date": 1}
    assert list(found) == ["2026Q2", "2026Q1", "without a date"]


def test_with_several_tags_an_episode_is_in_several_groups() -> None:
    made = graph(shelf(entry(A, tags=["x"]), entry(B, f"## Notes\n{A}", tags=["x", "y"]), entry(C)))
    found = {
        one.label: (len(one.entries), len(one.edges)) for one in slices(made, labels("tag"), "tag")
    }
    assert found == {"x": (2, 1), "y": (1, 1), "without a tag": (1, 0)}


def test_spellings_of_one_tag_are_one_group_under_its_name() -> None:
    made = shelf(
        entry(A, tags=["Café"]),
        entry(B, f"## Notes\n{A}", tags=["cafe", "CAFE"]),
        entry(C, f"## Notes\n{A}", tags=["Café"]),
    )
    groups = slices(graph(made), labels("tag", 1, names(made)), "tag")
    assert [(one.label, len(one.entries), len(one.edges)) for one in groups] == [("Café", 3, 2)]


# --- the verb --------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_the_sample_comes_out_as_it_did_before(sample: Store, format: str, update: bool) -> None:
    endings = {
        "json": "json",
        "mermaid": "mmd",
        "dot": "dot",
        "svg": "svg",
        "text": "txt",
        "markdown": "md",
    }
    answer = memshelf.graph(sample, format=format)
    same(f"sample.{endings[format]}", answer.text, update)
    near = memshelf.graph(sample, format=format, ego="2026-01-13-qc-flags")
    if format in ("svg", "text"):
        same(f"ego.{endings[format]}", near.text, update)


def test_json_is_what_is_printed_where_nothing_else_is_asked_for(cli: Cli, sample: Store) -> None:
    ran = cli("graph", "--shelf", sample.root)
    assert (ran.code, ran.err) == (0, "")
    assert len(json.loads(ran.out)["nodes"]) == 28
    asked = json.loads(cli("graph", "--json", "--shelf", sample.root).out)
    assert asked["status"] == "ok" and asked["nodes"] == json.loads(ran.out)["nodes"]
    drawn = json.loads(cli("graph", "--json", "--format", "mermaid", "--shelf", sample.root).out)
    assert drawn["text"].startswith("%%{init") and (drawn["diagrams"], drawn["left_out"]) == (1, 0)


def test_a_graph_that_is_split_says_on_stderr_how_much_is_left_out(cli: Cli, store: Store) -> None:
    names = ids(28)
    for place, name in enumerate(names):
        body = "".join(f"\n## S{s}\n{' '.join(names[:place])}\n" for s in range(3))
        put(
            store.root,
            f"docs/topics/{name}.md",
            f"---\nid: {name}\nkind: topic\n---\n\n# X\n{body}",
        )
    ran = cli("graph", "--format", "mermaid", "--shelf", store.root)
    assert ran.code == 0
    assert "634 mentions in no diagram" in ran.err and "634 mentions are in no diagram" in ran.out


def test_out_writes_the_file_and_prints_nothing(cli: Cli, sample: Store, tmp_path: Path) -> None:
    out = tmp_path / "graph.svg"
    ran = cli("graph", "--format", "svg", "--out", out, "--shelf", sample.root)
    assert (ran.code, ran.out, ran.err) == (0, "", f"memshelf: wrote {out}\n")
    assert out.read_text("utf-8").startswith("<svg ")
    for name in ("stats.svg", "docs/topics/x.json", ".docshelf.json"):
        ran = cli("graph", "--out", sample.root / name, "--shelf", sample.root)
        assert (ran.code, "the shelf's own files" in ran.err) == (1, True)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_links_lead_no_file_round_in_a_circle_or_out_of_the_workspace(
    cli: Cli, sample: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    ran = cli("graph", "--out", tmp_path / "a", "--shelf", sample.root)
    assert ran.code == 1 and "lead in a circle" in ran.err and not ran.out
    monkeypatch.setenv("MEMSHELF_WORKSPACE_ROOT", str(sample.root))
    (sample.root / "link.json").symlink_to(tmp_path / "outside.json")
    ran = cli("graph", "--out", sample.root / "link.json", "--shelf", sample.root)
    assert ran.code == 1 and "MEMSHELF_WORKSPACE_ROOT" in ran.err
    assert not (tmp_path / "outside.json").exists()


def test_a_file_that_cannot_be_read_hides_no_other_and_is_counted(cli: Cli, sample: Store) -> None:
    (sample.root / "docs/topics/2026-01-01-broken.md").write_bytes(b"\xff\xfe")
    ran = cli("graph", "--shelf", sample.root)
    assert (ran.code, len(json.loads(ran.out)["nodes"])) == (0, 28)
    assert "1 file cannot be read" in ran.err


def test_where_nothing_is_named_it_is_said_whether_by_whom_or_in_which_section(
    cli: Cli, sample: Store
) -> None:
    def said(*words: str) -> str:
        ran = cli("graph", *words, "--shelf", sample.root)
        assert ran.code == 0 and not json.loads(ran.out)["edges"]
        return ran.err

    assert "section 'Decisionz'; mentions stand in: " in said("--section", "Decisionz")
    assert "Decisions" in said("--section", "Decisionz")
    put(sample.root, "docs/topics/2026-10-01-x.md", "---\nid: 2026-10-01-x\n---\n\n# X\n")
    assert "2026-10-01-x names no episode, and none names it." in said("--ego", "2026-10-01-x")


def test_an_episode_that_is_not_there_is_named_with_those_that_are_near(
    cli: Cli, sample: Store
) -> None:
    ran = cli("graph", "--ego", "2026-01-13-qc-flag", "--shelf", sample.root)
    assert ran.code == 1 and "2026-01-13-qc-flags" in ran.err


def test_a_changed_episode_changes_the_answer_at_once(sample: Store) -> None:
    before = memshelf.graph(sample)
    assert memshelf.graph(memshelf.open_shelf(sample.root)) == before
    path = "docs/topics/2026-01-13-qc-flags.md"
    text = (sample.root / path).read_text("utf-8")
    put(sample.root, path, f"{text}\n## More\nSee 2026-09-30-release-1-0.\n")
    after = memshelf.graph(memshelf.open_shelf(sample.root))
    assert after.mentions == before.mentions + 1
    put(sample.root, "memshelf.toml", "[shelf]\nfiscal_year_start = 4\n")
    named = memshelf.graph(memshelf.open_shelf(sample.root), format="markdown")
    assert named.mentions == after.mentions


def test_the_graph_of_a_revision_is_the_graph_as_it_was(sample: Store) -> None:
    before = memshelf.graph(sample)
    for path in (sample.root / "docs" / "topics").glob("*.md"):
        path.unlink()
    assert memshelf.graph(memshelf.open_shelf(sample.root), rev="HEAD").text == before.text
    assert memshelf.graph(memshelf.open_shelf(sample.root)).episodes < before.episodes


def test_on_an_unchanged_shelf_no_episode_is_opened(sample: Store, tmp_path: Path) -> None:
    counted = Counted(tmp_path / "watch", sample.root)
    time.sleep(0.15)  # a file that was written less than 100 ms before a scan is read again
    for words in (
        ("graph",),
        ("graph", "--format", "text"),
        ("graph", "--ego", "2026-01-13-qc-flags"),
    ):
        counted.run(*words)
        done = counted.run(*words)
        assert (done.returncode, counted.episodes, counted.git) == (0, [], []), done.stderr
