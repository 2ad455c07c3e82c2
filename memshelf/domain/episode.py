"""Episode: the file as a value; `parse_episode` and `format_episode`, inverse to each other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from . import frontmatter
from .errors import BadField
from .finding import Finding
from .frontmatter import Front
from .patterns import lazy
from .sections import KNOWN, Outline, Section, addresses, fault_of_body, find, outline
from .text import normal_body, one_line
from .yaml_text import Value

CATEGORY = {"topic": "topics", "research": "research", "session": "sessions"}
KIND = {category: kind for kind, category in CATEGORY.items()}
CATEGORIES = tuple(CATEGORY.values())
MODES = ("live", "import")
SOURCES = ("estimate", "measured", "unmeasured")
VISIBILITIES = ("private", "team", "public")
TITLE_LIMIT = 100
DESCRIPTION_LIMIT = 120
ID_LIMIT = 80
TAG_LIMIT = 50

# Keys in the order in which they are written; the peer's first, each with how it stands in a line.
BARE, QUOTED, LIST = "bare", "quoted", "list"
KEYS: dict[str, str] = {
    "id": BARE,
    "kind": BARE,
    "session": QUOTED,
    "span": BARE,
    "date": BARE,
    "retain_until": BARE,
    "display_title": QUOTED,
    "description": QUOTED,
    "tags": LIST,
    "keywords": LIST,
    "approx_tokens": BARE,
    "approx_tokens_source": BARE,
    "mode": BARE,
    "notes": QUOTED,
    "author": QUOTED,
    "agent": QUOTED,
    "source": BARE,
    "supersedes": LIST,
    "superseded_by": LIST,
    "closes": LIST,
    "visibility": BARE,
    "lang": BARE,
    "op": QUOTED,
}
ORDER = tuple(KEYS)
REVERSED = "reversed_by"
"""The key under which an episode says which of its decisions later ones reversed: `[d1 ID]`."""
_ALWAYS = ("id", "kind", "tags", "approx_tokens")
_BARE = lazy(r"[^\W_][\w./+:-]*|\.\.[\d-]+")
Sections = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Episode:
    """One episode, with the fields of format.md; every text in the form in which it is stored.

    `sections` are (name, body) in file order without the digest; a section named "" is the text
    above the first heading. `extra` keeps unknown keys in order. Dates are text: what was written.
    """

    id: str
    kind: str = "topic"
    digest: str = ""
    sections: Sections = ()
    session: str = ""
    span: str = ""
    date: str = ""
    retain_until: str = ""
    display_title: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    approx_tokens: int = 0
    approx_tokens_source: str = ""
    mode: str = ""
    notes: str = ""
    author: str = ""
    agent: str = ""
    source: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    visibility: str = ""
    lang: str = ""
    op: str = ""
    extra: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def make(cls, **given: Any) -> Episode:
        """An episode with every text brought into its stored form; None counts as not given."""
        known = {name: value for name, value in given.items() if value is not None}
        for name, how in KEYS.items():
            if name in known and how == QUOTED:
                known[name] = one_line(known[name])
            elif name in known and how == LIST:
                known[name] = tuple(dict.fromkeys(one_line(item) for item in known[name]))
        known["digest"] = normal_body(known.get("digest", ""))
        pairs = ((one_line(name), normal_body(body)) for name, body in known.get("sections", ()))
        known["sections"] = in_order(tuple((name, body) for name, body in pairs if body))
        return cls(**known)

    @property
    def title(self) -> str:
        """What people call it: the display title, else the id."""
        return self.display_title or self.id

    @property
    def names(self) -> tuple[str, ...]:
        """Addresses of all sections, the digest first."""
        digest = ("Digest",) if self.digest else ()
        return digest + addresses(tuple(name for name, _ in self.sections if name))

    def with_(self, **changes: Any) -> Episode:
        """The same episode with some fields changed."""
        return replace(self, **changes)


def in_order(sections: Sections) -> Sections:
    """Sections in the order in which they are written: the known names first, the rest as given."""
    rank = {"": -1} | {name: place for place, name in enumerate(KNOWN)}
    return tuple(sorted(sections, key=lambda pair: rank.get(pair[0], len(KNOWN))))


@dataclass(frozen=True)
class Document:
    """A file of Markdown with front matter, taken apart but not changed: what amends splice."""

    text: str
    front: Front = field(repr=False)

    @classmethod
    def of(cls, text: str) -> Document:
        """The document of a file's text, BOM and CRLF and all."""
        return cls(text, frontmatter.read(text))

    @cached_property
    def _seen(self) -> Outline:
        """Looked for when it is first asked for: half of all readers want the front matter alone."""
        return outline(self.text, self.front.body)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections, in file order."""
        return self._seen.sections

    @property
    def open_fence(self) -> int | None:
        """Where a fence begins that the end of the text leaves open."""
        return self._seen.open_fence

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Addresses of the sections, in file order."""
        return addresses(tuple(section.name for section in self.sections))

    @property
    def preamble(self) -> str:
        """What stands above the first section."""
        stop = self.sections[0].start if self.sections else len(self.text)
        return normal_body(self.text[self.front.body : stop])

    def section(self, wanted: str) -> Section | None:
        """The section that an address names."""
        for section in self.sections:
            if section.name == wanted:
                return section
        place = find(self.names, wanted)
        return None if place is None else self.sections[place]

    def body(self, wanted: str) -> str | None:
        """The body of the section that an address names."""
        section = self.section(wanted)
        return None if section is None else section.body(self.text)


def parse_episode(text: str, stem: str = "") -> Episode:
    """The episode that a file's text holds; `stem` is its id where the text names none.

    Never fails: what cannot be understood is left empty, and `troubles` says so.
    """
    return episode_of(Document.of(text), stem)


def episode_of(document: Document, stem: str = "") -> Episode:
    """The episode that a document holds."""
    values = document.front.values
    digest, sections = texts_of(document)
    extra = tuple((key, value) for key, value in values.items() if key not in KEYS)
    return Episode(
        **known_fields(document.front, stem), digest=digest, sections=sections, extra=extra
    )


def known_fields(front: Front, stem: str) -> dict[str, Any]:
    """The fields that a front matter gives, by name; `stem` is the id where it names none."""
    known: dict[str, Any] = {}
    for key, value in front.values.items():
        how = KEYS.get(key)
        if how is not None:
            plain = type(value) is str and how is not LIST
            known[key] = value if plain else _read(value, how)
    known["id"] = known.get("id") or stem
    known["approx_tokens"] = _number(known.get("approx_tokens", ""))
    return known


def reversals(front: Front) -> tuple[str, ...]:
    """What an episode says of its own decisions that do not stand: `d1 ID` each."""
    return tuple(_read(front.values.get(REVERSED, ""), LIST))


def reversed_in(front: Front, section: str | None) -> tuple[str, ...]:
    """What is to be said above a section (None: the whole) of decisions in it that do not stand:
    `d1 replaced by ID` each."""
    if section not in (None, "Decisions"):
        return ()
    pairs = (said.partition(" ") for said in reversals(front))
    return tuple(f"{place} replaced by {by}" for place, _, by in pairs)


def texts_of(document: Document) -> tuple[str, Sections]:
    """The digest, and the other sections in file order."""
    digest, rest = "", [("", document.preamble)] if document.preamble else []
    seen_digest = False
    for section in document.sections:
        body = section.body(document.text)
        if section.name == "Digest" and not seen_digest:
            digest, seen_digest = body, True
        elif body:
            rest.append((section.name, body))
    return digest, tuple(rest)


def _read(value: Value, how: str) -> Any:
    if how is not LIST:
        return value if isinstance(value, str) else ""
    if isinstance(value, tuple):
        return tuple(item if type(item) is str else _as_text(item) for item in value if item)
    return (_as_text(value),) if value else ()


def _as_text(item: Any) -> str:
    """An item as text: the peer writes `[a: b]` raw, which YAML takes for a mapping."""
    if isinstance(item, dict):
        return ", ".join(f"{key}: {_as_text(value)}".rstrip() for key, value in item.items())
    return item if isinstance(item, str) else ", ".join(map(_as_text, item))


def _number(text: str) -> int:
    return int(text) if text.isdigit() and text.isascii() and len(text) <= 15 else 0


def format_episode(episode: Episode) -> str:
    """The file's text: front matter at byte 0, an H1, the digest, the sections."""
    parts = [frontmatter_of(episode), f"\n# {heading(episode.title)}\n"]
    sections = (("Digest", episode.digest),) if episode.digest else ()
    preamble = tuple(body for name, body in episode.sections if not name)
    parts += [f"\n{body}\n" for body in preamble]
    for name, body in sections + tuple(pair for pair in episode.sections if pair[0]):
        parts.append(f"\n## {name}\n{body}\n")
    return "".join(parts)


def frontmatter_of(episode: Episode) -> str:
    """The block of front matter with its fences."""
    return frontmatter.write(_lines(episode))


def heading(title: str) -> str:
    """A title as the text of an H1: a backslash keeps hashes at its end from closing it."""
    return re.sub(r"(^|[ \t])(#+)$", r"\1\\\2", title)


def _lines(episode: Episode) -> list[tuple[str, str]]:
    lines = []
    for key in KEYS:
        value = getattr(episode, key)
        if value or key in _ALWAYS:
            lines.append((key, written(key, value)))
    return lines + [(key, frontmatter.value(value)) for key, value in episode.extra]


def written(key: str, value: Any) -> str:
    """One field as it stands behind its key."""
    how = KEYS[key]
    if how == LIST:
        return frontmatter.listed(value)
    if how == QUOTED:
        return frontmatter.quote_line(value)
    text = str(value)
    return text if _BARE.fullmatch(text) else frontmatter.quote_line(text)


def check_bodies(episode: Episode) -> None:
    """Raise BadField where a text would read back as something else than it is."""
    check_section("Digest", episode.digest)
    if sum(not name for name, _ in episode.sections) > 1:
        raise BadField("sections", "two of them have no name.", "Give each a name.")
    for name, body in episode.sections:
        check_section(name, body)


def check_section(name: str, body: str) -> None:
    """Raise BadField where a name cannot stand in a heading, or a body opens another section."""
    fault = fault_of_body(body)
    if fault:
        raise BadField(f"section {name!r}", *fault)
    if name and [section.name for section in outline(f"## {name}\n").sections] != [name]:
        fix = "Use words, without line breaks and without `#` at the end."
        raise BadField("section name", f"{name!r} cannot stand in a heading.", fix)


def troubles(document: Document) -> tuple[Finding, ...]:
    """What is wrong with a document as such: front matter, fences, conflict markers."""
    front = document.front
    return (
        *front.findings,
        *missing_front(front),
        *open_fence(document),
        *conflict(document.text),
    )


def missing_front(front: Front) -> list[Finding]:
    """The finding that a file has no front matter at all."""
    if front.present or front.findings:
        return []
    said = "No front matter was found."
    return [Finding("error", "no-frontmatter", said, fix="Add a `---` block at the top.")]


def open_fence(document: Document) -> list[Finding]:
    """The finding that a code fence is never closed."""
    if document.open_fence is None:
        return []
    line = document.text.count("\n", 0, document.open_fence) + 1
    said = f"The code fence of line {line} is never closed."
    return [Finding("warning", "open-fence", said, fix="Close it; nothing after it is a section.")]


SETTLE = (
    "`memshelf resolve` shows both sides and takes one, where git keeps the shelf; or edit it to "
    "one text and commit that."
)
"""What to do about a merge that was left half done in a file."""


def conflict(text: str) -> list[Finding]:
    """The finding that a merge was left half done in a file."""
    if not conflicted(text):
        return []
    said = "The file holds the markers of a merge that was not finished."
    return [Finding("error", "merge-conflict", said, fix=SETTLE)]


_MARKS = lazy(r"^(?:(<{7})(?: [^\n]*)?\r?\n|(={7})\r?\n|>{7}(?: |\r?\n|\Z))", re.MULTILINE)


def conflicted(text: str) -> bool:
    """True where a text holds a whole set of git's conflict markers at line starts."""
    if "<<<<<<<" not in text:
        return False
    wanted = 1  # each mark is looked at once: one pattern for the whole set would try all of them
    for found in _MARKS.finditer(text):
        if wanted == 3 and found.lastindex is None:
            return True
        if found.lastindex == wanted:
            wanted += 1
    return False


FIELDS: Mapping[str, Any] = {f.name: f for f in fields(Episode)}
