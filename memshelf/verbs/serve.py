"""Serve the shelf to an agent over MCP, on standard input and output."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..verb import verb


class Serving(NamedTuple):
    """What is to be served: the surface that was asked turns into the server.

    A verb knows no surface, and a server is one; so this is all that the verb says.
    """

    shelf: str | None
    tools: str | None


@verb(mcp=False)
def serve(
    *,
    shelf: Annotated[str | None, "The shelf (else $MEMSHELF_SHELF_PATH, else here)."] = None,
    tools: Annotated[str | None, "Sets of tools (else $MEMSHELF_TOOLS, else core)."] = None,
) -> Serving:
    """Serve the shelf to an agent over MCP, on standard input and output.

    A host starts it; by hand it waits for a client and leaves after a minute without one. The sets
    are core, peer (the names that memshelf-mcp had), all, and the groups that `memshelf help` shows;
    a verb may be named as well. The shelf need not be there yet.

    Example:
    memshelf serve
    memshelf serve --shelf ~/shelf --tools core,show
    """
    return Serving(shelf, tools)
