"""A client that speaks just enough MCP to time a server: JSON lines over its standard streams."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from .clock import Failed, Took, reaped

_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Client:
    """A server that was started, and the time since: `begun` is when.

    Once it has ended, `took` is what it took from its start on, and how much memory.
    """

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self._sent = 0
        self.took = Took(0.0)
        self.begun = time.perf_counter()
        self._server = subprocess.Popen(
            command,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Self:
        """Shake hands."""
        self.ask("initialize", _HELLO)
        self._send({"method": "notifications/initialized"})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        trouble: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close its input, and it goes; one that stays is ended."""
        assert self._server.stdin and self._server.stdout
        self._server.stdin.close()
        guard = threading.Timer(20, self._server.kill)
        guard.start()
        cpu, peak = reaped(self._server)
        guard.cancel()
        self.took = Took(time.perf_counter() - self.begun, cpu, peak)
        self._server.stdout.close()

    def tools(self) -> list[str]:
        """The names of its tools."""
        return [tool["name"] for tool in self.ask("tools/list", {})["tools"]]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The text of a tool's answer. Raises Failed where that is an error."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text = "".join(part.get("text", "") for part in result["content"])
        if result.get("isError") or text.startswith('{\n  "status": "error"'):
            raise Failed(f"{tool}: {text[:300]}")
        return text

    def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """The result of a request."""
        self._sent += 1
        self._send({"id": self._sent, "method": method, "params": params})
        assert self._server.stdout
        for line in self._server.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._sent:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']}")
                return answer["result"]
        raise Failed(f"{method}: the server is gone")

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._server.stdin
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False)
        self._server.stdin.write(line.encode("utf-8") + b"\n")
        self._server.stdin.flush()
