"""Which files of a shelf git merges how: what stands in `.gitattributes`, and in one clone alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

DERIVED = "memshelf-derived"
LOG = "memshelf-log"
UNION = "union"
"""git's own driver that never conflicts: it keeps the lines of both sides."""

BOTS = (".github/workflows/shelf-derived.yml", ".gitlab/shelf-derived.yml")
"""By one of these files, from the top of the repository, a shelf says that a bot renders it."""

_SAID = "# Made from the episodes: a merge keeps the lines of both sides, the next rebuild renders anew."


def attributes(derived: Iterable[str], log: str) -> str:
    """The lines of `.gitattributes` with which every clone, as it is, merges without conflict."""
    return _SAID + "\n" + "".join(f"{pattern(p)} merge={UNION}\n" for p in (*derived, log))


def driven(derived: Iterable[str], log: str) -> list[str]:
    """The lines for a clone that has our drivers; paths count from the top of the worktree."""
    return [*(f"{pattern(p)} merge={DERIVED}" for p in derived), f"{pattern(log)} merge={LOG}"]


def completed(text: str, wanted: str) -> str:
    """A `.gitattributes` with those of some lines that are for patterns it says nothing of a merge
    for; all else as it is."""
    known = {line.split()[0] for line in text.splitlines() if " merge" in line or "\tmerge" in line}
    missing = [line for line in wanted.splitlines() if line[0] != "#"]
    missing = [line for line in missing if line.split()[0] not in known]
    if not missing:
        return text
    gap = "" if not text or text.endswith("\n") else "\n"
    return text + gap + "".join(f"{line}\n" for line in (_SAID, *missing))


def pattern(path: str) -> str:
    """A pattern of gitattributes that means this one path.

    >>> pattern("INDEX.md"), pattern("my shelf/INDEX.md")
    ('/INDEX.md', '"/my shelf/INDEX.md"')
    """
    plain = "/" + re.sub(r"([\\*?\[])", r"\\\1", path)
    if not re.search(r'[\s"]', plain):
        return plain
    quoted = plain.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{quoted}"'
