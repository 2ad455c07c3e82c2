"""The parsers by name. Each reads a text: it answers, with findings at most, or raises ShelfError."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from memshelf.domain import (
    admit,
    amend,
    checks,
    config,
    digest,
    economy,
    entry,
    envelope,
    episode,
    frontmatter,
    items,
    mentions,
    policy,
    publishing,
    questions,
    redact,
    sections,
    shelf,
    splicing,
)
from memshelf.domain.errors import ShelfError
from memshelf.engine import query
from memshelf.render import markdown
from memshelf.storage import recalls
from memshelf.verbs import adopting

NAME = "2026-01-05-cache"


def _episode(text: str) -> None:
    document = episode.Document.of(text)
    episode.troubles(document)
    episode.conflict(text)
    made = episode.episode_of(document, NAME)
    admit.admit(made, policy.Policy(), frozenset(), True)
    held = entry.entry_of(f"docs/topics/{NAME}.md", text)
    list(checks.examine_shelf(shelf.Shelf(entries=(held,)), "", None))


def _ledger(text: str) -> None:
    adopting.ledger_rows(text)
    economy.from_ledger(text, "")
    list(checks.examine_shelf(shelf.Shelf(), "", text))


def _body(text: str) -> None:
    sections.outline(text)
    sections.fault_of_body(text)
    items.items(text)
    items.choices(text)
    mentions.named(text)
    mentions.numbers(text)
    mentions.closing_lines(text)


def _change(text: str) -> None:
    with _refusing():
        splicing.splice(text, {"tags": "[a]", "notes": None}, episode.ORDER)
    amend.amend(text, {"tags": ("a",)}, {"Digest": "x", "Decisions": ""})


def _settings(text: str) -> None:
    made = config.read_config(None, None, text)
    config.policy_settings(text)
    publishing.faults(made)
    publishing.Publishing.of(made)


def _patterns(text: str) -> None:
    found = policy.policy_of(text)
    redact.redact("mail ann@example.org, key=0123456789abcdef, T-1", found.rules)


def _text(text: str) -> None:
    digest.check_digest(text)
    redact.redact(text)
    marked = envelope.enclose(text, "m1")
    envelope.envelopes(marked)
    envelope.without_markers(text)


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    with contextlib.suppress(ShelfError):
        yield


PARSERS: dict[str, Callable[[str], object]] = {
    "episode": _episode,
    "front matter": frontmatter.read,
    "front matter in an episode": lambda text: _episode(f"---\n{text}\n---\n\n# T\n"),
    "body": _body,
    "a change of an episode": _change,
    "digest, secrets, envelope": _text,
    "Markdown to HTML": markdown.fragment,
    "memshelf.toml": _settings,
    "shelf.yml": lambda text: config.read_config(text, None, None),
    ".docshelf.json": lambda text: config.read_config(None, text, None),
    "POLICY.patterns": _patterns,
    "ledger.tsv": _ledger,
    ".meta.json": adopting.folder_names,
    "recall-log.tsv": lambda text: list(recalls.parse(text)),
    "questions": lambda text: questions.questions(text, "q.tsv"),
    "query": query.parse,
}


def read(name: str, text: str) -> None:
    """Let a parser read a text; a refusal is an answer."""
    with _refusing():
        PARSERS[name](text)
