"""Who names whom: ids in text, and the marks that close a thread."""

from __future__ import annotations

import re

# A literal first digit keeps the scan linear and quick: 0.1 s for 10,000 episodes.
_ID = re.compile(r"(?<![\w-])[12]\d{3}-\d{2}-\d{2}-\w[\w-]*")
_LINK = re.compile(r"\]\(<?(?:[^()\s<>]*/)?([^()/\s<>]+)\.md(?:#[^()\s<>]*)?>?\)")
_CLOSES = re.compile(r"^[ \t>*+-]*(?:Closes|Закрывает|Schließt)[ \t:]+(.+)$", re.MULTILINE)
ADDRESS = re.compile(r"(?<![\w-])([12]\d{3}-\d{2}-\d{2}-\w[\w-]*)(?:/([td])(\d+))?")


def named(text: str) -> tuple[str, ...]:
    """The ids that a text names, bare or by a link to an episode's file; each once, in order.

    An id that is the beginning of a longer one is not named by it.
    """
    found = _ID.findall(text)
    if "](" in text:
        found += _LINK.findall(text)
    return tuple(dict.fromkeys(name.rstrip("-") for name in found)) if found else ()


def closing_lines(text: str) -> tuple[str, ...]:
    """The addresses (`ID` or `ID/t2`) that lines `Closes ID/t2` of a text name."""
    if "los" not in text and "Закр" not in text and "ließ" not in text:
        return ()
    lines = _CLOSES.findall(text)
    return tuple(found.group() for line in lines for found in ADDRESS.finditer(line))
