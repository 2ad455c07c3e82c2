"""A locked page: what its bytes give away, what opens them, and how a passphrase is given."""

from __future__ import annotations

import base64
import contextlib
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Cli
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from gitkit import POSIX

import memshelf
from memshelf.domain.errors import ShelfError
from memshelf.render.locked import ITERATIONS, WARNING, Seal, accepted, locked, merged
from memshelf.storage.store import Store

WORDS = "five words of an épée"
SEAL = Seal(bytes(range(16)), bytes(range(12)))
POLICY = "default-src 'none'; script-src 'sha256-inner'; style-src 'sha256-paint'; img-src data:"
PAGE = (
    f'<!doctype html><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    "<title>Tides</title><p>The secret harbour</p>"
).encode()


def lock(page: bytes = PAGE, words: str = WORDS, seal: Seal = SEAL) -> bytes:
    return b"".join(locked([page[:40], page[40:]], words, seal))


def held(data: bytes, name: str) -> str:
    """What one of the file's elements holds."""
    found = re.search(rf'id="{name}">(.*?)</script>', data.decode("utf-8"), re.DOTALL)
    assert found
    return found.group(1)


def unlocked(data: bytes, words: str = WORDS) -> bytes:
    """The page, opened as the browser opens it, by other means than those that locked it."""
    said = json.loads(held(data, "lock"))
    salt, nonce = (base64.b64decode(said[name]) for name in ("salt", "nonce"))
    key = hashlib.pbkdf2_hmac("sha256", words.encode(), salt, said["iterations"], 32)
    sealed = b"".join(map(base64.b64decode, held(data, "sealed").split()))
    beside = f"memshelf-lock/{said['version']}/{said['iterations']}".encode()
    return gzip.decompress(AESGCM(key).decrypt(nonce, sealed, beside))


def test_the_passphrase_opens_the_page_and_no_other_does() -> None:
    data = lock()
    assert unlocked(data) == PAGE
    with pytest.raises(InvalidTag):
        unlocked(data, WORDS + " ")
    assert json.loads(held(data, "lock"))["iterations"] == ITERATIONS >= 600_000


def test_nothing_of_the_page_stands_in_the_file() -> None:
    data = lock()
    for trace in (b"harbour", b"Tides", b"secret", WORDS.encode(), PAGE[:30]):
        assert trace not in data
    assert b"<title>Locked</title>" in data


def test_a_changed_byte_or_a_lower_number_of_rounds_is_noticed() -> None:
    data = lock()
    sealed = held(data, "sealed").strip()
    for place in (0, len(sealed) // 2, len(sealed) - 5):
        other = "A" if sealed[place] != "A" else "B"
        changed = data.replace(
            sealed.encode(), f"{sealed[:place]}{other}{sealed[place + 1 :]}".encode()
        )
        with pytest.raises(InvalidTag):
            unlocked(changed)


def test_each_seal_makes_another_file_and_the_same_seal_the_same() -> None:
    assert lock() == lock()
    assert len({held(lock(seal=seal), "sealed") for seal in (
        SEAL, SEAL._replace(salt=bytes(16)), SEAL._replace(nonce=bytes(12)))}) == 3  # fmt: skip


@pytest.mark.parametrize(
    "seal", [Seal(b"x", bytes(12)), Seal(bytes(16), b"x"), Seal(bytes(16), bytes(12), 599_999)]
)
def test_a_weak_seal_is_a_fault_of_the_caller(seal: Seal) -> None:
    with pytest.raises(ValueError, match="600,000 rounds"):
        lock(seal=seal)


def test_the_same_letters_are_the_same_passphrase_however_they_are_typed() -> None:
    assert unlocked(lock(words="five words of an e\u0301pe\u0301e")) == PAGE
    assert accepted("e\u0301" * 12) == "é" * 12
    with pytest.raises(ShelfError, match="has 11 characters") as caught:
        accepted("e\u0301" * 11)
    assert caught.value.code == "weak-passphrase"


def test_the_policy_lets_act_what_the_page_lets_act_and_the_files_own_script_and_style() -> None:
    text = lock().decode("utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    policy = policy.replace("&#39;", "'")
    script = text.rpartition("<script>")[2].partition("</script>")[0]
    style = text.partition("<style>")[2].partition("</style>")[0]
    for source, kind, inner in (
        (script, "script", "'sha256-inner'"),
        (style, "style", "'sha256-paint'"),
    ):
        own = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{own}' {inner}" in policy
    assert policy.startswith(
        "base-uri 'none'; default-src 'none'; form-action 'none'; img-src data:;"
    )
    assert "unsafe" not in policy and "http" not in policy
    with pytest.raises(ValueError, match="no policy"):
        lock(b"<p>no policy</p>")


def test_the_file_is_valid_html(invalid: Callable[[bytes], list[str]]) -> None:
    policy = PAGE.replace(b"sha256-inner", b"sha256-" + b"A" * 43 + b"=")
    assert invalid(lock(policy.replace(b"sha256-paint", b"sha256-" + b"A" * 43 + b"="))) == []


def test_policies_are_merged_source_by_source() -> None:
    assert merged("a 'none'; b x", "a y; c 'none';; b x z") == "a y; b x z; c 'none'"


def test_a_large_page_is_locked_in_pieces_and_lines() -> None:
    noise = hashlib.shake_256(b"tide").digest(2_000_000)
    page = PAGE + base64.b64encode(noise)
    data = lock(page)
    lines = held(data, "sealed").split()
    assert len(lines) > 2 and {len(line) for line in lines[:-1]} == {1 << 20}
    assert unlocked(data) == page


# --- the command -----------------------------------------------------------------------------


def test_export_html_locks_the_page_with_a_passphrase_out_of_a_file(
    cli: Cli, sample: Store, tmp_path: Path
) -> None:
    out, plain = tmp_path / "locked.html", tmp_path / "plain.html"
    ran = cli("export", "html", "--shelf", sample.root, "--out", out, "--passphrase-file", "-",
              input=WORDS + "\n")  # fmt: skip
    assert ran.code == 0 and ran.out.startswith(f"wrote {out}: 28 episodes, ")
    assert ran.err.index(WARNING) < ran.err.index("To the phone") and WORDS not in ran.err + ran.out
    memshelf.export_html(sample, out=plain)
    assert unlocked(out.read_bytes()) == plain.read_bytes()
    assert "Eelgrass" not in out.read_text("utf-8")
    assert not out.with_suffix(".manifest.json").exists()


def test_two_exports_are_two_files_and_the_size_said_is_that_of_the_file(
    sample: Store, tmp_path: Path
) -> None:
    made = [memshelf.export_html(sample, out=tmp_path / name, passphrase=WORDS) for name in "ab"]
    data = [Path(one.path).read_bytes() for one in made]
    assert data[0] != data[1] and [one.bytes for one in made] == [len(one) for one in data]
    assert made[0].locked and WORDS not in repr(made)


def test_an_older_manifest_that_tells_what_is_in_the_file_is_told_of(
    sample: Store, tmp_path: Path
) -> None:
    memshelf.export_html(sample, out=tmp_path / "a.html")
    made = memshelf.export_html(sample, out=tmp_path / "a.html", passphrase=WORDS)
    assert "a.manifest.json of an earlier export" in made.hint


@pytest.mark.parametrize(
    ("words", "input", "code", "said"),
    [
        (("--passphrase",), "", 2, "no terminal to ask for the passphrase at"),
        (("--passphrase=five words of an oak",), "", 2, "does not take a value"),
        (("--passphrase-file", "-"), "short\n", 1, "The passphrase has 5 characters."),
        (("--passphrase-file", "gone.txt"), "", 1, "gone.txt cannot be read"),
        (("--passphrase-file", "-"), "", 1, "The passphrase has 0 characters."),
    ],
)
def test_a_passphrase_that_cannot_be_had_is_refused_before_anything_is_written(
    cli: Cli,
    sample: Store,
    tmp_path: Path,
    words: tuple[str, ...],
    input: str,
    code: int,
    said: str,
) -> None:
    out = tmp_path / "locked.html"
    ran = cli("export", "html", "--shelf", sample.root, "--out", out, *words, input=input)
    assert ran.code == code and said in ran.err
    assert not out.exists()


@POSIX
@pytest.mark.parametrize("again", [WORDS, "another one altogether"])
def test_a_passphrase_is_asked_for_twice_at_the_terminal_and_never_shown(
    sample: Store, tmp_path: Path, again: str
) -> None:
    out = tmp_path / "locked.html"
    command = [sys.executable, "-m", "memshelf", "export", "html", "--shelf", str(sample.root)]
    said = _typed([*command, "--out", str(out), "--passphrase"], WORDS, again)
    assert (
        said.index("iPhone or iPad") < said.index("Passphrase:") < said.index("Passphrase again:")
    )
    assert WORDS not in said and again not in said
    if again == WORDS:
        assert unlocked(out.read_bytes()).startswith(b"<!doctype html>")
    else:
        assert "do not match" in said and not out.exists()


def _typed(command: list[str], *lines: str) -> str:
    """What a program says at a terminal of its own, where lines are typed as it asks for them."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    out, waiting = "", [*lines]
    with contextlib.suppress(OSError):  # the end of what a terminal says
        while data := os.read(ours, 65536):
            out += data.decode("utf-8", "replace")
            if out.rstrip(" ").endswith(":"):
                os.write(ours, (waiting.pop(0) + "\n").encode() if waiting else b"\x04")
    process.wait(60)
    os.close(ours)
    return out
