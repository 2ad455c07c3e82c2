"""One connection over stdio: what comes in is read, checked and, where it can be, answered at once.

Loading the SDK takes half a second. So the handshake and the list of tools, which a host asks for
while its user waits, are answered here; the server is loaded after that and is told of the same
handshake. Its answers to both would be the same (a test compares them).
"""

from __future__ import annotations

import json
import os
import queue
import re
import threading
import time
from typing import Any

from .. import __version__
from ..domain.paging import compact
from . import mcp_log
from .mcp_schema import NAME, instructions
from .mcp_wire import Wire

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Protocol versions that begin with `initialize`, oldest first; the SDK's own list."""

PARSE_ERROR, INVALID_REQUEST = -32700, -32600

_ID = re.compile(rb'"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,100}")')
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_LOOK = 3.0
"""Seconds between two looks at whether the parent process is still there."""

Message = dict[str, Any]
Id = int | str | None


class BadMessage(Exception):
    """A line that is no message: the error's code, what is wrong, whose request it was if known."""

    def __init__(self, code: int, said: str, about: Id) -> None:
        super().__init__(said)
        self.code, self.said, self.about = code, said, about


def parse(line: bytes) -> Message:
    """The message in a line. Raises BadMessage; nothing is guessed at or replaced."""
    try:
        message = json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError:
        raise BadMessage(PARSE_ERROR, "The line is not UTF-8.", _id_in(line)) from None
    except (ValueError, RecursionError):
        raise BadMessage(PARSE_ERROR, "The line is not JSON.", _id_in(line)) from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        about = message.get("id") if isinstance(message, dict) else None
        raise BadMessage(INVALID_REQUEST, "The line is no JSON-RPC 2.0 message.", _id(about))
    if "method" in message and "id" in message and _id(message["id"]) is None:
        raise BadMessage(INVALID_REQUEST, "The id is neither a string nor a whole number.", None)
    if _HALF.search(line):
        _whole_letters(message)
    return message


def _no_number(name: str) -> None:
    raise ValueError(name)


def _whole_letters(message: Message) -> None:
    try:
        compact(message).encode("utf-8")
    except UnicodeEncodeError:
        said = "The line holds half of a letter (a lone surrogate)."
        raise BadMessage(PARSE_ERROR, said, _id(message.get("id"))) from None


def _id(value: Any) -> Id:
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None


def _id_in(line: bytes) -> Id:
    """The id of a line that cannot be read, where it stands as programs write it."""
    found = _ID.search(line)
    return _id(json.loads(found.group(1).decode("utf-8", "replace"))) if found else None


class Session:
    """A connection as its two sides see it.

    `inbox` holds messages for the server, at the end None. `pending` are the ids it has still to
    answer. `greeted` is set by the first request, `needed` once the server has something to do.
    """

    def __init__(self, wire: Wire, tools: list[dict[str, Any]]) -> None:
        self.wire = wire
        self.inbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self.pending: set[Id] = set()
        self.greeted, self.needed, self.ended = (threading.Event() for _ in range(3))
        self._tools = compact({"tools": tools})
        self._handshake: Id = None
        self._open = False

    # --- in --------------------------------------------------------------------------------------

    def listen(self) -> None:
        """Take every line until the client closes. Runs in a thread of its own."""
        for line in self.wire.lines():
            if line is None:
                self.refuse(None, INVALID_REQUEST, "The line is too long.")
            elif line.strip():
                try:
                    self._take(parse(line))
                except BadMessage as trouble:
                    self.refuse(trouble.about, trouble.code, trouble.said)
        self.end()

    def _take(self, message: Message) -> None:
        method, about = message.get("method"), _id(message.get("id"))
        first = not self.greeted.is_set()
        if about is not None and method == "initialize" and first and _plain_handshake(message):
            self._shake_hands(message, about)
        elif about is not None and method == "tools/list" and self._open and _plain_list(message):
            self.wire.send(_response(about, self._tools))
            self.needed.set()
        else:
            self._forward(message, about)

    def _shake_hands(self, message: Message, about: Id) -> None:
        wanted = message["params"]["protocolVersion"]
        version = wanted if wanted in HANDSHAKES else HANDSHAKES[-1]
        self._open, self._handshake = True, about
        self.wire.send(_response(about, compact(_welcome(version))))
        client = {key: message["params"]["clientInfo"][key] for key in ("name", "version")}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        self.inbox.put(message | {"params": params})
        self.greeted.set()

    def _forward(self, message: Message, about: Id) -> None:
        if message.get("method") == "notifications/cancelled":
            params = message.get("params")
            self.pending.discard(_id(params.get("requestId")) if isinstance(params, dict) else None)
        elif message.get("method") and about is not None:
            self.pending.add(about)
        self.inbox.put(message)
        if about is not None:
            self.greeted.set()
            self.needed.set()

    def end(self) -> None:
        """The client is gone, or we were asked to go. Safe in a signal handler and to repeat."""
        self.ended.set()
        self.greeted.set()
        self.needed.set()
        self.inbox.put(None)

    # --- out -------------------------------------------------------------------------------------

    def reply(self, about: Id, line: bytes) -> None:
        """Send a message of the server, except its answer to a handshake that was answered."""
        if about is not None and about == self._handshake and about not in self.pending:
            self._handshake = None
            return
        self.pending.discard(about)
        self.wire.send(line)

    def refuse(self, about: Id, code: int, said: str) -> None:
        """Send an error for a request that could not be taken."""
        self.pending.discard(about)
        error = {"code": code, "message": said}
        self.wire.send(compact({"jsonrpc": "2.0", "id": about, "error": error}).encode("utf-8"))

    # --- watch -----------------------------------------------------------------------------------

    def watch(self, deadline: float) -> None:
        """End when the parent process is gone; leave with 3 when nobody greets within `deadline`.

        A pipe does not close while any other process holds it, so that its end is no sure sign.
        Runs in a thread of its own. A deadline of 0 seconds is none.
        """
        parent, began = os.getppid(), time.monotonic()
        while not self.ended.is_set():
            rest = began + deadline - time.monotonic()
            if deadline > 0 and not self.greeted.is_set() and rest <= 0:
                mcp_log.note(f"nobody said `initialize` within {deadline:g} seconds; leaving")
                os._exit(3)
            waiting = deadline > 0 and not self.greeted.is_set()
            self.ended.wait(min(_LOOK, rest) if waiting else _LOOK)
            if os.name == "posix" and os.getppid() != parent:
                mcp_log.note("the parent process is gone; leaving")
                self.end()


def _plain_handshake(message: Message) -> bool:
    """Whether a handshake is one that the server would take; any other it is asked itself."""
    params = message.get("params")
    if not isinstance(params, dict):
        return False
    client = params.get("clientInfo")
    return (
        isinstance(params.get("protocolVersion"), str)
        and isinstance(params.get("capabilities"), dict)
        and isinstance(client, dict)
        and isinstance(client.get("name"), str)
        and isinstance(client.get("version"), str)
    )


def _plain_list(message: Message) -> bool:
    return not message.get("params") or set(message["params"]) == {"_meta"}


def _welcome(version: str) -> dict[str, Any]:
    """The answer to a handshake, its keys in the order in which the SDK sends them."""
    return {
        "capabilities": {
            "prompts": {"listChanged": False},
            "resources": {"listChanged": False, "subscribe": False},
            "tools": {"listChanged": False},
        },
        "instructions": instructions(),
        "protocolVersion": version,
        "serverInfo": {"name": NAME, "version": __version__},
    }


def _response(about: Id, result: str) -> bytes:
    return f'{{"jsonrpc":"2.0","id":{json.dumps(about)},"result":{result}}}'.encode()
