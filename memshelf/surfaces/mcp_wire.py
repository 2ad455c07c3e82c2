"""The wire of a server over stdio: lines in and lines out, and nothing else ever on it."""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
import time
from collections.abc import Iterator
from typing import BinaryIO

LONGEST = 96 * 1024 * 1024
"""Bytes of the longest line that is taken: the largest episode file, escaped, has room in it."""


class Wire:
    """Reads lines from one descriptor and writes lines to another, in a thread of its own."""

    def __init__(self, source: int, sink: int) -> None:
        self._source: BinaryIO = os.fdopen(source, "rb", 1 << 16, closefd=False)
        self._sink = sink
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="memshelf-out", daemon=True)
        self._writer.start()
        self.broken = False

    @classmethod
    def take(cls) -> Wire:
        """The wire on standard input and output, which from now on nobody else has.

        Whatever prints goes to standard error, and whatever reads, child processes too, finds an
        empty input.
        """
        source, sink = _aside(0), _aside(1)
        for end in (source, sink):
            # A socket shared with its maker may be non-blocking; Windows learned this in 3.12.
            with contextlib.suppress(OSError, AttributeError):
                os.set_blocking(end, True)
        _point(0, os.open(os.devnull, os.O_RDONLY))
        try:
            _point(1, os.dup(2))
        except OSError:
            _point(1, os.open(os.devnull, os.O_WRONLY))
        sys.stdout = sys.stderr
        return cls(source, sink)

    def lines(self) -> Iterator[bytes | None]:
        """Every line until the other side closes; None for one that is longer than LONGEST."""
        with contextlib.suppress(OSError):
            while line := self._source.readline(LONGEST):
                if line.endswith(b"\n") or len(line) < LONGEST:
                    yield line
                    continue
                while line and not line.endswith(b"\n"):
                    line = self._source.readline(LONGEST)
                yield None

    def send(self, line: bytes) -> None:
        """Write a line, without its end; returns at once."""
        self._out.put(line + b"\n")

    def flush(self, seconds: float) -> None:
        """Wait until everything was written, but not longer than that."""
        self._out.put(None)
        self._writer.join(seconds)

    def _write(self) -> None:
        while (data := self._out.get()) is not None:
            try:
                while data:
                    data = data[self._written(data) :]
            except OSError:
                self.broken = True  # the reader left; the end of our input follows

    def _written(self, data: bytes) -> int:
        try:
            return os.write(self._sink, data)
        except BlockingIOError:
            time.sleep(0.005)
            return 0


def _aside(descriptor: int) -> int:
    """A copy of a descriptor that no child inherits and that is none of the standard three."""
    low = []
    while (copy := os.dup(descriptor)) <= 2:
        low.append(copy)
    for other in low:
        os.close(other)
    return copy


def _point(descriptor: int, target: int) -> None:
    os.dup2(target, descriptor, inheritable=True)
    if target != descriptor:
        os.close(target)
