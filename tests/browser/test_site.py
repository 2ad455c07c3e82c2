"""The site of the sample shelf, served below a folder of a server, on a phone and on a desk."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Cli
from gitkit import git, put
from sitekit import PLUGIN, build, for_all

from memshelf.storage.store import Store

from .conftest import Phone, Serve
from .test_reading import until

MOVED = "2026-02-04-public-api-v1"
PAGES = (
    "index",
    "find",
    "topics/2026-01-05-rollup-2025q4",
    "research/2026-05-14-how-many-constituents",
)
LISTS = ("threads", "decisions", "tags", "graph", "by-kind", "by-date", "quarters", "stats")
LISTS += ("problems", "changes", "quarters/2026Q3", "tags/print")


@pytest.fixture
def site(sample: Store, cli: Cli, serve: Serve, tmp_path: Path) -> str:
    """The address of the sample's site, two folders below the top of its server.

    One episode has gone behind a rollup, so that its page has moved.
    """
    git(sample.root, "mv", f"docs/topics/{MOVED}.md", f"archive/docs/topics/{MOVED}.md")
    git(sample.root, "commit", "-q", "-m", "archive an episode")
    found = cli("export", "site", tmp_path / "made", "--shelf", sample.root)
    assert found.code == 0, found.err
    (tmp_path / "www" / "teams").mkdir(parents=True)
    build(tmp_path / "made").folder.rename(tmp_path / "www" / "teams" / "memory")
    return f"{serve(tmp_path / 'www')}/teams/memory"


@pytest.mark.parametrize(
    ("width", "scheme", "pages"),
    [
        (390, "light", (*PAGES, *LISTS)),
        (390, "dark", (*PAGES, "threads", "quarters/2026Q3")),
        (1280, "light", (*PAGES, "decisions", "graph")),
        (1280, "dark", (*PAGES, "tags")),
    ],
)
def test_everyone_can_use_the_pages(
    phone: Phone, site: str, width: int, scheme: str, pages: tuple[str, ...]
) -> None:
    seen = phone(f"{site}/index.html", width=width, scheme=scheme, scale=1)
    for name in pages:
        seen.page.goto(f"{site}/{name}.html")
        seen.picture(f"site-{name.rpartition('/')[2]}-{width}-{scheme}")
        assert seen.violations() == [], name
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width, name


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("wasp nest", "Sensor swap day"),
        ("тревоги", "Пороги тревоги"),
        ("涂层", "支架与梯子的防污涂层比较"),
        ("BUCHEREI", "Alte Gezeitenkalender"),
        ("Which harbours need cellular modems?", "Uplink: long-range radio"),
        ("Почему ложные тревоги из-за чаек?", "Пороги тревоги"),
        ("支架要不要涂层？", "支架与梯子的防污涂层比较"),
    ],
)
def test_the_search_finds_words_and_sentences_of_any_language(
    phone: Phone, site: str, words: str, title: str
) -> None:
    page = phone(f"{site}/index.html").page
    page.keyboard.press("/")
    page.wait_for_url("**/find.html*")
    until(page, "document.getElementById('find').dataset.ready !== undefined")
    page.fill("#q", words)
    until(
        page,
        "document.querySelectorAll('#results li').length > 0 && !/looked at/.test(document.getElementById('status').textContent)",
    )
    assert title in page.inner_text("#results li a")
    assert page.locator("#results li mark").count() > 0
    page.click("#results li a")
    page.wait_for_selector("#digest")
    page.go_back()
    until(page, "document.querySelectorAll('#results li').length > 0")
    assert page.input_value("#q") == words


def test_a_site_that_has_a_search_gets_no_second_way_to_one(
    phone: Phone, sample: Store, site: str, tmp_path: Path
) -> None:
    assert phone(f"{site}/index.html", width=1280).page.locator(".ms-way").count() == 1
    folder = tmp_path / "host"
    put(folder, "docs/index.md", "# Host\n")
    at = f"[search, {{memshelf: {{shelf: {for_all(sample).root.as_posix()}, at: memory}}}}]"
    put(folder, "mkdocs.yml", PLUGIN.replace("[memshelf]", at))
    build(folder).folder.rename(tmp_path / "www" / "host")
    page = phone(site.replace("teams/memory", "host/memory/"), width=1280).page
    page.wait_for_function("typeof memshelfPart === 'function'")
    assert page.locator(".ms-way").count() == 0
    assert page.locator(".md-search").count() == 1


@pytest.mark.parametrize("name", ["decisions", "by-date"])
def test_a_list_is_narrowed_to_a_tag(name: str, phone: Phone, site: str) -> None:
    page = phone(f"{site}/{name}.html").page
    every = page.locator(".shelf li[data-kind]:visible").count()
    page.select_option("#narrow select >> nth=0", "api")
    left = page.locator(".shelf li[data-kind]:visible")
    assert 0 < left.count() < every
    assert all("api" in one.get_attribute("data-tags").split("|") for one in left.all())
    assert page.inner_text("#narrow [role=status]").strip() == f"{left.count()} of {every} episodes"


def test_nothing_is_offered_where_there_is_nothing_to_choose(phone: Phone, site: str) -> None:
    assert phone(f"{site}/tags.html").page.locator("#narrow").count() == 0
    for name in ("by-date", "by-kind", "threads", "decisions", "tags/api"):
        page = phone(f"{site}/{name}.html").page
        offered = page.locator("#narrow select")
        assert offered.count()
        assert all(one.locator("option").count() > 2 for one in offered.all())


def test_back_links_tags_and_old_addresses_lead_on_below_a_folder(phone: Phone, site: str) -> None:
    page = phone(f"{site}/topics/2026-06-03-public-api-v2.html").page
    page.click(".mentions a >> nth=0")
    page.wait_for_selector("#digest")
    there = page.url
    assert there.startswith(f"{site}/") and "public-api-v2" not in there
    page.locator(".mentions a", has_text="Public interface, version 2").first.click()
    page.wait_for_url("**/2026-06-03-public-api-v2.html*")
    page.click(".tag a >> nth=0")
    page.wait_for_url("**/tags/*")
    page.click("article >> text=Public interface, version 2 >> nth=0")
    page.wait_for_url("**/2026-06-03-public-api-v2.html*")
    page.goto(f"{site}/topics/{MOVED}.html")
    page.wait_for_url(f"{site}/archive/topics/{MOVED}.html")
    assert page.inner_text("h1").startswith("Public interface, version 1")
