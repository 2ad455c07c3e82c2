from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gitkit import GIVES_AWAY, POSIX
from hypothesis import given, settings
from hypothesis import strategies as st

from memshelf.domain.errors import ShelfError
from memshelf.storage import files
from memshelf.storage.files import UnsafePath, replace, safe_join, sentence

BAD = [
    *("", "/etc/passwd", "..", "../x", "docs/../../x", "docs//x", "./x", "docs/.", "a\\..\\b"),
    *("C:/x", "c:x", "docs/x\0.md", ".git/config", "docs/.GIT/hooks/x", ".git./x", "git~1/x"),
]
NOT_ON_WINDOWS = [
    *("docs/aux.md", "nul", "docs/con", "docs/COM1.txt", "docs/lpt9.tar.gz", "docs/x.", "docs/x "),
    *("docs/a:b.md", "docs/what?.md", "docs/a|b", 'docs/"x"', "docs/a\nb", "docs/<x>"),
]


@pytest.mark.parametrize("path", BAD)
def test_a_path_that_leaves_the_shelf_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(UnsafePath):
        safe_join(tmp_path, path)


@pytest.mark.parametrize("path", NOT_ON_WINDOWS)
def test_a_name_that_windows_cannot_hold_is_refused_for_what_is_written(
    tmp_path: Path, path: str
) -> None:
    with pytest.raises(UnsafePath):
        safe_join(tmp_path, path, portable=True)


@POSIX
def test_an_old_name_that_windows_cannot_hold_is_still_read(tmp_path: Path) -> None:
    (tmp_path / "aux.md").write_text("old")
    assert files.read_text(tmp_path, "aux.md", 100) == "old"


@pytest.mark.parametrize(
    "path", ["x.md", "docs/topics/2026-01-05-é.md", "docs/..x/...y", "日本/語"]
)
def test_a_plain_path_is_joined(tmp_path: Path, path: str) -> None:
    assert safe_join(tmp_path, path) == tmp_path / path


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="./\\ab:~ \0C", max_size=12))
def test_whatever_is_joined_lies_inside(
    tmp_path_factory: pytest.TempPathFactory, path: str
) -> None:
    root = tmp_path_factory.getbasetemp()
    try:
        joined = safe_join(root, path)
    except UnsafePath:
        return
    assert os.path.realpath(joined).startswith(os.path.realpath(root) + os.sep)


@POSIX
def test_links_that_lead_out_are_refused_and_those_inside_are_followed(tmp_path: Path) -> None:
    shelf, outside = tmp_path / "shelf", tmp_path / "outside"
    (shelf / "docs").mkdir(parents=True)
    outside.mkdir()
    (shelf / "out").symlink_to(outside)
    (shelf / "in").symlink_to("docs")
    (shelf / "docs" / "passwd.md").symlink_to("/etc/passwd")
    (shelf / "dangling").symlink_to(tmp_path / "nowhere")
    for path in ("out/x.md", "out/new/x.md", "docs/passwd.md", "dangling/x.md", "out"):
        with pytest.raises(UnsafePath):
            safe_join(shelf, path)
    assert safe_join(shelf, "in/x.md") == shelf / "in" / "x.md"


@POSIX
def test_a_folder_that_becomes_a_link_is_noticed(tmp_path: Path) -> None:
    shelf, outside = tmp_path / "shelf", tmp_path / "outside"
    (shelf / "docs").mkdir(parents=True)
    outside.mkdir()
    safe_join(shelf, "docs/x.md")
    (shelf / "docs").rmdir()
    (shelf / "docs").symlink_to(outside)
    with pytest.raises(UnsafePath):
        safe_join(shelf, "docs/x.md")


def test_the_workspace_bounds_every_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    monkeypatch.setenv("MEMSHELF_WORKSPACE_ROOT", str(tmp_path / "in"))
    assert safe_join(tmp_path / "in", "x")
    with pytest.raises(UnsafePath, match="MEMSHELF_WORKSPACE_ROOT"):
        safe_join(tmp_path, "x")
    with pytest.raises(UnsafePath):
        files.within_workspace(tmp_path / "inside")


# --- reading ---------------------------------------------------------------------------------


def test_a_file_is_read_byte_for_byte_or_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes("\ufeffa\r\nb\u2028".encode())
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    assert files.read_text(tmp_path, "x.md", 100) == "\ufeffa\r\nb\u2028"
    for path, limit, code in [
        *(("x.md", 3, "too-large"), ("latin.md", 100, "not-utf8")),
        *(("none.md", 100, "missing"), ("../x.md", 100, "unsafe-path")),
    ]:
        with pytest.raises(ShelfError, match=path) as caught:
            files.read_text(tmp_path, path, limit)
        assert (caught.value.code, bool(caught.value.fix)) == (code, True)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- writing ---------------------------------------------------------------------------------


def test_a_write_replaces_the_whole_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    replace(path, b"one")
    replace(path, b"\xff\0two\r\n")
    assert path.read_bytes() == b"\xff\0two\r\n"
    assert names(tmp_path) == ["x.md"]


@POSIX
@pytest.mark.parametrize("mode", [0o640, 0o600, 0o755, 0o444])
def test_permissions_are_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"old")
    path.chmod(mode)
    replace(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@POSIX
def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        replace(tmp_path / "x.md", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x.md").stat().st_mode) == 0o640


@POSIX
@GIVES_AWAY
def test_root_does_not_take_a_file_from_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"old")
    os.chown(path, 12345, 12345)
    replace(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 12345)


def test_a_file_that_a_reader_holds_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = os.replace, []

    def held_twice(source: str, target: str) -> None:
        calls.append(source)
        if len(calls) <= 2:
            raise PermissionError(errno.EACCES, "held", str(target))
        real(source, target)

    monkeypatch.setattr(os, "replace", held_twice)
    replace(tmp_path / "x.md", b"new")
    assert len(calls) == 3
    assert names(tmp_path) == ["x.md"]


def test_a_file_that_stays_held_is_an_error_and_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.md").write_bytes(b"old")

    def held(source: str, target: str) -> None:
        raise PermissionError(errno.EACCES, "held", str(target))

    monkeypatch.setattr(os, "replace", held)
    with pytest.raises(PermissionError):
        replace(tmp_path / "x.md", b"new")
    assert (tmp_path / "x.md").read_bytes() == b"old"
    assert names(tmp_path) == ["x.md"]


def test_an_error_names_the_file_and_not_the_temporary_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        replace(tmp_path / "none" / "x.md", b"new")
    assert caught.value.filename == str(tmp_path / "none" / "x.md")


FULL = """
import resource, signal, sys
from pathlib import Path
from memshelf.storage.files import replace, sentence
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    replace(Path(sys.argv[1]), b"x" * 5000)
except OSError as trouble:
    print(sentence(trouble, "x.md").code)
"""


@POSIX
def test_a_disk_that_takes_no_more_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "x.md")], capture_output=True, text=True
    )
    assert (done.stdout.strip(), done.stderr) == ("too-large", "")
    assert (tmp_path / "x.md").read_bytes() == b"old"
    assert names(tmp_path) == ["x.md"]


def test_what_a_killed_process_left_is_cleaned_after_an_hour(tmp_path: Path) -> None:
    for name, age in [
        (".memshelf-1-old.tmp", 4000),
        (".memshelf-1-new.tmp", 60),
        ("mine.tmp", 9999),
    ]:
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    replace(tmp_path / "x.md", b"new")
    assert names(tmp_path) == [".memshelf-1-new.tmp", "mine.tmp", "x.md"]


@pytest.mark.parametrize(
    ("number", "code"),
    [
        *((errno.ENOSPC, "disk-full"), (errno.EROFS, "read-only"), (errno.EACCES, "no-permission")),
        *((errno.ENAMETOOLONG, "name-too-long"), (errno.EISDIR, "is-a-folder")),
        *((errno.ENOTDIR, "not-a-folder"), (errno.EIO, "io-error")),
    ],
)
def test_what_the_disk_says_becomes_a_sentence_with_the_file_and_the_fix(
    number: int, code: str
) -> None:
    said = sentence(OSError(number, os.strerror(number)), "docs/x.md")
    assert said.code == code
    assert said.message.startswith("docs/x.md: ")
    assert said.fix.endswith(".")
