"""Objects: what git keeps, by its id, out of one process that answers as long as it is asked."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import weakref
from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import IO

from ..domain.errors import ShelfError
from . import files
from .gitcall import GitTimeout, GitTrouble, Ran, deadline, failed, kill, time_limit
from .repo import Repo

# A cache knows a content by its id, so an object that stands in for another must not be read.
_ASKING = ("--no-replace-objects", "cat-file", "--batch")
_PORTION = 48
"""So many are asked for at once: the question must fit into a pipe that nobody empties yet (4 KiB
on some systems, and a line is up to 65 bytes)."""
_PIECE = 1 << 16
_GRACE = 2.0

Wanted = tuple[str, str]
"""A file whose content is asked for: its path, for what is raised, and the id of its blob."""

Content = bytes | ShelfError
"""The bytes of a file as git keeps them, no filter applied; or why there are none."""


class Objects:
    """The objects of one repository. The process starts with the first question."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._talk: _Talk | None = None
        self._owed: list[Wanted] = []

    def one(self, path: str, blob: str) -> bytes:
        """The content of one file. Raises ShelfError where there is none."""
        (content,) = self.read([(path, blob)])
        if isinstance(content, ShelfError):
            raise content
        return content

    def read(self, wanted: Iterable[Wanted]) -> Iterator[Content]:
        """The contents of some files, in order. Read one list to its end before the next.

        Raises GitTimeout where git is silent for longer than one call may take, and GitTrouble
        where it gives up.
        """
        todo = list(wanted)
        for at in range(0, len(todo), _PORTION):
            yield from self._portion(todo[at : at + _PORTION], todo[at + _PORTION :][:_PORTION])

    def _portion(self, now: list[Wanted], after: list[Wanted]) -> list[Content]:
        """The answers to one portion; the next is asked for, so that git works while we do."""
        talk = self._talk or self._begun()
        try:
            if self._owed != now:
                for path, blob in self._owed:  # somebody stopped reading early
                    talk.answer(path, blob)
                talk.ask(now)
            got = [talk.answer(path, blob) for path, blob in now]
            talk.ask(after)
        except BaseException as trouble:
            self._talk = None
            if isinstance(trouble, EOFError | OSError):
                raise talk.trouble(trouble) from None
            raise
        self._owed = after
        return got

    def _begun(self) -> _Talk:
        errors = TemporaryFile()  # noqa: SIM115 - closed with the process
        self._talk = _Talk(self._repo.talk(*_ASKING, errors=errors), errors)
        self._owed = []
        weakref.finalize(self, self._talk.end)
        return self._talk


class _Talk:
    """A running `git cat-file --batch`. Its format: git-cat-file(1), BATCH OUTPUT."""

    def __init__(self, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        assert process.stdin and process.stdout
        self._process, self._errors = process, errors
        self._asking, self._answers = process.stdin, process.stdout
        self._limit = time_limit()
        self._read = bytearray()
        self._ready = selectors.DefaultSelector()
        if os.name != "nt":  # where only sockets can be waited for
            self._ready.register(self._answers, selectors.EVENT_READ)

    def ask(self, wanted: Iterable[Wanted]) -> None:
        """Ask for some contents. Their answers must be taken in the same order."""
        self._asking.write("".join(f"{blob}\n" for _, blob in wanted).encode("ascii"))
        self._asking.flush()

    def answer(self, path: str, blob: str) -> Content:
        """The next answer, which must be to that question. EOFError where git ended."""
        name, _, said = self._line().partition(" ")
        if name != blob:
            raise EOFError
        if said == "missing":
            return ShelfError(f"git lacks the content of {path}.", "Run `git fsck`.", "missing")
        size = int(said.split()[1])
        if size > files.SIZE_LIMIT:
            self._pass_over(size + 1)
            return files.too_large(path, files.SIZE_LIMIT)
        return self._take(size + 1)[:-1]

    def trouble(self, what: BaseException) -> GitTrouble:
        """What went wrong with a process that stopped answering; it is stopped."""
        late = isinstance(what, TimeoutError)
        self._stop(0 if late else _GRACE)
        if late:
            return GitTimeout(_ASKING[1], self._limit)
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace")
        return failed(_ASKING, Ran(self._process.returncode, b"", said))

    def end(self) -> None:
        """Let go of the process; one that is asked nothing more ends by itself."""
        self._stop(_GRACE)
        self._errors.close()

    def _stop(self, patience: float) -> None:
        self._ready.close()
        for pipe in (self._asking, self._answers):
            with contextlib.suppress(OSError):
                pipe.close()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            kill(self._process)

    # --- what the process wrote ----------------------------------------------------------------

    def _line(self) -> str:
        while (end := self._read.find(b"\n")) < 0:
            self._more()
        return self._take(end + 1)[:-1].decode("ascii", "replace")

    def _take(self, size: int) -> bytes:
        while len(self._read) < size:
            self._more()
        taken = bytes(self._read[:size])
        del self._read[:size]
        return taken

    def _pass_over(self, size: int) -> None:
        while size > 0:
            size -= len(self._take(min(size, _PIECE)))

    def _more(self) -> None:
        """What comes next. TimeoutError where nothing does in time, EOFError where git ended."""
        if os.name == "nt":
            with deadline(self._process, self._limit) as late:
                piece = self._piece()
            in_time = not late.is_set()
        else:
            in_time = bool(self._ready.select(self._limit))
            piece = self._piece() if in_time else b""
        if not in_time:
            raise TimeoutError
        if not piece:
            raise EOFError
        self._read += piece

    def _piece(self) -> bytes:
        return os.read(self._answers.fileno(), _PIECE)
