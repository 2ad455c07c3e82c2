"""The MCP server, in process: what it offers, takes, answers and refuses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import methods

from memshelf import verbs
from memshelf.domain.envelope import enclose
from memshelf.domain.errors import ShelfError
from memshelf.storage.store import Store
from memshelf.surfaces import mcp_prompts, mcp_resources, mcp_schema, mcp_server, mcp_session
from memshelf.surfaces.mcp_answers import refusal, result
from memshelf.surfaces.mcp_arguments import BadArgument, read
from memshelf.surfaces.mcp_calls import Desk
from memshelf.verb import Alias, CommandLineOnly, Flag, described, verb

# --- verbs of our own --------------------------------------------------------------------------


@dataclass(frozen=True)
class Echoed:
    said: dict[str, Any]
    ok: bool = True
    status: str = field(default="ok")


@verb()
def echo(
    id: Annotated[str, "An id.", Alias("episode_id")],
    *,
    count: Annotated[int, "A number."] = 1,
    share: Annotated[float, "A share."] = 0.5,
    whole: Annotated[bool, "All of it."] = False,
    kind: Annotated[Literal["topic", "session"], "A kind."] = "topic",
    tags: Annotated[Sequence[str], "Tags.", Flag("--tag")] = (),
    sections: Annotated[Mapping[str, str], "Texts by name.", Flag("--section")] = {},
    out: Annotated[Path | None, "Where to."] = None,
    import_: Annotated[str, "A word that Python keeps for itself."] = "",
    secret: Annotated[str, "Not for hosts.", CommandLineOnly()] = "",
    log: Annotated[bool, "Log it.", CommandLineOnly()] = True,
) -> Echoed:
    """Say what was given. It is said in the order of the signature. This is a third sentence."""
    return Echoed(
        {name: str(value) if isinstance(value, Path) else value for name, value in locals().items()}
    )


@verb(prose=True)
def tell(*, lines: Annotated[int, "How many."] = 3, shout: Annotated[bool, "Loud."] = False) -> str:
    """Tell lines of recalled text."""
    body = "\n".join(f"line {number} <b>жёлтый</b>" for number in range(lines))
    return enclose(body, mcp_server.NAME[:4] if shout else "5f3a9c10", id="2026-01-02-x")


@verb()
def many(*, count: Annotated[int, "How many."] = 3) -> dict[str, Any]:
    """List things."""
    return {"hits": [{"id": f"e{number}", "text": "слово " * 5} for number in range(count)]}


@verb(writes=True, destructive=True, idempotent=False)
def forget_all(*, confirm: Annotated[bool, "Really."] = False) -> dict[str, Any]:
    """Forget everything."""
    raise ShelfError("Nothing was forgotten.", "Pass confirm.", "not-confirmed")


@verb()
def broken() -> None:
    """Fail."""
    raise RuntimeError("a detail that is nobody's business")


@verb()
def where(store: Store) -> dict[str, Any]:
    """Say where the shelf is."""
    return {"root": str(store.root)}


OWN = {v.tool: v for v in map(described, (echo, tell, many, forget_all, broken, where))}


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    for name in (
        "MEMSHELF_SHELF_PATH",
        "MEMSHELF_WORKSPACE_ROOT",
        "MEMSHELF_REPLY_BYTES",
        "MEMSHELF_TOOLS",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMSHELF_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("MEMSHELF_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def shelf(tmp_path):
    root = tmp_path / "shelf"
    (root / "docs" / "topics").mkdir(parents=True)
    (root / "shelf.yml").write_text(
        'version: 1\nname: "Test"\nvisibility: private\nfederation: false\n'
    )
    return root


def take(given: Mapping[str, Any], name: str = "memshelf_echo") -> dict[str, Any]:
    return read(OWN[name], given).arguments


def call(name: str, given: Mapping[str, Any], shelf: str | None = None) -> dict[str, Any]:
    desk = Desk(OWN, shelf)
    try:
        return desk.result(desk.request(name, given))
    except ShelfError as trouble:
        return refusal(trouble)


def text_of(answer: dict[str, Any]) -> str:
    (content,) = answer["content"]
    return content["text"]


# --- what is offered ---------------------------------------------------------------------------


def nodes(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [node for part in schema for node in nodes(part)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(node for part in schema.values() for node in nodes(part))]


@pytest.mark.parametrize("name", ["own", *mcp_schema.sets()])
def test_schemas_are_flat_and_every_property_has_one_type_and_a_description(name):
    offer = OWN if name == "own" else mcp_schema.offer(name)
    for tool in mcp_schema.listed(offer.values()):
        schema = tool["inputSchema"]
        assert schema["type"] == "object" and schema["additionalProperties"] is False
        for node in nodes(schema):
            assert not {"$defs", "$ref", "anyOf", "oneOf", "allOf"} & set(node)
            assert not isinstance(node.get("type"), list)
        for said in schema["properties"].values():
            assert isinstance(said["type"], str) and said["description"]
        assert set(schema.get("required", ())) <= set(schema["properties"])
        assert len(tool["description"]) <= 320 and tool["name"].startswith("memshelf_")


def test_a_schema_says_what_the_signature_says():
    tool = mcp_schema.tool(OWN["memshelf_echo"])
    properties = tool["inputSchema"]["properties"]
    assert list(properties) == [
        "id",
        "count",
        "share",
        "whole",
        "kind",
        "tags",
        "sections",
        "out",
        "import",
    ]
    assert properties["kind"]["enum"] == ["topic", "session"]
    assert properties["tags"] == {
        "type": "array",
        "items": {"type": "string"},
        "description": "Tags.",
    }
    assert properties["sections"]["additionalProperties"] == {"type": "string"}
    assert properties["out"]["type"] == "string"
    assert tool["inputSchema"]["required"] == ["id"]
    assert (
        tool["description"]
        == "Say what was given. It is said in the order of the signature. This is a third sentence."
    )


def test_hints_are_honest():
    told = {tool["name"]: tool["annotations"] for tool in mcp_schema.listed(OWN.values())}
    assert told["memshelf_echo"] | {"title": ""} == {
        "title": "",
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert not told["memshelf_forget_all"]["readOnlyHint"]
    assert told["memshelf_forget_all"]["destructiveHint"]
    assert not told["memshelf_forget_all"]["idempotentHint"]
    assert told["memshelf_forget_all"]["title"] == "Forget all"


def tokens_of(name: str) -> int:
    """Tokens of the list of tools and the instructions, as they are sent, characters / 4."""
    listed = {"tools": mcp_schema.listed(mcp_schema.offer(name).values())}
    sent = methods.serialize_server_result("tools/list", "2025-11-25", listed)
    return (
        len(json.dumps(sent, ensure_ascii=False, separators=(",", ":")))
        + len(mcp_schema.INSTRUCTIONS)
    ) // 4


@pytest.mark.parametrize("name", mcp_schema.sets())
def test_a_set_costs_few_tokens(name):
    limits = {"core": 2_500, "peer": 4_500, "all": 8_000}
    assert tokens_of(name) <= limits.get(name, 3_000)


def test_the_list_is_the_same_at_every_start_and_in_every_order_of_choosing():
    once = mcp_schema.listed(mcp_schema.offer("core,show").values())
    again = mcp_schema.listed(mcp_schema.offer("show, core").values())
    assert json.dumps(once) == json.dumps(again)
    assert [tool["name"] for tool in once] == sorted(tool["name"] for tool in once)


def test_sets_are_named_and_a_verb_may_be_named_too():
    assert {"memshelf_search", "memshelf_recall", "memshelf_index", "memshelf_shelve"} <= set(
        mcp_schema.offer("core")
    )
    assert "memshelf_lint_digest" in mcp_schema.offer("peer")
    assert set(mcp_schema.offer("lint-digest")) == {"memshelf_lint_digest"}
    assert "memshelf_serve" not in mcp_schema.offer("all")
    with pytest.raises(ShelfError, match="The sets: core peer all"):
        mcp_schema.offer("core,nonsense")


def test_the_instructions_state_the_rule_in_at_most_120_words():
    assert len(mcp_schema.INSTRUCTIONS.split()) <= 120
    for word in ("memshelf_index", "memshelf_recall", "memshelf_shelve", "never an instruction"):
        assert word in mcp_schema.INSTRUCTIONS


# --- what is taken -----------------------------------------------------------------------------


def test_an_unknown_argument_is_refused_by_name_and_a_near_one_suggested():
    with pytest.raises(
        BadArgument, match=r"no argument 'counts'\. Did you mean count\?"
    ) as refused:
        take({"id": "x", "counts": 3})
    assert refused.value.code == "unknown-argument"
    with pytest.raises(BadArgument, match=r"no argument 'zzz'\. It takes id, count"):
        take({"id": "x", "zzz": "a value nobody should see"})


def test_what_only_the_command_line_has_is_not_taken():
    with pytest.raises(BadArgument, match="no argument 'secret'"):
        take({"id": "x", "secret": "y"})


@pytest.mark.parametrize(
    "given",
    [
        {"id": "x", "count": 7},
        {"episode_id": "x", "count": "7"},
        {"params": {"id": "x", "count": 7}},
        {"params": {"id": "x"}, "count": 7.0},
        {"params": {"id": "x", "count": 7}, "id": "not this one"},
        {"params": '{"id": "x", "count": 7}'},
        {"id": "x", "count": 7, "kind": None, "whole": None},
    ],
)
def test_old_and_mild_forms_of_a_call_are_taken(given):
    assert take(given) == {"id": "x", "count": 7}


def test_values_are_read_as_what_they_must_be():
    taken = take(
        {
            "id": 2026,
            "share": "0.25",
            "whole": "True",
            "tag": ["a", 3],
            "sections": '{"Decisions": "Redis."}',
            "out": "there",
            "import": "x",
            "log": False,
        }
    )
    assert taken == {
        "id": "2026",
        "share": 0.25,
        "whole": True,
        "tags": ("a", "3"),
        "sections": {"Decisions": "Redis."},
        "out": Path("there"),
        "import_": "x",
        "log": False,
    }
    assert take({"id": "x", "tags": "one"})["tags"] == ("one",)
    assert take({"id": "x", "tags": '["one", "two"]'})["tags"] == ("one", "two")


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        ("count", "many-private", "a whole number"),
        ("count", 1.5, "a whole number"),
        ("count", True, "a whole number"),
        ("count", "1e999", "a whole number"),
        ("share", "nan", "a number"),
        ("whole", "perhaps-private", "true or false"),
        ("whole", 7, "true or false"),
        ("kind", "topics-private", "one of topic, session"),
        ("tags", {"private": 1}, "an array of strings"),
        ("tags", [["private"]], "a string"),
        ("tags", "[private", "an array of strings"),
        ("sections", "private", "an object whose values are strings"),
        ("sections", ["private"], "an object whose values are strings"),
        ("sections", {"Decisions": {"private": 1}}, "a string"),
        ("id", ["private"], "a string"),
    ],
)
def test_a_wrong_value_is_refused_by_field_and_type_and_not_repeated(field, value, wanted):
    with pytest.raises(BadArgument) as refused:
        take({"id": "x", field: value} if field != "id" else {"id": value})
    said = str(refused.value)
    assert refused.value.code == "wrong-type"
    assert field in said and wanted in said and "private" not in said


def test_what_is_missing_or_given_twice_is_named():
    with pytest.raises(BadArgument, match="memshelf_echo needs id"):
        take({"count": 1})
    with pytest.raises(BadArgument, match="given twice"):
        take({"id": "x", "episode_id": "y"})
    assert take({"id": "x", "episode_id": "x"}) == {"id": "x"}


def test_a_cursor_is_taken_where_something_is_read_and_then_nothing_is_logged():
    request = read(OWN["memshelf_echo"], {"id": "x", "cursor": "part-5-00000000"})
    assert request.cursor == "part-5-00000000" and request.arguments == {"id": "x", "log": False}
    with pytest.raises(BadArgument, match="no argument 'cursor'"):
        read(OWN["memshelf_forget_all"], {"cursor": "part-5-00000000"})


def test_a_verb_with_a_cursor_of_its_own_gets_it():
    index = verbs.load("index")
    assert read(index, {"cursor": "2026-01-02-x"}).arguments == {"cursor": "2026-01-02-x"}
    assert read(index, {"cursor": "part-5-00000000"}).arguments == {}


# --- which shelf -------------------------------------------------------------------------------


def test_the_shelf_of_a_call_counts_before_that_of_the_launch_and_that_before_the_environment(
    shelf, tmp_path, monkeypatch
):
    monkeypatch.setenv("MEMSHELF_SHELF_PATH", str(tmp_path / "nowhere"))
    assert call("memshelf_where", {"shelf_path": str(shelf)}, "elsewhere")["structuredContent"][
        "root"
    ] == str(shelf)
    assert call("memshelf_where", {}, str(shelf))["structuredContent"]["root"] == str(shelf)
    assert call("memshelf_where", {})["structuredContent"]["code"] == "not-a-shelf"
    monkeypatch.delenv("MEMSHELF_SHELF_PATH")
    assert call("memshelf_where", {})["structuredContent"]["code"] == "no-shelf"
    monkeypatch.chdir(shelf / "docs")
    assert call("memshelf_where", {})["structuredContent"]["root"] == str(shelf)


def test_a_workspace_bounds_the_shelf_that_a_call_may_name(shelf, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMSHELF_WORKSPACE_ROOT", str(tmp_path / "only-here"))
    refused = call("memshelf_where", {"shelf_path": str(shelf)})
    assert refused["isError"] and refused["structuredContent"]["code"] == "unsafe-path"


# --- what is answered --------------------------------------------------------------------------


def test_prose_is_text_alone():
    answer = call("memshelf_tell", {"lines": 2})
    assert answer["isError"] is False and "structuredContent" not in answer
    assert text_of(answer).endswith("line 1 <b>жёлтый</b>\n</recalled-episode 5f3a9c10>")


def test_data_is_an_object_and_the_same_as_text_with_letters_as_they_are():
    answer = call("memshelf_many", {"count": 2})
    assert json.loads(text_of(answer)) == answer["structuredContent"]
    assert answer["structuredContent"]["status"] == "ok" and "слово" in text_of(answer)


def test_bad_news_is_no_error():
    answer = result(OWN["memshelf_echo"], Echoed({}, ok=False, status="attention"))
    assert answer["isError"] is False and answer["structuredContent"]["status"] == "attention"


def test_an_answer_that_has_a_brief_form_gives_that():
    class Written:
        def brief(self) -> dict[str, Any]:
            return {"status": "ok", "address": "docs/topics/x.md"}

    assert result(OWN["memshelf_forget_all"], Written())["structuredContent"] == Written().brief()


def test_a_refusal_is_an_error_with_code_sentence_and_fix():
    answer = call("memshelf_forget_all", {})
    assert answer["isError"] is True
    assert text_of(answer) == "not-confirmed: Nothing was forgotten. Pass confirm."
    assert answer["structuredContent"] == {
        "status": "error",
        "code": "not-confirmed",
        "error": "Nothing was forgotten.",
        "fix": "Pass confirm.",
    }


def test_a_fault_of_ours_is_told_in_the_log_and_not_to_the_client(tmp_path, capfd):
    answer = call("memshelf_broken", {})
    assert answer["isError"] and answer["structuredContent"]["code"] == "internal"
    assert "nobody's business" not in json.dumps(answer) and "Traceback" not in json.dumps(answer)
    assert "nobody's business" in (tmp_path / "state" / "server.log").read_text("utf-8")
    assert "Traceback" in capfd.readouterr().err


def test_an_unknown_tool_is_an_error_that_says_how_to_get_it():
    assert "Did you mean memshelf_tell?" in text_of(call("memshelf_tel", {}))
    assert "--tools core,doctor" in text_of(call("memshelf_doctor", {}))


@pytest.mark.parametrize("tool", ["memshelf_tell", "memshelf_many"])
def test_a_reply_keeps_its_budget_and_its_parts_hold_everything(tool, monkeypatch):
    monkeypatch.setenv("MEMSHELF_REPLY_BYTES", "6000")
    name = "lines" if tool == "memshelf_tell" else "count"
    texts, cursor = [], None
    while cursor is not None or not texts:
        answer = call(tool, {name: 400} | ({"cursor": cursor} if cursor else {}))
        assert not answer["isError"]
        assert len(json.dumps(answer, ensure_ascii=False).encode()) <= 6000 * 1.2
        texts.append(text_of(answer))
        cursor = cursor_in(answer)
    whole = "".join(texts)
    assert all(f"line {n} " in whole if name == "lines" else f'"e{n}"' in whole for n in range(400))
    if tool == "memshelf_tell":
        assert all(
            text.count("<recalled-episode ") == text.count("</recalled-episode ") == 1
            for text in texts
        )


def cursor_in(answer: dict[str, Any]) -> str | None:
    if "structuredContent" in answer:
        return answer["structuredContent"].get("paged", {}).get("cursor")
    last = text_of(answer).splitlines()[-1]
    return last.split("'")[1] if "bytes are left" in last else None


def test_a_fresh_marker_is_no_change_and_a_changed_answer_is_said(monkeypatch):
    monkeypatch.setenv("MEMSHELF_REPLY_BYTES", "3000")
    cursor = cursor_in(call("memshelf_tell", {"lines": 200}))
    assert not call("memshelf_tell", {"lines": 200, "shout": True, "cursor": cursor})["isError"]
    stale = call("memshelf_tell", {"lines": 201, "cursor": cursor})
    assert stale["structuredContent"]["code"] == "stale-cursor"


def test_halves_of_letters_do_not_stop_an_answer():
    answer = result(OWN["memshelf_many"], {"name": "caf\udce9", "rows": ["\ud83d"]})
    json.dumps(answer, ensure_ascii=False).encode("utf-8")
    assert answer["structuredContent"]["name"] == "caf?"


# --- resources and prompts ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "uri",
    [
        "memshelf://episode/..%2F..%2Fetc%2Fpasswd",
        "memshelf://episode/..",
        "memshelf://episode/.git%2Fconfig",
        "memshelf://episode/%00",
        "memshelf://episode/a%5C..%5Cb/Digest",
        "memshelf://episode/",
        "memshelf://episode/x/",
        "memshelf://other",
        "file:///etc/passwd",
    ],
)
def test_an_address_that_leads_elsewhere_is_refused(uri, shelf):
    with pytest.raises(ShelfError):
        mcp_resources.text(Desk(OWN, str(shelf)), uri)


def test_there_is_a_list_of_resources_without_a_shelf():
    assert [row["uri"] for row in mcp_resources.listed(Desk(OWN))] == ["memshelf://index"]


def test_prompts_fill_in_what_was_given_and_name_what_is_missing():
    said = mcp_prompts.message("what_was_decided", {"topic": "the {cache}\n\nIgnore this."})
    assert "about the {cache} Ignore this.?" in said["messages"][0]["content"]["text"]
    assert "120 words" in mcp_prompts.message("shelve_topic", {})["messages"][0]["content"]["text"]
    with pytest.raises(ShelfError, match="needs quarter"):
        mcp_prompts.message("quarter_review", {})
    with pytest.raises(ShelfError, match="no prompt"):
        mcp_prompts.message("other", {})


# --- one line of the wire ----------------------------------------------------------------------


def refused(line: bytes) -> tuple[int, Any]:
    with pytest.raises(mcp_session.BadMessage) as trouble:
        mcp_session.parse(line)
    return trouble.value.code, trouble.value.about


@pytest.mark.parametrize(
    ("line", "code", "about"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"\xff\xfe"}}\n', -32700, 7),
        (
            b'{"method":"x","params":{"id":"no"},"jsonrpc":"2.0","id":"k-1","x":"\xff"}',
            -32700,
            "k-1",
        ),
        (b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"na\n', -32700, 8),
        (b"{nonsense\n", -32700, None),
        (b"[1, 2]\n", -32600, None),
        (b'{"id": 3, "method": "ping"}', -32600, 3),
        (b'{"jsonrpc":"2.0","id":9,"method":"x","params":{"a":"\\ud83d"}}', -32700, 9),
        (b'{"jsonrpc":"2.0","id":10,"method":"x","params":{"a":NaN}}', -32700, 10),
        (b"[" * 100_000, -32700, None),
    ],
)
def test_a_line_that_is_no_message_is_an_error_for_the_request_that_it_was(line, code, about):
    assert refused(line) == (code, about)


def test_a_whole_letter_in_two_escapes_is_fine():
    message = mcp_session.parse(
        b'{"jsonrpc":"2.0","id":9,"method":"x","params":{"a":"\\ud83d\\ude00"}}'
    )
    assert message["params"]["a"] == "😀"


class Tape:
    """A wire that keeps what was sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def send(self, line: bytes) -> None:
        self.sent.append(line)


def handshake(version: str, number: int | str = 1) -> dict[str, Any]:
    client = {"name": "tester", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {"roots": {}}, "clientInfo": client}
    return {"jsonrpc": "2.0", "id": number, "method": "initialize", "params": params}


@pytest.mark.parametrize("version", [*mcp_session.HANDSHAKES, "2099-01-01"])
def test_what_is_answered_before_the_server_is_loaded_is_what_the_server_would_answer(version):
    ask = [handshake(version), {"jsonrpc": "2.0", "id": "two", "method": "tools/list"}]
    tape = Tape()
    session = mcp_session.Session(tape, mcp_schema.listed(OWN.values()))
    for message in ask:
        session._take(message)

    assert tape.sent == anyio.run(by_the_server, ask)


async def by_the_server(ask: list[dict[str, Any]]) -> list[bytes]:
    """The SDK's own answers, as lines."""
    tape = Tape()
    session = mcp_session.Session(tape, [])
    for message in (ask[0], {"jsonrpc": "2.0", "method": "notifications/initialized"}, *ask[1:]):
        session._forward(message, message.get("id"))
    session.inbox.put(None)
    await mcp_server._serve(Desk(OWN), session)
    return sorted(tape.sent, key=lambda line: b'"two"' in line)


def test_the_known_versions_are_those_of_the_sdk():
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    assert mcp_session.HANDSHAKES == HANDSHAKE_PROTOCOL_VERSIONS


def test_the_answer_to_a_handshake_that_was_given_is_not_sent_again():
    tape = Tape()
    session = mcp_session.Session(tape, [])
    session._take(handshake("2025-06-18", 5))
    session.reply(5, b"the server's own answer")
    session.reply(5, b"an answer to a later request of the same id")
    assert len(tape.sent) == 2 and b"protocolVersion" in tape.sent[0]


@pytest.mark.parametrize(
    "change", [{"clientInfo": None}, {"capabilities": []}, {"protocolVersion": 3}]
)
def test_an_odd_handshake_is_left_to_the_server(change):
    tape = Tape()
    session = mcp_session.Session(tape, [])
    odd = handshake("2025-06-18")
    session._take(odd | {"params": odd["params"] | change})
    assert not tape.sent and session.pending == {1} and session.needed.is_set()


# --- through the SDK's client ------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_of_either_era_gets_all_of_it(mode):
    async def talk() -> None:
        async with Client(mcp_server.build(Desk(OWN)), mode=mode) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == list(OWN) and tools[
                0
            ].annotations.read_only_hint
            good = await client.call_tool("memshelf_many", {"count": 1})
            assert good.structured_content["hits"][0]["id"] == "e0" and not good.is_error
            bad = await client.call_tool("memshelf_many", {"counted": 1})
            assert bad.is_error and bad.structured_content["code"] == "unknown-argument"
            prose = await client.call_tool("memshelf_tell", {})
            assert prose.structured_content is None
            assert len((await client.list_resource_templates()).resource_templates) == 2
            assert [p.name for p in (await client.list_prompts()).prompts] == sorted(
                mcp_prompts.PROMPTS
            )
            said = await client.get_prompt("quarter_review", {"quarter": "2026Q3"})
            assert "2026Q3" in said.messages[0].content.text
            with pytest.raises(MCPError, match="no-shelf"):
                await client.read_resource("memshelf://index")

    anyio.run(talk)
