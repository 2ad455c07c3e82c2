"""The user's own editor, chosen by git's rules: GIT_EDITOR, core.editor, VISUAL, EDITOR, vi."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..domain.errors import ShelfError


class NoEditor(ShelfError):
    """Nobody is there to edit, or there is nothing to edit with."""

    code = "no-editor"


@contextlib.contextmanager
def edited(name: str, text: str, folder: Path) -> Iterator[str]:
    """The text after the user has edited it, under a file name that tells the editor what it is.

    `folder` is where git is asked for its settings. If the editor dies, somebody interrupts, or what
    is done with the text fails, an edited file is kept, and the error says where. Raises NoEditor.
    """
    file = Path(tempfile.mkdtemp(prefix="memshelf-")) / name
    file.write_text(text, encoding="utf-8", newline="\n")
    try:
        _open(file, folder)
        yield file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except (NoEditor, KeyboardInterrupt) as trouble:
        if file.exists() and file.read_bytes() != text.encode("utf-8"):
            raise _kept(trouble, file) from None
        shutil.rmtree(file.parent, ignore_errors=True)
        raise
    except (ShelfError, UnicodeDecodeError) as trouble:
        said = trouble.message if isinstance(trouble, ShelfError) else "The text is not UTF-8."
        code = trouble.code if isinstance(trouble, ShelfError) else "not-utf8"
        fix = trouble.fix if isinstance(trouble, ShelfError) else "Save it as UTF-8."
        raise ShelfError(said, f"{fix} Your text is kept: {file}".strip(), code) from None
    shutil.rmtree(file.parent, ignore_errors=True)


def _kept(trouble: BaseException, file: Path) -> ShelfError:
    where = f"Your text is kept: {file}"
    if isinstance(trouble, NoEditor):
        return NoEditor(trouble.message, f"{trouble.fix} {where}")
    return ShelfError(
        "Interrupted while the editor was open; nothing was saved.", where, "interrupted"
    )


def _open(file: Path, folder: Path) -> None:
    """git knows the editor, and starts it as an alias in its own shell: so it is the one that the
    user is used to, with the same rules for its arguments, on every system."""
    asked = _git(["var", "GIT_EDITOR"], folder, stdout=subprocess.PIPE)
    command = asked.stdout.decode("utf-8", "surrogateescape").strip()
    fix = "Set VISUAL or EDITOR, or `git config core.editor`."
    if asked.returncode or not command:
        raise NoEditor("git knows no editor here.", fix)
    alias = f"alias.memshelf-edit=!{command}"
    if _git(["-c", alias, "memshelf-edit", str(file)], folder).returncode:
        raise NoEditor(f"The editor ({command}) could not be started, or ended with an error.", fix)


def _git(
    words: list[str], folder: Path, stdout: int | None = None
) -> subprocess.CompletedProcess[bytes]:
    """git at the user's terminal, which other calls of it keep away from."""
    try:
        return subprocess.run(["git", *words], cwd=folder, stdout=stdout, check=False)
    except OSError as trouble:
        said = f"git cannot be started ({trouble.strerror or trouble})."
        raise NoEditor(said, "Install git.") from None
