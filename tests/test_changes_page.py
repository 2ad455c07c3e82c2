"""The page of what changed: what stands on it, in which words, and how long it is."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from histories import FIRST, SECOND, commit, moved, path, read
from histories import text as text_of

from memshelf.domain.changes import Change, History
from memshelf.domain.choosing import seen_by
from memshelf.domain.config import Config
from memshelf.domain.entry import entry_of
from memshelf.domain.lately import lately
from memshelf.domain.shelf import Shelf
from memshelf.render.changes_page import changes_page
from memshelf.render.report import Line, Part, Report, to_markdown
from memshelf.render.site_places import CHANGES, Places
from memshelf.storage.store import Store

NASTY = "x <img src=x onerror=alert(1)> [a](javascript:b) **c** | d"


class Here:
    """A site with a page for every episode but hidden ones."""

    def episode(self, name: str, anchor: str = "") -> str:
        episode, _, place = name.partition("/")
        return f"../e/{episode}/{f'#{place}' if place else ''}"


def page(shelf: Shelf) -> Report:
    return changes_page(shelf, Here())


def lines(report: Report) -> list[str]:
    """The report as text: headings with a hash, addresses in angles, what is past in brackets."""
    out = [part_line for part in report.parts for part_line in _lines(part)]
    return [*out, *([report.foot] if report.foot else [])]


def _lines(part: Part) -> list[str]:
    out = [f"# {part.title}"] if part.title else []
    out += [_text(item) for item in part.said]
    for block in part.blocks:
        out.append(f"## {block.heading}")
        for item in block.lines:
            out.append(f"({_text(item)})" if item.past else _text(item))
            out += [f"  {_text(below)}" for below in item.below]
    return out


def _text(item: Line) -> str:
    return " ".join(f"{s.text}<{s.href}>" if s.href else s.text for s in item.spans)


def shelf_of(changes: list[Change], *names: str, title: str = "", **rest: str) -> Shelf:
    entries = [entry_of(path(name), text_of(name, title=title)) for name in names]
    history = History(tuple(changes), available=True, **rest)
    return Shelf.make(entries, config=Config(name="Tides"), changes=history)


def change(day: str, kind: str, name: str = FIRST, commit: str = "", **more: object) -> Change:
    return Change(
        kind, path(name) if name else "", f"{day}T10:00:00+00:00", "Ann", commit or day, **more
    )  # type: ignore[arg-type]


# --- what stands on it -------------------------------------------------------------------------


def test_the_page_tells_by_day_what_happened_to_each_episode(store: Store) -> None:
    root = store.root
    commit(root, {path(FIRST): text_of(FIRST)}, "2026-01-05")
    closing = ("mode: live", f"mode: live\ncloses: [{FIRST}/t1]\nsupersedes: [{FIRST}]")
    commit(root, {path("2026-01-30-gone"): text_of("2026-01-30-gone")}, "2026-01-30")
    commit(
        root, {path(SECOND): text_of(SECOND, closing), path("2026-01-30-gone"): None}, "2026-02-01"
    )
    better = "2026-02-01-better"
    moved(root, path(SECOND), path(better), "2026-02-02", (SECOND, better))
    more = ("- Redis for", "- Redis 8 for")
    commit(root, {path(better): text_of(better, closing, more)}, "2026-02-03")
    moved(root, path(FIRST), path(FIRST, "archive/docs/topics"), "2026-02-04")
    report = page(read(root))
    assert report.title == "What changed"
    assert (
        report.head == "A test shelf · As of 2026-02-01 · 2 episodes: 2 topics · 1 of them archived"
    )
    assert lines(report) == [
        "# 2026-02",
        "## 2026-02-04",
        f"Archived: On first<../e/{FIRST}/>",
        "## 2026-02-03",
        f"Amended: On better<../e/{better}/> · front matter, Decisions",
        "## 2026-02-02",
        f"Renamed: On better<../e/{better}/> · was {SECOND} · front matter",
        "## 2026-02-01",
        f"New: On better<../e/{better}/> — One sentence.",
        f"  Closed: Choose an eviction policy. — {FIRST}/t1<../e/{FIRST}/#t1>",
        f"(Replaced: On first<../e/{FIRST}/> → On better<../e/{better}/>)",
        "Removed: 1 episode",
        "# 2026-01",
        "## 2026-01-05",
        f"New: On first<../e/{FIRST}/> — One sentence.",
    ]


def test_an_episode_has_one_row_a_day_however_often_it_was_touched() -> None:
    shelf = shelf_of(
        [
            change("2026-03-02", "amended", commit="d", sections=("Digest", "Notes")),
            change(
                "2026-03-02", "amended", commit="c", sections=("Digest",), closes=(f"{SECOND}/t1",)
            ),
            change("2026-03-01", "replaced", commit="b", by=(SECOND,)),
            change("2026-03-01", "amended", commit="a", sections=("Digest",)),
            change("2026-03-01", "new", commit="a"),
        ],
        FIRST,
        SECOND,
    )
    assert lines(page(shelf)) == [
        "# 2026-03",
        "## 2026-03-02",
        f"Amended: On first<../e/{FIRST}/> · Digest, Notes",
        f"  Closed: Choose an eviction policy. — {SECOND}/t1<../e/{SECOND}/#t1>",
        "## 2026-03-01",
        f"(New: On first<../e/{FIRST}/> — One sentence. → replaced by On second<../e/{SECOND}/>)",
    ]


def test_many_sections_are_counted_and_unknown_addresses_stay_what_they_are() -> None:
    names = tuple(f"S{n}" for n in range(12))
    closes = ("2026-01-01-gone/t7", FIRST)
    shelf = shelf_of([change("2026-03-01", "amended", sections=names, closes=closes)], FIRST)
    assert lines(page(shelf))[2:] == [
        f"Amended: On first<../e/{FIRST}/> · S0, S1, S2, S3, S4, S5, S6, S7, 4 more",
        "  Closed: 2026-01-01-gone/t7",
        f"  Closed: all threads of {FIRST}<../e/{FIRST}/>",
    ]


def test_more_than_fifty_at_once_are_one_row() -> None:
    names = [f"2026-01-{day:02}-n{n}" for day in range(1, 18) for n in range(3)]
    changes = [change("2026-02-01", "new", name, "bulk") for name in names]
    changes.insert(20, change("2026-02-01", "amended", names[0], "other", sections=("Digest",)))
    assert lines(page(shelf_of(changes, *names)))[2:] == [
        "New: 51 episodes at once, the newest of them On n2<../e/2026-01-17-n2/>",
        "Amended: On n0<../e/2026-01-01-n0/> · Digest",
    ]
    assert len(lines(page(shelf_of(changes[:50], *names)))) == 2 + 49


def test_removed_ones_are_a_count_of_the_day() -> None:
    gone = [change("2026-02-01", "removed", "", str(n)) for n in range(60)]
    assert lines(page(shelf_of(gone)))[2:] == ["Removed: 60 episodes"]


def test_changes_of_what_is_not_on_the_shelf_are_not_shown() -> None:
    assert lines(page(shelf_of([change("2026-02-01", "new", SECOND)], FIRST))) == [
        "No change has been recorded yet."
    ]


# --- how much ----------------------------------------------------------------------------------


def daily(count: int, last: str = "2026-12-31", every: int = 1) -> Shelf:
    """A shelf with an episode of which something changed each day, and the newest date `last`."""
    newest = date.fromisoformat(last)
    days = [(newest - timedelta(days=every * n)).isoformat() for n in range(count)]
    return shelf_of([change(day, "amended", commit=day) for day in days], FIRST)


@pytest.mark.parametrize(
    ("shelf", "shown", "more"),
    [(daily(10), 10, 0), (daily(50), 50, 0), (daily(80), 50, 30), (daily(80, every=40), 50, 30)],
)
def test_the_last_fifty_rows_are_shown_at_least(shelf: Shelf, shown: int, more: int) -> None:
    found = lately(shelf)
    assert (len(found.rows), found.more) == (shown, more)


@pytest.mark.parametrize(("count", "shown"), [(4, 124), (9, 279), (10, 300), (40, 300)])
def test_thirty_days_are_shown_whole_up_to_three_hundred_rows(count: int, shown: int) -> None:
    names = [f"2026-01-05-n{n}" for n in range(count)]
    days = [(date(2026, 12, 31) - timedelta(days=n)).isoformat() for n in range(60)]
    shelf = shelf_of(
        [change(day, "amended", name, f"{day}{name}") for day in days for name in names], *names
    )
    assert len(lately(shelf).rows) == shown
    assert page(shelf).foot == f"{60 * count - shown:,} earlier are not shown."


def test_a_shelf_on_which_nothing_happened_lately_says_so_with_the_latest() -> None:
    shelf = shelf_of([change("2026-01-20", "amended", sections=("Digest",))], FIRST, "2026-03-01-x")
    assert lines(page(shelf)) == [
        "No change in the last 30 days. The latest ones before:",
        "# 2026-01",
        "## 2026-01-20",
        f"Amended: On first<../e/{FIRST}/> · Digest",
    ]


def test_an_empty_shelf_and_a_shallow_clone_say_what_they_are() -> None:
    assert lines(page(shelf_of([]))) == ["No change has been recorded yet."]
    assert page(Shelf()).head != ""
    shallow = shelf_of([change("2026-01-20", "new")], FIRST, begins="2026-01-02")
    assert page(shallow).foot == "History begins at 2026-01-02 here."


def test_a_change_without_a_day_stands_at_the_end() -> None:
    shelf = shelf_of(
        [change("2026-01-20", "amended"), Change("new", path(FIRST), "", "", "a")], FIRST
    )
    assert lines(page(shelf))[-2:] == [
        "## Without a date",
        f"New: On first<../e/{FIRST}/> — One sentence.",
    ]


# --- harmless and hidden -----------------------------------------------------------------------


def test_texts_of_episodes_are_shown_as_they_are() -> None:
    sections = ("# Big\n- x", "<b>")
    shelf = shelf_of(
        [change("2026-01-20", "amended", sections=sections)], FIRST, title=NASTY.replace('"', "")
    )
    report = page(shelf)
    assert _text(report.parts[0].blocks[0].lines[0]).startswith(f"Amended: {NASTY}<")
    shown = to_markdown(report, "retro.md.j2")
    assert "<img" not in shown and "**c**" not in shown and "\n# Big" not in shown


def test_readers_see_the_page_of_a_shelf_without_what_is_hidden(store: Store) -> None:
    root, secret = store.root, "2026-01-20-secret-merger"
    public = ("mode: live", "mode: live\nvisibility: public")
    commit(root, {path(FIRST): text_of(FIRST, public)}, "2026-01-05")
    without = lines(page(seen_by(read(root), ["public"])))
    closing = ("mode: live", f"mode: live\ncloses: [{FIRST}/t1]\nsupersedes: [{FIRST}]")
    commit(root, {path(secret): text_of(secret, closing)}, "2026-02-20")
    commit(root, {path("2026-01-21-x"): text_of("2026-01-21-x")}, "2026-02-21")
    commit(root, {path("2026-01-21-x"): None}, "2026-02-22")
    assert lines(page(seen_by(read(root), ["public"]))) == without
    assert len(lines(page(read(root)))) > len(without)


def test_on_a_site_titles_lead_to_the_pages_of_episodes(store: Store) -> None:
    closing = ("mode: live", f"mode: live\ncloses: [{FIRST}/t1]")
    files = {path(FIRST): text_of(FIRST), path(SECOND): text_of(SECOND, closing)}
    commit(store.root, files, "2026-02-01")
    shelf = read(store.root)
    shown = lines(changes_page(shelf, Places(shelf, directory_urls=True).at(CHANGES)))
    assert shown[2:] == [
        f"New: On second<../topics/{SECOND}/> — One sentence.",
        f"  Closed: Choose an eviction policy. — {FIRST}/t1<../topics/{FIRST}/#t1>",
        f"New: On first<../topics/{FIRST}/> — One sentence.",
    ]


@pytest.mark.parametrize("name", ["sample", "real_shelf", "peer_shelf"])
def test_every_shelf_has_its_page(name: str, request: pytest.FixtureRequest) -> None:
    shelf = request.getfixturevalue(name).read(history=True)
    shown = lines(page(shelf))
    for entry in shelf.entries:
        assert any(f"<../e/{entry.id}/>" in one for one in shown), entry.id


def test_the_page_is_the_same_anywhere(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(store.root, {path(FIRST): text_of(FIRST)}, "2026-01-05T23:30:00-0500")
    before = page(read(store.root))
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    assert page(read(Path(store.root))) == before and "## 2026-01-05" in lines(before)
