"""What the file system says of files, none of which is opened: the mark that tells a change.

Nothing is imported here, and nothing hashed: looking at 10,000 files takes 35 ms, and each of the
usual libraries takes five.
"""

from __future__ import annotations

import marshal
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def marks(places: Sequence[str]) -> tuple[bytes, int]:
    """The marks of all files at some places, and the youngest change in nanoseconds of the epoch.

    A place is an absolute path with `/`; a last part `*.md` means every entry of a folder that is
    named so. What is missing or closed is marked as such.
    """
    parts, youngest = [], 0
    for place in places:
        names, stamps = _seen(place)
        youngest = max(youngest, max(stamps)[0]) if stamps else youngest
        named = "\0".join((place, *names)).encode("utf-8", "surrogatepass")
        parts += [named, marshal.dumps(stamps, 2)]
    return joined(parts), youngest


def joined(parts: Iterable[bytes]) -> bytes:
    """Marks of several places as those of all of them."""
    return b"\0\0".join(parts)


def _seen(place: str) -> tuple[list[str], list[tuple[int, ...]]]:
    """Names and stamps; the time of change is first in a stamp."""
    folder, _, name = place.rpartition("/")
    try:
        if not name.startswith("*"):
            return [], [_stamp(os.lstat(place))]
        ending = name[1:]
        with os.scandir(f"{folder}/") as found:
            entries = [entry for entry in found if entry.name.endswith(ending)]
            stamps = [_stamp(entry.stat(follow_symlinks=False)) for entry in entries]
        return [entry.name for entry in entries], stamps
    except OSError as trouble:
        return [type(trouble).__name__], []


def _stamp(stat: os.stat_result) -> tuple[int, ...]:
    return (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino, stat.st_mode)
