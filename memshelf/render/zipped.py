"""Files as one ZIP archive whose bytes depend on nothing but the files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator

from ..domain.page import Page

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
_LEVEL = 6
_UNIX, _FILE = 3, 0o100644 << 16


def zipped(pages: Iterable[Page], stored: bool = False) -> bytes:
    """The archive of some files, in the order given; a file named `mimetype` is never compressed.

    What zlib makes of the same bytes is the same on one machine, and differs between its releases
    and its kin (zlib-ng, Apple's). With `stored` nothing is compressed: four times the size, and
    the same bytes everywhere.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for page in pages:
            packed = not stored and page.path != "mimetype"
            archive.writestr(
                _info(page.path, packed), page.raw, compresslevel=_LEVEL if packed else None
            )
    return out.getvalue()


def _info(path: str, packed: bool) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path, _FIRST_DAY)
    info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    info.create_system, info.external_attr = _UNIX, _FILE
    return info


def unzipped(data: bytes, prefix: str = "") -> Iterator[Page]:
    """The files of an archive, in its order; `prefix` stands in front of their paths."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            yield Page(prefix + name, archive.read(name))
