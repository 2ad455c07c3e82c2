"""`export json`: the whole snapshot under a schema, the same each time, never whole in memory."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from attacks import TEXTS
from conftest import ROOT, Cli, same_anywhere
from jsonschema import Draft202012Validator
from test_render_html import episode, of_files, shelf_of

import memshelf
from memshelf.domain.choosing import Choice, chosen
from memshelf.domain.entry import entry_of
from memshelf.domain.episode import KEYS, Episode, format_episode
from memshelf.domain.errors import ShelfError
from memshelf.domain.shelf import Shelf
from memshelf.domain.threads import decisions, threads
from memshelf.render.export_json import Document
from memshelf.storage.store import Store

SCHEMA = json.loads((ROOT / "docs" / "export.schema.json").read_text("utf-8"))


def closed(schema: Any) -> Any:
    """The schema with no room for keys that it does not describe."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    inside = {name: closed(part) for name, part in schema.items()}
    return inside | ({"additionalProperties": False} if "properties" in schema else {})


VALIDATOR = Draft202012Validator(closed(SCHEMA))


def text_of(shelf: Shelf, **choice: Any) -> str:
    return "".join(Document(chosen(shelf, Choice.make(**choice))))


def read(shelf: Shelf, **choice: Any) -> dict[str, Any]:
    """The document, valid under its schema."""
    data: dict[str, Any] = json.loads(text_of(shelf, **choice))
    VALIDATOR.validate(data)
    return data


def test_the_schema_is_one_and_describes_every_key() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    lacking = [
        name
        for part in (SCHEMA, *SCHEMA["$defs"].values())
        for name, value in part.get("properties", {}).items()
        if not {"description", "const", "$ref"} & value.keys()
    ]
    assert not lacking
    episode_keys = SCHEMA["$defs"]["episode"]["properties"]
    assert {*KEYS} - {"display_title"} <= episode_keys.keys()


def test_the_document_of_the_sample_holds_what_is_on_the_shelf(sample: Store) -> None:
    shelf = sample.read()
    data = read(shelf)
    assert [one["id"] for one in data["episodes"]] == [e.id for e in reversed(shelf.entries)]
    assert [one["address"] for one in data["threads"]] == [t.address for t in threads(shelf)]
    assert len(data["decisions"]) == len(decisions(shelf)) and len(data["recalls"]) == 12
    assert data["shelf"] == {
        "name": "Eelgrass project memory", "as_of": "2026-09-30", "language": "en",
        "visibility": "private", "fiscal_year_start": 1, "episodes": 28, "archived": 4,
        "open_threads": 10, "decisions_that_stand": 40,
    }  # fmt: skip
    replaced = {one["id"]: one["replaced_by"] for one in data["episodes"] if one["replaced_by"]}
    assert replaced == {name: list(later) for name, later in shelf.superseded.items()}
    assert {"c", "c-cedb1bac"} <= {tag["slug"] for tag in data["tags"]}
    edge = next(e for e in data["edges"] if e["why"] == "replaces")
    assert replaced[edge["target"]] == [edge["source"]]


@pytest.mark.shared
def test_documents_of_shelves_by_other_hands_are_valid(
    real_shelf: Store, peer_shelf: Store
) -> None:
    assert len(read(real_shelf.read())["episodes"]) == 6
    assert len(read(real_shelf.read())["threads"]) == 22 + 4
    assert len(read(peer_shelf.read())["episodes"]) == 14


def test_every_field_of_an_episode_comes_back() -> None:
    given = episode(
        "2026-01-02-a", kind="research", display_title="Т: 題 \u2028 <b>", description="D",
        tags=["C++", "é"], keywords=["k"], span="2026-01-01..2026-01-02", date="2026-01-02",
        session="run #4", notes="n", author="ann", agent="x/1", source="agent", mode="live",
        lang="ru", retain_until="2027-01-01", approx_tokens=5, approx_tokens_source="measured",
        supersedes=["2025-01-01-x"], superseded_by=["2026-02-02-y"], closes=["2025-01-01-x/t1"],
        op="k1", visibility="team", digest="Итог.", extra=(("mood", "fine"), ("list", ("a", "b"))),
        sections=(("", "Above."), ("Findings", "- Нашли\n\n```\n\\ \"q\"\n```"), ("Findings", "2")),
    )  # fmt: skip
    (shown,) = read(shelf_of(given))["episodes"]
    shown["display_title"] = shown.pop("title")
    sections = tuple((part["name"], part["text"]) for part in shown.pop("sections"))
    extra = tuple(
        (k, tuple(v) if isinstance(v, list) else v) for k, v in shown.pop("extra").items()
    )
    fields = {name: shown[name] for name in KEYS if name in shown}
    again = Episode.make(**fields)
    assert again.with_(sections=sections, extra=extra) == given.with_(
        sections=sections, extra=extra, digest=again.digest
    )
    assert (sections, extra, shown["quarter"]) == (given.sections, given.extra, "2026Q1")
    assert shown["replaced_by"] == ["2026-02-02-y"]


def test_letters_are_not_escaped_and_each_item_has_a_line() -> None:
    text = text_of(shelf_of(episode("2026-01-02-a", digest="Итог 題 🚀"), episode("2026-01-03-b")))
    assert "Итог 題 🚀" in text and text.endswith("\n}\n")
    lines = text.split('"episodes": [\n')[1].split("\n]")[0].splitlines()
    assert [json.loads(line.rstrip(","))["id"] for line in lines] == [
        "2026-01-03-b",
        "2026-01-02-a",
    ]


def test_hostile_texts_and_halves_of_characters_make_a_valid_document() -> None:
    texts = {
        f"docs/topics/2026-01-02-a{n}.md": (
            f"---\nid: 2026-01-02-a{n}\ntitle: {json.dumps(attack)}\ndisplay_title: \"\\ud800x\"\n"
            f"tags: [{json.dumps(' '.join(attack.split()))}]\nmap: {{a: [1, {{b: c}}]}}\n---\n\n"
            f"## Digest\n{attack}\n\n## Open threads\n- {' '.join(attack.split())}\n"
        )
        for n, attack in enumerate(TEXTS)
    }  # fmt: skip
    data = read(of_files(texts))
    assert len(data["episodes"]) == len(TEXTS)
    text_of(of_files(texts)).encode("utf-8")


def test_an_empty_shelf_is_a_valid_document() -> None:
    data = read(Shelf())
    assert data["episodes"] == data["threads"] == [] and data["shelf"]["as_of"] == ""


def test_what_was_chosen_limits_every_list_but_states_are_those_of_all() -> None:
    shelf = shelf_of(
        episode("2026-01-02-a", sections=(("Decisions", "- A"), ("Open threads", "- T"))),
        episode("2026-05-02-b", supersedes=["2026-01-02-a"], closes=["2026-01-02-a/t1"]),
    )
    data = read(shelf, quarters=["2026Q1"])
    assert [one["id"] for one in data["episodes"]] == ["2026-01-02-a"]
    assert [one["state"] for one in data["threads"]] == ["closed"]
    assert [one["reversed_by"] for one in data["decisions"]] == ["2026-05-02-b"]
    assert data["edges"] == [] and data["chosen"]["quarters"] == ["2026Q1"]
    assert data["left_out"] == [
        {"path": "docs/topics/2026-05-02-b.md", "id": "2026-05-02-b", "reason": "quarter"}
    ]


def test_what_is_hidden_is_in_no_list_of_the_document() -> None:
    shelf = shelf_of(
        episode("2026-01-01-a", visibility="public", digest="After 2026-02-02-secret-plan.",
                tags=["open"]),
        episode("2026-02-02-secret-plan", tags=["hush"], supersedes=["2026-01-01-a"]),
    )  # fmt: skip
    asked = {"visibilities": ["public"], "tags": ["open", "hush"]}
    text = text_of(shelf, **asked)
    assert "secret" not in text and "hush" not in text and "(private episode)" in text
    assert read(shelf, **asked)["left_out"] == []


def test_the_document_is_the_same_whatever_the_order_the_hash_seed_and_the_zone() -> None:
    script = """
import hashlib, random, sys
sys.path.insert(0, sys.argv[1])
from test_export_json import text_of
from test_render_html import episode, of_files
from memshelf.domain.episode import format_episode
names = [f"2026-0{n % 8 + 1}-01-e{n}" for n in range(40)]
files = {f"docs/topics/{name}.md": format_episode(episode(name, tags=["A", "a", f"t{n % 3}"],
    digest=f"See {names[n - 1]} and 2020-01-01-gone.")) for n, name in enumerate(names)}
order = list(files)
random.shuffle(order)
print(hashlib.sha256(text_of(of_files({name: files[name] for name in order})).encode()).hexdigest())
"""
    assert len(same_anywhere(script).strip()) == 64


def test_a_file_that_has_gone_since_stops_no_export(tmp_path: Path) -> None:
    whole = episode("2026-01-02-a", digest="Decided: keep it.", tags=["x"])
    entry = entry_of("docs/topics/2026-01-02-a.md", format_episode(whole))
    (shown,) = read(Shelf.make([entry]))["episodes"]
    assert (shown["digest"], shown["tags"], shown["sections"]) == ("Decided: keep it.", ["x"], [])


def test_a_large_document_is_written_in_pieces() -> None:
    body = "x" * 100_000
    files = {f"docs/topics/2026-01-02-a{n}.md": f"---\nid: 2026-01-02-a{n}\n---\n\n## Big\n{body}{n}\n"
             for n in range(100)}  # fmt: skip
    document = Document(chosen(of_files(files), Choice()))
    size = sum(map(len, document))  # what is read once is read
    tracemalloc.start()
    assert sum(map(len, document)) == size > 10_000_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < size / 5


# --- the command -----------------------------------------------------------------------------


def test_the_command_prints_the_document_or_writes_it(
    cli: Cli, sample: Store, tmp_path: Path
) -> None:
    out = tmp_path / "shelf.json"
    printed = cli("export", "json", "--shelf", sample.root)
    assert (printed.code, printed.err) == (0, "")
    assert cli("export", "json", "--shelf", sample.root, "--json").out == printed.out
    ran = cli("export", "json", "--shelf", sample.root, "--out", out)
    assert ran.out.startswith(f"wrote {out}: 28 episodes, ")
    assert out.read_text("utf-8") == printed.out
    said = json.loads(cli("export", "json", "--shelf", sample.root, "--out", out, "--json").out)
    assert (said["status"], said["bytes"], said["episodes"]) == ("ok", out.stat().st_size, 28)


def test_from_python_the_document_can_be_read_as_often_as_one_likes(sample: Store) -> None:
    answer = memshelf.export_json(sample, kinds=["research"])
    assert str(answer) == str(answer) and answer.pieces
    assert {one["kind"] for one in json.loads(str(answer))["episodes"]} == {"research"}


def test_a_revision_is_exported_as_it_was(sample: Store) -> None:
    before = str(memshelf.export_json(sample))
    (sample.root / "docs/topics/2026-01-13-qc-flags.md").unlink()
    assert str(memshelf.export_json(sample, rev="HEAD")) == before
    assert len(json.loads(str(memshelf.export_json(sample)))["episodes"]) == 27


def test_no_id_of_a_hidden_episode_is_in_a_public_document_of_the_sample(sample: Store) -> None:
    text = str(memshelf.export_json(sample, visibilities=["public"]))
    ids = {entry.id for entry in sample.read().entries if entry.visibility != "public"}
    assert "(private episode)" in text and not [name for name in ids if name in text]


def test_a_refused_document_leaves_the_old_one_and_no_rest(sample: Store, tmp_path: Path) -> None:
    out = tmp_path / "shelf.json"
    out.write_text("old", "utf-8")
    with pytest.raises(ShelfError, match="No episode has the tag 'nope'"):
        memshelf.export_json(sample, out=out, tags=["nope"])
    with pytest.raises(ShelfError, match="among the shelf's own files"):
        memshelf.export_json(sample, out=sample.root / ".docshelf.json")
    assert out.read_text("utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["shelf.json"]
