"""A shelf's own rules: POLICY.patterns, and how many words a digest may have."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .finding import Finding

if TYPE_CHECKING:  # compiling the credential shapes costs start-up time that a reader need not pay
    from .redact import Rule

DIGEST_WORDS = 120


class Policy(NamedTuple):
    """The shelf's redaction rules beside the built-in ones, and what was wrong in their files."""

    rules: tuple[Rule, ...] = ()
    findings: tuple[Finding, ...] = ()
    digest_words: int = DIGEST_WORDS


def policy_of(patterns: str, digest_words: int = DIGEST_WORDS) -> Policy:
    """The policy that the text of POLICY.patterns makes; bad lines are findings, not failures."""
    if all(line[:1] in ("#", "") for line in map(str.strip, patterns.splitlines())):
        return Policy((), (), digest_words)
    from .redact import parse_patterns

    rules, findings = parse_patterns(patterns)
    return Policy(rules, findings, digest_words)
