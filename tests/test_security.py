"""The lines of docs/security.md: each names a test, and every test that it names is there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = ("docs/security.md", "docs/reliability.md")
_NAMED = re.compile(r"`(tests/\w+\.py)::(\w+)`")


@cache
def _in_file(path: str) -> frozenset[str]:
    """The names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_a_page_names_is_there(page: str) -> None:
    named = _NAMED.findall(Path(ROOT / page).read_text("utf-8"))
    assert named and [f"{path}::{name}" for path, name in named if name not in _in_file(path)] == []


def test_every_line_of_the_threat_model_names_a_test() -> None:
    text = (ROOT / PAGES[0]).read_text("utf-8")
    tables = re.findall(r"^\|.* test \|\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    lines = [line for table in tables for line in table.splitlines()]
    assert len(lines) > 40 and [line for line in lines if not _NAMED.search(line)] == []
