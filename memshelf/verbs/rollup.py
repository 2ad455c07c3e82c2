"""Put one episode in the index in the place of many, which go into the archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..domain.errors import ShelfError, UsageError
from ..domain.text import plural
from ..domain.threads import OPEN, threads
from ..storage import rolling, shelving
from ..storage.gate import Saved
from ..storage.reworking import alone
from ..storage.rolling import Draft, Wanted
from ..storage.store import Store
from ..verb import Alias, Flag, FromFile, verb
from .afterwards import Afterwards, afterwards
from .archiving import next_step
from .reworked import refuse_both

if TYPE_CHECKING:
    from .synced import Synced


class NotSmaller(ShelfError):
    """The rollup would cost as much in the index as what it stands for, or more."""

    code = "not-smaller"

    def __init__(self, before: int, after: int) -> None:
        more = f"{after - before} more" if after > before else "none less"
        said = f"INDEX.md would go from {before} to {after} tokens, {more}: nothing was written."
        super().__init__(said, "Roll up more episodes at once, or give it a shorter title.")


@dataclass(frozen=True)
class RolledUp:
    """The rollup and what went behind it; without `applied` nothing was written.

    The peer's keys first. `archived` are the files in the archive; the tokens are those of INDEX.md.
    """

    slug: str
    address: str
    archived: tuple[str, ...]
    count: int
    index_tokens_before: int
    index_tokens_after: int
    warnings: tuple[str, ...]
    keywords: tuple[str, ...]
    applied: bool
    committed: bool
    commit: str | None
    redaction: dict[str, Any]
    next: str = ""
    would_write: str = ""
    sync: Synced | None = None

    def brief(self) -> dict[str, Any]:
        """The answer where each token counts: once it is written, nobody reads the lists again."""
        if not self.applied:
            shown = {name: value for name, value in vars(self).items() if value}
            return {"status": "ok", "dry_run": True, **shown}
        brief: dict[str, Any] = {
            "status": "ok",
            "address": self.address,
            "count": self.count,
            "index_tokens_before": self.index_tokens_before,
            "index_tokens_after": self.index_tokens_after,
            "committed": self.committed,
        }
        brief |= {"commit": self.commit[:12]} if self.commit else {}
        brief |= {"sync": self.sync.brief} if self.sync else {}
        brief |= {"redaction": self.redaction["summary"]} if self.redaction["total"] else {}
        return brief | ({"warnings": list(self.warnings)[:3]} if self.warnings else {})

    def __str__(self) -> str:
        saved = self.index_tokens_before - self.index_tokens_after
        count, cost = plural(self.count, "episode"), f"INDEX.md {saved:,} tokens smaller"
        if self.applied:
            commit = f" (commit {self.commit[:12]})" if self.committed and self.commit else ""
            head = [f"{self.address} stands for {count}; {cost}{commit}"]
        else:
            names = [f"would archive {path.removeprefix('archive/')}" for path in self.archived]
            head = [self.would_write.rstrip("\n"), "", *names, f"{count}, {cost}"]
        masked = [self.redaction["summary"]] if self.redaction["total"] else []
        rows = [*head, *masked, *(f"warning: {text}" for text in self.warnings)]
        rows += self.sync.told() if self.sync else []
        return "\n".join([*rows, *([f"next: {self.next}"] if self.next else [])])


@verb(writes=True, idempotent=False)
def rollup(
    store: Store,
    slug: Annotated[str, "The id of the rollup, YYYY-MM-DD-words."],
    *,
    digest: Annotated[str, "What they come to, in words enough for the index.", FromFile()],
    episode: Annotated[
        Sequence[str], "This episode.", Flag("--episode"), Alias("id"), Alias("episode_ids")
    ] = (),
    until: Annotated[str, "Every live episode up to this day, YYYY-MM-DD."] = "",
    kind: Annotated[
        Sequence[str], "With --until: only topic, research or session.", Flag("--kind")
    ] = (),
    display_title: Annotated[str, "What people call it.", Alias("title")] = "",
    sections: Annotated[
        Mapping[str, str], "Sections by name, as Decisions.", Flag("--section"), FromFile()
    ] = {},
    date: Annotated[str, "YYYY-MM-DD; else the slug's, else today."] = "",
    apply: Annotated[bool, "Write it; else more than one episode is only shown."] = False,
    dry_run: Annotated[bool, "Check and show, write nothing."] = False,
) -> RolledUp:
    """Put one episode in the index in the place of many, which go into the archive.

    What is rolled up is still recalled, searched with --past and counted. The rollup lists every id
    behind it, and carries keywords by which they are found; a later rollup inherits both. It is
    refused where INDEX.md would not become smaller.

    Example:
    memshelf rollup 2026-04-01-first-quarter --until 2026-03-31 --digest "Limits and search were settled; a second region was rejected."
    memshelf rollup 2026-04-01-first-quarter --until 2026-03-31 --kind session --digest-file digest.txt --apply
    memshelf rollup 2026-04-01-limits --episode 2026-01-20-token-bucket-limiter --episode 2026-02-03-quota --digest "Limits: token bucket per key." --apply
    """
    _check(episode, until, kind, apply, dry_run)
    wanted = Wanted(episode, until, kind)

    def make() -> tuple[Draft, RolledUp]:
        made = rolling.draft(store, wanted, slug, digest, display_title, sections, date)
        return made, _shown(made, _warnings(made, slug, until))

    if not apply:
        made, shown = make()
        if dry_run or shown.count > 1:
            return shown
    with alone(store):  # what others write meanwhile is in it, or comes after
        made, shown = make()
        saved = rolling.write(store, made)
    return _written(shown, saved, afterwards(store, saved, [shown.address]))


def _shown(made: Draft, warnings: Sequence[str]) -> RolledUp:
    """The answer before anything is written. Raises NotSmaller."""
    before, after = _cost(made)
    return RolledUp(
        slug=made.episode.id,
        address=made.path,
        archived=tuple(sorted(move.target for move in made.moves)),
        count=len(made.moves),
        index_tokens_before=before,
        index_tokens_after=after,
        warnings=tuple(warnings),
        keywords=made.episode.keywords,
        applied=False,
        committed=False,
        commit=None,
        redaction=shelving.counted(made.masked),
        next="--apply writes it.",
        would_write=made.text,
    )


def _written(shown: RolledUp, saved: Saved, done: Afterwards) -> RolledUp:
    """The answer once it is written."""
    return replace(
        shown,
        warnings=(*shown.warnings, *done.warnings),
        applied=True,
        committed=saved.committed,
        commit=done.commit,
        next=next_step(done),
        would_write="",
        sync=done.sync,
    )


_KINDS: tuple[Literal["topic", "research", "session"], ...] = ("topic", "research", "session")


def _check(
    episode: Sequence[str], until: str, kind: Sequence[str], apply: bool, dry_run: bool
) -> None:
    if bool(episode) == bool(until):
        said = "Which episodes? Give --episode ID, or --until YYYY-MM-DD, and one of them."
        raise UsageError(said, "--episode may be given more than once.")
    if kind and not until:
        raise UsageError("--kind chooses among what --until finds.", "Leave it out.")
    wrong = next((word for word in kind if word not in _KINDS), None)
    if wrong is not None:
        raise UsageError(f"{wrong!r} is no kind.", f"One of: {', '.join(_KINDS)}.")
    refuse_both(apply, dry_run)


def _cost(made: Draft) -> tuple[int, int]:
    """Tokens of INDEX.md before and after. Raises NotSmaller."""
    from ..render.index import index_tokens

    before, after = index_tokens(made.shelf), index_tokens(made.after)
    if after >= before:
        raise NotSmaller(before, after)
    return before, after


def _warnings(made: Draft, slug: str, until: str) -> list[str]:
    asked = slug.removesuffix(".md").strip()
    out = [] if asked == made.episode.id else [f"The id is {made.episode.id} (asked for: {asked})."]
    out += [f"{found.message} {found.fix}".strip() for found in made.found]
    if made.dropped:
        words = plural(made.dropped, "keyword")
        out.append(f"{words} found no room in the digest; all stand in the front matter.")
    waiting = _waiting(made)
    if waiting:
        named = ", ".join(waiting[:3]) + (" ..." if waiting[3:] else "")
        count = plural(len(waiting), "open thread")
        out.append(f"{count} went behind it, still listed by `memshelf threads`: {named}")
    undated = [e.id for e in made.shelf.live if not e.day] if until else []
    if undated:
        out.append(f"Without a date, and so left where they are: {', '.join(undated)}.")
    return out


def _waiting(made: Draft) -> list[str]:
    """The addresses of the open threads of what is rolled up."""
    moved = {entry.id for entry in made.moved}
    return [t.address for t in threads(made.shelf) if t.state == OPEN and t.episode in moved]
