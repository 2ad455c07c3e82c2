"""Put one closed topic on the shelf as an episode, or amend one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..storage import adding, amending, shelving
from ..storage.shelving import Wish
from ..storage.store import Store
from ..verb import Alias, CommandLineOnly, Flag, FromFile, verb
from . import rebuild as rebuilding
from .asked import Asked

if TYPE_CHECKING:
    from .synced import Synced


@dataclass(frozen=True)
class Shelved:
    """What was saved and where; every text that was masked is counted, none is shown."""

    address: str
    display_title: str
    committed: bool
    commit: str | None
    amended: bool
    moved_from: str | None
    already: bool
    redaction: dict[str, Any]
    digest_warnings: tuple[str, ...]
    warnings: tuple[str, ...]
    ledger_row: str
    shelf_totals: dict[str, Any]
    next: str
    summary: str
    sync: Synced | None = None
    diff: str = field(default="", repr=False)

    @property
    def ok(self) -> bool:
        """False where it is saved and what was asked of the remote did not come about."""
        return self.sync is None or self.sync.ok

    def brief(self) -> dict[str, Any]:
        """The answer where each token counts."""
        if self.diff:
            return {
                "status": "ok",
                "dry_run": True,
                "address": self.address,
                "would_write": self.diff,
            }
        brief: dict[str, Any] = {
            "status": "ok",
            "address": self.address,
            "committed": self.committed,
        }
        if self.commit:
            brief["commit"] = self.commit[:12]
        for key in ("amended", "already", "moved_from"):
            if getattr(self, key):
                brief[key] = getattr(self, key)
        if self.redaction["total"]:
            brief["redaction"] = self.redaction["summary"]
        if self.sync:
            brief["sync"] = self.sync.brief
        warnings = (*self.digest_warnings, *self.warnings)
        return brief | ({"warnings": list(warnings)[:3]} if warnings else {})

    def __str__(self) -> str:
        done = "amended" if self.amended else "shelved"
        if self.already:
            done = "already on the shelf, unchanged:"
        if self.diff:
            masked = f"\n{self.redaction['summary']}" if self.redaction["total"] else ""
            return self.diff.rstrip("\n") + masked
        commit = f" (commit {self.commit[:12]})" if self.committed and self.commit else ""
        lines = [f"{done} {self.address}{commit}"]
        if self.moved_from:
            lines.append(f"moved from {self.moved_from}")
        if self.redaction["total"]:
            lines.append(self.redaction["summary"])
        lines += [f"warning: {text}" for text in (*self.digest_warnings, *self.warnings)]
        if self.sync:
            lines += self.sync.told()
        lines += [
            text for text in (self.summary, f"next: {self.next}" if self.next else "") if text
        ]
        return "\n".join(lines)


@verb(writes=True, idempotent=True)
def shelve(
    store: Store,
    *,
    digest: Annotated[str | None, "What it comes to, in at most 120 words.", FromFile()] = None,
    kind: Annotated[Literal["topic", "research", "session"] | None, "What it is [topic]."] = None,
    sections: Annotated[
        Mapping[str, str],
        "Sections by name; a topic needs Decisions.",
        Flag("--section"),
        FromFile(),
    ] = {},
    slug: Annotated[
        str, "The id, YYYY-MM-DD-words; else made from title and day.", Alias("id")
    ] = "",
    display_title: Annotated[str | None, "What people call it.", Alias("title")] = None,
    description: Annotated[str | None, "Its line in the index; else from the digest."] = None,
    tags: Annotated[Sequence[str], "Tags.", Flag("--tag")] = (),
    date: Annotated[str | None, "YYYY-MM-DD; else the slug's, else today."] = None,
    span: Annotated[str | None, "Days it covers: A or A..B."] = None,
    session: Annotated[str | None, "The conversation it comes from."] = None,
    approx_tokens: Annotated[int | None, "Tokens of context that it frees."] = None,
    approx_tokens_source: Annotated[
        Literal["estimate", "measured"] | None, "How that is known."
    ] = None,
    mode: Annotated[Literal["live", "import"] | None, "How it came here."] = None,
    notes: Annotated[str | None, "A line for the ledger."] = None,
    retain_until: Annotated[str | None, "Last day it is to be kept."] = None,
    supersedes: Annotated[Sequence[str], "Ids, or ID/d1, that it replaces."] = (),
    closes: Annotated[Sequence[str], "Threads that it closes: ID/t2 or ID."] = (),
    visibility: Annotated[Literal["private", "team", "public"] | None, "Who may read it."] = None,
    lang: Annotated[str | None, "Its language, such as en."] = None,
    author: Annotated[str | None, "Who wrote it.", CommandLineOnly()] = None,
    agent: Annotated[str | None, "Client and model.", CommandLineOnly()] = None,
    op: Annotated[str | None, "A key of this request, so that a repetition does nothing."] = None,
    amend: Annotated[bool, "Change the named fields and sections of an episode."] = False,
    dry_run: Annotated[bool, "Check and show, write nothing."] = False,
    commit: Annotated[bool, "Commit it.", Alias("autocommit"), CommandLineOnly()] = True,
    sync: Annotated[
        bool | None, "First take over what the remote has; else as [sync] says.", CommandLineOnly()
    ] = None,
    push: Annotated[
        bool | None, "Then push; the answer names the commit there.", CommandLineOnly()
    ] = None,
    publish: Annotated[
        bool, "Push it alone as a branch shelve/ID, to be merged on request.", CommandLineOnly()
    ] = False,
    await_render: Annotated[
        float | None,
        "With --push: wait so many seconds for the bot that renders.",
        CommandLineOnly(),
    ] = None,
) -> Shelved:
    """Put one closed topic on the shelf as an episode, or amend one.

    Secrets are masked in every field, the digest is held to its contract, and exactly this one file
    is committed. With --amend only what is named changes; an empty text takes a field away.

    Example:
    memshelf shelve --title "Cache: Redis" --digest "Redis was chosen; memcached was rejected." --section "Decisions=Redis."
    memshelf shelve --slug 2026-07-23-cache --amend --tag cache --section-file Decisions=decisions.md
    memshelf shelve --slug cache --digest-file - --section Decisions=Redis. < digest.txt
    """
    given = locals()
    asked = Asked.of(store, sync, push, publish, await_render, commit, dry_run)
    wish = Wish.of({name: given[name] for name in Wish.names()}, sections)
    work = amending.amend if amend else adding.add
    caught_up = asked.before(store)
    done = work(store, wish, commit, dry_run)
    after = rebuilding.after_write(store, done.saved.committed) if done.written else ()
    synced = asked.after(store, caught_up, done.path)
    return Shelved(
        address=done.path,
        display_title=done.episode.title,
        committed=done.saved.committed,
        commit=asked.commit(store, synced, done),
        amended=amend and not dry_run,
        moved_from=done.moved_from,
        already=done.already,
        redaction=done.redaction,
        digest_warnings=done.digest_warnings,
        warnings=(*done.warnings, *done.saved.warnings, *shelving.identity(done.saved), *after),
        ledger_row=done.ledger_row,
        shelf_totals=shelving.totals(store),
        next=_next(store, done.written, after),
        summary=_summary(done.episode.approx_tokens),
        sync=synced,
        diff=done.diff,
    )


def _summary(mass: int) -> str:
    return f"+{mass:,} tok shelved" if mass else ""


def _next(store: Store, written: bool, after: tuple[str, ...]) -> str:
    """One step that makes the derived files catch up, where they have not."""
    if not written or (store.settings["rebuild"] == "after-write" and not after):
        return ""
    return "`memshelf rebuild --commit` renders INDEX.md and the other derived files."
