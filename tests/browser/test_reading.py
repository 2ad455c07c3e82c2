"""Reading the phone file: found, opened, followed and left again, with its script and without."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from attacks import TEXTS
from playwright.sync_api import Page
from support import add
from support import episode as text_of

import memshelf
from memshelf.domain.text import fold
from memshelf.storage.store import Store

from .conftest import Phone

ARTICLES = "#episodes article"
PRINTING = "dispatchEvent(new Event('beforeprint'))"
SEARCHED = "words => new URLSearchParams(location.hash.slice(2)).get('q') === words"
AT_REST = "!/looked at/.test(document.getElementById('status').textContent)"
RESULTS_GONE = "document.getElementById('results').hidden"


def until(page: Page, condition: str, arg: object = None) -> None:
    """Wait for a condition; Playwright's own way needs a policy that lets strings be run."""
    for _ in range(1200):
        if page.evaluate(condition, arg):
            return
        page.wait_for_timeout(25)
    raise AssertionError(f"never true: {condition}")


def rows(page: Page) -> list[str]:
    """The ids of the episodes that a search found, once it has come to its end."""
    until(page, AT_REST)
    links: list[str] = page.eval_on_selector_all(
        "#results a", "links => links.map(link => decodeURIComponent(link.hash.slice(4)))"
    )
    return links


def search(page: Page, words: str) -> list[str]:
    page.fill("#q", words)
    until(page, SEARCHED, arg=words)
    return rows(page)


def export(store: Store) -> Path:
    out = store.root.parent / "page.html"
    return Path(memshelf.export_html(store, out=out).path)


def put(store: Store, name: str, title: str = "A title", **parts: str) -> None:
    """A good episode in which some texts stand in place of others."""
    made = text_of(name, title)
    made = made.replace("Redis was chosen", parts.get("digest", "Redis was chosen"))
    made = made.replace("- Redis for the cache.", parts.get("body", "- Redis for the cache."))
    add(store, made, f"docs/topics/{name}.md")


# --- without its script ----------------------------------------------------------------------


def test_without_scripts_every_episode_can_be_read(phone: Phone, sample_page: Path) -> None:
    page = phone(sample_page, scripts=False).page
    assert page.is_hidden("#tools") and page.is_visible("#contents")
    for summary in page.query_selector_all(f"{ARTICLES} > details > summary"):
        summary.click()
    assert page.locator(f"{ARTICLES} .digest:visible").count() == 28


@pytest.mark.parametrize("scripts", [True, False])
def test_every_link_inside_the_page_leads_somewhere(
    phone: Phone, sample_page: Path, scripts: bool
) -> None:
    page = phone(sample_page, scripts=scripts).page
    if scripts:
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        until(page, "!document.querySelector('noscript')")
    lost = page.evaluate(
        "() => [...document.querySelectorAll('a[href^=\"#\"]')]"
        ".map(a => decodeURIComponent(a.getAttribute('href').slice(1))).filter(id => !document.getElementById(id))"
    )
    assert lost == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids)) > 28


def test_tags_and_letters_list_their_episodes_without_scripts(
    phone: Phone, sample_page: Path
) -> None:
    page = phone(sample_page, scripts=False).page
    for part in ("tags", "letters"):
        page.locator(f"#{part} > details > summary").click()
        first = page.locator(f"#{part} details details").first
        first.locator("summary").click()
        assert first.locator("li a").first.is_visible()


# --- with it ---------------------------------------------------------------------------------


QUERIES = ("tide", "datum", "глубин", "решение", "支架", "潮見", "Gezeiten", "решениями", "battery -storm", "table -storm",
           "lantern quay", "c++", "المد", "v2", "storm night at lantern", "STORM", '"lantern quay"')  # fmt: skip


def test_a_search_finds_all_that_the_command_line_finds(
    phone: Phone, sample: Store, sample_page: Path
) -> None:
    page = phone(sample_page).page
    for words in QUERIES:
        hits = memshelf.search(sample, words, max_results=100).hits
        assert {hit.id for hit in hits} <= set(search(page, words)), words


def test_english_russian_chinese_and_accented_words_are_found(phone: Phone, store: Store) -> None:
    put(store, "2026-01-05-en", digest="A curious wombat")
    put(store, "2026-01-05-ru", digest="Любопытный ёж")
    put(store, "2026-01-05-zh", digest="好奇的袋熊")
    put(store, "2026-01-05-fr", digest="Un café brûlé")
    page = phone(export(store)).page
    for words, found in (
        *(("WOMBAT", "en"), ("еж", "ru"), ("袋熊", "zh"), ("cafe brule", "fr"), ("CAFÉ", "fr")),
    ):
        assert search(page, words) == [f"2026-01-05-{found}"], words
    assert search(page, "ombat") == []
    assert "Nothing found" in page.inner_text("#status")


def test_words_are_folded_as_the_command_line_folds_them(phone: Phone, sample_page: Path) -> None:
    points = [n for n in range(0x20, 0x30000) if unicodedata.category(chr(n)) not in ("Cn", "Cs")]
    folded = phone(sample_page).page.evaluate(
        "points => points.map(n => memshelf.fold(`x${String.fromCodePoint(n)}y`))",
        points,
    )
    other = {n for n, made in zip(points, folded, strict=True) if made != fold(f"x{chr(n)}y")}
    # Cherokee goes to its other case, and letters of old Cyrillic prints stay what they are.
    rare = {0x37A, *range(0x1C80, 0x1C8B), *range(0x13A0, 0x1400), *range(0xAB70, 0xABC0)}
    assert not {chr(n) for n in other - rare}


def test_back_returns_to_the_results_and_to_the_place_in_them(
    phone: Phone, sample_page: Path
) -> None:
    page = phone(sample_page).page
    found = search(page, "water")
    link = page.locator("#results a").nth(5)
    link.scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 100)")
    place = page.evaluate("scrollY")
    assert place > 0
    link.click()
    until(page, RESULTS_GONE)
    assert page.locator(f"[id='ep-{found[5]}'] .digest").is_visible()
    page.go_back()
    until(page, f"!{RESULTS_GONE}")
    assert page.input_value("#q") == "water" and rows(page) == found
    until(page, "place => Math.abs(scrollY - place) < 5", arg=place)
    page.go_back()
    until(page, RESULTS_GONE)
    assert page.input_value("#q") == ""


TOP = "id => document.getElementById(id).getBoundingClientRect()"


def test_a_link_between_episodes_opens_its_target_and_back_comes_back(
    phone: Phone, sample_page: Path
) -> None:
    new, old = "ep-2026-08-12-print-on-demand", "ep-2026-03-30-nightly-pdf-build"
    page = phone(sample_page, fragment=new).page
    assert page.locator(f"[id='{new}'] .digest").is_visible()
    page.locator(f"[id='{new}'] a[href='#{old}']").first.click()
    page.locator(f"[id='{old}'] .digest").wait_for(state="visible")
    until(page, f"id => Math.abs(({TOP})(id).top) < 60", arg=old)
    page.go_back()
    until(
        page,
        f"id => {{ const box = ({TOP})(id); return box.top < innerHeight && box.bottom > 0; }}",
        arg=new,
    )


def test_the_address_of_a_search_opens_it(phone: Phone, sample_page: Path) -> None:
    page = phone(sample_page, fragment="?q=storm&kind=session").page
    assert "2026-02-17-storm-night-at-lantern-quay" in rows(page)
    assert page.input_value("#kind") == "session"


def test_filters_narrow_a_search_or_stand_alone(phone: Phone, sample_page: Path) -> None:
    page = phone(sample_page).page
    page.select_option("#quarter", "2026Q3")
    until(page, "location.hash === '#?quarter=2026Q3'")
    assert len(rows(page)) == 8
    page.select_option("#kind", "research")
    until(page, "location.hash.includes('kind=research')")
    assert rows(page) == ["2026-08-05-rtl-tide-table", "2026-07-14-antifouling-coatings"]
    page.select_option("#tag", "i18n")
    until(page, "location.hash.includes('tag=')")
    assert rows(page) == ["2026-08-05-rtl-tide-table"]


def test_keys_search_walk_through_the_results_and_end_the_search(
    phone: Phone, sample_page: Path
) -> None:
    page = phone(sample_page).page
    page.keyboard.press("/")
    page.keyboard.type("water")
    until(page, "location.hash === '#?q=water'")
    found = rows(page)
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.hash") == f"#ep-{found[0]}"
    page.keyboard.press("Escape")
    until(page, RESULTS_GONE)
    assert page.input_value("#q") == ""


def test_a_body_is_made_when_it_is_opened_and_all_of_them_before_printing(
    phone: Phone, sample_page: Path
) -> None:
    page = phone(sample_page).page
    waiting = f"{ARTICLES} > details > noscript"
    assert page.locator(waiting).count() == 28
    page.locator(f"{ARTICLES} > details > summary").nth(3).click()
    until(page, f"document.querySelectorAll('{waiting}').length === 27")
    assert page.locator(f"{ARTICLES} .digest").count() == 1
    page.evaluate(PRINTING)
    assert page.locator(waiting).count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(f"{ARTICLES} > details[open]").count() == 1


def test_an_index_alone_is_searched_by_titles_and_descriptions(phone: Phone, sample: Store) -> None:
    out = sample.root.parent / "index.html"
    memshelf.export_html(sample, out=out, index_only=True)
    page = phone(out).page
    page.fill("#q", "nobody's keel")
    until(page, SEARCHED, arg="nobody's keel")
    until(page, AT_REST)
    found = page.locator("#results li").first
    assert found.locator("a").inner_text().startswith("Release 1.0")
    page.fill("#q", "wozu Gezeitenkalender")
    until(page, SEARCHED, arg="wozu Gezeitenkalender")
    until(page, AT_REST)
    page.locator("#results a").first.click()
    until(page, RESULTS_GONE)
    until(page, "document.activeElement.matches('#contents details[open] li')")
    assert "kalender" in page.evaluate("document.activeElement.textContent")
    page.select_option("#quarter", "2026Q3")
    until(page, "document.querySelectorAll('#results li').length === 8")
    assert page.is_hidden("#tag") and page.is_hidden("#kind")


def test_no_date_is_broken_between_two_lines(phone: Phone, sample_page: Path) -> None:
    page = phone(sample_page, width=320).page
    broken = (
        "[...document.querySelectorAll('.small i')].filter(one => one.getClientRects().length > 1)"
    )
    assert page.locator(".small i").count() > 50 and page.evaluate(f"{broken}.length") == 0
    search(page, "storm")
    assert page.locator("#results .small i").count() and page.evaluate(f"{broken}.length") == 0


def test_search_in_the_bar_goes_to_the_field_and_keeps_what_was_found(
    phone: Phone, sample_page: Path
) -> None:
    page = phone(sample_page).page
    found = search(page, "storm")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('#results li') !== null")
    page.click(".bar >> text=Search")
    assert page.evaluate("document.activeElement.id") == "q"
    assert rows(page) == found and page.input_value("#q") == "storm"


def test_keys_that_an_input_method_takes_are_left_to_it(phone: Phone, sample_page: Path) -> None:
    page = phone(sample_page).page
    found = search(page, "storm")
    for key in ("Escape", "ArrowDown", "Enter"):
        page.evaluate(
            "key => document.activeElement.dispatchEvent("
            "new KeyboardEvent('keydown', {key, isComposing: true, bubbles: true}))",
            key,
        )
        assert page.evaluate("document.activeElement.id") == "q" and rows(page) == found


def test_during_a_search_what_was_found_is_printed(phone: Phone, sample_page: Path) -> None:
    page = phone(sample_page).page
    search(page, "storm")
    page.emulate_media(media="print")
    page.evaluate(PRINTING)
    assert page.is_visible("#results li") and not page.is_visible("#results button")
    assert page.locator(f"{ARTICLES} > details[open]").count() == 0


def test_what_was_left_out_is_printed_too(phone: Phone, sample: Store) -> None:
    out = sample.root.parent / "small.html"
    memshelf.export_html(sample, out=out, max_size="100KB")
    page = phone(out, media="print").page
    page.evaluate(PRINTING)
    assert page.is_visible("#about details li")


def test_an_address_that_was_cut_in_a_letter_breaks_nothing(
    phone: Phone, sample_page: Path
) -> None:
    page = phone(sample_page, fragment="ep-%E2%82").page
    assert page.is_visible("#contents") and search(page, "storm")


# --- whatever an episode holds ---------------------------------------------------------------


def attack(store: Store) -> None:
    """A shelf on which every text that a person can write attacks."""
    for number, text in enumerate(TEXTS):
        name, line = (
            f"2026-01-{number % 28 + 1:02}-attack-{number}",
            json.dumps(" ".join(text.split())),
        )
        made = text_of(name, "TITLE").replace('display_title: "TITLE"', f"display_title: {line}")
        made = made.replace("tags: [cache, infra]", f"tags: [{line}]")
        made = made.replace('description: "One sentence."', f"description: {line}")
        made = made.replace("- Redis for the cache.", text)
        file = store.root / "docs/topics" / f"{name}.md"
        file.write_bytes(made.encode("utf-8", "replace"))


@pytest.mark.parametrize("scripts", [True, False])
def test_a_page_of_attacks_runs_nothing_and_asks_for_nothing(
    phone: Phone, store: Store, scripts: bool
) -> None:
    attack(store)
    page = phone(export(store), scripts=scripts).page
    assert page.locator(ARTICLES).count() == len(TEXTS) >= 40
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    if scripts:
        until(page, "!document.querySelector('noscript')")
        assert search(page, "alert")
    page.mouse.click(195, 400)
    acting = "script, iframe, object, embed, form, img, video, base, link, [style], [onload]"
    assert page.locator(acting).count() == 1  # the page's own script


def test_wide_things_scroll_in_their_own_box(phone: Phone, store: Store) -> None:
    table = "| " + " | ".join(f"column {n}" for n in range(12)) + " |\n|" + "---|" * 12 + "\n"
    table += "| " + " | ".join("something longer" for _ in range(12)) + " |\n"
    body = f"{'x' * 300}\n\nhttps://example.org/{'y' * 400}\n\n```\n{'z' * 200}\n```\n\n{table}"
    put(store, "2026-01-05-wide", "T" * 90, body=body)
    for width in (390, 360, 320):
        seen = phone(export(store), width=width)
        assert seen.page.locator("table").is_visible()
        assert seen.sideways() == []


def test_text_runs_from_right_to_left_where_it_is_written_so_and_code_never_does(
    phone: Phone, store: Store
) -> None:
    body = "שלום עולם\n\n- مرحبا `/usr/local`\n- plain\n\n> اقتباس\n\n```\ncode\n```\n"
    put(store, "2026-01-05-rtl", "כותרת", body=body)
    page = phone(export(store)).page

    def runs(where: str) -> str:
        found = page.locator(f"article {where}").first
        return str(found.evaluate("one => getComputedStyle(one).direction"))

    turned = ("h2", "p:has-text('שלום')", "li:has-text('مرحبا')", "blockquote")
    assert {where: runs(where) for where in turned} == dict.fromkeys(turned, "rtl")
    straight = ("li:has-text('plain')", "pre", "li code")
    assert {where: runs(where) for where in straight} == dict.fromkeys(straight, "ltr")
