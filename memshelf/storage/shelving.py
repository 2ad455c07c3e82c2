"""The way of an episode onto the shelf: wish, redaction and rules, gate."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..domain import economy
from ..domain.entry import ledger_digest_tokens
from ..domain.episode import (
    ORDER,
    REVERSED,
    Document,
    Episode,
    known_fields,
    reversals,
    troubles,
)
from ..domain.errors import ShelfError
from ..domain.finding import Finding
from ..domain.frontmatter import listed
from ..domain.redact import summary
from ..domain.splicing import splice
from . import gate
from .gate import Change, Saved
from .store import Store

TEXT = (
    "display_title description session notes span date retain_until mode approx_tokens_source "
    "visibility lang author agent op kind"
).split()
LISTS = ("tags", "supersedes", "closes")


class EpisodeExists(ShelfError):
    """The id, or the title in its category, is taken."""

    code = "episode-exists"


@dataclass(frozen=True)
class Wish:
    """What is to be shelved: only what was given is in `fields`; an empty text takes away."""

    slug: str
    digest: str | None
    sections: Mapping[str, str]
    fields: Mapping[str, Any]

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of all that can be wished for, sections apart."""
        return ("slug", "digest", "approx_tokens", *TEXT, *LISTS)

    @classmethod
    def of(cls, given: Mapping[str, Any], sections: Mapping[str, str]) -> Wish:
        """A wish out of a verb's arguments: None and empty lists were not given."""
        fields = {n: given[n] for n in (*TEXT, "approx_tokens") if given[n] is not None}
        fields |= {name: tuple(given[name]) for name in LISTS if given[name]}
        return cls(given["slug"], given["digest"], sections, fields)


@dataclass(frozen=True)
class Done:
    """What became of a wish."""

    path: str
    episode: Episode
    saved: Saved
    written: bool
    redaction: dict[str, Any]
    warnings: tuple[str, ...] = ()
    digest_warnings: tuple[str, ...] = ()
    moved_from: str | None = None
    already: bool = False
    diff: str = field(default="", repr=False)

    @property
    def ledger_row(self) -> str:
        """The row that the next rebuild writes for it."""
        e = self.episode
        cells = (e.date, e.id, e.mode, str(e.approx_tokens), str(self._digest_tokens), e.notes)
        return "\t".join(cells)

    @property
    def _digest_tokens(self) -> int:
        return ledger_digest_tokens(f"## Digest\n{self.episode.digest}\n")


def replaced(store: Store, episode: Episode) -> list[Change]:
    """The old episodes that this one replaces, or a decision of which, each with that written into
    it: `superseded_by`, or `reversed_by` with the decision's place."""
    texts: dict[str, tuple[str, str]] = {}
    for name in episode.supersedes:
        first, _, place = name.partition("/")
        path = store.require(first)
        if path not in texts:
            read = store.text(path)
            refuse_broken(path, read)
            texts[path] = (read, read)
        old, now = texts[path]
        texts[path] = (old, marked(now, place, episode.id))
    return [
        Change(path, new.encode("utf-8"), old.encode("utf-8"))
        for path, (old, new) in texts.items()
        if new != old
    ]


def marked(text: str, place: str, by: str) -> str:
    """The text of an old episode that says by whom it, or its decision at a place, is replaced."""
    front = Document.of(text).front
    if place:
        key, have, one = REVERSED, reversals(front), f"{place} {by}"
    else:
        key, have, one = "superseded_by", known_fields(front, "").get("superseded_by", ()), by
    return text if one in have else splice(text, {key: listed((*have, one))}, ORDER)


def refuse_unknown(store: Store, episode: Episode, fields: Mapping[str, Any]) -> None:
    """What a request replaces or closes must be on the shelf: by name, no file is opened."""
    for key in ("supersedes", "closes"):
        for name in getattr(episode, key) if key in fields else ():
            store.require(name.partition("/")[0])


def refuse_broken(path: str, text: str) -> None:
    """Raise ShelfError where a file is in no state to be changed key by key."""
    document = Document.of(text)
    errors = [f for f in troubles(document) if f.level == "error"]
    if errors:
        said = f"{path} cannot be amended: {errors[0].message}"
        raise ShelfError(said, errors[0].fix or "Mend the file by hand first.", errors[0].code)


def save(store: Store, changes: list[Change], message: str, commit: bool) -> Saved:
    """The gate, with what the shelf says of its storage; a name taken meanwhile is told as such."""
    plain = store.settings["storage"] == "plain"
    try:
        return gate.save(store.root, changes, message, commit=commit, plain=plain)
    except gate.AlreadyThere as trouble:
        raise EpisodeExists(trouble.message, "Amend it (amend), or choose another slug.") from None


def identity(saved: Saved) -> tuple[str, ...]:
    """A warning that a commit was made under the neutral identity."""
    if not saved.identity:
        return ()
    said = f"Git knows no user here: the commit was made as {saved.identity}."
    return (f"{said} Set user.name and user.email to change that.",)


def counted(counts: Mapping[str, int]) -> dict[str, Any]:
    """What was masked, for an answer: total, counts by kind, a summary in words."""
    return {"total": sum(counts.values()), "counts": dict(counts), "summary": summary(dict(counts))}


def codes(found: tuple[Finding, ...]) -> tuple[str, ...]:
    """The codes of the contract's warnings among some findings."""
    return tuple(f.code for f in found if f.code in ("referent-bare", "thin"))


def messages(found: tuple[Finding, ...]) -> tuple[str, ...]:
    """Findings as sentences."""
    return tuple(f"{f.message} {f.fix}".strip() for f in found)


def totals(store: Store) -> dict[str, Any]:
    """What the ledger of the last rebuild sums up to, and how many files there are by now."""
    ledger, index = "", ""
    with contextlib.suppress(ShelfError):
        ledger = (store.bytes("ledger.tsv") or b"").decode("utf-8", "replace")
        index = (store.bytes("INDEX.md") or b"").decode("utf-8", "replace")
    counted, on_disk = economy.from_ledger(ledger, index), store.count()
    stale = counted["episodes"] != on_disk
    return counted | {"episodes_on_disk": on_disk, "derived_stale": stale}
