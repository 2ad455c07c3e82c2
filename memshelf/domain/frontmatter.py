"""The one reader and the one writer of front matter.

What is written is flat (format.md, *Episode*): one `key: value` a line, which PyYAML, a YAML 1.2
reader and the peer's rule (split at the first colon, JSON-decode what is in double quotes) all read
as the same text. What is read is any YAML mapping, and every scalar is the text that was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .errors import BadField
from .finding import Finding
from .patterns import lazy
from .text import SURROGATE, joined, one_line
from .yaml_text import Composer, Refused, Value

LIMIT = 64 * 1024

_BOM = "\ufeff"
_HEADING = lazy(r" {0,3}#[ \t]+(.*?)[ \t]*(?:\r?\n|\Z)")
_BLANK = lazy(r"(?:[ \t]*\r?\n)*")
_TOP = lazy(
    r"\ufeff?(?:[ \t]*\r?\n)*+(?: {0,3}#[ \t]+([^\n]*?)[ \t]*\r?\n(?:[ \t]*\r?\n)*+)?---[ \t]*\r?\n"
)
_CLOSING = lazy(r"\n---[ \t]*\r?(?=\n|\Z)")
_KEY_LINE = lazy(r"([^\s:#\-\[\]{},&*!|>'\"%@`?][^:\n]*?)[ \t]*:(?:[ \t]+(.*?))?[ \t]*")
# A line exactly as our writer or the peer's quoting makes it: quoted, a plain list, or a bare word.
_NAME = r"[A-Za-z_][\w-]*"
_QUOTED = (
    r'(?:[^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]'
    r'|\\["\\/bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*'
)
_ITEM = r"(?:\w[\w .+/-]*\w|\w)"
_LISTED = rf"(?:{_ITEM}(?:, {_ITEM})*|)"
_WORD = r"\w[\w./+-]*"
_FAST_LINE = lazy(rf'^({_NAME}): (?:"({_QUOTED})"|(\[)({_LISTED})\]|({_WORD}))\r?\n', re.MULTILINE)
_RAW_KEYS = ("session", "span")
# What YAML 1.1 or 1.2 would take for something else than text.
_NOT_TEXT = lazy(
    r"(?i:|~|null|true|false|yes|no|on|off|y|n|=|<<"
    r"|[-+]?\.?\d[\d_,.:]*(?:e[-+]?\d+)?|[-+]?0[xob][\da-f_]+|[-+]?\.(?:inf|nan)"
    r"|\d{4}-\d\d?-\d\d?(?:[t ].*)?)"
)
_PLAIN_TAG = lazy(r"[^\W_][^,\[\]{}\"'\\#:?\x00-\x1f]*")
_ESCAPED = lazy("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class Front(NamedTuple):
    """The front matter of a text and where it stands.

    `start` and `end` bound the lines between the fences, `body` is where the text after the closing
    fence and an H1 begins. `heading` is the H1's text, from either side of the block. `present` is
    False where there is no block: then the whole text is body.
    """

    values: dict[str, Value]
    findings: tuple[Finding, ...]
    start: int
    end: int
    body: int
    heading: str
    present: bool
    heading_at: int = -1
    """Where the H1's line begins; below 0 where there is none."""


def read(text: str) -> Front:
    """The front matter at the top of a text, before or after one H1; BOM and CRLF are read over."""
    heading, at, line, start = _top(text)
    if start is None:
        return Front({}, (), 0, 0, at, heading, False, line)
    end = _closing(text, start)
    if end is None:
        found = Finding(
            "error",
            "unclosed-frontmatter",
            "The front matter that begins with `---` never ends.",
            fix="Write a line `---` after its last key.",
        )
        return Front({}, (found,), 0, 0, at, heading, False, line)
    body = text.index("\n", end) + 1 if "\n" in text[end:] else len(text)
    if line < 0:
        heading, body, line = _heading(text, body)
    values, findings = _values(text[start:end])
    return Front(values, findings, start, end, body, heading, True, line)


def _top(text: str) -> tuple[str, int, int, int | None]:
    """The H1 above the block, where the text after it and its line begin; where the block does."""
    found = _TOP.match(text)
    if found:
        heading = found.group(1)
        line = -1 if heading is None else text.rfind("\n", 0, found.start(1)) + 1
        return heading or "", found.end(), line, found.end()
    heading, at, line = _heading(text, len(_BOM) if text.startswith(_BOM) else 0)
    return heading, at, line, None


def _skip_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _heading(text: str, at: int) -> tuple[str, int, int]:
    """The H1 that stands next, past blank lines; where the text after it, and its line, begin."""
    line = _skip_blank(text, at)
    found = _HEADING.match(text, line)
    return (found.group(1), found.end(), line) if found else ("", at, -1)


def _closing(text: str, start: int) -> int | None:
    found = _CLOSING.search(text, start - 1)  # from the line break before: the block may be empty
    return found.start() + 1 if found else None


def _values(block: str) -> tuple[dict[str, Value], tuple[Finding, ...]]:
    if len(block) > LIMIT // 4 and len(block.encode("utf-8", "surrogatepass")) > LIMIT:
        return {}, (_finding("frontmatter-too-large", "The front matter is over 64 KB."),)
    fast = _read_fast(block)
    if fast is not None:
        return fast, ()
    return _read_yaml(block)


def _read_fast(block: str) -> dict[str, Value] | None:
    """The block, if every line is what a writer of ours or the peer's makes; else None."""
    lines = _FAST_LINE.findall(block)
    if len(lines) != block.count("\n"):  # a match is a whole line, so the others are none of ours
        return None
    values: dict[str, Value] = {
        key: _items(listed)
        if bracket
        else bare or (joined(json.loads(f'"{quoted}"')) if "\\" in quoted else quoted)
        for key, quoted, bracket, listed, bare in lines
    }
    return values if len(values) == len(lines) else None  # else a key stands twice


def _items(listed: str) -> tuple[str, ...]:
    return tuple(listed.split(", ")) if listed else ()


def _finding(code: str, message: str, level: str = "error", fix: str = "") -> Finding:
    return Finding(level, code, message, fix=fix or "Write the block as `key: value` lines.")


def _read_yaml(block: str) -> tuple[dict[str, Value], tuple[Finding, ...]]:
    import yaml

    try:
        values, findings = Composer(block).mapping()
    except (yaml.YAMLError, ValueError, Refused) as trouble:
        return _read_as_peer(block, trouble)
    for key in _RAW_KEYS:  # the peer writes these raw: `session: run #4` means what it says
        raw = _raw(block, key)
        if raw and isinstance(values.get(key), str):
            values[key] = raw
    return values, findings


def _raw(block: str, key: str) -> str:
    found = re.search(rf"^{key}:[ \t]+([^\s\"'\[{{|>&*!%@`#].*?)[ \t]*\r?$", block, re.MULTILINE)
    return found.group(1) if found else ""


def _read_as_peer(block: str, trouble: Exception) -> tuple[dict[str, Value], tuple[Finding, ...]]:
    """Where YAML fails and every line is `key: value`, the peer's rule reads the block."""
    line = _line_of(trouble)
    if isinstance(trouble, Refused):
        return {}, (_finding("frontmatter-refused", f"{trouble} (line {line})."),)
    values: dict[str, Value] = {}
    for row in block.split("\n"):
        row = row.rstrip("\r")
        if not row.strip():
            continue
        found = _KEY_LINE.fullmatch(row)
        value = found.group(2) or "" if found else ""
        if not found or _unbalanced(value):
            return {}, (_finding("frontmatter-unreadable", f"Line {line} is not YAML."),)
        values[found.group(1)] = _peer_value(found.group(1), value)
    said = f"Line {line} is not YAML; the block was read line by line."
    fix = "Put the value in double quotes: `memshelf rebuild --adopt` does it."
    return values, (_finding("frontmatter-not-yaml", said, "warning", fix),)


def _unbalanced(value: str) -> bool:
    first, last = value[:1], value[-1:]
    if first == '"' or first == "'":
        return len(value) < 2 or last != first
    if first and first in "[{":
        closing = {"[": "]", "{": "}"}[first]
        return value.count(first) != value.count(closing) or value.count('"') % 2 == 1
    return False


def _peer_value(key: str, value: str) -> Value:
    if value.startswith('"'):
        try:
            return joined(_text(json.loads(value)))
        except ValueError:
            return value[1:-1]
    if value.startswith("[") and value.endswith("]"):
        inner = (item.strip() for item in value[1:-1].split(","))
        return tuple(item.strip("\"'") for item in inner if item)
    return value


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _line_of(trouble: Exception) -> int:
    mark = getattr(trouble, "problem_mark", None) or getattr(trouble, "start_mark", None)
    return mark.line + 2 if mark is not None else 2  # the fence above the block is line 1


# --- writing ---------------------------------------------------------------------------------


def quote(text: str) -> str:
    """The text in JSON-style double quotes, as YAML and JSON both read it."""
    if SURROGATE.search(text):
        raise BadField("text", "it holds half a character (a lone surrogate).", "Remove it.")
    out = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found.group()):04x}", out)


def quote_line(text: str) -> str:
    """`quote` of the text on one line."""
    return quote(one_line(text))


def item(text: str) -> str:
    """One item of a list: bare where every reader takes it for the same text, else quoted."""
    plain = _PLAIN_TAG.fullmatch(text) and not _NOT_TEXT.fullmatch(text)
    return text if plain and text == text.strip() and not _ESCAPED.search(text) else quote(text)


def listed(items: Iterable[str]) -> str:
    """A list on one line, `[a, b]`."""
    return f"[{', '.join(item(text) for text in items)}]"


def value(content: Value) -> str:
    """Any value on one line: text quoted, lists in brackets, mappings as JSON (which YAML reads)."""
    if isinstance(content, str):
        return quote(content)
    if isinstance(content, tuple) and all(isinstance(part, str) for part in content):
        return listed(content)
    return _ESCAPED.sub(
        lambda c: f"\\u{ord(c.group()):04x}", json.dumps(content, ensure_ascii=False)
    )


def write(lines: Mapping[str, str] | Iterable[tuple[str, str]]) -> str:
    """The block with its fences, from keys and values that are written already."""
    pairs = lines.items() if isinstance(lines, Mapping) else lines
    return "---\n" + "".join(f"{key}: {written}\n" for key, written in pairs) + "---\n"
