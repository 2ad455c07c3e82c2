"""Check a digest against the contract, writing nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from ..domain.digest import check_digest, digest_report
from ..domain.finding import Report
from ..verb import FromFile, verb


@dataclass(frozen=True)
class Linted:
    """What the contract says of a digest."""

    report: Report
    strict: bool

    @property
    def ok(self) -> bool:
        """True where the digest may be shelved; with `strict`, where nothing was found at all."""
        return self.report.ok and not (self.strict and self.report.findings)

    def data(self) -> dict[str, Any]:
        """Whether it passed, the words counted, the findings."""
        findings = [
            {"level": f.level, "code": f.code, "message": f.message, "fix": f.fix}
            for f in self.report.findings
        ]
        return {"ok": self.ok, "words": self.report.looked_at, "findings": findings}

    def __str__(self) -> str:
        return digest_report(self.report)


@verb()
def lint_digest(
    digest: Annotated[str, "The digest.", FromFile(default="-")],
    *,
    strict: Annotated[bool, "Fail on warnings too."] = False,
) -> Linted:
    """Check a digest against the contract, writing nothing.

    It is the same check that shelve makes: at most 120 words, no "we", no secret; better with what
    was decided, rejected and left open.

    Example:
    memshelf lint-digest --digest "Redis was chosen; memcached was rejected. Open: eviction."
    memshelf lint-digest --strict < digest.txt
    """
    return Linted(check_digest(digest), strict)
