"""One commit of exactly some paths, by git's own `commit`, so that hooks, signing and filters act."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .gitcall import failed, plain
from .repo import HookRejected, Ran, Repo, pathspecs
from .staging import Staging

NEUTRAL = ("memshelf", "memshelf@localhost")
"""Name and address under which a commit is made where the user's git has none."""

_NO_MODES = ("-c", "core.fileMode=false", "-c", "core.preloadIndex=false")
"""Episodes are no programs: what a disk says of the execute bit is never committed."""

_FROM_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")
_ATTEMPTS = 5


class Draft(NamedTuple):
    """One file of a commit: its path from the top of the worktree, its bytes (None: deleted)."""

    path: str
    data: bytes | None


class Made(NamedTuple):
    """A commit that git made: under which identity, if not the user's own, and what was odd."""

    identity: str | None = None
    warnings: tuple[str, ...] = ()


def commit(
    repo: Repo, staging: Staging, drafts: Sequence[Draft], message: str, keep: Sequence[int]
) -> Made:
    """Commit files as they lie on disk, and nothing else. `staging` has looked at the index.

    Tried again where HEAD moved meanwhile, where no identity is configured, and once where a hook
    refused but mended the file. Raises HookRejected and GitTrouble, with nothing committed.
    """
    paths = [draft.path for draft in drafts]
    neutral: dict[str, str] = {}
    warnings: dict[str, None] = {}
    mended = False
    for attempt in range(_ATTEMPTS):
        if attempt:
            staging.look()
        staging.copy()
        warnings |= dict.fromkeys(_announce(repo, staging, drafts, keep))
        head, staging.tried = repo.commit_id(), True
        ran = _commit(repo, {**staging.env, **neutral}, paths, message, keep)
        if ran.code == 0:
            return Made("{} <{}>".format(*NEUTRAL) if neutral else None, tuple(warnings))
        if ran.code == 1 and ":(literal)" not in ran.err:
            if mended or not _mended(repo, drafts):
                raise HookRejected(plain(ran.err))
            mended = True
        elif not neutral and (neutral := identity(repo)):
            continue
        elif repo.commit_id() == head:
            break
    raise failed(["commit"], ran)


def _commit(
    repo: Repo, env: Mapping[str, str], paths: Sequence[str], message: str, keep: Sequence[int]
) -> Ran:
    """`useConfigOnly` stops git from making an identity up of login and host name."""
    args = ["commit", "--only", "-q", "-uno", "--no-status", "--cleanup=whitespace", "-m", message]
    return repo.git(
        *(*_NO_MODES, "-c", "user.useConfigOnly=true", *args, *_FROM_STDIN),
        stdin=pathspecs(paths),
        env=env,
        keep=keep,
        check=False,
    )


def _announce(
    repo: Repo, staging: Staging, drafts: Sequence[Draft], keep: Sequence[int]
) -> list[str]:
    """Make new files known to our index, since `commit --only` takes known paths; warnings."""
    new = [d.path for d in drafts if d.data is not None and not staging.knows(d.path)]
    if not new:
        return []
    specs, env = pathspecs(new), staging.env
    add = (*_NO_MODES, "add", "-N", *_FROM_STDIN)
    if repo.git(*add, stdin=specs, env=env, keep=keep, check=False).code == 0:
        return []
    repo.git(*add, "-f", stdin=specs, env=env, keep=keep)
    return [f"A .gitignore names {', '.join(new)}; it was committed all the same."]


def _mended(repo: Repo, drafts: Sequence[Draft]) -> bool:
    """Whether a hook that refused the commit wrote the file anew, as formatters do."""
    for draft in drafts:
        path = repo.where.worktree / draft.path
        if draft.data is not None and path.is_file() and path.read_bytes() != draft.data:
            return True
    return False


def identity(repo: Repo) -> dict[str, str]:
    """The neutral identity for the roles in which git has none, as environment."""
    found = {}
    for role in ("AUTHOR", "COMMITTER"):
        asked = repo.git("-c", "user.useConfigOnly=true", "var", f"GIT_{role}_IDENT", check=False)
        if asked.code:
            for part, value in zip(("NAME", "EMAIL"), NEUTRAL, strict=True):
                found[f"GIT_{role}_{part}"] = os.environ.get(f"GIT_{role}_{part}") or value
    return found
