"""`export html` again: after any change the page is the one that an empty cache would give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from changekit import CHANGES

import memshelf
from memshelf.render import article, html
from memshelf.render.templates import environment
from memshelf.storage.store import Store


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


def test_a_memshelf_that_makes_other_articles_makes_all_of_them_again(
    out_of: Callable[[], bytes], sample: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = out_of()
    made = article.Book._rendered
    monkeypatch.setattr(article, "_VERSION", -1)
    monkeypatch.setattr(article.Book, "_rendered", lambda *asked: made(*asked) + b"<!-- new -->")
    for page in (out_of(), out_of()):
        assert page.count(b"<!-- new -->") == len(sample.read().entries)
    assert b"<!-- new -->" not in before


@pytest.fixture
def out_of(sample: Store, tmp_path: Path) -> Callable[[], bytes]:
    """Exports the sample shelf and gives the page."""

    def export() -> bytes:
        memshelf.export_html(memshelf.open_shelf(sample.root), out=tmp_path / "shelf.html")
        return (tmp_path / "shelf.html").read_bytes()

    return export
