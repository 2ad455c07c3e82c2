"""`export html` again: after any change the page is the one that an empty cache would give."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import memshelf
from memshelf.render import html
from memshelf.render.templates import environment
from memshelf.storage.store import Store

FILE = "docs/topics/2026-06-03-public-api-v2.md"
OTHER = "docs/topics/2026-05-25-tide-widget-japanese.md"
JAPANESE = "文字の大きさを決めた。波の高さは後で決める。" * 200


def replaced(old: str, new: str, path: str = FILE) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        text = (root / path).read_text("utf-8")
        assert old in text
        (root / path).write_text(text.replace(old, new, 1), "utf-8")

    return change


def also(line: str, path: str = FILE) -> Callable[[Path], None]:
    return replaced("\n## Digest\n", f"\n## Digest\n{line}\n", path)


def under(section: str, line: str) -> Callable[[Path], None]:
    return replaced(f"\n## {section}\n", f"\n## {section}\n{line}\n")


def moved(root: Path) -> None:
    shutil.move(root / FILE, root / "archive" / FILE)


def named_alike(root: Path) -> None:
    shutil.copy(root / FILE, root / "docs/research" / Path(FILE).name)


def set_(line: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        settings = root / "memshelf.toml"
        text = settings.read_text("utf-8") if settings.exists() else ""
        key = line.partition(" ")[0]
        rest = [row for row in text.split("\n") if not row.startswith(key)]
        text = "\n".join(rest)
        head = "" if "[shelf]" in text else "[shelf]\n"
        settings.write_text(f"{head}{text}".replace("[shelf]\n", f"[shelf]\n{line}\n"), "utf-8")

    return change


CHANGES: dict[str, Callable[[Path], None]] = {
    "nothing": lambda root: None,
    "the text of a section": under("Decisions", "\nOne more line.\n"),
    "the digest": also("One more sentence."),
    "the description": replaced('\ndescription: "', '\ndescription: "Otherwise: '),
    "the title": replaced('\ndisplay_title: "', '\ndisplay_title: "Zoned: '),
    "the date": replaced("\ndate: 2026-06-03", "\ndate: 2025-06-03"),
    "a tag": replaced("\ntags: [", "\ntags: [RÉLEASE, "),
    "what it replaces": replaced("\nspan:", f"\nsupersedes: [{Path(FILE).stem}]\nspan:", OTHER),
    "a name in it": also("See 2026-03-05-nul-glubin and 2026-08-12-print-on-demand."),
    "a decision": under("Decisions", "- One more was decided.\n"),
    "what it closes": also("Closes 2026-05-25-tide-widget-japanese/t1"),
    "who may read it": replaced("\nspan:", "\nvisibility: public\nspan:"),
    "the language that a digest proves": also(JAPANESE, OTHER),
    "an episode that is gone": lambda root: (root / FILE).unlink(),
    "an episode that went behind a rollup": moved,
    "two episodes of one name": named_alike,
    "a file that cannot be read": lambda root: (root / FILE).write_bytes(b"\xff\xfe\xff"),
    "a chart": lambda root: memshelf.rebuild(memshelf.open_shelf(root)) and None,
    "the year's beginning": set_("fiscal_year_start = 4"),
    "the shelf's language": set_('language = "de"'),
}


def fresh(root: Path, out: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> bytes:
    monkeypatch.setenv("MEMSHELF_CACHE_DIR", str(cache))
    memshelf.export_html(memshelf.open_shelf(root), out=out)
    return out.read_bytes()


@pytest.mark.parametrize("name", CHANGES)
def test_after_a_change_the_page_is_the_one_that_an_empty_cache_gives(
    name: str, sample: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, warm = tmp_path / "shelf.html", tmp_path / "warm"
    before = fresh(sample.root, out, monkeypatch, warm)
    CHANGES[name](sample.root)
    again = fresh(sample.root, out, monkeypatch, warm)
    assert again == fresh(sample.root, out, monkeypatch, tmp_path / "empty")
    assert (again == before) == (name in ("nothing", "who may read it"))


def test_a_change_that_no_other_episode_shows_asks_neither_lists_nor_graph(
    sample: Store, out_of: Callable[[], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    out_of()

    def never(*_: object) -> None:
        raise AssertionError("the lists were made again")

    monkeypatch.setattr(html, "_page", never)
    for name in ("the text of a section", "the digest", "the description"):
        CHANGES[name](sample.root)
        assert b"One more line." in out_of()
    CHANGES["the title"](sample.root)
    with pytest.raises(AssertionError, match="made again"):
        out_of()


def test_what_is_kept_goes_by_every_template_that_the_page_is_made_of(
    out_of: Callable[[], bytes],
) -> None:
    environment.cache_clear()
    out_of()
    loaded = environment(None).cache
    assert loaded is not None and {name for _, name in loaded} == set(html.SOURCES)


@pytest.fixture
def out_of(sample: Store, tmp_path: Path) -> Callable[[], bytes]:
    """Exports the sample shelf and gives the page."""

    def export() -> bytes:
        memshelf.export_html(memshelf.open_shelf(sample.root), out=tmp_path / "shelf.html")
        return (tmp_path / "shelf.html").read_bytes()

    return export
