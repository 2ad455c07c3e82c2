"""The digest contract: what the one paragraph that stands for an episode must be."""

from __future__ import annotations

import re
from functools import lru_cache

from .finding import Finding, Report
from .patterns import lazy
from .policy import DIGEST_WORDS as WORDS
from .redact import find_secrets
from .text import count_words

_WE = frozenset(
    "we our ours us мы нам нами нас наш наша наше наши нашу нашего нашей нашею нашему нашим нашими "
    "наших нашем".split()
)
_WORD = lazy(r"\w+")
_BARE = lazy(
    r"(?:\A|[.!?][\"')»”]*\s+)(it|this|that|they|these|those|это|эти|они)(?!\w)", re.IGNORECASE
)
_CUE = lazy(
    r"(?<!\w)(?:decid|decision|reject|chose|choos|open(?!\w*ai\b)|todo|verdict|stays?\b|kept\b"
    r"|реш|отклон|выбра|открыт|итог|entschied|verworfen|gewählt|offen)|決定|不採用|未解決|未定|决定|否决|采用|未决",
    re.IGNORECASE,
)


def check_digest(text: str, limit: int = WORDS) -> Report:
    """What the contract says of a digest: errors block it, warnings do not.

    Codes: `empty`, `too-long`, `referent-we`, `secret`; warnings `referent-bare`, `thin`.
    `looked_at` of the report is the number of words.
    """
    text = text.strip()
    warnings = (_bare(text), _thin(text)) if text else ()
    found = (*digest_errors(text, limit), *(warning for warning in warnings if warning))
    return Report(found, count_words(text))


def digest_errors(text: str, limit: int = WORDS, secrets: bool = True) -> tuple[Finding, ...]:
    """What forbids a digest; `secrets` is False where it is known to hold none."""
    text = text.strip()
    if not text:
        said = "The digest is empty."
        return (Finding("error", "empty", said, fix="Say what was decided and why."),)
    checks = (_too_long(count_words(text), limit), _we(text), _secret(text) if secrets else None)
    return tuple(found for found in checks if found)


def _too_long(count: int, limit: int) -> Finding | None:
    if count <= limit:
        return None
    said = f"{count} words; the limit is {limit}."
    return Finding("error", "too-long", said, fix=f"Cut {count - limit} or more.")


@lru_cache(maxsize=2)
def spoken(text: str) -> frozenset[str]:
    """The words of a text in small letters; remembered, since several checks ask of one digest."""
    return frozenset(_WORD.findall(text.lower()))


def _we(text: str) -> Finding | None:
    if _WE.isdisjoint(spoken(text)):
        return None
    word = next((word for word in _WORD.findall(text) if word.lower() in _WE and word != "US"), "")
    if not word:  # US is the country
        return None
    said = f"{word!r} means nobody once the talk is over."
    return Finding("error", "referent-we", said, fix="Name who: the team, the project.")


def _secret(text: str) -> Finding | None:
    hits = find_secrets(text)
    if not hits:
        return None
    said = f"It holds what looks like a secret ({', '.join(sorted({h.kind for h in hits}))})."
    return Finding("error", "secret", said, fix="Take it out; a digest needs no credential.")


def _bare(text: str) -> Finding | None:
    found = _BARE.search(text)
    if not found:
        return None
    said = f"A sentence opens with {found.group(1)!r}, which points at nothing here."
    return Finding("warning", "referent-bare", said, fix="Begin it with the thing itself.")


def _thin(text: str) -> Finding | None:
    if _CUE.search(text):
        return None
    said = "It names nothing decided, rejected or open."
    return Finding(
        "warning", "thin", said, fix="Say what was decided, what was rejected, what is open."
    )


def digest_report(report: Report) -> str:
    """The report in words: `digest ok (N words)`, or a line for each finding."""
    if not report.findings:
        return f"digest ok ({report.looked_at} words)"
    lines = (f"[{f.level}] {f.code}: {f.message} {f.fix}".rstrip() for f in report.findings)
    return "\n".join(lines)
