"""What the command line has answered, said again while all that it was made from stands.

One disposable file for each question, outside every shelf. It holds the marks that the file system
set on everything from which the answer was made, as they were before it was made; while they are
the same, so is the answer. Like `marks`, this imports next to nothing.
"""

from __future__ import annotations

import marshal
import os
import zlib

from .marks import marks
from .places import answers_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .glance import Glance

_MOST, _LONGEST = 32, 32 * 1024 * 1024
"""So many answers are kept, and none of more bytes."""


def asked(words: Sequence[str]) -> str:
    """A question: all that an answer depends on beside files. The words, the folder, the settings.

    Empty where the folder does not exist any more: then nothing is remembered.
    """
    names = ("MEMSHELF_", "_MEMSHELF_")
    settings = sorted(pair for pair in os.environ.items() if pair[0].startswith(names))
    try:
        return repr((os.getcwd(), settings, list(words)))  # noqa: PTH109
    except OSError:
        return ""


def find(question: str) -> tuple[bytes, str] | None:
    """What was answered, in UTF-8, and said beside it on standard error; None where that may have
    changed."""
    if not question:
        return None
    try:
        with open(_file(question), "rb") as file:  # noqa: PTH123
            data = file.read()
        if int.from_bytes(data[:4], "big") != zlib.crc32(memoryview(data)[4:]):
            return None
        known, places, before, answer, note = marshal.loads(memoryview(data)[4:])
    except (OSError, ValueError, TypeError, EOFError):
        return None
    if not isinstance(answer, bytes):  # of an older memshelf
        return None
    same = known == question and marks(places)[0] == before
    return (answer, note) if same else None


def keep(question: str, before: Glance, text: str, note: str) -> None:
    """Remember an answer that was made after a glance, if that can tell a change."""
    if not question or not before.settled or len(text) > _LONGEST:
        return
    try:
        answer = text.encode("utf-8", "backslashreplace")
        data = marshal.dumps((question, before.places, before.marks, answer, note), 2)
        _write(_file(question), zlib.crc32(data).to_bytes(4, "big") + data)
    except (OSError, ValueError):
        pass  # it will take its time again


def _file(question: str) -> str:
    name = zlib.crc32(question.encode("utf-8", "surrogatepass"))
    return f"{answers_dir()}/{name:08x}"


def _write(path: str, data: bytes) -> None:
    """Put the file in place, whole, and let go of the oldest ones."""
    from pathlib import Path

    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temp = file.with_name(f"{file.name}-{os.getpid()}.tmp")
    temp.write_bytes(data)
    temp.replace(file)
    kept = sorted(file.parent.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    for old in kept[:-_MOST]:
        old.unlink(missing_ok=True)
