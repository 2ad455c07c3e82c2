"""Files that a verb writes for people, beside the shelf and never over its sources."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterable
from pathlib import Path

from ..domain.errors import ShelfError
from ..storage import exports, files
from ..storage.store import Store

_OURS = ("docs", "archive", "notes", "journal", "inbox", "retros", "templates", ".git")


def write_out(store: Store, out: Path, data: str | bytes | Iterable[bytes]) -> Path:
    """Put a file where the user wants it, whole or not at all; text ends its lines with LF.

    A link stays, and what it leads to is written. Raises ShelfError where the file would lie among
    the shelf's own, or cannot be written.
    """
    out = Path(out)
    refuse_place(store, out)
    raw = data.encode("utf-8") if isinstance(data, str) else data
    try:
        files.replace(_real(out) if out.is_symlink() else out.absolute(), raw)
    except OSError as trouble:
        raise files.sentence(trouble, out) from None
    exports.note(store.root, out)
    return out


def refuse_place(store: Store, out: Path) -> None:
    """Raise ShelfError for what is no place for a file, before anything is rendered for it: also
    where its folder is missing, or a folder or a device in its place."""
    _refuse_no_file(out)
    refuse_inside(store, out)


def refuse_inside(store: Store, out: Path) -> None:
    """Raise ShelfError where a file must not be written: over the shelf's own, or in git's folder.

    At the top of a shelf there may be pages: files that end in .html, .epub, .json or .svg and are
    none of its own.
    """
    root, target = store.root.resolve(), _real(out)
    files.within_workspace(target.parent)
    if not target.is_relative_to(root):
        return
    inside = target.relative_to(root)
    top = inside.parts[0] if inside.parts else ""
    page = target.suffix.lower() in (".html", ".htm", ".epub", ".json", ".svg", ".mmd", ".dot")
    if top in _OURS or top == "stats.svg" or top.startswith(".") or not page:
        said = f"{out} lies among the shelf's own files."
        fix = "Name a file outside the shelf, or at its top one ending in .html."
        raise ShelfError(said, fix, "unsafe-path")


def _real(out: Path) -> Path:
    """Where a path leads. Raises ShelfError where that is nowhere: links in a circle."""
    try:
        return out.resolve()
    except (OSError, RuntimeError):  # RuntimeError before Python 3.13
        said = f"{out} cannot be written: its links lead in a circle."
        raise ShelfError(said, "Name another file.", "unsafe-path") from None


def _refuse_no_file(out: Path) -> None:
    if out == Path("-"):
        fix = "Name a file; what is text is printed where --out is left away."
        raise ShelfError("- is no name of a file.", fix, "bad-path")
    mode, folder = _mode(out), _mode(out.absolute().parent)
    if stat.S_ISDIR(mode):
        raise ShelfError(f"{out} is a folder.", "Name a file in it.", "is-a-folder")
    if mode and not stat.S_ISREG(mode):  # it would be replaced: /dev/null, a pipe
        raise ShelfError(f"{out} is no file but a device or a pipe.", "Name a file.", "unsafe-path")
    if not stat.S_ISDIR(folder):
        fix = "Make it, or name a file elsewhere."
        raise ShelfError(f"There is no folder {out.parent}.", fix, "missing")


def _mode(path: Path) -> int:
    """What kind of thing is at a path, by its mode; 0 for nothing."""
    with contextlib.suppress(OSError):
        return path.stat().st_mode
    return 0


def refuse_folder(store: Store, folder: Path) -> None:
    """Raise ShelfError where a folder of pages must not be: on the shelf, or around all of it."""
    files.within_workspace(folder.absolute().parent)
    root, target = store.root.resolve(), _real(folder)
    if target.is_relative_to(root) or root.is_relative_to(target):
        said = f"{folder} lies on the shelf, or the shelf in it."
        raise ShelfError(said, "Name a folder beside the shelf.", "unsafe-path")
