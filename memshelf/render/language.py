"""Which language a text is in, where that is certain: for `lang`, so that readers pronounce it."""

from __future__ import annotations

from collections.abc import Iterable

from ..domain.patterns import lazy
from .escape import TURNS

_TAG = lazy(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,6}")
_PROOFS = (  # a script that proves a language, and what else is written beside it
    ("ja", lazy("[\u3041-\u3096\u30a1-\u30fa]"), lazy("[\u3041-\u30ff\u4e00-\u9fff]")),
    ("ko", lazy("[\uac00-\ud7a3]"), lazy("[\uac00-\ud7a3]")),
    ("he", lazy("[\u05d0-\u05ea]"), lazy("[\u05d0-\u05ea]")),
    ("ar", lazy("[\u0620-\u064a]"), lazy("[\u0620-\u064a]")),
    ("th", lazy("[\u0e01-\u0e3a]"), lazy("[\u0e01-\u0e4e]")),
)
_ANY_PROOF = lazy(
    "[\u3041-\u3096\u30a1-\u30fa\uac00-\ud7a3\u05d0-\u05ea\u0620-\u064a\u0e01-\u0e3a]"
)
_RIGHT_TO_LEFT = lazy(
    f"[\u0590-\u08ff\u200f{TURNS}\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_LETTER = lazy(r"[^\W\d_]")


def tag(given: str) -> str:
    """A language tag as it may stand in a page; empty where the text given is none."""
    return given if _TAG.fullmatch(given) else ""


def proven(text: str) -> str:
    """The language that the script of most of a text's letters proves, else "".

    Latin, Cyrillic and Han prove none.

    >>> proven("README の日本語版を置く"), proven("Решение"), proven("שלום עולם")
    ('ja', '', 'he')
    """
    if not may_prove(text):
        return ""
    found = [(language, kin) for language, proof, kin in _PROOFS if proof.search(text)]
    letters = len(_LETTER.findall(text)) if found else 0
    return next((name for name, kin in found if 2 * len(kin.findall(text)) > letters), "")


def turns(text: str) -> bool:
    """True where a letter runs from right to left, or a mark turns what follows."""
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def may_prove(text: str) -> bool:
    """False where no script in a text proves any language, which is quick to see."""
    return not text.isascii() and _ANY_PROOF.search(text) is not None


def page_language(given: str, texts: Iterable[str]) -> str:
    """The language of a page: the shelf's, else what the script of its texts proves, else ""."""
    return tag(given) or proven(" ".join(texts))
