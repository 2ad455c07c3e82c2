"""What a text must be before it is written: redaction over every field, then every rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from . import dates
from .digest import check_digest
from .episode import (
    CATEGORY,
    DESCRIPTION_LIMIT,
    KEYS,
    MODES,
    ORDER,
    SOURCES,
    TAG_LIMIT,
    TITLE_LIMIT,
    VISIBILITIES,
    Episode,
    check_bodies,
    frontmatter_of,
)
from .errors import BadField, ShelfError
from .finding import Finding, Report
from .frontmatter import LIMIT as FRONT_LIMIT
from .patterns import lazy
from .policy import Policy
from .redact import find_secrets, redact
from .slug import is_id
from .text import clip

SIZE_LIMIT = 8 * 1024 * 1024
"""Bytes of the largest episode that is written."""

TOKENS_LIMIT = 10**15
"""A number of tokens has at most 15 digits: a longer one is not read back."""

REQUIRED = {"topic": ("Decisions",), "session": ("Timeline", "Open threads"), "research": ()}

_REFERENCE = lazy(r"[^\s/,\[\]{}\"'\\]+(?:/[td][1-9]\d*)?")
_LANGUAGE = lazy(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_TAG_START = "-?:,[]{}#&*!|>'\"%@`"
_TAG_INSIDE = lazy(
    "[,\\[\\]{}\"'\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|:(?:\\s|$)|\\s#"
)


class Rejected(ShelfError):
    """A text that breaks a rule; `report` holds every finding."""

    code = "rejected"

    def __init__(self, report: Report) -> None:
        errors = report.errors
        lines = "".join(f"\n  {f.code}: {f.message} {f.fix}".rstrip() for f in errors)
        super().__init__(f"Nothing was written; {len(errors)} to mend:{lines}")
        self.report = report
        self.data = {"findings": [f._asdict() for f in report.findings]}


def admit(
    episode: Episode,
    policy: Policy,
    named: frozenset[str] | None = None,
    contract: bool = True,
) -> tuple[Episode, Counter[str], tuple[Finding, ...]]:
    """The episode as it may be written, counts of what was masked by kind, and warnings.

    `named` are the fields and sections that an amend changes: what an old file holds elsewhere is
    left alone, while the digest is held to its contract each time, unless `contract` is off. Raises
    Rejected with every finding where one is an error.
    """
    masked, counts = redact_episode(episode, policy)
    found = _findings(masked, policy, named, contract)
    report = Report(tuple(f for f in found if named is None or f.where in named | {""}), 1)
    if not report.ok:
        raise Rejected(report)
    if len(masked.description) > DESCRIPTION_LIMIT:
        masked = masked.with_(description=clip(masked.description, DESCRIPTION_LIMIT, 80))
    return masked, counts, report.findings


def redact_episode(episode: Episode, policy: Policy) -> tuple[Episode, Counter[str]]:
    """The episode with every secret in every text field masked, and counts by kind."""
    counts: Counter[str] = Counter()

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            text, found = redact(value, policy.rules)
            counts.update(found)
            return text
        if isinstance(value, tuple):
            return tuple(clean(part) for part in value)
        return {k: clean(v) for k, v in value.items()} if isinstance(value, dict) else value

    texts = [key for key in KEYS if key not in ("id", "kind", "date", "span", "approx_tokens")]
    changed = {key: clean(getattr(episode, key)) for key in (*texts, "digest", "sections", "extra")}
    return episode.with_(**changed), counts


def _findings(
    episode: Episode, policy: Policy, named: frozenset[str] | None, contract: bool
) -> Iterator[Finding]:
    yield from _fields(episode)
    yield from _sections(episode, named)
    digest = check_digest(episode.digest, policy.digest_words).findings if contract else ()
    for found in digest:
        yield found._replace(code=f"digest-{found.code}" if found.level == "error" else found.code)
    if find_secrets(episode.id, policy.rules):
        yield _error("slug", "it holds what looks like a secret.", "Choose other words.")


def _error(field: str, message: str, fix: str = "") -> Finding:
    """A finding about a field; `where` is the field's name."""
    return Finding("error", "bad-field", f"{field}: {message}", _KEY.get(field, field), fix)


_KEY = {"slug": "id", "tag": "tags", "section": ""}


def _fields(episode: Episode) -> Iterator[Finding]:
    if not is_id(episode.id):
        yield _error(
            "slug", f"{episode.id!r} is no id.", "Write YYYY-MM-DD-words, at most 80 letters."
        )
    yield from _one_of("kind", episode.kind, tuple(CATEGORY), empty=False)
    yield from _one_of("mode", episode.mode, MODES)
    yield from _one_of("approx_tokens_source", episode.approx_tokens_source, SOURCES)
    yield from _one_of("visibility", episode.visibility, VISIBILITIES)
    for key in ("date", "retain_until"):
        if getattr(episode, key) and dates.parse(getattr(episode, key)) is None:
            said = f"{getattr(episode, key)!r} is not a calendar date."
            yield _error(key, said, "Write it as YYYY-MM-DD.")
    if episode.span and dates.parse_span(episode.span) is None:
        said = f"{episode.span!r} is not a date or a span that runs forward."
        yield _error("span", said, "Write YYYY-MM-DD or YYYY-MM-DD..YYYY-MM-DD.")
    if episode.lang and not _LANGUAGE.fullmatch(episode.lang):
        yield _error("lang", f"{episode.lang!r} is no language tag.", "Write en, ru, zh-Hant ...")
    yield from _texts(episode)
    if not 0 <= episode.approx_tokens < TOKENS_LIMIT:
        said = f"{episode.approx_tokens} is no number of tokens."
        yield _error("approx_tokens", said, "Give a whole number from 0 up.")


def _one_of(
    field: str, value: str, allowed: tuple[str, ...], empty: bool = True
) -> Iterator[Finding]:
    if value not in allowed and not (empty and not value):
        yield _error(field, f"{value!r} is not known.", f"One of: {', '.join(allowed)}.")


def _joined(value: Any) -> str:
    return " ".join(map(_joined, value)) if isinstance(value, tuple) else str(value)


def _texts(episode: Episode) -> Iterator[Finding]:
    for key in (*ORDER, "digest", "sections"):
        whole = _joined(getattr(episode, key))
        if re.search("[\ud800-\udfff]", whole):
            yield _error(key, "it holds half a character (a lone surrogate).", "Remove it.")
    if len(episode.display_title) > TITLE_LIMIT:
        said = f"it has {len(episode.display_title)} characters; the limit is {TITLE_LIMIT}."
        yield _error("display_title", said, "Shorten it; details belong into the digest.")
    if len(episode.description) > DESCRIPTION_LIMIT:
        said = f"The description was cut to {DESCRIPTION_LIMIT} characters."
        yield Finding("warning", "description-cut", said, "description", "Write a shorter one.")
    for tag in episode.tags:
        fault = tag_fault(tag)
        if fault:
            yield _error("tag", f"{clip(tag, 60)!r} {fault}", "Choose a plain word or two.")
    for key in ("supersedes", "closes"):
        for name in getattr(episode, key):
            if not _REFERENCE.fullmatch(name):
                yield _error(key, f"{name!r} is no address.", "Write ID, ID/t2 or ID/d1.")
            elif name.partition("/")[0] == episode.id and (
                key == "supersedes" or name == episode.id
            ):
                yield _error(key, "it names the episode itself.", "Name another one.")


def tag_fault(tag: str) -> str:
    """Why a text cannot be a tag on write, or an empty text (format.md, *Tag*)."""
    if not tag or len(tag) > TAG_LIMIT:
        return f"has {len(tag)} characters; 1 to {TAG_LIMIT} are allowed."
    if tag != tag.strip():
        return "has a space at an end."
    if tag[0] in _TAG_START:
        return f"begins with {tag[0]!r}, which means something else in YAML."
    inside = _TAG_INSIDE.search(tag)
    return f"holds {inside.group().strip() or 'a control character'!r}." if inside else ""


def _sections(episode: Episode, named: frozenset[str] | None) -> Iterator[Finding]:
    names = [name for name, _ in episode.sections if named is None or name in named]
    if named is None:
        yield from _bodies(episode)
    if "Digest" in names:
        yield _error("section", "the digest is given among the sections.", "Give it as the digest.")
    for name in names:
        if not name or len(name) > TITLE_LIMIT:
            yield _error("section", "its name is empty or over 100 characters.", "Name it shortly.")
    yield from _missing(episode)
    if len(frontmatter_of(episode)) > FRONT_LIMIT:
        said = "The front matter would be over 64 KB, which is not read back."
        yield Finding("error", "too-large", said, fix="Fewer tags, shorter fields.")
    if sum(len(body) for _, body in episode.sections) > SIZE_LIMIT:
        said = f"The text is over {SIZE_LIMIT // 1024 // 1024} MB."
        yield Finding("error", "too-large", said, fix="Keep what matters; link to the rest.")


def _bodies(episode: Episode) -> Iterator[Finding]:
    try:
        check_bodies(episode)
    except BadField as fault:
        yield Finding("error", "bad-section", fault.message, fix=fault.fix)


def _missing(episode: Episode) -> Iterator[Finding]:
    names = [name for name, _ in episode.sections]
    missing = [name for name in REQUIRED.get(episode.kind, ()) if name not in names]
    if episode.kind == "research" and not any(names):
        missing = ["one more section beside the digest"]
    if missing:
        said = f"A {episode.kind} needs: {', '.join(missing)}."
        fix = "Add it as a section (on the command line --section 'Name=text')."
        yield Finding("error", "missing-section", said, "sections", fix)
