"""A page that only a passphrase opens: one HTML file that holds it encrypted, and what decrypts it.

AES-256-GCM under a key of PBKDF2-HMAC-SHA256, by the `cryptography` library here and by WebCrypto in
the browser. This is the one output whose bytes are others each time: salt and nonce are random.
"""

from __future__ import annotations

import base64
import hashlib
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import chain
from typing import NamedTuple

from ..domain.errors import ShelfError
from ..domain.patterns import lazy
from .escape import json_in_html
from .templates import environment, made_here

ITERATIONS = 600_000
"""Rounds of PBKDF2-HMAC-SHA256, as OWASP's Password Storage Cheat Sheet asks for since 2023."""
SALT, NONCE, TAG = 16, 12, 16
"""Bytes; a nonce of 96 bits is what GCM is made for (NIST SP 800-38D, 8.2)."""
SHORTEST = 12
"""Characters of a passphrase: whoever has the file may try for years."""

WARNING = (
    "A locked page needs its script. An iPhone or iPad shows a stored page without running it, so "
    "there the locked page cannot be read. Nobody can open it without the passphrase: it is kept "
    "nowhere."
)
"""What is to be said before a passphrase is asked for."""

_VERSION = 1
_LINE = 3 << 18  # bytes: a browser decodes line by line, and a line of base64 has whole groups
_POLICY = lazy(rb'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
_HEAD = 65_536
_OWN = ("default-src 'none'", "base-uri 'none'", "form-action 'none'")
_HERE = "\ufdd0sealed\ufdd0"


class Seal(NamedTuple):
    """What makes one locking unlike any other: random bytes, and how many rounds a guess costs."""

    salt: bytes
    nonce: bytes
    iterations: int = ITERATIONS


def locked(page: Iterable[bytes], passphrase: str, seal: Seal) -> Iterator[bytes]:
    """The locked file, in pieces; `page` are the pieces of a page, which names its policy in a
    `meta` at its beginning.

    Raises ShelfError for a passphrase that is too short, ValueError where the page has no policy or
    the seal is too weak.
    """
    key = _key(accepted(passphrase), seal)
    head, rest = _begun(page)
    before, _, after = _frame(_policy(head), seal).partition(_HERE)
    yield before.encode("utf-8")
    yield from _lines(_sealed(_packed(chain([head], rest)), key, seal))
    yield after.encode("utf-8")


def accepted(passphrase: str) -> str:
    """A passphrase in the form in which it is used: the same letters are the same characters.

    Raises ShelfError for one that can be guessed by trying.
    """
    normal = unicodedata.normalize("NFC", passphrase)
    if len(normal) < SHORTEST:
        said = f"The passphrase has {len(normal)} characters."
        fix = f"Take at least {SHORTEST}: five words that do not belong together are easy to keep."
        raise ShelfError(said, fix, "weak-passphrase")
    return normal


# --- encryption ------------------------------------------------------------------------------


def _key(passphrase: str, seal: Seal) -> bytes:
    if (len(seal.salt), len(seal.nonce)) != (SALT, NONCE) or seal.iterations < ITERATIONS:
        raise ValueError("a seal is 16 bytes of salt, 12 of nonce and 600,000 rounds or more")
    words = passphrase.encode("utf-8", "surrogatepass")
    return hashlib.pbkdf2_hmac("sha256", words, seal.salt, seal.iterations, 32)


def _packed(page: Iterable[bytes]) -> Iterator[bytes]:
    """The page as gzip: a quarter of the size to carry, to decode and to decrypt."""
    packing = zlib.compressobj(6, zlib.DEFLATED, 31)
    for piece in page:
        yield packing.compress(piece)
    yield packing.flush()


def _sealed(pieces: Iterable[bytes], key: bytes, seal: Seal) -> Iterator[bytes]:
    """Encrypted, with the tag at the end that WebCrypto expects there."""
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES
    from cryptography.hazmat.primitives.ciphers.modes import GCM

    locking = Cipher(AES(key), GCM(seal.nonce)).encryptor()
    locking.authenticate_additional_data(f"memshelf-lock/{_VERSION}/{seal.iterations}".encode())
    for piece in pieces:
        yield locking.update(piece)
    yield locking.finalize() + locking.tag


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    held = b""
    for piece in pieces:
        held += piece
        while len(held) >= _LINE:
            yield base64.b64encode(held[:_LINE]) + b"\n"
            held = held[_LINE:]
    yield base64.b64encode(held) + b"\n"


# --- the page round it -----------------------------------------------------------------------


def _begun(page: Iterable[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The beginning of a page, in which its policy stands, and the rest of it."""
    rest, head = iter(page), b""
    for piece in rest:
        head += piece
        if len(head) >= _HEAD:
            break
    return head, rest


def _policy(head: bytes) -> str:
    found = _POLICY.search(head)
    if found is None:
        raise ValueError("the page names no policy in its head")
    return unescape(found.group(1).decode("utf-8"))


def _frame(inner: str, seal: Seal) -> str:
    """The file without what is sealed. Its policy stays in force when the page is open, so it
    allows what the page's own allows beside its own script and style."""
    env = environment()
    script, style = (env.get_template(f"locked.{end}").render() for end in ("js", "css"))
    own = (*_OWN, f"script-src {_hash(script)}", f"style-src {_hash(style)}")
    lock = {
        "version": _VERSION,
        "iterations": seal.iterations,
        "salt": base64.b64encode(seal.salt).decode(),
        "nonce": base64.b64encode(seal.nonce).decode(),
    }
    return env.get_template("locked.html.j2").render(
        policy=merged("; ".join(own), inner),
        style=made_here(style),
        script=made_here(script),
        lock=made_here(json_in_html(lock)),
        sealed=_HERE,
    )


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode('utf-8')).digest()).decode()}'"


def merged(one: str, other: str) -> str:
    """A policy that allows what either of two allows.

    >>> merged("default-src 'none'; script-src 'a'", "script-src 'b' 'a'; img-src data:")
    "default-src 'none'; img-src data:; script-src 'a' 'b'"
    """
    found: dict[str, list[str]] = {}
    for directive in filter(None, (part.split() for part in f"{one};{other}".split(";"))):
        found.setdefault(directive[0], []).extend(directive[1:])
    parts = []
    for name, sources in sorted(found.items()):
        allowed = [source for source in dict.fromkeys(sources) if source != "'none'"]
        parts.append(" ".join([name, *(allowed or ["'none'"])]))
    return "; ".join(parts)
