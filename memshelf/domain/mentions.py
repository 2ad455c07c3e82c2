"""Who names whom: ids in text, and the marks that close a thread."""

from __future__ import annotations

import re
from urllib.parse import unquote

from .patterns import lazy

# No look-behind: with a literal beginning the scan is ten times quicker, 0.1 s for 10,000 episodes.
ID = r"20\d{2}-\d{2}-\d{2}-\w[\w-]*"
DATED = lazy(ID)
"""A bare id in a text: the only form of one that needs no link to be seen."""

_NUMBER = lazy(r"#(?<![\w&#]#)(\d{1,7})(?!\w)")
LINK = lazy(r"\]\(<?(?:[^()\s<>]*/)?([^()/\s<>]+)\.md(?:#[^()\s<>]*)?>?\)")
"""A link to a Markdown file: its group is the file's name, percent-encoded as it stands."""
_CLOSES = lazy(r"^[ \t>*+-]*(?:Closes|Закрывает|Schließt)[ \t:]+(.+)$", re.MULTILINE)
ADDRESS = lazy(rf"(?<![\w-])({ID})(?:/([td])(\d+))?")
_PLACE = lazy(r"([td])([1-9][0-9]{0,5})")


def named(text: str) -> list[tuple[int, str]]:
    """The ids that a text names, bare or by a link to an episode's file, each with its offset.

    An id that is the beginning of a longer one is not named by it, nor by a word that it ends.
    """
    found = [
        (m.start(), m.group().rstrip("-")) for m in DATED.finditer(text) if _begins(text, m.start())
    ]
    if "](" in text and ".md" in text:
        links = ((m.start(), unquote(m.group(1))) for m in LINK.finditer(text))
        found += [link for link in links if not DATED.fullmatch(link[1])]
    return found


def _begins(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    return not (before.isalnum() or before in ("_", "-")) or not before


def item_of(address: str) -> tuple[str, int]:
    """The kind and the number of the item that an address names; ("", 0) where it names none.

    >>> item_of("2026-01-05-cache/t2"), item_of("2026-01-05-cache"), item_of("2026-01-05-cache/t²")
    (('t', 2), ('', 0), ('', 0))
    """
    found = _PLACE.fullmatch(address.partition("/")[2])
    return (found[1], int(found[2])) if found else ("", 0)


def numbers(text: str) -> tuple[str, ...]:
    """The numbers of issues and the like that a text names, each once, in order.

    >>> numbers("#12, PR #7; not &#39; nor x#1 nor #3d nor # 4, and #12 again")
    ('12', '7')
    """
    return tuple(dict.fromkeys(_NUMBER.findall(text))) if "#" in text else ()


def closing_lines(text: str) -> tuple[str, ...]:
    """The addresses (`ID` or `ID/t2`) that lines `Closes ID/t2` of a text name."""
    if "Closes" not in text and "Закрывает" not in text and "Schließt" not in text:
        return ()
    lines = _CLOSES.findall(text)
    return tuple(found.group() for line in lines for found in ADDRESS.finditer(line))
