"""The tags of a shelf as text and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..domain.entry import Entry
from ..domain.shelf import Shelf
from ..domain.tags import Tag, Under
from ..domain.text import clip, plural
from ..domain.threads import Decision, Thread
from .escape import plain, tsv
from .index import date
from .words import CUT

DECISIONS, THREADS, EPISODES = 60, 40, 200
"""So many of each are listed under a tag."""

_WIDEST = 24


def tags_text(found: Iterable[Tag], without: Iterable[Entry]) -> str:
    """`tag<TAB>count<TAB>ids`, a line for each tag, and one for the untagged: the peer's form.

    Ids are oldest first. Unlike the peer's, spellings that differ by case or accents are one tag.
    """
    alone = tuple(without)
    rows = [_row(tag.name, tag.episodes) for tag in found]
    return "\n".join([*rows, *([_row("(untagged)", alone)] if alone else [])])


def _row(name: str, episodes: tuple[Entry, ...]) -> str:
    ids = " ".join([entry.id for entry in reversed(episodes)])
    return f"{tsv(name)}\t{len(episodes)}\t{tsv(ids)}"


def tags_data(shelf: Shelf, found: Iterable[Tag], without: Iterable[Entry]) -> dict[str, Any]:
    """The peer's keys `tags` (tag to ids, oldest first) and `untagged`, then ours."""
    every = tuple(found)
    return {
        "tags": {tag.name: [entry.id for entry in reversed(tag.episodes)] for tag in every},
        "untagged": [entry.id for entry in reversed(tuple(without))],
        "as_of": shelf.as_of,
        "episodes": len(shelf.entries),
        "details": {tag.name: _details(tag) for tag in every},
    }


def tag_data(shelf: Shelf, found: Under, most: int = EPISODES) -> dict[str, Any]:
    """One tag, its decisions that stand, its open threads, and at most so many of its episodes."""
    return {
        "tag": found.tag.name,
        **_details(found.tag),
        "as_of": shelf.as_of,
        "decisions": found.decisions,
        "threads": found.threads,
        "episodes": [_entry_data(shelf, entry) for entry in found.episodes[:most]],
        "left": max(0, found.tag.count - most),
    }


def _details(tag: Tag) -> dict[str, Any]:
    return {
        "slug": tag.slug,
        "count": tag.count,
        "variants": dict(tag.variants),
        "first": tag.first,
        "last": tag.last,
        "goes_with": tag.goes_with,
        "timeline": dict(tag.timeline),
    }


def _entry_data(shelf: Shelf, entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "date": entry.ledger_date,
        "title": entry.heading,
        "archived": entry.archived,
        "replaced_by": shelf.superseded.get(entry.id, ()),
    }


# --- for eyes --------------------------------------------------------------------------------


def tag_text(shelf: Shelf, found: Under, most: int = EPISODES) -> str:
    """All that stands under one tag: its counts, a bar for each quarter, three lists."""
    tag = found.tag
    quarters = [f"{label}  {bar} {count}" for label, bar, count in bars(tag)]
    lines = [
        f"{tag.name}: {size(tag)}",
        *([f"Also written: {variants(tag)}"] if tag.variants else []),
        *([f"Goes with: {together(tag)}"] if tag.goes_with else []),
        *(["", *quarters] if quarters else []),
        *_listed("Decisions that stand", map(_decision, found.decisions), DECISIONS),
        *_listed("Open threads", (_thread(t, shelf.as_of) for t in found.threads), THREADS),
        *_listed("Episodes", (_episode(shelf, entry) for entry in found.episodes), most),
    ]
    return "\n".join(map(plain, lines))


def _listed(title: str, rows: Iterable[str], most: int) -> Iterator[str]:
    every = list(rows)
    if every:
        yield from ("", f"{title}: {len(every):,}")
        yield from (f"- {row}" for row in every[:most])
    if len(every) > most:
        yield f"{len(every) - most:,} more."


def size(tag: Tag) -> str:
    """`3 episodes, 2026-02-04 to 2026-09-30`."""
    since = f", {tag.first} to {tag.last}" if tag.first != tag.last else f", {tag.first}"
    return plural(tag.count, "episode") + (since if tag.first else "")


def variants(tag: Tag) -> str:
    """Its other spellings with their counts."""
    return ", ".join(f"{spelling} ({count})" for spelling, count in tag.variants)


def together(tag: Tag) -> str:
    """What goes with it, each with the number of shared episodes."""
    return ", ".join(f"{other.name} ({other.episodes})" for other in tag.goes_with)


def bars(tag: Tag) -> list[tuple[str, str, int]]:
    """Its quarters, each with a bar of blocks and its count; none where there is but one."""
    if len(tag.timeline) < 2:
        return []
    most = max(max(count for _, count in tag.timeline), _WIDEST)
    return [(label, "█" * -(-count * _WIDEST // most), count) for label, count in tag.timeline]


def _decision(decision: Decision) -> str:
    return f"{decision.address}: {clip(plain(decision.text), CUT)}"


def _thread(thread: Thread, as_of: str) -> str:
    return f"{thread.address} ({thread.open_for(as_of)}): {clip(plain(thread.text), CUT)}"


def _episode(shelf: Shelf, entry: Entry) -> str:
    states = "".join(f" [{state}]" for state in past_states(shelf, entry))
    return f"{dated(entry)}{f': {entry.title}' if entry.title else ''}{states}"


def dated(entry: Entry) -> str:
    """The id of an episode, with its date in front where it does not begin with it."""
    day = date(entry)
    return entry.id if entry.id.startswith(day) else f"{day}, {entry.id}"


def past_states(shelf: Shelf, entry: Entry) -> list[str]:
    """What an episode is beside current, in the words of all outputs."""
    later = shelf.superseded.get(entry.id, ())
    more = f" and {len(later) - 1} more" if later[1:] else ""
    gone = [f"replaced by {later[0]}{more}"] if later else []
    return [*gone, *(["archived"] if entry.archived else [])]
