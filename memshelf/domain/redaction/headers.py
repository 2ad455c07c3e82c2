"""Credentials that stand in a URL or behind the scheme of an `Authorization` header."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator

from .tokens import Span, is_solid

_URL_PASSWORD = re.compile(
    rb"://[^\s/?#:@\[\"'<>`|]{0,128}(?<!\xc2\xabredacted):"
    rb"(?:([^\s/?#\"'<>`|]{1,256})@|(?![0-9]{1,5}[/?#])([^\s\"'<>`|]{1,256}?)@)(?=[\w\[(.$%{-])"
)
# Only shows where a password goes: `${PASS}`, `<password>`, `***`, a mask.
_SLOT = re.compile(
    rb"\$?\{+[^{}]*\}+|\$[A-Z_]+|\$[a-z_]+|%\w+%|%s|<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)"
    rb"|[*.xX]{2,}|\*|(?:\xe2\x80[\xa2\xa6])+|\xc2\xabredacted:.*"
)
# How manuals write it: `scheme://user:password@host`.
_MANUAL = re.compile(
    rb"://(?:user|username|usr|login|name|<user>|USER|USERNAME):"
    rb"(?:password|passwd|pass|pwd|PASSWORD|PASS)@"
)
_IMAGE_DIGEST = re.compile(rb"sha(?:256|384|512):")
_BEARER = re.compile(rb"(?<![a-z0-9_])bearer(?:\s|\xc2\xa0)+(?P<token>[a-z0-9._~+/=-]{16,}+)")
# Other schemes: `Authorization: ApiKey x`, `Authorization: token x`, or the token alone.
_OTHER = re.compile(
    rb"authorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?!bearer\s|basic\s)(?:[a-z][a-z0-9-]{2,15}\s{1,2})?"
    rb"([a-z0-9._~+/=-]{16,}+)"
)
_BASIC = re.compile(
    rb"(?:basic\s{1,4}|auth[\"']?\s{0,2}[:=]\s{0,2}[\"']?)"
    rb"(?=[a-z0-9+/=]{16})([a-z0-9+/]{14,}+={0,2})"
)


def url_passwords(raw: bytes) -> Iterator[Span]:
    """Yield the password of every `scheme://user:password@host`; image digests are none."""
    for match in _URL_PASSWORD.finditer(raw):
        group = 1 if match[1] is not None else 2
        if _IMAGE_DIGEST.match(raw, match.end()) or _MANUAL.match(raw, match.start()):
            continue
        if not _SLOT.fullmatch(match[group]):
            yield Span(
                match.start(group), match.end(group), "url-password", 500, match.start(group)
            )


def headers(raw: bytes, low: bytes, runs: bytes) -> Iterator[Span]:
    """Yield what follows `Bearer` (16 characters and more) and the base64 of `Basic` and `auth:`.

    `runs` are the long runs in small letters, each with what stands before it.
    """
    if b"bearer" in low:
        for match in _BEARER.finditer(low):
            yield Span(match.start(), match.end(), "bearer", 600, match.start("token"))
    if b"authorization" in runs:
        for match in _OTHER.finditer(low):
            if is_solid(raw[match.start(1) : match.end(1)]):
                yield Span(match.start(1), match.end(1), "credential", 602, match.start(1))
    if b"basic" in runs or b"auth" in runs:
        for match in _BASIC.finditer(low):
            if is_user_and_password(raw[match.start(1) : match.end(1)]):
                yield Span(match.start(1), match.end(1), "basic-auth", 601, match.start(1))


def is_user_and_password(base64: bytes) -> bool:
    """True where the bytes are base64 of printable `user:password`."""
    try:
        plain = b64decode(base64 + b"=" * (-len(base64) % 4), validate=True)
    except (Base64Error, ValueError):
        return False
    return b":" in plain and all(32 <= c < 127 for c in plain)
