"""Entry: what the catalogue of a shelf knows of one episode, without its body."""

from __future__ import annotations

import re
from datetime import date
from typing import Any, NamedTuple

from . import dates
from .episode import Document, Episode, episode_of, troubles
from .finding import Finding
from .items import choices, items
from .mentions import closing_lines, named
from .text import tokens

VERSION = 1
"""Changes whenever an entry would come out differently for the same text: a key of the cache."""

_DIGEST = re.compile(r"^## Digest[ \t]*\r?\n", re.MULTILINE)


class Entry(NamedTuple):
    """One episode as lists, reports and graphs need it. Built once for a text, then cached.

    `path` is relative to the shelf. `sections` are (address, tokens). `mentions` are (id, section),
    section "" above the first heading. `threads` are (text, ticked), `decisions` (text, rejected).
    `digest_tokens` are counted by the ledger's own rule. `findings` are of this text alone.
    """

    path: str
    id: str
    kind: str
    date: str
    span: str
    title: str
    description: str
    tags: tuple[str, ...]
    keywords: tuple[str, ...]
    approx_tokens: int
    approx_tokens_source: str
    mode: str
    session: str
    notes: str
    retain_until: str
    author: str
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]
    closes: tuple[str, ...]
    visibility: str
    lang: str
    digest: str
    digest_tokens: int
    tokens: int
    sections: tuple[tuple[str, int], ...]
    decisions: tuple[tuple[str, tuple[str, ...]], ...]
    threads: tuple[tuple[str, bool], ...]
    mentions: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]
    has_id: bool

    @property
    def stem(self) -> str:
        """The file's name without `.md`: what recall takes as id."""
        return self.path.rpartition("/")[2][:-3]

    @property
    def category(self) -> str:
        """The folder: topics, research, sessions, or another that was found."""
        return self.path.split("/")[-2]

    @property
    def archived(self) -> bool:
        """True for episodes behind a rollup."""
        return self.path.startswith("archive/")

    @property
    def heading(self) -> str:
        """The title, or the id where there is none."""
        return self.title or self.id

    @property
    def ledger_date(self) -> str:
        """The date for ledger and lists: the front matter's, else the id's, else empty."""
        return self.date if re.fullmatch(r"\d{4}-\d{2}-\d{2}", self.date) else dates.of_id(self.id)

    @property
    def day(self) -> date | None:
        """The calendar day of the episode, where it has one."""
        return dates.parse(self.ledger_date)

    @property
    def order(self) -> tuple[str, str]:
        """Sort key: date, then id; an episode without a date comes first."""
        return (self.ledger_date, self.id)


def entry_of(path: str, text: str) -> Entry:
    """The entry of a file's text."""
    document = Document.of(text)
    stem = path.rpartition("/")[2].removesuffix(".md")
    episode = episode_of(document, stem)
    return Entry(
        path=path,
        title=episode.display_title,
        digest_tokens=ledger_digest_tokens(text),
        tokens=tokens(text),
        sections=_sizes(document),
        decisions=tuple(choices(document.body("Decisions") or "")),
        threads=tuple(items(document.body("Open threads") or "")),
        mentions=_mentions(document, episode),
        findings=tuple(f._replace(where=path) for f in troubles(document)),
        has_id="id" in document.front.values,
        **_fields(document, episode),
    )


_SAME = (
    "id kind date span description tags keywords approx_tokens approx_tokens_source mode "
    "session notes retain_until author supersedes superseded_by visibility lang digest"
).split()


def _fields(document: Document, episode: Episode) -> dict[str, Any]:
    same: dict[str, Any] = {name: getattr(episode, name) for name in _SAME}
    body = document.text[document.front.body :]
    same["closes"] = tuple(dict.fromkeys(episode.closes + closing_lines(body)))
    if "kind" not in document.front.values:
        same["kind"] = ""
    return same


def _sizes(document: Document) -> tuple[tuple[str, int], ...]:
    pairs = zip(document.names, document.sections, strict=True)
    return tuple((name, (section.end - section.body_start) // 4) for name, section in pairs)


def _mentions(document: Document, episode: Episode) -> tuple[tuple[str, str], ...]:
    start = document.sections[0].start if document.sections else len(document.text)
    parts = [("", document.text[document.front.body : start])]
    parts += [
        (name, document.text[section.body_start : section.end])
        for name, section in zip(document.names, document.sections, strict=True)
    ]
    return tuple(
        (other, name) for name, part in parts for other in named(part) if other != episode.id
    )


def ledger_digest_tokens(text: str) -> int:
    """Digest tokens as ledger.tsv counts them: the peer's rule, blind to fences (format.md).

    The text under the first `## Digest` up to the next line that begins with `## `.
    """
    found = _DIGEST.search(text)
    if not found:
        return 0
    stop = text.find("\n## ", found.end() - 1)
    return tokens(text[found.end() : stop if stop >= 0 else None].replace("\r\n", "\n").strip())
