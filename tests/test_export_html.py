"""`export html`: what the file holds and leaves out, where it may be written, and what stands beside it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Cli
from support import tree

import memshelf
from memshelf.domain.errors import ShelfError, UsageError
from memshelf.domain.sizes import parse_size
from memshelf.storage.store import Store
from memshelf.verbs import export_html as verb

NEWEST, OLDEST = "2026-09-30-release-1-0", "2025-10-14-ultrasonic-over-pressure"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "shelf.html"


def beside(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(out.with_suffix(".manifest.json").read_text("utf-8"))
    return found


def articles(out: Path) -> list[str]:
    return [part.partition('"')[0] for part in out.read_text("utf-8").split('<article id="ep-')[1:]]


def test_the_manifest_says_what_is_in_the_file_and_vouches_for_it(sample: Store, out: Path) -> None:
    made = memshelf.export_html(sample, out=out)
    said = beside(out)
    assert said["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert said["bytes"] == out.stat().st_size == made.bytes
    assert said["episodes"] == articles(out) and len(said["episodes"]) == made.episodes == 28
    assert (said["left_out"], said["as_of"], said["file"]) == ([], "2026-09-30", "shelf.html")


@pytest.mark.parametrize("size", ["80KB", "120KB", "60 KiB"])
def test_a_size_leaves_out_whole_episodes_the_oldest_first_and_names_them(
    sample: Store, out: Path, size: str
) -> None:
    made = memshelf.export_html(sample, out=out, max_size=size)
    assert out.stat().st_size <= parse_size(size)
    inside, gone = articles(out), [one["id"] for one in beside(out)["left_out"]]
    assert inside[0] == NEWEST and gone[-1] == OLDEST and len(inside) + len(gone) == 28
    assert made.left_out == len(gone) > 0
    assert min(name[:10] for name in inside) >= max(name[:10] for name in gone)
    about = out.read_text("utf-8").partition('id="about"')[2]
    assert f"Left out to keep the file small: {len(gone)}" in about
    assert about.count("<li><bdi>") == len(gone)


def test_a_size_that_all_fits_in_leaves_nothing_out(sample: Store, out: Path) -> None:
    memshelf.export_html(sample, out=out)
    whole = out.read_bytes()
    memshelf.export_html(sample, out=out, max_size=str(len(whole)))
    assert out.read_bytes() == whole


def test_a_size_in_which_nothing_fits_is_refused_and_nothing_is_written(
    sample: Store, out: Path
) -> None:
    with pytest.raises(ShelfError, match="hold no episode"):
        memshelf.export_html(sample, out=out, max_size="20KB")
    assert not list(out.parent.glob("shelf*"))


def test_an_empty_shelf_is_a_page_of_no_episodes_which_has_a_size_too(
    store: Store, out: Path
) -> None:
    assert str(memshelf.export_html(store, out=out)).startswith(f"wrote {out}: 0 episodes, ")
    out.unlink()
    with pytest.raises(ShelfError, match="hold no page: an empty one has"):
        memshelf.export_html(store, out=out, max_size="10KB")
    assert not out.exists()


@pytest.mark.parametrize("size", ["", "5", "5MB", "1.5 mib", "800k"])
def test_sizes_are_read(size: str) -> None:
    if size:
        assert parse_size(size) > 0


@pytest.mark.parametrize("size", ["0", "-5MB", "five", "5TB", "1e9", "MB"])
def test_what_is_no_size_is_said(size: str) -> None:
    with pytest.raises(UsageError, match="is no size"):
        parse_size(size)


@pytest.mark.parametrize(
    ("chosen", "count"),
    [
        ({"quarters": ["2026Q3"]}, 8),
        ({"kinds": ["research"]}, 7),
        ({"ids": [NEWEST, OLDEST]}, 2),
        ({"quarters": ["2026Q3"], "kinds": ["research"]}, 2),
    ],
)
def test_what_is_chosen_is_in_the_file_and_the_rest_in_the_manifest(
    sample: Store, out: Path, chosen: dict[str, list[str]], count: int
) -> None:
    memshelf.export_html(sample, out=out, **chosen)
    assert len(articles(out)) == count and len(beside(out)["left_out"]) == 28 - count


def test_what_readers_may_not_see_leaves_no_trace_in_the_page(store: Store, out: Path) -> None:
    for name, level, text in (
        ("2026-01-05-open", "public", "See 2026-01-06-hidden."),
        ("2026-01-06-hidden", "private", "The canary sings."),
    ):
        memshelf.shelve(
            store,
            slug=name,
            display_title=f"Title of {level}",
            digest=f"It was decided to sing. Open: nothing. {text}",
            sections={"Decisions": f"- Sing. {text}"},
            tags=[f"tag-{level}"],
            visibility=level,
        )
    memshelf.export_html(store, out=out, visibilities=["public"])
    page = out.read_text("utf-8")
    assert "(private episode)" in page and articles(out) == ["2026-01-05-open"]
    for canary in ("canary", "2026-01-06-hidden", "Title of private", "tag-private", "2 episodes"):
        assert canary not in page


def test_the_index_alone_has_no_bodies(sample: Store, out: Path) -> None:
    made = memshelf.export_html(sample, out=out, index_only=True)
    assert articles(out) == beside(out)["episodes"] == [] and made.episodes == 0
    assert "Version 1.0 promises addresses" in out.read_text("utf-8")
    assert str(made).startswith(f"wrote {out}: the index of 28 episodes")


def test_a_file_that_cannot_be_read_is_named_once_in_the_page_and_its_manifest(
    sample: Store, out: Path
) -> None:
    name = "docs/topics/2026-01-09-bytes.md"
    (sample.root / name).write_bytes(b"---\n\xff\n---\n")
    memshelf.export_html(sample, out=out)
    said = f"{name} is not UTF-8 (byte 4)."
    assert f"<li>{said} Save it as UTF-8.</li>" in out.read_text("utf-8")
    assert beside(out)["problems"] == [said]


def test_an_index_that_must_be_small_lists_as_many_as_fit(sample: Store, out: Path) -> None:
    whole = memshelf.export_html(sample, out=out, index_only=True)
    made = memshelf.export_html(sample, out=out, index_only=True, max_size=str(whole.bytes - 1000))
    assert out.stat().st_size < whole.bytes and 14 < made.listed < 28
    assert made.left_out == 28 - made.listed == len(beside(out)["left_out"])


def test_a_page_of_a_part_says_which_part_and_how_much_is_not_in_it(
    sample: Store, out: Path
) -> None:
    memshelf.export_html(sample, out=out, quarters=["2026Q3"], kinds=["research"])
    page = out.read_text("utf-8")
    head, about = page.partition("</header>")[0], page.partition('id="about"')[2]
    assert "<p><bdi>2026Q3, of kind research</bdi></p>" in head
    assert "It holds 2 episodes. Not in it: 20 of another quarter, 6 of another kind." in about
    memshelf.export_html(memshelf.open_shelf(sample.root), out=out)
    assert "Not in it" not in out.read_text("utf-8")


def test_what_readers_may_not_see_is_not_said_to_be_left_out(store: Store, out: Path) -> None:
    said = {"digest": "The team chose. Open: nothing.", "sections": {"Decisions": "- One."}}
    for name, level in (("2026-01-05-open", "public"), ("2026-01-06-hidden", "private")):
        memshelf.shelve(store, slug=name, visibility=level, tags=[level], **said)
    memshelf.export_html(store, out=out, visibilities=["public"], tags=["public"])
    page = out.read_text("utf-8")
    assert "<bdi>tagged public</bdi>" in page and "Not in it" not in page


@pytest.mark.parametrize(
    "place",
    ["docs/x.html", "stats.svg", "INDEX.md", "retros/x.html", ".git/x.html", "shelf.yml", "a.md"],
)
def test_the_shelfs_own_files_are_never_overwritten(sample: Store, place: str) -> None:
    before = tree(sample.root)
    with pytest.raises(ShelfError, match="own files"):
        memshelf.export_html(sample, out=sample.root / place)
    assert tree(sample.root) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
def test_a_device_or_a_pipe_is_never_replaced_by_a_file(sample: Store, tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for place in (pipe, link):
        with pytest.raises(ShelfError, match="is no file but a device or a pipe"):
            memshelf.export_html(sample, out=place)
    assert pipe.is_fifo() and link.is_symlink()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (".", "is a folder"),
        ("gone/x.html", "There is no folder gone"),
        ("page.html/x.html", "There is no folder page.html"),
        ("-", "- is no name of a file"),
    ],
)
def test_what_is_no_place_for_a_file_is_said_before_anything_is_rendered(
    sample: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").write_text("a page")
    monkeypatch.setattr(sample, "read", lambda *_, **__: pytest.fail("the shelf was read"))
    with pytest.raises(ShelfError, match=said):
        memshelf.export_html(sample, out=Path(place))
    assert [path.name for path in tmp_path.glob("*.html")] == ["page.html"]


def test_a_link_stays_and_what_it_leads_to_is_written(sample: Store, tmp_path: Path) -> None:
    link, there = tmp_path / "link.html", tmp_path / "there.html"
    link.symlink_to(there)
    memshelf.export_html(sample, out=link)
    assert link.is_symlink() and len(articles(there)) == 28
    link.unlink()
    link.symlink_to(sample.root / "INDEX.md")
    with pytest.raises(ShelfError, match="own files"):
        memshelf.export_html(sample, out=link)


def test_a_large_page_is_asked_about_before_it_is_written(
    sample: Store, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(verb, "LARGE", 1000)
    sample.ask = lambda question: bool(asked.append(question))
    with pytest.raises(ShelfError, match="Nothing was written"):
        memshelf.export_html(sample, out=out)
    assert not out.exists() and "28 episodes" in asked[0] and "--max-size" in asked[0]
    sample.ask = lambda question: True
    memshelf.export_html(sample, out=out)
    assert out.exists()


def test_after_writing_it_says_how_the_file_gets_to_a_phone(
    sample: Store, out: Path, cli: Cli
) -> None:
    ran = cli("export", "html", "--shelf", sample.root, "--out", out)
    assert ran.out.startswith(f"wrote {out}: 28 episodes, ") and ran.code == 0
    lines = ran.err.splitlines()
    assert len(lines) == 3 and "AirDrop" in lines[0] and "iPhone" in lines[1]
    assert lines[2].endswith(f"memshelf export epub --out {out.with_suffix('.epub')}")


@pytest.mark.parametrize(
    "asked",
    ["--visibility public --tag api --kind topic", "--for public", f"--rev HEAD --id {OLDEST}"],
)
def test_the_book_that_is_proposed_holds_no_more_than_the_page(
    sample: Store, tmp_path: Path, cli: Cli, asked: str
) -> None:
    out = tmp_path / "for others.html"
    ran = cli("export", "html", "--shelf", sample.root, *asked.split(), "--out", out)
    words = shlex.split(ran.err.splitlines()[-1].partition(": ")[2])
    assert words[:3] == ["memshelf", "export", "epub"]
    assert words[-2:] == ["--out", str(out.with_suffix(".epub"))]
    assert sorted(words[3:-2]) == sorted(asked.split())
    assert cli(*words[1:], "--shelf", sample.root).code == 0


def test_mirror_is_the_same_page_with_the_peers_flags(sample: Store, out: Path, cli: Cli) -> None:
    where = ("--shelf", sample.root, "--out", out)
    assert cli("mirror", "--all", *where).code == 0
    whole = out.read_bytes()
    memshelf.export_html(sample, out=out)
    assert out.read_bytes() == whole
    assert cli("mirror", *where).code == 0 and articles(out) == []
    assert cli("mirror", "--episode", NEWEST, *where).code == 0 and articles(out) == [NEWEST]
    assert cli("mirror", "--episode", "2026-09-30-relase", *where).code == 1


def test_a_shelfs_own_template_is_used_and_kept_in_its_sandbox(sample: Store, out: Path) -> None:
    own = sample.root / "templates" / "article.html.j2"
    own.parent.mkdir()
    own.write_text("<article>{{ item.title }} of the house</article>\n")
    memshelf.export_html(sample, out=out)
    assert out.read_text("utf-8").count("of the house</article>") == 28
    for bad in ("{{ item.__class__.__mro__ }}", "{{ nothing }}", "{% if %}", "{{ 1 // 0 }}"):
        own.write_text(bad)
        with pytest.raises(ShelfError, match=r"own templates cannot .*: article\.html\.j2\."):
            memshelf.export_html(sample, out=out)


@pytest.mark.parametrize("name", ["real_shelf", "peer_shelf"])
def test_a_shelf_by_another_hand_is_whole_in_the_file(
    name: str, out: Path, request: pytest.FixtureRequest, invalid: Callable[[bytes], list[str]]
) -> None:
    store: Store = request.getfixturevalue(name)
    entries = store.read().entries
    memshelf.export_html(store, out=out)
    page = out.read_text("utf-8")
    assert articles(out) == [entry.id for entry in reversed(entries)] == beside(out)["episodes"]
    sections = sum(len(store.episode(entry.path).sections) for entry in entries)
    assert page.count("<h3") == sections + page.count("<h3>Newest") + page.count(
        "<h3>Open longest"
    ) + page.count("<h3>Latest")
    assert invalid(out.read_bytes()) == []


def test_the_page_of_one_episode_is_as_the_golden_file_shows_it(
    sample: Store, out: Path, update: bool
) -> None:
    memshelf.export_html(sample, out=out, ids=["2026-02-17-storm-night-at-lantern-quay"])
    page = out.read_text("utf-8")
    shown = page[page.index("<body>") : page.index("<script>")]
    golden = ROOT / "tests" / "golden" / "html" / "one-episode.html"
    if update:
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(shown, "utf-8", newline="\n")
    assert golden.read_text("utf-8") == shown


def test_a_second_export_makes_only_what_has_changed_and_the_same_page(
    sample: Store, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memshelf.render import article

    made: list[str] = []
    make = article.Book._article
    monkeypatch.setattr(
        article.Book,
        "_article",
        lambda self, entry, bodies: made.append(entry.id) or make(self, entry, bodies),
    )
    memshelf.export_html(sample, out=out)
    first = out.read_bytes()
    assert len(made) == 28
    memshelf.export_html(memshelf.open_shelf(sample.root), out=out)
    assert len(made) == 28 and out.read_bytes() == first
    episode = sample.root / "docs/topics" / f"{NEWEST}.md"
    episode.write_text(episode.read_text("utf-8") + "\nSee 2026-03-05-nul-glubin.\n", "utf-8")
    memshelf.export_html(memshelf.open_shelf(sample.root), out=out)
    assert {NEWEST, "2026-03-05-nul-glubin"} <= set(made[28:]) and len(made) < 28 + 5
    changed = out.read_bytes()
    shutil.rmtree(Path(os.environ["MEMSHELF_CACHE_DIR"]))
    memshelf.export_html(memshelf.open_shelf(sample.root), out=out)
    assert out.read_bytes() == changed


def test_spellings_of_a_tag_are_one_group_under_the_name_that_most_episodes_use(
    store: Store, out: Path
) -> None:
    def tagged(day: int, *tags: str) -> None:
        slug = f"2026-01-{day:02}-x"
        said = {"digest": "The team chose. Open: nothing.", "sections": {"Decisions": "- One."}}
        memshelf.shelve(store, slug=slug, tags=list(tags), **said)

    def groups() -> list[str]:
        page = out.read_text("utf-8").partition('<nav id="tags"')[2].partition("</nav>")[0]
        return re.findall(r'<details data-tag="(.*?)">.*?<span class="count">(\d+)', page, re.S)

    for day, tags in enumerate([("Postgres",), ("postgres",), ("Postgrès", "postgres")], start=1):
        tagged(day, *tags)
    memshelf.export_html(store, out=out)
    assert groups() == [("postgres", "3")]
    assert '<bdi class="tag" data-tag="postgres">Postgrès</bdi>' in out.read_text("utf-8")
    tagged(4, "Postgres")
    tagged(5, "Postgres")
    memshelf.export_html(memshelf.open_shelf(store.root), out=out)
    changed = out.read_bytes()
    assert groups() == [("Postgres", "5")]
    assert changed.count(b'data-tag="Postgres">') == 1 + 3  # the group, the cells
    shutil.rmtree(Path(os.environ["MEMSHELF_CACHE_DIR"]))
    memshelf.export_html(memshelf.open_shelf(store.root), out=out)
    assert out.read_bytes() == changed
