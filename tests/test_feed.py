"""The Atom feed: what RFC 4287 asks for, what it says of an episode, and how large it may be."""

from __future__ import annotations

import re
from datetime import datetime
from xml.etree import ElementTree

import pytest
from conftest import same_anywhere
from histories import FIRST, SECOND, commit, moved, path, read
from histories import text as text_of
from hypothesis import given, settings
from support import HARD_TEXT

from memshelf.domain.changes import Change, History
from memshelf.domain.choosing import seen_by
from memshelf.domain.config import Config
from memshelf.domain.entry import entry_of
from memshelf.domain.episode import Episode, format_episode
from memshelf.domain.shelf import Shelf
from memshelf.render.feed import LARGEST, feed, urn
from memshelf.storage.store import Store

ATOM = "{http://www.w3.org/2005/Atom}"
SITE = "https://example.org/memory/"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def address(id: str) -> str:
    return f"episodes/{id}/"


def parsed(shelf: Shelf) -> ElementTree.Element:
    """The feed, in which each element that RFC 4287 asks for is there as it must be."""
    page = feed(shelf, SITE, address)
    assert page and page.path == "feed.xml" and len(page.raw) <= LARGEST
    root = ElementTree.fromstring(page.raw)
    assert root.tag == f"{ATOM}feed"
    for element in (root, *root.iter(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            (found,) = element.findall(f"{ATOM}{name}")
            assert (found.text or "").strip(), name
        assert element.findtext(f"{ATOM}id", "").startswith("urn:uuid:")
        updated = element.findtext(f"{ATOM}updated", "")
        assert MOMENT.fullmatch(updated) and datetime.fromisoformat(updated)
        links = [link.get("rel") for link in element.findall(f"{ATOM}link")]
        assert len(links) == len(set(links)) and "alternate" in links
        assert all(link.get("href", "").startswith(SITE) for link in element.findall(f"{ATOM}link"))
        assert all(tag.get("term") for tag in element.findall(f"{ATOM}category"))
    assert root.findtext(f"{ATOM}author/{ATOM}name")
    ids = [entry.findtext(f"{ATOM}id") for entry in root.iter(f"{ATOM}entry")]
    assert len(ids) == len(set(ids))
    return root


def entries(shelf: Shelf) -> list[dict[str, str]]:
    """Each entry: the texts of its elements by their names."""
    return [
        {child.tag.removeprefix(ATOM): child.text or child.get("href", "") for child in entry}
        for entry in parsed(shelf).iter(f"{ATOM}entry")
    ]


def shelf_of(*episodes: Episode, changes: tuple[Change, ...] = (), **rest: object) -> Shelf:
    texts = {f"docs/topics/{one.id}.md": format_episode(one) for one in episodes}
    return Shelf.make(
        (entry_of(place, text) for place, text in texts.items()),
        config=Config(name=str(rest.get("name", "Tides"))),
        changes=History(changes, available=bool(changes)),
    )


def episode(name: str = FIRST, **fields: object) -> Episode:
    return Episode.make(**({"id": name, "digest": "Decided: yes."} | fields))


# --- what it says ------------------------------------------------------------------------------


def test_an_entry_says_what_an_episode_is_and_when_it_changed_last(store: Store) -> None:
    root = store.root
    commit(root, {path(FIRST): text_of(FIRST)}, "2026-01-05")
    commit(root, {path(SECOND): text_of(SECOND)}, "2026-02-01T00:30:00+0200")
    commit(root, {path(FIRST): text_of(FIRST, ("- Redis for", "- Redis 8 for"))}, "2026-02-03")
    first, second = entries(read(root))
    assert first == {
        "id": urn("A test shelf", FIRST),
        "title": "On first",
        "updated": "2026-02-03T10:00:00Z",
        "link": f"{SITE}episodes/{FIRST}/",
        "category": "",
        "content": "Current. Amended: Decisions.\n\n"
        "Redis was chosen for the cache; memcached was rejected. Open: eviction.",
    }
    assert (second["title"], second["updated"]) == ("On second", "2026-01-31T22:30:00Z")
    tags = [tag.get("term") for tag in parsed(read(root)).iter(f"{ATOM}category")]
    assert tags == ["cache", "infra"] * 2


def test_a_replaced_episode_is_an_update_of_its_entry(store: Store) -> None:
    root = store.root
    commit(root, {path(FIRST): text_of(FIRST)}, "2026-01-05")
    before = entries(read(root))
    says = ("mode: live", f"mode: live\nsupersedes: [{FIRST}]")
    commit(root, {path(SECOND): text_of(SECOND, says)}, "2026-02-01")
    now = {entry["id"]: entry for entry in entries(read(root))}
    old = now[before[0]["id"]]
    assert len(now) == 2 and old["updated"] == "2026-02-01T10:00:00Z" > before[0]["updated"]
    assert old["content"].startswith("Replaced by On second.\n\nRedis")


def test_an_archived_episode_keeps_its_entry(store: Store) -> None:
    commit(store.root, {path(FIRST): text_of(FIRST, ("mode: live", "retain_until: 2027-01-01"))})
    (before,) = entries(read(store.root))
    moved(store.root, path(FIRST), path(FIRST, "archive/docs/topics"), "2026-03-05")
    (after,) = entries(read(store.root))
    assert after["id"] == before["id"] and after["updated"] > before["updated"]
    assert after["content"].startswith("Archived. Good until 2027-01-01.\n\n")


def test_without_git_an_episode_changed_on_its_own_day() -> None:
    shelf = shelf_of(episode(), episode(SECOND), episode("undated"), episode("2026-02-31-none"))
    assert [(one["title"], one["updated"]) for one in entries(shelf)] == [
        (SECOND, "2026-02-01T00:00:00Z"), (FIRST, "2026-01-05T00:00:00Z"),
    ]  # fmt: skip


def test_a_digest_is_text_without_marks() -> None:
    (entry,) = entries(
        shelf_of(episode(digest="**Chosen**: `a*b`, not [that](x.md).\n\n- One\n- _Two_"))
    )
    assert entry["content"] == "Current.\n\nChosen: a*b, not that.\n\n- One\n- Two"


def test_of_two_files_with_one_id_one_has_an_entry() -> None:
    text = format_episode(episode())
    paths = (path(FIRST), path(FIRST, "docs/research"), path(FIRST, "archive/docs/topics"))
    assert len(entries(Shelf.make([entry_of(place, text) for place in paths]))) == 1


def test_an_episode_without_a_page_has_no_link() -> None:
    page = feed(shelf_of(episode()), SITE, lambda _: "")
    assert page and "<content" in str(page.data) and str(page.data).count("<link") == 2


# --- what it is --------------------------------------------------------------------------------


def test_a_shelf_without_episodes_has_a_valid_feed_without_entries() -> None:
    root = parsed(Shelf())
    assert not root.findall(f"{ATOM}entry")
    assert root.findtext(f"{ATOM}updated") == "1970-01-01T00:00:00Z"
    gone = Change("removed", "", "2026-02-01T10:00:00+02:00", "Ann", "a")
    assert parsed(shelf_of(changes=(gone,))).findtext(f"{ATOM}updated") == "2026-02-01T08:00:00Z"


@pytest.mark.parametrize(
    "site", ["", "/memory/", "example.org", "file:///tmp/x", "https://", "mailto:a@b"]
)
def test_without_the_address_of_a_site_there_is_no_feed(site: str) -> None:
    assert feed(shelf_of(episode()), site, address) is None


def test_addresses_are_whole_with_and_without_a_slash_at_the_end() -> None:
    pages = {feed(shelf_of(episode()), site, address) for site in (SITE, SITE.rstrip("/"))}
    assert len(pages) == 1


def test_the_fifty_latest_are_told_newest_first() -> None:
    many = [episode(f"2026-{month:02}-{day:02}-x") for month in range(1, 7) for day in range(1, 25)]
    titles = [entry["title"] for entry in entries(shelf_of(*many))]
    assert titles == sorted((one.id for one in many), reverse=True)[:50]


def test_a_feed_stays_small_however_long_the_texts_are() -> None:
    digest, tags = "Ab & «日本»   " * 3000, [f"tag {n} {'日' * 40}" for n in range(60)]
    many = [episode(f"2026-01-{day:02}-x{n}", digest=digest, tags=tags, display_title="&" * 200)
            for day in range(1, 29) for n in range(2)]  # fmt: skip
    found = entries(shelf_of(*many))
    assert 0 < len(found) <= 50 and found[0]["title"].startswith("&&")
    small = entries(
        shelf_of(*(episode(f"2026-01-{day:02}-x", digest=digest) for day in range(1, 29)))
    )
    assert len(small) == 28 and small[0]["content"].endswith("…")


@settings(max_examples=40, deadline=None)
@given(HARD_TEXT, HARD_TEXT, HARD_TEXT)
def test_any_text_makes_a_feed_that_a_parser_reads(title: str, tag: str, digest: str) -> None:
    one = episode(display_title=title, tags=[tag], digest=digest)
    entry = entry_of(path(FIRST), "")._replace(
        id=FIRST, title=title, tags=(tag,), more=lambda _: entry_of("", format_episode(one)).facts
    )
    parsed(Shelf.make([entry], config=Config(name=title)))


def test_nothing_in_a_text_is_markup() -> None:
    nasty = 'x <img src=x onerror=alert(1)> ]]> &lt; "q" \u202e\x00'
    shelf = shelf_of(episode(display_title=nasty, digest=nasty), name=nasty)
    page = feed(shelf, SITE, address)
    assert page and "<img" not in str(page.data) and "\u202e" not in str(page.data)
    (entry,) = entries(shelf)
    assert entry["title"].startswith('x <img src=x onerror=alert(1)> ]]> &lt; "q"')


def test_an_entry_never_moves() -> None:
    assert urn("Tides", FIRST) == "urn:uuid:8236242f-9d86-5d62-9b46-9b0a45bef5b5"
    assert len({urn("a"), urn("a", "b"), urn("ab"), urn("b", "a"), urn("a", "")}) == 5


_SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from test_feed import SITE, address, episode, shelf_of
from memshelf.render.feed import feed
sys.stdout.buffer.write(feed(shelf_of(*(episode(f"2026-01-0{n}-é") for n in range(1, 9))), SITE, address).raw)
"""


def test_the_feed_is_the_same_anywhere() -> None:
    assert "2026-01-08-é" in same_anywhere(_SCRIPT)


def test_hidden_episodes_leave_no_trace(store: Store) -> None:
    root, secret = store.root, "2026-01-20-secret-merger"
    public = ("mode: live", "mode: live\nvisibility: public")
    commit(root, {path(FIRST): text_of(FIRST, public)}, "2026-01-05")
    without = feed(seen_by(read(root), ["public"]), SITE, address)
    says = ("mode: live", f"mode: live\nsupersedes: [{FIRST}]")
    commit(root, {path(secret): text_of(secret, says)}, "2026-02-20")
    commit(root, {path("2026-01-21-x"): text_of("2026-01-21-x")}, "2026-02-21")
    commit(root, {path("2026-01-21-x"): None}, "2026-02-22")
    assert feed(seen_by(read(root), ["public"]), SITE, address) == without
    assert len(entries(read(root))) == 2


@pytest.mark.parametrize("name", ["sample", "real_shelf", "peer_shelf"])
def test_every_shelf_has_its_feed(name: str, request: pytest.FixtureRequest) -> None:
    shelf = request.getfixturevalue(name).read(history=True)
    assert len(entries(shelf)) == min(len(shelf.entries), 50)
