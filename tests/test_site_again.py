"""`export site` again: after any change its files are those that an empty cache would give."""

from __future__ import annotations

from pathlib import Path

import pytest
from changekit import CHANGES
from gitkit import git

import memshelf
from memshelf.render import site
from memshelf.storage.store import Store


def files(root: Path, cache: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    monkeypatch.setenv("MEMSHELF_CACHE_DIR", str(cache))
    memshelf.export_site(memshelf.open_shelf(root), out)
    found = (path for path in out.rglob("*") if path.is_file() and path.name[0] != ".")
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in found}


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("name", CHANGES)
def test_after_a_change_the_site_is_the_one_that_an_empty_cache_gives(
    name: str, committed: bool, sample: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm, out = tmp_path / "warm", tmp_path / "site"
    files(sample.root, warm, out, monkeypatch)
    CHANGES[name](sample.root)
    if committed:
        git(sample.root, "add", "--all")
        git(sample.root, "commit", "-q", "--allow-empty", "-m", "change")
    again = files(sample.root, warm, out, monkeypatch)
    assert again == files(sample.root, tmp_path / "empty", tmp_path / "fresh", monkeypatch)


def test_a_change_of_a_body_makes_one_page_and_no_list(
    sample: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files(sample.root, tmp_path / "cache", tmp_path / "site", monkeypatch)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("the lists were made again")

    monkeypatch.setattr(site, "list_pages", never)
    CHANGES["the text of a section"](sample.root)
    after = files(sample.root, tmp_path / "cache", tmp_path / "site", monkeypatch)
    changed = {path for path in after if after[path] != before[path]}
    page = "docs/topics/2026-06-03-public-api-v2.md"
    assert changed == {page, "docs/assets/find/text-0.js", "docs/find.md"}


def test_lists_that_were_lost_are_made_again(
    sample: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files(sample.root, tmp_path / "cache", tmp_path / "site", monkeypatch)
    store = memshelf.open_shelf(sample.root)
    with store.cache.db as db:
        db.execute("DELETE FROM pages WHERE key LIKE '%tags%' OR key LIKE '%2026-06%'")
    store.close()
    assert before == files(sample.root, tmp_path / "cache", tmp_path / "site", monkeypatch)
