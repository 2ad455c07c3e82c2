"""Files of a shelf: paths that cannot leave it, writes that are whole or not there."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from ..domain.errors import ShelfError

TEMP_PREFIX, TEMP_SUFFIX = ".memshelf-", ".tmp"
STALE_AFTER = 3600
"""Seconds after which a temporary file that nobody finished is taken for left over."""

_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{device}{digit}" for device in ("com", "lpt") for digit in "123456789¹²³"]
)
_NOT_ON_WINDOWS = frozenset('<>:"|?*') | {chr(code) for code in range(32)}
_PAUSES = (0.02, 0.05, 0.1, 0.2, 0.4)


SIZE_LIMIT = 32 * 1024 * 1024
"""Bytes of the largest file of a shelf that is read."""


class UnsafePath(ShelfError):
    """A path that would leave the shelf, or that some system cannot hold."""

    code = "unsafe-path"


# --- paths -----------------------------------------------------------------------------------


def safe_join(root: Path, rel: str, *, portable: bool = False) -> Path:
    """The file at a relative POSIX path, certain to lie inside `root`; it need not exist.

    Refused are absolute paths, `..`, backslashes, NUL, anything inside `.git`, a folder that leads
    out through a link, and a link as the last part. With `portable`, as everything that is written
    asks for, also names that Windows cannot hold; on Windows these are refused always.
    """
    parts = rel.split("/")
    fault = _fault(rel, parts)
    if not fault and (portable or os.name == "nt"):
        fault = next(filter(None, map(_unportable, parts)), "")
    if fault:
        raise UnsafePath(f"The path {rel!r} {fault}.", "Give a plain relative path on the shelf.")
    within_workspace(root)
    path = root.joinpath(*parts)
    if not _inside(root, path.parent) or path.is_symlink():
        raise is_link(rel)
    return path


def is_link(rel: str) -> UnsafePath:
    """What is said of a file that is reached through a link."""
    return UnsafePath(
        f"The path {rel!r} leads through a link.", "Put the file itself on the shelf."
    )


def _fault(rel: str, parts: list[str]) -> str:
    if not rel or "" in parts or "." in parts:
        return "is empty, absolute or has an empty part"
    if ".." in parts:
        return "leads upwards"
    if "\\" in rel or "\0" in rel or (len(rel) > 1 and rel[1] == ":"):
        return "holds a backslash, a NUL or a drive"
    if any(part.rstrip(". ").casefold() in (".git", "git~1") for part in parts):
        return "lies inside git's own folder"
    return ""


def _unportable(part: str) -> str:
    """Why Windows cannot hold a name; empty where it can.

    >>> _unportable("2026-01-05-fine.md"), _unportable("aux.md"), _unportable("dot.")
    ('', "has the part 'aux.md', a device on Windows", "has the part 'dot.', which ends oddly")
    """
    if part.split(".")[0].rstrip().casefold() in _DEVICES:
        return f"has the part {part!r}, a device on Windows"
    if part[-1:] in (".", " "):
        return f"has the part {part!r}, which ends oddly"
    if _NOT_ON_WINDOWS & set(part):
        return f"has the part {part!r}, which no file on Windows may be called"
    return ""


def within_workspace(root: Path) -> None:
    """Nothing, where `MEMSHELF_WORKSPACE_ROOT` is unset or contains the folder; else UnsafePath."""
    bound = os.environ.get("MEMSHELF_WORKSPACE_ROOT")
    if bound and not Path(os.path.realpath(root)).is_relative_to(os.path.realpath(bound)):
        raise UnsafePath(
            f"{root} lies outside {bound}, the folder that MEMSHELF_WORKSPACE_ROOT allows.",
            "Name a folder inside it, or start with another MEMSHELF_WORKSPACE_ROOT.",
        )


def _inside(root: Path, folder: Path) -> bool:
    """Whether a folder, or its nearest one that exists, is inside the root after all links."""
    while folder != root:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            found = folder.stat()
            return _resolved_inside(str(root), str(folder), found.st_dev, found.st_ino)
        if folder.is_symlink():
            return False
        folder = folder.parent
    return True


@lru_cache(maxsize=256)
def _resolved_inside(root: str, folder: str, device: int, inode: int) -> bool:
    """Device and inode are in the key so that a folder turned into a link is looked at anew."""
    return Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root))


def sizes(folder: Path) -> dict[str, int]:
    """Bytes of the regular files below a folder, by path; without those that go meanwhile."""
    found = {}
    for file in folder.glob("**/*"):
        with contextlib.suppress(FileNotFoundError):
            told = file.stat()
            if stat.S_ISREG(told.st_mode):
                found[file.relative_to(folder).as_posix()] = told.st_size
    return found


# --- reading ---------------------------------------------------------------------------------


def read_text(root: Path, rel: str, limit: int) -> str:
    """A file of the shelf as text, every byte kept. Raises ShelfError naming the file and the fix.

    `limit` is in bytes: a larger file is refused unread.
    """
    return decoded(read_bytes(safe_join(root, rel), rel, limit), rel)


def read_bytes(path: Path | str, rel: str, limit: int) -> bytes:
    """The bytes of a file whose path was checked already; `rel` is its name in what is raised."""
    try:
        data = _read(path, limit + 1)
    except OSError as trouble:
        raise sentence(trouble, rel) from None
    if len(data) > limit:
        raise too_large(rel, limit)
    return data


def too_large(rel: str, limit: int) -> ShelfError:
    """What is said of a file with more bytes than the limit."""
    return ShelfError(f"{rel} is larger than {limit // 1024} KiB.", "Split it.", "too-large")


def _read(path: Path | str, limit: int) -> bytes:
    """At most `limit` bytes of a file, by the system's own calls: half the time of a file object."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EISDIR, "not a regular file")  # a pipe would be waited on for ever
        size = min(found.st_size + 1, limit)
        data = os.read(handle, size)
        while len(data) == size < limit:  # it grew after it was measured
            size = min(2 * size, limit)
            data += os.read(handle, size - len(data))
    finally:
        os.close(handle)
    return data


def decoded(data: bytes, rel: str) -> str:
    """Bytes of a file as text, line ends as they are."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as trouble:
        said = f"{rel} is not UTF-8 (byte {trouble.start})."
        raise ShelfError(said, "Save it as UTF-8.", code="not-utf8") from None


# --- writing ---------------------------------------------------------------------------------


placed = 0
"""How many files this process has put in place: who trusts a look of a moment ago asks this too."""


def replace(path: Path, data: bytes | Iterable[bytes], *, mode: int | None = None) -> None:
    """Put a file in place, whole: readers see the old bytes or the new ones, never a part.

    A large file may come in parts, which are written one after the other.
    The permissions of the file before are kept; a new one gets `mode`, else what the umask leaves.
    Its folder must exist. Raises OSError, with nothing changed and no temporary file left.
    """
    global placed
    sweep(path.parent)
    placed += 1
    before = _permissions(path)
    temp = path.with_name(f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(4).hex()}{TEMP_SUFFIX}")
    try:
        _write(temp, data, before, mode)
        _rename(temp, path)
    except BaseException as trouble:
        with contextlib.suppress(OSError):
            temp.unlink(missing_ok=True)
        if isinstance(trouble, OSError):
            trouble.filename = str(path)  # nobody knows the temporary one
        raise


def _permissions(path: Path) -> os.stat_result | None:
    with contextlib.suppress(FileNotFoundError):
        return path.stat()
    return None


def _write(
    temp: Path, data: bytes | Iterable[bytes], before: os.stat_result | None, mode: int | None
) -> None:
    binary = getattr(os, "O_BINARY", 0)
    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | binary, 0o666)
    with os.fdopen(handle, "wb") as file:
        file.writelines([data] if isinstance(data, bytes) else data)
        file.flush()
        os.fsync(file.fileno())
    if before is not None:
        if hasattr(os, "chown") and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
            with contextlib.suppress(OSError):
                os.chown(temp, before.st_uid, before.st_gid)
        mode = stat.S_IMODE(before.st_mode)
    if mode is not None:
        temp.chmod(mode)


def _rename(temp: Path, path: Path) -> None:
    """On Windows a reader or a virus scanner may hold the file for a moment."""
    for pause in _PAUSES:
        try:
            temp.replace(path)
            return
        except PermissionError:
            time.sleep(pause)
    temp.replace(path)


@lru_cache(maxsize=1024)
def sweep(folder: Path) -> None:
    """Remove temporary files that a killed process left in a folder an hour ago or earlier.

    Looks once in the life of a process: a folder of thousands is listed in milliseconds, not free.
    """
    oldest = time.time() - STALE_AFTER
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            if entry.name.startswith(TEMP_PREFIX) and entry.name.endswith(TEMP_SUFFIX):
                with contextlib.suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime < oldest:
                        Path(entry.path).unlink()


# --- what the disk said ----------------------------------------------------------------------

_SENTENCES: dict[int, tuple[str, str, str]] = {
    errno.ENOSPC: ("disk-full", "The disk is full", "Free some space and try again."),
    errno.EFBIG: ("too-large", "The file would be too large", "Free space or write less."),
    errno.EROFS: ("read-only", "The disk is read-only", "Mount it writable, or use a copy."),
    errno.EACCES: ("no-permission", "Permission was denied", "Give this user access to it."),
    errno.EPERM: ("no-permission", "The system forbids it", "Give this user access to it."),
    errno.ENAMETOOLONG: ("name-too-long", "The name is too long", "Choose a shorter one."),
    errno.EISDIR: ("is-a-folder", "A folder is in its place", "Move the folder away."),
    errno.ENOTDIR: ("not-a-folder", "A file is where a folder should be", "Move the file away."),
    errno.EEXIST: ("not-a-folder", "A file is where a folder should be", "Move the file away."),
    errno.ENOENT: ("missing", "It is not there", "Check the path, or restore it with git."),
    errno.ELOOP: ("unsafe-path", "Links lead in a circle", "Put the file itself in its place."),
    errno.EMFILE: ("too-many-files", "Too many files are open", "Close some programs."),
}
if hasattr(errno, "EDQUOT"):
    _SENTENCES[errno.EDQUOT] = ("disk-full", "The disk quota is used up", "Free some space.")


@contextlib.contextmanager
def telling(path: object) -> Iterator[None]:
    """Turn what the system says in here about a file into a ShelfError."""
    try:
        yield
    except OSError as trouble:
        raise sentence(trouble, trouble.filename or path) from None


def sentence(trouble: OSError, path: object) -> ShelfError:
    """What the system said about a file, as a sentence that names the file and the fix."""
    code, what, fix = _SENTENCES.get(
        trouble.errno or 0,
        ("io-error", trouble.strerror or str(trouble), "Check the disk and try again."),
    )
    return ShelfError(f"{path}: {what[:1].lower()}{what[1:]}.", fix, code=code)
