"""Normalising, words, tokens: the only copies of these."""

from __future__ import annotations

import re
import unicodedata

from .patterns import lazy

CHARS_PER_TOKEN = 4

# Scripts written without spaces: Thai, Lao, Myanmar, Khmer, kana, Han, and the planes of rare Han.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED_CHAR = lazy(f"[{_UNSPACED}]")
_HANGUL = r"\u1100-\u11ff\uac00-\ud7af"
DENSE = _UNSPACED + _HANGUL
"""For a class of a pattern: scripts of which a character says as much as a syllable or a word."""
_DENSE_CHAR = lazy(f"[{DENSE}]")
_LATIN = r"\x00-\u024f\u1e00-\u1eff\u2000-\u2bff"
_LATIN_OR_COMMON = lazy(f"[{_LATIN}]")
_OTHER_SCRIPTS = lazy(f"[^{_LATIN}]+")
_BLANK_LINES = lazy(r"\A(?:[ \t\r]*\n)+")
MARKS = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    r"\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    r"\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
"""For a class of a pattern: what is written above and below letters, and taken away by `fold`."""
_MARKS = lazy(f"[{MARKS}]+")
_SHORT_I = "\ue000"
"""Stands for й while marks are taken away: it is a letter of its own."""
_WORD = lazy(r"\w+")
SURROGATE = lazy("[\ud800-\udfff]")
"""Half a character, which no text may hold."""


def tokens(text: str) -> int:
    """Tokens of a text as ledger and stats count them: characters / 4, rounded down."""
    return len(text) // CHARS_PER_TOKEN


def budget_tokens(text: str) -> int:
    """Tokens of a text as budgets count them, so that no script is undercounted.

    A character of Han, kana, Hangul, Thai and their kin is one token, another letter outside
    Latin half a token, everything else a quarter; rounded up.
    """
    if text.isascii():
        return -(-len(text) // CHARS_PER_TOKEN)
    dense = len(_DENSE_CHAR.findall(text))
    light = len(_LATIN_OR_COMMON.findall(text))
    return -(-(4 * dense + 2 * (len(text) - dense - light) + light) // 4)


def beyond_latin(text: str) -> bool:
    """True where over a third of a text stands in other scripts than Latin, which cost more tokens
    than a quarter of their characters.

    >>> beyond_latin("прибой, а не ветер"), beyond_latin("the café on the quay, прибой")
    (True, False)
    """
    more = len(text.encode("utf-8", "surrogatepass")) - len(text)
    if 3 * more <= len(text):  # each such letter has two bytes and more
        return False
    return 3 * sum(map(len, _OTHER_SCRIPTS.findall(text))) > len(text)


def utf16_units(text: str) -> int:
    """Length of a text in UTF-16 units, which is how some hosts count their limits."""
    return len(text) + (0 if text.isascii() else sum(1 for c in text if c > "\uffff"))


def fold(text: str) -> str:
    """A text for comparing: compatibility forms, case, accents and ё folded away.

    >>> fold("Ещё ﬁne Café İSTANBUL, мой")
    'еще fine cafe istanbul, мой'
    """
    if text.isascii():
        return text.lower()
    kept = text.casefold().replace("и\u0306", _SHORT_I).replace("й", _SHORT_I)
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", kept)).replace(_SHORT_I, "й")
    return unicodedata.normalize("NFC", plain.casefold())


def words(text: str) -> list[str]:
    """The folded words of a text, in order; a run of an unspaced script is one word.

    >>> words("Don't re-read the C++ docs!")
    ['don', 't', 're', 'read', 'the', 'c', 'docs']
    """
    return _WORD.findall(fold(text))


def count_words(text: str) -> int:
    """Words as the digest contract counts them.

    Runs between white space; in scripts without spaces two characters count as one word, and the
    punctuation between them as none.
    """
    dense = len(_UNSPACED_CHAR.findall(text))
    if not dense:
        return len(text.split())
    rest = _UNSPACED_CHAR.sub(" ", text).split()
    return sum(any(map(str.isalnum, word)) for word in rest) + -(-dense // 2)


def joined(text: str) -> str:
    """Surrogate pairs that a JSON writer escaped, as the characters they stand for; a half of one
    as U+FFFD."""
    if text.isascii() or not SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def unspaced(text: str) -> bool:
    """True where a text holds a character of a script that is written without spaces."""
    return bool(_UNSPACED_CHAR.search(text))


def one_line(text: str) -> str:
    """The text with every run of white space and line breaks as one space."""
    return " ".join(text.split())


def clip(text: str, limit: int, keep: int = 0) -> str:
    """At most `limit` characters, cut at a space where that leaves at least `keep` (2/3), with `…`.

    >>> clip("The quick brown fox", 12)
    'The quick…'
    """
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    space = head.rfind(" ")
    if space >= (keep or limit * 2 // 3):
        head = head[:space]
    return head.rstrip(" ,;:—-") + "…"


def normal_body(text: str) -> str:
    """A body in the form that is stored: LF line ends, no blank lines or spaces at either end.

    The indentation of the first line stays. Only CR, LF, tab and space count as space here: other
    characters that Unicode calls white space are content.
    """
    if "\r" in text:
        text = re.sub(r"\r+\n", "\n", text)
    if text[:1] in " \t\r\n":
        text = _BLANK_LINES.sub("", text)
    return text.rstrip(" \t\r\n")


def plural(count: int, noun: str) -> str:
    """`1 episode`, `3 episodes`, `2 entries`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1] + 'ies' if noun.endswith('ry') else noun + 's'}"
