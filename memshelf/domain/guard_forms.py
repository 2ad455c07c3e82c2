"""The texts that can be made out of a file's bytes: what a reader, a browser or a script would see.

Entities, tags that split a word, percent signs, escapes of JSON and packed files hide a text from a
search, but from nobody who reads the page.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from .patterns import lazy


class Form(NamedTuple):
    """One way to read a file; `placed` where its lines are those of the file, the first being its
    path."""

    text: str
    placed: bool = False


class Unreadable(Exception):
    """Why nobody can say what is in a file."""


LARGEST = 256 * 1024 * 1024
"""Bytes that a packed file may become; what is larger cannot be looked through."""

# fmt: off
_BINARY: dict[str, tuple[bytes, ...]] = {
    "png": (b"\x89PNG\r\n",), "jpg": (b"\xff\xd8\xff",), "jpeg": (b"\xff\xd8\xff",),
    "gif": (b"GIF8",), "webp": (b"RIFF",), "ico": (b"\0\0\1\0",),
    "woff": (b"wOFF",), "woff2": (b"wOF2",), "ttf": (b"\0\1\0\0", b"true"), "otf": (b"OTTO",),
}
"""Kinds of files that are no text, each with how it begins."""

_MARKUP = frozenset(("html", "htm", "xhtml", "xml", "svg", "atom", "rss", "opf", "ncx"))
_PAGE = '<div class="shelf'
"""What stands in each Markdown page of a site of ours: below its headings it is HTML."""
_FEEDS = frozenset(("xml", "atom", "rss"))
_SCRIPTS = frozenset(("json", "js", "mjs", "map", "webmanifest"))
_TEXTS = _MARKUP | _SCRIPTS | frozenset((
    "md", "txt", "css", "csv", "tsv", "yml", "yaml", "toml", "mmd", "dot", "ics", "scss", "py", "j2", "",
))
# fmt: on
_TAG = lazy(r"(<!--.*?-->|</?[A-Za-z][^<>]*>)", re.DOTALL)
_INLINE = lazy(
    r"<!--|</?(?:mark|b|i|em|strong|span|a|code|wbr|sub|sup|u|s|small|kbd|var|samp|cite|dfn|time|tt|big|strike|del|ins|q|abbr|font"
    r"|bdi|bdo|label|td|th)\b",
    re.IGNORECASE,
)
_CODE = lazy(r"</?code\b", re.IGNORECASE)
_CELL = lazy(r"</t[dh]\b|<tr\b", re.IGNORECASE)
_PERCENT = lazy(r"(?<![^\s\"'<>()])[^\s\"'<>()%]*+%[^\s\"'<>()]*+")
_SCRIPT = lazy(r"<script\b[^<>]*>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_QUOTED = lazy(
    r"\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+(?:\"|(?=\n)|\Z)|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+(?:'|(?=\n)|\Z)"
    r"|`[^`\\]*+(?:\\.[^`\\]*+)*+(?:`|\Z)"
)
_ESCAPE = lazy(r"\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_SIGNS = {"n": "\n", "r": "\n", "t": "\t", "b": " ", "f": " "}
_EMBEDDED = lazy(r"data:([\w.+-]+/[\w.+-]+)?[^,\s\"'()<>]*;base64,([\w+/=%-]+)", re.ASCII)
_INVISIBLE = lazy("[\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_STRINGS = lazy(rb"[\x20-\x7e]{12,}")


def forms(path: str, data: bytes) -> Iterator[Form]:
    """The texts of a file, its path always among them. Raises Unreadable for an unknown kind."""
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if data[:2] == b"\x1f\x8b":
        yield from forms(path[:-3] if ending == "gz" else path, _unpacked(data))
    elif data.startswith(_BINARY.get(ending, ())):
        yield from _read(f"{path}\n" + b"\n".join(_STRINGS.findall(data)).decode("ascii"), "")
    else:
        yield from _read(f"{path}\n{_decoded(data, ending)}", ending)


def _decoded(data: bytes, ending: str) -> str:
    """The text of a file. Any ending will do for text, since a name without one has it too."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise Unreadable(f"byte {fault.start} is no UTF-8") from None
    if "\0" in text:
        raise Unreadable("it holds NUL, as texts do not")
    if ending in _BINARY:
        raise Unreadable(f"it is no {ending}, as its name says")
    if ending not in _TEXTS and data:
        raise Unreadable(f"files that end in .{ending} are not known here")
    return text


def _unpacked(data: bytes) -> bytes:
    packed = zlib.decompressobj(31)
    try:
        found = packed.decompress(data, LARGEST)
    except zlib.error:
        raise Unreadable("it cannot be unpacked") from None
    if packed.unconsumed_tail or packed.unused_data or not packed.eof:
        raise Unreadable("it holds more than one packed file, a part of one, or too much")
    return found


def _read(text: str, ending: str) -> Iterator[Form]:
    """A text as it is meant; then what is hidden in it by escapes, percent signs and base64."""
    if not text.isascii():
        text = _INVISIBLE.sub("", text)
    scripts = [text] if ending in _SCRIPTS else []
    if ending in _MARKUP or (ending == "md" and _PAGE in text):
        if "</script" in text:
            scripts = _SCRIPT.findall(text)
            text = _SCRIPT.sub(_lines_alone, text)
        text = _visible(text)
    for script in scripts:
        plain = _QUOTED.sub(_alone, script)
        yield Form(_shown(plain))
        if "\\" in plain:  # outside of quotes, or where they could not be paired
            yield Form(_shown(_unescaped(plain)))
    if ending not in _SCRIPTS:
        yield Form(text, placed=True)
        if ending in _FEEDS and "</" in text:  # a feed holds pages whose markup is escaped
            yield Form(_visible(text))
        if "\\" in text:
            yield Form("\n".join(_unescaped(s) for s in text.split("\n") if "\\" in s))
    if "%" in text and (found := _PERCENT.findall(text)):
        yield Form("\n".join(unquote(piece) for piece in dict.fromkeys(found)))
    if ";base64," in text:
        for kind, packed in _EMBEDDED.findall(text):
            yield from _embedded(kind, packed)


def _shown(script: str) -> str:
    """The texts of a script. An index may hold pages, whose tags are no part of the words beside them."""
    return _visible(script) if "</" in script else script


def _visible(text: str) -> str:
    """Markup as it is read, the cells of tables divided by bars, entities resolved. Each tag comes
    once more at the end, since there is text in tags as well."""
    parts = _TAG.split(text)
    tags = dict.fromkeys(parts[1::2])
    stands = {tag: _stands_for(tag) for tag in tags}
    parts[1::2] = map(stands.__getitem__, parts[1::2])
    text = "\n".join(["".join(parts), *tags])
    return html.unescape(text) if "&" in text else text


def _stands_for(tag: str) -> str:
    """What is read in the place of a tag: nothing where it may stand inside a word."""
    if _CELL.match(tag):
        return " | "
    if _CODE.match(tag):  # as in the Markdown that it was: what follows code is not its value
        return "`"
    return "" if _INLINE.match(tag) else "\n" * tag.count("\n") or " "


def _lines_alone(found: re.Match[str]) -> str:
    """As many line breaks as there were."""
    return "\n" * found.group().count("\n")


def _alone(found: re.Match[str]) -> str:
    """A quoted text of a script without its escapes, and so that none of it runs into what follows:
    the last word of a text is no password because another text begins behind it."""
    quoted = found.group()
    sign, inside = quoted[0], quoted[1:].removesuffix(quoted[0])
    if "\\" not in quoted and ":" not in quoted and "=" not in quoted:
        return quoted
    return f"{sign}{_unescaped(inside).replace(sign, ' ')} {sign}"


def _unescaped(text: str) -> str:
    """A text without the escapes of JSON and JavaScript; halves of a pair joined."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(_sign, text)
    if plain.isascii():
        return plain
    joined = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _INVISIBLE.sub("", joined)


def _sign(found: re.Match[str]) -> str:
    code = found.group(1) or found.group(2) or found.group(3)
    if code is None:
        return _SIGNS.get(found.group(4), found.group(4))
    number = int(code, 16)
    return chr(number) if number <= 0x10FFFF else " "


def _embedded(kind: str, packed: str) -> Iterator[Form]:
    """What stands in an address `data:`: a picture or a text inside a page."""
    try:
        data = base64.b64decode(unquote(packed).replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        raise Unreadable("it embeds something in base64 that is none") from None
    ending = kind.rpartition("/")[2].partition("+")[0].removeprefix("x-")
    name = {"jpeg": "jpg", "javascript": "js", "plain": "txt", "vnd.microsoft.icon": "ico"}
    yield from forms(f"embedded.{name.get(ending, ending)}", data)
