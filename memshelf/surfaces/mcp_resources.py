"""The shelf as resources: the index, an episode, a section of one."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

from .. import verbs
from ..domain.entry import Entry
from ..domain.errors import ShelfError
from ..domain.paging import page
from ..verb import Verb
from .mcp_answers import budget, sound
from .mcp_arguments import Request
from .mcp_calls import Desk

INDEX = "memshelf://index"
EPISODE = "memshelf://episode/"
MARKDOWN = "text/markdown"
NEWEST = 50
"""Episodes in the list; the index and the templates reach all."""

TEMPLATES = (
    {
        "uriTemplate": EPISODE + "{id}",
        "name": "episode",
        "description": "One episode; a long one as digest and list of sections.",
        "mimeType": MARKDOWN,
    },
    {
        "uriTemplate": EPISODE + "{id}/{section}",
        "name": "section",
        "description": "One section of an episode.",
        "mimeType": MARKDOWN,
    },
)


def listed(desk: Desk) -> list[dict[str, Any]]:
    """The index and the newest episodes, each with its line as description."""
    head = {
        "uri": INDEX,
        "name": "index",
        "description": "What is on the shelf, newest first.",
        "mimeType": MARKDOWN,
    }
    return [head, *(_resource(entry) for entry in _newest(desk))]


def _newest(desk: Desk) -> list[Entry]:
    """No entries where there is no shelf yet: the list is no place for an error."""
    try:
        return list(reversed(desk.store().read().live[-NEWEST:]))
    except ShelfError:
        return []


def _resource(entry: Entry) -> dict[str, Any]:
    said = {"description": sound(entry.description)} if entry.description else {}
    return {
        "uri": EPISODE + quote(sound(entry.stem), safe=""),
        "name": sound(entry.stem),
        "title": sound(entry.heading),
        **said,
        "mimeType": MARKDOWN,
    }


def text(desk: Desk, uri: str) -> str:
    """What stands at an address. Raises ShelfError; an id cannot lead out of the shelf."""
    verb, arguments = _request(uri)
    return page(sound(str(desk.answer(Request(verb, arguments, None, "")))), budget()).text


def _request(uri: str) -> tuple[Verb, dict[str, Any]]:
    if uri == INDEX:
        return verbs.load("index"), {}
    name, slash, section = uri.removeprefix(EPISODE).partition("/")
    if not uri.startswith(EPISODE) or not name or (slash and not section):
        said = f"There is no resource {uri[:120]!r}."
        raise ShelfError(said, f"There are {INDEX} and {EPISODE}ID/SECTION.", "no-resource")
    arguments = {"id": unquote(name)}
    return verbs.load("recall"), arguments | ({"section": unquote(section)} if section else {})
