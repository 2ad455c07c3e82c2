"""A shelf and its remote: catching up, pushing with retries, waiting for a bot."""

from __future__ import annotations

import random
import time
from dataclasses import replace

from ..domain.errors import ShelfError
from ..domain.hosts import request_address
from ..domain.text import plural
from ..render import OWNED
from ..storage import catching_up, gate, remote, rewritten
from ..storage.clock import today
from ..storage.remote import Pushed, Target
from ..storage.repo import Repo
from ..storage.store import Store
from .rebuild import after_write
from .synced import Synced

RETRIES = 12
"""How often a push that somebody else was faster than is tried again."""

_POLL = 5.0
_RESCUE = "memshelf/rescue/"
_BACK = "`memshelf sync --push` pushes it when the remote can be reached."
_AGAIN = "`memshelf sync --push` tries again."


# --- catching up -----------------------------------------------------------------------------


def caught_up(store: Store, seconds: float | None = None, lenient: bool = False) -> Synced:
    """Fetch, and go forward to what the remote has. Raises what `catching_up.forward` does.

    `lenient` raises nothing of that and says it as the reason: what follows is a push.
    """
    place = whereto(store)
    if isinstance(place, str):
        return Synced(skipped_reason=place)
    repo, to = place
    fetched = remote.fetch(repo, to, seconds)
    known = Synced(remote=to.remote, branch=to.branch, final_sha=repo.commit_id() or None)
    if fetched.trouble:
        return replace(known, skipped_reason=fetched.trouble, offline=fetched.offline)
    try:
        with gate.writer(store.root):
            taken = catching_up.forward(repo, to, OWNED)
    except ShelfError as trouble:
        if not lenient:
            raise
        return replace(known, skipped_reason=str(trouble))
    ours, _ = remote.apart(repo, to)
    return replace(
        known,
        performed=True,
        commits_pulled=taken.theirs,
        final_sha=repo.commit_id(),
        hint=f"{ours} not pushed yet: memshelf sync --push" if ours else None,
        warnings=_gave_way(taken.ours, to),
    )


def _gave_way(commits: int, to: Target) -> tuple[str, ...]:
    if not commits:
        return ()
    said = f"{plural(commits, 'commit')} of yours gave way: {to.label} holds all that they changed."
    return (f"{said} `git reflog` still shows them.",)


def whereto(store: Store) -> tuple[Repo, Target] | str:
    """The repository and where its branch goes, or why there is nothing to sync."""
    repo = None if store.settings["storage"] == "plain" else Repo.of(store.root)
    if repo is None:
        return "this shelf is no repository"
    to = remote.target(repo)
    return to if isinstance(to, str) else (repo, to)


# --- pushing ---------------------------------------------------------------------------------


def pushed(store: Store, known: Synced, automatic: bool = False) -> Synced:
    """Push; where somebody was faster, put ours on top of theirs and push again.

    Never raises for what the remote says: `problem` says it, and everything is saved here.
    """
    known = replace(known, push_requested=True, automatic=automatic)
    place = whereto(store)
    if isinstance(place, str):
        return replace(known, problem=f"{place}.", hint=None)
    repo, to = place
    known = replace(known, remote=to.remote, branch=to.branch)
    if known.offline:  # asked a moment ago: no second wait
        done = Pushed(False, said=known.skipped_reason or "", reached=False)
    else:
        done, known = _tried(store, repo, to, known)
    sha = repo.commit_id()
    if done.done:
        return replace(known, performed=True, pushed=True, final_sha=sha, hint=None)
    failed = replace(known, final_sha=sha, problem=_problem(to, done), hint=_hint(done))
    return _rescued(repo, to, failed) if automatic and done.reached else failed


def _tried(store: Store, repo: Repo, to: Target, known: Synced) -> tuple[Pushed, Synced]:
    for attempt in range(RETRIES + 1):
        done = _sent(repo, to)
        if not done.raced or attempt == RETRIES:
            break
        time.sleep(random.random() * 0.1 * attempt)
        try:
            pulled = _on_top(store, repo, to)
        except ShelfError as trouble:
            return Pushed(False, said=str(trouble)), known
        if isinstance(pulled, Pushed):
            return pulled, known
        known = replace(
            known,
            skipped_reason=None,
            commits_pulled=known.commits_pulled + pulled,
            push_retries=attempt + 1,
        )
    return done, known


def _sent(repo: Repo, to: Target) -> Pushed:
    """Push HEAD, unless that would bring back what was taken out of the remote's history."""
    try:
        rewritten.refuse(repo, to)
    except rewritten.Rewritten as trouble:
        return Pushed(False, said=str(trouble))
    return remote.push(repo, to, repo.commit_id())


def _on_top(store: Store, repo: Repo, to: Target) -> int | Pushed:
    """Fetch and put ours on top; the number of commits taken over."""
    fetched = remote.fetch(repo, to)
    if fetched.trouble:
        return Pushed(False, said=fetched.trouble, reached=False)
    with gate.writer(store.root):
        pulled = catching_up.replay(repo, to, OWNED)
        if pulled:
            after_write(Store(store.root), commit=True)
    return pulled


def _hint(done: Pushed) -> str | None:
    """The command that goes on, where what was said does not name it already."""
    if "memshelf sync --push" in done.said:
        return None
    return _AGAIN if done.reached else _BACK


def _problem(to: Target, done: Pushed) -> str:
    if done.raced:
        return f"{to.label} moved on each of {RETRIES + 1} times; it is saved here."
    return f"{done.said.rstrip('.')}. It is saved here."


def _rescued(repo: Repo, to: Target, failed: Synced) -> Synced:
    """A refused automatic push goes to a branch of its own, so that it is not here alone; to the
    one of an earlier such push, where that can go forward."""
    sha = repo.commit_id()
    try:
        rewritten.refuse(repo, to)
    except rewritten.Rewritten:
        return failed
    for name in (*remote.waiting(repo, to, _RESCUE)[:1], f"{_RESCUE}{today()}-{sha[:7]}"):
        if remote.push(repo, to, sha, name).done:
            link = request_address(remote.address(repo, to.remote), to.branch, name)
            return replace(failed, rescue_branch=name, compare_url=link or None)
    return failed


# --- waiting for a bot -----------------------------------------------------------------------


def awaited(store: Store, known: Synced, seconds: float) -> Synced:
    """Wait until the remote's bot has rendered what was pushed, and take that over. Never raises."""
    place = whereto(store)
    if isinstance(place, str) or not known.pushed:
        return known
    repo, to = place
    begun = time.monotonic()
    known = replace(known, render_awaited=True)
    while True:
        note = _bot(store, repo, to, known.final_sha or "HEAD")
        waited = round(time.monotonic() - begun, 1)
        if note == "":
            sha = repo.commit_id()
            return replace(known, render_pulled=True, render_waited_s=waited, final_sha=sha)
        if waited >= seconds:
            return replace(known, render_waited_s=waited, render_note=note)
        if store.progress:
            store.progress(int(waited), int(seconds), "waiting for the bot, second")
        time.sleep(min(_POLL, max(0.05, seconds - waited)))


def _bot(store: Store, repo: Repo, to: Target, sha: str) -> str:
    """Why the bot's commit is not here yet; "" once it is."""
    fetched = remote.fetch(repo, to)
    if fetched.trouble:
        return fetched.trouble
    derived = [f":(literal){repo.where.full(path)}" for path in OWNED]
    if not repo.git("rev-list", "-1", f"{sha}..{to.ref}", "--", *derived).out.strip():
        return f"no commit with derived files at {to.label} yet"
    try:
        with gate.writer(store.root):
            catching_up.forward(repo, to, OWNED)
    except ShelfError as trouble:
        return str(trouble)
    return ""
