"""What the plugin does with the shelf, the history and the site that it finds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Cli
from gitkit import git, new_repo, put
from sitekit import PLUGIN, Built, build, for_all, mkdocs
from support import episode, tree

import memshelf
from memshelf.render.templates import source
from memshelf.storage.store import Store

NAME = "2026-01-05-rollup-2025q4"


@pytest.fixture
def public(sample: Store) -> Store:
    """The sample shelf, all of it for everybody, as a site."""
    put(sample.root, "mkdocs.yml", PLUGIN)
    return for_all(sample)


def host(folder: Path, shelf: Store, more: str = "", options: str = "") -> Path:
    """A site with pages of its own, and a shelf in its folder `memory`."""
    put(folder, "docs/index.md", "# Host\n\n[Memory](memory/index.md)\n")
    put(folder, "docs/guide.md", "# Guide\n\nHow it is done.\n")
    at = f"plugins: [search, {{memshelf: {{shelf: {shelf.root.as_posix()}, at: memory{options}}}}}]"
    put(folder, "mkdocs.yml", PLUGIN.replace("plugins: [memshelf]", at) + more)
    return folder


def page(site: Built, name: str) -> str:
    return (site.folder / name / "index.html").read_text("utf-8")


# --- history ---------------------------------------------------------------------------------


def test_a_shallow_clone_warns_and_its_pages_say_where_history_begins(
    public: Store, cli: Cli, tmp_path: Path
) -> None:
    git(public.root, "add", "-A")
    day = "2026-08-01T12:00:00Z"
    git(public.root, "commit", "-qm", "a site", GIT_AUTHOR_DATE=day, GIT_COMMITTER_DATE=day)
    url = public.root.resolve().as_uri()
    git(tmp_path, "clone", "-q", "--depth", "1", url, "shallow")
    git(tmp_path, "clone", "-q", url, "whole")
    ran = mkdocs("build", cwd=tmp_path / "shallow")
    assert ran.returncode == 0 and "WARNING" in ran.stderr
    assert "history begins on 2026-08-01" in ran.stderr and "fetch-depth: 0" in ran.stderr
    shallow = Built(tmp_path / "shallow" / "site")
    assert "History begins at 2026-08-01 here." in page(shallow, "changes")
    assert "History begins" not in page(build(tmp_path / "whole"), "changes")
    for name in ("shallow", "whole"):
        at = ("--shelf", tmp_path / name)
        exported = cli("export", "site", tmp_path / f"{name}-pages", *at)
        for ran in (exported, cli("publish", "--dry-run", "--branch", "pages", *at)):
            said = "history begins on 2026-08-01" in ran.err
            assert (ran.code, said) == (0, name == "shallow"), ran


def test_without_git_there_is_no_page_of_changes_and_no_link_to_it(
    sample: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "plain"
    for name, raw in tree(sample.root).items():
        put(folder, name, raw.decode("utf-8"))
    put(folder, "mkdocs.yml", PLUGIN)
    for_all(memshelf.open_shelf(folder))
    site = build(folder)
    assert "changes/index.html" not in site.pages
    assert not [link for one in site.pages.values() for link in one.links if "changes/" in link]
    assert site.broken() == []


def test_the_old_address_of_a_renamed_episode_leads_to_the_new_one(
    public: Store, tmp_path: Path
) -> None:
    old, new = f"docs/topics/{NAME}.md", "docs/topics/2026-01-05-the-year-before.md"
    git(public.root, "mv", old, new)
    text = (public.root / new).read_text("utf-8").replace(NAME, Path(new).stem, 1)
    put(public.root, new, text)
    git(public.root, "commit", "-qam", "a better name")
    site = build(host(tmp_path / "host", public))
    led = site.pages[f"memory/topics/{NAME}/index.html"].links
    assert {link for link in led if link != "data:,"} == {  # its icon is none
        "../../topics/2026-01-05-the-year-before/"
    }
    assert 'http-equiv="refresh"' in page(site, f"memory/topics/{NAME}")
    assert site.broken() == []


# --- files -----------------------------------------------------------------------------------


def test_a_file_that_cannot_be_read_fails_no_strict_build(public: Store) -> None:
    put(public.root, "docs/topics/2026-02-01-broken.md", '---\nid: [\ntitle: "x\n---\n')
    (public.root / "docs/topics/2026-02-02-bytes.md").write_bytes(
        b"---\nid: \xff\xfe\x00\n---\n# x\n"
    )
    put(public.root, "docs/topics/2026-02-03-empty.md", "")
    site = build(public.root)
    assert f"topics/{NAME}/index.html" in site.pages
    assert "problems/index.html" not in site.pages
    assert site.broken() == []


def test_files_beside_episodes_stay_and_files_that_the_settings_name_are_shown(
    public: Store,
) -> None:
    put(public.root, "docs/topics/scan.html", "<p>kept beside an episode</p>\n")
    put(public.root, "docs/styles/own.css", "h1 { color: teal }\n")
    put(public.root, "mkdocs.yml", PLUGIN + "extra_css: [styles/own.css]\n")
    site = build(public.root)
    assert (site.folder / "styles" / "own.css").read_text("utf-8") == "h1 { color: teal }\n"
    assert not (site.folder / "topics" / "scan.html").exists()
    assert site.broken() == []


def test_pages_at_the_top_of_docs_are_the_sites_own(public: Store) -> None:
    put(public.root, "docs/index.md", "# Mine\n\n[An episode](topics/" + NAME + ".md)\n")
    put(public.root, "docs/about.md", "# About\n")
    site = build(public.root)
    assert ">Mine</h1>" in (site.folder / "index.html").read_text("utf-8")
    assert f"topics/{NAME}/" in site.pages["index.html"].links
    assert "about/index.html" in site.pages and site.broken() == []


def test_a_build_that_is_ended_while_it_is_guarded_leaves_no_site(public: Store) -> None:
    put(
        public.root,
        "hook.py",
        "from memshelf.domain import guard\n\n\n"
        "def ended(*_):\n    raise KeyboardInterrupt\n\n\n"
        "def on_config(config):\n    guard.guard = ended\n",
    )
    put(public.root, "mkdocs.yml", PLUGIN + "hooks: [hook.py]\n")
    ran = mkdocs("build", cwd=public.root)
    assert ran.returncode != 0
    assert not (public.root / "site").exists()


def test_a_site_that_is_a_checkout_stays_one_whatever_the_guard_says(public: Store) -> None:
    site = new_repo(public.root / "site")
    (site / "README.md").unlink()
    build(public.root)
    built = json.loads((site / "memshelf-manifest.json").read_text("utf-8"))["files"]
    assert "index.html" in built and not [path for path in built if path.startswith(".git")]
    put(public.root, "docs/notes.md", "# Notes\n\nkey AK" + "IAQ7Z2M4X9P1L8W3K6\n")
    assert mkdocs("build", cwd=public.root).returncode == 1
    assert [path.name for path in site.iterdir()] == [".git"]
    assert git(site, "log", "--format=%s") == "begin"


# --- templates of the shelf's own ------------------------------------------------------------


def test_a_template_of_the_shelfs_own_stands_in_front_of_ours(public: Store) -> None:
    own = source("site/episode.md.j2") + '\n<p class="mine">Ours: {{ item.id }}</p>\n'
    put(public.root, "templates/site/episode.md.j2", own)
    site = build(public.root)
    assert f'<p class="mine">Ours: {NAME}</p>' in page(site, f"topics/{NAME}")
    assert "mine" not in page(site, "threads")


def test_a_template_reaches_nothing_but_what_it_is_given(public: Store) -> None:
    reach = "{{ ''.__class__.__mro__[1].__subclasses__() }}"
    put(public.root, "templates/site/episode.md.j2", reach)
    ran = mkdocs("build", cwd=public.root)
    assert ran.returncode == 1
    assert "The shelf's own templates cannot be rendered" in ran.stderr
    assert "site/episode.md.j2" in ran.stderr and "Traceback" not in ran.stderr
    assert not list((public.root / "site").rglob("*.html"))


# --- the site around it ----------------------------------------------------------------------


def test_a_site_keeps_its_navigation_and_its_search(public: Store, tmp_path: Path) -> None:
    nav = "nav: [{Start: index.md}, {Guide: guide.md}, {Memory: memory/index.md}]\n"
    site = build(host(tmp_path / "host", public, nav))
    text = page(site, f"memory/topics/{NAME}")
    assert text.count('class="md-search"') == 1
    shown = re.findall(
        r'class="md-nav__link[^"]*"[^>]*>\s*<span class="md-ellipsis">\s*(.*?)\s*<', text
    )
    listed = [words for words in shown if words in ("Start", "Guide", "Memory", "Episodes", "Tags")]
    assert set(listed) == {"Start", "Guide", "Memory"}
    index = (site.folder / "search" / "search_index.json").read_text("utf-8")
    assert "How it is done." in index and NAME in index
    assert site.broken() == []


def test_pages_never_leave_the_folder_of_the_site(public: Store, tmp_path: Path) -> None:
    folder = host(tmp_path / "host", public)
    settings = (folder / "mkdocs.yml").read_text("utf-8")
    put(folder, "mkdocs.yml", settings.replace("at: memory", "at: a/../../beside"))
    ran = mkdocs("build", cwd=folder)
    assert ran.returncode == 1 and "is no folder of the site" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (folder / "beside").exists()


@pytest.mark.parametrize("given", ["", "markdown_extensions: [tables]\n"])
def test_what_our_headings_need_is_added_where_it_is_missing(
    public: Store, tmp_path: Path, given: str
) -> None:
    site = build(host(tmp_path / "host", public, given))
    assert 'id="top"' in page(site, f"memory/topics/{NAME}")
    assert "{: #" not in page(site, f"memory/topics/{NAME}")


def test_a_feed_is_there_only_where_the_address_of_the_site_is_known(
    public: Store, tmp_path: Path
) -> None:
    folder = host(tmp_path / "a", public)
    assert not list(build(folder).folder.rglob("feed.xml"))
    assert "No feed: it needs the address" in mkdocs("build", cwd=folder).stderr
    url = "https://example.org/team/"
    site = build(host(tmp_path / "b", public, f"site_url: {url}\n"))
    feed = (site.folder / "memory" / "feed.xml").read_text("utf-8")
    assert f"{url}memory/topics/{NAME}/" in feed
    assert "feed.xml" in " ".join(site.pages["memory/index.html"].links)


def test_the_graph_is_drawn_where_one_episode_names_another(public: Store, tmp_path: Path) -> None:
    site = build(public.root)
    drawn = (site.folder / "assets" / "graph.svg").read_text("utf-8")
    assert (
        "who names whom" in drawn and "../assets/graph.svg" in site.pages["graph/index.html"].links
    )
    edges = json.loads((site.folder / "assets" / "graph.json").read_text("utf-8"))["edges"]
    assert edges and "../assets/graph.json" in site.pages["graph/index.html"].links


def test_settings_of_the_shelf_that_are_not_known_are_told(public: Store) -> None:
    toml = (public.root / "memshelf.toml").read_text("utf-8")
    put(public.root, "memshelf.toml", toml.replace("include =", "inlcude ="))
    ran = mkdocs("build", cwd=public.root)
    assert ran.returncode == 0 and "publish.inlcude" in ran.stderr


def test_a_new_episode_is_on_the_next_build(public: Store) -> None:
    build(public.root)
    put(public.root, "docs/topics/2026-09-01-new.md", episode("2026-09-01-new", "Brand new"))
    site = build(public.root)
    assert "Brand new" in (site.folder / "index.html").read_text("utf-8")
    assert "topics/2026-09-01-new/index.html" in site.pages


@pytest.mark.parametrize("readers", ["team", "public"])
def test_a_team_sees_levels_and_problems_and_the_public_does_not(
    readers: str, sample: Store, cli: Cli, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    made = cli("export", "site", folder, "--for", readers, "--shelf", sample.root)
    assert made.code == 0, made.err
    pages = {path.name: path.read_text("utf-8") for path in folder.rglob("*.md")}
    team = readers == "team"
    assert ("problems.md" in pages) == team
    assert any("visible to: public" in text for text in pages.values()) == team
    assert "remote_name" not in (folder / "mkdocs.yml").read_text("utf-8")
