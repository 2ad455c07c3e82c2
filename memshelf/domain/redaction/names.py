"""The name in front of a value: `DB_PASSWORD`, `apiKey`, `--client-secret`, `пароль`."""

from __future__ import annotations

import re
from typing import NamedTuple

_ENGLISH = (b"pass", b"pw", b"secret", b"ke")

# What may grow onto a noun without a sign between, so that `tokenizer` and `secretary` do not.
_GROWN = re.compile(
    rb"(?:s|es|value|val|text|string|str|base|phrase|hash|id|ids|name|file|url|uri|type|prod|dev"
    rb"|test|staging|local|admin|root|user|db|data)?(?:[0-9_.-]|$)"
)
_KEY_OWNERS = re.compile(
    rb"(?:api|access|secret|private|priv|auth|account|storage|shared|encrypt|encryption|sign"
    rb"|signing|master|client|service|ssh|app|application|licen[sc]e|deploy|webhook|admin|db"
    rb"|database|session|jwt|hmac|cipher|aes|vault|crypt|crypto|subscription|function|bot|consumer"
    rb"|write|ingest|security|rsa|preshared|pre-shared|personal|recovery|openai|anthropic|stripe"
    rb"|google|azure|aws|gcp|github|gitlab|slack|sendgrid|twilio|secure|pass)[-_ .]?$"
)
_PASS_OWNERS = re.compile(
    rb"(?:^|[^a-z])(?:db|user|my|root|admin|smtp|mysql|pg|login|http|ftp|ssh|sudo|wifi|mail|email"
    rb"|proxy|redis|key|store|keystore|ldap|mongo|auth)?$"
)
_PASS_TAIL = re.compile(rb"[-_.]?(?:prod|dev|test|staging|root|admin|user|db|local|main|\d{1,3})?$")
# A bare `pass` is a name at the beginning of a line or a pair, and a verb behind another word.
_PAIR_STARTS = re.compile(rb"(?:^|[\n\"'`{,;&?(\[|*/])[ \t]*$|(?:export|set|env)[ \t]+$|- $")
_SLUG = re.compile(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}-")
_TOKEN_OWNERS = re.compile(
    rb"(?:access|auth|api|bot|bearer|refresh|id|session|secret|deploy|personal|private|gh|github"
    rb"|gitlab|slack|npm|service|admin|user|login|security|oauth|x|vault|discord|telegram|sonar"
    rb"|hf|jwt|app|client)[-_ .]?$"
)
# Ends of names that describe a secret instead of being one.
_ABOUT = re.compile(
    rb"(?:url|uri|endpoint|path|file|filename|dir|name|type|length|len|size|count|limit|ttl|expiry"
    rb"|expires|expiration|expires_in|timeout|policy|field|prefix|suffix|header|format|version"
    rb"|manager|store|provider|arn|ref|label|hint|min|max|regex|pattern|required|enabled|strength"
    rb"|reset|input|placeholder|source|budget|usage|window|rate|cost|price|per_[a-z]+|index|bucket"
    rb"|stdin|prompt|env|var|kind|class|algorithm|algo|rotation|age|date|at|count_[a-z]+)s?$"
)
_COUNTED = re.compile(
    rb"(?:^|[-_.])(?:max|min|num|n|total|approx|avg|mean|count|input|output|prompt|completion"
    rb"|context|cached|used|budget|limit|per|of)[-_.]|tokens(?:[-_.]|$)"
)


class Name(NamedTuple):
    """What a name says of its value.

    `password`: a password, which may be any word; `loose`: a word like `token` that also has a
    meaning of its own, so that its value must look like a secret; `upper`: written in capitals;
    `about`: it describes a secret (`token_type`); `counted`: it counts (`max_tokens`); `digits`: how
    many of them a value must hold to look like a secret; `wordy`: the value may be words, as those
    of passwords and secrets are, and no key is; `tail`: what is grown onto the noun; `before`: the
    text in front of the name.
    """

    password: bool
    loose: bool
    digits: int
    upper: bool
    about: bool
    counted: bool
    wordy: bool
    tail: bytes
    written: bytes
    before: bytes


def name_at(raw: bytes, low: bytes, start: int, tail: int, end: int) -> Name | None:
    """The name whose noun begins at `start`, its tail at `tail`, and that ends at `end`.

    None where the letters are part of another word (`compass`, `tokenizer`, `monkey`).
    """
    left, noun = low[max(0, start - 40) : start], low[start:tail]
    begin = start - len(_own(left))
    if _SLUG.match(low, begin) or not _belongs(noun, left, raw, start, tail, low[tail:end]):
        return None
    foreign = not noun.startswith(_ENGLISH)
    upper, pass_ = not re.search(rb"[a-z]", raw[begin:end]), noun in (b"pass", b"pw")
    return Name(
        password=noun.startswith((b"pass", b"pw")) and (upper or not pass_),
        loose=foreign or pass_ or (noun == b"ken" and not _TOKEN_OWNERS.search(left[:-2])),
        digits=2 if noun in (b"key", b"ken") else 1,
        upper=upper,
        about=_is_about(noun, low[tail:end], upper),
        counted=bool(_COUNTED.search(low[begin:end])),
        wordy=noun not in (b"key", b"ken"),
        tail=low[tail:end],
        written=raw[begin:end],
        before=low[max(0, begin - 80) : begin],
    )


def _is_about(noun: bytes, tail: bytes, upper: bool) -> bool:
    member = noun in (b"key", b"ken") and tail.startswith(b".")
    chain = tail.count(b"-") > 1 and not upper
    return member or chain or bool(_ABOUT.search(tail))


def _own(left: bytes) -> bytes:
    """The letters of the name itself that stand before its noun."""
    at = len(left)
    while at and (left[at - 1 : at].isalnum() or left[at - 1] in b"_.-"):
        at -= 1
    return left[at:]


def _belongs(noun: bytes, left: bytes, raw: bytes, start: int, tail: int, grown: bytes) -> bool:
    camel = raw[start : start + 1].isupper() and not raw[start - 1 : start].isupper()
    if noun == b"key" and not _KEY_OWNERS.search(left):
        return False
    if noun in (b"pass", b"pw"):
        bare = not _own(left)
        owned = _PAIR_STARTS.search(left) if bare else camel or _PASS_OWNERS.search(left)
        return bool(owned and _PASS_TAIL.match(grown))
    hump = raw[tail : tail + 1].isupper()
    return hump or bool(_GROWN.match(grown))
