"""Fetch one episode, or one section of it, as data."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Annotated, Any

from ..domain.envelope import enclose
from ..domain.episode import SETTLE, Document, conflicted, episode_of, reversed_in
from ..domain.errors import SectionNotFound, ShelfError, at_least
from ..domain.text import budget_tokens, plural, tokens
from ..storage import recalls
from ..storage.clock import today
from ..storage.store import Store
from ..verb import Alias, CommandLineOnly, verb

BUDGET = 4000


@dataclass(frozen=True)
class Recalled:
    """A recalled text in its envelope, where it came from, and what that saved."""

    address: str
    section: str
    truncated: bool
    content: str
    saved_tokens: int | None
    replaced_by: tuple[str, ...] = ()
    summary: str = ""
    hint: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.content

    def data(self) -> dict[str, Any]:
        """The keys of the answer, the peer's among them."""
        data = {k: v for k, v in vars(self).items() if k != "hint"}
        return data if self.saved_tokens is not None else {**data, "saved_tokens": 0}


@verb(prose=True)
def recall(
    store: Store,
    id: Annotated[str, "The episode's id.", Alias("episode_id")],
    *,
    section: Annotated[str | None, "Only this section, by its name."] = None,
    budget: Annotated[int, "Longer episodes come as digest and contents; 0 means whole."] = BUDGET,
    max_bytes: Annotated[int, "Cut the text after so many bytes; 0 means whole."] = 0,
    log: Annotated[bool, "Count this recall in the statistics.", CommandLineOnly()] = True,
) -> Recalled:
    """Fetch one episode, or one section of it, as data.

    A short episode comes whole; a long one as its digest and a list of its sections with their
    sizes, of which one is then asked for by name. Prefer the section when it answers the question.

    Example:
    memshelf recall 2026-01-20-token-bucket-limiter
    memshelf recall 2026-01-20-token-bucket-limiter --section Decisions
    """
    at_least(0, "budget", budget)
    at_least(0, "max_bytes", max_bytes)
    path = store.require(id)
    document = store.document(path)
    if conflicted(document.text):
        said = f"{path} holds the markers of a merge that was not finished."
        raise ShelfError(said, SETTLE, "merge-conflict")
    episode = episode_of(document, path.rpartition("/")[2][:-3])
    section = _name(document, episode.id, section)
    text, cut = _cut(_text(document, section, budget, max_bytes), max_bytes)
    text = _marks(document, episode.superseded_by, section) + text
    content = enclose(text, os.urandom(4).hex(), id=episode.id, section=section or "")
    saved = max(episode.approx_tokens - tokens(content), 0) if episode.approx_tokens else None
    summary = _summary(content, episode.approx_tokens)
    if log and store.settings["log_recalls"]:
        from ..domain.shelf import Recall

        row = Recall(path.rpartition("/")[2][:-3], section or "", tokens(text), str(today()))
        recalls.note(store.root, row)
    hint = f"memshelf: {path}: {summary}" if log else ""
    return Recalled(path, section or "", cut, content, saved, episode.superseded_by, summary, hint)


def _marks(document: Document, replaced_by: tuple[str, ...], section: str | None) -> str:
    """What stands above the text of what was replaced, whole or by decision; else nothing."""
    marks = [f"(Replaced by {', '.join(replaced_by)}: look there first.)"] if replaced_by else []
    gone = reversed_in(document.front, section)
    marks += [f"(No longer stands: {'; '.join(gone)}.)"] if gone else []
    return "".join(f"{mark}\n\n" for mark in marks)


def _name(document: Document, episode: str, wanted: str | None) -> str | None:
    """The address of a section as the file has it."""
    if wanted is None:
        return None
    found = document.section(wanted)
    if found is None:
        raise SectionNotFound(episode, wanted, document.names)
    return document.names[document.sections.index(found)]


def _text(document: Document, section: str | None, budget: int, max_bytes: int) -> str:
    if section is not None:
        found = document.section(section)
        return f"## {found.name if found else section}\n{document.body(section)}\n"
    if not budget or max_bytes or _fits(document.text, budget):
        return document.text.replace("\r\n", "\n")
    return _contents(document, str(document.front.values.get("id", "")))


def _fits(text: str, budget: int) -> bool:
    """Whether a text costs no more; no character costs more than one token, so few need counting."""
    return len(text) <= budget or budget_tokens(text) <= budget


def _contents(document: Document, name: str) -> str:
    """The digest, and what else there is to ask for."""
    head = document.front.heading or name
    sizes = zip(document.names, document.sections, strict=True)
    rows = "\n".join(
        f"- {address} ({plural(tokens(s.body(document.text)), 'token')})"
        for address, s in sizes
        if address != "Digest"
    )
    digest = document.body("Digest") or ""
    return f"# {head}\n\n## Digest\n{digest}\n\nSections, each by its name:\n{rows}\n"


def _cut(text: str, limit: int) -> tuple[str, bool]:
    raw = text.encode("utf-8")
    if not limit or len(raw) <= limit:
        return text, False
    head = raw[:limit].decode("utf-8", "ignore")
    left = len(raw) - len(head.encode("utf-8"))
    return (
        f"{head}\n(Cut here: {left:,} bytes more. Ask for one section, or raise max_bytes.)",
        True,
    )


def _summary(content: str, mass: int) -> str:
    cost = tokens(content)
    if not mass:
        return f"fetched ~{cost:,} tok"
    return f"fetched ~{cost:,} tok vs the episode's {mass:,} — saved ~{max(mass - cost, 0):,}"
