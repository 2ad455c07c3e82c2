"""The desk of a server: takes calls of tools, runs their verbs, hands back results."""

from __future__ import annotations

import difflib
import os
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import verbs
from ..domain.errors import ShelfError
from ..verb import Verb
from . import mcp_arguments, mcp_log
from .mcp_answers import Result, refusal, result
from .mcp_arguments import Request
from .mcp_schema import price

if TYPE_CHECKING:
    from ..storage.store import Store


_FRESH_FOR = 1.0


class Desk(NamedTuple):
    """What one server offers: verbs by the name of their tool, and the shelf named at its launch.

    Which shelf is meant is settled at each call, so that a server that was started before the shelf
    was made works once it is there.
    """

    offer: Mapping[str, Verb]
    shelf: str | None = None

    def request(self, tool: str, given: Mapping[str, Any]) -> Request:
        """A call as a request. Raises ShelfError where no tool or an argument is not known."""
        if tool not in self.offer:
            raise _unknown_tool(tool, self.offer)
        return mcp_arguments.read(self.offer[tool], given)

    def result(self, request: Request) -> Result:
        """The result of a request; what was refused is one too, and so is a fault of ours."""
        try:
            return result(request.verb, self.answer(request), request.cursor)
        except ShelfError as trouble:
            return refusal(trouble)
        except Exception:
            return refusal(fault(request.verb.tool))

    def answer(self, request: Request) -> Any:
        """What the verb answers. Raises ShelfError."""
        return request.verb.run(*self._place(request), **request.arguments)

    def store(self, named: str | None = None) -> Store:
        """The shelf named in a call, else at the launch, else found as everywhere."""
        from ..storage.store import Store, discover

        store = Store.open(discover(named or self.shelf, os.environ)[0])
        store.fresh_for = _FRESH_FOR
        store.tool_tokens = lambda: price(",".join(verb.name for verb in self.offer.values()))
        return store

    def _place(self, request: Request) -> tuple[Any, ...]:
        from ..storage import files

        if not request.verb.place:
            return ()
        if request.verb.place == "store":
            return (self.store(request.shelf),)
        named = request.shelf or self.shelf or os.environ.get("MEMSHELF_SHELF_PATH")
        path = Path(named) if named else Path.cwd()
        files.within_workspace(path)
        return (path,)


def fault(doing: str) -> ShelfError:
    """The exception at hand as a fault of memshelf: told in the log, not to the client."""
    mcp_log.note(f"a fault in {doing}\n{traceback.format_exc()}")
    return ShelfError(
        f"memshelf itself failed in {doing}.",
        f"What happened is in {mcp_log.log_file()}; please report it.",
        "internal",
    )


def _unknown_tool(tool: str, offer: Mapping[str, Verb]) -> ShelfError:
    asleep = {f"memshelf_{verbs.module_of(name)}": name for name in verbs.NAMES}
    if tool in asleep:
        fix = f"Start the server with --tools core,{asleep[tool]}, or use the command line."
    else:
        near = difflib.get_close_matches(tool, offer, 1)
        fix = f"Did you mean {near[0]}?" if near else f"There are {', '.join(offer)}."
    return ShelfError(f"This server has no tool {tool[:60]!r}.", fix, "unknown-tool")
