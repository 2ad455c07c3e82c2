"""The derived files of a shelf: byte for byte as the peer's, and INDEX.md in our own form."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import ROOT, same_anywhere
from gitkit import git

from memshelf import render
from memshelf.domain.config import Config, read_config
from memshelf.domain.entry import Entry, entry_of
from memshelf.domain.page import Page
from memshelf.domain.shelf import Shelf
from memshelf.domain.text import tokens
from memshelf.render.docshelf import Settings, url
from memshelf.render.index import index, index_text
from memshelf.render.ledger import ledger
from memshelf.render.meta import description, meta

GOLDEN = Path(__file__).parent / "golden" / "index"
OURS = Config(name="Tides", generated_by="external")
THEIRS = Config(name="Tides", generated_by="docshelf-mcp", docshelf={"name": "Tides"})


def entry(name: str, folder: str = "docs/topics", **front: object) -> Entry:
    """An episode with a digest; `front` is added to its front matter, None removes a key."""
    fields = {"id": name, "kind": "topic", "tags": [], "approx_tokens": 100} | front
    lines = "".join(f"{k}: {_yaml(v)}\n" for k, v in fields.items() if v is not None)
    text = f"---\n{lines}---\n\n# Heading\n\n## Digest\nDecided: yes.\n\n## Decisions\n- Yes\n"
    return entry_of(f"{folder}/{name}.md", text)


def _yaml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def shelf(*entries: Entry, config: Config = OURS, **rest: object) -> Shelf:
    return Shelf.make(entries, config=config, **rest)


def on_disk(root: Path) -> Shelf:
    """The snapshot of a folder, read with nothing but the domain."""
    optional = {
        name: (root / name).read_text("utf-8")
        for name in ("shelf.yml", ".docshelf.json", "archive/.docshelf.json")
        if (root / name).is_file()
    }
    files = sorted((*root.glob("docs/*/*.md"), *root.glob("archive/docs/*/*.md")))
    return Shelf.make(
        (entry_of(path.relative_to(root).as_posix(), path.read_text("utf-8")) for path in files),
        config=read_config(optional.get("shelf.yml"), optional.get(".docshelf.json"), None),
        files=optional,
    )


def pages(made: Shelf) -> dict[str, bytes]:
    return {page.path: page.raw for page in render.derived(made)}


def there(root: Path, made: Shelf) -> dict[str, bytes]:
    paths = (path for path in render.owned(made) if path != "stats.svg")
    return {path: (root / path).read_bytes() for path in paths if (root / path).is_file()}


# --- shelves by other hands ------------------------------------------------------------------


@pytest.mark.shared
def test_every_derived_file_of_the_peers_shelf_comes_out_as_the_peer_wrote_it(
    shared: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", str(shared / "data" / "peer-shelf.bundle"), "peer")
    made = on_disk(tmp_path / "peer")
    assert pages(made) == there(tmp_path / "peer", made)
    assert {"INDEX.md", "archive/INDEX.md", "ledger.tsv"} <= pages(made).keys()


@pytest.mark.shared
def test_every_derived_file_of_a_real_shelf_comes_out_as_it_is(shared: Path) -> None:
    root = shared / "data" / "real-shelf"
    made = on_disk(root)
    assert pages(made) == there(root, made)


# --- the package itself ----------------------------------------------------------------------


def test_importing_render_costs_nothing() -> None:
    script = (
        "import sys, memshelf; before = set(sys.modules); import memshelf.render;"
        "print(sorted(set(sys.modules) - before - {'memshelf.render'}))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    new = set(json.loads(ran.stdout.replace("'", '"')))
    assert not {name for name in new if name.startswith("memshelf.")}
    assert not new & {"jinja2", "markdown_it", "matplotlib", "yaml"}


def test_derived_is_sorted_and_owned_names_every_page() -> None:
    made = shelf(
        entry("2026-01-02-a", display_title="A"), entry("2025-01-02-b", "archive/docs/topics")
    )
    paths = [page.path for page in render.derived(made)]
    assert paths == sorted(paths)
    assert set(paths) | {"stats.svg"} <= set(render.owned(made))


def test_a_meta_json_of_a_folder_by_another_name_is_not_owned() -> None:
    assert "docs/other/.meta.json" not in render.owned(shelf())
    assert not list(meta(shelf(entry("2026-01-02-a", "docs/other", display_title="A"))))


def test_output_depends_on_neither_hash_order_nor_locale_nor_zone(tmp_path: Path) -> None:
    script = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import hashlib, test_render_derived as t\n"
        "made = t.shelf(*(t.entry(f'2026-01-{n:02d}-x', display_title=f'T{n}', tags=['i', 'İ'],"
        " supersedes=[f'2026-01-{n - 1:02d}-x']) for n in range(1, 20)))\n"
        "for page in t.render.derived(made): print(page.path, hashlib.sha256(page.raw).hexdigest())"
    )
    assert "INDEX.md" in same_anywhere(script)


# --- ledger.tsv and .meta.json ---------------------------------------------------------------


def rows(made: Shelf) -> list[list[str]]:
    (page,) = ledger(made)
    lines = str(page.data).split("\n")
    assert lines[-1] == ""
    return [line.split("\t") for line in lines[1:-1]]


def test_the_ledger_counts_live_and_archived_by_date_and_id() -> None:
    made = shelf(
        entry("2026-02-01-b", date="2026-01-01"),
        entry("2026-01-02-c", "archive/docs/research", mode="import", notes="said so"),
        entry("2026-01-01-a", "docs/sessions"),
    )
    assert [row[:3] + row[5:] for row in rows(made)] == [
        ["2026-01-01", "2026-01-01-a", "live", ""],
        ["2026-01-01", "2026-02-01-b", "live", ""],
        ["2026-01-02", "2026-01-02-c", "import", "said so"],
    ]


def test_the_ledger_has_one_row_for_an_id_and_the_live_episode_is_it() -> None:
    twin = entry("2026-01-02-a", "docs/topics", approx_tokens=7)
    made = shelf(
        entry("2026-01-02-a", "archive/docs/sessions", approx_tokens=5),
        twin,
        twin._replace(path="docs/topics/a-copy.md", approx_tokens=9),
    )
    assert [(row[1], row[3]) for row in rows(made)] == [("2026-01-02-a", "7")]


def test_the_ledger_leaves_out_what_the_peer_leaves_out() -> None:
    made = shelf(entry("2026-01-02-a", id=None), entry("2026-01-03-b", "docs/other"))
    assert rows(made) == []


@pytest.mark.parametrize("date", ["2026-13-45", "2026-1-2", "yesterday", ""])
def test_the_ledgers_date_is_what_has_the_form_of_one(date: str) -> None:
    (row,) = rows(shelf(entry("2026-01-02-a", date=date)))
    assert row[0] == ("2026-13-45" if date == "2026-13-45" else "2026-01-02")
    (row,) = rows(shelf(entry("undated", date=date)))
    assert row[0] == ("2026-13-45" if date == "2026-13-45" else "")


@pytest.mark.parametrize("notes", ["a\tb", "a\nb", "a\r\nb", "a\u2028b", "a\x85b", "a\x0bb"])
def test_notes_stay_one_cell(notes: str) -> None:
    (page,) = ledger(shelf(entry("2026-01-02-a", notes=notes)))
    (row,) = str(page.data).splitlines()[1:]
    assert row.split("\t")[5] == "a b" and len(row.split("\t")) == 6


def test_meta_names_what_has_a_title_or_a_description() -> None:
    made = shelf(
        entry("2026-01-03-b", description="Words."),
        entry("2026-01-02-a", display_title="Заголовок"),
        entry("2026-01-01-c"),
        entry("2026-01-01-d", "archive/docs/topics", display_title="Gone"),
    )
    found = {page.path: page.data for page in meta(made)}
    assert found["docs/topics/.meta.json"] == (
        '{\n  "2026-01-02-a.md": {\n    "title": "Заголовок",\n    "description": ""\n  },\n'
        '  "2026-01-03-b.md": {\n    "title": "2026-01-03-b",\n    "description": "Words."\n  }\n}\n'
    )
    assert set(found) == {"archive/docs/topics/.meta.json", "docs/topics/.meta.json"}


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("a" * 120, "a" * 120),
        ("a" * 121, "a" * 119 + "…"),
        ("a" * 100 + " " + "b" * 40, "a" * 100 + "…"),
        ("a" * 90 + ", — " + "b" * 40, "a" * 90 + "…"),
        ("a" * 30 + " " + "b" * 100, "a" * 30 + " " + "b" * 88 + "…"),
        ("two\n lines", "two lines"),
    ],
)
def test_a_description_is_cut_where_the_peer_cuts_it(text: str, cut: str) -> None:
    assert description(text) == cut


# --- INDEX.md in the other generator's form --------------------------------------------------


@pytest.mark.parametrize(
    ("provider", "remote", "address"),
    [
        ("github", "", ""),
        ("none", "", "docs/a%20b.md"),
        ("github", "git@github.com:o/r.git", "https://raw.githubusercontent.com/o/r/main/docs/a%20b.md"),
        ("", "https://github.com/o/my.repo?tab=x", "https://raw.githubusercontent.com/o/my.repo/main/docs/a%20b.md"),
        ("github", "https://github.acme.com/o/r", "https://github.acme.com/o/r/raw/main/docs/a%20b.md"),
        ("github", "https://gitlab.com/o/r", ""),
        ("gitlab", "ssh://git@gitlab.com/o/r.git", "https://gitlab.com/o/r/-/raw/main/docs/a%20b.md"),
        ("gitea", "https://host/o/r", "https://host/o/r/raw/branch/main/docs/a%20b.md"),
        ("custom", "https://host/o/r", "https://cdn/o/r/main/docs/a%20b.md"),
        ("another", "https://host/o/r", ""),
    ],
)  # fmt: skip
def test_an_address_has_its_providers_form(provider: str, remote: str, address: str) -> None:
    template = "https://cdn/{owner}/{repo}/{branch}/{path}"
    settings = Settings("n", "p", remote, "main", provider, template)
    assert url(settings, "docs/a b.md") == address


def test_the_other_form_sorts_by_title_and_orders_folders_as_configured() -> None:
    config = replace(
        THEIRS,
        docshelf={
            "name": "S",
            "preamble": "P.",
            "category_order": ["sessions"],
            "provider": "none",
        },
    )
    made = shelf(
        entry("2026-01-02-b", display_title="beta", description="Said."),
        entry("2026-01-03-a", display_title="Alpha"),
        entry("2026-01-04-x_y", "docs/sessions"),
        entry(
            "2026-01-05-z", "docs/my-notes", display_title="Not read: its .meta.json is a source"
        ),
        config=config,
    )
    text = index_text(made)
    assert text.startswith(
        "# S\n\nP.\n\n## Sessions\n\n"
        "- [**2026 01 04 X Y**](docs/sessions/2026-01-04-x_y.md)\n\n"
        "## My Notes\n\n- [**2026 01 05 Z**](docs/my-notes/2026-01-05-z.md)\n\n"
        "## Topics\n\n- [**Alpha**](docs/topics/2026-01-03-a.md)\n"
        "- [**beta**](docs/topics/2026-01-02-b.md) — Said.\n\n---\n\n*Auto-generated"
    )


def test_the_other_form_of_an_empty_shelf_has_one_line_and_no_footer() -> None:
    text = index_text(shelf(config=replace(THEIRS, docshelf={"name": "S", "preamble": ""})))
    assert text.startswith("# S\n\n_No documents yet.") and text.count("\n") == 3


def test_the_archives_index_follows_its_own_configuration() -> None:
    gone = entry("2026-01-02-a", "archive/docs/topics", display_title="Gone")
    files = {"archive/.docshelf.json": json.dumps({"name": "Old", "preamble": "Behind."})}
    found = {page.path: str(page.data) for page in index(shelf(gone, config=THEIRS, files=files))}
    assert found["archive/INDEX.md"].startswith("# Old\n\nBehind.\n\n## Topics\n\n- **Gone** — `")
    broken = {page.path: str(page.data) for page in index(
        shelf(gone, config=THEIRS, files={"archive/.docshelf.json": "{"}))}  # fmt: skip
    assert broken["archive/INDEX.md"].startswith("# Tides — archive\n")


# --- INDEX.md in our own form ----------------------------------------------------------------


def test_our_form_is_as_the_golden_file_shows_it(update: bool) -> None:
    made = shelf(
        entry("2026-01-02-old", display_title="Old *way*", description="It was | so."),
        entry("2026-03-02-new", display_title="New way", supersedes=["2026-01-02-old"],
              description="Now it is thus."),
        entry("2026-02-02-only-id"),
        entry("2026-02-03-talk", "docs/sessions", display_title="שלום", kind="session"),
        entry("2025-12-01-gone", "archive/docs/topics", display_title="Archived"),
        entry("undated", "docs/more_things", display_title="# Big"),
        config=replace(OURS, preamble="The rule."),
    )  # fmt: skip
    for page in index(made):
        path = GOLDEN / page.path.replace("/", "-")
        if update:
            path.write_bytes(page.raw)
        assert page.raw == path.read_bytes()


def test_an_empty_shelf_says_so_and_how_to_begin() -> None:
    text = index_text(shelf())
    assert "Nothing shelved yet" in text and "memshelf shelve" in text and "##" not in text
    assert tokens(text) <= 200
    assert [page.path for page in index(shelf())] == ["INDEX.md"]


HOSTILE = (
    "x <img src=x onerror=alert(1)> [a](javascript:b) **c** | d",
    "# Big\n- x",
    "**open",
    "עברית \u202e ערבית",
    "a\n\n## Forged\n\n- [b](c)",
    "]( <javascript:alert(1)>)",
    "w" * 5000,
    "|" * 100,
    "<" * 100,
    "🚀" * 100,
)


@pytest.mark.parametrize("title", HOSTILE)
def test_one_line_an_entry_whatever_its_title_says(title: str) -> None:
    made = shelf(
        entry("2026-01-02-a", display_title=title, description=title),
        entry("2026-01-01-b", display_title="Plain"),
    )
    lines = index_text(made).splitlines()
    (line,) = [line for line in lines if "2026-01-02-a.md" in line]
    assert line.startswith("- 2026-01-02 [") and "](docs/topics/2026-01-02-a.md)" in line
    assert len(line) < 320
    assert [line for line in lines if line.startswith("#")] == ["# Tides", "## Topics"]


@pytest.mark.parametrize("form", ["short", "long", "marks"])
def test_our_form_costs_at_most_200_tokens_and_80_an_entry(form: str) -> None:
    title = {"short": "Title", "long": "word " * 40, "marks": "<|*[`>" * 30}[form]
    name = {"short": "x", "long": "y" * 60, "marks": "z" * 67}[form]
    entries = [
        entry(
            f"2026-{n % 12 + 1:02d}-{n % 28 + 1:02d}-{name}{n:02d}",
            ("docs/research", "docs/topics", "docs/sessions")[n % 3],
            display_title=f"{n} {title}",
            description=title * 3,
            supersedes=[f"2026-{(n - 1) % 12 + 1:02d}-{(n - 1) % 28 + 1:02d}-{name}{n - 1:02d}"],
        )
        for n in range(40)
    ]
    for count in (1, 40):
        assert tokens(index_text(shelf(*entries[:count]))) <= 200 + 80 * count


def test_every_file_is_named_literally_in_its_link() -> None:
    names = ["2026-01-02-plain", "Файл", "日本", "a_b", "C++"]
    text = index_text(shelf(*(entry(name) for name in names)))
    for name in names:
        assert f"](docs/topics/{name}.md)" in text


@pytest.mark.parametrize("name", ["a b", "a(b)", "a#b", "a%20b", "a<b>", "a?b"])
def test_a_name_that_would_break_a_link_is_encoded(name: str) -> None:
    from urllib.parse import unquote

    text = index_text(shelf(entry(name, display_title="T")))
    target = text.partition("[T](")[2].partition(")")[0]
    assert unquote(target) == f"docs/topics/{name}.md" and not set(target) & set(" ()<>#?")


def test_what_was_replaced_stands_last_and_names_what_replaced_it() -> None:
    made = shelf(
        entry("2026-01-02-a", superseded_by=["2026-05-01-c"]),
        entry("2026-01-01-b"),
    )
    lines = [line for line in index_text(made).splitlines() if line.startswith("- ")]
    assert [line[2:12] for line in lines] == ["2026-01-01", "2026-01-02"]
    assert "replaced by 2026-05-01-c" in lines[1]


def test_an_impossible_date_is_not_shown_as_one() -> None:
    text = index_text(shelf(entry("2026-13-45-a", date="2026-13-45")))
    assert "- no date [2026-13-45-a]" in text


def test_pages_of_one_shelf_have_one_path_each() -> None:
    made = shelf(*(entry(f"2026-01-{n:02d}-x", display_title="T") for n in range(1, 9)))
    found: list[Page] = render.derived(made)
    assert len({page.path for page in found}) == len(found)
