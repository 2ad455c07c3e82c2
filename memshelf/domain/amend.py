"""Amending splices: what was not named stays byte for byte."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from . import frontmatter
from .episode import ORDER, Document, check_section, heading, in_order, written
from .errors import SectionNotFound
from .sections import KNOWN, Section, find
from .splicing import splice
from .text import fold, normal_body


def amend(text: str, fields: Mapping[str, Any], sections: Mapping[str, str]) -> str:
    """The file's text with the named fields and sections changed.

    An empty value takes a field or a section away. A section that is not there is added, unless its
    name looks like a slip of one that is: then SectionNotFound names what is near.
    """
    for name, body in sections.items():
        check_section(name, normal_body(body))
    changes = {
        key: written(key, value) if _given(value) or key == "tags" else None
        for key, value in fields.items()
    }
    before = Document.of(text)
    text = splice(text, changes, ORDER)
    if "display_title" in fields:
        text = _retitle(
            text, before, str(fields["display_title"] or before.front.values.get("id", ""))
        )
    for name, body in sections.items():
        text = _splice(text, name, normal_body(body))
    return text


def _given(value: Any) -> bool:
    return value not in ("", (), [], None)


def _retitle(text: str, before: Document, title: str) -> str:
    """The H1 follows the title, where it was the title; the peer's, above the block, is the id."""
    front, shown = before.front, before.front.heading
    old, own = str(front.values.get("display_title", "")), str(front.values.get("id", ""))
    above = front.heading_at < front.start
    if front.heading_at < 0 or shown not in (old, heading(old), own) or (above and shown == own):
        return text
    at = frontmatter.read(text).heading_at
    end = text.find("\n", at)
    line = text[at : end if end >= 0 else len(text)]
    ending = "\r" if line.endswith("\r") else ""
    return text[:at] + f"# {heading(title)}{ending}" + text[at + len(line) :]


def _splice(text: str, name: str, body: str) -> str:
    document = Document.of(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    body = body.replace("\n", newline)
    section = document.section(name)
    if section is None:
        _refuse_slip(document, name)
        return _insert(document, name, body, newline) if body else text
    if not body:
        return _removed(text, section, newline)
    if section.body(text) == normal_body(body):
        return text
    tail = newline * 2 if section.end < len(text) else newline
    return text[: section.body_start] + body + tail + text[section.end :]


def _removed(text: str, section: Section, newline: str) -> str:
    """The text without a section; a blank line stays before what follows it."""
    head, rest = text[: section.start], text[section.end :]
    if not rest:
        return head.rstrip("\r\n") + newline
    gap = newline if head.strip() and not head.endswith(newline * 2) else ""
    return head + gap + rest


def _refuse_slip(document: Document, name: str) -> None:
    if name in KNOWN:
        return
    known = {fold(n): n for n in (*document.names, *KNOWN)}
    near = difflib.get_close_matches(fold(name), list(known), 3, 0.75)
    if near:
        episode = str(document.front.values.get("id", "of this file"))
        raise SectionNotFound(episode, name, tuple(known[n] for n in near))


def _insert(document: Document, name: str, body: str, newline: str) -> str:
    """A new section goes where the writer would have put it."""
    names = [section.name for section in document.sections]
    order = [pair[0] for pair in in_order(tuple((n, "") for n in (*names, name)))]
    after = order[order.index(name) + 1 :]
    place = next((find(names, n) for n in after if n in names), None)
    at = document.sections[place].start if place is not None else len(document.text)
    head, rest = document.text[:at], document.text[at:]
    gap = "" if head.endswith(newline * 2) else newline if head.endswith(newline) else newline * 2
    return f"{head}{gap}## {name}{newline}{body}{newline}{newline if rest else ''}{rest}"
