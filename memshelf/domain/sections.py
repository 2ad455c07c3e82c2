"""The one Markdown line scanner: fences, H2 headings, slices of a document.

A line grammar, not CommonMark (format.md, *Sections*): `## Name` with up to three spaces before
it, outside fences, opens a section. Only LF and CRLF end a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .patterns import lazy
from .text import fold, normal_body

KNOWN = ("Digest", "Decisions", "Timeline", "Artifacts", "Open threads", "Raw excerpts")
_KNOWN_LOWER = frozenset(name.lower() for name in KNOWN)

_ATX = lazy(r" {0,3}##[ \t]+(.*?)[ \t]*")
_CLOSING_HASHES = lazy(r"(?:^|[ \t]+)#+[ \t]*$")
_UNDERLINE = lazy(r" {0,3}-{2,}[ \t]*")
_MARKER = lazy(r"(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)[ \t]{0,4}|>[ \t]?")
_FENCE = lazy(r" {0,3}(`{3,})([^`]*)|() {0,3}(~{3,})(.*)")
_RULE = lazy(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,})")
_INTERESTING = frozenset("#`~-*+>0123456789")

# The quick way: headings, and fences that stand at the very beginning of their line. It goes as far
# as no fence is indented or stands in a list or a quote, and no known name is underlined.
_QUICK = lazy(r"\n(?: {0,3}##[ \t]+([^\n]*)|(`{3,}|~{3,})([^\n]*))(?=\n|\Z)")
_HELD_FENCE = lazy(r"\n[ \t>*+\-0-9.)]+(?:```|~~~)")
_DASHES = lazy(r"\n {0,3}--")


class Section(NamedTuple):
    """One H2 section: its name, and where its heading, its body and its end stand in the text."""

    name: str
    start: int
    body_start: int
    end: int

    def body(self, text: str) -> str:
        """The body in its stored form: LF, no blank lines at the ends."""
        return normal_body(text[self.body_start : self.end])


class Outline(NamedTuple):
    """The sections of a text, the offset where the first begins, and where a fence stays open."""

    sections: tuple[Section, ...]
    open_fence: int | None
    """Offset of the fence that the end of the text leaves open, outside any list or quote."""


class _Fence(NamedTuple):
    char: str
    length: int
    quotes: int
    offset: int
    at: int

    def closed_by(self, line: str) -> bool:
        if self.char * self.length not in line:
            return False
        inner = _unquote(line, self.quotes)
        if _indent(inner) > self.offset + 3:
            return False
        inner = inner.strip(" \t")
        return len(inner) >= self.length and not inner.strip(self.char)

    def left_by(self, line: str) -> bool:
        """True where the container that the fence stands in has ended before this line."""
        if self.quotes:
            return line.lstrip(" ").count(">", 0, 2 * self.quotes) < self.quotes
        return self.offset > 0 and bool(line.strip()) and _indent(line) < self.offset


def _indent(line: str) -> int:
    """Columns of white space before the text; a tab goes to the next multiple of four."""
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    return len(lead.expandtabs(4)) if "\t" in lead else len(lead)


def _unquote(line: str, quotes: int) -> str:
    for _ in range(quotes):
        line = line.lstrip(" ")
        if line.startswith(">"):
            line = line[1:]
    return line


def _opens_fence(line: str, at: int, held: tuple[int, ...]) -> _Fence | None:
    """The fence that a line opens, after any list and quote markers; `held` are the lists' offsets."""
    if "```" not in line and "~~~" not in line:
        return None
    lead = _indent(line)
    item = max((offset for offset in held if lead >= offset), default=0)
    rest, quotes, offset, column = line, 0, 0, 0
    while True:
        lead = _indent(rest)
        marker = _MARKER.match(rest, lead) if lead <= 3 or item else None
        if not marker or (marker.end() == len(rest)):
            break
        quotes += marker.group().startswith(">")
        column += marker.end()
        offset = 0 if quotes else column
        rest = rest[marker.end() :]
    if item and not offset and not quotes and _indent(rest) >= item:
        offset, rest = item, rest.expandtabs(4)[item:]
    found = _FENCE.fullmatch(rest)
    if not found:
        return None
    ticks = found.group(1) or found.group(4)
    return _Fence(ticks[0], len(ticks), quotes, offset, at)


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Offset, end (with the line break) and content of each line."""
    at = 0
    for line in text.removesuffix("\n").split("\n"):
        end = at + len(line) + 1
        yield at, min(end, len(text)), line.rstrip("\r")
        at = end


def _atx(line: str) -> str:
    found = _ATX.fullmatch(line)
    return _CLOSING_HASHES.sub("", found.group(1)) if found else ""


def _containers(line: str, held: tuple[int, ...]) -> tuple[int, ...]:
    """Content offsets of the list items that a line stands in, the innermost last."""
    line = line.expandtabs(4)
    lead = _indent(line)
    kept = tuple(offset for offset in held if lead >= offset)
    if line[lead : lead + 1].isalpha() or _RULE.fullmatch(line):  # `* * *` is no list
        return kept
    marker = _MARKER.match(line, lead)
    if not marker or marker.group().startswith(">") or lead > 3 + (kept[-1] if kept else 0):
        return kept
    return (*kept, max(marker.end(), lead + len(marker.group().rstrip()) + 1))


def outline(text: str, start: int = 0) -> Outline:
    """The sections of a text from an offset on, and whether a fence is left open at its end."""
    if start == 0:
        moved = outline("\n" + text, 1)
        sections = (
            Section(s.name, s.start - 1, s.body_start - 1, s.end - 1) for s in moved.sections
        )
        return Outline(tuple(sections), None if moved.open_fence is None else moved.open_fence - 1)
    hard = _hard(text, start)
    easy = _outline_quickly(text, start, hard)
    if hard == len(text):
        return easy
    # A heading ends every list: lines are read one by one from the last before the hard place on.
    last = easy.sections[-1].start if easy.sections else start
    rest = _outline_by_lines(text, last)
    return Outline((*easy.sections[:-1], *rest.sections), rest.open_fence)


def _hard(text: str, start: int) -> int:
    """Where the first line break stands that the quick way must not pass; else the text's end."""
    fenced = _HELD_FENCE.search(text, start - 1) if "```" in text or "~~~" in text else None
    return min(fenced.start() if fenced else len(text), _underlined(text, start))


def _underlined(text: str, start: int) -> int:
    """Where the line above dashes is a known name, which may make a section of it."""
    for dashes in _DASHES.finditer(text, start):
        above = text.rfind("\n", 0, dashes.start())
        if text[above + 1 : dashes.start()].strip().lower() in _KNOWN_LOWER:
            return above
    return len(text)


def _outline_quickly(text: str, start: int, stop: int) -> Outline:
    """`start` is the beginning of a line that is not the first, `stop` a line break or the end."""
    marks: list[tuple[str, int, int]] = []
    fence, opened = "", 0
    for found in _QUICK.finditer(text, start - 1, stop):
        heading, ticks, info = found.groups()
        if heading is None:
            if not fence:
                if ticks[0] == "~" or "`" not in info:
                    fence, opened = ticks, found.start() + 1
            elif ticks.startswith(fence) and not info.strip(" \t\r"):
                fence = ""
        elif not fence:
            name = _CLOSING_HASHES.sub("", heading.rstrip(" \t\r"))
            if name:
                marks.append((name, found.start() + 1, min(found.end() + 1, len(text))))
    return _outlined(text, marks, opened if fence else None)


def _outlined(text: str, marks: list[tuple[str, int, int]], open_fence: int | None) -> Outline:
    ends = [mark[1] for mark in marks[1:]] + [len(text)]
    sections = [Section(*mark, stop) for mark, stop in zip(marks, ends, strict=False)]
    return Outline(tuple(sections), open_fence)


def _outline_by_lines(text: str, start: int) -> Outline:
    marks: list[tuple[str, int, int]] = []
    fence: _Fence | None = None
    held: tuple[int, ...] = ()
    before: tuple[int, str] | None = None  # the paragraph line that an underline would make a name
    boundary = True
    for at, end, line in _lines(text[start:] if start else text):
        if fence:
            if fence.left_by(line):
                fence = None
            else:
                fence = None if fence.closed_by(line) else fence
                boundary, before = False, None
                continue
        first = line.lstrip(" ")[:1]
        if first in _INTERESTING or held:
            fence = _opens_fence(line, at + start, held)
            held = _containers(line, held) if line.strip() else held
            if fence:
                boundary, before = False, None
                continue
        name = _atx(line) if first == "#" else ""
        if name:
            marks.append((name, at + start, end + start))
            boundary, before, held = True, None, ()
        elif before and first == "-" and _UNDERLINE.fullmatch(line):
            marks.append((before[1], before[0], end + start))
            boundary, before, held = True, None, ()
        else:
            known = boundary and line.strip().lower() in _KNOWN_LOWER and _indent(line) <= 3
            before = (at + start, line.strip()) if known else None
            boundary = not line.strip(" \t")
    unclosed = fence is not None and not fence.quotes and not fence.offset
    return _outlined(text, marks, fence.at if fence and unclosed else None)


def addresses(names: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """How each section is addressed: by its name, the second of a name as `Name (2)`.

    >>> addresses(["Notes", "Decisions", "Notes"])
    ('Notes', 'Decisions', 'Notes (2)')
    """
    seen: dict[str, int] = {}
    taken = set(names)
    out = []
    for name in names:
        count = seen.get(name, 0) + 1
        while count > 1 and f"{name} ({count})" in taken:
            count += 1
        seen[name] = count
        out.append(name if count == 1 else f"{name} ({count})")
    return tuple(out)


def find(known: Sequence[str], wanted: str) -> int | None:
    """The place of the address that `wanted` means: exactly, else without case and accents."""
    if wanted in known:
        return known.index(wanted)
    folded = [fold(name) for name in known]
    target = fold(wanted.strip())
    return folded.index(target) if target in folded else None


def fault_of_body(body: str) -> tuple[str, str] | None:
    """Why a text cannot stand as one section's body, and the fix; None where it can."""
    seen = outline(body)
    if seen.sections:
        name = seen.sections[0].name
        return (
            f"the text has a line that opens a section of its own ({name!r}).",
            "Write the heading as `### ...`, or give that part as a section with its own name.",
        )
    if seen.open_fence is not None:
        line = body.count("\n", 0, seen.open_fence) + 1
        return (f"the code fence opened in line {line} is never closed.", "Close the fence.")
    return None
