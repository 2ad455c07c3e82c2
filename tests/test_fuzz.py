"""Whatever stands in a file of a shelf, its parser answers or refuses, and soon; never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Cli
from fuzzing.parsers import PARSERS, read
from fuzzing.worst import UNITS
from gitkit import put
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support import HARD_TEXT, ODD_TEXTS, add, episode

from memshelf.storage.store import Store

SIZES = {
    "Markdown to HTML": 100_000,  # 0.1 ms for each bracket that nothing closes
    "query": 100_000,
    "digest, secrets, envelope": 300_000,
    "POLICY.patterns": 300_000,
}
"""Characters of the worst texts for those that take their time, though no more than in proportion."""

SIZE = 1_000_000
DEADLINE = 300
"""Seconds for all the worst texts of a parser; one that is worse than linear would need hours."""

GOOD = (
    episode(),
    '[shelf]\nrebuild = "manual"\nlanguage = "en"\n[publish]\ninclude = ["public"]\n'
    '[[publish.allow]]\nhash = "x"\nreason = "y"\nuntil = 2027-01-01\n',
    "name: A shelf\ncategories: [topics, research]\nindex:\n  generated_by: external\n",
    '{"name": "A", "category_order": ["topics"], "preamble": "p"}',
    "ticket T-\\d+\nroom (?i)R\\d+\n# a comment\n",
    "episode_id\tsection\tfetched_tokens\n2026-01-05-cache\tDigest\t12\t2026-01-06\n",
    'where is it\tdocs/x\tde\n{"question": "q", "expected": ["a"], "lang": "en"}\n',
    'cache "redis or" -memcached tag:infra kind:topic since:2026-01 before:2026-02-01',
    "## Decisions\n- a\n  1. b\n\n```py\n## no\n```\n> quoted\n\nCloses 2026-01-05-cache/t2\n",
)
PIECES = st.one_of(
    HARD_TEXT,
    st.sampled_from(ODD_TEXTS),
    st.sampled_from(tuple(UNITS.values())),
    st.sampled_from(
        ("---\n", "\n", ": ", "[", "]", '"', "\t", "\r\n", "\ufeff", "&a ", "*a", "!!x")
    ),
    st.sampled_from(("\u00b2", "\u0663", "9" * 5000, "[" * 2000, "{'a':" * 2000, "1e999", "<" * 7)),
    st.sampled_from(("=" * 7 + "\n", ">" * 7 + "\n", "a." * 2000)),
)
MADE = st.lists(PIECES, max_size=12).map("".join)


@st.composite
def spoiled(draw: st.DrawFn) -> str:
    """A good file, a few places of which were cut out, doubled or overwritten."""
    text = draw(st.sampled_from(GOOD))
    for _ in range(draw(st.integers(1, 4))):
        at, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        text = text[:at] + draw(PIECES) + text[draw(st.sampled_from((at, end))) :]
    return text


@pytest.mark.parametrize("name", PARSERS)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.one_of(spoiled(), MADE))
@example(text="a = " + "[" * 100_000)
@example(text="a = " + "9" * 5000)
@example(text='{"a": ' + "9" * 5000 + "}")
@example(text=episode().replace("mode:", "supersedes: [2026-01-05-cache/d\u00b2]\nmode:"))
@example(text="x\tx\tx\t" + "9" * 5000 + "\t1\t\n")
@example(text="episode_id\tsection\tfetched_tokens\nx\t\t\u00b2\ny\t\t" + "9" * 5000)
def test_a_parser_answers_or_refuses(name: str, text: str) -> None:
    read(name, text)


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_comes_to_the_end_of_a_megabyte_of_anything(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzzing.worst", name, str(SIZES.get(name, SIZE))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(json.loads(done.stdout)) > len(UNITS)


@pytest.mark.parametrize(
    "said",
    ["[" * 100_000, "[1]", '{"2026-01-05-old.md": 1}', '{"2026-01-05-old.md": {"title": [1]}}'],
)
def test_names_beside_an_old_episode_that_are_no_names_are_passed_over(
    said: str, cli: Cli, store: Store
) -> None:
    add(store, "# Old\n\n## Digest\nx\n", "docs/topics/2026-01-05-old.md")
    put(store.root, "docs/topics/.meta.json", said)
    ran = cli("rebuild", "--adopt", "--shelf", store.root)
    assert ran.code in (0, 1) and "Traceback" not in ran.err
    assert (Path(store.root) / "docs/topics/2026-01-05-old.md").read_text().startswith("# Old")
