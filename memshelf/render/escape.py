"""One escaper for each language that text is put into.

All of them first make a text harmless as such: control characters, halves of characters, those
that are none (which renderers use for marks of their own), and the
marks that turn the direction of everything after them have no place in a page.
"""

from __future__ import annotations

import html as _html
import json
import re
from json.encoder import encode_basestring
from typing import Any

from ..domain.text import one_line

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
TURNS = "\u202a-\u202e\u2066-\u2069"
"""The marks that turn the direction of all that follows, as they stand in a set of a pattern."""
_BIDI = re.compile(f"[{TURNS}]")

# A backslash where every reader of Markdown knows it, an entity where only some do.
_MARKUP = re.compile(r"[\\`*_\[\]{}]")
_ENTITY = re.compile(r"[<>|~$]|&(?=#?\w+;)|%(?=%)|(?<=%)%|=(?==)|(?<==)=")
_BEGINNING = re.compile(r"\A(?:[-+#!](?!\w)|#+|!!!|[=:?^]|\d{1,9}[.)](?=\s|\Z))")
_CLOSING_HASH = re.compile(r"#(?=#*\Z)")

_TSV = re.compile("[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_LINE = json.JSONEncoder(ensure_ascii=False)
_NO_JSON = re.compile("[<>&\u2028\u2029]")

# What Mermaid would read as more than text inside a quoted label. Which entities it knows depends
# on its version and on the host's settings, so that signs of grammar have look-alikes instead, and
# an invisible joiner keeps others from their partners: directives, formulas, links, icons, lists,
# and `direction TB`, which Mermaid takes for a statement wherever in its line it stands.
_JOINER = "\u2060"
_LOOKALIKE = str.maketrans('"<>&;`*~\\', "”‹›＆；ˋ∗∼＼")
_JOINED = re.compile(
    r"%(?=%)|\$(?=\$)|\](?=\()|:(?=//)|\bfa\w?:(?=fa-)|(?<![^\W_])(?=_)|_(?![^\W_])"
    r"|\bdirection(?=\s)|\A(?=[-+#]|\d+[.)])",
    re.IGNORECASE,
)


def clean(text: str) -> str:
    """The text without what no page may hold: control characters are shown as U+FFFD."""
    return controls(_BIDI.sub("", text))


def controls(text: str) -> str:
    """The text with control characters and halves of characters shown as U+FFFD, otherwise whole."""
    return _CONTROL.sub("\ufffd", text)


def plain(text: str) -> str:
    """The text on one line, harmless, with no markup in mind: for lists that programs read."""
    if text.isprintable() and "  " not in text:  # neither breaks, controls nor marks of direction
        return text.strip()
    return controls(one_line(_BIDI.sub("", text)))


def markdown(text: str) -> str:
    """One line of Markdown that any reader shows as this text: GitHub, MkDocs, Obsidian.

    >>> markdown("# a *b* <i> [c](d) | snake_case")
    '\\\\# a \\\\*b\\\\* &lt;i&gt; \\\\[c\\\\](d) &#124; snake\\\\_case'
    """
    line = _ENTITY.sub(_entity, _MARKUP.sub(r"\\\g<0>", plain(text)))
    if not line or (line[0].isalpha() and line[-1] != "#"):
        return line
    return _BEGINNING.sub(_begun, _CLOSING_HASH.sub(r"\\#", line))


def _entity(found: re.Match[str]) -> str:
    named = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
    return named.get(found.group()) or f"&#{ord(found.group())};"


def _begun(found: re.Match[str]) -> str:
    """What would open a heading, a list, a note or a rule at the beginning of a line."""
    mark = found.group()
    if mark[0].isdigit():
        return f"{mark[:-1]}\\{mark[-1]}"
    return f"\\{mark}" if mark[0] in "-+#!" else f"&#{ord(mark[0])};{mark[1:]}"


def html(text: str) -> str:
    """Text of an HTML element; line breaks stay."""
    return _html.escape(clean(text), quote=True)


def attribute(text: str) -> str:
    """The value of an HTML attribute between double quotes: on one line."""
    return html(one_line(text)).replace("`", "&#x60;")


def json_in_html(value: Any) -> str:
    """JSON that can end no element and open no comment; `<`, `>` and `&` stand as numbers (`\\u003c`)."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return _NO_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", halves(text))


def json_line(value: Any) -> str:
    """JSON on one line for programs that read it as such, letters as they are.

    >>> json_line("é"), json_line({"a": [1]})
    ('"é"', '{"a": [1]}')
    """
    plain = encode_basestring(value) if type(value) is str else _LINE.encode(value)
    return halves(plain)


def halves(text: str) -> str:
    """The text with halves of characters, which no encoding takes, shown as U+FFFD."""
    return text if text.isprintable() else re.sub("[\ud800-\udfff]", "\ufffd", text)


def xml(text: str) -> str:
    """Text or an attribute's value in XML 1.0, SVG or a feed."""
    return _html.escape(clean(text), quote=True).replace("&#x27;", "&#39;")


def tsv(text: str) -> str:
    """One cell of a table of tabs: what would end the cell or the row is one space."""
    return halves(_TSV.sub(" ", text))


def mermaid(text: str) -> str:
    """A label of a Mermaid diagram between double quotes, in any version and with any settings.

    >>> mermaid('"]; click n0 "javascript:<b>')
    '”]； click n0 ”javascript:‹b›'
    """
    return _JOINED.sub(rf"\g<0>{_JOINER}", plain(text).translate(_LOOKALIKE))


def dot(text: str) -> str:
    """A label or another string of Graphviz between double quotes, where `&` begins an entity."""
    return plain(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
