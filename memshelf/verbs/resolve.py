"""Finish a merge: derived files rendered anew, logs united, episodes shown with a proposal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from .. import render as renderers
from ..domain.errors import ShelfError, UsageError
from ..domain.merging import BOTS
from ..storage import gate, gitdir, recalls
from ..storage.gate import Change
from ..storage.repo import Repo
from ..storage.staging import Staging
from ..storage.store import Store
from ..verb import verb
from . import rendering

if TYPE_CHECKING:  # with nothing to resolve none of it is needed
    from .doctor import Examined
    from .resolving import Conflicts, Left, Way

MESSAGE = "resolve: regenerate derived files + union the recall log"
IDLE = "Nothing to resolve: no conflict, and no derived file to render."
Choice = tuple[str, str] | None
"""An episode's id or a path, and what to take for it."""

_ROUNDS = 1000
"""Commits of one rebase in which conflicts are settled, one after another."""


@dataclass(frozen=True)
class Resolved:
    """What was settled, what was rendered anew, and what is left for a person to decide.

    `in_merge` says that git had begun something (`operation`) before; `doctor` is None where
    nothing had to be done.
    """

    resolved: tuple[str, ...] = ()
    regenerated: tuple[str, ...] = ()
    left: tuple[Left, ...] = ()
    notes: tuple[str, ...] = ()
    operation: str = ""
    committed: bool = False
    commit: str | None = None
    doctor: Examined | None = None

    @property
    def ok(self) -> bool:
        """False where something is left, or doctor found errors."""
        return not self.left and (self.doctor is None or self.doctor.ok)

    def data(self) -> dict[str, Any]:
        """The peer's keys, and the proposals."""
        return {
            "status": "ok" if self.ok else "attention",
            "resolved": list(self.resolved),
            "regenerated": list(self.regenerated),
            "unresolved": [left.path for left in self.left],
            "notes": list(self.notes),
            "in_merge": bool(self.operation),
            "operation": self.operation,
            "committed": self.committed,
            "commit": self.commit,
            "proposals": [left.data() for left in self.left],
            "doctor": self.doctor.data() if self.doctor else None,
        }

    def __str__(self) -> str:
        rows = [f"resolved {path}" for path in self.resolved]
        rows += [f"regenerated {path}" for path in self.regenerated]
        rows += [str(left) for left in self.left]
        rows += [f"note: {note}" for note in self.notes]
        if self.committed and self.commit:
            rows.append(f"commit {self.commit[:12]}")
        errors = self.doctor.report.errors if self.doctor else ()
        rows += [f"doctor: {finding}" for finding in errors]
        return "\n".join(rows)


@verb(writes=True)
def resolve(
    store: Store,
    *,
    commit: Annotated[bool, "Commit what was settled, and go on with what git had begun."] = False,
    episode: Annotated[str, "The episode in conflict (or a path) for which to take a side."] = "",
    take: Annotated[
        Literal["ours", "theirs", "merged"] | None, "What to take for it, as was proposed."
    ] = None,
) -> Resolved:
    """Finish a merge: derived files rendered anew, logs united, episodes shown with a proposal.

    In a merge, rebase, cherry-pick or revert with conflicts. INDEX.md and the other derived files
    are rendered from the episodes, recall-log.tsv keeps every event of both sides. Episodes that
    both sides changed are shown key by key and section by section, and left alone until you take a
    side. In a rebase, ours is what one rebases onto.

    Example:
    memshelf resolve
    memshelf resolve --episode 2026-07-23-cache --take merged
    memshelf resolve --commit
    """
    if bool(episode) != (take is not None):
        raise UsageError("--episode and --take go together.", "Give both, or neither.")
    repo = None if _is_plain(store) else Repo.of(store.root)
    if repo is None:
        return _without_git(store, take)
    choice = (episode.removesuffix(".md"), take) if take else None
    if not choice and _idle(store, repo):
        bot = ("A bot renders the derived files.",) if _has_bot(repo) else ()
        return Resolved(notes=(IDLE, *bot))
    with gate.writer(store.root):
        begun = gitdir.in_progress(repo.where) or ""
        done = _round(store, repo, choice, commit)
        if commit and begun:
            done = _go_on(store, repo, done)
    return _examined(store, replace(done, operation=begun))


def _without_git(store: Store, take: str | None) -> Resolved:
    if take:
        said = "This shelf keeps no history, so that there are no two sides to take one of."
        raise ShelfError(said, "Edit the file to one text.", "no-repository")
    return _rendered(store, Resolved(notes=("This shelf keeps no history.",)), commit=False)


def _is_plain(store: Store) -> bool:
    """Whether the shelf asks for no commits; settings that are in conflict ask for nothing."""
    try:
        return bool(store.settings["storage"] == "plain")
    except ShelfError:
        return False


def _idle(store: Store, repo: Repo) -> bool:
    """Whether nothing is to be done, mostly told without a git process."""
    if gitdir.in_progress(repo.where) or b"<<<<<<<" in (store.peek(recalls.LOG) or b""):
        return False
    staging = Staging(repo)
    staging.look()
    if staging.unmerged():
        return False
    found = rendering.check(store)
    return not found.problems and (not found.drifted or _has_bot(repo))


def _has_bot(repo: Repo) -> bool:
    """Whether the derived files are a bot's to render."""
    return any((repo.where.worktree / path).is_file() for path in BOTS)


def _go_on(store: Store, repo: Repo, done: Resolved) -> Resolved:
    """Commit, and settle what the next commits of a rebase bring, until all is done."""
    from ..storage import finishing

    for _ in range(_ROUNDS):
        if done.left:
            return done
        step = finishing.go_on(repo)
        done = replace(done, committed=step.done, commit=step.commit)
        if step.done:
            return done
        if step.said:
            said = f"All is settled and staged, but git did not go on: {step.said}"
            return replace(done, notes=(*done.notes, said))
        done = _joined(done, _round(Store(store.root), repo, None, commit=True))
    return done


def _joined(before: Resolved, now: Resolved) -> Resolved:
    return replace(
        now,
        resolved=tuple(dict.fromkeys((*before.resolved, *now.resolved))),
        regenerated=tuple(dict.fromkeys((*before.regenerated, *now.regenerated))),
        notes=tuple(dict.fromkeys((*before.notes, *now.notes))),
        commit=before.commit,
    )


def _round(store: Store, repo: Repo, choice: Choice, commit: bool) -> Resolved:
    """Settle what can be settled now, and say what is left."""
    from .resolving import Conflicts

    begun, conflicts = gitdir.in_progress(repo.where), Conflicts(store, repo)
    done = _settled(store, conflicts, choice)
    left = _left(store, Conflicts(store, repo))
    if left:
        return _waiting(replace(done, left=left), conflicts.derived)
    if not begun and not conflicts.found:
        return _outside_a_merge(store, repo, done, commit)
    done = _rendered(store, done, commit=False)
    _stage(repo, store)
    regenerated = tuple(dict.fromkeys((*conflicts.derived, *done.regenerated)))
    done = replace(done, regenerated=regenerated)
    if commit:
        return done if begun else _saved(store, done)
    return replace(done, notes=(*done.notes, *_next(begun)))


def _settled(store: Store, conflicts: Conflicts, choice: Choice) -> Resolved:
    """What is settled by rule, and the one episode for which a side was taken."""
    log = [recalls.LOG] if conflicts.log() else []
    moved = conflicts.moved()
    if choice is None:
        moved += conflicts.brought_back(bool(gitdir.in_progress(conflicts.repo.where)))
    taken: tuple[str, ...] = ()
    if choice:
        taken = _taken(store, conflicts.now() if log or moved else conflicts, *choice)
    paths = (*taken, *(path for path, _ in moved), *log)
    notes = tuple(f"{path}: {said}." for path, said in moved)
    return Resolved(resolved=tuple(dict.fromkeys(paths)), notes=notes)


def _taken(store: Store, conflicts: Conflicts, name: str, take: str) -> tuple[str, ...]:
    """The files that a choice wrote, the episode's own first."""
    from .resolving import chosen

    ways = conflicts.ways()
    if not any(way.left.is_called(name) for way in ways):
        ways += _marked(store, conflicts)
    way, contents = chosen(ways, name, take)
    conflicts.put(contents)
    return tuple(dict.fromkeys((way.left.path, *contents)))


def _left(store: Store, conflicts: Conflicts) -> tuple[Left, ...]:
    """What a person has to decide."""
    from .resolving import Left

    said = "It lies outside the shelf: settle it by hand."
    left = [way.left for way in conflicts.ways()]
    left += [Left(path, said) for path in conflicts.outside]
    return tuple(left or (way.left for way in _marked(store, conflicts)))


def _waiting(done: Resolved, derived: list[str]) -> Resolved:
    if not derived:
        return done
    said = f"To be rendered when nothing is unresolved: {', '.join(derived)}."
    return replace(done, notes=(*done.notes, said))


def _next(begun: str | None) -> Iterable[str]:
    if begun is None:
        return ("All is settled and staged; commit it when you like.",)
    word = "git commit" if begun == "merge" else f"git {begun} --continue"
    return (f"All is settled and staged; `memshelf resolve --commit` or `{word}` goes on.",)


def _marked(store: Store, conflicts: Conflicts) -> list[Way]:
    """The episodes in which conflict markers stand, those that the index knows of apart."""
    from .resolving import marked

    found = rendering.check(store).problems
    paths = dict.fromkeys(f.where for f in found if f.code == "merge-conflict")
    return [marked(store, path) for path in paths if path not in conflicts.by_path]


def _outside_a_merge(store: Store, repo: Repo, done: Resolved, commit: bool) -> Resolved:
    """After a merge that git ended by itself: derived files may be what it made of them."""
    found = rendering.check(store)
    if done.resolved and commit:
        done = _saved(store, done)
    if done.resolved or (found.drifted and not _has_bot(repo)):
        return _rendered(store, done, commit)
    return replace(done, notes=(IDLE,))


def _saved(store: Store, done: Resolved) -> Resolved:
    """A commit of what was settled, where git has begun none of its own."""
    paths = dict.fromkeys((*done.resolved, *done.regenerated))
    changes = [Change(path, store.bytes(path)) for path in paths]
    saved = gate.save_derived(store.root, changes, MESSAGE)
    return replace(done, committed=saved.committed, commit=saved.commit)


def _rendered(store: Store, done: Resolved, commit: bool) -> Resolved:
    made = rendering.render(Store(store.root), commit)
    regenerated = tuple(path for path in made.written if path != recalls.LOG)
    done = replace(done, regenerated=regenerated, notes=(*done.notes, *made.warnings))
    if made.committed:
        done = replace(done, committed=True, commit=made.commit)
    return done


def _stage(repo: Repo, store: Store) -> None:
    """Put the derived files and the log into the index as they are."""
    from ..storage import unmerged as index

    full = repo.where.full
    paths = (*renderers.OWNED, recalls.LOG)
    there = [path for path in paths if store.has(path)]
    gone = [full(path) for path in paths if path not in there]
    index.settle(repo, index.stored(repo, map(full, there)), gone)


def _examined(store: Store, done: Resolved) -> Resolved:
    """The answer with what doctor says, where anything was there to do."""
    if not (done.operation or done.left or done.resolved or done.regenerated):
        return done
    from .doctor import doctor

    try:
        return replace(done, doctor=doctor(Store(store.root)))
    except ShelfError as trouble:
        return replace(done, notes=(*done.notes, f"doctor could not look: {trouble}"))
