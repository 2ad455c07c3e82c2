"""The MCP server as a host has it: a process on two pipes, with all that can happen to it."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from gitkit import POSIX
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

PATIENCE = 60
"""Seconds after which something is taken to hang."""

ODD_VERBS = '''
import os, subprocess, sys, time
from pathlib import Path
from typing import Annotated
from memshelf.surfaces.mcp import serve_verbs
from memshelf.verb import described, verb

@verb()
def echo(text: Annotated[str, "What to say."]) -> dict[str, object]:
    """Say it."""
    return {"said": text if len(text) < 200 else len(text)}

@verb()
def noisy() -> dict[str, object]:
    """Print everywhere, and read."""
    print("printed")
    sys.stdout.flush()
    os.write(1, b"written to 1\\n")
    reader = "import sys; print('child'); print(repr(sys.stdin.read()), file=sys.stderr)"
    subprocess.run([sys.executable, "-c", reader], check=True)
    return {"input": sys.stdin.read()}

@verb(writes=True)
def write(path: Annotated[Path, "Where to."]) -> dict[str, object]:
    """Write slowly."""
    if path.with_suffix(".lock").exists():
        raise RuntimeError("two at once")
    path.with_suffix(".lock").write_text("")
    path.with_suffix(".begun").write_text("")
    time.sleep(0.5)
    path.write_text("done")
    path.with_suffix(".lock").unlink()
    return {"wrote": path.name}

@verb()
def forever(path: Annotated[Path, "Where to."]) -> dict[str, object]:
    """Never answer."""
    path.write_text("")
    time.sleep(600)
    return {}

serve_verbs({v.tool: v for v in map(described, (echo, noisy, write, forever))})
'''


class Host:
    """A server in a child process, spoken to line by line."""

    def __init__(self, arguments: list[str], env: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe, env=env)
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.errors: list[bytes] = []
        self.threads = [
            threading.Thread(target=self._collect, args=(self.process.stdout, self.lines.put)),
            threading.Thread(target=self._collect, args=(self.process.stderr, self.errors.append)),
        ]
        for thread in self.threads:
            thread.start()
        self.number = 0

    def _collect(self, stream: Any, keep: Any) -> None:
        for line in stream:
            keep(line)
        if stream is self.process.stdout:
            keep(b"")

    def raw(self, line: bytes) -> None:
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def send(
        self, method: str, params: dict[str, Any] | None = None, number: int | None = None
    ) -> int:
        self.number = number or self.number + 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}
        self.raw(json.dumps(message).encode() + b"\n")
        return self.number

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self.raw(
            json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode() + b"\n"
        )

    def next(self) -> dict[str, Any]:
        line = self.lines.get(timeout=PATIENCE)
        assert line, "the server closed its output: " + b"".join(self.errors).decode()
        return json.loads(line)

    def greet(self) -> dict[str, Any]:
        client = {"name": "tester", "version": "1"}
        self.send(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client},
        )
        answer = self.next()
        self.notify("notifications/initialized", {})
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        number = self.send("tools/call", {"name": f"memshelf_{tool}", "arguments": arguments})
        answer = self.next()
        assert answer["id"] == number, answer
        return answer["result"]

    def end(self) -> int:
        """The exit status, the client's side closed."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        for thread in self.threads:
            thread.join(PATIENCE)
        return code

    @property
    def stderr(self) -> str:
        return b"".join(self.errors).decode()


@pytest.fixture
def env(tmp_path):
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MEMSHELF_", "GIT_"))
    }
    return kept | {
        "MEMSHELF_STATE_DIR": str(tmp_path / "state"),
        "MEMSHELF_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONUTF8": "1",
    }


@pytest.fixture
def start(env):
    hosts = []

    def begin(*arguments: str, **more: str) -> Host:
        command = [sys.executable, "-c", *(arguments or (ODD_VERBS,))]
        hosts.append(Host(command, env | more))
        return hosts[-1]

    yield begin
    for host in hosts:
        host.process.kill()
        host.end()
        host.process.stdout.close()
        host.process.stderr.close()


DIGEST = "Redis was chosen as the cache; memcached was rejected because it forgets. Open: eviction."
REAL = "import sys; from memshelf.surfaces.mcp import main; main(sys.argv[1:])"


def until(there: Path) -> None:
    """Wait for a file."""
    for _ in range(PATIENCE * 100):
        if there.exists():
            return
        time.sleep(0.01)
    raise AssertionError(f"{there.name} never came")


# --- the wire ----------------------------------------------------------------------------------


def test_what_prints_and_what_reads_does_not_touch_the_protocol(start):
    host = start()
    host.greet()
    assert host.call("noisy")["structuredContent"] == {"status": "ok", "input": ""}
    assert host.call("echo", text="still here")["structuredContent"]["said"] == "still here"
    assert host.end() == 0
    for said in ("printed", "written to 1", "child", "''"):
        assert said in host.stderr


BAD_LINES = [
    (
        b'{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"memshelf_echo","arguments":{"text":"\xff\xfe"}}}\n',
        70,
    ),
    (b'{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"memsh\n', 71),
    (b"nonsense\n", None),
    (b'{"jsonrpc":"2.0","id":{"a":1},"method":"tools/call"}\n', None),
    (b'{"jsonrpc":"2.0","id":72,"method":"tools/call","params":{"arguments":{}}}\n', 72),
    (b'{"jsonrpc":"2.0","id":73,"method":"no/such/method"}\n', 73),
    (b"[" * 200_000 + b"\n", None),
]


@pytest.mark.parametrize("early", [True, False])
def test_a_line_that_is_no_request_is_an_error_and_the_next_one_is_answered(start, early):
    host = start()
    if not early:
        host.greet()
        host.call("echo", text="warm")
    for line, number in BAD_LINES[:4] if early else BAD_LINES:
        host.raw(line)
        answer = host.next()
        assert answer["error"]["code"] < 0 and answer.get("id") == number
        host.raw(b"\n   \n\r\n")
        if not early:
            assert host.call("echo", text="fine")["structuredContent"]["said"] == "fine"
    if early:
        assert host.greet()["result"]["serverInfo"]["name"] == "memshelf"
    assert host.end() == 0


def test_a_line_of_five_megabytes_is_a_request_like_any_other(start):
    host = start()
    host.greet()
    assert host.call("echo", text="ж" * 2_500_000)["structuredContent"]["said"] == 2_500_000
    assert host.call("echo", text="after")["structuredContent"]["said"] == "after"


def test_all_that_was_asked_before_the_end_of_input_is_answered(start):
    host = start()
    host.greet()
    for number in range(100, 110):
        host.send(
            "tools/call", {"name": "memshelf_echo", "arguments": {"text": str(number)}}, number
        )
    assert host.end() == 0
    answers = [json.loads(line) for line in iter(host.lines.get_nowait, b"")]
    assert sorted(answer["id"] for answer in answers) == list(range(100, 110))


def test_two_starts_say_the_same_byte_for_byte(start):
    said = []
    for _ in range(2):
        host = start(REAL, "--tools", "all")
        host.send(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        )
        host.send("tools/list")
        said.append([host.lines.get(timeout=PATIENCE) for _ in range(2)])
        assert host.end() == 0
    assert said[0] == said[1]


def test_the_handshake_and_the_list_of_tools_need_no_sdk():
    asks = """
import sys
from memshelf.surfaces import mcp, mcp_calls, mcp_schema, mcp_session, mcp_wire
tools = mcp_schema.listed(mcp_schema.offer("core").values())
assert len(tools) > 3
heavy = {"mcp", "mcp_types", "pydantic", "anyio", "asyncio", "git", "jinja2", "matplotlib", "mkdocs", "numpy", "click"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", asks], check=True, timeout=PATIENCE)


# --- writes ------------------------------------------------------------------------------------


def test_a_write_that_is_cancelled_is_whole_and_the_next_one_finds_the_way_free(start, tmp_path):
    host = start()
    host.greet()
    first, second = tmp_path / "first", tmp_path / "second"
    number = host.send("tools/call", {"name": "memshelf_write", "arguments": {"path": str(first)}})
    until(first.with_suffix(".begun"))
    host.notify("notifications/cancelled", {"requestId": number})
    assert host.call("write", path=str(second))["structuredContent"]["wrote"] == "second"
    assert first.read_text() == second.read_text() == "done"
    assert host.end() == 0


def test_a_write_that_waits_for_its_turn_and_is_cancelled_does_nothing(start, tmp_path):
    host = start()
    host.greet()
    first, second = tmp_path / "first", tmp_path / "second"
    one = host.send("tools/call", {"name": "memshelf_write", "arguments": {"path": str(first)}})
    two = host.send("tools/call", {"name": "memshelf_write", "arguments": {"path": str(second)}})
    until(first.with_suffix(".begun"))
    host.notify("notifications/cancelled", {"requestId": two})
    assert host.next()["id"] == one
    assert host.end() == 0
    assert first.exists() and not second.exists()


def test_writes_come_one_after_the_other_and_reading_does_not_wait_for_them(start, tmp_path):
    host = start()
    host.greet()
    same = {"name": "memshelf_write", "arguments": {"path": str(tmp_path / "same")}}
    writes = {host.send("tools/call", same) for _ in range(3)}
    until(tmp_path / "same.begun")
    read = host.send("tools/call", {"name": "memshelf_echo", "arguments": {"text": "quick"}})
    answers = [host.next() for _ in range(4)]
    assert answers[0]["id"] == read
    assert {answer["id"] for answer in answers[1:]} == writes
    assert not any(answer["result"]["isError"] for answer in answers)


def test_a_cancelled_shelve_is_on_the_shelf_or_not_and_the_next_one_is_saved(start, tmp_path):
    shelf = tmp_path / "shelf"
    host = start(REAL, "--shelf", str(shelf), "--tools", "core,init", GIT_CONFIG_GLOBAL=os.devnull)
    host.greet()
    assert not host.call("init")["isError"]
    wish = {"kind": "topic", "digest": DIGEST, "sections": {"Decisions": "- Redis."}}
    arguments = wish | {"slug": "2026-01-02-cancelled"}
    number = host.send("tools/call", {"name": "memshelf_shelve", "arguments": arguments})
    host.notify("notifications/cancelled", {"requestId": number})
    saved = host.call("shelve", slug="2026-01-03-next", **wish)
    assert saved["structuredContent"]["committed"] is True, saved
    assert host.end() == 0
    git = ["git", "-C", str(shelf)]
    kept = subprocess.run(
        [*git, "ls-files", "docs"], capture_output=True, text=True, check=True
    ).stdout
    state = subprocess.run(
        [*git, "status", "--porcelain", "docs"], capture_output=True, text=True, check=True
    ).stdout
    there = (shelf / "docs" / "topics" / "2026-01-02-cancelled.md").exists()
    assert ("2026-01-02-cancelled" in kept) == there and "2026-01-03-next" in kept and not state


# --- the end -----------------------------------------------------------------------------------


def test_a_client_that_goes_in_the_middle_of_a_write_leaves_it_whole(start, tmp_path):
    host = start()
    host.greet()
    host.send("tools/call", {"name": "memshelf_write", "arguments": {"path": str(tmp_path / "it")}})
    until(tmp_path / "it.begun")
    assert host.end() == 0
    assert (tmp_path / "it").read_text() == "done"


def test_nobody_waits_for_a_read_that_does_not_end(start, tmp_path):
    host = start()
    host.greet()
    host.send(
        "tools/call", {"name": "memshelf_forever", "arguments": {"path": str(tmp_path / "it")}}
    )
    until(tmp_path / "it")
    assert host.end() == 0


@POSIX
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_ends_it_after_the_write_in_hand(start, tmp_path, name):
    host = start()
    host.greet()
    host.send("tools/call", {"name": "memshelf_write", "arguments": {"path": str(tmp_path / "it")}})
    until(tmp_path / "it.begun")
    host.process.send_signal(getattr(signal, name))
    assert host.process.wait(PATIENCE) == 0
    assert (tmp_path / "it").read_text() == "done"


@POSIX
def test_it_ends_when_its_parent_is_gone_though_the_pipe_is_open(start):
    shell = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {ODD_VERBS!r}])
"""
    host = start(shell)
    host.greet()
    assert host.call("echo", text="x")["structuredContent"]["said"] == "x"
    host.process.kill()
    assert host.lines.get(timeout=PATIENCE) == b"", "the server's output is closed"


def test_it_leaves_with_3_when_nobody_comes(start, tmp_path):
    host = start(MEMSHELF_HANDSHAKE_TIMEOUT="0.3")
    assert host.process.wait(PATIENCE) == 3
    assert "nobody said `initialize`" in (tmp_path / "state" / "server.log").read_text("utf-8")


def test_a_deadline_of_none_is_kept(start):
    host = start(MEMSHELF_HANDSHAKE_TIMEOUT="0")
    with pytest.raises(subprocess.TimeoutExpired):
        host.process.wait(0.5)
    assert host.end() == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--version"], 0, "memshelf-mcp "),
        (["--help"], 0, "--tools"),
        (["--tools", "nonsense"], 2, "There is no set of tools 'nonsense'."),
    ],
)
def test_the_script_says_what_it_is(start, arguments, code, said):
    host = start(REAL, *arguments)
    assert host.end() == code
    out = b"".join(iter(host.lines.get_nowait, b"")).decode()
    assert said in out + host.stderr


# --- the main job, through the SDK's client ----------------------------------------------------


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_round_trip_works_in_both_eras(mode, env, tmp_path):
    shelf = tmp_path / "shelf"
    more = {"HOME": str(tmp_path), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", REAL, "--shelf", str(shelf), "--tools", "core,init"],
        env=env | more,
        cwd=tmp_path,
    )

    async def talk() -> None:
        async with Client(stdio_client(server), mode=mode) as client:

            async def call(tool: str, **arguments: Any) -> Any:
                answer = await client.call_tool(f"memshelf_{tool}", arguments)
                assert not answer.is_error, answer.content
                return answer

            before = await client.call_tool("memshelf_index", {})
            assert before.is_error and "memshelf init" in before.content[0].text

            assert (await call("init", name="Round trip")).structured_content["status"] == "ok"
            sections = {"Decisions": "- Redis. Rejected: memcached.", "Open threads": "- Eviction."}
            shelved = await call(
                "shelve",
                slug="2026-01-02-cache",
                kind="topic",
                digest=DIGEST,
                sections=sections,
                tags=["cache"],
            )
            assert shelved.structured_content["committed"] is True
            assert len(shelved.content[0].text) // 4 <= 120

            hit = (await call("search", query="memcached")).structured_content["hits"][0]
            assert hit["address"].endswith("2026-01-02-cache.md")
            recalled = (
                (await call("recall", id="2026-01-02-cache", section="Decisions")).content[0].text
            )
            assert "Redis. Rejected: memcached." in recalled and "<recalled-episode " in recalled
            assert "2026-01-02-cache" in (await call("index")).content[0].text

            await call(
                "shelve", slug="2026-01-02-cache", amend=True, sections={"Decisions": "- Valkey."}
            )
            resource = await client.read_resource("memshelf://episode/2026-01-02-cache/Decisions")
            assert "Valkey." in resource.contents[0].text
            kept = (await call("recall", id="2026-01-02-cache")).content[0].text
            assert "Eviction." in kept and DIGEST in kept
            names = [row.name for row in (await client.list_resources()).resources]
            assert names == ["index", "2026-01-02-cache"]

            taken = await client.call_tool(
                "memshelf_shelve",
                {
                    "params": {
                        "slug": "2026-01-02-cache",
                        "digest": DIGEST,
                        "sections": {"Decisions": "- x"},
                    }
                },
            )
            assert taken.is_error and taken.structured_content["code"] == "episode-exists"

    anyio.run(talk)
