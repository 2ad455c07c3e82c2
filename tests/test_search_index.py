"""The index of search follows the shelf, survives everything, and changes no answer."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Cli
from gitkit import POSIX, git, put
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support import cut, episode, foreign, garbage

import memshelf
from memshelf.engine import background, finder, following, rank, scan
from memshelf.engine.finder import Wanted
from memshelf.engine.index import FILE
from memshelf.engine.query import parse
from memshelf.storage.lock import writing
from memshelf.storage.places import cache_dir
from memshelf.storage.store import Store
from memshelf.verbs.cache_rebuild import cache_rebuild

WORDS = (
    "cache caches caching queue night-shift nightshift Решение решения лимита the of 10 000 10000 "
    "camelCase case v2.3.1 # #208 208 C++ 東京都 検索 don't Häuser Haus déjà deja zebra a is why"
).split()
PLAIN = "cache caches queue queues night-shift Решение лимита digest decisions zebra is why".split()
TEXTS = st.one_of(st.lists(st.sampled_from(some), max_size=30) for some in (WORDS, PLAIN)).map(
    " ".join
)
DOCS = st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=6)
QUERIES = st.one_of(
    st.lists(
        st.sampled_from(
            [*WORDS, *PLAIN, "-cache", '"night shift"', '-"night shift"', "cachee", "nobody"]
        ),
        max_size=6,
    )
).map(" ".join)


def shelf(root: Path, count: int) -> Store:
    put(root, "shelf.yml", "mode: single\n")
    for number in range(count):
        name = f"2026-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}-n{number}"
        put(root, f"docs/topics/{name}.md", episode(name, f"Number {number} zebra"))
    return memshelf.open_shelf(root)


def hits(store: Store, query: str, wanted: Wanted | None = None) -> list[Any]:
    found = finder.find(store, query, wanted or Wanted())
    return [(hit.doc.path, hit.score, hit.passage, hit.excerpt) for hit in found.hits]


def names(store: Store, query: str) -> list[str]:
    return [path.rpartition("/")[2][11:-3] for path, *_ in hits(store, query)]


def rows(store: Store) -> int:
    """Rows that were ever written: one for each time that a file was taken in."""
    return int(following.engine(store).index.state("rows") or 0)


def age(root: Path) -> None:
    """Make every file old enough for its stamp to prove that it has not changed."""
    for file in filter(Path.is_file, root.rglob("*.md")):
        os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 100))


# --- the same answer -----------------------------------------------------------------------------


@pytest.mark.parametrize("rare", [rank.RARE, 1])
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(DOCS, QUERIES, st.booleans())
@example([("", "", "tok zebra token cache"), ("", "", "tok cache")], "token tok cache", False)
@example([("", "", "night # shift"), ("", "", "nothing")], '"night shift"', False)
@example(
    [("", "digest", ""), ("", "digest", ""), ("", "digest", ""), ("x", "", "")], "digest", False
)
def test_with_an_index_and_without_the_answer_is_the_same(
    tmp_path: Path, rare: int, docs: list[tuple[str, str, str]], query: str, past: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:  # words may be common on a small shelf too
        patch.setattr(rank, "RARE", rare)
        patch.setattr(scan, "_SAMPLE", 2)
        same_with_and_without(tmp_path, docs, query, past)


def same_with_and_without(
    tmp_path: Path, docs: list[tuple[str, str, str]], query: str, past: bool
) -> None:
    """Ask a shelf of some documents, and compare."""
    shutil.rmtree(tmp_path / "shelf", ignore_errors=True)
    root = tmp_path / "shelf"
    put(root, "shelf.yml", "mode: single\n")
    for number, (title, digest, body) in enumerate(docs):
        text = f"---\nid: n{number}\ntags: [t]\n---\n\n# {title}\n\n## Digest\n{digest}\n\n## B\n{body}\n"
        put(root, f"docs/topics/n{number}.md", text)
    store = memshelf.open_shelf(root)
    asked = parse(query)
    if not asked.asks:
        return
    with following.source(store, asked) as source:
        assert source.postings is following.engine(store).index
        ours = finder._answer(store, asked, Wanted(past=past), source)
    plain = finder._answer(store, asked, Wanted(past=past), following.texts(store, asked))
    assert [hit[:6] for hit in ours.hits] == [hit[:6] for hit in plain.hits]
    assert ours[1:] == plain[1:]


@pytest.mark.shared
def test_questions_to_a_real_shelf_have_the_same_answer_without_an_index(
    real_shelf: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    questions = (
        "какой лимит у хоста?",
        "merge or rebase",
        "#208",
        "night shift",
        "хукк",
        '"rebuild"',
    )
    with_index = [hits(real_shelf, question) for question in questions]
    monkeypatch.setattr(following, "FEW", -1)
    monkeypatch.setenv("MEMSHELF_CACHE_DIR", str(tmp_path / "other"))
    assert [hits(real_shelf, question) for question in questions] == with_index
    assert all(with_index)


# --- following -----------------------------------------------------------------------------------


def test_every_change_by_any_tool_is_seen_and_only_what_changed_is_read(store: Store) -> None:
    root = store.root
    shelf(root, 20)
    assert names(store, "walrus") == []
    assert rows(store) == 20
    put(root, "docs/topics/2026-05-01-new.md", episode("2026-05-01-new", "A walrus"))
    assert names(store, "walrus") == ["new"]
    file = root / "docs/topics/2026-01-03-n2.md"
    file.write_text(file.read_text().replace("eviction policy", "walrus"))
    assert names(store, "walrus") == ["new", "n2"]
    (root / "docs/topics/2026-05-01-new.md").rename(root / "docs/topics/2026-05-01-other.md")
    assert names(store, "walrus") == ["other", "n2"]
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")
    git(root, "rm", "-q", "docs/topics/2026-01-03-n2.md")
    assert names(store, "walrus") == ["other"]
    assert rows(store) == 23


CHANGES = (
    "write",
    "write again",
    "delete",
    "move",
    "new",
    "link",
    "hidden",
    "aged",
    "other",
    "bad",
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 5)), max_size=12))
def test_whatever_changed_since_the_last_look_the_index_holds_what_a_survey_finds(
    tmp_path: Path, changes: list[tuple[str, int]]
) -> None:
    shutil.rmtree(tmp_path / "shelf", ignore_errors=True)
    store = shelf(tmp_path / "shelf", 6)
    for step, (what, which) in enumerate(changes):
        change(store, what, store.root / f"docs/topics/2026-01-{which + 1:02}-n{which}.md", step)
        engine = following.engine(store)
        assert engine.current(store) is None
        found = {row.path: row.blob for row in store.survey().rows}
        assert dict(engine.index._db.execute("SELECT path, blob FROM docs")) == found
    following.close(store)


def change(store: Store, what: str, file: Path, step: int) -> None:
    """Something that an editor, git or another process may do to a shelf."""
    there = file.is_file() and not file.is_symlink()
    if what == "aged":
        age(store.root)
    elif what == "other":
        other = following.Engine(cache_dir(store.root))
        other.current(store)
        other.index.close()
    elif what == "bad":
        file.with_name("bad.md").write_bytes(b"\xff" * (step % 2))
    elif what == "hidden":
        file.with_name(f".{file.name}").write_text("not read", "utf-8")
    elif what == "new":
        put(store.root, f"docs/new{step % 2}/{file.name}", f"# New {step}\n")
    elif what == "delete" or (what in ("move", "link") and not there):
        file.unlink(missing_ok=True)
    elif what == "move":
        file.replace(file.with_name(f"moved-{file.name}"))
    elif what == "link" and sys.platform != "win32":
        file.unlink()
        file.symlink_to("elsewhere.md")
    elif there or not file.is_symlink():
        file.write_text(f"# Written {step if what == 'write' else 0}\n", "utf-8")


def test_what_another_clone_wrote_is_found_after_a_pull(store: Store, tmp_path: Path) -> None:
    shelf(store.root, 3)
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "x")
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(store.root), str(other))
    assert names(memshelf.open_shelf(other), "walrus") == []
    put(store.root, "docs/topics/2026-05-01-new.md", episode("2026-05-01-new", "A walrus"))
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "y")
    git(other, "pull", "-q")
    assert names(memshelf.open_shelf(other), "walrus") == ["new"]


def test_an_unchanged_shelf_is_neither_surveyed_nor_written(store: Store) -> None:
    shelf(store.root, 5)
    age(store.root)
    hits(store, "zebra")
    index = following.engine(store).index
    assert index.state("seen")
    store.survey = None  # type: ignore[assignment,method-assign]
    assert len(hits(store, "zebra")) == 5


def test_a_process_that_answers_many_calls_looks_at_most_once_a_second(store: Store) -> None:
    shelf(store.root, 3)
    store.fresh_for = 3600.0
    assert names(store, "walrus") == []
    put(store.root, "docs/topics/2026-05-01-new.md", episode("2026-05-01-new", "A walrus"))
    assert names(store, "walrus") == []
    store.fresh_for = 0.0
    assert names(store, "walrus") == ["new"]


def test_what_the_process_itself_wrote_is_found_at_once(store: Store) -> None:
    shelf(store.root, 3)
    store.fresh_for = 3600.0
    assert names(store, "walrus") == []
    digest = "The walrus was chosen; the seal was rejected. Open: food."
    memshelf.shelve(
        store, slug="2026-05-01-new", digest=digest, sections={"Decisions": "- A walrus."}
    )
    assert names(store, "walrus") == ["new"]


def test_dead_rows_are_counted_and_go_when_a_fifth_are_dead(store: Store) -> None:
    shelf(store.root, 8)
    dead = []
    for turn in range(4):
        put(
            store.root,
            "docs/topics/2026-01-01-n0.md",
            episode("2026-01-01-n0", f"Turn {turn} zebra"),
        )
        assert len(hits(store, "zebra")) == 8
        dead.append(following.engine(store).index.dead)
    assert dead == [0, 1, 2, 0]  # 3 of 11 rows are more than a fifth
    assert names(store, "eviction zebra turn")[0] == "n0"
    assert cache_rebuild(store, missing=True).read == 0
    assert cache_rebuild(store).read == 8


# --- whatever happens to the file ----------------------------------------------------------------


def _zeros(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[8192:-4096] = bytes(len(data) - 12288)
    file.write_bytes(data)


def _old(file: Path) -> None:
    with sqlite3.connect(file) as other:
        other.execute("UPDATE layout SET name = '0'")
    other.close()


def test_an_index_that_can_be_read_and_is_wrong_is_found_out_and_made_anew(store: Store) -> None:
    shelf(store.root, 3)
    put(store.root, "docs/topics/2026-05-01-walrus.md", episode("2026-05-01-walrus", "Walrus"))
    age(store.root)
    assert names(store, "walrus") == ["walrus"]
    index = following.engine(store).index
    index._db.execute("UPDATE docs SET path = 'x' WHERE path LIKE '%walrus%'")
    index._db.execute("DELETE FROM docs WHERE path LIKE '%n1.md'")
    index._db.execute("UPDATE docs SET path = 'docs/topics/2026-01-02-n1.md' WHERE path = 'x'")
    blob = next(row.blob for row in store.survey().rows if row.path.endswith("n1.md"))
    index._db.execute("UPDATE docs SET blob = ? WHERE path LIKE '%n1.md'", (blob,))
    index._version = -1
    assert names(store, "walrus") == ["walrus"]
    assert len(following.engine(store).index.docs.lengths) == 4


@pytest.mark.parametrize("harm", [garbage, cut, _zeros, foreign, _old, Path.unlink])
def test_a_damaged_foreign_or_old_index_is_made_anew(
    harm: Callable[[Path], object], store: Store
) -> None:
    shelf(store.root, 30)
    before = hits(store, "number zebra eviction", Wanted(limit=30))
    following.close(store)
    harm(cache_dir(store.root) / FILE)
    assert hits(store, "number zebra eviction", Wanted(limit=30)) == before
    assert hits(store, "number zebra eviction", Wanted(limit=30)) == before
    assert following.engine(store).index.kept


@pytest.mark.parametrize("harm", [_zeros, cut, Path.unlink])
@POSIX
def test_an_index_that_is_damaged_while_it_is_open_is_made_anew(
    harm: Callable[[Path], object], store: Store
) -> None:
    shelf(store.root, 30)
    before = hits(store, "number zebra eviction", Wanted(limit=30))
    following.engine(store).index._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    harm(cache_dir(store.root) / FILE)
    for _ in range(3):
        assert hits(store, "number zebra eviction", Wanted(limit=30)) == before


def test_where_no_index_can_be_kept_it_says_so_and_finds_the_same(
    cli: Cli, store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shelf(store.root, 5)
    before = cli("search", "zebra", "--shelf", store.root).out
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("MEMSHELF_CACHE_DIR", os.fspath(tmp_path / "file" / "under"))
    for _ in range(2):
        ran = cli("search", "zebra", "--shelf", store.root)
        assert (ran.code, ran.out) == (0, before)
        assert "No index can be kept" in ran.err
    assert cli("cache", "rebuild", "--shelf", store.root).code == 1
    assert json.loads(cli("cache", "status", "--json", "--shelf", store.root).out)["kept"] is False


def search_process(root: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memshelf", *words, "--shelf", str(root)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environ}
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


@POSIX
def test_on_a_full_disk_the_question_is_answered_all_the_same(store: Store) -> None:
    shelf(store.root, 40)
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000));"
    script = (
        f"{full} import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "from memshelf.surfaces.cli import main; main()"
    )
    command = [
        sys.executable,
        "-c",
        script,
        "search",
        "zebra",
        "--json",
        "--shelf",
        str(store.root),
    ]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["total"] == 40
    assert len(hits(store, "zebra", Wanted(limit=50))) == 40


@POSIX
def test_killed_while_it_indexes_the_next_search_is_right(store: Store) -> None:
    shelf(store.root, 250)
    command = [sys.executable, "-m", "memshelf", "cache", "rebuild", "--shelf", str(store.root)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    expected = hits(store, "number 7 zebra", Wanted(limit=5))
    for wait in (0.2, 0.35, 0.5, 0.7):
        shutil.rmtree(cache_dir(store.root))
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert hits(store, "number 7 zebra", Wanted(limit=5)) == expected


def test_two_processes_that_index_at_once_give_the_right_answer(store: Store) -> None:
    shelf(store.root, 60)
    command = [sys.executable, "-m", "memshelf", "search", "number 7 zebra", "--json", "--shelf"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen([*command, str(store.root)], env=env, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    answers = [process.communicate()[0] for process in running]
    assert len(set(answers)) == 1 and json.loads(answers[0])["total"] == 60
    assert len(following.engine(store).index.docs.lengths) == 60
    assert json.loads(search_process(store.root, "search", "number 7 zebra", "--json").stdout) == (
        json.loads(answers[0])
    )


def test_while_another_process_makes_the_index_the_texts_are_searched(store: Store) -> None:
    shelf(store.root, 5)
    (cache_dir(store.root)).mkdir(parents=True, exist_ok=True)
    with writing(cache_dir(store.root) / "search.lock"):
        ran = search_process(store.root, "cache", "rebuild")
        assert ran.returncode == 1 and "Another process" in ran.stderr
        assert len(hits(store, "zebra")) == 5


def test_many_missing_files_are_indexed_by_another_process_meanwhile(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf(store.root, 230)
    monkeypatch.delenv("MEMSHELF_BACKGROUND")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    found = finder.find(store, "number 7 zebra", Wanted(limit=5))
    assert "being made meanwhile" in " ".join(found.notes)
    index = following.engine(store).index
    for _ in range(300):
        index.refresh()
        if len(index.docs.lengths) == 230:
            break
        time.sleep(0.1)
    assert background.wait(store.root, 60)
    later = finder.find(store, "number 7 zebra", Wanted(limit=5))
    assert (later.notes, later.hits) == ((), found.hits)


# --- cache ---------------------------------------------------------------------------------------


def test_the_cache_tells_what_it_holds_and_can_be_emptied(cli: Cli, store: Store) -> None:
    shelf(store.root, 5)
    before = cli("search", "zebra", "--shelf", store.root).out
    status = json.loads(cli("cache", "status", "--json", "--shelf", store.root).out)
    assert (status["indexed"], status["missing"], status["dead"]) == (5, 0, 0)
    assert status["bytes"] > status["index_bytes"] > 0
    gone, changed, *_ = sorted(store.root.glob("docs/topics/*.md"))
    gone.unlink()
    changed.write_text(episode(changed.stem, "Anew"), "utf-8")
    ran = cli("cache", "status", "--shelf", store.root)
    assert "5 files, 2 files changed since, 0 dead rows" in ran.out
    before = cli("search", "zebra", "--shelf", store.root).out
    ran = cli("cache", "clear", "--shelf", store.root)
    assert ran.code == 0 and not cache_dir(store.root).exists()
    assert cli("cache", "clear", "--shelf", store.root).code == 0
    assert cli("search", "zebra", "--shelf", store.root).out == before
    ran = cli("cache", "rebuild", "--json", "--shelf", store.root)
    assert json.loads(ran.out) == {"status": "ok", "read": 4, "indexed": 4}
