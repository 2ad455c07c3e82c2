"""What git's own files say, read as files: where the repository is, and what goes on in it.

No process is started here, so that a read verb may ask.
"""

from __future__ import annotations

import contextlib
import re
import struct
from pathlib import Path
from typing import NamedTuple

_ELSEWHERE = "refs/heads/.invalid"
"""What HEAD names where references lie in a table (reftable) and not in files."""

_SIGNS = (
    ("rebase", "rebase-merge"),
    ("am", "rebase-apply/applying"),
    ("rebase", "rebase-apply"),
    ("merge", "MERGE_HEAD"),
    ("cherry-pick", "CHERRY_PICK_HEAD"),
    ("revert", "REVERT_HEAD"),
    ("bisect", "BISECT_LOG"),
)


class GitDir(NamedTuple):
    """Where the repository of a shelf is; all paths are absolute and resolved.

    `git_dir` is this worktree's own folder, `common_dir` the one that all worktrees share,
    `worktree` the top folder of the files, `prefix` the shelf's POSIX path inside it ("" at the
    top).
    """

    git_dir: Path
    common_dir: Path
    worktree: Path
    prefix: str

    def full(self, path: str) -> str:
        """A path of the shelf as git names it: relative to the top of the worktree."""
        return f"{self.prefix}/{path}" if self.prefix else path

    def short(self, full: str) -> str:
        """The inverse of `full`; a path outside the shelf stays as it is."""
        return full.removeprefix(f"{self.prefix}/") if self.prefix else full


class Head(NamedTuple):
    """What HEAD names: a branch, or a commit and no branch. Neither: only git itself can tell."""

    branch: str | None = None
    detached: bool = False


def find(root: Path) -> GitDir | None:
    """The repository that a folder lies in: its own, else the nearest one upwards."""
    root = root.resolve()
    for folder in (root, *root.parents):
        git_dir = _git_dir(folder / ".git")
        if git_dir:
            inside = root.relative_to(folder).as_posix()
            return GitDir(git_dir, _common(git_dir), folder, "" if inside == "." else inside)
    return None


def _git_dir(dot: Path) -> Path | None:
    """`.git` is a folder, or in a linked worktree and a submodule a file that names the folder."""
    if dot.is_dir():
        return dot.resolve() if (dot / "HEAD").is_file() else None
    named = _line(dot)
    if named and named.startswith("gitdir:"):
        return (dot.parent / named.removeprefix("gitdir:").strip()).resolve()
    return None


def _common(git_dir: Path) -> Path:
    named = _line(git_dir / "commondir")
    return (git_dir / named).resolve() if named else git_dir


def _line(path: Path) -> str | None:
    with contextlib.suppress(OSError, UnicodeError):
        return path.read_text("utf-8").rstrip("\r\n")
    return None


# --- states ----------------------------------------------------------------------------------


def in_progress(where: GitDir) -> str | None:
    """What was begun and not ended: rebase, am, merge, cherry-pick, revert or bisect."""
    for name, sign in _SIGNS:
        if (where.git_dir / sign).exists():
            return name
    if (where.git_dir / "sequencer").exists():
        todo = _line(where.git_dir / "sequencer" / "todo") or ""
        return "revert" if todo.startswith("revert") else "cherry-pick"
    return None


def head(where: GitDir) -> Head:
    """The branch that HEAD is on, or that it is detached."""
    named = _line(where.git_dir / "HEAD") or ""
    if not named.startswith("ref:"):
        return Head(detached=bool(named))
    ref = named.removeprefix("ref:").strip()
    return Head() if ref == _ELSEWHERE else Head(ref.removeprefix("refs/heads/"))


def commit(where: GitDir) -> str | None:
    """The commit at HEAD: empty where there is none yet, None where only git itself can tell."""
    named = _line(where.git_dir / "HEAD") or ""
    if not named.startswith("ref:"):
        return named or None
    ref = named.removeprefix("ref:").strip()
    if ref == _ELSEWHERE:
        return None
    found = _line(where.common_dir / ref) or _packed(where, ref)
    return None if found.startswith("ref:") else found


def _packed(where: GitDir, ref: str) -> str:
    packed = _text(where.common_dir / "packed-refs")
    found = re.search(rf"^([0-9a-f]+) {re.escape(ref)}$", packed, re.MULTILINE)
    return found.group(1) if found else ""


def _text(path: Path) -> str:
    with contextlib.suppress(OSError):
        return path.read_text("utf-8", "surrogateescape")
    return ""


def hash_name(where: GitDir) -> str:
    """The hash function of the repository's ids: sha1 or sha256."""
    found = re.search(r"(?im)^\s*objectformat\s*=\s*\"?(\w+)", _text(where.common_dir / "config"))
    return found.group(1).lower() if found else "sha1"


# --- the index -------------------------------------------------------------------------------


def has_unmerged(index: bytes, id_size: int) -> bool | None:
    """Whether an index holds entries of an unfinished merge; None where only git can tell.

    `index` is the content of the file, `id_size` the bytes of an id (20 or 32). Versions 2 and 3
    are understood. Format: gitformat-index(5).
    """
    if not index:
        return False
    magic, version, count = struct.unpack_from(">4sII", index)
    if magic != b"DIRC" or version not in (2, 3):
        return None
    flags_of, at, flags_at = struct.Struct(">H").unpack_from, 12, 40 + id_size
    for _ in range(count):
        (flags,) = flags_of(index, at + flags_at)
        if flags & 0x3000:
            return True
        name = at + flags_at + (4 if flags & 0x4000 else 2)
        length = flags & 0xFFF
        end = name + length if length < 0xFFF else index.index(0, name)
        at += (end - at + 8) & ~7
    return None if b"link" in index[at:] else False


def in_index(index: bytes, full: str) -> bool:
    """True where an index surely holds an ordinary entry of that path; False is no proof."""
    name = full.encode("utf-8", "surrogateescape")
    return struct.pack(">H", min(len(name), 0xFFF)) + name + b"\0" in index
