"""The phone file of the sample shelf, opened as phones open it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Phone

with_and_without_scripts = pytest.mark.parametrize("scripts", [True, False])


@pytest.mark.parametrize(
    ("scripts", "scheme"), list(itertools.product((True, False), ("light", "dark")))
)
def test_the_page_opens_quietly(
    phone: Phone, sample_page: Path, scripts: bool, scheme: str
) -> None:
    seen = phone(sample_page, scripts=scripts, scheme=scheme)
    assert seen.page.locator("h1").is_visible()
    seen.picture(f"phone-{scheme}-{'with' if scripts else 'without'}-scripts")
    seen.quiet()


@pytest.mark.parametrize(("scripts", "scheme"), [(True, "light"), (True, "dark"), (False, "light")])
def test_everyone_can_use_the_page(
    phone: Phone, sample_page: Path, scripts: bool, scheme: str
) -> None:
    seen = phone(sample_page, scripts=scripts, scheme=scheme)
    seen.unfold()
    assert seen.violations() == []


@with_and_without_scripts
@pytest.mark.parametrize("width", [390, 360])
def test_nothing_reaches_past_the_edge_however_narrow_the_phone(
    phone: Phone, sample_page: Path, width: int, scripts: bool
) -> None:
    seen = phone(sample_page, width=width, scripts=scripts)
    seen.unfold()
    assert seen.sideways() == []


@with_and_without_scripts
def test_what_is_folded_is_printed(phone: Phone, sample_page: Path, scripts: bool) -> None:
    seen = phone(sample_page, scripts=scripts)
    sheets = seen.printed(f"phone-{'with' if scripts else 'without'}-scripts")
    seen.unfold()
    assert abs(seen.printed("phone-unfolded") - sheets) <= 1


def test_the_page_is_valid(sample_page: Path, invalid: Callable[[bytes], list[str]]) -> None:
    assert invalid(sample_page.read_bytes()) == []
