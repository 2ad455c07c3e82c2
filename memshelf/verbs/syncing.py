"""A shelf and its remote: catching up, pushing with retries, offering a branch, waiting for a bot."""

from __future__ import annotations

import random
import re
import time
from dataclasses import replace

from ..domain.errors import ShelfError
from ..domain.hosts import place, request_address
from ..render import OWNED
from ..storage import catching_up, gate, offering, remote
from ..storage.clock import today
from ..storage.remote import Pushed, Target
from ..storage.repo import Repo
from ..storage.store import Store
from .rebuild import after_write
from .synced import Synced

RETRIES = 12
"""How often a push that somebody else was faster than is tried again."""

_POLL = 5.0
_BACK = "`memshelf sync --push` pushes it when the remote can be reached."


# --- catching up -----------------------------------------------------------------------------


def caught_up(store: Store, seconds: float | None = None, lenient: bool = False) -> Synced:
    """Fetch, and go forward to what the remote has. Raises what `catching_up.forward` does.

    `lenient` raises nothing of that and says it as the reason: what follows is a push.
    """
    place = _place(store)
    if isinstance(place, str):
        return Synced(skipped_reason=place)
    repo, to = place
    fetched = remote.fetch(repo, to, seconds)
    known = Synced(remote=to.remote, branch=to.branch, final_sha=repo.commit_id() or None)
    if fetched.trouble:
        return replace(known, skipped_reason=fetched.trouble, offline=fetched.offline)
    try:
        with gate.writer(store.root):
            pulled = catching_up.forward(repo, to)
    except ShelfError as trouble:
        if not lenient:
            raise
        return replace(known, skipped_reason=str(trouble))
    ours, _ = remote.apart(repo, to)
    return replace(
        known,
        performed=True,
        commits_pulled=pulled,
        final_sha=repo.commit_id(),
        hint=f"{ours} not pushed yet: memshelf sync --push" if ours else None,
    )


def _place(store: Store) -> tuple[Repo, Target] | str:
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
    place = _place(store)
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
    failed = replace(known, final_sha=sha, problem=_problem(to, done), hint=_BACK)
    return _rescued(repo, to, failed) if automatic and done.reached else failed


def _tried(store: Store, repo: Repo, to: Target, known: Synced) -> tuple[Pushed, Synced]:
    for attempt in range(RETRIES + 1):
        done = remote.push(repo, to, repo.commit_id())
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


def _problem(to: Target, done: Pushed) -> str:
    if done.raced:
        return f"{to.label} moved on each of {RETRIES + 1} times; it is saved here. Try again."
    return f"{done.said.rstrip('.')}. It is saved here."


def _rescued(repo: Repo, to: Target, failed: Synced) -> Synced:
    """A refused automatic push goes to a branch of its own, so that it is not here alone."""
    sha = repo.commit_id()
    name = f"memshelf/rescue/{today()}-{sha[:7]}"
    if remote.push(repo, to, sha, name).done:
        return replace(failed, rescue_branch=name)
    return failed


# --- offering --------------------------------------------------------------------------------


def published(store: Store, path: str, known: Synced) -> Synced:
    """Push an episode's commit alone as a new branch, and say where a request is opened."""
    known = replace(known, publish_requested=True)
    found = _place(store)
    if isinstance(found, str):
        return replace(known, problem=f"{found}.", hint=None)
    repo, to = found
    known = replace(known, remote=to.remote, branch=to.branch, final_sha=repo.commit_id())
    if known.offline:
        return replace(known, problem=f"{known.skipped_reason}. It is saved here.", hint=_BACK)
    fetched = known.performed or not remote.fetch(repo, to).trouble
    base = to.ref if remote.known(repo, to) else ""
    full = repo.where.full(path)
    offer = offering.offer(repo, base, full)
    made = offering.put(repo, to, full, offer.commit)
    if not made.branch:
        return replace(known, problem=_problem(to, made.pushed), hint=_BACK)
    warnings = (offer.warning,) if offer.warning else ()
    return replace(
        known,
        performed=fetched,
        published_branch=made.branch,
        compare_url=_request(repo, to, made) or None,
        hint=None,
        warnings=(*known.warnings, *warnings),
    )


def _request(repo: Repo, to: Target, made: offering.Offered) -> str:
    """The address that the host itself printed, else the one that its kind has."""
    url = remote.address(repo, to.remote)
    host = place(url).host
    for found in re.findall(r"https?://[^\s'\"<>]+", made.pushed.said) if host else ():
        if place(found).host == host and ("request" in found or "/pull/" in found):
            return str(found)
    return request_address(url, to.branch, made.branch)


# --- waiting for a bot -----------------------------------------------------------------------


def awaited(store: Store, known: Synced, seconds: float) -> Synced:
    """Wait until the remote's bot has rendered what was pushed, and take that over. Never raises."""
    place = _place(store)
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
            catching_up.forward(repo, to)
    except ShelfError as trouble:
        return str(trouble)
    return ""
