"""What doctor asks of an episode's text, and of a shelf as a whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from . import dates, instructions, publishing
from .admit import REQUIRED, tag_fault
from .digest import digest_errors, spoken
from .economy import index_price, short
from .entry import Entry
from .episode import (
    CATEGORIES,
    DESCRIPTION_LIMIT,
    KIND,
    REVERSED,
    SOURCES,
    TITLE_LIMIT,
    VISIBILITIES,
    Document,
    open_fence,
)
from .finding import Finding
from .mentions import item_of
from .patterns import lazy
from .policy import Policy
from .redact import VERSION as REDACTION
from .redact import Hit, find_secrets
from .sections import Section
from .shelf import Shelf
from .slug import is_id
from .text import clip, fold, plural, unspaced
from .waiting import some

VERSION = f"6.{REDACTION}.{instructions.VERSION}"
"""Changes whenever a check would find something else in the same text."""

REQUIRED_KEYS = ("id", "kind", "span", "tags", "approx_tokens")
GROUNDING = 0.20
"""Share of a digest's words whose stems must occur in the body (reference: the peer's doctor)."""
_STEM, _LETTERS, _FEWEST_DIGEST, _FEWEST_BODY = 5, 4, 8, 40
_COMMON = frozenset(
    (
        "this that with from have been were which their there what when where will would could "
        "should than then them they into over under only also some such more most other each "
        "both about after before between because while does done being made make that's это "
        "этот эта эти того чтобы если когда который которая которые после перед между только "
        "также более менее было были будет есть или для при над под что как так все всех этого "
        "этой этих"
    ).split()
)


def examine(document: Document, entry: Entry, policy: Policy) -> tuple[Finding, ...]:
    """Everything that is wrong with one episode's file, whatever else is on the shelf."""
    hits = find_secrets(document.text, policy.rules)
    found: list[Finding] = list(open_fence(document))
    if not any(f.level == "error" for f in entry.findings):
        found += _front(entry, document)
        found += _fields(entry, document)
        found += _structure(entry, document)
        found += _digest(document, policy, bool(hits))
    found += _secrets(document.text, hits, policy)
    found += _orders(document.text)
    return tuple(f._replace(where=entry.path) for f in found)


def _error(code: str, message: str, fix: str = "") -> Finding:
    return Finding("error", code, message, fix=fix)


def _warning(code: str, message: str, fix: str = "") -> Finding:
    return Finding("warning", code, message, fix=fix)


def _front(entry: Entry, document: Document) -> Iterator[Finding]:
    values = document.front.values
    for key in REQUIRED_KEYS:
        if key not in values:
            said = f"The front matter has no {key!r}."
            yield _error("frontmatter-missing-field", said, f"Add `{key}: ...`.")
    number = values.get("approx_tokens", "0")
    if not isinstance(number, str) or not re.fullmatch(r"\d{1,15}", number, re.ASCII):
        yield _error("bad-approx-tokens", f"approx_tokens is {number!r}.", "Write a whole number.")
    source = entry.approx_tokens_source
    if source and source not in SOURCES:
        said = f"approx_tokens_source is {source!r}."
        yield _warning("bad-approx-tokens-source", said, f"One of: {', '.join(SOURCES)}.")


def _fields(entry: Entry, document: Document) -> Iterator[Finding]:
    if entry.id != entry.stem and entry.has_id:
        said = f"The id {entry.id!r} is not the file's name."
        yield _error("id-mismatch", said, "Make them equal; recall goes by the file's name.")
    elif not is_id(entry.id):
        said = f"The id {entry.id!r} has an old form."
        yield _warning("old-id", said, "New ids are YYYY-MM-DD-words in a-z, 0-9, - and _.")
    for key in ("date", "retain_until"):
        value = getattr(entry, key)
        if value and dates.parse(value) is None:
            yield _error(
                f"bad-{key.replace('_', '-')}", f"{key} is {value!r}.", "Write YYYY-MM-DD."
            )
    if entry.span and dates.parse_span(entry.span) is None:
        yield _error("bad-span", f"span is {entry.span!r}.", "Write YYYY-MM-DD or a span A..B.")
    if entry.visibility and entry.visibility not in VISIBILITIES:
        said = f"visibility is {entry.visibility!r}; it counts as private."
        yield _error("bad-visibility", said, f"One of: {', '.join(VISIBILITIES)}.")
    if len(entry.title) > TITLE_LIMIT:
        said = f"The title has {len(entry.title)} characters."
        yield _warning("long-title", said, f"Keep it within {TITLE_LIMIT}.")
    if len(entry.description) > DESCRIPTION_LIMIT:
        said = f"The description has {len(entry.description)} characters."
        yield _warning("long-description", said, f"Keep it within {DESCRIPTION_LIMIT}.")
    for tag in entry.tags:
        if tag_fault(tag):
            yield _warning("bad-tag", f"The tag {tag[:60]!r} {tag_fault(tag)}", "Rename it.")


def _structure(entry: Entry, document: Document) -> Iterator[Finding]:
    kind = KIND.get(entry.category)
    if entry.kind not in KIND.values():
        said = f"The kind {entry.kind!r} is not known."
        yield _warning("bad-kind", said, f"One of: {', '.join(KIND.values())}.")
    elif kind and kind != entry.kind:
        said = f"A {entry.kind} stands in the folder of {entry.category}."
        yield _warning("kind-folder", said, "Amend it with its kind; the file is moved then.")
    names = {fold(section.name) for section in document.sections}
    missing = [name for name in REQUIRED.get(entry.kind, ()) if fold(name) not in names]
    if entry.kind == "research" and not names - {"digest"}:
        missing = ["one more section beside the digest"]
    if missing:
        said = f"A {entry.kind} needs: {', '.join(missing)}."
        yield _error("missing-section", said, "Amend it with that section.")


def _digest(document: Document, policy: Policy, secrets: bool) -> Iterator[Finding]:
    section = document.section("Digest")
    if section is None or section.name != "Digest":
        yield _error("no-digest", "It has no `## Digest`.", "Amend it with a digest.")
        return
    text, digest = document.text, section.body(document.text)
    for found in digest_errors(digest, policy.digest_words, secrets):
        yield found._replace(code=f"digest-{found.code}")
    share = poor_grounding(digest, text, document.front.body, section)
    if share is not None:
        said = f"Only {share:.0%} of the digest's words occur in the body."
        yield _warning("digest-body-mismatch", said, "Is it the digest of this episode?")


def poor_grounding(digest: str, text: str, start: int, section: Section) -> float | None:
    """The share of a digest's words whose first five letters begin a word of the body, where that
    is less than a fifth.

    The body is the text from `start` on without the digest's section. None where the share is
    more, where the digest has fewer than 8 words to go by, or the body fewer than 40.
    """
    words = spoken(digest)
    if _enough(words, GROUNDING * len(words), text, section.end):
        return None
    said = _content_words(words)
    needed = GROUNDING * len(said)
    if len(said) < _FEWEST_DIGEST:
        return None
    lowered = f"{text[start : section.start]}\n{text[section.end :]}".lower()
    found = sum(_begins_a_word(word[:_STEM], lowered, 0) for word in said)
    poor = found < needed and len(_content_words(spoken(lowered))) >= _FEWEST_BODY
    return found / len(said) if poor else None


def _enough(said: frozenset[str], needed: float, text: str, start: int) -> bool:
    """Whether so many words to go by are found in small letters behind the digest: true of nearly
    every episode, and cheap."""
    for word in said:
        if len(word) >= _LETTERS and word.isalpha() and word not in _COMMON:
            needed -= _begins_a_word(word[:_STEM], text, start) and not unspaced(word)
            if needed <= 0:
                return True
    return False


def _begins_a_word(stem: str, text: str, start: int) -> bool:
    at = text.find(stem, start)
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at = text.find(stem, at + 1)
    return at >= 0


def _content_words(said: frozenset[str]) -> set[str]:
    """Words to go by: four letters or more, no number, not everybody's; in scripts without spaces
    there are none."""
    long = {word for word in said if len(word) >= _LETTERS and not word.isdigit()} - _COMMON
    if not unspaced("".join(long)):
        return long
    return {word for word in long if not unspaced(word)}


def _secrets(text: str, hits: tuple[Hit, ...], policy: Policy) -> Iterator[Finding]:
    own = {rule.kind for rule in policy.rules}
    first: dict[str, int] = {}
    for hit in hits:
        first.setdefault(hit.kind, hit.start)
    for kind, start in sorted(first.items()):
        line = text.count("\n", 0, start) + 1
        said = f"Line {line} holds what looks like a secret ({kind})."
        code = "policy-pattern-at-rest" if kind in own else "secret-at-rest"
        yield _error(code, said, "Amend the episode (it is masked then); change the secret.")


def _orders(text: str) -> Iterator[Finding]:
    found = instructions.order(text)
    if found:
        said = f"Line {found.line} orders an AI about: {clip(found.phrase, 80)!r}."
        fix = "Look at where it comes from. Readers get it as data; take it out if nobody needs it."
        yield _warning("instruction-like", said, fix)


# --- the shelf as a whole --------------------------------------------------------------------


def examine_shelf(
    shelf: Shelf,
    index: str,
    ledger: str | None,
    reversing: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Iterator[Finding]:
    """What only shows when all is seen: ids, titles, references, ledger, the price of INDEX.md.

    `index` is INDEX.md as it would be rendered, `ledger` the text of ledger.tsv on disk;
    `reversing` is what episodes say of their own decisions, `d1 ID` each, by path.
    """
    yield from shelf.problems
    yield from shelf.config.findings
    yield from publishing.faults(shelf.config)
    yield from shelf.policy.findings
    for entry in shelf.entries:
        yield from entry.findings
    yield from _duplicates(shelf)
    yield from _markup(shelf)
    yield from _titles(shelf)
    yield from _references(shelf, reversing)
    yield from _ledger(shelf, ledger)
    yield from _bloat(shelf, index)
    for category in shelf.config.category_order:
        if not any(entry.category == category for entry in shelf.live):
            said = f"There is no episode in docs/{category} yet."
            yield Finding("info", "empty-category", said, f"docs/{category}")


def _duplicates(shelf: Shelf) -> Iterator[Finding]:
    for name, paths in sorted(shelf.duplicates.items()):
        for path in paths:
            others = ", ".join(other for other in paths if other != path)
            said = f"The id {name!r} also stands in {others}."
            yield Finding(
                "error", "duplicate-id", said, path, "Give one of them another id and name."
            )


_MARKUP = lazy(r"\*\S|\[[^\]]*\]\(|<[A-Za-z!/?]|`|(?<!\w)_\S|&#?\w+;|\\[!-/:-@\[-`{-~]")


def _markup(shelf: Shelf) -> Iterator[Finding]:
    """Titles that the peer's form of INDEX.md, which cannot escape, shows as something else."""
    if shelf.config.generated_by != "docshelf-mcp":
        return
    fix = "Retitle it, or let memshelf render the index: memshelf init --take-index."
    for entry in shelf.live:
        if _MARKUP.search(entry.title) or _MARKUP.search(entry.description):
            said = "Its title or description holds Markdown, which INDEX.md shows as such."
            yield Finding("warning", "index-title-markup", said, entry.path, fix)


def _titles(shelf: Shelf) -> Iterator[Finding]:
    seen: dict[tuple[str, str], str] = {}
    for entry in shelf.live:
        key = (entry.category, entry.heading.strip().casefold())
        if key in seen:
            said = f"The title {entry.heading!r} is already that of {seen[key]}."
            yield Finding(
                "warning", "duplicate-title", said, entry.path, "Give it a title of its own."
            )
        seen.setdefault(key, entry.path)


def _references(shelf: Shelf, reversing: Mapping[str, tuple[str, ...]]) -> Iterator[Finding]:
    stems = {entry.stem for entry in shelf.entries} | set(shelf.by_id)
    for entry in shelf.entries:
        for key, name in _named(entry, reversing.get(entry.path, ())):
            if name.partition("/")[0] not in stems or _beyond(shelf, name):
                said = f"{key} names {name!r}, which is not on the shelf."
                yield Finding("warning", "dangling-reference", said, entry.path, "Check the id.")


def _named(entry: Entry, reversals: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The keys that name other episodes, each with an address that it names."""
    for key in ("supersedes", "superseded_by", "closes"):
        for name in getattr(entry, "closes_field" if key == "closes" else key):
            yield key, name
    for said in reversals:
        yield REVERSED, said.partition(" ")[2] or said


def _beyond(shelf: Shelf, address: str) -> bool:
    """Whether an address (ID/t2, ID/d1) counts further than the episode has items."""
    name, _, item = address.partition("/")
    held = shelf.by_id.get(name)
    if not item or held is None:
        return False
    kind, number = item_of(address)
    return not 1 <= number <= len(held.threads if kind == "t" else held.decisions)


_LEDGER_HEADER = "date\tepisode_id\tmode\tapprox_tokens_in\tdigest_tokens\tnotes"
_LEDGER_ROW = lazy(r"(?:\d{4}-\d{2}-\d{2})?\t[^\t]+\t(?:live|import)\t\d+\t\d+(?:\t[^\t]*)?")


def _ledger(shelf: Shelf, ledger: str | None) -> Iterator[Finding]:
    if ledger is None:
        return
    lines = ledger.replace("\r\n", "\n").split("\n")
    rows = [line for line in lines[1:] if line]
    bad = [] if lines[0] == _LEDGER_HEADER else ["the header"]
    bad += [f"line {n}" for n, row in enumerate(rows, 2) if not _LEDGER_ROW.fullmatch(row)]
    ids = [row.split("\t")[1] for row in rows if row.count("\t") >= 1]
    bad += [f"{name} twice" for name, count in sorted(Counter(ids).items()) if count > 1]
    fix = "`memshelf rebuild` renders it anew from the episodes."
    if bad:
        yield Finding("error", "ledger-malformed", f"Broken: {some(bad, 10)}.", "ledger.tsv", fix)
    uncounted = [entry.stem for entry in without_row(shelf, ledger)]
    if uncounted:
        said = f"{plural(len(uncounted), 'episode')} without a row: {some(uncounted)}."
        yield Finding("warning", "no-ledger-row", said, "ledger.tsv", fix)
    known = {entry.id for entry in shelf.entries} | {entry.stem for entry in shelf.entries}
    for name in ids:
        if name not in known:
            said = f"It has a row for {name!r}, which is not on the shelf."
            yield Finding("warning", "orphan-ledger-row", said, "ledger.tsv", fix)


def without_row(shelf: Shelf, ledger: str) -> tuple[Entry, ...]:
    """The episodes of known kinds that a ledger has no row for: no renderer has counted them yet."""
    rows = {line.split("\t")[1] for line in ledger.splitlines() if "\t" in line}
    return tuple(
        entry
        for entry in shelf.entries
        if entry.category in CATEGORIES and entry.has_id and not {entry.id, entry.stem} & rows
    )


def _bloat(shelf: Shelf, index: str) -> Iterator[Finding]:
    price = index_price(shelf, index)
    if price.listed and price.tokens > price.budget:
        said = (
            f"INDEX.md costs {short(price.tokens)} tokens; {short(price.budget)} are its budget "
            f"({price.each:.1f} an entry)."
        )
        dearest = ", ".join(f"{line.id} {line.tokens}" for line in price.dearest(3))
        fix = (
            f"Shorten the dearest lines ({dearest} tokens); archiving would take entry and "
            "allowance together."
        )
        yield Finding("warning", "index-bloat", said, "INDEX.md", fix)
