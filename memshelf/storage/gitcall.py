"""One git process: a deadline of its own, no terminal to ask on, no other repository's settings."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..domain.errors import ShelfError

DEADLINE = 60.0
"""Seconds that one git call may take, unless `MEMSHELF_GIT_TIMEOUT` says otherwise."""

_GRACE = 2.0
_WIDE = 1 << 20
"""Bytes that git may write before we read them: it works on while we do, a third faster in all."""
_DIFF_LINES = 60
# fmt: off
_FOREIGN = frozenset((
    # `git rev-parse --local-env-vars`: what git sets for a hook, and so for another repository
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX",
    "GIT_INTERNAL_SUPER_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR", "GIT_REF_FORMAT",
    # what else would bend the meaning of a command, or ask on the terminal
    "GIT_NAMESPACE", "GIT_CEILING_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_ATTR_SOURCE",
    "GIT_DEFAULT_HASH", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GPG_TTY",
))
# fmt: on
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_OPTIONAL_LOCKS": "0",
}


class GitTrouble(ShelfError):
    """git could not do what was asked."""

    code = "git-failed"


class GitTimeout(GitTrouble):
    """A git call did not end in time and was ended."""

    code = "git-timeout"

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(
            f"`git {what}` did not end within {seconds:g} s and was stopped.",
            "A hook or a signing program may be waiting: commit by hand once to see which; "
            "MEMSHELF_GIT_TIMEOUT=SECONDS allows more time.",
        )


class MergeInProgress(GitTrouble):
    """Something was begun in the repository that a commit would get in the way of."""

    code = "merge-in-progress"

    def __init__(self, what: str) -> None:
        super().__init__(
            f"The repository is in the middle of a {what}; nothing was written.",
            "End it first (`memshelf resolve --commit`, or as `git status` says), then try again.",
        )


class HookRejected(GitTrouble):
    """A hook of the repository refused the commit. `hook` is what it said."""

    code = "hook-rejected"

    def __init__(self, hook: str) -> None:
        said = f"it said: {hook}" if hook else "it said nothing"
        super().__init__(
            f"A git hook refused the commit, and the file was put back as it was; {said}",
            "Do what the hook asks for, then try again.",
        )
        self.hook = hook


class UncommittedEdit(GitTrouble):
    """The file holds an edit that would be overwritten or swept along. `diff` shows all of it."""

    code = "uncommitted-edit"

    def __init__(self, said: str, diff: str, fix: str) -> None:
        lines = diff.splitlines()
        shown = lines[:_DIFF_LINES] + ["..."] * (len(lines) > _DIFF_LINES)
        super().__init__("\n".join([f"{said}:", *shown]), fix)
        self.diff = diff


class Ran(NamedTuple):
    """How a git process ended: its exit code, its output as bytes, its complaints as text."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        """The output as text; bytes that are not UTF-8 survive as surrogates."""
        return self.raw.decode("utf-8", "surrogateescape")


def time_limit() -> float:
    """Seconds that one git call may take."""
    with contextlib.suppress(ValueError):
        named = float(os.environ.get("MEMSHELF_GIT_TIMEOUT", ""))
        return named if named > 0 else DEADLINE
    return DEADLINE


def call(
    folder: Path,
    args: Sequence[str],
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float | None = None,
    keep: Sequence[int] = (),
    check: bool = True,
) -> Ran:
    """Run git in a folder; `Repo.git` says how. Never through a shell."""
    argv = [_program(), *args]
    ran = _run(argv, folder, stdin, _environment(env or {}), seconds or time_limit(), keep)
    if ran.code == 128 and "safe.directory" in ran.err:
        raise GitTrouble(
            f"git will not use {folder}, since the folder belongs to another user.",
            f"If you trust it: git config --global --add safe.directory {folder}",
        )
    if ran.code and check:
        raise failed(args, ran)
    return ran


def talk(folder: Path, args: Sequence[str], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """A git process with which one may talk through pipes; what it complains of goes to a file.

    Whoever talks gives each answer a `deadline`, and ends the process.
    """
    child = subprocess.Popen(
        [_program(), *args],
        cwd=folder,
        env=_environment({}),
        bufsize=1 << 16,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        **_apart(()),
    )
    with contextlib.suppress(ImportError, AttributeError, OSError):  # where the system has it
        import fcntl

        assert child.stdout
        fcntl.fcntl(child.stdout, fcntl.F_SETPIPE_SZ, _WIDE)
    return child


def failed(args: Sequence[str], ran: Ran) -> GitTrouble:
    """A git call that failed, in git's own words."""
    said = plain(ran.err) or f"exit code {ran.code}"
    return GitTrouble(
        f"`git {command(args)}` failed: {said}", "Mend what git names, then try again."
    )


def command(args: Sequence[str]) -> str:
    """The command in a list of arguments: its first word that is no option and no `-c` value."""
    words = [word for word in args if not word.startswith("-") and "=" not in word]
    return words[0] if words else ""


def plain(said: str, limit: int = 2000) -> str:
    """What a program printed, without colours and control characters, its end kept if too long."""
    said = re.sub(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[^\n\t\x20-\x7e\xa0-\U0010ffff]", "", said).strip()
    return said if len(said) <= limit else f"... {said[-limit:]}"


def _environment(extra: Mapping[str, str]) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in _FOREIGN}
    return {**kept, **_QUIET, **extra}


def _program() -> str:
    found = _search(os.environ.get("PATH", os.defpath))
    if not found:
        raise GitTrouble(
            "The git program was not found.",
            'Install git (git-scm.com), or set storage = "plain" in memshelf.toml.',
        )
    return found


@lru_cache
def _search(path: str) -> str | None:
    """git in an absolute folder of PATH: never in the current one, which may be the shelf."""
    for folder in path.split(os.pathsep):
        if Path(folder).is_absolute() and (found := shutil.which(str(Path(folder, "git")))):
            return found
    return None


def _run(
    argv: Sequence[str],
    folder: Path,
    stdin: bytes | None,
    env: Mapping[str, str],
    seconds: float,
    keep: Sequence[int],
) -> Ran:
    """Files stand in for pipes, so that a program left behind by a hook keeps nobody waiting."""
    with contextlib.ExitStack() as stack:
        given, out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        given.write(stdin or b"")
        given.seek(0)
        child = subprocess.Popen(
            argv, cwd=folder, env=env, stdin=given, stdout=out, stderr=err, **_apart(keep)
        )
        if not _ended(child, seconds):
            raise GitTimeout(command(argv[1:]), seconds)
        for file in (out, err):
            file.seek(0)
        return Ran(child.returncode, out.read(), err.read().decode("utf-8", "replace"))


def _apart(keep: Sequence[int]) -> dict[str, Any]:
    """A session of its own: no terminal to ask on, and one group to end it by."""
    if os.name == "nt":
        return {"creationflags": 0x08000200}  # CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP
    return {"start_new_session": True, "pass_fds": tuple(keep)}


def _ended(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for a child; True where it ended by itself in time. (`wait(timeout)` would poll.)"""
    with deadline(child, seconds) as late:
        child.wait()
    return not late.is_set()


@contextlib.contextmanager
def deadline(child: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """Inside, a child that takes longer is ended, and the event is set; whatever is raised here
    ends it too."""
    late = threading.Event()

    def end() -> None:
        late.set()
        kill(child)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield late
    except BaseException:
        kill(child)
        raise
    finally:
        timer.cancel()


def kill(child: subprocess.Popen[bytes]) -> None:
    """End a child and all that it started: asked first, so that git removes its lock files."""
    _signal(child, "SIGTERM")
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(_GRACE)
    _signal(child, "SIGKILL")


def _signal(child: subprocess.Popen[bytes], name: str) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "nt":
            child.terminate()
        else:
            os.killpg(child.pid, getattr(signal, name))
