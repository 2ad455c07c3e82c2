"""An episode that is offered at the remote: a branch of its own, and where a request is opened."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath

from ..domain.errors import ShelfError
from ..domain.hosts import place, request_address
from ..storage import offering, remote, rewritten
from ..storage.remote import Pushed, Target
from ..storage.repo import Repo
from ..storage.store import Store
from .synced import Synced
from .syncing import whereto

_AGAIN = "`memshelf shelve --amend --slug {} --publish` offers it again."


class NotOffered(ShelfError):
    """The remote took no new branch."""

    code = "not-offered"

    def __init__(self, to: Target, done: Pushed) -> None:
        way = f"A branch at {to.remote} is in the way of the new one; git said: " * done.raced
        super().__init__(f"{way}{done.said.rstrip('.')}.")


def offered(store: Store, path: str, known: Synced) -> Synced:
    """Push an episode's commit alone as a new branch, and say where a request is opened.

    Never raises for what the remote says: `problem` says it, and everything is saved here.
    """
    known = replace(known, publish_requested=True, hint=None)
    found = whereto(store)
    if isinstance(found, str):
        return replace(known, problem=f"{found}.")
    repo, to = found
    again = _AGAIN.format(PurePosixPath(path).stem)
    known = replace(known, remote=to.remote, branch=to.branch, final_sha=repo.commit_id())
    if known.offline:
        return replace(known, problem=f"{known.skipped_reason}. It is saved here.", hint=again)
    fetched = known.performed or not remote.fetch(repo, to).trouble
    to = to if remote.known(repo, to) else remote.default(repo, to)
    known = replace(known, performed=fetched, branch=to.branch)
    try:
        return _pushed(repo, to, repo.where.full(path), known)
    except ShelfError as trouble:
        return replace(known, problem=f"{trouble} It is saved here.", hint=again)


def _pushed(repo: Repo, to: Target, path: str, known: Synced) -> Synced:
    offer = offering.offer(repo, to.ref if remote.known(repo, to) else "", path)
    if offer.warning:  # it leads to every commit that is here
        rewritten.refuse(repo, to)
    made = offering.put(repo, to, path, offer.commit)
    if not made.branch:
        raise NotOffered(to, made.pushed)
    return replace(
        known,
        published_branch=made.branch,
        compare_url=_request(repo, to, made) or None,
        warnings=(*known.warnings, *filter(None, [offer.warning])),
    )


def _request(repo: Repo, to: Target, made: offering.Offered) -> str:
    """The address that the host itself printed, else the one that its kind has."""
    url = remote.address(repo, to.remote)
    host = place(url).host
    for found in re.findall(r"https?://[^\s'\"<>]+", made.pushed.said) if host else ():
        if place(found).host == host and ("request" in found or "/pull/" in found):
            return str(found)
    return request_address(url, to.branch, made.branch)
