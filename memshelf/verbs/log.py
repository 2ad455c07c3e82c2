"""Show who changed an episode, when and what, newest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from ..domain.changes import FRONT, NEW, RENAMED, Change, History, stem
from ..domain.entry import Entry
from ..domain.errors import at_least
from ..domain.shelf import Shelf
from ..domain.text import clip, plural
from ..domain.who import AGENT, HUMAN, Said, Who, who
from ..storage.store import Store
from ..verb import Alias, verb

_NO_GIT = "This shelf has no git history, so nothing is known of who changed what."


class Row(NamedTuple):
    """One change with who made it; see `changes.Change`. `subject` is the commit's own first line."""

    change: Change
    who: Who
    subject: str

    def data(self) -> dict[str, Any]:
        """The change as an object; what is empty is left out, but for who and when."""
        change = self.change
        rest = {
            "agent": self.who.agent,
            "was": change.old_path,
            "sections": list(change.sections),
            "closes": list(change.closes),
            "replaced_by": list(change.by),
        }
        return {
            "when": change.when,
            "kind": change.kind,
            "commit": change.commit,
            "author": change.author,
            "by": self.who.kind,
            "subject": self.subject,
            **{key: value for key, value in rest.items() if value},
        }

    def __str__(self) -> str:
        change = self.change
        by = {AGENT: f" with {self.who.agent or 'an agent'}", HUMAN: " (a person)"}
        said = [
            f"was {stem(change.old_path)}" if change.kind == RENAMED else "",
            ", ".join(change.sections),
            f"closes {', '.join(change.closes)}" if change.closes else "",
            f"replaced by {', '.join(change.by)}" if change.by else "",
        ]
        if not any(said) or said == ["", FRONT, "", ""]:  # then the commit says more
            said.append(clip(self.subject, 100))
        what = "; ".join(filter(None, said))
        head = f"{change.day or '----------'}  {change.kind:<10}  {change.commit[:12]}"
        return f"{head}  {change.author}{by.get(self.who.kind, '')}: {what}".rstrip(": ")


@dataclass(frozen=True)
class Log:
    """The changes of one episode, newest first, and how far back they are known."""

    id: str
    path: str
    changes: tuple[Row, ...]
    left: int
    history: History

    def data(self) -> dict[str, Any]:
        """The changes, whether git knows any, and from which day on all are known."""
        known = self.history
        return {
            "id": self.id,
            "path": self.path,
            "available": known.available,
            "why": known.why,
            "complete_from": known.begins,
            "changes": [row.data() for row in self.changes],
            "left": self.left,
        }

    def __str__(self) -> str:
        rows = [self.path, *map(str, self.changes)]
        if not self.history.available:
            rows.append(self.history.why or _NO_GIT)
        elif not self.changes:
            rows.append("Nothing of it is committed yet.")
        if self.left:
            rows.append(f"{plural(self.left, 'older change')} more: raise --max-results.")
        if self.history.begins:
            said = f"The clone is shallow: all is known from {self.history.begins} on."
            rows.append(f"{said} `git fetch --unshallow` brings the rest.")
        return "\n".join(rows)


@verb()
def log(
    store: Store,
    id: Annotated[str, "The episode's id.", Alias("episode_id")],
    *,
    max_results: Annotated[int, "At most so many changes."] = 50,
) -> Log:
    """Show who changed an episode, when and what, newest first.

    From git: what came, was amended, replaced, renamed or archived, in which sections. An agent is
    told by the commit's trailers or by what the episode says of its writer; git's author alone
    proves nobody.

    Example:
    memshelf log 2026-01-20-token-bucket-limiter
    memshelf log 2026-01-20-token-bucket-limiter --json
    """
    at_least(1, "max_results", max_results)
    shelf = store.read(history=True)
    entry = _entry(store, shelf, id)
    found = shelf.changes.of(entry.path)
    rows = tuple(_rows(store, entry, found[:max_results]))
    return Log(entry.id, entry.path, rows, len(found) - len(rows), shelf.changes)


def _entry(store: Store, shelf: Shelf, name: str) -> Entry:
    """The episode of an id, or of a name that it once had. Raises EpisodeNotFound."""
    from ..storage.restoring import not_found

    stem_ = name.strip().removesuffix(".md")
    path = store.locate(stem_)
    found = next((e for e in shelf.entries if e.path == path), shelf.by_id.get(stem_))
    found = found or shelf.by_id.get(store.called_today(stem_))
    if found is None:
        raise not_found(store, name)
    return found


def _rows(store: Store, entry: Entry, shown: Sequence[Change]) -> Iterator[Row]:
    """The changes of an episode, each with who made it and what its commit says."""
    from ..storage import authors
    from ..storage.repo import Repo

    repo = Repo.of(store.root) if shown else None
    said = authors.said(repo, (change.commit for change in shown)) if repo else {}
    episode = store.episode(entry.path)
    own = Said(episode.author, episode.agent, episode.source)
    for change in shown:
        of = said.get(change.commit, authors.Said())
        by = who(change.author, of.trailers, own if change.kind == NEW else None)
        yield Row(change, by, of.subject)
