"""Where ids and links to episodes' files lead, once the page that they stand in is put together.

Works on the HTML that `render.markdown.fragment` makes, where every `<`, `>` and `"` is markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from urllib.parse import unquote

from ..domain.entry import Entry
from ..domain.mentions import DATED, ID
from ..domain.patterns import lazy
from .escape import attribute

_RELATIVE = lazy(r'<a href="(?!(?i:https?://|mailto:))')
# A block of code, which is left alone, a link, or an id that no word ends with; no other tag holds
# one. Each begins with a letter of its own, so that few places are tried.
_PLACE = lazy(
    rf'<pre.*?</pre>|<a href="([^"]*)"[^>]*>(.*?)</a>|({ID[0]}(?<![\w-]{ID[0]}){ID[1:]})',
    re.DOTALL,
)
_LINK = lazy(r'<a href="([^"]*)"[^>]*>(.*)</a>', re.DOTALL)
_AWAY = lazy(r"(?:https?://|mailto:)", re.IGNORECASE)
_UNSAFE = lazy(r"[^\w.-]")

Resolve = Callable[[str], str]
"""An id or a file's stem to its address as a link has it (`#ep-x`), "" where it is not there."""


def anchor(episode_id: str) -> str:
    """An id as it may stand in `id=` and behind `#`: words, dots and hyphens, else its number.

    >>> anchor("2026-01-02-x"), anchor('a "b"')
    ('ep-2026-01-02-x', 'ep-a_20__22_b_22_')
    """
    return f"ep-{safe(episode_id)}"


def safe(name: str) -> str:
    """A name of letters of any script, digits, dots, hyphens and underscores: others by number."""
    return _UNSAFE.sub(lambda found: f"_{ord(found.group()):x}_", name)


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


Cut = tuple[str, ...]
"""A fragment cut at the links and ids that may lead to an episode: HTML, such a place, HTML, ..."""


def linked(fragment: str, resolve: Resolve) -> str:
    """A fragment whose links to episodes, and the ids in its text, lead to where they are.

    A link that leads nowhere in this page becomes its words. Ids are found in running text and in
    code spans, not in code blocks and not inside other links.
    """
    return joined(cut(fragment), resolve)


def cut(fragment: str) -> Cut:
    """The places of a fragment that depend on what else is in the page, and what is between them."""
    if not DATED.search(fragment) and not _RELATIVE.search(fragment):
        return (fragment,)
    out, end = [], 0
    for found in _PLACE.finditer(fragment):
        href, _, name = found.groups()
        if name or (href is not None and not _AWAY.match(href)):
            out += [fragment[end : found.start()], found.group()]
            end = found.end()
    return (*out, fragment[end:])


def joined(pieces: Cut, resolve: Resolve) -> str:
    """The fragment again, with each of its places leading to where that is in this page."""
    if len(pieces) == 1:
        return pieces[0]
    out = list(pieces)
    out[1::2] = [_placed(place, resolve) for place in pieces[1::2]]
    return "".join(out)


def _placed(place: str, resolve: Resolve) -> str:
    link = _LINK.fullmatch(place)
    if link is None:
        return _id(place, resolve)
    href, words = link.groups()
    file = unquote(href.partition("#")[0]).rpartition("/")[2]
    target = resolve(file.removesuffix(".md")) if file.endswith(".md") else ""
    return f'<a href="{attribute(target)}">{words}</a>' if target else linked(words, resolve)


def _id(place: str, resolve: Resolve) -> str:
    name = place.rstrip("-")
    target = resolve(name)
    if not target:
        return place
    return f'<a href="{attribute(target)}" dir="ltr">{name}</a>{place[len(name) :]}'
