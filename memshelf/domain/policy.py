"""A shelf's own rules: POLICY.patterns, and how many words a digest may have."""

from __future__ import annotations

from typing import NamedTuple

from .digest import WORDS
from .finding import Finding
from .redact import Rule, parse_patterns


class Policy(NamedTuple):
    """The shelf's redaction rules beside the built-in ones, and what was wrong in their files."""

    rules: tuple[Rule, ...] = ()
    findings: tuple[Finding, ...] = ()
    digest_words: int = WORDS


def policy_of(patterns: str, digest_words: int = WORDS) -> Policy:
    """The policy that the text of POLICY.patterns makes; bad lines are findings, not failures."""
    rules, findings = parse_patterns(patterns)
    return Policy(rules, findings, digest_words)
