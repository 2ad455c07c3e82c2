"""Blocks of code in colours: a few kinds of words in the languages that people use, by Pygments."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LIMIT = 8_000
LINE_LIMIT = 500
"""Longer blocks, or blocks with longer lines, in characters, stay plain: logs, listings and data,
which nobody reads by colour, and on which some of the library's patterns take quadratic time."""

LANGUAGES = frozenset(
    """bash c c++ clojure cmake console cpp css dart diff docker dockerfile elixir
    erlang go golang graphql groovy haskell hcl html ini java javascript js json json5 jsx
    julia kotlin lua make makefile nginx nix objective-c ocaml perl php powershell prolog proto
    protobuf ps1 py pycon python python3 r rb ruby rust rs sass scala scss sh shell sql swift
    terraform toml ts tsx typescript udiff vim xml yaml yml zig zsh""".split()
)
"""Names that are looked up: the library knows hundreds. Left out is C#, whose every block takes
quadratic time."""

# Numbers and names stay plain: they would be half of the marks, and tell nothing that is not seen.
# The elements are short ones that HTML has for such things: a class for each would be three times
# as many bytes.
_KINDS = (
    ("Comment.Preproc", "b"),
    ("Comment", "i"),
    ("Keyword", "b"),
    ("Operator.Word", "b"),
    ("Literal.String", "u"),
    ("Name.Function", "var"),
    ("Name.Class", "var"),
    ("Name.Decorator", "var"),
    ("Name.Tag", "var"),
    ("Generic.Deleted", "del"),
    ("Generic.Inserted", "ins"),
    ("Generic.Heading", "b"),
    ("Generic.Subheading", "b"),
)


def coloured(code: str, language: str) -> str:
    """The HTML of a block of code with `<b>` around keywords, `<i>` comments, `<u>` strings, `<var>`
    names that are defined, `<del>` and `<ins>`; `site_templates/code.css` colours them.

    Empty where the language is not known, the block is long, or it would not come back as the same
    text.
    """
    name = language.lower()
    lexer = _lexer(name) if name in LANGUAGES and _is_short(code) else None
    if lexer is None:
        return ""
    tokens = list(lexer.get_tokens_unprocessed(code))
    if "".join([text for _, _, text in tokens]) != code:
        return ""
    runs = groupby(tokens, key=lambda token: _kind(token[1]))
    return "".join(_run(kind, "".join([text for _, _, text in run])) for kind, run in runs)


def _is_short(code: str) -> bool:
    return len(code) <= LIMIT and max(map(len, code.split("\n"))) <= LINE_LIMIT


@cache
def _lexer(name: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(name)
    except ClassNotFound:  # an older Pygments
        return None


@cache
def _kind(token: Any) -> str:
    """The element of a kind of token, or an empty text for what has the colour of text."""
    name = f"{token}.".removeprefix("Token.")
    return next((kind for start, kind in _KINDS if name.startswith(f"{start}.")), "")


def _run(kind: str, text: str) -> str:
    shown = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<{kind}>{shown}</{kind}>" if kind else shown
