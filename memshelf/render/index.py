"""INDEX.md and archive/INDEX.md: the whole catalogue, for people on a git host and for tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from ..domain.dates import parse
from ..domain.entry import Entry
from ..domain.episode import DESCRIPTION_LIMIT, ID_LIMIT, KIND, TITLE_LIMIT
from ..domain.page import Page
from ..domain.shelf import Shelf
from ..domain.text import clip, plural, tokens
from ..domain.threads import open_threads
from .escape import markdown, plain

LINE_LIMIT = 319
"""Characters of a line: 80 tokens an episode, so that the index costs at most 200 + 80 each."""

_IN_ADDRESS = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\\<>()\[\]%#?`]")


def index(shelf: Shelf) -> Iterator[Page]:
    """INDEX.md, and archive/INDEX.md where anything is archived."""
    yield Page("INDEX.md", index_text(shelf))
    if shelf.archived or (takes_docshelf(shelf) and "archive/.docshelf.json" in shelf.files):
        yield Page("archive/INDEX.md", _archive_text(shelf))


def takes_docshelf(shelf: Shelf) -> bool:
    """True where the manifest names docshelf-mcp as the one that writes INDEX.md."""
    return shelf.config.docshelf_index


def index_text(shelf: Shelf) -> str:
    """INDEX.md in the form that the shelf's manifest names."""
    if takes_docshelf(shelf):
        from .docshelf import live_index

        return live_index(shelf)
    return "\n".join(chain(_head(shelf), _body(shelf, shelf.live), (_footer(shelf), "")))


def index_tokens(shelf: Shelf) -> int:
    """Tokens of INDEX.md, which `economy` counts as standing cost."""
    return tokens(index_text(shelf))


def _archive_text(shelf: Shelf) -> str:
    if takes_docshelf(shelf):
        from .docshelf import archive_index

        return archive_index(shelf)
    said = (
        f"{plural(len(shelf.archived), 'episode')} behind a rollup: still recalled, searched and "
        "counted. [Back to what is live](../INDEX.md)"
    )
    head = (f"# {_name(shelf)} — archive", "", said, "")
    return "\n".join(chain(head, _body(shelf, shelf.archived), (_footer(shelf), "")))


def _name(shelf: Shelf) -> str:
    return markdown(clip(plain(shelf.name), TITLE_LIMIT))


def _head(shelf: Shelf) -> Iterator[str]:
    rule = clip(plain(shelf.config.preamble), 400)
    yield from (f"# {_name(shelf)}", "", rule, "")
    if not shelf.live:
        yield from ("Nothing shelved yet. `memshelf shelve` puts the first episode here.", "")
    if shelf.entries:
        yield from (" · ".join(_counts(shelf)), "")


def _counts(shelf: Shelf) -> Iterator[str]:
    kinds = [(len(entries), folder) for folder, entries in by_folder(shelf, shelf.live)]
    if kinds:
        yield ", ".join(counted(count, markdown(folder)) for count, folder in kinds)
    if shelf.archived:
        yield f"[{len(shelf.archived):,} archived](archive/INDEX.md)"
    yield plural(open_threads(shelf), "open thread")
    yield "[chart](stats.svg)"


def counted(count: int, folder: str) -> str:
    """`1 topic`, `2,130 research`: episodes of a folder in words."""
    return f"{count:,} {KIND.get(folder, folder) if count == 1 else folder}"


def by_folder(shelf: Shelf, entries: Iterable[Entry]) -> list[tuple[str, list[Entry]]]:
    """Episodes by folder, the folders in the shelf's own order and then by name."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.category, []).append(entry)
    order = list(dict.fromkeys(name for name in shelf.config.category_order if name in found))
    return [(name, found[name]) for name in order + sorted(set(found) - set(order))]


def _body(shelf: Shelf, entries: Iterable[Entry]) -> Iterator[str]:
    """A list for each folder: newest first, what was replaced last."""
    gone = shelf.superseded
    for folder, found in by_folder(shelf, entries):
        yield from (f"## {markdown(folder.replace('-', ' ').replace('_', ' ').capitalize())}", "")
        for entry in shelf.current_first(found[::-1]):
            yield _line(entry, gone.get(entry.id, ()))
        yield ""


def _line(entry: Entry, replaced_by: tuple[str, ...] = ()) -> str:
    """`- DATE [title](file) — description`: where a line is too long the description gives way."""
    address, later = _address(entry), _replaced(replaced_by)
    title = plain(entry.heading)
    room = max(20, LINE_LIMIT - len(address) - len(later) - 17)
    line = f"- {date(entry)} [{_within(title, TITLE_LIMIT, room)}]({address}){later}"
    said = plain(entry.description)
    room = LINE_LIMIT - len(line) - 3
    return f"{line} — {_within(said, DESCRIPTION_LIMIT, room)}" if said and room >= 20 else line


def _within(text: str, limit: int, room: int) -> str:
    """A text of at most `limit` characters as Markdown of at most `room`."""
    shown = markdown(clip(text, limit))
    while len(shown) > room:  # the marks that escape take room as well
        limit -= max(1, (len(shown) - room) // 6)
        shown = markdown(clip(text, limit))
    return shown


def _replaced(ids: tuple[str, ...]) -> str:
    if not ids:
        return ""
    more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
    return f" — replaced by {_within(plain(ids[0]), ID_LIMIT, ID_LIMIT)}{more}"


def date(entry: Entry) -> str:
    """The episode's day in a list, or words where it has none."""
    said = entry.ledger_date
    return said if parse(said) else "no date"


def _address(entry: Entry) -> str:
    """The file from the folder of its index, as a link's target that holds its name literally."""
    return target(entry.path.removeprefix("archive/"))


def target(path: str) -> str:
    """A relative path as the target of a link in Markdown."""
    if not _IN_ADDRESS.search(path):
        return path
    return _IN_ADDRESS.sub(lambda found: _percent(found.group()), path)


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode())


def _footer(shelf: Shelf) -> str:
    live, archived = plural(len(shelf.live), "live episode"), f"{len(shelf.archived):,} archived"
    newest = shelf.as_of
    as_of = f", as of {newest}" if newest else ""
    return (
        f"*{live} and {archived}{as_of}. Rendered by memshelf: edit the episodes, not this file.*"
    )
