"""The Atom feed of a shelf: what changed last, one entry an episode (RFC 4287)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from ..domain.changes import AMENDED, Change
from ..domain.entry import Entry
from ..domain.episode import TAG_LIMIT, TITLE_LIMIT
from ..domain.page import Page
from ..domain.shelf import Shelf
from ..domain.text import clip
from . import captions
from .escape import plain, xml
from .language import page_language
from .words import unmarked

PATH = "feed.xml"
NONE = "No feed: it needs the address of the site ({})."
"""What a build says of a site that has none, with what gives it one."""
MOST, LARGEST = 50, 150_000
"""Entries, and bytes, that a feed may have."""
_DIGESTS = (2000, 1000, 500, 200)
"""Characters of a digest, less where they would make the feed too large."""
_TAGS, _NAMES = 20, 12
_NEVER = "1970-01-01T00:00:00+00:00"
"""When a feed was updated in which nothing ever happened: RFC 4287 asks for some moment."""

Address = Callable[[str], str]
"""An episode's id to the address of its page from the top of the site, "" where it has none."""


class _Told(NamedTuple):
    """An episode of the feed, when it changed last, and what happened then, if git knows."""

    entry: Entry
    when: str
    change: Change | None

    @property
    def order(self) -> tuple[datetime, tuple[str, str]]:
        return datetime.fromisoformat(self.when), self.entry.order


def feed(shelf: Shelf, site_url: str, address: Address) -> Page | None:
    """The feed of a site that lies at an address; None where that is no address of the web.

    Dates come from git, for an episode that git does not know from itself. At most 50 entries and
    150 KB, whatever the shelf holds.
    """
    if not has_feed(site_url):
        return None
    top = site_url if site_url.endswith("/") else f"{site_url}/"
    told = sorted(_told(shelf), key=lambda one: one.order, reverse=True)[:MOST]
    head = _head(shelf, top, told[0].when if told else _latest(shelf))
    for limit in _DIGESTS:
        entries = [_entry(shelf, one, top, address, limit) for one in told]
        if _size([head, *entries]) <= LARGEST:
            break
    while entries and _size([head, *entries]) > LARGEST:
        entries.pop()
    return Page(PATH, "\n".join([head, *entries, "</feed>\n"]))


def has_feed(site_url: str) -> bool:
    """Whether a site at an address has a feed: links in one must be whole."""
    parts = urlsplit(site_url)
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def urn(*names: str) -> str:
    """The address of a shelf or of an episode on it, which depends on nothing but their names."""
    made = uuid.uuid5(uuid.NAMESPACE_URL, "\n".join(("memshelf", *names)))
    return f"urn:uuid:{made}"


def _size(parts: Iterable[str]) -> int:
    return sum(len(part.encode("utf-8", "replace")) + 1 for part in parts) + len("</feed>\n")


# --- which episodes, and when ------------------------------------------------------------------


def _told(shelf: Shelf) -> Iterator[_Told]:
    """Every episode that has a date; of two with one id the one that the id means."""
    for entry in shelf.entries:
        if shelf.by_id[entry.id] is not entry:
            continue
        last = _last(shelf.changes.of(entry.path))
        if last:
            yield _Told(entry, last.when, last)
        elif entry.day:
            yield _Told(entry, _midnight(entry.ledger_date), None)


def _midnight(day: str) -> str:
    return f"{day}T00:00:00+00:00"


def _latest(shelf: Shelf) -> str:
    """When a shelf without episodes changed last."""
    last = _last(shelf.changes.changes)
    return last.when if last else _NEVER


def _last(changes: Iterable[Change]) -> Change | None:
    dated = (one for one in changes if one.when)
    return max(dated, key=lambda one: datetime.fromisoformat(one.when), default=None)


# --- elements ----------------------------------------------------------------------------------


def _element(name: str, text: str = "", **attributes: str) -> str:
    """An element on one line; a text is harmless whatever it holds."""
    begin = f"<{name}{_attributes(attributes)}"
    return f"{begin}>{xml(text)}</{name}>" if text else f"{begin}/>"


def _attributes(given: Mapping[str, str]) -> str:
    return "".join(f' {key}="{xml(plain(value))}"' for key, value in given.items() if value)


def _head(shelf: Shelf, top: str, updated: str) -> str:
    name = captions.name(shelf) or "A shelf"
    lang = page_language(shelf.config.language, ())
    given = {"xmlns": "http://www.w3.org/2005/Atom", "xml:lang": lang}
    return "\n".join(
        [
            '<?xml version="1.0" encoding="utf-8"?>',
            f"<feed{_attributes(given)}>",
            _element("id", urn(shelf.name)),
            _element("title", name),
            _element("updated", _utc(updated)),
            f"<author>{_element('name', name)}</author>",
            _link("self", "application/atom+xml", urljoin(top, PATH)),
            _link("alternate", "text/html", top),
            _element("generator", "memshelf"),
        ]
    )


def _link(rel: str, type: str, href: str) -> str:
    return _element("link", rel=rel, type=type, href=href)


def _entry(shelf: Shelf, told: _Told, top: str, address: Address, limit: int) -> str:
    entry = told.entry
    place = address(entry.id)
    tags = dict.fromkeys(clip(plain(tag), TAG_LIMIT) for tag in entry.tags[:_TAGS])
    said = "\n\n".join(filter(None, [_state(shelf, told), _digest(entry, limit)]))
    return "\n".join(
        [
            "<entry>",
            _element("id", urn(shelf.name, entry.id)),
            _element("title", captions.short(entry) or plain(entry.id) or "An episode"),
            _element("updated", _utc(told.when)),
            *([_link("alternate", "text/html", urljoin(top, place))] if place else []),
            *(_element("category", term=tag) for tag in tags if tag),
            _element("content", said, type="text"),
            "</entry>",
        ]
    )


def _utc(when: str) -> str:
    """A moment as one that every reader compares rightly.

    >>> _utc("2026-03-01T01:30:00+02:00")
    '2026-02-28T23:30:00Z'
    """
    return datetime.fromisoformat(when).astimezone(UTC).isoformat().replace("+00:00", "Z")


def _digest(entry: Entry, limit: int) -> str:
    """The digest without marks of Markdown."""
    text = clip(entry.digest, limit)
    return "\n".join(unmarked(line) for line in text.split("\n"))


def _state(shelf: Shelf, told: _Told) -> str:
    """In words: whether the episode still holds, and in what it changed last."""
    entry = told.entry
    later = [_name(shelf, name) for name in shelf.superseded.get(entry.id, ())[:_NAMES]]
    held = "Archived." if entry.archived else "Current."
    words = [f"Replaced by {', '.join(later)}." if later else held]
    if entry.retain_until:
        words.append(f"Good until {plain(entry.retain_until)}.")
    change = told.change
    if change and change.kind == AMENDED and change.sections:
        names = [clip(plain(name), TITLE_LIMIT) for name in change.sections[:_NAMES]]
        words.append(f"Amended: {', '.join(names)}.")
    return " ".join(words)


def _name(shelf: Shelf, episode: str) -> str:
    found = shelf.by_id.get(episode)
    return captions.short(found) if found else clip(plain(episode), TITLE_LIMIT)
