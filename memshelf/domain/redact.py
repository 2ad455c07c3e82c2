"""Secrets are masked before anything is written: `«redacted:KIND»` in the place of each.

A net, not a promise: it knows credentials by their shape (credentials.py, keyblocks.py), by the name
in front of them (named.py), by the header or URL they stand in, and a shelf's own POLICY.patterns.
The peer's five kinds (aws-access-key, sonar-token, github-token, bearer, env-secret) keep their names
and their shape, so that its doctor finds nothing in what was masked here. Where its env-secret is
plainly wrong we do not follow: `max_tokens = 4096`, `token = tokens[0]`, `if token == "x"`, `PWD=/home`
stay as they are, and its doctor complains of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .redaction.named import named
from .redaction.patterns import Rule, parse_patterns
from .redaction.sieve import Sieved, sieve
from .redaction.tokens import MASK, Span, shaped

__all__ = [
    "VERSION",
    "Hit",
    "Rule",
    "find_secrets",
    "merge_counts",
    "parse_patterns",
    "redact",
    "summary",
]

VERSION = 1
"""Grows when the rules find other things than before: part of the key of cached verdicts."""

_ROUNDS = 8
_POLICY_RANK = 10_000
_MASK_RANK = 1_000_000


class Hit(NamedTuple):
    """A secret in a text: its kind and where it stands (characters). Never its value."""

    kind: str
    start: int
    end: int


def redact(text: str, rules: tuple[Rule, ...] = ()) -> tuple[str, dict[str, int]]:
    """The text with every secret masked, and how many there were of each kind.

    Masking again changes nothing. Masks that stand in the text already are left alone.
    """
    counts: Counter[str] = Counter()
    for _ in range(_ROUNDS):
        spans = _spans(text, rules)
        if not spans:
            break
        counts.update(span.kind for span in spans)
        text = _masked(text, spans)
    return text, dict(counts)


def find_secrets(text: str, rules: tuple[Rule, ...] = ()) -> tuple[Hit, ...]:
    """Every secret in a text, in order. Empty where `redact` would change nothing."""
    return tuple(Hit(span.kind, span.value, span.end) for span in _spans(text, rules))


def merge_counts(*counts: Mapping[str, int]) -> dict[str, int]:
    """The sums of several counts by kind."""
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total)


def summary(counts: Mapping[str, int]) -> str:
    """What was masked, for eyes: `no secrets found`, `redacted 2 (bearer×1, env-secret×1)`."""
    if not counts:
        return "no secrets found"
    parts = ", ".join(f"{kind}×{number}" for kind, number in sorted(counts.items()))
    return f"redacted {sum(counts.values())} ({parts})"


def _masked(text: str, spans: list[Span]) -> str:
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], span.lead, f"«redacted:{span.kind}»"]
        at = span.end
    return "".join([*parts, text[at:]])


def _spans(text: str, rules: tuple[Rule, ...]) -> list[Span]:
    found = sieve(text)
    spans = list(_built_in(found))
    if not spans and not rules:
        return []
    masks = [match.span() for match in MASK.finditer(text)] if "«redacted:" in text else []
    spans = [*_in_characters(found.raw, spans), *_of_rules(text, rules, masks)]
    return _merged(spans, masks) if spans else []


def _built_in(found: Sieved) -> Iterator[Span]:
    raw, low, runs = found
    if runs:
        from .redaction.headers import headers
        from .redaction.keyblocks import key_blocks

        yield from shaped(raw, runs)
        yield from headers(raw, low, runs.lower())
        if b"PRIVATE KEY" in raw or b"PuTTY-User-Key" in raw:
            yield from key_blocks(raw)
    if b"@" in raw and b"://" in raw:
        from .redaction.headers import url_passwords

        yield from url_passwords(raw)
    yield from named(raw, low)


def _of_rules(text: str, rules: Iterable[Rule], masks: list[tuple[int, int]]) -> Iterator[Span]:
    for rank, rule in enumerate(rules, _POLICY_RANK):
        for match in rule.pattern.finditer(text):
            start, end = match.end(rule.keep) if rule.keep else match.start(), match.end()
            if start < end and not _is_masked(text, start, end, masks):
                yield Span(start, end, rule.kind, rank, start)


def _is_masked(text: str, start: int, end: int, masks: list[tuple[int, int]]) -> bool:
    """True for a part of a mask and for nothing but masks."""
    at = bisect_right(masks, (start, len(text)))
    inside = at > 0 and end <= masks[at - 1][1]
    return inside or (text[start] == "«" and not MASK.sub("", text[start:end]))


def _in_characters(raw: bytes, spans: list[Span]) -> list[Span]:
    """Spans of bytes as spans of characters; a border inside a character moves to its outside."""
    if raw.isascii() or not spans:
        return spans
    places = sorted({at for span in spans for at in (span.start, span.end, span.value)})
    number, last, at = {}, 0, 0
    for place in places:
        last += _characters(raw[at:place])
        number[place], at = last, place
    return [
        span._replace(
            start=number[span.start] - _splits(raw, span.start),
            value=number[span.value] - _splits(raw, span.value),
            end=number[span.end],
        )
        for span in spans
    ]


def _characters(piece: bytes) -> int:
    """How many characters begin in a piece of UTF-8."""
    return len(piece) - len(piece.translate(None, _BEGINNINGS))


_BEGINNINGS = bytes(byte for byte in range(256) if byte & 0xC0 != 0x80)


def _splits(raw: bytes, at: int) -> bool:
    return at < len(raw) and raw[at] & 0xC0 == 0x80


def _merged(spans: list[Span], masks: list[tuple[int, int]]) -> list[Span]:
    """Spans in order, those that overlap made one: of the kind of the most telling, in the layout
    of the first. A mask that is touched is taken along whole."""
    merged: list[Span] = []
    for span in sorted([*spans, *(Span(a, b, "", _MASK_RANK, a) for a, b in masks)], key=_order):
        if not merged or span.start >= merged[-1].end:
            merged.append(span)
            continue
        first = merged[-1]
        best = min(first, span, key=lambda s: s.rank)
        merged[-1] = first._replace(end=max(first.end, span.end), kind=best.kind, rank=best.rank)
    return [span for span in merged if span.kind]


def _order(span: Span) -> tuple[int, int]:
    return span.start, -span.end
