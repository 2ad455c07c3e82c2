"""A locked page in a real browser: from disk, with the right passphrase, a wrong one, no script."""

from __future__ import annotations

from pathlib import Path

import pytest

import memshelf
from memshelf.storage.store import Store

from .conftest import Phone
from .phone import Visit

WORDS = "five words of an épée"


@pytest.fixture
def page(sample: Store, tmp_path: Path) -> Path:
    return Path(memshelf.export_html(sample, out=tmp_path / "l.html", passphrase=WORDS).path)


def try_with(seen: Visit, words: str) -> None:
    seen.page.get_by_label("Passphrase").fill(words)
    seen.page.get_by_role("button", name="Open").click()


def test_the_passphrase_opens_the_page_and_all_of_it_works(phone: Phone, page: Path) -> None:
    seen = phone(page)
    seen.picture("locked")
    try_with(seen, "five words of an e\u0301pe\u0301e")
    seen.page.get_by_role("heading", name="Eelgrass project memory").wait_for()
    assert seen.page.title() == "Eelgrass project memory"
    assert seen.page.locator("article").count() == 28
    seen.page.get_by_label("Search").fill("уровень")
    seen.page.locator("#results a").first.wait_for()
    seen.picture("locked-open")


def test_a_wrong_passphrase_says_so_and_keeps_the_page(phone: Phone, page: Path) -> None:
    seen = phone(page, scheme="dark")
    try_with(seen, "five words of an oak")
    seen.page.get_by_text("That is not the passphrase.").wait_for()
    assert seen.page.title() == "Locked" and "Eelgrass" not in seen.page.content()
    try_with(seen, WORDS)
    seen.page.get_by_role("heading", name="Eelgrass project memory").wait_for()


def test_the_files_policy_stays_in_force_when_the_page_is_open(phone: Phone, page: Path) -> None:
    seen = phone(page, loud=True)
    try_with(seen, WORDS)
    seen.page.get_by_role("heading", name="Eelgrass project memory").wait_for()
    acted = seen.page.evaluate(
        """() => {
            const made = document.createElement("script");
            made.textContent = "window.acted = true";
            document.body.append(made);
            return window.acted === true;
        }"""
    )
    assert not acted and any(line.startswith("policy: script-src") for line in seen.heard)


def test_without_scripts_the_page_says_what_to_do(phone: Phone, page: Path) -> None:
    seen = phone(page, scripts=False)
    assert "iPhone or iPad" in seen.page.locator("main").inner_text()
    assert not seen.page.get_by_role("button").count()


def test_where_there_is_no_cryptography_the_page_says_so(phone: Phone, page: Path) -> None:
    seen = phone(page)
    seen.page.add_init_script("delete Object.getPrototypeOf(crypto).subtle")
    seen.page.reload()
    assert "This browser cannot open the page" in seen.page.locator("#said").inner_text()
    assert seen.page.locator("form").is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_use_the_locked_page(phone: Phone, page: Path, scheme: str) -> None:
    seen = phone(page, scheme=scheme, width=360)
    assert seen.violations() == [] and seen.sideways() == []
