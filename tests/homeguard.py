"""Hands off the real home: a test that is about to change something there is stopped, and fails."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HOME = os.path.realpath(Path.home())
_FREE = tuple(
    os.path.realpath(path) + os.sep
    for path in (ROOT, tempfile.gettempdir(), sys.prefix, sys.base_prefix)
)
_CHANGES = {"os.mkdir": 1, "os.remove": 1, "os.rmdir": 1, "os.rename": 2, "os.symlink": 2}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_watching = False
touched: list[str] = []


class HomeTouched(BaseException):
    """A test was about to change something in the home of whoever runs the tests."""


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if not _watching:
        return
    paths: tuple[object, ...] = ()
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING:
        paths = arguments[:1]
    elif event in _CHANGES:
        paths = arguments[: _CHANGES[event]]
    for path in paths:
        if not isinstance(path, str | bytes):
            continue
        whole = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - resolving would touch the disk
        if at_home(whole):
            touched.append(f"{event} {os.fsdecode(path)}")
            raise HomeTouched(touched[-1])


def at_home(path: str) -> bool:
    return (
        path.startswith(HOME + os.sep) and not path.startswith(_FREE) and "__pycache__" not in path
    )


@contextlib.contextmanager
def watched() -> Iterator[None]:
    global _watching
    _watching = True
    try:
        yield
    finally:
        _watching = False
        found, touched[:] = list(touched), []
    if found:
        pytest.fail(f"the test touched the real home: {', '.join(found)}", pytrace=False)


sys.addaudithook(_audit)
