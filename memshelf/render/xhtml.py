"""HTML fragments as a book can hold them: well-formed XML, no table wider than a page, no link that
a reading system may refuse.

Works on the HTML that `render.markdown.fragment` makes, where every `<`, `>` and `"` is markup.
"""

from __future__ import annotations

import html
import re

COLUMNS = 4
"""A table with more columns than this is shown as a list of its rows."""

_VOID = re.compile(r"<(br|col|hr|img|wbr)\b([^<>]*?)\s*/?>")
_BOX = re.compile(r"<input\b([^<>]*)>")
_TAB = re.compile(r' tabindex="-?\d+"')
_TABLE = re.compile(r"<table[^>]*>.*?</table>", re.DOTALL)
_ROW = re.compile(r"<tr[^>]*>(.*?)</tr>", re.DOTALL)
_CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)
_AWAY = re.compile(r'<a href="((?:https?|mailto):[^"]*)"[^>]*>(.*?)</a>', re.DOTALL | re.IGNORECASE)
_REST = r"(?:[\w.~:/?@!$&'()*+,;=-]|%[0-9a-fA-F]{2})*"
_LABEL = r"[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_HOST = rf"(?:(?:{_LABEL}\.)*(?!\d){_LABEL}|(?:{_OCTET}\.){{3}}{_OCTET})"
_PORT = r"(?::[1-5]?\d{1,4})?"
_GOOD = re.compile(
    rf"https?://{_HOST}{_PORT}(?:[/?]{_REST})?(?:#{_REST})?|mailto:[\w.+-]+@{_HOST}(?:\?{_REST})?",
    re.IGNORECASE | re.ASCII,
)


def xhtml(fragment: str) -> str:
    """A fragment as XHTML for a book.

    >>> xhtml('a<br>b <input type="checkbox" checked disabled> <a href="http://a b">x</a>')
    'a<br/>b ☑ x [http://a b]'
    """
    text = _VOID.sub(r"<\1\2/>", _TAB.sub("", fragment))
    text = _BOX.sub(lambda found: "☑" if "checked" in found.group(1) else "☐", text)
    text = _AWAY.sub(_link, text)
    return _TABLE.sub(_table, text) if "<table" in text else text


def _link(found: re.Match[str]) -> str:
    """A link to the web, where its address is one by the rules; else the words and the address."""
    href, words = found.groups()
    if _GOOD.fullmatch(html.unescape(href)):
        return f'<a href="{href}">{words}</a>'
    return words if words == href else f"{words} [{href}]"


def _table(found: re.Match[str]) -> str:
    rows = [_CELL.findall(row) for row in _ROW.findall(found.group())]
    if not rows or len(rows[0]) <= COLUMNS:
        return found.group()
    items = "".join(_item(rows[0], row) for row in rows[1:] or rows)
    return f'<ul class="rows">\n{items}</ul>'


def _item(heads: list[str], row: list[str]) -> str:
    """One row: its first cell in bold, then each cell that holds something behind its head."""
    pairs = [(head, cell) for head, cell in zip(heads, row, strict=False) if cell.strip()]
    said = [f"{head}: {cell}" if head.strip() and head != cell else cell for head, cell in pairs]
    first, *rest = said or ["–"]
    return f'<li dir="auto">{"<br/>".join([f"<strong>{first}</strong>", *rest])}</li>\n'
