"""Renaming an episode: its own id, and every place in other texts that names it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from urllib.parse import unquote

from . import frontmatter
from .mentions import LINK, named
from .splicing import key_spans

LINKS = ("supersedes", "superseded_by", "reversed_by", "closes")
"""Keys whose items name episodes, in whatever form their ids are."""
KEPT = ("op", "session")
"""Keys that may hold the letters of an id and mean something else: a request, a conversation."""


def following(text: str, olds: Collection[str], new: str) -> str:
    """A text in which every mention of an episode bears its new name; no other byte changes.

    A mention is what `mentions.named` finds, in code and fences too: a bare id, as a word of its own
    and so in addresses (`ID/t2`) and links, or the file's name in a link; and an item of the front
    matter's lists.
    """
    spans = sorted(set(_spans(text, olds)))
    for begin, end in reversed(spans):
        text = text[:begin] + new + text[end:]
    return text


def own(text: str, olds: Collection[str], new: str) -> str:
    """The text of the episode itself under its new name: its `id`, and where it names itself."""
    found = frontmatter.read(text)
    for key, begin, end in key_spans(text, found) if found.present else ():
        if key == "id":
            text = text[:begin] + _given(text[begin:end], olds, new) + text[end:]
            break
    return following(_headed(text, olds, new), olds, new)


def _given(line: str, olds: Collection[str], new: str) -> str:
    """The line of the key `id` with the new one in it."""
    colon = line.index(":")
    there = max((old for old in olds if old in line[colon:]), key=len, default="")
    if there:
        return line[:colon] + line[colon:].replace(there, new, 1)
    return re.sub(r"(:[ \t]*)[^\r\n]*", rf"\g<1>{new}", line, count=1)


def _headed(text: str, olds: Collection[str], new: str) -> str:
    """An H1 that was the id, as the peer writes it, follows."""
    front = frontmatter.read(text)
    if front.heading_at < 0 or front.heading not in olds:
        return text
    at = text.index(front.heading, front.heading_at)
    return text[:at] + new + text[at + len(front.heading) :]


def _spans(text: str, olds: Collection[str]) -> Iterator[tuple[int, int]]:
    kept = list(_kept(text))
    for begin, end in (*_named(text, olds), *_listed(text, olds)):
        if not any(first <= begin < last for first, last in kept):
            yield begin, end


def _named(text: str, olds: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where a text names one of some ids, bare or as the file of a link."""
    for at, name in named(text):
        if name in olds and text.startswith(name, at):
            yield at, at + len(name)
    if "](" in text:
        links = LINK.finditer(text)
        yield from (found.span(1) for found in links if unquote(found.group(1)) in olds)


def _listed(text: str, olds: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where the lists of the front matter name an old id, whatever its form."""
    front = frontmatter.read(text)
    names = "|".join(sorted(map(re.escape, olds), key=len, reverse=True))
    item = re.compile(rf"(?<![\w./+-])(?:{names})(?![\w.+-])")
    for key, begin, end in key_spans(text, front) if front.present else ():
        if key in LINKS:
            start = text.index(":", begin)
            yield from (found.span() for found in item.finditer(text, start, end))


def _kept(text: str) -> Iterator[tuple[int, int]]:
    front = frontmatter.read(text)
    for key, begin, end in key_spans(text, front) if front.present else ():
        if key in (*KEPT, "id"):
            yield begin, end
