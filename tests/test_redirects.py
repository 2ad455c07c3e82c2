"""Old addresses of episodes that were renamed or moved lead to where they are today."""

from __future__ import annotations

import random
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from histories import FIRST, SECOND, commit, moved, path, read
from histories import text as text_of

from memshelf.domain.changes import Change, History
from memshelf.domain.choosing import seen_by
from memshelf.domain.entry import entry_of
from memshelf.domain.shelf import Shelf
from memshelf.render.redirects import redirect_page, redirects
from memshelf.render.site_places import OWN, Places, page_name
from memshelf.storage.store import Store

B, C = "2026-01-05-b", "2026-01-05-c"
ARCHIVE = "archive/docs/topics"


def page_of(place: str) -> str:
    """The page of an episode, which does not depend on whether it is archived."""
    return f"episodes/{place.rpartition('/')[2].removesuffix('.md')}/index.html"


def found(shelf: Shelf, *taken: str) -> dict[str, str]:
    pairs = list(redirects(shelf, page_of, page_of, taken))
    assert pairs == sorted(pairs) and len(dict(pairs)) == len(pairs)
    return dict(pairs)


def page(name: str) -> str:
    return page_of(path(name))


def rename(root: Path, old: str, new: str, day: str = "2026-02-01") -> None:
    moved(root, path(old), path(new), day, (f"id: {old}", f"id: {new}"))


@pytest.fixture
def root(store: Store) -> Path:
    commit(store.root, {path(FIRST): text_of(FIRST)}, "2026-01-05")
    return store.root


def test_every_former_name_leads_to_the_last_one(root: Path) -> None:
    rename(root, FIRST, B)
    rename(root, B, C)
    assert found(read(root)) == {page(FIRST): page(C), page(B): page(C)}


def test_what_moved_without_another_page_needs_none(root: Path) -> None:
    moved(root, path(FIRST), path(FIRST, ARCHIVE), "2026-02-01")
    assert found(read(root)) == {}
    assert dict(redirects(read(root), lambda place: place, lambda place: place)) == {
        path(FIRST): path(FIRST, ARCHIVE)
    }


def test_no_redirect_lies_on_a_page_that_is_there(root: Path) -> None:
    rename(root, FIRST, B)
    commit(root, {path(FIRST): text_of(FIRST, title="Another")}, "2026-02-02")
    assert found(read(root)) == {}
    rename(root, B, C)
    assert found(read(root)) == {page(B): page(C)}
    assert found(read(root), page(B).upper()) == {}


def test_a_name_that_came_back_leads_in_no_circle(root: Path) -> None:
    rename(root, FIRST, B)
    rename(root, B, FIRST)
    assert found(read(root)) == {page(B): page(FIRST)}


def test_of_two_episodes_that_once_had_one_name_the_later_has_it(root: Path) -> None:
    rename(root, FIRST, B, "2026-02-01")
    commit(root, {path(FIRST): text_of(FIRST, title="Another")}, "2026-02-02")
    rename(root, FIRST, C, "2026-02-03")
    assert found(read(root)) == {page(FIRST): page(C)}


def test_what_was_removed_has_no_address_any_more(root: Path) -> None:
    rename(root, FIRST, B)
    commit(root, {path(B): None}, "2026-02-02")
    assert found(read(root)) == {}


def test_hidden_episodes_have_none_and_neither_have_names_from_before(root: Path) -> None:
    commit(
        root, {path(SECOND): text_of(SECOND, ("mode: live", "visibility: public"))}, "2026-02-01"
    )
    rename(root, FIRST, B)
    rename(root, SECOND, C)
    assert found(read(root)) == {page(FIRST): page(B), page(SECOND): page(C)}
    assert found(seen_by(read(root), ["public"])) == {page(SECOND): page(C)}
    public = ("mode: live", "visibility: public")
    commit(root, {path(B): text_of(FIRST, public).replace(FIRST, B)}, "2026-02-03")
    assert found(seen_by(read(root), ["public"])) == {page(SECOND): page(C)}


def test_on_a_site_the_page_leads_from_the_old_name_to_the_new_one(root: Path) -> None:
    rename(root, FIRST, B)
    moved(root, path(B), path(B, "docs/research"), "2026-02-02")
    shelf = read(root)
    places = Places(shelf, directory_urls=True)
    pairs = dict(redirects(shelf, places.pages.__getitem__, page_name, OWN))
    assert pairs == {f"topics/{FIRST}.md": f"research/{B}.md", f"topics/{B}.md": f"research/{B}.md"}
    for old, new in pairs.items():
        assert f'href="../../research/{B}/"' in redirect_page(places.at(old).page(new))


def test_random_moves_end_where_the_episodes_are() -> None:
    """A thousand moves of eight episodes between twelve names."""
    dice = random.Random(4)
    for _ in range(20):
        places = {f"docs/topics/n{n}.md": f"e{n}" for n in range(8)}
        steps: list[tuple[str, str]] = []
        for _ in range(50):
            old = dice.choice(sorted(places))
            free = [
                f"docs/topics/n{n}.md" for n in range(12) if f"docs/topics/n{n}.md" not in places
            ]
            new = dice.choice(free)
            places[new] = places.pop(old)
            steps.append((places[new], old))
        today = {name: place for place, name in places.items()}
        history = tuple(
            Change("renamed", today[name], "", "", str(n), old_path=old)
            for n, (name, old) in enumerate(reversed(steps))
        )
        shelf = Shelf.make((entry_of(p, "") for p in places), changes=History(history))
        leads = dict(redirects(shelf, lambda p: p, lambda p: p))
        assert not leads.keys() & places.keys() and set(leads.values()) <= places.keys()
        for old, new in leads.items():
            last = next(name for name, before in reversed(steps) if before == old)
            assert new == today[last]
        assert set(leads) == {old for _, old in steps} - places.keys()


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("target", ["../2026-01-05-b/", "../%E6%97%A5/#d1", '"><script>x</script>'])
def test_the_page_leads_on_without_scripts(target: str) -> None:
    html = redirect_page(target)
    links = _Links()
    links.feed(html)
    tags = dict(links.found)
    assert html.startswith("<!doctype html>") and "<script" not in html
    assert (
        tags["a"]["href"] == tags["link"]["href"] == target and tags["link"]["rel"] == "canonical"
    )
    metas = [given for tag, given in links.found if tag == "meta"]
    assert {"http-equiv": "refresh", "content": f"0; url={target}"} in metas
    assert {"name": "robots", "content": "noindex"} in metas
    assert not re.search(r"https?:", html)


def test_a_shelfs_own_template_stands_in_front_of_ours(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "redirect.html.j2").write_text("to {{ target }}")
    assert redirect_page("../b/", tmp_path) == "to ../b/"
