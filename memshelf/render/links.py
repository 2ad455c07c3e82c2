"""Links inside one page: where ids and links to episodes' files lead, once a page is put together.

Works on the HTML that `render.markdown.fragment` makes, where every `<`, `>` and `"` is markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

from ..domain.entry import Entry
from ..domain.mentions import ADDRESS
from .escape import attribute

_TAG = re.compile(r"(<[^>]*>)")
_LINK = re.compile(r'<a href="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_AWAY = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_UNSAFE = re.compile(r"[^\w.-]")

Resolve = Callable[[str], str]
"""An id or a file's stem to the address that it has in the page, "" where it is not there."""


def anchor(episode_id: str) -> str:
    """An id as it may stand in `id=` and behind `#`: words, dots and hyphens, else its number.

    >>> anchor("2026-01-02-x"), anchor('a "b"')
    ('ep-2026-01-02-x', 'ep-a_20__22_b_22_')
    """
    return "ep-" + _UNSAFE.sub(lambda found: f"_{ord(found.group()):x}_", episode_id)


def anchors(entries: Iterable[Entry]) -> dict[str, str]:
    """The anchor of each entry's path; of two with one id the later has a number behind it."""
    out: dict[str, str] = {}
    taken: set[str] = set()
    for entry in entries:
        name, number = anchor(entry.id), 2
        while name in taken:
            name, number = f"{anchor(entry.id)}--{number}", number + 1
        taken.add(name)
        out[entry.path] = name
    return out


def linked(fragment: str, resolve: Resolve) -> str:
    """A fragment whose links to episodes, and the ids in its text, lead to where they are.

    A link that leads nowhere in this page becomes its words. Ids are found in running text and in
    code spans, not in code blocks and not inside other links.
    """
    return "".join(_ids(_LINK.sub(lambda found: _resolved(found, resolve), fragment), resolve))


def _resolved(found: re.Match[str], resolve: Resolve) -> str:
    href, _, words = found.groups()
    if _AWAY.match(href):
        return found.group()
    file = unquote(href.partition("#")[0]).rpartition("/")[2]
    target = resolve(file.removesuffix(".md")) if file.endswith(".md") else ""
    return f'<a href="#{attribute(target)}">{words}</a>' if target else words


def _ids(fragment: str, resolve: Resolve) -> Iterator[str]:
    inside = 0  # depth of elements whose text is left alone
    for part in _TAG.split(fragment):
        if part.startswith("<"):
            inside += part.startswith(("<a ", "<pre")) - (part in ("</a>", "</pre>"))
            yield part
        elif inside or not part:
            yield part
        else:
            yield ADDRESS.sub(lambda found: _id(found, resolve), part)


def _id(found: re.Match[str], resolve: Resolve) -> str:
    name = found.group(1).rstrip("-")
    target = resolve(name)
    if not target:
        return found.group()
    rest = found.group()[len(name) :]
    return f'<a href="#{attribute(target)}" dir="ltr">{name}</a>{rest}'
