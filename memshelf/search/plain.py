"""Plain words: every word of the query must occur, from a word's beginning; folded, ranked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..domain.episode import Document, episode_of
from ..domain.text import fold, one_line, unspaced

_TOKEN = re.compile(r"-?\w+(?:[+#]+(?!\w))?", re.UNICODE)
_TITLE, _TAG, _HEADING, _EXACT = 8, 8, 5, 2
_SNIPPET = 200


class Query(NamedTuple):
    """Folded words that must occur, and words that must not."""

    words: tuple[str, ...]
    without: tuple[str, ...] = ()


class Hit(NamedTuple):
    """One episode that fits: its address, the section that fits best, and a piece of it."""

    address: str
    id: str
    section: str
    score: int
    snippet: str
    via: str = "words"


def parse(query: str) -> Query:
    """The query that a text asks; no text is an error, `-word` leaves out beside another word.

    >>> parse("Don't panic -café")
    Query(words=('don', 't', 'panic'), without=('cafe',))
    """
    found = [m.group() for m in _TOKEN.finditer(fold(query)) if _begins(query, m)]
    positive = tuple(dict.fromkeys(word for word in found if not word.startswith("-")))
    negative = tuple(word[1:] for word in found if word.startswith("-"))
    return Query(positive, negative) if positive else Query(negative)


def _begins(query: str, found: re.Match[str]) -> bool:
    return bool(found.group().strip("-"))


def _pattern(word: str) -> re.Pattern[str]:
    start = "" if unspaced(word) else r"(?<!\w)"
    return re.compile(start + re.escape(word))


def ranked(query: Query, texts: Iterable[tuple[str, str]]) -> list[Hit]:
    """The episodes that hold every word, best first, then by path."""
    patterns = tuple(map(_pattern, query.words))
    without = tuple(map(_pattern, query.without))
    hits = (_hit(path, text, patterns, without) for path, text in texts)
    return sorted((hit for hit in hits if hit), key=lambda hit: (-hit.score, hit.address))


def _hit(
    path: str,
    text: str,
    patterns: tuple[re.Pattern[str], ...],
    without: tuple[re.Pattern[str], ...],
) -> Hit | None:
    folded = fold(text)
    if not all(pattern.search(folded) for pattern in patterns):
        return None
    document = Document.of(text)
    stem = path.rpartition("/")[2][:-3]
    episode = episode_of(document, stem)
    head = fold(f"{episode.title} {episode.id}")
    tags = fold(" ".join(episode.tags + episode.keywords) + " " + episode.description)
    body = fold(text[document.front.body :])
    whole = f"{head} {tags} {body}"
    if not all(p.search(whole) for p in patterns) or any(p.search(whole) for p in without):
        return None
    score = sum(_TITLE * bool(p.search(head)) + _TAG * bool(p.search(tags)) for p in patterns)
    parts = list(_parts(document, patterns))
    score += sum(part[0] for part in parts)
    best = max(parts, default=(0, 0, "", ""), key=lambda part: (part[1], part[0]))
    return Hit(path, episode.id, best[2], score, _snippet(best[3] or episode.title, patterns))


def _parts(
    document: Document, patterns: tuple[re.Pattern[str], ...]
) -> Iterator[tuple[int, int, str, str]]:
    """For each section: its score, how many of the words it holds, its address, its text."""
    rows = [("", document.preamble)] if document.preamble else []
    rows += [
        (address, section.body(document.text))
        for address, section in zip(document.names, document.sections, strict=True)
    ]
    for address, body in rows:
        folded, heading = fold(body), fold(address)
        counts = [len(p.findall(folded)) for p in patterns]
        in_heading = [bool(p.search(heading)) for p in patterns]
        held = sum(bool(c) or h for c, h in zip(counts, in_heading, strict=True))
        if held:
            yield sum(counts) + _HEADING * sum(in_heading), held, address, body


def _snippet(text: str, patterns: tuple[re.Pattern[str], ...]) -> str:
    """About 200 characters round the first word found, on one line."""
    line = one_line(text)
    folded = fold(line)
    found = next((m for m in (p.search(folded) for p in patterns) if m), None)
    at = found.start() if found else 0
    begin = max(at - _SNIPPET // 3, 0)
    if begin:
        begin = line.find(" ", begin, at) + 1 or begin
    piece = line[begin : begin + _SNIPPET]
    return ("…" if begin else "") + piece + ("…" if begin + _SNIPPET < len(line) else "")
