"""The benchmark runs from end to end on a small shelf, without the peer; its numbers are not judged."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from bench import episodes, figures, shelves
from bench.page import page
from conftest import ROOT, Cli, run_process


def test_every_row_is_measured_and_the_page_comes_from_the_numbers_alone(tmp_path: Path) -> None:
    build, out = tmp_path / "build", tmp_path / "page.md"
    words = ["--no-peer", "--sizes", "20", "--runs", "1", "--build", str(build), "--out", str(out)]
    ran = run_process([sys.executable, "-m", "tests.bench", *words], cwd=ROOT, timeout=300)
    assert ran.code == 0, ran.err
    results = json.loads((build / "results.json").read_text("utf-8"))
    assert len(results["sizes"]["20"]["rows"]) == 20
    assert page(results) == out.read_text("utf-8")
    assert str(tmp_path) not in out.read_text("utf-8")


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
    found = figures.growth((100, runs[100]), (1_000, runs[1_000]), start=0.2)
    assert found == pytest.approx(exponent)


def test_where_nothing_grows_there_is_no_exponent() -> None:
    assert figures.growth((100, [[0.2, None]]), (1_000, [[0.203, None]]), start=0.2) is None
