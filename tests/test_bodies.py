"""Bodies that are kept: rendered once for each content, and the same whether they were kept or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, commit_all
from support import add

from memshelf.domain.choosing import Choice, chosen
from memshelf.domain.episode import Episode, format_episode
from memshelf.domain.shelf import Shelf
from memshelf.render import bodies as rendering
from memshelf.render.bodies import Body, bodies_of
from memshelf.storage.fragments import Fragments
from memshelf.storage.parallel import mapped
from memshelf.storage.store import Store
from memshelf.verbs import bodies as keeping
from memshelf.verbs.bodies import kept_bodies


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files that were rendered since."""
    paths: list[str] = []
    inner = keeping._rendered

    def noted(root: str, path: str, colours: bool) -> Any:
        paths.append(path)
        return inner(root, path, colours)

    monkeypatch.setattr(keeping, "_rendered", noted)
    return paths


def kept(store: Store, rev: str = "") -> dict[str, Body]:
    shelf = store.read(rev)
    inside = shelf.entries[::-1]
    give = kept_bodies(store, shelf, inside, rev)
    return {entry.path: give(entry) for entry in inside}


def fresh(shelf: Shelf) -> dict[str, Body]:
    give = bodies_of(shelf)
    return {entry.path: give(entry) for entry in shelf.entries}


def reopened(store: Store) -> Store:
    store.cache.close()
    return Store.open(store.root)


def shelve(store: Store, name: str, notes: str, **fields: object) -> None:
    episode = Episode.make(id=name, digest="D.", sections=(("Notes", notes),), **fields)
    add(store, format_episode(episode), f"docs/topics/{name}.md")


def test_what_was_rendered_once_is_read_the_next_time(sample: Store, rendered: list[str]) -> None:
    expected = fresh(sample.read())
    assert kept(sample) == expected and len(rendered) == len(expected)
    rendered.clear()
    assert kept(reopened(sample)) == expected and not rendered


def test_one_changed_file_is_rendered_by_itself(sample: Store, rendered: list[str]) -> None:
    kept(sample)
    rendered.clear()
    path = sample.read().entries[0].path
    file = sample.root / path
    file.write_text(file.read_text("utf-8") + "\n## Later\nA **new** line.\n", "utf-8")
    made = kept(reopened(sample))
    assert rendered == [path]
    assert made[path][-1] == ("Later", ("<p>A <strong>new</strong> line.</p>\n",))


def test_another_renderer_renders_all_again(
    sample: Store, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    count = len(kept(sample))
    rendered.clear()
    monkeypatch.setattr(keeping, "version", lambda: "another")
    again = reopened(sample)
    kept(again)
    assert len(rendered) == count
    ((there,),) = again.cache.db.execute("SELECT count(*) FROM fragments")
    assert there == count


def test_the_version_names_everything_that_renders() -> None:
    assert all(name in rendering.version() for name in ("markdown-it-py", "pyrs", "pygments"))


@pytest.mark.parametrize("html", ["", "broken", None, 7, b"\xff"])
def test_what_was_kept_and_is_damaged_is_rendered_anew(sample: Store, html: object) -> None:
    expected = kept(sample)
    with sample.cache.db as db:
        db.execute("UPDATE fragments SET html = ?", (html,))
    assert kept(reopened(sample)) == expected


def test_a_cache_that_is_no_database_changes_nothing(sample: Store, world: Path) -> None:
    expected = kept(sample)
    sample.cache.close()
    (file,) = (world / "cache").rglob("shelf.sqlite")
    file.write_bytes(b"not a database" * 1000)
    assert kept(Store.open(sample.root)) == expected


def test_a_cache_that_cannot_be_written_changes_nothing(
    sample: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MEMSHELF_CACHE_DIR", str(tmp_path / "file"))
    assert kept(sample) == fresh(sample.read())


def test_a_table_that_is_gone_meanwhile_changes_nothing(sample: Store) -> None:
    shelf = sample.read()
    give = kept_bodies(sample, shelf, shelf.entries)
    with sample.cache.db as db:
        db.execute("DROP TABLE fragments")
    assert {entry.path: give(entry) for entry in shelf.entries} == fresh(shelf)


def test_a_file_that_has_gone_stops_no_page(sample: Store) -> None:
    shelf = sample.read()
    gone, *others = shelf.entries
    (sample.root / gone.path).unlink()
    give = kept_bodies(sample, shelf, shelf.entries)
    assert give(gone)[0][0] == "Digest" and all(give(entry) for entry in others)


def test_bodies_may_be_asked_for_in_any_order(sample: Store) -> None:
    shelf = sample.read()
    give = kept_bodies(sample, shelf, shelf.entries[::-1])
    assert {entry.path: give(entry) for entry in shelf.entries} == fresh(shelf)


def test_what_names_a_hidden_episode_is_not_taken_from_what_was_kept(store: Store) -> None:
    shelve(store, "2026-01-01-secret", "None.", visibility="private")
    shelve(store, "2026-01-02-open", "See 2026-01-01-secret.", visibility="public")
    assert "2026-01-01-secret" in str(kept(store))
    cut = chosen(store.read(), Choice.make(visibilities=("public",))).shelf
    give = kept_bodies(store, cut, cut.entries)
    (shown,) = (give(entry) for entry in cut.entries)
    assert "(private episode)" in str(shown) and "2026-01-01-secret" not in str(shown)


def test_a_revisions_bodies_are_those_of_then_and_kept_too(
    sample: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sample.read().entries[-1].path
    before = kept(sample)[path]
    file = sample.root / path
    file.write_text(file.read_text("utf-8") + "\n## Later\nnow\n", "utf-8")
    commit_all(sample.root)
    again = reopened(sample)
    assert kept(again)[path] != before
    assert kept(again, "HEAD~1")[path] == before == fresh(again.read("HEAD~1"))[path]
    monkeypatch.setattr(rendering, "fragment", None)
    assert kept(again, "HEAD~1")[path] == before


def test_only_the_newest_episodes_have_their_code_in_colours(
    store: Store, monkeypatch: pytest.MonkeyPatch, rendered: list[str]
) -> None:
    monkeypatch.setattr(rendering, "COLOURED", 2)
    code = "```python\nif x: pass\n```"
    for day in (1, 2, 3):
        shelve(store, f"2026-01-0{day}-code", code)
    made = kept(store)
    assert made == fresh(store.read())
    assert ["<b>if</b>" in str(made[path]) for path in sorted(made)] == [False, True, True]
    rendered.clear()
    shelve(store, "2026-01-04-code", code)
    made = kept(reopened(store))
    assert ["<b>if</b>" in str(made[path]) for path in sorted(made)] == [False, False, True, True]
    assert sorted(Path(path).stem for path in rendered) == ["2026-01-02-code", "2026-01-04-code"]


def test_far_more_than_a_shelf_needs_is_let_go(sample: Store) -> None:
    fragments = Fragments(sample.cache, "1", "fragments", str)
    fragments.keep(((f"old {number}", "x") for number in range(20_001)), wanted=5)
    fragments.keep([("new", "y")], wanted=5)
    assert fragments.known() == {"new"} and fragments.some(["new", "old 1"]) == {"new": "y"}


def test_what_another_version_kept_is_not_there(sample: Store) -> None:
    for version in ("1", "2"):
        fragments = Fragments(sample.cache, version, "fragments", str)
        assert fragments.known() == set() and fragments.some(["a"]) == {}
        fragments.keep([("a", version)], wanted=5)
        assert fragments.some(["a"]) == {"a": version}


def test_how_far_it_is_can_be_followed(sample: Store) -> None:
    seen: list[tuple[int, int]] = []
    shelf = sample.read()
    sample.progress = lambda done, total: seen.append((done, total))
    kept_bodies(sample, shelf, shelf.entries)
    assert seen[-1] == (len(shelf.entries), len(shelf.entries))


def test_a_second_export_has_the_same_bytes(sample: Store, tmp_path: Path, cli: Cli) -> None:
    pages = []
    for _ in range(2):
        assert cli("export", "html", "--shelf", sample.root, "--out", tmp_path / "o.html").code == 0
        pages.append((tmp_path / "o.html").read_bytes())
    assert pages[0] == pages[1]


def test_work_on_several_processors_comes_back_in_order() -> None:
    jobs = list(range(40))
    assert list(mapped(str, jobs, workers=2)) == [str(job) for job in jobs]
