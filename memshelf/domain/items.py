"""What a section lists: threads and decisions, item by item."""

from __future__ import annotations

import re
from typing import NamedTuple

from .patterns import lazy
from .text import one_line

_ITEM = lazy(r"( {0,3})(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(.*)|$)")
_SIMPLE_ITEM = lazy(r"^(?:[-*+]|[0-9]\d{0,8}[.)])[ \t]+(?![-*_ \t]*$)(.+)$", re.MULTILINE)
_MARKERS = frozenset("-*+0123456789")
_BOX = lazy(r"\[([ xX])\][ \t]+")
_FENCE = lazy(r"[ \t]*(`{3,}|~{3,})")
_RULE = lazy(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})")
_NONE = lazy(
    r"(?:[-–—.*_~ ]*|none|no|nothing|n/?a|nil|no open threads|нет|нету|ничего|keine?|nichts|aucune?|rien"
    r"|ninguno|nada|なし|無し|特になし|无|無|没有|없음|אין|لا يوجد)[.!]*",
    re.IGNORECASE,
)
_REJECTED = lazy(
    r"(?:\*\*|__|_)?(?:rejected|отклонен[оаы]?|отклонён|отвергнут[оаы]?|verworfen|abgelehnt|rejeté"
    r"|rechazad[oa]|不採用|却下|否决|否決|放弃|נדחה|مرفوض)(?!\w)",
    re.IGNORECASE,
)
_STEMS = tuple(
    stem.encode()
    for stem in "rejected отклон отвергнут verworfen abgelehnt rejet rechazad 不採用 却下 否决 否決 放弃 נדחה مرفوض".split()
)
_BELOW = lazy(r"([ \t]+)(?:[-*+]|\d{1,9}[.)])[ \t]+")
_SPACED = lazy(r"(?<=[。！？]) ")
SENTENCE = lazy(r"(?<=[.!?…])[ \t]+|(?<=[。！？])")


class Item(NamedTuple):
    """One item: its text on one line without the marker, and whether its box is ticked."""

    text: str
    ticked: bool = False


class Choice(NamedTuple):
    """A decision with the options that were rejected for it."""

    text: str
    rejected: tuple[str, ...] = ()


def items(body: str) -> list[Item]:
    """The top-level list items of a section; where it has no list, its lines.

    Words for *none* are no item. Code blocks and rules are not read.
    """
    found = map(_item, _raw(body))
    return [item for item in found if not _NONE.fullmatch(item.text)]


def _raw(body: str) -> list[str]:
    """The items with their line breaks and markers below the first."""
    if not body:
        return []
    simple = _SIMPLE_ITEM.findall(body)
    if len(simple) > body.count("\n"):  # a match is a whole line, so there is nothing else
        return simple
    lines = _outside_fences(body)
    marked = [_marked(line) for line in lines]
    return _list_items(lines, marked) if any(marked) else [line for line in lines if line.strip()]


def _marked(line: str) -> re.Match[str] | None:
    """The list marker that a line begins with, if it is a top-level one and no rule."""
    if line.lstrip(" ")[:1] not in _MARKERS:
        return None
    found = _ITEM.fullmatch(line)
    return found if found and not _RULE.fullmatch(line) else None


def _outside_fences(body: str) -> list[str]:
    if "```" not in body and "~~~" not in body:
        return body.split("\n")
    out, fence = [], ""
    for line in body.split("\n"):
        found = _FENCE.match(line)
        if found and not fence:
            fence = found.group(1)
        elif found and found.group(1).startswith(fence) and not line.strip(" \t" + fence[0]):
            fence = ""
        elif not fence:
            out.append(line)
    return out


def _list_items(lines: list[str], marked: list[re.Match[str] | None]) -> list[str]:
    """Each top-level item with its continuation lines; lines before the first item are prose."""
    out: list[list[str]] = []
    top, blank = 3, False
    for line, found in zip(lines, marked, strict=True):
        if found and len(found.group(1)) <= top:
            top = min(top, len(found.group(1)) + 1)
            out.append([found.group(2) or ""])
        elif out and line.strip() and not _RULE.fullmatch(line) and (not blank or line[0] == " "):
            out[-1].append(line)
        blank = not line.strip()
    return ["\n".join(parts) for parts in out]


def _item(raw: str) -> Item:
    text = one_line(raw)
    box = _BOX.match(text)
    return Item(text[box.end() :], box.group(1) != " ") if box else Item(text)


def choices(body: str) -> list[Choice]:
    """The decisions of a section; an item or sentence that begins with *Rejected* (in any of the
    languages known) is a rejected option of the decision before it."""
    if not _may_reject(body):
        return [Choice(entry.text) for entry in items(body)]
    out: list[Choice] = []
    for raw in _raw(body):
        text, below = _without_rejected(raw)
        entry = _item(text)
        if _NONE.fullmatch(entry.text) and not below:
            continue
        kept, rejected = _parted(entry.text)
        rejected += below
        if kept or not out:
            out.append(Choice(kept or entry.text, tuple(rejected) if kept else ()))
        else:
            out[-1] = Choice(out[-1].text, (*out[-1].rejected, *rejected))
    return out


def _may_reject(body: str) -> bool:
    """False where nothing can be a rejected option, which is quick to see in bytes.

    Of letters beyond ASCII those of the stems have no case, but for the Cyrillic ones.
    """
    low = body.encode("utf-8", "surrogatepass").lower()
    if b"\xd0" in low:
        low = body.lower().encode("utf-8", "surrogatepass")
    return any(stem in low for stem in _STEMS)


def _without_rejected(raw: str) -> tuple[str, list[str]]:
    """An item without the items below it that begin with *Rejected*, and these, whole."""
    if "\n" not in raw:
        return raw, []
    kept: list[str] = []
    rejected: list[list[str]] = []
    inside = 0  # how far the rejected item is indented whose lines these are
    for line in raw.split("\n"):
        below = _BELOW.match(line)
        depth = len(below[1]) if below else 0
        if below and not 0 < inside < depth:
            inside = depth if _REJECTED.match(line, below.end()) else 0
            if inside:
                rejected.append([])
                line = line[below.end() :]
        (rejected[-1] if inside else kept).append(line)
    return "\n".join(kept), [one_line(" ".join(lines)) for lines in rejected]


def _parted(text: str) -> tuple[str, list[str]]:
    """What was decided, and what was rejected for it, sentence by sentence.

    What begins with a small letter goes on in the sentence before it, which a short form cut (*approx.*).
    """
    kept: list[str] = []
    rejected: list[str] = []
    going_on = False  # in what was rejected
    for sentence in SENTENCE.split(text):
        if _REJECTED.match(sentence):
            rejected.append(sentence.strip())
            going_on = True
        elif rejected and (not kept or (going_on and sentence[:1].islower())):
            rejected[-1] += " " + sentence
        else:
            kept.append(sentence)
            going_on = False
    return _SPACED.sub("", " ".join(kept)).strip(), rejected
