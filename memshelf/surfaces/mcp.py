"""The script memshelf-mcp, and `memshelf serve`: a server over standard input and output."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from .. import __version__
from ..domain.errors import ShelfError
from ..verb import Verb

DEFAULT_SET = "core"
_DEADLINE = 60.0
_LULL = 0.5
"""Seconds after the handshake in which a host asks for the tools; then the server is loaded."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The script `memshelf-mcp`: options, then the server until its client is gone."""
    given = sys.argv[1:] if arguments is None else arguments
    shelf, tools = _options(given) if given else (None, None)
    serve(shelf, tools)


def _options(given: Sequence[str]) -> tuple[str | None, str | None]:
    import argparse

    parser = argparse.ArgumentParser(
        "memshelf-mcp", description="Serve a shelf over MCP on standard input and output."
    )
    parser.add_argument("--version", action="version", version=f"memshelf-mcp {__version__}")
    parser.add_argument("--shelf", help="The shelf (else $MEMSHELF_SHELF_PATH, else here).")
    parser.add_argument("--tools", help="Sets of tools, such as core,show (else $MEMSHELF_TOOLS).")
    options = parser.parse_args(given)
    return options.shelf, options.tools


def serve(shelf: str | None = None, tools: str | None = None) -> NoReturn:
    """Serve the tools of some sets until the client is gone; then the process ends.

    Exit status 0, 2 for a set that there is not, 3 where nobody came. A shelf that is not there
    yet is no error: each call looks anew.
    """
    from .mcp_schema import offer

    try:
        offered = offer(tools or os.environ.get("MEMSHELF_TOOLS") or DEFAULT_SET)
    except ShelfError as trouble:
        sys.stderr.write(f"memshelf-mcp: {trouble}\n")
        _leave(getattr(trouble, "exit_code", 1))
    serve_verbs(offered, shelf)


def serve_verbs(offered: Mapping[str, Verb], shelf: str | None = None) -> NoReturn:
    """Serve verbs, by the names of their tools, as `serve` does."""
    from . import mcp_log
    from .mcp_calls import Desk
    from .mcp_schema import listed
    from .mcp_session import Session
    from .mcp_wire import Wire

    session = Session(Wire.take(), listed(offered.values()))
    _on_signals(session.end)
    for work in (session.listen, lambda: session.watch(_deadline())):
        threading.Thread(target=work, daemon=True).start()
    session.greeted.wait()
    session.needed.wait(_LULL)
    code = 0
    try:
        if session.pending or not session.ended.is_set():
            _load().run(Desk(offered, shelf), session)
    except Exception:
        import traceback

        mcp_log.note(f"a fault in the server\n{traceback.format_exc()}")
        code = 70
    session.wire.flush(2.0)
    _leave(code)


def _load() -> Any:
    """The module that holds the SDK. Its classes stay for good, so collecting amid them is waste."""
    gc.disable()
    try:
        from . import mcp_server
    finally:
        gc.freeze()
        gc.enable()
    return mcp_server


def _deadline() -> float:
    named = os.environ.get("MEMSHELF_HANDSHAKE_TIMEOUT", "")
    with contextlib.suppress(ValueError):
        return float(named)
    return _DEADLINE


def _on_signals(end: Callable[[], None]) -> None:
    """Asked to go, a server goes as if its client had: after the write in hand.

    The handler only starts a thread: it may have interrupted the very lock that `end` needs.
    """
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: threading.Thread(target=end).start())


def _leave(code: int) -> NoReturn:
    """End at once: threads may still wait for input that never comes, and memory needs no tidying."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code)
