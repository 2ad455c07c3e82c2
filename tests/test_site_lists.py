"""The list pages of a site: what stands on them, where they lead, and how they go on at size."""

from __future__ import annotations

import datetime
import posixpath
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from markupsafe import Markup
from reportkit import anchors, hrefs, lines_of, pages, spans_of, split, told
from retros import Tree, harmless, shelf_of, topic

from memshelf.domain.config import Config
from memshelf.domain.economy import by_kind, economy, last_months
from memshelf.domain.entry import Entry, Facts
from memshelf.domain.finding import Finding
from memshelf.domain.graph import graph
from memshelf.domain.items import Choice, Item
from memshelf.domain.shelf import Shelf
from memshelf.domain.tags import Unders, tags, under
from memshelf.domain.threads import decisions, threads, waiting
from memshelf.render.language import turns
from memshelf.render.report import Block, Part, Picture, Report, line, link, tag, to_html
from memshelf.render.site_catalogue import dates_pages, kinds_pages
from memshelf.render.site_decisions import decisions_pages
from memshelf.render.site_graph import graph_page
from memshelf.render.site_lines import anchor_of
from memshelf.render.site_places import Places
from memshelf.render.site_states import State, marked
from memshelf.render.site_stats import stats_page
from memshelf.render.site_tags import tag_pages
from memshelf.render.site_threads import threads_pages
from memshelf.storage.store import Store

GOLDEN = Path(__file__).parent / "golden" / "lists"
LISTS = (
    *("threads", "decisions", "tags", "tags/print", "graph", "by-kind", "by-date"),
    *("stats", "problems", "quarters"),
)


# --- what stands on them ---------------------------------------------------------------------


@pytest.mark.parametrize("name", LISTS)
def test_a_page_of_the_sample_is_as_the_golden_file_shows_it(
    sample: Store, update: bool, name: str
) -> None:
    made = told(pages(sample.read())[f"{name}.md"])
    golden = GOLDEN / f"{name.replace('/', '-')}.txt"
    if update:
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(made, "utf-8", newline="\n")
    assert made == golden.read_text("utf-8")


def test_every_page_begins_with_the_shelf_its_day_and_its_size(sample: Store) -> None:
    for path, report in pages(sample.read()).items():
        begin = "Eelgrass project memory · "
        assert report.head.startswith(begin if "quarters/" in path else f"{begin}as of 2026-09-30")


def test_published_quarters_invite_nobody_to_write(sample: Store) -> None:
    shelf = replace(sample.read(), files={})
    report = pages(shelf)["quarters/2026Q2.md"]
    assert "short" not in {part.anchor for part in report.parts}
    assert "--edit" not in told(report)


# --- where they lead -------------------------------------------------------------------------


@pytest.mark.parametrize("directory_urls", [False, True])
@pytest.mark.parametrize("which", ["sample", "real_shelf", "peer_shelf"])
def test_every_link_leads_to_a_place_that_is_there(
    request: pytest.FixtureRequest, which: str, directory_urls: bool
) -> None:
    shelf = request.getfixturevalue(which).read()
    assert shelf.entries
    everything_is_there(shelf, directory_urls)


def everything_is_there(shelf: Shelf, directory_urls: bool = False) -> dict[str, Report]:
    """The pages of a shelf, of which each link leads to a page, and to a place of that page."""
    places, made = Places(shelf, directory_urls), pages(shelf, directory_urls=directory_urls)
    by_url = {places.url(path): path for path in (*made, *places.pages.values())}
    held = {path: set(anchors(report)) for path, report in made.items()}
    entries = {page: entry for entry in shelf.entries for page in [places.pages[entry.path]]}
    for path, report in made.items():
        assert len(anchors(report)) == len(set(anchors(report))), path
        for href in hrefs(report):
            url, _, anchor = href.partition("#")
            there = posixpath.normpath(posixpath.join(posixpath.dirname(places.url(path)), url))
            known = there if not url.endswith("/") else f"{there.removeprefix('.')}/".lstrip("/")
            target = by_url[known] if url else path
            if anchor and target in entries:
                place, number = split(href)[1][0], int(split(href)[1][1:])
                entry = entries[target]
                assert number <= len(entry.threads if place == "t" else entry.decisions)
            elif anchor:
                assert split(href)[1] in held[target], (path, href)
    return made


def test_a_link_between_pages_is_the_shortest_that_a_browser_takes() -> None:
    draw = random.Random(7)
    for directory_urls in (False, True):
        places = Places(Shelf(), directory_urls)
        for _ in range(300):
            source, there = (
                "/".join(draw.choice("ab") for _ in range(draw.randint(1, 4))) + ".md"
                for _ in range(2)
            )
            made = places.at(source).page(there)
            assert not made.startswith("/")
            base = posixpath.dirname(places.url(source))
            joined = posixpath.normpath(posixpath.join(base, made))
            assert joined == places.url(there).rstrip("/")


# --- none, one, and what is odd --------------------------------------------------------------


def test_an_empty_shelf_has_a_sentence_where_lists_would_stand() -> None:
    made = pages(Shelf(config=Config(name="Empty")))
    said = {path: told(report).splitlines()[4] for path, report in made.items()}
    assert said == {
        "tags.md": "No tags yet. `memshelf edit ID --tag +WORD` gives an episode one.",
        "graph.md": said["graph.md"],
        "stats.md": said["stats.md"],
        "problems.md": "None: every file of the shelf could be read.",
        "quarters.md": "No episode has a date yet.",
        "threads.md": "Nothing is open.",
        "decisions.md": (
            "No decisions yet. They are read from episodes: each item of a section “Decisions” is one."
        ),
        "by-kind.md": "Nothing here yet.",
        "by-date.md": "Nothing here yet.",
    }
    assert said["graph.md"].startswith("No episode names another yet.")
    assert said["stats.md"].startswith("memshelf: 0 episodes")
    assert {report.head for report in made.values()} >= {"Empty · 0 episodes"}


def test_one_episode_has_flat_lists_and_no_ratio() -> None:
    made = everything_is_there(shelf_of(topic("2026-04-10-a", opened="- Rotate the key")))
    threads_said, stats_said = told(made["threads.md"]), told(made["stats.md"])
    assert "### " not in threads_said and "1 open, 0 of them" in threads_said
    assert "`Closes 2026-04-10-a/t1`" in threads_said
    assert "token of standing cost" not in stats_said


def test_where_nothing_is_open_any_more_the_last_that_was_closed_is_named() -> None:
    shelf = shelf_of(
        topic("2026-01-10-a", opened="- Rotate the key"),
        topic("2026-01-12-b", closes=["2026-01-10-a/t1"]),
    )
    said = told(pages(shelf)["threads.md"])
    assert "Nothing is open.\nClosed last: [Rotate the key](topics/2026-01-10-a.html#t1)" in said
    assert "after 2 days" in said and "Lately closed" not in said


def test_replaced_episodes_stand_last_are_dimmed_and_name_their_successors() -> None:
    shelf = shelf_of(
        topic("2026-04-10-a"),
        topic("2026-04-11-b", supersedes=["2026-04-20-c"]),
        topic("2026-04-20-c"),
        topic("2026-04-25-d", supersedes=["2026-04-20-c"]),
    )
    made = everything_is_there(shelf)
    for page in ("by-kind.md", "by-date.md"):
        listed = [
            item for part in made[page].parts for block in part.blocks for item in block.lines
        ]
        titles = [next(span.text for span in item.spans if span.href) for item in listed]
        assert titles == ["D", "B", "A", "C"]
        assert [item.past for item in listed] == [False, False, False, True]
        words = [span.text for span in listed[-1].spans]
        assert words == ["2026-04-20", "C", "replaced by", "B", "and 1 more"]


def test_what_is_archived_is_said_in_words_and_its_threads_are_folded(sample: Store) -> None:
    shelf = sample.read()
    old = next(entry for entry in shelf.archived)
    facts = Facts(threads=(Item("Closed by a later one"), Item("Left behind")))
    kept = [
        entry._replace(more=lambda _: facts) if entry is old else entry for entry in shelf.entries
    ]
    report = pages(replace(shelf, entries=tuple(kept)))["threads.md"]
    (part,) = [part for part in report.parts if part.anchor == "archived"]
    assert part.blocks[0].folded and part.blocks[0].lines[0].below[0].spans[0].text == "Left behind"
    ages = [part for part in report.parts if part.anchor in ("over-a-year", "over-a-quarter")]
    assert not any("Left behind" in told(replace(report, parts=(part,))) for part in ages)


HOSTILE = (
    "x <img src=x onerror=alert(1)> [a](javascript:b) **c** | d",
    '"onmouseover="alert(1)',
    '"]; click n0 "javascript:alert(1)"',
    "</li></ul></section><script>alert(1)</script>",
    "# Big\n- x",
    "\u202eesrever\u2066 שלום",
    "日本語 🚀 {{ 7*7 }} {% raw %}",
    "a\x00b\x1b[31m",
)


@pytest.mark.parametrize("attack", HOSTILE)
def test_no_text_of_an_episode_breaks_out_of_a_page(attack: str) -> None:
    def shelf(said: str) -> Shelf:
        facts = Facts(
            decisions=(Choice(said, (said,)),),
            threads=(Item(said), Item(f"{said} 2026-01-01-a/t1")),
            mentions=(("2026-01-01-a", said), ("2026-01-09-gone", said)),
        )
        made = [entry_at(n, facts, said, (said, f"{said}2")) for n in range(4)]
        wrong = Finding("error", "bad", said, f"docs/topics/{said}.md", said)
        old = made[2]._replace(supersedes=(made[1].id,))
        return Shelf.make(
            [made[0], made[1], old, made[3]._replace(date="2026-02-31", id=said.replace("/", ""))],
            config=Config(name=said),
            problems=(wrong,),
        )

    # A line with a letter that runs from right to left has marks of its direction.
    word = "abcdefg שלום" if turns(attack) else "word"
    evil, good = (pages(shelf(said)) for said in (attack, word))
    assert len(evil) == len(good)
    for one, other in zip(evil.values(), good.values(), strict=True):
        trees = [Tree(to_html(report, "retro.html.j2")) for report in (one, other)]
        assert [name for name, _ in trees[0].tags] == [name for name, _ in trees[1].tags]
        harmless(trees[0])
        assert len(set(trees[0].ids)) == len(trees[0].ids)
        texts = [span.text for span in spans_of(one)]
        assert all(text.isprintable() or "\u200f" in text for text in texts), texts


def test_two_files_with_one_id_keep_their_places_apart(sample: Store) -> None:
    facts = Facts(decisions=(Choice("Yes"),), threads=(Item("Why"), Item("How")))
    first = entry_at(1, facts, "One", ("a",))
    twin = first._replace(path="docs/research/2026-01-02-e1.md", title="Other")
    made = pages(Shelf.make([first, twin, entry_at(2, facts, "Two", ("a",))]))
    for report in made.values():
        assert len(set(anchors(report))) == len(anchors(report))
    listed = [href for href in hrefs(made["by-date.md"]) if "e1" in href]
    assert sorted(listed) == ["research/2026-01-02-e1.html", "topics/2026-01-02-e1.html"]


# --- at size ---------------------------------------------------------------------------------


def entry_at(
    day: int, facts: Facts, title: str = "", names: tuple[str, ...] = (), step: int = 1
) -> Entry:
    """An episode on the so-manieth day, made without a file."""
    date = datetime.date(2026, 1, 1) + datetime.timedelta(days=step * day)
    name = f"{date}-e{day}"
    (made,) = shelf_of(topic("2026-01-01-e")).entries
    return made._replace(
        path=f"docs/topics/{name}.md", id=name, date=str(date), span=str(date),
        title=title or f"E{day}", tags=names, more=lambda _: facts,
    )  # fmt: skip


def many(count: int, facts: Facts, names: tuple[str, ...] = (), step: int = 1) -> Shelf:
    return Shelf.make(entry_at(day, facts, names=names, step=step) for day in range(count))


def listed(report: Report) -> Iterator[str]:
    """The addresses that have a place on a page."""
    return (item.anchor for item in lines_of(report) if item.anchor)


def test_open_threads_go_on_two_hundred_a_page_oldest_first() -> None:
    shelf = many(150, Facts(threads=tuple(Item(f"Do {n}") for n in range(3))), ("a", "b"), step=4)
    made = dict(threads_pages(shelf, Places(shelf).at("index.md")))
    assert list(made) == ["threads.md", "threads-2.md", "threads-3.md"]
    found = {path: set(listed(report)) for path, report in made.items()}
    assert [len(some) for some in found.values()] == [200, 200, 50]
    wanted = [anchor_of(thread.address) for thread in waiting(shelf)]
    assert found["threads.md"] == set(wanted[:200]) and found["threads-3.md"] == set(wanted[400:])
    first = told(made["threads.md"])
    assert "450 open, " in first and "Page 1 of 3. [Next page, 2](threads-2.html)" in first
    assert "[2026Q4](threads-2.html#opened-2026q4) | " in first
    assert "## By tag" in first and "[a](tags/a.html) | 450" in first
    everything_is_there(shelf)


def test_decisions_get_a_page_a_year_and_of_a_large_year_a_page_a_quarter() -> None:
    facts = Facts(decisions=tuple(Choice(f"Yes {n}", ("Rejected: no.",)) for n in range(6)))
    for count, paths in (
        (80, ["decisions.md"]),
        (420, ["decisions.md", "decisions-2027.md", "decisions-2026Q4.md", "decisions-2026Q3.md",
               "decisions-2026Q2.md", "decisions-2026Q1.md"]),
    ):  # fmt: skip
        shelf = many(count, facts, ("a",))
        made = dict(decisions_pages(shelf, Places(shelf).at("index.md")))
        assert list(made) == paths
        pages_of_lists = list(made.values())[1:] or list(made.values())
        found = Counter(place for report in pages_of_lists for place in listed(report))
        assert found == Counter(anchor_of(decision.address) for decision in decisions(shelf))
        everything_is_there(shelf)
    first = told(made["decisions.md"])
    assert "2,520 stand, 0 reversed." in first
    assert (
        "[2026Q4](decisions-2026Q4.html) | 552 | 0" in first and "[a](tags/a.html) | 2,520" in first
    )


def test_a_reversed_decision_is_folded_and_says_by_what_and_after_how_long() -> None:
    shelf = shelf_of(
        topic("2026-04-10-a", decided="- Redis.\n- Rejected: none.\n- Two replicas."),
        topic("2026-04-20-b", supersedes=["2026-04-10-a/d2"], decided="- One replica."),
    )
    report = pages(shelf)["decisions.md"]
    standing, gone = report.parts[1:]
    assert standing.title == "What holds (2)" and gone.blocks[0].folded
    (line_,) = gone.blocks[0].lines
    assert line_.past and [span.text for span in line_.spans] == [
        *("Two replicas.", "2026-04-10", "reversed on 2026-04-20", "after 10 days", "by", "B"),
    ]  # fmt: skip


def test_a_tag_of_very_many_episodes_has_pages_by_year() -> None:
    facts = Facts(decisions=(Choice("Yes"),), threads=(Item("Why"),))
    shelf = many(420, facts, ("big", "big--2026", "big-2026"), step=2)
    made = everything_is_there(shelf)
    mine = [path for path in made if path.startswith("tags/big--")]
    assert mine == ["tags/big--2028.md", "tags/big--2027.md", "tags/big--2026.md"]
    said = told(made["tags/big.md"])
    assert "[2026](../tags/big--2026.html) | 183" in said and "### Newest" in said
    assert "… 410 more, all on [the page of decisions](../decisions.html)" in said
    assert "… 410 more, all on [the page of open threads](../threads.html)" in said
    shown = sum(len(b.lines) for p in mine for part in made[p].parts for b in part.blocks)
    assert shown == 420


def test_a_year_of_a_tag_with_more_than_a_page_goes_on() -> None:
    shelf = Shelf.make(
        entry_at(0, Facts(), names=("big",))._replace(
            path=f"docs/topics/e{n}.md", id=f"2026-01-01-{n}"
        )
        for n in range(450)
    )
    made = dict(tag_pages(shelf, Places(shelf).at("index.md")))
    assert list(made) == [
        *("tags/big.md", "tags/big--2026.md", "tags/big--2026-2.md", "tags/big--2026-3.md")
    ]


def test_catalogues_go_on_five_hundred_a_page() -> None:
    shelf = many(1_010, Facts())
    here = Places(shelf).at("index.md")
    by_date, kinds = dict(dates_pages(shelf, here)), dict(kinds_pages(shelf, here))
    assert list(by_date) == ["by-date.md", "by-date-2028.md", "by-date-2027.md", "by-date-2026.md"]
    assert list(kinds) == [
        *("by-kind.md", "by-kind-topics.md", "by-kind-topics--2.md", "by-kind-topics--3.md")
    ]
    assert "… 990 more, all on [Topics](by-kind-topics.html)" in told(kinds["by-kind.md"])
    for made in (by_date, kinds):
        below = [len(list(lines_of(report))) for report in list(made.values())[1:]]
        assert max(below) <= 502 and sum(below) >= 1_010
    everything_is_there(shelf)


def test_folders_whose_names_look_like_further_pages_keep_their_own() -> None:
    made = [
        entry_at(n, Facts())._replace(path=f"docs/{folder}/e{n}.md")
        for n in range(1_100)
        for folder in [("topics", "topics-2", "Topics")[n % 3]]
    ]
    pages(Shelf.make(made))  # no page is made twice


def test_the_graph_page_is_bounded_and_says_what_it_leaves_out() -> None:
    def facts(day: int) -> Facts:
        names = [entry_at(one, Facts()).id for one in range(max(0, day - 15), day)]
        return Facts(mentions=tuple((name, "Notes") for name in (*names, "2020-01-01-gone")))

    shelf = Shelf.make(entry_at(day, facts(day)) for day in range(700))
    here, beside = Places(shelf).at("graph.md"), ("graph.svg", "graph.json")
    report = graph_page(shelf, here, beside)
    said = told(report)
    assert "and 3 more" in said and "more: each says on its own page whom it names." in said
    assert "… 650 more." in said
    assert (
        "![Who names whom: the tables and lists on this page say the same in words.](graph.svg)"
        in said
    )
    assert len(to_html(report, "retro.html.j2").encode()) < 200_000
    assert report == graph_page(
        shelf, Places(shelf).at("graph.md"), ("graph.svg", "graph.json"), graph(shelf)
    )


def test_what_replaced_what_is_a_chain_from_the_newest() -> None:
    shelf = shelf_of(
        topic("2026-04-10-a"),
        topic("2026-04-11-b", supersedes=["2026-04-10-a"]),
        topic("2026-04-12-c", supersedes=["2026-04-11-b"]),
    )
    (part,) = [p for p in pages(shelf)["graph.md"].parts if p.anchor == "replaced"]
    assert [span.text for span in part.blocks[0].lines[0].spans] == [
        "C",
        "replaces",
        "B",
        "replaces",
        "A",
    ]


# --- numbers, problems, and the values below -------------------------------------------------


def test_the_numbers_of_a_page_add_up_to_those_of_the_verb(sample: Store) -> None:
    shelf = sample.read()
    found, held = economy(shelf, 0), by_kind(shelf)
    assert sum(one.episodes for one in held) == found.episodes
    assert sum(one.held for one in held) == found.shelved_mass
    assert sum(one.digests for one in held) == found.digest_tokens
    months = last_months(shelf, 12)
    assert [one.month for one in months[:2]] == ["2026-09", "2026-08"] and len(months) == 12
    assert sum(one.held for one in months) == found.shelved_mass
    chart = stats_page(shelf, Places(shelf).at("stats.md"), "../stats.svg").parts[0]
    assert chart.pictures[0].href == "../stats.svg"


def test_problems_are_listed_by_file_with_what_mends_them() -> None:
    found = (
        Finding("warning", "b", "It has no digest.", "docs/topics/b.md", "Write one."),
        Finding("error", "a", "It is no UTF-8.", "docs/topics/a.md", "Save it as UTF-8."),
        Finding("error", "b", "It has no id.", "docs/topics/b.md"),
    )
    said = told(pages(Shelf(problems=found))["problems.md"])
    assert said.partition("#files\n")[2].splitlines() == [
        "2 files cannot be read and stand on no other page.",
        "- `docs/topics/a.md`",
        "  - It is no UTF-8. Save it as UTF-8.",
        "- `docs/topics/b.md`",
        "  - It has no id.",
        "  - It has no digest. Write one.",
        "",
    ]


def test_what_stands_under_all_tags_is_what_stands_under_each(sample: Store) -> None:
    shelf = sample.read()
    every = Unders(shelf)
    for one in tags(shelf):
        found = every.of(one)
        ids = {entry.id for entry in one.episodes}
        assert found == under(shelf, one)
        assert set(found.threads) == {t for t in waiting(shelf) if t.episode in ids}
        assert set(found.decisions) == {
            d for d in decisions(shelf) if d.stands and d.episode in ids
        }
    assert len(threads(shelf)) > len(list(waiting(shelf)))


def test_lines_can_have_a_place_and_what_filters_them_and_lists_an_end_that_leads_on() -> None:
    item = line(tag("a <b>", "x.html"), anchor="here", data=(("tags", 'a "b"'),))
    deep = line("1", below=(line("2", below=(line("3"),)),))
    block = Block(
        "Head", (item, deep), "2 more, all on", onward=(link("that", "y.html"),), anchor="q"
    )
    part = Part("p", "P", blocks=(block,), pictures=(Picture("z.svg", 'A "chart"'),))
    made = to_html(Report("T", "", (part,), ""), "retro.html.j2")
    assert '<li id="here" data-tags="a &#34;b&#34;"><a class="tag" href="x.html"' in made
    assert ">a &lt;b&gt;</a>" in made and '<h3 id="q">Head</h3>' in made
    assert '<p class="small">2 more, all on <a href="y.html">that</a></p>' in made
    assert '<img src="z.svg" alt="A &#34;chart&#34;">' in made
    assert [name for name, _ in Tree(made).tags].count("ul") == 3


def test_items_of_a_section_without_a_list_have_their_places_below_it() -> None:
    made = marked(Markup("<p>Why</p>"), [State("t1", "Why <b>", "open")])
    assert made.startswith(
        '<p>Why</p><ul class="states"><li id="t1"><a class="state open" href="#t1">t1 open</a> '
    )
    assert "<bdi>Why &lt;b&gt;</bdi>" in made
