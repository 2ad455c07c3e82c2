"""A shelf as a site: pages that MkDocs builds strictly, and where their links lead."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from attacks import ATTACKS
from bench.shelves import write
from conftest import ROOT, Cli
from gitkit import git, put
from sitekit import PLUGIN, Built, build, for_all, mkdocs
from support import episode, tree

import memshelf
from memshelf.render.site_find import part, text_of
from memshelf.render.site_form import heading, signs
from memshelf.render.site_places import heading_anchors, page_name
from memshelf.storage.store import Store

EVIL = "x <img src=x onerror=alert(1)> [a](javascript:b) **c** {{ x }} {: onclick=y } | d"


def exported(cli: Cli, store: Store, folder: Path, *flags: object) -> Path:
    found = cli("export", "site", folder, *flags, "--shelf", store.root)
    assert found.code == 0, found.err
    return folder


def test_a_file_of_another_hand_is_refused_however_often_a_page_goes_there(
    cli: Cli, sample: Store, tmp_path: Path
) -> None:
    folder, name = exported(cli, sample, tmp_path / "site"), "2026-11-02-later"
    put(sample.root, f"docs/topics/{name}.md", episode(name, "Later"))
    mine = put(folder, f"docs/topics/{name}.md", "mine\n")
    for _ in range(3):
        found = cli("export", "site", folder, "--shelf", sample.root)
        assert found.code == 1 and "is not memshelf's" in found.err
        assert mine.read_text("utf-8") == "mine\n"
    mine.unlink()
    exported(cli, sample, folder)
    assert "Later" in mine.read_text("utf-8")


# --- pages -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sample", "real_shelf", "peer_shelf"])
def test_a_shelf_builds_strictly_and_every_link_leads_somewhere(
    name: str, request: pytest.FixtureRequest, cli: Cli, tmp_path: Path
) -> None:
    store: Store = request.getfixturevalue(name)
    site = build(exported(cli, store, tmp_path / "site"))
    shelf = store.read()
    assert shelf.entries and len(site.pages) > len(shelf.entries)
    assert site.broken() == []


def test_a_page_says_who_made_it_with_what_and_shows_no_mail(
    cli: Cli, store: Store, tmp_path: Path
) -> None:
    name = "2026-01-05-tides"
    more = 'author: "Ann Lee <ann@tides.example>"\nagent: "claude-code 2.1"\nsession: s1\n'
    text = episode(name, "Tides").replace("kind: topic\n", f"kind: topic\n{more}")
    put(store.root, f"docs/topics/{name}.md", text)
    git(store.root, "add", "-A")
    git(store.root, "-c", "user.name=bob@tides.example", "commit", "-qm", "x")
    folder = exported(cli, store, tmp_path / "site")
    page = (folder / "docs/topics" / f"{name}.md").read_text("utf-8")
    assert "author: Ann Lee · agent: claude-code 2.1 · session: s1" in page
    assert " by bob ·" in page and "tides.example" not in page


def test_a_site_of_700_generated_episodes_builds_strictly(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path / "shelf", 700)
    store = memshelf.open_shelf(tmp_path / "shelf")
    site = build(exported(cli, store, tmp_path / "site"))
    assert len([name for name in site.pages if name.count("/") == 1]) >= 700
    assert site.broken() == []


def test_what_an_attack_writes_stays_text(cli: Cli, store: Store, tmp_path: Path) -> None:
    for place, (_, text) in enumerate(ATTACKS[:60]):
        body = f"## Digest\nd\n\n## {EVIL}\n{text}\n\n## Open threads\n- {EVIL}\n"
        front = f"---\nid: 2026-01-01-a{place}\nkind: topic\ntags: [{json.dumps(EVIL)}]\n---\n"
        put(store.root, f"docs/topics/2026-01-01-a{place}.md", f"{front}\n# {EVIL}\n\n{body}")
    site = build(exported(cli, store, tmp_path / "site"))
    handlers = {one for page in site.pages.values() for one in page.handlers}
    assert handlers == set()
    text = (site.folder / "topics" / "2026-01-01-a0.html").read_text("utf-8")
    assert "{{" not in text and "&#123;&#123; x &#125;&#125;" in text
    assert not re.search(r"<img[^>]* src=.?x", text)


def test_the_same_shelf_gives_the_same_files(cli: Cli, sample: Store, tmp_path: Path) -> None:
    first = exported(cli, sample, tmp_path / "a")
    exported(cli, sample, tmp_path / "b")
    files = [path.relative_to(first) for path in first.rglob("*") if path.is_file()]
    assert len(files) > 30
    assert all(
        (tmp_path / "b" / path).read_bytes() == (first / path).read_bytes() for path in files
    )


def test_a_second_export_writes_what_changed_and_removes_what_has_gone(
    cli: Cli, sample: Store, tmp_path: Path
) -> None:
    folder = exported(cli, sample, tmp_path / "site")
    again = json.loads(cli("export", "site", folder, "--shelf", sample.root, "--json").out)
    assert again["written"] == again["removed"] == 0
    gone = next((sample.root / "docs" / "sessions").glob("*.md"))
    gone.unlink()
    changed = json.loads(cli("export", "site", folder, "--shelf", sample.root, "--json").out)
    assert changed["removed"] == 1 and 0 < changed["written"] < changed["files"]
    assert not (folder / "docs" / "sessions" / gone.name).exists()
    fresh = exported(cli, sample, tmp_path / "fresh")
    assert _contents(folder) == _contents(fresh)


def _contents(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in found if p.name[0] != "."}


def test_a_folder_of_somebody_else_is_left_alone(cli: Cli, sample: Store, tmp_path: Path) -> None:
    put(tmp_path / "theirs", "notes.txt", "mine")
    refused = cli("export", "site", tmp_path / "theirs", "--shelf", sample.root)
    assert refused.code == 1 and "memshelf has not written them" in refused.err
    for place in (sample.root, sample.root / "docs" / "x", tmp_path):
        assert cli("export", "site", place, "--shelf", sample.root).code == 1
    assert [path.name for path in (tmp_path / "theirs").iterdir()] == ["notes.txt"]


def test_an_address_that_is_none_is_refused(cli: Cli, sample: Store, tmp_path: Path) -> None:
    words = ("export", "site", tmp_path / "site", "--site-url", "example.org")
    ran = cli(*words, "--shelf", sample.root)
    assert ran.code == 2 and "https://example.org/" in ran.err
    assert not (tmp_path / "site").exists()


def test_an_empty_shelf_has_a_home_that_says_so(cli: Cli, store: Store, tmp_path: Path) -> None:
    site = build(exported(cli, store, tmp_path / "site"))
    assert "Nothing here yet." in (site.folder / "index.html").read_text("utf-8")
    assert site.broken() == []


def test_an_export_that_was_cut_short_is_finished_by_the_next(
    cli: Cli, sample: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memshelf.render.site import Site

    def cut(self: Site):  # type: ignore[no-untyped-def]
        yield from list(whole(self))[:5]
        raise KeyboardInterrupt

    whole = Site.pages
    monkeypatch.setattr(Site, "pages", cut)
    assert cli("export", "site", tmp_path / "site", "--shelf", sample.root).code != 0
    monkeypatch.undo()
    exported(cli, sample, tmp_path / "site")


def test_an_export_that_was_killed_is_finished_by_the_next(
    cli: Cli, sample: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    killed = (
        "import os, sys\nfrom memshelf.storage import folder\nwrite = folder._write\n\n\n"
        "def slain(path, data):\n    write(path, data)\n"
        "    if path.as_posix().endswith('/docs/threads.md'):\n"
        "        path.write_bytes(b'half')\n        os._exit(9)\n\n\n"
        "folder._write = slain\nfrom memshelf.surfaces.cli import main\nmain()\n"
    )
    words = ["export", "site", str(folder), "--shelf", str(sample.root)]
    ran = subprocess.run([sys.executable, "-c", killed, *words], check=False, capture_output=True)
    assert ran.returncode == 9, ran
    assert (folder / "docs/threads.md").read_bytes() == b"half"
    exported(cli, sample, folder)
    assert tree(folder) == tree(exported(cli, sample, tmp_path / "fresh"))


# --- the plugin ------------------------------------------------------------------------------


@pytest.fixture
def public(sample: Store) -> Store:
    """The sample shelf, all of it for everybody."""
    return for_all(sample)


def test_the_plugin_replaces_the_shelfs_own_files_by_pages(public: Store) -> None:
    sample = public
    put(sample.root, "mkdocs.yml", PLUGIN)
    before = {path for path in sample.root.rglob("*") if ".git" not in path.parts}
    site = Built(sample.root.parent / "out")
    build(sample.root, "--site-dir", site.folder)
    assert before == {path for path in sample.root.rglob("*") if ".git" not in path.parts}
    assert site.broken() == []
    text = (site.folder / "topics" / "2026-01-05-rollup-2025q4" / "index.html").read_text("utf-8")
    assert 'id="digest"' in text and "approx_tokens" not in text


def test_a_shelf_inside_the_docs_of_a_site_stands_below_its_folder(
    public: Store, tmp_path: Path
) -> None:
    host = tmp_path / "host"
    put(host, "docs/index.md", "# Host\n\n[Memory](memory/index.md)\n")
    public.root.rename(host / "docs" / "memory")
    put(host, "mkdocs.yml", PLUGIN.replace("[memshelf]", "[{memshelf: {shelf: docs/memory}}]"))
    site = build(host)
    assert site.broken() == []
    assert "memory/index.html" in site.pages and "index.html" in site.pages
    assert not list(site.folder.rglob("*.toml")) and not list(site.folder.rglob("*.tsv"))


# --- pieces ----------------------------------------------------------------------------------


def test_a_heading_holds_no_sign_that_an_extension_knows() -> None:
    made = str(heading(2, EVIL, "a"))
    assert made.startswith("## ") and made.count("{") <= 1 and "<" not in made
    assert signs("a-b, c. d'") == "a-b, c. d&#39;"


def test_a_heading_keeps_its_place_when_another_is_added() -> None:
    before = heading_anchors(["Решения", "決定", "C++", "C#"])
    after = heading_anchors(["Neu", "Решения", "C", "決定", "C#", "C++"])
    assert len(set(after)) == 6 and set(before) <= set(after)
    assert heading_anchors(["t1", "Digest"], ["digest"]) == ["s-t1", "digest-2"]


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("docs/topics/2026-01-01-a.md", "topics/2026-01-01-a.md"),
        ("archive/docs/topics/a.md", "archive/topics/a.md"),
        ("docs/templates/a.md", "_templates/a.md"),
        ("docs/topics/README.md", "topics/_README.md"),
        ("docs/topics/a b#c?.md", "topics/a_20_b_23_c_3f_.md"),
        ("docs/topics/日本語.md", "topics/日本語.md"),
    ],
)
def test_a_page_has_a_name_that_every_disk_and_server_takes(path: str, page: str) -> None:
    assert page_name(path) == page


def test_a_part_of_the_search_ends_no_script() -> None:
    made = part("text-0", ["</script><!-- \u2028 &amp;"])
    assert "<" not in made and "\u2028" not in made


def test_the_words_of_a_body_are_what_one_reads() -> None:
    assert text_of(("<p>a &lt;b&gt;\n", "<code>c</code></p>")) == "a <b> c"


def test_the_plugin_builds_nothing_of_a_shelf_that_does_not_publish(sample: Store) -> None:
    put(sample.root, "mkdocs.yml", PLUGIN)
    ran = mkdocs("build", "--strict", cwd=sample.root)
    assert ran.returncode == 1 and "[publish]" in ran.stderr
    assert not list((sample.root / "site").rglob("*.html"))


def test_what_the_guard_stops_is_taken_away_again(public: Store) -> None:
    secret = "AK" + "IA" + "Q7Z2M4X9P1L8W3K6"
    put(public.root, "docs/notes.md", f"# A page of the site's own\n\nkey {secret}\n")
    put(public.root, "mkdocs.yml", PLUGIN)
    ran = mkdocs("build", cwd=public.root)
    assert ran.returncode == 1 and "notes/index.html" in ran.stderr
    assert secret not in ran.stderr and not (public.root / "site").exists()


def test_a_page_that_was_parted_for_markdown_is_whole_again(
    public: Store, cli: Cli, tmp_path: Path
) -> None:
    """What the plugin builds is what MkDocs makes of the exported page."""
    put(public.root, "mkdocs.yml", PLUGIN + "use_directory_urls: false\n")
    ours = build(exported(cli, public, tmp_path / "site", "--for", "public"))
    theirs = Built(tmp_path / "out")
    build(public.root, "--site-dir", theirs.folder)
    assert len(theirs.pages) == len(ours.pages) > 60
    for name in ours.pages:
        if name != "404.html":
            assert _article(theirs.folder / name) == _article(ours.folder / name), name


def _article(page: Path) -> list[str]:
    text = page.read_text("utf-8")
    inside = text[text.index("<h1") : text.index("</article>")]
    return [line.strip() for line in inside.splitlines() if line.strip()]


def test_a_link_of_a_template_that_leads_nowhere_is_named(
    public: Store, cli: Cli, tmp_path: Path
) -> None:
    ours = (ROOT / "site_templates" / "site" / "episode.md.j2").read_text("utf-8")
    lost = '<p><a href="../nowhere.html">x</a> <a href="#lost">y</a> <a href="#digest">z</a></p>'
    put(
        public.root,
        "templates/site/episode.md.j2",
        ours.replace('<p class="small">To recall', f'{lost}\n<p class="small">To recall'),
    )
    found = cli("export", "site", tmp_path / "site", "--shelf", public.root)
    assert found.code == 0 and "broken-link: topics/" in found.err
    assert "../nowhere.html" in found.err and "#lost" in found.err and "#digest" not in found.err
    put(public.root, "mkdocs.yml", PLUGIN)
    ran = mkdocs("build", "--strict", cwd=public.root)
    assert ran.returncode == 1 and "leads nowhere" in ran.stderr

    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(public.root, "remote", "add", "origin", str(tmp_path / "remote.git"))
    refused = cli("publish", "--shelf", public.root)
    assert refused.code == 1 and "nothing was published" in refused.err
    assert "../nowhere.html" in refused.err and "#digest" not in refused.err
    assert git(tmp_path / "remote.git", "branch") == ""


def test_marks_of_markdown_are_not_shown_where_a_line_is_quoted(
    real_shelf: Store, cli: Cli, tmp_path: Path
) -> None:
    folder = exported(cli, real_shelf, tmp_path / "site")
    home = (folder / "docs" / "index.md").read_text("utf-8")
    assert "memshelf search … | head даёт" in home and "`memshelf search" not in home
    quoted = [
        line
        for path in folder.rglob("*.md")
        for line in path.read_text("utf-8").split("\n")
        if "<q " in line
    ]
    assert quoted and not any("`" in line or "**" in line for line in quoted)
