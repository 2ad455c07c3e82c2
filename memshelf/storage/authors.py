"""What commits say of themselves: their subject and their trailers, by one git process."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .repo import Repo

_FORMAT = "%H%n%s%n%(trailers:only,unfold)"
_TRAILER = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)")


class Said(NamedTuple):
    """The first line of a commit's message, and its trailers, `(key, value)` each."""

    subject: str = ""
    trailers: tuple[tuple[str, str], ...] = ()


def said(repo: Repo, commits: Iterable[str]) -> dict[str, Said]:
    """What some commits say, by their ids."""
    wanted = "".join(f"{commit}\n" for commit in dict.fromkeys(commits))
    if not wanted:
        return {}
    words = ("log", "--no-walk=unsorted", "-z", "--no-show-signature", "--no-color", "--no-notes")
    ran = repo.git(
        *words, "--encoding=UTF-8", f"--format={_FORMAT}", "--stdin", stdin=wanted.encode("ascii")
    )
    found = {}
    for cell in filter(str.strip, ran.out.split("\0")):
        commit, subject, *lines = cell.strip("\n").split("\n")
        pairs = (_TRAILER.fullmatch(line) for line in lines)
        found[commit] = Said(
            _readable(subject), tuple((_readable(p[1]), _readable(p[2])) for p in pairs if p)
        )
    return found


def _readable(text: str) -> str:
    """A text of a commit, on one line, whatever bytes somebody put there."""
    return " ".join(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").split())
