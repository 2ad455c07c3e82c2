"""The script that searches in pages, with the tables by which the engine of search cuts up texts.

There is one copy of these, in Python; a browser gets them as JSON, patterns as sources for its
`RegExp` with the flag `u`.
"""

from __future__ import annotations

import re

from ..domain import words
from ..domain.patterns import lazy
from ..domain.text import MARKS
from .escape import json_in_html
from .templates import source

NAME = "search.js"
_HERE = "{{ table }}"
_VOWELS = "@"
"""Stands for the vowels in patterns, which the script puts in: they are sent once."""
_CLASSES = lazy(r"\[\^\\W\\d_\]|\\U([0-9a-f]{8})|\\[wd]|\[\^?|\]|\\.", re.DOTALL)
_LETTERS, _WORDS, _DIGITS = r"[\p{L}\p{Nl}\p{No}]", r"\p{L}\p{N}_", r"\p{Nd}"


def script() -> str:
    """The script, whole."""
    return source(NAME).replace(_HERE, table())


def table() -> str:
    """What the script knows of words: an object of patterns, lists and numbers."""
    patterns = {
        "run": words.RUN,
        "unseen": f"[{words.UNSEEN}]+",
        "dense": f"({words.DENSE_RUN})",
        "grouped": words.GROUPED,
        "version": words.VERSION,
        "spaces": words.SPACES,
        "marked": words.MARKED,
        "joints": words.JOINTS,
        "camel": words.CAMEL,
        "mixed": words.MIXED,
        "numbered": words.NUMBERED,
        "signed": words.SIGNED,
        "marks": f"[{MARKS}]+",
        "quoted": words.QUOTED,
        "dash": words.DASH,
        "minus": words.MINUS,
        "hiragana": words.HIRAGANA,
        "particles": words.PARTICLES,
    }
    values = {
        "vowels": words.VOWELS,
        "in": _short(for_browsers(f"[{words.IN}]")[1:-1]),
        "edges": words.EDGES,
        "filling": words.FILLING,
        "longest": words.LONGEST,
        "parts": words.MANY_PARTS,
        "cased": words.CASED,
        "small": " ".join(sorted(words.SMALL)),
    }
    made = {name: _short(for_browsers(text)) for name, text in patterns.items()}
    return json_in_html(made | values)


def _short(pattern: str) -> str:
    return pattern.replace(words.VOWELS, _VOWELS)


def for_browsers(pattern: str) -> str:
    r"""A pattern of Python as one that means the same to a browser, which knows \w and \d of ASCII only.

    >>> for_browsers(r"[\w#]+(?!\w)"), for_browsers(r"[^\W\d_]\d")
    ('[\\p{L}\\p{N}_#]+(?![\\p{L}\\p{N}_])', '[\\p{L}\\p{Nl}\\p{No}]\\p{Nd}')
    """
    inside = False

    def rewritten(found: re.Match[str]) -> str:
        nonlocal inside
        text = found.group()
        if text in ("[", "[^", "]"):
            inside = text != "]"
        if text == r"[^\W\d_]":
            return _LETTERS
        if found.group(1):
            return rf"\u{{{int(found.group(1), 16):x}}}"
        return {r"\d": _DIGITS, r"\w": _WORDS if inside else f"[{_WORDS}]"}.get(text, text)

    return _CLASSES.sub(rewritten, pattern)
