"""Entry: what the catalogue of a shelf knows of one episode, without its body."""

from __future__ import annotations

import datetime
from bisect import bisect
from collections.abc import Callable
from typing import NamedTuple

from . import dates
from .episode import Document, conflict, known_fields, missing_front
from .finding import Finding
from .frontmatter import Front, read
from .items import Choice, Item, choices, items
from .mentions import closing_lines, named, numbers
from .patterns import lazy
from .text import tokens

VERSION = 8
"""Changes whenever an entry or its facts would come out differently for the same text: a key of
the cache."""

_DIGEST = lazy(r"(?:\A|\n)## Digest[ \t]*\r?\n")


class Facts(NamedTuple):
    """What stands in the body of an episode.

    `sections` are (address, tokens), `mentions` (id, section) with section "" above the first
    heading, `closing` the addresses that lines *Closes ID/t2* name, `numbers` those of `#12`.
    """

    digest: str = ""
    sections: tuple[tuple[str, int], ...] = ()
    decisions: tuple[Choice, ...] = ()
    threads: tuple[Item, ...] = ()
    mentions: tuple[tuple[str, str], ...] = ()
    closing: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()


class Entry(NamedTuple):
    """One episode as lists, reports and graphs need it. Built once for a text, then cached.

    `path` is relative to the shelf. `digest_tokens` are counted by the ledger's own rule.
    `findings` are what is wrong with the file as such. What stands in the body (`facts`) is read
    only when it is asked for, through `more`, which takes the path.
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
    agent: str
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]
    closes_field: tuple[str, ...]
    visibility: str
    lang: str
    digest_tokens: int
    tokens: int
    has_id: bool
    findings: tuple[Finding, ...]
    more: Callable[[str], Facts]

    @property
    def facts(self) -> Facts:
        """What stands in the body."""
        return self.more(self.path)

    @property
    def digest(self) -> str:
        """The digest."""
        return self.facts.digest

    @property
    def sections(self) -> tuple[tuple[str, int], ...]:
        """(address, tokens) of each section."""
        return self.facts.sections

    @property
    def decisions(self) -> tuple[Choice, ...]:
        """(text, rejected options) of each decision; the first is addressed as `ID/d1`."""
        return self.facts.decisions

    @property
    def threads(self) -> tuple[Item, ...]:
        """(text, ticked) of each thread; the first is addressed as `ID/t1`."""
        return self.facts.threads

    @property
    def mentions(self) -> tuple[tuple[str, str], ...]:
        """(id, section) of each id that the body names."""
        return self.facts.mentions

    @property
    def closes(self) -> tuple[str, ...]:
        """The addresses that this episode closes, by its front matter or by a line."""
        return tuple(dict.fromkeys((*self.closes_field, *self.facts.closing)))

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
        return self.date if dates.has_form(self.date) else dates.of_id(self.id)

    @property
    def day(self) -> datetime.date | None:
        """The calendar day of the episode, where it has one."""
        return dates.parse(self.ledger_date)

    @property
    def order(self) -> tuple[str, str]:
        """Sort key: date, then id; an episode without a date comes first."""
        return (self.ledger_date, self.id)


LIGHT = Entry._fields[:-1]
"""The fields that are stored with an entry; facts are stored beside it."""


def entry_of(
    path: str, text: str, more: Callable[[str], Facts] | None = None, front: Front | None = None
) -> Entry:
    """The entry of a file's text; without `more` its facts come from this text.

    `front` is its front matter, where that was read already.
    """
    front = front or read(text)
    known = known_fields(front, path.rpartition("/")[2].removesuffix(".md"))
    given = known.get
    return Entry(
        path,
        known["id"],
        given("kind", ""),
        given("date", ""),
        given("span", ""),
        given("display_title", ""),
        given("description", ""),
        given("tags", ()),
        given("keywords", ()),
        known["approx_tokens"],
        given("approx_tokens_source", ""),
        given("mode", ""),
        given("session", ""),
        given("notes", ""),
        given("retain_until", ""),
        given("author", ""),
        given("agent", ""),
        given("supersedes", ()),
        given("superseded_by", ()),
        given("closes", ()),
        given("visibility", ""),
        given("lang", ""),
        ledger_digest_tokens(text),
        tokens(text),
        "id" in front.values,
        tuple(f._replace(where=path) for f in _findings(front, text)),
        more or (lambda _: facts_of(text)),
    )


def _findings(front: Front, text: str) -> list[Finding]:
    return [*front.findings, *missing_front(front), *conflict(text)]


def facts_of(text: str) -> Facts:
    """What stands in the body of a file."""
    return facts_in(Document.of(text))


def facts_in(document: Document) -> Facts:
    """What stands in the body of a document."""
    mentions, closing = names_of(document)
    return Facts(
        digest=document.body("Digest") or "",
        sections=_sizes(document),
        decisions=tuple(choices(document.body("Decisions") or "")),
        threads=tuple(items(document.body("Open threads") or "")),
        mentions=mentions,
        closing=closing,
        numbers=numbers(document.text),
    )


def _sizes(document: Document) -> tuple[tuple[str, int], ...]:
    pairs = zip(document.names, document.sections, strict=True)
    return tuple((name, (section.end - section.body_start) // 4) for name, section in pairs)


class Names(NamedTuple):
    """What the body of an episode names: the part of its facts that a graph needs."""

    mentions: tuple[tuple[str, str], ...] = ()
    closing: tuple[str, ...] = ()


def names_of(document: Document) -> Names:
    """What a file names, equal to what its facts say of it, in a quarter of the time.

    Sections are looked for only where another's id is found.
    """
    body = document.text[document.front.body :]
    found = named(body)
    return Names(_mentions(document, found), closing_lines(body)) if found else Names()


def _mentions(document: Document, found: list[tuple[int, str]]) -> tuple[tuple[str, str], ...]:
    """Each id but its own with the section it is named in; once a section."""
    own = document.front.values.get("id")
    others = [(at + document.front.body, name) for at, name in found if name != own]
    if not others:
        return ()
    places = [section.start for section in document.sections]
    names = ("", *document.names)
    return tuple(dict.fromkeys((name, names[bisect(places, at)]) for at, name in others))


def ledger_digest_tokens(text: str) -> int:
    """Digest tokens as ledger.tsv counts them: the peer's rule, blind to fences (format.md).

    The text under the first `## Digest` up to the next line that begins with `## `.
    """
    found = _DIGEST.search(text)
    if not found:
        return 0
    stop = text.find("\n## ", found.end() - 1)
    return tokens(text[found.end() : stop if stop >= 0 else None].replace("\r\n", "\n").strip())
