"""The book: what stands in it and where, that it is valid, and that nothing in it acts."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attacks import TEXTS
from conftest import Cli, same_anywhere
from support import add
from support import episode as text_of
from test_render_html import episode, of_files, shelf_of

import memshelf
from memshelf.domain.choosing import Choice, chosen
from memshelf.domain.episode import format_episode
from memshelf.domain.errors import EpisodeNotFound, ShelfError, UsageError
from memshelf.domain.page import Page
from memshelf.domain.shelf import Shelf
from memshelf.render import epub as renderer
from memshelf.render import epub_lists, epub_plan
from memshelf.render.epub import Shared, epub, volumes
from memshelf.render.xhtml import xhtml
from memshelf.render.zipped import zipped
from memshelf.storage.store import Store

GOLDEN = Path(__file__).parent / "golden" / "epub"
XHTML = "{http://www.w3.org/1999/xhtml}"
OPF = "{http://www.idpf.org/2007/opf}"


class Opened:
    """A book taken apart: its files, every page parsed, its links all leading somewhere."""

    def __init__(self, data: bytes) -> None:
        self.archive = zipfile.ZipFile(io.BytesIO(data))
        self.names = self.archive.namelist()
        self.pages = {
            name.removeprefix("EPUB/"): ET.fromstring(self.archive.read(name))
            for name in self.names
            if name.endswith((".xhtml", ".opf", ".ncx", ".xml"))
        }
        self.spine = [self._files[ref.attrib["idref"]] for ref in self._package("itemref")]
        self._whole()

    def _package(self, tag: str) -> list[ET.Element]:
        return list(self.pages["package.opf"].iter(OPF + tag))

    @property
    def _files(self) -> dict[str, str]:
        return {item.attrib["id"]: item.attrib["href"] for item in self._package("item")}

    def _whole(self) -> None:
        """Every file is in the manifest, every page in the spine, and every link leads to a place."""
        listed = {f"EPUB/{file}" for file in self._files.values()}
        assert listed | {"mimetype", "META-INF/container.xml", "EPUB/package.opf"} == set(
            self.names
        )
        assert {name for name in self.pages if name.endswith(".xhtml")} == {
            *self.spine,
            "nav.xhtml",
        }
        for file, page in self.pages.items():
            ids = [node.attrib["id"] for node in page.iter() if "id" in node.attrib]
            assert len(ids) == len(set(ids)), file
            for target in self.links(file):
                there, _, anchor = target.partition("#")
                assert there in self.pages, target
                assert not anchor or self.at(target) is not None, f"{file}: {target}"

    def links(self, file: str) -> Iterator[str]:
        """Where the links of a page lead inside the book."""
        for node in self.pages[file].iter():
            target = node.attrib.get("href" if file.endswith(".xhtml") else "src", "")
            if node.tag.endswith(("}a", "}content")) and not re.match(
                "(?i)https?:|mailto:", target
            ):
                yield target

    def at(self, target: str) -> ET.Element | None:
        """What an address of the book names."""
        file, _, anchor = target.partition("#")
        found = (node for node in self.pages[file].iter() if node.attrib.get("id") == anchor)
        return next(found, None)

    def text(self, file: str) -> str:
        """The words of a page, on one line."""
        return " ".join("".join(self.pages[file].find(f".//{XHTML}body").itertext()).split())  # type: ignore[union-attr]

    def source(self, file: str) -> str:
        return self.archive.read(f"EPUB/{file}").decode("utf-8")

    def meta(self, name: str) -> str:
        """A value of the package's metadata, by the end of its tag or by its property."""
        nodes = self.pages["package.opf"].iter()
        return next(
            str(n.text) for n in nodes if n.tag.endswith("}" + name) or n.get("property") == name
        )


def made(shelf: Shelf, **choice: Any) -> bytes:
    found = chosen(shelf, Choice.make(**choice))
    (volume,) = volumes(found)
    return epub(Shared.of(found), volume, stored=True)


def book(shelf: Shelf, **choice: Any) -> Opened:
    return Opened(made(shelf, **choice))


# --- valid -----------------------------------------------------------------------------------


def hostile() -> Shelf:
    """Every attack in every place of an episode, each episode among good ones."""
    texts = {"docs/topics/2026-01-01-target.md": format_episode(episode("2026-01-01-target"))}
    for number, attack in enumerate(TEXTS):
        line = " ".join(attack.split())
        front = {
            "id": f"2026-01-02-a{number}", "kind": line, "display_title": line, "tags": [line, "x"],
            "description": line, "lang": line, "span": f"..{line}", "retain_until": line,
            "supersedes": [line, "2026-01-01-target"], "approx_tokens": 1,
        }  # fmt: skip
        head = "".join(f"{key}: {json.dumps(value)}\n" for key, value in front.items())
        texts[f"docs/topics/2026-01-02-a{number}.md"] = (
            f"---\n{head}---\n\n## Digest\n{attack}\n\n## {line}\n{attack}\n\n## Decisions\n- {line}\n"
            f"\n## Open threads\n- {line}\n"
        )
    for place, name in enumerate(('a "b" <c>', "Файл", "é", "_e9_", "100%", "a#b?c", "x²", "🚀")):
        texts[f"docs/topics/old{place}.md"] = (
            f"# x\n\n---\nid: {json.dumps(name)}\n---\n\n## Digest\nSee [it](old{place}.md).\n"
        )
    urls = "\n\n".join(f"[x](<{url}>) <{url}> {url}" for url in URLS)
    texts["docs/topics/2026-01-03-urls.md"] = (
        f"---\nid: 2026-01-03-urls\n---\n\n## Digest\n{urls}\n"
    )
    return of_files(texts, name=TEXTS[3])


URLS = (
    *("http://a b", "http://", "http://:80", "https://a:999999", "http://[::1]/", "http://a..b/"),
    *("http://-a/", "http://a/%zz", "http://a/?q=[x]", "http://a/#a#b", "http://münchen.de/ü"),
    *("http://user:pw@host/", "mailto:", "mailto:a b", "mailto:a@b?subject=x y", "http://a/{x}"),
    *('http://a/"', "http://a/\\b", "HTTP://A/", "http://1.2.3.4.5/", "http://256.1.1.1/"),
    *("http://0x7f/", "https://ex_ample.com/", "http://.", "http://a/`^|", "https://a.b/c(d)e"),
    *("http://xn--/", "http://a.-b/", "http://1e400/", "http://08.1/", "http://a.1/"),
)


@pytest.mark.parametrize("what", ["sample", "hostile", "empty"])
def test_a_book_is_valid(
    what: str, sample: Store, tmp_path: Path, epub_faults: Callable[[Path], list[str]]
) -> None:
    shelf = {"sample": sample.read, "hostile": hostile, "empty": Shelf}[what]()
    path = tmp_path / "book.epub"
    path.write_bytes(made(shelf))
    Opened(path.read_bytes())
    assert epub_faults(path) == []


@pytest.mark.shared
def test_books_of_shelves_by_other_hands_are_whole(
    real_shelf: Store, peer_shelf: Store, tmp_path: Path, epub_faults: Callable[[Path], list[str]]
) -> None:
    real, peer = real_shelf.read(), peer_shelf.read()
    found = book(real)
    assert "6 episodes: 2 topics, 4 sessions" in found.text("title.xhtml")
    # 22 items of lists, and one section of four bare lines
    assert found.source("threads.xhtml").count("<li>") == 22 + 4
    assert len(Opened(made(peer)).pages["nav.xhtml"].findall(f".//{XHTML}nav//{XHTML}a")) > 14
    path = tmp_path / "book.epub"
    path.write_bytes(made(real))
    assert epub_faults(path) == []


# --- what stands in it -----------------------------------------------------------------------


def test_the_books_files_and_package_are_as_expected(sample: Store, update: bool) -> None:
    opened = book(sample.read())
    wanted = {
        "files.txt": "".join(f"{name}\n" for name in opened.names),
        "package.opf": opened.source("package.opf"),
        "nav.xhtml": opened.source("nav.xhtml"),
        "2026-01.xhtml": opened.source("2026-01.xhtml"),
    }
    for name, text in wanted.items():
        if update:
            GOLDEN.mkdir(parents=True, exist_ok=True)
            (GOLDEN / name).write_text(text, "utf-8", newline="\n")
        assert (GOLDEN / name).read_text("utf-8") == text, f"{name}: pytest --update writes it anew"


def test_a_book_has_a_part_for_each_year_and_a_chapter_for_each_month_newest_first() -> None:
    names = ("2026-02-01-a", "2026-02-09-b", "2026-01-31-c", "2024-12-31-d", "note")
    opened = book(shelf_of(*map(episode, names)))
    assert opened.spine == [
        *("title.xhtml", "start.xhtml", "2026.xhtml", "2026-02.xhtml", "2026-01.xhtml"),
        *("2024.xhtml", "2024-12.xhtml", "undated.xhtml", "undated-episodes.xhtml"),
        *("tags.xhtml", "decisions.xhtml", "threads.xhtml", "left-out.xhtml"),
    ]
    assert opened.text("2026.xhtml") == "2026 February 2026 2 episodes January 2026 1 episode"
    ids = [node.attrib["id"] for node in opened.pages["2026-02.xhtml"].iter(XHTML + "article")]
    assert ids == ["ep-2026-02-09-b", "ep-2026-02-01-a"]
    toc = opened.pages["nav.xhtml"].find(f".//{XHTML}nav")
    assert toc is not None
    links = [link.attrib["href"] for link in toc.iter(XHTML + "a")]
    assert links[2:6] == ["2026.xhtml", "2026-02.xhtml", *(f"2026-02.xhtml#{name}" for name in ids)]
    ncx = [node.attrib["src"] for node in opened.pages["toc.ncx"].iter() if "src" in node.attrib]
    assert ncx == links


def test_an_episode_says_what_replaced_it_what_it_mentions_and_who_mentions_it() -> None:
    shelf = of_files(
        {
            "archive/docs/topics/2025-12-01-old.md": format_episode(
                episode("2025-12-01-old", display_title="Old way", tags=["C++"])
            ),
            "docs/topics/2026-02-01-new.md": format_episode(
                episode("2026-02-01-new", display_title="New way", supersedes=["2025-12-01-old"],
                        tags=["c++", "x"], retain_until="2027-01-01",
                        sections=(("Decisions", "See [it](../topics/2025-12-01-old.md), 2026-03-01-c."),))
            ),
            "docs/topics/2026-03-01-c.md": format_episode(episode("2026-03-01-c", digest="שלום")),
        }
    )  # fmt: skip
    opened = book(shelf)
    assert opened.text("2025-12.xhtml") == (
        "December 2025 Old way Replaced by New way Archived: no longer in the index. "
        "2025-12-01 · topic · archived · C++ Decided: yes. Decisions Yes "
        "Mentioned by New way To recall it: 2025-12-01-old"
    )
    assert opened.text("2026-02.xhtml") == (
        "February 2026 New way 2026-02-01 · topic · good until 2027-01-01 · c++ · x Decided: yes. "
        "Decisions See it, 2026-03-01-c. Replaces Old way Mentions 2026-03-01-c, Old way "
        "To recall it: 2026-02-01-new"
    )
    links = list(opened.links("2026-02.xhtml"))
    assert links.count("2025-12.xhtml#ep-2025-12-01-old") == 3
    assert links.count("2026-03.xhtml#ep-2026-03-01-c") == 2 and "tags.xhtml#tag-x" in links
    assert 'lang="he" xml:lang="he"' in opened.source("2026-03.xhtml")
    assert opened.text("tags.xhtml").startswith("Tags 2 tags, A to Z. c++ (2), also C++ New way")


def test_start_here_has_ten_of_each_and_says_how_many_more_there_are() -> None:
    threads = "\n".join(f"- Thread **{n}** of `x`" for n in range(12))
    episodes = [
        episode(
            f"2026-01-{n:02}-e", sections=(("Decisions", f"- Take {n}\n- Rejected: leave {n}"),)
        )
        for n in range(1, 12)
    ]
    opened = book(
        shelf_of(*episodes, episode("2025-12-31-t", sections=(("Open threads", threads),)))
    )
    lists = opened.pages["start.xhtml"].findall(f".//{XHTML}section/{XHTML}section")
    heads = ["".join(part.find(XHTML + "h2").itertext()) for part in lists]  # type: ignore[union-attr]
    assert heads == ["Newest", "Open longest", "Decided last"]
    assert [len(part.findall(f"{XHTML}ul/{XHTML}li")) for part in lists] == [10, 10, 10]
    assert "2 more" in opened.text("start.xhtml") and "1 more" in opened.text("start.xhtml")
    assert "<strong>0</strong> of <code>x</code>" in opened.source("start.xhtml")
    assert "Take 11 Rejected: leave 11 2026-01-11-e" in opened.text("start.xhtml")
    assert opened.text("threads.xhtml").startswith(
        "Open threads 12 threads open, the oldest first."
    )
    assert "open since 2025-12-31 · 11 days" in opened.text("threads.xhtml")


def test_decisions_stand_by_quarter_and_those_that_were_reversed_come_last() -> None:
    shelf = shelf_of(
        episode("2026-01-01-a", sections=(("Decisions", "- Tea\n- Milk"),)),
        episode("2026-04-01-b", supersedes=["2026-01-01-a/d1"]),
    )
    said = book(shelf).text("decisions.xhtml")
    assert said.startswith("Decisions 2 stand, 1 reversed; the newest first. 2026Q2 Yes")
    assert said.index("2026Q1 Milk") < said.index("Reversed Tea")
    assert "2026-01-01-a/d1 · reversed 2026-04-01" in said


def test_an_empty_shelf_is_a_title_page_with_one_sentence() -> None:
    opened = book(Shelf())
    assert opened.spine == ["title.xhtml"]
    assert "Nothing on this shelf yet." in opened.text("title.xhtml")
    assert (
        opened.meta("modified")
        if False
        else opened.meta("dcterms:modified") == ("1980-01-01T00:00:00Z")
    )


# --- choosing --------------------------------------------------------------------------------


def test_what_was_left_out_is_said_but_not_what_is_hidden() -> None:
    shelf = shelf_of(
        episode("2026-01-01-a", visibility="public", digest="After 2026-02-02-secret-plan."),
        episode("2026-02-02-secret-plan", display_title="Hush", supersedes=["2026-01-01-a"]),
        episode("2026-05-01-c", visibility="public", display_title="Later"),
    )
    data = made(shelf, visibilities=["public"], quarters=["2026Q1"])
    opened = Opened(data)
    assert opened.text("left-out.xhtml") == (
        "Left out Not in this book: 1 of another quarter. Episodes Later"
    )
    assert "After (private episode)." in opened.text("2026-01.xhtml")
    assert b"secret" not in data and b"Hush" not in data and b"2026-02" not in data
    assert opened.meta("title") == "Tides: 2026Q1"
    assert "As of 2026-05-01" in opened.text("title.xhtml")


def test_no_id_of_a_hidden_episode_is_in_a_public_book_of_the_sample(
    sample: Store, tmp_path: Path
) -> None:
    memshelf.export_epub(sample, out=tmp_path / "all.epub", stored=True)  # what is kept of this
    memshelf.export_epub(sample, out=tmp_path / "b.epub", visibilities=["public"], stored=True)
    data = (tmp_path / "b.epub").read_bytes()
    shown = {entry.id for entry in sample.read().entries if entry.visibility == "public"}
    hidden = {entry.id.encode() for entry in sample.read().entries} - {
        one.encode() for one in shown
    }
    assert shown and b"(private episode)" in data
    assert not [name for name in hidden if name in data]


def test_files_that_cannot_be_read_are_named_in_the_book_and_by_the_command(
    sample: Store, cli: Cli, tmp_path: Path
) -> None:
    (sample.root / "docs/topics/2026-01-02-bad.md").write_bytes(b"\xff")
    ran = cli("export", "epub", "--shelf", sample.root, "--out", tmp_path / "b.epub")
    assert ran.code == 0 and "1 file cannot be read" in ran.err
    opened = Opened((tmp_path / "b.epub").read_bytes())
    assert "docs/topics/2026-01-02-bad.md" in opened.text("left-out.xhtml")
    alone = Shelf(problems=sample.read().problems)
    assert "2026-01-02-bad" in book(alone).text("left-out.xhtml")


# --- identity and bytes ----------------------------------------------------------------------


def test_a_new_export_of_the_same_shelf_is_the_same_book_and_another_choice_is_not() -> None:
    one, more = episode("2026-01-02-a"), episode("2025-01-02-b")
    before, after = book(shelf_of(one)), book(shelf_of(one, more, episode("2026-03-04-c")))
    assert before.meta("identifier") == after.meta("identifier")
    assert before.meta("identifier").startswith("urn:uuid:")
    assert before.meta("dcterms:modified") == "2026-01-02T00:00:00Z"
    assert after.meta("dcterms:modified") == "2026-03-04T00:00:00Z"
    others = {
        book(shelf_of(one, name="Other")).meta("identifier"),
        book(shelf_of(one), quarters=["2026Q1"]).meta("identifier"),
        book(shelf_of(one), visibilities=["private"]).meta("identifier"),
    }
    assert len(others | {before.meta("identifier")}) == 4
    ncx = before.source("toc.ncx")
    assert f'<meta name="dtb:uid" content="{before.meta("identifier")}"/>' in ncx


def test_the_archive_begins_with_its_type_and_has_no_times_in_it(sample: Store) -> None:
    data = made(sample.read())
    assert data[30:58] == b"mimetypeapplication/epub+zip"
    infos = zipfile.ZipFile(io.BytesIO(data)).infolist()
    assert {info.date_time for info in infos} == {(1980, 1, 1, 0, 0, 0)}
    assert {(info.create_system, info.compress_type) for info in infos} == {(3, 0)}


def test_a_book_is_compressed_but_for_its_type(sample: Store, tmp_path: Path) -> None:
    small, large = tmp_path / "a.epub", tmp_path / "b.epub"
    memshelf.export_epub(sample, out=small)
    memshelf.export_epub(sample, out=large, stored=True)
    assert small.read_bytes()[30:58] == b"mimetypeapplication/epub+zip"
    assert small.stat().st_size * 2 < large.stat().st_size
    pages = [zipfile.ZipFile(path) for path in (small, large)]
    assert pages[0].namelist() == pages[1].namelist()
    assert all(pages[0].read(name) == pages[1].read(name) for name in pages[0].namelist())


def test_a_book_is_the_same_whatever_the_order_the_hash_seed_and_the_zone() -> None:
    script = """
import hashlib, random, sys
sys.path.insert(0, sys.argv[1])
from test_epub import made
from test_render_html import episode, of_files
from memshelf.domain.episode import format_episode
files = {f"docs/topics/2026-0{n % 8 + 1}-01-e{n}.md": format_episode(episode(f"2026-0{n % 8 + 1}-01-e{n}",
    tags=[f"t{n % 3}", "T0", "x"], digest=f"See 2026-0{(n + 1) % 8 + 1}-01-e{n + 1}.")) for n in range(40)}
names = list(files)
random.shuffle(names)
print(hashlib.sha256(made(of_files({name: files[name] for name in names}))).hexdigest())
"""
    assert len(same_anywhere(script).strip()) == 64


def test_zipped_keeps_the_order_and_takes_text_and_bytes() -> None:
    archive = zipfile.ZipFile(io.BytesIO(zipped([Page("b", "é\r\n"), Page("a", b"\r\n")])))
    assert archive.namelist() == ["b", "a"]
    assert archive.read("b") == "é\n".encode() and archive.read("a") == b"\r\n"


# --- large shelves ---------------------------------------------------------------------------


def test_a_large_shelf_makes_a_book_a_year_unless_one_is_demanded(
    monkeypatch: pytest.MonkeyPatch, sample: Store, tmp_path: Path
) -> None:
    monkeypatch.setattr(renderer, "MOST", 10)
    add(sample, text_of("note", "A note").replace("date: note\n", ""), "docs/topics/note.md")
    answer = memshelf.export_epub(sample, out=tmp_path / "b.epub")
    names = ["b-2026.epub", "b-2025.epub", "b-undated.epub"]
    assert [Path(one.path).name for one in answer.books] == names
    assert [one.episodes for one in answer.books] == [24, 4, 1]
    books = [Opened((tmp_path / name).read_bytes()) for name in names]
    assert len({one.meta("identifier") for one in books}) == 3
    assert books[1].meta("title") == "Eelgrass project memory: 2025"
    assert "25 in a book of another year" in books[1].text("left-out.xhtml")
    memshelf.export_epub(sample, out=tmp_path / "one.epub", one_book=True)
    assert "29 episodes" in Opened((tmp_path / "one.epub").read_bytes()).text("title.xhtml")


def test_a_long_month_goes_on_in_another_file_and_every_link_still_leads_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(epub_plan, "ROOM", 1500)
    monkeypatch.setattr(epub_lists, "ROOM", 5)
    monkeypatch.setattr(epub_lists, "TAGGED", 3)
    monkeypatch.setattr(renderer, "DEEP", 5)
    body = (
        ("Decisions", "- One\n- Two"),
        ("Open threads", "- See 2026-01-01-e.\n- More " + "x " * 150),
    )
    episodes = [
        episode(f"2026-01-{n:02}-e", tags=["all", f"t{n}"], sections=body) for n in range(1, 10)
    ]
    opened = book(shelf_of(*episodes))
    assert {"2026-01.xhtml", "2026-01-2.xhtml", "2026-01-3.xhtml", "tags-2.xhtml",
            "decisions-4.xhtml", "threads-4.xhtml"} <= set(opened.spine)  # fmt: skip
    assert "January 2026 (2)" in opened.text("2026.xhtml")
    assert "6 older ones are in their months." in opened.text("tags.xhtml")
    named = opened.text("nav.xhtml")
    assert "January 2026 (2)" in named and "Tags" in named
    assert "Tags (2)" not in named and "2026-01-05-e" not in named
    contents = opened.pages["2026-01-2.xhtml"].find(f".//{XHTML}ul[@class='list']")
    assert contents is not None and len(contents) > 1
    held = [node for file in opened.spine for node in opened.pages[file].iter(XHTML + "article")]
    assert len(held) == 9


# --- XHTML -----------------------------------------------------------------------------------


def test_a_table_of_five_columns_is_a_list_of_its_rows_and_one_of_four_a_table() -> None:
    four = "| a | b | c | d |\n|---|--:|---|---|\n| 1 | 2 | 3 | 4 |"
    five = "| a | b | | d | e |\n|-|-|-|-|-|\n| 1 | `x` | 3 | | **5** |\n| | | | | |"
    opened = book(shelf_of(episode("2026-01-02-a", sections=(("Decisions", f"{four}\n\n{five}"),))))
    page = opened.source("2026-01.xhtml")
    assert page.count("<table>") == 1 and '<td class="right">2</td>' in page
    rows = page.partition('<ul class="rows">')[2].partition("</ul>")[0]
    assert re.sub(r' dir="\w+"', "", rows).split("\n") == [
        "",
        "<li><strong>a: 1</strong><br/>b: <code>x</code><br/>3<br/>e: <strong>5</strong></li>",
        "<li><strong>–</strong></li>",
        "",
    ]


@pytest.mark.parametrize(
    ("url", "good"),
    [
        ("https://example.org/a?b=c&d#e", True),
        ("http://localhost:8000/", True),
        ("http://192.168.0.1", True),
        ("mailto:ann@example.org", True),
        ("https://a.b/c(d)%20e", True),
        *((url, False) for url in ("http://a/%zz", "http://", "http://u@h/", "https://a:999999", "mailto:")),
    ],
)  # fmt: skip
def test_only_addresses_by_the_rules_stay_links(url: str, good: bool) -> None:
    href = url.replace("&", "&amp;")
    shown = xhtml(f'<a href="{href}" rel="x">words</a>')
    assert shown == (f'<a href="{href}">words</a>' if good else f"words [{href}]")
    assert xhtml(f'<a href="{href}">{href}</a>').count("<a ") == good


def test_nothing_in_a_book_acts() -> None:
    opened = book(hostile())
    for file in opened.spine:
        for node in opened.pages[file].iter():
            tag = node.tag.removeprefix(XHTML)
            assert tag not in {
                "script",
                "iframe",
                "object",
                "img",
                "form",
                "input",
                "style",
                "base",
            }
            assert not [name for name in node.attrib if name.startswith("on") or name == "style"]
            assert not re.match(r"(?i)\s*(javascript|data|vbscript|file):", node.get("href", ""))
    assert "url(" not in opened.source("book.css") and "color" not in re.sub(
        r"/\*.*?\*/", "", opened.source("book.css")
    )


# --- the command -----------------------------------------------------------------------------


def test_the_command_writes_the_book_and_says_how_it_is_read(
    cli: Cli, sample: Store, tmp_path: Path
) -> None:
    out = tmp_path / "shelf.epub"
    ran = cli("export", "epub", "--shelf", sample.root, "--out", out, "--tag", "api", "--id",
              "2026-06-03-public-api-v2")  # fmt: skip
    assert ran.code == 0 and ran.out.startswith(f"wrote {out}: 1 episode, ")
    assert "left out: 25 by tag, 2 by id." in ran.err and "reading app" in ran.err
    assert "Public interface, version 2" in Opened(out.read_bytes()).text("2026-06.xhtml")


def test_the_command_refuses_what_it_cannot_do_and_writes_nothing(
    cli: Cli, sample: Store, tmp_path: Path
) -> None:
    out = tmp_path / "b.epub"
    with pytest.raises(EpisodeNotFound, match=r"qc-flag"):
        memshelf.export_epub(sample, out=out, ids=["2026-01-13-qc-flag"])
    with pytest.raises(ShelfError, match="None of 28 episodes is chosen"):
        memshelf.export_epub(sample, out=out, visibilities=["team"], quarters=["2025Q4"])
    with pytest.raises(UsageError):
        memshelf.export_epub(sample, out=out, quarters=["Q1"])
    with pytest.raises(ShelfError, match="among the shelf's own files"):
        memshelf.export_epub(sample, out=sample.root / "docs" / "b.epub")
    assert cli("export", "epub", "--shelf", sample.root).code == 2
    assert not list(tmp_path.glob("*.epub"))


def test_the_shelfs_own_templates_stand_in_front_and_their_faults_are_named(
    sample: Store, tmp_path: Path
) -> None:
    own = sample.root / "templates" / "epub"
    own.mkdir(parents=True)
    (own / "book.css").write_text("p { margin: 9em; }\n", "utf-8")
    memshelf.export_epub(sample, out=tmp_path / "b.epub")
    assert Opened((tmp_path / "b.epub").read_bytes()).source("book.css") == "p { margin: 9em; }\n"
    (own / "book.css").write_text("{{ nowhere }}", "utf-8")
    with pytest.raises(ShelfError, match="own templates cannot be rendered"):
        memshelf.export_epub(sample, out=tmp_path / "b.epub")


def test_a_book_of_a_revision_is_the_book_of_then(sample: Store, tmp_path: Path) -> None:
    memshelf.export_epub(sample, out=tmp_path / "then.epub")
    add(sample, text_of("2026-11-01-later", "Later"), "docs/topics/2026-11-01-later.md")
    memshelf.export_epub(sample, out=tmp_path / "past.epub", rev="HEAD~1")
    assert (tmp_path / "past.epub").read_bytes() == (tmp_path / "then.epub").read_bytes()
