"""One file of output, and how output differs from what is on disk."""

from __future__ import annotations

from typing import NamedTuple


class Page(NamedTuple):
    """A file that a renderer makes: a relative POSIX path, and its text or bytes."""

    path: str
    data: str | bytes

    @property
    def raw(self) -> bytes:
        """The bytes to write: text is UTF-8 with LF line ends, whatever it was made with."""
        if isinstance(self.data, bytes):
            return self.data
        return self.data.replace("\r\n", "\n").encode("utf-8")


class Drift(NamedTuple):
    """How pages differ from a folder: to be written anew, in place already, to be removed."""

    changed: tuple[Page, ...] = ()
    unchanged: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """True where writing would change nothing."""
        return not self.changed and not self.stale
