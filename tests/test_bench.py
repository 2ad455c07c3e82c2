"""The benchmark runs from end to end on a small shelf, without the peer; its numbers are not judged."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from bench import episodes, figures, follow, others, quality, rows, searches, shelves
from bench.clock import Failed, Took, added
from bench.demands import judged
from bench.page import page
from bench.page_growth import growing
from browser import chromium
from conftest import ROOT, Cli, Ran, run_process

import memshelf
from memshelf.domain.evaluation import Asked
from memshelf.domain.questions import Question
from memshelf.verb import described


def bench(build: Path, out: Path, *words: str, **environ: str) -> Ran:
    """One turn on a shelf of twenty, without the peer."""
    given = ["--no-peer", "--sizes", "20", "--runs", "1", "--build", str(build), "--out", str(out)]
    command = [sys.executable, "-m", "tests.bench", *given, *words]
    ran = run_process(command, cwd=ROOT, timeout=300, environ=environ)
    assert ran.code == 0, ran.err
    return ran


def test_every_row_is_measured_and_the_page_comes_from_the_numbers_alone(tmp_path: Path) -> None:
    build, out = tmp_path / "build", tmp_path / "page.md"
    bench(build, out)
    results = json.loads((build / "results.json").read_text("utf-8"))
    found = results["sizes"]["20"]
    phone = not chromium.lacking()
    assert list(found["rows"]) == [one for one in rows.LABELS if phone or "phone" not in one]
    assert found["pages"]["ours"] == (build / "pages" / "20-ours.html").stat().st_size
    assert set(found["hits"]) == set(searches.QUESTIONS)
    assert found["index"] > 0
    assert page(results) == out.read_text("utf-8")
    assert str(tmp_path) not in out.read_text("utf-8")

    ran = bench(build, out, "--only", "^(recall$|phone)", MEMSHELF_CHROMIUM="/no/such/program")
    assert "the phone rows are left out: MEMSHELF_CHROMIUM names no program that runs" in ran.err
    again = json.loads((build / "results.json").read_text("utf-8"))
    before, after = found["rows"], again["sizes"]["20"]["rows"]
    assert list(after) == list(before), "what was not measured again stays"
    changed = {label for label in after if after[label] != before[label]}
    assert changed == {"recall"}


def test_the_text_of_a_shelf_is_the_same_every_time() -> None:
    assert list(episodes.episodes(40)) == list(episodes.episodes(40))


def test_a_generated_shelf_is_like_a_real_one_in_size_and_mentions() -> None:
    texts = {Path(path).stem: text for path, text in episodes.episodes(400)}
    mean = sum(len(text.encode()) for text in texts.values()) / len(texts)
    assert 5_500 < mean < 7_500
    ids = re.compile(r"20\d\d-\d\d-\d\d-[a-z0-9-]+")
    found = (texts.keys() & {*ids.findall(text)} - {stem} for stem, text in texts.items())
    named = Counter(i for every in found for i in every)
    assert len(named) < len(texts) / 2, "most episodes are never mentioned"
    assert named.most_common(1)[0][1] > 10 * named.total() / len(texts), "and a few very often"


def test_doctor_finds_no_error_on_a_generated_shelf(tmp_path: Path, cli: Cli) -> None:
    shelves.write(tmp_path / "shelf", 60)
    assert cli("rebuild", "--shelf", tmp_path / "shelf").code == 0
    ran = cli("doctor", "--shelf", tmp_path / "shelf", "--level", "error")
    assert ran.code == 0, ran.out


def test_a_ratio_is_taken_turn_by_turn() -> None:
    peer, ours = [[3.0, 1.0], [8.0, None], [6.0, 2.0]], [[1.0, 1.0], [2.0, None], [3.0, 1.0]]
    assert figures.ratio(peer, ours) == (3.0, 2.0, 4.0)
    assert figures.ratio(peer, ours, figures.CPU) == (1.5, 1.0, 2.0)


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.4])
def test_growth_finds_the_exponent_above_the_start(exponent: float) -> None:
    runs = {size: [[0.2 + 0.001 * size**exponent, None]] for size in (100, 1_000)}
    found = figures.growth((100, runs[100]), (1_000, runs[1_000]), 0.2, figures.WALL)
    assert found == pytest.approx(exponent)


def test_where_nothing_grows_there_is_no_exponent() -> None:
    small, large = (100, [[0.2, None]]), (1_000, [[0.203, None]])
    assert figures.growth(small, large, 0.2, figures.WALL) is None


# --- what was asked for ----------------------------------------------------------------------


def told(sizes: dict[int, Any], label: str, size: int) -> list[tuple[float | None, bool | None]]:
    """The values of the demands on a row at a size, and whether they hold."""
    found = [one for one in judged(sizes) if (one.demand.label, one.size) == (label, size)]
    assert found, f"nothing is asked of {label} at {size}"
    return [(one.wall, one.holds) for one in found]


def test_a_demand_compares_the_peer_and_us_turn_by_turn() -> None:
    row = {"ours": [[1.0, 1.0], [2.0, 2.0]], "peer": [[5.0, 3.0], [6.0, 6.0]]}
    sizes = {10_000: {"rows": {"graph, first, no cache": row}}}
    assert told(sizes, "graph, first, no cache", 10_000) == [(4.0, True)]
    row["peer"][1] = [4.0, 4.0]
    assert told(sizes, "graph, first, no cache", 10_000) == [(3.5, False)]


def test_every_quarter_at_once_is_compared_with_our_one() -> None:
    names = ("retro --all, first, no cache", "retro, first, no cache")
    sizes = {10_000: {"rows": {name: {"ours": [[1.0, 1.0]]} for name in names}}}
    sizes[10_000]["rows"][names[0]]["ours"] = [[1.4, 1.4]]
    assert told(sizes, names[0], 10_000) == [(1.4, True)]


def test_bytes_and_memory_have_their_demands() -> None:
    page = {"ours": 14, "peer": 10}
    row = {"ours": [[1.0, 1.0, 200 * 2**20], [1.0, 1.0, 301 * 2**20]]}
    sizes = {10_000: {"rows": {"export html, first, no cache": row}, "pages": page}}
    assert told(sizes, "export html, bytes", 10_000) == [(1.4, False)]
    assert told(sizes, "export html, memory, largest process", 10_000) == [(301.0, False)]


@pytest.mark.parametrize(("exponent", "holds"), [(1.0, True), (1.2, False)])
def test_growth_is_judged_by_processor_time_over_the_two_largest_sizes(
    exponent: float, holds: bool
) -> None:
    def at(size: int) -> dict[str, Any]:
        cpu = 0.1 + 0.0001 * size**exponent
        row = [[cpu * 5, cpu]]
        return {"rows": {"tags, first, no cache": {"ours": row}, "--help": {"ours": [[0.2, 0.1]]}}}

    sizes = {100: at(3), 1_000: at(1_000), 10_000: at(10_000)}
    found = [one for one in judged(sizes) if "exponent" in one.demand.said]
    tags = next(one for one in found if one.demand.label == "tags, first, no cache")
    assert tags.cpu == pytest.approx(exponent)
    assert tags.holds is holds


def test_what_was_not_measured_neither_holds_nor_fails() -> None:
    assert {one.holds for one in judged({1_000: {"rows": {}}})} == {None}


def test_memory_is_of_the_largest_and_time_is_added() -> None:
    runs = (Took(1.0, 0.5, 300), Took(2.0, 1.0, 200))
    assert added(runs) == Took(3.0, 1.5, 300)
    assert added([*runs, Took(1.0)]) == Took(4.0, None, 300)


# --- search ----------------------------------------------------------------------------------


def test_no_answer_of_search_is_remembered_so_that_what_is_timed_is_searching() -> None:
    assert described(memshelf.search).remembers is None
    assert described(memshelf.threads).remembers, "others have answers that are"


def test_the_index_is_judged_by_episodes_a_second_and_by_its_share_of_the_text() -> None:
    row = {"ours": [[5.0, 4.0]]}
    sizes = {10_000: {"rows": {searches.BUILT: row}, "index": 30, "shelf": {"bytes": 50}}}
    assert told(sizes, searches.BUILT, 10_000) == [(2_000.0, True)]
    assert told(sizes, "search index, bytes", 10_000) == [(0.6, False)]


@pytest.mark.parametrize(("exponent", "holds"), [(1.0, True), (1.2, False)])
def test_a_call_to_a_server_grows_from_nothing(exponent: float, holds: bool) -> None:
    label = searches.WARM[0]
    sizes = {
        size: {"rows": {label: {"ours": [[0.000_01 * size**exponent]]}}} for size in (1_000, 9_000)
    }
    (found,) = (one for one in judged(sizes) if "exponent" in one.demand.said and one.wall)
    assert (found.demand.label, found.wall) == (label, pytest.approx(exponent))
    assert found.holds is holds


def test_growth_is_shown_between_the_sizes_that_a_row_was_measured_at() -> None:
    def at(size: int, *labels: str) -> dict[str, Any]:
        return {"rows": {label: {"ours": [[0.2 + size / 1_000, None]]} for label in labels}}

    sizes = {100: at(100, "index", "stats"), 300: at(300, "stats"), 900: at(900, "index", "stats")}
    sizes[100]["rows"]["--help"] = {"ours": [[0.2, None]]}
    lines = growing(sizes).splitlines()
    head = "| | 100 to 300: memshelf | 100 to 300: peer | 100 to 900: memshelf | 100 to 900: peer "
    assert head + "| 300 to 900: memshelf | 300 to 900: peer |" in lines
    assert "| index |  |  | 1.0 |  |  |  |" in lines
    assert "| stats | 1.0 |  |  |  | 1.0 |  |" in lines


def test_bare_fts5_finds_any_of_the_words_and_the_best_first(tmp_path: Path) -> None:
    shelves.write(tmp_path / "shelf", 40)
    table = tmp_path / "bare.sqlite"
    others.filled(table, tmp_path / "shelf")
    path = next(iter(episodes.episodes(40)))[0]
    with contextlib.closing(sqlite3.connect(table)) as bare:
        found = others.best(bare, f"Was it {Path(path).stem}, AND who?", 3)
        assert found[0][0] == path
        assert found[0][1] > found[1][1] > 0
        assert others.best(bare, "?!", 3) == []


def test_an_edit_that_the_index_does_not_see_ends_the_benchmark(tmp_path: Path) -> None:
    shelves.write(tmp_path / "shelf", 20)
    archived = tmp_path / "shelf" / "elsewhere.md"
    archived.write_text("# Elsewhere\n", "utf-8")
    with pytest.raises(Failed, match=r"does not follow elsewhere\.md"):
        follow.followed(tmp_path / "shelf", "elsewhere.md", 1)


# --- how well --------------------------------------------------------------------------------


def test_figures_stand_between_the_marks_and_no_question_among_them() -> None:
    asked = [
        Asked(Question("where is the key", ("a.md",)), ("docs/a.md",), True, 0.9),
        Asked(Question("who sang", ()), (), False, 0.1),
    ]
    text = "\n".join(quality.table("`held.tsv`", {"lexical": asked}))
    assert "| lexical | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 | 0.000 | 1.00 |" in text
    assert "where" not in text
    page = f"before\n{quality.BEGIN}\nold\n{quality.END}\nafter\n"
    found = quality.between(page, text)
    assert quality.between(found, text) == found
    assert "old" not in found
    assert found.startswith("before\n") and found.endswith("\nafter\n")


def test_the_page_has_the_place_for_its_figures() -> None:
    page = (ROOT / "docs" / "evaluation.md").read_text("utf-8")
    assert quality.between(page, "x") != page
