"""CommonMark with tables and strikethrough to plain HTML, by either of two engines, byte for byte alike
(but for an empty `title`, which no page shows).

markdown-it-pyrs is quick; markdown-it-py is the reference, and serves where there is no wheel of
the other. The quick one has faults of its own: where a text or what came out of it has the marks of
one of them, the reference renders that text again. Raw HTML is text in both.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any
from unicodedata import category

from ..domain.patterns import lazy

Engine = Callable[[str], str]

_NESTING = 100  # so deep do both engines look into quotes and lists
_RULES = (
    "blockquote code fence heading hr lheading list paragraph reference "  # blocks
    "autolink backticks emphasis entity escape image link newline "  # in lines
    "strikethrough"
).split()


def plain(markdown: str) -> str:
    """The HTML of a text without control characters: no attribute but those that CommonMark needs."""
    text = f"\n{markdown}\n"
    quick = _quick("|" in markdown)
    if quick is None or _hinders(text):
        return reference(text)
    try:
        made = quick(text)
    except (Exception, KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic of the engine is none of Python's errors
        return reference(text)
    return reference(text) if _doubtful(text, made) else made


def versions() -> str:
    """The versions of the engines that are there: what comes out may change with them."""
    return " ".join(f"{name} {version_of(name)}" for name in ("markdown-it-py", "markdown-it-pyrs"))


def version_of(name: str) -> str:
    """The version of an installed package, "-" where it is not there.

    It stands in the name of a folder, as installers write it: to ask Python takes ten times as long.
    """
    begin, end = f"{name.replace('-', '_').lower()}-", ".dist-info"
    for folder in sys.path:
        with contextlib.suppress(OSError):
            for found in os.listdir(folder):  # noqa: PTH208 - a Path for each costs more than all else
                if found.endswith(end) and found.lower().startswith(begin):
                    return found[len(begin) : -len(end)]
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "-"


# --- the engines -----------------------------------------------------------------------------


@cache
def _quick(tables: bool = True) -> Engine | None:
    """The quick engine, None where there is no wheel of it. Its presets pass raw HTML: none is used.

    Without tables, which take a bar, it needs a third less time.
    """
    try:
        from markdown_it_pyrs import MarkdownIt
    except ImportError:
        return None
    parser = MarkdownIt("zero")
    for rule in _RULES + ["table"] * tables:
        parser.enable(rule)  # type: ignore[arg-type]
    render = parser.render
    return lambda text: render(text, xhtml=False)


def reference(text: str) -> str:
    """The HTML by markdown-it-py, of a text that ends with a line break."""
    found: str = _reference()(text)
    return found


@cache
def _reference() -> Engine:
    from markdown_it import MarkdownIt
    from mdurl import encode

    options = {"html": False, "xhtmlOut": False, "maxNesting": _NESTING}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    # Addresses as the quick engine writes them: browsers know how to ask for a name that is not ASCII.
    parser.normalizeLink = encode  # type: ignore[method-assign,assignment]
    parser.normalizeLinkText = str  # type: ignore[method-assign,assignment]
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("blockquote_open", _blockquote)
    return parser.render


def _fence(self: Any, tokens: Any, at: int, *rest: Any) -> str:
    """A block of code begins a line, in a list too."""
    found = str(type(self).fence(self, tokens, at, *rest))
    return f"\n{found}" if at and tokens[at - 1].hidden else found


def _blockquote(self: Any, tokens: Any, at: int, *rest: Any) -> str:
    """So does what is in a quote, if it is nothing."""
    return str(self.renderToken(tokens, at, *rest)).rstrip("\n") + "\n"


# --- where they differ -----------------------------------------------------------------------
# Each of these is a fault of the quick engine that was met. A pattern begins with a letter of its
# own wherever it can, which makes looking for it ten times as quick, and none can be made to take
# more than linear time: repetitions are possessive or bounded.

_MARKER = r"[ \t]*+(?:>|(?:[-+*]|\d{1,9}[.)])(?=\s))"
_DEEP = lazy(rf"\n(?:{_MARKER}){{8}}")
_INDENT = " " * 80
_DEFINITION = lazy(r"\n[-+*> \t\d.)]{0,99}\[(?:[^\]\\]|\\.){0,999}\]:", re.DOTALL)
_LABEL = r"(?:[^\]\[`\\\n]|`[^`\n]+`)*+\]"
_OPEN_LABEL = lazy(rf"\[(?!{_LABEL})(?:[^`\n]|\n(?! {{0,3}}(?:\n|```[^`\n]*\n))){{0,300}}`")
_JOINED_TITLE = lazy(r"\]\(\s*<[^<>\n]*>[\"'(]")
_CODE_AND_TAGS = lazy(r"<code[^>]*>[^<]*</code>|<[^>]*>")
_MARKS = lazy(r"[*`]|~~|_(?:(?<![^\W_]_)|(?![^\W_]))")
_UNDERSCORE = lazy(r"_(?:(?<![^\W_]_)|(?![^\W_]))")
_BLANK_CODE = lazy(r"<code>\s*</code>")
_NESTED_QUOTE = r"[-+*\d.) \t]*+>[-+*\d.) \t]*+>"
_LAZY_QUOTE = lazy(rf"\n(?:(?:{_MARKER})*[ \t]*>[^\n]*\n(?=[ \t]*[^\s>])|{_NESTED_QUOTE})")
_ROW = r"\n[ \t]*+\|[^\n\\]*+"
_TABLE = lazy(
    rf"\n[ \t]*+\|[-:| \t]*+[^\n\\][^\n\\]*+\n[ \t]*+\|[-:| \t]++(?=\n)(?:{_ROW})*+"
    r"(\n[ \t]*+[^\s|]|\\)?"
)
_BELOW_HEAD = lazy(r"\n(?=[-:| \t>*+\d.)]++\n)[^\n|:]*+[|:]")
_BELOW_BAR = lazy(r"\|[^\n|]*+\n(?=[-: \t>*+\d.)]++\n)[^\n-]*+-")
_SPACE = "[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_SPACES = lazy(_SPACE)
_TRIMMED = lazy(rf">{_SPACE}|<(?<={_SPACE}<)|\n(?:{_SPACE}|(?<={_SPACE}\n))")
_SIGN = r"([^\x00-\x7f\w])"
_BESIDE = {
    mark: lazy(rf"[{mark}](?:(?<={_SIGN}[{mark}])(?={_SIGN}?)|(?={_SIGN}))") for mark in "*_~"
}
_LONG = 20_000


def _hinders(text: str) -> bool:
    """True for what the quick engine gives up on, or takes unbounded time or depth for."""
    if "[" in text:
        if "`" in text and _OPEN_LABEL.search(text):
            return True  # it panics where code in an open label never ends
        if "<" in text and _JOINED_TITLE.search(text):
            return True
        if "]:" in text and _DEFINITION.search(text):
            return True
        if text.count("[") >= _NESTING and _crowded(text):
            return True
    if len(text) > _LONG and text.count("*") + text.count("_") + text.count("~") > _LONG // 4:
        return True
    if _INDENT in text or ("\t" in text and _INDENT in text.expandtabs(4)):
        return True
    return _DEEP.search(text) is not None


def _crowded(text: str) -> bool:
    """True where so many brackets open in one paragraph that they may be nested too deeply."""
    return any(part.count("[") >= _NESTING for part in text.split("\n\n"))


def _doubtful(text: str, made: str) -> bool:
    """True where the engines are known to differ, by the marks that this leaves."""
    return (
        _unpaired(made)
        or ("!" in text and "<img" in made)
        or ("`" in text and "<code> " in made and _BLANK_CODE.search(made) is not None)
        or ("~" in text and "~~~" in text)
        or (">" in text and "<blockquote>" in made and _odd_quote(text))
        or ("|" in text and _odd_table(text))
        or (not made.isascii() and (_trimmed(made) or _symbols(text)))
    )


def _unpaired(made: str) -> bool:
    """True where a mark was left as text: its partner may be there, and was overlooked."""
    if (
        "*" in made
        or "`" in made
        or ("_" in made and _UNDERSCORE.search(made))
        or ("~" in made and "~~" in made)
    ):
        return _MARKS.search(_CODE_AND_TAGS.sub("", made)) is not None
    return False


def _odd_quote(text: str) -> bool:
    """True for a quote with tabs, with lines that have no mark of their own, or with another in it."""
    return "\t" in text or _LAZY_QUOTE.search(text) is not None


def _odd_table(text: str) -> bool:
    """True for what may be a table and has no bar at the beginning of each line, or has escapes."""
    rest = _TABLE.sub(lambda found: "\n\0" if found[1] else "\n", text)
    return (
        "\0" in rest
        or _BELOW_HEAD.search(rest) is not None
        or ("|" in rest and _BELOW_BAR.search(rest) is not None)
    )


def _trimmed(made: str) -> bool:
    """True where a line begins or ends with a space that only one of the engines takes for one."""
    return _SPACES.search(made) is not None and _TRIMMED.search(made) is not None


def _symbols(text: str) -> bool:
    """True where emphasis touches a symbol: only one of the engines takes that for punctuation."""
    return any(
        category(sign)[0] == "S"
        for mark, beside in _BESIDE.items()
        if mark in text
        for signs in beside.findall(text)
        for sign in filter(None, signs)
    )
