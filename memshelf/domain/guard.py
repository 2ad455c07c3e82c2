"""The guard: reads every byte that is to leave, and stops it where a secret or a hidden text is.

It fails closed: what it cannot read does not leave. What it finds it names by place, kind and
hash, never by its value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from .episode import format_episode
from .errors import ShelfError
from .finding import Finding, Report
from .guard_forms import Unreadable, forms
from .leaving import Leaving
from .publishing import Allow, Publishing
from .redact import Rule, find_secrets, redact
from .shelf import Shelf
from .text import plural
from .traces import ID, TEXT, TITLE, Traces

UNKNOWN = "unknown-file"
"""The kind under which a file that cannot be read is named; its value is the hash of its bytes."""

_SAID = {
    ID: "The id of a hidden episode stands here.",
    TITLE: "The title of a hidden episode stands here.",
    TEXT: "A text of a hidden episode stands here.",
}


def allow_hash(kind: str, value: str) -> str:
    """What names a value under a kind in [[publish.allow]]: 16 digits of a SHA-256 over both.

    >>> allow_hash("bearer", "x") == allow_hash("credential", "x")
    False
    """
    said = f"{kind}\0{value}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(said).hexdigest()[:16]


@dataclass(frozen=True)
class Watch:
    """What the guard watches for, and what it lets pass.

    `shown` is what leaves, `vendored` the SHA-256 of files that come from an installed package
    and hold nothing of the shelf.
    """

    rules: tuple[Rule, ...] = ()
    traces: Traces | None = None
    allow: tuple[Allow, ...] = ()
    today: date = date.min
    shown: Shelf = field(default_factory=Shelf)
    vendored: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        whole: Shelf,
        leaving: Leaving,
        publishing: Publishing,
        today: date,
        furniture: str = "",
        vendored: frozenset[str] = frozenset(),
    ) -> Watch:
        """The watch for what leaves a shelf. `furniture` is text that pages have from elsewhere:
        labels, templates, other pages of the same site; words in it give nothing away."""
        return cls(
            rules=whole.policy.rules,
            traces=Traces(whole, leaving.shelf, furniture),
            allow=publishing.allow,
            today=today,
            shown=leaving.shelf,
            vendored=vendored,
        )


class _Leak(NamedTuple):
    kind: str
    value: str
    line: int
    """From 1; 0 is the file's name, -1 unknown."""
    source: str
    said_in: str = ""


def guard(pages: Iterable[tuple[str, str | bytes]], watch: Watch) -> Report:
    """What must not leave in some files (path, content), as findings of level error.

    One finding for a value under a kind, at the first place whose line is known. Exceptions that came to their end and
    those that were not needed are warnings.
    """
    leaks: dict[tuple[str, str], tuple[str, _Leak, int]] = {}
    count = 0
    for path, data in pages:
        count += 1
        raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        for key, leak in _first(_leaks(path, raw, watch)).items():
            where, first, times = leaks.get(key, (path, leak, 0))
            if first.line < 0 <= leak.line:
                where, first = path, leak
            leaks[key] = where, first, times + 1
    needed = {allow_hash(*key) for key in leaks}
    passes = {one.hash for one in watch.allow if one.until >= watch.today}
    stopped = (
        _finding(where, leak, times, watch)
        for (kind, value), (where, leak, times) in leaks.items()
        if allow_hash(kind, value) not in passes
    )
    return Report((*stopped, *_exceptions(watch, needed)), count)


def _first(leaks: Iterable[_Leak]) -> dict[tuple[str, str], _Leak]:
    """The first leak of each value; one whose line is known counts more."""
    found: dict[tuple[str, str], _Leak] = {}
    for leak in leaks:
        key = leak.kind, leak.value
        if key not in found or found[key].line < 0 <= leak.line:
            found[key] = leak
    return found


def _leaks(path: str, data: bytes, watch: Watch) -> Iterator[_Leak]:
    if watch.vendored and hashlib.sha256(data).hexdigest() in watch.vendored:
        yield from _in(path, True, watch)
        return
    try:
        for form in forms(path, data):
            yield from _in(form.text, form.placed, watch)
    except Unreadable as why:
        yield from _in(path, True, watch)
        yield _Leak(UNKNOWN, hashlib.sha256(data).hexdigest(), -1, str(why))


def _in(text: str, placed: bool, watch: Watch) -> Iterator[_Leak]:
    for hit in find_secrets(text, watch.rules):
        line = text.count("\n", 0, hit.start) if placed else -1
        yield _Leak(hit.kind, text[hit.start : hit.end], line, "")
    for found in watch.traces.found(text) if watch.traces else ():
        line = found.line if placed else -1
        yield _Leak(found.kind, found.value, line, found.path, found.said_in)


# --- what is said ----------------------------------------------------------------------------


def _finding(path: str, leak: _Leak, times: int, watch: Watch) -> Finding:
    code = leak.kind if leak.kind in (*_SAID, UNKNOWN) else "secret"
    more = f" So it is in {plural(times - 1, 'other file')}." if times > 1 else ""
    path, _ = redact(path, watch.rules)  # a secret may stand in the name itself
    place = {-1: path, 0: f"{path} (its name)"}.get(leak.line, f"{path}:{leak.line}")
    way = f'allow it: hash = "{allow_hash(leak.kind, leak.value)}" in a [[publish.allow]].'
    if code == UNKNOWN:
        said = f"The guard cannot read this file: {leak.source}."
        return Finding("error", code, said + more, place, f"Leave it out, or {way}")
    said = _SAID.get(leak.kind, f"A secret of the kind {leak.kind} stands here.")
    source = leak.source or _source(leak, watch)
    from_ = f" It comes from {source}." if source and leak.kind != ID else ""
    from_ += f" {leak.said_in} says it." if leak.said_in else ""
    return Finding("error", code, said + from_ + more, place, f"{_mend(leak, source)}, or {way}")


def _mend(leak: _Leak, source: str) -> str:
    if leak.said_in:
        return f"Reword it in {leak.said_in}"
    if leak.kind in _SAID:
        return "Take it out of the template or the page it comes from"
    return f"Take it out of {source}, and change it where it is valid" if source else "Take it out"


def _source(leak: _Leak, watch: Watch) -> str:
    """The visible episode in which a secret stands, "" where none does as it is."""
    for entry in watch.shown.entries if leak.kind not in _SAID else ():
        try:
            text = format_episode(watch.shown.load(entry.path))
        except (ShelfError, LookupError):
            continue
        at = text.find(leak.value)
        if at >= 0:
            return entry.path
    return ""


def _exceptions(watch: Watch, needed: set[str]) -> Iterator[Finding]:
    where = "memshelf.toml"
    for one in watch.allow:
        said = f"The exception {one.hash} ({one.reason})"
        if one.until < watch.today:
            fix = "Give it a new end if it still holds, or take it out."
            yield Finding("warning", "allow-ended", f"{said} ended on {one.until}.", where, fix)
        elif one.hash not in needed:
            fix = "Take it out."
            yield Finding("warning", "allow-unused", f"{said} lets nothing pass.", where, fix)
