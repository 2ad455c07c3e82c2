"""Random histories of two to four clones: nothing that was reported as saved is lost.

`python -m tests.faults --histories 2000 --seed 1` plays as many as one likes; see docs/reliability.md.
"""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import ROOT
from gitkit import POSIX

PARTS, EACH, STEPS = 4, 50, 5


def played(histories: int, seed: int, before: str = "", *flags: str) -> tuple[int, str]:
    """The exit code and the output of the driver, in which something may be broken before."""
    words = ("--histories", str(histories), "--seed", str(seed), "--steps", str(STEPS), *flags)
    code = f"{before}\nimport sys\nfrom tests.faults.__main__ import main\nsys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_befalls_the_clones_what_was_saved_stays_and_all_become_one(part: int) -> None:
    code, said = played(EACH, 1 + part * EACH)
    assert code == 0, said


HEALS_NOT = """
import memshelf.storage.recovery as m
m.heal_held = lambda *_: ((), {})
"""
DROPS_OURS = """
import memshelf.storage.catching_up as m
m._joined = lambda there, to, settings: there.git("rev-parse", to.ref).out.strip()
"""
AMENDS_NOT = """
import memshelf.storage.amending as m
real = m.spliced
m.spliced = lambda text, fields, sections: real(text, fields, {})
"""


@POSIX
@pytest.mark.parametrize(
    ("broken", "wanted"),
    [(HEALS_NOT, "git status"), (DROPS_OURS, "lost"), (AMENDS_NOT, "not in HEAD")],
)
def test_the_histories_find_a_memshelf_that_is_broken(broken: str, wanted: str) -> None:
    code, said = played(EACH, 1, broken, "--first", "--no-shrink")
    assert code == 1 and wanted in said and "again: python -m tests.faults" in said, said


@POSIX
def test_a_history_that_fails_is_made_shorter_and_told() -> None:
    code, said = played(EACH, 1, AMENDS_NOT, "--first")
    assert code == 1 and "which says:" in said and said.count(" [") <= 3, said
