"""Search by meaning, alone and beside words, keeps what search by words promises of its order."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import get_args

import pytest
from gitkit import put

from memshelf.engine import meaning
from memshelf.engine.finder import Mode
from memshelf.engine.meaning import Meaning, build
from memshelf.engine.query import parse
from memshelf.storage.places import cache_dir
from memshelf.storage.store import Store
from memshelf.verbs.search import Found, search

FUSED: tuple[Mode, ...] = ("semantic", "hybrid")
every_mode = pytest.mark.parametrize("mode", ["lexical", *FUSED])
by_meaning = pytest.mark.parametrize("mode", FUSED)

GAUGE = "The water gauge stopped in the storm because salt water got into its plug."
SIMILAR = "In the storm the water gauge stopped: salt water had got into the plug of it."
CHEESE = "The cheese of the market is ripened on spruce boards for nine weeks."
ASKED = "why did the water gauge stop in the storm"


def shelved(store: Store, name: str, text: str, kind: str = "topic", **front: str) -> None:
    """An episode of one section; all have one title, so that only the text differs."""
    lines = {"id": name, "kind": kind, "date": name[:10], "tags": "[]"} | front
    head = "".join(f"{key}: {value}\n" for key, value in lines.items())
    path = f"docs/{kind}s/{name}.md".replace("researchs", "research")
    put(store.root, path, f"---\n{head}---\n\n# A note\n\n## Findings\n\n{text}\n")


def names(found: Found) -> list[str]:
    return [hit.id[11:] for hit in found.hits]


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    yield
    for shelf in meaning._shelves.values():
        shelf.file.close()
    meaning._shelves.clear()


# --- order ---------------------------------------------------------------------------------------


@every_mode
def test_no_kind_crowds_out_another_that_is_nearly_as_good(store: Store, mode: Mode) -> None:
    for day in range(1, 7):
        shelved(store, f"2026-01-0{day}-t{day}", GAUGE)
    shelved(store, "2025-12-01-s", SIMILAR, "session")
    shelved(store, "2025-12-02-weak", f"{CHEESE} Water helps.", "research")
    found = names(search(store, ASKED, mode=mode))
    assert found[2] == "s" and found[-1] == "weak"
    if mode != "lexical":  # it is not there for being the nearest
        near = [one.path for one in Meaning.of(store).nearest(ASKED, 10)]
        assert near[6].endswith("2025-12-01-s.md")


@every_mode
def test_recency_favours_what_is_new_and_the_cosine_is_told_as_it_is(
    store: Store, mode: Mode
) -> None:
    shelved(store, "2024-01-01-a", f"{GAUGE} Why did it stop?")
    shelved(
        store, "2026-05-25-b", "The gauge of the water did stop: a storm, as nobody knew before."
    )
    shelved(store, "2026-06-01-c", "The storm moved a water gauge. We did stop to look at it.")
    plain = search(store, ASKED, mode=mode)
    newer = search(store, ASKED, mode=mode, recency=1.0)
    assert names(plain)[0] == "a"
    assert names(newer) == ["c", "b", "a"]
    if mode != "lexical":
        told = [{h.id: h.why["score"]["meaning"] for h in one.hits} for one in (plain, newer)]
        assert told[0] == told[1]


@every_mode
def test_diversity_puts_apart_what_says_the_same(store: Store, mode: Mode) -> None:
    shelved(store, "2026-01-03-first", f"{GAUGE} It was so.")
    shelved(store, "2026-01-02-again", f"{GAUGE} So it was.")
    shelved(store, "2026-01-01-other", "A storm came to the harbour.")
    assert names(search(store, ASKED, mode=mode)) == ["first", "again", "other"]
    assert names(search(store, ASKED, mode=mode, diversity=0.9)) == ["first", "other", "again"]


# --- pages ---------------------------------------------------------------------------------------


@pytest.fixture
def many(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """More files than meaning looks at, of three kinds, with vectors that are made once."""
    kinds, texts = ("topic", "topic", "session", "research"), (GAUGE, SIMILAR, CHEESE)
    for number in range(130):
        text = f"{texts[number % 3]} Note {number} on water. {texts[number % 2]}"
        day = f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}"
        shelved(store, f"{day}-n{number}", text, kinds[number * 7 % 4])
    kept = tmp_path_factory.getbasetemp() / "many.sqlite"
    file = cache_dir(store.root) / meaning.NAME
    if not kept.exists():
        build(store, lambda done, total: None)
        meaning.close(store)
        shutil.copyfile(file, kept)
    file.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(kept, file)
    return store


def paged(store: Store, mode: Mode, size: int, recency: float, diversity: float) -> Iterator[Found]:
    cursor = ""
    while True:
        found = search(
            *(store, ASKED),
            max_results=size,
            cursor=cursor,
            mode=mode,
            recency=recency,
            diversity=diversity,
        )
        yield found
        cursor = found.next_cursor
        if not cursor:
            return


@every_mode
@pytest.mark.parametrize(("recency", "diversity"), [(0.0, 0.0), (0.7, 0.0), (0.3, 0.6)])
def test_pages_of_any_size_hold_every_hit_once_and_in_one_order(
    many: Store, mode: Mode, recency: float, diversity: float
) -> None:
    whole = search(many, ASKED, max_results=1000, mode=mode, recency=recency, diversity=diversity)
    assert whole.total == len(whole.hits) == {"semantic": 100}.get(mode, 130)
    assert len({hit.address for hit in whole.hits}) == whole.total
    assert whole.mode == mode
    for size in (3, 16, 41):
        pages = list(paged(many, mode, size, recency, diversity))
        assert [hit for page in pages for hit in page.hits] == list(whole.hits)
        assert {page.total for page in pages} == {whole.total}


# --- what narrows down ---------------------------------------------------------------------------


@pytest.fixture
def storms(store: Store) -> Store:
    """The nearest is a topic, and says `plug`; the others answer, too, but the last."""
    shelved(store, "2026-01-01-plug", GAUGE, tags="[sea]")
    shelved(store, "2026-02-01-cable", "In the stormy night the gauge lost its cable.", "session")
    shelved(store, "2026-03-01-float", "The float of the gauge broke when the storm came.")
    shelved(store, "2026-04-01-cheese", CHEESE)
    return store


@by_meaning
@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ("", {"plug", "cable", "float", "cheese"}),
        ("-plug", {"cable", "float", "cheese"}),
        ("-plugs", {"cable", "float", "cheese"}),
        ("-gauge", {"cheese"}),
        ('-"stormy night"', {"plug", "float", "cheese"}),
        ("-kind:session -tag:sea", {"float", "cheese"}),
        ('"stormy night"', {"cable"}),
        ('"night stormy"', set()),
        ("kind:session", {"cable"}),
        ("tag:sea", {"plug"}),
        ("since:2026-02 until:2026-03", {"cable", "float"}),
        ("-plug kind:topic", {"float", "cheese"}),
        ("id:2027", set()),
    ],
)
def test_what_words_rule_out_does_not_come_back_by_meaning(
    storms: Store, mode: Mode, more: str, wanted: set[str]
) -> None:
    found = search(storms, f"pourquoi le capteur s'est-il arrêté {more}", mode=mode)
    assert set(names(found)) == wanted
    assert found.total == len(wanted)


@by_meaning
def test_what_was_replaced_does_not_come_back_by_meaning(storms: Store, mode: Mode) -> None:
    shelved(storms, "2026-05-01-new", SIMILAR, supersedes="[2026-01-01-plug]")
    assert set(names(search(storms, ASKED, mode=mode))) == {"new", "cable", "float", "cheese"}
    assert "plug" in names(search(storms, ASKED, mode=mode, past=True))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Why did it stop?", "Why did it stop?"),
        ("why  -plug did it\tstop", "why did it stop"),
        ('tag:ops kind:session "night shift" since:2026', "night shift"),
        ("«ночная смена» until:never", "ночная смена until:never"),
        ("-plug", "plug"),
        ('why -"stormy night" -tag:sea did "it -m" stop', "why did it -m stop"),
        ('author:"Ann Lee" project:x', ""),
        ("re-read the e-mail", "re-read the e-mail"),
    ],
)
def test_exclusions_and_filters_are_no_part_of_what_is_meant(text: str, said: str) -> None:
    assert parse(text).said == said


def test_an_excluded_word_draws_nothing_near_to_it(storms: Store) -> None:
    plain = search(storms, "what happened at sea", mode="semantic")
    without = search(storms, "what happened at sea -cheese", mode="semantic")
    kept = [hit for hit in plain.hits if not hit.id.endswith("cheese")]
    told = [
        [(hit.id, hit.why["score"]["meaning"]) for hit in hits] for hits in (kept, without.hits)
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize("mode", get_args(Mode))
def test_filters_alone_list_the_newest_first_in_every_mode(storms: Store, mode: Mode) -> None:
    build(storms, lambda done, total: None)
    found = search(storms, "kind:topic", mode=mode)
    assert names(found) == ["cheese", "float", "plug"]
    assert found.mode == "lexical"
