"""Telling git, in one clone, how derived files and the recall log are merged."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from ..domain import merging
from . import files, recalls
from .batch import content
from .repo import Repo

_BEGIN, _END = "# memshelf: merge drivers", "# memshelf: end"


def install(repo: Repo, command: Sequence[str], derived: Iterable[str]) -> tuple[str, ...]:
    """Configure the drivers in a clone: sentences that say what was set.

    `command` starts memshelf on this machine. Derived files keep one side, since they are rendered
    anew; the log is united, by git's own union where memshelf cannot be started. In a repository of
    the shelf's own, folders are never taken for renamed, so that an episode stays where it was
    shelved. Nothing of this is committed.
    """
    union = "git merge-file --union %A %O %B"
    words = shlex.join(command).replace("%", "%%")
    settings = {
        f"merge.{merging.DERIVED}.name": "memshelf: rendered anew from the episodes",
        f"merge.{merging.DERIVED}.driver": "true",
        f"merge.{merging.LOG}.name": "memshelf: every event of both sides",
        f"merge.{merging.LOG}.driver": f"{words} merge-driver log %O %A %B || {union}",
    }
    if not repo.where.prefix:
        settings["merge.directoryRenames"] = "false"
    for key, value in settings.items():
        repo.git("config", "--local", key, value)
    full = repo.where.full
    lines = merging.driven(map(full, derived), full(recalls.LOG))
    place = repo.where.common_dir / "info" / "attributes"
    with files.telling(place):
        before = (content(place) or b"").decode("utf-8", "surrogateescape")
        after = _with_block(before, lines, repo.where.prefix)
        if after != before:
            place.parent.mkdir(parents=True, exist_ok=True)
            files.replace(place, after.encode("utf-8", "surrogateescape"))
    return (f"Merge drivers are set in {repo.where.common_dir / 'config'} and {place}.",)


def _with_block(text: str, lines: Iterable[str], prefix: str) -> str:
    """The attributes with our block, at its end; one of another shelf in the repository stays."""
    begin = f"{_BEGIN} {prefix}".rstrip()
    block = "\n".join([begin, *lines, _END]) + "\n"
    head, found, rest = text.partition(f"{begin}\n")
    if found:
        return head + block + rest.partition(f"{_END}\n")[2]
    return text + ("" if not text or text.endswith("\n") else "\n") + block
