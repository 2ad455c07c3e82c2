"""The protocol, by the SDK's low-level server. Importing this module is slow: see mcp_session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
from anyio import to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    JSONRPCError,
    JSONRPCResponse,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    jsonrpc_message_adapter,
)
from pydantic import BaseModel, ValidationError

from .. import __version__
from ..domain.errors import ShelfError
from . import mcp_log, mcp_prompts, mcp_resources
from .mcp_answers import Result, refusal
from .mcp_calls import Desk, fault
from .mcp_schema import NAME, instructions, listed
from .mcp_session import Session

Context = ServerRequestContext[Any, Any]

_GRACE = 1.0
"""Seconds that requests in hand get once the client has said its last; a write gets all it needs."""


class Hands:
    """Runs a desk's work in threads: reading beside each other, writing one after the other.

    A cancelled write is finished all the same, in its thread and holding its turn, so that it is
    wholly there or not there and the next one finds the lock free.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.writing = 0
        self._turn = anyio.Lock()

    async def call(self, _: Context, params: CallToolRequestParams) -> BaseModel:
        """`tools/call`."""
        return _sent(CallToolResult, await self._result(params))

    async def _result(self, params: CallToolRequestParams) -> Result:
        try:
            request = self.desk.request(params.name, params.arguments or {})
        except ShelfError as trouble:
            return refusal(trouble)
        if not request.verb.writes:
            return await read(self.desk.result, request)  # type: ignore[no-any-return]
        async with self._turn:
            self.writing += 1
            try:
                return await to_thread.run_sync(self.desk.result, request)
            finally:
                self.writing -= 1


async def read(work: Callable[..., Any], *arguments: Any) -> Any:
    """Work in a thread that is left to itself when nobody waits for it any more."""
    return await to_thread.run_sync(work, *arguments, abandon_on_cancel=True)


def build(desk: Desk, hands: Hands | None = None) -> Server[Any]:
    """The server of a desk, in both eras of the protocol that the SDK speaks."""
    hands = hands or Hands(desk)
    server: Server[Any] = Server(NAME, version=__version__, instructions=instructions())

    async def tools(_: Context, __: PaginatedRequestParams) -> BaseModel:
        return _sent(ListToolsResult, {"tools": listed(desk.offer.values())})

    async def resources(_: Context, __: PaginatedRequestParams) -> BaseModel:
        rows = await read(_told, mcp_resources.listed, desk)
        return _sent(ListResourcesResult, {"resources": rows})

    async def templates(_: Context, __: PaginatedRequestParams) -> BaseModel:
        rows = list(mcp_resources.TEMPLATES)
        return _sent(ListResourceTemplatesResult, {"resourceTemplates": rows})

    async def resource(_: Context, params: ReadResourceRequestParams) -> BaseModel:
        uri = str(params.uri)
        text = await read(_told, mcp_resources.text, desk, uri)
        content = {"uri": uri, "mimeType": mcp_resources.MARKDOWN, "text": text}
        return _sent(ReadResourceResult, {"contents": [content]})

    async def prompts(_: Context, __: PaginatedRequestParams) -> BaseModel:
        return _sent(ListPromptsResult, {"prompts": mcp_prompts.listed()})

    async def prompt(_: Context, params: GetPromptRequestParams) -> BaseModel:
        said = _told(mcp_prompts.message, params.name, params.arguments or {})
        return _sent(GetPromptResult, said)

    server.add_request_handler("tools/list", PaginatedRequestParams, tools)
    server.add_request_handler("tools/call", CallToolRequestParams, hands.call)
    server.add_request_handler("resources/list", PaginatedRequestParams, resources)
    server.add_request_handler("resources/templates/list", PaginatedRequestParams, templates)
    server.add_request_handler("resources/read", ReadResourceRequestParams, resource)
    server.add_request_handler("prompts/list", PaginatedRequestParams, prompts)
    server.add_request_handler("prompts/get", GetPromptRequestParams, prompt)
    return server


def _sent(kind: type[BaseModel], body: Result) -> BaseModel:
    """A result as the SDK wants it, which adds what an era of the protocol has beside it."""
    return kind.model_validate(body, by_name=False)


def _told(work: Callable[..., Any], *arguments: Any) -> Any:
    """Outside of tools there are no error results: what was refused is an error of the protocol."""
    try:
        return work(*arguments)
    except ShelfError as trouble:
        raise MCPError(INVALID_PARAMS, f"{trouble.code}: {trouble}") from None
    except Exception:
        internal = fault(work.__module__.rpartition("_")[2])
        raise MCPError(INTERNAL_ERROR, f"{internal.code}: {internal}") from None


# --- one connection ----------------------------------------------------------------------------


def run(desk: Desk, session: Session) -> None:
    """Serve a session until its client has gone and the work in hand is done."""
    anyio.run(_serve, desk, session)


async def _serve(desk: Desk, session: Session) -> None:
    hands = Hands(desk)
    server = build(desk, hands)
    to_server, inward = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outward, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_send, from_server, session)
        tasks.start_soon(_feed, to_server, session, hands)
        await server.run(inward, outward, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _feed(to_server: Any, session: Session, hands: Hands) -> None:
    """What the client sent, into the server; after the last of it the work in hand is waited for."""
    async with to_server:
        while (message := await read(session.inbox.get)) is not None:
            try:
                parsed = jsonrpc_message_adapter.validate_python(message, by_name=False)
            except ValidationError:
                if "method" in message:
                    session.refuse(message.get("id"), INVALID_REQUEST, "This is no request.")
            else:
                await to_server.send(SessionMessage(parsed))
        with anyio.move_on_after(_GRACE):
            while session.pending:
                await anyio.sleep(0.01)
        while hands.writing and session.pending:
            await anyio.sleep(0.01)


async def _send(from_server: Any, session: Session) -> None:
    async with from_server:
        async for item in from_server:
            message = item.message
            about = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
            try:
                line = message.model_dump_json(by_alias=True, exclude_unset=True)
                session.reply(about, line.encode("utf-8"))
            except ValueError:
                mcp_log.note(f"an answer could not be written as JSON: {about}")
                session.refuse(about, INTERNAL_ERROR, "The answer cannot be written as JSON.")
